"""Grids of many lists, into whose cells the subjects of whole blocks are counted at once.

The subjects of a block are put together list by list and every list is sorted by itself, which costs far less than
one sort of all; then the scores of every grid are searched in their list, for all lists at the same time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve.cells import Accumulator, Grid, some_distinct, tallied
from hitcurve.counts import AnyArray
from hitcurve.ragged import (
    ByList,
    Places,
    descending_in_lists,
    first_below,
    first_not_above,
    first_of_each,
    rows_of_lists,
    starts_of,
)
from hitcurve.sources import Block
from hitcurve.sums import Sums
from hitcurve.units import Extremes, Unit, counted

_LONG = 1 << 18  # cells from which on their counts take more memory than the subjects of a chunk


class Few(NamedTuple):
    """Up to three distinct scores of each list: enough to tell a score from a decision.

    Attributes
    ----------
    low, high : array (L,)
        The ends of each list.
    between : array (L,)
        A score strictly between them, where there is one; else the low end.
    """

    low: AnyArray
    high: AnyArray
    between: AnyArray

    @classmethod
    def of_one(cls, distinct: AnyArray) -> Self:
        """Take up to three distinct scores of one list, ascending."""
        if not distinct.size:
            return cls.of_lists(distinct, np.zeros(2, np.intp))
        low, high = (distinct[end].astype(_kind_of(distinct)) for end in (slice(1), slice(-1, None)))
        return cls(low, high, distinct[1:2].astype(low.dtype) if distinct.size > 2 else low)

    @classmethod
    def of_lists(cls, scores: AnyArray, starts: Places) -> Self:
        """Take lists that descend, one after another."""
        kind = _kind_of(scores)
        ends = (-np.inf, np.inf) if kind.kind == "f" else (np.iinfo(kind).min, np.iinfo(kind).max)
        lists = starts.size - 1
        low, high = np.full(lists, ends[1], kind), np.full(lists, ends[0], kind)
        there = np.flatnonzero(np.diff(starts))
        first, last = starts[there], starts[there + 1] - 1
        low[there], high[there] = scores[last], scores[first]
        between = low.copy()
        between[there] = scores[np.minimum(first_below(scores, first, last + 1, scores[first]), last)]
        return cls(low, high, between)

    def __add__(self, other: object) -> Few:
        """Add the counts of other subjects of the same lists."""
        if not isinstance(other, Few):
            return NotImplemented
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        between = low.copy()
        for some in (*self, *other):
            inside = (low < some) & (some < high)
            between[inside] = some[inside]
        return Few(low, high, between)

    @property
    def distinct(self) -> npt.NDArray[np.intp]:
        """How many distinct scores each list has: 1, 2, or 3 for more than two."""
        inside = (self.low < self.between) & (self.between < self.high)
        return 1 + (self.low < self.high).astype(np.intp) + inside


def _kind_of(scores: AnyArray) -> np.dtype[Any]:
    """Return the type of the ends: of whole numbers one, as chunks of a column may come in several."""
    return scores.dtype if scores.dtype.kind == "f" or scores.dtype == np.uint64 else np.dtype(np.int64)


class CountedLists(NamedTuple):
    """One ranker of a block, counted into the cells of every list.

    Attributes
    ----------
    sums : Sums
        Flat: the cells of the lists one after another.
    few : Few
    weights : Extremes or None
        Of the weights of each list; None if every subject that was counted weighs ``unit``.
    unit : float
    """

    sums: Sums
    few: Few
    weights: Extremes | None = None
    unit: float = 1.0

    def __add__(self, other: object) -> CountedLists:
        """Add the subjects of another block."""
        if not isinstance(other, CountedLists):
            return NotImplemented
        if self.weights is None and other.weights is None and self.unit == other.unit:
            return self._replace(sums=self.sums + other.sums, few=self.few + other.few)
        sums = self.sums.as_weights(self.unit) + other.sums.as_weights(other.unit)
        return CountedLists(sums, self.few + other.few, self._extremes.merged(other._extremes))

    @property
    def _extremes(self) -> Extremes:
        if self.weights is not None:
            return self.weights
        there = self.few.low <= self.few.high
        return Extremes(np.where(there, self.unit, np.inf), np.where(there, self.unit, -np.inf))

    def in_units(self, starts: Places) -> tuple[Sums, Unit]:
        """Return lists of equal weights as counts, and the unit of each."""
        return (self.sums.wide(), self.unit) if self.weights is None else counted(self.sums, starts, self.weights.unit)


@dataclass(frozen=True, eq=False)
class GridStack:
    """The scores that have a row of their own, of many lists.

    Attributes
    ----------
    scores : array (sum of D,)
        The distinct scores of each list, descending, one list after another.
    starts : array of int (L + 1,)
        Where each list starts.
    times : array of int (sum of D,) or None
        How many subjects of the only block have each score.
    """

    scores: AnyArray
    starts: Places
    times: Places | None = field(default=None, repr=False)
    _of_all: tuple[AnyArray, Places | None] | None = field(default=None, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave behind what is worked out of the scores."""
        return {name: self.__dict__[name] for name in self.__dataclass_fields__}

    @classmethod
    def of(cls, code: Places | None, scores: AnyArray, lists: int) -> Self:
        """Keep the distinct scores of each list.

        Parameters
        ----------
        code : array of int (n,) or None
            The list of each subject; None if there is one list.
        scores : array (n,)
            One that is of no further use.
        lists : int
        """
        if code is None:
            distinct, times = tallied(scores, own=True)
            return cls(distinct[::-1], starts_of([distinct.size]), times[::-1])
        by_list = ByList.of(code, lists)
        scores = descending_in_lists(by_list.put(scores), by_list.starts)
        code = np.repeat(np.arange(lists), np.diff(by_list.starts))
        first = np.flatnonzero(first_of_each(code, scores))
        starts = starts_of(np.bincount(code[first], minlength=lists))
        return cls(scores[first], starts, np.diff(first, append=scores.size))

    @classmethod
    def alike(cls, scores: AnyArray, lists: int) -> Self:
        """Take the same ascending scores for every list."""
        return cls(np.tile(scores[::-1], lists), scores.size * np.arange(lists + 1))

    @property
    def lists(self) -> int:
        """Number of lists, L."""
        return self.starts.size - 1

    @cached_property
    def code(self) -> Places:
        """The list of each score."""
        return np.repeat(np.arange(self.lists), np.diff(self.starts))

    @property
    def cells(self) -> Places:
        """Where the 2 D + 1 cells of each list start."""
        return 2 * self.starts + np.arange(self.lists + 1)

    def taken(self, lists: Sequence[int] | Places) -> GridStack:
        """Return some of the lists, in this order."""
        lists = np.asarray(lists, np.intp)
        if np.array_equal(lists, np.arange(self.lists)):
            return self
        where, starts = rows_of_lists(self.starts, lists)
        times = None if self.times is None else self.times[where]
        return GridStack(self.scores[where], starts, times, self._all)

    def without_scores(self) -> GridStack:
        """Return as many lists without a score."""
        return GridStack(self.scores[:0], np.zeros_like(self.starts))

    def merged(self, other: GridStack, own: Places, others: Places, lists: int) -> GridStack:
        """Unite with the scores of other blocks.

        Parameters
        ----------
        other : GridStack
        own, others : array of int
            The place of each list of the two among all.
        lists : int
            Number of all lists.
        """
        if lists == 1:
            distinct = tallied(np.concatenate([self.scores[::-1], other.scores[::-1]]), own=True, merged=True)[0]
            return GridStack(distinct[::-1], starts_of([distinct.size]))
        code = np.concatenate([own[self.code], others[other.code]])
        return replace(GridStack.of(code, np.concatenate([self.scores, other.scores]), lists), times=None)

    @cached_property
    def _all(self) -> tuple[AnyArray, Places | None]:
        """The ascending scores of one list of all, those included that were not taken, and how often each occurs."""
        if self._of_all is not None:
            return self._of_all
        if self.lists == 1:
            return self.scores[::-1], None if self.times is None else self.times[::-1]
        distinct, lists = tallied(self.scores)
        if self.times is None:
            return distinct, None
        if distinct.size == self.scores.size and self.times.max(initial=1) == 1:
            return distinct, lists
        return distinct, np.bincount(distinct.searchsorted(self.scores), self.times, distinct.size).astype(np.intp)

    @cached_property
    def whole(self) -> Grid:
        """The grid of one list of all, those included that were not taken."""
        return Grid(self._all[0])

    def count(self, block: Block, ranker: str, code: Places | None) -> tuple[CountedLists, CountedLists]:
        """Count one ranker of a block.

        Parameters
        ----------
        block : Block
            One whose positives all have a cell of their own.
        ranker : str
        code : array of int (n,) or None
            The list of each subject, -1 for none; None if there is one list, of all subjects.

        Returns
        -------
        lists, whole : CountedLists
            Of every list, and of one list of all subjects.
        """
        scores, positive, weight = block.scores[ranker], block.positive, block.weight
        if weight is None:
            sums = Sums(*self.whole.count_classes(scores, positive, _if_all(self._all[1], block.n_pos)))
            if sums.pos.size >= _LONG:  # several wait to be added
                sums = sums.short()
        else:
            row = np.asarray(self.whole.rows_of(scores), np.int64)
            sums = Sums.counted(positive, row, self.whole.rows, weight)
        whole = _one_list(sums, some_distinct(scores), block)
        if code is None:
            return whole, whole
        by_list = ByList.of(code, self.lists)
        own = by_list.put(scores)
        ordered = descending_in_lists(own, by_list.starts)
        few = Few.of_lists(ordered, by_list.starts)
        if weight is None:
            times = _if_all(self.times, int(np.count_nonzero(by_list.put(positive))))
            if times is None:
                places, starts = by_list.among(positive)
                pos = self._totals(descending_in_lists(own[places], starts), starts)
            else:
                pos = np.zeros(int(self.cells[-1]), np.intp)
                pos[2 * np.arange(times.size) + self.code + 1] = times
            sums = Sums(pos, self._totals(ordered, by_list.starts) - pos)
            return CountedLists(sums, few, None, block.unit), whole
        weights = Extremes.of(weight, code, self.lists)
        code = np.repeat(np.arange(self.lists), np.diff(by_list.starts))
        sums = Sums.counted(by_list.put(positive), self._cell(own, code), int(self.cells[-1]), by_list.put(weight))
        return CountedLists(sums, few, weights), whole

    def _cell(self, scores: AnyArray, code: Places) -> Places:
        """Return the cell of each subject."""
        after = first_not_above(self.scores, self.starts[code], self.starts[code + 1], scores)
        if not self.scores.size:
            return code
        tied = self.scores[np.minimum(after, self.scores.size - 1)] == scores
        return np.asarray(2 * after + code + (tied & (after < self.starts[code + 1])))

    def _totals(self, scores: AnyArray, starts: Places) -> Places:
        """Count lists that descend into the cells of their grids."""
        total = np.zeros(int(self.cells[-1]), np.intp)
        there = np.flatnonzero(np.diff(starts))
        if not there.size:
            return total
        # a block of a sorted file holds few of the lists
        lists = slice(int(there[0]), int(there[-1]) + 1)
        rows, cells = slice(*self.starts[[lists.start, lists.stop]]), self.cells[lists.start : lists.stop + 1]
        code, wanted = self.code[rows], self.scores[rows]
        low, high = starts[code], starts[code + 1]
        above = first_not_above(scores, low, high, wanted)
        place = 2 * np.arange(rows.start, rows.stop) + code - cells[0]
        ends = np.empty(cells[-1] - cells[0], np.intp)
        ends[place] = above
        ends[place + 1] = first_below(scores, above, high, wanted)
        ends[cells[1:] - 1 - cells[0]] = starts[lists.start + 1 : lists.stop + 1]
        total[cells[0] : cells[-1]] = ends
        total[cells[0] + 1 : cells[-1]] -= ends[:-1]
        return total


class Together:
    """One ranker of several blocks without weights, counted into the cells of one list of all subjects."""

    def __init__(self, grid: GridStack, unit: float) -> None:
        self._cells = Accumulator(grid.whole)
        self._few: Few | None = None
        self._unit = unit

    def add(self, scores: AnyArray, positive: npt.NDArray[np.bool_]) -> None:
        """Count some subjects."""
        self._cells.add(scores, positive)
        few = Few.of_one(some_distinct(scores))
        self._few = few if self._few is None else self._few + few

    def counted(self) -> CountedLists:
        """Return the counts of one subject at least."""
        assert self._few is not None
        sums = Sums(*self._cells.classes())
        return CountedLists(sums.short(), self._few, None, self._unit)


def _if_all(times: Places | None, positives: int) -> Places | None:
    """Return how many positives have each score, counted before, if these are all of them."""
    return times if times is not None and times.sum() == positives else None


def _one_list(sums: Sums, distinct: AnyArray, block: Block) -> CountedLists:
    weights = None if block.weight is None else Extremes.of(block.weight, None, 1)
    return CountedLists(sums, Few.of_one(distinct), weights, block.unit if weights is None else 1.0)
