"""Limits of what is above a hard cut by the region of the ROC plane: no slope at the cut is taken from the sample.

The cut holds the rate fixed, and the sample does not say at which FPR the population is cut then. A slice of the
region (:mod:`~hitcurve.inference.intervals.region`) is the TPR of all curves that the sample allows: recall at a rate,
enrichment, recall at an FPR. Precision is the share of positives among the first: the union over the ranks to which the
rate of the cut may belong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.cumulative import first_reaching
from hitcurve.inference.intervals.region import Corners, Near, middle_of
from hitcurve.inference.models import Places
from hitcurve.inference.models.places import Whole

_ANGLES = np.radians([0.0, 25.0, 50.0, 70.0])  # how the doubt is shared by the curve and the prevalence
_PLACES = 96  # of FPR
_BELOW = 1e-3  # of a negative: the first place
_EXACT = 12  # ranks of which limits are worked out, those that are the furthest by a formula
_MANY = 8  # hits and misses from which on the formula is near enough: the furthest is among its first four
_MOSTLY = 24  # places below the farthest among which a cut mostly is
_NEAR = 4  # places on either side of where a cut is by formula


class Prevalence(NamedTuple):
    """The prevalence at each cut of one list, with its standard deviation: 0 where it is known.

    Attributes
    ----------
    value, deviation : array (N,)
    """

    value: Array
    deviation: Array


class Cuts(NamedTuple):
    """Cuts of one list, each by a region of one of several sizes.

    Attributes
    ----------
    rate, pi : array (M,)
    upper : array of int (M,)
        1 for a limit from above, 0 for one from below.
    size : array of int (M,)
        Which of the sizes.
    """

    rate: Array
    pi: Array
    upper: Whole
    size: Whole

    def of(self, which: AnyArray) -> Cuts:
        """Return some of them."""
        return Cuts(self.rate[which], self.pi[which], self.upper[which], self.size[which])


@dataclass(frozen=True)
class RocLimits:
    """Limits of the ROC curve of one list: slices of regions of several sizes at many FPR.

    Limits are found by a formula first, and worked out near where a cut is.

    Attributes
    ----------
    corners : Corners
    z : float
        Size of the region of the whole doubt; of the other sizes some is left to the prevalence.
    """

    corners: Corners
    z: float

    @cached_property
    def fpr(self) -> Array:
        """Places of FPR, ascending from 0."""
        return _places_of(self.corners.n_neg)

    def _near(self, places: slice) -> Near:
        """Return the corners that may set the limits at some places of FPR."""
        return self.corners.of_tpr.near(self.fpr[places], self.z)

    def at_rate(self, rate: Array, prevalence: Prevalence, *, follows: float = 0.0) -> tuple[Array, Array]:
        """Return the limits of TPR at rates: of the accumulation curves of the limits.

        Parameters
        ----------
        rate : array (N,)
        prevalence : Prevalence
        follows : float
            How the rate moves with the prevalence.
        """
        angles = _ANGLES[: None if np.any(prevalence.deviation > 0) else 1, None]
        q = self.z * np.cos(angles[:, 0])
        # where fewer are positive, a larger share of them is above a rate; above one that follows them, a smaller
        side = np.array([-1.0, 1.0] if follows > 0 else [1.0, -1.0])[:, None, None]
        pi = _share(prevalence.value + side * self.z * np.sin(angles) * prevalence.deviation)
        cut = _share(rate + follows * (pi - prevalence.value))
        # so many negatives alone are all that is above a cut
        farthest = np.divide(cut, 1 - pi, out=np.ones(cut.shape), where=pi < 1).max()
        behind = int(self.fpr.searchsorted(farthest)) + _NEAR
        for first in (max(behind - _MOSTLY, 0), 0):  # few are that far from the farthest place
            corners, fpr = self._near(slice(first, behind)), self.fpr[first:behind]
            formula = corners.by_arcsine(q[:, None, None]).transpose(2, 0, 1)[:, :, None]
            near = (pi[..., None] * formula + (1 - pi[..., None]) * fpr < cut[..., None]).sum(axis=-1)
            if not first or near.min() >= _NEAR:
                break
        upper, size = np.divmod(np.arange(cut.size) // rate.size, q.size)
        cuts = Cuts(cut.ravel(), pi.ravel(), upper, size)
        found = self._found(cuts, first + near.ravel(), q, corners, first).reshape(cut.shape)
        # where all are selected, so are all positives; a cut that follows the prevalence is elsewhere then
        everyone = (rate >= 1) & (follows == 0)
        return np.where(everyone, 1.0, found[0].min(axis=0)), np.where(everyone, 1.0, found[1].max(axis=0))

    def _found(self, cuts: Cuts, near: Whole, q: Array, corners: Near, first: int) -> Array:
        """Return TPR where accumulation curves reach rates, which is near some places of FPR."""
        # the formula is mostly right about the places between which a cut is
        found, side = self._reached(near - 1, 2, cuts, q, corners, first)
        left = side.nonzero()[0]
        if left.size:
            start = near[left] - np.where(side[left] < 0, _NEAR, 0)
            found[left], side = self._reached(start, _NEAR, cuts.of(left), q, corners, first)
            left = left[side != 0]
        if left.size:
            start = np.zeros_like(left)
            found[left], _ = self._reached(start, _PLACES + 1, cuts.of(left), q, self._near(slice(None)), 0)
        return found

    def _reached(
        self, start: Whole, wide: int, cuts: Cuts, q: Array, corners: Near, first: int
    ) -> tuple[Array, AnyArray]:
        """Return TPR where accumulation curves reach rates, and whether that is before (-1) or behind some places.

        Parameters
        ----------
        start : array of int (M,)
            The first of so many places of FPR.
        wide : int
        cuts : Cuts
        q : array (A,)
        corners : Near
            Of the places from the first on.
        first : int
        """
        rows = np.minimum(np.maximum(start[:, None] + np.arange(wide), 0), _PLACES)
        y = self._limits(rows, cuts, q, corners, first)
        x = self.fpr[rows]
        # the curve begins at (0, 0)
        origin = np.where(rows[:, :1] == 0, 0.0, np.nan)
        x, y = (np.concatenate([origin, side], axis=-1) for side in (x, y))
        rate, pi = cuts.rate, cuts.pi[:, None]
        at = pi * y + (1 - pi) * x
        place = (~(at >= rate[:, None])).sum(axis=-1)
        place = np.minimum(np.maximum(place, 1), wide)
        own = place + (wide + 1) * np.arange(place.size)
        a, b, u, v = at.take(own - 1), at.take(own), y.take(own - 1), y.take(own)
        share = np.divide(rate - a, b - a, out=np.ones(rate.shape), where=b > a)
        behind = (rate > b) & ~((at[:, -1] < rate) & (rows[:, -1] == _PLACES))
        return np.asarray(u + _share(share) * (v - u)), np.where(behind, 1, -1) * (behind | ~(a < rate))

    def _limits(self, rows: Whole, cuts: Cuts, q: Array, corners: Near, first: int) -> Array:
        """Return the limits of TPR at places of FPR, each of a region of one of the sizes (see :meth:`_reached`)."""
        # near cuts share their places
        own = (cuts.upper * q.size + cuts.size)[:, None] * self.fpr.size + rows
        once, back = np.unique(own, return_inverse=True) if own.shape[0] > 2 * q.size else (own.ravel(), slice(None))
        of, place = np.divmod(once, self.fpr.size)
        upper, size = np.divmod(of, q.size)
        return np.asarray(corners.of(place - first, upper).limit(q[size])[back].reshape(rows.shape))


def _share(x: Array) -> Array:
    return np.minimum(np.maximum(x, 0.0), 1.0)


@lru_cache(maxsize=64)
def _places_of(n_neg: int) -> Array:
    """Return places of FPR of lists of so many negatives, ascending from 0."""
    places = np.append(0.0, np.geomspace(_BELOW / n_neg, 1.0, _PLACES))
    places.flags.writeable = False
    return places


def at_fpr(places: Places, fpr: Array, z: float) -> tuple[Array, Array]:
    """Return the limits of TPR where an FPR is fixed."""
    return Corners.of(places).tpr_at(fpr, z)


def at_tpr(places: Places, tpr: Array, z: float) -> tuple[Array, Array]:
    """Return the limits of FPR where a TPR is fixed."""
    return Corners.of(places).fpr_at(tpr, z)


def among_first(places: Places, k: float, z: float) -> tuple[float, float]:
    """Return the limits of the share of positives among the first k: the union over the ranks that may be the cut.

    Parameters
    ----------
    places : Places
    k : float
        Rank of the cut.
    z : float
        Normal quantile.
    """
    import hitcurve._special as special

    ranks, rest = _near_rank(k, places.n_pos + places.n_neg, z)
    # rank of each positive
    own = places.above + np.arange(1, places.n_pos + 1)
    hits = first_reaching(own, ranks, "right").astype(float)
    a, b = hits + 0.5, ranks - hits + 0.5
    lowest: Any = slice(None)
    highest: Any = lowest
    if ranks.size > _EXACT and min(a.min(), b.min()) > _MANY:
        middle, half = middle_of(hits, ranks, rest * rest), rest / (2 * np.sqrt(ranks))
        lowest, highest = (np.argpartition(side, _EXACT)[:_EXACT] for side in (middle - half, -middle - half))
    below = special.betaincinv(a[lowest], b[lowest], special.ndtr(-rest[lowest]))
    above = special.betaincinv(a[highest], b[highest], special.ndtr(rest[highest]))
    low = np.where(hits[lowest] > 0, below, 0.0)
    high = np.where(hits[highest] < ranks[highest], above, 1.0)
    return float(low.min()), float(high.max())


@lru_cache(maxsize=64)
def _near_rank(k: float, n: int, z: float) -> tuple[Array, Array]:
    """Return the ranks that may be the cut at one of n, ascending, and what is left of z beside how far they are."""
    import hitcurve._special as special

    if k >= n:  # all are selected: no other rank may be the cut
        return np.array([float(n)]), np.array([z])
    ranks = np.arange(max(math.ceil(k - _reach(k, z)), 0), min(math.floor(k + _reach(k, z)), n) + 1.0)
    apart = 2 * special.xlogy(ranks, ranks / k) + 2 * special.xlogy(n - ranks, (n - ranks) / (n - k))
    near = apart <= z**2
    return ranks[near], np.sqrt(z**2 - apart[near])


def _reach(k: float, z: float) -> float:
    """Return how many ranks away a cut may be by chance: more than z deviations of a Poisson number."""
    return (z + 1) * math.sqrt(k) + z**2
