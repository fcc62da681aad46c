"""Influence values of the subjects, one for each row of the data."""

from __future__ import annotations

from typing import Any

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.inference.cutting.cuts import with_cuts
from hitcurve.inference.variance.covariance import lacks_influence
from hitcurve.inference.variance.joint import column_of
from hitcurve.metrics import Metric
from hitcurve.sources import Block, Passes, Source, check_hands_out, follow
from hitcurve.table import HitTable


def influence_of_subjects(source: Source, ranker: str, table: HitTable, metric: Metric, design: str) -> Array:
    """Return the influence of each subject on a metric, times its weight; nan for rows that were dropped.

    Parameters
    ----------
    source : Source
    ranker : str
    table : HitTable
        The table of the ranker that was counted from this source.
    metric : Metric
    design : {"cohort", "case-control"}

    Returns
    -------
    array (rows,)
        In the order of the rows that were read.

    Raises
    ------
    UndefinedMetricError
        If the metric has no influence values.
    """
    check_hands_out(source, "the influence of each subject")
    return follow(source, _passes(ranker, table, metric, design))


def _passes(ranker: str, table: HitTable, metric: Metric, design: str) -> Passes[Array]:
    tables, grids = yield from with_cuts({ranker: table}, {ranker: [(metric, table)]})
    column = column_of(metric, tables[ranker], design)
    if column is None:
        raise lacks_influence(ranker, metric)

    def of(block: Block) -> AnyArray:
        row = grids[ranker].rows_of(block.scores[ranker])
        found = np.where(block.positive, column.pos[row], column.neg[row])
        weight = block.weights(tables[ranker].unit)
        found = found if weight is None else found * weight
        if block.kept is None:
            return found
        out = np.full(block.kept.size, np.nan)
        out[block.kept] = found
        return out

    def joined(a: Any, b: Any) -> Any:
        return np.concatenate([a, b])

    found = yield of, joined
    return np.asarray(found)
