"""The narrative, the maths and the code agree, in this tree, as far as a test can see."""

import pytest

from tests.book.copied import ROOT
from tests.book.guards import GUARDS


@pytest.mark.parametrize("promise", GUARDS)
def test_the_tree_keeps_the_promise(promise: str) -> None:
    problems = list(GUARDS[promise](ROOT))
    if problems:
        pytest.fail(f"{len(problems)} problem(s)\n" + "\n".join(map(str, problems)), pytrace=False)
