"""Intervals of many markers, each for itself, and the table of one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hitcurve._threads import in_threads
from hitcurve.counts import AnyArray, Array
from hitcurve.inference.estimation.estimates import Estimates
from hitcurve.metrics import Metric
from hitcurve.screens.columns import Block, Columns
from hitcurve.screens.engine import MarkerLists, Subjects
from hitcurve.screens.passing import NUMBERS
from hitcurve.screens.placed import clustered
from hitcurve.sums import Lists, Sums
from hitcurve.table import HitTable


class Ends(NamedTuple):
    """Intervals of markers.

    Attributes
    ----------
    low, high : array (m,)
        nan where there is none.
    method, reason : array of str (m,)
        How each was made, and why there is none.
    """

    low: Array
    high: Array
    method: AnyArray
    reason: AnyArray

    def at(self, places: AnyArray) -> Ends:
        """Return some of them."""
        return Ends(*(column[places] for column in self))


def of_all(metric: Metric, columns: Columns, subjects: Subjects, directions: AnyArray, level: float) -> Ends:
    """Return the intervals of all columns, block by block."""
    count = len(columns.names)
    kinds = (float, float, object, object)
    out = Ends(*(np.empty(count, kind) for kind in kinds))

    def do(block: Block) -> tuple[AnyArray, Ends]:
        return block.places, _of_block(metric, block, subjects, directions, level)

    for places, found in in_threads(do, columns.blocks(NUMBERS)):
        for whole, part in zip(out, found, strict=True):
            whole[places] = part
    return out


def of_some(
    metric: Metric, columns: Columns, places: AnyArray, subjects: Subjects, directions: AnyArray, level: float
) -> Ends:
    """Return the intervals of a few columns."""
    return _of_block(metric, columns.taken(places), subjects, directions, level)


def _of_block(metric: Metric, block: Block, subjects: Subjects, directions: AnyArray, level: float) -> Ends:
    own = MarkerLists.of(block, subjects, directions[block.places])
    lists = Lists(Sums(own.pos, own.neg), subjects.prevalence)
    found = Estimates.of(
        metric,
        lists,
        design=subjects.design,
        confidence_level=level,
        clustered=clustered(own, metric),
        may_draw=False,
    )
    return Ends(found.low, found.high, found.method, found.reason)


def table_of(block: Block, own: MarkerLists, subjects: Subjects) -> HitTable:
    """Return the hit table of the only marker of a block, with its values as scores."""
    values, positive = block.filled()[0], subjects.positive
    last = subjects.missing == "last"
    if values.dtype.kind == "f" and not last:
        held = ~np.isnan(values)
        values, positive = values[held], positive[held]
    table = HitTable.from_scores(
        positive, values, higher_is_better=not own.low[0], missing="last" if last else "raise", pos_label=True
    )
    return table if subjects.prevalence is None else table.at_prevalence(subjects.prevalence)
