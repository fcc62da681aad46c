"""Quantiles of Student's t and of the normal distribution."""

from __future__ import annotations

from typing import Any

import numpy as np


def t_quantile(p: float, degrees: Any) -> Any:
    """Return a quantile of Student's t, of the normal where degrees are infinite: a float, or an array."""
    from scipy.special import ndtri, stdtrit

    found = np.asarray(degrees, float)
    if not np.all(found > 1e10):
        finite = stdtrit(np.clip(found, 1e-6, 1e10), p)
        quantile = np.where(found > 1e10, ndtri(p), finite)
    else:
        quantile = np.full(found.shape, ndtri(p))
    return quantile if quantile.ndim else float(quantile)
