"""A copy of the course, made once, and put back in order behind each test that breaks it."""

from collections.abc import Iterator

import pytest

from tests.book.copied import Course


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """Copy what the guards read."""
    return Course(tmp_path_factory.mktemp("course"))


@pytest.fixture
def course(copy: Course) -> Iterator[Course]:
    """Lend the copy to a test, and put it back in order."""
    yield copy
    copy.restore()
