#!/usr/bin/env python3
"""Write the page *How to cite* from CITATION.cff, as a sentence and as BibTeX: `python tools/citation.py`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parent.parent
PAGE = Path("book/reference/cite.md")


def page(record: dict[str, Any]) -> str:
    """Return the page for what CITATION.cff says."""
    return f"""# How to cite

If this course or its package helped your work, please cite it:

> {sentence(record)}

For BibTeX:

```bibtex
{bibtex(record)}
```

Say the version that you used: `calibration_lessons.__version__`. A method is cited by its own source, which
its lesson and its function name. This page is written by `tools/citation.py` from the file `CITATION.cff`.
"""


def sentence(record: dict[str, Any]) -> str:
    """Return the citation in words."""
    when = f" ({year(record)})" if year(record) else ""
    return f"{', '.join(names(record))}{when}. *{record['title']}*, version {record['version']}."


def bibtex(record: dict[str, Any]) -> str:
    """Return the entry; what CITATION.cff does not say is left out."""
    authors = [f"{{{name}}}" if "," not in name else name for name in names(record)]
    fields = {
        "author": " and ".join(authors),
        "title": f"{{{record['title']}}}",
        "year": year(record),
        "version": record["version"],
        "license": record.get("license"),
        "doi": record.get("doi"),
        "url": record.get("url") or record.get("repository-code"),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join(["@software{calibration_lessons,", *lines, "}"])


def names(record: dict[str, Any]) -> list[str]:
    """Return the authors: groups by their name, persons with the family name first."""
    return [a.get("name") or f"{a['family-names']}, {a['given-names']}" for a in record["authors"]]


def year(record: dict[str, Any]) -> str:
    """Return the year of the release, or nothing before it."""
    return str(record.get("date-released", ""))[:4]


def main(root: Path = ROOT) -> None:
    """Write the page."""
    record = yaml.safe_load((root / "CITATION.cff").read_text(encoding="utf-8"))
    (root / PAGE).write_text(page(record), encoding="utf-8")


if __name__ == "__main__":
    main()
