"""Momentum, which lists no better than chance do not have."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hitcurve import HitTable, fit_quasi_concave, metric
from hitcurve.counts import Counts
from hitcurve.datasets import mammography
from hitcurve.errors import UndefinedMetricError
from hitcurve.metrics import AUC, Momentum, ScaledAP


def test_it_is_the_ratio() -> None:
    for table in mammography().values():
        ratio = ScaledAP().value(table) / (2 * AUC().value(table) - 1)
        assert Momentum().value(table) == pytest.approx(ratio, rel=1e-14)


def test_it_parses_and_prints() -> None:
    assert metric("momentum") == Momentum()
    assert str(Momentum()) == "momentum"


@pytest.mark.parametrize(("pos", "neg"), [([1, 1], [1, 1]), ([1, 2], [2, 1]), ([0, 3], [5, 0])])
def test_no_better_than_chance_has_none(pos: list[int], neg: list[int]) -> None:
    with pytest.raises(UndefinedMetricError, match="not above 1/2"):
        Momentum().value(HitTable.from_counts(pos, neg))


def test_replicates_without_it_are_nan_and_the_others_stay() -> None:
    pos, neg = np.array([[2, 1], [1, 2], [3, 0]]), np.array([[1, 4], [4, 1], [0, 5]])
    values = Momentum().value(Counts(pos, neg))
    assert math.isnan(values[1])
    for row in (0, 2):
        assert values[row] == Momentum().value(HitTable.from_counts(pos[row], neg[row]))
    assert values[2] == 1


def test_gradient_equals_finite_differences() -> None:
    table = HitTable.from_counts([5, 4, 3], [2, 10, 30])
    gradient = Momentum().gradient(table)
    assert gradient is not None
    # move a share of the positives of one row to the next: P of that row falls, all else stays
    step = 1e-6
    for row in (0, 1):
        ends = []
        for sign in (1, -1):
            pos = table.pos.astype(float)
            pos[row] += sign * step * 12
            pos[row + 1] -= sign * step * 12
            ends.append(Momentum().value(Counts(pos, table.neg)))
        assert (ends[0] - ends[1]) / (2 * step) == pytest.approx(gradient.P[row], rel=1e-6)


def test_it_estimates_the_initial_precision_of_a_curve_of_two_pieces() -> None:
    table = HitTable.from_counts([50, 50], [50, 850])
    assert fit_quasi_concave(table).beta == pytest.approx(0.5, abs=1e-6)
    assert Momentum().value(table) == pytest.approx(0.5, abs=0.05)
