"""Quantiles of Student's t and of the normal distribution."""

from __future__ import annotations

from typing import Any

import numpy as np


def t_quantile(p: float, degrees: Any) -> Any:
    """Return a quantile of Student's t, of the normal where degrees are infinite: a float, or an array."""
    from scipy.special import ndtri, stdtrit

    found = np.asarray(degrees, float)
    if not found.ndim:
        return float(ndtri(p) if found > 1e10 else stdtrit(max(float(found), 1e-6), p))
    if not np.all(found > 1e10):
        # of many lists most have the degrees of another
        several, place = np.unique(found, return_inverse=True)
        quantile = np.where(several > 1e10, ndtri(p), stdtrit(np.clip(several, 1e-6, 1e10), p))[place]
    else:
        quantile = np.full(found.shape, ndtri(p))
    return quantile
