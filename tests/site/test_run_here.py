"""What "Run it here" does: a transcription gives in the browser what it gives in Python."""

import ast
import json
import math
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from lxml import html as markup

from calibration_lessons.book.definitions import NUMBERED, program
from tests.site.conftest import HTML, MODES, NARROW, WIDE, on_pages

pytestmark = pytest.mark.browser

PLACES = {
    path.relative_to(HTML).as_posix(): {place.get("data-equation"): place for place in places}
    for path in sorted((HTML / "book").rglob("*.html"))
    if (places := markup.parse(path).findall(".//div[@class='run-here']"))
}
ECE, SIGMOID = "book/measures/ece.html", "book/models/logistic_regression.html"
# Asked at each frame of the window: Playwright's own waits sleep for up to half a second.
STOPPED = "place => [...place.querySelectorAll('button')].find(one => one.textContent === 'Stop')?.disabled"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
DECIMAL = re.compile(r"\b\d+\.\d+\b")
POWERS, LIMIT = (1, 1.01, 1.05, 1.1), 30_000  # of an example's numbers; bytes that a page may grow by


def printing(label: str) -> str:
    """A program that prints what the example of a transcription gives, and gives with other numbers."""
    text, example = program(label), NUMBERED[label].example
    *before, last = map(ast.unparse, ast.parse(example).body)
    printed = "\n".join([*before, f"print({last})"])
    return "\n".join([text.removesuffix(example), *(changed(printed, power) for power in POWERS)])


def changed(text: str, power: float) -> str:
    """Raise the decimals of a text to a power: a share stays a share."""
    return DECIMAL.sub(lambda number: repr(float(number[0]) ** power), text)


def in_python(text: str) -> str:
    """What a program prints here."""
    lines: list[str] = []
    exec(compile(text, "<program>", "exec"), {"print": lambda value: lines.append(repr(value))})
    return "\n".join(lines)


def differs(printed: str, expected: str) -> bool:
    """Tell whether words differ, or a number by more than 1e-12, absolutely or by its size."""
    pairs = zip(NUMBER.findall(printed), NUMBER.findall(expected), strict=False)
    is_near = all(math.isclose(float(a), float(b), rel_tol=1e-12, abs_tol=1e-12) for a, b in pairs)
    return NUMBER.sub("0", printed.strip()) != NUMBER.sub("0", expected.strip()) or not is_near


class Editor:
    """An opened "Run it here"."""

    def __init__(self, visit: Any, label: str) -> None:
        self.page = visit.page
        self.place = self.page.locator(f'.run-here[data-equation="{label}"]')
        self.place.evaluate("""node => {
            for (let fold = node; (fold = fold.parentElement?.closest("details")); ) fold.open = true;
        }""")
        self.place.get_by_role("button", name="Run it here").click()
        self.code = self.place.get_by_role("textbox")
        self.output = self.place.locator(".run-here-output")
        self.status = self.place.get_by_role("status")
        self.ended()

    def press(self, name: str) -> None:
        self.place.get_by_role("button", name=f"{name}: ").click()

    def ended(self) -> str:
        """Wait for the end of a run and return what it printed."""
        self.page.wait_for_function(STOPPED, arg=self.place.element_handle(), timeout=120_000)
        return self.output.text_content()

    def gives(self, text: str) -> str:
        """Run another text."""
        self.code.fill(text)
        self.code.press("Control+Enter")
        return self.ended()


def test_every_transcription_stands_on_the_site_once_with_the_text_of_its_home():
    shown = [(label, place.get("data-program")) for page in PLACES.values() for label, place in page.items()]
    assert sorted(shown) == sorted((label, program(label)) for label in NUMBERED)


@pytest.mark.parametrize(
    "printed", ["0.1", "[0.1, 2]", "(0.1, 3)", "[0.100000000003, 3]", "[0.1, 3, 1]", "[0.1, -3]"]
)
def test_another_number_or_another_list_differs(printed: str):
    assert differs(printed, "[0.1, 3]") and not differs(printed, f"{printed}\n")


@on_pages(*PLACES)
def test_in_the_browser_a_transcription_gives_what_python_gives(visit):
    labels = PLACES[visit.page.url.split("/", 3)[3]]
    expected = {label: in_python(printing(label)) for label in labels}
    for label in labels:
        editor = Editor(visit, label)
        assert not differs(editor.output.text_content(), expected[label].splitlines()[0]), label
        editor.code.fill("other")
        editor.press("Reset")
        assert editor.code.input_value() == program(label)
    printed = editor.gives("\n".join(map(printing, labels))).splitlines()
    for line, wanted in zip(printed, "\n".join(expected.values()).splitlines(), strict=True):
        assert not differs(line, wanted)
    assert visit.faults == []


@on_pages(SIGMOID)
def test_an_endless_loop_leaves_the_page_alone_and_can_be_stopped(visit):
    editor = Editor(visit, "eq-sigmoid")
    for loop in (
        "while True:\n    pass",
        "while True:\n    try:\n        print('x')\n    except BaseException:\n        pass",
    ):
        editor.code.fill(loop)
        editor.press("Run")
        editor.place.get_by_text("Running").wait_for()
        frames = visit.page.evaluate("""async () => {
            let frames = 0, end = performance.now() + 500;
            while (performance.now() < end) { await new Promise(requestAnimationFrame); frames++; }
            return frames;
        }""")
        assert frames > 5
        editor.press("Stop")
        assert editor.status.text_content() == "Stopped."
    assert editor.gives("1 + 1") == "2\n"


@on_pages(SIGMOID)
def test_a_program_that_prints_without_end_ends(visit):
    printed = Editor(visit, "eq-sigmoid").gives("while True:\n    print('x')")
    assert len(printed) < 21_000 and "stopped after 20000 characters of output" in printed


PROGRAMS = tomllib.loads(Path(__file__).with_name("run_here.toml").read_text(encoding="utf-8"))
MODULES = """
import random, statistics
from fractions import Fraction
from itertools import accumulate
random.seed(1)
print(random.random(), statistics.mean([1, 2, 6]), list(accumulate([1, 2])), Fraction(1, 3) + 1)
"""


@on_pages(SIGMOID)
def test_an_error_shows_its_line_and_any_module_of_the_standard_library_is_there(visit):
    editor = Editor(visit, "eq-sigmoid")
    for text, (line, message) in PROGRAMS["wrong"].items():
        assert editor.gives(text) == f"Line {line}: {message}\n    {text.splitlines()[line - 1].strip()}"
        assert editor.place.locator(".run-here-numbers .failed").text_content() == str(line)
    for text, printed in PROGRAMS["right"].items():
        assert editor.gives(text) == printed
    assert editor.gives(MODULES) == "0.13436424411240122 3 [1, 3] 4/3\n"
    assert visit.faults == []


@on_pages(SIGMOID)
def test_the_editor_works_by_keyboard_and_holds_nobody(visit):
    keyboard, editor = visit.page.keyboard, Editor(visit, "eq-sigmoid")
    focused = "() => document.activeElement.textContent"
    editor.code.focus()
    keyboard.press("Tab")
    assert visit.page.evaluate(focused) == "Run"
    editor.code.focus()
    keyboard.press("Escape")
    assert visit.page.evaluate(focused) == "Run"
    editor.code.fill("def f():")
    keyboard.press("Enter")
    keyboard.type("return 5")
    keyboard.press("Enter")
    keyboard.press("Backspace")
    for _ in range(3):
        keyboard.press("Backspace")
    keyboard.type("f()")
    keyboard.press("Control+Enter")
    assert editor.ended() == "5\n" and editor.code.input_value() == "def f():\n    return 5\nf()"
    editor.code.fill("while True: pass")
    keyboard.press("Control+Enter")
    editor.place.get_by_role("button", name="Stop").focus()
    keyboard.press("Enter")
    assert editor.status.text_content() == "Stopped." and visit.page.evaluate(focused) == "Run"
    keyboard.press("Shift+Tab")
    assert visit.page.evaluate("() => document.activeElement.tagName") == "TEXTAREA"


@on_pages(ECE, modes=MODES, widths=(WIDE, NARROW))
def test_the_opened_editor_has_no_faults_for_axe_and_fits_the_page(visit):
    editor = Editor(visit, "eq-ece")
    editor.gives(program("eq-ece").replace("total / count", "total / counts"))
    found = Axe().run(visit.page, {"include": [[".run-here"]]}).response["violations"]
    assert [(fault["id"], node["html"]) for fault in found for node in fault["nodes"]] == []
    assert (
        visit.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        <= 0
    )
    margin, code = (editor.place.locator(name).bounding_box() for name in (".run-here-numbers", "textarea"))
    assert abs(margin["height"] - code["height"]) < 1


@on_pages(ECE)
def test_python_is_fetched_at_the_first_click_and_from_this_site_alone(visit, address):
    entries = "() => JSON.stringify(performance.getEntriesByType('resource').map(entry => entry.name))"
    assert not any("brython" in name or "worker" in name for name in json.loads(visit.page.evaluate(entries)))
    asked: list[str] = []
    visit.page.context.on("request", lambda request: asked.append(request.url))
    Editor(visit, "eq-ece")
    assert {"run_here_worker.js", "brython.js", "modules.js"} <= {Path(url).name for url in asked}
    assert all(url.startswith(address) for url in asked) and visit.faults == []


@on_pages(ECE)
def test_the_editor_opens_at_once_whatever_the_page_still_waits_for(visit):
    button = visit.page.locator(".run-here button").first
    assert button.evaluate("node => { node.click(); return node.ariaExpanded; }") == "true"
    assert visit.page.locator("script[type='text/late']").count() > 0


@pytest.mark.parametrize("page", PLACES)
def test_before_that_a_page_is_hardly_larger(page):
    programs = sum(len(markup.tostring(place)) for place in PLACES[page].values())
    files = sum((HTML / "_static" / name).stat().st_size for name in ("run_here.js", "run_here.css"))
    assert programs + files < LIMIT
