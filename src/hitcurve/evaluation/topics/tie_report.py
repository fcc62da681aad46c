"""Topics of a run in which the order of equal scores decides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from hitcurve import rows
from hitcurve.metrics import Metric

_MOST = 4  # metrics that are named


class TieReport(NamedTuple):
    """What the order of equal scores changes in one metric of one run.

    Attributes
    ----------
    ranker : str
    metric : Metric
    topics : tuple of str
        Topics whose value depends on the order; none where that is not known.
    value : float
        Over all topics, with equal scores as they were taken.
    low, high : float
        The same with the order that is worst in each topic, and with the best; nan where it is not known which orders
        these are (infAP, Judged@k, RBP_residual, measures of subtopics), if there are equal scores.
    """

    ranker: str
    metric: Metric
    topics: tuple[str, ...]
    value: float
    low: float
    high: float

    @property
    def is_known(self) -> bool:
        """Whether the range over orders is known."""
        return not math.isnan(self.low)


def few_of(names: Sequence[str]) -> str:
    """Return names in words, some of them where there are many."""
    return rows.listed(names if len(names) <= _MOST else [*names[: _MOST - 1], f"{len(names) - _MOST + 1:,} more"])


def reports_in_words(reports: Sequence[TieReport], topics: int) -> list[str]:
    """Return a sentence for each run in which the order of equal scores decides some metric."""
    found: dict[str, list[TieReport]] = {}
    for report in reports:
        if report.topics:
            found.setdefault(report.ranker, []).append(report)
    lines = []
    for ranker, own in found.items():
        most = max(own, key=lambda report: report.high - report.low)
        number = max(len(report.topics) for report in own)
        shown = few_of([str(report.metric) for report in own])
        lines.append(
            f"{ranker}: the order of equal scores changes {shown} in up to {number:,} of {topics:,} topics; "
            f"{most.metric} is {rows.number(most.low)} to {rows.number(most.high)} over orders, "
            f"{rows.number(most.value)} as taken"
        )
    unknown: dict[str, list[str]] = {}
    for report in reports:
        if not (report.is_known or math.isnan(report.value)):
            unknown.setdefault(report.ranker, []).append(str(report.metric))
    return [
        *lines,
        *(
            f"{ranker}: the range of {few_of(own)} over orders of equal scores is not known"
            for ranker, own in unknown.items()
        ),
    ]
