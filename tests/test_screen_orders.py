"""Random orders of markers with ties: shared, bounded, and counted as one by one."""

from __future__ import annotations

from math import comb

import numpy as np
import pytest
from scipy.stats import chisquare

import hitcurve as hc
from hitcurve.screens import null, tied
from hitcurve.screens import orders as drawing
from hitcurve.screens.groups import sums_of_untied
from hitcurve.screens.orders import Orders, SharedOrders
from hitcurve.screens.tied import of_tied

AP, AUC = hc.metric("ap"), hc.metric("auc")


def _groups(rng: np.random.Generator, n: int) -> list[np.ndarray]:
    ends = [np.append(np.flatnonzero(rng.random(n - 1) < share) + 1, n) for share in (0.05, 0.2, 0.5, 0.9)]
    return [*ends, np.array([n // 2, n]), np.arange(1, n + 1)]


@pytest.mark.parametrize("weighted", [False, True])
def test_no_order_exceeds_what_average_precision_cannot(weighted: bool) -> None:
    """Whatever the groups of equal values; and a bound that is of use is not far above orders without ties."""
    rng = np.random.default_rng(2)
    for n1, n0 in ((5, 60), (40, 50), (30, 300)):
        drawn = Orders(n1, n0, 800, 3, weighted=weighted).drawn(1)
        highest = drawn.highest_ap()
        for ends in _groups(rng, n1 + n0):
            assert np.all(null.values_of(AP, drawn.hits, ends) <= highest)
        untied = null.values_of(AP, drawn.hits, np.arange(1, n1 + n0 + 1))
        assert np.mean(highest - untied) < 0.2


@pytest.mark.parametrize("metric", [AP, AUC])
def test_values_of_orders_are_those_of_the_kernels(metric: hc.Metric) -> None:
    rng = np.random.default_rng(4)
    drawn = Orders(12, 40, 200, 3).drawn(0)
    for ends in _groups(rng, 52):
        pos = np.diff(drawn.hits[ends], axis=0, prepend=0).T
        counts = hc.Counts(pos, np.diff(ends, prepend=0) - pos)
        np.testing.assert_allclose(null.values_of(metric, drawn.hits, ends), metric.value(counts), rtol=1e-12)


@pytest.mark.parametrize("metric", [AP, AUC])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("steps", [(0, np.inf), (np.inf, 0), (0, 0), (np.inf, np.inf)], ids=str)
def test_p_values_of_tied_markers_count_the_orders_one_by_one(
    metric: hc.Metric, weighted: bool, steps: tuple[float, float], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By sums of orders without ties or group by group, all orders or first the best of them."""
    for name, value in zip(("_SUMS", "_BOUNDS"), steps, strict=True):
        monkeypatch.setattr(tied, name, value)
    orders = Orders(30, 45, 4000, 11, weighted=weighted)
    rng = np.random.default_rng(5)
    groups = _groups(rng, 75)
    observed = np.linspace(0.35, 0.85, len(groups))
    depth = rng.normal(90, 3, size=len(groups))
    found = of_tied(metric, orders, groups, observed, depth)
    chunks = [orders.drawn(chunk) for chunk in range(len(orders.sizes))]
    for p, ends, value, own in zip(found, groups, observed, depth, strict=True):
        all_values = np.concatenate([null.values_of(metric, drawn.hits, ends) for drawn in chunks])
        good = all_values >= value * (1 - 1e-12)
        if weighted:
            weight = np.concatenate([drawn.weight for drawn in chunks if drawn.weight is not None])
            assert p == pytest.approx(min((weight[good].sum() + orders.weights(np.array([own]))[0]) / 4001, 1))
        elif good.sum() < null.ENOUGH:
            assert p == (good.sum() + 1) / 4001
        else:
            assert p == null.ENOUGH / (np.flatnonzero(good)[null.ENOUGH - 1] + 1)
        assert weighted or p >= 1 / 4001


def test_metrics_share_the_orders_that_are_drawn_once() -> None:
    shared = SharedOrders(500, 1)
    assert shared.of(10, 20) is shared.of(10, 20)
    assert shared.of(10, 20).drawn(0) is shared.of(10, 20).drawn(0)
    assert shared.of(10, 21) is not shared.of(10, 20)


def _patterns(hits: np.ndarray) -> np.ndarray:
    """Return how many orders there are of each set of places."""
    places = np.packbits(np.diff(hits.astype(np.int64), axis=0).astype(np.uint8), axis=0)
    return np.unique(places, axis=1, return_counts=True)[1]


@pytest.mark.slow
@pytest.mark.parametrize("by_coins", [False, True])
@pytest.mark.parametrize("sizes", [(3, 6), (6, 3), (2, 20), (20, 2), (8, 8)])
def test_all_orders_are_drawn_equally_often(
    sizes: tuple[int, int], by_coins: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_coins:
        monkeypatch.setattr(drawing, "_SIDE_BY_SIDE", np.inf)
    every = comb(sum(sizes), sizes[0])
    draws = every - 1
    hits = [Orders(*sizes, draws, seed).drawn(0).hits for seed in range(max(60 * every // min(draws, 250), 1))]
    counts = _patterns(np.concatenate(hits, axis=1))
    assert counts.size == every
    assert all(np.all(one[-1] == sizes[0]) for one in hits)
    assert chisquare(counts).pvalue > 1e-3


@pytest.mark.parametrize("sizes", [(3, 6), (6, 3), (1, 30), (30, 1), (7, 7)])
def test_where_all_orders_are_taken_each_is_there_once(sizes: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(drawing, "_PLACES", 400)  # several chunks
    orders = Orders(*sizes, 10_000, 0)
    assert orders.exact
    hits = np.concatenate([orders.drawn(chunk).hits for chunk in range(len(orders.sizes))], axis=1)
    assert _patterns(hits).tolist() == [1] * comb(sum(sizes), sizes[0])


@pytest.mark.parametrize("weighted", [False, True])
def test_memory_of_a_chunk_grows_neither_with_draws_nor_with_subjects(weighted: bool) -> None:
    for n1, n0 in ((20, 100), (20, 50_000), (100, 10_000)):
        orders = Orders(n1, n0, 1_000_000, 0, weighted=weighted)
        assert sum(orders.sizes) == orders.draws
        assert max(orders.sizes) * (orders.n + 1) <= drawing._PLACES


@pytest.mark.parametrize("n1", [40, 300])
def test_sums_down_to_some_places_are_those_one_by_one(n1: int) -> None:
    hits = Orders(n1, 500, 300, 1).drawn(1).hits
    used = np.array([0, 1, 2, 7, 20, 21, 300, 400, n1 + 500])
    own = np.diff(hits.astype(float), axis=0)
    place = np.arange(1.0, n1 + 501)[:, None]
    for metric, parts in ((AP, own * hits[1:] / place), (AUC, hits[1:].astype(float))):
        one_by_one = np.concatenate([np.zeros((1, hits.shape[1])), np.cumsum(parts, axis=0)])[used]
        np.testing.assert_allclose(sums_of_untied(metric, hits, used), one_by_one, rtol=1e-12, atol=1e-12)
