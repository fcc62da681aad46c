"""The region of the ROC plane in which the curve may lie: points whose two shares are credible at one threshold.

A point (x, y) is in the region of size q if there is a threshold of the sample such that x is within q standard errors
of the share of the negatives above it, y within q of that of the positives, by exact tails with half counts, and both:
``deviate(x)^2 + deviate(y)^2 <= q^2``. Nothing is said of slopes, and the threshold is not known. Limits of either
share at the other are slices of the region.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.inference.intervals.binomial import deviate
from hitcurve.inference.models.places import Places, Whole

_LEAST, _HAIR = 1e-300, 1e-16  # next to the ends of a share
_EXACT = 4  # corners of which limits are worked out, those that are the furthest by a formula
_ALL = 400  # counts up to which every one is a level
_APART = 0.2  # standard deviations between the positives of corners of a long list
_SAFE = 1.0  # standard deviations of the arcsine at which a deviate may be 0: at most .95, of a count of none
_SIDES = np.array([-1.0, 1.0])  # limits from below, and from above
_PER_DEVIATE = 1.5  # standard deviations of the arcsine to a deviate of the tail of none: at most the root of 2


def levels(n: int, apart: float) -> Whole:
    """Return counts from 0 to n: all of few, of many those about so many standard deviations apart."""
    if n <= _ALL:
        return np.arange(n + 1)
    parts = math.ceil(math.pi * math.sqrt(n) / apart)
    rising = np.rint(n * np.sin(np.arange(parts + 1) * (math.pi / (2 * parts))) ** 2).astype(np.int64)
    return np.asarray(rising[np.diff(rising, prepend=-1) > 0])


def thresholds(n_pos: int) -> Whole:
    """Return the numbers of positives, from 0 to all, that corners of a list have."""
    return levels(n_pos, _APART)


def above_upper(count: Any, n: float, share: Any) -> Array:
    """Return how far a share is above what a count allows, in normal deviates of Jeffreys' posterior; 0 if it is not.

    Parameters
    ----------
    count, share : array (...)
    n : float
    """
    return np.where(np.asarray(count) < n, np.maximum(_deviate(count, n, share), 0.0), 0.0)


def below_lower(count: Any, n: float, share: Any) -> Array:
    """Return how far a share is below what a count allows (see :func:`above_upper`)."""
    return np.where(np.asarray(count) > 0, np.maximum(-_deviate(count, n, share), 0.0), 0.0)


def middle_of(count: AnyArray, n: Any, square: AnyArray) -> Array:
    """Return the arcsine of a share, larger by as much as exact limits at this square of a deviate are skewed."""
    more = (square + 2) / 12
    return np.asarray(np.arcsin(np.sqrt((count + more) / (n + 2 * more))))


def _deviate(count: Any, n: float, share: Any) -> Array:
    return deviate(np.asarray(count), n, np.minimum(np.maximum(share, _LEAST), 1 - _HAIR))


class Sides(NamedTuple):
    """The corners by which one share limits the other, from below and from above.

    Attributes
    ----------
    settings : pair of array of int (C,)
        Counts of the share that is given, ascending, at corners that limit the other from below and from above.
    limited : pair of array of int (C,)
        Counts of the share that is limited, ascending.
    n_setting, n_limited : int
        Both counts at a share of 1.
    """

    settings: tuple[Whole, Whole]
    limited: tuple[Whole, Whole]
    n_setting: int
    n_limited: int

    def near(self, share: Array, q: float) -> Near:
        """Return the corners that may set the limits at places of the given share, in a region of at most this size.

        Parameters
        ----------
        share : array (...)
        q : float
        """
        share, scale = np.asarray(share), 2 * math.sqrt(self.n_setting)
        at = scale * np.arcsin(np.sqrt(np.minimum(np.maximum(share, 0.0), 1.0)))
        reach = _PER_DEVIATE * q + _SAFE
        kept: list[AnyArray] = []
        first, behind = np.empty((2, *share.shape, 2), np.intp)
        for upper, setting in enumerate(self.settings):
            # of corners that are as far away, that with the furthest count
            own = np.ones(setting.size, bool)
            np.greater(setting[1:], setting[:-1], out=own[:-1] if upper else own[1:])
            place = scale * np.arcsin(np.sqrt(setting[own] / self.n_setting))
            if upper:
                ends = place.searchsorted(at - _SAFE, side="right") - 1, place.searchsorted(at + reach, side="right")
            else:
                ends = place.searchsorted(at - reach), place.searchsorted(at + _SAFE) + 1
            # those of both sides are in one row
            start = np.count_nonzero(kept[0]) if upper else 0
            first[..., upper] = np.maximum(ends[0], 0) + start
            behind[..., upper] = np.minimum(ends[1], place.size) + start
            kept.append(own)
        setting, limited = (
            np.concatenate([side[own] for side, own in zip(sides, kept, strict=True)])
            for sides in (self.settings, self.limited)
        )
        corner = first[..., None] + np.arange(int((behind - first).max(initial=1)))
        inside, corner = corner < behind[..., None], np.minimum(corner, setting.size - 1)
        count = setting[corner]
        # none below limits nothing from above, and all below nothing from below
        sets = inside & (count != np.array([[self.n_setting], [0]]))
        far = np.maximum(-_SIDES[:, None] * _deviate(count, self.n_setting, share[..., None, None]), 0.0)
        return Near(np.where(sets, far, np.where(inside, 0.0, np.inf)), limited[corner], self.n_limited, _SIDES)


class Near(NamedTuple):
    """Corners that may set a limit, of each of many places of the given share.

    Attributes
    ----------
    away : array (..., W)
        How far the given share is from what each corner allows; infinite where there is no corner.
    counts : array of int (..., W)
        Of the share that is limited.
    n : int
        That count at a share of 1.
    side : array
        1 for limits from above, -1 for those from below; it broadcasts with the places.
    """

    away: Array
    counts: Whole
    n: int
    side: Array

    def of(self, places: AnyArray, sides: AnyArray) -> Near:
        """Return the corners of some places, each of one of the sides on the last axis of places."""
        return Near(self.away[places, sides], self.counts[places, sides], self.n, self.side[sides])

    def by_arcsine(self, q: Any) -> Array:
        """Return the limits in a region of this size by a formula, within an error of a fraction of a count.

        Parameters
        ----------
        q : float or array
            It may have axes before those of the places.
        """
        q = np.asarray(q, float)[..., None]
        left = q * q - self.away * self.away
        square = np.maximum(left, 0.0)
        limit = self.side[..., None] * middle_of(self.counts, self.n, square) + np.sqrt(square / (4 * self.n))
        end = self.side * np.where(left >= 0, limit, -np.inf).max(axis=-1)
        return np.asarray(np.sin(np.minimum(np.maximum(end, 0.0), math.pi / 2)) ** 2)

    def limit(self, q: Any) -> Array:
        """Return the limits in a region of this size: 1 below, or 0 above, where no corner is within it."""
        import hitcurve._special as special

        side, q = self.side[..., None], np.asarray(q, float)[..., None]
        rest = np.sqrt(np.maximum(q * q - self.away * self.away, 0.0))
        # how far each corner lets the share go, on the scale on which shares have one variance
        limit = side * np.arcsin(np.sqrt(self.counts / self.n)) + rest / (2 * math.sqrt(self.n))
        limit = np.where(self.away <= q, limit, -np.inf)
        width = limit.shape[-1]
        few = min(_EXACT, width)
        chosen = limit.argpartition(width - few, axis=-1)[..., -few:]
        counts = self.counts if self.counts.shape == limit.shape else np.broadcast_to(self.counts, limit.shape)
        own = chosen + width * np.arange(limit.size // width).reshape(*limit.shape[:-1], 1)
        count, left, there = counts.take(own), rest.take(own), limit.take(own) > -np.inf
        farthest = np.maximum(side, 0.0)
        end = np.where(there, farthest, 1 - farthest)
        there &= count != self.n * farthest
        special.betaincinv(count + 0.5, self.n - count + 0.5, special.ndtr(side * left), out=end, where=there)
        return np.asarray(self.side * (side * end).max(axis=-1))


@dataclass(frozen=True)
class Corners:
    """The thresholds of a sample that matter to the region.

    Attributes
    ----------
    hits : array of int (C,)
        Positives above, ascending from 0 to n1.
    first, last : array of int (C,)
        Negatives above the highest and the lowest threshold with so many hits: those above the last of these
        positives (0 of none), and those above the next positive (all of them after the last).
    n_pos, n_neg : int
    """

    hits: Whole
    first: Whole
    last: Whole
    n_pos: int
    n_neg: int

    @classmethod
    def of(cls, places: Places) -> Self:
        """Take the thresholds of a list; of many positives those a fifth of a standard deviation apart."""
        hits, ends = thresholds(places.n_pos), np.concatenate([[0], places.above, [places.n_neg]])
        return cls(hits, ends[hits], ends[hits + 1], places.n_pos, places.n_neg)

    @cached_property
    def of_tpr(self) -> Sides:
        """The corners by which FPR limits TPR."""
        return Sides((self.last, self.first), (self.hits, self.hits), self.n_neg, self.n_pos)

    @cached_property
    def of_fpr(self) -> Sides:
        """The corners by which TPR limits FPR."""
        return Sides((self.hits, self.hits), (self.first, self.last), self.n_pos, self.n_neg)

    def tpr_at(self, fpr: Array, q: Any) -> tuple[Array, Array]:
        """Return the limits of TPR at places of FPR: the slice of the region of size q.

        Parameters
        ----------
        fpr : array (...)
        q : float or array
            It may have axes before those of ``fpr``.
        """
        return _limits(self.of_tpr, fpr, q)

    def fpr_at(self, tpr: Array, q: Any) -> tuple[Array, Array]:
        """Return the limits of FPR at places of TPR (see :meth:`tpr_at`)."""
        return _limits(self.of_fpr, tpr, q)


def _limits(sides: Sides, share: Array, q: Any) -> tuple[Array, Array]:
    found = sides.near(share, float(np.max(q))).limit(np.asarray(q, float)[..., None])
    return found[..., 0], found[..., 1]
