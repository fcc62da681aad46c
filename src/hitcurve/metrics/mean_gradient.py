"""The gradient of a mean over the positives, whose weights follow where their rows start and end on an axis.

Of one long list it is made in pieces of the list, from the bottom up: what a row is worth to the rows above it is all
that goes from one piece to the next, and what is needed on the way stays in the cache of a processor.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.magnify.pieces import Pair, sum_of_products
from hitcurve.metrics.pieces import Gradient, GradientMoments

_PIECE = 1 << 15  # rows that hold a positive


class Piece(NamedTuple):
    """Rows of a list that follow each other.

    Attributes
    ----------
    rows : slice
        All of them.
    held : slice
        Those that hold a positive, among all that do.
    at : slice or array
        The same ones, among the rows of the piece.
    gaps : array or None
        How many rows each of them ends; None if every row of the piece holds a positive.
    """

    rows: slice
    held: slice
    at: slice | AnyArray
    gaps: AnyArray | None

    def below(self, sums: Array) -> Array:
        """Return, for every row of the piece, what stands beside the next row that holds a positive."""
        return sums.copy() if self.gaps is None else np.repeat(sums, self.gaps)


def upwards(c: Counts) -> Iterator[Piece]:
    """Yield the pieces of one list from the bottom up, without the rows below its last positive."""
    place = c.rows_of_positives
    every = isinstance(c.held, slice)
    for start in range((place.size - 1) // _PIECE * _PIECE, -1, -_PIECE):
        own = place[start : start + _PIECE]
        first = place[start - 1] + 1 if start else 0
        rows = slice(int(first), int(own[-1]) + 1)
        held = slice(start, start + own.size)
        if every:
            yield Piece(rows, held, slice(None), None)
        else:
            yield Piece(rows, held, own - first, np.diff(own, prepend=first - 1))


class Scatter:
    """Mean and sum of squares about it, of values that come piece by piece with their shares."""

    def __init__(self) -> None:
        self.share, self.mean, self.squares = 0.0, 0.0, 0.0

    def add(self, share: Array, values: Array) -> None:
        """Add values that have these shares."""
        self._add(float(np.sum(share)), share, values)

    def _add(self, total: float, share: Array, values: Array) -> None:
        if not total:
            return
        mean = float(np.sum(share * values)) / total
        values = values - mean
        values *= values
        values *= share
        apart, both = mean - self.mean, self.share + total
        self.squares += float(np.sum(values)) + apart**2 * self.share * total / both
        self.mean += apart * total / both
        self.share = both

    def add_zeros(self, share: float) -> None:
        """Add values of 0 that have this share together."""
        self._add(share, np.array(share), np.array(0.0))


@dataclass(frozen=True, eq=False)
class MeanOfPositives:
    """``sum_k p_k v_k``, what a positive is worth on the mean, where the worth of a row follows its ends on an axis.

    Attributes
    ----------
    counts : Counts
    worth : array (..., K')
        Of a positive of each row that holds one.
    slopes : callable
        How the worth of rows follows their end and their start on the axis, from (start, end, worth).
    axis : {"fpr", "rate", "rank"}
        The axis on which rows start and end.
    """

    counts: Counts
    worth: Array
    slopes: Callable[[Array, Array, Array], Pair]
    axis: str

    @property
    def moves_with_prevalence(self) -> bool:
        """Whether the axis follows both classes."""
        return self.axis != "fpr"

    def _slopes(self, held: slice | None = None) -> Pair:
        """Return how the mean follows the ends and starts of rows, by the share of positives of each."""
        start, end = self.counts.span(self.axis)
        columns = [start, end, self.worth, self.counts.positives]
        if held is not None:
            columns = [column[held] for column in columns]
        ends, starts = self.slopes(*columns[:3])
        if self.axis == "rank":
            n = self.counts.n[..., None]
            ends, starts = ends * n, starts * n
        return ends * columns[3], starts * columns[3]

    def gradient(self) -> Gradient:
        """Return the gradient, summed from each row down."""
        c = self.counts
        if c.shape:
            a, follow = self._of_lists()
        else:
            a, follow = np.zeros((2, *c.pos.shape))
            for piece, own in self._follow():
                follow[piece.rows] = own
        if not self.moves_with_prevalence:
            a[..., c.held] = self.worth
            return Gradient(a, follow, np.zeros(c.pi.shape))
        pi = c.pi[..., None]
        d_pi = sum_of_products(follow, c.p) - sum_of_products(follow, c.q)
        np.multiply(pi, follow, out=a)
        a[..., c.held] += self.worth
        follow *= 1 - pi
        return Gradient(a, follow, d_pi)

    def _of_lists(self) -> Pair:
        c = self.counts
        with np.errstate(invalid="ignore"):  # slopes may be infinite where a row holds nobody in one of many lists
            ends, starts = (np.where(c.positives > 0, side, 0.0) for side in self._slopes())
            ends += starts
            follow = np.zeros_like(c.p)
            c.sum_below(ends, out=follow)
            follow[..., c.held] -= starts
        return np.zeros_like(c.p), follow

    def _follow(self) -> Iterator[tuple[Piece, Array]]:
        """Yield the pieces of one list, with how the mean follows the place of each row on the axis, from it down."""
        below = 0.0
        for piece in upwards(self.counts):
            # the slope of a power map may be infinite above the first negative, where no negative is
            with np.errstate(invalid="ignore"):
                ends, starts = self._slopes(piece.held)
                ends += starts
                np.cumsum(ends[::-1], out=ends[::-1])
                ends += below
                below = float(ends[0])
                follow = piece.below(ends)
                follow[piece.at] -= starts
            yield piece, follow

    def moments(self) -> GradientMoments:
        """Return the moments of the gradient of one list, without holding it."""
        c = self.counts
        pi, p, q = float(c.pi), c.positives, c.q
        of_pos, of_neg, d_pi, below = Scatter(), Scatter(), 0.0, int(c.rows_of_positives[-1]) + 1
        of_neg.add_zeros(float(np.sum(q[below:])))
        for piece, follow in self._follow():
            share, others = p[piece.held], q[piece.rows]
            if not np.isfinite(follow[0]):
                np.copyto(follow, 0.0, where=(others <= 0) & ~np.isfinite(follow))
            of_neg.add(others, follow)
            own = self.worth[piece.held]
            if self.moves_with_prevalence:
                of_positives = follow[piece.at]
                d_pi += float(np.sum(of_positives * share))
                own = own + pi * of_positives
            of_pos.add(share, own)
        if not self.moves_with_prevalence:
            return GradientMoments(of_pos.squares, of_neg.squares, 0.0)
        return GradientMoments(of_pos.squares, (1 - pi) ** 2 * of_neg.squares, d_pi - of_neg.mean)
