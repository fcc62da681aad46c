"""Comparisons that the options ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hitcurve.evaluation import Evaluation
    from hitcurve.inference import Comparison
    from hitcurve.metrics import Metric


@dataclass(frozen=True)
class Tests:
    """Which rankers are compared, by what."""

    metrics: tuple[str, ...]
    baseline: str | None
    method: str
    adjust: str
    seed: int
    n_resamples: int | None

    def __post_init__(self) -> None:
        from hitcurve import _checks
        from hitcurve.errors import ParameterError
        from hitcurve.inference import METHODS

        _checks.choice("--method", self.method, METHODS)
        _checks.choice("--adjust", self.adjust, ("holm", "max-t"))
        if not self.metrics and self.baseline is not None:
            raise ParameterError("--baseline goes with --compare METRIC")

    def with_metrics(self, wanted: tuple[Metric, ...]) -> tuple[Metric, ...]:
        """Return the metrics to evaluate, those of the comparisons included."""
        from hitcurve.metrics import metrics

        return metrics([*wanted, *self.metrics]) if self.metrics else wanted

    def run(self, result: Evaluation) -> list[Comparison]:
        """Compare: all pairs, or all with the baseline, adjusted within each metric."""
        return [
            comparison
            for metric in self.metrics
            for comparison in result.compare_all(
                metric,
                baseline=self.baseline,
                adjust=self.adjust,
                method=self.method,
                n_resamples=self.n_resamples,
                rng=self.seed,
            )
        ]
