"""Figures with controls show the frames of their notebook, wherever their controls stand."""

import re
from ast import literal_eval
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page
from scipy.optimize import minimize

import calibration_lessons as cl
from calibration_lessons.book import datasets, definitions, simulate
from calibration_lessons.book.explorers import MIME
from tests.book.copied import ROOT
from tools.binding.pages import joined, notebooks
from tools.site.figures import figures

from .test_pages import ANYWHERE, COLOURS, NARROW, PAGES, WIDE, axe, found

MOST = 32_000  # bytes that a page may load more before its figure is near

DRAWN = """figure => [...figure.querySelectorAll("svg g.role-mark [role=graphics-symbol]")]
    .map(node => ({...node.__data__.datum}))"""
HELD = """state => Object.entries(state).every(
    ([name, text]) => new URLSearchParams(location.hash.slice(1)).get(name) === text)"""
AXES = """figure => [...figure.querySelectorAll("svg .role-axis-label text")].map(
    text => [text.textContent, text.getAttribute("transform")])"""

State = dict[str, str]


@dataclass(frozen=True)
class Figure:
    """A figure of a page, with a dozen of its states and what each says, as its notebook has them."""

    name: str
    page: str
    controls: list[dict[str, Any]]
    states: list[State]
    readouts: list[str]

    def __str__(self) -> str:
        return self.name

    @property
    def html(self) -> str:
        """Page of the built site."""
        return f"{self.page}.html"


def read(page: str, name: str, data: dict[str, Any]) -> Figure:
    """Read the states and their read-outs from the text that a notebook keeps of a figure."""
    controls = data[MIME]["usermeta"]["controls"]
    names = [control["name"] for control in controls]
    line = "  " + " ".join(f"{control}=(.+?)" for control in names) + ": (.+)"
    _, *lines = joined(data["text/plain"]).splitlines()
    states = [re.fullmatch(line, text).groups() for text in lines]
    return Figure(
        name, page, controls, [dict(zip(names, state, strict=False)) for state in states],
        [readout for *_, readout in states],
    )  # fmt: skip


FIGURES = [
    read(page.name, name, output["data"])
    for page in notebooks(ROOT, "book")
    for name, _, output in figures(page.name, page.raw)
]


def temperature(T: float, network: int) -> str:
    """Say what the figure of this page says, computed in another way than there."""
    logits, labels = datasets.network_logits(network, "test")
    q = cl.softmax(logits / T)
    sure = round(100 * float(q.max(axis=1).mean()), 1)
    right = round(100 * float(np.mean(q.argmax(axis=1) == labels)), 1)
    return (
        f"It says {sure} % on average and is right in {right} %: {abs(sure - right):.1f} points too "
        f"{'sure' if sure > right else 'timid'}; NLL {cl.negative_log_likelihood(labels, q):.3f} nats, "
        f"ECE {cl.expected_calibration_error(labels, q):.3f}"
    )


def coin(tosses: int, share: int) -> str:
    """The same for the coin."""
    heads = tosses * share // 100
    total, aleatoric, epistemic = definitions.coin_entropies(heads, tosses, 5000)
    return (
        f"After {heads} heads in {tosses} tosses the next one has {total:.3f} bits: {aleatoric:.3f} are "
        f"chance, and {epistemic:.3f} would go if you knew the coin"
    )


def logistic_regression(slope: int, intercept: float, which: str) -> str:
    """The same for the logistic regression."""
    x, y = [1.2, -0.5, 0.8, -1.0, 0.3], [1, 0, 1, 0, 1]
    told = "every steeper curve has a smaller one"
    if which == "a sixth row":
        x, y = [*x, 0.6], [*y, 0]
        at = minimize(definitions.logistic_loss, [0, 1], ([[1, one] for one in x], y))
        told = f"the smallest is {at.fun:.3f}, at slope {at.x[1]:.2f} and intercept \u2212{-at.x[0]:.2f}"
    loss = definitions.logistic_loss([intercept, slope], [[1, one] for one in x], y)
    return f"Likelihood {np.exp(-loss):.3g}, which is a loss of {loss:.3f} nats; {told}"


def brier_decomposition(calibration: float, resolution: float) -> str:
    """The same for the forecasts of rain."""
    said, frequency, share = datasets.precipitation_forecasts()
    base = np.average(frequency, weights=share)
    seen, near = (base + resolution * (column - base) for column in (frequency, said))
    with np.errstate(divide="ignore"):
        f = 1 / (1 + (1 - base) / base * (base / (1 - base) * (1 - near) / near) ** calibration)
    score, least = (np.average(seen * (1 - p) ** 2 + (1 - seen) * p**2, weights=share) for p in (f, base))
    skill = round(1 - score / least, 2) + 0.0
    return (
        f"{'Worse' if skill < 0 else 'Better' if skill else 'As good'} {'than' if skill else 'as'} the base "
        f"rate: Brier score {score:.3f} against {least:.3f}, skill {skill:.2f}".replace("-", "\N{MINUS SIGN}")
    )


def platt(targets: str, a: float, b: float) -> str:
    """The same for Platt scaling."""
    scores, labels = [1.2, -0.5, 0.8, -1.0, 0.3], [1, 0, 1, 0, 1]
    t = np.take(definitions.platt_targets(labels) if targets == "prior" else (0, 1), labels)

    def probabilities(slope: float) -> np.ndarray:
        return np.array([definitions.platt_probability(z, slope, b) for z in scores])

    def loss(slope: float) -> float:
        p = probabilities(slope)
        return float(-np.sum(t * np.log(p) + (1 - t) * np.log(1 - p)))

    p, best = probabilities(a), min(np.arange(13) / 2, key=loss)
    told = f"it is least near slope {best:g}" if best < 6 else "every steeper curve has less"
    return f"Loss {loss(a):.3f} nats; {told}. The five probabilities go from {p.min():.2f} to {p.max():.2f}"


def venn_abers(score: float, n: int) -> str:
    """The same for Venn-Abers calibration."""
    source = simulate.ScoreSource(simulate.over_confident(2.0))
    labels, scores = (part[:n] for part in source.sample(160, random_state=0))
    p0, p1 = definitions.venn_abers_interval(labels, scores, score)
    plain = cl.IsotonicCalibration().fit(scores, labels).predict_proba([score])[0, 1]
    where = "between" if p0 <= source.truth(score) <= p1 else "outside of"
    return (
        f"Isotonic regression says {plain:.3f}, the two fits p0 {p0:.3f} and p1 {p1:.3f}; "
        f"the truth, {source.truth(score):.3f}, lies {where} the two"
    )


def conformal(level: float, picture: str) -> str:
    """The same for lists of classes."""
    (z, labels), (z_new, new) = (datasets.network_logits(0, part) for part in ("calibration", "test"))
    scores = np.sort(1 - cl.softmax(z)[np.arange(len(labels)), labels])
    least = 1 - scores[int(np.ceil((len(scores) + 1) * level)) - 1]
    listed = cl.softmax(z_new) >= least
    row, held = {"ankle boot": 0, "shirt": 241, "dress": 569}[picture], 100 * listed[range(len(new)), new]
    names = ", ".join(np.array(datasets.FASHION_CLASSES)[listed[row]]) or "empty"
    return (
        f"Of all lists {held.mean():.1f} % hold the label, of the shirts' {held[new == 6].mean():.1f} %. "
        f"This picture's list, from {least:.3f} up: {names}"
    )


COMPUTED = (temperature, coin, logistic_regression, brier_decomposition, platt, venn_abers, conformal)


def number(text: str) -> Any:
    """Read a value of a control as a number, where it is one."""
    return literal_eval(text) if re.fullmatch(r"-?[\d.]+", text) else text


@pytest.mark.parametrize("computed", COMPUTED, ids=lambda function: function.__name__)
def test_a_read_out_is_what_another_way_to_compute_it_gives(computed: Callable[..., str]) -> None:
    [figure] = [figure for figure in FIGURES if figure.page.endswith(f"/{computed.__name__}")]
    asked = [{name: number(text) for name, text in state.items()} for state in figure.states]
    assert [computed(**state) for state in asked] == figure.readouts


def of_figures(mode: str, width: int) -> pytest.MarkDecorator:
    """Run a test on each figure's page, opened in this mode at this width."""
    return pytest.mark.parametrize(
        ("visit", "figure"),
        [((figure.html, mode, width), figure) for figure in FIGURES],
        ids=map(str, FIGURES),
        indirect=["visit"],
    )


def live(page: Page, figure: Figure) -> Locator:
    """Bring a figure near the window and wait until it is drawn."""
    page.add_style_tag(content="section { content-visibility: visible !important }")  # scrolling arrives
    page.locator(f"#{figure}").scroll_into_view_if_needed()
    return drawn(page, figure)


def drawn(page: Page, figure: Figure) -> Locator:
    """Wait until a figure is drawn; the question is asked at each frame of the window."""
    page.wait_for_function("id => document.getElementById(id).dataset.state === 'live'", arg=str(figure))
    return page.locator(f"#{figure}")


def drawn_anew(here: Locator, figure: Figure, act: Callable[[], Any]) -> None:
    """Do what has a figure drawn anew, and wait for that."""
    here.evaluate("figure => delete figure.dataset.state")
    act()
    drawn(here.page, figure)


def move(here: Locator, figure: Figure, state: State) -> None:
    """Move every control to a state, as a reader does, and wait until it is drawn."""
    for control in figure.controls:
        text, node = state[control["name"]], here.locator(f"#{figure}-{control['name']}")
        if control["kind"] == "slider":
            node.fill(str(control["texts"].index(text)))
            told = "node => [node.ariaValueText, node.nextElementSibling.textContent]"
            assert node.evaluate(told) == [text, text]
        else:
            node.select_option(label=text)
    reach(here, figure, state)


def reach(here: Locator, figure: Figure, state: State) -> None:
    """Wait until a state is drawn."""
    frame = 0
    for control in figure.controls:
        frame = frame * len(control["texts"]) + control["texts"].index(state[control["name"]])
    here.page.wait_for_function(
        "([id, frame]) => document.getElementById(id).dataset.frame == frame", arg=[str(figure), frame]
    )


def differences(here: Locator, figure: Figure, state: State) -> Iterator[str]:
    """What a figure shows that is not of a state."""
    shown, said = here.locator(".explorer-readout").inner_text(), figure.readouts[figure.states.index(state)]
    if shown != said:
        yield f"the read-out says {shown!r} instead of {said!r}"
    rows = [row for row in here.evaluate(DRAWN) if figure.controls[0]["name"] in row]
    if not rows:
        yield "no mark is drawn"
    for control in figure.controls:
        text = state[control["name"]]  # by which a table has a number, and the place of any other value
        wanted = float(text) if control["kind"] == "slider" else control["texts"].index(text)
        if strange := [row for row in rows if float(row[control["name"]]) != wanted]:
            yield f"of another {control['name']} than {text} are {strange}"


@pytest.mark.browser
@of_figures("light", WIDE)
def test_a_figure_shows_the_frame_of_each_state_and_another_one_is_noticed(visit, figure):
    here = live(visit.page, figure)
    assert len(figure.states) >= 12
    axes = here.evaluate(AXES)
    for state in figure.states:
        move(here, figure, state)
        assert list(differences(here, figure, state)) == [], state
        assert here.evaluate(AXES) == axes, "an axis moved"
    assert len(list(differences(here, figure, figure.states[0]))) > 1
    assert visit.faults == []
    assert found(visit.page, ANYWHERE) == {}


@pytest.mark.browser
@of_figures("dark", NARROW)
def test_in_the_dark_on_a_phone_a_figure_shows_the_same_and_its_picture_stays_where_it_is(visit, figure):
    here, tops = live(visit.page, figure), set()
    for state in figure.states:
        move(here, figure, state)
        tops.add(here.evaluate("figure => figure.querySelector('svg').getBoundingClientRect().top + scrollY"))
    assert len(tops) == 1
    for state in (figure.states[0], figure.states[-1]):
        move(here, figure, state)
        assert list(differences(here, figure, state)) == [], state
    assert visit.faults == []
    assert found(visit.page, ANYWHERE) == {}


@pytest.mark.browser
@of_figures("light", WIDE)
def test_a_live_figure_has_no_faults_for_axe_follows_the_theme_and_its_controls_the_keyboard(visit, figure):
    page, here = visit.page, live(visit.page, figure)
    slider = here.locator("input[type=range]").first
    assert here.locator(f"label[for='{slider.get_attribute('id')}']").is_visible()
    slider.focus()
    page.keyboard.press("End")
    before = slider.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext") != before
    assert slider.evaluate("node => getComputedStyle(node).outlineStyle") == "solid"
    assert min(slider.bounding_box()[side] for side in ("height", "width")) >= 44
    place = {"include": [[f"#{figure}"]]}
    assert axe(page, place) == []
    drawn_anew(here, figure, lambda: page.set_viewport_size({"width": NARROW, "height": 900}))
    assert axe(page, place) == []
    drawn_anew(here, figure, lambda: page.evaluate("document.documentElement.dataset.theme = 'dark'"))
    assert "#E6EBF0" in here.locator("svg").inner_html()
    assert axe(page, place, runOnly=COLOURS) == []
    drawn_anew(here, figure, lambda: page.set_viewport_size({"width": WIDE, "height": 900}))
    assert axe(page, place, runOnly=COLOURS) == []
    page.emulate_media(media="print")
    assert here.locator("img").is_visible() and not here.locator("svg").is_visible()


@pytest.mark.browser
@of_figures("light", WIDE)
def test_before_a_figure_is_near_the_page_loads_little_more_and_the_address_opens_it_in_its_state(
    visit, figure
):
    page = visit.page
    page.wait_for_load_state("networkidle")
    ours = {url.partition("?")[0]: size for url, size in visit.sizes.items() if "explorer" in url}
    assert "explorers.js" in {url.rpartition("/")[2] for url in ours}
    assert sum(ours.values()) + page.locator(f"#{figure}").evaluate("node => node.outerHTML.length") < MOST
    assert not any(url.endswith((".json", "vega.js")) for url in ours)
    here = live(page, figure)
    first, *_, last = figure.states
    move(here, figure, last)
    page.wait_for_function(HELD, arg=last)
    shown = here.locator(".explorer-readout").inner_text()
    page.reload()
    here = drawn(page, figure)  # by itself: the address asks for it
    assert here.locator(".explorer-readout").inner_text() == shown
    page.evaluate("state => { location.hash = new URLSearchParams(state) }", first)
    reach(here, figure, first)
    assert list(differences(here, figure, first)) == []
    assert visit.faults == []


@pytest.mark.browser
def test_a_page_without_a_figure_loads_nothing_for_one(chromium, address):
    page = chromium.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/{next(name for name in PAGES if 'glossary' in name)}")
    assert not [url for url in asked if "explorer" in url or "vega" in url]
    page.close()


@pytest.mark.browser
@pytest.mark.parametrize("visit", [("book/calibrators/temperature.html", "light", WIDE)], indirect=True)
def test_a_number_that_a_teacher_writes_into_the_address_means_the_nearest_of_the_slider(visit):
    url = visit.page.url
    for text, shown in {"T=2.10": "2.1", "T=2.08": "2.1", "T=9": "4", "T=": "1", "T=hot": "1"}.items():
        visit.page.goto("about:blank")
        visit.page.goto(f"{url}#{text}")
        figure = visit.page.locator("#temperature-1[data-state=live]")
        figure.wait_for()
        assert figure.locator("output").inner_text() == shown


@pytest.mark.browser
def test_without_scripts_each_figure_is_a_still_picture_that_is_said_in_words(chromium, address):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    for figure in FIGURES:
        page.goto(f"{address}/{figure.html}")
        still = page.locator(f"#{figure} img")
        assert still.is_visible() and len(still.get_attribute("alt")) > 60
    context.close()
