"""The tool that binds what authors wrote unbound finds the expression behind a number."""

import nbformat

from tests.book.copied import md, py
from tools import suggest


def test_the_tool_finds_the_expression_behind_a_number(tmp_path):
    loop = "held = {'a': [3, 4], 'b': [5, 6]}\nfor name, p in held.items():\n    s = sum(p) / 7\n"
    cells = [py(f"{loop}    print(f'{{s}}')"), md("It is 1.571, not 0.123 of it.")]
    path = tmp_path / "loose.ipynb"
    nbformat.write(nbformat.from_dict(nbformat.v4.new_notebook(cells=cells)), path)
    found = list(suggest.suggest(path, apply=True))
    assert [line.split(": ", 1)[1] for line in found] == [
        "cell 2, line 1: 1.571: sum(held['b']) / 7:.3f",
        "cell 2, line 1: 0.123: nothing above gives it",
    ]
    assert "1.571<!-- = sum(held['b']) / 7:.3f -->" in path.read_text(encoding="utf-8")
