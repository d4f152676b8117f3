"""Matrix scaling: softmax regression on the logits, held near the temperature by a penalty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from .. import _blocks, _input
from .._json_state import Learned, Numbers
from .._typing import FloatArray, Floats, IntArray
from ._affine_rows import AffineRows, Deviation, Metric, Structure, descend
from .temperature import LogitCalibrator, LogitRows, TemperatureScaling

Choice = Literal["bias", "vector", "full", "auto"]
Pull = tuple[float, float]  # strengths of the penalty: off the diagonal of W; on the diagonal and on b

PATH = (np.inf, *(4.0**step for step in range(5, -4, -1)))  # 1024, 256, ..., 1/64
FREE = 256.0  # so strong a penalty may be tried at no cost
LOOSE = 1.0  # strength at which an intercept of -3, for a class 20 times as rare, costs 4.5 nats
MARGIN = 2.0  # nats that each further step has to save on held-out rows to count the same
HANDICAP = 5.0  # nats that a loose vector has to save to count the same
UNIT = 4.0  # nats of held-out rows that make a weight e times as large: with 2 few rows gain less
NEGLIGIBLE = 0.01  # share of the largest weight: what counts less is left out
MOST_FOR_FULL = 256  # classes: beyond, W has more entries than calibration rows can tell of
CROWDED, HUGE = 200_000, 2_000_000  # logits: beyond, three folds in place of five; beyond, one
FEWEST = 5  # rows: one for each fold
TENTATIVE, FINAL = 0.15, 1e-4  # whitened slopes at which a descent ends: their squares are nats left
SHORT, LONG = 12, 500  # steps of a descent, at most


class HeldOut(NamedTuple):
    """What each strength of the penalty was worth on held-out rows.

    The strength falls from infinity by factors of four: once for all numbers alike, from the temperature; and
    once more off the diagonal alone, from vector scaling of strength 1, so that a class may be far rarer.

    Attributes
    ----------
    strength : ndarray, shape (m,)
        Infinity, then 1024, 256, ...; then from infinity again.
    of_vector : ndarray, shape (m,)
        That on the diagonal of W and on b: the same, infinity for the temperature; then 1.
    loss : ndarray, shape (m,)
        Negative log-likelihood of the held-out rows, in nats: a weighted sum.
    rows : float
        Sum of the held-out rows' weights, whose mean is 1.
    """

    strength: Floats
    of_vector: Floats
    loss: Floats
    rows: float

    @property
    def pulls(self) -> list[Pull]:
        """Both strengths of each fit."""
        return list(zip(self.strength.tolist(), self.of_vector.tolist(), strict=True))

    @property
    def share(self) -> Floats:
        """How much the fit of each strength counts in the mean: the more, the smaller its held-out loss."""
        steps = np.log(FREE / np.minimum(self.strength, FREE)) / np.log(4)
        cost = self.loss + MARGIN * steps + HANDICAP * (self.of_vector < self.strength)
        weight = np.exp((cost.min() - cost) / UNIT)
        weight[weight < NEGLIGIBLE] = 0.0
        return np.asarray(weight / weight.sum())


class MatrixScaling(LogitCalibrator):
    """Softmax regression on logits: softmax(W z + b), pulled towards a temperature (``eq-matrix-scaling``).

    The structure says what is free beside the temperature: one intercept per class; a factor per class,
    too; or all of W. Each contains the one before it. The predicted class may change.

    Parameters
    ----------
    structure : {"auto", "bias", "vector", "full"}
        "bias": W = I / T. "vector": W is diagonal. "full": all entries of W are free. "auto": full, or
        vector for more than 256 classes.
    strength : float, optional
        Of the whole penalty (``eq-matrix-penalty``), in (0, inf); inf gives the temperature. By default the
        fits of several strengths are averaged, as cross-validation weighs them.

    Attributes
    ----------
    coef_ : ndarray, shape (K, K)
        W. It multiplies logits that are counted from their row's mean.
    intercept_ : ndarray, shape (K,)
        b.
    temperature_ : float
        T of maximum likelihood: the solution that the penalty pulls to.
    strength_ : float
        The strength taken, or in the fit that counts most that off the diagonal, which is inf in a vector.
    structure_ : {"bias", "vector", "full"}
        The structure taken.
    path_ : HeldOut or None
        What cross-validation found; None where `strength` was given or there are fewer than five rows, and
        after `calibrator_from_dict`.
    {by_class}

    Notes
    -----
    Logits of a row are counted from its mean, because the same number added to all of them changes no
    probability. On log-probabilities this drops their mean, which Dirichlet calibration keeps (K - 1 numbers
    more): for K = 2 that is beta calibration with powers of either sign, and this map Platt scaling.

    The strengths of `path_` are judged on held-out rows (five folds; three where rows times classes exceed
    200 000, one beyond 2 000 000), and W and b are the mean over all fits, weighted by their `share`. The
    folds take rows as independent: of rows that belong together, such as wordings of a question or versions
    of a picture, give one, or it over-fits.

    Where classes lie far apart and 5 to 15 % of the labels are drawn anew, or a model is now and then sure
    and far off, clear rows ask for less than certainty: `MultiClassIsotonic` lost several per cent less.

    The penalised loss has one finite minimum wherever a temperature exists, whether or not each class
    occurs; where none exists `fit` raises and says which way T would run.

    References
    ----------
    Guo, Pleiss, Sun and Weinberger (2017), On calibration of modern neural networks, section 4.2; Kull et
    al. (2019), Beyond temperature scaling; Berta, Holzmüller, Jordan and Bach (2026), Structured matrix
    scaling for multi-class calibration.

    Examples
    --------
    >>> logits = [[2.0, 0.0], [3.0, 0.0], [4.0, 1.0], [0.0, 2.0]]
    >>> MatrixScaling().fit(logits, [0, 0, 1, 1]).strength_  # four rows: the temperature
    inf
    >>> scaling = MatrixScaling("bias", strength=1.0).fit(logits, [0, 0, 1, 1])
    >>> scaling.intercept_.round(3).tolist()
    [-0.183, 0.183]
    """

    coef_: Floats
    intercept_: Floats
    temperature_: float
    strength_: float
    path_: HeldOut | None = None
    _learned: ClassVar[Learned] = {
        "coef_": Numbers(("K", "K")),
        "intercept_": Numbers(("K",)),
        "temperature_": Numbers(low=0),
        "strength_": Numbers(low=0, high=np.inf),
    }

    def __init__(self, structure: Choice = "auto", *, strength: float | None = None) -> None:
        self.structure = structure
        self.strength = strength

    def _check_scores(self, array: FloatArray) -> FloatArray:
        """Return logits by class; refuse an infinite one, which no other logit could be mixed with."""
        logits = super()._check_scores(array)
        if logits.min() == -np.inf:
            expected = "a finite logit (for a class that is ruled out use TemperatureScaling, or clip)"
            raise _input.BadValue("X", "= -inf", expected, _input.first(logits == -np.inf))
        return logits

    def _learn(self, logits: FloatArray, labels: IntArray, weights: Floats | None) -> None:
        """Find W and b, and the strength of the penalty where none was given."""
        _input.one_of(self.structure, ["auto", "bias", "vector", "full"], "structure")
        strength = self.strength
        if strength is not None and strength != np.inf:
            strength = _input.number_between(strength, 0, np.inf, "strength", open_ends=True)
        share = np.ones(len(labels)) if weights is None else weights / weights.max()
        self.temperature_ = TemperatureScaling()._of_rows(LogitRows(logits, labels, share))
        structure = self._structure(logits.shape[1])
        rows = tempered(logits, labels, share / share.mean(), self.temperature_, structure)
        with threadpool_limits(1):  # the products are small: threads would wait for each other
            self._walk(rows, strength)

    def predict_proba(self, X: npt.ArrayLike) -> Floats:
        """Return softmax(W z + b), shape (n, K)."""
        logits = self._new_scores(X)
        p = np.empty(logits.shape)
        for rows in _blocks.row_blocks(logits):
            z = logits[rows].astype(np.float64)
            z -= z.mean(axis=1, keepdims=True)
            scores = z @ self.coef_.T if self.structure_ == "full" else z * np.diag(self.coef_)
            scores += self.intercept_
            scores -= scores.max(axis=1, keepdims=True)
            np.exp(scores, out=scores)
            p[rows] = scores / scores.sum(axis=1, keepdims=True)
        return p

    @property
    def structure_(self) -> Structure:
        """The structure taken."""
        check_is_fitted(self, "intercept_")
        return self._structure(len(self.intercept_))

    def _structure(self, n_classes: int) -> Structure:
        if self.structure == "auto":
            return "full" if n_classes <= MOST_FOR_FULL else "vector"
        return self.structure

    def _walk(self, rows: AffineRows, strength: float | None) -> None:
        """Weigh the strengths where none is given, and go to the optimum of each."""
        curvature = rows.curvature()
        self.path_ = None
        pulls, share = [(np.inf, np.inf) if strength is None else (strength, strength)], np.ones(1)
        if strength is None and len(rows.labels) >= FEWEST:
            self.path_ = cross_validated(rows, curvature)
            pulls, share = self.path_.pulls, self.path_.share
        self.strength_ = pulls[share.argmax()][0]
        self._keep(rows, averaged(rows, curvature, pulls, share))

    def _keep(self, rows: AffineRows, deviation: Deviation) -> None:
        """Write scores of tempered logits in units as W z + b."""
        n_classes, theta = len(deviation.classes), deviation.classes
        factor = (1 + deviation.stretch) * np.eye(n_classes)
        if rows.structure == "vector":
            factor += np.diag(theta[:, 1]) / rows.unit
        elif rows.structure == "full":
            factor += theta[:, 1:] / rows.unit
        self.coef_ = factor / self.temperature_
        self.intercept_ = theta[:, 0] - theta[:, 0].mean()


def tempered(
    logits: FloatArray, labels: IntArray, weights: Floats, temperature: float, structure: Structure
) -> AffineRows:
    """Divide logits by the temperature, and count each row's from its mean in units of their spread."""
    x = logits.astype(np.float64, order="C")  # rounding does not depend on the layout
    x -= x.mean(axis=1, keepdims=True)
    unit = float(np.sqrt(np.einsum("ik,ik->", x, x) / x.size))
    x /= unit
    return AffineRows(x, unit / temperature, labels, weights, structure)


def walks(structure: Structure) -> Iterator[list[Pull]]:
    """Yield pulls from strong to weak: on all alike; then off the diagonal, where the vector is loose."""
    yield [(strength, strength) for strength in PATH]
    loose = [(strength, LOOSE) for strength in PATH if strength > LOOSE]
    yield loose if structure == "full" else loose[:1]


def cross_validated(rows: AffineRows, curvature: tuple[float, Floats]) -> HeldOut:
    """Walk down each path on all folds at once, each from where it stood, until two steps made it worse.

    Rows of a class are dealt to the folds in turn, in their order.
    """
    n_rows = len(rows.x)
    folds = 3 if CROWDED < rows.x.size <= HUGE else 5
    fold = np.empty(n_rows, dtype=np.intp)
    fold[np.argsort(rows.labels, kind="stable")] = np.arange(n_rows) % folds
    judged = range(1 if rows.x.size > HUGE else folds)
    parts = [(rows.taken(fold != k), rows.taken(fold == k)) for k in judged]
    share = (folds - 1) / folds
    bent = share * curvature[0], share * curvature[1]
    tried: list[tuple[float, float, float]] = []
    for walk in walks(rows.structure):
        found = [Deviation(0.0, np.zeros(rows.shape)) for _ in judged]
        losses: list[float] = []
        for pull in walk:
            metric = Metric.of(bent, rows.penalty(*pull))
            found = [
                descend(known, start, metric, TENTATIVE, SHORT)
                for (known, _), start in zip(parts, found, strict=True)
            ]
            losses.append(
                sum(float(new.weights @ new.losses(at)) for (_, new), at in zip(parts, found, strict=True))
            )
            tried.append((*pull, losses[-1]))
            if len(losses) > 2 and losses[-1] > losses[-2] > losses[-3]:
                break
    weight = sum(float(new.weights.sum()) for _, new in parts)
    strengths, of_vector, summed = np.transpose(tried)
    return HeldOut(strengths, of_vector, summed, weight)


def averaged(
    rows: AffineRows, curvature: tuple[float, Floats], pulls: Sequence[Pull], share: Floats
) -> Deviation:
    """Mean over the pulls of what minimises the penalised loss of all rows; an infinite one adds nothing."""
    at = Deviation(0.0, np.zeros(rows.shape))
    stretch, classes = 0.0, np.zeros(rows.shape)
    for pull, part in zip(pulls, share.tolist(), strict=True):
        if np.isinf(pull[0]):
            at = Deviation(0.0, np.zeros(rows.shape))
        if part == 0 or np.isinf(pull).all():
            continue
        at = descend(rows, at, Metric.of(curvature, rows.penalty(*pull)), FINAL, LONG)
        stretch += part * at.stretch
        classes += part * at.classes
    return Deviation(stretch, classes)
