"""What the tests of the guards share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.book.sample import Sample


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    """Write the small course into a folder of its own."""
    return Sample(tmp_path)
