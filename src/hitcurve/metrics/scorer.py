"""Metrics as scorers of scikit-learn."""

from __future__ import annotations

from typing import Any

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.metrics.direction import check_higher_is_better
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.registry import metric


def scorer(spec: str | Metric, *, pos_label: Any = None) -> Any:
    """Return a scikit-learn scorer: ``GridSearchCV(..., scoring=scorer("ap"))``.

    It calls ``decision_function``, or ``predict_proba`` where that is missing, and evaluates the metric on it;
    larger is better, as for all metrics here. Detectors of outliers score inliers (label 1) high: with
    ``pos_label=-1`` they are evaluated for outliers.

    Parameters
    ----------
    spec : str or Metric
    pos_label : object, optional
        Label of the positives; needed unless it is unambiguous.

    Returns
    -------
    scorer
        Of scikit-learn; ``.metric`` is the metric. Two of one metric and positive label are equal.

    Raises
    ------
    MetricParseError
        If ``spec`` does not parse.
    MissingExtraError
        If scikit-learn is not installed.

    Warns
    -----
    DirectionWarning, TwoValuedScoreWarning, ConstantScoreWarning
        When it is called, for scores with AUC below one half, with two values, or with one value.

    Notes
    -----
    A metric is a scorer itself: ``scoring=hc.metric("ap")`` if the positive label is unambiguous.

    With ``sklearn.set_config(enable_metadata_routing=True)``, weights reach the score only if it asks for them:
    ``scoring=hc.metric("ap").set_score_request(sample_weight=True)``, or False to weight the fit alone. Otherwise
    scikit-learn raises ``UnsetMetadataPassedError`` where weights are passed.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> scorer("ap")(model, [[0.0], [1.0], [2.0]], [0, 1, 0])
    0.5
    """
    _checks.extra("sklearn.metrics", "sklearn", "scorer")
    from hitcurve.metrics.sklearn_scorer import scorer_of

    _checks.one_label(pos_label)
    wanted = metric(spec)
    check_higher_is_better(wanted, "a scorer of scikit-learn")
    return scorer_of(wanted, pos_label)


def score_of_estimator(metric: Metric, given: tuple[Any, Any, Any], sample_weight: Any, pos_label: Any) -> float:
    """Return the value of a metric that was called as a scorer, on an estimator, its data and their labels.

    Raises
    ------
    ParameterError
        If the first of the three is no estimator, or there are no labels.
    """
    estimator, X, y = given
    if not hasattr(estimator, "predict"):
        raise ParameterError(
            f"{metric} takes labels and scores, or a fitted estimator, its data and their labels: of three arguments "
            f"the first must be an estimator, got {type(estimator).__name__} (weights are sample_weight=)"
        )
    if y is None:
        raise ParameterError(f"{metric} of an estimator needs the labels too: metric(estimator, X, y)")
    return float(scorer(metric, pos_label=pos_label)(estimator, X, y, sample_weight=sample_weight))
