"""What the tests of the problem sets share."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from nbformat import NotebookNode

pytest.register_assert_rewrite("tests.assignments.grading")

from tests.assignments.grading import Course  # noqa: E402


@pytest.fixture(scope="session", autouse=True)
def commands_of_the_environment() -> Iterator[None]:
    """Nbgrader calls `alembic` by its bare name, also where the environment is not activated."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
        yield


@pytest.fixture(scope="class")
def course(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Make the course with the problem set that the test class names."""
    return Course(request.cls.source, tmp_path_factory.mktemp("course") / "gradebook.db")


@pytest.fixture(scope="class")
def release(course: Course) -> NotebookNode:
    """Release the problem set once for a test class."""
    return course.release()
