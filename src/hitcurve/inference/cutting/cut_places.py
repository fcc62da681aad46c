"""Where a ranking can be cut: at the ends of blocks of equal scores, which gaps of a table must be asked for."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve.confusion import Confusion
from hitcurve.counts import AnyArray, Array
from hitcurve.table import HitTable

Flags: TypeAlias = npt.NDArray[np.bool_]
Holds: TypeAlias = Callable[[Array, Array], Flags]
"""From positives and subjects above cuts to whether each may stay; further negatives never turn False to True."""

_LAST = np.iinfo(np.int64).min  # of whole numbers


def is_a_score(score: Any) -> bool:
    """Say whether a score is that of a subject, and does not stand for subjects without one, which are ranked last."""
    return score is not None and bool(score != -math.inf and score != _LAST)


class CutPlace(NamedTuple):
    """A cut: positives and negatives above it, and the last score above it, as the table has it."""

    positives: int
    negatives: int
    score: Any = None

    def confusion(self, n_pos: float, n_neg: float, prevalence: float, *, higher_is_better: bool) -> Confusion:
        """Return the confusion matrix of the cut, with its score in its own direction."""
        score = self.score if is_a_score(self.score) else None
        score = score if score is None or higher_is_better else -score
        tp, fp = float(self.positives), float(self.negatives)
        return Confusion(tp, fp, n_pos - tp, n_neg - fp, prevalence, score)


class CutPlaces:
    """The cuts of a table of subjects without weights.

    Parameters
    ----------
    table : HitTable
    gap_scores : callable, optional
        Returns the scores of the negatives in a row that lies between two scores of the grid.

    Attributes
    ----------
    inexact : bool
        Whether a search met a gap whose negatives are not known apart, and stayed above it.
    """

    def __init__(self, table: HitTable, gap_scores: Callable[[int], AnyArray] | None = None) -> None:
        self.table = table
        self.rows = np.flatnonzero((table.pos > 0) | (table.neg > 0))
        self.hits = np.cumsum(table.pos[self.rows]).astype(float)
        self.selected = self.hits + np.cumsum(table.neg[self.rows])
        self.inexact = False
        self._gap_scores = gap_scores if table.kind == "collapsed" else None

    def first_with(self, hits: float) -> CutPlace:
        """Return the shallowest cut with so many positives above it."""
        return self.at(int(np.searchsorted(self.hits, hits, "left")))

    def deepest(self, holds: Holds) -> CutPlace | None:
        """Return the deepest cut that may stay, whatever lies above it."""
        there = np.flatnonzero(holds(self.hits, self.selected))
        return self._near(int(there[-1]) if there.size else -1, holds, 0)

    def deepest_of_sequence(self, holds: Holds, first: float) -> CutPlace | None:
        """Return the last cut before the first that may not stay, of those with at least ``first`` subjects."""
        begin = int(np.searchsorted(self.selected, first, "left"))
        fails = np.flatnonzero(~holds(self.hits[begin:], self.selected[begin:]))
        return self._near(begin + (int(fails[0]) if fails.size else self.rows.size - begin) - 1, holds, first)

    def holds_below(self, cut: CutPlace, holds: Holds) -> bool:
        """Return whether a cut that ends with positives may stay, and is deeper than this one."""
        deeper = self.selected > cut.positives + cut.negatives
        there = deeper & (self.table.pos[self.rows] > 0)
        return bool(np.any(holds(self.hits[there], self.selected[there])))

    def first_of(self, first: int) -> CutPlace:
        """Return the first cut of a sequence, with at least so many subjects; where that is not known, with as many."""
        place = int(np.searchsorted(self.selected, first, "left"))
        if not self._is_gap(place):
            return self.at(place)
        hits, row = int(self.hits[place]), int(self.rows[place])
        above = float(self.selected[place - 1]) if place else 0.0
        ends, _ = self._blocks(row) or (range(1, int(self.table.neg[row]) + 1), None)
        return CutPlace(hits, int(above) + ends[bisect_left(ends, first - above)] - hits)

    def most_enriched(self) -> tuple[float, CutPlace]:
        """Return the largest enrichment over cuts with a negative above them, and the first such cut."""
        negatives = self.selected - self.hits
        there = np.flatnonzero(negatives >= 1)
        ratio = self.hits[there] / negatives[there]
        best = int(there[np.argmax(ratio)])
        most, cut = float(np.max(ratio)), self.at(best)
        first = int(there[0])
        if self._is_gap(first):
            # its first block; negatives that are not known apart are taken one by one
            ends, scores = self._blocks(int(self.rows[first])) or (range(1, 2), None)
            if self.hits[first] / ends[0] >= most or self._is_gap(best):
                score = None if scores is None else scores[0].item()
                most, cut = float(self.hits[first]) / ends[0], CutPlace(int(self.hits[first]), ends[0], score)
        return most * self.table.n_neg / self.table.n_pos, cut

    def _near(self, place: int, holds: Holds, first: float) -> CutPlace | None:
        """Return the deepest cut from the end of a row into the gap below; none above ``first`` subjects."""
        if place >= 0 and self._is_gap(place):
            place -= 1
        if place + 1 < self.rows.size and self._is_gap(place + 1):
            inside = self._inside(place, holds, first)
            if inside is not None:
                return inside
        if place < 0 or self.selected[place] < first or self._is_gap(place):
            return None
        return self.at(place)

    def is_tied(self, cut: CutPlace, column: AnyArray) -> bool:
        """Say whether the last score above a cut is that of several subjects of a class, whose column this is."""
        place = int(np.searchsorted(self.selected, cut.positives + cut.negatives, "left"))
        return place < self.rows.size and not self._is_gap(place) and bool(column[self.rows[place]] > 1)

    def _is_gap(self, place: int) -> bool:
        return self.table.has_gaps and not self.table.pos[self.rows[place]]

    def _inside(self, place: int, holds: Holds, first: float) -> CutPlace | None:
        """Return the deepest cut inside the gap below a row."""
        above = (self.hits[place], self.selected[place]) if place >= 0 else (0.0, 0.0)
        row = int(self.rows[place + 1])
        blocks = self._blocks(row)
        if blocks is None:
            self.inexact = self.inexact or bool(np.any(holds(*map(np.array, (above[0], above[1] + 1)))))
            return None
        ends, scores = blocks
        begin = bisect_left(ends, first - above[1])
        fails = bisect_left(
            ends, True, lo=begin, key=lambda e: not holds(np.array(above[0]), np.array(above[1] + e)).item()
        )
        if fails == begin:
            return None
        score = None if scores is None else scores[fails - 1].item()
        return CutPlace(int(above[0]), int(above[1] - above[0]) + ends[fails - 1], score)

    def _blocks(self, row: int) -> tuple[Sequence[int], AnyArray | None] | None:
        """Return the negatives down to each block of a gap, and their scores; None if they are not known apart."""
        if self._gap_scores is not None:
            scores, count = np.unique(self._gap_scores(row), return_counts=True)
            return np.cumsum(count[::-1]).tolist(), scores[::-1]
        return (range(1, int(self.table.neg[row]) + 1), None) if self.table.kind == "ranks" else None

    def at(self, place: int) -> CutPlace:
        """Return the cut at the end of a row that holds subjects."""
        grid, row = self.table.grid, int(self.rows[place])
        own = row if self.table.kind in ("full", "binned") else row // 2
        score = None if grid is None or own == grid.size else grid[own].item()  # below all bins there is no end
        hits = int(self.hits[place])
        return CutPlace(hits, int(self.selected[place]) - hits, score)
