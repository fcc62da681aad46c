"""The scale on which markers have about the same standard error whatever they are worth."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.screens.even import EvenScale, even_scale
from hitcurve.screens.placed import placed
from tests.test_screen import Array

SIZES = ((60, 60), (30, 60), (10, 60), (30, 300))


def _scale(metric: str, n1: int, n0: int) -> EvenScale:
    found = even_scale(hc.metric(metric), n1, n0, "case-control", None)
    assert found is not None
    return found


@pytest.mark.parametrize("metric", ["ap", "auc", "bedroc(alpha=20)"])
@pytest.mark.parametrize("sizes", SIZES)
def test_samples_have_one_standard_error_and_the_mean_that_is_said(metric: str, sizes: tuple[int, int]) -> None:
    """Of shifts that no step of the scale is made from."""
    scale, rng = _scale(metric, *sizes), np.random.default_rng(sum(sizes))
    y = np.repeat([1, 0], sizes)
    for shift in (0.0, 0.55, 1.1):
        X = rng.normal(size=(sum(sizes), 400)) + shift * y[:, None]
        found = hc.screen(X, y, metrics=metric, n_resamples=1)._markers
        place = placed(hc.metric(metric), found.lists(found.columns.taken(np.arange(400))), scale).place
        # the same prevalence, far more subjects
        true = hc.metric(metric).value(_population(shift).at_prevalence(sizes[0] / sum(sizes)))
        assert place.std() == pytest.approx(0.95, abs=0.2)
        assert place.mean() == pytest.approx(float(np.interp(true, scale.values, scale.means)), abs=0.25)


@cache
def _population(shift: float) -> hc.HitTable:
    y = np.repeat([1, 0], 200_000)
    return hc.HitTable.from_scores(y, np.random.default_rng(0).normal(size=y.size) + shift * y)


@pytest.mark.parametrize("metric", ["ap", "auc", "dcg", "slr", "precision@10", "tpr@fpr=0.1"])
def test_a_scale_rises_and_comes_back(metric: str) -> None:
    scale = _scale(metric, 30, 60)
    for column in (scale.values, scale.places):
        assert np.all(np.diff(column) > 0)
    assert np.all(np.diff(scale.means) >= 0)
    value: Array = np.linspace(scale.values[0], scale.values[-1], 50)
    assert np.interp(scale.up(value), scale.places, scale.values) == pytest.approx(value, rel=1e-9)
    far = scale.down(np.array([scale.means[0] - 50, scale.means[-1] + 50]))
    if hc.metric(metric).bounds(hc.Counts(np.array([30, 0]), np.array([0, 60]))) is not None:
        assert far == pytest.approx(scale.values[[0, -1]])


def test_noise_is_worth_nothing_in_the_direction_that_was_chosen() -> None:
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], [30, 60])
    for metric, baseline in (("auc", 0.5), ("ap", 1 / 3)):
        naive, corrected = [], []
        for _ in range(4):
            best = hc.screen(rng.normal(size=(90, 150)), y, metrics=metric, direction="auto", n_resamples=1).top(5)
            naive += [one.value - baseline for one in best]
            corrected += [one.corrected - baseline for one in best]
        assert np.mean(naive) > 0.12
        assert abs(np.mean(corrected)) < 0.05


def test_the_other_direction_is_a_marker_turned_round() -> None:
    """Screened high or low, with the other direction as a marker of its own, or chosen: the same best."""
    rng = np.random.default_rng(7)
    y = np.repeat([1, 0], [40, 50])
    X = rng.normal(size=(90, 30))
    X[:, 0] -= 0.8 * y
    auto = hc.screen(X, y, metrics="auc", direction="auto").top(1)[0]
    both = hc.screen(np.concatenate([X, -X], axis=1), y, metrics="auc").top(1)[0]
    assert auto.direction == "low"
    assert auto.corrected == pytest.approx(both.corrected, abs=1e-3)
    assert (auto.corrected_low, auto.corrected_high) == pytest.approx(
        (both.corrected_low, both.corrected_high), abs=0.01
    )


def test_low_markers_with_few_values_keep_an_upper_end_beyond_random() -> None:
    """Of AP, a marker that is low by accident has a small standard error of its own."""
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [40, 80])
    held = []
    for _ in range(10):
        X: Array = np.searchsorted(np.arange(-1.0, 5.0), rng.normal(size=(120, 200)))
        low, high = hc.screen(X, y, metrics="ap", n_resamples=1).simultaneous(n_resamples=300)
        held.append(bool(np.all(high > 1 / 3)))
        assert np.all(low < high)
    assert np.mean(held) >= 0.9
