"""Equal intervals over a grid, in which scores are looked up instead of being sorted."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray

_IN_CACHE, _AT_ONCE = 1 << 16, 1 << 18  # scores that each step takes at a time: steps of threads wait for each other
_COMPARED = 4  # scores of the grid in a bucket that are compared one by one
_NARROW, _NORMAL = 2.0**22, 2.0**100  # places of which floats of 32 bits keep the whole part, and their scales
Rows = npt.NDArray[np.intp]


class Buckets:
    """Equal intervals over the range of a grid, one more on either side, and the row of each.

    The interval of a score is a non-decreasing function of it, rounding included: a score in a lower interval than
    a score of the grid is lower. An interval without a score of the grid has the row between two of them. One that
    holds scores of the grid has the place of its lowest, counted on from the last row: scores there are compared.
    Where it holds several, that is counted on from the places of those that hold one.
    """

    def __init__(self, grid: AnyArray, count: int) -> None:
        self._grid = grid
        low, high = float(grid[0]), float(grid[-1])
        with np.errstate(over="ignore", under="ignore", invalid="ignore", divide="ignore"):
            scale = float(np.float64(count - 2) / (high - low))
            narrow = 1 / _NORMAL < scale < _NORMAL and max(abs(low), abs(high)) * scale < _NARROW
            kind: Any = np.float32 if narrow else np.float64
            # from here on floats are whole, and their bits those of whole numbers one after another
            first = kind(2.0 ** np.finfo(kind).nmant)
            self._scale, self._offset = kind(scale), kind(float(first) + 1 - low * scale)
        self._ends = first, first + kind(count + 1)
        self._zero = first.view(f"i{first.nbytes}")
        self._last = 2 * grid.size
        self.usable = bool(0 < self._scale < np.inf and np.isfinite(self._offset) and 2 * self._last < 2**31)
        if not self.usable:
            return
        interval = self._interval(grid)
        self._together = np.append(interval[1:] == interval[:-1], False)  # with the next one
        held = np.bincount(interval, minlength=count + 2).astype(np.int32)
        row = np.cumsum(held, dtype=np.int32)
        there = interval[~self._together]
        own = held[there]
        lowest = row[there] - own
        lowest[own > 1] += grid.size
        np.subtract(grid.size, row, out=row)
        row *= 2
        row[there] = lowest + (self._last + 1)
        self._row = row

    def crowded(self, scores: AnyArray) -> float:
        """Return the share of scores whose interval holds more scores of the grid than are compared one by one."""
        interval = self._interval(scores)
        beyond = self._row.take(interval, mode="clip") - (self._last + 1 + self._grid.size) + _COMPARED
        near = np.flatnonzero((beyond >= _COMPARED) & (beyond < self._grid.size))
        together = self._interval(self._grid.take(beyond[near])) == self._interval(scores.take(near))
        return float(np.count_nonzero(together) / scores.size)

    def rows(self, scores: AnyArray) -> npt.NDArray[np.int32]:
        """Return the row of each score.

        Each step goes through all scores before the next one begins, so that the table it reads stays in the cache.
        """
        rows = np.empty(scores.size, np.int32)
        size = max(_IN_CACHE, min(scores.size // 4, _AT_ONCE))
        parts = [slice(start, start + size) for start in range(0, scores.size, size)]
        some = np.empty(min(scores.size, size), np.int64)
        for part in parts:
            own = scores[part]
            self._row.take(self._interval(own, some[: own.size]), out=rows[part], mode="clip")
        near = np.flatnonzero(rows > self._last)
        if near.size:
            rows[near] = self._compared(scores.take(near), rows.take(near) - (self._last + 1))
        return rows

    def _compared(self, scores: AnyArray, lowest: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return the rows of scores whose interval holds scores of the grid, given the place of the lowest."""
        several = lowest >= self._grid.size
        lowest -= several * np.int32(self._grid.size)
        here = self._grid.take(lowest, mode="clip")
        above = scores > here
        row = (self._last - 1) - 2 * lowest
        row += scores < here
        row -= above
        at = np.flatnonzero(above & several)
        below = lowest[at]
        for _ in range(_COMPARED):
            if not at.size:
                break
            below += 1
            own, here = scores[at], self._grid.take(below)
            row[at[own == here]] -= 1
            more = own > here
            row[at[more]] -= 2
            more &= self._together.take(below)
            at, below = at[more], below[more]
        if at.size:
            row[at] = searched(self._grid, scores[at])
        return row

    def _interval(self, scores: AnyArray, out: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.int64]:
        """Return the interval of each score. Rounding to shorter floats keeps the order, as all steps do."""
        out = np.empty(scores.size, np.int64) if out is None else out
        narrow = self._scale.itemsize < out.itemsize
        place = np.empty(scores.size, np.float32) if narrow else out.view(np.float64)
        with np.errstate(over="ignore", under="ignore"):
            if scores.dtype == place.dtype:
                np.multiply(scores, self._scale, out=place)
            else:
                np.copyto(place, scores, casting="same_kind")
                place *= self._scale
            place += self._offset
        np.clip(place, *self._ends, out=place)
        interval = place.view(np.int32 if narrow else np.int64)
        interval -= self._zero
        if narrow:
            np.copyto(out, interval)
        return out


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
