"""What scikit-learn asks of a metric that is given as ``scoring=``."""

from __future__ import annotations

from typing import Any, NoReturn, Protocol

from hitcurve.errors import ThresholdScoringError


class AsScorer(Protocol):
    """A metric in the place of a scorer."""

    @property
    def __name__(self) -> str:
        """Written form; scikit-learn's make_scorer asks for it."""
        return str(self)

    @property
    def _score_func(self) -> NoReturn:
        """Refuse to score decisions, which is what scikit-learn's search for a threshold asks this for."""
        raise ThresholdScoringError(
            f"{self} measures a ranking, which does not depend on the threshold of a decision: choose the threshold by "
            "a metric of decisions, such as scoring='f1', and evaluate the ranking of the fitted model"
        )

    def get_metadata_routing(self) -> Any:
        """Return the metadata requests of the scorer, so that scikit-learn never ignores weights silently."""
        from hitcurve.metrics.scorer import scorer  # which knows metrics

        metric: Any = self
        return scorer(metric).get_metadata_routing()

    def set_score_request(self, *, sample_weight: bool | str | None) -> Any:
        """Return :func:`hitcurve.scorer` of the metric, which uses sample weights (True) or ignores them (False)."""
        from hitcurve.metrics.scorer import scorer  # which knows metrics

        metric: Any = self
        return scorer(metric).set_score_request(sample_weight=sample_weight)
