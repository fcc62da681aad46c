"""Curves as functions, and what they are compared with."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve import Curve, HitTable
from hitcurve.curve import KINDS
from hitcurve.errors import ParameterError
from tests.strategies import Floats, Ranking, count_tables, law, rankings

Make = Callable[[HitTable], Curve]
CURVES: dict[str, Make] = {
    "hit": hc.hit_curve,
    "roc": hc.roc_curve,
    "det": hc.det_curve,
    "accumulation": hc.accumulation_curve,
    "precision_recall": hc.precision_recall_curve,
    "croc": hc.croc_curve,
    "croc power": lambda t: hc.croc_curve(t, magnification=hc.magnify.Power(2.3)),
    "croc both": lambda t: hc.croc_curve(
        t, magnification=hc.magnify.Exponential(7), y_magnification=hc.magnify.Exponential(7)
    ),
    "cac": hc.cac_curve,
    "cac log": lambda t: hc.cac_curve(t, magnification=hc.magnify.Logarithmic(80)),
    "rate_accuracy": hc.rate_accuracy_curve,
    "rate_recall": hc.rate_recall_curve,
    "rate_negative_recall": lambda t: hc.rate_recall_curve(t, negative=True),
    "lift": hc.lift_curve,
    "proc": hc.proc_curve,
    "pac": hc.pac_curve,
    "prg": hc.prg_curve,
}
each_curve = pytest.mark.parametrize("make", CURVES.values(), ids=list(CURVES))
T = HitTable.from_scores([1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [3, 3, 3, 2, 2, 2, 2, 1, 1, 0])


def grid_of(*curves: Curve, points: int = 301) -> Floats:
    """Return places on all curves: evenly spread, and close to the start."""
    low, high = max(c.x[0] for c in curves), min(c.x[-1] for c in curves)
    low = max(low, high - 12)  # a logarithmic axis may start at minus infinity
    steps = np.concatenate([np.linspace(0, 1, points), np.geomspace(1e-9, 1, points)])
    return np.unique(np.clip(low + (high - low) * steps, low, high))


# ---- values


@each_curve
@law(25)
@given(t=count_tables())
def test_vertices_lie_on_the_curve(make: Make, t: HitTable) -> None:
    c = make(t)
    assert np.all(np.diff(c.x[np.isfinite(c.x)]) >= -1e-12)
    for x in np.unique(c.x):
        # of a jump, a curve over recall takes the first point and all others take the last
        heights = c.y[c.x == x]
        expected = heights[0] if "recall" in c.x_label else heights[-1]
        if c.kind.name == "proc" and x == c.x[0]:
            expected = hc.roc_curve(t).at(0.5 / t.n)  # FPR is cut off there
        assert c.at(x) == pytest.approx(expected, abs=1e-9)


def test_which_end_of_a_jump_is_taken() -> None:
    t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    assert hc.roc_curve(t).at([0, 0.5, 1]).tolist() == [0.5, 1, 1]
    assert hc.precision_recall_curve(t).at([0.5, 1]) == pytest.approx([1, 2 / 3])


def test_curves_between_vertices() -> None:
    """T has rows (2, 1), (1, 3), (1, 1), (0, 1) of 4 positives and 6 negatives."""
    assert hc.roc_curve(T).at(5 / 12) == pytest.approx(0.625)
    assert hc.accumulation_curve(T).at(0.5) == pytest.approx(0.625)
    assert hc.hit_curve(T).at(0.5) == pytest.approx(0.25)
    assert hc.lift_curve(T).at(0.5) == pytest.approx(1.25)
    assert hc.rate_accuracy_curve(T).at(0.5) == pytest.approx(0.4 * 0.625 + 0.6 * (1 - 2.5 / 6))
    assert hc.rate_recall_curve(T, negative=True).at(0.5) == pytest.approx(1 - 2.5 / 6)
    assert hc.pac_curve(T).at(math.log10(0.5)) == pytest.approx(0.625)
    assert hc.proc_curve(T).at(math.log10(5 / 12)) == pytest.approx(0.625)
    # on a straight piece through the origin TPR / rate is constant
    assert hc.lift_curve(T).at(0.2) == pytest.approx(hc.lift_curve(T).at(0.1))


@law(50)
@given(t=count_tables(), share=st.floats(0.01, 0.99))
def test_precision_recall_follows_the_counts(t: HitTable, share: float) -> None:
    pr = hc.precision_recall_curve(t)
    hits, alarms = np.append(0, np.cumsum(t.pos)), np.append(0, np.cumsum(t.neg))
    for k in np.flatnonzero(t.pos):
        found = hits[k] + share * t.pos[k]
        called = found + alarms[k] + share * t.neg[k]
        assert pr.at(found / t.n_pos) == pytest.approx(found / called, rel=1e-10)


def test_precision_recall_is_no_chord() -> None:
    t = HitTable.from_counts([1, 1], [0, 8])
    # precision falls from 1 to 2/10; half way in recall it is 1.5 / (1.5 + 4), the chord says 0.6
    assert hc.precision_recall_curve(t).at(0.75) == pytest.approx(1.5 / 5.5)


@pytest.mark.parametrize(
    ("pos", "neg", "precision", "lift"),
    [([2, 1], [1, 4], 2 / 3, (2 / 3) / (3 / 8)), ([0, 3], [1, 4], 0, 0), ([3, 0], [0, 5], 1, 8 / 3)],
)
def test_curves_that_start_at_a_limit(pos: list[int], neg: list[int], precision: float, lift: float) -> None:
    t = HitTable.from_counts(pos, neg)
    for curve, limit in ((hc.precision_recall_curve(t), precision), (hc.lift_curve(t), lift)):
        assert curve.starts_at_limit
        assert curve.x[0] == 0
        assert curve.y[0] == pytest.approx(limit)
        assert curve.at(0) == pytest.approx(limit)


@pytest.mark.parametrize("name", [name for name in CURVES if name not in ("precision_recall", "lift")])
def test_the_others_start_at_a_point(name: str) -> None:
    assert not CURVES[name](T).starts_at_limit


def test_ends_of_curves() -> None:
    pi = T.prevalence
    for curve, start, end in (
        (hc.roc_curve(T), (0, 0), (1, 1)),
        (hc.det_curve(T), (0, 1), (1, 0)),
        (hc.accumulation_curve(T), (0, 0), (1, 1)),
        (hc.hit_curve(T), (0, 0), (1, pi)),
        (hc.rate_accuracy_curve(T), (0, 1 - pi), (1, pi)),
        (hc.rate_recall_curve(T, negative=True), (0, 1), (1, 0)),
        (hc.croc_curve(T), (0, 0), (1, 1)),
        (hc.cac_curve(T, magnification=hc.magnify.Power(2)), (0, 0), (1, 1)),
        (hc.proc_curve(T), (-math.log10(2 * T.n), 0), (0, 1)),
        (hc.pac_curve(T), (-math.inf, 0), (0, 1)),
    ):
        assert (curve.x[0], curve.y[0]) == pytest.approx(start)
        assert (curve.x[-1], curve.y[-1]) == pytest.approx(end)
        assert curve.at(curve.x[0]) == pytest.approx(curve.at(curve.x[0] + 0.0))


def test_logarithmic_accumulation_starts_at_minus_infinity() -> None:
    curve = hc.pac_curve(T)
    assert curve.x[0] == -math.inf
    assert curve.at(-math.inf) == 0
    assert curve.at(-9) == pytest.approx(0.5 / 0.3 * 1e-9)


@law(40)
@given(t=count_tables())
def test_gains_start_where_recall_is_the_prevalence(t: HitTable) -> None:
    """Flach and Kull 2015: recall gain (rec - pi)/((1 - pi) rec), precision gain (prec - pi)/((1 - pi) prec)."""
    prg, pr, pi = hc.prg_curve(t), hc.precision_recall_curve(t), t.prevalence
    assert prg.x[0] == pytest.approx(0, abs=1e-12)
    assert prg.x[-1] == pytest.approx(1)
    for recall in np.linspace(pi * (1 + 1e-6), 1 - 1e-6, 9):
        precision = pr.at(recall)
        gain = (precision - pi) / ((1 - pi) * precision)
        assert prg.at((recall - pi) / ((1 - pi) * recall)) == pytest.approx(gain, rel=1e-6, abs=1e-6)


@law(40)
@given(t=count_tables(), x=st.floats(0, 1))
def test_magnified_curves_are_the_same_curve_on_another_axis(t: HitTable, x: float) -> None:
    for f in (hc.magnify.Exponential(7), hc.magnify.Power(2.3), hc.magnify.Logarithmic(80), hc.magnify.Log2Power(2)):
        near = [hc.roc_curve(t).at(np.clip(x + move, 0, 1)) for move in (-1e-9, 0, 1e-9)]
        height = hc.croc_curve(t, magnification=f).at(f(x))
        assert min(near) - 1e-7 <= height <= max(near) + 1e-7
        twice = hc.croc_curve(t, magnification=f, y_magnification=f).at(f(x))
        assert float(f(min(near))) - 1e-3 <= twice <= float(f(max(near))) + 1e-3


@pytest.mark.slow
@law(12)
@given(r=rankings(levels=9))
def test_the_curve_of_a_collapsed_table_is_the_same_function(r: Ranking) -> None:
    for make in CURVES.values():
        full, collapsed = make(r.table), make(r.table.collapse())
        x = grid_of(full, points=41)
        np.testing.assert_allclose(collapsed.at(x), full.at(x), rtol=1e-9, atol=1e-12)
        assert collapsed.area() == pytest.approx(full.area(), rel=1e-11, abs=1e-12)


@law(30)
@given(t=count_tables(), pi=st.floats(0.01, 0.9))
def test_a_set_prevalence_is_followed(t: HitTable, pi: float) -> None:
    moved = t.at_prevalence(pi)
    assert hc.hit_curve(moved).y[-1] == pytest.approx(pi)
    assert hc.precision_recall_curve(moved).y[-1] == pytest.approx(pi)
    np.testing.assert_array_equal(hc.roc_curve(moved).x, hc.roc_curve(t).x)


def test_weights_are_followed() -> None:
    y, s, w = [1, 0, 1, 0], [4, 3, 2, 1], [1, 3, 2, 1]
    weighted = hc.roc_curve(HitTable.from_scores(y, s, sample_weight=w))
    repeated = hc.roc_curve(HitTable.from_scores(np.repeat(y, w), np.repeat(s, w)))
    np.testing.assert_allclose(weighted.x, repeated.x)
    np.testing.assert_allclose(weighted.y, repeated.y)
    assert weighted.perfect.area() == pytest.approx(1)


@each_curve
def test_places_off_the_curve_are_refused(make: Make) -> None:
    c = make(T)
    for x in (c.x[-1] + 1e-6, math.nan, *([c.x[0] - 1e-6] if math.isfinite(c.x[0]) else [])):
        with pytest.raises(ParameterError):
            c.at(x)


@each_curve
def test_at_takes_arrays(make: Make) -> None:
    c = make(T)
    x = np.linspace(max(c.x[0], -5), c.x[-1], 6)
    np.testing.assert_array_equal(c.at(x.reshape(2, 3)), np.reshape([c.at(v) for v in x], (2, 3)))
    assert isinstance(c.at(float(x[1])), float)


# ---- thresholds


@law(40)
@given(r=rankings())
def test_thresholds_call_the_subjects_of_their_vertex(r: Ranking) -> None:
    for t in (r.table, r.table.collapse()):
        roc = hc.roc_curve(t)
        assert roc.threshold is not None
        for x, y, threshold, exclusive in zip(roc.x, roc.y, roc.threshold, roc.exclusive, strict=True):
            called = r.s > threshold if exclusive else r.s >= threshold
            assert np.mean(called[r.y]) == pytest.approx(y)
            assert np.mean(called[~r.y]) == pytest.approx(x)


def test_thresholds_of_gaps_are_exclusive() -> None:
    collapsed = HitTable.from_scores([1, 0, 0, 1, 0], [5.0, 4.0, 3.0, 2.0, 1.0]).collapse()
    roc = hc.roc_curve(collapsed)
    assert roc.threshold is not None
    assert roc.threshold.tolist() == [math.inf, 5, 2, 2, -math.inf]
    assert roc.exclusive.tolist() == [True, False, True, False, False]
    assert hc.roc_curve(HitTable.from_counts([1], [1])).threshold is None


# ---- the list of curves


NAMED = {name: getattr(hc, f"{'rate_recall' if name == 'rate_negative_recall' else name}_curve") for name in KINDS}
each_kind = pytest.mark.parametrize("name", KINDS)


@each_kind
@law(20)
@given(r=rankings())
def test_labels_and_scores_or_a_table_give_the_same_curve(name: str, r: Ranking) -> None:
    more = {"negative": True} if name == "rate_negative_recall" else {}
    wanted = r.table.curve(name)
    assert wanted.kind is KINDS[name]
    for c in (NAMED[name](r.y, r.s, **more), NAMED[name](r.table, **more)):
        np.testing.assert_array_equal(c.x, wanted.x)
        np.testing.assert_array_equal(c.y, wanted.y)
    if r.table.kind == "full":
        np.testing.assert_array_equal(NAMED[name](r.y, -r.s, higher_is_better=False, **more).y, wanted.y)


@each_kind
@law(20)
@given(t=count_tables())
def test_the_area_is_that_of_the_heights(name: str, t: HitTable) -> None:
    c = t.curve(name)
    low = c.x[0] if math.isfinite(c.x[0]) else -14.0
    inside = np.unique(np.concatenate([[low], c.x[(c.x > low) & np.isfinite(c.x)]]))
    x = np.unique(np.concatenate([np.linspace(a, b, 200) for a, b in itertools.pairwise(inside)]))
    left, right = c.at(x, "left"), c.at(x, "right")
    trapezoids = float(np.sum((right[:-1] + left[1:]) / 2 * np.diff(x)))
    assert c.area() == pytest.approx(trapezoids, rel=2e-3, abs=2e-3 * float(np.ptp(c.y) or 1))


@each_kind
def test_the_random_baseline_of_pictures_is_that_of_the_curve(name: str) -> None:
    random = KINDS[name].picture.random
    if random is not None:
        x = np.linspace(0, 1, 11)
        np.testing.assert_allclose(random(x), T.curve(name).random.at(x), atol=1e-12)


@law(40)
@given(t=count_tables(), x=st.floats(0, 1))
def test_det_mirrors_roc(t: HitTable, x: float) -> None:
    det, roc = t.curve("det"), t.curve("roc")
    assert det.at(x) == pytest.approx(1 - roc.at(x), abs=1e-12)
    assert det.area() == pytest.approx(1 - roc.area(), abs=1e-12)
    assert det.perfect.dominates(det)
    assert det.dominates(det.worst)


def test_det_is_that_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [40, 160])
    s = np.round(rng.normal(size=200) + y, 1)
    fpr, fnr, _ = metrics.det_curve(y, s)
    det = hc.det_curve(y, s)
    theirs = set(zip(fpr.round(12), fnr.round(12), strict=True))
    assert theirs <= set(zip(det.x.round(12), det.y.round(12), strict=True))


# ---- reference curves


def test_reference_curves_are_the_published_bounds() -> None:
    """Millard et al., equations 4 and Theorem 5; THEORY 2."""
    pi = T.prevalence
    r = np.linspace(0, 1, 51)
    accuracy = hc.rate_accuracy_curve(T)
    np.testing.assert_allclose(accuracy.perfect.at(r), 1 - abs(pi - r), atol=1e-12)
    np.testing.assert_allclose(accuracy.worst.at(r), abs(1 - pi - r), atol=1e-12)
    recall = hc.rate_recall_curve(T)
    np.testing.assert_allclose(recall.perfect.at(r), np.minimum(1, r / pi), atol=1e-12)
    np.testing.assert_allclose(recall.worst.at(r), np.maximum(0, (r - (1 - pi)) / pi), atol=1e-12)
    np.testing.assert_allclose(hc.hit_curve(T).random.at(r), pi * r, atol=1e-12)
    np.testing.assert_allclose(hc.roc_curve(T).random.at(r), r, atol=1e-12)
    pr = hc.precision_recall_curve(T)
    np.testing.assert_allclose(pr.random.at(r), pi)
    np.testing.assert_allclose(pr.perfect.at(r), 1)
    np.testing.assert_allclose(pr.worst.at(r[1:]), pi * r[1:] / (pi * r[1:] + 1 - pi))
    # Swamidass et al. 2010, section 2.3: the diagonal, magnified
    x = np.linspace(0, 0.999, 11)
    by_chance = -np.log(1 - x * (1 - math.exp(-7))) / 7
    np.testing.assert_allclose(
        hc.croc_curve(T, magnification=hc.magnify.Exponential(7)).random.at(x), by_chance, atol=1e-12
    )


@pytest.mark.slow
@each_curve
@law(20)
@given(t=count_tables())
def test_every_curve_lies_between_worst_and_perfect(make: Make, t: HitTable) -> None:
    c = make(t)
    assert c.perfect.dominates(c)
    assert c.dominates(c.worst)
    assert c.dominates(c)
    x = grid_of(c, c.perfect, c.worst, points=31)
    x = x[(x > x[0]) & (x < x[-1])]
    best, least = (c.worst, c.perfect) if c.kind.lower_is_better else (c.perfect, c.worst)
    assert np.all(c.at(x) <= best.at(x) + 1e-9)
    assert np.all(c.at(x) >= least.at(x) - 1e-9)


# ---- comparing


def same_classes(a: HitTable, b: HitTable) -> tuple[HitTable, HitTable]:
    """Bring two tables to one prevalence, so that all their curves compare."""
    return a.at_prevalence(0.3), b.at_prevalence(0.3)


def both_sides(c: Curve, x: Floats) -> Floats:
    """Return heights on both sides of each place: jumps have two."""
    step = 1e-10
    return np.concatenate([c.at(np.clip(x - step, x[0], x[-1])), c.at(x), c.at(np.clip(x + step, x[0], x[-1]))])


@pytest.mark.slow
@each_curve
@law(15)
@given(a=count_tables(rows=4), b=count_tables(rows=4))
def test_distance_against_a_dense_search(make: Make, a: HitTable, b: HitTable) -> None:
    one, other = (make(t) for t in same_classes(a, b))
    x = np.unique(np.concatenate([grid_of(one, other, points=1501), one.x, other.x]))
    x = x[(x >= max(one.x[0], other.x[0], -12)) & (x <= min(one.x[-1], other.x[-1]))]
    dense = float(np.max(np.abs(both_sides(one, x) - both_sides(other, x))))
    distance = one.sup_distance(other)
    # steps of 1/1500, and where a curve is steep those of 1.4% from the start
    assert dense - 1e-6 <= distance <= dense + 0.02 * max(1.0, dense)
    assert distance == pytest.approx(other.sup_distance(one), rel=1e-9, abs=1e-12)
    assert one.sup_distance(one) == 0


def test_distance_within_a_range() -> None:
    t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    roc = hc.roc_curve(t)
    assert roc.sup_distance(roc.random) == pytest.approx(0.5)
    assert roc.sup_distance(roc.random, (0.1, 0.3)) == pytest.approx(0.4)
    assert roc.sup_distance(roc.random, (0.6, 1.0)) == pytest.approx(0.4)
    for wrong in ((0.3, 0.1), (0.2, 0.2), (-0.1, 0.5), (0.5, 1.1)):
        with pytest.raises(ParameterError):
            roc.sup_distance(roc.random, wrong)


def test_distance_inside_a_piece() -> None:
    """Two hyperbolas differ most between their vertices."""
    a, b = HitTable.from_counts([10, 10], [0, 80]), HitTable.from_counts([10, 10], [5, 75])
    one, other = hc.precision_recall_curve(a), hc.precision_recall_curve(b)
    x = np.linspace(0, 1, 200_001)
    dense = np.max(np.abs(one.at(x) - other.at(x))[1:])
    assert one.sup_distance(other) == pytest.approx(dense, abs=1e-6)


@pytest.mark.slow
@law(100)
@given(a=count_tables(rows=3), b=count_tables(rows=3))
def test_dominance_against_a_dense_search(a: HitTable, b: HitTable) -> None:
    a, b = same_classes(a, b)
    for make in (hc.roc_curve, hc.accumulation_curve, hc.rate_accuracy_curve, hc.precision_recall_curve):
        one, other = make(a), make(b)
        x = np.unique(np.concatenate([np.linspace(0.0005, 0.9995, 400), one.x, other.x]))
        x = x[(x > 0) & (x < 1)]
        ahead = bool(np.all(both_sides(one, x) >= both_sides(other, x) - 1e-8))
        assert one.dominates(other) == ahead


def test_dominance_is_partial() -> None:
    early, late = HitTable.from_counts([2, 0, 2], [1, 4, 1]), HitTable.from_counts([0, 4, 0], [2, 2, 2])
    a, b = hc.roc_curve(early), hc.roc_curve(late)
    assert not a.dominates(b)
    assert not b.dominates(a)


def test_curves_that_do_not_compare() -> None:
    t = HitTable.from_counts([2, 1], [1, 4])
    more = HitTable.from_counts([2, 1], [2, 8])
    assert hc.roc_curve(t).sup_distance(hc.roc_curve(more)) == pytest.approx(0)
    for a, b in (
        (hc.roc_curve(t), hc.hit_curve(t)),
        (hc.croc_curve(t), hc.croc_curve(t, magnification=hc.magnify.Exponential(8))),
        (hc.croc_curve(t), hc.croc_curve(t, y_magnification=hc.magnify.Exponential(7))),
        (hc.croc_curve(t), hc.cac_curve(t)),
        (hc.hit_curve(t), hc.hit_curve(more)),
        (hc.precision_recall_curve(t), hc.precision_recall_curve(more)),
    ):
        for compare in (a.dominates, a.sup_distance):
            with pytest.raises(ParameterError, match="compare"):
                compare(b)


def test_curves_need_a_table_and_a_map() -> None:
    with pytest.raises(ParameterError, match="HitTable"):
        hc.roc_curve([1, 0])
    with pytest.raises(ParameterError, match="cannot be given with a HitTable"):
        hc.roc_curve(T, [1, 0])
    with pytest.raises(ParameterError, match="cannot be given with a HitTable"):
        hc.roc_curve(T, pos_label=1)
    with pytest.raises(ParameterError, match="did you mean 'precision_recall'"):
        T.curve("precision")
    with pytest.raises(ParameterError, match="not magnified: croc and cac curves are"):
        T.curve("roc", magnification=hc.magnify.Exponential(7))
    with pytest.raises(ParameterError, match="not magnified"):
        T.curve("roc", y_magnification=hc.magnify.Exponential(7))
    with pytest.raises(ParameterError, match="Magnification"):
        hc.croc_curve(T, magnification=lambda x: x)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="Magnification"):
        hc.cac_curve(T, magnification=hc.magnify.Exponential(7), y_magnification=7)  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_vertices_as_a_frame(backend: str) -> None:
    pytest.importorskip(backend)
    roc = hc.roc_curve(T)
    frame = roc.to_frame(backend)
    columns = frame.to_pydict() if backend == "pyarrow" else {name: list(frame[name]) for name in frame.columns}
    assert list(columns) == ["x", "y", "threshold", "exclusive"]
    assert columns["y"] == roc.y.tolist()
    assert columns["exclusive"] == roc.exclusive.tolist()
    assert columns["threshold"][0] == math.inf


@pytest.mark.parametrize("curve", KINDS)
def test_areas_over_parts_of_the_axis_add_up(curve: str) -> None:
    own = HitTable.from_scores([1, 1, 0, 0, 1, 0, 0, 0], [3, 3, 1, 1, 1, 1, 1, 1]).curve(curve)
    low, high = max(own.x[0], own.x[1] - 1) if np.isinf(own.x[0]) else own.x[0], own.x[-1]
    middle = low + 0.4 * (high - low)
    parts = own.area((own.x[0], middle)) + own.area((middle, high))
    assert parts == pytest.approx(own.area(), rel=1e-12)
    x = np.linspace(middle, high, 100_001)
    assert own.area((middle, high)) == pytest.approx(np.trapezoid(own.at(x), x), rel=1e-4)
    with pytest.raises(ParameterError, match="x_range must be an interval inside"):
        own.area((middle, high + 1))
