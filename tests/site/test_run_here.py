"""What "Run it here" does: a transcription gives in the browser what it gives in Python."""

from __future__ import annotations

import ast
import inspect
import itertools
import json
import math
import re
import tomllib
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from lxml import html as markup

from calibration_lessons.book import definitions
from calibration_lessons.book.definitions import NUMBERED, program
from tests.book import symbols
from tests.book.latex import fault
from tools.binding.equations import Display, find_displays

pytestmark = pytest.mark.browser

ROOT = Path(__file__).resolve().parents[2]
HTML = ROOT / "_build/html"
PLACES = {
    path.relative_to(HTML).as_posix(): {place.get("data-equation"): place for place in places}
    for path in sorted((HTML / "book").rglob("*.html"))
    if (places := markup.parse(path).findall(".//div[@class='run-here']"))
}
ECE, SIGMOID = "book/measures/ece.html", "book/models/logistic_regression.html"
# Asked at each frame of the window: Playwright's own waits sleep for up to half a second.
STOPPED = "place => [...place.querySelectorAll('button')].find(one => one.textContent === 'Stop')?.disabled"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")
INPUTS, LIMIT = 20, 30_000  # runs of each transcription; bytes that a page may grow by


def on_pages(*pages: str, modes: tuple[str, ...] = ("light",), widths: tuple[int, ...] = (1280,)) -> Any:
    """Run a test on these pages."""
    cases = list(itertools.product(pages, modes, widths))
    return pytest.mark.parametrize("visit", cases, ids=str, indirect=True)


# What the transcriptions are called with: as often as the formulas are tried on random numbers.


def plain(value: Any) -> Any:
    """Lists and numbers of Python in place of those of NumPy."""
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    return [plain(part) for part in value] if isinstance(value, (list, tuple)) else value


class Table:
    """A function that remembers what it was asked, so that it can be written down."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function, self.known = function, {}

    def __call__(self, *args: Any) -> Any:
        return self.known.setdefault(args, plain(self.function(*args)))

    def __repr__(self) -> str:
        return f"(lambda table: lambda *args: table[args])({self.known!r})"


@cache
def inputs() -> dict[str, list[str]]:
    """Twenty arguments of each transcription, written in Python, drawn by seed."""
    seen: dict[str, dict[str, None]] = {label: {} for label in NUMBERED}

    def recorded(label: str, compute: Callable[..., Any]) -> Callable[..., Any]:
        parameters = inspect.signature(compute)

        @wraps(compute)
        def record(*args: Any, **named: Any) -> Any:
            given = parameters.bind(*args, **named)
            given.arguments = {k: Table(v) if callable(v) else v for k, v in given.arguments.items()}
            found = compute(*given.args, **given.kwargs)
            seen[label][repr(plain(given.args))] = None
            return found

        return record

    recorders = {entry.name: recorded(label, entry.compute) for label, entry in NUMBERED.items()}
    displays: dict[str, list[Display]] = {}
    for display in find_displays(ROOT):
        if display.label in NUMBERED:
            displays.setdefault(Path(display.page).stem, []).append(display)
    with mock.patch.multiple(definitions, **recorders):
        for seed, page in itertools.product(range(INPUTS + 5), displays):
            rng = np.random.default_rng(seed)
            draw = vars(symbols)[page](rng)
            for display in displays[page]:
                fault(display.latex, draw | draw.get(display.label, {}))
            if page == "platt":  # the symbols' five labels have ten orders
                definitions.platt_targets(rng.integers(0, 2, 2 + seed).tolist())
    rng = np.random.default_rng(0)
    return {
        label: [list(texts)[i] for i in rng.choice(len(texts), min(INPUTS, len(texts)), replace=False)]
        for label, texts in seen.items()
    }


def trying(transcription: str, label: str) -> str:
    """A program that prints what a transcription gives on each of its twenty inputs."""
    calls = f"for args in [{', '.join(inputs()[label])}]:\n    print({NUMBERED[label].name}(*args))\n"
    return f"{transcription}\n{calls}"


@cache
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


def test_each_transcription_is_tried_on_twenty_inputs():
    assert {label: len(set(texts)) for label, texts in inputs().items()} == dict.fromkeys(NUMBERED, INPUTS)


@pytest.mark.parametrize(
    "printed", ["0.1", "[0.1, 2]", "(0.1, 3)", "[0.100000000003, 3]", "[0.1, 3, 1]", "[0.1, -3]"]
)
def test_another_number_or_another_list_differs(printed: str):
    assert differs(printed, "[0.1, 3]") and not differs(printed, f"{printed}\n")


@on_pages(*PLACES)
def test_in_the_browser_a_transcription_gives_what_python_gives(visit):
    for label in PLACES[visit.page.url.split("/", 3)[3]]:
        editor, example = Editor(visit, label), NUMBERED[label].example
        text = editor.code.input_value()
        before, last = text.rsplit(example, 1)[0], ast.parse(example).body[-1]
        value = f"{before}{example}\nprint({ast.unparse(last)})"
        assert not differs(editor.output.text_content(), in_python(value)), label
        expected = in_python(trying(before, label))
        assert len(expected.splitlines()) == INPUTS
        assert not differs(editor.gives(trying(before, label)), expected), label
        editor.press("Reset")
        assert editor.code.input_value() == text == program(label)
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


@on_pages(ECE, modes=("light", "dark"), widths=(1280, 390))
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
