"""Confusion matrices of an evaluation: at a threshold between scores of positives its subjects are counted again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hitcurve import _checks
from hitcurve.confusion import Confusion
from hitcurve.evaluation.numbers import Numbers
from hitcurve.inference.cutting.cuts import ascending_grid, scores_inside
from hitcurve.label_errors import refuse_corrected
from hitcurve.sources import Block, Source
from hitcurve.table import HitTable


def confusion_at(ev: Numbers, ranker: str, threshold: float) -> Confusion:
    """Return the confusion matrix at a score of one ranker; see :meth:`hitcurve.Evaluation.confusion`."""
    table, source = ev.tables[ranker], ev.source
    refuse_corrected(table.label_errors, "a confusion matrix")
    if not isinstance(threshold, (int, np.integer)):  # whole numbers are compared as they are
        threshold = _checks.real_number("threshold", threshold)
    # the table knows scores of which high is good
    own = -threshold if ranker in ev.lower_is_better else threshold
    row = None if source is None else _gap(table, own)
    if source is None or row is None:
        return replace(table.confusion(threshold=own), threshold=threshold)
    hits = float(table.pos[:row].sum())
    alarms = float(table.neg[:row].sum()) + _inside(source, table, ranker, row, own)
    return Confusion(hits, alarms, table.n_pos - hits, table.n_neg - alarms, table.prevalence, threshold)


def _gap(table: HitTable, threshold: float) -> int | None:
    """Return the row of a collapsed table, between two scores of positives, that a threshold divides; None without."""
    if table.kind != "collapsed":
        return None
    ascending = ascending_grid(table)
    below = int(np.count_nonzero(ascending < threshold))
    if below < ascending.size and ascending[below] == threshold:
        return None
    row = 2 * (ascending.size - below)
    return row if table.neg[row] else None


def _inside(source: Source, table: HitTable, ranker: str, row: int, threshold: float) -> float:
    """Return the weight of the negatives of a gap at or above a threshold."""
    ascending = ascending_grid(table)

    def weight_of(block: Block) -> float:
        scores, weight = scores_inside(block, ranker, ascending, row, table.unit)
        return float(weight[scores >= threshold].sum())

    return float(source.reduce(weight_of, lambda a, b: a + b))
