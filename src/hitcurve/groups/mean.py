"""The mean of a metric over groups, with its uncertainty."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, UndefinedMetricError
from hitcurve.immutable import Compared
from hitcurve.inference import ConfidenceInterval
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.rounding import deviation
from hitcurve.metrics import Metric, TopicMeasure

_KINDS = {"mean": "mean", "sum": "sum", "geometric": "geometric mean"}


@dataclass(frozen=True, eq=False)
class GroupMean(Compared):
    """The mean of a metric over groups (a macro average): every group has the same weight, whatever its size.

    Of numbers of documents of runs it is the sum, and of GMAP and GMBpref the geometric mean; these have no interval.

    Its uncertainty is that of another sample of groups: the interval is ``mean -+ t s / sqrt(G)`` with G - 1 degrees of
    freedom, kept inside the range of the metric. Folds of one data set share their training data: with n2 test subjects
    for n1 training subjects, 1/G becomes 1/G + n2/n1 (Nadeau and Bengio 2003).

    Attributes
    ----------
    ranker : str
    metric : Metric
    values : array (G,)
        Of each group.
    confidence_level : float
    within_error : float
        Standard error for these very groups with other subjects, from the standard errors of the groups; nan where
        a group has none.
    overlap : float
        Test subjects for each training subject, n2/n1, if groups are folds of one data set; 0 if they are independent.
    unit : {"groups", "topics"}
        What the groups are called.

    Examples
    --------
    >>> from hitcurve import evaluate
    >>> y, topic = [1, 0, 0, 0, 1, 0, 0, 1, 0], [1, 1, 1, 2, 2, 2, 3, 3, 3]
    >>> mean = evaluate(y, [3, 2, 1, 3, 2, 1, 1, 2, 3], by=topic, metrics="ap").mean("score", "ap")
    >>> mean.n_groups, round(mean.value, 4), [round(end, 4) for end in mean.confidence_interval()]
    (3, 0.6667, [0.0, 1.0])
    """

    ranker: str
    metric: Metric
    values: Array
    confidence_level: float = 0.95
    within_error: float = math.nan
    overlap: float = 0.0
    unit: str = "groups"

    @property
    def n_groups(self) -> int:
        """Number of groups, G."""
        return int(self.values.size)

    @property
    def value(self) -> float:
        """The mean, sum or geometric mean; nan where no group has a value."""
        if not self.n_groups:
            return math.nan
        if isinstance(self.metric, TopicMeasure):
            return self.metric.summary_of(self.values)
        return float(np.mean(self.values))

    @property
    def kind(self) -> str:
        """What the value is: mean, sum or geometric mean."""
        return _KINDS[self.metric.aggregate] if isinstance(self.metric, TopicMeasure) else "mean"

    @property
    def is_mean(self) -> bool:
        """Whether it is the mean, which has an interval."""
        return self.kind == "mean"

    @property
    def median(self) -> float:
        """The middle group; nan where no group has a value."""
        return self._one(np.median(self.values)) if self.n_groups else math.nan

    @property
    def lowest(self) -> float:
        """The lowest of the groups; nan where no group has a value."""
        return self._one(np.min(self.values)) if self.n_groups else math.nan

    @property
    def highest(self) -> float:
        """The highest of the groups; nan where no group has a value."""
        return self._one(np.max(self.values)) if self.n_groups else math.nan

    def _one(self, value: Any) -> float:
        """Return the value of one group on the scale of the value of all; those of geometric means are logarithms."""
        return math.exp(value) if self.kind == "geometric mean" else float(value)

    @property
    def called(self) -> str:
        """Name of the groups in print: groups, topics, or folds of one data set."""
        return "folds" if self.overlap else self.unit

    @property
    def standard_deviation(self) -> float:
        """Of the groups, with divisor G - 1; nan for one group."""
        return float(deviation(self.values)) if self.n_groups > 1 and self.is_mean else math.nan

    @property
    def standard_error(self) -> float:
        """Of the mean, over samples of groups; nan for one group."""
        return self.standard_deviation * math.sqrt(1 / self.n_groups + self.overlap) if self.n_groups else math.nan

    def confidence_interval(self, confidence_level: float | None = None) -> ConfidenceInterval:
        """Return the t interval of the mean over groups, inside the range of the metric.

        Raises
        ------
        InsufficientDataError
            If there is one group only, or all groups have one value.
        UndefinedMetricError
            If it is a sum or a geometric mean.
        """
        if not self.is_mean:
            raise UndefinedMetricError(f"{self.metric} is a {self.kind} over {self.unit}, which has no interval")
        level = self.confidence_level if confidence_level is None else confidence_level
        level = _checks.level("confidence_level", level)
        if self.n_groups < 2:
            raise InsufficientDataError(f"an interval of a mean needs at least 2 {self.called}, got 1")
        if not self.standard_error > 0:
            raise InsufficientDataError(f"the {self.called} do not vary here: a standard error of 0 gives no interval")
        half = t_quantile((1 + level) / 2, self.n_groups - 1) * self.standard_error
        low, high = self.metric.range
        return ConfidenceInterval(max(self.value - half, low), min(self.value + half, high))

    @property
    def interval(self) -> ConfidenceInterval | None:
        """The interval at the level of the evaluation, None for one group, or if the groups do not vary."""
        return self.confidence_interval() if self.is_mean and self.standard_error > 0 else None

    def __float__(self) -> float:
        """Return the mean."""
        return self.value

    def __str__(self) -> str:
        """Return mean and interval in words."""
        return (
            f"{rows.in_line(self.ranker)}: {self.metric} = {rows.with_interval(self.value, self.interval)}, "
            f"{self.kind} of {self.n_groups}"
        )

    def _repr_html_(self) -> str:
        """Return the mean with its uncertainty as a table of a notebook."""
        level = f"{100 * self.confidence_level:g}% interval"
        numbers = {
            self.kind: self.value,
            "standard error": self.standard_error,
            "standard deviation": self.standard_deviation,
            "median": self.median,
            "lowest": self.lowest,
            "highest": self.highest,
            f"error within {self.called}": self.within_error,
        }
        lines = {self.called: f"{self.n_groups:,}"}
        lines |= {name: rows.number(value) for name, value in numbers.items() if not math.isnan(value)}
        if self.interval is not None:
            by = f"{'corrected ' if self.overlap else ''}t over {self.called}"
            lines[level] = f"{rows.number(self.interval.low)} to {rows.number(self.interval.high)} ({by})"
        title = f"{rows.in_line(self.ranker)}: {self.metric}, {self.kind} over {self.called}"
        return rows.html_block([rows.html_paragraphs([title]), rows.html_table([], list(map(list, lines.items())))])
