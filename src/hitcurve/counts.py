"""Counting scores into a grid, and the view of the counts that every kernel sees.

The cells of a grid of D scores are 2 D + 1 rows, from the highest score down: above the first score, tied with
it, between it and the second, ..., tied with the last, below it.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
AnyArray: TypeAlias = npt.NDArray[Any]

_CHUNK = 1 << 19  # scores sorted at a time, in each thread
_SMALLEST_CHUNK = 1 << 17
_LARGEST_CHUNK = 1 << 21  # longer chunks for longer grids, so that a grid is not searched too often


@dataclass(frozen=True)
class Counts:
    """What a kernel sees of one table, or of many at once.

    ``pos`` and ``neg`` are counts (or sums of weights) with the rows on the last axis, from the highest score
    down; any axes before it are replicates, and all properties follow that shape. Rows that hold nobody are
    neutral.

    Attributes
    ----------
    pos, neg : array (..., K)
        Positives and negatives of each row.
    prevalence : float or None
        A prevalence that was set instead of the one observed.
    weighted : bool
        Whether the counts are sums of weights, so that whole ranks do not exist.
    """

    pos: AnyArray
    neg: AnyArray
    prevalence: float | None = None
    weighted: bool = False

    @property
    def whole(self) -> bool:
        """Whether rows hold whole subjects, so that whole ranks and orders of a group exist."""
        return not self.weighted and self.prevalence is None

    @cached_property
    def H(self) -> AnyArray:
        """Positives down to and including each row."""
        return np.cumsum(self.pos, axis=-1)

    @cached_property
    def B(self) -> AnyArray:
        """Negatives down to and including each row."""
        return np.cumsum(self.neg, axis=-1)

    @cached_property
    def n1(self) -> Array:
        """Number of positives."""
        return np.asarray(self.H[..., -1], float)

    @cached_property
    def n0(self) -> Array:
        """Number of negatives."""
        return np.asarray(self.B[..., -1], float)

    @cached_property
    def n(self) -> Array:
        """Number of subjects."""
        return np.asarray(self.H[..., -1] + self.B[..., -1], float)

    @cached_property
    def pi(self) -> Array:
        """Prevalence: the one set, or n1/n."""
        return self.n1 / self.n if self.prevalence is None else np.full(self.n.shape, self.prevalence)

    @cached_property
    def p(self) -> Array:
        """Share of the positives in each row."""
        return self.pos / self.n1[..., None]

    @cached_property
    def q(self) -> Array:
        """Share of the negatives in each row."""
        return self.neg / self.n0[..., None]

    @cached_property
    def P(self) -> Array:
        """True positive rate down to each row."""
        return self.H / self.n1[..., None]

    @cached_property
    def Q(self) -> Array:
        """False positive rate down to each row."""
        return self.B / self.n0[..., None]

    @cached_property
    def r(self) -> Array:
        """Rate down to each row: the share of all subjects called positive."""
        if self.prevalence is None:
            return (self.H + self.B) / self.n[..., None]
        return self.prevalence * self.P + (1 - self.prevalence) * self.Q

    @property
    def R(self) -> Array:
        """Rank of the last subject of each row, n r."""
        return self.n[..., None] * self.r if self.prevalence is not None else np.asarray(self.H + self.B, float)

    @cached_property
    def precision(self) -> Array:
        """Precision down to each row; 1 where nobody is called yet (a lone positive there would be right)."""
        if self.prevalence is None:
            hits, called = self.H, self.H + self.B
        else:
            hits, called = self.prevalence * self.P, self.r
        return np.asarray(np.divide(hits, called, out=np.ones(self.P.shape), where=called > 0))


def held(c: Counts) -> npt.NDArray[np.intp]:
    """Return the rows that hold a positive in some replicate: half of those of a collapsed table do not."""
    return np.flatnonzero(np.any(c.pos.reshape(-1, c.pos.shape[-1]) > 0, axis=0))


def before(x: AnyArray) -> AnyArray:
    """Return the cumulative axis one row earlier: 0, x_1, ..., x_{K-1}."""
    out = np.zeros_like(x)
    out[..., 1:] = x[..., :-1]
    return out


class Cells(NamedTuple):
    """Scores counted into the 2 D + 1 cells of a grid."""

    total: AnyArray
    distinct: AnyArray
    """Up to three distinct scores: enough to tell a score from a decision."""

    def __add__(self, other: object) -> Cells:
        """Add cell by cell."""
        if not isinstance(other, Cells):
            return NotImplemented
        return Cells(self.total + other.total, few_of(self.distinct, other.distinct))


def few_of(a: AnyArray, b: AnyArray) -> AnyArray:
    """Return up to three distinct values of two arrays."""
    return np.unique(np.concatenate([a, b]))[:3]


def count_scores(grid: AnyArray, scores: AnyArray) -> Cells:
    """Count ``scores`` into the cells of ``grid`` (distinct, ascending). O(n log chunk), no n-sized array.

    Chunks are sorted and the grid is searched in each: both walk through memory in order, unlike a search of
    n unsorted scores in the grid. Sorting leaves the interpreter lock, so chunks go to as many threads as there
    are processors; counts are whole numbers and cannot depend on it.
    """
    processors = _processors()
    size = max(_CHUNK, min(16 * grid.size, _LARGEST_CHUNK))
    # a share for each processor, unless that would be too little to pay for a thread or for a search of the grid
    size = min(size, max(-(-scores.size // processors), _SMALLEST_CHUNK, 4 * grid.size))
    chunks = [scores[start : start + size] for start in range(0, scores.size, size)]
    workers = min(len(chunks), processors)
    if workers < 2:
        return reduce(add, (_count_chunk(grid, chunk) for chunk in chunks), _no_scores(grid, scores))
    with ThreadPoolExecutor(workers) as pool:
        counted = pool.map(lambda chunk: _count_chunk(grid, chunk), chunks)
        return reduce(add, counted, _no_scores(grid, scores))


def _processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _no_scores(grid: AnyArray, scores: AnyArray) -> Cells:
    return Cells(np.zeros(2 * grid.size + 1, np.int64), scores[:0])


def _count_chunk(grid: AnyArray, scores: AnyArray) -> Cells:
    chunk = np.sort(scores)
    if not grid.size:
        return Cells(np.asarray([chunk.size]), _few_distinct(chunk))
    first = np.searchsorted(chunk, grid, "left")
    last = first + (chunk[np.minimum(first, chunk.size - 1)] == grid)
    # most grid scores occur once: a second search for the others alone
    more = np.flatnonzero((last > first) & (chunk[np.minimum(last, chunk.size - 1)] == grid))
    last[more] = np.searchsorted(chunk, grid[more], "right")
    total = np.empty(2 * grid.size + 1, np.int64)
    total[0] = first[0]
    total[1::2] = last - first
    total[2:-1:2] = first[1:] - last[:-1]
    total[-1] = chunk.size - last[-1]
    return Cells(total[::-1], _few_distinct(chunk))


def _few_distinct(ascending: AnyArray) -> AnyArray:
    """Return the three lowest distinct values of a sorted array, in O(log n)."""
    seen = ascending[:1]
    while 0 < seen.size < 3:
        place = np.searchsorted(ascending, seen[-1], "right")
        if place == ascending.size:
            break
        seen = np.append(seen, ascending[place])
    return seen


def cell_codes(grid: AnyArray, scores: AnyArray) -> npt.NDArray[np.intp]:
    """Return for each score the row of its cell."""
    left = np.searchsorted(grid, scores, "left")
    tied = np.searchsorted(grid, scores, "right") > left
    return np.asarray(2 * (grid.size - left) - tied)
