"""Empirical Bayes: the spread of true values, and what the highest are worth."""

from __future__ import annotations

import numpy as np
import pytest

from hitcurve.inference.selection.shrunk import TrueValues


@pytest.mark.parametrize("share", [0.0, 0.1])
def test_the_highest_of_many_are_right_on_average(share: float) -> None:
    rng = np.random.default_rng(5)
    off, naive = [], []
    for _ in range(20):
        truth = 3.0 * (rng.random(400) < share)
        error = rng.uniform(0.8, 1.2, 400)
        seen = truth + error * rng.standard_normal(400)
        many = np.full(400, 1000.0)
        found = TrueValues.of(seen, error, many)
        means = found.posterior(seen, error, many) @ found.points
        best = np.argsort(-seen)[:5]
        off.append(np.mean(means[best] - truth[best]))
        naive.append(np.mean(seen[best] - truth[best]))
    assert abs(np.mean(off)) < 0.25 * np.mean(naive)


def test_one_value_and_equal_values_are_left_as_they_are() -> None:
    for place in (np.array([0.7]), np.full(3, 0.7)):
        error, degrees = np.ones(place.size), np.full(place.size, 30.0)
        found = TrueValues.of(place, error, degrees)
        assert found.posterior(place, error, degrees) @ found.points == pytest.approx(place)


def test_a_value_far_from_all_others_stays() -> None:
    place, error = np.append(np.linspace(-2, 2, 200), 15.0), np.ones(201)
    found = TrueValues.of(place, error, np.full(201, 500.0))
    assert found.posterior(place[-1:], error[-1:], np.array([500.0])) @ found.points == pytest.approx(15, abs=0.3)
