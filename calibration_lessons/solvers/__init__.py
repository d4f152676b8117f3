"""Roots and minima of the convex functions that the calibrators and the models are fitted by."""
