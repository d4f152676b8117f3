"""Label shift: the classes come in other proportions than before, and each still looks as it did."""

from __future__ import annotations

import warnings
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize_scalar, nnls
from sklearn.exceptions import ConvergenceWarning

from .. import _input
from .._parameters import describe
from .._typing import FloatArray, Floats, IntArray

Method = Literal["em", "bbse", "rlls"]

MIN_EIGENVALUE = 1e-10  # of the largest eigenvalue: below it, two mixtures of classes look the same
TOL, MAX_ITER = 1e-12, 100_000  # of "em": nats that no proportions can still gain a row, and rounds at most
CONFIDENCE, FACTOR = 0.95, 0.01  # of the penalty of RLLS, as its authors' experiments have them


@describe
def adjust_to_priors(
    y_prob: npt.ArrayLike, *, train_priors: npt.ArrayLike, new_priors: npt.ArrayLike
) -> Floats:
    """Move calibrated probabilities to other class proportions (equation ``eq-prior-correction``).

    For two classes that is a factor on the odds, as class weights have it (``eq-class-weights``): a model
    that followed balanced weights has ``train_priors=[0.5, 0.5]``; a forest with pure leaves hardly does.

    Parameters
    ----------
    y_prob : array_like, shape (n,) or (n, K)
        Probability of the positive class, or of each class, calibrated (more than two classes: canonically)
        where the classes come in the proportions `train_priors`.
    train_priors, new_priors : array_like, shape (K,)
        Class proportions that sum to 1; ``[P(0), P(1)]`` for a 1-D `y_prob`. Those of the training
        data are positive; a new one may be 0. They stand in the order of the columns, and no forecast
        shows another order. Where `estimate_priors` found the new ones by `held_out_prob`, the old ones
        are the mean of that.

    Returns
    -------
    ndarray, of the shape of `y_prob`

    {refused}
        Also for a row whose classes are all absent now.

    References
    ----------
    Saerens, Latinne and Decaestecker (2002), Adjusting the outputs of a classifier to new a priori
    probabilities, section 2.2.

    Examples
    --------
    >>> adjust_to_priors([0.5, 0.9], train_priors=[0.5, 0.5], new_priors=[0.9, 0.1]).round(3).tolist()
    [0.1, 0.5]
    """
    forecasts = _input.probabilities(y_prob)
    old = _priors(train_priors, _input.classes(forecasts, "y_prob"), "train_priors", positive=True)
    new = _priors(new_priors, len(old), "new_priors")
    parts = _by_class(forecasts) * (new / old)
    total = parts.sum(axis=1, keepdims=True)
    if total.min() == 0:
        found, expected = "is 0 in every class that new_priors leaves", "a positive one in one of them"
        raise _input.BadValue("y_prob", found, expected, (int(total.argmin()),))
    parts /= total
    return parts if forecasts.ndim == 2 else parts[:, 1]


@describe
def estimate_priors(
    y_prob: npt.ArrayLike,
    held_out_prob: npt.ArrayLike | None = None,
    held_out_true: npt.ArrayLike | None = None,
    *,
    train_priors: npt.ArrayLike | None = None,
    method: Method = "em",
) -> Floats:
    """Estimate new class proportions from forecasts of new rows that have no labels.

    "em" is expectation and maximisation, the proportions that make the forecasts most likely
    (``eq-saerens-em``): adjust the forecasts to the present guess, take their mean as the next one. "bbse" is
    black-box shift estimation (``eq-confusion-shift``): the mean forecast of the new rows is a mixture of
    the classes' mean forecasts before the shift, solved for the shares. "rlls" is the same with a penalty
    that draws towards the old proportions (``eq-rlls``).

    Parameters
    ----------
    y_prob : array_like, shape (n,) or (n, K)
        Forecasts on the new data; for "em" canonically calibrated in the old proportions.
    held_out_prob : array_like, shape (n',) or (n', K), optional
        Forecasts of the same model on held-out rows from before the shift, such as the rows that
        calibrated it. For "em" their mean stands for the old proportions.
    held_out_true : array_like, shape (n',), optional
        Labels 0..K-1 of those rows, at least two of each class. "em" does without.
    train_priors : array_like, shape (K,), optional
        For "em", in place of `held_out_prob`: the old class proportions, positive; ``[P(0), P(1)]`` for a
        1-D `y_prob`. In another order they are taken in silence; `held_out_prob` has its own.
    method : {"em", "bbse", "rlls"}
        How to estimate.

    Returns
    -------
    ndarray, shape (K,)
        Proportions that sum to 1.

    {refused}
        Also, for "em", with both or none of `held_out_prob` and `train_priors`; and, but for "rlls", where
        the forecasts do not tell the classes apart, so that many proportions fit as well.

    Warns
    -----
    UserWarning
        "bbse": where a share comes out negative, and is set to 0, and where the smallest singular value of
        the classes' mean forecasts is below their standard error, so that they may be equal but for chance.
    ConvergenceWarning
        "em": where after 100 000 rounds other proportions can still gain more than 1e-12 nats a row.

    Notes
    -----
    For "em" give `held_out_prob` where you have it. On rows from before the shift the estimate should find
    the old proportions again, and with the mean forecast it does; with the classes' shares it finds them only
    where the mean forecast equals the shares, which a temperature does not bring about.

    "bbse" and "rlls" ask no calibration of the forecasts. Both take the mean forecasts; the counts of
    predicted classes are those of ``np.eye(K)[y_prob.argmax(axis=1)]``. The penalty is a hundredth of the
    bound in the paper, as in its authors' experiments.

    Some labels of the new place guard against another shift than one of labels: fit an intercept to them,
    ``PlattScaling(slope=1.0)``. The page *All methods on one page* says what each lost after three shifts.

    References
    ----------
    Saerens, Latinne and Decaestecker (2002), Adjusting the outputs of a classifier to new a priori
    probabilities, section 2.3; Alexandari, Kundaje and Shrikumar (2020), Maximum likelihood with
    bias-corrected calibration is hard-to-beat at label shift adaptation (why calibration comes first);
    Lipton, Wang and Smola (2018), Detecting and correcting for label shift with black box predictors,
    section 4; Azizzadenesheli, Liu, Yang and Anandkumar (2019), Regularized learning for domain adaptation
    under label shifts, section 2.

    Examples
    --------
    Four forecasts from a balanced world, most of them low:

    >>> estimate_priors([0.1, 0.1, 0.1, 0.9], train_priors=[0.5, 0.5]).round(4).tolist()
    [0.8125, 0.1875]

    Labelled rows from before: class 0 has the mean forecast 0.2, class 1 has 0.8.

    >>> before = [0.1, 0.3, 0.7, 0.9]
    >>> estimate_priors([0.1, 0.1, 0.1, 0.9], before, [0, 0, 1, 1], method="bbse").round(4).tolist()
    [0.8333, 0.1667]
    """
    _input.one_of(method, get_args(Method), "method")
    forecasts = _by_class(_input.probabilities(y_prob))
    if held_out_prob is not None:
        _input.new_rows(forecasts, _held_out(forecasts.shape[1], held_out_prob))
    if method == "em":
        old = _old_priors(forecasts.shape[1], held_out_prob, train_priors)
        _refuse_confounded(forecasts / old)
        priors, arrived = _most_likely(forecasts, np.full(len(forecasts), 1 / len(forecasts)), old, TOL)
        if not arrived:
            message = f"{MAX_ITER} rounds did not suffice: the forecasts hardly tell some classes apart"
            warnings.warn(message, ConvergenceWarning, stacklevel=2)
        return priors
    if train_priors is not None:
        raise _input.BadType("train_priors", "is given", f'held_out_prob and held_out_true for "{method}"')
    before, labels = _labelled(forecasts.shape[1], held_out_prob, held_out_true)
    shares = _unmixed(method, before, np.eye(forecasts.shape[1])[labels], forecasts.mean(axis=0))
    if method == "bbse":
        _doubt_confounded(before, labels)
        if shares.min() < 0:
            least = int(shares.argmin())
            _input.warn(f"the share of class {least} came out as {shares[least]:.3f}: set to 0")
    return _clipped(shares)


@describe
def priors_interval(
    y_prob: npt.ArrayLike,
    held_out_prob: npt.ArrayLike,
    held_out_true: npt.ArrayLike | None = None,
    *,
    method: Method = "em",
    level: float = 0.95,
    n_draws: int = 400,
    random_state: int | np.random.Generator | None = None,
) -> tuple[Floats, Floats]:
    """Intervals for the class proportions of `estimate_priors`: the bootstrap over old and new rows.

    Each draw takes as many new rows as there are, with replacement, and as many held-out rows (of each class,
    where the method reads labels), and estimates again; the ends are quantiles of the draws.

    Parameters
    ----------
    y_prob : array_like, shape (n,) or (n, K)
        Forecasts on the new data.
    held_out_prob : array_like, shape (n',) or (n', K)
        Forecasts of the same model on held-out rows from before the shift.
    held_out_true : array_like, shape (n',), optional
        Labels of those rows; "em" does without.
    method : {"em", "bbse", "rlls"}
        Expectation and maximisation, the confusion matrix, or the same with a penalty.
    {level, n_draws, random_state}

    Returns
    -------
    low, high : ndarray, shape (K,)
        Each class's by itself. A lower end of less than one new row is 0: "em" comes near and never arrives.

    {refused}
        Also where `estimate_priors` refuses.

    Notes
    -----
    Tried on seven simulated sources of 2 to 10 normal classes (200 old and new rows, and 1000 and 500; 120
    samples, 100 draws each), a class's share was inside in 84 to 100 % of the samples at 95 %; least where
    few new rows are of the class.

    The interval allows for chance in the rows, not for another shift than a label shift, nor, with "em", for
    forecasts that are not calibrated, nor, with "rlls", for the pull towards the old proportions.

    References
    ----------
    Efron and Tibshirani (1993), An introduction to the bootstrap, section 13.3 (percentiles).

    Examples
    --------
    >>> before = [0.1, 0.3, 0.7, 0.9] * 50
    >>> new = [0.1, 0.1, 0.1, 0.9] * 50
    >>> low, high = priors_interval(new, before, [0, 0, 1, 1] * 50, method="bbse", random_state=0)
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.75, 0.07], [0.93, 0.25])
    """
    level = _input.confidence(level)
    _input.positive_whole(n_draws, "n_draws")
    generator = _input.generator(random_state)
    estimate_priors(y_prob, held_out_prob, held_out_true, method=method)  # refuses and warns
    forecasts = _by_class(_input.probabilities(y_prob))
    n, n_classes = forecasts.shape
    if method == "em":
        before, labels = _held_out(n_classes, held_out_prob), None
    else:
        before, labels = _labelled(n_classes, held_out_prob, held_out_true)
    draws = np.empty((n_draws, n_classes))
    for draw in range(n_draws):
        share = generator.multinomial(n, np.full(n, 1 / n)) / n
        if labels is None:
            old = generator.multinomial(len(before), np.full(len(before), 1 / len(before))) @ before
            # within a thousandth of a nat, for all rows together, of the largest likelihood
            draws[draw] = _most_likely(forecasts, share, old / old.sum(), 1e-3 / n)[0]
        else:
            rows = np.eye(n_classes)[labels]
            for k in range(n_classes):
                size = int(rows[:, k].sum())
                rows[labels == k, k] = generator.multinomial(size, np.full(size, 1 / size))
            draws[draw] = _clipped(_unmixed(method, before, rows, share @ forecasts))
    low, high = np.quantile(draws, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return np.where(low * n < 1, 0.0, low), high


def _most_likely(forecasts: Floats, share: Floats, old: Floats, tol: float) -> tuple[Floats, bool]:
    """Return the most likely proportions, and whether `MAX_ITER` rounds sufficed."""
    ratios, share = (forecasts / old)[share > 0], share[share > 0]
    priors = old
    for _ in range(MAX_ITER):
        # A class's factor is also the slope of the mean log-likelihood towards "only this class", plus 1.
        factors = (share / (ratios @ priors)) @ ratios
        priors = priors * factors  # they sum to 1: each row shares its 1 among the classes
        if factors.max() - 1 <= tol:
            return priors, True
    return priors, False


def _unmixed(method: str, before: Floats, rows: Floats, mean: Floats) -> Floats:
    """Return the shares of the classes in a mixture with the mean forecast `mean`; some may be negative.

    `rows`, shape (n', K), says how often each held-out row counts, in the column of its label.
    """
    size = rows.sum(axis=0)
    matrix = before.T @ (rows / size)  # a column is a class's mean forecast
    if method == "bbse":
        return np.asarray(np.linalg.lstsq(matrix, mean)[0])
    old, n_classes = size / size.sum(), len(size)
    chance = 2 * np.log(2 * n_classes / (1 - CONFIDENCE)) / len(before)
    penalty = FACTOR * 3 * float(chance / 3 + np.sqrt(chance))
    return np.asarray(old * _ratios(matrix * old, mean, penalty))


def _ratios(joint: Floats, mean: Floats, penalty: float) -> Floats:
    """Return w >= 0 that minimises |joint w - mean| + penalty |w - 1| (``eq-rlls``).

    The minimum of the sum of norms is that of squares, |joint w - mean|^2 + strength^2 |w - 1|^2, at some
    strength, which leaves one number to search. Both norms run monotonically along it, and their
    sum falls and rises once.
    """

    def ratios(log_strength: float) -> Floats:
        ridge = np.exp(log_strength) * np.eye(len(mean))
        return np.asarray(nnls(np.vstack([joint, ridge]), np.concatenate([mean, ridge.sum(axis=1)]))[0])

    def loss(log_strength: float) -> float:
        w = ratios(log_strength)
        return float(np.linalg.norm(joint @ w - mean) + penalty * np.linalg.norm(w - 1))

    grid = np.linspace(-16, 6, 23)
    near = grid[np.argmin([loss(at) for at in grid])]
    return ratios(minimize_scalar(loss, bounds=(near - 1, near + 1), method="bounded").x)


def _clipped(shares: Floats) -> Floats:
    positive = shares.clip(0)
    return np.asarray(positive / positive.sum())


def _old_priors(n_classes: int, held_out_prob: Any, train_priors: Any) -> Floats:
    """Read the class proportions before the shift, from the mean of old forecasts or as they are given."""
    if (held_out_prob is None) == (train_priors is None):
        given = "is missing" if held_out_prob is None else "is given, and train_priors"
        expected = "forecasts on rows from before the shift, or train_priors, not both"
        raise _input.BadType("held_out_prob", given, expected)
    if held_out_prob is None:
        return _priors(train_priors, n_classes, "train_priors", positive=True)
    before = _held_out(n_classes, held_out_prob)
    return _priors(before.mean(axis=0), n_classes, "held_out_prob.mean(axis=0)", positive=True)


def _held_out(n_classes: int, held_out_prob: Any) -> Floats:
    before = _input.probabilities(held_out_prob, "held_out_prob")
    if _input.classes(before, "held_out_prob") != n_classes:
        expected = f"the {n_classes} classes of y_prob"
        if before.shape == (n_classes,):
            expected += " (class proportions are train_priors=...)"
        raise _input.BadValue("held_out_prob", f"has shape {before.shape}", expected)
    return _by_class(before)


def _labelled(n_classes: int, held_out_prob: Any, held_out_true: Any) -> tuple[Floats, IntArray]:
    """Read forecasts and labels from before the shift; refuse a class with fewer than two rows."""
    for name, given in {"held_out_prob": held_out_prob, "held_out_true": held_out_true}.items():
        if given is None:
            raise _input.BadType(name, "is missing", "forecasts and labels of rows from before the shift")
    _input.same_rows(held_out_true=held_out_true, held_out_prob=held_out_prob)
    before = _held_out(n_classes, held_out_prob)
    labels = _input.labels(held_out_true, n_classes, "held_out_true")
    _input.same_length(held_out_true=labels, held_out_prob=before)
    count = np.bincount(labels, minlength=n_classes)
    if count.min() < 2:
        k = int(count.argmin())
        raise _input.BadValue("held_out_true", f"holds class {k} {count[k]} times", "2 rows of each class")
    return before, labels


def _by_class(forecasts: FloatArray) -> Floats:
    """Probabilities of all classes, shape (n, K), float64."""
    values = forecasts.astype(np.float64)
    return np.column_stack([1 - values, values]) if values.ndim == 1 else values


def _priors(values: npt.ArrayLike, n_classes: int, name: str, *, positive: bool = False) -> Floats:
    array = _input.finite(values, name, ndim=(1,)).astype(np.float64)
    if len(array) != n_classes:
        raise _input.BadValue(name, f"has {len(array)} entries", f"{n_classes}, one for each class")
    _input.entries_in_order(values, n_classes, name)
    _input.probabilities(array[None, :], name)
    if positive and array.min() == 0:
        raise _input.BadValue(name, "= 0", "every class among the training data", (int(array.argmin()),))
    return np.asarray(array / array.sum())


def _refuse_confounded(ratios: Floats) -> None:
    """Raise where some change of the proportions leaves the likelihood of every row as it was."""
    n_classes = ratios.shape[1]
    differences = ratios[:, :-1] - ratios[:, -1:]
    spread = np.linalg.eigvalsh(differences.T @ differences)
    if spread[0] <= MIN_EIGENVALUE * max(spread[-1], n_classes * np.finfo(float).eps):
        found = "does not tell the classes apart (many priors are as likely)"
        expected = "forecasts that stray from train_priors, from row to row differently for each class"
        raise _input.BadValue("y_prob", found, expected)


def _doubt_confounded(before: Floats, labels: IntArray) -> None:
    """Refuse classes whose mean forecasts mix to one another's; warn where those of the source may.

    No singular value is further from the source's than the matrix is (Weyl), and the standard error of the
    matrix is the root of the sum of its entries' squared ones.
    """
    rows = np.eye(before.shape[1])[labels]
    matrix = before.T @ (rows / rows.sum(axis=0))
    smallest = float(np.linalg.svd(matrix, compute_uv=False)[-1])
    if smallest <= np.sqrt(MIN_EIGENVALUE):
        found = f"does not tell the classes apart (smallest singular value {smallest:.2g})"
        raise _input.BadValue("held_out_prob", found, "mean forecasts that are no mixtures of other classes'")
    count = rows.sum(axis=0)[labels]
    error = float(np.sqrt((((before - matrix.T[labels]) ** 2).sum(axis=1) / (count * (count - 1))).sum()))
    if smallest < error:
        _input.warn(
            "held_out_prob hardly tells the classes apart: the smallest singular value of their mean "
            f"forecasts is {smallest:.3f}, the standard error of the matrix {error:.3f}"
        )
