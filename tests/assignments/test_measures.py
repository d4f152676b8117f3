"""Wrong answers to the problem set on measures lose the points of their question, and no others."""

import pytest

from tests.assignments.grading import ASSIGNMENTS, Course, answered, full_marks, solutions

SOURCE = ASSIGNMENTS / "source/measures/measures.ipynb"

DIGITIZE = """
def bin_counts(scores, n_bins):
    index = np.digitize(scores, np.linspace(0, 1, n_bins + 1)) - 1
    return np.array([np.sum(index == m) for m in range(n_bins)])
"""
LEFT_CLOSED = """
def bin_counts(scores, n_bins):
    return np.histogram(scores, bins=n_bins, range=(0, 1))[0]
"""
ROUNDED_PRODUCT = """
def bin_counts(scores, n_bins):
    index = np.maximum(np.ceil(np.asarray(scores) * n_bins).astype(int) - 1, 0)
    return np.bincount(index, minlength=n_bins)
"""
BIN_CENTRES = """
def curve(probabilities, labels, n_bins):
    top, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == labels
    index = np.ceil(top * n_bins).astype(int) - 1
    accuracy = [right[index == m].mean() for m in range(n_bins)]
    return (np.arange(n_bins) + 0.5) / n_bins, np.array(accuracy)
"""
TIES_TO_THE_LAST = """
def curve(probabilities, labels, n_bins):
    k = probabilities.shape[1]
    top, right = probabilities.max(axis=1), k - 1 - probabilities[:, ::-1].argmax(axis=1) == labels
    index = np.searchsorted(np.arange(1, n_bins) / n_bins, top)
    means = [(top[index == m].mean(), right[index == m].mean()) for m in range(n_bins)]
    return tuple(np.array(means).T)
"""
NO_BARS = """
def binned_ece(scores, happened, n_bins):
    index = np.searchsorted(np.arange(1, n_bins) / n_bins, scores)
    return np.bincount(index, np.asarray(happened) - scores).sum() / len(scores)
"""
UNWEIGHTED = """
def binned_ece(scores, happened, n_bins):
    index = np.searchsorted(np.arange(1, n_bins) / n_bins, scores)
    gaps = [abs(np.mean((happened - scores)[index == m])) for m in np.unique(index)]
    return np.mean(gaps)
"""
DROPS_ONE = """
def binned_ece(scores, happened, n_bins):
    index = np.digitize(scores, np.arange(n_bins + 1) / n_bins) - 1
    return sum(abs(np.sum((happened - scores)[index == m])) for m in range(n_bins)) / len(scores)
"""
MISREAD = """
reading = {"a": "over-confident", "b": "too high", "c": "over-confident", "d": "more than zero",
           "e": "never higher", "f": "not always"}
"""
COIN_FLIPS = """
def calibrated_outcomes(scores, draws, rng):
    return rng.random((draws, len(scores))) < np.mean(scores)
"""
ONE_DRAW_REPEATED = """
def calibrated_outcomes(scores, draws, rng):
    shared = rng.random((draws, 1))
    return shared < scores
"""
NEVER_COUNTED = """
def p_value(observed, drawn):
    return np.mean(np.asarray(drawn) >= observed)
"""
STRICTLY_ABOVE = """
def p_value(observed, drawn):
    return (1 + np.sum(np.asarray(drawn) > observed)) / (1 + len(drawn))
"""
WRONG = {  # a few mistakes a submission: each costs the points of its own question
    "digitize, no bars, base rate": {"counts": DIGITIZE, "ece": NO_BARS, "outcomes": COIN_FLIPS},
    "bin centres, one word misread, p-value 0": {
        "curve": BIN_CENTRES, "reading": MISREAD, "p-value": NEVER_COUNTED,
    },
    "left-closed, unweighted, ties left out": {
        "counts": LEFT_CLOSED, "ece": UNWEIGHTED, "p-value": STRICTLY_ABOVE,
    },
    "rounding, last of equals, dependent": {
        "counts": ROUNDED_PRODUCT, "curve": TIES_TO_THE_LAST, "outcomes": ONE_DRAW_REPEATED,
    },
    "an ECE that drops 1, a p-value that is none": {"ece": DROPS_ONE, "p-value": "p_value = print"},
}  # fmt: skip


@pytest.fixture(scope="module")
def course(tmp_path_factory):
    return Course(SOURCE, tmp_path_factory.mktemp("course") / "gradebook.db")


@pytest.fixture(scope="module")
def release(course):
    return course.release()


@pytest.mark.kernel
@pytest.mark.parametrize("answers", WRONG.values(), ids=WRONG)
def test_each_wrong_answer_loses_its_points_and_no_others(course, release, answers):
    submission = answered(release, {**solutions(SOURCE), **answers})
    points = full_marks(SOURCE) | {f"test-{name}": 0 for name in answers}
    assert course.grade(submission).points == points


@pytest.mark.kernel
def test_an_answer_written_another_way_earns_its_points(course, release):
    other = {
        "counts": "def bin_counts(scores, n_bins):\n"
        "    m = np.arange(1, n_bins + 1)\n"
        "    s = np.asarray(scores)[:, None]\n"
        "    inside = (s > (m - 1) / n_bins) & (s <= m / n_bins)\n"
        "    inside[:, 0] |= s[:, 0] == 0\n"
        "    return inside.sum(axis=0)",
        "ece": "def binned_ece(scores, happened, n_bins):\n"
        "    total = 0\n"
        "    for m in range(1, n_bins + 1):\n"
        "        low = -1 if m == 1 else (m - 1) / n_bins\n"
        "        here = (scores > low) & (scores <= m / n_bins)\n"
        "        gap = np.mean(np.asarray(happened)[here]) - np.mean(scores[here]) if here.any() else 0\n"
        "        total += here.mean() * abs(gap)\n"
        "    return total",
    }
    submission = answered(release, {**solutions(SOURCE), **other})
    assert course.grade(submission).points == full_marks(SOURCE)


@pytest.mark.kernel
def test_a_deleted_check_is_put_back_and_a_changed_one_restored(course, release):
    submission = answered(release, {**solutions(SOURCE), "ece": NO_BARS, "test-ece": "pass"})
    submission.cells = [cell for cell in submission.cells if cell.metadata.nbgrader.grade_id != "test-counts"]
    submission = answered(submission, {"counts": DIGITIZE})
    points = course.grade(submission).points
    assert points["test-ece"] == 0 and points["test-counts"] == 0
