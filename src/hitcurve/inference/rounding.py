"""What is too small against its terms to be more than their rounding is 0."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.metrics import Metric
from hitcurve.metrics.ends import NOISE

OF_SUMS = 1e-14
"""Sums of products of many subjects, relative to the sum of their sizes."""
_OF_FORMULAS = 1e-12  # derivatives in closed form, relative to the best value
_OF_DIFFERENCES = 1e-9  # derivatives taken numerically


def subtracted(first: float, second: float) -> float:
    """Return first minus second, 0 if they differ by rounding."""
    apart = first - second
    return apart if abs(apart) > NOISE * max(abs(first), abs(second)) else 0.0


def of_influence(metric: Metric, c: Counts, *, numeric: bool) -> Array:
    """Return the influence of the whole of a class on a metric that is rounding.

    Nothing varies where the order is perfect; what a formula then leaves is no error.
    """
    with np.errstate(all="ignore"):
        scale = np.abs(np.asarray(metric.best(c), float))
    return np.where(np.isfinite(scale), scale, 0.0) * (_OF_DIFFERENCES if numeric else _OF_FORMULAS)
