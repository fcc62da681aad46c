"""Rankers at one or several horizons: what is asked of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hitcurve import rows
from hitcurve.inference import Comparison, Comparisons
from hitcurve.metrics import Metric
from hitcurve.survival.printed import PrintedSurvival


@dataclass(frozen=True, eq=False)
class SurvivalEvaluation(PrintedSurvival):
    """Metrics of one or several rankers at one or several horizons.

    ``evaluation["a", "ap", 365]`` is one :class:`~hitcurve.Estimate`, and ``evaluation.at(365)`` the evaluation of one
    horizon, with everything that an :class:`~hitcurve.Evaluation` has.

    Attributes
    ----------
    horizons : tuple of float
        Ascending.
    metrics : tuple of Metric
    rule : {"timeroc", "sksurv", "aptools"}
    design : {"cohort", "case-control"}
    """

    # ---- comparisons

    def compare(
        self, first: str, second: str, metric: str | Metric, horizon: float | None = None, **options: Any
    ) -> Comparison:
        """Test the difference of two rankers at one horizon, first minus second.

        Parameters
        ----------
        first, second : str
        metric : str or Metric
        horizon : float, optional
            The only one if absent.
        **options
            As in :meth:`hitcurve.Evaluation.compare`. Where subjects were censored, ``auto`` is ``delta``: by influence
            values that know that the distribution of the censoring was estimated.
        """
        return self._one(horizon).compare(first, second, metric, **options)

    def compare_all(self, metric: str | Metric, horizon: float | None = None, **options: Any) -> Comparisons:
        """Compare all rankers at one horizon; options as in :meth:`hitcurve.Evaluation.compare_all`."""
        return self._one(horizon).compare_all(metric, **options)

    def __repr__(self) -> str:
        """Return the size."""
        times = ", ".join(f"{horizon:g}" for horizon in self.horizons)
        return (
            f"<SurvivalEvaluation of {len(self.rankers)} rankers at horizons {times} by "
            f"{rows.listed(list(map(str, self.metrics)))}>"
        )
