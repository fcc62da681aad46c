"""Design effect of clusters: how much more a value varies than that of as many independent subjects."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hitcurve import rows
from hitcurve.errors import UndefinedMetricError
from hitcurve.inference.variance.joint import Joint
from hitcurve.metrics import Metric


class DesignEffect(NamedTuple):
    """How much clusters widen the error of one value.

    Attributes
    ----------
    ranker, metric : str
    effect : float
        Variance by cluster over the variance of as many independent subjects, both as sums of squares of influence
        values; 1 without dependence. Its square root is the ratio of the standard errors.
    correlation : float
        Intra-cluster correlation of the influence values: (effect - 1)/(m - 1), m the mean size of the cluster of a
        subject. nan where each cluster is one subject.
    clusters : int
    with_positive : int
        Clusters that contain a positive.
    mean_size : float
        m: the sum of squares of the sizes over their sum.
    """

    ranker: str
    metric: str
    effect: float
    correlation: float
    clusters: int
    with_positive: int
    mean_size: float

    def __str__(self) -> str:
        """Return the numbers in a line."""
        rho = "" if math.isnan(self.correlation) else f", intra-cluster correlation {rows.short(self.correlation, 3)}"
        return (
            f"{self.metric} of {self.ranker}: design effect {rows.short(self.effect, 3)}{rho} ({self.clusters:,} "
            f"clusters, {self.with_positive:,} with a positive, mean size {rows.short(self.mean_size, 3)})"
        )


def design_effect(joint: Joint, ranker: str, metric: Metric, sizes: tuple[float, float]) -> DesignEffect:
    """Return the design effect of one value.

    Parameters
    ----------
    joint : Joint
        With clusters.
    ranker : str
    metric : Metric
    sizes : (float, float)
        Numbers of positives and negatives (sums of weights).

    Raises
    ------
    UndefinedMetricError
        If the value has no influence values, or does not vary.
    """
    place = joint.place.get((ranker, metric))
    if place is None:
        raise UndefinedMetricError(f"{metric} of {ranker!r} has no influence values here, so no design effect")
    totals = joint.products.clusters.sums
    width = len(joint.keys)
    sums = totals[:, place] + totals[:, width + place]
    alone = float(joint.products.pos[place, place] + joint.products.neg[place, place])
    if not alone > 0:
        raise UndefinedMetricError(f"{metric} of {ranker!r} does not vary here, so it has no design effect")
    # sums that round must not depend on the names of clusters
    effect = math.fsum(sums**2) / alone
    size = totals[:, -2] * sizes[0] + totals[:, -1] * sizes[1]
    mean = math.fsum(size**2) / math.fsum(size)
    rho = (effect - 1) / (mean - 1) if mean > 1 + 1e-9 else math.nan
    with_positive = int(np.sum(totals[:, -3] > 0))
    return DesignEffect(ranker, str(metric), effect, rho, len(totals), with_positive, mean)
