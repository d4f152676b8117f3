"""What the tests of the problem sets share."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def commands_of_the_environment() -> Iterator[None]:
    """Nbgrader calls `alembic` by its bare name, also where the environment is not activated."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
        yield
