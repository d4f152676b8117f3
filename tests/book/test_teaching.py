"""The teaching pages: plans add up and name real sections; live changes do what the notes say."""

import ast
import builtins
import contextlib
import io
import re
import symtable
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.book.guards.numbers import in_outputs, in_text
from tools.binding.lengths import measure
from tools.binding.pages import Page, pages
from tools.binding.prose import Number, read_numbers

ROOT = Path(__file__).resolve().parents[2]
LIVE = re.compile(
    r"\*\*Change live\.\*\*.+?"
    r"```python\n(?P<old>[^`]+?)  # before\n(?P<new>[^`]+?)  # now\n```.+?"
    r"```text\n(?P<shown>.+?)```",
    re.S,
)
TYPED = re.compile(r"\*\*Type live\.\*\*.+?```python\n(?P<code>.+?)```.+?```text\n(?P<shown>.+?)```", re.S)
CHAPTER = re.compile(r"^\{doc\}`\.\./([\w/]+)`\.", re.M)


def page(name: str) -> str:
    return (ROOT / f"book/teaching/{name}.md").read_text(encoding="utf-8")


@cache
def notebook(chapter: str) -> Page:
    return next(page for page in pages(ROOT) if page.file == f"book/{chapter}.ipynb")


def entries() -> Iterator[tuple[str, str]]:
    """Chapter and notes of each entry of the instructor notes that belongs to a chapter."""
    for entry in re.split(r"^### ", page("instructor_notes"), flags=re.M)[1:]:
        if chapter := CHAPTER.search(entry):
            yield chapter[1], entry


CHANGES = [
    pytest.param(chapter, *change.group("old", "new", "shown"), id=f"{chapter}-{number}")
    for chapter, entry in entries()
    for number, change in enumerate(LIVE.finditer(entry))
]


def printed_after(chapter: str, old: str, new: str, shown: str) -> Iterator[str]:
    """What the three likeliest cells from the changed one on print or give, after what they need."""
    cells = notebook(chapter).code
    changed = next(number for number, cell in enumerate(cells) if old in cell.source)
    sources = [cell.source for cell in cells]
    sources[changed] = sources[changed].replace(old, new, 1)

    def shapes(text: str) -> set[str]:
        return {*re.sub(r"\d", "0", text).split()}

    def unlike(number: int) -> tuple[int, bool]:
        cell = cells[number]
        return len(shapes(shown) - shapes(" ".join(cell.output_texts()))), cell.has_image()

    for last in sorted(range(changed, len(cells)), key=unlike)[:3]:
        names: dict[str, object] = {"__name__": "__main__"}
        for number in (*needed(sources[:last], sources[last]), last):
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                try:
                    run(sources[number], f"{chapter}, cell {cells[number].number}", names)
                except ValueError as refusal:
                    print(f"ValueError: {refusal}")
                    break
        yield printed.getvalue()


def needed(before: list[str], source: str) -> list[int]:
    """Numbers of the cells before that share a variable with some code, or with one that it needs."""
    imports = [number for number, text in enumerate(before) if re.search("^(import|from) ", text, re.M)]
    known = {*dir(builtins), *(name for number in imports for name in variables(before[number]))}
    wanted, found = variables(source) - known, {*imports}
    for number in reversed(range(len(before))):
        if variables(before[number]) & wanted:
            found.add(number)
            wanted |= variables(before[number]) - known
    return sorted(found)


def variables(source: str) -> set[str]:
    """Return the names that a cell shares with others: those of functions' own variables are left out."""
    tables, found = [symtable.symtable(source, "cell", "exec")], set()
    for table in tables:
        outermost = table is tables[0]
        found |= {name.get_name() for name in table.get_symbols() if outermost or name.is_global()}
        tables += table.get_children()
    return found


def run(source: str, place: str, names: dict[str, object]) -> None:
    """Run a cell, and print what its last expression gives, as a notebook shows it."""
    cell = ast.parse(source)
    last = cell.body.pop() if cell.body and isinstance(cell.body[-1], ast.Expr) else None
    exec(compile(cell, place, "exec"), names)
    if isinstance(last, ast.Expr):
        given = eval(compile(ast.Expression(last.value), place, "eval"), names)
        print("" if given is None else repr(given))


@pytest.mark.kernel  # minutes, like the notebooks themselves
@pytest.mark.parametrize(("chapter", "old", "new", "shown"), CHANGES)
def test_a_live_change_prints_what_the_notes_show(chapter: str, old: str, new: str, shown: str) -> None:
    assert any(shown.strip("\n") in printed for printed in printed_after(chapter, old, new, shown))


@pytest.mark.kernel
@pytest.mark.filterwarnings("ignore:the classifier's scores tell the labels")  # as one of them shows
@pytest.mark.parametrize(
    "typed", list(TYPED.finditer(page("instructor_notes"))), ids=["platt", "choosing", "scale"]
)
def test_what_is_typed_live_prints_what_the_notes_show(typed: re.Match[str]) -> None:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(typed["code"], {})
    assert printed.getvalue() == typed["shown"]


@pytest.mark.parametrize(("chapter", "old", "new", "shown"), CHANGES)
def test_what_is_replaced_live_stands_in_the_chapter(chapter: str, old: str, new: str, shown: str) -> None:
    before = "".join(text for cell in notebook(chapter).code for text in cell.output_texts())
    assert any(old in cell.source for cell in notebook(chapter).code) and shown.strip("\n") not in before


def test_the_notes_have_an_entry_for_every_lesson() -> None:
    taught = {f"book/{chapter}.ipynb" for chapter, _ in entries()}
    taught |= {f"{name}.ipynb" for name in re.findall(r"^`(book/[\w/]+)`\.", page("instructor_notes"), re.M)}
    assert {page.file for page in pages(ROOT) if page.is_lesson} - taught == set()


def numbers(chapter: str) -> list[Number]:
    """Numbers that a chapter shows, in its outputs or in its text."""
    page = notebook(chapter)
    return [*in_text(page), *(number for cell in page.code for number in in_outputs(cell))]


@pytest.mark.parametrize("name", ["instructor_notes", "exam"])
def test_a_number_quoted_from_a_chapter_stands_in_it(name: str) -> None:
    for mark, chapter in re.findall(r"<!-- quoted: ([^a-zA-Z]+) (\w+/\w+) -->", page(name)):
        strange = [n.text for n in read_numbers(mark) if not any(own.backs(n) for own in numbers(chapter))]
        assert strange == [], f"{chapter} has none of {strange}"


def test_the_minutes_to_read_and_for_exercises_are_those_of_the_chapter() -> None:
    for chapter, entry in entries():
        said = re.search(r"Read: (\d+) minutes(?:, exercises (\d+))?", entry)
        if notebook(chapter).is_lesson:
            length = measure(notebook(chapter).raw)
            planned = [str(length.minutes), str(length.exercise_minutes)]
            assert said and [*said.groups()] == planned, f"{chapter}: {planned}"


UNDER = re.compile(r"[Uu]nder (\*[^*]+\*)")
PLANS = {"Two hours": 120, "One day": 360, "Six weeks": 1080}


@pytest.mark.parametrize("plan", PLANS)
def test_the_minutes_of_a_plan_add_up(plan: str) -> None:
    section = page("syllabus").split(f"## {plan}\n")[1].split("\n## ")[0]
    assert sum(map(int, re.findall(r"^\| [^|]*\| (\d+) \|", section, re.M))) == PLANS[plan]
    assert f"{PLANS[plan]} minutes" in section


def test_a_section_that_a_plan_or_the_notes_name_is_a_heading_of_its_chapter() -> None:
    rows = "\n".join(re.findall(r"^\|.+\|$", page("syllabus"), re.M))
    named = re.findall(r"\{doc\}`\.\./([\w/]+)`: ((?:\*[^*]+\*(?:, )?)+)", rows)
    named += [(chapter, words) for chapter, text in entries() for words in re.findall(UNDER, text)]
    for chapter, sections in named:
        titles = [section.title for section in notebook(chapter).sections()]
        for section in re.findall(r"\*([^*]+)\*", sections):
            assert any(title.startswith(section) for title in titles), f"{chapter} has no {section!r}"
    exercises = "\n".join(cell.source for lesson in pages(ROOT) for cell in lesson.markdown)
    for title in re.findall(r'"([^"]+)"', rows):
        assert f"{{exercise-start}} {title}\n" in exercises, title


def test_every_problem_set_has_its_week_and_every_week_its_set() -> None:
    named = re.findall(r"\*(\w+)\* after week \d", page("syllabus"))
    sets = {path.parent.name for path in (ROOT / "assignments/source").glob("*/*.ipynb")}
    assert {name.lower() for name in named} == sets
