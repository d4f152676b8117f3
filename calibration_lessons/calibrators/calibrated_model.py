"""Calibrate any classifier with any calibrator, on rows that the classifier has not seen."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.frozen import FrozenEstimator
from sklearn.utils import Tags, get_tags, indexable
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, has_fit_parameter

from .. import _input
from .._typing import Floats
from ._base import Calibrator
from ._binary import BinaryCalibrator
from ._classifier_scores import Zeros, own_classes, scores_for, unwrapped, votes_of_pairs
from .venn_abers import crossed

Folds = list[tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]]


class Pair(NamedTuple):
    """A fitted classifier, and the calibrator that learned from its scores."""

    classifier: Any
    calibrator: Calibrator


class CalibratedModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier followed by a calibrator, which learns from scores that the classifier gives to new rows.

    The rows are cut into folds. A clone of the classifier, fitted on the other folds, scores each fold;
    the calibrator learns from all these scores together. Then the classifier is fitted on all rows.

    Parameters
    ----------
    estimator : scikit-learn classifier
        With `decision_function` or `predict_proba`. A `sklearn.frozen.FrozenEstimator` is used as it is: all
        rows given to `fit` are calibration rows, and must be new to it. Any other is fitted anew, to these
        rows alone, even one that is fitted already, as scikit-learn does.
    calibrator : calibrator of this package
        For two classes any; for more, one that reads many, such as `MatrixScaling`, or `OneVsRest` around a
        binary one.
    cv : int or a splitter of scikit-learn
        Number of stratified folds, at least 2. The calibrator learns from the rows that are in a test fold,
        each of which counts once, however many folds it is in.
    ensemble : bool
        Keep the classifier of each fold, with a calibrator of its own that learns from that fold, and answer
        with the mean of their probabilities (of `VennAbersCalibration`: with what the cross method makes of
        their intervals), which takes as many times longer. Otherwise one calibrator learns from all folds,
        and one classifier from all rows. The ensemble had scores 1 to 3 % lower after boosting, forests and
        neighbours where the classes overlap and a fold holds twenty events or more. Elsewhere, and after
        other classifiers, take a single pair: its scores were as low, and up to 40 % lower where classes lie
        apart (an area under the ROC curve of 0.98 or more). After single trees the mean is too timid:
        calibrate it again, on other rows.
    zeros : {"half-vote", "refuse"} or float
        What a probability of 0 or 1, which has no finite logit, is read as, where logits come from
        probabilities. "half-vote": where all trees of a forest, all voters or all neighbours agree, half a
        vote says otherwise, and a tree's leaf holds one more row of each class (Laplace's rule); for
        any other classifier 0 is read as the precision of the number, 2.2e-16 in float64 and 1.2e-7 in
        float32. A number in (0, 0.5): probabilities below it are read as this number, and those above its
        complement as the complement. "refuse": an error that names the row.
    n_jobs : int, optional
        Folds that are fitted at the same time; -1 for as many as there are processors.

    Attributes
    ----------
    pairs_ : list of (classifier, calibrator)
        One pair, or with `ensemble` one per fold.
    estimator_ : classifier
        Fitted on all rows; or the frozen one that was given. Not with `ensemble`.
    calibrator_ : calibrator
        Not with `ensemble`.
    classes_ : ndarray, shape (K,)
        The labels, numbers or strings, sorted, as the columns of `predict_proba` are, in whatever order the
        classifier holds them.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Both where the classifier has them.

    Notes
    -----
    What the calibrator reads follows from its `reads`:

    - "logits" (`TemperatureScaling`, `ExpectationConsistency`, `MatrixScaling`, `PlattScaling`): the
      classifier's `decision_function`, or the margin that `predict` of XGBoost (``output_margin``), LightGBM
      (``raw_score``) and CatBoost gives; where it has none, the logarithm of its probabilities (for two
      classes and for one class against the rest, the log-odds). Probabilities of 0 and 1 are read as `zeros`
      says.
    - "probabilities" (`HistogramBinning` with bins of equal width, `BetaCalibration`, `MultiClassIsotonic`):
      `predict_proba`, which the classifier must have. For `BetaCalibration` 0 and 1 are read as `zeros` says.
    - "scores" (`IsotonicCalibration`, `VennAbersCalibration`, `HistogramBinning` with bins of equal mass):
      `decision_function` or such a margin; where there is none, `predict_proba`.

    `OneVsRest` reads what its calibrator reads. Folds, final classifier and `ensemble` are those of
    `sklearn.calibration.CalibratedClassifierCV`, whose default is ``ensemble=True``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from calibration_lessons import TemperatureScaling
    >>> X, y = load_iris(return_X_y=True)
    >>> model = CalibratedModel(LogisticRegression(max_iter=1000), TemperatureScaling())
    >>> cross_val_score(model, X, y, scoring="neg_log_loss").mean().round(2) > -0.2
    np.True_

    A calibrator is an estimator, too, and ends a pipeline behind a model that is fitted on other rows:

    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> fitted = LogisticRegression(max_iter=1000).fit(X[::2], y[::2])
    >>> pipeline = make_pipeline(FunctionTransformer(fitted.decision_function), TemperatureScaling())
    >>> pipeline.fit(X[1::2], y[1::2]).predict_proba(X[:1]).argmax(axis=1).tolist()
    [0]
    """

    pairs_: list[Pair]
    estimator_: Any
    calibrator_: Calibrator
    classes_: npt.NDArray[Any]

    def __init__(
        self,
        estimator: Any,
        calibrator: Calibrator,
        cv: int | Any = 5,
        *,
        ensemble: bool = False,
        zeros: Zeros = "half-vote",
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.calibrator = calibrator
        self.cv = cv
        self.ensemble = ensemble
        self.zeros = zeros
        self.n_jobs = n_jobs

    def fit(
        self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None, **params: Any
    ) -> Self:
        """Fit the classifier and, on out-of-fold scores, the calibrator.

        Parameters
        ----------
        X : array_like or data frame, shape (n, n_features)
            What the classifier takes.
        y : array_like, shape (n,)
            Labels of any kind.
        sample_weight : array_like, shape (n,), optional
            Importance weights for the classifier (unless it is frozen) and the calibrator. In a pipeline they
            reach its last step.
        **params
            `groups`, shape (n,), for a splitter that cuts by group; and whatever else the classifier's `fit`
            takes, cut like the rows where it has n entries. For early stopping ``eval_set=0.1`` keeps this
            share of the rows from each fit of the classifier, stratified, and gives them to it as its
            `eval_set`, without weights; the scores that the calibrator learns from are of other rows. With
            scikit-learn's metadata routing enabled, everything goes where it is requested, the weights too.

        Returns
        -------
        self

        Raises
        ------
        ValueError, TypeError
            For input that is not as described, a class that a fold's training rows lack, and whatever the
            classifier or the calibrator refuse.

        Warns
        -----
        UserWarning
            Where the classifier decides to stop early on all rows and not in the folds, as scikit-learn's
            histogram boosting does above 10 000 rows: the one calibrator then learns from other scores.
            Where the scores of a frozen classifier tell every label, as of rows that it was fitted to. Where
            the scores of three classes or more are votes of pairs of classes, as those of `SVC` are.
        """
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            expected = "a classifier, such as LogisticRegression()"
            raise _input.BadType("estimator", f"= {self.estimator!r}", expected)
        if not isinstance(self.calibrator, Calibrator):
            raise _input.BadType("calibrator", f"= {self.calibrator!r}", "one, such as TemperatureScaling()")
        _input.one_of(self.ensemble, [True, False], "ensemble")
        if isinstance(self.zeros, str):
            _input.one_of(self.zeros, ["half-vote", "refuse"], "zeros")
        else:
            _input.number_between(self.zeros, 0, 0.5, "zeros", open_ends=True)
        _input.same_rows(X=X, y=y, sample_weight=sample_weight, groups=params.get("groups"))
        labels = class_labels(y)
        weights = _input.weights(sample_weight, len(labels))
        check_consistent_length(X, labels)
        if isinstance(self.estimator, FrozenEstimator):
            self.pairs_ = [self._as_it_is(X, labels, weights)]
        else:
            self.pairs_ = self._cross_fit(X, labels, weights, params)
        if len(self.pairs_) == 1:
            self.estimator_, self.calibrator_ = self.pairs_[0]
        if len(self.classes_) > 2 and (votes := votes_of_pairs(self.pairs_[0].classifier)):
            better = f"OneVsRestClassifier({votes}()) gives a score for each, which calibrates better"
            _input.warn(f"{votes} scores several classes by the votes of pairs of them: {better}")
        for learned in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.pairs_[0].classifier, learned):
                setattr(self, learned, getattr(self.pairs_[0].classifier, learned))
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the calibrated probability of each class, shape (n, K), in the order of `classes_`."""
        scores = self.scores(X)
        calibrators = [pair.calibrator for pair in self.pairs_]
        if len(calibrators) == 1:
            return calibrators[0].predict_proba(scores)
        answer = crossed(calibrators, [*scores])
        if answer is None:
            answers = [one.predict_proba(z) for one, z in zip(calibrators, scores, strict=True)]
            answer = np.mean(answers, axis=0)
        return answer

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the calibrated probabilities, shape (n, K); -inf where one is 0."""
        check_is_fitted(self, "pairs_")
        if len(self.pairs_) == 1:
            return self.calibrator_.predict_log_proba(self.scores(X))
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of the largest calibrated probability, shape (n,)."""
        check_is_fitted(self, "pairs_")
        if len(self.pairs_) > 1:
            return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
        return np.asarray(self.classes_[self.calibrator_.predict(self.scores(X))])

    def scores(self, X: Any) -> Floats:
        """Return what the calibrator reads of the classifier: logits, probabilities or scores.

        Shape (n,) for a binary calibrator, else (n, K); with `ensemble` one such array a pair, shape
        (pairs, n) or (pairs, n, K).
        """
        check_is_fitted(self, "pairs_")
        each = [self._scores(pair.classifier, X) for pair in self.pairs_]
        return each[0] if len(each) == 1 else np.stack(each)

    def get_metadata_routing(self) -> MetadataRouter:
        """Return who is asked for metadata in `fit`: the classifier, and the splitter of the folds."""
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(estimator=self.estimator, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        split = MethodMapping().add(caller="fit", callee="split")
        return router.add(splitter=self.cv, method_mapping=split)

    def _scores(self, classifier: Any, X: Any) -> Floats:
        return scores_for(self.calibrator, classifier, X, self.classes_, self.zeros)

    def _learn(
        self, classifier: Any, scores: Floats, codes: npt.NDArray[Any], weights: Floats | None
    ) -> Pair:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "X looks like probabilities")  # they are what `reads` asks for
            with _unfit():
                return Pair(classifier, clone(self.calibrator).fit(scores, codes, weights))

    def _as_it_is(self, X: Any, labels: npt.NDArray[Any], weights: Floats | None) -> Pair:
        """Pair the frozen classifier with a calibrator that learned from its scores of all rows."""
        check_is_fitted(self.estimator)
        self.classes_ = np.unique(own_classes(self.estimator))
        unknown = np.isin(labels, self.classes_, invert=True)
        _input.refuse_entries(unknown, labels, "y", f"one of the classes {self.classes_.tolist()}")
        codes = np.searchsorted(self.classes_, labels)
        scores = self._scores(self.estimator, X)
        pair = self._learn(self.estimator, scores, codes, weights)
        if _tell_all(scores, codes):
            _input.warn(
                f"the classifier's scores tell the labels of all {len(codes)} rows: was it fitted to them? A "
                "calibrator needs rows that are new to the classifier (if these are, it has little to learn)"
            )
        return pair

    def _cross_fit(
        self, X: Any, labels: npt.NDArray[Any], weights: Floats | None, params: dict[str, Any]
    ) -> list[Pair]:
        """Pair classifiers with calibrators that learned from scores of rows which no scorer had seen."""
        for_fit, for_split = self._routed(weights, params)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) > 2:  # before any fold is fitted
            with _unfit():
                shape = len(labels), len(self.classes_)
                self.calibrator._check_scores(np.broadcast_to(1 / shape[1], shape))
        folds = self._folds(X, codes, for_split)
        table, _ = indexable(X, labels)
        fitted = Parallel(n_jobs=self.n_jobs)(
            delayed(self._fit_fold)(table, labels, train, test, for_fit) for train, test in folds
        )
        if self.ensemble:
            return [
                self._learn(classifier, scores, codes[test], None if weights is None else weights[test])
                for (classifier, scores), (_, test) in zip(fitted, folds, strict=True)
            ]
        rows = np.concatenate([test for _, test in folds])
        order = np.argsort(rows, kind="stable")
        scores, rows = np.concatenate([scores for _, scores in fitted])[order], rows[order]
        times = np.bincount(rows)[rows]
        share = None if weights is None else weights[rows]
        if times.max() > 1:
            share = (1.0 if share is None else share) / times
        classifier = self._fit_classifier(X, labels, for_fit)
        if len({_stops_early(one) for one, _ in fitted} | {_stops_early(classifier)}) > 1:
            _input.warn(
                f"estimator stops early on all {len(labels)} rows and not in the folds, or the reverse: the "
                "calibrator learned from other scores. Set its early_stopping, or ensemble=True"
            )
        return [self._learn(classifier, scores, codes[rows], share)]

    def _fit_fold(
        self,
        X: Any,
        labels: npt.NDArray[Any],
        train: npt.NDArray[np.intp],
        test: npt.NDArray[np.intp],
        params: dict[str, Any],
    ) -> tuple[Any, Floats]:
        """Fit the classifier on the training rows of a fold, and let it score the test rows."""
        own = _cut(params, labels, train)
        seen, new = taken(X, train), taken(X, test)
        if get_tags(self.estimator).input_tags.pairwise:  # a kernel: columns are rows that were seen
            seen, new = seen[:, train], new[:, train]
        classifier = self._fit_classifier(seen, labels[train], own)
        try:
            return classifier, self._scores(classifier, new)
        except _input.Refusal as error:
            raise error.moved(int(test[error.index[0]]) - error.index[0] if error.index else 0) from error

    def _fit_classifier(self, X: Any, labels: npt.NDArray[Any], params: dict[str, Any]) -> Any:
        """Fit a clone of the classifier; a share as `eval_set` becomes rows that are kept from it."""
        share = params.get("eval_set")
        if share is None or hasattr(share, "__len__"):
            return clone(self.estimator).fit(X, labels, **params)
        from sklearn.model_selection import train_test_split  # slow to load

        share = _input.number_between(share, 0, 1, "eval_set", open_ends=True)
        if not has_fit_parameter(self.estimator, "eval_set"):
            expected = "a classifier whose fit takes eval_set"
            raise _input.BadType("estimator", f"= {self.estimator!r}", expected)
        every = np.arange(len(labels))
        kept, watched = train_test_split(every, test_size=share, stratify=labels, random_state=0)
        own = _cut(params, labels, kept) | {"eval_set": [(taken(X, watched), labels[watched])]}
        return clone(self.estimator).fit(taken(X, kept), labels[kept], **own)

    def _routed(
        self, weights: Floats | None, params: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return what the classifier's `fit` gets, and what the splitter gets."""
        given = dict(params)
        if get_config()["enable_metadata_routing"]:
            if weights is not None:
                given["sample_weight"] = weights
            routed = process_routing(self, "fit", **given)
            return dict(routed.estimator.fit), dict(routed.splitter.split)
        groups = given.pop("groups", None)
        if weights is not None:
            given[weights_keyword(self.estimator)] = weights
        return given, {} if groups is None else {"groups": groups}

    def _folds(self, X: Any, codes: npt.NDArray[np.intp], params: dict[str, Any]) -> Folds:
        """Cut the rows into folds, and refuse those whose training rows lack a class."""
        classes = self.classes_
        if len(classes) < 2:
            raise _input.BadValue("y", f"holds only one class, {classes[0]}", "two or more classes")
        if isinstance(self.cv, str) and self.cv == "prefit":
            expected = "a fitted estimator in a FrozenEstimator, and any cv"
            raise _input.BadValue("cv", "= 'prefit'", expected)
        from sklearn.model_selection import check_cv  # slow to load, and needed only here

        splitter = check_cv(self.cv, codes, classifier=True)
        try:
            folds = list(splitter.split(X, codes, **params))
        except ValueError as error:
            if "groups" in params or "groups" not in str(error):
                raise
            found = f"= {self.cv!r} cuts by group"
            raise _input.BadValue("cv", found, "fit(X, y, groups=...)") from error
        for train, _ in folds:
            missing = np.bincount(codes[train], minlength=len(classes)) == 0
            if missing.any():
                found = f"has no row of class {classes[missing.argmax()]} among a fold's training rows"
                raise _input.BadValue("y", found, "more rows of it, or another cv")
        return folds

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags = get_tags(self.estimator).input_tags
        tags.classifier_tags.multi_class = not isinstance(self.calibrator, BinaryCalibrator)
        return tags


def class_labels(y: Any) -> npt.NDArray[Any]:
    """Return labels of any one kind, read as scikit-learn's classifiers read them.

    A column is flattened with a warning, and an array of objects that are all whole numbers holds numbers.
    """
    labels = column_or_1d(y, warn=True) if len(getattr(y, "shape", ())) == 2 else y
    numbered = getattr(labels, "dtype", None) is np.dtype(object)
    if numbered and all(isinstance(label, int | np.integer) for label in labels):
        labels = np.array(list(labels))
    return _input.class_labels(labels)


def taken(table: Any, rows: npt.NDArray[np.intp]) -> Any:
    """Return some rows of an array, a data frame or a list."""
    if isinstance(table, list | tuple):
        return [table[row] for row in rows]
    return table.iloc[rows] if hasattr(table, "iloc") else table[rows]


def _cut(params: dict[str, Any], labels: npt.NDArray[Any], rows: npt.NDArray[np.intp]) -> dict[str, Any]:
    """Return what is given to `fit`, cut to some rows where it has an entry for each."""
    return {name: taken(value, rows) if _by_row(value, labels) else value for name, value in params.items()}


def _by_row(value: Any, labels: npt.NDArray[Any]) -> bool:
    """Tell whether something given to `fit` has an entry for each row."""
    return not isinstance(value, str | dict) and hasattr(value, "__len__") and len(value) == len(labels)


@contextmanager
def _unfit() -> Iterator[None]:
    """Say that it is the calibrator which cannot learn."""
    try:
        yield
    except ValueError as error:
        found = f"cannot learn from the classifier's scores ({error})"
        raise _input.BadValue("calibrator", found, "one for such scores") from error


def _tell_all(scores: Floats, codes: npt.NDArray[Any]) -> bool:
    """Tell whether scores give each label of 200 rows or more, of which two classes have twenty or more."""
    if len(codes) < 200 or np.sort(np.bincount(codes, minlength=2))[-2] < 20:
        return False
    if scores.ndim == 1:
        return bool(scores[codes == 0].max() < scores[codes == 1].min())
    return bool((scores.argmax(axis=1) == codes).all())


def _stops_early(classifier: Any) -> bool | None:
    """Tell whether a fitted booster decided to stop early; None of what tells nothing about it."""
    return getattr(unwrapped(classifier)[0], "do_early_stopping_", None)


def weights_keyword(estimator: Any) -> str:
    """Name by which `fit` takes weights: that of a pipeline's last step, or of what a search tries."""
    if hasattr(estimator, "estimator") and hasattr(estimator, "refit"):  # a search, not fitted yet
        return weights_keyword(estimator.estimator)
    steps = getattr(estimator, "steps", None)
    if steps:
        name, last = steps[-1]
        return f"{name}__{weights_keyword(last)}"
    if has_fit_parameter(estimator, "sample_weight"):
        return "sample_weight"
    expected = "a FrozenEstimator around it, fitted, where the calibrator alone is to have weights"
    raise _input.BadType("sample_weight", f"is given, and {estimator!r} takes none", expected)
