"""A value that was chosen because it is high, given the others: normal, between the ends where it would be chosen."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array

_FAR = 40.0  # standard errors: ends of a conditional interval beyond are as good as without end


class Chosen(NamedTuple):
    """One of the largest of several normal values: where it is, and between which ends it had to be to be among them.

    Given what of the others does not depend on it, it is normal between these ends. Of values in steps the others are
    taken half a step lower: an equal one might have been behind.
    """

    place: float
    error: float
    least: float
    most: float

    @classmethod
    def of(cls, place: Array, covariance: Array, chosen: int, grain: float = 0.0, among: int = 1) -> Chosen:
        """Return what is known of a chosen value.

        Parameters
        ----------
        place : array (R,)
            All values.
        covariance : array (R,)
            Of each with the chosen one.
        chosen : int
        grain : float
            Half a step between values.
        among : int
            It was chosen for being among so many of the largest.
        """
        own, variance = float(place[chosen]), float(covariance[chosen])
        slope = np.delete(covariance, chosen) / variance
        rest = np.delete(place, chosen) - grain - slope * own
        with np.errstate(divide="ignore", invalid="ignore"):
            limit = rest / (1 - slope)
        # where it crosses another: one that follows it less than it moves is ahead below that place
        slower, faster = slope < 1 - 1e-12, slope > 1 + 1e-12
        over, under = slower & (limit > own), faster & (limit < own)
        ahead = int(np.sum(over) + np.sum(under))
        below = _where_too_many(-limit, slower & ~over, under, min(ahead, among - 1), among)
        above = _where_too_many(limit, faster & ~under, over, min(ahead, among - 1), among)
        if ahead >= among:
            # half a subject more may turn the order of two that are nearly equal
            below, above = (-own if over.any() else below), (own if under.any() else above)
        return cls(own, math.sqrt(variance), min(-below, own), max(above, own))

    def solved(self, share: float, reach: float) -> float:
        """Return the mean at which so much of the distribution between the ends is below the place.

        The mean is no further than ``reach`` standard errors from the place, which the ends know then.
        """
        from scipy.optimize import brentq

        x, s = self.place, self.error
        far = min(reach, _FAR)

        def beyond(mean: float) -> float:
            ends = max(self.least, mean - reach * s), min(self.most, mean + reach * s)
            return share_below((x - mean) / s, (ends[0] - mean) / s, (ends[1] - mean) / s) - share

        low, high = x - far * s, x + far * s
        if beyond(low) <= 0:
            return low
        if beyond(high) >= 0:
            return high
        return float(brentq(beyond, low, high, xtol=1e-12 * max(1.0, abs(x)), rtol=1e-12))


def share_below(x: float, low: float, high: float) -> float:
    """Return the share of a standard normal between two ends that is below x."""
    from scipy.special import log_ndtr

    if x <= low or x >= high:
        return float(x >= high)

    def log_between(a: float, b: float) -> float:
        if a > 0:  # the upper tail keeps its digits
            a, b = -b, -a
        upper, lower = float(log_ndtr(b)), float(log_ndtr(a))
        return upper + math.log1p(-math.exp(min(lower - upper, 0.0))) if lower < upper else -math.inf

    below, above = log_between(low, x), log_between(x, high)
    if below == above == -math.inf:
        return 0.5
    return 1 / (1 + math.exp(min(above - below, 700.0)))


def _where_too_many(
    way: Array, more: npt.NDArray[np.bool_], fewer: npt.NDArray[np.bool_], ahead: int, among: int
) -> float:
    """Return how far one may go until so many are ahead that it is not chosen; infinite if that never happens."""
    crossed = more | fewer
    order = np.argsort(way[crossed], kind="stable")
    number = ahead + np.cumsum(np.where(more[crossed], 1, -1)[order])
    too_many = np.flatnonzero(number >= among)
    return float(way[crossed][order][too_many[0]]) if too_many.size else math.inf
