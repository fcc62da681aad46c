"""The best of many markers: values, intervals and ranks that know that they were picked."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse, stats

import hitcurve as hc
from hitcurve.errors import ParameterError
from hitcurve.inference.selection.chosen import Chosen
from tests.test_screen import Array, markers


@pytest.mark.slow
def test_the_chosen_among_several_is_held_as_often_as_said() -> None:
    """Given that it is among the three largest of eight, whichever of them."""
    rng, covariance = np.random.default_rng(1), 0.5 + 0.5 * np.eye(8)
    truth = np.array([0.0, 0, 0, 0, 0.3, 0.3, 0.5, 1.0])
    held, too_high = np.zeros(3), np.zeros(3)
    draws = 700
    for x in rng.multivariate_normal(truth, covariance, draws):
        for place, marker in enumerate(np.argsort(-x)[:3].tolist()):
            chosen = Chosen.of(x, covariance[:, marker], marker, among=3)
            held[place] += chosen.solved(0.975, np.inf) <= truth[marker] <= chosen.solved(0.025, np.inf)
            too_high[place] += chosen.solved(0.5, np.inf) > truth[marker]
    assert held.sum() / 3 / draws == pytest.approx(0.95, abs=0.02)
    assert too_high.sum() / 3 / draws == pytest.approx(0.5, abs=0.045)


def test_what_would_be_chosen_is_found_by_trying() -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        root = rng.normal(size=(7, 7))
        covariance = root @ root.T
        x = rng.normal(size=7) * 3
        marker = int(np.argsort(-x)[rng.integers(3)])
        chosen = Chosen.of(x, covariance[:, marker], marker, among=3)
        slope = covariance[:, marker] / covariance[marker, marker]
        for end, step in ((chosen.least, -1e-6), (chosen.most, 1e-6)):
            if np.isinf(end):
                continue
            for way in (-step, step):
                moved = x + slope * (end + way - x[marker])
                assert (np.sum(moved > moved[marker]) < 3) == (way == -step)


def test_values_that_move_together_have_a_note_with_the_error_that_they_share() -> None:
    rng = np.random.default_rng(5)
    y = np.arange(120) < 40
    alike = 3 * rng.normal(size=(120, 1)) + rng.normal(size=(120, 200))
    best = hc.screen(alike, y, metrics="auc", n_resamples=19).top(2)
    # that of ranks is a little lower, and that of the highest as well
    assert best.correlation == pytest.approx(0.87, abs=0.03)
    assert best.common_error == pytest.approx(np.sqrt(best.correlation * (1 / 40 + 1 / 80) / 12), rel=0.1)
    note = next(line for line in best.notes() if "move together" in line)
    assert f"with the best {best.correlation:.2f}" in note
    assert best.to_dict()["common_error"] == best.common_error
    apart = hc.screen(rng.normal(size=(120, 200)), y, metrics="auc", n_resamples=19)
    assert abs(apart.top(1).correlation) < 0.1
    assert not any("move together" in line for line in apart.top(1).notes())
    alone = hc.screen(alike[:, :1], y, metrics="auc").top(1)
    assert np.isnan(alone.correlation)
    assert alone.to_dict()["correlation"] is None


@pytest.mark.parametrize("metric", ["ap", "auc", "bedroc(alpha=20)", "slr", "scaled_ap"])
def test_the_best_of_many_equals_are_corrected(metric: str) -> None:
    rng = np.random.default_rng(6)
    y = np.arange(120) < 40
    found = hc.screen(rng.normal(size=(120, 300)), y, metrics=metric, n_resamples=19).top(4)
    for one in found:
        assert one.corrected_low <= one.corrected <= one.corrected_high
        assert one.corrected <= one.value + 1e-12
        assert one.simultaneous_low <= one.low
        assert one.simultaneous_high >= one.high
        assert (one.rank_low, one.rank_high) == (1, 300)
        assert 0 < one.stability < 0.9
    baseline = hc.metric(metric).baseline(hc.HitTable.from_counts([40, 0], [0, 80]))
    assert sum(one.corrected - baseline for one in found) < 0.7 * sum(one.value - baseline for one in found)


def test_a_clear_winner_is_hardly_corrected() -> None:
    rng = np.random.default_rng(6)
    y = np.arange(120) < 40
    X = rng.normal(size=(120, 300))
    X[:, 5] += 3 * y
    one = hc.screen(X, y, metrics="auc").top(1)[0]
    assert one.marker == "5"
    assert one.stability == 1
    assert one.rank_high < 30
    assert one.corrected == pytest.approx(one.value, abs=0.01)
    assert (one.corrected_low, one.corrected_high) == pytest.approx((one.low, one.high), abs=0.01)


def test_the_best_do_not_depend_on_the_order_of_rows_and_columns() -> None:
    X, y = markers()
    names = [f"m{i}" for i in range(40)]
    rng = np.random.default_rng(4)
    rows, order = rng.permutation(60), rng.permutation(40)
    one = hc.screen(X, y, names=names).top(5)
    other = hc.screen(X[rows][:, order], y[rows], names=[names[i] for i in order]).top(5)
    thin = hc.screen(sparse.csc_array(X), y, names=names).top(5)
    for found in (other, thin):
        for a, b in zip(one, found, strict=True):
            numbers, others = ([x for x in vars(one).values() if not isinstance(x, str)] for one in (a, b))
            assert (a.marker, a.direction) == (b.marker, b.direction)
            assert numbers == pytest.approx(others, rel=1e-9)


def test_perfect_markers_have_ends_too() -> None:
    y = np.repeat([1, 0], 30)
    X = np.random.default_rng(0).normal(size=(60, 30))
    X[:, :2] += 20 * y[:, None]
    for one in hc.screen(X, y, metrics="auc").top(3)[:2]:
        assert one.value == 1
        assert 0.7 < one.corrected_low < one.corrected <= 1
        assert 0.7 < one.simultaneous_low <= one.low


def test_few_subjects_have_no_corrected_interval() -> None:
    X, _ = markers()
    for y in (np.arange(60) < 4, np.arange(60) >= 4):
        found = hc.screen(X, y, n_resamples=99).top(2)
        assert np.isnan([[one.corrected, one.corrected_low, one.simultaneous_low, one.low] for one in found]).all()
        assert "undefined" in str(found)


def test_ranks_follow_from_simultaneous_intervals() -> None:
    X, y = markers()
    found = hc.screen(X, y, metrics="auc")
    low, high = found.simultaneous()
    first, last = found.rank_interval()
    rank = found.rank()
    assert np.all((first <= rank) & (rank <= last))
    for i in (0, 7, 39):
        assert first[i] == 1 + np.sum(low > high[i])
        assert last[i] == 40 - np.sum(high < low[i])


def test_the_largest_deviation_of_independent_markers_is_that_of_their_number() -> None:
    rng = np.random.default_rng(8)
    y = np.arange(400) < 200
    found = hc.screen(rng.normal(size=(400, 60)), y, metrics="auc", confidence_level=0.9)
    low, high = found.simultaneous(n_resamples=8000)
    # on the logit scale the half width over the standard error is the quantile of t
    half = (np.log(high / (1 - high)) - np.log(low / (1 - low))) / 2
    error = found.standard_error[0] / found["auc"] / (1 - found["auc"])
    sidak = stats.t.ppf(0.5 + 0.5 * 0.9 ** (1 / 60), 199)
    assert np.median(half / error) == pytest.approx(sidak, rel=0.03)


def test_clusters_of_one_are_subjects_and_copies_are_one() -> None:
    X, y = markers()
    alone = hc.screen(X, y, metrics="auc", clusters=np.arange(60)).top(3)
    twice: Array = np.repeat(X, 2, axis=0)
    doubled = hc.screen(twice, np.repeat(y, 2), metrics="auc", clusters=np.repeat(np.arange(60), 2)).top(3)
    for a, b in zip(alone, doubled, strict=True):
        assert a.marker == b.marker
        assert a.low == pytest.approx(b.low, abs=0.01)
        assert a.simultaneous_low == pytest.approx(b.simultaneous_low, abs=0.03)


def test_the_best_are_shown_in_every_form() -> None:
    X, y = markers()
    found = hc.screen(X, y).top(3)
    for text in (
        str(found),
        found.to_markdown(),
        found.to_latex(),
        found._repr_html_(),
        found.to_csv(),
        found.to_json(),
    ):
        assert found[0].marker in text
    assert found.to_frame(backend="pandas")["corrected"].tolist() == [one.corrected for one in found]
    assert len(hc.screen(X, y).top(1000)) == 40
    assert hc.screen(X, y).top(2, rng=np.random.default_rng(0)).seed is None
    with pytest.raises(ParameterError, match="k must be a whole number"):
        hc.screen(X, y).top(0)
    with pytest.raises(ParameterError, match="method must be one of"):
        hc.screen(X, y).top(1, method="naive")
