"""Passes of the influence relevance voter, batch by batch, and densities of the scores of each class."""

from __future__ import annotations

import math
from dataclasses import astuple
from typing import Any

import numpy as np
import pytest

pytest.importorskip("sklearn")
from scipy.stats import gaussian_kde

import hitcurve as hc
from hitcurve import learn
from hitcurve.errors import ParameterError
from hitcurve.learn import voter as irv
from hitcurve.learn.descent import batches_of_pass


def molecules(n: int = 300, n1: int = 80, seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n1, n - n1])
    X = rng.random((n, 32)) < np.where(y[:, None] == 1, np.linspace(0.1, 0.6, 32), 0.3)
    return X, y


def test_a_pass_meets_each_as_often_as_its_weight_says() -> None:
    rng = np.random.default_rng(1)
    once = batches_of_pass(np.ones(103), 10, rng)
    assert [batch.size for batch in once] == [10] * 10 + [3]
    assert np.array_equal(np.sort(np.concatenate(once)), np.arange(103))
    weight = np.where(np.arange(200) % 5 == 0, 0.0, rng.random(200) ** 3)
    share = weight / weight.sum() * np.count_nonzero(weight)
    met = np.zeros(200)
    for _ in range(300):
        count = np.bincount(np.concatenate(batches_of_pass(weight, 7, rng)), minlength=200)
        assert np.all((count >= np.floor(share - 1e-9)) & (count <= np.ceil(share + 1e-9)))
        met += count
    assert np.allclose(met / 300, share, atol=0.15)


def test_one_batch_of_all_is_one_step_down_the_gradient() -> None:
    X, y = molecules()
    voter = learn.InfluenceRelevanceVoter(max_iter=1, tol=0, batch_size=300, learning_rate=0.3).fit(X, y)
    start = irv.InfluenceWeights()
    slope = irv.gradient(irv.Output.of(start, voter._votes), voter._votes, y == 1, np.ones(300))
    assert np.allclose(astuple(voter.weights_), np.array(astuple(start)) - 0.3 * np.array(astuple(slope)), rtol=1e-10)


def test_passes_come_near_the_full_descent_and_are_the_same_again() -> None:
    X, y = molecules()
    how: dict[str, Any] = {"batch_size": 20, "learning_rate": 0.1}
    full = learn.InfluenceRelevanceVoter(max_iter=400, tol=0).fit(X, y)
    passes = learn.InfluenceRelevanceVoter(max_iter=400, tol=0, **how).fit(X, y)
    first = learn.InfluenceRelevanceVoter(max_iter=1, tol=0, **how).fit(X, y)
    assert passes.loss_ < first.loss_
    assert passes.loss_ < full.loss_ + 0.02
    assert learn.InfluenceRelevanceVoter(max_iter=1, tol=0, **how).fit(X, y).weights_ == first.weights_
    other = learn.InfluenceRelevanceVoter(max_iter=1, tol=0, rng=5, **how).fit(X, y)
    assert other.weights_ != first.weights_
    twice = learn.InfluenceRelevanceVoter(max_iter=1, tol=0, warm_start=True, **how).fit(X, y).fit(X, y)
    assert twice.weights_ == learn.InfluenceRelevanceVoter(max_iter=2, tol=0, **how).fit(X, y).weights_


@pytest.mark.parametrize("how", [{"batch_size": 0}, {"batch_size": 5, "learning_rate": 0.0}])
def test_batches_and_rates_are_checked(how: dict[str, Any]) -> None:
    with pytest.raises(ParameterError, match=list(how)[-1]):
        learn.InfluenceRelevanceVoter(**how).fit(*molecules())


@pytest.mark.parametrize("density", [False, True, "by-class"])
def test_reweighting_goes_by_passes(density: bool | str) -> None:
    X, y = molecules()
    voter = learn.InfluenceRelevanceVoter(batch_size=30)
    model = learn.EarlyRetrievalWeights(voter, density=density, metrics="auc", max_epochs=6, patience=6).fit(X, y)
    assert len(model.history_) == 6
    assert len({epoch.values["auc"] for epoch in model.history_}) > 1
    assert hc.metrics.AUC()(y, model.decision_function(X)) > 0.6


def test_density_by_class_is_that_of_the_own_class() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(3000) < 600
    s = rng.normal(size=3000) + np.where(y, 2.0, 0.0)
    plain = learn.early_retrieval_weights(s)
    ratio = learn.early_retrieval_weights(s, density="by-class", y_true=y) / plain
    wanted = np.zeros(3000)
    for own in (y, ~y):
        kernel = gaussian_kde(s[own], bw_method=own.sum() ** -0.2)(s[own])
        wanted[own] = kernel / kernel.sum() * own.sum()
    inside = np.abs(s - np.where(y, 2.0, 0.0)) < 2
    assert np.allclose(ratio[inside] / ratio[inside].mean(), wanted[inside] / wanted[inside].mean(), rtol=0.03)
    doubled = learn.early_retrieval_weights(s, density="by-class", y_true=y, sample_weight=np.full(3000, 2.0))
    assert math.isclose(float(np.mean(doubled)), 1, rel_tol=1e-9)
    with pytest.raises(ParameterError, match="needs y_true, True or False for each of 3000 scores"):
        learn.early_retrieval_weights(s, density="by-class")
    with pytest.raises(ParameterError, match="density"):
        learn.early_retrieval_weights(s, density="by class", y_true=y)
