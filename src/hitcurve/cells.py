"""Counting scores into the cells of a grid.

The cells of a grid of D scores are 2 D + 1 rows, from the highest score down: above the first score, tied with
it, between it and the second, ..., tied with the last, below it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from functools import partial, reduce
from operator import add
from threading import Lock
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from hitcurve._threads import in_threads, processors
from hitcurve.buckets import Buckets, Rows, add_up, searched
from hitcurve.counts import AnyArray
from hitcurve.sorting import ascending, by_buckets, search

T = TypeVar("T")

_CHUNK = 1 << 19  # scores sorted at a time, in each thread
_SMALLEST_CHUNK = 1 << 17
_LOOKED_UP, _MOST_LOOKED_UP = 1 << 18, 1 << 20  # scores looked up at a time, in each thread
_PIECES = 8  # for each processor, where there are so many chunks
_WORTH_SPARSE = 1 << 26  # scores whose counting gains what the import of scipy.sparse takes
_LARGEST_CHUNK = 1 << 21  # longer chunks for longer grids, so that a grid is not searched too often
_FEWEST, _MOST = 1 << 12, 1 << 22  # buckets
_BUCKETS_PER_SCORE, _MORE = 8, 32  # more of them while they are few enough for the cache
_FEW_BUCKETS = 1 << 18
_SORTED_PER_SCORE = 4  # scores that are sorted in the time that the buckets of a score of the grid take
_SAMPLE = 1000
_MAKING = Lock()
_FEW = 32  # times as many scores of the grid take longer to be searched among scores than these among them


class Grid:
    """Distinct scores, ascending, into whose cells other scores are counted.

    Two roads lead to the same whole numbers. Chunks are sorted and the grid is searched in each: both walk through
    memory in order, unlike a search of n unsorted scores in the grid. Or equal buckets over the range of the grid
    are looked up, which settles every score whose bucket holds no score of the grid; the rest is compared with those
    in its bucket. Where these are many, a sample shows it, and nothing is looked up.
    """

    def __init__(self, scores: AnyArray) -> None:
        self.scores = scores
        self.size = scores.size
        self.rows = 2 * scores.size + 1
        self._counted = 0
        self._made: Buckets | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Leave the buckets behind, which are larger than the scores and made again where they are needed."""
        return {**self.__dict__, "_made": None}

    def forget(self) -> None:
        """Let the buckets go, which are made again where they are needed."""
        self._made = None

    def count(self, scores: AnyArray, *, own: bool = False) -> AnyArray:
        """Count scores into the 2 D + 1 cells; an ``own`` array is of no further use, and may be sorted."""
        if scores.size < self.size // _FEW:
            self._counted += scores.size
            return np.bincount(searched(self.scores, scores), minlength=self.rows)
        buckets = None if self._is_long(scores) else self._helpful(scores)
        self._counted += scores.size
        if buckets is None:
            return self._counted_sorted(scores, own=own)

        if scores.size >= _WORTH_SPARSE:
            import scipy.sparse  # noqa: F401 - what add_up takes if it is there

        free: deque[AnyArray] = deque()

        size = max(min(max(_LOOKED_UP, -(-scores.size // processors())), _MOST_LOOKED_UP), 2 * self.rows)

        def counted(piece: AnyArray) -> None:
            try:
                total = free.pop()
            except IndexError:  # one for each thread
                total = np.zeros(self.rows, np.int32 if scores.size < 2**31 else np.int64)
            for chunk in _chunks(piece, size):
                add_up(total, buckets.rows(chunk))
            free.append(total)

        # few pieces: the thread that hands them out takes time from those at work
        for _ in in_threads(counted, _chunks(scores, size * max(1, scores.size // (size * _PIECES * processors())))):
            pass
        return np.asarray(np.sum(free, axis=0, dtype=np.int64))

    def count_classes(
        self, scores: AnyArray, positive: npt.NDArray[np.bool_], times: AnyArray | None = None
    ) -> tuple[AnyArray, AnyArray]:
        """Count both classes, of which all positives have a score of the grid.

        Parameters
        ----------
        scores : array (n,)
        positive : array of bool (n,)
        times : array of int (D,), optional
            How many positives have each score of the grid, ascending, where that is known.

        Returns
        -------
        pos, neg : array of int (2 D + 1,)
        """
        if times is None:
            pos = self.count(scores.compress(positive), own=True)
        else:
            pos = np.zeros(self.rows, np.int64)
            pos[1::2] = times[::-1]
        if self._is_long(scores):  # what is sorted anyway is less without the positives
            return pos, self.count(scores.compress(~positive), own=True)
        return pos, self.count(scores) - pos

    def _is_long(self, scores: AnyArray) -> bool:
        """Say whether the grid spends on buckets what it saves on sorting, of these scores and all before."""
        return self.size > (self._counted + scores.size) // _SORTED_PER_SCORE

    def rows_of(self, scores: AnyArray) -> Rows:
        """Return for each score the row of its cell."""
        buckets = self._helpful(scores)
        return searched(self.scores, scores) if buckets is None else buckets.rows(scores).astype(np.intp)

    def _counted_sorted(self, scores: AnyArray, *, own: bool) -> AnyArray:
        share = -(-scores.size // processors())
        if share < 4 * self.size:  # a search of the grid would cost as much as the sort of a share: once, then
            return self._count_sorted(_sorted_in_shares(scores, own=own))
        size = max(_CHUNK, min(16 * self.size, _LARGEST_CHUNK))
        # a share for each processor, unless that would be too little to pay for a thread or a search of the grid
        size = min(size, max(share, _SMALLEST_CHUNK))
        return _over_chunks(lambda chunk: self._count_sorted(ascending(chunk)), scores, size, add)

    def _count_sorted(self, chunk: AnyArray) -> AnyArray:
        grid = self.scores
        if not (self.size and chunk.size):
            total = np.zeros(self.rows, np.int64)
            total[0] = chunk.size
            return total
        parts = list(in_threads(partial(search, chunk), _shares(grid)))
        first = parts[0] if len(parts) == 1 else np.concatenate(parts)
        del parts
        last = first + (chunk.take(first, mode="clip") == grid)
        # most grid scores occur once: a second search for the others alone
        more = ((last > first) & (chunk.take(last, mode="clip") == grid)).nonzero()[0]
        last[more] = np.searchsorted(chunk, grid[more], "right")
        total = np.empty(self.rows, np.int64)
        total[0] = first[0]
        np.subtract(last, first, out=total[1::2])
        np.subtract(first[1:], last[:-1], out=total[2:-1:2])
        total[-1] = chunk.size - last[-1]
        return total[::-1]

    def _helpful(self, scores: AnyArray) -> Buckets | None:
        """Return the buckets if they would settle most of these scores."""
        if self.size < 2 or scores.size < _FEWEST or scores.dtype.kind != "f" or scores.dtype != self.scores.dtype:
            return None  # rounding depends on the type
        buckets = self._buckets
        if buckets is None:
            return None
        return buckets if buckets.crowded(scores[:: -(-scores.size // _SAMPLE)]) < 0.05 else None

    @property
    def _buckets(self) -> Buckets | None:
        found = self._made
        if found is None:
            with _MAKING:  # by one thread, as they take several times their memory meanwhile
                found = self._made
                if found is None:
                    wanted = max(_BUCKETS_PER_SCORE * self.size, min(_MORE * self.size, _FEW_BUCKETS))
                    wanted = 1 << (wanted - 1).bit_length()
                    found = self._made = Buckets(self.scores, max(_FEWEST, min(wanted, _MOST)))
        return found if found.usable else None


class Accumulator:
    """Both classes of many subjects, counted chunk by chunk into arrays that stay.

    All positives have a score of the grid.
    """

    def __init__(self, grid: Grid) -> None:
        self._grid = grid
        self._total: AnyArray = np.zeros(grid.rows, np.int32)
        self._pos: AnyArray = np.zeros(grid.size + 1, np.int32)  # one more for what a file has that changes
        self._left: int = np.iinfo(np.int32).max

    def add(self, scores: AnyArray, positive: npt.NDArray[np.bool_]) -> None:
        """Count some more."""
        if scores.size > self._left:
            self._total, self._pos = self._total.astype(np.int64), self._pos.astype(np.int64)
            self._left = np.iinfo(np.int64).max
        self._left -= scores.size
        grid, one = self._grid, self._total.dtype.type(1)
        buckets = grid._helpful(scores)
        if buckets is None and grid.size < scores.size // _FEW:
            pos, neg = grid.count_classes(scores, positive)
            self._pos[:-1] += pos[1::2]
            self._total += pos
            self._total += neg
            return
        if buckets is None:  # walk through the grid in order
            np.add.at(self._total, searched(grid.scores, np.sort(scores)), one)
            np.add.at(self._pos, searched(grid.scores, np.sort(scores.compress(positive))) >> 1, one)
            return
        rows = buckets.rows(scores)
        add_up(self._total, rows)
        np.add.at(self._pos, rows.compress(positive) >> 1, one)

    def classes(self) -> tuple[AnyArray, AnyArray]:
        """Return both classes in the cells, from the highest score down."""
        pos = np.zeros_like(self._total)
        pos[1::2] = self._pos[:-1]
        return pos, self._total - pos


def _over_chunks(do: Callable[[AnyArray], T], scores: AnyArray, size: int, combine: Callable[[T, T], T]) -> T:
    """Apply ``do`` to chunks, in as many threads as there are processors, and combine in order.

    Whole numbers are added, which cannot depend on who counted them.
    """
    return reduce(combine, in_threads(do, _chunks(scores, size)))


def tallied(scores: AnyArray, *, own: bool = False, merged: bool = False) -> tuple[AnyArray, npt.NDArray[np.int64]]:
    """Return the distinct scores, ascending, and how often each occurs.

    Parameters
    ----------
    scores : array
    own : bool
        Whether the array is of no further use, and may be sorted.
    merged : bool
        Whether it is an own one of a few that ascend, one after another.
    """
    if merged:
        scores.sort(kind="stable")
    ordered = scores if merged else _sorted_in_shares(scores, own=own)
    first = np.ones(ordered.size, bool)
    np.not_equal(ordered[1:], ordered[:-1], out=first[1:])
    if first.all():
        return ordered, np.broadcast_to(np.int64(1), ordered.shape)
    starts = np.flatnonzero(first)
    return ordered[starts], np.diff(starts, append=ordered.size)


def _sorted_in_shares(scores: AnyArray, *, own: bool) -> AnyArray:
    """Sort a share in each thread, then all of them together; in place if nobody else has the array."""
    found = by_buckets(scores)
    if found is not None:  # what several threads sort must be merged, which takes longer
        return found
    ordered = scores if own else scores.copy()
    shares = _shares(ordered)
    for _ in in_threads(lambda share: share.sort(), shares):
        pass
    if len(shares) > 1:
        ordered.sort(kind="stable")  # merges what is sorted
    return ordered


def _shares(scores: AnyArray) -> list[AnyArray]:
    """Divide scores among the processors, unless that would be too little to pay for a thread."""
    return _chunks(scores, max(-(-scores.size // processors()), _SMALLEST_CHUNK))


def _chunks(scores: AnyArray, size: int) -> list[AnyArray]:
    return [scores[start : start + size] for start in range(0, scores.size, size)] or [scores]


def some_distinct(scores: AnyArray) -> AnyArray:
    """Return the distinct scores if there are fewer than three, else three of them."""
    some = np.sort(scores[:100])
    some = some[np.concatenate([[True], some[1:] != some[:-1]])] if some.size else some
    if some.size > 2 or not some.size:
        return some[:3]
    low, high = scores.min(), scores.max()
    return np.unique(np.concatenate([[low, high], scores[(low < scores) & (scores < high)][:1]]))
