"""Influence values: what one subject adds to a metric, to first order. The one road to every standard error.

With the derivatives of a metric by the cumulative vectors, ``a_j = sum_{k >= j} dtheta/dP_k`` and ``b_j`` from Q,
a positive in row j moves the metric by ``(a_j - mean a)/n1`` and a negative by ``(b_j - mean b)/n0``; in a cohort,
where the number of positives was sampled as well, the derivative by the prevalence adds ``(1 - pi)/n`` and
``-pi/n`` times itself. The sum of squares over the subjects is the variance.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.errors import InsufficientDataError, UndefinedMetricError
from hitcurve.inference.step import Step, step_of
from hitcurve.metrics import Metric
from hitcurve.sums import Sums

MOST_ROWS = 4_000  # derivatives taken numerically cost the square of this; beyond it the bootstrap is faster
_STEP = 1e-4


class Influence(NamedTuple):
    """Influence of a subject (of weight 1) in each row.

    Attributes
    ----------
    pos, neg : array (K,)
        Of a positive and of a negative.
    """

    pos: Array
    neg: Array

    def variance(self, sums: Sums) -> float:
        """Return the variance of the metric over samples of these rows."""
        pos = sums.pos if sums.pos_squares is None else sums.pos_squares
        neg = sums.neg if sums.neg_squares is None else sums.neg_squares
        return float(np.sum(pos * self.pos**2) + np.sum(neg * self.neg**2))


def influence(metric: Metric, c: Counts, design: str, size: tuple[float, float] | None = None) -> Influence:
    """Return the influence values of a metric.

    Parameters
    ----------
    metric : Metric
    c : Counts
        Of one table.
    design : {"cohort", "case-control"}
    size : (float, float), optional
        Effective numbers of positives and negatives, for the slopes at hard cuts; those of the counts if absent.

    Raises
    ------
    InsufficientDataError
        If the metric waits for the last positive.
    UndefinedMetricError
        If the metric has no gradient in closed form and there are too many rows to take it numerically.
    """
    step = step_of(metric, c, size)
    if metric.waits_for_last(c):
        raise InsufficientDataError(
            f"{metric} waits for the last of {float(c.n1):.4g} positives: how far the last one would be in another "
            "sample cannot be seen in this one"
        )
    if step is not None:
        return _of_step(step, c, design)
    gradient = metric.gradient(c)
    if gradient is None:
        return _numeric(metric, c, design)
    return assemble(_from_here(gradient.P), _from_here(gradient.Q), float(gradient.pi), c, design)


def assemble(a: Array, b: Array, slope: float, c: Counts, design: str) -> Influence:
    """Put the derivatives by p, q and the prevalence together for a design."""
    n1, n0, n, pi = float(c.n1), float(c.n0), float(c.n), float(c.pi)
    # where nobody is, a slope may be infinite: that of a power map above the first negative
    a, b = np.where(c.p > 0, a, 0.0), np.where(c.q > 0, b, 0.0)
    pos, neg = (a - np.sum(c.p * a)) / n1, (b - np.sum(c.q * b)) / n0
    if design == "cohort" and c.prevalence is None:
        pos, neg = pos + slope * (1 - pi) / n, neg - slope * pi / n
    return Influence(pos, neg)


def _from_here(values: Array) -> Array:
    return np.asarray(np.cumsum(values[::-1])[::-1])


def _of_step(step: Step, c: Counts, design: str) -> Influence:
    above = step.share_above
    if step.axis == "rate":
        pi, rho = float(c.pi), step.slope
        a, b = (1 - rho) * above, -(rho / pi) * (1 - pi) * above
        slope = -(rho / pi) * (step.tpr - step.fpr) + step.follows * rho / pi
    elif step.axis == "fpr":
        a, b, slope = above, -step.slope * above, 0.0
    else:  # a cut at a recall: theta = level - pi level - (1 - pi) FPR
        pi = float(c.pi)
        a, b, slope = (1 - pi) * step.slope * above, -(1 - pi) * above, step.fpr - step.tpr
    _, factor, d_offset, d_factor = step.scale
    return assemble(factor * a, factor * b, factor * slope + d_offset + d_factor * step.tpr, c, design)


def _numeric(metric: Metric, c: Counts, design: str) -> Influence:
    """Take derivatives by the content of each row that holds somebody, by central differences."""
    pos, neg = np.asarray(c.pos, float), np.asarray(c.neg, float)
    rows = [np.flatnonzero(pos > 0), np.flatnonzero(neg > 0)]
    if rows[0].size + rows[1].size > MOST_ROWS:
        raise UndefinedMetricError(f"{metric} has no gradient in closed form, and {c.pos.shape[-1]} rows are too many")
    derivatives = [np.zeros(pos.size), np.zeros(neg.size)]
    for side, chosen in enumerate(rows):
        for part in np.array_split(chosen, max(1, chosen.size * pos.size // 2_000_000)):
            steps = _STEP * (pos, neg)[side][part]
            values = []
            for sign in (1, -1):
                more_pos, more_neg = np.tile(pos, (part.size, 1)), np.tile(neg, (part.size, 1))
                (more_pos, more_neg)[side][np.arange(part.size), part] += sign * steps
                values.append(metric.kernel(Counts(more_pos, more_neg, c.prevalence, c.weighted)))
            derivatives[side][part] = (values[0] - values[1]) / (2 * steps)
    g, h = derivatives
    if design == "cohort" and c.prevalence is None:
        mean = (np.sum(pos * g) + np.sum(neg * h)) / float(c.n)
        return Influence(g - mean, h - mean)
    return Influence(g - np.sum(c.p * g), h - np.sum(c.q * h))
