"""Figures with controls show the companion's numbers, wherever their controls stand."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Locator, Page
from scipy.special import expit, logit
from scipy.stats import binomtest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

import calibration_lessons as cl
from calibration_lessons.book import datasets, definitions, simulate

from .test_pages import ANYWHERE, COLOURS, HTML, NARROW, PAGES, WIDE, axe, found

pytestmark = pytest.mark.browser
MOST = 32_000  # bytes that a page may load more before its figure is near

DRAWN = """figure => [...figure.querySelectorAll("svg g.role-mark")].map(mark =>
    [...mark.querySelectorAll("[role=graphics-symbol]")].map(node => ({...node.__data__.datum})))
    .filter(rows => rows.length)"""
HELD = """state => Object.entries(state).every(
    ([name, text]) => new URLSearchParams(location.hash.slice(1)).get(name) === text)"""
AXES = """figure => [...figure.querySelectorAll("svg .role-axis-label text")].map(
    text => [text.textContent, text.getAttribute("transform")])"""


@dataclass(frozen=True)
class Figure:
    """A figure of a page, and what the companion says about each of its states."""

    page: str
    expected: Callable[..., dict[str, Any]]
    states: list[dict[str, Any]]

    def __str__(self) -> str:
        return f"{self.page.rpartition('/')[2]}-1"

    @property
    def controls(self) -> list[dict[str, Any]]:
        """What its frames say of its controls."""
        text = (HTML / f"_static/explorers/{self}.json").read_text(encoding="utf-8")
        return list(json.loads(text)["usermeta"]["controls"])

    @property
    def html(self) -> str:
        """Page of the built site."""
        return f"book/{self.page}.html"


FIGURES: list[Figure] = []
MODELS = ["logistic regression", "tuned model"]


def figure(page: str, *each: dict[str, list[Any]], **values: list[Any]) -> Any:
    """Hold a figure to a function in every combination of some values of its controls."""

    def register(expected: Callable[..., Any]) -> Callable[..., Any]:
        found = [
            dict(zip(one, state, strict=True))
            for one in each or (values,)
            for state in product(*one.values())
        ]
        FIGURES.append(Figure(page, expected, found))
        return expected

    return register


def to_show(readout: str, *drawn: dict[str, Any]) -> dict[str, Any]:
    """What a frame shows: its sentence, and the rows of its marks."""
    return {"readout": readout, "drawn": drawn}


def too(sure: float, right: float) -> str:
    """Say by how many points, of those that are shown, a forecast is too sure or too timid."""
    gap = round(100 * float(sure), 1) - round(100 * float(right), 1)
    return f"{abs(gap):.1f} points too {'sure' if gap > 0 else 'timid'}"


def diagram(curve: cl.measures.ReliabilityCurve) -> dict[str, Any]:
    """What the dots and the bars of a reliability diagram show."""
    filled = curve.counts > 0
    return {
        "confidence": curve.confidence[filled],
        "accuracy": curve.accuracy[filled],
        "rows": curve.counts[filled],
    }


@figure("calibrators/temperature", T=[0.5, 1.0, 2.1, 4.0], network=[0, 2, 4])
def temperature(T: float, network: int) -> dict[str, Any]:
    logits, labels = datasets.network_logits(network, "test")
    q = cl.softmax(logits / T)
    curve = cl.reliability_curve(labels, logits / T, from_logits=True)
    nll, ece = cl.negative_log_likelihood(labels, q), cl.expected_calibration_error(labels, q)
    part = datasets.network_logits(network, "calibration")
    sure, right = q.max(axis=1).mean(), np.mean(q.argmax(axis=1) == labels)
    return to_show(
        f"It says {100 * sure:.1f} % on average and is right in {100 * right:.1f} %: {too(sure, right)}; "
        f"NLL {nll:.3f} nats, ECE {ece:.3f}",
        diagram(curve),
        {"T": [T], "v0": [nll], "v1": [cl.TemperatureScaling().fit(*part).temperature_]},
        {"T": [T], "v0": [ece], "v2": [cl.ExpectationConsistency().fit(*part).temperature_]},
    )


@cache
def digits() -> dict[str, Any]:
    """Fit the models of the lessons on reliability and on the ECE: labels, and forecasts by name."""
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, y_test = train_test_split(X / 16, y, test_size=0.5, random_state=0, stratify=y)
    models = {
        "naive Bayes": GaussianNB(),
        "logistic regression": LogisticRegression(max_iter=1000),
        "tuned model": LogisticRegression(C=20, max_iter=3000),
    }
    held = {name: model.fit(X_train, y_train).predict_proba(X_test) for name, model in models.items()}
    return {name: (y_test, p) for name, p in held.items()}


@figure("measures/ece_interval", n=[100.0, 200.0, 899.0], bins=[2.0, 15.0, 120.0], model=MODELS)
def ece(n: float, bins: float, model: str) -> dict[str, Any]:
    labels, p = (part[: int(n)] for part in digits()[model])
    observed = cl.expected_calibration_error(labels, p, n_bins=int(bins))
    null = cl.reliability_curve(labels, p, n_bins=int(bins)).under_calibration(random_state=0)
    p_value = null.p_value(observed)
    return to_show(
        f"ECE {observed:.3f}, a calibrated model {null.mean:.3f} on average: "
        f"{'no ' * (p_value > 0.05)}more than chance gives (p-value {p_value:.3f})",
        {"n": [n], "bins": [bins], "v0": [observed]},
        {"v1": [null.mean], "v2": [null.quantile(0.025)], "v3": [null.quantile(0.975)]},
        {"m0": [observed]},
    )


@figure(
    "measures/reliability",
    bins=[2.0, 10.0, 50.0],
    mass=["width", "mass"],
    model=["naive Bayes", *MODELS, "network"],
)
def reliability(bins: float, mass: str, model: str) -> dict[str, Any]:
    labels, p = digits()[model] if model != "network" else (
        datasets.network_logits(0, "test").labels, cl.softmax(datasets.network_logits(0, "test").logits)
    )  # fmt: skip
    strategy = "quantile" if mass == "mass" else "uniform"
    curve = cl.reliability_curve(labels, p, n_bins=int(bins), strategy=strategy)
    low, high = curve.band()
    outside = np.sum((curve.accuracy < low) | (curve.accuracy > high))
    rows = curve.counts[curve.counts > 0]
    return to_show(
        f"{outside} of {len(rows)} points lie outside the band; "
        f"a point holds {rows.min()} to {rows.max()} rows",
        diagram(curve) | {"floor": low[curve.counts > 0], "ceiling": high[curve.counts > 0]},
    )


@figure("uncertainty/coin", tosses=[0, 10, 50, 100], share=[10, 50, 70])
def coin(tosses: int, share: int) -> dict[str, Any]:
    heads = tosses * share // 100
    total, aleatoric, epistemic = cl.uncertainty.coin_uncertainty(heads, tosses)
    return to_show(
        f"{heads} heads of {tosses}: {total:.3f} bits = "
        f"{aleatoric:.3f} aleatoric + {epistemic:.3f} epistemic",
        {"tosses": [tosses], "share": [share], "v0": [total], "v1": [aleatoric], "v2": [epistemic]},
        {"m0": [(heads + 1) / (tosses + 2)]},
    )


@cache
def doctors(shared: float) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    rng = np.random.default_rng(0)
    ill = rng.integers(0, 2, 100_000)
    a, b = rng.normal(size=(100_000, 2)).T
    sign = 2 * ill - 1
    first = expit(1.4 * (0.7 * sign + a))
    second = expit(1.8 * (0.9 * sign + shared * a + (1 - shared**2) ** 0.5 * b))
    return ill, {"first doctor": first, "second doctor": second, "mean": (first + second) / 2}


@figure("uncertainty/ensembles", shared=[0.0, 0.3, 0.7, 1.0], voice=["first doctor", "second doctor", "mean"])
def ensembles(shared: float, voice: str) -> dict[str, Any]:
    ill, voices = doctors(shared)
    p = voices[voice]
    told = ill[(p > 0.65) & (p <= 0.75)].mean()
    slope = np.cov(p, ill)[0, 1] / np.var(p, ddof=1)
    disagreement = np.mean((voices["first doctor"] - voices["second doctor"]) ** 2) / 4
    return to_show(
        f"Told about 70 %, {100 * told:.1f} % are ill; slope {slope:.2f}, disagreement {disagreement:.4f}",
        diagram(cl.reliability_curve(ill, p, n_bins=10)),
        {"shared": [shared], "v0": [slope]},
        {"shared": [shared], "v0": [disagreement]},
    )


@figure(
    "models/logistic_regression",
    slope=[0, 3, 10],
    intercept=[-1.0, 0.0],
    which=["five scores", "a sixth row"],
)
def logistic(slope: int, intercept: float, which: str) -> dict[str, Any]:
    x, y = np.array([1.2, -0.5, 0.8, -1.0, 0.3]), np.array([1, 0, 1, 0, 1])
    best = np.nan
    if which == "a sixth row":
        x, y = np.append(x, 0.6), np.append(y, 0)
        best = cl.models.LogisticRegression().fit(x[:, None], y).coef_[0, 0]
    loss = definitions.logistic_loss([intercept, slope], [[1, one] for one in x], y)
    own = expit(np.where(y == 1, 1, -1) * (intercept + slope * x))
    return to_show(
        f"likelihood {np.exp(-loss):.3g}, loss {loss:.3f} nats; "
        + ("no slope is the best" if np.isnan(best) else f"the best slope is {best:.2f}"),
        {"slope": [slope], "v0": [loss]} | ({} if np.isnan(best) else {"v1": [best]}),
        *({"x": x[y == k], "y": np.full(sum(y == k), k)} for k in (0, 1)),
        *({"x": x[y == k], "y": own[y == k]} for k in (0, 1)),
    )


@figure("calibrators/isotonic", merges=[0, 1, 2, 7, 14, 15], side=["left", "right"])
def isotonic(merges: int, side: str) -> dict[str, Any]:
    truth = expit(np.linspace(-2.5, 2.5, 24))
    labels = (np.random.default_rng(4).random(24) < truth).astype(int)
    blocks = [[label] for label in labels.tolist()]
    for _ in range(merges):
        falls = [i for i in range(len(blocks) - 1) if np.mean(blocks[i]) > np.mean(blocks[i + 1])]
        i = falls[0 if side == "left" else -1]
        blocks[i : i + 2] = [blocks[i] + blocks[i + 1]]
    values = np.concatenate([np.full(len(block), np.mean(block)) for block in blocks])
    if merges == 15:
        fitted = cl.IsotonicCalibration().fit(np.arange(24), labels)
        assert np.allclose(fitted.predict_proba(np.arange(24))[:, 1], values)
    own, away = cl.brier_score(labels, values), np.mean((values - truth) ** 2)
    return to_show(
        f"{len(blocks)} blocks: mean squared distance {own:.3f} from the labels, {away:.3f} from the truth",
        {"merges": [merges], "v0": [own], "v1": [away]},
        {"x": np.arange(1, 25), "y": labels},
    )


@figure(
    "uncertainty/classifiers", distance=[0.0, 1.5, 2.5, 5.0, 7.5, 10.0], way=["towards the ill", "towards C"]
)
def classifiers(distance: float, way: str) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    X = rng.normal(np.where(y == 1, 1, -1)[:, None] * [0.7, 0.9])
    toward = np.array([1, 1] if way == "towards the ill" else [4, -3.1])
    place = distance * toward[None] / np.hypot(*toward)
    model = LogisticRegression(solver="newton-cholesky")
    rng = np.random.default_rng(1)
    rows = [rng.integers(0, 200, 200) for _ in range(10)]
    members = [model.fit(X[r], y[r]).predict_proba(place) for r in rows]
    ((epistemic,),) = cl.uncertainty.decompose_uncertainty(np.stack(members))[2:]
    said = model.fit(X, y).predict(place)
    softmax = model.predict_proba(place).max()
    (kernel,) = cl.uncertainty.kernel_confidence(X, y, place, said, bandwidth=0.7)
    truth = expit((2 * said - 1) * (2 * place @ [0.7, 0.9]))[0]
    return to_show(
        f"{np.sum(np.hypot(*(X - place).T) < 1)} patients within 1 sd: softmax {softmax:.3f}, "
        f"kernel {kernel:.3f}, truth {truth:.3f}; epistemic {epistemic:.3f} bits",
        {"distance": [distance], "v0": [truth], "v1": [softmax], "v2": [kernel]},
        {"distance": [distance], "v0": [epistemic]},
        {"x": place[:, 0], "y": place[:, 1]},
        *({"x": X[y == k, 0], "y": X[y == k, 1]} for k in (0, 1)),
    )


@figure("measures/proper_scores", q=[0.1, 0.5, 0.7, 0.9], p=[0.05, 0.5, 0.7, 0.95])
def proper_scores(q: float, p: float) -> dict[str, Any]:
    q_of, p_of = [1 - q, q], [1 - p, p]
    edge = 0.95 if q > 0.5 else 0.05
    by_distance = "anything" if q == 0.5 else edge
    low = f"Believing {q} she pays least if she says {by_distance} by distance, "
    low += f"{q} by squared distance, {q} by minus log"
    brier, nll = (
        sum(share * score([y], [p]) for y, share in enumerate(q_of))
        for score in (cl.brier_score, cl.negative_log_likelihood)
    )
    expected = [sum(share * (1 - said) for share, said in zip(q_of, p_of, strict=True)), brier, nll]
    expected.append(1 - q if p > 0.5 else q)
    return {"readout": low, "drawn": [{"q": [q], "p": [p], "v0": [value], "v1": [q]} for value in expected]}


@figure("measures/brier_decomposition", calibration=[0.25, 1.0, 3.0, 5.0], resolution=[1.0, 0.4, 0.2])
def brier_decomposition(calibration: float, resolution: float) -> dict[str, Any]:
    said, frequency, share = datasets.precipitation_forecasts()
    base = np.average(frequency, weights=share)
    seen, near = (base + resolution * (column - base) for column in (frequency, said))
    with np.errstate(divide="ignore"):
        odds = base / (1 - base) * (near / (1 - near) / (base / (1 - base))) ** calibration
    f = np.where(np.isinf(odds), 1.0, odds / (1 + np.where(np.isinf(odds), 0, odds)))
    n = 10_000_000  # so many rows that the shares may be counts
    days = np.rint(n * share).astype(int)
    wet = np.rint(days * seen).astype(int)
    parts = cl.brier_decomposition(
        np.repeat([1, 0], 12), np.tile(f, 2), sample_weight=np.concatenate([wet, days - wet])
    )
    skill = round(1 - parts.score / parts.uncertainty, 2) + 0.0
    return to_show(
        f"{'Worse' if skill < 0 else 'Better'} than the base rate: Brier score {parts.score:.3f} "
        f"against {parts.uncertainty:.3f}, skill {skill:.2f}".replace("-", "\N{MINUS SIGN}"),
        {"x": f, "y": seen},
        {"height": [parts.reliability, parts.resolution, parts.uncertainty, parts.score]},
        {"calibration": [calibration], "resolution": [resolution], "v0": [parts.score]},
        {"calibration": [calibration], "v1": [parts.uncertainty]},
    )


@figure("calibrators/platt", targets=["prior", "labels"], a=[0.0, 1.5, 6.0], b=[-0.2, 0.2, 0.6])
def platt(targets: str, a: float, b: float) -> dict[str, Any]:
    scores, labels = [1.2, -0.5, 0.8, -1.0, 0.3], [1, 0, 1, 0, 1]
    low, high = definitions.platt_targets(labels) if targets == "prior" else (0, 1)
    t = np.where(labels, high, low)

    def loss(slope: float) -> float:
        p = np.array([definitions.platt_probability(z, slope, b) for z in scores])
        return float(-np.sum(t * np.log(p) + (1 - t) * np.log(1 - p)))

    p = np.array([definitions.platt_probability(z, a, b) for z in scores])
    best = min(np.arange(13) / 2, key=loss)
    return to_show(
        f"loss {loss(a):.3f} nats, at this b least at slope {best:g}{', the last one' if best == 6 else ''}; "
        f"the five probabilities go from {p.min():.2f} to {p.max():.2f}",
        {"x": scores, "y": t},
        {"a": [a], "b": [b], "v0": [loss(a)], "v1": [best]},
        {"height": [np.sum((p - t) * scores), np.sum(p - t)]},
    )


@cache
def clean(number: int) -> datasets.LabelledLogits:
    return datasets.network_logits(number, "calibration")


UNITS = {"rotation": "degrees", "noise": "standard deviation", "blur": "pixels"}


@figure(
    "practice/shift",
    dict(kind=["rotation", "noise", "blur"], level=[0.0, 3.0, 5.0], forecast=["temperature"]),
    dict(kind=["blur"], level=[2.0], forecast=["member", "ensemble", "recalibrated ensemble"]),
)
def shift(kind: str, level: float, forecast: str) -> dict[str, Any]:
    parts = [
        datasets.shifted_logits(j, kind, int(level)) if level else datasets.network_logits(j, "test")
        for j in range(5)
    ]
    logits, labels = np.stack([part[0][:2000] for part in parts]), parts[0][1][:2000]
    together = cl.softmax(logits).mean(axis=0)
    fit = cl.TemperatureScaling().fit
    if "ensemble" in forecast:
        mean = np.log(np.mean([cl.softmax(clean(j).logits) for j in range(5)], axis=0))
        pooled = fit(mean, clean(0).labels).predict_proba(np.log(together))
        q = pooled if "recalibrated" in forecast else together
    else:
        q = fit(*clean(0)).predict_proba(logits[0]) if forecast == "temperature" else cl.softmax(logits[0])
    ece, (low, high) = cl.expected_calibration_error(labels, q), cl.ece_interval(labels, q)
    null = cl.ece_under_calibration(q, n_draws=200, random_state=0).mean
    sure, right = q.max(axis=1).mean(), np.mean(q.argmax(axis=1) == labels)
    strength = (0, *datasets.SHIFTS[kind])[int(level)]
    return to_show(
        f"{kind}, {strength:g} {UNITS[kind]}: says {100 * sure:.1f} %, right in "
        f"{100 * right:.1f} %, {too(sure, right)}; ECE {ece:.3f}, null value {null:.3f}",
        diagram(cl.reliability_curve(labels, q)),
        {"level": [level], "v0": [right], "v1": [sure]},
        {"level": [level], "v0": [ece], "v1": [null], "v2": [low], "v3": [high]},
    )


@cache
@figure("calibrators/beta", a=[0.0, 0.75, 1.0, 2.0], b=[0.0, 1.0, 1.75])
def beta(a: float, b: float) -> dict[str, Any]:
    p = (np.arange(200) + 0.5) / 200
    truth = np.array([definitions.beta_probability(one, a, b, 0) for one in p])
    least = -np.mean(truth * np.log(truth) + (1 - truth) * np.log(1 - truth))
    labels, weights = np.repeat([0, 1], 200), np.r_[1 - truth, truth]
    seen = expit(np.linspace(-6, 6, 15)).round(4)
    curve = [definitions.beta_probability(one, a, b, 0) for one in seen]
    lost, off = [], []
    for feed, at_seen in ((logit(p), logit(seen)), (2 * p - 1, 2 * seen - 1)):
        fit = cl.PlattScaling(prior_targets=False).fit(np.tile(feed, 2), labels, sample_weight=weights)
        q = fit.predict_proba(feed)
        paid = -np.mean(truth * np.log(q[:, 1]) + (1 - truth) * np.log(q[:, 0]))
        lost.append(round(1000 * (paid - least), 2) + 0.0)
        off.append(abs(fit.predict_proba(at_seen)[:, 1] - curve).max())
    return to_show(
        f"on log-odds Platt is off by up to {off[0]:.2f} and pays {lost[0]:.1f}/1000 nat; "
        f"on p itself Platt is off by up to {off[1]:.2f} and pays {lost[1]:.1f}/1000 nat",
        {"x": seen, "y": curve},
        {"x": logit(seen)[::2], "y": logit(curve)[::2]},
        {"a": [a], "b": [b], "v0": lost[:1], "v1": lost[1:]},
    )


@figure("calibrators/venn_abers", score=[0.0, 0.2, 0.65, 1.0], n=[10, 40, 160])
def venn_abers(score: float, n: int) -> dict[str, Any]:
    source = simulate.ScoreSource(simulate.over_confident(2.0))
    labels, scores = (part[:n] for part in source.sample(160, random_state=0))
    fit = cl.IsotonicCalibration()
    p0, p1 = (
        fit.fit(np.append(scores, score), np.append(labels, k)).predict_proba([score])[0, 1] for k in (0, 1)
    )
    q = definitions.venn_abers_probability(p0, p1)
    plain = fit.fit(scores, labels).predict_proba([score])[0, 1]
    return to_show(
        f"At score {score:g} the two fits say p0 {p0:.3f} and p1 {p1:.3f}, so q {q:.3f}; "
        f"isotonic regression {plain:.3f}, truth {source.truth(score):.3f}",
        {"x": scores, "y": labels},
        {"x": [score, score], "y": [0, 1]},
        {f"v{i}": [value] for i, value in enumerate((source.truth(score), plain, q, p0, p1))},
        {"score": [score], "v0": [p1 - p0]},
    )


METHODS = ("ece", "t-cal", "kernel", "kolmogorov-smirnov", "smooth-ece", "spiegelhalter", "hosmer-lemeshow")
SOURCES = {
    "calibrated": simulate.calibrated,
    "over-confident": simulate.over_confident(1.5),
    "too high": lambda p: np.clip(p - 0.06, 0, 1),
    "nine teeth": lambda p: np.where(abs(p - 0.5) < 0.3, simulate.sawtooth(0.2, 15)(p), p),
}


@cache
@figure("measures/calibration_tests", n=[50.0, 100.0, 200.0], source=[*SOURCES])
def calibration_tests(n: float, source: str) -> dict[str, Any]:
    drawn = [simulate.ScoreSource(SOURCES[source]).sample(int(n), random_state=seed) for seed in range(100)]
    refuted = {
        method: sum(
            cl.calibration_test(*rows, method=method, n_draws=39, random_state=100 + seed).p_value <= 0.05
            for seed, rows in enumerate(drawn)
        )
        for method in METHODS
    }
    most, least = (f(refuted, key=refuted.__getitem__) for f in (max, min))
    spans = [binomtest(int(k), 100).proportion_ci(method="wilson") for k in refuted.values()]
    return to_show(
        f"Of 100 samples {most} refutes {refuted[most]}, the most, and {least} {refuted[least]}, the fewest",
        diagram(cl.reliability_curve(*drawn[0])),
        {
            "height": np.array([*refuted.values()]) / 100,
            "low": [span.low for span in spans],
            "high": [span.high for span in spans],
        },
        {"m0": [0.05]},
    )


@figure("practice/conformal", level=[0.8, 0.91, 0.95, 0.99], picture=["ankle boot", "shirt", "dress"])
def conformal(level: float, picture: str) -> dict[str, Any]:
    (z, labels), (z_new, new) = (datasets.network_logits(0, part) for part in ("calibration", "test"))
    scores = np.sort([1 - row[k] for row, k in zip(cl.softmax(z), labels, strict=True)])
    q = scores[int(np.ceil((len(scores) + 1) * level)) - 1]
    p = cl.softmax(z_new)
    sets = p >= 1 - q
    held = sets[np.arange(len(new)), new]
    sure = cl.TemperatureScaling().fit(z, labels).predict_proba(z_new).max(axis=1)
    unsure = sure <= np.quantile(sure, 0.1)
    row = {"ankle boot": 0, "shirt": 241, "dress": 569}[picture]
    names = [datasets.FASHION_CLASSES[k] for k in np.flatnonzero(sets[row])]
    shares = [held.mean(), held[new == 6].mean(), held[unsure].mean(), level]
    return to_show(
        f"Classes from {1 - q:.3f} up are listed: {', '.join(names) or 'none'}; "
        f"{100 * held.mean():.1f} % of all lists are right",
        {"height": p[row][p[row] >= 0.001]},
        {"m0": [1 - q]},
        {f"v{i}": [share] for i, share in enumerate(shares)},
        {"level": [level], "v0": [sets.sum(axis=1).mean()]},
    )


@cache
def matrix(strength: float, rows: int) -> tuple[Any, float, float]:
    """Intercepts of a fit to the first rows, and its loss and accuracy on new pictures."""
    (z, y), (z_new, y_new) = (datasets.network_logits(3, part) for part in ("calibration", "test"))
    fit = cl.MatrixScaling(strength=strength).fit(z[:rows], y[:rows])
    q = fit.predict_proba(z_new)
    return fit.intercept_, cl.negative_log_likelihood(y_new, q), np.mean(q.argmax(axis=1) == y_new)


@figure("calibrators/matrix_scaling", strength=[1.0, 4.0, 64.0, 1024.0], rows=[300, 1000, 5000])
def matrix_scaling(strength: float, rows: int) -> dict[str, Any]:
    won = {n: 1000 * (matrix(np.inf, n)[1] - matrix(strength, n)[1]) for n in (300, 1000, 5000)}
    intercepts, loss, accuracy = matrix(strength, rows)
    return to_show(
        f"{rows} rows, strength {strength:g}: on new pictures the matrix "
        f"{'saves' if won[rows] > 0 else 'loses'} {abs(won[rows]):.1f}/1000 nat "
        f"against the temperature alone; NLL {loss:.4f}, accuracy {accuracy:.3f}",
        {"strength": [strength]} | {f"v{i}": [one] for i, one in enumerate([*won.values(), 0])},
        {"height": intercepts},
    )


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


def written(value: Any) -> str:
    """Write a value of a control as the page does."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def move(here: Locator, figure: Figure, state: dict[str, Any]) -> None:
    """Move every control to a state, as a reader does, and wait until it is drawn."""
    for control in figure.controls:
        text, node = written(state[control["name"]]), here.locator(f"#{figure}-{control['name']}")
        if control["kind"] == "slider":
            node.fill(str(control["texts"].index(text)))
            told = "node => [node.ariaValueText, node.nextElementSibling.textContent]"
            assert node.evaluate(told) == [text, text]
        else:
            node.select_option(label=text)
    reach(here, figure, state)


def reach(here: Locator, figure: Figure, state: dict[str, Any]) -> None:
    """Wait until a state is drawn."""
    frame = 0
    for control in figure.controls:
        frame = frame * len(control["texts"]) + control["texts"].index(written(state[control["name"]]))
    here.page.wait_for_function(
        "([id, frame]) => document.getElementById(id).dataset.frame == frame", arg=[str(figure), frame]
    )


def differences(here: Locator, expected: dict[str, Any]) -> Iterator[str]:
    """What a figure shows otherwise than the companion computes it."""
    shown = here.locator(".explorer-readout").inner_text()
    if shown != expected["readout"]:
        yield f"the read-out says {shown!r} instead of {expected['readout']!r}"
    groups = here.evaluate(DRAWN)
    for rows in expected["drawn"]:
        if not any(agrees(group, rows) for group in groups):
            yield f"no mark shows {rows}"


def agrees(group: list[dict[str, Any]], rows: dict[str, Any]) -> bool:
    """Tell whether the marks of a group are those rows, to four digits."""
    return all(
        all(name in one for one in group)
        and len(group) == len(values)
        and np.allclose(
            np.array([one[name] for one in group], float), np.asarray(values, float), rtol=6e-4, atol=1e-12
        )  # what a frame lacks is None there, which becomes NaN
        for name, values in rows.items()
    )


def spoilt(expected: dict[str, Any]) -> dict[str, Any]:
    """What the companion does not say: every number a hundredth larger."""
    rows = [
        {name: 1.01 * np.asarray(values, float) + 1e-3 for name, values in each.items()}
        for each in expected["drawn"]
    ]
    return {"readout": expected["readout"] + "1", "drawn": rows}


@of_figures("light", WIDE)
def test_a_figure_shows_the_numbers_of_the_companion_in_a_dozen_states_and_a_wrong_number_is_noticed(
    visit, figure
):
    here = live(visit.page, figure)
    assert len(figure.states) >= 12
    axes = here.evaluate(AXES)
    for state in figure.states:
        move(here, figure, state)
        assert list(differences(here, figure.expected(**state))) == [], state
        assert here.evaluate(AXES) == axes, "an axis moved"
    wrong = spoilt(figure.expected(**state))
    assert len(list(differences(here, wrong))) == 1 + len(wrong["drawn"])
    assert visit.faults == []
    assert found(visit.page, ANYWHERE) == {}


@of_figures("dark", NARROW)
def test_in_the_dark_on_a_phone_a_figure_shows_the_same_and_its_picture_stays_where_it_is(visit, figure):
    here, tops = live(visit.page, figure), set()
    for state in figure.states:
        move(here, figure, state)
        tops.add(here.evaluate("figure => figure.querySelector('svg').getBoundingClientRect().top + scrollY"))
    assert len(tops) == 1
    for state in (figure.states[0], figure.states[-1]):
        move(here, figure, state)
        assert list(differences(here, figure.expected(**state))) == [], state
    assert visit.faults == []
    assert found(visit.page, ANYWHERE) == {}


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
    state = {name: written(value) for name, value in figure.states[-1].items()}
    move(here, figure, figure.states[-1])
    page.wait_for_function(HELD, arg=state)
    shown = here.locator(".explorer-readout").inner_text()
    page.reload()
    here = drawn(page, figure)  # by itself: the address asks for it
    assert here.locator(".explorer-readout").inner_text() == shown
    other = {name: written(value) for name, value in figure.states[0].items()}
    page.evaluate("state => { location.hash = new URLSearchParams(state) }", other)
    reach(here, figure, figure.states[0])
    assert list(differences(here, figure.expected(**figure.states[0]))) == []
    assert visit.faults == []


def test_a_page_without_a_figure_loads_nothing_for_one(chromium, address):
    page = chromium.new_page()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{address}/{next(name for name in PAGES if 'glossary' in name)}")
    assert not [url for url in asked if "explorer" in url or "vega" in url]
    page.close()


@pytest.mark.parametrize("visit", [("book/calibrators/temperature.html", "light", WIDE)], indirect=True)
def test_a_number_that_a_teacher_writes_into_the_address_means_the_nearest_of_the_slider(visit):
    url = visit.page.url
    for text, shown in {"T=2.10": "2.1", "T=2.08": "2.1", "T=9": "4", "T=": "1", "T=hot": "1"}.items():
        visit.page.goto("about:blank")
        visit.page.goto(f"{url}#{text}")
        figure = visit.page.locator("#temperature-1[data-state=live]")
        figure.wait_for()
        assert figure.locator("output").inner_text() == shown


def test_without_scripts_each_figure_is_a_still_picture_that_is_said_in_words(chromium, address):
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    for figure in FIGURES:
        page.goto(f"{address}/{figure.html}")
        still = page.locator(f"#{figure} img")
        assert still.is_visible() and len(still.get_attribute("alt")) > 60
    context.close()
