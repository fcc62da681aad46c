"""Limits of one rate at a fixed value of the other: a profile over all cuts that the sample allows.

A cut is as far from the fixed rate as the mid-p of the exact binomial tail says, and leaves the other class its
Jeffreys limits at what is left of the normal deviate. No slope and no bandwidth are taken from the sample; groups of
equal scores, hooks and empty tails are included.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.cut import interpolated
from hitcurve.inference.intervals.shares import jeffreys

_HAIR = 1e-9  # of a count
_INSIDE, _CREDIBLE = 25, 0.99  # points on the straight pieces, equally spaced in an interval of the fixed rate
_REACH, _FEW = 3.0, 12.0  # standard deviations beyond z, and a count, from which on no cut is allowed


class Profiled(NamedTuple):
    """The rate that is fixed and the one that is limited, down to each row, and how many subjects they are of.

    Attributes
    ----------
    fixed, other : array (..., K)
    n_fixed, n_other : array (...)
        Of weights, the number of equal weights that vary as much.
    """

    fixed: Array
    other: Array
    n_fixed: Array
    n_other: Array

    @classmethod
    def of(cls, axis: str, c: Counts, size: tuple[Any, Any]) -> Profiled:
        """Return the rates of a cut at an FPR (``"fpr"``) or at a recall, of so many positives and negatives."""
        n1, n0 = (np.asarray(np.broadcast_to(side, c.shape), float) for side in size)
        return cls(c.Q, c.P, n0, n1) if axis == "fpr" else cls(c.P, c.Q, n1, n0)

    def limits(self, place: Array, z: Any) -> tuple[Array, Array]:
        """Return the limits of the other rate where the fixed one has its place, at a normal deviate.

        Parameters
        ----------
        place : array (...)
        z : float or array (...)
        """
        from scipy.special import ndtr

        shape = self.n_fixed.shape
        lists, count, other = self._cuts(np.asarray(place, float), float(np.max(z)))
        of_lists = self.n_fixed, self.n_other, np.broadcast_to(place, shape), np.broadcast_to(z, shape)
        n, m, at, z = (x.ravel()[lists] for x in of_lists)
        away = np.abs(mid_p_deviate(count, n, at))
        allowed = away < z
        lists, other, m = lists[allowed], other[allowed], m[allowed]
        rest = ndtr(-np.sqrt(z[allowed] ** 2 - away[allowed] ** 2))
        low, high = jeffreys(other, m, rest)
        least, most = np.ones(self.n_fixed.size), np.zeros(self.n_fixed.size)
        np.minimum.at(least, lists, low)
        np.maximum.at(most, lists, high)
        return least.reshape(shape), most.reshape(shape)

    def _cuts(self, place: Array, z: float) -> tuple[AnyArray, Array, Array]:
        """Return cuts that may be allowed: the list of each, and the counts of both classes above it."""
        from scipy.special import betaincinv

        n, m, at = (np.atleast_1d(x) for x in (self.n_fixed, self.n_other, np.broadcast_to(place, self.n_fixed.shape)))
        rows = self.fixed.shape[-1]
        fixed, other = (x.reshape(*n.shape, rows) for x in (self.fixed, self.other))
        count = n[..., None] * fixed
        reach = (z + _REACH) * np.sqrt(n * at * (1 - at)) + _FEW
        flat = np.flatnonzero(np.abs(count - (n * at)[..., None]) <= reach[..., None])
        lists = flat // rows
        counts = [(lists, count.ravel()[flat], m.ravel()[lists] * other.ravel()[flat])]
        every = np.arange(n.size)
        counts.append((every, np.zeros(n.size), np.zeros(n.size)))
        middle = n * at
        ends = [betaincinv(middle + 0.5, n - middle + 0.5, (1 + sign * _CREDIBLE) / 2) for sign in (-1, 1)]
        for share in [None, *np.linspace(0.0, 1.0, _INSIDE)]:
            inside = at if share is None else ends[0] + share * (ends[1] - ends[0])
            shape = self.n_fixed.shape  # one list is searched by halving
            there = interpolated(inside.reshape(shape), self.fixed, self.other).reshape(n.shape)
            counts.append((every, (n * inside).ravel(), (m * there).ravel()))
        found = [np.concatenate(column) for column in zip(*counts, strict=True)]
        return found[0], found[1], found[2]


def mid_p_deviate(count: Any, n: Any, share: Any) -> Array:
    """Return the normal deviate of the mid-p of a binomial count at a share: negative where the count is small.

    Parameters
    ----------
    count, n, share : array (...)
        Counts may be fractional.

    Examples
    --------
    >>> round(float(mid_p_deviate(3, 8, 0.5)), 10)
    0.6622476825
    """
    from scipy.special import betainc, ndtri

    count, n, share = np.broadcast_arrays(*(np.asarray(x, float) for x in (count, n, share)))
    none, all_ = count <= _HAIR, count >= n - _HAIR
    reached = np.where(none, 1.0, betainc(np.where(none, 1.0, count), np.maximum(n - count, 0.0) + 1, share))
    beyond = np.where(all_, 0.0, betainc(count + 1, np.where(all_, 1.0, n - count), share))
    return np.asarray(ndtri((reached + beyond) / 2))
