"""Differences that are no larger than the rounding of their terms become 0."""

from __future__ import annotations

import math

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.inference.pvalues import HAIR
from hitcurve.metrics import Metric
from hitcurve.metrics.ends import NOISE

OF_SUMS = 1e-14
"""Sums of products of many subjects, relative to the sum of their sizes."""
_OF_FORMULAS = 1e-12  # derivatives in closed form, relative to the best value
_OF_DIFFERENCES = 1e-9  # derivatives taken numerically


def differences(first: Array, second: Array, noise: float = NOISE) -> Array:
    """Return first minus second one by one, 0 where they differ by rounding."""
    apart = np.asarray(first, float) - second
    return np.where(np.abs(apart) <= noise * np.maximum(np.abs(first), np.abs(second)), 0.0, apart)


def subtracted(first: float, second: float) -> float:
    """Return first minus second, 0 if they differ by rounding."""
    return float(differences(np.asarray(first), np.asarray(second)))


def deviation(values: Array, scale: float = 0.0) -> Array:
    """Return the standard deviation along the first axis, with divisor n - 1; 0 where values differ by rounding.

    The values are those of several lists, each with its own rounding; ``scale`` is the size of what they are
    differences of.
    """
    alike = np.ptp(values, axis=0) <= HAIR * np.maximum(np.max(np.abs(values), axis=0), scale)
    return np.where(alike, 0.0, np.std(values, axis=0, ddof=1))


def scale_of(*values: Array) -> float:
    """Return the power of two that brings the largest value to between 1 and 2; 1 where all are 0."""
    largest = max(float(np.max(np.abs(x), initial=0.0)) for x in values)
    return math.ldexp(1.0, math.frexp(largest)[1] - 1) if 0 < largest < math.inf else 1.0


def without_noise(sums: Array, share: Array, noise: Array) -> Array:
    """Return sums of influence values within clusters, 0 where they are the rounding of their subjects.

    Parameters
    ----------
    sums : array (C, R)
        Of each cluster and metric.
    share : array (C,)
        Of the positives and of the negatives in each cluster, added.
    noise : array (R,)
        Of the influence of a whole class.
    """
    return np.where(np.abs(sums) <= np.outer(share, noise), 0.0, sums)


def of_influence(metric: Metric, c: Counts, *, numeric: bool) -> Array:
    """Return the influence of the whole of a class on a metric that is rounding.

    Nothing varies where the order is perfect; what a formula then leaves is no error.
    """
    noise = _OF_DIFFERENCES if numeric else _OF_FORMULAS
    if metric.perfect_value is not None:
        return np.full(c.shape, abs(metric.perfect_value) * noise)
    if not c.shape:
        best = abs(float(metric.best(c)))
        if math.isfinite(best):
            return np.asarray(best * noise)
    with np.errstate(all="ignore"):
        scale = np.abs(np.asarray(metric.best(c), float))
        if np.isnan(scale).any():  # without a largest value
            scale = np.where(np.isnan(scale), np.abs(np.asarray(metric.kernel(c), float)), scale)
    return np.where(np.isfinite(scale), scale, 0.0) * noise
