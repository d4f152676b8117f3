"""What all tests share."""

import os

from hypothesis import Phase, settings

# A mutant is noticed by any counter-example; nobody reads the smallest one.
PHASES = [Phase.explicit, Phase.generate] if "MUTANT_UNDER_TEST" in os.environ else list(Phase)
# The first call of a property may import SciPy or compile: its time says nothing about the property.
# In CI the examples are the same on every run, so that a failure there can be repeated.
settings.register_profile("course", deadline=None, derandomize="CI" in os.environ, phases=PHASES)
settings.load_profile("course")
