"""One number with what it needs to be read."""

from __future__ import annotations

from dataclasses import dataclass, field

from hitcurve import rows
from hitcurve.errors import UndefinedMetricError
from hitcurve.metrics import Metric
from hitcurve.table import HitTable

_MOST_ROWS = 10_000_000  # breaking ties strictly takes a row for each positive


@dataclass(frozen=True, eq=False)
class Estimate:
    """The value of a metric for one ranker, with its context.

    The table it came from is kept, so that all the context is computed when it is asked for.

    Attributes
    ----------
    ranker : str
    metric : Metric
    value : float
        nan if the metric is undefined here and ``undefined="nan"`` was asked for.
    table : HitTable
    """

    ranker: str
    metric: Metric
    value: float
    table: HitTable = field(repr=False)

    def __float__(self) -> float:
        """Return the value."""
        return self.value

    @property
    def n(self) -> float:
        """Number of subjects (sum of weights)."""
        return self.table.n

    @property
    def n_pos(self) -> float:
        """Number of positives (sum of weights)."""
        return self.table.n_pos

    @property
    def tied(self) -> float:
        """Subjects whose score is shared by both classes."""
        return self.table.tied

    @property
    def random(self) -> float:
        """Value of the list whose subjects are all tied."""
        return float(self.metric.random(self.table))

    @property
    def random_mean(self) -> float | None:
        """Expectation over strict orders, None where it has no closed form."""
        return self.metric.random_mean(self.table)

    @property
    def best(self) -> float:
        """Value of the perfect order: the attainable maximum."""
        return float(self.metric.best(self.table))

    @property
    def worst(self) -> float:
        """Value of the reversed perfect order."""
        return float(self.metric.worst(self.table))

    @property
    def tie_range(self) -> tuple[float, float] | None:
        """Values with every tie broken against and in favour of the positives; None if no order decides.

        Average precision with ``ties="group"`` may lie outside them: it takes the precision at the end of a
        group, which no strict order of the group does for all its positives.
        """
        undecided = self.table.tied or self.table.tied_pos
        if not undecided or self.table.weighted or self.n_pos > _MOST_ROWS:
            return None
        try:
            low, high = (self.metric.value(t) for t in (self.table.worst_ties(), self.table.best_ties()))
        except UndefinedMetricError:
            return None
        return low, high

    @property
    def convention(self) -> str:
        """Which of the conventions that differ between tools the value follows."""
        return self.metric.convention(self.table)

    def __str__(self) -> str:
        """Return ``a: ap = 0.1439 (random 0.007846, best 1)``."""
        return (
            f"{self.ranker}: {self.metric} = {rows.number(self.value)} "
            f"(random {rows.short(self.random)}, best {rows.short(self.best)})"
        )
