"""Momentum, which lists no better than chance do not have."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given

from hitcurve import HitTable, evaluate, fit_quasi_concave, metric
from hitcurve.counts import Counts
from hitcurve.datasets import mammography
from hitcurve.errors import UndefinedMetricError
from hitcurve.metrics import AUC, Momentum, ScaledAP
from tests.strategies import Ranking, law, rankings


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


@pytest.mark.parametrize("labels", ["0110110", "11011111011", "0110"])
def test_an_area_of_one_half_is_no_better_than_chance(labels: str) -> None:
    pos = np.array([int(x) for x in labels])
    table = HitTable.from_counts(pos, 1 - pos)
    assert AUC().value(table) == 0.5
    with pytest.raises(UndefinedMetricError, match="not above 1/2"):
        Momentum().value(table)


@pytest.mark.parametrize("n", [7, 9])
def test_no_list_with_an_area_of_one_half_has_one(n: int) -> None:
    lists = np.array(list(product((0, 1), repeat=n)))
    lists = lists[(lists.sum(axis=1) > 0) & (lists.sum(axis=1) < n)]
    pairs = [2 * sum(int(a) * (1 - int(b)) for i, a in enumerate(y) for b in y[i + 1 :]) for y in lists]
    even = np.array(pairs) == lists.sum(axis=1) * (n - lists.sum(axis=1))
    for weight in (1.0, 0.1):  # weights round where counts do not
        values = Momentum().value(Counts(weight * lists, weight * (1 - lists), None, weight != 1))
        assert np.isnan(values[even]).all()
    assert (AUC().value(Counts(lists, 1 - lists))[even] == 0.5).all()


@law(60)
@given(rankings())
def test_auc_of_counts_is_a_fraction_rounded_once(ranking: Ranking) -> None:
    table = ranking.table
    pos, neg = (side.astype(int).tolist() for side in (table.pos, table.neg))
    below, twice = sum(neg), 0
    for p, q in zip(pos, neg, strict=True):
        below -= q
        twice += p * (2 * below + q)
    assert AUC().value(table) == float(Fraction(twice, 2 * sum(pos) * sum(neg)))


def test_the_perfect_list_is_not_the_largest_value() -> None:
    perfect, other = (HitTable.from_scores(y, range(8, 0, -1)) for y in ([1] * 3 + [0] * 5, [1, 0, 0, 1, 0, 0, 0, 1]))
    assert Momentum().value(perfect) == 1 < Momentum().value(other)
    assert math.isnan(Momentum().best(other))
    ev = evaluate([1, 0, 0, 1, 0, 0, 0, 1] * 3, range(24, 0, -1), metrics="momentum")
    assert ev.to_dict()["results"][0]["best"] is None
    assert "no maximum" in str(ev)
    ends = ev["score", "momentum"].confidence_interval()
    assert ends.low <= ev["score", "momentum"].value <= ends.high
    y = [1] * 12 + [0] * 12
    scores = {"a": range(24, 0, -1), "b": [*range(24, 14, -1), 12, 11, 14, 13, *range(10, 0, -1)]}
    both = evaluate(y, scores, metrics="momentum")
    assert both["a", "momentum"].standard_error == 0
    found = both.compare("a", "b", "momentum", method="bootstrap", n_resamples=99)
    assert found.difference.standard_error > 0


def test_it_is_refused_where_the_negatives_weigh_nothing() -> None:
    with pytest.raises(UndefinedMetricError, match="prevalence rounds to 1"):
        evaluate([1, 0, 0], {"a": [3, 2, 1]}, metrics="momentum", sample_weight=[1e22, 1e-7, 1.0])


def test_the_ranker_without_it_is_named() -> None:
    y, s = [0, 0, 1, 1], [1, 2, 3, 4]
    with pytest.raises(UndefinedMetricError, match=r"^momentum of 'down' is undefined: .* not above 1/2$"):
        evaluate(y, {"up": s, "down": s[::-1]}, metrics=["ap", "momentum"])
