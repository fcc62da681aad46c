"""The points of the ROC plane that some threshold of a sample makes credible, each rate in its class.

The positives and the negatives above a threshold say where its TPR and FPR are: how far a point is from it is the
root of the sum of the squares of two deviates, those of the two rates in their Jeffreys posteriors. The distance of a
point from the sample is that from the threshold that contradicts it least. The region holds the points within a
reach, and needs no slope of the curve: the threshold is profiled out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.inference.binomial import deviate
from hitcurve.inference.models import Places

_ALL = 200  # counts up to which every one is a level
_APART = 0.2  # standard deviations between thresholds of a long list
_EXACT = 4  # corners whose limits are evaluated by the beta distribution


class Corners(NamedTuple):
    """Positives and negatives above thresholds."""

    pos: AnyArray
    neg: AnyArray


@dataclass(frozen=True)
class Region:
    """What the thresholds of a sample say of its rates.

    Attributes
    ----------
    rank : array of int (C,)
        Positives down to and including those at which thresholds are: all of them, or of a long list some.
    above : array of int (C,)
        Negatives above them.
    n_pos, n_neg : int
    """

    rank: AnyArray
    above: AnyArray
    n_pos: int
    n_neg: int

    @classmethod
    def of(cls, places: Places) -> Self:
        """Take the thresholds from the places of the positives."""
        rank = thresholds(places.n_pos)
        return cls(rank, places.above[rank - 1], places.n_pos, places.n_neg)

    @property
    def over(self) -> Corners:
        """Thresholds below a positive, and above all: what the curve is bounded by from above."""
        return Corners(np.append(0, self.rank), np.append(0, self.above))

    @property
    def under(self) -> Corners:
        """Thresholds above a positive, and below all: what the curve is bounded by from below."""
        return Corners(np.append(self.rank - 1, self.n_pos), np.append(self.above, self.n_neg))

    def tpr(self, fpr: Array, *reach: float) -> list[tuple[Array, Array]]:
        """Return the lowest and the highest TPR at each FPR, for several reaches; both rise with FPR."""
        fpr = fpr[:, None]
        few, many = too_few(self.under.neg, self.n_neg, fpr), too_many(self.over.neg, self.n_neg, fpr)
        ends = (_ends(self.under.pos, few, self.over.pos, many, self.n_pos, q) for q in reach)
        return [rising(low, high) for low, high in ends]

    def fpr(self, tpr: Array, reach: float) -> tuple[Array, Array]:
        """Return the lowest and the highest FPR at each TPR; both rise with TPR."""
        tpr = np.minimum(tpr, 1 - 1e-12)[:, None]
        few, many = too_few(self.over.pos, self.n_pos, tpr), too_many(self.under.pos, self.n_pos, tpr)
        return rising(*_ends(self.over.neg, few, self.under.neg, many, self.n_neg, reach))


def thresholds(n_pos: int) -> AnyArray:
    """Return the ranks of the positives at which thresholds are."""
    return levels(n_pos, _APART)[1:]


def levels(n: int, apart: float) -> AnyArray:
    """Return counts from 0 to n: all of few, of many those about so many standard deviations apart."""
    if n <= _ALL:
        return np.arange(n + 1)
    parts = math.ceil(math.pi * math.sqrt(n) / apart)
    rising = np.rint(n * np.sin(np.arange(parts + 1) * (math.pi / (2 * parts))) ** 2).astype(np.int64)
    return np.asarray(rising[np.diff(rising, prepend=-1) > 0])


def too_few(count: AnyArray, n: int, share: AnyArray) -> Array:
    """Return by how many deviates a count is too small for a share: 0 from its own share down, and for all of n."""
    return np.where(count == n, 0.0, np.maximum(deviate(count, n, share), 0.0))


def too_many(count: AnyArray, n: int, share: AnyArray) -> Array:
    """Return by how many deviates a count is too large for a share: 0 from its own share up, and for none."""
    return np.where(count == 0, 0.0, np.maximum(-deviate(count, n, share), 0.0))


def rising(low: Array, high: Array) -> tuple[Array, Array]:
    """Return limits of a rising curve that hold between the places too, where they are read off straight lines.

    Both rise. A curve may stay at 0, or be at 1, all the way between two places, so that the first lower limit above
    0 is 0, and the last upper one below 1 is 1.
    """
    low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    at_start, at_end = low <= 0, high >= 1
    low, high = low.copy(), high.copy()
    low[1:][at_start[:-1]] = 0.0
    high[:-1][at_end[1:]] = 1.0
    return low, high


def _ends(
    lower: AnyArray, z_lower: Array, upper: AnyArray, z_upper: Array, n: int, reach: float
) -> tuple[Array, Array]:
    """Return the lowest and the highest share of n that is left over by what corners have used up of the reach.

    Corners are counts of n, (C,), and the deviates of the other class, (places, C).
    """
    from scipy.special import betaincinv, ndtr

    ends = []
    for count, z, sign, closed in ((lower, z_lower, -1, 0), (upper, z_upper, 1, n)):
        left = np.sqrt(np.maximum(reach**2 - z**2, 0.0))
        # on the scale on which shares have one variance, to find the few corners that matter
        score = np.where(z <= reach, sign * np.arcsin(np.sqrt(count / n)) + left / (2 * math.sqrt(n)), -np.inf)
        most = min(_EXACT, count.size)
        best = np.argpartition(-score, most - 1, axis=1)[:, :most]
        k = count[best]
        share = betaincinv(k + 0.5, n - k + 0.5, ndtr(sign * np.take_along_axis(left, best, axis=1)))
        share = np.where(k == closed, closed / n, share)
        share = np.where(np.isfinite(np.take_along_axis(score, best, axis=1)), share, 1.0 if sign < 0 else 0.0)
        ends.append(share.min(axis=1) if sign < 0 else share.max(axis=1))
    return ends[0], ends[1]
