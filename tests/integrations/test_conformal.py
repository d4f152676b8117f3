"""The page of all methods makes lists with a promise to each class by crepes, as the lesson does."""

import re
from pathlib import Path

import numpy as np
import pytest

PAGE = Path(__file__).parents[2] / "book/reference/methods.md"


@pytest.mark.parametrize(("n_classes", "n"), [(3, 300), (10, 200), (10, 2000)])
def test_the_lists_of_crepes_are_those_of_a_threshold_for_each_class(n_classes, n):
    rng = np.random.default_rng(n)

    def rows(n):
        y = rng.choice(n_classes, n, p=rng.dirichlet(np.ones(n_classes)))
        z = np.exp(2 * np.eye(n_classes)[y] + rng.normal(size=(n, n_classes)))
        return y, z / z.sum(axis=1, keepdims=True)

    (y, p), (_, new) = rows(n), rows(1000)
    names = {"p": p, "y": y, "new": new}
    exec(re.search(r"```python\n(.*?crepes.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[1], names)
    for k, own in enumerate(np.sort(1 - p[y == k, k]) for k in range(n_classes)):
        rank = int(np.ceil((len(own) + 1) * 0.95))
        threshold = own[rank - 1] if rank <= len(own) else np.inf
        assert np.array_equal(names["lists"][:, k], 1 - new[:, k] <= threshold)
