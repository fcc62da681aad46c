"""Where a metric of a cut cuts one list: the score and the depth."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hitcurve.inference.spread import Spread
from hitcurve.table import HitTable


class FoundCut(NamedTuple):
    """The cut of a metric in one list.

    Attributes
    ----------
    score : float or None
        Of the last positive above the cut: subjects with at least this score hold all positives that are above it. As
        in ``HitTable.score``; None if no positive is above the cut, or the table has no scores.
    rate : float
        Share of the subjects above the cut, in part where it divides a group of equal scores.
    """

    score: float | None
    rate: float


def found_cut(spread: Spread, table: HitTable) -> FoundCut | None:
    """Return the cut of the only list, None if the metric has none."""
    c, step = table.counts, spread.step
    if step is not None:
        # of a long list the cut is known by the rows that hold somebody
        own, above = spread.counts, int(np.count_nonzero(step.share_above))
        rate = float(c.pi * step.tpr + (1 - c.pi) * step.fpr)
    else:
        chosen = spread.metric.chosen(c)
        if chosen is None:
            return None
        row = int(chosen.row)
        own, above, rate = c, row + 1, float(c.r[row]) if row >= 0 else 0.0
    hits = int(np.searchsorted(own.rows_of_positives, above))
    scores = table.score
    return FoundCut(float(scores[c.rows_of_positives[hits - 1]]) if scores is not None and hits else None, rate)
