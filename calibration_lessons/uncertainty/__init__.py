"""Kinds of uncertainty: the coin, classifiers, ensembles."""
