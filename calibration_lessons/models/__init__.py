"""Logistic and softmax regression, from scratch."""

from .logistic_regression import LogisticRegression as LogisticRegression
from .softmax_regression import SoftmaxRegression as SoftmaxRegression
