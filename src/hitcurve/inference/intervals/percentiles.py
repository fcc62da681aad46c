"""Ends of an interval from bootstrap replicates: percentiles, and those corrected for bias and skewness."""

from __future__ import annotations

import math

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import ParameterError


def check_enough(draws: int, level: float) -> None:
    """Refuse fewer replicates than put one beyond each end.

    Raises
    ------
    ParameterError
    """
    least = math.ceil(2 / (1 - level) - 1e-9)
    if draws < least:
        raise ParameterError(
            f"percentiles at level {level:g} need at least {least} bootstrap replicates, got {draws}: raise n_resamples"
        )


def percentile(drawn: Array, level: float) -> Array:
    """Return the percentiles of the replicates."""
    return np.asarray(np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]))


def bca(drawn: Array, value: float, acceleration: float, level: float) -> Array:
    """Return percentiles corrected for bias and acceleration (Efron 1987).

    Parameters
    ----------
    drawn : array (draws,)
    value : float
        The estimate.
    acceleration : float
        Sum of the cubes of the influence values over 6 times the power 3/2 of the sum of their squares.
    level : float
    """
    from scipy.special import ndtr, ndtri

    # what rounding may make of a difference that is 0
    equal = np.abs(drawn - value) <= 1e-12 * max(abs(value), 1.0)
    below = (np.sum((drawn < value) & ~equal) + np.sum(equal) / 2) / drawn.size
    bias = float(ndtri(np.clip(below, 1 / (2 * drawn.size), 1 - 1 / (2 * drawn.size))))
    z = bias + np.array(ndtri([(1 - level) / 2, (1 + level) / 2]))
    return np.asarray(np.quantile(drawn, ndtr(bias + z / (1 - acceleration * z))))
