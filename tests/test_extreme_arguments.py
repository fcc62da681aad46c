"""Arguments of metrics at the ends of what floats hold: the value is right, or refused in one sentence."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import Any

import numpy as np
import pytest
from scipy.special import betaln

import hitcurve as hc
from hitcurve.errors import InputError, ParameterError
from hitcurve.magnify import Log2Power, Power
from hitcurve.magnify.beta import BetaDistribution

SIZES = ("1e-300", "1e-20", "1e-12", "1e6", "1e18", "1e75", "1e300")
ENDS = ("5e-324", "1e-300", "1e-50", "1e-17", "1e-12", "0.9999999999999999")
PERCENTS = ("1e-300%", "1e-50%", "1e-17%", "1e-12%", "99.99999999999999%", "100%")
RANKS = ("1000000000000000000", "9223372036854775808", "1000000000000000000000000000000")
MAPS = ("exp", "power", "log", "log2power")
FORMS = (
    *(f"{name}(alpha={x})" for name in ("bedroc", "rie") for x in SIZES),
    *(f"{name}({f}, alpha={x})" for name in ("croc", "cac") for f in MAPS for x in SIZES),
    *(f"ndcg(base={x})" for x in SIZES),
    *(f"{name}({f}, t={x})" for name in ("croc", "cac") for f in ("cutoff", "step") for x in ENDS),
    *(f"croc({f}, lower={x}, upper=0.5)" for f in ("window", "logwindow") for x in ENDS),
    *(f"pauc(fpr, 0, {x}, scale={scale})" for scale in ("raw", "max", "mcclish") for x in ENDS),
    *(f"pauc(tpr, {x}, 1, scale={scale})" for scale in ("raw", "max", "mcclish") for x in ENDS),
    *(f"logauc({x}, 1)" for x in ENDS),
    *(f"pr_area(keilwagen, {end}={x})" for end in ("lower", "upper") for x in ENDS),
    *(f"{name}({f})" for name in ("rauc", "expected_recall", "expected_negative_recall") for x in ENDS
      for f in (f"point({x})", f"uniform(0, {x})")),
    *(f"{name}(beta({a}, {b}))" for name in ("rauc", "expected_recall", "expected_negative_recall")
      for a, b in itertools.product(("1e-300", "1e-08", "1", "100000", "1e12", "1e300"), repeat=2)),
    *(f"{name}@{x}{cut}" for name in ("recall", "ef", "relative_ef", "precision", "hits", "roc_enrichment")
      for x in PERCENTS for cut in ("", "(cut=ceil)", "(cut=floor)", "(cut=round)", "(cut=fractional)")),
    *(f"wss@{x}" for x in PERCENTS),
    *(f"{name}@{k}" for name in ("recall", "ef", "relative_ef", "precision", "hits", "ndcg", "dcg") for k in RANKS),
    *(f"{form}" for k in RANKS for form in (f"roc({k})", f"interpolated_ap(points={k})")),
)  # fmt: skip
Y = np.tile([1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0], 5)
LISTS: dict[str, dict[str, Any]] = {
    "counts": {},
    "weights": {"sample_weight": 1 + np.arange(75) % 3 / 2},
    "set prevalence": {"prevalence": 0.01},
}


ARGUMENTS: tuple[Any, ...] = (
    *(None, "x", b"x", [1], math.nan, math.inf, -math.inf, True, False, 1j),
    *(-1, 0, 0.5, 1, 2, 2.0, 1e-320, 2**53 + 1, 2**60, -(2**60) - 1, 10**400),
)


@pytest.mark.parametrize("name", hc.metrics.examples())
def test_a_parameter_is_kept_in_the_metric_string_or_refused(name: str) -> None:
    one: Any = hc.metric(hc.metrics.examples()[name])
    fields = [f.name for f in dataclasses.fields(one) if f.init]
    for field, value in itertools.product(fields, ARGUMENTS):
        try:
            made = dataclasses.replace(one, **{field: value})
        except ParameterError:
            continue
        found = hc.metric(str(made))
        assert found == made, (field, value)
        assert hash(found) == hash(made), (field, value)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("form", FORMS)
def test_a_value_is_right_or_refused(form: str) -> None:
    for kind, options in LISTS.items():
        try:
            ev = hc.evaluate(Y, range(75, 0, -1), metrics=form, **options)
        except InputError:
            continue
        (e,) = ev
        assert str(ev)
        assert math.isfinite(e.value), kind
        assert e.worst <= e.value <= e.best, kind
        if not e.reason:
            assert math.isfinite(e.standard_error), kind
            assert e.interval is not None, kind
            assert e.interval.low <= e.value <= e.interval.high, kind


@pytest.mark.parametrize("cut", ["ceil", "floor", "round"])
@pytest.mark.parametrize("share", ["1e-50%", "1e-17%", "1e-12%", "1e-9%"])
def test_a_tiny_share_is_one_subject(share: str, cut: str) -> None:
    found = hc.metric(f"precision@{share}(cut={cut})")
    assert found(Y, range(75, 0, -1)) == hc.metric("precision@1")(Y, range(75, 0, -1)) == 1


@pytest.mark.parametrize("alpha", [1e6, 1e18, 1e75])
def test_flat_maps_keep_what_a_positive_is_worth(alpha: float) -> None:
    # 1 - x^c and 1 - log2(1 + x)^c, of which c = 1/(1 + alpha) is a factor, all but a part c of it
    c, start, end = 1 / (1 + alpha), np.array([0.0, 0.0, 0.2, 0.5, 1e-9]), np.array([1.0, 0.01, 0.9, 0.5, 0.3])
    with np.errstate(divide="ignore", invalid="ignore"):
        integral = [x * np.where(x > 0, 1 - np.log(x), 0.0) for x in (start, end)]
        expected = np.where(start < end, (integral[1] - integral[0]) / (end - start), -np.log(end))
    assert Power(alpha).worth(start, end) / c == pytest.approx(expected, rel=10 / alpha + 1e-11)
    # the integral of -log(log2(1 + x)) over [0, 1]
    whole = float(Log2Power(alpha).worth(np.array([0.0]), np.array([1.0]))[0])
    assert whole / c == pytest.approx(0.8344610357976243, rel=10 / alpha + 1e-11)


def test_rate_densities_of_large_shapes() -> None:
    pos, neg = [3, 0, 2, 1, 0, 4], [1, 2, 0, 5, 20, 63]
    table = hc.HitTable.from_counts(pos, neg)
    # all rates are within the first group: the mean rate over its length
    for a, b in ((1e-5, 1e5), (0.5, 1e5), (1.0, 1e8)):
        mean = a / (a + b)
        assert hc.metric(f"expected_recall(beta({a!r}, {b!r}))").value(table) == pytest.approx(
            0.3 * mean * 101 / 4, rel=1e-10
        )
    # at a rate that is all but certain, 50.5 subjects are processed: 16.5 of the 67 in the last group
    for shape in (1e8, 1e12):
        found = hc.metric(f"expected_recall(beta({shape!r}, {shape!r}))").value(table)
        assert found == pytest.approx((6 + 4 * 16.5 / 67) / 10, rel=1e-10)


@pytest.mark.parametrize(("a", "b"), [(2, 5), (0.5, 0.5), (6.23, 32.8)])
@pytest.mark.parametrize("kind", ["mean", "worth", "mean_slopes"])
def test_beta_densities_next_to_the_end_of_the_list(a: float, b: float, kind: str) -> None:
    # rows whose weights are far smaller than those of the others
    start = np.tile(np.geomspace(1e-118, 1e-12, 60), 3)
    end = start * np.repeat([1 + 1e-5, 1.01, 1.4], 60)
    f = BetaDistribution(a, b)
    found = np.asarray(getattr(f, kind)(start, end))
    assert np.isfinite(found).all()
    leading = np.exp(-betaln(a, b)) / a
    ratio = end / start
    exact = leading * start**a * (ratio ** (a + 1) - 1) / (a + 1) / (ratio - 1)
    if kind == "mean":
        assert found == pytest.approx(exact, rel=1e-9, abs=1e-300)
    elif kind == "worth":
        assert found == pytest.approx(1 - exact, rel=1e-10)
