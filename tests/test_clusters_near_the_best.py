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
