"""Models fitted to a list, and tables drawn from them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from scipy.special import ndtri

import hitcurve as hc
from hitcurve.counts import Counts
from hitcurve.inference.models import KernelFit, Places, Tables


def test_places_without_ties_are_the_negatives_above() -> None:
    places = Places.of(Counts(np.array([1.0, 0, 2, 0]), np.array([0.0, 3, 0, 2])), np.random.default_rng(1))
    assert places.above.tolist() == [0, 3, 3]
    assert (places.n_pos, places.n_neg) == (3, 5)


def test_places_of_a_tied_row_are_all_orders_alike() -> None:
    rng, table = np.random.default_rng(2), Counts(np.array([0.0, 2.0]), np.array([1.0, 3.0]))
    drawn = [tuple(Places.of(table, rng).above) for _ in range(5000)]
    # two of five places, less the positives before
    possible = sorted({(1 + i, 1 + j - 1) for i, j in combinations(range(5), 2)})
    assert sorted(set(drawn)) == possible
    shares = np.array([drawn.count(one) for one in possible]) / 5000
    assert shares == pytest.approx(np.full(len(possible), 0.1), abs=4 * np.sqrt(0.1 * 0.9 / 5000))


def test_kernel_fit_is_the_mean_of_its_kernels() -> None:
    places = Places(np.array([0, 1, 4, 9]), 20)
    fit = KernelFit.of(places)
    z = -ndtri((np.array([0, 1, 4, 9]) + 0.5) / 21)
    assert fit.z == pytest.approx(z, rel=1e-14)
    assert fit.width == pytest.approx(0.9 * np.std(z, ddof=1) * 4**-0.2, rel=1e-14)
    x = np.geomspace(1e-9, 1, 50)
    assert np.all(np.diff(fit.tpr(x)) >= 0)
    assert fit.tpr(np.array([0.0, 1.0])).tolist() == [0, 1]


def test_drawn_tables_follow_the_model() -> None:
    fit = KernelFit.of(Places(np.array([0, 0, 1, 3, 8, 15, 20, 40]), 100))
    rng, draws = np.random.default_rng(3), 4000
    tables = fit.draw(np.full(draws, 8), np.full(draws, 100), rng)
    assert np.all(tables.gaps.sum(axis=-1) == 100)
    # AUC of the draws is unbiased for that of the model
    x = (np.arange(200_000) + 0.5) / 200_000
    auc = hc.metric("auc").kernel(tables.counts(negatives_join=False))
    assert np.mean(auc) == pytest.approx(np.mean(fit.tpr(x)), abs=4 * np.std(auc) / np.sqrt(draws))


def test_tables_of_fewer_positives_end_with_empty_gaps() -> None:
    fpr = np.array([[0.1, 0.5, 0.9], [0.2, 1.0, 1.0]])
    tables = Tables.at(fpr, np.array([3, 1]), np.array([50, 50]), np.random.default_rng(4))
    c = tables.counts(negatives_join=True)
    assert c.pos.tolist() == [[1, 1, 1, 0], [1, 0, 0, 0]]
    assert tables.gaps[1, 2:].tolist() == [0, 0]
    assert tables.above.shape == (2, 3)
    assert c.n1.tolist() == [3, 1]
    assert c.n0.tolist() == [50, 50]
    apart = tables.counts(negatives_join=False)
    assert apart.pos[0].tolist() == [0, 1, 0, 1, 0, 1, 0, 0]
    assert np.all(apart.neg[..., ::2] == tables.gaps)
    assert hc.metric("ap").kernel(apart) == pytest.approx(hc.metric("ap").kernel(c), rel=1e-14)


def test_a_shift_moves_the_positives_up() -> None:
    fit = KernelFit.of(Places(np.array([5, 10, 30]), 60))
    sizes = np.full(300, 3), np.full(300, 60)
    low, high = (fit.draw(*sizes, np.random.default_rng(5), shift=shift).above.mean() for shift in (-1.0, 1.0))
    assert low > high


def test_positives_at_one_place_have_a_width_only_if_asked() -> None:
    places = Places(np.array([0, 0, 0]), 20)
    assert KernelFit.of(places).width == 0
    assert KernelFit.of(places).tpr(np.array([0.01, 0.5])).tolist() == [0, 1]
    assert KernelFit.of(places, least_spread=0.25).width > 0
