"""Intervals of clustered subjects near the best value."""

from __future__ import annotations

import numpy as np
import pytest

from tests.sampled import quietly


@pytest.mark.parametrize("form", ["bedroc(alpha=20)", "ap", "auc", "croc(exp, alpha=7)"])
def test_near_the_best_value_clusters_are_as_open_as_subjects(form: str) -> None:
    """One negative before the last positives of a ranking that else makes no error: what it varies by says little."""
    y = np.repeat([1, 0, 1, 0], [58, 1, 2, 250])
    s = -np.arange(y.size, dtype=float)
    ends = []
    for clusters in (None, np.arange(y.size), np.arange(y.size) // 2):
        found = quietly(y, s, metrics=form, clusters=clusters)["score", form].interval
        assert found is not None
        ends.append(found)
    for found in ends[1:]:
        assert found.low < ends[0].low + 0.01
        assert found.high == pytest.approx(ends[0].high, abs=1e-3)


@pytest.mark.parametrize("form", ["precision@10%", "precision@5%", "relative_ef@5%", "fpr@tpr=10%"])
def test_a_cut_above_which_all_are_of_one_class_is_as_open_as_its_number(form: str) -> None:
    """Influence values do not vary there, or only with the place of the cut."""
    s = np.concatenate([np.linspace(2, 1, 60), np.linspace(0.99, -3, 540)])
    y = np.concatenate([np.ones(60, int), np.tile([1, 0], 270)])
    alone = quietly(y, s, metrics=form)["score", form].interval
    for clusters in (np.arange(600), np.arange(600) // 2, np.arange(600) // 12):
        e = quietly(y, s, metrics=form, clusters=clusters)["score", form]
        assert alone is not None
        assert e.interval is not None
        assert e.interval.high - e.interval.low > 0.85 * (alone.high - alone.low)
        assert e.interval.low <= e.value <= e.interval.high
    # a row of the group that the cut divides by a hair is no more than that hair
    near = [
        quietly(y, np.round(s), metrics=form, sample_weight=1 + size * np.arange(600))["score", form].interval
        for size in (1e-11, 1e-9, 1e-7)
    ]
    for one in near:
        assert one is not None
        assert one == pytest.approx(near[0], abs=1e-3)
        assert one.high - one.low < 0.3


@pytest.mark.parametrize("metric", ["precision@10%", "precision@5%", "recall@10%"])
@pytest.mark.parametrize(("size", "alike"), [(2, 0.0), (3, 0.5)])
def test_coverage_where_nearly_all_at_the_top_are_positive(metric: str, size: int, alike: float) -> None:
    """Of 150 samples; precision about .98, and clusters with an effect or none."""
    rng = np.random.default_rng(4)

    def draw(clusters: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        own = np.repeat(np.arange(clusters), size)
        x = np.sqrt(alike) * rng.normal(size=clusters)[own] + np.sqrt(1 - alike) * rng.normal(size=own.size)
        return (rng.random(own.size) < 1 / (1 + np.exp(-2 * x - 0.5))).astype(int), x, own

    y, x, _ = draw(300_000)
    truth = quietly(y, x, metrics=metric)["score", metric].value
    held = 0
    for _ in range(150):
        y, x, own = draw(600 // size)
        found = quietly(y, x, metrics=metric, clusters=own)["score", metric].interval
        assert found is not None
        held += found.low <= truth <= found.high
    assert held >= 0.9 * 150
