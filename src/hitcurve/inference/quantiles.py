"""Quantiles of Student's t and of the normal distribution."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

_NEAR = 1e-2  # of a probability to 1/2, where scipy loses digits of quantiles: all of them at 4 degrees of freedom
_SMALL = 1e-4  # square of a quantile up to which its series has all digits


def t_quantile(p: float, degrees: Any) -> Any:
    """Return a quantile of Student's t, of the normal where degrees are infinite: a float, or an array."""
    found = np.asarray(degrees, float)
    if found.size == 1:
        one = _of_one(float(p), float(found.item()))
        return np.full(found.shape, one) if found.ndim else one
    import hitcurve._special as special

    if not np.all(found > 1e10):
        # of many lists most have the degrees of another
        several, place = np.unique(found, return_inverse=True)
        quantile = np.where(several > 1e10, special.ndtri(p), _students(p, np.clip(several, 1e-6, 1e10)))[place]
    else:
        quantile = np.full(found.shape, special.ndtri(p))
    return quantile


@lru_cache(maxsize=1024)
def _of_one(p: float, degrees: float) -> float:
    import hitcurve._special as special

    return float(special.ndtri(p) if degrees > 1e10 else _students(p, max(degrees, 1e-6)))


def _students(p: float, degrees: Any) -> Any:
    """Return a quantile of Student's t, near the median by its series in (p - 1/2) over the density there."""
    import hitcurve._special as special

    if abs(p - 0.5) > _NEAR:
        return special.stdtrit(degrees, p)
    first = (p - 0.5) * np.sqrt(degrees) * special.beta(0.5, degrees / 2)
    square, inverse = first * first, 1 / degrees
    series = first * (1 + square * ((1 + inverse) / 6 + square * (7 + inverse * (8 + inverse)) / 120))
    return np.where((1 + inverse) * square < _SMALL, series, special.stdtrit(degrees, p))
