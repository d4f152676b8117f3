"""The data in the package: as the page says, as the licences ask, and fresh on every call."""

import json
import re
from hashlib import sha256
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from calibration_lessons import brier_score, ece_interval, expected_calibration_error, negative_log_likelihood
from calibration_lessons.book import comparison, datasets
from tools.experiments import coverage_experiment, matrix_experiment, network_images, training_experiment

FOLDER = Path(str(resources.files("calibration_lessons.book"))) / "data"
PAGE = Path(__file__).parents[2] / "book" / "reference" / "data.ipynb"
FILES = sorted(path.name for path in FOLDER.iterdir())
NETWORKS = range(datasets.N_NETWORKS)
PARTS = {"calibration": 5_000, "test": 10_000}
WORDS = "strategy case score method source recipe afterwards kind error".split()
FRAMES = [datasets.choosing, datasets.remedies, datasets.coverage]
FRAMES += [datasets.compare_coverage, datasets.matrix_scaling]


@pytest.fixture(scope="module")
def record() -> dict[str, Any]:
    return json.loads((FOLDER / "networks.json").read_text())


@pytest.fixture(scope="module")
def page() -> list[dict[str, Any]]:
    return json.loads(PAGE.read_text())["cells"]


def printed(cells: list[dict[str, Any]]) -> str:
    outputs = (output for cell in cells for output in cell.get("outputs", []))
    texts = (output.get("text") or output.get("data", {}).get("text/plain", []) for output in outputs)
    return "\n".join("".join(text) for text in texts)


def prose(cells: list[dict[str, Any]]) -> str:
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


def measured(logits: datasets.LabelledLogits) -> dict[str, float]:
    z, labels = logits
    return {
        "nll": negative_log_likelihood(labels, z, from_logits=True),
        "accuracy": float((z.argmax(axis=1) == labels).mean()),
        "ece": expected_calibration_error(labels, z, from_logits=True),
    }


# The page


@pytest.mark.parametrize("name", FILES)
def test_the_page_gives_the_size_and_the_checksum_of_the_file(name, page):
    content = (FOLDER / name).read_bytes()
    line = next(line for line in printed(page).splitlines() if line.startswith(f"{name} "))
    assert line.split() == [name, str(len(content)), sha256(content).hexdigest()[:16]]


def test_the_page_describes_every_file_with_its_source_its_licence_and_its_changes(page):
    assert [name for name in FILES if f"`{name}`" not in prose(page)] == []
    described = [part for part in re.split(r"^## ", prose(page), flags=re.M) if "**What.**" in part]
    assert described
    for section in described:
        assert all(f"**{word}.**" in section for word in ("Source", "Licence", "Changes")), section


def test_the_licence_file_names_every_file_and_every_copyright_holder():
    text = (FOLDER / "LICENSES.txt").read_text()
    assert [name for name in FILES if name != "LICENSES.txt" and name not in text] == []
    for holder in ("Zalando SE", "modeldata authors", "Jake Vanderplas", "University of Washington"):
        assert holder in text
    assert "10.24432/C53G6X" in text and "Attribution 4.0" in text


# The networks


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("network", NETWORKS)
def test_the_tool_and_the_companion_agree_on_the_plain_images(network, part, record):
    logits, labels = datasets.network_logits(network, part)
    found = measured((logits, labels))
    assert found == pytest.approx(record["networks"][network][part], abs=1e-12)
    confidence = np.exp(logits.max(axis=1) - np.logaddexp.reduce(logits, axis=1)).mean()
    assert found["accuracy"] >= 0.90 and found["ece"] >= 0.03 and confidence > found["accuracy"] + 0.03


@pytest.mark.parametrize("kind", datasets.SHIFTS)
@pytest.mark.parametrize("network", NETWORKS)
def test_the_tool_and_the_companion_agree_on_the_changed_images(network, kind, record):
    _, labels = datasets.network_logits(0, "test")
    assert tuple(entry["severity"] for entry in record["shifts"][kind]) == datasets.SHIFTS[kind]
    for level, entry in enumerate(record["shifts"][kind], start=1):
        logits, changed = datasets.shifted_logits(network, kind, level)
        assert measured((logits, changed)) == pytest.approx(entry["networks"][network], abs=1e-12)
        assert logits.shape == (2000, 10) and np.array_equal(changed, labels[:2000])


def test_the_log_ends_where_the_logits_stand(record):
    log = datasets.training_log()
    assert log.epochs.tolist() == list(range(1, record["training"]["epochs"] + 1))
    for network in NETWORKS:
        end = {key: getattr(log, f"heldout_{key}")[network, -1] for key in ("nll", "accuracy", "ece")}
        assert end == pytest.approx(record["networks"][network]["calibration"], abs=1e-6)


# The remedies in training


@pytest.fixture(scope="module")
def remedies() -> Any:
    return datasets.remedies()


def test_the_stored_row_of_the_smoothed_network_is_what_the_experiment_gives(remedies):
    kept = {part: datasets.smoothed_logits(part) for part in PARTS}
    for part, (_, labels) in kept.items():
        assert np.array_equal(labels, datasets.network_logits(0, part).labels)
    logits = [of_part.logits for of_part in kept.values()]
    case = training_experiment.KEPT, 0, 16
    for afterwards in training_experiment.AFTERWARDS:
        found = training_experiment.judged(case, afterwards, *logits)
        stored = remedies.set_index(list(remedies)[:4]).loc[(*case, afterwards)].to_dict()
        wanted = {name: found[name] for name in stored}
        assert stored == pytest.approx(wanted, rel=1e-3, abs=1e-9, nan_ok=True)


def test_each_picture_belongs_to_its_row_as_chosen():
    rows, images = datasets.network_images()
    assert rows.tolist() == sorted(network_images.chosen()) and images.any(axis=(1, 2)).all()


# The tables


def test_spambase_has_57_named_features_and_two_classes():
    X, y, names = datasets.spambase()
    assert X.shape == (4206, 57) and len(set(names)) == 57 and "spam" not in names
    assert np.bincount(y).tolist() == [2528, 1678] and (X >= 0).all() and (X[:, :54] <= 100).all()
    assert len(np.unique(np.column_stack([X, y]), axis=0)) == len(y)  # no e-mail comes twice


def test_seattle_weather_has_every_day_of_four_years():
    weather = datasets.seattle_weather()
    assert (np.diff(weather.date) == np.timedelta64(1, "D")).all()
    assert str(weather.date[0]) == "2012-01-01" and str(weather.date[-1]) == "2015-12-31"
    assert (weather.temp_min <= weather.temp_max).all()
    assert (weather.precipitation >= 0).all()


def test_the_brier_scores_are_those_that_yardstick_publishes():
    y_true, y_prob, _ = datasets.hpc_cv()
    assert brier_score(y_true, y_prob) / 2 == pytest.approx(0.21083946, abs=5e-9)
    y_true, y_prob, names = datasets.two_class_example()
    assert brier_score(y_true, y_prob) == pytest.approx(0.10561859, abs=5e-9) and len(names) == 2


# The coverage of the interval


def test_each_sample_is_counted_once_and_no_source_is_covered_less_than_promised():
    counts = datasets.coverage()
    assert set(counts.repeats) == {1000}
    assert np.array_equal(counts.held + counts.above + counts.below, counts.repeats)
    kinds = counts.kind.tolist()
    assert kinds.count("built") >= 60 and kinds.count("unseen") >= 15
    least = counts.held.min() / 10
    assert least >= 93.0 and counts.source[counts.held.idxmin()] == "the wrong way round, U(0, 1)"
    readme = " ".join((PAGE.parents[2] / "README.md").read_text("utf-8").split())
    assert f"at least {least} % of 1000 samples from each of {len(counts)} known sources" in readme
    assert f"{kinds.count('unseen')} of them written down only after it was made" in readme
    others = [counts.bootstrap, counts.basic, counts.sun[~np.isnan(counts.sun)]]
    assert all(0 <= other.min() < 600 and other.max() <= 1000 for other in others)


def test_the_stored_coverage_is_what_the_experiment_gives():
    counts, cases = datasets.coverage(), coverage_experiment.cases()
    assert counts.source.tolist() == [case.source for case in cases]
    assert list(zip(counts.kind, counts.error, strict=True)) == [(case.kind, case.norm) for case in cases]
    for case, *stored in zip(cases, counts.n, counts.n_bins, counts.truth, strict=True):
        binned = coverage_experiment.Binned(case.population(), case.n_bins)
        truth = binned.error(binned.mass, "l2" if case.norm == "l2" else "l1")
        assert stored == [case.n, case.n_bins, pytest.approx(truth, abs=1e-6)]
    few = [coverage_experiment.count(cases[k], repeats=3) for k in (0, 5)]
    assert [row["held"] + row["above"] + row["below"] for row in few] == [3, 3]
    assert few[0]["bootstrap"] == 0 and few[1]["truth"] == pytest.approx(0.02)
    assert list(few[0]) == list(counts)


@pytest.mark.parametrize("target", [None, "class-wise"])
def test_a_sample_of_a_population_has_the_interval_and_the_error_of_its_rows(target):
    population = coverage_experiment.classes(3, 0.5) if target else coverage_experiment.odds(0, 1, 3, 40)
    binned = coverage_experiment.Binned(population, 15)
    counts = np.random.default_rng(0).multinomial(200, binned.mass)
    labels = 3 if target else 2
    happens = np.flatnonzero(np.ravel(population.chance if target else np.ones((40, 2))) > 0)
    cells = np.repeat(happens, counts)
    y, p = cells % labels, population.p[cells // labels]
    assert binned.interval(counts, "l1") == pytest.approx(ece_interval(y, p, target=target), abs=1e-9)
    assert float(binned.error(counts, "l1")) == pytest.approx(expected_calibration_error(y, p, target=target))


def test_the_stored_rows_of_matrix_scaling_are_what_the_experiment_gives(monkeypatch):
    stored = datasets.matrix_scaling()
    first, judged = next(matrix_experiment.sources()), ("temperature", "bias", "vector", "auto")
    methods = {name: method for name, method in matrix_experiment.methods().items() if name in judged}
    monkeypatch.setattr(matrix_experiment, "sources", lambda: [first])
    monkeypatch.setattr(matrix_experiment, "methods", lambda: methods)
    monkeypatch.setattr(matrix_experiment, "SIZES", (100, 500))
    rows = [*matrix_experiment.table(matrix_experiment.N_SPLITS)]
    assert [(row[2], row[3]) for row in rows] == [(n, name) for n in (100, 500) for name in judged]
    for source, classes, n, name, splits, *numbers in rows:
        [found] = np.flatnonzero((stored.source == source) & (stored.n == n) & (stored.method == name))
        assert [stored.classes[found], stored.splits[found]] == [classes, splits]
        assert stored.iloc[found, 5:].tolist() == pytest.approx([*map(float, numbers)], rel=1e-3, abs=1e-3)


# Every loader


@pytest.mark.parametrize("load", FRAMES)
def test_a_table_has_columns_of_numbers_and_of_words_that_its_docstring_names(load):
    for name, column in load().items():
        words = name in WORDS
        assert pd.api.types.is_numeric_dtype(column) != words, name
        assert f"``{name}``" in load.__doc__ or name in comparison.Result._fields, name
