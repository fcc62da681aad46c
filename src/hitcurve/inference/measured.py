"""What simulations found of the default intervals, for those who read one.

The numbers are those of ``validation/results/defaults_weakest.csv``: the lowest coverage of a 95% interval over 50
populations, prevalences and sizes up to 200 positives, of metrics that reach less than 90% somewhere.
"""

from __future__ import annotations

from hitcurve.metrics import Metric

LOWEST = {
    "prg_area": 0.69,
}
"""The lowest coverage, by the name of the metric, of those below 90%."""
UP_TO = 200
"""Positives of the largest samples."""


def of_simulations(metric: Metric, n_pos: float) -> list[str]:
    """Say how low the default interval of a metric covered, or that nobody has looked.

    Parameters
    ----------
    metric : Metric
    n_pos : float
        Effective number of positives.
    """
    if type(metric).__module__.partition(".")[0] != __name__.partition(".")[0]:
        return [f"whether intervals of {metric} hold the true value has not been checked by simulation"]
    lowest = LOWEST.get(metric.name)
    if lowest is None or n_pos > UP_TO:
        return []
    return [
        f"95% intervals of {metric.name} held the true value in only {100 * lowest:.0f}% of the samples of one of 50 "
        "simulated cohorts"
    ]
