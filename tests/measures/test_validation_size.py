"""How many rows a validation needs: against its definition, published numbers, and samples of that size."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from scipy.stats import norm

import calibration_lessons as cl
from calibration_lessons.book import definitions
from calibration_lessons.measures.validation_size import _of_c_statistic

NORMAL = norm.ppf((np.arange(100_000) + 0.5) / 100_000)
Z = 1.959963984540054


@pytest.mark.equation("eq-validation-size")
@given(st.lists(st.floats(0.01, 0.99), min_size=2), st.floats(0.05, 1))
def test_the_slope_needs_what_the_definition_says(risks: list[float], width: float) -> None:
    if np.ptp(risks) < 1e-3:
        return
    for level, z in ((0.95, Z), (0.5, norm.ppf(0.75))):
        found = cl.validation_size(risks, slope=width, level=level)
        defined = definitions.validation_size(risks, width / (2 * z))
        assert found.slope == pytest.approx(defined, rel=1e-9, abs=1.0001)
        assert found.net_benefit is None and found.events == np.ceil(found.n * np.mean(risks))


def test_the_numbers_are_those_of_pmvalsampsize() -> None:
    """Version 0.2.0 from the Python index; it draws a million log-odds, here they are quantiles."""
    assert cl.validation_size(expit(-5 + 2.5 * NORMAL)).slope == pytest.approx(4544, rel=0.005)  # N(-5, 2.5)
    found = cl.validation_size(expit(-1.75 + 1.22 * NORMAL), threshold=0.2)
    assert found.n == found.slope == pytest.approx(2955, rel=0.005)  # N(-1.75, 1.22), threshold 0.2
    # these two were given a rate of 0.2 and a C statistic of 0.78, which are rounded
    assert found.observed_expected == pytest.approx(1538, rel=0.01)
    assert found.c_statistic == pytest.approx(511, rel=0.02)
    assert found.net_benefit == pytest.approx(704, rel=0.015)
    assert np.ceil(_of_c_statistic(0.8, 0.018, 0.1 / (2 * Z))) == 4252
    rare = cl.validation_size([0.008, 0.028], observed_expected=1)  # a rate of 0.018
    assert rare.observed_expected == pytest.approx(905, abs=1)  # Riley et al. 2021, too


def test_with_so_many_rows_each_interval_is_as_wide_as_asked() -> None:
    generator = np.random.default_rng(0)
    asked = {"observed_expected": 0.3, "slope": 0.3, "c_statistic": 0.1}
    for name, width in asked.items():
        n = getattr(cl.validation_size(expit(-1.5 + 1.2 * NORMAL), **asked), name)
        widths = []
        for _ in range(60):
            risk = expit(generator.normal(-1.5, 1.2, n))
            interval = getattr(cl.risk_validation(generator.random(n) < risk, risk), name)
            widths.append(interval.high - interval.low)
        assert np.mean(widths) == pytest.approx(width, rel=0.04)


def test_with_so_many_rows_the_standardized_net_benefit_scatters_as_asked() -> None:
    generator, found = np.random.default_rng(1), []
    n = cl.validation_size(expit(-1.5 + 1.2 * NORMAL), threshold=0.3).net_benefit
    for _ in range(2000):
        risk = expit(generator.normal(-1.5, 1.2, n))
        found.append(cl.net_benefit(generator.random(n) < risk, risk, [0.3], standardized=True)[0])
    assert 2 * Z * np.std(found) == pytest.approx(0.2, rel=0.06)
