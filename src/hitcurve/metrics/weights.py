"""What a positive at each place of the list is worth, of metrics that are means or sums over the positives."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array, Counts, before
from hitcurve.errors import UndefinedMetricError
from hitcurve.metrics.area import AreaMetric
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.precision import AveragePrecision
from hitcurve.metrics.rank import RankMetric, Summed
from hitcurve.metrics.registry import metric as named
from hitcurve.metrics.roc import PartialAUC
from hitcurve.table import HitTable


def worth(metric: str | Metric, table: HitTable) -> Array:
    """Return what a positive in each row of a table is worth: the metric is the mean of it over the positives.

    ``metric = sum_k p_k w_k``, with p_k the share of the positives that are in row k; ``slr`` and ``dcg`` are the sum,
    with the number of positives in its place. Of average precision w_k is the precision down to the row, and follows
    the ranker; of an area it is 1 minus the mean of f over the row, rescaled as the metric is, and given beforehand
    (Su, Yuan and Zhu 2015).

    Parameters
    ----------
    metric : str or Metric
        ``ap``, a member of the area family (``auc``, ``croc``, ``bedroc``, ``ef``, ...), ``slr``, ``dcg``, ``ndcg``.
    table : HitTable

    Returns
    -------
    array (K,)
        From the first row down.

    Raises
    ------
    UndefinedMetricError
        If the metric is no mean over the positives of what their place is worth.
    SingleClassError
        If there is no positive or no negative.

    See Also
    --------
    plot.weights : Draws it.

    Examples
    --------
    >>> from hitcurve import HitTable, metric
    >>> table = HitTable.from_counts([2, 1, 1], [0, 2, 2])
    >>> worth("ap", table)
    array([1. , 0.6, 0.5])
    >>> worth("auc", table)
    array([1.  , 0.75, 0.25])
    >>> round(float(worth("auc", table) @ table.pos / table.n_pos), 4), float(metric("auc").value(table))
    (0.75, 0.75)
    """
    one = named(metric)
    one.value(table)  # refuses what the metric refuses
    c = table.counts
    bare = worth_of_rows(one, c)
    if isinstance(one, RankMetric) and not isinstance(one, Summed):
        return np.asarray(one.factor(c) * bare)
    if not isinstance(one, AreaMetric):
        return bare
    scale = one.rescale(c)
    return np.asarray(scale.offset + scale.factor * bare)


def worth_of_rows(metric: Metric, c: Counts) -> Array:
    """Return what a positive of each row is worth, before the mean is rescaled to the metric.

    Raises
    ------
    UndefinedMetricError
        If the metric is no such mean.
    """
    if isinstance(metric, AveragePrecision) and metric.ties == "group":
        return c.precision
    if isinstance(metric, RankMetric):
        return metric.weight_of_rows(c)
    if isinstance(metric, AreaMetric) and not (isinstance(metric, PartialAUC) and metric.over == "tpr"):
        x = c.Q if metric.axis == "fpr" else c.r
        return np.asarray(metric.magnification(c).worth(before(x), x))
    raise UndefinedMetricError(f"{metric} is no mean over the positives of what their place is worth")
