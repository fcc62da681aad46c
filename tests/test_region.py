"""Limits of one share at another by the region of the ROC plane."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import betaincinv, ndtr, ndtri
from scipy.stats import beta

from hitcurve.inference.intervals.region import Corners, above_upper, below_lower
from hitcurve.inference.models import Places

SHARES = np.array([1e-4, 0.01, 0.1, 0.3, 0.5, 0.9, 0.99])


@pytest.mark.parametrize("n", [5, 20, 400, 100_000])
def test_deviates_are_those_of_the_posterior_of_jeffreys(n: int) -> None:
    for k in {0, 1, 2, n // 4, n // 2, n - 1}:
        exact = np.maximum(0, -ndtri(beta.sf(SHARES, k + 0.5, n - k + 0.5)))
        near = exact < 4
        assert above_upper(k, n, SHARES)[near] == pytest.approx(exact[near], abs=0.05)
        assert below_lower(n - k, n, 1 - SHARES)[near] == pytest.approx(exact[near], abs=0.05)


def test_all_and_none_set_no_limit() -> None:
    assert not above_upper(7, 7, SHARES).any()
    assert not below_lower(0, 7, SHARES).any()
    assert below_lower(3, 7, 0.0) > 8
    assert above_upper(3, 7, 1.0) > 8


@pytest.mark.parametrize("seed", range(4))
def test_slices_are_the_extremes_over_all_thresholds(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n1, n0 = int(rng.integers(1, 40)), int(rng.integers(1, 300))
    above = np.sort(rng.integers(0, n0 + 1, n1))
    corners = Corners.of(Places(above, n0))
    x = np.array([0.0, 1e-6, 0.01, 0.2, 0.7, 1.0])
    for q in (0.8, 1.96, 3.0):
        low, high = corners.tpr_at(x, q)
        for place, at_least, at_most in zip(x, low, high, strict=True):
            lows, highs = [], []
            for i in range(n1 + 1):
                following, before = (above[i] if i < n1 else n0), (above[i - 1] if i else 0)
                z = float(above_upper(following, n0, place))
                if z <= q:
                    p = ndtr(-np.sqrt(q**2 - z**2))
                    lows.append(betaincinv(i + 0.5, n1 - i + 0.5, p) if i else 0.0)
                z = float(below_lower(before, n0, place))
                if z <= q:
                    p = ndtr(np.sqrt(q**2 - z**2))
                    highs.append(betaincinv(i + 0.5, n1 - i + 0.5, p) if i < n1 else 1.0)
            assert at_least == pytest.approx(min(lows), abs=1e-12)
            assert at_most == pytest.approx(max(highs), abs=1e-12)


def test_slices_of_both_axes_mirror_each_other() -> None:
    rng = np.random.default_rng(5)
    n1, n0 = 12, 30
    above = np.sort(rng.integers(0, n0 + 1, n1))
    # the list upside down, its classes exchanged, has the negatives in the place of the positives
    positives_above = np.searchsorted(above, np.arange(n0), side="right")
    turned = Places(positives_above, n1)
    y = np.array([0.05, 0.4, 0.8])
    low, high = Corners.of(Places(above, n0)).fpr_at(y, 2.0)
    # the region is the same set of points: a point is inside one way or the other
    for at, a, b in zip(y, low, high, strict=True):
        for x in np.linspace(0, 1, 41):
            of_x, to_x = Corners.of(turned).fpr_at(np.array([x]), 2.0)
            inside = bool(of_x[0] - 1e-9 <= at <= to_x[0] + 1e-9)
            if min(abs(x - a), abs(x - b)) > 1e-3:
                assert inside == (a <= x <= b)


def test_many_positives_have_corners_a_fifth_of_a_deviation_apart() -> None:
    rng = np.random.default_rng(6)
    n1, n0 = 5000, 20_000
    above = np.sort(np.minimum(rng.geometric(1 / 3000, n1), n0))
    places = Places(above, n0)
    few = Corners.of(places)
    assert few.hits.size < 1200
    assert few.hits[[0, -1]].tolist() == [0, n1]
    hits, ends = np.arange(n1 + 1), np.concatenate([[0], above, [n0]])
    every = Corners(hits, ends[:-1], ends[1:], n1, n0)
    x = np.array([0.001, 0.01, 0.1, 0.5])
    for some, exact in zip(few.tpr_at(x, 1.96), every.tpr_at(x, 1.96), strict=True):
        width = np.sqrt(exact * (1 - exact) / n1)
        assert np.max(np.abs(some - exact) / width) < 0.1


@pytest.mark.parametrize(("n1", "n0", "scale"), [(30, 60, 3), (30, 5000, 40), (900, 9000, 30), (300, 400, 0)])
def test_corners_that_are_not_looked_at_set_no_limit(
    n1: int, n0: int, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(n1)
    above = np.sort(np.minimum((rng.exponential(scale, n1) ** 2).astype(int), n0))
    corners = Corners.of(Places(above, n0))
    shares = np.concatenate([[0.0], np.geomspace(1e-3 / n0, 1.0, 200)])
    sizes = np.array([[0.3], [1.96], [4.5]])
    near = [*corners.tpr_at(shares, sizes), *corners.fpr_at(shares, sizes)]
    monkeypatch.setattr("hitcurve.inference.intervals.region._SAFE", 1e9)
    for some, every in zip(near, [*corners.tpr_at(shares, sizes), *corners.fpr_at(shares, sizes)], strict=True):
        np.testing.assert_array_equal(some, every)
