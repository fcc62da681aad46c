"""Values and variances of one long list that is read in slices: no more than a slice of it is in memory.

A slice is looked at as a short list: all that is above it in one row, its own rows, those of the next slice as far as
its first positive, and all that is below in one row. Cumulative counts of its own rows are then those of the whole
list, so that what they add to a metric that adds over rows is what the short list has beyond one whose own rows are
one row. Derivatives, summed from each row down, are those of the whole list up to what the rows below add, which is
the same for all rows of the slice: the next slice, read before it, has the row at which both can be compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray, Array, Counts, before
from hitcurve.inference.cutting.step import reach
from hitcurve.inference.estimation.strict import (
    MOST_STRICT_ROWS,
    StrictSums,
    ends_in_part,
    on_axis,
    reach_of_rounding,
    short_lists,
    strict_orders,
)
from hitcurve.inference.variance.half_subject import spread_by
from hitcurve.inference.variance.influence import has_gradient, of_moments
from hitcurve.metrics import Metric
from hitcurve.metrics.ends import reference_order, with_exact_end
from hitcurve.metrics.mean_gradient import Scatter
from hitcurve.metrics.pieces import CutAt, GradientMoments
from hitcurve.refusals import raise_first
from hitcurve.sums import Sums
from hitcurve.table import HitTable

_BESIDE = 2  # scores to either side of a place that keep rows of their own


class Slices(Protocol):
    """One list, sorted, in slices from the highest scores down."""

    @property
    def pos(self) -> AnyArray:
        """Positives of each slice."""

    @property
    def neg(self) -> AnyArray:
        """Negatives of each slice."""

    @property
    def tied(self) -> tuple[int, int]:
        """Subjects whose score occurs in both classes, and positives whose score occurs in another positive."""

    def rows(self, place: int) -> Sums:
        """Return the rows of a slice: a gap and a score of a positive in turn, and the last gap of the list."""

    def scores(self, place: int) -> AnyArray:
        """Return the scores of the positives of a slice, descending."""


class InSlices(NamedTuple):
    """What the slices say of one metric.

    Attributes
    ----------
    value, variance : float
        nan if they are those of ``table``.
    half : (float, float) or None
        Value and variance of the half-subject table.
    ties : (float, float) or None
        Values of the worst and of the best strict order; None without ties.
    table : HitTable or None
        Of a metric with a cutoff, whose numbers follow from the rows near it: these rows, and all others put together.
    tied : (int, int)
        Subjects whose score occurs in both classes, and positives whose score occurs in another positive.
    """

    value: float
    variance: float
    half: tuple[float, float] | None = None
    ties: tuple[float, float] | None = None
    table: HitTable | None = None
    tied: tuple[int, int] = (0, 0)


def can_be_read(metric: Metric) -> bool:
    """Say whether the value of a metric and its variance can be worked out slice by slice."""
    two = Counts(np.array([40, 60]), np.array([20, 80]))
    cut = metric.cut_at(two)
    if cut is not None:
        return not cut.tangent
    adds = metric.adds_over_rows and not metric.jumps and has_gradient(metric, two)
    # what it says of the list must follow from the numbers of the classes too
    return adds and len({metric.convention(reference_order(two, order)) for order in ("random", "best")}) == 1


def read(
    metrics: Iterable[Metric], slices: Slices, design: str, prevalence: float | None, *, undefined: str = "raise"
) -> Mapping[Metric, InSlices]:
    """Work out the metrics of a list, from its last slice up.

    Parameters
    ----------
    metrics : iterable of Metric
        Those that can be read.
    slices : Slices
    design : {"cohort", "case-control"}
    prevalence : float or None
    undefined : {"raise", "nan"}
        Metrics that are undefined on the list: raise an error, or leave them out.

    Raises
    ------
    UndefinedMetricError
    """
    all_tied = Counts(slices.pos, slices.neg, prevalence)
    metrics = [m for m in metrics if undefined == "raise" or not any(np.any(r.where) for r in m.undefined(all_tied))]
    for m in metrics:
        raise_first(m.undefined(all_tied))
    tied = any(slices.tied) and float(all_tied.n1) <= MOST_STRICT_ROWS
    cuts = {m: cut for m in metrics if (cut := m.cut_at(all_tied)) is not None}
    added = [_Added(m, slices, design, prevalence) for m in metrics if m not in cuts]
    below: Sums | None = None
    for place in reversed(range(len(slices.pos)) if added else ()):
        rows = slices.rows(place)
        for one in added:
            one.add(place, rows, below)
        for order in strict_orders(Sums(slices.pos, slices.neg), place, rows, prevalence) if tied else ():
            for one in added:
                one.strict.add(order)
        below = rows
    found = {one.metric: one.found(tied=tied) for one in added}
    found |= {m: _at_cut(m, cut, slices, prevalence, tied=tied) for m, cut in cuts.items()}
    return {m: own._replace(tied=slices.tied) for m, own in found.items()}


class _Sum:
    """A metric that adds over rows, slice after slice from the last one up.

    Parameters
    ----------
    metric : Metric
    slices : Slices
    prevalence : float or None
    half : bool
        Whether half a subject of each class is added.
    """

    def __init__(self, metric: Metric, slices: Slices, prevalence: float | None, *, half: bool) -> None:
        self.metric, self._totals, self._prevalence, self._half = metric, Sums(slices.pos, slices.neg), prevalence, half
        self.counts = self._counted(self._totals)
        self.value = float(metric.kernel(self.counts))
        self._of_pos, self._of_neg, self._slope = Scatter(), Scatter(), self._follows(self.counts)
        self._below: tuple[float, float] | None = None  # derivatives at the first positive of the slice below

    def _counted(self, sums: Sums) -> Counts:
        more = sums.with_half_subject(spread_by(self.metric, self._prevalence)) if self._half else sums
        return more.counts(self._prevalence)

    def _follows(self, c: Counts) -> float:
        gradient = self.metric.gradient_from_here(c)
        return 0.0 if gradient is None else float(gradient.pi)

    def add(self, place: int, rows: Sums, next_rows: Sums | None) -> None:
        """Add the rows of a slice, with those of the next one as far as its first positive."""
        c, short = (self._counted(sums) for sums in short_lists(self._totals, place, rows, next_rows))
        own = slice(1, 1 + rows.pos.size)
        self.value += float(self.metric.kernel(c)) - float(self.metric.kernel(short))
        with np.errstate(invalid="ignore"):  # slopes may be infinite where nobody is
            gradient = self.metric.gradient_from_here(c)
        if gradient is None:
            return
        self._slope += float(gradient.pi) - self._follows(short)
        a, b = gradient.P, gradient.Q
        if next_rows is not None and self._below is not None:
            same = rows.pos.size + next_rows.pos.size  # the row of the first positive of the next slice
            for side, known in zip((a, b), self._below, strict=True):
                apart = known - float(side[same])
                side += apart if np.isfinite(apart) else 0.0  # else no negative is above it
        first = 1 + int(np.argmax(rows.pos > 0))
        self._below = float(a[first]), float(b[first])
        for scatter, share, side in ((self._of_pos, c.p[own], a[own]), (self._of_neg, c.q[own], b[own])):
            scatter.add(share, np.where(share > 0, side, 0.0))

    def variance(self, design: str) -> float:
        """Return the variance of the metric."""
        moments = GradientMoments(self._of_pos.squares, self._of_neg.squares, self._slope)
        return float(of_moments(moments, self.metric, self.counts, design))


class _Added:
    """All numbers of a metric that adds over rows."""

    def __init__(self, metric: Metric, slices: Slices, design: str, prevalence: float | None) -> None:
        self.metric, self._design = metric, design
        self._plain = _Sum(metric, slices, prevalence, half=False)
        self._half = _Sum(metric, slices, prevalence, half=True)
        self.strict = StrictSums(metric, self._plain.value)

    def add(self, place: int, rows: Sums, below: Sums | None) -> None:
        """Add the rows of a slice."""
        self._plain.add(place, rows, _to_first(below))
        join = self.metric.negatives_join
        own = rows.folded(negatives_join=join)
        self._half.add(place, own, None if below is None else _to_first(below.folded(negatives_join=join)))

    def found(self, *, tied: bool) -> InSlices:
        """Return the numbers."""
        c, half = self._plain.counts, self._half
        value = with_exact_end(self.metric, c, self._plain.value)
        strict = self.strict.found(c) if tied else None
        ties = None if strict is None else (min(strict), max(strict))
        return InSlices(value, self._plain.variance(self._design), (half.value, half.variance(self._design)), ties)


def _to_first(rows: Sums | None) -> Sums | None:
    """Return the rows of a slice as far as its first positive."""
    if rows is None:
        return None
    first = int(np.argmax(rows.pos > 0)) + 1
    return rows.each(lambda column: column[:first])


# ---- cutoffs


@dataclass(frozen=True)
class _Places:
    """Where the rows of a list are needed, on the axis of a cut."""

    low: Array
    high: Array

    @classmethod
    def of(cls, cut: CutAt, n1: Array, n0: Array) -> _Places:
        """Return the cut and the ends of the window around it, in which slopes are taken."""
        half, at = float(reach(cut, n1, n0)), float(cut.place)
        around = reach_of_rounding(cut, float(n1))
        places = np.array([at, max(at - half, 0.0), min(at + half, 1.0)])
        return cls(places - around, places + around)

    def touch(self, start: Array, end: Array) -> npt.NDArray[np.bool_]:
        """Say which stretches hold one of them."""
        return np.asarray(np.any((start <= self.high[:, None]) & (end >= self.low[:, None]), axis=0))


def _at_cut(metric: Metric, cut: CutAt, slices: Slices, prevalence: float | None, *, tied: bool) -> InSlices:
    """Return the rows near the cut and the ends of the window around it, with the others put together."""
    whole = Counts(slices.pos, slices.neg, prevalence)
    places = _Places.of(cut, whole.n1, whole.n0)
    axis = on_axis(cut, whole)
    kept = [
        _near(place, slices, whole, cut.axis, places) if touched else _together(place, slices)
        for place, touched in enumerate(places.touch(before(axis), axis))
    ]
    gaps, scored, scores = (np.concatenate([one[i] for one in kept], axis=-1) for i in range(3))
    columns = np.zeros((2, 2 * scores.size + 1), slices.pos.dtype)
    columns[:, :-1:2], columns[:, 1::2] = gaps, scored
    columns[:, -1] = kept[-1][3]
    exact = np.repeat(np.concatenate([one[4] for one in kept]), 2)
    table = HitTable.of_sums(Sums(*columns), "collapsed", scores, prevalence)
    ties = None
    if tied:
        ends = ends_in_part(metric, table, np.append(exact, True))
        ties = min(ends), max(ends)
    return InSlices(np.nan, np.nan, ties=ties, table=table)


class _Kept(NamedTuple):
    """Rows of a slice: for each of some scores, the gap above it and itself, in both classes; and what follows."""

    gaps: AnyArray
    scored: AnyArray
    scores: AnyArray
    last: AnyArray
    exact: npt.NDArray[np.bool_]


def _together(place: int, slices: Slices) -> _Kept:
    """Return a slice far from the cut as one score."""
    none, total = np.zeros((2, 1), slices.pos.dtype), np.array([[slices.pos[place]], [slices.neg[place]]])
    last = slices.scores(place)[-1:].copy()  # a view would keep all of them
    return _Kept(none, total, last, none[:, 0], np.zeros(1, bool))


def _near(place: int, slices: Slices, whole: Counts, axis: str, places: _Places) -> _Kept:
    """Return a slice of which scores far from the cut are put together."""
    rows, scores = slices.rows(place), slices.scores(place)
    above = (slices.pos[:place].sum(), slices.neg[:place].sum())
    start, end = _on_axis(rows, above, whole, axis)
    paired = 2 * scores.size
    touched = places.touch(start, end)
    own = touched[:paired:2] | touched[1:paired:2]
    own[-1] |= touched[paired:].any()
    beside = np.convolve(own, np.ones(2 * _BESIDE + 1, int), "same")[: own.size] > 0
    begins = np.append(True, beside[1:] | beside[:-1])
    starts = np.flatnonzero(begins)
    both = np.stack(rows[:2])
    gaps, scored = both[:, :paired:2], both[:, 1:paired:2]
    exact = beside[starts]
    together = np.add.reduceat(scored + np.where(beside, 0, gaps), starts, axis=-1)
    ends = np.append(starts[1:], scores.size) - 1
    return _Kept(np.where(exact, gaps[:, starts], 0), together, scores[ends], both[:, paired:].sum(axis=-1), exact)


def _on_axis(rows: Sums, above: tuple[AnyArray, AnyArray], whole: Counts, axis: str) -> tuple[Array, Array]:
    """Return where rows begin and end on an axis of the whole list."""
    P, Q = (np.concatenate([[0], np.cumsum(side)]) + before_it for side, before_it in zip(rows[:2], above, strict=True))
    called = (P + Q) / whole.n
    P, Q = P / whole.n1, Q / whole.n0
    if axis == "rate" and whole.prevalence is not None:
        called = whole.pi * P + (1 - whole.pi) * Q
    place = {"rate": called, "fpr": Q, "recall": P}[axis]
    return place[:-1], place[1:]
