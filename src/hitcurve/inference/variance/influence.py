"""Influence values: what one subject adds to a metric, to first order. The one road to every standard error.

With the derivatives of a metric by the cumulative vectors, ``a_j = sum_{k >= j} dtheta/dP_k`` and ``b_j`` from Q,
a positive in row j moves the metric by ``(a_j - mean a)/n1`` and a negative by ``(b_j - mean b)/n0``; in a cohort,
where the number of positives was sampled as well, the derivative by the prevalence adds ``(1 - pi)/n`` and
``-pi/n`` times itself. The sum of squares over the subjects is the variance.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import InsufficientDataError
from hitcurve.inference.cutting.step import Sizes, Step, step_of
from hitcurve.inference.design import effective
from hitcurve.inference.rounding import of_influence
from hitcurve.magnify.pieces import sum_of_products
from hitcurve.metrics import Metric
from hitcurve.metrics.pieces import GradientMoments
from hitcurve.refusals import Refusal, raise_first, refused
from hitcurve.sums import Sums

MOST_ROWS = 4_000  # derivatives taken numerically cost the square of this; beyond it the bootstrap is faster
_STEP = 1e-4
LONG = 1 << 17  # rows from which on influence values are not written down for a variance alone
_NUMBERS = 2_000_000  # held at a time


class Divided(NamedTuple):
    """Rows of negatives alone that a cut divides: some of them are above it, the rest below.

    In a collapsed table such a row is a gap between two scores of positives. A full table has rows for its scores; they
    are of the same data, and have the same error.

    Attributes
    ----------
    share : array (..., K)
        Share of the row that is above; 0 in all other rows.
    jump : array (..., 1)
        What a negative above the cut adds beyond one below it.
    """

    share: Array
    jump: Array


class Influence(NamedTuple):
    """Influence of a subject (of weight 1) in each row.

    Attributes
    ----------
    pos, neg : array (..., K)
        Of a positive and of a negative; the mean of those of a row that a cut divides.
    divided : Divided or None
    noise : float or array (...)
        What of the influence of a whole class is no more than rounding.
    """

    pos: Array
    neg: Array
    divided: Divided | None = None
    noise: Any = 0.0

    def without(self, noise: Array, c: Counts) -> Influence:
        """Return 0 where the influence of a whole class would be no more than noise."""
        for side, number in ((self.pos, c.observed.n1), (self.neg, c.observed.n0)):
            np.copyto(side, 0.0, where=np.abs(side) <= (noise / number)[..., None])
        return Influence(self.pos, self.neg, self.divided, noise)

    def variance(self, sums: Sums) -> Array:
        """Return the variance of the metric over samples of these rows."""
        of_pos, of_neg = self.by_class(sums)
        total = of_pos + of_neg
        if self.divided is not None:
            share, jump = self.divided
            neg = sums.neg if sums.neg_squares is None else sums.neg_squares
            total = total + np.sum(neg * share * (1 - share) * jump**2, axis=-1)
        return np.asarray(total)

    def parts(self, sums: Sums) -> tuple[Array, Array]:
        """Return the part of positives and that of negatives of the variance."""
        pos, neg = self.by_class(sums)
        return pos, neg + (self.variance(sums) - (pos + neg))

    def by_class(self, sums: Sums) -> tuple[Array, Array]:
        """Return the part of positives and that of negatives of the variance, as if their rows were whole."""
        pos = sums.pos if sums.pos_squares is None else sums.pos_squares
        neg = sums.neg if sums.neg_squares is None else sums.neg_squares
        return sum_of_products(pos, self.pos, self.pos), sum_of_products(neg, self.neg, self.neg)

    def carriers(self, sums: Sums) -> tuple[Array, Array]:
        """Return of how many subjects of equal share the variance of weighted rows is, and would be of equal weights.

        The square of a sum by the sum of the squares; a row of several subjects is taken as one of equal weights.
        """
        sides = [(self.pos, sums.pos, sums.pos_squares), (self.neg, sums.neg, sums.neg_squares)]
        found = []
        for equal in (False, True):
            second: Any = 0.0
            fourth: Any = 0.0
            for side, weights, squares in sides:
                assert squares is not None
                number = np.divide(weights**2, squares, out=np.ones(weights.shape), where=squares > 0)
                own = side**2 * (number * (weights > 0) if equal else squares)
                second, fourth = second + own.sum(axis=-1), fourth + np.sum(own**2 / number, axis=-1)
            with np.errstate(divide="ignore", invalid="ignore"):
                found.append(np.asarray(second**2 / fourth))
        return found[0], found[1]

    def third_moment(self, sums: Sums) -> Array:
        """Return the sum of the cubes over the subjects."""
        total = np.sum(sums.pos * self.pos**3, axis=-1) + np.sum(sums.neg * self.neg**3, axis=-1)
        if self.divided is not None:
            share, jump = self.divided
            spread = share * (1 - share) * jump**2
            total = total + np.sum(sums.neg * spread * (3 * self.neg + (1 - 2 * share) * jump), axis=-1)
        return np.asarray(total)


def _without_influence(metric: Metric, c: Counts) -> Iterator[Refusal]:
    yield from metric.undefined(c)
    yield from not_seen(metric, c)


def not_seen(metric: Metric, c: Counts) -> Iterator[Refusal]:
    """Yield the lists for which the metric depends on the last positive, so that influence values are invalid."""
    if type(metric).waits_for_last is Metric.waits_for_last:
        return  # never
    waits = metric.waits_for_last(c)
    yield Refusal(
        waits,
        lambda index: (
            f"{metric} depends on the rank of the last of {c.n1[index]:.4g} positives, whose variability one sample "
            "cannot show"
        ),
        InsufficientDataError,
    )


def not_differentiable(metric: Metric, c: Counts) -> Iterator[Refusal]:
    """Yield the lists with so many rows that derivatives are not taken numerically, where there is no closed form.

    And all lists, of a metric that jumps.
    """
    if metric.jumps:
        yield Refusal(True, f"{metric} changes in jumps from positive to positive and has no derivatives")
    if 2 * c.pos.shape[-1] <= MOST_ROWS or metric.cut_at(c) is not None or has_gradient(metric, c):
        return
    # rows of either class that hold somebody
    rows = np.sum(np.asarray(c.pos) > 0, axis=-1) + np.sum(np.asarray(c.neg) > 0, axis=-1)
    if np.any(rows > MOST_ROWS):
        yield Refusal(
            rows > MOST_ROWS,
            f"{metric} has no gradient in closed form, and {c.pos.shape[-1]} rows are too many",
        )


def has_gradient(metric: Metric, c: Counts) -> bool:
    """Say whether there are derivatives in closed form, from lists of two rows."""
    if not c.shape and c.prevalence is None:
        same: Any = metric  # hashable, as metrics are
        return _one_has_gradient(same, c.weighted)
    rows = np.ones((*c.shape, 2), int)
    two = Counts(rows, rows, c.prevalence, c.weighted)
    by_row = c.prevalence is None and metric.row_derivatives(two) is not None
    return by_row or metric.kernel_gradient(two) is not None


@lru_cache(maxsize=256)
def _one_has_gradient(metric: Metric, weighted: bool) -> bool:
    rows = np.ones(2, int)
    two = Counts(rows, rows, None, weighted)
    return metric.row_derivatives(two) is not None or metric.kernel_gradient(two) is not None


def influence(
    metric: Metric,
    c: Counts,
    design: str,
    size: Sizes | None = None,
    *,
    step: Step | None = None,
) -> Influence:
    """Return the influence values of a metric.

    Parameters
    ----------
    metric : Metric
    c : Counts
    design : {"cohort", "case-control"}
    size : (array (...), array (...)), optional
        Effective numbers of positives and negatives, for the slopes at hard cuts; those of the counts if absent.
    step : Step, optional
        The cut, where it is known.

    Raises
    ------
    InsufficientDataError
        If the metric waits for the last positive of the only list; of many lists it is nan.
    UndefinedMetricError
        If the metric is undefined on the only list, or has no gradient in closed form and the only list has too many
        rows to take it numerically; of many lists it is nan.
    """
    return _influence(metric, c, design, step or step_of(metric, c, size))


def _influence(metric: Metric, c: Counts, design: str, step: Step | None) -> Influence:
    """Return the same of a metric whose cut is known, None if it has none."""
    if not c.shape:
        raise_first(_without_influence(metric, c))
    if step is not None:
        found, numeric = _of_step(step, c, design), False
    else:
        formula = in_closed_form(metric, c, design)
        found, numeric = formula or _numeric(metric, c, design), formula is None
    found = found.without(of_influence(metric, c, numeric=numeric), c)
    if not c.shape:
        return found
    without = refused(_without_influence(metric, c), c.shape)[..., None]
    if not without.any():
        return found
    return found._replace(pos=np.where(without, np.nan, found.pos), neg=np.where(without, np.nan, found.neg))


def variance_of_long(metric: Metric, c: Counts, design: str, step: Step | None, *, least: int = LONG) -> Array | None:
    """Return the variance of a metric of one long list from the moments of its gradient, None where it has none.

    Influence values of a million rows take longer to write down than to work out. Parameters and errors are those
    of :func:`influence`; lists of fewer than ``least`` rows are not long.
    """
    moments = _moments_of_long(metric, c, step, least)
    return None if moments is None else of_moments(moments, metric, c, design)


def parts_of_long(metric: Metric, c: Counts, design: str, step: Step | None) -> tuple[Array, Array] | None:
    """Return the part of positives and that of negatives of the variance of one long list, likewise."""
    moments = _moments_of_long(metric, c, step, LONG)
    if moments is None:
        return None
    pos, neg, of_prevalence = parts_of_moments(moments, metric, c, design)
    return pos + (1 - c.pi) * of_prevalence, neg + c.pi * of_prevalence


def _moments_of_long(metric: Metric, c: Counts, step: Step | None, least: int) -> GradientMoments | None:
    if c.shape or c.pos.size < least or c.weighted:
        return None
    moments = metric.gradient_moments(c) if step is None else step.moments(c)
    if moments is not None:
        raise_first(_without_influence(metric, c))
    return moments


def variances_of_replicates(metric: Metric, c: Counts, design: str) -> Array:
    """Return the variances of a metric of many lists without weights; nan where it has no influence values."""
    moments = metric.gradient_moments(c) if metric.cut_at(c) is None else None
    if moments is None:
        return influence(metric, c, design).variance(Sums(c.pos, c.neg))
    without = refused(_without_influence(metric, c), c.shape)
    return np.where(without, np.nan, of_moments(moments, metric, c, design))


def of_moments(moments: GradientMoments, metric: Metric, c: Counts, design: str) -> Array:
    """Return the variance of a metric from the moments of its gradient; of the counts only the numbers are asked."""
    return np.asarray(sum(parts_of_moments(moments, metric, c, design)), float)


def parts_of_moments(moments: GradientMoments, metric: Metric, c: Counts, design: str) -> tuple[Array, Array, Array]:
    """Return what positives, negatives and the prevalence add to the variance."""
    sampled = design == "cohort" and c.prevalence is None
    of_prevalence = moments.pi**2 * c.pi * (1 - c.pi) if sampled else np.zeros(c.shape)
    noise = of_influence(metric, c, numeric=False) ** 2
    parts = ((moments.pos, c.n1), (moments.neg, c.n0), (of_prevalence, c.n))
    pos, neg, pi = (np.asarray(np.where(part > noise, part / number, 0.0), float) for part, number in parts)
    return pos, neg, pi


def variance_of(metric: Metric, sums: Sums, c: Counts, design: str, *, least: int = LONG) -> Array:
    """Return the variance of a metric over samples of these rows; errors as of :func:`influence`."""
    step = None if metric.cut_at(c) is None else step_of(metric, c, effective(sums))
    found = variance_of_long(metric, c, design, step, least=least)
    return _influence(metric, c, design, step).variance(sums) if found is None else found


def in_closed_form(metric: Metric, c: Counts, design: str) -> Influence | None:
    """Return the influence values of a metric without a cut, None if they must be taken numerically.

    Nothing is refused here: :func:`influence` does.
    """
    by_row = metric.row_derivatives(c) if c.prevalence is None else None
    if by_row is not None:
        # those of a cohort add up to 0 over its subjects
        return Influence(*by_row) if design == "cohort" else _centred(*by_row, c)
    gradient = metric.gradient_from_here(c)
    return None if gradient is None else assemble(gradient.P, gradient.Q, np.asarray(gradient.pi), c, design)


def assemble(a: Array, b: Array, slope: Array, c: Counts, design: str) -> Influence:
    """Put the derivatives by p, q and the prevalence, which are overwritten, together for a design."""
    labels = c.observed
    a, b = c.by_label(a, b)
    for side, share, number in ((a, labels.p, labels.n1), (b, labels.q, labels.n0)):
        # where nobody is, a slope may be infinite: that of a power map above the first negative
        np.copyto(side, 0.0, where=share <= 0)
        side -= sum_of_products(share, side)[..., None]
        side /= number[..., None]
    if design == "cohort" and labels.prevalence is None:
        slope = slope * c.prevalence_follows
        a += (slope * (1 - labels.pi) / c.n)[..., None]
        b -= (slope * labels.pi / c.n)[..., None]
    return Influence(a, b)


def _of_step(step: Step, c: Counts, design: str) -> Influence:
    above = step.share_above
    of_pos, of_neg, slope = step.by_class(c.pi)
    found = assemble(of_pos[..., None] * above, of_neg[..., None] * above, slope, c, design)
    share = np.where(np.asarray(c.pos) == 0, above, 0.0)
    return found._replace(divided=Divided(share, (of_neg / c.n0)[..., None]))


def _numeric(metric: Metric, c: Counts, design: str) -> Influence:
    """Take derivatives by the content of each row that holds somebody, by central differences."""
    if not c.shape:
        raise_first(not_differentiable(metric, c))
    too_many = refused(not_differentiable(metric, c), c.shape)[..., None]
    sides = [np.asarray(side, float).reshape(-1, c.pos.shape[-1]) for side in (c.pos, c.neg)]
    derivatives = [np.zeros(side.shape) for side in sides]
    for side, out in enumerate(derivatives):
        lists, rows = np.nonzero((sides[side] > 0) & ~too_many.reshape(-1, 1))
        for part in np.array_split(np.arange(rows.size), max(1, rows.size * out.shape[-1] // _NUMBERS)):
            out[lists[part], rows[part]] = _differences(metric, c, sides, side, lists[part], rows[part])
    g, h = (np.where(too_many, np.nan, out.reshape(c.pos.shape)) for out in derivatives)
    if design == "cohort" and c.prevalence is None:
        mean = ((np.sum(c.pos * g, axis=-1) + np.sum(c.neg * h, axis=-1)) / c.n)[..., None]
        return Influence(g - mean, h - mean)
    return _centred(g, h, c)


def _centred(g: Array, h: Array, c: Counts) -> Influence:
    """Return derivatives less their mean over each class."""
    return Influence(g - np.sum(c.p * g, axis=-1)[..., None], h - np.sum(c.q * h, axis=-1)[..., None])


def _differences(metric: Metric, c: Counts, sides: list[Array], side: int, lists: AnyArray, rows: AnyArray) -> Array:
    steps = _STEP * sides[side][lists, rows]
    prevalence = c.prevalence
    if prevalence is not None and np.ndim(prevalence):
        prevalence = np.broadcast_to(prevalence, c.shape).reshape(-1)[lists]
    own_metric, values = metric.of_lists(lists), []
    for sign in (1, -1):
        moved = [own[lists] for own in sides]
        moved[side][np.arange(rows.size), rows] += sign * steps
        values.append(own_metric.kernel(Counts(moved[0], moved[1], prevalence, c.weighted)))
    return np.asarray((values[0] - values[1]) / (2 * steps))
