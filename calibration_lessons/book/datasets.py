"""The data that the course works on: real network logits and small real tables.

Every file lies inside the package, so nothing is downloaded. The page *Data* of the course names the source,
the licence, the changes and the checksum of each. Each call gives arrays that are yours to change.
"""

from __future__ import annotations

import csv
import gzip
import io
from functools import cache
from importlib import import_module, resources
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _input
from .._extras import missing
from .._typing import Floats, IntArray

Part = Literal["calibration", "test"]
Shift = Literal["rotation", "noise", "blur"]

N_NETWORKS = 5
FASHION_CLASSES = (
    "T-shirt", "trouser", "pullover", "dress", "coat", "sandal", "shirt", "sneaker", "bag", "ankle boot",
)  # fmt: skip
SHIFTS: dict[Shift, tuple[float, ...]] = {
    "rotation": (5.0, 10.0, 20.0, 30.0, 45.0),
    "noise": (0.05, 0.1, 0.2, 0.3, 0.5),
    "blur": (0.5, 1.0, 1.5, 2.0, 3.0),
}


class LabelledLogits(NamedTuple):
    """Logits, shape (n, K), and true classes 0..K-1, shape (n,), in the order that ``fit`` takes them.

    Networks' logits are kept in half precision: softmax them before use as probabilities.
    """

    logits: Floats
    labels: IntArray


class NetworkImages(NamedTuple):
    """Rows of the test part, ascending, shape (m,), and their pictures, shape (m, 28, 28).

    Brightness goes from 0 for black to 255 for white.
    """

    rows: IntArray
    images: npt.NDArray[np.uint8]


class TrainingLog(NamedTuple):
    """Measures of shape (5, E), one row per network, one column for each of the `epochs`, shape (E,).

    ``train_``: the first 10 000 of the 55 000 training images; ``heldout_``: the 5 000 images of the
    calibration part. NLL in nats; accuracy, and ECE of the top label in 15 bins, in [0, 1].
    """

    epochs: IntArray
    train_nll: Floats
    train_accuracy: Floats
    train_ece: Floats
    heldout_nll: Floats
    heldout_accuracy: Floats
    heldout_ece: Floats


class FeatureTable(NamedTuple):
    """Features of shape (n, d), classes of shape (n,), and the d names of the features."""

    X: Floats
    y: IntArray
    feature_names: list[str]


class Titles(NamedTuple):
    """Titles, a list of n texts, and the year of each, 1990 to 2012, shape (n,)."""

    titles: list[str]
    year: IntArray


class Weather(NamedTuple):
    """Daily measurements, each of shape (n,): days, mm, degrees Celsius (twice), m/s."""

    date: npt.NDArray[np.datetime64]
    precipitation: Floats
    temp_max: Floats
    temp_min: Floats
    wind: Floats


class ForecastTable(NamedTuple):
    """Distinct forecasts, how often the event followed each, and its share of all: in [0, 1], shape (12,)."""

    forecast: Floats
    observed_frequency: Floats
    share: Floats


class ContingencyTable(NamedTuple):
    """Counts of yes-or-no forecasts against what happened."""

    hits: int
    false_alarms: int
    misses: int
    correct_negatives: int


class ClassProbabilities(NamedTuple):
    """True classes, shape (n,), positions in `class_names`, and probabilities, (n, K), or (n,) of class 1."""

    y_true: IntArray
    y_prob: Floats
    class_names: list[str]


def network_logits(network: int, part: Part) -> LabelledLogits:
    """Logits of a small image classifier on images that it was not trained on.

    Five convolutional networks learned Fashion-MNIST (Xiao, Rasul and Vollgraf 2017) from five seeds; row i
    is the same image for all five. No training step saw either part. Labels are positions in
    `FASHION_CLASSES`.

    They were made over-confident on purpose: Adam, 16 epochs, though `training_log` has the best after 6 to
    10, and nothing against over-confidence: no weight decay, label smoothing, dropout, augmentation or early
    stopping. `remedies` has what some of these would do.

    Parameters
    ----------
    network : int
        0 to 4.
    part : {"calibration", "test"}
        5 000 images to fit calibrators on, or the 10 000 test images to judge them on.

    Examples
    --------
    >>> logits, labels = network_logits(0, "calibration")
    >>> logits.shape, labels.shape
    ((5000, 10), (5000,))
    """
    network = _one_of(network, range(N_NETWORKS), "network")
    _input.one_of(part, ("calibration", "test"), "part")
    arrays = _arrays("networks.npz", f"{part}_logits", f"{part}_labels")
    return LabelledLogits(arrays[0][network].astype(np.float64), arrays[1].astype(np.int64))


def network_images() -> NetworkImages:
    """Pictures that the networks of `network_logits` judge: some rows of the test part.

    `tools/experiments/network_images.py` chose them: the first 300 rows, and the 60 that network 0 got wrong
    with the highest confidence.
    """
    rows, images = _arrays("network_images.npz", "rows", "images")
    return NetworkImages(rows.astype(np.int64), images.astype(np.uint8))


def smoothed_logits(part: Part) -> LabelledLogits:
    """Logits of network 0 of `network_logits`, trained with smoothed labels instead of the plain ones.

    Everything else is the same: seed, images, order of the batches, epochs. A tenth of each target goes to
    all classes alike.

    Parameters
    ----------
    part : {"calibration", "test"}
        The rows of `network_logits`, in the same order.
    """
    labels = network_logits(0, part).labels
    (logits,) = _arrays("smoothed.npz", part)
    return LabelledLogits(logits.astype(np.float64), labels)


def shifted_logits(network: int, kind: Shift, level: int) -> LabelledLogits:
    """Logits of a network of `network_logits` on the first 2 000 test images, changed.

    Parameters
    ----------
    network : int
        0 to 4.
    kind : {"rotation", "noise", "blur"}
        Turned anticlockwise (degrees), Gaussian noise added (standard deviation, where white is 1), or
        blurred with a Gaussian (standard deviation in pixels).
    level : int
        1 (mild) to 5 (strong); ``SHIFTS[kind][level - 1]`` is its strength in the unit above.

    Examples
    --------
    >>> shifted_logits(0, "rotation", 2).logits.shape, SHIFTS["rotation"][2 - 1]
    ((2000, 10), 10.0)
    """
    network = _one_of(network, range(N_NETWORKS), "network")
    _input.one_of(kind, tuple(SHIFTS), "kind")
    level = _one_of(level, range(1, 6), "level")
    logits, labels = _arrays("networks_shifted.npz", kind, "labels")
    return LabelledLogits(logits[network, level - 1].astype(np.float64), labels.astype(np.int64))


def training_log() -> TrainingLog:
    """How NLL, accuracy and ECE of the five networks moved while they learned."""
    table = _table("networks_training.csv")
    shape = (N_NETWORKS, -1)
    measures = (table[name].astype(np.float64).reshape(shape) for name in TrainingLog._fields[1:])
    return TrainingLog(table["epoch"].astype(np.int64).reshape(shape)[0], *measures)


def spambase() -> FeatureTable:
    """E-mails by frequencies of words and characters in percent, and three lengths of capitals; 1 is spam.

    Of the file's 4597 rows (Hopkins, Reeber, Forman and Suermondt 1999, UCI Machine Learning Repository) 391
    repeat an earlier one in every feature and in the label; they are left out, because a random split would
    put copies of one e-mail into the training and the test part.
    """
    rows, names = _emails()
    return FeatureTable(rows[:, :-1].copy(), rows[:, -1].astype(np.int64), list(names))


@cache  # one reads it for each of many splits
def _emails() -> tuple[npt.NDArray[np.float64], tuple[str, ...]]:
    table = _table("spambase.csv.gz")
    names = tuple(name for name in table if name != "spam")
    rows = np.column_stack([table[name].astype(np.float64) for name in [*names, "spam"]])
    _, first = np.unique(rows, axis=0, return_index=True)
    return rows[np.sort(first)], names


def seattle_weather() -> Weather:
    """Measured daily weather in Seattle, 2012 to 2015.

    The file's column `weather`, one word a day, is left out: the compilers of the table made it up from the
    day's other records.
    """
    table = _table("seattle_weather.csv")
    dates = np.array([date.replace("/", "-") for date in table["date"]], dtype="datetime64[D]")
    return Weather(dates, *(table[name].astype(np.float64) for name in Weather._fields[1:]))


def tate_titles() -> Titles:
    """Titles of works of art, and the years in which they were made (Tate 2014, The Tate Collection).

    Each title stands once with a year; it may come again with another year.
    """
    table = _table("tate_titles.csv.gz")
    return Titles(table["title"].tolist(), table["year"].astype(np.int64))


def precipitation_forecasts() -> ForecastTable:
    """Probability-of-precipitation forecasts, grouped by the twelve values that were issued.

    From Wilks (1995), Statistical Methods in the Atmospheric Sciences, Table 7.3.
    """
    table = _table("precipitation_forecasts.csv")
    return ForecastTable(*(column.astype(np.float64) for column in table.values()))


def finley_tornado() -> ContingencyTable:
    """How often Finley said yes or no, and what came (1884, American Meteorological Journal 1).

    Examples
    --------
    >>> finley_tornado()
    ContingencyTable(hits=28, false_alarms=72, misses=23, correct_negatives=2680)
    """
    return ContingencyTable(*(int(count) for count in _table("finley_tornado.csv")["count"]))


def hpc_cv() -> ClassProbabilities:
    """Cross-validated probabilities of a linear discriminant analysis of computing jobs.

    They are very fast, fast, moderate or long. From Kuhn and Johnson (2013), Applied Predictive Modeling.
    """
    table = _table("hpc_cv.csv")
    names = ["VF", "F", "M", "L"]
    y_prob = np.column_stack([table[name].astype(np.float64) for name in names])
    y_true = np.array([names.index(job) for job in table["obs"]], dtype=np.int64)
    return ClassProbabilities(y_true, y_prob, names)


def two_class_example() -> ClassProbabilities:
    """Predicted probabilities of a model with two classes, on its test set: `y_prob` is of Class1."""
    table = _table("two_class_example.csv")
    y_true = (table["truth"] == "Class1").astype(np.int64)
    return ClassProbabilities(y_true, table["Class1"].astype(np.float64), ["Class2", "Class1"])


def choosing() -> Any:
    """Count how often calibrators help and harm, over many draws: the data of the chapter *choosing*.

    `tools/experiments/choosing_experiment.py` made them.

    Returns
    -------
    pandas.DataFrame
        One row per ``case`` (a key of `calibration_lessons.book.comparison.CASES`) of a ``kind``, ``n``
        calibration rows, ``method`` and ``score`` ("Brier" or "NLL", in nats). Of ``repeats`` draws, how many
        left the method without an answer, ``refused``, and how many were ``worse`` or ``better`` than the
        untouched model beyond the interval of the paired difference, and ``rival_worse`` or ``rival_better``
        than the simple rival. Means over the draws: ``value``, the score; ``change`` against the untouched
        model, with its quantiles of 5 and 95 %, ``low`` and ``high``; ``over_rival``, the difference to the
        rival; and, of the rows that judge, ``judged``, ``classes``, ``rarest``, ``ranked``, ``slope`` and
        ``shift``, as in `calibration_lessons.book.comparison.strength`. To four digits.
    """
    return _frame("choosing.csv.gz")


def coverage() -> Any:
    """How often 95 % intervals hold the calibration error of a source: the data of the chapter *ece*.

    `tools/experiments/coverage_experiment.py` made them.

    Returns
    -------
    pandas.DataFrame
        ``source`` in words; ``kind``, "built" if it was at hand while the interval was made, else "unseen";
        ``error``, "l1", "l2" or "class-wise"; ``n`` and ``n_bins``, rows of each sample and bins of equal
        width; ``truth``, the binned error of the source; ``repeats``, samples, and of these ``held``, where
        `ece_interval` holds the truth, ``above`` and ``below``, where the truth lies so, ``bootstrap`` and
        ``basic``, where the percentile or the basic bootstrap holds it, and ``sun``, where the interval of
        Sun et al. (2024) holds the squared error (NaN for "class-wise"); ``length``, the mean length of
        `ece_interval`.
    """
    return _frame("coverage.csv")


def compare_coverage() -> Any:
    """How often the intervals of `compare` hold the true differences of two models, source by source.

    `tools/experiments/compare_experiment.py` made them.

    Returns
    -------
    pandas.DataFrame
        ``source`` in words; ``n``, ``n_bins`` and ``strategy``, rows and bins; ``weighted``, whether the rows
        were drawn unevenly and count with weights; ``kind``, as for `coverage`; ``repeats``, samples, and of
        these ``brier``, ``nll`` and ``calibration``, where the interval of level 95 % holds the difference,
        and ``bootstrap``, where the paired percentile bootstrap of the plain calibration errors holds theirs;
        ``difference``, of the squared calibration errors, and ``length``, the mean length of its interval.
    """
    return _frame("compare_coverage.csv")


def matrix_scaling() -> Any:
    """Compare matrix scaling with its rivals: the data of the chapter *matrix_scaling*.

    `tools/experiments/matrix_experiment.py` made them.

    Returns
    -------
    pandas.DataFrame
        One row per classifier with its data (``source``, ``classes``), number ``n`` of calibration rows, and
        ``method``: "temperature", "bias", "vector", "auto" (of `MatrixScaling`), or a rival. Means of
        ``splits`` random halves, on the half that no method has learned from: ``nll`` (nats), ``brier``,
        ``accuracy``; ``gain`` and ``gain_se``, the change of the NLL against the temperature in per cent and
        its standard error.
    """
    return _frame("matrix_scaling.csv")


def remedies() -> Any:
    """Compare remedies in training with a temperature afterwards: the data of the chapter *training*.

    Made by `tools/experiments/train_remedies.py`, judged by `tools/experiments/training_experiment.py`.

    Returns
    -------
    pandas.DataFrame
        One row per ``recipe`` ("plain", that of the course's networks; "decay 0.1" of the weights; "smoothing
        0.1" of the labels; for network 0 alone "decay 0.3"), ``network`` (seed), ``epoch`` (finished, 1 to
        16), and what was fitted ``afterwards`` on the calibration part: "nothing", "temperature", or "matrix"
        (`MatrixScaling`; for the last epoch, and for those with the lowest NLL there, as trained and
        tempered). ``temperature`` is NaN where none was fitted; ``calibration_nll`` is in nats. On the 10 000
        images of the test part: ``nll``, ``brier``, ``accuracy``, mean ``confidence``; ``ece`` of the top
        label in 15 bins, and ``under_calibration``, that of a calibrated model.
    """
    return _frame("remedies.csv.gz")


def _one_of(value: int, known: range, name: str) -> int:
    whole = _input.non_negative_whole(value, name)
    _input.one_of(whole, tuple(known), name)
    return whole


def _bytes(name: str) -> bytes:
    return resources.files(__package__).joinpath("data", name).read_bytes()


def _arrays(name: str, *keys: str) -> tuple[npt.NDArray[np.generic], ...]:
    with np.load(io.BytesIO(_bytes(name))) as file:
        return tuple(file[key] for key in keys)


def _table(name: str) -> dict[str, npt.NDArray[np.str_]]:
    """Columns of a CSV file as arrays of text, in the file's order."""
    content = gzip.decompress(_bytes(name)) if name.endswith(".gz") else _bytes(name)
    header, *rows = csv.reader(io.StringIO(content.decode()))
    return dict(zip(header, np.array(rows).T, strict=True))


def _frame(name: str) -> Any:
    """Read a CSV file as a data frame."""
    try:
        read_csv = import_module("pandas").read_csv
    except ImportError as error:
        raise missing("datasets", "course", error) from error
    compression = "gzip" if name.endswith(".gz") else None
    return read_csv(io.BytesIO(_bytes(name)), compression=compression)
