"""Where a metric of a cut cuts a list: the score and the depth."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hitcurve import rows
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.cutting.cut_places import is_a_score
from hitcurve.inference.variance.spread import Spread
from hitcurve.table import HitTable


class FoundCut(NamedTuple):
    """The cut of a metric in one list.

    Attributes
    ----------
    score : float or None
        Of the last positive above the cut: subjects with at least this score hold all positives that are above it. As
        in ``HitTable.score``; None if no positive is above the cut, the table has no scores, or the last positive above
        the cut was ranked last for want of a score. In the scale that was given: at most this score where lower is
        better.
    rate : float
        Share of the subjects above the cut, in part where it divides a group of equal scores.
    higher_is_better : bool
    """

    score: float | None
    rate: float
    higher_is_better: bool = True

    def is_told(self, table: HitTable) -> bool:
        """Whether it has a score, or goes down to the subjects without one of a list that has scores."""
        last = () if table.score is None else table.score[-3:]  # with the gaps around them
        return self.score is not None or (self.rate > 0 and any(not is_a_score(score) for score in last))

    def __str__(self) -> str:
        """Return ``score at least 2.5, 1% of the subjects``; the score reads back to the same number."""
        side = "at least" if self.higher_is_better else "at most"
        score = "" if self.score is None else f"score {side} {rows.exact(self.score)}, "
        return f"{score}{rows.short(100 * self.rate)}% of the subjects"


def at_cut(cut: FoundCut | None) -> str:
    """Return where a metric cuts the list, as it follows its value; empty if it does not."""
    return "" if cut is None else f"; cutoff: {cut}"


class CutRows(NamedTuple):
    """The cut of a metric in each of many lists.

    Attributes
    ----------
    row : array of int (...)
        Of the last positive above the cut; -1 where there is none.
    rate : array (...)
        Share of the subjects above the cut.
    """

    row: AnyArray
    rate: Array


def rows_of_cuts(spread: Spread, c: Counts) -> CutRows | None:
    """Return the cut of each list, in the rows of these counts; None if the metric has none."""
    step, own = spread.step, spread.counts
    if step is not None:
        # of a long list the cut is known by the rows that hold somebody
        above = np.count_nonzero(step.share_above, axis=-1) if c.shape else step.divided.stop
        rate = step.rate(own)
    else:
        chosen = spread.metric.chosen(c)
        if chosen is None:
            return None
        own, above = c, np.asarray(chosen.row) + 1
        last = np.maximum(above - 1, 0)[..., None]
        rate = np.where(above > 0, np.take_along_axis(c.r, last, axis=-1)[..., 0], 0.0)
    if not c.shape:
        hits = np.count_nonzero(own.pos[: int(above)] > 0)
        return CutRows(np.asarray(c.rows_of_positives[hits - 1] if hits else -1), rate)
    hits = np.count_nonzero((own.pos > 0) & (np.arange(own.pos.shape[-1]) < above[..., None]), axis=-1)
    found = np.argmax(np.cumsum(c.pos > 0, axis=-1) == hits[..., None], axis=-1)
    return CutRows(np.where(hits > 0, found, -1), rate)


def found_cut(spread: Spread, table: HitTable, *, higher_is_better: bool = True) -> FoundCut | None:
    """Return the cut of the only list, None if the metric has none."""
    place = rows_of_cuts(spread, table.counts)
    if place is None:
        return None
    row, scores = int(place.row), table.score
    score = -math.inf if scores is None or row < 0 else float(scores[row])
    given = None if not is_a_score(score) else score if higher_is_better else 0.0 - score  # no -0.0
    return FoundCut(given, float(place.rate), higher_is_better)
