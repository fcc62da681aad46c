"""What a reader study holds: the numbers of each metric, looked up by name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import ParameterError
from hitcurve.immutable import Compared
from hitcurve.inference import DesignEffect
from hitcurve.readers.cells import Cells, Study
from hitcurve.readers.components import Components
from hitcurve.readers.points import Quantity, metric_of_ratings
from hitcurve.readers.readings import Readings
from hitcurve.readers.tested import EqualityTest, Margin, ReaderDifference, ReaderMean


@dataclass(frozen=True, eq=False)
class ReaderMetric(Compared):
    """One metric of a reader study.

    Attributes
    ----------
    metric : Metric or RatingPoint
    cells : Cells
        Values of each reader and modality with their covariance over cases.
    components : Components
    means : tuple of ReaderMean
        Over the readers of each modality.
    differences : tuple of ReaderDifference
        Of modalities, averaged over readers.
    of_readers : tuple of ReaderDifference
        Of modalities for each reader alone, with errors over cases.
    equality : EqualityTest or None
        That all modalities are equal; None of one modality.
    design_effect : DesignEffect or None
        By how much clusters widen the errors over cases, and the correlation within them; None without clusters.
    """

    metric: Quantity
    cells: Cells
    components: Components
    means: tuple[ReaderMean, ...]
    differences: tuple[ReaderDifference, ...]
    of_readers: tuple[ReaderDifference, ...]
    equality: EqualityTest | None
    design_effect: DesignEffect | None = None

    @property
    def value(self) -> Array:
        """Of each reader and modality, (K,)."""
        return self.cells.value


@dataclass(frozen=True, eq=False)
class Numbers(Compared):
    """The numbers of all metrics of a study."""

    results: tuple[ReaderMetric, ...]
    study: Study
    random: tuple[str, ...]
    confidence_level: float
    baseline: str | None
    margin: Margin | None
    scale: str

    @property
    def readings(self) -> Readings:
        """The readings."""
        return self.study.readings

    @property
    def readers(self) -> tuple[str, ...]:
        """Names of the readers."""
        return self.readings.readers

    @property
    def modalities(self) -> tuple[str, ...]:
        """Names of the modalities."""
        return self.readings.modalities

    @property
    def metrics(self) -> tuple[Quantity, ...]:
        """The metrics."""
        return tuple(one.metric for one in self.results)

    def __iter__(self) -> Iterator[ReaderMetric]:
        """Return the metrics one by one."""
        return iter(self.results)

    def __len__(self) -> int:
        """Return the number of metrics."""
        return len(self.results)

    def __getitem__(self, metric: Any) -> ReaderMetric:
        """Return the numbers of a metric.

        Raises
        ------
        ParameterError
            If it was not evaluated.
        """
        wanted = metric_of_ratings(metric)
        for one in self.results:
            if one.metric == wanted:
                return one
        there = [str(one) for one in self.metrics]
        raise ParameterError(
            f"{wanted} was not evaluated; metrics are {rows.listed(there)}{_checks.did_you_mean(wanted, there)}"
        )
