"""Which lists have no standard error or no interval, and why."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from hitcurve import rows
from hitcurve.errors import InsufficientDataError
from hitcurve.inference.variance.influence import not_seen
from hitcurve.refusals import Refusal

if TYPE_CHECKING:
    from hitcurve.inference.variance.spread import Spread
    from hitcurve.metrics import Metric

FEWEST = 5  # of either class, for an interval that was not asked for by name


def without_error(spread: Spread, what: str = "standard error") -> Iterator[Refusal]:
    """Yield the lists that have no standard error (or interval)."""
    yield Refusal(
        spread.fewer < 2,
        f"a {what} of {spread.metric} needs at least 2 subjects of each class",
        InsufficientDataError,
    )
    if spread.clustered is not None:
        yield Refusal(
            np.isnan(spread.clustered.variance),
            f"{spread.metric} has no influence values, which an error of "
            f"{'censored' if spread.clustered.of_subjects else 'clustered'} subjects needs",
        )
    if spread.metric.jumps and spread.sums.weighted:
        yield Refusal(
            True, f"{spread.metric} changes in jumps from positive to positive, so weighted subjects give no {what}"
        )
    yield from not_seen(spread.metric, spread.counts)


def too_few(spread: Spread, *, by_name: bool = True) -> Iterator[Refusal]:
    """Yield the lists with too few subjects for an interval that was not asked for by name, if it can be."""
    n1, n0 = spread.effective
    advice = "; pass method=... (command line: --interval-method) to compute one anyway, from 2{} on"
    by_name_from = advice if by_name else ""
    yield Refusal(
        spread.fewer < FEWEST,
        lambda index: (
            f"{rows.too_few(*_fewer(n1[index], n0[index]), 3)} for an interval of {spread.metric} (at least "
            f"{FEWEST} of either class){by_name_from.format(' of either class')}"
        ),
        InsufficientDataError,
    )
    if spread.clustered is not None:
        clusters = spread.clusters
        yield Refusal(
            clusters < FEWEST,
            lambda index: (
                f"{of_clusters(clusters[index])} {'is' if clusters[index] == 1 else 'are'} too few for an interval of "
                f"{spread.metric} (at least {FEWEST}){by_name_from.format('')}"
            ),
            InsufficientDataError,
        )
    yield from never_sampled(spread)


def never_sampled(spread: Spread) -> Iterator[Refusal]:
    """Yield the lists whose prevalence was set so low that hardly any negative decides precision there."""
    if spread.metric.decided_by_prevalence:
        yield Refusal(
            spread.deciding < FEWEST,
            lambda index: (
                f"{spread.metric} at a set prevalence depends on only "
                f"{rows.counted(spread.deciding[index], 'negative', 3)} (at least "
                f"{FEWEST} are needed): the sample lacks the false positives that determine precision"
            ),
            InsufficientDataError,
        )


def of_topics(metric: Metric) -> str:
    """Say why a metric that a table does not have has no error."""
    return f"{metric} is one value for each topic: take the standard error of the mean over topics"


def number_of_fewer(n1: float, n0: float, *, or_equal: bool = False) -> str:
    """Return the number of the smaller class, and which it is."""
    return rows.counted(*_fewer(n1, n0, or_equal=or_equal), 3)


def of_clusters(number: float, contain: str = " that contain a positive") -> str:
    """Return a number of clusters that contain a positive: 1 cluster that contains one."""
    found = rows.counted(number, "cluster", 6)
    return found + (contain if found.endswith("s") else contain.replace("contain", "contains"))


def _fewer(n1: float, n0: float, *, or_equal: bool = False) -> tuple[float, str]:
    return (n1, "positive") if (n1 <= n0 if or_equal else n1 < n0) else (n0, "negative")
