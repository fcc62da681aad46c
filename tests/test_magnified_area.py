"""The area under the ROC curve with both axes magnified."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad

import hitcurve as hc
from hitcurve.errors import MetricParseError, ParameterError
from hitcurve.magnify import Custom, Exponential, Identity, Logarithmic, Power, Window
from hitcurve.metrics import MagnifiedArea
from tests.sampled import binormal

TABLE = hc.HitTable.from_counts([3, 0, 4, 2, 1], [2, 3, 5, 0, 10])


def brute(table: hc.HitTable, x: Any, y: Any) -> float:
    """Line by line: the integral of y(TPR) x'(FPR) by adaptive quadrature."""
    P, Q = (np.append(0, v) for v in (table.counts.P, table.counts.Q))
    total = 0.0
    for k in range(1, P.size):
        q = Q[k] - Q[k - 1]
        if q > 0:

            def along(u: float, k: int = k, q: float = q) -> float:
                tpr = P[k - 1] + u * (P[k] - P[k - 1])
                return float(y(tpr)) * float(x.derivative(Q[k - 1] + u * q)) * q

            total += quad(along, 0, 1, epsabs=1e-13)[0]
    return total


@pytest.mark.parametrize("x", [Identity(), Exponential(7), Logarithmic(80)], ids=str)
@pytest.mark.parametrize("y", [Identity(), Exponential(3), Power(0.5)], ids=str)
def test_value_is_the_integral_along_the_curve(x: Any, y: Any) -> None:
    assert MagnifiedArea(x, y).value(TABLE) == pytest.approx(brute(TABLE, x, y), abs=1e-10)


def test_special_cases_are_known_metrics() -> None:
    pairs = {
        "magnified_area": "auc",
        "magnified_area(x=exp(alpha=7))": "croc(exp, alpha=7)",
        "magnified_area(y=window(lower=0.8, upper=1))": "pauc(tpr, 0.8, 1, scale=max)",
    }
    for form, other in pairs.items():
        assert hc.metric(form).value(TABLE) == pytest.approx(hc.metric(other).value(TABLE), abs=1e-12)


def test_weights_over_tpr_are_means_of_one_minus_fpr() -> None:
    """y alone: the mean of 1 - FPR over recalls that have the density y'; a map of one's own will do."""
    late = Custom(lambda t: np.asarray(t) ** 3)
    P, Q = (np.append(0, v) for v in (TABLE.counts.P, TABLE.counts.Q))
    u = (np.arange(400_000) + 0.5) / 400_000
    steep = np.interp(u, P, Q)  # FPR at a recall; vertical and flat parts are of no width
    wanted = float(np.mean((1 - steep) * 3 * u**2))
    assert MagnifiedArea(y=late).value(TABLE) == pytest.approx(wanted, abs=1e-4)


def test_both_axes_go_to_the_limit_of_the_slope() -> None:
    """Section 2.3 of the paper, corrected: slope/(1 + slope) for strong magnifications of both axes."""
    for slope in (0.5, 3.0):
        table = hc.HitTable.from_counts([round(10 * slope), 100 - round(10 * slope)], [10, 90])
        found = MagnifiedArea(Exponential(300), Exponential(300)).value(table)
        assert found == pytest.approx(slope / (1 + slope), rel=1e-3)


@pytest.mark.parametrize("form", ["magnified_area(x=exp(alpha=7), y=exp(alpha=3))", "magnified_area(y=exp(alpha=7))"])
def test_standard_error_is_that_of_samples(form: str) -> None:
    found, values = [], []
    for seed in range(150):
        sample = binormal(60, 240, 1.2, seed=seed)
        e = hc.evaluate(sample.y, sample.a, metrics=form, design="case-control")["score", form]
        values.append(e.value)
        found.append(e.standard_error)
    assert np.mean(found) == pytest.approx(np.std(values, ddof=1), rel=4 / math.sqrt(2 * 150))
    low, high = e.confidence_interval()
    assert 0 <= low < e.value < high <= 1


def test_form_reads_back_and_says_what_it_cannot() -> None:
    for form in ("magnified_area", "magnified_area(x=log(alpha=80), y=power(alpha=0.5))", "magnified_area(y=identity)"):
        m = hc.metric(form)
        assert hc.metric(str(m)) == m
    with pytest.raises(MetricParseError, match="the map exp cannot use the argument 8"):
        hc.metric("magnified_area(x=exp(7, 8))")
    with pytest.raises(MetricParseError, match="no map 'expo'"):
        hc.metric("magnified_area(x=expo)")
    with pytest.raises(ParameterError, match="y must be a Magnification, got 3"):
        MagnifiedArea(y=3)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match=r"y is window\(lower=0, upper=0.1\): magnify one axis alone"):
        MagnifiedArea(Exponential(7), Window(0, 0.1))
    with pytest.raises(ParameterError, match="x is custom"):
        MagnifiedArea(Custom(lambda t: np.asarray(t) ** 2), Exponential(3))


@pytest.mark.parametrize("form", ["{}, alpha=7", "{}, 7", "{}(7)", "{}(alpha=7)"])
@pytest.mark.parametrize("word", ["exp", "power"])
def test_parameters_of_a_map_stand_beside_it_or_in_it(form: str, word: str) -> None:
    """As the forms of a map are listed, ``exp(alpha)``, so they are read; what is printed is one of them."""
    text = form.format(word)
    assert str(hc.metric(f"croc({text})")) == f"croc({word}, alpha=7)"
    assert hc.metric(f"area({text}, along=rate)") == hc.metric(f"area({word}, alpha=7, along=rate)")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exp", r"the map exp needs alpha, as in exp\(alpha=7\)"),
        ("exp(7, 8)", "the map exp cannot use the argument 8"),
        ("exp(beta=7)", "the map exp needs alpha"),
        ("exp(7), 8", "croc cannot use the argument 8"),
        ("exp(7), alpha=7", "croc has no argument alpha"),
        ("identity(7)", "the map identity cannot use the argument 7"),
        ("exp@1(7)", "got '@'"),
        ("expo(7)", "no map 'expo'; did you mean 'exp'"),
    ],
)
def test_a_map_is_read_once_and_whole(text: str, said: str) -> None:
    with pytest.raises(MetricParseError, match=said):
        hc.metric(f"croc({text})")
