"""CalibratedModel: cross-fitting, what each calibrator reads, labels of any kind, what is refused."""

import joblib
import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.special import expit, logit
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesClassifier,
    HistGradientBoostingClassifier,
    RandomForestClassifier,
    VotingClassifier,
)
from sklearn.exceptions import DataConversionWarning
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
    cross_val_predict,
    train_test_split,
)
from sklearn.multiclass import OneVsRestClassifier, OutputCodeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import calibration_lessons as cl
from calibration_lessons.calibrators import _classifier_scores as _reading
from tests.refusals import refusals, refused

X2, Y2 = make_classification(400, random_state=0, flip_y=0.2)
X3, Y3 = make_classification(400, n_informative=5, n_classes=3, random_state=0, flip_y=0.2)
LINEAR = LogisticRegression(max_iter=1000)
PAIRS = SVC(decision_function_shape="ovo")


@pytest.mark.parametrize("ensemble", [False, True])
@pytest.mark.parametrize(
    ("calibrator", "X", "y"),
    [(cl.IsotonicCalibration(), X2, Y2), (cl.OneVsRest(cl.IsotonicCalibration()), X3, Y3)],
    ids=["two classes", "three classes"],
)
def test_isotonic_calibration_equals_scikit_learns_with_and_without_an_ensemble(calibrator, X, y, ensemble):
    ours = cl.CalibratedModel(LINEAR, calibrator, ensemble=ensemble).fit(X, y)
    theirs = CalibratedClassifierCV(LINEAR, method="isotonic", ensemble=ensemble).fit(X, y)
    assert ours.predict_proba(X) == pytest.approx(theirs.predict_proba(X), abs=1e-9)
    assert np.array_equal(ours.predict(X), theirs.predict(X))
    assert len(ours.pairs_) == (5 if ensemble else 1) and hasattr(ours, "calibrator_") != ensemble


@pytest.mark.parametrize(
    ("estimator", "calibrator", "read"),
    [
        (LINEAR, cl.TemperatureScaling(), lambda m: m.decision_function(X2)),
        (LINEAR, cl.PlattScaling(), lambda m: m.decision_function(X2)),
        (LINEAR, cl.IsotonicCalibration(), lambda m: m.decision_function(X2)),
        (LINEAR, cl.HistogramBinning(), lambda m: m.predict_proba(X2)[:, 1]),
        (GaussianNB(), cl.BetaCalibration(), lambda m: m.predict_proba(X2)[:, 1]),
        (LinearSVC(), cl.HistogramBinning(strategy="quantile"), lambda m: m.decision_function(X2)),
        (GaussianNB(), cl.TemperatureScaling(), lambda m: m.predict_log_proba(X2)),
        (GaussianNB(), cl.IsotonicCalibration(), lambda m: m.predict_proba(X2)[:, 1]),
        (GaussianNB(), cl.PlattScaling(), lambda m: np.subtract(*m.predict_log_proba(X2).T[::-1])),
    ],
    ids=lambda value: type(value).__name__,
)
def test_each_calibrator_reads_what_its_method_is_defined_on(estimator, calibrator, read):
    model = cl.CalibratedModel(estimator, calibrator).fit(X2, Y2)
    expected = model.calibrator_.predict_proba(read(model.estimator_))
    assert model.predict_proba(X2) == pytest.approx(expected, rel=1e-9)


def test_one_against_the_rest_reads_the_log_odds_of_each_class():
    model = cl.CalibratedModel(GaussianNB(), cl.OneVsRest(cl.PlattScaling())).fit(X3, Y3)
    p = model.estimator_.predict_proba(X3)
    expected = model.calibrator_.predict_proba(np.log(p / (1 - p)))
    assert model.predict_proba(X3) == pytest.approx(expected, rel=1e-6)
    two = cl.CalibratedModel(LINEAR, cl.OneVsRest(cl.PlattScaling())).fit(X2, Y2)
    z = two.estimator_.decision_function(X2)
    assert np.array_equal(two.predict_proba(X2), two.calibrator_.predict_proba(np.stack([-z, z], axis=1)))


@refusals("calibrated-model")
def test_what_does_not_fit_together_is_refused(kind, start, call):
    refused(kind, start, call, globals())


class Saying(ClassifierMixin, BaseEstimator):
    """A fitted classifier that says of row i what stands in row i, its classes in an order of their own."""

    def __init__(self, outputs, classes=(0, 1), method="predict_proba"):
        self.outputs = outputs
        self.classes = classes
        self.method = method

    @property
    def classes_(self):
        return np.asarray(self.classes)

    def fit(self, X, y):
        return self

    def __sklearn_is_fitted__(self):
        return True

    def __getattr__(self, name):
        if name in ("decision_function", "predict_proba") and name == self.__dict__.get("method"):
            return lambda X: np.asarray(self.outputs)[np.asarray(X)[:, 0].astype(int)]
        raise AttributeError(name)


def after(outputs, calibrator, labels, classes=(0, 1), method="predict_proba", **options):
    """A model that learned from all rows of what a classifier says, and their numbers."""
    rows = np.arange(len(outputs))[:, None]
    frozen = FrozenEstimator(Saying(outputs, classes, method))
    model = cl.CalibratedModel(frozen, calibrator, **options).fit(rows, labels)
    assert model.estimator_ is frozen
    return model, rows


def calibrated_forecasts(names, n=4000):
    """Forecasts that are right, columns in the order of `names`, and their labels."""
    rng = np.random.default_rng(0)
    p = rng.dirichlet(np.ones(len(names)), size=n)
    return p, np.asarray(names)[(rng.random((n, 1)) > p.cumsum(axis=1)).sum(axis=1)]


@pytest.mark.parametrize("names", [list("acbd"), list("cab"), [3, 1, 2], [True, False], ["b", "a"]], ids=str)
def test_a_classifier_may_hold_its_classes_in_any_order_and_the_answer_is_sorted(names):
    p, labels = calibrated_forecasts(names)
    order = np.argsort(names)
    for calibrator in (cl.TemperatureScaling(), cl.OneVsRest(cl.PlattScaling())):
        model, rows = after(p, calibrator, labels, names)
        in_order, _ = after(p[:, order], calibrator, labels, sorted(names))
        assert model.classes_.tolist() == sorted(names)
        assert np.array_equal(model.predict_proba(rows), in_order.predict_proba(rows))
        likeliest = model.predict_proba(rows).argmax(axis=1)
        assert np.array_equal(model.predict(rows), np.array(sorted(names))[likeliest])
        assert model.predict_proba(rows) == pytest.approx(p[:, order], abs=0.1)
    model, _ = after(p, cl.TemperatureScaling(), labels, names)
    assert model.calibrator_.temperature_ == pytest.approx(1, abs=0.05)


def test_a_margin_of_two_classes_belongs_to_the_second_that_the_classifier_holds():
    z = np.linspace(-3, 3, 200)
    labels = np.array(["no", "yes"])[(np.sin(np.arange(200)) < np.linspace(-1, 1, 200)) * 1]
    straight, rows = after(z, cl.PlattScaling(), labels, ["no", "yes"], "decision_function")
    turned, _ = after(-z, cl.PlattScaling(), labels, ["yes", "no"], "decision_function")
    two, _ = after(
        np.stack([-z, z], axis=1) / 2, cl.PlattScaling(), labels, ["no", "yes"], "decision_function"
    )
    assert straight.calibrator_.slope_ > 0
    for model in (turned, two):
        assert np.array_equal(model.predict_proba(rows), straight.predict_proba(rows))
        assert np.array_equal(model.predict(rows), straight.predict(rows))


def test_weak_logits_are_not_taken_for_probabilities():
    weak = np.linspace(0.2, 0.9, 200)
    after(weak, cl.PlattScaling(), np.arange(200) % 3 > 0, (False, True), "decision_function")


def half_votes(votes, of):
    return logit(np.clip(np.asarray(votes) / of, 0.5 / of, 1 - 0.5 / of))


MEMBERS = RandomForestClassifier(n_estimators=8, random_state=0)


class Stepping(KNeighborsClassifier):
    """A classifier with a parameter that has the name of a pipeline's."""

    def __init__(self, n_neighbors=7, steps=100):
        super().__init__(n_neighbors)
        self.steps = steps


@pytest.mark.parametrize(
    ("classifier", "votes"),
    [
        (KNeighborsClassifier(7), 7),
        (Stepping(), 7),
        (MEMBERS, 8),
        (ExtraTreesClassifier(n_estimators=8, random_state=0), 8),
        (BaggingClassifier(n_estimators=8, random_state=0), 8),
        (BaggingClassifier(OutputCodeClassifier(LINEAR), n_estimators=8, random_state=0), 8),
        (make_pipeline(StandardScaler(), KNeighborsClassifier(7)), 7),
        (make_pipeline(MEMBERS), 8),
        (GridSearchCV(MEMBERS, {"max_features": [2]}, cv=2), 8),
    ],
    ids=lambda value: " ".join(repr(value).split())[:45],
)
def test_where_all_voters_agree_half_a_vote_says_otherwise(classifier, votes):
    model = cl.CalibratedModel(classifier, cl.PlattScaling(), cv=2).fit(X2, Y2)
    p = model.estimator_.predict_proba(X2)[:, 1]
    assert p.min() == 0
    z = half_votes(np.round(p * votes), votes)
    assert model.predict_proba(X2) == pytest.approx(model.calibrator_.predict_proba(z), rel=1e-9)


def test_a_leaf_holds_one_more_row_of_each_class_in_a_pipeline_too():
    for tree in (DecisionTreeClassifier(random_state=0), DecisionTreeClassifier(max_depth=3)):
        model = cl.CalibratedModel(make_pipeline(StandardScaler(), tree), cl.TemperatureScaling()).fit(X3, Y3)
        fitted, X = model.estimator_[-1], model.estimator_[0].transform(X3)
        rows = fitted.tree_.n_node_samples[fitted.apply(X)][:, None]
        p = (fitted.predict_proba(X) * rows + 1) / (rows + 3)
        assert p.sum(axis=1) == pytest.approx(1)
        assert model.predict_proba(X3) == pytest.approx(model.calibrator_.predict_proba(np.log(p)), rel=1e-9)


def test_half_a_vote_keeps_the_order_of_graded_votes_and_leaves_whole_ones_alone():
    forest = RandomForestClassifier(n_estimators=10, min_samples_leaf=20, random_state=0).fit(X2, Y2)
    p = forest.predict_proba(X2)[:, 1]
    read = _reading.counted(forest, X2)
    assert 0 < p.min() < 0.1 and p.max() > 0.9
    assert (np.diff(read[np.argsort(p), 1]) > 0).sum() >= (np.diff(np.sort(p)) > 1e-9).sum()
    assert np.array_equal(read[:, 1][(p > 0.11) & (p < 0.89)], p[(p > 0.11) & (p < 0.89)])
    assert read.sum(axis=1) == pytest.approx(1)
    assert set(np.unique(_reading.counted(KNeighborsClassifier(1).fit(X2, Y2), X2))) == {0.25, 0.75}


CERTAIN, WON = [[0.0, 1.0], [0.3, 0.7], [1.0, 0.0], [0.8, 0.2]] * 5, [1, 0, 0, 1] * 5


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_without_votes_a_zero_is_read_as_the_precision_of_the_number(dtype):
    model, rows = after(np.array(CERTAIN, dtype=dtype), cl.PlattScaling(), WON)
    p = np.array(CERTAIN, dtype=dtype).astype(float)
    p[p == 0] = np.finfo(dtype).eps
    z = np.log(p[:, 1]) - np.log(p[:, 0])
    assert abs(z).max() == pytest.approx(36.04 if dtype == np.float64 else 15.94, abs=0.01)
    of_z = cl.PlattScaling().fit(z, WON).predict_proba(z)
    assert model.predict_proba(rows) == pytest.approx(of_z, rel=1e-9)


def test_a_number_of_the_users_own_bounds_the_probabilities_from_both_ends():
    model, rows = after(CERTAIN, cl.PlattScaling(), WON, zeros=0.25)
    z = logit(np.clip(np.array(CERTAIN)[:, 1], 0.25, 0.75))
    of_z = cl.PlattScaling().fit(z, WON).predict_proba(z)
    assert model.predict_proba(rows) == pytest.approx(of_z, rel=1e-9)
    forest = cl.CalibratedModel(MEMBERS, cl.TemperatureScaling(), zeros=0.01).fit(X3, Y3)
    p = forest.estimator_.predict_proba(X3).clip(0.01, 0.99)
    assert forest.predict_proba(X3) == pytest.approx(forest.calibrator_.predict_proba(np.log(p)), rel=1e-9)


def test_certain_probabilities_can_be_refused_in_the_users_terms():
    for calibrator, p in (
        (cl.PlattScaling(), [[0.5, 0.5], [0.0, 1.0]]),
        (cl.TemperatureScaling(), [[0.5, 0.2, 0.3], [0.0, 0.5, 0.5]]),
    ):
        with pytest.raises(ValueError, match=r"^predict_proba\[1, 0\] is 0.*expected zeros='half-vote'"):
            after(p, calibrator, [0, 1], range(len(p[0])), zeros="refuse")
    folded = cl.CalibratedModel(
        Saying(CERTAIN[1:2] * 15 + CERTAIN[:1] * 5), cl.PlattScaling(), zeros="refuse"
    )
    with pytest.raises(ValueError, match=r"predict_proba\[15, 0\] is 0"):
        folded.fit(np.arange(20)[:, None], [0, 1] * 10)
    model, rows = after(CERTAIN, cl.IsotonicCalibration(), WON, zeros="refuse")
    assert np.isfinite(model.predict_proba(rows)).all()


def test_the_log_odds_of_a_class_keep_the_digits_of_a_probability_close_to_one():
    logs = np.array([[0.0, -40.0, -42.0], [-1.0, -2.0, -3.0]])
    expected = [[40 - np.log1p(np.exp(-2)), -40, -42], [*(logit(np.exp(logs[1]) / np.exp(logs[1]).sum()))]]
    assert _reading.log_odds(logs) == pytest.approx(np.array(expected), rel=1e-12)


def test_a_soft_vote_and_naive_bayes_that_is_sure_have_finite_log_odds():
    sure = GaussianNB().fit(X2 * [1e3] + Y2[:, None] * 1e5, Y2)
    z = np.diff(sure.predict_log_proba(X2 * 1e3 + 1e5), axis=1)
    assert np.isfinite(z).all() and abs(z).max() > 1000
    model = cl.CalibratedModel(FrozenEstimator(sure), cl.PlattScaling()).fit(X2 * 1e3, Y2)
    assert np.isfinite(model.predict_proba(X2 * 1e3)).all()
    vote = VotingClassifier([("a", GaussianNB()), ("b", LINEAR)], voting="soft")
    soft = cl.CalibratedModel(vote, cl.PlattScaling()).fit(X2, Y2)
    p = soft.estimator_.predict_proba(X2)[:, 1]
    assert soft.predict_proba(X2) == pytest.approx(soft.calibrator_.predict_proba(logit(p)), rel=1e-6)


W2 = np.random.default_rng(1).integers(1, 4, len(X2)).astype(float)
PIPELINE = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))


def test_weights_reach_the_last_step_of_a_pipeline_and_with_routing_whoever_requests_them():
    model = cl.CalibratedModel(PIPELINE, cl.PlattScaling(), cv=3).fit(X2, Y2, sample_weight=W2)
    alone = clone(PIPELINE).fit(X2, Y2, logisticregression__sample_weight=W2)
    assert np.array_equal(model.estimator_[-1].coef_, alone[-1].coef_)
    params = {"logisticregression__sample_weight": W2}
    unseen = cross_val_predict(PIPELINE, X2, Y2, cv=3, method="decision_function", params=params)
    assert model.calibrator_.slope_ == cl.PlattScaling().fit(unseen, Y2, W2).slope_
    with sklearn.config_context(enable_metadata_routing=True):
        asked = make_pipeline(
            StandardScaler().set_fit_request(sample_weight=False),
            LogisticRegression(max_iter=1000).set_fit_request(sample_weight=True),
        )
        routed = cl.CalibratedModel(asked, cl.PlattScaling(), cv=3).fit(X2, Y2, sample_weight=W2)
        search = GridSearchCV(
            cl.CalibratedModel(asked, cl.PlattScaling())
            .set_fit_request(sample_weight=True)
            .set_score_request(sample_weight=False),
            {"cv": [2, 3]},
        ).fit(X2, Y2, sample_weight=W2)
        frozen = cl.CalibratedModel(FrozenEstimator(alone), cl.PlattScaling()).fit(X2, Y2, sample_weight=W2)
    assert np.array_equal(routed.predict_proba(X2), model.predict_proba(X2))
    assert search.best_estimator_.calibrator_.slope_ > 0
    assert frozen.calibrator_.slope_ == cl.PlattScaling().fit(alone.decision_function(X2), Y2, W2).slope_


def test_weights_reach_the_classifier_that_a_search_tries():
    searched = GridSearchCV(PIPELINE, {"logisticregression__C": [1e-3]}, cv=2)
    model = cl.CalibratedModel(searched, cl.PlattScaling(), cv=3).fit(X2, Y2, sample_weight=W2)
    alone = (
        clone(PIPELINE)
        .set_params(logisticregression__C=1e-3)
        .fit(X2, Y2, logisticregression__sample_weight=W2)
    )
    assert np.array_equal(model.estimator_.best_estimator_[-1].coef_, alone[-1].coef_)


def test_margins_of_one_pair_are_those_of_two_classes():
    assert cl.CalibratedModel(PAIRS, cl.PlattScaling()).fit(X2, Y2).calibrator_.slope_ > 0


@pytest.mark.parametrize("routing", [False, True])
def test_groups_reach_the_splitter_with_routing_and_without(routing):
    groups = np.random.default_rng(2).integers(0, 9, len(X2))
    with sklearn.config_context(enable_metadata_routing=routing):
        model = cl.CalibratedModel(LINEAR, cl.PlattScaling(), cv=GroupKFold(4)).fit(X2, Y2, groups=groups)
    unseen = cross_val_predict(
        LINEAR, X2, Y2, cv=GroupKFold(4).split(X2, Y2, groups), method="decision_function"
    )
    assert model.calibrator_.slope_ == cl.PlattScaling().fit(unseen, Y2).slope_


@pytest.mark.parametrize(
    "cv",
    [
        TimeSeriesSplit(4),
        ShuffleSplit(4, test_size=0.3, random_state=0),
        RepeatedKFold(n_splits=3, n_repeats=2),
    ],
    ids=repr,
)
@pytest.mark.parametrize("weights", [None, W2], ids=["", "weights"])
def test_each_row_of_a_test_fold_counts_once_however_many_folds_it_is_in(cv, weights):
    folds = list(cv.split(X2, Y2))
    model = cl.CalibratedModel(LINEAR, cl.PlattScaling(), cv=folds).fit(X2, Y2, weights)
    own = np.ones(len(X2)) if weights is None else weights
    times = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(X2))
    z, y, w = [], [], []
    for train, test in folds:
        z += clone(LINEAR).fit(X2[train], Y2[train], own[train]).decision_function(X2[test]).tolist()
        y += Y2[test].tolist()
        w += (own / np.maximum(times, 1))[test].tolist()
    expected = cl.PlattScaling().fit(z, y, w)
    assert model.calibrator_.slope_ == pytest.approx(expected.slope_, rel=1e-9)
    assert model.calibrator_.intercept_ == pytest.approx(expected.intercept_, rel=1e-9)


def test_the_weights_of_a_fold_reach_its_pair():
    weighted = cl.CalibratedModel(LINEAR, cl.PlattScaling(), cv=KFold(2), ensemble=True).fit(X2, Y2, W2)
    half = LogisticRegression(max_iter=1000).fit(X2[200:], Y2[200:], W2[200:])
    expected = cl.PlattScaling().fit(half.decision_function(X2[:200]), Y2[:200], W2[:200])
    assert weighted.pairs_[0].calibrator.slope_ == expected.slope_


def test_the_number_of_jobs_changes_nothing_and_names_of_features_are_kept():
    frame = pd.DataFrame(X2).add_prefix("x")
    one = cl.CalibratedModel(PIPELINE, cl.PlattScaling()).fit(frame, Y2)
    with joblib.parallel_config("threading"):
        two = cl.CalibratedModel(PIPELINE, cl.PlattScaling(), n_jobs=2).fit(frame, Y2)
    assert np.array_equal(one.predict_proba(frame), two.predict_proba(frame))
    assert one.feature_names_in_.tolist() == list(frame) and one.n_features_in_ == 20
    assert not hasattr(cl.CalibratedModel(LINEAR, cl.PlattScaling()).fit(X2, Y2), "feature_names_in_")


def test_a_kernel_that_is_given_is_cut_both_ways():
    given = cl.CalibratedModel(SVC(kernel="precomputed"), cl.PlattScaling()).fit(X2 @ X2.T, Y2)
    made = cl.CalibratedModel(SVC(kernel="linear"), cl.PlattScaling()).fit(X2, Y2)
    assert given.calibrator_.slope_ == pytest.approx(made.calibrator_.slope_, rel=1e-3)


def test_the_scores_are_what_the_calibrator_reads_and_logarithms_are_those_of_the_probabilities():
    one = cl.CalibratedModel(LINEAR, cl.PlattScaling()).fit(X2.tolist(), Y2.tolist())
    assert np.array_equal(one.scores(X2), one.estimator_.decision_function(X2))
    assert np.array_equal(one.calibrator_.predict_proba(one.scores(X2)), one.predict_proba(X2))
    three = cl.CalibratedModel(LINEAR, cl.TemperatureScaling(), cv=3, ensemble=True).fit(X3, Y3)
    assert np.array_equal(three.scores(X3)[1], three.pairs_[1].classifier.decision_function(X3))
    for model, X in ((one, X2), (three, X3)):
        assert model.predict_log_proba(X) == pytest.approx(np.log(model.predict_proba(X)), abs=1e-12)
    frozen = cl.CalibratedModel(FrozenEstimator(one.estimator_), cl.HistogramBinning()).fit(X2, Y2)
    assert frozen.predict_log_proba(X2).min() == -np.inf


def test_labels_in_a_column_are_flattened_with_a_warning_and_numbers_among_objects_are_numbers():
    plain = cl.CalibratedModel(LINEAR, cl.PlattScaling()).fit(X2, Y2)
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        column = cl.CalibratedModel(LINEAR, cl.PlattScaling()).fit(X2, Y2[:, None])
    objects = cl.CalibratedModel(LINEAR, cl.PlattScaling()).fit(X2, Y2.astype(object))
    for model in (column, objects):
        assert np.array_equal(model.predict_proba(X2), plain.predict_proba(X2))


class Booster(ClassifierMixin, BaseEstimator):
    """Says margins as a booster of another library does; its probabilities are of float32."""

    def __init__(self, asked="output_margin"):
        self.asked = asked

    def fit(self, X, y, eval_set=None):
        self.linear_, self.seen_, self.watched_ = LINEAR.fit(X, y), len(X), eval_set
        self.classes_ = self.linear_.classes_
        return self

    def predict_proba(self, X):
        return (lambda p: np.stack([1 - p, p], axis=1))(np.float32(expit(self.margin(X))))

    def margin(self, X):
        return 20 * self.linear_.decision_function(X)


class XGBoost(Booster):
    def predict(self, X, output_margin=False):
        return self.margin(X) if output_margin else self.predict_proba(X).argmax(axis=1)


class LightGBM(Booster):
    def predict(self, X, raw_score=False):
        return self.margin(X) if raw_score else self.predict_proba(X).argmax(axis=1)


class CatBoost(Booster):
    def predict(self, X, prediction_type="Class"):
        return self.margin(X) if prediction_type == "RawFormulaVal" else self.predict_proba(X).argmax(axis=1)


@pytest.mark.parametrize("booster", [XGBoost(), LightGBM(), CatBoost()], ids=lambda b: type(b).__name__)
def test_of_a_booster_the_margin_is_read_and_no_probability_that_float32_made_one(booster):
    model = cl.CalibratedModel(make_pipeline(StandardScaler(), booster), cl.PlattScaling(), cv=2).fit(X2, Y2)
    fitted, X = model.estimator_[-1], model.estimator_[0].transform(X2)
    assert fitted.predict_proba(X).max() == 1
    assert np.array_equal(model.scores(X2), fitted.margin(X))
    assert cl.CalibratedModel(booster, cl.BetaCalibration(), cv=2).fit(X2, Y2).scores(X2).max() <= 1


def test_rows_that_stop_a_booster_are_kept_from_each_fit_and_from_no_calibrator():
    model = cl.CalibratedModel(XGBoost(), cl.PlattScaling(), cv=4, ensemble=True)
    for classifier, _ in model.fit(X2, Y2, eval_set=0.1).pairs_:
        ((rows, labels),) = classifier.watched_
        assert (classifier.seen_, len(rows), len(labels)) == (270, 30, 30)
        assert labels.mean() == pytest.approx(Y2.mean(), abs=0.02)
    given = model.set_params(ensemble=False).fit(X2, Y2, eval_set=[(X2[:9], Y2[:9])])
    assert given.estimator_.seen_ == 400 and given.estimator_.watched_[0][0].shape == (9, 20)


def test_a_pipeline_that_hands_on_data_frames_is_calibrated_as_one_that_hands_on_arrays():
    frame = pd.DataFrame(X2).add_prefix("x")
    for last in (LINEAR, DecisionTreeClassifier(max_depth=3, random_state=0)):
        frames = make_pipeline(StandardScaler(), last).set_output(transform="pandas")
        framed, plain = (
            cl.CalibratedModel(one, cl.PlattScaling(), cv=2).fit(frame, Y2)
            for one in (frames, make_pipeline(StandardScaler(), last))
        )
        assert np.array_equal(framed.predict_proba(frame), plain.predict_proba(frame))


class Booster(GaussianNB):
    """Decides to stop early where it has more than so many rows, as histogram boosting does."""

    def __init__(self, rows=350):
        super().__init__()
        self.rows = rows

    def fit(self, X, y, sample_weight=None):
        self.do_early_stopping_ = len(X) > self.rows
        return super().fit(X, y, sample_weight)


def test_a_booster_that_stops_early_on_all_rows_and_not_in_the_folds_is_told():
    for estimator in (Booster(), make_pipeline(StandardScaler(), Booster())):
        model = cl.CalibratedModel(estimator, cl.PlattScaling())
        with pytest.warns(UserWarning, match="^estimator stops early on all 400 rows and not in the folds"):
            model.fit(X2, Y2)
        model.set_params(ensemble=True).fit(X2, Y2)
    for rows in (100, 500):
        cl.CalibratedModel(Booster(rows), cl.PlattScaling()).fit(X2, Y2)


def test_rows_that_a_frozen_classifier_was_fitted_to_are_noticed_and_easy_new_rows_are_not():
    for n_classes, calibrator in ((2, cl.PlattScaling()), (4, cl.OneVsRest(cl.PlattScaling()))):
        X, y = make_classification(1800, 12, n_informative=6, n_classes=n_classes, flip_y=0.1, random_state=1)
        forest = FrozenEstimator(RandomForestClassifier(30, random_state=0).fit(X[:600], y[:600]))
        with pytest.warns(UserWarning, match="^the classifier's scores tell the labels of all 600 rows"):
            model = cl.CalibratedModel(forest, calibrator).fit(X[:600], y[:600])
        fresh = cl.CalibratedModel(forest, calibrator).fit(X[600:1200], y[600:1200])
        loss, least = (
            cl.negative_log_likelihood(y[1200:], m.predict_proba(X[1200:])) for m in (model, fresh)
        )
        assert loss > 1.2 * least
    X, y = load_breast_cancer(return_X_y=True)
    for seed in range(20):  # right on 97 to 99 % of the new rows
        train, X_new, y_train, y_new = train_test_split(X, y, test_size=250, random_state=seed)
        easy = FrozenEstimator(make_pipeline(StandardScaler(), LogisticRegression()).fit(train, y_train))
        cl.CalibratedModel(easy, cl.PlattScaling()).fit(X_new, y_new)


def test_three_classes_of_an_svc_are_scored_by_votes_of_pairs_which_calibrate_worse_and_are_told():
    X, y = load_digits(return_X_y=True)
    for seed in range(3):
        rows = np.random.default_rng(seed).permutation(len(y))
        train, known, new = rows[:700], rows[700:1100], rows[1100:]
        losses = []
        for svm in (SVC(), OneVsRestClassifier(SVC())):
            pipe = FrozenEstimator(make_pipeline(StandardScaler(), svm).fit(X[train], y[train]))
            model = cl.CalibratedModel(pipe, cl.MatrixScaling())
            if isinstance(svm, SVC):
                with pytest.warns(UserWarning, match="^SVC scores several classes by the votes of pairs"):
                    model.fit(X[known], y[known])
            else:
                model.fit(X[known], y[known])
            losses.append(cl.negative_log_likelihood(y[new], model.predict_proba(X[new])))
        assert losses[0] > 1.4 * losses[1]
    cl.CalibratedModel(SVC(), cl.PlattScaling()).fit(X2, Y2)  # two classes: one margin


def test_a_calibrator_of_two_classes_is_refused_before_anything_is_fitted():
    class Slow(LogisticRegression):
        def fit(self, *rows):
            raise AssertionError("fitted")

    with pytest.raises(ValueError, match=r"calibrator cannot learn .*shape \(9, 3\).* OneVsRest"):
        cl.CalibratedModel(Slow(), cl.PlattScaling()).fit(np.eye(9), [0, 1, 2] * 3)


def test_after_boosting_one_pair_forecasts_too_many_rare_events_and_the_ensemble_does_not():
    for seed in range(2):
        rng = np.random.default_rng(seed)
        X = rng.uniform(-1, 1, (7000, 8))
        truth = expit(-4.2 + 2 * np.sin(3 * X[:, 0]) + 1.5 * X[:, 1] - (X[:, 2] > 0) * X[:, 3])
        y, new = rng.random(2000) < truth[:2000], truth[2000:]
        drawn = y.mean() / truth[:2000].mean()  # more or fewer events than expected are no fault of either
        ratio, nll = [], []
        for ensemble in (False, True):
            boosting = HistGradientBoostingClassifier(random_state=0)
            model = cl.CalibratedModel(boosting, cl.PlattScaling(), ensemble=ensemble).fit(X[:2000], y)
            p = model.predict_proba(X[2000:])[:, 1]
            ratio.append(p.mean() / new.mean() / drawn)
            nll.append(-(new * np.log(p) + (1 - new) * np.log1p(-p)).mean())
        assert ratio[0] > max(1.05, ratio[1] + 0.04) and nll[0] > nll[1]
