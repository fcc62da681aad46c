"""Intervals near the best or the worst value, where half a subject more moves a value far.

Half a subject gives a perfect order an interval that reaches far from it. It does the same to an order with a single
error: the middle of the interval is then many standard errors from the value, and the nearer end may be beside it.
Between the value and the best one is where the truth is, though: of samples of 20 positives with a true AUC of .9993, a
fifth to a quarter had intervals below it. So there an interval also reaches as far as that of the sample alone, which
is narrow, but around the value (``validation.near_ends``).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.variance.logit_scale import LogitScale
from hitcurve.inference.variance.spread import Spread

METHODS = ("end-model", "tilted", "half-subject")
"""Methods that are made of half a subject more."""
_MOVED = 0.25  # standard errors by which half a subject moves the value
_ROUNDING = 1e-12  # of the range: a value so near an end may be there


def reaching(
    spread: Spread, ends: tuple[Array, Array], tails: tuple[Any, Any], *, has_more: bool = True
) -> tuple[Array, Array]:
    """Return an interval of half a subject more that also reaches as far as that of the sample, near either end.

    Parameters
    ----------
    spread : Spread
    ends : tuple of array
        The interval; what is nan stays so.
    tails : tuple of float or array
        Standard errors from the value to the lower and to the upper end.
    has_more : bool, default True
        Whether the value with half a subject more was made for the interval.
    """
    if spread.bounds is None:
        return ends
    worst, best = spread.bounds
    if not has_more:
        n1, n0 = spread.effective
        # half a subject moves a value by about half its class at most
        far = np.abs(best - worst) * (1 / n1 + 1 / n0) / 2
        if not np.any(far > _MOVED * np.sqrt(spread.variance)):
            return ends
    more = spread.with_half_subject
    moved = np.abs(spread.value - more.value) > _MOVED * np.sqrt(more.variance)
    if not moved.any():
        return ends
    # of a perfect order the sample says nothing; of one that seems so by rounding, all from 0 to 1
    moved &= np.minimum(np.abs(spread.value - worst), np.abs(best - spread.value)) > _ROUNDING * np.abs(best - worst)
    if not moved.any():
        return ends
    scale = LogitScale(worst, best)
    place, length = scale.around(spread.value, np.sqrt(spread.variance))
    sample = scale.down(place - tails[0] * length), scale.down(place + tails[1] * length)
    own = np.minimum(*sample), np.maximum(*sample)  # of rates of errors the best value is the lower one
    low, high = ends
    return np.where(moved, np.minimum(low, own[0]), low), np.where(moved, np.maximum(high, own[1]), high)
