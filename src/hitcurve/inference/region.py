"""The region of the ROC plane in which the curve may lie: points whose two shares are credible at one threshold.

A point (x, y) is in the region of size q if there is a threshold of the sample such that x is within q standard errors
of the share of the negatives above it, y within q of that of the positives, by exact tails with half counts, and both:
``deviate(x)^2 + deviate(y)^2 <= q^2``. Nothing is said of slopes, and the threshold is not known. Limits of either
share at the other are slices of the region.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.binomial import deviate
from hitcurve.inference.models.places import Places, Whole

_LEAST, _HAIR = 1e-300, 1e-16  # next to the ends of a share
_EXACT = 4  # corners of which limits are worked out, those that are the furthest by a formula
_ALL_CORNERS = 400  # positives up to which each of them is a corner
_PER_DEVIATION = 5.0  # corners to a standard deviation of their number of positives beyond that


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
    count, share = np.broadcast_arrays(count, np.clip(share, _LEAST, 1 - _HAIR))
    return deviate(np.atleast_1d(count), n, np.atleast_1d(share)).reshape(count.shape)


def least(away: Array, count: Any, n: float, q: Any) -> Array:
    """Return the lower limit of a share over all corners whose other share is within q.

    Parameters
    ----------
    away : array (..., C)
        How far the other share is from the limit that each corner sets it.
    count : array (C,) or (..., C)
        Of the share, at each corner.
    n : float
        The count at a share of 1.
    q : float or array (...)
        Size of the region.

    Returns
    -------
    array (...)
        1 where no corner is within q.
    """
    from scipy.special import betaincinv, ndtr

    count, room, rest = _furthest(away, count, n, q, side=-1)
    low = np.where(count <= 0, 0.0, betaincinv(count + 0.5, n - count + 0.5, ndtr(-rest)))
    return np.asarray(np.min(np.where(room, low, 1.0), axis=-1))


def most(away: Array, count: Any, n: float, q: Any) -> Array:
    """Return the upper limit of a share over all corners whose other share is within q (see :func:`least`).

    0 where no corner is within q.
    """
    from scipy.special import betaincinv, ndtr

    count, room, rest = _furthest(away, count, n, q, side=1)
    high = np.where(count >= n, 1.0, betaincinv(count + 0.5, n - count + 0.5, ndtr(rest)))
    return np.asarray(np.max(np.where(room, high, 0.0), axis=-1))


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
        n1, n0 = places.n_pos, places.n_neg
        hits = np.arange(n1 + 1)
        if n1 > _ALL_CORNERS:
            step = np.arange(0.0, math.pi / 2, 1 / (2 * _PER_DEVIATION * math.sqrt(n1)))
            hits = np.unique(np.append(np.rint(n1 * np.sin(step) ** 2), n1).astype(np.int64))
        ends = np.concatenate([[0], places.above, [n0]])
        return cls(hits, ends[hits], ends[hits + 1], n1, n0)

    def tpr_at(self, fpr: Array, q: Any) -> tuple[Array, Array]:
        """Return the limits of TPR at places of FPR: the slice of the region of size q.

        Parameters
        ----------
        fpr : array (...)
        q : float or array
            It may have axes before those of ``fpr``.
        """
        above = above_upper(self.last, self.n_neg, fpr[..., None])
        below = below_lower(self.first, self.n_neg, fpr[..., None])
        return (
            least(above, self.hits, self.n_pos, q),
            most(below, self.hits, self.n_pos, q),
        )

    def fpr_at(self, tpr: Array, q: Any) -> tuple[Array, Array]:
        """Return the limits of FPR at places of TPR (see :meth:`tpr_at`)."""
        above = above_upper(self.hits, self.n_pos, tpr[..., None])
        below = below_lower(self.hits, self.n_pos, tpr[..., None])
        return least(above, self.first, self.n_neg, q), most(below, self.last, self.n_neg, q)


def _furthest(away: Array, count: Any, n: float, q: Any, *, side: int) -> tuple[Array, Array, Array]:
    """Return the counts of the corners whose limits are furthest by a formula, whether they are within q, and the rest.

    The rest is what is left of q: ``sqrt(q^2 - away^2)``.
    """
    q = np.asarray(q, float)[..., None]
    rest = np.sqrt(np.maximum(q**2 - away**2, 0.0))
    within = away <= q
    # on the scale on which shares have one variance
    limit = side * np.arcsin(np.sqrt(np.asarray(count, float) / n)) + rest / (2 * math.sqrt(n))
    limit = np.where(within, limit, -np.inf)
    few = min(_EXACT, limit.shape[-1])
    chosen = np.argpartition(limit, limit.shape[-1] - few, axis=-1)[..., -few:]
    counts = np.broadcast_to(np.asarray(count, float), limit.shape)
    return tuple(np.take_along_axis(x, chosen, axis=-1) for x in (counts, within, rest))  # type: ignore[return-value]
