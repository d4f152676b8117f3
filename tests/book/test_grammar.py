"""The prose is spelt and built as English is, as far as Harper sees (of 26 typical errors it saw 12)."""

import ast
import hashlib
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

import pytest
from harper import Dialect, Linter

from tests.book.copied import ROOT
from tools.binding.pages import Page, pages

# Kinds of findings that are errors and no matter of taste, less the rules that formulas and terms set off.
ERRORS = set("Spelling Agreement Grammar Usage Repetition Redundancy Miscellaneous Malapropism".split())
TASTE = (
    "closed compound|mass noun|before a number|indefinite article|prefix that can be|simplifying to `all the`"
    "|missing a preposition|Did you mean `their`|number with the pronoun|`one of the ...`|and the like"
    "|repeated verb form|Two modal verbs|Use `them`|number between the verb|agree with its subject|just `and`"
)
WORDS = [word for word in (ROOT / "tests/book/words.txt").read_text(encoding="utf-8").split() if word]
PAGES = [page for page in pages(ROOT) if page.file.startswith("book/") and "/api" not in page.file]
HIDDEN = [  # what is no English, and what stands for it
    (re.compile(r"<!--.*?-->|^[ \t]*[|#][^\n]*$|^\([\w-]+\)=$", re.S | re.M), " "),
    (re.compile(r"\{(?:cite[:\w]*|eq|numref|ref)\}`[^`<]*`"), "Smith"),
    (re.compile(r"\{doc\}`[^`<]*`"), "that page"),
    (re.compile(r"\{\w+\}`([^`<]+?)\s*(?:<[^`]*>)?`"), r"\1"),
    (re.compile(r"`[^`]*`|\$[^$]*\$"), "seven"),
    (re.compile(r"\[([^\]]*)\]\([^)]*\)"), r"\1"),
    (re.compile(r"[*_]+|^\s*(?:-|\d\.|[A-C]\.|>)\s+", re.M), ""),
]


@cache
def linter() -> Linter:
    """Load the dictionary, once."""
    found = Linter(dialect=Dialect.BRITISH)
    found.import_words(WORDS)
    return found


def found(text: str) -> list[str]:
    """Say what is wrong in a text, with the words around it."""
    for pattern, instead in HIDDEN:
        text = pattern.sub(instead, text)
    return [
        f"{' '.join(text[max(0, lint.span.start - 30) : lint.span.end + 20].split())!r}: {lint.message}"
        for lint in linter().lint(text)
        if str(lint.lint_kind) in ERRORS
        and not re.search(TASTE, lint.message)
        and not re.fullmatch(r"[A-Za-z]\.?", lint.problem_text)
        and lint.problem_text.removesuffix("'s") not in WORDS
    ]


@cache
def rules() -> str:
    """All that a verdict depends on, beside the text."""
    return f"{version('harper-py')} {WORDS} {Path(__file__).read_text(encoding='utf-8')}"


def prose(page: Page) -> str:
    """Leave of a page its paragraphs, all in one text: the linter is faster then."""
    return "\n\n".join(text for section in page.sections() for _, _, text in section.paragraphs())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.file)
def test_the_prose_has_no_error_that_harper_knows(page: Page, pytestconfig: pytest.Config) -> None:
    remedy = "correct it; a word that is right joins tests/book/words.txt"
    text = prose(page)
    memory = getattr(pytestconfig, "cache", None)  # what was right in an earlier run is not read again
    read = hashlib.sha256((rules() + text).encode()).hexdigest()
    if memory is None or memory.get(f"harper/{page.file}", "") != read:
        assert not (wrong := found(text)), f"{page.file}: {remedy}\n" + "\n".join(wrong)
        if memory is not None:
            memory.set(f"harper/{page.file}", read)


WORD = re.compile(r"(?<![\w.'`\"/-])[a-z]{5,}(?![\w'`\"(/-]|\.\w|://)")  # no name, no part of one
NO_WORDS = re.compile(
    r"^\s*(?:>>>|\.\.\.).*$|``.*?``|`[^`\n]*`|^ *[\w, *]+ : .*$|^ *References\n *-+\n(?:.+\n?)*", re.M
)


def docstrings() -> str:
    """Return what docstrings say, and the pages beside the book, without names, examples and references."""
    told = [
        (ROOT / name).read_text(encoding="utf-8") for name in ("CONTRIBUTING.md", "README.md", "CHANGELOG.md")
    ]
    for room in ("calibration_lessons", "classroom", "tools"):
        for path in (ROOT / room).rglob("*.py"):
            nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
            told += [ast.get_docstring(node) or "" for node in nodes if isinstance(node, documented)]
    return NO_WORDS.sub("", "\n\n".join(told))


def test_the_words_of_docstrings_are_spelt_as_the_dictionary_does() -> None:
    seen = sorted(set(WORD.findall(docstrings())) - set(WORDS))  # each word once: the linter is slow
    found = Linter(dialect=Dialect.BRITISH)
    found.set_lint_config({rule: rule == "SpellCheck" for rule in found.get_lint_config()})
    wrong = [lint.problem_text for lint in found.lint("\n\n".join([*seen, "probabilites"]))]
    assert wrong == ["probabilites"], "correct them; a word that is right joins tests/book/words.txt"


@pytest.mark.parametrize("sentence", (ROOT / "tests/book/errors.txt").read_text("utf-8").splitlines())
def test_a_planted_error_is_seen(sentence: str) -> None:
    assert found(sentence)


def test_the_list_of_words_is_sorted() -> None:
    assert sorted(set(WORDS), key=lambda word: (word.lower(), word)) == WORDS
