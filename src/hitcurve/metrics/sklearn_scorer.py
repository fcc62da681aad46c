"""The scorer itself, whose class is made of one of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.metrics import accuracy_score, make_scorer

from hitcurve import _checks
from hitcurve.errors import LabelError
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.remarks import evaluated
from hitcurve.sources import arrays, encode_labels, put_in_order, refuse_masked
from hitcurve.sources.models import is_detector

_METHODS = ("decision_function", "predict_proba")
_ADVICE = "check which label is positive (pos_label); if it is right, the model ranks worse than at random"


def scorer_of(metric: Metric, pos_label: Any) -> Any:
    """Return the scorer of a metric."""
    known = {} if pos_label is None else {"pos_label": pos_label}
    return MetricScorer(Oriented(metric), 1, known, _METHODS)


class MetricScorer(type(make_scorer(accuracy_score))):  # type: ignore[misc]
    """A scorer of scikit-learn that knows its metric, and detectors of outliers."""

    @property
    def metric(self) -> Metric:
        """Metric that the scorer computes."""
        found: Metric = self._score_func.metric
        return found

    def _score(self, method_caller: Any, estimator: Any, X: Any, y_true: Any, **kwargs: Any) -> float:
        if is_detector(estimator):
            kwargs["of_detector"] = True
        refuse_masked(y=y_true, sample_weight=kwargs.get("sample_weight"))
        # scikit-learn cuts data into folds by position, each with its own part of the index
        found = put_in_order({"X": X, "y": y_true, "sample_weight": kwargs.get("sample_weight")}, parts=True)
        y_true = np.asarray(found["y"])
        if found["sample_weight"] is not None:
            kwargs["sample_weight"] = np.asarray(found["sample_weight"])
        value: float = super()._score(method_caller, estimator, X, y_true, **kwargs)
        return value

    def _identity(self) -> tuple[Any, ...]:
        requests = repr(self.__dict__.get("_metadata_request"))
        return self._score_func, tuple(self._kwargs.items()), requests

    def __eq__(self, other: object) -> bool:
        """Say whether both score one metric of one label, and ask for the same data."""
        return isinstance(other, MetricScorer) and self._identity() == other._identity()

    def __hash__(self) -> int:
        """Hash the metric and the label."""
        return hash(self._identity())


@dataclass(frozen=True)
class Oriented:
    """A metric that knows whose scores scikit-learn hands it.

    Unless it is told the positive label, scikit-learn takes the last one in alphabetical order; of active and
    inactive, or case and control, that is the negative one. Of a detector of outliers it takes no label.
    """

    metric: Metric

    @property
    def __name__(self) -> str:
        return str(self.metric)

    def __call__(
        self,
        y_true: Any,
        y_score: Any,
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        of_detector: bool = False,
    ) -> float:
        """Evaluate the metric on the scores of the positive class."""
        labels = np.asarray(y_true)
        if not labels.ndim:
            raise LabelError(f"labels must be one for each subject, got {_checks.quoted(labels.item())}")
        if labels.ndim == 2 and labels.shape[1] == 1:  # a frame of one column, which scikit-learn takes
            y_true = labels = labels[:, 0]
        high = True
        if of_detector:
            high = inliers_are_positive(labels, pos_label)
        elif pos_label is None:
            last = sorted(set(labels.tolist()), key=str)[-1:]
            positive, _ = encode_labels(labels)
            high = bool(positive[labels == last[0]].all()) or not positive.any()
        source = arrays(y_true, {"y_score": y_score}, pos_label=pos_label, weight=sample_weight, higher_is_better=high)
        return evaluated(self.metric, source.block, advice=_ADVICE)


def inliers_are_positive(labels: Any, pos_label: Any) -> bool:
    """Say whether the scores of a detector, high for inliers, are those of the positives.

    Raises
    ------
    LabelError
        If labels are not 1 for inliers and -1 for outliers, as detectors predict them.
    """
    strange = set(labels.tolist()) - {1, -1}
    if strange:
        raise LabelError(
            f"an outlier detector gives inliers high scores, and the label {min(strange, key=str)!r} is neither: "
            "label inliers 1 and outliers -1 (pos_label=-1 scores how well outliers are found)"
        )
    return pos_label is None or pos_label == 1
