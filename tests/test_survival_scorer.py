"""Metrics at a horizon in the cross-validation of scikit-learn."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import InsufficientDataError, ParameterError
from tests.routing import question


def _drawn(n: int = 240) -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 3))
    onset = rng.exponential(size=n) * np.exp(-X[:, 0]) * 10
    lost = rng.exponential(size=n) * 15
    y = np.empty(n, [("event", bool), ("time", float)])
    y["event"], y["time"] = onset <= lost, np.minimum(onset, lost)
    return X, y


def test_in_cross_validation() -> None:
    linear_model = pytest.importorskip("sksurv.linear_model", reason="scikit-survival is not installed")
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, KFold, cross_validate

    X, y = _drawn()
    folds = KFold(3)
    model = linear_model.CoxPHSurvivalAnalysis()
    scoring = {name: hc.survival_scorer(name, horizon=5) for name in ("ap", "auc")}
    found = cross_validate(model, X, y, cv=folds, scoring=scoring)
    for fold, (train, test) in enumerate(folds.split(X)):
        risk = clone(model).fit(X[train], y[train]).predict(X[test])
        for name in scoring:
            own = hc.evaluate_survival(y[test], None, risk, horizons=5, metrics=name)["score", name]
            assert found[f"test_{name}"][fold] == own.value
    search = GridSearchCV(model, {"alpha": [0.0, 100.0]}, scoring=scoring["ap"], cv=folds).fit(X, y)
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])


def test_models_that_predict_functions_of_time() -> None:
    ensemble = pytest.importorskip("sksurv.linear_model", reason="scikit-survival is not installed")
    X, y = _drawn()
    model = ensemble.CoxPHSurvivalAnalysis().fit(X, y)
    by_risk = hc.survival_scorer("ap", horizon=5)(model, X, y)
    for method in ("predict_survival_function", "predict_cumulative_hazard_function"):
        # of proportional hazards the order is that of the risk
        assert hc.survival_scorer("ap", horizon=5, response_method=method)(model, X, y) == pytest.approx(by_risk)


class Fixed:
    def predict(self, X: Any) -> Any:
        return X[:, 0]


def test_options_reach_the_evaluation() -> None:
    X, y = _drawn()
    weight = np.linspace(1, 2, len(y))
    scorer = hc.survival_scorer("ap", horizon=5, rule="sksurv", censoring_from=y[:100])
    ev = hc.evaluate_survival(
        y, None, X[:, 0], horizons=5, metrics="ap", rule="sksurv", censoring_from=y[:100], sample_weight=weight
    )
    assert scorer(Fixed(), X, y, sample_weight=weight) == ev["score", "ap"].value
    plain = hc.survival_scorer("ap", horizon=5)
    assert pickle.loads(pickle.dumps(plain)) == plain
    assert repr(plain) == "survival_scorer('ap', horizon=5)"


def test_weights_are_routed_or_the_question_is_asked() -> None:
    pytest.importorskip("sklearn", minversion="1.5")
    from sklearn import config_context
    from sklearn.base import BaseEstimator
    from sklearn.model_selection import cross_validate

    class First(BaseEstimator):  # type: ignore[misc]
        def fit(self, X: Any, y: Any, sample_weight: Any = None) -> First:
            return self

        def predict(self, X: Any) -> Any:
            return X[:, 0]

    X, y = _drawn()
    weight = np.linspace(0.2, 3, len(y))
    plain = hc.survival_scorer("ap", horizon=5)
    with config_context(enable_metadata_routing=True):
        model = First().set_fit_request(sample_weight=True)
        with question("sample_weight"):
            cross_validate(model, X, y, scoring=plain, cv=3, params={"sample_weight": weight})
        for asked in (True, False, "w"):
            scoring = plain.set_score_request(sample_weight=asked)
            given = {"sample_weight": weight} | ({"w": weight} if asked == "w" else {})
            out = cross_validate(model, X, y, scoring=scoring, cv=3, params=given, return_indices=True)
            for value, rows in zip(out["test_score"], out["indices"]["test"], strict=True):
                own = None if asked is False else weight[rows]
                assert value == plain(First(), X[rows], y[rows], sample_weight=own)
    with pytest.raises(RuntimeError, match="enable_metadata_routing"):
        plain.set_score_request(sample_weight=True)


def test_what_a_scorer_refuses() -> None:
    X, y = _drawn()
    with pytest.raises(ParameterError, match="horizon"):
        hc.survival_scorer("ap", horizon=-1)
    with pytest.raises(ParameterError, match="lower is better"):
        hc.survival_scorer("fpr@tpr=80%", horizon=5)
    with pytest.raises(ParameterError, match="Fixed has no predict_survival_function"):
        hc.survival_scorer("ap", horizon=5, response_method="predict_survival_function")(Fixed(), X, y)
    with pytest.raises(InsufficientDataError, match="beyond the follow-up"):
        hc.survival_scorer("ap", horizon=1e6)(Fixed(), X, y)
