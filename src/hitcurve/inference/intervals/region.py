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
_SAFE = 3.0  # standard deviations beyond which a count sets no limit
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


def _deviate(count: Any, n: float, share: Any) -> Array:
    return deviate(np.asarray(count), n, np.minimum(np.maximum(share, _LEAST), 1 - _HAIR))


class Side(NamedTuple):
    """The corners by which one share limits the other from above, or from below.

    Attributes
    ----------
    setting, limited : array of int (C,)
        Counts of the share that is given and of the one that is limited, both ascending.
    n_setting, n_limited : int
        Both counts at a share of 1.
    upper : bool
    """

    setting: Whole
    limited: Whole
    n_setting: int
    n_limited: int
    upper: bool

    def near(self, share: Array, q: float) -> Near:
        """Return the corners that may set the limit at places of the given share, in a region of at most this size.

        Parameters
        ----------
        share : array (...)
        q : float
        """
        # of corners that are as far away, that with the furthest count
        kept = np.ones(self.setting.size, bool)
        np.greater(self.setting[1:], self.setting[:-1], out=kept[:-1] if self.upper else kept[1:])
        setting, limited, scale = self.setting[kept], self.limited[kept], 2 * math.sqrt(self.n_setting)
        place = scale * np.arcsin(np.sqrt(setting / self.n_setting))
        at = scale * np.arcsin(np.sqrt(np.minimum(np.maximum(share, 0.0), 1.0)))
        reach = _PER_DEVIATE * q + _SAFE
        if self.upper:
            first = np.searchsorted(place, at - _SAFE, side="right") - 1
            behind = np.searchsorted(place, at + reach, side="right")
        else:
            first, behind = np.searchsorted(place, at - reach), np.searchsorted(place, at + _SAFE) + 1
        first, behind = np.maximum(first, 0)[..., None], np.minimum(behind, place.size)[..., None]
        corner = first + np.arange(int((behind - first).max(initial=1)))
        inside, corner = corner < behind, np.minimum(corner, place.size - 1)
        far = below_lower if self.upper else above_upper
        away = np.where(inside, far(setting[corner], self.n_setting, np.asarray(share)[..., None]), np.inf)
        return Near(away, limited[corner], self.n_limited, self.upper)


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
    upper : bool
    """

    away: Array
    counts: Whole
    n: int
    upper: bool

    def of(self, places: AnyArray) -> Near:
        """Return the corners of some places."""
        return Near(self.away[places], self.counts[places], self.n, self.upper)

    def by_arcsine(self, q: Any) -> Array:
        """Return the limits in a region of this size by a formula, within an error of a fraction of a count.

        The arcsine of a share whose counts are larger by as much as the exact limits are skewed.

        Parameters
        ----------
        q : float or array
            It may have axes before those of the places.
        """
        q = np.asarray(q, float)[..., None]
        left = q * q - self.away * self.away
        square = np.maximum(left, 0.0)
        more = (square + 2) / 12
        middle, half = np.arcsin(np.sqrt((self.counts + more) / (self.n + 2 * more))), np.sqrt(square / (4 * self.n))
        if self.upper:
            end = np.where(left >= 0, middle + half, 0.0).max(axis=-1)
        else:
            end = np.where(left >= 0, middle - half, math.pi / 2).min(axis=-1)
        return np.asarray(np.sin(np.minimum(np.maximum(end, 0.0), math.pi / 2)) ** 2)

    def limit(self, q: Any) -> Array:
        """Return the limits in a region of this size: 1 below, or 0 above, where no corner is within it."""
        from hitcurve._special import betaincinv, ndtr

        limit, rest = self._reached(np.asarray(q, float)[..., None])
        few = min(_EXACT, limit.shape[-1])
        chosen = limit.argpartition(limit.shape[-1] - few, axis=-1)[..., -few:]
        counts = self.counts if self.counts.shape == limit.shape else np.broadcast_to(self.counts, limit.shape)
        width = limit.shape[-1]
        own = chosen.reshape(-1, few) + width * np.arange(limit.size // width)[:, None]
        count, found, left = (column.take(own).reshape(chosen.shape) for column in (counts, limit, rest))
        side, closed = (1, self.n) if self.upper else (-1, 0)
        end = betaincinv(count + 0.5, self.n - count + 0.5, ndtr(side * left))
        end = np.where(count == closed, closed / self.n, end)
        end = np.where(np.isfinite(found), end, 0.0 if self.upper else 1.0)
        return np.asarray(end.max(axis=-1) if self.upper else end.min(axis=-1))

    def _reached(self, q: Array) -> tuple[Array, Array]:
        """Return how far each corner lets the share go, on the scale on which shares have one variance, and the rest.

        The rest is what is left of q: ``sqrt(q^2 - away^2)``, 0 of corners that are not within q. Downwards far is
        negative; these corners let it go nowhere, minus infinity.
        """
        rest = np.sqrt(np.maximum(q * q - self.away * self.away, 0.0))
        middle = np.arcsin(np.sqrt(self.counts / self.n))
        limit = (middle if self.upper else -middle) + rest / (2 * math.sqrt(self.n))
        return np.where(self.away <= q, limit, -np.inf), rest


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
    def of_tpr(self) -> tuple[Side, Side]:
        """The corners by which FPR limits TPR, from below and from above."""
        return (
            Side(self.last, self.hits, self.n_neg, self.n_pos, upper=False),
            Side(self.first, self.hits, self.n_neg, self.n_pos, upper=True),
        )

    @cached_property
    def of_fpr(self) -> tuple[Side, Side]:
        """The corners by which TPR limits FPR, from below and from above."""
        return (
            Side(self.hits, self.first, self.n_pos, self.n_neg, upper=False),
            Side(self.hits, self.last, self.n_pos, self.n_neg, upper=True),
        )

    def tpr_at(self, fpr: Array, q: Any) -> tuple[Array, Array]:
        """Return the limits of TPR at places of FPR: the slice of the region of size q.

        Parameters
        ----------
        fpr : array (...)
        q : float or array
            It may have axes before those of ``fpr``.
        """
        low, high = (side.near(fpr, float(np.max(q))).limit(q) for side in self.of_tpr)
        return low, high

    def fpr_at(self, tpr: Array, q: Any) -> tuple[Array, Array]:
        """Return the limits of FPR at places of TPR (see :meth:`tpr_at`)."""
        low, high = (side.near(tpr, float(np.max(q))).limit(q) for side in self.of_fpr)
        return low, high
