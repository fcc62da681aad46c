"""Simulated coverage of the default intervals where it is low.

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
    """Return a caveat on the coverage of the default interval: how low it was, or that it was not simulated.

    Parameters
    ----------
    metric : Metric
    n_pos : float
        Effective number of positives.
    """
    if type(metric).__module__.partition(".")[0] != __name__.partition(".")[0]:
        return [f"the coverage of intervals of {metric} has not been simulated"]
    lowest = LOWEST.get(metric.name)
    if lowest is None or n_pos > UP_TO:
        return []
    return [
        f"simulated coverage of 95% intervals of {metric.name} was only {100 * lowest:.0f}% in the worst of 50 cohorts"
    ]
