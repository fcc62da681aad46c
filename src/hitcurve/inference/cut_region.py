"""Limits of what is above a hard cut by the region of the ROC plane: no slope at the cut is taken from the sample.

The cut holds the rate fixed, and the sample does not say at which FPR the population is cut then. A slice of the
region (:mod:`~hitcurve.inference.region`) is the TPR of all curves that the sample allows: recall at a rate,
enrichment, recall at an FPR. Precision is the share of positives among the first: the union over the ranks to which the
rate of the cut may belong.
"""

from __future__ import annotations

import math
from typing import NamedTuple, Self

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.models import Places
from hitcurve.inference.region import Corners, above_upper, below_lower, least, most

_MOVED = 0.5  # half counts: the limits of Jeffreys
_ANGLES = np.radians([0.0, 25.0, 50.0, 70.0])  # how the doubt is shared by the curve and the prevalence
_PLACES = 96  # of FPR
_BELOW = 1e-3  # of a negative: the first place


class Prevalence(NamedTuple):
    """The prevalence at each cut of one list, with its standard deviation: 0 where it is known.

    Attributes
    ----------
    value, deviation : array (N,)
    """

    value: Array
    deviation: Array


class RocLimits(NamedTuple):
    """Limits of the ROC curve of one list: slices of regions of several sizes.

    Attributes
    ----------
    fpr : array (G,)
    low, high : array (A, G)
        TPR; the first size is that of the whole doubt, the others leave some to the prevalence.
    z : float
        The first size.
    """

    fpr: Array
    low: Array
    high: Array
    z: float

    @classmethod
    def of(cls, places: Places, z: float) -> Self:
        """Take the limits whose doubt is z standard errors."""
        corners = Corners.of(places)
        x = np.append(0.0, np.geomspace(_BELOW / places.n_neg, 1.0, _PLACES))
        q = z * np.cos(_ANGLES)[:, None]
        above = above_upper(corners.last, corners.n_neg, x[:, None], moved=_MOVED)
        below = below_lower(corners.first, corners.n_neg, x[:, None], moved=_MOVED)
        low = least(above, corners.hits, corners.n_pos, q, moved=_MOVED)
        high = most(below, corners.hits, corners.n_pos, q, moved=_MOVED)
        return cls(x, low, high, z)

    def at_rate(self, rate: Array, prevalence: Prevalence, *, follows: float = 0.0) -> tuple[Array, Array]:
        """Return the limits of TPR at rates: of the accumulation curves of the two limits.

        Parameters
        ----------
        rate : array (N,)
        prevalence : Prevalence
        follows : float
            How the rate moves with the prevalence.
        """
        ends = []
        for upper in (False, True):
            # where fewer are positive, a larger share of them is above a rate; above one that follows them, a smaller
            side = -1 if upper != (follows > 0) else 1
            limits = self.high if upper else self.low
            found = []
            for angle, tpr in zip(_ANGLES, limits, strict=True):
                pi = np.clip(prevalence.value + side * self.z * math.sin(angle) * prevalence.deviation, 0.0, 1.0)
                cut = np.clip(rate + follows * (pi - prevalence.value), 0.0, 1.0)
                found.append(self._reached(cut, pi, tpr))
                if not np.any(prevalence.deviation > 0):
                    break
            ends.append(np.max(found, axis=0) if upper else np.min(found, axis=0))
        return ends[0], ends[1]

    def _reached(self, rate: Array, pi: Array, tpr: Array) -> Array:
        """Return TPR where the accumulation curve of a ROC curve reaches rates, each at its prevalence."""
        # the curve begins at (0, 0)
        x, y = np.append(0.0, self.fpr), np.append(0.0, tpr)
        at = pi[:, None] * y + (1 - pi[:, None]) * x
        row = np.clip(np.sum(at < rate[:, None], axis=-1), 1, x.size - 1)
        lines = np.arange(rate.size)
        start, end = at[lines, row - 1], at[lines, row]
        share = np.divide(rate - start, end - start, out=np.ones(rate.shape), where=end > start)
        return np.asarray(y[row - 1] + np.clip(share, 0.0, 1.0) * (y[row] - y[row - 1]))


def at_fpr(places: Places, fpr: Array, z: float) -> tuple[Array, Array]:
    """Return the limits of TPR where an FPR is fixed."""
    return Corners.of(places).tpr_at(fpr, z, moved=_MOVED)


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
    from scipy.special import betaincinv, ndtr, xlogy

    n = places.n_pos + places.n_neg
    first = max(math.ceil(k - _reach(k, z)), 0)
    ranks = np.arange(first, min(math.floor(k + _reach(k, z)), n) + 1.0)
    # rank of each positive
    own = places.above + np.arange(1, places.n_pos + 1)
    hits = np.searchsorted(own, ranks, side="right").astype(float)
    apart = 2 * xlogy(ranks, ranks / k)
    if k < n:
        apart += 2 * xlogy(n - ranks, (n - ranks) / (n - k))
    near = apart <= z**2
    ranks, hits, rest = ranks[near], hits[near], np.sqrt(z**2 - apart[near])
    a, b = hits + _MOVED, ranks - hits + _MOVED
    low = np.where(hits > 0, betaincinv(a, b, ndtr(-rest)), 0.0)
    high = np.where(hits < ranks, betaincinv(a, b, ndtr(rest)), 1.0)
    return float(low.min()), float(high.max())


def _reach(k: float, z: float) -> float:
    """Return how many ranks away a cut may be by chance: more than z deviations of a Poisson number."""
    return (z + 1) * math.sqrt(k) + z**2
