"""Metrics as scorers of scikit-learn."""

from __future__ import annotations

from typing import Any

from hitcurve import _checks
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.registry import metric


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
    sklearn_metrics = _checks.extra("sklearn.metrics", "sklearn", "scorer")
    known = {} if pos_label is None else {"pos_label": pos_label}
    return sklearn_metrics.make_scorer(metric(text), response_method=("decision_function", "predict_proba"), **known)
