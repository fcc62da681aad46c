"""Grids of many lists, into whose cells the subjects of whole blocks are counted at once.

The scores of a block are placed among the distinct scores of all grids, as whole numbers. Together with the list of
a subject such a place is one number, and the grids of all lists are one ascending row of such numbers: a single sort
counts every list.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hitcurve.cells import Grid, some_distinct, tallied
from hitcurve.counts import AnyArray
from hitcurve.sources import Block
from hitcurve.sums import Sums

Places = npt.NDArray[np.intp]
_DIGIT = 16  # bits; numpy sorts so short a key by counting


def in_lists(code: Places, scores: AnyArray) -> Places:
    """Return the order of subjects by list, and in each from the highest score down.

    Parameters
    ----------
    code : array of int (n,)
        The list of each subject, from 0.
    scores : array (n,)
    """
    back = code.max(initial=0) - code
    order = np.argsort(scores)
    for shift in range(0, int(back.max(initial=0)).bit_length(), _DIGIT):
        digit = (back[order] >> shift).astype(np.uint16)
        order = order[np.argsort(digit, kind="stable")]
    return order[::-1]


def first_of_each(code: Places, scores: AnyArray) -> npt.NDArray[np.bool_]:
    """Return which of some sorted subjects have another list or score than the one before."""
    first = np.ones(scores.size, bool)
    first[1:] = (scores[1:] != scores[:-1]) | (code[1:] != code[:-1])
    return first


def starts_of(sizes: npt.ArrayLike) -> Places:
    """Return where each of some lists of these sizes starts, and where the last one ends."""
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)


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
    def of(cls, code: Places, scores: AnyArray, lists: int) -> Self:
        """Look through the subjects of some lists."""
        # of whole numbers one kind, as chunks of a column may come in several
        kind = scores.dtype if scores.dtype.kind == "f" or scores.dtype == np.uint64 else np.dtype(np.int64)
        ends = (-np.inf, np.inf) if kind.kind == "f" else (np.iinfo(kind).min, np.iinfo(kind).max)
        low, high = np.full(lists, ends[1], kind), np.full(lists, ends[0], kind)
        np.minimum.at(low, code, scores)
        np.maximum.at(high, code, scores)
        between = low.copy()
        inside = np.flatnonzero((low[code] < scores) & (scores < high[code]))
        between[code[inside]] = scores[inside]
        return cls(low, high, between)

    def __add__(self, other: object) -> Few:
        """Add what was seen of the same lists in other subjects."""
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


class CountedLists(NamedTuple):
    """One ranker of a block, counted into the cells of every list.

    Attributes
    ----------
    sums : Sums
        Flat: the cells of the lists one after another.
    few : Few
    """

    sums: Sums
    few: Few

    def __add__(self, other: object) -> CountedLists:
        """Add the subjects of another block."""
        if not isinstance(other, CountedLists):
            return NotImplemented
        return CountedLists(self.sums + other.sums, self.few + other.few)


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
        How many subjects of the only block of the only list have each score.
    """

    scores: AnyArray
    starts: Places
    times: Places | None = field(default=None, repr=False)
    _of_all: AnyArray | None = field(default=None, repr=False)

    @classmethod
    def of(cls, code: Places | None, scores: AnyArray, lists: int) -> Self:
        """Keep the distinct scores of each list.

        Parameters
        ----------
        code : array of int (n,) or None
            The list of each subject; None if there is one list.
        scores : array (n,)
        lists : int
        """
        if code is None:
            distinct, times = tallied(scores)
            return cls(distinct[::-1], starts_of([distinct.size]), times[::-1])
        order = in_lists(code, scores)
        code, scores = code[order], scores[order]
        first = first_of_each(code, scores)
        return cls(scores[first], starts_of(np.bincount(code[first], minlength=lists)))

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
        where, starts = rows_of_lists(self.starts, np.asarray(lists, np.intp))
        return GridStack(self.scores[where], starts, _of_all=self.whole.scores)

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
            distinct = np.unique(np.concatenate([self.scores, other.scores]))
            return GridStack(distinct[::-1], starts_of([distinct.size]))
        code = np.concatenate([own[self.code], others[other.code]])
        return GridStack.of(code, np.concatenate([self.scores, other.scores]), lists)

    @cached_property
    def whole(self) -> Grid:
        """The grid of one list of all, those included that were not taken."""
        if self.lists == 1 and self._of_all is None:
            return Grid(self.scores[::-1])
        return Grid(np.unique(self.scores) if self._of_all is None else self._of_all)

    @cached_property
    def _keys(self) -> npt.NDArray[np.int64]:
        """The place of each score among all, after its list: ascending."""
        after = self.whole.size - np.searchsorted(self.whole.scores, self.scores)
        return self.code * np.int64(self.whole.rows) + 2 * after - 1

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
        if code is None and weight is None:
            # counted before, if these are all the positives
            known = self.times is not None and self.times.sum() == np.count_nonzero(positive)
            times = self.times[::-1] if self.times is not None and known else None
            one = _one_list(Sums(*self.whole.count_classes(scores, positive, times)), some_distinct(scores))
            return one, one
        row = np.asarray(self.whole.rows_of(scores), np.int64)
        whole = _one_list(Sums.counted(positive, row, self.whole.rows, weight), some_distinct(scores))
        if code is None:
            return whole, whole
        inside = slice(None) if code.min(initial=0) >= 0 else np.flatnonzero(code >= 0)
        code, positive = code[inside], positive[inside]
        key = code * np.int64(self.whole.rows) + row[inside]
        if weight is None:
            pos = self._totals(key[positive], code[positive])
            sums = Sums(pos, self._totals(key, code) - pos)
        else:
            sums = Sums.counted(positive, self._cell(key, code), int(self.cells[-1]), weight[inside])
        return CountedLists(sums, Few.of(code, scores[inside], self.lists)), whole

    def _cell(self, key: npt.NDArray[np.int64], code: Places) -> Places:
        """Return the cell of each subject."""
        after = np.searchsorted(self._keys, key)
        tied = self._keys[np.minimum(after, self._keys.size - 1)] == key if self._keys.size else 0
        return np.asarray(2 * after + code + tied)

    def _totals(self, key: npt.NDArray[np.int64], code: Places) -> npt.NDArray[np.int64]:
        """Count the subjects of each cell."""
        if np.all(code[1:] >= code[:-1]):  # who is searched for next is near
            return np.bincount(self._cell(key, code), minlength=int(self.cells[-1]))
        key = np.sort(key)
        place = 2 * np.arange(self._keys.size) + self.code
        ends = np.empty(int(self.cells[-1]), np.int64)
        ends[place] = np.searchsorted(key, self._keys, "left")
        ends[place + 1] = np.searchsorted(key, self._keys, "right")
        ends[self.cells[1:] - 1] = np.searchsorted(key, self.whole.rows * np.arange(1, self.lists + 1))
        return np.diff(ends, prepend=0)


def _one_list(sums: Sums, distinct: AnyArray) -> CountedLists:
    return CountedLists(sums, Few.of(np.zeros(distinct.size, np.intp), distinct, 1))


def rows_of_lists(starts: Places, lists: Places) -> tuple[Places, Places]:
    """Return the rows of some of the lists that start here, and where each of them starts among these rows."""
    sizes = np.diff(starts)[lists]
    own = starts_of(sizes)
    return np.repeat(starts[lists] - own[:-1], sizes) + np.arange(own[-1]), own
