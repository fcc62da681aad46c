"""Counting scores into a grid, and the view of the counts that every kernel sees.

The cells of a grid of D scores are 2 D + 1 rows, from the highest score down: above the first score, tied with
it, between it and the second, ..., tied with the last, below it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
AnyArray: TypeAlias = npt.NDArray[Any]

_CHUNK = 1 << 17  # scores sorted at a time: they and their sorted copy fit the second-level cache


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
        seen = np.unique(np.concatenate([self.distinct, other.distinct]))[:3]
        return Cells(self.total + other.total, seen)


def count_scores(grid: AnyArray, scores: AnyArray) -> Cells:
    """Count ``scores`` into the cells of ``grid`` (distinct, ascending). O(n log chunk), no n-sized array.

    Chunks are sorted and the grid is searched in each: both walk through memory in order, unlike a search of
    n unsorted scores in the grid.
    """
    size = max(_CHUNK, min(8 * grid.size, 1 << 22))
    total = np.zeros(2 * grid.size + 1, np.int64)
    distinct = np.empty(0, scores.dtype)
    for start in range(0, scores.size, size):
        chunk = np.sort(scores[start : start + size])
        first = np.searchsorted(chunk, grid, "left")
        last = np.searchsorted(chunk, grid, "right")
        total[1::2] += last - first
        total[2::2] += np.append(first[1:], chunk.size) - last
        total[0] += first[0]
        if distinct.size < 3:
            distinct = np.unique(np.concatenate([distinct, _few_distinct(chunk)]))[:3]
    return Cells(total[::-1], distinct)


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

