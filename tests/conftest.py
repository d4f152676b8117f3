"""What all tests share."""

import os

from hypothesis import settings

# The first call of a property may import SciPy or compile: its time says nothing about the property.
# In CI the examples are the same on every run, so that a failure there can be repeated.
settings.register_profile("course", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("course")
