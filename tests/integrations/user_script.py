"""What a user of PyTorch may write: the type checkers read it strictly, and it runs."""

import json

import numpy as np
import numpy.typing as npt
import torch

import calibration_lessons as cl
from calibration_lessons.deployment.monitor import CalibrationMonitor, WindowReport


def calibrated(logits: torch.Tensor, labels: torch.Tensor) -> npt.NDArray[np.float64]:
    """Fit, ship and read back."""
    scaling = cl.TemperatureScaling().fit(logits, labels)
    text = json.dumps(scaling.to_dict())
    again = cl.calibrator_from_dict(json.loads(text))
    source: str = cl.export(again, "torch")
    model: bytes = cl.export(again, "onnx", dtype="float64")
    assert "def calibrate" in source and len(model) > 100
    return again.predict_proba(logits)


def measured(labels: torch.Tensor, p: torch.Tensor) -> list[float]:
    """Measure in every way."""
    low, high = cl.ece_interval(labels, p)
    null: cl.measures.ECENull = cl.ece_under_calibration(p, random_state=0)
    line: cl.measures.CalibrationLine = cl.calibration_slope_intercept(labels == 0, p[:, 0])
    stream = cl.CalibrationAccumulator(n_bins=10).update(labels, p)
    priors: npt.NDArray[np.float64] = cl.decisions.estimate_priors(p, p)
    moved: npt.NDArray[np.float64] = cl.decisions.adjust_to_priors(p, train_priors=priors, new_priors=priors)
    decision: npt.NDArray[np.int64] = cl.decisions.optimal_decision(p, 1 - torch.eye(p.shape[1]))
    report: cl.measures.CalibrationReport = cl.calibration_report(labels, p, random_state=0)
    assert moved.shape == p.shape and len(decision) == len(labels)
    return [low, high, null.mean, line.slope, stream.curve().ece(), report.nll, cl.brier_score(labels, p)]


def watched(labels: torch.Tensor, p: torch.Tensor) -> list[WindowReport]:
    """Watch a day."""
    monitor = CalibrationMonitor(accuracy=0.5).add_forecasts("2026-11-22", p)
    alarms: list[str] = monitor.add_labels("2026-11-22", labels, p).check()
    assert set(alarms) <= {"calibration", "accuracy"}
    return monitor.report()


def main() -> None:
    """Run everything once."""
    generator = torch.Generator().manual_seed(0)
    logits = 3 * torch.randn(500, 3, generator=generator)
    labels = torch.multinomial(torch.softmax(logits / 2, dim=1), 1, generator=generator)[:, 0]
    logits.requires_grad_()
    p = torch.tensor(calibrated(logits, labels))
    assert all(number >= -5 for number in measured(labels, p))
    assert watched(labels, p)[0].labels == 500


if __name__ == "__main__":
    main()
