"""Ends of intervals kept around the value and inside the range of the metric."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.intervals import drawn
from hitcurve.inference.variance import corrected
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics.ends import NOISE


def inside(spread: Spread, method: str, low: Array, high: Array) -> tuple[Array, Array]:
    """Keep the ends around the value, and inside the range of the metric."""
    if method == corrected.METHOD:  # whose value may be outside the range, and its interval is not
        return low, high
    if not spread.shape and spread.sampled and method not in drawn.METHODS and not (np.isnan(low) or np.isnan(high)):
        return _inside_of_one(spread, float(low), float(high))
    value = spread.value
    # half a subject keeps the ends off the value of a perfect order, which was observed; ends that are drawn may lie
    # beside the value, but not by a rounding
    if method in drawn.METHODS:
        near = NOISE * np.abs(value)
        low = np.where(low - value <= near, np.minimum(low, value), low)
        high = np.where(value - high <= near, np.maximum(high, value), high)
    else:
        low, high = np.minimum(low, value), np.maximum(high, value)
    least, most = spread.metric.range
    if not spread.sampled:
        # of fixed classes no list is better than the perfect one, or worse than its reverse; nan where that is unknown
        ends = [np.asarray(end(spread.counts), float) for end in (spread.metric.worst, spread.metric.best)]
        least, most = np.fmax(least, np.minimum(*ends)), np.fmin(most, np.maximum(*ends))
    # sums of weights may give a value outside, as ranks below 1
    bottom, top = np.minimum(least, value), np.maximum(most, value)
    return np.minimum(np.maximum(low, bottom), top), np.minimum(np.maximum(high, bottom), top)


def _inside_of_one(spread: Spread, low: float, high: float) -> tuple[Array, Array]:
    """Return the same of the only list, without arrays."""
    value, (least, most) = float(spread.value), spread.metric.range
    bottom, top = min(least, value), max(most, value)
    return np.asarray(min(max(min(low, value), bottom), top)), np.asarray(min(max(high, value, bottom), top))
