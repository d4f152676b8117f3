"""What the tests of the problem sets share."""

import pytest

pytest.register_assert_rewrite("tests.assignments.grading")

from classroom.course import Course  # noqa: E402
from tests.assignments.grading import Class  # noqa: E402


@pytest.fixture(scope="session")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> Class:
    """Make one class for all problem sets, as a teacher has it."""
    return Class(Course(tmp_path_factory.mktemp("class")))
