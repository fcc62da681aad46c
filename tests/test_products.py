"""Products of influence values: whatever the order of the rows, the threads and the chunks."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import _threads
from hitcurve.inference import cross_products
from hitcurve.inference.design import effective
from hitcurve.inference.variance import crossed, exact_products, joint, products, row_values
from hitcurve.inference.variance.influence import influence

RNG = np.random.default_rng(3)
N = 3000
Y = RNG.random(N) < 0.1
SCORES = {"a": RNG.normal(size=N) + Y, "b": np.round(RNG.normal(size=N) + Y, 1), "c": RNG.integers(0, 9, N)}
OPTIONS: dict[str, dict[str, Any]] = {
    "plain": {},
    "weights": {"sample_weight": 0.25 + RNG.random(N)},
    "clusters": {"clusters": RNG.integers(0, 300, N)},
    "both": {"clusters": RNG.integers(0, 300, N), "sample_weight": 0.25 + RNG.random(N)},
}
METRICS = ["ap", "auc", "ef@5%", "croc(exp, alpha=7)"]


@pytest.fixture(params=["products", "rows"], autouse=True)
def road(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Whether subjects are multiplied, or added up within rows."""
    monkeypatch.setattr(joint, "pays", lambda *sizes: request.param == "rows")
    return str(request.param)


def _products(order: Any = slice(None), options: str = "plain") -> products.Products:
    own = {name: values[order] for name, values in OPTIONS[options].items()}
    ev = hc.evaluate(Y[order], {name: values[order] for name, values in SCORES.items()}, metrics=METRICS, **own)
    assert ev.source is not None
    return cross_products(ev.source, ev.tables, ev.metrics, ev.design).products


def _same(a: products.Products, b: products.Products) -> bool:
    arrays = all(np.array_equal(x, y) for x, y in zip((*a[:3], a.explained), (*b[:3], b.explained), strict=True))
    own, other = a.clusters, b.clusters
    return arrays and np.array_equal(own.names, other.names) and np.array_equal(own.sums, other.sums)


@pytest.mark.parametrize("options", OPTIONS)
def test_threads_and_the_order_of_rows_change_no_bit(options: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(products, "_PIECE", 700)
    found = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(_threads, "processors", lambda threads=threads: threads)
        monkeypatch.setattr(row_values, "_CHUNK", 1000 * threads)
        found.append(_products(options=options))
        found.append(_products(np.random.default_rng(threads).permutation(N), options))
    assert all(_same(found[0], other) for other in found[1:])


def test_equal_rankers_have_equal_products() -> None:
    scores = {"x": SCORES["a"], "b": SCORES["b"], "again": SCORES["b"], "c": SCORES["c"], "twice": 2 * SCORES["a"]}
    ev = hc.evaluate(Y, scores, metrics=METRICS)
    assert ev.source is not None
    found = cross_products(ev.source, ev.tables, ev.metrics, ev.design).products
    each = len(METRICS)
    for side in found[:3]:
        b, again, x, twice = (side[place * each : (place + 1) * each] for place in (1, 2, 0, 4))
        np.testing.assert_array_equal(b, again)
        np.testing.assert_array_equal(x, twice)
        np.testing.assert_array_equal(side, side.T)


@pytest.mark.parametrize("options", ["clusters", "both"])
def test_more_rankers_than_fit_into_a_number(options: str, monkeypatch: pytest.MonkeyPatch) -> None:
    packed = _products(options=options)
    monkeypatch.setattr(products, "_BITS", 5)
    assert _same(packed, _products(options=options))


def test_products_are_rounded_once() -> None:
    """Of numbers of all sizes, of either sign, against fractions."""
    x = RNG.normal(size=(3, 500)) * 2.0 ** -RNG.integers(2, 50, (3, 500))
    found = [exact_products.no_products(3, 3)] * 2
    for here in (slice(0, 7), slice(7, 300), slice(300, 500)):
        parts = exact_products.divide(np.stack([x[:, here]] * 3))
        found[0] = found[0] + exact_products.products(parts, parts)
    parts = exact_products.divide(np.stack([x[:, ::-1]] * 3))
    found[1] = exact_products.products(parts, parts)
    ours, others = (exact_products.whole(total, np.array([0, 3, -900]), np.zeros(3, int)) for total in found)
    np.testing.assert_array_equal(ours, others)
    for (i, j), own in np.ndenumerate(np.ldexp(ours, -np.array([0, 3, -900])[:, None])):
        products_of_all = [Fraction(a) * Fraction(b) for a, b in zip(x[i].tolist(), x[j].tolist(), strict=True)]
        truth = sum(products_of_all, Fraction(0))
        assert abs(Fraction(float(own)) - truth) < abs(truth) / 2**52 + Fraction(500, 2**60)


def _share_above(scores: Any, weight: Any) -> Any:
    """Return the share of each subject in the top 5%: of tied ones the cut takes an equal share."""
    before = np.array([weight[scores > own].sum() for own in scores])
    tied = np.array([weight[scores == own].sum() for own in scores])
    return np.clip((0.05 * weight.sum() - before) / tied, 0, 1)


@pytest.mark.parametrize("options", OPTIONS)
def test_products_are_sums_over_the_subjects(options: str) -> None:
    ev = hc.evaluate(Y, SCORES, metrics=METRICS, **OPTIONS[options])
    found = _products(options=options)
    weight = OPTIONS[options].get("sample_weight", np.ones(N))
    lines = []
    for name, table in ev.tables.items():
        grid = np.asarray(table.grid)[::-1]
        below = np.searchsorted(grid, SCORES[name], "left")
        tied = np.isin(SCORES[name], grid)
        row = 2 * (grid.size - below) - tied
        for metric in ev.metrics:
            own = influence(metric, table.counts, "cohort", effective(table.sums))
            lines.append(np.where(Y, own.pos[row], own.neg[row]) * weight)
    x = np.array(lines)
    np.testing.assert_allclose(found.pos, x[:, Y] @ x[:, Y].T, rtol=1e-10, atol=1e-18)
    cuts = [place for place in range(len(lines)) if place % len(METRICS) != METRICS.index("ef@5%")]
    ours, theirs = (both[np.ix_(cuts, cuts)] for both in (found.neg, x[:, ~Y] @ x[:, ~Y].T))
    np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-18)
    for name, sums in zip(found.clusters.names[:20], found.clusters.sums, strict=False):
        inside = OPTIONS[options]["clusters"] == name
        for part, of_class in enumerate((Y, ~Y)):
            ours = sums[part * len(lines) :][: len(lines)]
            theirs = x[:, inside & of_class].sum(axis=1)
            np.testing.assert_allclose(ours[cuts], theirs[cuts], rtol=1e-9, atol=1e-15)
        for column, (ranker, form) in enumerate(itertools.product(SCORES, METRICS), 2 * len(lines)):
            share = _share_above(SCORES[ranker], weight) if form == "ef@5%" else np.zeros(N)
            assert sums[column] == pytest.approx(np.sum((weight * share)[inside]), abs=1e-9)
        assert sums[3 * len(lines)] == Y[inside].sum()


@pytest.mark.parametrize("scores", [("a", "b", "c"), ("c", "a")])
@pytest.mark.parametrize("share", [700, 10_000])
def test_both_roads_lead_to_the_same_numbers(
    monkeypatch: pytest.MonkeyPatch, road: str, scores: tuple[str, ...], share: int
) -> None:
    monkeypatch.setattr(products, "_SHARE", share)
    monkeypatch.setattr(products, "_LOOKED_UP", 300)
    ev = hc.evaluate(Y, {name: SCORES[name] for name in scores}, metrics=METRICS)
    assert ev.source is not None
    found = [cross_products(ev.source, ev.tables, ev.metrics, ev.design).products]
    monkeypatch.setattr(joint, "pays", lambda *sizes: road != "rows")
    found.append(cross_products(ev.source, ev.tables, ev.metrics, ev.design).products)
    for ours, other in zip(*(own[:3] for own in found), strict=True):
        size = np.sqrt(np.outer(np.diag(other), np.diag(other)))
        np.testing.assert_array_less(np.abs(ours - other), 1e-13 * size + 1e-300)


def test_the_road_is_that_of_the_lower_cost() -> None:
    rows = [20_001] * 2
    assert crossed.pays([23, 23], rows, 4e6)  # 218 ns a subject and not 568, as measured
    assert not crossed.pays([23, 23], [2_000_001] * 2, 4e6)  # more sums than the cache holds
    assert not crossed.pays([2, 2], rows, 1e4)  # fewer subjects than rows
    assert not crossed.pays([2] * 6, rows * 3, 4e6)  # 257 and 198
    assert not crossed.pays([23, 23], rows, 2.0**40)  # more than the words hold
    assert not crossed.pays([5], rows[:1], 4e6)  # nothing is across rankers
