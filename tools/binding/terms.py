#!/usr/bin/env python3
"""Link each lesson's first open use of a term to the glossary (`make tidy` calls it)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.binding.lengths import unfolded
from tools.binding.pages import ROOT, lessons

GLOSSARY = "book/reference/glossary.md"
# What is no prose: comments, code, roles, formulas, targets of links, headings, tables.
NO_PROSE = re.compile(
    r"<!--.*?-->|\{[\w:-]+\}`[^`]*`|`+[^`]*`+|\$\$.*?\$\$|\$[^$]*\$|\[[^]]*\]\([^)]*\)"
    r"|^\s*(?:#|\||:\w[\w-]*:|\([\w-]+\)=$|[`:]{3,})[^\n]*$",
    re.S | re.M,
)


def terms(root: Path) -> dict[str, str]:
    """Names in the glossary, in small letters, the longest first, each with the first of its entry."""
    entries = re.findall(r"((?:^\w.*\n)+)  ", (root / GLOSSARY).read_text(encoding="utf-8"), re.M)
    names = {name.lower(): entry.splitlines()[0] for entry in entries for name in entry.splitlines()}
    return dict(sorted(names.items(), key=lambda item: -len(item[0])))


def unlinked(notebook: dict[str, Any], names: dict[str, str]) -> Iterator[tuple[int, int, str, str]]:
    """Yield first open uses without a link: number of the cell, place in its text, what stands there, term.

    A use in bold or italics is the term's own definition.
    """
    cells = [(i, cell) for i, cell in enumerate(notebook["cells"]) if cell["cell_type"] == "markdown"]
    texts = unfolded(["".join(cell["source"]) for _, cell in cells])
    each = "|".join(re.escape(name) for name in names)
    pattern = re.compile(rf"(?P<marked>\*+)?(?<![\w-])(?P<term>{each})(?:s|es)?(?![\w-])", re.I)
    seen: set[str] = set()
    for (number, _), text in zip(cells, texts, strict=True):
        for linked in re.finditer(r"\{term\}`(?:[^`<]*<)?([^`>]+)>?`", text):
            text = text.replace(linked[0], f"*{linked[1].strip()}".ljust(len(linked[0]), "*"), 1)
        plain = NO_PROSE.sub(lambda match: re.sub(r"\S", " ", match[0]), text)
        for use in pattern.finditer(plain):
            name = names[use["term"].lower()]
            if name not in seen and not use["marked"]:
                yield number, use.start("term"), plain[use.start("term") : use.end()], name
            seen.add(name)


def link(root: Path) -> Iterator[Path]:
    """Link what is not linked; yield the lessons that change."""
    names = terms(root)
    for page in lessons(root):
        path, notebook = root / page.file, page.raw
        found = list(unlinked(notebook, names))
        for number, place, words, name in reversed(found):
            text = "".join(notebook["cells"][number]["source"])
            role = f"{{term}}`{words}`" if words.lower() == name.lower() else f"{{term}}`{words} <{name}>`"
            text = text[:place] + role + text[place + len(words) :]
            notebook["cells"][number]["source"] = text.splitlines(keepends=True)
        if found:
            path.write_text(json.dumps(notebook, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            yield path


if __name__ == "__main__":
    for changed in link(ROOT):
        print(f"{changed.relative_to(ROOT)}: terms linked")
