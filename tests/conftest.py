"""What all tests share."""

import json
import os
from collections import Counter
from itertools import accumulate
from pathlib import Path

import pytest
from hypothesis import Phase, settings

# A mutant is noticed by any counter-example; nobody reads the smallest one.
PHASES = [Phase.explicit, Phase.generate] if "MUTANT_UNDER_TEST" in os.environ else list(Phase)
# The first call of a property may import SciPy or compile: its time says nothing about the property.
# The examples are the same on every run: whether a change lands is not a matter of chance. New ones are drawn
# by `pytest -m hypothesis --hypothesis-profile=search`.
settings.register_profile("search", deadline=None, max_examples=1000, phases=PHASES)
settings.register_profile("course", deadline=None, derandomize=True, phases=PHASES)
settings.load_profile("course")
DURATIONS = Path("durations.json")  # seconds of each test with its fixtures, where mutmut measures them
PATIENCE = 5  # seconds of tests, unchanged, that a mutant has to get through to count as not noticed
seconds: Counter[str] = Counter()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Measure how long each test takes."""
    seconds[report.nodeid] += report.duration


def pytest_sessionfinish() -> None:
    """Keep what was measured where mutmut asks for it."""
    if os.environ.get("MUTANT_UNDER_TEST") == "stats":
        before = json.loads(DURATIONS.read_text("utf-8")) if DURATIONS.exists() else {}
        DURATIONS.write_text(json.dumps(before | seconds), "utf-8")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Try a mutant by its fastest tests first, as many as the patience is for."""
    if "__mutmut_" in os.environ.get("MUTANT_UNDER_TEST", ""):
        needed = Counter(json.loads(DURATIONS.read_text("utf-8")))
        items.sort(key=lambda item: needed[item.nodeid])
        starts = accumulate((needed[item.nodeid] for item in items), initial=0)
        items[:] = [item for item, start in zip(items, starts, strict=False) if start < PATIENCE]
