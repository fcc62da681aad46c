"""Metrics as scorers of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.registry import metric
from hitcurve.sources import encode_labels


def scorer(text: str | Metric, *, pos_label: Any = None) -> Any:
    """Return a scikit-learn scorer: ``GridSearchCV(..., scoring=scorer("ap"))``.

    It calls ``decision_function``, or ``predict_proba`` where that is missing, and evaluates the metric on it;
    larger is better, as for all metrics here.

    Parameters
    ----------
    text : str or Metric
    pos_label : object, optional
        Label of the positives; needed unless it is beyond doubt.

    Raises
    ------
    MetricParseError
        If the text does not parse.
    MissingExtraError
        If scikit-learn is not installed.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> scorer("ap")(model, [[0.0], [1.0], [2.0]], [0, 1, 0])
    0.5
    """
    _checks.extra("sklearn.metrics", "sklearn", "scorer")
    return _Scorer(metric(text), pos_label)


@dataclass(frozen=True)
class _Scorer:
    """A scorer that tells scikit-learn which class is positive.

    Left alone, scikit-learn scores the last class in alphabetical order, which for active and inactive, or case
    and control, is the negative one.
    """

    metric: Metric
    pos_label: Any = None

    def __call__(self, estimator: Any, X: Any, y_true: Any, **parameters: Any) -> float:
        """Score a fitted classifier."""
        make_scorer = _checks.extra("sklearn.metrics", "sklearn", "scorer").make_scorer
        positive, _ = encode_labels(np.asarray(estimator.classes_), self.pos_label)
        known = {"pos_label": estimator.classes_[positive][0]} if positive.any() else {}
        scored = make_scorer(self.metric, response_method=("decision_function", "predict_proba"), **known)
        return float(scored(estimator, X, y_true, **parameters))
