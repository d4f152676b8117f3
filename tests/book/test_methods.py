"""The page of all methods says what the calibrators do."""

import json
import re
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, softmax

import calibration_lessons as cl

pytestmark = pytest.mark.filterwarnings("ignore:X looks like probabilities")
PAGE = Path(__file__).parents[2] / "book/reference/methods.md"
ROWS = "When each method refuses, and how many rows it takes"
KEEP = "What to keep of a fitted calibrator"
METHODS = {
    "Histogram binning": cl.HistogramBinning(n_bins=5),
    "Isotonic regression": cl.IsotonicCalibration(),
    "Venn-Abers calibration": cl.VennAbersCalibration(),
    "Platt scaling": cl.PlattScaling(),
    "Beta calibration": cl.BetaCalibration(),
    "Temperature scaling": cl.TemperatureScaling(),
    "Expectation consistency": cl.ExpectationConsistency(),
    "Matrix scaling": cl.MatrixScaling(strength=1.0),
    "Multi-class isotonic regression": cl.MultiClassIsotonic(),
    "One against the rest": cl.OneVsRest(cl.PlattScaling()),
}
MANY = list(METHODS)[list(METHODS).index("Temperature scaling") :]  # classes


def table(heading):
    text = PAGE.read_text(encoding="utf-8").split(f"## {heading}\n")[1].split("\n## ")[0]
    lines = re.sub(r"<!--.*?-->", "", text).splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line[:1] == "|"]
    return {re.sub(r"\[(.+)\]\(.+\)", r"\1", name): cells for name, *cells in rows[2:]}


def fitted(method, n_classes=2):
    rng = np.random.default_rng(0)
    if n_classes == 2:
        z = rng.random(400)
        return METHODS[method].fit(z, (rng.random(400) < z**2).astype(int)), rng.random(1000)
    logits = rng.normal(size=(400, 3))
    labels = [rng.choice(3, p=row) for row in softmax(logits / 2, axis=1)]
    read = partial(softmax, axis=1) if METHODS[method].reads == "probabilities" else np.asarray
    return METHODS[method].fit(read(logits), labels), read(rng.normal(size=(1000, 3)))


def test_every_calibrator_stands_in_every_table():
    for heading in ("What each method does", ROWS, KEEP):
        assert list(table(heading)) == list(METHODS)


def test_the_rows_to_begin_with_are_those_of_the_recommendation():
    cells = json.loads((PAGE.parents[1] / "practice/choosing.ipynb").read_text(encoding="utf-8"))["cells"]
    recommended = next(text for cell in cells if "## The recommendation" in (text := "".join(cell["source"])))
    for method, cells in table(ROWS).items():
        asked = cells[2].removeprefix("with Platt scaling, ")
        assert asked.startswith("more than") or any(f"| {asked}{end}" in recommended for end in " ,"), method


@pytest.mark.parametrize("method", list(METHODS)[:-1])
def test_what_the_page_says_to_keep_gives_the_probabilities(method):
    keep, expression = (cell.replace("`", "") for cell in table(KEEP)[method])
    many = method in MANY
    calibrator, z = fitted(method, 3 if many else 2)
    kept = {name: getattr(calibrator, name) for name in keep.split(", ")}
    names = {"z": z, "np": np, "expit": expit, "softmax": lambda x: softmax(x, axis=1)}
    expected = calibrator.predict_proba(z) if many else calibrator.predict_proba(z)[:, 1]
    assert eval(expression, names | kept) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@pytest.mark.parametrize("method", METHODS)
def test_the_page_says_what_a_method_reads_and_whether_it_changes_the_class_and_the_order_of_rows(method):
    reads, *_, changes, order = table("What each method does")[method]
    assert METHODS[method].reads[:5] in reads or method == "One against the rest"
    many = method in MANY
    calibrator, z = fitted(method, 3 if many else 2)
    p, said = calibrator.predict_proba(z), z.argmax(axis=1) if many else (z > 0.5)
    assert changes == ("no" if (p.argmax(axis=1) == said).all() else "yes")
    if many:
        shares = z if calibrator.reads == "probabilities" else softmax(z, axis=1)
        before, after = shares.max(axis=1), p.max(axis=1)
    else:  # what rises, but for a dip
        happened = np.random.default_rng(0).random(1000) < np.where(z < 0.2, 0.5, z)
        before, after = z, calibrator.fit(z, happened).predict_proba(z)[:, 1]
    assert (np.diff(after[before.argsort()]).min() < -1e-12) == order.startswith(("yes", "only"))


@pytest.mark.parametrize("method", METHODS)
def test_the_page_says_which_methods_take_more_than_two_classes(method):
    three = np.tile(np.eye(3), (20, 1)), np.tile([0, 1, 2, 1, 2, 0], 10)
    if table("What each method does")[method][2] == "2 or more":
        assert METHODS[method].fit(*three).predict_proba(three[0]).shape == (60, 3)
    else:
        with pytest.raises(cl.Refusal):
            METHODS[method].fit(*three)
