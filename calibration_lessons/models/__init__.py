"""Logistic and softmax regression from scratch."""
