"""The experiment behind the chapter on choosing: its parts, and that the stored table is what it gives."""

import warnings

import numpy as np
import pytest
import sklearn
from packaging.version import Version
from scipy.special import logit
from scipy.stats import ttest_1samp

import calibration_lessons as cl
from calibration_lessons.book import comparison, datasets
from tools.experiments import choosing_experiment

TABLE = datasets.choosing()
NUMBERS = ("own_brier", "ece", "null_ece", "brier", "nll", "accuracy")
CANCER = comparison.load("breast cancer")


@pytest.fixture(scope="module")
def parts():
    return comparison.split(CANCER, comparison.SHARES, seed=0)


@pytest.fixture(scope="module")
def forecasts(parts):
    models = comparison.classifiers(0)
    return {name: (model, comparison.fitted_forecasts(model, *parts)) for name, model in models.items()}


def rows(table=TABLE, **wanted):
    """Rows of a table whose columns have the wanted values."""
    for name, value in wanted.items():
        table = table[table[name] == value]
    return table


def results(table):
    return [comparison.Result(*values) for values in table.iloc[:, 3:].itertuples(index=False)]


def stored(experiment, data, repeat):
    return results(rows(experiment=experiment, data=data, repeat=repeat))


def agree(found, kept):
    assert [one[:5] for one in found] == [one[:5] for one in kept]
    for name in NUMBERS:
        ours, theirs = (np.array([getattr(one, name) for one in each]) for each in (found, kept))
        assert ours == pytest.approx(theirs, rel=1e-3, abs=1e-6, nan_ok=True), name


@pytest.mark.skipif(
    Version(sklearn.__version__) < Version("1.9"), reason="the rows are stored for scikit-learn 1.9"
)
@pytest.mark.parametrize(("data", "repeat"), [("breast cancer", 3), ("spambase", 1)])
def test_a_split_run_again_gives_the_stored_rows(data, repeat):
    agree(comparison.compare(data, repeat), stored("classifiers", data, repeat))


def test_growing_calibration_sets_run_again_give_the_stored_rows():
    agree(comparison.compare_sizes(2), stored("sizes", "spambase", 2))
    agree(comparison.compare_sizes_of_network(2), stored("sizes", "Fashion-MNIST", 2))


def test_the_tool_writes_the_same_bytes_twice_and_reads_as_what_was_measured(tmp_path, monkeypatch):
    found = choosing_experiment.run(("classifiers", "breast cancer", 0))
    contents = []
    for folder in (tmp_path / "one", tmp_path / "other"):
        folder.mkdir()
        choosing_experiment.write(folder, found, {})
        contents.append((folder / "choosing.csv.gz").read_bytes())
    assert contents[0] == contents[1]
    monkeypatch.setattr(datasets, "_bytes", lambda name: contents[0])
    table = datasets.choosing()
    assert len(table) == len(found)
    agree(comparison.compare("breast cancer", 0), results(table))


def test_the_parts_of_a_split_share_no_row_and_lose_none(parts):
    assert sum(len(part.y) for part in parts) == len(CANCER.y)
    together = np.concatenate([part.X for part in parts])
    assert len(np.unique(together, axis=0)) == len(np.unique(np.log1p(CANCER.X), axis=0))
    assert [round(part.y.mean(), 2) for part in parts] == [round(CANCER.y.mean(), 2)] * 3


def test_only_the_training_part_decides_the_scale(parts):
    train, calibration, test = parts
    assert train.X.mean(axis=0) == pytest.approx(0, abs=1e-9)
    assert train.X.std(axis=0) == pytest.approx(1)
    assert abs(calibration.X.mean(axis=0)).max() > 0.01 and abs(test.X.mean(axis=0)).max() > 0.01


def test_malignant_is_the_positive_class():
    assert CANCER.y.sum() == 212


def test_log_odds_give_back_the_probabilities_wherever_these_are_not_certain(forecasts):
    for name, (_, (_, _, new)) in forecasts.items():
        p, z, _ = new
        unsure = (p > 1e-6) & (p < 1 - 1e-6)
        assert unsure.any() or name == "decision tree"
        assert z[unsure] == pytest.approx(logit(p[unsure]), rel=1e-4, abs=1e-6), name


def test_log_odds_are_finite_and_keep_the_order_of_the_probabilities(forecasts):
    for name, (_, (_, _, new)) in forecasts.items():
        p, z, _ = new
        assert np.isfinite(z).all(), name
        assert (np.diff(p[np.argsort(z, kind="stable")]) >= 0).all(), name


@pytest.mark.parametrize(("name", "votes"), [("nearest neighbours", 5), ("random forest", 100)])
def test_where_all_votes_agree_half_a_vote_stands_against(forecasts, name, votes):
    p, z, _ = forecasts[name][1][2]
    assert (p == 0).any() and z[p == 0] == pytest.approx(logit(0.5 / votes))
    assert (p == 1).any() and z[p == 1] == pytest.approx(-logit(0.5 / votes))


def test_a_tree_counts_the_training_rows_of_its_leaf_and_one_more_of_each_class(parts, forecasts):
    train, _, test = parts
    tree, (_, _, (_, z, _)) = forecasts["decision tree"]
    for row in range(0, len(test.y), 20):
        mates = train.y[tree.apply(train.X) == tree.apply(test.X[row : row + 1])]
        assert z[row] == pytest.approx(np.log((mates.sum() + 1) / (len(mates) - mates.sum() + 1)))


def test_log_odds_of_many_classes_are_those_of_each_against_the_rest():
    logits = np.random.default_rng(0).normal(size=(20, 4))
    p, z, odds = comparison.forecast_of_logits(logits)
    assert z is logits
    assert odds == pytest.approx(logit(p))


def test_each_calibrator_reads_what_its_chapter_gives_it():
    logits, y = datasets.network_logits(0, "calibration")
    known = comparison.forecast_of_logits(logits[:500])
    expected = {
        "histogram": cl.OneVsRest(cl.HistogramBinning(strategy="quantile")).fit(known.log_odds, y[:500]),
        "isotonic": cl.OneVsRest(cl.IsotonicCalibration()).fit(known.log_odds, y[:500]),
        "Platt": cl.OneVsRest(cl.PlattScaling()).fit(known.log_odds, y[:500]),
        "Platt, labels": cl.OneVsRest(cl.PlattScaling(prior_targets=False)).fit(known.log_odds, y[:500]),
        "temperature": cl.TemperatureScaling().fit(known.logits, y[:500]),
        "expectation consistency": cl.ExpectationConsistency().fit(known.logits, y[:500]),
    }
    read = dict(zip(expected, (known[2], known[2], known[2], known[2], known[1], known[1]), strict=True))
    for name, calibrator in comparison.CALIBRATORS.items():
        (found,) = comparison.recalibrated(calibrator, known, y[:500], known)
        assert np.array_equal(found, expected[name].predict_proba(read[name])), name


def test_a_refusal_is_counted_and_leaves_the_classifier_alone():
    tree = rows(classifier="decision tree", data="breast cancer")
    refused = rows(tree, experiment="classifiers", learned_on="training rows", method="temperature")
    alone = rows(tree, method="uncalibrated")
    assert refused.refused.all()
    assert np.array_equal(refused.brier, alone.brier)
    assert not rows(experiment="classifiers", learned_on="calibration rows", method="Platt").refused.any()


def test_platt_scaling_twice_is_platt_scaling_once():
    """On the margin of one and the same SVM, a second logistic curve can add nothing but its own fit."""
    platt = rows(experiment="classifiers", method="Platt", learned_on="calibration rows")
    for data in ("spambase", "breast cancer"):
        once, twice = (rows(platt, data=data, classifier=name).brier for name in ("SVM", "SVM with Platt"))
        assert once.to_numpy() == pytest.approx(twice.to_numpy(), abs=2e-4)


def test_measures_are_the_companions(parts):
    y = parts[2].y
    p = np.clip(np.random.default_rng(0).random(len(y)), 0.01, 0.99)
    found = comparison.judge(y, p, seed=5)
    assert found["ece"] == cl.expected_calibration_error(y, p)
    assert found["null_ece"] == cl.ece_under_calibration(p, n_draws=200, random_state=5).mean
    assert found["brier"] == cl.brier_score(y, p)
    assert found["accuracy"] == np.mean((p > 0.5) == y)
    assert comparison.judge(y, np.where(y == 1, 0.0, p), seed=0)["nll"] == np.inf


def test_the_interval_of_splits_that_share_no_row_is_that_of_the_t_test():
    d = np.random.default_rng(0).normal(0.3, 1, 12)
    expected = ttest_1samp(d, 0).confidence_interval(0.9)
    low, mean, high = comparison.paired_interval(d, judged=0, learned=1, level=0.9)
    assert (low, mean, high) == pytest.approx((expected.low, d.mean(), expected.high))


def test_rows_that_splits_share_make_the_interval_longer():
    d = np.random.default_rng(0).normal(0.3, 1, 12)
    low, mean, high = comparison.paired_interval(d, judged=0.35, learned=0.65)
    alone = comparison.paired_interval(d, judged=0, learned=1)
    assert (high - mean) / (alone[2] - mean) == pytest.approx(np.sqrt(1 + 12 * 0.35 / 0.65))
    assert high - mean == pytest.approx(mean - low)


def test_every_classifier_is_fitted_without_a_warning(parts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        comparison.fitted_forecasts(comparison.classifiers(1)["neural network"], *parts)
