"""The sums over rows of logits against loops: few classes and many, one block and several, ties, -inf."""

import math

import numpy as np
import pytest

import calibration_lessons as cl
from calibration_lessons.calibrators._logit_rows import LogitRows
from tests.calibrators.cases import simulate

SHAPES = {"few classes": (50, 3), "many classes": (30, 80), "several blocks": (500, 90)}
shapes = pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
dtypes = pytest.mark.parametrize("dtype", [np.float16, np.float64], ids=lambda dtype: dtype.__name__)


def tied_rows(shape, dtype, ruled_out):
    """Whole logits with many ties; with `ruled_out` one class of each row has the logit -inf."""
    rng = np.random.default_rng(0)
    z, labels = rng.integers(-4, 4, shape).astype(dtype), rng.integers(0, shape[1], shape[0])
    if ruled_out:
        z[np.arange(shape[0]), (labels + 1) % shape[1]] = -np.inf
    return LogitRows(z, labels, rng.uniform(0.5, 2, shape[0]))


@pytest.mark.parametrize("ruled_out", [False, True])
@dtypes
@shapes
def test_the_limits_of_a_temperature_are_sums_over_the_rows(shape, dtype, ruled_out):
    rows = tied_rows(shape, dtype, ruled_out)
    literal = np.zeros(6)
    for row, label, weight, top in zip(
        rows.logits.tolist(), rows.labels, rows.weights, rows.highest, strict=True
    ):
        finite = [value for value in row if value > -math.inf]
        assert top == max(row)
        literal += weight * np.array(
            [
                1.0,
                max(row) - row[label],
                row[label] - sum(finite) / len(finite),
                row.index(max(row)) == label,
                1 / len(finite),
                1 / row.count(max(row)),
            ]
        )
    names = rows.limits.__dataclass_fields__
    found = [getattr(rows.limits, name) for name in names]
    assert found == pytest.approx(literal.tolist(), rel=1e-9)
    assert all(type(value) is float for value in found)
    assert rows.limits.spread == pytest.approx(literal[1] + literal[2])
    cut = len(rows.labels) // 3
    first, second = (
        LogitRows(rows.logits[s], rows.labels[s], rows.weights[s]) for s in (slice(cut), slice(cut, None))
    )
    together = first.limits + second.limits
    assert [getattr(together, name) for name in names] == pytest.approx(found)


@pytest.mark.parametrize("ruled_out", [False, True])
@dtypes
@shapes
def test_the_moments_at_a_temperature_are_sums_over_the_classes(shape, dtype, ruled_out):
    rows, beta = tied_rows(shape, dtype, ruled_out), 0.7
    for powers in (1, 2):
        blocks = list(rows.moments(beta, powers))
        assert np.concatenate([weights for weights, _ in blocks]).tolist() == rows.weights.tolist()
        found = np.concatenate([np.array(sums) for _, sums in blocks], axis=1)
        for i, row in enumerate(rows.logits.tolist()):
            t = [value - max(row) for value in row if value > -math.inf]
            for power in range(powers + 1):
                literal = math.fsum(math.exp(beta * v) * v**power for v in t)
                assert found[power, i] == pytest.approx(literal, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("method", [cl.TemperatureScaling, cl.ExpectationConsistency])
def test_the_slope_that_the_search_follows_is_that_of_the_equation(method):
    z, labels = simulate(200, 4, 2.0)
    z[np.arange(200), (labels + 1) % 4] = -np.inf
    rows = LogitRows(z, labels, np.random.default_rng(0).uniform(0, 2, 200))
    for beta in (0.1, 0.5, 3.0):
        _, slope = method._excess(rows, beta)
        (up, _), (down, _) = (method._excess(rows, beta + step) for step in (1e-6, -1e-6))
        assert slope == pytest.approx((up - down) / 2e-6, rel=1e-5) and slope > 0


@pytest.mark.parametrize("method", [cl.TemperatureScaling, cl.ExpectationConsistency])
def test_two_or_three_passes_over_all_rows_find_a_temperature(method, monkeypatch):
    logits, labels = simulate(50_000, 5, 2.0)
    passes, excess = [], method._excess

    def counted(rows, beta):
        passes.append(len(rows.labels))
        return excess(rows, beta)

    monkeypatch.setattr(method, "_excess", staticmethod(counted))
    method().fit(logits, labels)
    assert passes.count(50_000) in (2, 3)
    assert set(passes) == {50_000, 50_000 // 16}
