"""Rankers sorted once: their tables at every horizon follow without another sort."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple, Self

import numpy as np

from hitcurve.adding import descending
from hitcurve.counts import AnyArray, Array
from hitcurve.sums import Sums, Weighed
from hitcurve.survival.censoring import Places
from hitcurve.survival.weights import AtHorizon
from hitcurve.table import HitTable


class Ranking(NamedTuple):
    """The scores of one ranker.

    Attributes
    ----------
    scores : array (D,)
        Distinct scores, descending.
    row : array of int (n,)
        The place of the score of each subject among them.
    """

    scores: AnyArray
    row: Places

    @classmethod
    def of(cls, scores: AnyArray) -> Self:
        """Sort scores of which high ones are good."""
        distinct, place = np.unique(scores, return_inverse=True)
        return cls(distinct[::-1], distinct.size - 1 - place)

    def sums(self, at: AtHorizon) -> Sums:
        """Return the columns of a horizon, with a row for each distinct score."""
        used = np.flatnonzero(at.used)
        weight = at.weight[used] if _differ(at.weight[used]) else None
        return Sums.counted(at.case[used], self.row[used], self.scores.size, weight)

    def table(self, at: AtHorizon) -> HitTable:
        """Return the table of a horizon: a row for each score of the cases, and for each gap between them.

        Subjects of equal weight are counts, as elsewhere.
        """
        used = np.flatnonzero(at.used)
        case, weight = at.case[used], at.weight[used]
        cell, kept = self.cells(at, used)
        differ = _differ(weight)
        sums = Sums.counted(case, cell, 2 * kept.size + 1, weight if differ else None)
        unit = 1.0 if differ or not weight.size else float(weight[0])
        table = HitTable.of_sums(sums, "collapsed", descending(self.scores[kept]), unit=unit)
        weighed = (Weighed.of(weight[case]), Weighed.of(weight[~case])) if differ else None
        return replace(table, _weighed=weighed)

    def cells(self, at: AtHorizon, used: Places) -> tuple[Places, Places]:
        """Return the row of some subjects in the table of a horizon, and the scores that have rows, by their place."""
        row, case = self.row[used], at.case[used]
        own = np.zeros(self.scores.size, bool)
        own[row[case]] = True
        place = np.cumsum(own)
        return np.asarray((2 * place - own)[row]), np.flatnonzero(own)


def _differ(weight: Array) -> bool:
    return bool(weight.size) and bool(np.any(weight != weight[0]))
