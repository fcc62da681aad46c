"""Metrics of which the lowest value is the best, where the highest is taken."""

from __future__ import annotations

from hitcurve.errors import ParameterError
from hitcurve.metrics.metric import Metric


def check_higher_is_better(metric: Metric, what: str) -> None:
    """Refuse a rate of errors where the highest value is taken.

    Raises
    ------
    ParameterError
        If lower values of the metric are better.
    """
    if metric.lower_is_better:
        raise ParameterError(
            f"{what} takes the highest value, and lower is better for {metric}: use a metric such as "
            "specificity@sensitivity=95%, of which higher is better"
        )
