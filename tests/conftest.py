"""What all tests share."""

from hypothesis import settings

# The first call of a property may import SciPy or compile: its time says nothing about the property.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")
