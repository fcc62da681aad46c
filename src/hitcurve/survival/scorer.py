"""Metrics at a horizon as scorers of scikit-learn, for models of scikit-survival and others that predict a risk."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import AnyArray
from hitcurve.errors import ParameterError
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as read_metric
from hitcurve.metrics.direction import check_higher_is_better
from hitcurve.metrics.scorer import scorer
from hitcurve.survival.api import evaluate_survival
from hitcurve.survival.censoring import RULES
from hitcurve.survival.weights import CONTROLS

_OF_TIME = {"predict_survival_function": -1.0, "predict_cumulative_hazard_function": 1.0}
RESPONSES = ("predict", *_OF_TIME)


@dataclass(frozen=True)
class SurvivalScorer:
    """A metric at a horizon that scores a fitted model; made by :func:`hitcurve.survival_scorer`.

    Attributes
    ----------
    metric : Metric
    horizon : float
    response_method : str
    controls : {"free", "all"}
    rule : str or None
    censoring_from : structured array or None
    weights : bool, str or None
        Whether sample weights that are routed are used, or the name under which they are; None if that is open.
    """

    metric: Metric
    horizon: float
    response_method: str = "predict"
    controls: str = "free"
    rule: str | None = None
    censoring_from: Any = None
    weights: bool | str | None = None

    def __call__(self, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None) -> float:
        """Return the value for a fitted model, its data and their outcomes."""
        ev = evaluate_survival(
            y,
            None,
            self._scores(estimator, X),
            horizons=self.horizon,
            metrics=self.metric,
            controls=self.controls,
            rule=self.rule,
            censoring_from=self.censoring_from,
            sample_weight=sample_weight,
        )
        return ev["score", self.metric].value

    def get_metadata_routing(self) -> Any:
        """Return the metadata requests of the scorer, so that scikit-learn never ignores weights silently."""
        return self._requests().get_metadata_routing()

    def set_score_request(self, *, sample_weight: bool | str | None) -> SurvivalScorer:
        """Return the scorer that uses sample weights (True, or their name) or ignores them (False).

        Raises
        ------
        RuntimeError
            If metadata routing of scikit-learn is not enabled.
        """
        found = replace(self, weights=sample_weight)
        found._requests()
        return found

    def _requests(self) -> Any:
        made = scorer(self.metric)
        return made if self.weights is None else made.set_score_request(sample_weight=self.weights)

    def _scores(self, estimator: Any, X: Any) -> AnyArray:
        if not hasattr(estimator, self.response_method):
            raise ParameterError(
                f"{type(estimator).__name__} has no {self.response_method}: give response_method, one of "
                f"{', '.join(RESPONSES)}"
            )
        found = getattr(estimator, self.response_method)(X)
        if self.response_method == "predict":
            return np.asarray(found)
        sign = _OF_TIME[self.response_method]
        return np.array([sign * float(of_subject(self.horizon)) for of_subject in found])

    def __repr__(self) -> str:
        """Return how it was made."""
        return f"survival_scorer({str(self.metric)!r}, horizon={rows.exact(self.horizon)})"


def survival_scorer(
    metric: str | Metric,
    *,
    horizon: float,
    response_method: str = "predict",
    controls: str = "free",
    censoring_from: Any = None,
    rule: str | None = None,
) -> SurvivalScorer:
    """Return a scorer for censored outcomes: ``GridSearchCV(..., scoring=survival_scorer("ap", horizon=1825))``.

    With metadata routing of scikit-learn, ``set_score_request(sample_weight=True)`` weights the metric, too.

    Outcomes are structured arrays of times and events, as models of scikit-survival are fitted to. The distribution of
    the censoring is estimated in each test fold unless ``censoring_from`` is given.

    Parameters
    ----------
    metric : str or Metric
    horizon : float
        Time up to which events count.
    response_method : {"predict", "predict_survival_function", "predict_cumulative_hazard_function"}
        ``predict`` must return a risk that is higher for earlier events. Of the other two the value at the horizon
        ranks the subjects, low survival first.
    controls, rule
        As in :func:`hitcurve.evaluate_survival`.
    censoring_from : structured array, optional
        Outcomes from which the distribution of the censoring is estimated, such as all training data.

    Returns
    -------
    SurvivalScorer

    Raises
    ------
    ParameterError
        If an argument is none of these, or lower is better for the metric.

    Examples
    --------
    >>> import numpy as np
    >>> class Linear:
    ...     def predict(self, X):
    ...         return X[:, 0]
    >>> y = np.array([(True, 1.0), (False, 2.0), (True, 3.0), (False, 5.0)], [("event", bool), ("time", float)])
    >>> X = np.array([[4.0], [1.0], [3.0], [2.0]])
    >>> scorer = survival_scorer("auc", horizon=4)
    >>> scorer(Linear(), X, y)
    1.0
    """
    wanted = read_metric(metric)
    check_higher_is_better(wanted, "a scorer of scikit-learn")
    horizon = _checks.positive_number("horizon", horizon)
    _checks.choice("response_method", response_method, RESPONSES)
    _checks.choice("controls", controls, CONTROLS)
    if rule is not None:
        _checks.choice("rule", rule, RULES)
    return SurvivalScorer(wanted, horizon, response_method, controls, rule, censoring_from)
