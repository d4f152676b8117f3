#!/usr/bin/env python3
"""Draw README's picture, a network before and after a temperature (`make notebooks` calls it)."""

from base64 import b64encode

import calibration_lessons as cl
from calibration_lessons import plots
from calibration_lessons.book import datasets
from tools.binding.pages import ROOT
from tools.binding.pictures import look_the_same

PICTURE = ROOT / "book/assets/before_after.png"


def drawn() -> bytes:
    """Return the picture as PNG."""
    fit, judge = (datasets.network_logits(0, part) for part in ("calibration", "test"))
    scaling = cl.TemperatureScaling().fit(*fit)
    after = scaling.predict_proba(judge.logits)
    picture = plots.panels(1, 2, size=(9.0, 4.2))
    for ax, p, title, color in zip(
        picture.axes,
        (cl.softmax(judge.logits), after),
        ("as the network was trained", f"its logits divided by {scaling.temperature_:.2f}"),
        ("uncalibrated", "temperature"),
        strict=True,
    ):
        curve = cl.reliability_curve(judge.labels, p)
        plots.reliability_diagram(
            curve, band=curve.band(), color=color, title=title, counts=False, legend=False, ax=ax
        )
    return picture._repr_png_()


if __name__ == "__main__":
    new = drawn()
    known = PICTURE.read_bytes() if PICTURE.exists() else b""
    if not known or not look_the_same(*(b64encode(png).decode() for png in (new, known))):
        PICTURE.write_bytes(new)
        print(f"{PICTURE.relative_to(ROOT)}: drawn")
