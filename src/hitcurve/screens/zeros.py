"""AUC of markers most of whose values are 0: sums over their positives, and over groups of equal values.

Between two positives nothing changes of what AUC and its variance are sums of.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.screens import quick, rank_sum
from hitcurve.screens.columns import SparseBlock
from hitcurve.screens.lists import Flags, SortedKeys


@dataclass(frozen=True, eq=False)
class AmongZeros:
    """Markers of a block, as far as AUC is needed of them.

    Attributes
    ----------
    n1, n0 : int
        Positives and negatives.
    levels, ties, cubes, largest, tied : array (w,)
        As those of :class:`~hitcurve.screens.passing.Found`, where high values come first.
    pairs, of_pos, of_neg : array of int (w,)
        Pairs in the right order, counted twice, and sums of the squares of those of each positive and each negative.
    """

    n1: int
    n0: int
    levels: AnyArray
    ties: Array
    cubes: Array
    largest: AnyArray
    tied: AnyArray
    pairs: AnyArray
    of_pos: AnyArray
    of_neg: AnyArray

    @property
    def need_no_orders(self) -> Flags:
        """Which markers have more than two values, and an AUC that is normal at random, (w,)."""
        return (self.levels > 2) & rank_sum.is_normal(self.n1, self.n0, self.ties, self.cubes, self.largest)

    def is_worse(self) -> Flags:
        """Say of which markers AUC is below 1/2, (w,)."""
        return np.asarray(self.pairs < self.n1 * self.n0)

    def auc(self, low: Flags) -> tuple[Array, Array]:
        """Return AUC, of some markers with low values first, and its variance, (w,) each."""
        n1, n0 = self.n1, self.n0
        variance = quick.variance_of_pairs(self.pairs, self.of_pos, self.of_neg, *np.array([[n1], [n0]], float))
        return np.where(low, 2 * n1 * n0 - self.pairs, self.pairs) / (2.0 * n1 * n0), variance


@dataclass(frozen=True)
class _Parts:
    """Numbers of several markers, one after another.

    Attributes
    ----------
    starts : array of int (w,)
    stop : int
    """

    starts: AnyArray
    stop: int

    @cached_property
    def size(self) -> AnyArray:
        """How many numbers each marker has."""
        return np.diff(self.starts, append=self.stop)

    @cached_property
    def _some(self) -> Flags:
        return np.asarray(self.size > 0)

    def summed(self, each: AnyArray) -> AnyArray:
        """Return the sum of each marker."""
        out = np.zeros(self.starts.size, each.dtype)
        if self.stop:
            out[self._some] = np.add.reduceat(each, self.starts[self._some])
        return out

    def spread(self, each: AnyArray) -> AnyArray:
        """Return a number of each marker for each of its own."""
        return np.repeat(each, self.size)


def among_zeros(block: SparseBlock, positive: Flags) -> AmongZeros | None:
    """Return the markers of a block; None if they are missing, infinite, or of sizes far apart."""
    keys = SortedKeys.of(block, positive)
    if keys is None:
        return None
    n1, n = int(np.count_nonzero(positive)), block.n
    n0, above, zeros = n - n1, keys.above, n - keys.stored
    w, length = keys.label.shape
    place, first = np.flatnonzero(keys.label), np.arange(w) * length
    parts = _Parts(np.searchsorted(place, first), place.size)
    pos_above = np.searchsorted(place, first + above) - parts.starts
    pos_zero = n1 - parts.size
    neg_zero = zeros - pos_zero
    number = np.arange(place.size) - parts.spread(parts.starts)  # of positives above
    # negatives below each positive, as if equal values were in the order they are sorted in
    below = number + parts.spread(n0 + first) - place
    is_after = number >= parts.spread(pos_above)
    below -= np.where(is_after, parts.spread(neg_zero - 1), 0)
    neg_below = n0 - (above - pos_above) - neg_zero
    of_zero = 2 * neg_below + neg_zero
    pos_down = pos_above + pos_zero
    # (i + 1)^2 - i^2 is 2 i + 1: what the next positive adds to the square of each negative below it
    squares = parts.summed((2 * number + 1) * below) + 2 * pos_zero * parts.summed(np.where(is_after, below, 0))
    squares += neg_below * (pos_down**2 - pos_above**2) - neg_zero * pos_above**2
    ties, cubes = _moments(zeros, above, n)
    found = AmongZeros(
        n1,
        n0,
        levels=keys.stored + (zeros > 0),
        ties=ties,
        cubes=cubes,
        largest=np.maximum(zeros, 1),
        tied=np.where(zeros > 1, zeros, 0),
        pairs=2 * parts.summed(below) + pos_zero * of_zero,
        of_pos=4 * parts.summed(below * below) + pos_zero * of_zero**2,
        of_neg=4 * squares + neg_zero * (pos_above + pos_down) ** 2,
    )
    at = np.flatnonzero(keys.tied)
    if not at.size:
        return found
    begins = np.flatnonzero(np.diff(at, prepend=-2) != 1)
    start, count = at[begins], np.diff(begins, append=at.size) + 1
    row = start // length
    groups = _Parts(np.searchsorted(row, np.arange(w)), row.size)
    hits = np.searchsorted(place, start)
    pos = np.searchsorted(place, start + count) - hits
    neg = count - pos
    rank = start - first[row]
    is_below = rank > above[row]  # 0
    # positives that are sorted above the negatives of the group, and negatives below its positives
    pos_before = hits - parts.starts[row] + np.where(is_below, pos_zero[row], pos)
    neg_after = np.append(below, 0)[hits]
    pairs = np.where(is_below, pos * neg, -pos * neg)
    ties, cubes = _moments(count, rank + np.where(is_below, zeros[row] - 1, 0), n)
    largest = found.largest.copy()
    np.maximum.at(largest, row, count)
    return replace(
        found,
        levels=found.levels - groups.summed(count - 1),
        ties=found.ties + groups.summed(ties),
        cubes=found.cubes + groups.summed(cubes),
        largest=largest,
        tied=found.tied + groups.summed(count),
        pairs=found.pairs + groups.summed(pairs),
        of_pos=found.of_pos + groups.summed(pos * neg**2 + 4 * pairs * neg_after),
        of_neg=found.of_neg + groups.summed(neg * pos**2 + 4 * pairs * pos_before),
    )


def _moments(size: AnyArray, above: AnyArray, n: int) -> tuple[Array, Array]:
    """Return what groups of equal values with so many subjects above add to ``ties`` and ``cubes``.

    The third powers of all ranks less their mean cancel: what is left of them is that of the ties.
    """
    sizes = size.astype(float)
    ties = sizes * (sizes * sizes - 1)
    return ties, ties * ((n - sizes) / 2 - above) / 4
