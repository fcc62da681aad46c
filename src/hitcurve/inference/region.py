"""The region of the ROC plane in which the curve may lie: points whose two shares are credible at one threshold.

A point (x, y) is in the region of size q if there is a threshold of the sample such that x is within q standard errors
of the share of the negatives above it, y within q of that of the positives, by exact tails, and both together:
``deviate(x)^2 + deviate(y)^2 <= q^2``. Nothing is said of slopes, and the threshold is not known. Limits of either
share at the other are slices of the region.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.models.places import Places, Whole

_EXACT = 4  # corners of which limits are worked out, those that are the furthest by a formula
_ALL_CORNERS = 400  # positives up to which each of them is a corner
_PER_DEVIATION = 5.0  # corners to a standard deviation of their number of positives beyond that


def above_upper(count: Any, n: Any, share: Any, *, moved: float = 0.0) -> Array:
    """Return how far a share is above the upper end of what a count allows, in standard errors; 0 if it is not.

    ``max(0, -z)`` with z the normal quantile of P(Bin(n, share) <= count), by the formula of Peizer and Pratt (1968).

    Parameters
    ----------
    count, n, share : array (...)
    moved : {0, 1/2}
        By how much the count is moved towards the sample: 0 is the exact limit of Clopper and Pearson, 1/2 that of
        Jeffreys.
    """
    count, n, share = (np.asarray(x, float) for x in (count, n, share))
    return _deviate(count, n - count, share, 1 - share, moved)


def below_lower(count: Any, n: Any, share: Any, *, moved: float = 0.0) -> Array:
    """Return how far a share is below the lower end of what a count allows (see :func:`above_upper`)."""
    count, n, share = (np.asarray(x, float) for x in (count, n, share))
    return _deviate(n - count, count, 1 - share, share, moved)


def least(deviate: Array, count: Any, n: float, q: Any, *, moved: float = 0.0) -> Array:
    """Return the lower limit of a share over all corners whose other share is within q.

    Parameters
    ----------
    deviate : array (..., C)
        How far the other share is from the limit that each corner sets it.
    count : array (C,) or (..., C)
        Of the share, at each corner.
    n : float
        The count at a share of 1.
    q : float or array (...)
        Size of the region.
    moved : {0, 1/2}
        See :func:`above_upper`.

    Returns
    -------
    array (...)
        1 where no corner is within q.
    """
    from scipy.special import betaincinv, ndtr

    count, room, rest = _furthest(deviate, count, n, q, side=-1)
    with np.errstate(invalid="ignore"):
        low = betaincinv(np.maximum(count + moved, 1e-300), n - count + 1 - moved, ndtr(-rest))
    low = np.where(count <= 0, 0.0, low)
    return np.asarray(np.min(np.where(room, low, 1.0), axis=-1))


def most(deviate: Array, count: Any, n: float, q: Any, *, moved: float = 0.0) -> Array:
    """Return the upper limit of a share over all corners whose other share is within q (see :func:`least`).

    0 where no corner is within q.
    """
    from scipy.special import betaincinv, ndtr

    count, room, rest = _furthest(deviate, count, n, q, side=1)
    with np.errstate(invalid="ignore"):
        high = betaincinv(count + 1 - moved, np.maximum(n - count + moved, 1e-300), ndtr(rest))
    high = np.where(count >= n, 1.0, high)
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

    def tpr_at(self, fpr: Array, q: Any, *, moved: float = 0.0) -> tuple[Array, Array]:
        """Return the limits of TPR at places of FPR: the slice of the region of size q.

        Parameters
        ----------
        fpr : array (...)
        q : float or array
            It may have axes before those of ``fpr``.
        moved : {0, 1/2}
        """
        above = above_upper(self.last, self.n_neg, fpr[..., None], moved=moved)
        below = below_lower(self.first, self.n_neg, fpr[..., None], moved=moved)
        return (
            least(above, self.hits, self.n_pos, q, moved=moved),
            most(below, self.hits, self.n_pos, q, moved=moved),
        )

    def fpr_at(self, tpr: Array, q: Any, *, moved: float = 0.0) -> tuple[Array, Array]:
        """Return the limits of FPR at places of TPR (see :meth:`tpr_at`)."""
        above = above_upper(self.hits, self.n_pos, tpr[..., None], moved=moved)
        below = below_lower(self.hits, self.n_pos, tpr[..., None], moved=moved)
        return least(above, self.first, self.n_neg, q, moved=moved), most(below, self.last, self.n_neg, q, moved=moved)


def _furthest(deviate: Array, count: Any, n: float, q: Any, *, side: int) -> tuple[Array, Array, Array]:
    """Return the counts of the corners whose limits are furthest by a formula, whether they are within q, and the rest.

    The rest is what is left of q: ``sqrt(q^2 - deviate^2)``.
    """
    q = np.asarray(q, float)[..., None]
    rest = np.sqrt(np.maximum(q**2 - deviate**2, 0.0))
    within = deviate <= q
    # on the scale on which shares have one variance
    limit = side * np.arcsin(np.sqrt(np.asarray(count, float) / n)) + rest / (2 * math.sqrt(n))
    limit = np.where(within, limit, -np.inf)
    few = min(_EXACT, limit.shape[-1])
    chosen = np.argpartition(limit, limit.shape[-1] - few, axis=-1)[..., -few:]
    counts = np.broadcast_to(np.asarray(count, float), limit.shape)
    return tuple(np.take_along_axis(x, chosen, axis=-1) for x in (counts, within, rest))  # type: ignore[return-value]


def _deviate(k: Array, h: Array, p: Array, q: Array, moved: float) -> Array:
    """Return max(0, -z) of the lower tail of k of n = k + h with chance p = 1 - q; 0 if k is all."""
    n, all_of_them = k + h, h <= 0
    k, h = k - moved, h + moved
    s, t = k + 0.5, h - 0.5
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = s - n * p
        distance = k + 2 / 3 - (n + 1 / 3) * p + 0.02 * (q / (k + 1) - p / h + (q - 0.5) / (n + 1))
        # s log(s/np) + t log(t/nq), which cancels where the share is that of the count
        excess = _excess(s, -apart) + _excess(t, apart)
        scale = np.sqrt(2 * excess / (1 + 1 / (6 * n))) / np.abs(apart)
        scale = np.where(apart == 0, 1 / np.sqrt((n + 1 / 6) * p * q), scale)
        z = distance * scale
    return np.where(all_of_them, 0.0, np.maximum(-z, 0.0))


def _excess(s: Array, more: Array) -> Array:
    """Return s (u - log(1 + u)) with u = more/s, which is ``more`` if s is 0."""
    u = np.divide(more, s, out=np.zeros(np.broadcast_shapes(s.shape, more.shape)), where=s > 0)
    near = np.abs(u) < 0.01
    small = np.where(near, u, 0.0)
    series = small**2 * (1 / 2 - small * (1 / 3 - small * (1 / 4 - small * (1 / 5 - small * (1 / 6 - small / 7)))))
    return np.where(s > 0, s * np.where(near, series, u - np.log1p(u)), more)
