"""Quantiles of Student's t and of the normal distribution."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np


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
        quantile = np.where(several > 1e10, special.ndtri(p), special.stdtrit(np.clip(several, 1e-6, 1e10), p))[place]
    else:
        quantile = np.full(found.shape, special.ndtri(p))
    return quantile


@lru_cache(maxsize=1024)
def _of_one(p: float, degrees: float) -> float:
    import hitcurve._special as special

    return float(special.ndtri(p) if degrees > 1e10 else special.stdtrit(max(degrees, 1e-6), p))
