"""Equal intervals over a grid, in which scores are looked up instead of being sorted."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray

_FEWEST, _AT_ONCE = 1 << 17, 1 << 18  # scores that each step takes at a time: steps of threads wait for each other
_COMPARED = 4  # scores of the grid in a part of an interval that are compared one by one
_HALVED = 3  # times that an interval with several scores of the grid is halved
_DIVIDED = 16  # where more than one in so many shares its interval with the next lower one
_BITS = 30  # of a key
_LOWEST, _HIGHEST = -(1 << 31), (1 << 31) - 1
Rows = npt.NDArray[np.intp]
_Ints = npt.NDArray[np.int32]


class Buckets:
    """Equal intervals over the range of a grid, and a number for each that tells the row of most scores in it.

    The key of a score is a whole number that is a non-increasing function of it, rounding included: a score with a
    larger key than a score of the grid is lower. Its upper bits are the interval. The number of the interval and the
    key are added, modulo 2^32. The upper bits of the sum are how many scores of the grid are higher, and the lower
    ones are 0 where the key is that of a score of the grid, with which the score is compared. Where an interval holds
    several scores of the grid, the sum is negative, and its upper bits are the place of the number of a part of the
    interval, to which the sum is added. Where a part holds several, this sum is negative too, and its upper bits are
    the first of them.
    """

    def __init__(self, grid: AnyArray, count: int) -> None:
        self._grid = grid
        self._kind: Any = np.float32 if grid.dtype.itemsize <= np.dtype(np.float32).itemsize else np.float64
        self._fine = fine = _BITS - max((count - 1).bit_length(), grid.size.bit_length())
        low, high = float(grid[0]), float(grid[-1])
        with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
            step = np.float64(high - low) / (count - 4)
            self._top, self._scale = self._kind(high + step), self._kind(2.0**fine / step)
        self.usable = bool(fine >= 0 and np.isfinite(self._top) and 0 < self._scale < np.inf)
        if not self.usable:
            return
        self._end = self._kind((count - 1) << fine)
        self._lower = np.int32(_LOWEST + (2 << fine) - 1)  # bits that are 0 or make a sum negative
        self._part = fine
        key = self._key(grid[::-1])
        self._number = self._numbers(count, 0, key, np.arange(grid.size))
        interval = key >> fine
        self._together = np.zeros(grid.size, bool)  # with the next lower one
        alike = np.equal(interval[1:], interval[:-1], out=self._together[:-1])
        self._divided = _DIVIDED * np.count_nonzero(alike) > grid.size
        if self._divided:
            several = self._together.copy()
            several[1:] |= alike
            place = np.flatnonzero(several)
            self._divide(key[place], place)

    def _divide(self, key: _Ints, place: Rows) -> None:
        """Give parts of the intervals that hold several scores of the grid, with these keys, numbers of their own."""
        fine, count, interval = self._fine, self._number.size, key >> self._fine
        edges = _edges(interval)
        first = edges[:-1]
        halved = min(_HALVED, fine, (count // first.size).bit_length() - 1)  # and no more parts than intervals
        self._part = fine - halved
        self._together[place[:-1]] = key[1:] >> self._part == key[:-1] >> self._part
        ahead = np.arange(first.size, dtype=np.int32)
        begin = _LOWEST + (count << self._part)
        there = interval[first]
        self._number[there] = begin + ((ahead - there) << fine)
        key = (key & ((1 << fine) - 1)) + (np.repeat(ahead << fine, np.diff(edges)) + begin)
        parts = self._numbers(first.size << halved, begin, key, place, ahead << halved)
        self._number = np.concatenate([self._number, parts])

    def _numbers(self, count: int, begin: int, key: _Ints, place: Rows, ahead: _Ints | None = None) -> _Ints:
        """Return the numbers of intervals.

        Parameters
        ----------
        count : int
        begin : int
            The key at which the first interval begins.
        key, place : array
            Of some scores of the grid, descending: what is added to the number of their interval, and their place
            among all.
        ahead : array, optional
            Intervals before whose first score of the grid there are others beside these.
        """
        interval, above = (key - begin) >> self._part, self._fine + 1
        edges = _edges(interval)
        first, held = edges[:-1], np.diff(edges)
        there, place, key = interval[first].astype(np.intp), place[first], key[first]
        number = np.full(count + 1, -(1 << self._part), np.int32)
        number[there + 1] = (held << above) - (1 << self._part)
        number[0] = 1 - begin
        if ahead is not None:
            leading = np.searchsorted(there, ahead)
            ends = np.append(0, place + held)
            number[ahead] += (place[leading] - ends[leading]) << above
        number = np.cumsum(number[:-1], out=number[:-1])
        own = ((place + 1) << above) - key
        several = np.flatnonzero(held > 1)
        own[several] += ((key[several] - begin) & ((1 << self._part) - 1)) + (_LOWEST + 1)
        number[there] = own
        return number

    def crowded(self, scores: AnyArray) -> float:
        """Return the share of scores whose part holds more scores of the grid than are compared one by one."""
        key = self._key(scores)
        code = self._number.take(key >> self._fine) + key
        if self._divided:
            self._look_up_parts(code)
        last = self._grid.size - self._place(code) - _COMPARED
        near = np.flatnonzero((code < 0) & (last >= 0))
        together = self._key(self._grid.take(last[near])) >> self._part == key[near] >> self._part
        return float(np.count_nonzero(together) / scores.size)

    def rows(self, scores: AnyArray) -> _Ints:
        """Return the row of each score."""
        rows, ones = np.empty(scores.size, np.int32), np.empty(scores.size, bool)
        size = min(max(_FEWEST, min(scores.size // 4, _AT_ONCE)), scores.size)
        whole, key = np.empty(size, np.int64), np.empty(size, np.int32)
        for start in range(0, scores.size, size):
            part = slice(start, start + size)
            own, code = scores[part], rows[part]
            self._number.take(self._interval(own, whole[: own.size], key[: own.size]), out=code, mode="clip")
            code += key[: own.size]
            np.less_equal(np.bitwise_and(code, self._lower, out=key[: own.size]), 0, out=ones[part])
        near = np.flatnonzero(ones)
        codes = rows.take(near)
        self._to_rows(rows)
        if self._divided:
            self._look_up_parts(codes)
            compared = np.flatnonzero((codes & self._lower) <= 0)
            at, near = near, near[compared]
            codes, there = codes[compared], codes
            self._to_rows(there)
            rows[at] = there
        rows[near] = self._compared(scores.take(near), codes)
        return rows

    def _look_up_parts(self, code: _Ints) -> None:
        """Add the number of its part to each negative sum."""
        at = np.flatnonzero(code < 0)
        own = code.take(at)
        code[at] = own + self._number.take((own & _HIGHEST) >> self._part)

    def _to_rows(self, code: _Ints) -> None:
        """Make rows of sums where nothing is compared."""
        code >>= self._fine + 1
        code <<= 1

    def _place(self, code: _Ints) -> _Ints:
        """Return the number of the score of the grid to compare with, from 1 for the highest."""
        return (code & _HIGHEST) >> (self._fine + 1)

    def _compared(self, scores: AnyArray, code: _Ints) -> _Ints:
        """Return the rows of scores with the key of a score of the grid or in a part that holds several."""
        place = self._place(code)
        here = self._grid.take(self._grid.size - place)
        below = scores < here
        row = 2 * place - 1
        row += below
        row -= scores > here
        at = np.flatnonzero(below & (code < 0))
        last = place[at] - 1
        for _ in range(_COMPARED):
            more = self._together.take(last)
            at, last = at[more], last[more] + 1
            if not at.size:
                return row
            own, here = scores[at], self._grid.take(self._grid.size - 1 - last)
            row[at[own == here]] += 1
            more = own < here
            row[at[more]] += 2
            at, last = at[more], last[more]
        row[at] = searched(self._grid, scores[at])
        return row

    def _key(self, scores: AnyArray) -> _Ints:
        """Return the key of each score."""
        key = np.empty(scores.size, np.int32)
        self._interval(scores, np.empty(scores.size, np.int64), key)
        return key

    def _interval(self, scores: AnyArray, out: npt.NDArray[np.int64], key: _Ints) -> npt.NDArray[np.int64]:
        """Write the key of each score, and return its interval. Rounding keeps the order, as all steps do."""
        place = out.view(self._kind)[: scores.size]  # no longer needed where the intervals are written
        with np.errstate(over="ignore", under="ignore"):
            np.subtract(self._top, scores, out=place)
            place *= self._scale
        place.clip(0, self._end, out=key, casting="unsafe")
        return np.right_shift(key, self._fine, out=out)


def _edges(ordered: AnyArray) -> Rows:
    """Return where each of the values begins that stand together, and where the last ends."""
    edge = np.ones(ordered.size + 1, bool)
    np.not_equal(ordered[1:], ordered[:-1], out=edge[1:-1])
    return np.flatnonzero(edge)


def add_up(total: AnyArray, rows: npt.NDArray[np.int32]) -> None:
    """Count rows into an array that stays.

    Sums at places hold the lock of the interpreter, so they are for what is short; counts that are added later do not.
    """
    if rows.size < total.size:
        np.add.at(total, rows.astype(np.intp), total.dtype.type(1))
    elif "scipy.sparse" in sys.modules:
        from scipy.sparse import csc_array

        rows_of_all = csc_array(
            (np.ones(rows.size, np.int32), rows, np.array([0, rows.size], np.int32)), shape=(total.size, 1)
        )
        total += rows_of_all @ np.ones(1, np.int32)
    else:
        total += np.bincount(rows, minlength=total.size)


def searched(grid: AnyArray, scores: AnyArray) -> Rows:
    """Return for each score the row of its cell, by a search of an ascending grid."""
    below = np.searchsorted(grid, scores, "left")
    tied = grid[np.minimum(below, grid.size - 1)] == scores if grid.size else np.zeros(scores.size, bool)
    return np.asarray(2 * (grid.size - below) - tied)
