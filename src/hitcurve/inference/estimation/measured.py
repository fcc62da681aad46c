"""Simulated coverage of default intervals, and caveats where it is low or was not simulated."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from hitcurve.metrics import Metric, metric

COVERAGE = {
    "prg_area": (0.74, 0.93),
    "momentum": (0.79, 0.94),
    "pauc(tpr, 0.8, 1, scale=max)": (0.80, 0.95),
    "rie(alpha=20)": (0.84, 0.96),
    "magnified_area(y=exp(alpha=7))": (0.85, 0.95),
    "scaled_ap": (0.87, 0.95),
    "pr_area(keilwagen)": (0.87, 0.95),
    "pr_area(davis_goadrich)": (0.87, 0.95),
    "proc": (0.87, 0.95),
    "magnified_area(x=exp(alpha=7), y=exp(alpha=3))": (0.88, 0.95),
    "ap": (0.88, 0.96),
    "croc(exp, alpha=20)": (0.89, 0.96),
    "slr": (0.89, 0.95),
    "ndcg": (0.89, 0.98),
    "pauc(fpr, 0, 0.1)": (0.90, 0.97),
    "ap(ties=expected)": (0.90, 0.95),
    "interpolated_ap": (0.91, 0.95),
    "expected_negative_recall(beta(6.23, 32.8))": (0.91, 0.95),
    "recall@1%": (0.92, 0.98),
    "ef@1%": (0.92, 0.98),
    "bedroc(alpha=20)": (0.93, 0.96),
    "f1@10%": (0.93, 0.97),
    "logauc(0.001, 1)": (0.93, 0.97),
    "hits@10": (0.94, 0.98),
    "precision@10": (0.94, 0.98),
    "precision@5%": (0.94, 0.97),
    "roc_enrichment@10%": (0.94, 0.97),
    "atd": (0.94, 0.95),
    "recall@precision=90%": (0.94, 1.00),
    "half_auc(sensitive)": (0.94, 0.95),
    "logauc(0.01, 1)": (0.94, 0.96),
    "auac": (0.94, 0.96),
    "auc": (0.94, 0.96),
    "croc(exp, alpha=7)": (0.94, 0.96),
    "rauc(beta(6.23, 32.8))": (0.94, 0.96),
    "gini": (0.94, 0.96),
    "loss": (0.94, 0.96),
    "max_f1": (0.95, 0.97),
    "half_auc(specific)": (0.95, 0.95),
    "roc_enrichment@1%": (0.95, 0.99),
    "recall@10%": (0.95, 0.97),
    "erf@10%": (0.95, 0.97),
    "roc(50)": (0.95, 0.96),
    "expected_recall(beta(6.23, 32.8))": (0.95, 0.96),
    "tpr@fpr=1%": (0.95, 0.99),
    "cac(exp, alpha=7)": (0.95, 0.96),
    "area(exp, alpha=7, along=rate)": (0.95, 0.96),
    "dcg": (0.95, 0.97),
    "wss@95%": (0.95, 0.97),
    "cac(log, alpha=80)": (0.95, 0.95),
    "specificity@sensitivity=95%": (0.95, 0.98),
    "fpr@tpr=95%": (0.95, 0.98),
    "nwss@95%": (0.95, 0.98),
    "dcg@10": (0.96, 0.97),
    "ndcg@10": (0.96, 0.97),
    "fpr@tpr=80%": (0.96, 0.97),
    "precision@recall=80%": (0.96, 0.97),
    "relative_ef@5%": (0.96, 0.98),
    "wss@80%": (0.96, 0.97),
    "recall@precision=50%": (0.96, 0.99),
    "precision@recall=50%": (0.96, 0.97),
    "sensitivity@specificity=95%": (0.96, 0.98),
    "tpr@fpr=5%": (0.96, 0.98),
    "ks": (0.96, 0.96),
    "net_benefit@10%": (0.97, 0.97),
}
"""Coverage of default 95% intervals by metric string: in the cohort where it is lowest, and in the median cohort.

Of 50 simulated cohorts with up to 200 positives; validation/results/defaults_weakest.csv has standard errors too.
"""
FRESH = {
    "momentum": 0.57,
    "rie(alpha=20)": 0.54,
    "pauc(fpr, 0, 0.1)": 0.72,
    "scaled_ap": 0.84,
    "bedroc(alpha=20)": 0.85,
}
"""The lowest in populations that nothing was tuned on, where it is lower: validation/results/shortfalls.csv."""
BY_FORMULA = {"ndcg": 0.71, "logauc": 0.81}
"""The lowest coverage there of metrics whose default draws, where a formula takes its place, by name."""
_LOW = 0.85
UP_TO = 200
"""Positives of the largest cohorts."""
COHORTS = 50
POINTS = {
    "tpr@fpr=1%": (0.91, 0.98),
    "tpr@fpr=5%": (0.92, 0.97),
    "fpr@tpr=80%": (0.93, 0.97),
    "fpr@tpr=95%": (0.94, 0.99),
    "precision@recall=50%": (0.93, 0.97),
    "precision@recall=80%": (0.94, 0.97),
    "recall@precision=50%": (0.90, 0.98),
    "recall@precision=90%": (0.94, 1.00),
    "max_f1": (0.92, 0.96),
    "net_benefit@10%": (0.95, 0.97),
    "nwss@95%": (0.94, 0.99),
    "f1@10%": (0.93, 0.98),
    "ks": (0.94, 0.97),
}
"""The same of operating points, in other cohorts: validation/results/points.csv."""
COHORTS_OF_POINTS = 30


class Simulated(NamedTuple):
    """Simulated coverage of the default 95% intervals of a metric.

    Attributes
    ----------
    form : str
        The metric.
    lowest, median : float
        In the cohort where it is lowest, and in the median cohort.
    cohorts : int
    elsewhere : bool
        Whether it is lowest in populations beside these cohorts, that nothing was tuned on.
    """

    form: str
    lowest: float
    median: float
    cohorts: int
    elsewhere: bool = False


@cache
def lowest(name: str) -> float | None:
    """Return the lowest coverage of the metrics of a name; None if none was simulated."""
    own = {text: min(low, FRESH.get(text, low)) for text, (low, _) in COVERAGE.items() if metric(text).name == name}
    return min(own.values(), default=None)


def coverage_of(wanted: Metric) -> list[Simulated]:
    """Return the simulated coverage of a metric, or else of the others of its name.

    Examples
    --------
    >>> from hitcurve import metric
    >>> coverage_of(metric("bedroc(alpha=80.5)"))
    [Simulated(form='bedroc(alpha=20)', lowest=0.85, median=0.96, cohorts=50, elsewhere=True)]
    """
    if not is_ours(wanted):
        return []
    found = [
        Simulated(text, min(low, FRESH.get(text, low)), median, COHORTS, text in FRESH)
        for text, (low, median) in COVERAGE.items()
    ]
    found += [Simulated(text, low, median, COHORTS_OF_POINTS) for text, (low, median) in POINTS.items()]
    own = [one for one in found if one.form == str(wanted)]
    return own or [one for one in found if metric(one.form).name == wanted.name]


def is_ours(wanted: Metric) -> bool:
    """Say whether a metric is one of this package."""
    return type(wanted).__module__.partition(".")[0] == __name__.partition(".")[0]


def of_simulations(metric: Metric, n_pos: float, *, may_draw: bool = True) -> list[str]:
    """Return a caveat if intervals of a metric covered too seldom in simulations, or were not simulated.

    Parameters
    ----------
    metric : Metric
    n_pos : float
        Effective number of positives.
    may_draw : bool
        Whether the default interval may be one that draws.
    """
    if not is_ours(metric):
        return [f"coverage of the intervals of {metric} was not simulated: the metric is not part of hitcurve"]
    if not may_draw and metric.name in BY_FORMULA:
        share = f"{100 * BY_FORMULA[metric.name]:.0f}%"
        return [
            f"simulated coverage of 95% intervals of {metric.name} by formula was {share} in the worst of the cohorts "
            "that nothing was tuned on"
        ]
    found = lowest(metric.name)
    if found is None or found >= _LOW or n_pos > UP_TO:
        return []
    fresh = any(text.partition("(")[0] == metric.name for text in FRESH)
    others = " and of others that nothing was tuned on" if fresh else ""
    return [
        f"simulated coverage of 95% intervals of {metric.name} was {100 * found:.0f}% in the worst of {COHORTS} cohorts"
        + others
    ]
