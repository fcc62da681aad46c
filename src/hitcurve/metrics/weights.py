"""Rank weights: what a positive at each rank adds to a metric that is a mean, or a sum, over the positives."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import UndefinedMetricError
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.registry import metric as named
from hitcurve.table import HitTable


def rank_weights(metric: str | Metric, table: HitTable) -> Array:
    """Return the rank weight of each row of a table: the metric is the mean of the rank weights of the positives.

    ``metric = sum_k p_k w_k``, with p_k the share of the positives that are in row k; ``slr`` and ``dcg`` are the sum,
    with the number of positives in its place. For average precision w_k is the precision down to the row, and follows
    the ranker; for an area it is 1 minus the mean of f over the row, rescaled as the metric is, and given beforehand
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
        If the metric is not a mean, or a sum, over the positives.
    SingleClassError
        If there is no positive or no negative.

    See Also
    --------
    plot.rank_weights : Draws them.

    Examples
    --------
    >>> from hitcurve import HitTable, metric
    >>> table = HitTable.from_counts([2, 1, 1], [0, 2, 2])
    >>> rank_weights("ap", table)
    array([1. , 0.6, 0.5])
    >>> rank_weights("auc", table)
    array([1.  , 0.75, 0.25])
    >>> round(float(rank_weights("auc", table) @ table.pos / table.n_pos), 4), float(metric("auc").value(table))
    (0.75, 0.75)
    """
    one = named(metric)
    one.value(table)  # refuses what the metric refuses
    weights = one.kernel_rank_weights(table.counts)
    if weights is None:
        raise UndefinedMetricError(f"{one} is not a mean over the positives, so ranks have no weights")
    return np.asarray(weights.offset + weights.factor * weights.rows)
