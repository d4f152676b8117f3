"""The reliability diagram made as scikit-learn makes its displays: from forecasts, or from a classifier."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from .. import _input
from .._typing import Label
from ..measures.reliability import ReliabilityCurve, reliability_curve
from .pictures import reliability_diagram

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class ReliabilityDisplay:
    """A reliability curve and its diagram, as `sklearn.calibration.CalibrationDisplay` has them.

    Parameters
    ----------
    curve : ReliabilityCurve
    name : str
        Name of the model.

    Attributes
    ----------
    ax_, figure_ : Axes, Picture or Figure
        Where it was drawn last.

    Examples
    --------
    >>> display = ReliabilityDisplay.from_predictions(["no", "yes", "yes"], [0.2, 0.4, 0.9], n_bins=2)
    >>> display.curve, display.ax_.get_ylabel()
    (<ReliabilityCurve of the positive class: n = 3, 2 bins of equal width, ECE 0.1667>, 'observed frequency')
    """

    def __init__(self, curve: ReliabilityCurve, *, name: str = "model") -> None:
        self.curve, self.name = curve, name

    def plot(self, *, ax: Axes | None = None, name: str | None = None, **options: Any) -> Self:
        """Draw the curve, with the options of `reliability_diagram`, and return the display."""
        picture = reliability_diagram(self.curve, label=name or self.name, ax=ax, **options)
        self.ax_, self.figure_ = ax or picture.axes[0], picture
        return self

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_prob: Any, *, name: str = "model", ax: Axes | None = None, **options: Any
    ) -> Self:
        """Compute and draw a curve, with the options of `reliability_curve`."""
        return cls(reliability_curve(y_true, y_prob, **options), name=name).plot(ax=ax)

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        pos_label: Label = None,
        name: str | None = None,
        ax: Axes | None = None,
        **options: Any,
    ) -> Self:
        """Let a fitted classifier forecast, and draw that; `pos_label` names the class of two."""
        known, p = estimator.classes_.tolist(), estimator.predict_proba(X)
        name = name or type(estimator).__name__
        if len(known) > 2:
            return cls.from_predictions(y, p, labels=known, pos_label=pos_label, name=name, ax=ax, **options)
        positive = known[1] if pos_label is None else pos_label
        _input.one_of(positive, known, "pos_label")
        p = p[:, known.index(positive)]
        return cls.from_predictions(y, p, pos_label=positive, name=name, ax=ax, **options)
