"""The hit table: making one, merging, collapsing, cutting."""

from __future__ import annotations

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hitcurve import Confusion, HitTable, hit_curve
from hitcurve.errors import (
    CountError,
    GridMismatchError,
    LengthMismatchError,
    ParameterError,
    ScoreError,
    SingleClassError,
    UndefinedMetricError,
)
from tests.strategies import Ranking, count_tables, law, rankings

Y = [1, 0, 1, 1, 0, 0, 0, 1, 0, 0]
S = [3, 3, 3, 2, 2, 2, 2, 1, 1, 0]


def brute(y: Any, s: Any) -> list[tuple[float, int, int]]:
    """Count one by one."""
    rows = []
    for score in sorted(set(s), reverse=True):
        labels = [label for label, own in zip(y, s, strict=True) if own == score]
        rows.append((score, sum(labels), len(labels) - sum(labels)))
    return rows


def rows_of(t: HitTable) -> list[tuple[float, int, int]]:
    assert t.score is not None
    return list(zip(t.score.tolist(), t.pos.tolist(), t.neg.tolist(), strict=True))


# ---- making one


def test_full_table_counts_every_distinct_score() -> None:
    t = HitTable.from_scores(Y, S)
    assert rows_of(t) == brute(Y, S)
    assert (t.n, t.n_pos, t.n_neg, t.prevalence, t.kind) == (10, 4, 6, 0.4, "full")
    np.testing.assert_allclose(t.tpr, [0.5, 0.75, 1, 1], rtol=1e-15)
    np.testing.assert_allclose(t.fpr, [1 / 6, 4 / 6, 5 / 6, 1], rtol=1e-15)
    np.testing.assert_allclose(t.rate, [0.3, 0.7, 0.9, 1], rtol=1e-15)


def test_grid_of_the_positives_makes_cells_between_them() -> None:
    t = HitTable.from_scores(Y, S, grid=[3, 2, 1])
    assert (t.kind, t.pos.tolist(), t.neg.tolist()) == ("collapsed", [0, 2, 0, 1, 0, 1, 0], [0, 1, 0, 3, 0, 1, 1])
    assert t == HitTable.from_scores(Y, S).collapse()
    assert t.score is not None
    np.testing.assert_array_equal(t.score, [np.nan, 3, np.nan, 2, np.nan, 1, np.nan])


def test_grid_may_hold_more_than_the_positives() -> None:
    """Cut scores are added to a grid so that it is known who is above them."""
    t = HitTable.from_scores([1, 0, 0], [3.0, 2.0, 1.0], grid=[3.0, 2.0])
    assert t.neg.tolist() == [0, 0, 0, 1, 1]


def test_grid_that_lacks_a_positive_is_refused() -> None:
    with pytest.raises(GridMismatchError, match="lacks"):
        HitTable.from_scores(Y, S, grid=[3, 2])


def test_grid_follows_the_direction_of_the_scores() -> None:
    low = HitTable.from_scores(Y, [-s for s in S], grid=[-3, -2, -1], higher_is_better=False)
    assert low == HitTable.from_scores(Y, S, grid=[3, 2, 1])


def test_low_scores_first() -> None:
    assert HitTable.from_scores(Y, [-s for s in S], higher_is_better=False) == HitTable.from_scores(Y, S)
    lowest = np.array([-(2**63), 0, 5], np.int64)
    with pytest.raises(ScoreError):
        HitTable.from_scores([1, 0, 0], lowest, higher_is_better=False)


def test_unsigned_scores_turn_round() -> None:
    """-uint8 wraps: 0 would become the highest score or stay the lowest."""
    s = np.array([0, 1, 255], np.uint8)
    assert HitTable.from_scores([1, 0, 0], s, higher_is_better=False).pos.tolist() == [1, 0, 0]
    assert HitTable.from_scores([0, 0, 1], s).pos.tolist() == [1, 0, 0]


def test_counts_by_category() -> None:
    t = HitTable.from_counts(pos=[10, 18], neg=np.array([1.0, 11.0]))
    assert (t.kind, t.pos.tolist(), t.neg.tolist(), t.score) == ("rows", [10, 18], [1, 11], None)
    assert t.pos.dtype.kind == t.neg.dtype.kind == "i"


def test_ranks_make_the_list_they_come_from() -> None:
    t = HitTable.from_ranks([5, 2, 3], n=7)
    order = np.isin(np.arange(1, 8), [2, 3, 5])
    assert t.kind == "ranks"
    by_scores = HitTable.from_scores(order, np.arange(7, 0, -1)).collapse()
    assert t.pos.tolist() == by_scores.pos.tolist()
    assert t.neg.tolist() == by_scores.neg.tolist()
    assert HitTable.from_ranks([1, 2, 3], n=3).n_neg == 0


def test_scores_of_every_width_are_compared_exactly() -> None:
    # 2^62 + 1 and 2^62 are one float64
    large = np.array([2**62 + 1, 2**62, 2**62 - 1], np.int64)
    assert HitTable.from_scores([1, 0, 0], large).pos.tolist() == [1, 0, 0]
    assert HitTable.from_scores([1, 0, 0], large, grid=large[:1]).neg.tolist() == [0, 0, 2]
    # 0.1 in float32 is above 0.1 in float64
    narrow = HitTable.from_scores([1, 0, 0], np.array([0.1, 0.2, 0.1], np.float32))
    assert narrow.grid is not None
    assert narrow.grid.dtype == np.float32
    assert narrow.pos.tolist() == [0, 1]
    both = np.array([0.1, np.float32(0.1)], np.float64)
    assert HitTable.from_scores([1, 0], both).pos.tolist() == [0, 1]


def test_bool_scores_are_two_values() -> None:
    t = HitTable.from_scores([1, 0, 1, 0], np.array([True, True, False, False]))
    assert (t.pos.tolist(), t.neg.tolist()) == ([1, 1], [1, 1])


def test_minus_zero_is_zero() -> None:
    t = HitTable.from_scores([1, 0, 1], [-0.0, 0.0, 1.0])
    assert rows_of(t) == [(1.0, 1, 0), (0.0, 1, 1)]
    assert t.grid is not None
    assert not np.signbit(t.grid).any()
    assert HitTable.from_scores([1, 0], [0.0, -0.0], grid=[-0.0]).tied == 2
    merged = HitTable.from_scores([1], [-0.0]) + HitTable.from_scores([0], [0.0])
    assert merged.tied == 2


def test_infinite_scores_are_scores() -> None:
    t = HitTable.from_scores([1, 0, 0], [math.inf, 0.0, -math.inf])
    assert rows_of(t) == [(math.inf, 1, 0), (0.0, 0, 1), (-math.inf, 0, 1)]


def test_missing_scores() -> None:
    y, s = [1, 0, 1, 0], [2.0, math.nan, math.nan, 1.0]
    assert rows_of(HitTable.from_scores(y, s, missing="drop")) == [(2.0, 1, 0), (1.0, 0, 1)]
    assert rows_of(HitTable.from_scores(y, s, missing="last")) == [(2.0, 1, 0), (1.0, 0, 1), (-math.inf, 1, 1)]
    low = HitTable.from_scores(y, s, missing="last", higher_is_better=False)
    assert (low.pos.tolist(), low.neg.tolist()) == ([0, 1, 1], [1, 0, 1])


def test_a_table_may_hold_one_class_and_add_to_others() -> None:
    only = HitTable.from_scores([False, False], [1, 2])
    with pytest.raises(SingleClassError):
        _ = only.counts
    assert (only + HitTable.from_scores([True], [1])).counts.n1 == 1


def test_tables_are_read_only() -> None:
    t = HitTable.from_scores(Y, S)
    with pytest.raises(ValueError, match="read-only"):
        t.pos[0] = 5
    scores = np.array([3.0, 2.0])
    HitTable.from_scores([1, 0], scores)
    scores[0] = 7  # the user's own array stays theirs
    pos = np.array([1, 2])
    HitTable.from_counts(pos, pos)
    pos[0] = 7


# ---- as a value


def test_grids_that_differ_do_not_add() -> None:
    full, collapsed = HitTable.from_scores(Y, S), HitTable.from_scores(Y, S, grid=[3, 2, 1])
    other = HitTable.from_scores([1], [4], grid=[4])
    counted = HitTable.from_counts([1, 2], [3, 4])
    ranked = HitTable.from_ranks([1], n=3)
    for a, b in (
        (full, collapsed),
        (collapsed, other),
        (counted, HitTable.from_counts([1], [2])),
        (counted, full),
        (ranked, ranked),
        (full, full.at_prevalence(0.1)),
        (full.at_prevalence(0.2), full.at_prevalence(0.1)),
    ):
        with pytest.raises(GridMismatchError):
            a + b
    with pytest.raises(TypeError):
        full + 1


def test_same_grids_add() -> None:
    a = HitTable.from_counts([1, 2], [3, 4])
    assert a + a == HitTable.from_counts([2, 4], [6, 8])
    assert (
        HitTable.from_scores(Y, S).at_prevalence(0.1) + HitTable.from_scores(Y, S).at_prevalence(0.1)
    ).prevalence == 0.1


def test_weights_and_counts_add() -> None:
    plain, weighted = HitTable.from_scores(Y, S), HitTable.from_scores(Y, S, sample_weight=[0.5] * 10)
    both = plain + weighted
    assert both.weighted
    np.testing.assert_allclose(both.pos, 1.5 * plain.pos)
    assert both.pos_squares is not None
    np.testing.assert_allclose(both.pos_squares, 1.25 * plain.pos)


@law(60)
@given(a=rankings(least=2), b=rankings(least=2), c=rankings(least=2))
def test_addition_is_associative_and_commutative(a: Ranking, b: Ranking, c: Ranking) -> None:
    t, u, v = a.table, b.table, c.table
    assert t + u == u + t
    assert (t + u) + v == t + (u + v)
    assert sum([t, u, v]) == t + u + v


def test_equality_sees_everything() -> None:
    t = HitTable.from_scores(Y, S)
    assert t == HitTable.from_scores(Y[::-1], S[::-1])
    others = [
        HitTable.from_scores(Y, [s + 1 for s in S]),
        HitTable.from_scores(Y, np.array(S, np.float64)),
        HitTable.from_counts(t.pos, t.neg),
        HitTable.from_scores(Y, S, sample_weight=np.full(10, 2.0)),
        t.collapse(),
        t.at_prevalence(0.4),
    ]
    assert all(t != other for other in others)
    assert t != "table"
    with pytest.raises(TypeError):
        hash(t)


@pytest.mark.parametrize(
    "t",
    [
        HitTable.from_scores(Y, S),
        HitTable.from_scores(Y, S, grid=[3, 2, 1]),
        HitTable.from_scores(Y, S, sample_weight=np.arange(10)),
        HitTable.from_counts([1, 2], [3, 4]).at_prevalence(0.01),
        HitTable.from_ranks([1, 5], n=10),
    ],
    ids=lambda t: t.kind,
)
def test_pickling_and_copying(t: HitTable) -> None:
    _ = t.counts.P  # cached views must not get in the way
    for again in (pickle.loads(pickle.dumps(t)), copy.copy(t), copy.deepcopy(t)):
        assert again == t
        assert again.counts.r.tolist() == t.counts.r.tolist()


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_to_frame(backend: str) -> None:
    pytest.importorskip(backend)
    t = HitTable.from_scores(Y, S)
    frame = t.to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    columns = frame.to_pydict() if backend == "pyarrow" else {name: list(frame[name]) for name in frame.columns}
    assert list(columns) == ["score", "pos", "neg", "tpr", "fpr", "rate"]
    assert columns["score"] == [3, 2, 1, 0]
    assert columns["pos"] == t.pos.tolist()
    assert columns["rate"] == t.rate.tolist()
    assert "score" not in list(HitTable.from_counts([1], [1]).to_frame("polars").columns)


def test_to_frame_refuses_other_packages() -> None:
    with pytest.raises(ParameterError, match="backend"):
        HitTable.from_scores(Y, S).to_frame("numpy")


# ---- collapsing and strict orders


@law(80)
@given(r=rankings(levels=9))
def test_collapse_keeps_two_rows_for_each_positive_score(r: Ranking) -> None:
    t, c = r.table, r.table.collapse()
    distinct = np.unique(r.s[r.y])[::-1]
    assert c.pos.size == 2 * distinct.size + 1
    assert c.grid is not None
    assert c.grid.tolist() == distinct.tolist()
    assert (c.n, c.n_pos) == (t.n, t.n_pos)
    assert c.pos[::2].sum() == 0
    assert c.pos[1::2].tolist() == [int((r.y & (r.s == score)).sum()) for score in distinct]
    assert c.neg[1::2].tolist() == [int((~r.y & (r.s == score)).sum()) for score in distinct]
    assert c.tied == t.tied
    assert c.tied_pos == t.tied_pos
    assert c.collapse() == c


@law(60)
@given(t=count_tables())
def test_strict_tie_orders(t: HitTable) -> None:
    for strict, first in ((t.best_ties(), True), (t.worst_ties(), False)):
        assert (strict.n, strict.n_pos) == (t.n, t.n_pos)
        assert strict.tied == strict.tied_pos == 0
        assert strict.pos.max() == 1
        # one subject after the other, with the classes of each group apart
        expected: list[int] = []
        for z, y in zip(t.pos.tolist(), t.neg.tolist(), strict=True):
            expected += [1] * z + [0] * y if first else [0] * y + [1] * z
        found: list[int] = []
        for z, y in zip(strict.pos.tolist(), strict.neg.tolist(), strict=True):
            found += [1] * z + [0] * y
        assert found == expected


def test_strict_orders_keep_a_set_prevalence_and_need_subjects() -> None:
    assert HitTable.from_counts([2], [3]).at_prevalence(0.1).best_ties().prevalence == 0.1
    with pytest.raises(UndefinedMetricError):
        HitTable.from_scores(Y, S, sample_weight=range(1, 11)).best_ties()


@law(80)
@given(r=rankings(), weights=st.lists(st.sampled_from([0.1, 0.25, 1.0, 3.7]), min_size=14, max_size=14))
def test_ties_by_brute_force(r: Ranking, weights: list[float]) -> None:
    across = [bool(np.any(r.y[r.s == s]) and np.any(~r.y[r.s == s])) for s in r.s]
    among = [bool(own and np.sum(r.y & (r.s == s)) > 1) for s, own in zip(r.s, r.y, strict=True)]
    assert r.table.tied == sum(across)
    assert r.table.tied_pos == sum(among)
    w = np.array(weights[: r.y.size])
    weighted = HitTable.from_scores(r.y, r.s, sample_weight=w)
    assert weighted.tied * weighted.unit == pytest.approx(w[across].sum())
    assert weighted.tied_pos * weighted.unit == pytest.approx(w[among].sum())


def test_weight_of_nothing_is_nobody() -> None:
    t = HitTable.from_scores(Y, S, sample_weight=[0, 0, 1, 1, 1, 1, 1, 1, 1, 1])
    assert (t.n_pos, t.n_neg, t.tied) == (3, 5, 6)


# ---- cuts


def test_confusion_at_a_threshold() -> None:
    cut = HitTable.from_scores(Y, S).confusion(threshold=2)
    assert (cut.tp, cut.fp, cut.fn, cut.tn) == (3, 4, 1, 2)
    assert cut.threshold == 2
    same = HitTable.from_scores(Y, S).confusion(threshold=1.5)
    assert (same.tp, same.fp) == (3, 4)
    nobody = HitTable.from_scores(Y, S).confusion(threshold=math.inf)
    assert (nobody.tp, nobody.fp) == (0, 0)
    everybody = HitTable.from_scores(Y, S).confusion(threshold=-math.inf)
    assert (everybody.fn, everybody.tn) == (0, 0)


def test_confusion_inside_ties_is_an_expectation() -> None:
    t = HitTable.from_scores(Y, S)
    cut = t.confusion(k=5)
    # two of the four subjects that tie at score 2, one of them positive
    assert (cut.tp, cut.fp) == pytest.approx((2.5, 2.5))
    by_rate = t.confusion(rate=0.5)
    assert (by_rate.tp, by_rate.fp) == pytest.approx((2.5, 2.5))


@pytest.mark.parametrize(("cut", "called"), [("ceil", 4), ("floor", 3), ("round", 4), ("fractional", 3.5)])
def test_confusion_at_a_rate_follows_its_rounding(cut: str, called: float) -> None:
    t = HitTable.from_counts([3, 2], [1, 4])
    found = t.confusion(rate=0.35, cut=cut)
    assert found.tp + found.fp == pytest.approx(called)


def test_confusion_of_a_collapsed_table_knows_its_limits() -> None:
    y, s = [1, 0, 0, 1, 0], [5.0, 4.0, 3.0, 2.0, 1.0]
    full, collapsed = HitTable.from_scores(y, s), HitTable.from_scores(y, s).collapse()
    for threshold in (5.0, 2.0):
        assert collapsed.confusion(threshold=threshold) == full.confusion(threshold=threshold)
    for threshold in (4.5, 3.0, 0.0):
        with pytest.raises(UndefinedMetricError, match="between"):
            collapsed.confusion(threshold=threshold)
    # nobody is between: known after all
    assert collapsed.confusion(threshold=6.0).tp == 0
    for k in range(1, 6):
        assert collapsed.confusion(k=k) == full.confusion(k=k)


def test_confusion_needs_one_cut_within_the_list() -> None:
    t = HitTable.from_scores(Y, S)
    for wrong in (
        {},
        {"k": 1, "rate": 0.5},
        {"k": 0},
        {"k": 2.5},
        {"rate": 0.0},
        {"rate": 1.5},
        {"threshold": math.nan},
    ):
        with pytest.raises(ParameterError):
            t.confusion(**wrong)
    with pytest.raises(ParameterError):
        t.confusion(rate=0.5, cut="up")
    with pytest.raises(UndefinedMetricError):
        t.confusion(k=11)
    with pytest.raises(ScoreError):
        HitTable.from_counts([1], [1]).confusion(threshold=1.0)


@law(60)
@given(t=count_tables(), k=st.integers(1, 6))
def test_what_is_read_off_a_confusion_matrix(t: HitTable, k: int) -> None:
    cut = t.confusion(k=k)
    assert cut.tp + cut.fn == pytest.approx(t.n_pos)
    assert cut.fp + cut.tn == pytest.approx(t.n_neg)
    assert cut.tp + cut.fp == pytest.approx(k)
    assert cut.rate == pytest.approx(k / t.n)
    assert cut.precision == pytest.approx(cut.tp / k)
    assert cut.accuracy == pytest.approx((cut.tp + cut.tn) / t.n)
    assert cut.lift == pytest.approx(cut.precision / t.prevalence)
    assert cut.specificity == pytest.approx(1 - cut.false_positive_rate)
    if k < t.n:
        assert cut.negative_predictive_value == pytest.approx(cut.tn / (t.n - k))
    if cut.fp > 0:
        odds = t.prevalence / (1 - t.prevalence) * cut.positive_likelihood_ratio
        assert cut.precision == pytest.approx(odds / (1 + odds))


def test_ratios_at_the_ends() -> None:
    nobody, everybody = Confusion(0, 0, 4, 6, 0.4), Confusion(4, 6, 0, 0, 0.4)
    assert all(map(math.isnan, (nobody.precision, nobody.positive_likelihood_ratio, nobody.lift)))
    assert nobody.negative_likelihood_ratio == 1
    assert everybody.positive_likelihood_ratio == everybody.lift == 1
    assert all(map(math.isnan, (everybody.negative_predictive_value, everybody.negative_likelihood_ratio)))
    assert Confusion(2, 0, 2, 6, 0.4).positive_likelihood_ratio == math.inf


def test_a_set_prevalence_moves_predictive_values_only() -> None:
    plain = HitTable.from_scores(Y, S).confusion(threshold=2)
    moved = HitTable.from_scores(Y, S).at_prevalence(0.01).confusion(threshold=2)
    assert (moved.sensitivity, moved.specificity) == (plain.sensitivity, plain.specificity)
    assert moved.precision == pytest.approx(0.01 * 0.75 / (0.01 * 0.75 + 0.99 * 4 / 6))


@law(60)
@given(t=count_tables())
def test_proposition_1(t: HitTable) -> None:
    """Su, Yuan and Zhu 2015: h(0) = 0, h(1) = pi, 0 <= h' <= 1."""
    curve, pi = hit_curve(t), t.n_pos / t.n
    h, r = curve.y, curve.x
    assert (r[0], h[0], r[-1]) == (0, 0, pytest.approx(1))
    assert h[-1] == pytest.approx(pi)
    slope = np.diff(h) / np.diff(r)
    assert np.all((slope >= 0) & (slope <= 1 + 1e-12))
    # (c): int h dh = pi^2 / 2
    assert np.sum((h[1:] + h[:-1]) / 2 * np.diff(h)) == pytest.approx(pi**2 / 2)


def test_tables_that_were_pickled_on_another_processor_are_equal() -> None:
    table = HitTable.from_scores([1, 0, 1, 0, 0], [5.0, 4.0, 3.0, 3.0, 1.0])
    turned = {
        name: value.astype(value.dtype.newbyteorder(">")) if isinstance(value, np.ndarray) else value
        for name, value in table.__getstate__().items()
    }
    other = object.__new__(HitTable)
    other.__setstate__(turned)
    assert other == table
    assert other.pos.dtype == table.pos.dtype
    assert not other.pos.flags.writeable


_TWO = np.array([1, 2])
BY_HAND: dict[str, tuple[dict[str, Any], type[Exception], str]] = {
    "negative": ({"neg": [-1, 2]}, CountError, "neg must be at least 0 in each row, got -1"),
    "negative weights": ({"pos": [0.5, -2.0]}, CountError, "pos must be at least 0 in each row, got -2"),
    "nan": ({"pos": [np.nan, 1.0]}, CountError, "pos must be at least 0 in each row, got nan"),
    "infinite": ({"pos": [np.inf, 1.0]}, CountError, "pos must be 0 or between .*, got inf"),
    "text": ({"pos": ["a", "b"]}, CountError, "pos must be a row of numbers, got 1 axes of type <U1"),
    "two axes": ({"neg": [[1, 2]]}, CountError, "neg must be a row of numbers, got 2 axes"),
    "lengths": ({"neg": [1, 2, 3]}, LengthMismatchError, "lengths differ: pos has 2, neg has 3"),
    "squares": ({"pos_squares": [1.0, 2.0]}, ParameterError, "pos_squares and neg_squares are of weights: give both"),
    "square": (
        {"pos_squares": [1.0, 2.0], "neg_squares": [1.0, -2.0]},
        CountError,
        "neg_squares must be at least 0 in each row, got -2",
    ),
    "kind": ({"kind": "fulls"}, ParameterError, "kind must be one of .*full"),
    "no scores": ({"kind": "full"}, ScoreError, "a table of kind 'full' has scores: give grid, or kind='rows'"),
    "scores": ({"grid": [2.0, 1.0]}, ScoreError, "a table of kind 'rows' has no scores: leave out grid"),
    "ascending": ({"kind": "full", "grid": [1.0, 2.0]}, ScoreError, "distinct scores from the highest down"),
    "equal scores": ({"kind": "full", "grid": [1.0, 1.0]}, ScoreError, "distinct scores from the highest down"),
    "nan as a score": ({"kind": "full", "grid": [1.0, np.nan]}, ScoreError, "without nan"),
    "few scores": ({"kind": "full", "grid": [1.0]}, LengthMismatchError, "'full' with 1 scores has 1 rows, got 2"),
    "cells": ({"kind": "collapsed", "grid": [1.0]}, LengthMismatchError, "with 1 scores has 3 rows, got 2"),
    "bins": ({"kind": "binned", "grid": [2.0, 1.0]}, LengthMismatchError, "with 2 scores has 3 rows, got 2"),
    "prevalence": ({"assumed_prevalence": 2.0}, ParameterError, "prevalence"),
}


@pytest.mark.parametrize("case", BY_HAND)
def test_a_table_that_is_made_by_hand_is_checked(case: str) -> None:
    given, error, words = BY_HAND[case]
    with pytest.raises(error, match=words):
        HitTable(**{"pos": _TWO, "neg": _TWO, "kind": "rows", **given})


def test_tables_that_are_made_by_hand() -> None:
    pos: Any = [3, 1]
    assert HitTable(pos, np.array([0, 2]), "rows") == HitTable.from_counts([3, 1], [0, 2])
    full = HitTable.from_scores([1, 0, 1, 0], [4.0, 3.0, 2.0, 2.0])
    assert HitTable([1, 0, 1], [0, 1, 1], "full", [4.0, 3.0, 2.0]) == full  # type: ignore[arg-type]
    assert HitTable([0, 1], [1, 1], "binned", [np.inf]).n == 3  # type: ignore[arg-type]


def test_positives_of_weight_0_have_a_row_only_where_they_were_seen() -> None:
    y, scores, weight = [1, 1, 0, 0, 1], [5, 4, 3, 2, 1], [1, 0, 1, 2, 0.5]
    full = HitTable.from_scores(y, scores, sample_weight=weight)
    counted = HitTable.from_scores(y, scores, sample_weight=weight, grid=[5, 4, 1])
    assert full.collapse() != counted
    assert full.canonical() == counted.canonical() == full.collapse()
