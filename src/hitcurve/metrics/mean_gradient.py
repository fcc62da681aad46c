"""The gradient of a mean over the positives, whose weights follow where their rows start and end on an axis.

Of one long list it is made in pieces of the list, from the bottom up: what a row is worth to the rows above it is all
that goes from one piece to the next, and what is needed on the way stays in the cache of a processor. Many lists are
worked on at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.magnify.pieces import Pair, product, sum_of_products
from hitcurve.metrics.pieces import Gradient, GradientMoments

_PIECE = 1 << 15  # rows that hold a positive


def upwards(c: Counts) -> Iterator[slice]:
    """Yield pieces of the rows of one list that hold a positive, from the bottom up."""
    size = c.rows_of_positives.size
    for start in range((size - 1) // _PIECE * _PIECE, -1, -_PIECE):
        yield slice(start, min(start + _PIECE, size))


class Negatives(NamedTuple):
    """Where the negatives are; all of a gap between two rows that hold a positive have the same influence.

    Attributes
    ----------
    between : array (..., K') or None
        Share of the negatives between each row that holds a positive and the one above that does; None if every row
        holds one.
    within : array (..., K') or None
        Share in these rows themselves; None if there are none.
    below : float or array (...)
        Share below all positives.
    """

    between: Array | None
    within: Array | None
    below: float | Array

    @classmethod
    def of(cls, c: Counts) -> Negatives:
        """Return the negatives of lists; all metrics share them."""
        return c.once("negatives", "negatives", lambda: cls._of(c))

    @classmethod
    def _of(cls, c: Counts) -> Negatives:
        if isinstance(c.index_of_positives, slice):
            return cls(None, c.q, np.zeros(c.shape) if c.shape else 0.0)
        n0, reached, own = c.n0[..., None], c.of_positives(c.B), c.of_positives(c.neg)
        between = np.diff(reached, prepend=0) - own
        below = (n0 - reached[..., -1:]) / n0
        return cls(between / n0, own / n0 if own.any() else None, below[..., 0] if c.shape else float(below[0]))


class Scatter:
    """Mean and sum of squares about it, of values that come piece by piece with their shares."""

    def __init__(self) -> None:
        self.share, self.mean, self.squares = 0.0, 0.0, 0.0

    def add(self, share: Array, values: Array) -> None:
        """Add values that have these shares."""
        total = float(np.add.reduce(share))
        if not total:
            return
        # about a mean of theirs, or the one so far, which is near it
        about = self.mean if self.share else product(share, values) / total
        apart = values - about
        off = product(share, apart) / total
        apart *= apart
        self._together(total, about + off, product(share, apart) - total * off**2)

    def add_zeros(self, share: float) -> None:
        """Add values of 0 that have this share together."""
        if share:
            self._together(share, 0.0, 0.0)

    def _together(self, share: float, mean: float, squares: float) -> None:
        apart, both = mean - self.mean, self.share + share
        self.squares += squares + apart**2 * self.share * share / both
        self.mean += apart * share / both
        self.share = both


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
        *place, share = columns
        ends, starts = self.slopes(*place)
        if self.axis == "rank":
            share = share * self.counts.n[..., None]
        ends *= share
        starts *= share
        return ends, starts

    def gradient(self) -> Gradient:
        """Return the gradient, summed from each row down."""
        c = self.counts
        if c.shape:
            a, follow = self._of_lists()
        else:
            a, follow = np.zeros((2, *c.pos.shape))
            place, above = c.rows_of_positives, 0
            with np.errstate(invalid="ignore"):  # as in the pieces
                for held, ends, starts in self._from_below():
                    if ends.size == place.size:  # the only piece
                        reached = np.zeros(ends.size + 1)
                        reached[:-1] = ends
                        reached.take(c.positives_above, out=follow, mode="clip")
                        follow[place] -= starts
                        break
                    rows = place[held]
                    above = int(place[held.start - 1]) + 1 if held.start else 0
                    follow[above : rows[-1] + 1] = np.repeat(ends, np.diff(rows, prepend=above - 1))
                    follow[rows] -= starts
        if not self.moves_with_prevalence:
            a[..., c.index_of_positives] = self.worth
            return Gradient(a, follow, np.zeros(c.pi.shape))
        pi = c.pi[..., None]
        d_pi = sum_of_products(follow, c.p) - sum_of_products(follow, c.q)
        np.multiply(pi, follow, out=a)
        a[..., c.index_of_positives] += self.worth
        follow *= 1 - pi
        return Gradient(a, follow, d_pi)

    def _of_lists(self) -> Pair:
        c = self.counts
        with np.errstate(invalid="ignore"):
            ends, starts = self._steps_of_lists()
            follow = np.zeros_like(c.p)
            c.sum_below(ends, out=follow)
            follow[..., c.index_of_positives] -= starts
        return np.zeros_like(c.p), follow

    def _steps_of_lists(self) -> Pair:
        """Return how the mean follows the end of each row, with its start, and its start."""
        with np.errstate(invalid="ignore"):  # slopes may be infinite where a row holds nobody in one of many lists
            ends, starts = (np.where(self.counts.positives > 0, side, 0.0) for side in self._slopes())
            ends += starts
        return ends, starts

    def _from_below(self) -> Iterator[tuple[slice, Array, Array]]:
        """Yield pieces of the rows of one list that hold a positive, and how the mean follows their place on the axis.

        By the end of a row and by all that is below it; and by its start, which is not below it. The slope of a power
        map may be infinite above the first negative, where no negative is: the caller lets that pass.
        """
        below = 0.0
        for held in upwards(self.counts):
            ends, starts = self._slopes(held)
            ends += starts
            np.add.accumulate(ends[::-1], out=ends[::-1])
            ends += below
            below = float(ends[0])
            yield held, ends, starts

    def moments(self) -> GradientMoments:
        """Return the moments of the gradient, without holding it."""
        return self._moments_of_lists() if self.counts.shape else self._moments_of_one()

    def _moments_of_lists(self) -> GradientMoments:
        c = self.counts
        p, negatives = c.positives, Negatives.of(c)
        with np.errstate(invalid="ignore"):  # as in the gradient
            ends, starts = self._steps_of_lists()
            np.cumsum(ends[..., ::-1], axis=-1, out=ends[..., ::-1])
            follow = ends - starts
        if not np.isfinite(follow[..., :1]).all():
            ends[~np.isfinite(ends)], follow[~np.isfinite(follow)] = 0.0, 0.0
        of_neg = [
            (share, x) for share, x in ((negatives.between, ends), (negatives.within, follow)) if share is not None
        ]
        mean = np.asarray(sum(sum_of_products(share, x) for share, x in of_neg))
        squares = negatives.below * mean**2
        for share, x in of_neg:
            apart = x - mean[..., None]
            squares += sum_of_products(share, apart, apart)
        if not self.moves_with_prevalence:
            return GradientMoments(_scattered(p, self.worth), squares, np.zeros(c.shape))
        d_pi = sum_of_products(follow, p) - mean
        follow *= c.pi[..., None]
        follow += self.worth
        return GradientMoments(_scattered(p, follow), (1 - c.pi) ** 2 * squares, d_pi)

    def _moments_of_one(self) -> GradientMoments:
        c = self.counts
        pi, p, negatives = float(c.pi), c.positives, Negatives.of(c)
        of_pos, of_neg, d_pi = Scatter(), Scatter(), 0.0
        of_neg.add_zeros(float(negatives.below))
        with np.errstate(invalid="ignore"):  # as in the gradient
            for held, follow, starts in self._from_below():
                if negatives.between is not None:
                    _add_finite(of_neg, negatives.between[held], follow)
                follow -= starts
                if negatives.within is not None:
                    _add_finite(of_neg, negatives.within[held], follow)
                share, own = p[held], self.worth[held]
                if self.moves_with_prevalence:
                    if not np.isfinite(follow[0]):
                        np.copyto(follow, 0.0, where=~np.isfinite(follow))
                    d_pi += product(follow, share)
                    follow *= pi
                    follow += own
                    own = follow
                of_pos.add(share, own)
        if not self.moves_with_prevalence:
            return GradientMoments(of_pos.squares, of_neg.squares, 0.0)
        return GradientMoments(of_pos.squares, (1 - pi) ** 2 * of_neg.squares, d_pi - of_neg.mean)


def _scattered(share: Array, values: Array) -> Array:
    """Return the variance of values of many lists, of shares that add up to 1."""
    apart = values - sum_of_products(share, values)[..., None]
    return sum_of_products(share, apart, apart)


def _add_finite(scatter: Scatter, share: Array, values: Array) -> None:
    """Add values that may be infinite in empty rows."""
    if not np.isfinite(values[0]):
        values = np.where(share > 0, values, 0.0)
    scatter.add(share, values)
