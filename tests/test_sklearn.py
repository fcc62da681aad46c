"""Metrics among the tools of scikit-learn."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_classification
from sklearn.experimental import enable_halving_search_cv  # noqa: F401  # which makes the next import possible
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    HalvingGridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
    learning_curve,
    permutation_test_score,
)

import hitcurve as hc
from tests.routing import question

X, Y = make_classification(400, 8, n_informative=3, weights=[0.8], flip_y=0.1, random_state=1)
MODEL = LogisticRegression()
FORMS = ("ap", "auc", "bedroc(alpha=20)", "ef@5%", "croc(exp, alpha=7)")


@pytest.mark.parametrize("form", FORMS)
def test_a_metric_is_a_scorer(form: str) -> None:
    m = hc.metric(form)
    fitted = clone(MODEL).fit(X[:200], Y[:200])
    expected = m(Y[200:], fitted.decision_function(X[200:]))
    assert m(fitted, X[200:], Y[200:]) == expected == hc.scorer(form)(fitted, X[200:], Y[200:])


@pytest.mark.filterwarnings("ignore:AUC is below one half")  # of labels in random order
def test_wherever_scikit_learn_asks_for_scoring() -> None:
    m = hc.metric("ap")
    expected = cross_val_score(MODEL, X, Y, scoring=hc.scorer("ap"), cv=4)
    assert np.array_equal(cross_val_score(MODEL, X, Y, scoring=m, cv=4), expected)
    several = cross_validate(MODEL, X, Y, scoring={"ap": m, "top": hc.metric("bedroc(alpha=20)")}, cv=4)
    assert np.array_equal(several["test_ap"], expected)
    assert several["test_top"].shape == (4,)
    assert learning_curve(MODEL, X, Y, scoring=m, cv=4)[2].shape[1] == 4
    assert permutation_test_score(MODEL, X, Y, scoring=m, cv=4, n_permutations=19, random_state=0)[2] == 1 / 20
    search: Any
    for search in (
        GridSearchCV(MODEL, {"C": [0.01, 1.0]}, scoring=m, cv=4),
        HalvingGridSearchCV(MODEL, {"C": [0.01, 0.1, 1.0]}, scoring=m, cv=4, random_state=0),
    ):
        search.fit(X, Y)
        assert search.score(X, Y) == m(Y, search.decision_function(X))


@pytest.mark.filterwarnings("ignore:A column-vector y was passed")  # scikit-learn says so of any such labels
def test_labels_may_be_a_frame_of_one_column() -> None:
    frame = pd.DataFrame({"y": Y})
    for form in ("ap", "auc"):
        m = hc.metric(form)
        found = cross_val_score(MODEL, X, frame, scoring=m, cv=4, error_score="raise")
        assert np.array_equal(found, cross_val_score(MODEL, X, Y, scoring=m, cv=4))


def test_models_that_wrap_models() -> None:
    calibrated = CalibratedClassifierCV(MODEL, cv=3).fit(X[:200], Y[:200])
    expected = hc.metric("ap")(Y[200:], calibrated.predict_proba(X[200:])[:, 1])
    assert hc.metric("ap")(calibrated, X[200:], Y[200:]) == expected
    tuned = TunedThresholdClassifierCV(MODEL, scoring="f1", cv=3).fit(X[:200], Y[:200])
    assert hc.metric("ap")(tuned, X[200:], Y[200:]) == hc.scorer("ap")(tuned, X[200:], Y[200:])
    search = TunedThresholdClassifierCV(MODEL, scoring=hc.metric("ap"), cv=3)
    with pytest.raises(hc.errors.ThresholdScoringError, match="ap measures a ranking, which does not depend on the"):
        search.fit(X[:200], Y[:200])
    assert not hasattr(hc.metric("ap"), "_score_func")  # so that what asks for it goes on as before
    # versions that know it warn where it is not given
    new = {"use_legacy_attributes": False, "l1_ratios": (0.0,)}
    known = LogisticRegressionCV().get_params()
    given = {name: value for name, value in new.items() if "use_legacy_attributes" in known}
    chosen = LogisticRegressionCV(Cs=[0.01, 1.0], cv=3, scoring=hc.metric("ap"), **given)
    assert hc.metric("ap")(chosen.fit(X, Y), X, Y) > 0.3


def test_weights_and_labels_reach_the_metric() -> None:
    fitted = clone(MODEL).fit(X, Y)
    weights = np.linspace(0.5, 2, Y.size)
    m = hc.metric("ap")
    assert m(fitted, X, Y, sample_weight=weights) == m(Y, fitted.decision_function(X), sample_weight=weights)
    named = np.where(Y == 1, "case", "control")
    of_names = clone(MODEL).fit(X, named)
    assert m(of_names, X, named, pos_label="case") == pytest.approx(m(fitted, X, Y), abs=1e-12)


def test_weights_are_routed_to_the_metric_or_the_question_is_asked() -> None:
    weights, groups = np.linspace(0.2, 5, Y.size), np.arange(Y.size) // 20
    m = hc.metric("ap")
    with config_context(enable_metadata_routing=True):
        weighted = LogisticRegression().set_fit_request(sample_weight=True)
        own = {"params": {"sample_weight": weights}, "cv": 4}
        for scoring in (m, {"ap": m}):
            with question("set_score_request"):
                cross_validate(weighted, X, Y, scoring=scoring, **own)
        with question("set_score_request"):
            GridSearchCV(weighted, {"C": [0.01, 1.0]}, scoring=m, cv=4).fit(X, Y, sample_weight=weights)
        found = {}
        for asked in (True, False):
            scoring = m.set_score_request(sample_weight=asked)
            out = cross_validate(weighted, X, Y, scoring=scoring, return_estimator=True, return_indices=True, **own)
            found[asked] = out["test_score"].tolist()
            expected = [
                m(model, X[rows], Y[rows], sample_weight=weights[rows] if asked else None)
                for model, rows in zip(out["estimator"], out["indices"]["test"], strict=True)
            ]
            assert found[asked] == expected
            search = GridSearchCV(weighted, {"C": [1.0]}, scoring=scoring, cv=4).fit(X, Y, sample_weight=weights)
            assert search.best_score_ == pytest.approx(np.mean(expected))
        assert found[True] != found[False]
        assert m.get_metadata_routing().score.requests.get("sample_weight") is None  # nothing was changed in the metric
        # groups are for the folds and never reach the metric
        folds = {"params": {"groups": groups}, "cv": GroupKFold(4)}
        several = cross_validate(MODEL, X, Y, scoring={"ap": m, "auc": hc.metric("auc")}, **folds)
        expected = cross_val_score(MODEL, X, Y, scoring="average_precision", **folds)
        assert several["test_ap"] == pytest.approx(expected)
        GridSearchCV(MODEL, {"C": [0.01, 1.0]}, scoring=m, cv=GroupKFold(4)).fit(X, Y, groups=groups)
        # under another name
        scoring = m.set_score_request(sample_weight="w")
        search = GridSearchCV(weighted, {"C": [1.0]}, scoring=scoring, cv=4)
        search.fit(X, Y, sample_weight=weights, w=weights)
        assert search.best_score_ == pytest.approx(np.mean(found[True]))
    with pytest.raises(RuntimeError, match="enable_metadata_routing"):
        m.set_score_request(sample_weight=True)


def test_what_is_no_estimator_is_refused() -> None:
    m = hc.metric("ap")
    with pytest.raises(ValueError, match="the first must be an estimator, got ndarray"):
        m(Y, X[:, 0], np.ones(Y.size))
    with pytest.raises(ValueError, match="needs the labels too"):
        m(clone(MODEL).fit(X, Y), X)
