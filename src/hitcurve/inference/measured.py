"""What default 95% intervals covered at the lowest, in simulated cohorts whose truth is known (``validation.defaults``)."""

from __future__ import annotations

from hitcurve.metrics import Metric

UP_TO = 200
"""Positives expected in the largest of the cohorts."""
_WEAK = 0.9
_LOWEST: dict[str, float] = {}


def said_of(metric: Metric, n_pos: float) -> list[str]:
    """Say so where the interval of a metric was not measured, or misses far more than its name says."""
    lowest = _LOWEST.get(metric.name)
    if lowest is None:
        return [f"the interval of {metric} is not validated: its coverage was not simulated"]
    if lowest >= _WEAK or n_pos > UP_TO:
        return []
    return [f"95% intervals of {metric} covered {lowest:.2f} at the lowest in simulations with up to {UP_TO} positives"]
