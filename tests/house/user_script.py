"""What a user may write: the type checkers read it strictly, and it runs."""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

import calibration_lessons as cl
from calibration_lessons import plots
from calibration_lessons.models import LogisticRegression

if TYPE_CHECKING:
    from typing import assert_type

    from calibration_lessons.plots import Picture


def calibrated(logits: npt.NDArray[np.float64], labels: npt.NDArray[np.int64]) -> cl.TemperatureScaling:
    """Fit a temperature."""
    return cl.TemperatureScaling().fit(logits, labels)


def measured(p: npt.NDArray[np.float64], labels: list[int]) -> list[float]:
    """Measure what it gives."""
    ece: float = cl.expected_calibration_error(labels, p, n_bins=10, strategy="quantile", target="class-wise")
    low, high = cl.ece_interval(labels, p, level=0.9)
    curve = cl.reliability_curve(labels, p, target=1)
    report: cl.measures.CalibrationReport = cl.calibration_report(labels, p, random_state=0)
    return [ece, low, high, curve.ece(), report.brier, cl.negative_log_likelihood(labels, p)]


def drawn(labels: list[int], p: npt.NDArray[np.float64]) -> "Picture":
    """Draw a diagram, by a module that is loaded at its first use."""
    curve = cl.reliability_curve(labels, p)
    picture = cl.plots.reliability_diagram(curve, band=curve.band(), color="tab:green")
    plots.corp_diagram(cl.corp_curve(labels, p))
    return picture


def main() -> None:
    """Run everything once."""
    logits, labels = cl.book.datasets.network_logits(0, "calibration")
    scaling = calibrated(logits, labels)
    numbers = measured(scaling.predict_proba(logits), [int(label) for label in labels])
    assert all(0 <= number < 2 for number in numbers)
    decomposition = cl.corp_decomposition([0, 1, 1, 0], [0.1, 0.4, 0.8, 0.3], sample_weight=[1, 2, 1, 1])
    x = np.array([[0.0], [1.0], [0.5], [2.0]])
    model = LogisticRegression().fit(x, [0, 1, 1, 0])
    if TYPE_CHECKING:
        assert_type(scaling.temperature_, float)
        assert_type(decomposition.miscalibration, float)
        assert_type(model.predict_proba(x), npt.NDArray[np.float64])
        assert_type(cl.book.simulate.ScoreSource().binned_calibration_error(), float)
    drawn([0, 1, 1, 0], np.array([0.1, 0.4, 0.8, 0.3]))


if __name__ == "__main__":
    main()
