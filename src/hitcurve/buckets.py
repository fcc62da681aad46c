"""Equal intervals over a grid, in which scores are looked up instead of being sorted."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray

_IN_CACHE = 1 << 16  # scores that each step takes at a time
_COMPARED = 4  # scores of the grid in a bucket that are compared one by one
_NARROW, _NORMAL = 2.0**22, 2.0**100  # places of which floats of 32 bits keep the whole part, and their scales
Rows = npt.NDArray[np.intp]


class Buckets:
    """Equal intervals over the range of a grid, one more on either side, and the row of each.

    The interval of a score is a non-decreasing function of it, rounding included: a score in a lower interval than
    a score of the grid is lower. An interval without a score of the grid has the row between two of them. Others
    have, below zero, the place of their lowest counted from the end of the grid: scores there are compared, from it
    upwards.
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
        self._ends, self._whole = (first, first + kind(count + 1)), np.dtype(f"i{first.nbytes}")
        self._zero = first.view(self._whole)
        self.usable = bool(0 < self._scale < np.inf and np.isfinite(self._offset))
        if not self.usable:
            return
        interval = self._interval(grid)
        self._together = np.append(interval[1:] == interval[:-1], False)  # with the next one
        held = np.zeros(count + 2, np.int32)
        np.add.at(held, interval.astype(np.intp), np.int32(1))
        row = np.cumsum(held, dtype=np.int32)
        there = np.flatnonzero(held)
        lowest = row[there] - held[there] - grid.size
        np.subtract(grid.size, row, out=row)
        row *= 2
        row[there] = lowest
        self._row = row

    def crowded(self, scores: AnyArray) -> float:
        """Return the share of scores whose interval holds more scores of the grid than are compared one by one."""
        interval = self._interval(scores)
        lowest = self._row.take(interval)
        near = np.flatnonzero(lowest < -_COMPARED)
        beyond = self._interval(self._grid.take(lowest[near] + _COMPARED))
        return float(np.count_nonzero(beyond == interval[near]) / scores.size)

    def rows(self, scores: AnyArray) -> npt.NDArray[np.int32]:
        """Return the row of each score.

        Each step goes through all scores before the next one begins, so that the table it reads stays in the cache.
        """
        rows = np.empty(scores.size, np.int32)
        place = rows.view(np.float32) if self._whole.itemsize == rows.itemsize else np.empty(scores.size)
        parts = [slice(start, start + _IN_CACHE) for start in range(0, scores.size, _IN_CACHE)]
        interval = [self._interval(scores[part], place[part]) for part in parts]
        for part, own in zip(parts, interval, strict=True):
            self._row.take(own.astype(np.intp), out=rows[part], mode="clip")
        near = np.flatnonzero(rows < 0)
        if near.size:
            rows[near] = self._compared(scores.take(near), rows.take(near).astype(np.intp))
        return rows

    def _compared(self, scores: AnyArray, lowest: Rows) -> Rows:
        """Return the rows of scores whose interval holds scores of the grid, given the place of the lowest."""
        here = self._grid.take(lowest)
        above = scores > here
        row = -1 - 2 * lowest
        row += scores < here
        row -= above
        at = np.flatnonzero(above & self._together.take(lowest))
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

    def _interval(self, scores: AnyArray, place: AnyArray | None = None) -> npt.NDArray[Any]:
        """Return the interval of each score, whole numbers as long as the floats of ``place``, whose memory they take.

        Rounding to shorter floats keeps the order, as all steps do.
        """
        place = np.empty(scores.size, self._scale.dtype) if place is None else place
        with np.errstate(over="ignore", under="ignore"):
            np.copyto(place, scores, casting="same_kind")
            place *= self._scale
            place += self._offset
        np.clip(place, *self._ends, out=place)
        interval = place.view(self._whole)
        interval -= self._zero
        return interval


def add_up(total: AnyArray, rows: npt.NDArray[np.int32]) -> None:
    """Count rows, of which those of other whole numbers are slow to add at."""
    for start in range(0, rows.size, _IN_CACHE):
        np.add.at(total, rows[start : start + _IN_CACHE].astype(np.intp), total.dtype.type(1))


def searched(grid: AnyArray, scores: AnyArray) -> Rows:
    """Return for each score the row of its cell, by a search of an ascending grid."""
    below = np.searchsorted(grid, scores, "left")
    tied = grid[np.minimum(below, grid.size - 1)] == scores if grid.size else np.zeros(scores.size, bool)
    return np.asarray(2 * (grid.size - below) - tied)
