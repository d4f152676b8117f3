"""The tests of the grader have the class of the problem sets."""

from tests.assignments.conftest import classroom

__all__ = ["classroom"]
