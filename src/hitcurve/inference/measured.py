"""Simulated coverage of default intervals, where it is low or was not simulated."""

from __future__ import annotations

from hitcurve.metrics import Metric

LOWEST = {"momentum": 0.79, "pauc": 0.80, "prg_area": 0.74, "rie": 0.84}
"""Coverage of 95% intervals in the cohort where it is lowest, by the name of the metric: all below 85%.

Of 50 simulated cohorts with up to 200 positives; validation/results/defaults_weakest.csv has all metrics.
"""
UP_TO = 200
"""Positives of the largest cohorts."""


def of_simulations(metric: Metric, n_pos: float) -> list[str]:
    """Return a caveat if intervals of a metric covered too seldom in simulations, or were not simulated.

    Parameters
    ----------
    metric : Metric
    n_pos : float
        Effective number of positives.
    """
    if type(metric).__module__.partition(".")[0] != __name__.partition(".")[0]:
        return [f"coverage of the intervals of {metric} was not simulated: the metric is not part of hitcurve"]
    lowest = LOWEST.get(metric.name)
    if lowest is None or n_pos > UP_TO:
        return []
    return [f"simulated coverage of 95% intervals of {metric.name} was {100 * lowest:.0f}% in the worst of 50 cohorts"]
