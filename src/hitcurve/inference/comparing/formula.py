"""A difference of two rankers of the same subjects with its standard error, and the test from it."""

from __future__ import annotations

import math

from hitcurve.errors import UndefinedMetricError
from hitcurve.inference.estimation.difference import Difference, widest_difference
from hitcurve.inference.pvalues import HAIR, Outcome, t_p, without_variance
from hitcurve.inference.rounding import subtracted
from hitcurve.inference.variance.joint import Joint
from hitcurve.metrics import Metric


def difference_of(
    joint: Joint, names: tuple[str, str], metric: Metric, values: tuple[float, float], level: float
) -> Difference:
    """Return the difference with its delta standard error and Welch-Satterthwaite degrees of freedom."""
    value, limit = subtracted(*values), widest_difference(metric)
    try:
        weights = joint.contrast(*names, metric)
    except UndefinedMetricError:
        return Difference(value, math.nan, math.inf, level, limit)
    if joint.clustered:
        error = math.sqrt(joint.clustered_variance(weights) + joint.variance_of_shares(weights))
        return Difference(value, error, joint.cluster_degrees, level, limit)
    by_pos, by_neg = joint.by_class(weights)
    variance, n1, n0 = by_pos + by_neg + joint.variance_of_shares(weights), joint.n_pos, joint.n_neg
    if not variance > 0:
        return Difference(value, variance, math.inf, level, limit)
    degrees = joint.degrees
    if degrees is None:
        degrees = variance**2 / (by_pos**2 / (n1 - 1) + by_neg**2 / (n0 - 1))
    return Difference(value, math.sqrt(variance), degrees, level, limit)


def t_test(difference: Difference, null: float, alternative: str, unit: str = "subject") -> Outcome:
    """Test whether a difference is the null difference, from its standard error over units."""
    distance, degrees = difference.value - null, difference.degrees_of_freedom
    if difference.standard_error == 0:
        return without_variance(distance, abs(distance) <= HAIR, unit)
    t = distance / difference.standard_error
    return Outcome(t, t_p(t, degrees, alternative), None if math.isinf(degrees) else degrees)
