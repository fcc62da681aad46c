"""Tilting: the table is reweighted along the influence values until it is t standard errors away."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.errors import UndefinedMetricError
from hitcurve.inference.variance.influence import in_closed_form
from hitcurve.metrics import Metric
from hitcurve.sums import Sums

_PASSES = 16


def tilted(metric: Metric, sums: Sums, t: Array) -> tuple[Array, Array]:
    """Return the ends of the interval that tilts the half-subject table until it is t standard errors away.

    The rows are reweighted along the influence values in small steps with the standard error recomputed, which
    solves ``integral of dtheta / se(theta) = t``: the data choose the scale on which the variance is stable.

    Parameters
    ----------
    metric : Metric
        Bounded, with a gradient in closed form.
    sums : Sums
        Canonical rows of cohorts (see ``Sums.folded``), unweighted.
    t : array (...)
        Quantile of each list.

    Raises
    ------
    UndefinedMetricError
        If the metric has no gradient in closed form.
    """
    from scipy.special import expit

    start, middle = sums.with_half_subject(None, negatives=1.0), sums.with_half_subject(None).counts()
    ends, values = metric.bounds(middle), in_closed_form(metric, start.counts(), "cohort")
    if ends is None or values is None:
        raise UndefinedMetricError(f"tilting needs a bounded metric with a gradient, and {metric} is not one")
    worst, best = (np.asarray(end, float) for end in ends)
    centre = (metric.kernel(middle) - worst) / (best - worst)
    shift = np.zeros(centre.shape)
    left_out = metric.leave_one_out(sums.counts(), alone="next")
    if left_out is not None:
        lower = np.maximum((left_out - worst) / (best - worst), 0.3 * centre)
        shift = np.clip(_logit(centre) - _logit(lower), 0.0, 1.0) / 5
    # both ends at once, on an axis of their own
    sign = np.array([-1.0, 1.0]).reshape(2, *[1] * (centre.ndim + 1))
    length = sign * t[..., None] / _PASSES
    # positives and negatives in one array, so that each step is one call for both
    sides = np.stack([np.stack([np.asarray(side, float)] * 2) for side in (start.pos, start.neg)])
    c = Counts(sides[0], sides[1])
    total, least = c.n[..., None], None
    for _ in range(_PASSES):
        values = in_closed_form(metric, c, "cohort") or values
        slopes = np.stack(values[:2])  # keeps how lists lie in memory
        variance = _sum_over_subjects(sides * slopes * slopes)
        if least is None:
            least = np.maximum(1e-8 * variance, 1e-300)
        moves = variance >= least
        # where the variance is used up, the table stays as it is
        slopes *= np.where(moves, length / np.sqrt(np.maximum(variance, least)), 0.0)
        np.maximum(slopes, -5.0, out=slopes)
        np.minimum(slopes, 5.0, out=slopes)
        np.exp(slopes, out=slopes)
        slopes *= sides
        slopes *= np.where(moves, total / _sum_over_subjects(slopes), 1.0)
        sides = slopes
        c = Counts(sides[0], sides[1])
    found = worst + (best - worst) * expit(_logit((metric.kernel(c) - worst) / (best - worst)) - shift)
    return found[0], found[1]


def _sum_over_subjects(sides: Array) -> Array:
    """Return the sum over both classes and all rows, which keep their axis."""
    of_classes = np.add.reduce(sides, axis=-1, keepdims=True)
    return np.asarray(of_classes[0] + of_classes[1])


def _logit(x: Array) -> Array:
    from scipy.special import logit

    return np.asarray(logit(x))
