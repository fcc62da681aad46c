"""Bands by the region of the ROC plane, against loops over all thresholds with scipy's distributions."""

from __future__ import annotations

import functools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import beta, norm, t
from validation.held_out import HOOKS
from validation.populations import sample
from validation.regions import rates_of
from validation.running import tables

import hitcurve as hc
from hitcurve import HitTable
from hitcurve.inference.bands.by_region import along_rate, rising
from hitcurve.inference.bands.reach import Part, Points, distances, reach
from hitcurve.inference.intervals.binomial import deviate
from hitcurve.inference.intervals.region import Corners, levels, thresholds
from hitcurve.inference.models import KernelFit, Places
from hitcurve.inference.resampling.resample import seed_of

Array = NDArray[np.float64]


def listed(seed: int, n1: int, n0: int, shift: float = 1.5, decimals: int | None = None) -> HitTable:
    """Draw a list; rounded scores are tied."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n1, n0])
    score = rng.normal(size=n1 + n0) + shift * y
    return HitTable.from_scores(y, score if decimals is None else score.round(decimals))


LISTS = {
    "continuous": listed(0, 20, 80),
    "few negatives": listed(1, 40, 8),
    "nearly perfect": listed(2, 15, 60, 4.0),
    "perfect": HitTable.from_counts([12, 0], [0, 30]),
    "upside down": listed(3, 12, 50, -3.0),
    "ties": listed(4, 30, 70, 1.0, 0),
    "two levels": HitTable.from_counts([9, 6], [3, 40]),
}


# ---- deviates


def exact(count: int, n: int, share: float) -> float:
    """Deviate of a share in its Jeffreys posterior, by scipy."""
    posterior = beta(count + 0.5, n - count + 0.5)
    return float(norm.ppf(posterior.cdf(share)) if share < count / n else -norm.ppf(posterior.sf(share)))


@pytest.mark.parametrize("n", [5, 20, 80, 1000])
def test_the_closed_form_is_the_beta_distribution(n: int) -> None:
    for count in np.unique(np.rint(np.geomspace(1, n + 1, 12)).astype(int) - 1):
        shares = np.concatenate([np.geomspace(0.02 / n, 0.5, 15), np.linspace(0.5, 1 - 0.02 / n, 10)])
        expected = np.array([exact(int(count), n, share) for share in shares])
        near = np.abs(expected) < 4
        found = deviate(np.array(count), n, shares)
        np.testing.assert_allclose(found[near], expected[near], atol=0.05)
        mirrored = deviate(np.array(n - count), n, 1 - shares)
        np.testing.assert_allclose(found[near], -mirrored[near], atol=1e-9)


# ---- limits, by loops


def corners(places: Places) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Return (positives, negatives) of thresholds: those that bound from above, and from below."""
    B = [0, *places.above.tolist(), places.n_neg]
    n1 = places.n_pos
    return [(i, B[i]) for i in range(n1 + 1)], [(i, B[i + 1]) for i in range(n1 + 1)]


@functools.cache
def used(count: int, n: int, share: float, sign: int) -> float:
    """Deviates by which a count is too small (1) or too large (-1) for a share."""
    if count == (n if sign > 0 else 0):
        return 0.0
    return max(sign * exact(count, n, share), 0.0)


@functools.cache
def end(count: int, n: int, deviates: float) -> float:
    if count == (n if deviates > 0 else 0):
        return float(count == n)
    return float(beta.ppf(norm.cdf(deviates), count + 0.5, n - count + 0.5))


def slow_tpr(places: Places, x: float, q: float) -> tuple[float, float]:
    over, under = corners(places)
    n1, n0 = places.n_pos, places.n_neg
    low, high = [], []
    for i, b in under:
        z = used(b, n0, x, 1)
        if z <= q:
            low.append(end(i, n1, -math.sqrt(q * q - z * z)) if i else 0.0)
    for i, b in over:
        z = used(b, n0, x, -1)
        if z <= q:
            high.append(end(i, n1, math.sqrt(q * q - z * z)) if i < n1 else 1.0)
    return min(low), max(high)


def slow_fpr(places: Places, y: float, q: float) -> tuple[float, float]:
    over, under = corners(places)
    n1, n0 = places.n_pos, places.n_neg
    low, high = [], []
    for i, b in over:
        z = used(i, n1, y, 1)
        if z <= q:
            low.append(end(b, n0, -math.sqrt(q * q - z * z)) if b else 0.0)
    for i, b in under:
        z = used(i, n1, y, -1)
        if z <= q:
            high.append(end(b, n0, math.sqrt(q * q - z * z)) if b < n0 else 1.0)
    return min(low), max(high)


def slow_distance(places: Places, x: float, y: float) -> float:
    over, under = corners(places)
    n1, n0 = places.n_pos, places.n_neg
    above = min(math.hypot(used(b, n0, x, -1), used(i, n1, y, 1)) for i, b in over)
    below = min(math.hypot(used(b, n0, x, 1), used(i, n1, y, -1)) for i, b in under)
    return min(max(above, below), 6.0)


@pytest.mark.slow
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("q", [1.0, 2.4])
def test_limits_are_those_of_loops_over_all_thresholds(name: str, q: float) -> None:
    places = Places.even(LISTS[name].counts)
    region = Corners.of(places)
    for place in (0.004, 0.03, 0.1, 0.3, 0.62, 0.9, 0.995):
        for found, slow in (
            (region.tpr_at(np.array([place]), q), slow_tpr),
            (region.fpr_at(np.array([place]), q), slow_fpr),
        ):
            np.testing.assert_allclose([side[0] for side in found], slow(places, place, q), atol=0.006)


@pytest.mark.parametrize("name", LISTS)
def test_limits_rise_and_hold_what_is_between_the_places(name: str) -> None:
    region = Corners.of(Places.even(LISTS[name].counts))
    x = np.linspace(0.001, 0.999, 60)
    narrow, wide = (rising(*sides) for sides in zip(*region.tpr_at(x, np.array([[1.5], [2.5]])), strict=True))
    for low, high in (narrow, wide, rising(*region.fpr_at(x, 2.0))):
        assert np.all(np.diff(low) >= 0)
        assert np.all(np.diff(high) >= 0)
        assert np.all(low < high)
    assert np.all(wide[0] <= narrow[0])
    assert np.all(wide[1] >= narrow[1])
    fine = np.linspace(0.001, 0.999, 2000)
    low, high = rising(*region.tpr_at(fine, 2.5))
    starts, ends = np.interp(fine, x, wide[0]), np.interp(fine, x, wide[1])
    assert np.all(starts[low == 0][:-40] == 0)  # up to one place of the coarse grid
    assert np.all(ends[high == 1][40:] == 1)


@pytest.mark.parametrize("curve", ["roc", "precision_recall", "accumulation", "hit", "lift", "rate_accuracy", "det"])
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("prevalence", [None, 0.05])
def test_bands_hold_the_curve_of_the_sample(curve: str, name: str, prevalence: float | None) -> None:
    b = hc.band(LISTS[name], curve=curve, prevalence=prevalence)
    assert b.method == "region"
    assert np.all(b.low.y <= b.center.y + 1e-12)
    assert np.all(b.center.y <= b.high.y + 1e-12)
    assert np.all(np.isfinite(b.low.y) & np.isfinite(b.high.y))


def test_swapping_the_classes_and_the_order_turns_the_limits_round() -> None:
    table = LISTS["continuous"]
    places = Places.even(table.counts)
    c = table.counts
    turned = Places.even(HitTable.from_counts(c.neg[::-1], c.pos[::-1]).counts)
    x = np.array([0.05, 0.2, 0.5, 0.8])
    low, high = Corners.of(places).fpr_at(x, 2.0)
    other_low, other_high = Corners.of(turned).tpr_at(1 - x[::-1], 2.0)
    np.testing.assert_allclose(low, 1 - other_high[::-1], atol=0.02)
    np.testing.assert_allclose(high, 1 - other_low[::-1], atol=0.02)


# ---- rates and the prevalence


def test_over_rates_the_limits_are_the_boundary_of_the_region() -> None:
    """The highest accumulation curve of the region, found point by point on its boundary."""
    table, q, pi = LISTS["continuous"], 2.2, 0.2
    region, c = Corners.of(Places.even(table.counts)), table.counts
    fpr = np.linspace(1e-6, 1, 20_001)[:-1]
    lowest, highest = rising(*region.tpr_at(fpr, q))
    rates = np.linspace(0.1, 0.9, 21)  # away from both ends, where a limit is 0 or 1 for one place more
    low, high = along_rate(region, c, rates, q, 0.0, lambda _, tpr, __: tpr)
    for found, tpr in ((high, highest), (low, lowest)):
        place = np.concatenate([[0.0], pi * tpr + (1 - pi) * fpr, [1.0]])
        np.testing.assert_allclose(found, np.interp(rates, place, np.concatenate([[0.0], tpr, [1.0]])), atol=0.02)


@pytest.mark.parametrize("curve", ["accumulation", "hit", "precision_recall", "rate_accuracy", "lift"])
def test_a_known_prevalence_is_narrower_than_a_sampled_one(curve: str) -> None:
    table = LISTS["continuous"]
    known = hc.band(table, curve=curve, prevalence=0.2, rng=0)
    sampled = hc.band(table, curve=curve, rng=0)
    assert known.design == "case-control"
    assert known.mean_width < sampled.mean_width
    x = known.x
    assert np.all(sampled.low.at(x) <= known.low.y + 1e-9)
    assert np.all(known.high.y <= sampled.high.at(x) + 1e-9)


@pytest.mark.parametrize("curve", ["roc", "det", "croc", "proc"])
def test_over_fpr_the_prevalence_plays_no_part(curve: str) -> None:
    table = LISTS["continuous"]
    np.testing.assert_array_equal(
        hc.band(table, curve=curve, rng=0).low.y[:40], hc.band(table, curve=curve, prevalence=0.2, rng=0).low.y[:40]
    )


# ---- ties


def test_places_of_a_row_are_spread_evenly_over_its_negatives() -> None:
    places = Places.even(HitTable.from_counts([0, 3, 1, 2], [4, 6, 1, 0]).counts)
    np.testing.assert_array_equal(places.above, [5, 7, 9, 11, 11, 11])
    assert places.n_neg == 11


@pytest.mark.parametrize("seed", range(5))
def test_even_places_are_near_the_mean_of_random_orders(seed: int) -> None:
    counts = listed(seed, 30, 70, 1.0, 0).counts
    rng = np.random.default_rng(seed)
    mean = np.mean([Places.of(counts, rng).above for _ in range(400)], axis=0)
    # half a gap of the row with the fewest positives
    assert np.max(np.abs(Places.even(counts).above - mean)) < 5
    untied = listed(seed, 30, 70).counts
    np.testing.assert_array_equal(Places.even(untied).above, Places.of(untied, rng).above)


def test_the_order_of_rows_and_of_tied_subjects_plays_no_part() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [30, 120])
    score = (rng.normal(size=150) + y).round(1)
    order = rng.permutation(150)
    for curve in ("roc", "precision_recall", "accumulation"):
        one, other = hc.band(y, score, curve=curve), hc.band(y[order], score[order], curve=curve)
        assert one.seed == other.seed
        np.testing.assert_array_equal(one.high.y, other.high.y)


# ---- the reach


@pytest.mark.slow
def test_distances_are_those_of_loops_over_all_thresholds() -> None:
    places = Places.even(LISTS["continuous"].counts)
    found = distances(places, None, 3, np.random.default_rng(3))
    model = KernelFit.of(places)
    rng = np.random.default_rng(3)
    drawn = model.above(thresholds(20)[1:], 20, 80, 3, rng)
    points = Points.of(model, 20, 80)
    for above, largest in zip(drawn, found, strict=True):
        one = Places(np.asarray(above, np.int64), 80)
        assert largest == pytest.approx(max(slow_distance(one, x, y) for x, y in zip(*points, strict=True)), abs=0.03)


@pytest.mark.parametrize(("n1", "n0"), [(450, 450), (60, 3000), (600, 2000)])
def test_rounded_counts_and_fewer_thresholds_change_distances_little(
    n1: int, n0: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    places = Places.even(listed(5, n1, n0).counts)
    few = distances(places, None, 150, np.random.default_rng(0))
    monkeypatch.setattr("hitcurve.inference.intervals.region._ALL", 10_000)
    every = distances(places, None, 150, np.random.default_rng(0))
    for level in (0.5, 0.9):
        assert np.quantile(few, level) == pytest.approx(np.quantile(every, level), abs=0.3)


@pytest.mark.parametrize("n", [7, 400, 401, 5000, 10**6])
def test_levels_hold_both_ends_and_are_a_fifth_of_a_deviation_apart(n: int) -> None:
    found = levels(n, 0.2)
    assert found[0] == 0
    assert found[-1] == n
    gaps = np.diff(found)
    assert np.all(gaps > 0)
    middle = (found[1:] + found[:-1]) / 2
    deviation = np.sqrt(middle * (1 - middle / n))
    assert np.all(gaps <= np.maximum(1.0, 0.2 * deviation + 1))


def test_the_reach_grows_with_the_level_and_shrinks_with_the_part() -> None:
    places = Places.even(listed(6, 50, 450).counts)
    whole = [reach(places, level, 0) for level in (0.5, 0.8, 0.9, 0.95, 0.99)]
    assert whole == sorted(whole)
    assert reach(places, 0.95, 0, Part("fpr", 0.05, 0.5, 0.1)) < whole[3]
    assert reach(places, 0.95, 0, Part("fpr", 0.3, 0.3 + 1e-9, 0.1)) < reach(
        places, 0.95, 0, Part("fpr", 0.05, 0.5, 0.1)
    )
    drawn = distances(places, None, 400, np.random.default_rng(0))
    assert whole[3] == pytest.approx(np.quantile(drawn, 0.97) * t.ppf(0.975, 49) / norm.ppf(0.975), rel=1e-12)


@pytest.mark.parametrize("part", [None, Part("fpr", 0.1, 0.9, 0.2), Part("recall", 0.1, 0.9, 0.2)])
def test_the_reach_of_a_perfect_list_is_that_of_one_point(part: Part | None) -> None:
    places = Places.even(LISTS["perfect"].counts)
    assert reach(places, 0.95, 0, part) >= t.ppf(0.975, 11) - 1e-12
    b = hc.band(LISTS["perfect"], curve="roc", x_range=(0.1, 0.9))
    assert b.low.at(0.5) < 0.82  # nine of ten lists of 12 are perfect at a TPR of 0.99, one of four at 0.89


def test_samples_of_a_model_at_some_ranks_have_the_law_of_whole_samples() -> None:
    model = KernelFit.of(Places.even(listed(7, 40, 300).counts))
    rank = np.array([1, 2, 5, 11, 20, 33, 39])
    some = model.above(rank, 40, 300, 4000, np.random.default_rng(0))
    whole = model.above(np.arange(1, 41), 40, 300, 4000, np.random.default_rng(1))[:, rank - 1]
    deviation = whole.std(axis=0)
    np.testing.assert_allclose(some.mean(axis=0), whole.mean(axis=0), atol=float(0.08 * deviation.max()))
    np.testing.assert_allclose(some.std(axis=0), deviation, rtol=0.06, atol=0.05)
    assert np.all(np.diff(some, axis=1) >= 0)


def test_fpr_of_a_model_is_the_inverse_of_its_tpr() -> None:
    model = KernelFit.of(Places.even(listed(8, 40, 300).counts))
    tpr = np.array([0.001, 0.02, 0.3, 0.8, 0.99])
    np.testing.assert_allclose(model.tpr(model.fpr(tpr)), tpr, rtol=0.01)


def test_one_seed_is_one_reach_for_every_curve_and_a_generator_draws_anew() -> None:
    table = LISTS["continuous"]
    roc, det = (hc.band(table, curve=curve) for curve in ("roc", "det"))
    assert roc.seed == det.seed == seed_of(table.collapse())
    np.testing.assert_allclose(roc.low.y, 1 - det.high.y, atol=1e-15)
    rng = np.random.default_rng(0)
    one, other = (hc.band(table, curve="roc", rng=rng) for _ in range(2))
    assert one.seed is None
    assert not np.array_equal(one.low.y, other.low.y)


# ---- coverage: a slice of the study with a fixed seed


@pytest.mark.slow
@pytest.mark.parametrize("name", ["t2 hook", "high 5%"])
def test_a_curve_that_begins_flat_is_held(name: str) -> None:
    """Bands by influence values hold it in two of three samples, since its slope changes within their doubt."""
    population, pi = HOOKS[name], 0.4
    tpr, fpr = rates_of(population)
    x = np.geomspace(1 / 75, 0.99, 100)
    held: dict[str, Any] = {"region": 0, "influence": 0}
    drawn = list(tables(sample(population, 125, pi, 60, np.random.default_rng(11)), ordinal=False))
    for table in drawn:
        for method in held:
            b = hc.band(table, curve="roc", method=method)
            there = x[(x >= b.x[0]) & (x <= b.x[-1])]
            true = np.interp(there, fpr, tpr)
            held[method] += bool(np.all((b.low.at(there) <= true) & (true <= b.high.at(there))))
    assert held["region"] >= 0.95 * 60 - 3 * math.sqrt(60 * 0.95 * 0.05)
    assert held["influence"] < held["region"]


@pytest.mark.slow
def test_precision_at_recall_1_may_be_the_prevalence_of_other_samples() -> None:
    """Nearly perfect lists, prevalence .2: the lower line at the end was above it in a third of the samples."""
    above = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = rng.random(300) < 0.2
        band = hc.band(y, rng.normal(size=300) + 3 * y, curve="precision_recall")
        above += band.low.at(1.0) > 0.2
    assert above <= 4
