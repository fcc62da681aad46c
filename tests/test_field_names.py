"""Metrics that have their name from a field: against other metrics, other programs and brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

import hitcurve as hc
from hitcurve import HitTable
from tests.strategies import count_tables, law


@law(40)
@given(t=count_tables())
def test_names_of_fields_are_what_they_say(t: HitTable) -> None:
    """Loss, time to discovery, extra records found, F1 above a cutoff and KS, by other metrics and by brute force."""
    of = {form: hc.metric(form).value(t) for form in ("auc", "loss", "auac", "atd", "recall@10%", "erf@10%", "f1@10%")}
    assert of["loss"] == pytest.approx(1 - of["auc"], abs=1e-13)
    assert of["atd"] == pytest.approx(1 - of["auac"] + 0.5 / t.n, abs=1e-12)
    k = math.ceil(t.n / 10 - 1e-9)
    assert of["erf@10%"] == pytest.approx(of["recall@10%"] - k / t.n, abs=1e-12)
    precision = hc.metric("precision@10%").value(t)
    whole = precision + of["recall@10%"]
    assert of["f1@10%"] == pytest.approx(2 * precision * of["recall@10%"] / whole if whole else 0.0, abs=1e-12)
    assert hc.metric("ks").value(t) == pytest.approx(max(0.0, *(t.counts.P - t.counts.Q)), abs=1e-15)
    n1, n0, n = t.n_pos, t.n_neg, t.n
    for level in (0.5, 0.95):
        found = hc.metrics.NormalisedWSS(level).value(t)
        j = math.ceil(level * n1 - 1e-9)
        # WSS between its least and its largest value
        least, most = level - (n0 + j) / n, level - j / n
        assert found == pytest.approx((hc.metrics.WSS(level).value(t) - least) / (most - least), abs=1e-12)


def test_what_asreview_insights_computes() -> None:
    """Its algorithms (commit 0454e5d) written out for one order: trapezoids, and numbers found at random rounded."""
    labels = np.array([1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
    n, n1 = labels.size, int(labels.sum())
    scores = np.arange(n, 0, -1)
    cumulative, x = np.cumsum(labels), np.arange(1, n + 1)
    best, worst = n * n1 - 0.5 - n1**2 / 2, n1**2 / 2
    loss = (best - np.trapezoid(cumulative, x)) / (best - worst)
    assert abs(hc.metrics.Loss()(labels, scores) - loss) < 1 / (n1 * (n - n1))
    ranks = np.flatnonzero(labels) + 1
    assert hc.metrics.AverageTimeToDiscovery()(labels, scores) * n == pytest.approx(np.mean(ranks))
    at_random = np.round(np.linspace(0, n1, n))
    extra = (cumulative - at_random)[int(0.1 * n) - 1] / n1
    assert abs(hc.metrics.ExtraRelevantFound(0.1, "floor")(labels, scores) - extra) <= 0.5 / n1 + 1e-12
    reached = ranks[math.ceil(0.8 * n1) - 1]
    tnr = 1 - (reached - math.ceil(0.8 * n1)) / (n - n1)
    assert hc.metrics.NormalisedWSS(0.8)(labels, scores) == pytest.approx(tnr)


def test_ks_is_that_of_scipy() -> None:
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [40, 90])
    for scores in (rng.normal(size=130) + y, np.round(2 * rng.normal(size=130) + y)):
        want = stats.ks_2samp(scores[y == 1], scores[y == 0], alternative="less")
        assert hc.metrics.KolmogorovSmirnov()(y, scores) == pytest.approx(want.statistic)
    scores = rng.normal(size=130) + 0.4 * y
    found = hc.evaluate(y, scores, metrics="ks")["score", "ks"].test_random(n_resamples=4999, rng=1)
    exact = stats.ks_2samp(scores[y == 1], scores[y == 0], alternative="less")
    assert found.pvalue == pytest.approx(exact.pvalue, abs=5 * math.sqrt(exact.pvalue / 4999))
