"""Hard cuts: where they fall, and the local slope of the curve there.

Of a metric with a cut, the shift of the cut itself has influence, in proportion to the local slope.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array, Counts
from hitcurve.cut import interpolated
from hitcurve.magnify.pieces import sum_of_products
from hitcurve.metrics import CutAt, Metric
from hitcurve.metrics.pieces import GradientMoments
from hitcurve.sums import Sums

Sizes: TypeAlias = tuple[Array | float, Array | float]


class Step(NamedTuple):
    """A metric that is linear in TPR (or FPR) at one cut of each list.

    Attributes
    ----------
    cut : CutAt
        Where the lists are cut, and how the metric follows from what is above.
    tpr, fpr : array (...)
        At the cut.
    slope : array (...)
        Local precision (rate), dTPR/dFPR (fpr) or dFPR/dTPR (recall).
    share_above : array (..., K)
        Share of the subjects of each row that are above the cut.
    """

    cut: CutAt
    tpr: Array
    fpr: Array
    slope: Array
    share_above: Array

    @property
    def axis(self) -> str:
        """What the cut holds fixed: ``"rate"``, ``"fpr"`` or ``"recall"``."""
        return self.cut.axis

    @property
    def share(self) -> Array:
        """What the metric follows along a straight line: TPR at the cut, or FPR of a cut at a recall."""
        return self.fpr if self.axis == "recall" else self.tpr

    @property
    def by_formula(self) -> str:
        """Method of an interval that does not need subjects one by one."""
        return "log" if self.axis == "recall" else "jeffreys"

    @property
    def place(self) -> Array:
        """The rate, FPR or recall of the cut."""
        return self.cut.place

    def rate(self, c: Counts) -> Array:
        """Return the share of the subjects above the cut: of whole subjects the quotient of two numbers."""
        if not c.whole or c.is_corrected:
            return np.asarray(c.pi * self.tpr + (1 - c.pi) * self.fpr)
        if self.axis == "rate":
            return np.array(np.broadcast_to(np.asarray(self.place, float), self.tpr.shape))
        above = _sum_above(c.pos, c.H, self.share_above) + _sum_above(c.neg, c.B, self.share_above)
        return np.asarray(above / c.n)

    def divides_equal(self, sums: Sums) -> npt.NDArray[np.bool_]:
        """Say where the cut divides a group of equal scores, whose subjects are above it in part."""
        if self.share_above.ndim == 1:
            own = self.divided
            return np.asarray(((sums.pos[own] > 0) & (sums.neg[own] > 0)).any())
        divided = (self.share_above > 0) & (self.share_above < 1)
        return np.asarray(np.any(divided & (sums.pos > 0) & (sums.neg > 0), axis=-1))

    def share_of_equal(self, sums: Sums) -> Array:
        """Return what share of those above the cut are of a group of equal scores that it divides."""
        divided = (self.share_above > 0) & (self.share_above < 1) & (sums.pos > 0) & (sums.neg > 0)
        above = (sums.pos + sums.neg) * self.share_above
        of_group, of_all = np.sum(above * divided, axis=-1), np.sum(above, axis=-1)
        return np.asarray(np.divide(of_group, of_all, out=np.zeros(np.shape(of_all)), where=of_all > 0))

    @property
    def divided(self) -> slice:
        """The rows of the only list that are above the cut in part."""
        return _divided(self.share_above)

    def by_class(self, pi: Array) -> tuple[Array, Array, Array]:
        """Return how the metric follows the share of positives and of negatives above the cut, and the prevalence."""
        rho, cut = self.slope, self.cut
        if self.axis == "rate":
            pos, neg = 1 - rho, -(rho / pi) * (1 - pi)
            slope = -(rho / pi) * (self.tpr - self.fpr) + cut.follows * rho / pi
        elif self.axis == "fpr":
            pos, neg, slope = np.ones_like(rho), -rho, np.zeros_like(rho)
        else:
            pos, neg, slope = -rho, np.ones_like(rho), np.zeros_like(rho)
        factor = np.asarray(cut.factor)
        return factor * pos, factor * neg, factor * slope + cut.offset_slope + cut.factor_slope * self.share

    def moments(self, c: Counts) -> GradientMoments:
        """Return the moments of the gradient of the only list; negatives of a row of their own are on either side.

        Subjects are above the cut or not, all but those of rows that it divides.
        """
        of_pos, of_neg, slope = self.by_class(c.pi)
        divided = self.divided
        share = self.share_above[divided]
        within = share * (1 - share)
        alone = np.asarray(c.pos[divided]) == 0
        found = []
        sides = ((of_pos, c.pos, c.H, c.n1, 0.0), (of_neg, c.neg, c.B, c.n0, alone))
        for factor, column, reached, n, apart in sides:
            above = _sum_above(column, reached, self.share_above)
            spread = above * (n - above) / n - np.sum(column[divided] * within * (1 - apart))
            found.append(float(factor**2 * spread / n))
        return GradientMoments(found[0], found[1], float(slope))


def _divided(share_above: Array) -> slice:
    upwards = share_above[::-1]
    below, none = upwards.searchsorted(1.0, "left"), upwards.searchsorted(0.0, "right")
    return slice(upwards.size - int(below), upwards.size - int(none))


def _sum_above(column: Array, reached: Array, share_above: Array) -> Array:
    """Return the sum of a column above the cut; ``reached`` are its sums down to each row."""
    if column.ndim > 1 or column.dtype.kind == "f":  # sums of weights round, and are taken as of many lists
        return sum_of_products(column, share_above)
    own = _divided(share_above)
    whole = float(reached[own.start - 1]) if own.start else 0.0
    return np.asarray(whole + np.add.reduce(column[own] * share_above[own]))


def variance_at_fpr(tpr: Any, fpr: Any, slope: Any, n1: Any, n0: Any) -> Any:
    """Return the variance of TPR at FPR, where the curve rises by ``slope``; numbers or arrays."""
    return tpr * (1 - tpr) / n1 + slope**2 * fpr * (1 - fpr) / n0


def variance_at_rate(tpr: Any, fpr: Any, precision: Any, pi: Any, n1: Any, n0: Any, of_prevalence: Any = 0.0) -> Any:
    """Return the variance of TPR at a rate, where the local precision is ``precision``; numbers or arrays.

    ``of_prevalence`` is the variance of the prevalence, if it was sampled.
    """
    of_neg = (1 - pi) ** 2 * fpr * (1 - fpr) / n0 + (tpr - fpr) ** 2 * of_prevalence
    return (1 - precision) ** 2 * tpr * (1 - tpr) / n1 + (precision / pi) ** 2 * of_neg


def step_of(metric: Metric, c: Counts, size: Sizes | None = None) -> Step | None:
    """Return the cut of a metric, None if it has none.

    Parameters
    ----------
    metric : Metric
    c : Counts
    size : (array (...), array (...)), optional
        Effective numbers of positives and negatives, on which the windows of slopes depend; those of the counts if
        absent.
    """
    cut = metric.cut_at(c)
    if cut is None:
        return None
    n1, n0 = (np.asarray(side, float) for side in size or (c.n1, c.n0))
    at = {"rate": _at_rate, "fpr": _at_fpr, "recall": _at_recall}[cut.axis]
    return at(cut, c, n1, n0)


def reach(cut: CutAt, n1: Array, n0: Array) -> Array:
    """Return how far to either side of the cut the list is read for the slope there, on the axis of the cut."""
    if cut.axis == "rate":
        return np.asarray(half_window(cut.place, n1, n0) / (n1 + n0))
    if cut.axis == "fpr":
        return np.asarray(np.maximum(cut.place * n1**-0.2, 1.5 / n0))
    # half way to the end of the axis: at a recall of 1 the curve is steepest
    return np.asarray(np.maximum(np.minimum(cut.place, 1 - cut.place) / 2, 1.5 / n1))


def half_window(place: Array, n1: Array, n0: Array) -> Array:
    """Return half the number of ranks among which the local precision at a rate is taken: (m - w, m + w]."""
    m, n = (n1 + n0) * place, n1 + n0
    return np.asarray(np.minimum(np.minimum(np.maximum(m * n1**-0.2, 2.0), m), n - m))


def _at_rate(cut: CutAt, c: Counts, n1: Array, n0: Array) -> Step:
    n = n1 + n0
    m = n * cut.place
    above = c.share_above("rate", cut.place)
    half = half_window(cut.place, n1, n0)
    if c.prevalence is None:
        axis, whole, unit = c.called, c.n, n / c.n
    else:
        # hits of the prevalence that was assumed
        axis, whole, unit = c.r, np.ones(c.shape), n * c.pi / c.n1
    rise = unit * (interpolated((m + half) / n * whole, axis, c.H) - interpolated((m - half) / n * whole, axis, c.H))
    rho = np.divide(rise, 2 * half, out=np.zeros(half.shape), where=half > 0)
    tpr, fpr = _sum_above(c.pos, c.H, above) / c.n1, _sum_above(c.neg, c.B, above) / c.n0
    return Step(cut, tpr, fpr, np.minimum(rho, 1.0), above)


def _at_fpr(cut: CutAt, c: Counts, n1: Array, n0: Array) -> Step:
    above = c.share_above("fpr", cut.place)
    slope = _slope(cut.place, reach(cut, n1, n0), c.Q, c.P)
    return Step(cut, _sum_above(c.pos, c.H, above) / c.n1, cut.place, slope, above)


def _at_recall(cut: CutAt, c: Counts, n1: Array, n0: Array) -> Step:
    # the negatives right below the positive that reaches the recall are not above it
    above = c.share_above("tpr", cut.place, reached=False)
    slope = _slope(cut.place, reach(cut, n1, n0), c.P, c.Q)
    return Step(cut, cut.place, _sum_above(c.neg, c.B, above) / c.n0, slope, above)


def _slope(place: Array, half: Array, axis: Array, height: Array) -> Array:
    low, high = np.maximum(place - half, 0.0), np.minimum(place + half, 1.0)
    return np.asarray((interpolated(high, axis, height) - interpolated(low, axis, height)) / (high - low))
