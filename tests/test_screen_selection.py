"""Markers chosen inside of pipelines: the interfaces of scikit-learn, and honesty about the choice."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.feature_selection import SelectFdr, SelectKBest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import hitcurve as hc
from hitcurve.errors import AlignmentWarning, HitcurveWarning, InputError, LabelError, MissingValueError, ParameterError
from hitcurve.learn import MarkerSelector
from tests.test_screen import markers


@parametrize_with_checks(  # type: ignore[untyped-decorator]
    [MarkerSelector(k=1), MarkerSelector("auc", k=None, level=0.5, n_resamples=20, missing="last")]
)
def test_scikit_learn_accepts_the_selector(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        check(estimator)


def test_labels_are_put_in_the_order_of_the_rows() -> None:
    X, y = markers()
    frame = pd.DataFrame(X, index=[f"s{i}" for i in range(len(X))]).rename(columns=str)
    mixed = pd.Series(y, frame.index)[::-1]
    score = hc.marker_score("auc")
    with pytest.warns(AlignmentWarning, match="y put in the order of X"):
        np.testing.assert_array_equal(score(frame, mixed), score(X, y))
    with pytest.warns(AlignmentWarning, match="y put in the order of X"):
        chosen = MarkerSelector("auc", k=3).fit(frame, mixed)
    np.testing.assert_array_equal(chosen.scores_, MarkerSelector("auc", k=3).fit(X, y).scores_)
    for refuses in (score, MarkerSelector("auc", k=3).fit):
        with pytest.raises(InputError, match="different indexes"):
            refuses(frame, mixed.add_prefix("x"))


def test_scores_are_those_of_the_screen() -> None:
    X, y = markers()
    found = hc.screen(X, y, metrics="ap", direction="auto", n_resamples=99)
    scores, pvalues = hc.marker_score("ap", n_resamples=99)(X, y)
    assert scores == pytest.approx(found["ap"])
    assert pvalues == pytest.approx(found.pvalue[0])
    best = found.order()[:5]
    chosen = SelectKBest(hc.marker_score("ap"), k=5).fit(X, y)
    assert set(chosen.get_support(indices=True)) == set(best)
    selector = MarkerSelector("ap", k=5).fit(X, y)
    assert set(selector.get_support(indices=True)) == set(best)
    assert selector.scores_ == pytest.approx(found["ap"])
    significant = SelectFdr(hc.marker_score("auc"), alpha=0.05).fit(X, y).get_support()
    assert MarkerSelector("auc", k=None).fit(X, y).get_support().tolist() == significant.tolist()
    assert SelectKBest(hc.marker_score("ap"), k=5).fit(sparse.csr_array(X), y).get_support().sum() == 5
    with pytest.raises(LabelError, match="pos_label"):
        hc.marker_score()(X, np.where(y, "a", "b"))
    again = pickle.loads(pickle.dumps(hc.marker_score("ap", n_resamples=99)))
    assert again(X, y).pvalues.tolist() == pvalues.tolist()


def test_metrics_of_which_lower_is_better_choose_the_lowest() -> None:
    X, y = markers()
    scores, _ = hc.marker_score("fpr@tpr=95%", direction="high", n_resamples=1)(X, y)
    assert scores == pytest.approx(-hc.screen(X, y, metrics="fpr@tpr=95%", n_resamples=1)["fpr@tpr=95%"])
    selector = MarkerSelector("fpr@tpr=95%", k=1, direction="high").fit(X, y)
    assert selector.scores_ == pytest.approx(-scores)
    assert scores[selector.get_support()].tolist() == [scores.max()]


def test_constant_columns_have_no_score() -> None:
    X, y = markers()
    constant = np.column_stack([np.ones(len(y)), X[:, -1]])
    scores, pvalues = hc.marker_score("auc")(constant, y)
    assert np.isnan(scores[0])
    assert pvalues[0] == 1
    assert MarkerSelector("auc", k=1).fit(constant, y).get_support().tolist() == [False, True]
    none = hc.marker_score("auc")(np.ones((len(y), 2)), y)
    assert np.isnan(none.scores).all()


def test_several_classes_keep_the_best_of_each() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat(["B", "NK", "T"], 30)
    X = rng.normal(size=(90, 12))
    for place, kind in enumerate(["B", "NK", "T"]):
        X[:, place] += 3 * (y == kind)
    selector = MarkerSelector("auc", k=3, direction="high").fit(X, y)
    assert selector.get_support(indices=True).tolist() == [0, 1, 2]
    assert selector.scores_.shape == (3, 12)


def test_frames_keep_their_names_and_missing_values_follow_the_policy() -> None:
    X, y = markers()
    frame = pd.DataFrame(X.copy(), columns=[f"m{i}" for i in range(X.shape[1])])
    frame.loc[3, "m39"] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        MarkerSelector(k=2).fit(frame, y)
    found = MarkerSelector(k=2, missing="drop").fit(frame, y)
    assert "m39" in found.get_feature_names_out()
    with pytest.raises(MissingValueError):
        hc.marker_score("ap")(frame.to_numpy(), y)


def test_selection_outside_of_the_folds_is_optimistic_and_inside_is_not() -> None:
    rng = np.random.default_rng(1)
    y = rng.permutation(np.repeat([0, 1], 30))
    X = rng.normal(size=(60, 1500))
    select, model = MarkerSelector("auc", k=10), LogisticRegression()
    outside = cross_validate(model, select.fit_transform(X, y), y, scoring="roc_auc")["test_score"].mean()
    inside = cross_validate(make_pipeline(select, model), X, y, scoring="roc_auc")["test_score"].mean()
    assert outside > 0.85
    assert abs(inside - 0.5) < 0.2
    search = GridSearchCV(make_pipeline(clone(select), model), {"markerselector__k": [1, 5]}, cv=3).fit(X, y)
    assert search.best_params_["markerselector__k"] in (1, 5)


@pytest.mark.parametrize(
    "options",
    [
        {"k": 0},
        {"k": "some"},
        {"level": 2},
        {"adjust": "x"},
        {"direction": "up"},
        {"missing": "omit"},
        {"n_resamples": 0},
    ],
)
def test_parameters_are_checked_by_fit(options: dict[str, Any]) -> None:
    X, y = markers()
    with pytest.raises(ParameterError):
        MarkerSelector(**options).fit(X, y)


def test_more_columns_than_there_are_is_said() -> None:
    X, y = markers(count=4)
    with pytest.warns(HitcurveWarning, match="k=10 is more than the 4 columns"):
        assert MarkerSelector().fit(X, y).get_support().all()
    with pytest.warns(HitcurveWarning, match="none is selected"):
        MarkerSelector("auc", k=None, level=1e-12).fit(np.random.default_rng(0).normal(size=(60, 3)), y)
