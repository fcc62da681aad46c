"""Metrics as scorers of scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.registry import metric
from hitcurve.sources import encode_labels


def scorer(spec: str | Metric, *, pos_label: Any = None) -> Any:
    """Return a scikit-learn scorer: ``GridSearchCV(..., scoring=scorer("ap"))``.

    It calls ``decision_function``, or ``predict_proba`` where that is missing, and evaluates the metric on it;
    larger is better, as for all metrics here.

    Parameters
    ----------
    spec : str or Metric
    pos_label : object, optional
        Label of the positives; needed unless it is beyond doubt.

    Returns
    -------
    scorer
        Of scikit-learn; ``.metric`` is the metric.

    Raises
    ------
    MetricParseError
        If ``spec`` does not parse.
    MissingExtraError
        If scikit-learn is not installed.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> model = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    >>> scorer("ap")(model, [[0.0], [1.0], [2.0]], [0, 1, 0])
    0.5
    """
    make_scorer = _checks.extra("sklearn.metrics", "sklearn", "scorer").make_scorer
    _checks.one_label(pos_label)
    known = {} if pos_label is None else {"pos_label": pos_label}
    wanted = metric(spec)
    made = make_scorer(_Oriented(wanted), response_method=("decision_function", "predict_proba"), **known)
    made.metric = wanted  # what is scored, for those who are handed the scorer
    return made


@dataclass(frozen=True)
class _Oriented:
    """A metric that knows whose scores scikit-learn hands it.

    Unless it is told the positive label, scikit-learn takes the last one in alphabetical order; of active and
    inactive, or case and control, that is the negative one.
    """

    metric: Metric

    @property
    def __name__(self) -> str:
        return str(self.metric)

    def __call__(self, y_true: Any, y_score: Any, *, pos_label: Any = None, sample_weight: Any = None) -> float:
        """Evaluate the metric on the scores of the positive class."""
        high = True
        if pos_label is None:
            last = sorted(set(np.asarray(y_true).tolist()), key=str)[-1:]
            positive, _ = encode_labels(np.asarray(y_true))
            high = bool(positive[np.asarray(y_true) == last[0]].all()) or not positive.any()
        return self.metric(y_true, y_score, pos_label=pos_label, sample_weight=sample_weight, higher_is_better=high)
