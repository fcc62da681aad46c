"""Masked values are missing, also where scikit-learn would take them for known ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score

import hitcurve as hc
from hitcurve import learn
from hitcurve.errors import MissingValueError

RNG = np.random.default_rng(5)
Y = np.arange(60) % 2
X = (RNG.random((60, 12)) < 0.3 + 0.3 * Y[:, None]).astype(int)
X[:, 0] = 1
SOME = np.arange(60) < 10
MASKED_Y = np.ma.MaskedArray(Y, SOME)
MASKED_X = np.ma.MaskedArray(X, np.broadcast_to(SOME[:, None], X.shape))
ESTIMATORS: dict[str, Callable[[], Any]] = {
    "RandomRanker": lambda: learn.RandomRanker(rng=0),
    "MaxSimilarityRanker": learn.MaxSimilarityRanker,
    "SimilarityKNN": lambda: learn.SimilarityKNN(k=3),
    "InfluenceRelevanceVoter": lambda: learn.InfluenceRelevanceVoter(k=3),
    "TanimotoSVC": learn.TanimotoSVC,
    "EarlyRetrievalWeights": lambda: learn.EarlyRetrievalWeights(LogisticRegression(), max_epochs=2),
    "ModelChoice": lambda: learn.ModelChoice({"C=1": LogisticRegression(), "C=9": LogisticRegression(C=9)}, cv=3),
    "MarkerSelector": lambda: learn.MarkerSelector("auc", k=3),
}
each_estimator = pytest.mark.parametrize("name", ESTIMATORS)


def test_all_estimators_are_here() -> None:
    assert set(ESTIMATORS) == {name for name in learn.__all__ if hasattr(getattr(learn, name), "fit")}


@each_estimator
def test_masked_training_data_are_refused(name: str) -> None:
    made = ESTIMATORS[name]
    with pytest.raises(MissingValueError, match=r"^10 of 60 labels are masked, that is missing: leave"):
        made().fit(X, MASKED_Y)
    with pytest.raises(MissingValueError, match=r"^120 of 720 values of X are masked, that is missing: leave"):
        made().fit(MASKED_X, Y)


@each_estimator
def test_masked_data_to_rank_are_refused(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = ESTIMATORS[name]().fit(X, Y)
    for method in ("decision_function", "predict", "predict_proba", "transform"):
        if hasattr(fitted, method):
            with pytest.raises(MissingValueError, match="120 of 720 values of X are masked"):
                getattr(fitted, method)(MASKED_X)


@each_estimator
def test_a_mask_that_hides_nothing_changes_nothing(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = ESTIMATORS[name]().fit(X, Y)
        seen = ESTIMATORS[name]().fit(np.ma.MaskedArray(X), np.ma.MaskedArray(Y))
    method = "decision_function" if hasattr(plain, "decision_function") else "transform"
    assert np.array_equal(getattr(plain, method)(X), getattr(seen, method)(np.ma.MaskedArray(X)))


def test_masked_values_of_markers_are_the_missing_ones() -> None:
    holes = np.ma.MaskedArray(X, RNG.random(X.shape) < 0.1)
    for missing in ("drop", "last"):
        one, other = (learn.MarkerSelector("auc", k=3, missing=missing) for _ in range(2))
        as_nan = np.ma.filled(holes.astype(float), np.nan)
        assert np.array_equal(one.fit(holes, Y).scores_, other.fit(as_nan, Y).scores_, equal_nan=True)
        assert np.array_equal(one.transform(holes), other.transform(as_nan), equal_nan=True)


@pytest.mark.parametrize("spec", ["auc", "ap"])
def test_scorers_refuse_masked_labels_and_weights(spec: str) -> None:
    model = LogisticRegression().fit(X, Y)
    weights = np.ma.MaskedArray(np.ones(60), SOME)
    for score in (hc.scorer(spec), hc.metric(spec), hc.scorer(spec, pos_label=1)):
        with pytest.raises(MissingValueError, match="10 of 60 labels are masked"):
            score(model, X, MASKED_Y)
        with pytest.raises(MissingValueError, match="10 of 60 values of sample_weight are masked"):
            score(model, X, Y, sample_weight=weights)
        known = score(model, X, np.ma.MaskedArray(Y))
        assert known == score(model, X, Y)
    with pytest.raises(MissingValueError, match="labels are masked"):
        cross_val_score(learn.MaxSimilarityRanker(), X, MASKED_Y, scoring=hc.scorer(spec), error_score="raise")


def test_functions_refuse_masked_values() -> None:
    model, weights = LogisticRegression(), np.ma.MaskedArray(np.ones(60), SOME)
    calls: list[tuple[str, Callable[[], Any]]] = [
        ("labels", lambda: learn.out_of_fold(model, X, MASKED_Y, cv=3)),
        ("values of X", lambda: learn.out_of_fold(model, MASKED_X, Y, cv=3)),
        (
            "values of sample_weight of fit",
            lambda: learn.out_of_fold(model, X, Y, cv=3, params={"sample_weight": weights}),
        ),
        ("values of X", lambda: learn.tanimoto_kernel(MASKED_X)),
        ("values of Y", lambda: learn.tanimoto_kernel(X, MASKED_X)),
        ("values of X", lambda: learn.similarity_graph(MASKED_X, 5)),
        (
            "values of y_true",
            lambda: learn.early_retrieval_weights(np.arange(60.0), density="by-class", y_true=MASKED_Y == 1),
        ),
    ]
    for what, call in calls:
        with pytest.raises(MissingValueError, match=f" of [0-9]+ {what} are masked"):
            call()
