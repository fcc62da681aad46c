"""Laws that hold for all metrics at once."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve import Counts, HitTable, Metric, metric
from hitcurve.errors import UndefinedMetricError
from hitcurve.metrics import examples
from tests.metrics_under_test import (
    BY_FORM,
    METRICS,
    counts_ranks,
    has_gradient,
    is_mean_over_orders,
    is_on_rate,
    is_on_roc,
    needs_whole_subjects,
    refuses_weights,
    rounds_a_share,
)
from tests.odd import odd_scores
from tests.strategies import (
    Floats,
    Ranking,
    count_tables,
    law,
    orders_within,
    rankings,
    strict,
    strict_orders,
)

each_metric = pytest.mark.parametrize("m", METRICS, ids=str)


def same(a: float, b: float, m: Metric, rel: float = 1e-13) -> None:
    """Compare two values of a metric; around 0 a difference of two numbers near 1 keeps 16 decimals."""
    assert math.isclose(a, b, rel_tol=rel, abs_tol=rel / 10), (str(m), a, b)


Metrics: TypeAlias = tuple[Metric, ...]
# examples that draw their forms leave some out: each fourth has examples of its own, forms beside each other apart
each_fourth = pytest.mark.parametrize(
    "some", [METRICS[start::4] for start in range(4)], ids=[f"every fourth from {start}" for start in range(4)]
)


def values(table: HitTable | Counts, chosen: Sequence[Metric] = METRICS) -> list[Any]:
    return [m.value(table) for m in chosen]


def counts_of(c: Counts, n: float, pi: float, p: Floats, q: Floats) -> Counts:
    """Return counts with given masses, prevalence and size."""
    return Counts(n * pi * p, n * (1 - pi) * q, c.prevalence, c.weighted)


@functools.cache
def every_order(n1: int, n0: int) -> Counts:
    return strict(strict_orders(n1, n0))


def reverse_cumulative(g: npt.NDArray[Any]) -> Floats:
    """Return what a mass added to each row moves: all cumulative values from there on."""
    return np.asarray(np.cumsum(g[..., ::-1], axis=-1)[..., ::-1])


# ---- the list itself


def test_every_registered_name_is_under_test() -> None:
    ours = {type(hc.metric(text)) for text in hc.metrics.examples().values()}
    ours = {kind for kind in ours if kind.__module__.startswith("hitcurve.")}  # examples in the docs register theirs
    assert len(ours) > 25
    # momentum has no value on lists no better than chance: tests/test_momentum.py
    assert {kind.name for kind in ours} - {m.name for m in METRICS} == {"momentum"}


def test_no_form_is_listed_twice() -> None:
    assert len(set(METRICS)) == len(METRICS)


# ---- the subjects are a set


@each_fourth
@law(15)
@given(r=rankings(), order=st.randoms(use_true_random=False))
def test_every_order_of_ties_lies_between_the_worst_and_the_best(r: Ranking, order: Any, some: Metrics) -> None:
    """But of metrics that fall where a positive rises, which have no range of orders."""
    place = list(range(len(r.y)))
    order.shuffle(place)
    at = np.lexsort((np.array(place), -np.asarray(r.s, float)))  # a strict order of the ties
    strict = HitTable.from_scores(np.asarray(r.y)[at], -np.arange(len(at)))
    table = HitTable.from_scores(r.y, r.s)
    for m in some:
        if m.divided_by is not None:
            continue
        value, ends = float(m.value(strict)), [float(m.value(t)) for t in (table.worst_ties(), table.best_ties())]
        assert min(ends) - 1e-12 <= value <= max(ends) + 1e-12, str(m)


def test_momentum_has_no_range_of_orders() -> None:
    y, s = [1, 1, 0, 1, 0, 0], [3, 2, 2, 2, 1, 1]
    grouped = hc.evaluate(y * 2, s * 2, by=[1] * 6 + [2] * 6, metrics=["auc", "momentum"])
    for ev in (hc.evaluate(y, s, metrics=["auc", "momentum"]), grouped["1"]):
        assert ev["score", "auc"].tie_range is not None
        assert ev["score", "momentum"].tie_range is None


@odd_scores
@each_fourth
@law(7)
@given(r=rankings(), random=st.randoms(use_true_random=False))
def test_row_order_does_not_matter(r: Ranking, random: Any, some: Metrics) -> None:
    places = list(range(r.y.size))
    random.shuffle(places)
    shuffled = r.at(places)
    assert shuffled.table == r.table
    assert values(shuffled.table, some) == values(r.table, some)
    at_the_door = [m(r.y, r.s) for m in some]
    assert [m(shuffled.y, shuffled.s) for m in some] == at_the_door
    for m, value in zip(some, at_the_door, strict=True):
        same(value, m.value(r.table), m)


@each_fourth
@law(10)
@given(r=rankings(), heights=st.sets(st.floats(-1e9, 1e9, width=32), min_size=5, max_size=5))
def test_only_the_order_of_scores_matters(r: Ranking, heights: set[float], some: Metrics) -> None:
    moved = np.array(sorted(heights))[r.s]
    expected = values(r.table, some)
    assert values(HitTable.from_scores(r.y, moved), some) == expected
    assert values(HitTable.from_scores(r.y, -moved, higher_is_better=False), some) == expected


@each_fourth
@law(7)
@given(r=rankings(), cut=st.integers(1, 5), later=st.integers(1, 5))
def test_merging_is_concatenating(r: Ranking, cut: int, later: int, some: Metrics) -> None:
    n = r.y.size
    ends = sorted({0, cut, min(cut + later, n), n})
    parts = [r.at(range(a, b)) for a, b in itertools.pairwise(ends)]
    full = sum(part.table for part in parts)
    assert full == r.table
    grid = r.s[r.y]
    collapsed = sum(HitTable.from_scores(part.y, part.s, grid=grid) for part in parts)
    assert collapsed == HitTable.from_scores(r.y, r.s, grid=grid)
    assert isinstance(full, HitTable)
    assert isinstance(collapsed, HitTable)
    assert values(full, some) == values(r.table, some)
    for m in some:
        same(m.value(collapsed), m.value(r.table), m)


@odd_scores
@each_fourth
@law(10)
@given(r=rankings(levels=8))
def test_a_collapsed_table_is_as_good_as_a_full_one(r: Ranking, some: Metrics) -> None:
    collapsed = r.table.collapse()
    assert collapsed.pos.size <= 2 * np.unique(r.s[r.y]).size + 1
    for m in some:
        same(m.value(collapsed), m.value(r.table), m)


@each_fourth
@law(7)
@given(t=count_tables(), places=st.lists(st.integers(0, 5), min_size=1, max_size=4))
def test_rows_of_nobody_are_neutral(t: HitTable, places: list[int], some: Metrics) -> None:
    padded = Counts(np.insert(t.pos, places, 0), np.insert(t.neg, places, 0))
    # where the old rows are now
    kept = np.flatnonzero(np.insert(np.ones(t.pos.size), places, 0))
    for m in some:
        same(m.value(padded), m.value(t), m)
        before, after = m.gradient(t), m.gradient(padded)
        assert (before is None) == (after is None)
        if before is None or after is None:
            continue
        for old, new, held in zip(before[:2], after[:2], (t.pos, t.neg), strict=True):
            # what a subject of a row is worth, against the mean of its class: only moves of mass have a meaning
            rows, share = held > 0, held / held.sum()
            worth = [reverse_cumulative(old), reverse_cumulative(new)[kept]]
            one, other = (part[rows] - share[rows] @ part[rows] for part in worth)
            np.testing.assert_allclose(other, one, 1e-11, 1e-11, err_msg=str(m))
        np.testing.assert_allclose(after.pi, before.pi, 1e-11, 1e-11, err_msg=str(m))


@each_fourth
@law(3)
@given(tables=st.lists(count_tables(rows=4), min_size=6, max_size=6))
def test_leading_axes_are_replicates(tables: list[HitTable], some: Metrics) -> None:
    pos, neg = (np.stack([getattr(t, name) for t in tables]) for name in ("pos", "neg"))
    together = Counts(pos, neg)
    deeper = Counts(pos.reshape(3, 2, -1), neg.reshape(3, 2, -1))
    for m in some:
        alone = [m.value(t) for t in tables]
        of_all, of_deeper = m.value(together), m.value(deeper)
        assert of_all.shape == (6,)
        assert of_deeper.shape == (3, 2)
        np.testing.assert_allclose(of_all, alone, 1e-12, 1e-13, err_msg=str(m))
        np.testing.assert_allclose(of_deeper.ravel(), alone, 1e-12, 1e-13, err_msg=str(m))
        gradient, of_each = m.gradient(together), [m.gradient(t) for t in tables]
        if gradient is None:
            assert of_each == [None] * 6
            continue
        assert gradient.P.shape == gradient.Q.shape == pos.shape
        assert gradient.pi.shape == (6,)
        for name, whole in gradient._asdict().items():
            parts = np.stack([getattr(one, name) for one in of_each])
            np.testing.assert_allclose(whole, parts, 1e-11, 1e-11, err_msg=str(m))


# ---- ties


@each_fourth
@law(10)
@given(r=rankings(least=5, most=7, levels=3))
def test_a_tie_group_is_the_mean_over_its_orders(r: Ranking, some: Metrics) -> None:
    t = r.table
    orders = strict(orders_within(t.pos, t.neg))
    for m in filter(is_mean_over_orders, some):
        same(m.value(t), float(np.mean(m.value(orders))), m, 1e-12)


@pytest.mark.parametrize("m", [m for m in METRICS if not is_mean_over_orders(m)], ids=str)
def test_all_others_follow_the_line_across_a_tie_group(m: Metric) -> None:
    # more controls than the 50 of roc(50), whose window is no kink otherwise
    by_line = m.value(HitTable.from_counts([2], [60]))
    by_orders = float(np.mean(m.value(every_order(2, 60))))
    assert abs(by_line - by_orders) > 1e-4


def test_line_and_orders_of_the_concentrated_curve() -> None:
    """The pinned counterexample of THEORY 11b."""
    croc = metric("croc(exp, alpha=7)")
    assert croc.value(HitTable.from_counts([2], [8])) == pytest.approx(0.141944, abs=5e-7)
    assert np.mean(croc.value(strict(strict_orders(2, 8)))) == pytest.approx(0.189729, abs=5e-7)


def test_line_and_orders_agree_as_the_negatives_grow_many() -> None:
    croc = metric("croc(exp, alpha=7)")
    gaps = []
    for n0 in (50, 100, 200):
        mean = croc.random_mean(HitTable.from_counts([2], [n0]))
        assert mean is not None
        gaps.append(mean - croc.value(HitTable.from_counts([2], [n0])))
    np.testing.assert_allclose(np.array(gaps[:-1]) / gaps[1:], 2, rtol=0.05)


# ---- what a number is read against


@each_fourth
@law(8)
@given(r=rankings())
def test_best_and_worst_bound_the_value_and_the_range_holds_them(r: Ranking, some: Metrics) -> None:
    # AP(group) too: its worst is the reversed strict order, and no group is worth less than its worst order
    for m in some:
        value, (low, high) = m.value(r.table), sorted((m.worst(r.table), m.best(r.table)))  # of rates of errors turned
        slack = 1e-12 * max(1.0, abs(high))
        assert low - slack <= value <= high + slack, str(m)
        assert m.range[0] - slack <= low, str(m)
        assert high <= m.range[1] + slack, str(m)


@each_metric
def test_reference_lists(m: Metric) -> None:
    for n1, n0 in [(1, 5), (3, 7), (8, 3), (15, 30), (2, 13), (1, 18)]:
        tied = HitTable.from_counts([n1], [n0])
        perfect = strict(np.arange(n1 + n0) < n1)
        reversed_ = strict(np.arange(n1 + n0) >= n0)
        same(m.value(tied), m.random(tied), m)
        same(m.value(perfect), m.best(tied), m, 1e-12)
        same(m.value(reversed_), m.worst(tied), m, 1e-12)
        assert m.range[0] - 1e-12 <= m.value(reversed_)
        assert m.value(perfect) <= m.range[1] + 1e-12


@each_metric
def test_mean_over_random_strict_orders(m: Metric) -> None:
    for n1, n0 in [(1, 5), (2, 6), (4, 4), (6, 2)]:
        _check_mean_over_orders(m, n1, n0)


def _check_mean_over_orders(m: Metric, n1: int, n0: int) -> None:
    mean = m.random_mean(HitTable.from_counts([n1], [n0]))
    if mean is None:
        # no closed form is known for these (THEORY 3 gives one for AP, both axes and ranks)
        both_axes = str(m).startswith("magnified_area(x=") and "y=" in str(m)
        of_curve = m.name in ("interpolated_ap", "pr_area", "prg_area", "half_auc", "wss", "precision@recall")
        of_curve |= m.name in ("recall@precision", "max_f1", "net_benefit", "ks")
        assert both_axes or of_curve or str(m) == "ap(ties=expected)"
        return
    same(mean, float(np.mean(m.value(every_order(n1, n0)))), m, 1e-12)


@each_metric
def test_known_random_values(m: Metric) -> None:
    t = HitTable.from_counts([3, 5, 2], [4, 6, 20])
    known = {"ap": 0.25, "scaled_ap": 0.0, "auc": 0.5, "auac": 0.5, "ef@10%": 1.0, "ef@R": 1.0, "rie(alpha=20)": 1.0}
    known |= {"prg_area": 0.0, "precision@R": 0.25, "recall@R": 0.25, "roc_enrichment@30%": 1.0, "recall@5": 0.125}
    known |= {"logauc(0.01, 0.8, adjusted)": 0.0, "half_auc(specific)": 0.25, "pauc(tpr, 0.3, 0.9, scale=mcclish)": 0.5}
    known |= {"gini": 0.0, "loss": 0.5, "atd": 41 / 80, "erf@10%": 0.0, "f1@10%": 2 * 0.25 * 0.1 / 0.35, "ks": 0.0}
    known |= {"tpr@fpr=30%": 0.3, "fpr@tpr=95%": 0.95, "precision@recall=80%": 0.25, "max_f1": 0.4}
    known |= {"net_benefit@10%": 0.25 - 0.75 / 9, "net_benefit@40%": 0.0, "recall@precision=30%": 0.0}
    known |= {"croc(exp, alpha=7)": 1 / 7 - math.exp(-7) / (1 - math.exp(-7)), "expected_recall(point(0.3))": 0.3}
    if str(m) not in known:
        pytest.skip("no published random value")
    assert m.random(t) == pytest.approx(known[str(m)], abs=1e-14)


# ---- prevalence


@each_fourth
@law(8)
@given(t=count_tables())
def test_replicating_controls_leaves_the_roc_curve(t: HitTable, some: Metrics) -> None:
    more = HitTable.from_counts(t.pos, 10 * t.neg)
    for m in filter(is_on_roc, some):
        same(m.value(more), m.value(t), m, 1e-12)


@each_fourth
@law(8)
@given(t=count_tables(), pi=st.floats(0.001, 0.999))
def test_a_set_prevalence_leaves_the_roc_curve(t: HitTable, pi: float, some: Metrics) -> None:
    for m in some:
        # not even proc and roc(k) move: they follow the counts, which stay
        if (m.axis == "fpr" or m.name == "half_auc") and not needs_whole_subjects(m):
            assert m.value(t.at_prevalence(pi)) == m.value(t)


@each_fourth
@law(8)
@given(t=count_tables())
def test_setting_the_observed_prevalence_changes_nothing(t: HitTable, some: Metrics) -> None:
    moved = t.at_prevalence(t.n_pos / t.n)
    for m in some:
        if counts_ranks(m) or needs_whole_subjects(m):
            with pytest.raises(UndefinedMetricError):
                m.value(moved)
        elif not rounds_a_share(m):
            same(m.value(moved), m.value(t), m, 1e-12)


@each_fourth
@law(8)
@given(t=count_tables())
def test_a_lower_prevalence_is_the_same_as_more_controls(t: HitTable, some: Metrics) -> None:
    more = HitTable.from_counts(t.pos, 7 * t.neg)
    moved = t.at_prevalence(more.n_pos / more.n)
    for m in some:
        if counts_ranks(m) or needs_whole_subjects(m) or rounds_a_share(m) or m.name in ("proc", "roc"):
            continue
        same(m.value(moved), m.value(more), m, 1e-11)


# ---- weights


@odd_scores
@each_fourth
@law(8)
@given(r=rankings(), weights=st.lists(st.integers(1, 3), min_size=14, max_size=14))
def test_whole_weights_are_repeated_rows(r: Ranking, weights: list[int], some: Metrics) -> None:
    w = np.array(weights[: r.y.size])
    weighted = HitTable.from_scores(r.y, r.s, sample_weight=w)
    assume(weighted.weighted)
    repeated = HitTable.from_scores(np.repeat(r.y, w), np.repeat(r.s, w))
    for m in some:
        if refuses_weights(m):
            with pytest.raises(UndefinedMetricError):
                m.value(weighted)
        elif not rounds_a_share(m):
            same(m.value(weighted), m.value(repeated), m)
            if np.ptp(w):
                same(m(r.y, r.s, sample_weight=w), m.value(repeated), m, 1e-12)


@each_fourth
@law(10)
@given(r=rankings(), weights=st.lists(st.floats(0.1, 5), min_size=14, max_size=14))
def test_weights_have_no_unit(r: Ranking, weights: list[float], some: Metrics) -> None:
    w = np.array(weights[: r.y.size])
    one, other = (HitTable.from_scores(r.y, r.s, sample_weight=k * w) for k in (1.0, 8.0))
    for m in some:
        if one.weighted and other.weighted and refuses_weights(m):
            continue
        same(m.value(one), m.value(other), m, 1e-12)


# ---- as a value


@each_metric
def test_written_form_parses_back(m: Metric) -> None:
    again = metric(str(m))
    assert again == m
    assert hash(again) == hash(m)
    assert str(again) == str(m)
    assert m.__name__ == str(m)


def test_examples_parse_back() -> None:
    for name, form in examples().items():
        assert metric(form).name == name
        assert str(metric(form)) == form


any_share = st.floats(1e-60, 1)
above_0 = st.floats(1e-12, 1e12)
densities = st.recursive(
    st.one_of(
        st.builds(hc.rates.Beta, above_0, above_0),
        st.builds(hc.rates.Point, any_share),
        st.tuples(st.just(0.0) | any_share, any_share)
        .filter(lambda e: e[0] < e[1])
        .map(lambda e: hc.rates.Uniform(*e)),
    ),
    lambda inner: st.lists(st.tuples(inner, st.floats(0.01, 100)), min_size=1, max_size=4).map(
        lambda parts: hc.rates.RateMixture([part for part, _ in parts], [share for _, share in parts])
    ),
    max_leaves=4,
)


@law(300)
@given(
    m=st.one_of(
        st.builds(hc.metrics.RecallAt, st.floats(1e-60, 1), st.sampled_from(["ceil", "floor", "round", "fractional"])),
        st.builds(hc.metrics.EnrichmentFactor, st.integers(1, 10**12)),
        st.builds(hc.metrics.WSS, any_share),
        st.builds(hc.metrics.ROCEnrichment, st.floats(1e-60, 1)),
        st.builds(hc.metrics.TPRAtFPR, st.floats(1e-60, 1, exclude_max=True)),
        st.builds(hc.metrics.PrecisionAtRecall, st.floats(1e-60, 1, exclude_max=True)),
        st.builds(hc.metrics.NetBenefit, st.floats(1e-60, 1, exclude_max=True)),
        st.builds(hc.metrics.BEDROC, above_0),
        st.builds(hc.metrics.NDCG, st.integers(1, 10**9), st.floats(1.001, 1e6)),
        st.builds(hc.metrics.CROC, st.builds(hc.magnify.Exponential, above_0)),
        st.builds(hc.metrics.CAC, st.builds(hc.magnify.CutOff, any_share)),
        st.builds(hc.metrics.CROC, st.builds(hc.magnify.Step, any_share)),
        st.builds(hc.metrics.Area, st.builds(hc.magnify.Power, above_0), st.sampled_from(["fpr", "rate"])),
        st.builds(
            hc.metrics.MagnifiedArea,
            st.builds(hc.magnify.Exponential, above_0),
            st.one_of(st.just(hc.magnify.Identity()), st.builds(hc.magnify.Logarithmic, above_0)),
        ),
        st.builds(hc.metrics.RateWeightedAUC, densities),
        st.builds(hc.metrics.ExpectedRecall, densities),
    )
)
def test_any_parameters_parse_back(m: Metric) -> None:
    assert metric(str(m)) == m


@pytest.mark.parametrize(
    ("loose", "canonical"),
    [
        ("  AP ", "ap"),
        ("roc_auc", "auc"),
        ("r_precision", "precision@R"),
        ("ROC AUC", "auc"),
        (" average  precision", "ap"),
        ("precision at 10", "precision@10"),
        ("pauc(scale=mcclish, over=tpr, upper=1, lower=.9)", "pauc(tpr, 0.9, 1, scale=mcclish)"),
        ("croc(alpha=80, exp)", "croc(exp, alpha=80)"),
        ("croc(exp, 7)", "croc(exp, alpha=7)"),
        ("area(along=rate, exp, alpha=7)", "area(exp, alpha=7, along=rate)"),
        ("logauc(adjusted)", "logauc(0.001, 1, adjusted)"),
        ("enrichment_factor@0.01", "ef@1%"),
        ("wss@95%(cut=auto)", "wss@95%"),
        ("rauc(beta(a=6, b=30))", "rauc(beta(6, 30))"),
        ("recall@1.", "recall@100%"),
        ("recall@1", "recall@1"),
    ],
)
def test_any_order_and_aliases_parse(loose: str, canonical: str) -> None:
    assert str(metric(loose)) == canonical


# ---- gradients

# no cut of the list falls on the end of a row, where there is no derivative
INSIDE = (HitTable.from_counts([4, 2, 4, 1, 2], [2, 6, 5, 6, 5]), HitTable.from_counts([9, 0, 6, 2], [2, 8, 0, 13]))
with_gradient = pytest.mark.parametrize("m", [m for m in METRICS if has_gradient(m)], ids=str)


def at_kink(m: Metric, t: HitTable) -> bool:
    """Whether a cut of the list falls on the end of a row, where there is no derivative."""
    if hasattr(m, "place"):
        return bool(np.any(np.abs(t.rate - float(m.place.share(t.counts))) < 1e-9))
    return False


def directions(t: HitTable, seed: int) -> tuple[Floats, Floats]:
    """Return changes of p and q that keep the mass, on rows that hold such subjects."""
    rng = np.random.default_rng(seed)
    moves = []
    for held in (t.pos > 0, t.neg > 0):
        move = np.where(held, rng.normal(size=held.size), 0.0)
        moves.append(np.where(held, move - move.sum() / held.sum(), 0.0))
    return moves[0], moves[1]


@with_gradient
def test_gradient_along_mass_preserving_directions(m: Metric) -> None:
    for t in INSIDE:
        _check_along_mass_preserving_directions(m, t)


def _check_along_mass_preserving_directions(m: Metric, t: HitTable) -> None:
    assert not at_kink(m, t)
    c, gradient = t.counts, m.gradient(t)
    assert gradient is not None
    n, pi, step = float(c.n), float(c.pi), 1e-6
    for seed in range(3):
        dp, dq = directions(t, seed)
        up, down = (m.value(counts_of(c, n, pi, c.p + sign * step * dp, c.q + sign * step * dq)) for sign in (1, -1))
        expected = float(gradient.P @ np.cumsum(dp) + gradient.Q @ np.cumsum(dq))
        assert (up - down) / (2 * step) == pytest.approx(expected, rel=1e-5, abs=1e-7)


@with_gradient
def test_gradient_along_the_prevalence(m: Metric) -> None:
    for t in INSIDE:
        _check_along_the_prevalence(m, t)


def _check_along_the_prevalence(m: Metric, t: HitTable) -> None:
    if needs_whole_subjects(m):
        return  # more negatives move the cut by a whole one at a time, and on average the rate it reaches stays
    c, gradient = t.counts, m.gradient(t)
    assert gradient is not None
    n, pi, step = float(c.n), float(c.pi), 1e-6
    up, down = (m.value(counts_of(c, n, pi + sign * step, c.p, c.q)) for sign in (1, -1))
    assert (up - down) / (2 * step) == pytest.approx(float(gradient.pi), rel=1e-5, abs=1e-7)


@with_gradient
def test_gradient_along_a_prevalence_that_was_set(m: Metric) -> None:
    for t in INSIDE:
        _check_along_a_prevalence_that_was_set(m, t)


def _check_along_a_prevalence_that_was_set(m: Metric, t: HitTable) -> None:
    # also a rounding that was written out, to whole subjects that are not there
    if counts_ranks(m) or needs_whole_subjects(m) or getattr(m, "cut", "auto") not in ("auto", "fractional"):
        with pytest.raises(UndefinedMetricError):
            m.gradient(t.at_prevalence(0.1))
        return
    pi, step = 0.27, 1e-6
    moved = t.at_prevalence(pi)
    assert not at_kink(m, moved)
    gradient, c = m.gradient(moved), moved.counts
    assert gradient is not None
    up, down = (m.value(t.at_prevalence(pi + sign * step)) for sign in (1, -1))
    assert (up - down) / (2 * step) == pytest.approx(float(gradient.pi), rel=1e-5, abs=1e-7)
    dp, dq = directions(t, 0)
    n, observed = float(c.n), float(c.n1 / c.n)
    up, down = (m.value(counts_of(c, n, observed, c.p + sign * step * dp, c.q + sign * step * dq)) for sign in (1, -1))
    expected = float(gradient.P @ np.cumsum(dp) + gradient.Q @ np.cumsum(dq))
    assert (up - down) / (2 * step) == pytest.approx(expected, rel=1e-5, abs=1e-7)


SMOOTH = [m for m in METRICS if has_gradient(m) and not hasattr(m, "place") and m.axis in ("fpr", "rate")]


@pytest.mark.parametrize("m", SMOOTH, ids=str)
def test_gradient_where_a_row_is_a_point_of_the_axis(m: Metric) -> None:
    """A lone class has no width on the other's axis; what it would gain is one-sided, f'/2 (THEORY 3)."""
    t = HitTable.from_counts([3, 4, 2, 0, 5], [4, 0, 7, 6, 5])
    c, gradient = t.counts, m.gradient(t)
    assert gradient is not None
    n, pi, step = float(c.n), float(c.pi), 1e-6
    dp, dq = np.array([0.0, 0, -1, 1, 0]), np.array([-0.25, 1, -0.5, 0, -0.25])
    # forward differences of second order: no mass may become negative
    at = [m.value(counts_of(c, n, pi, c.p + k * step * dp, c.q + k * step * dq)) for k in range(3)]
    expected = float(gradient.P @ np.cumsum(dp) + gradient.Q @ np.cumsum(dq))
    assert (-3 * at[0] + 4 * at[1] - at[2]) / (2 * step) == pytest.approx(expected, rel=1e-5, abs=1e-7)


@pytest.mark.parametrize("m", [m for m in METRICS if not has_gradient(m)], ids=str)
def test_metrics_without_a_gradient_say_so(m: Metric) -> None:
    assert m.gradient(INSIDE[0]) is None


def test_the_others_have_one() -> None:
    assert all(m.gradient(INSIDE[0]) is not None for m in METRICS if has_gradient(m))


# ---- identities between metrics


@law(40)
@given(t=count_tables())
def test_identities(t: HitTable) -> None:
    def of(form: str) -> float:
        return float((BY_FORM.get(form) or metric(form)).value(t))

    auc, pi = of("auc"), t.prevalence
    assert of("auac") == pytest.approx(pi / 2 + (1 - pi) * auc, abs=1e-13)
    assert of("gini") == pytest.approx(2 * auc - 1, abs=1e-13)
    assert of("rauc(uniform(0, 1))") == pytest.approx(auc, abs=1e-13)
    assert of("half_auc(specific)") + of("half_auc(sensitive)") == pytest.approx(auc, abs=1e-13)
    assert of("bedroc(alpha=1e-08)") == pytest.approx(auc, abs=1e-7)
    assert of("pauc(fpr, 0, 1)") == pytest.approx(auc, abs=1e-13)
    assert of("pauc(tpr, 0, 1)") == pytest.approx(auc, abs=1e-13)
    assert of("pauc(fpr, 0, 0.4)") + of("pauc(fpr, 0.4, 1)") == pytest.approx(auc, abs=1e-13)
    assert of("croc(cutoff, t=0.15)") == pytest.approx(of("pauc(fpr, 0, 0.15)") / 0.15, abs=1e-12)
    assert of("croc(step, t=0.15)") == pytest.approx(0.15 * of("roc_enrichment@15%"), abs=1e-13)
    assert of("tpr@fpr=15%") == pytest.approx(0.15 * of("roc_enrichment@15%"), abs=1e-13)
    assert of("sensitivity@specificity=85%") == pytest.approx(of("tpr@fpr=15%"), abs=1e-13)
    assert of("specificity@sensitivity=80%") == pytest.approx(1 - of("fpr@tpr=80%"), abs=1e-13)
    assert of("precision@recall=80%") == pytest.approx(0.8 * pi / (0.8 * pi + (1 - pi) * of("fpr@tpr=80%")), abs=1e-13)
    assert of("cac(step, t=0.15)") == pytest.approx(of("recall@15%(cut=fractional)"), abs=1e-13)
    assert of("expected_recall(point(0.3))") == pytest.approx(of("recall@30%(cut=fractional)"), abs=1e-13)
    assert of("hits@5") == pytest.approx(5 * of("precision@5"), abs=1e-12)
    assert of("hits@5") == pytest.approx(t.n_pos * of("recall@5"), abs=1e-12)
    assert of("ef@R") == pytest.approx(of("recall@R") / pi, abs=1e-12)
    assert of("ndcg") == pytest.approx(of("dcg") / metric("dcg").best(t), abs=1e-13)
    assert of("dcg(base=10)") == pytest.approx(of("dcg") * math.log(10) / math.log(2), rel=1e-13)
    alpha = 20
    assert of("rie(alpha=20)") == pytest.approx(alpha * (of("cac(exp, alpha=20)") + 1 / math.expm1(alpha)), abs=1e-12)


def test_linear_metrics_do_not_care_where_a_group_is_split() -> None:
    """A straight piece of the curve split in two is the same curve: what rate and rank metrics rest on."""
    whole, split = HitTable.from_counts([4, 6], [8, 3]), HitTable.from_counts([1, 3, 6], [2, 6, 3])
    for m in METRICS:
        if is_on_rate(m) or m.axis == "fpr":
            same(m.value(split), m.value(whole), m, 1e-12)


def is_mean_over_positives(m: Metric) -> bool:
    """Of average precision, of ranks, and of every area but a partial one along the TPR: its worth is of negatives."""
    of_positives = isinstance(m, hc.metrics.AreaMetric) and not str(m).startswith("pauc(tpr")
    return of_positives or str(m) == "ap" or m.name == "ndcg"


@each_fourth
@law(20)
@given(t=count_tables())
def test_what_positives_are_worth_averages_to_the_metric(t: HitTable, some: Metrics) -> None:
    for m in some:
        if not (is_mean_over_positives(m) or m.name in ("slr", "dcg")):
            continue
        weights = hc.rank_weights(m, t)
        assert weights.shape == t.pos.shape
        over = 1 if m.name in ("slr", "dcg") else t.n_pos
        assert math.isclose(float(weights @ t.pos) / over, m.value(t), rel_tol=1e-9, abs_tol=1e-12), str(m)


def test_others_are_no_mean_over_the_positives() -> None:
    for m in METRICS:
        if not (is_mean_over_positives(m) or m.name in ("slr", "dcg")):
            with pytest.raises(UndefinedMetricError, match="not a mean over the positives"):
                hc.rank_weights(str(m), HitTable.from_counts([1, 0, 3, 4], [0, 2, 2, 4]))


def test_forms_that_are_written_differently_are_different_metrics() -> None:
    # 1 == 1.0 in Python, but the first subject is not the whole list
    forms = ["recall@1", "recall@100%", "ef@1", "ef@100%", "precision@1", "precision@100%"]
    chosen = [hc.metric(form) for form in forms]
    assert len(set(chosen)) == len(forms)
    assert [str(m) for m in hc.metrics.metrics(forms)] == forms
    everything = [hc.metric(form) for form in BY_FORM]
    assert len(set(everything)) == len({str(m) for m in everything})
