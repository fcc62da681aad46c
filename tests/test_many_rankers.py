"""Many rankers of the same subjects are worked out side by side: every number is what one ranker alone gives."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve import metric
from hitcurve.evaluation import numbers
from hitcurve.inference.resampling.swaps import MovedSubjects
from hitcurve.sources import in_order
from tests.metrics_under_test import FORMS, has_gradient

pytestmark = pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")


def data() -> tuple[np.ndarray[Any, Any], dict[str, np.ndarray[Any, Any]]]:
    """Return labels, and the scores of rankers with ties, without, of one value, of two, and without an error."""
    rng = np.random.default_rng(7)
    y = np.repeat([1, 0], [24, 136])
    scores = {f"r{i}": rng.normal(size=y.size) + d * y for i, d in enumerate((0.2, 0.8, 1.2, 1.6, 2.5))}
    scores["tied"] = np.round(scores["r2"])
    scores["two values"] = (scores["r3"] > 1).astype(float)
    scores["constant"] = np.zeros(y.size)
    scores["perfect"] = y + rng.uniform(size=y.size) / 2
    return y, scores


@pytest.mark.parametrize(("design", "prevalence"), [("cohort", None), ("case-control", None), ("case-control", 0.02)])
def test_the_frame_is_each_ranker_alone(design: str, prevalence: float | None) -> None:
    y, scores = data()
    assert len(scores) >= numbers._MANY
    # a sample by class and its known prevalence: half of the metrics each
    half = {"cohort": FORMS}.get(design, FORMS[prevalence is None :: 2])
    options: dict[str, Any] = {"metrics": half, "undefined": "nan", "design": design, "prevalence": prevalence}
    together = hc.evaluate(y, scores, **options).to_dict()["results"]
    alone = [row for name, s in scores.items() for row in hc.evaluate(y, {name: s}, **options).to_dict()["results"]]
    assert len(together) == len(alone) == len(scores) * len(half)
    for own, expected in zip(together, alone, strict=True):
        assert list(own) == list(expected)
        for key, value in expected.items():
            where = own["ranker"], own["metric"], key
            if isinstance(value, float) and not math.isnan(value):
                # derivatives that are taken numerically carry the rounding of differences
                near = 1e-10 if has_gradient(metric(own["metric"])) else 1e-8
                assert own[key] == pytest.approx(value, rel=near, abs=near / 10), where
            else:
                assert own[key] == value or own[key] != own[key], where


def test_comparisons_are_those_of_two_rankers_alone() -> None:
    y, scores = data()
    chosen = ["ap", "auc", "precision@10"]
    ev = hc.evaluate(y, scores, metrics=chosen)
    for m in chosen:
        for found in ev.compare_all(m, baseline="r0", method="delta"):
            pair = {name: scores[name] for name in (found.first, found.second)}
            alone = hc.evaluate(y, pair, metrics=m).compare(found.first, found.second, m, method="delta")
            assert found.difference.value == pytest.approx(alone.difference.value, rel=1e-12)
            assert found.difference.standard_error == pytest.approx(alone.difference.standard_error, rel=1e-11)


def test_what_was_worked_out_together_can_be_sent_away() -> None:
    y, scores = data()
    ev = hc.evaluate(y, scores, metrics=["ap", "auc"])
    text = str(ev)
    assert str(pickle.loads(pickle.dumps(ev))) == text


def test_names_of_one_number_stand_as_in_the_alphabet() -> None:
    assert in_order(["10", "9", "1.0", "1", "01", "-3"]) == ["-3", "01", "1", "1.0", "9", "10"]
    assert in_order(["inf", "1", "Infinity"]) == ["1", "Infinity", "inf"]
    assert in_order(["b", "10", "9"]) == ["10", "9", "b"]


@pytest.mark.parametrize("subjects", [[1] * 50, [1, 2, 3, 1, 60, 7, 1, 59, 30], [61, 2], []])
def test_swaps_are_drawn_as_numpy_draws_binomial_numbers(subjects: list[int]) -> None:
    k = np.array(subjects, np.int64)
    for seed in range(50):
        ours, theirs = np.random.default_rng(seed), np.random.default_rng(seed)
        moved = MovedSubjects.of(k, k, k).drawn(37, ours)
        np.testing.assert_array_equal(moved, theirs.binomial(k, 0.5, (37, k.size)))
        assert ours.random() == theirs.random()


@pytest.mark.filterwarnings("ignore::hitcurve.errors.HitcurveWarning")
@pytest.mark.parametrize("baseline", [None, "b"])
def test_tests_made_ahead_are_those_made_alone(baseline: str | None) -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [12, 200])
    scores = {
        name: np.round(rng.normal(size=212) + y * shift, 1) for name, shift in (("a", 0.5), ("b", 1.0), ("c", 0.2))
    }
    forms = ["ap", "auc", "recall@5%", "ef@1%"]
    ahead, alone = (hc.evaluate(y, scores, metrics=forms) for _ in range(2))
    ahead.compare_ahead(baseline)
    assert len(ahead._compared) == (3 if baseline is None else 2) * len(forms)
    for m in forms:
        made, other = (ev.compare_all(m, baseline=baseline) for ev in (ahead, alone))
        assert made.to_dict() == other.to_dict()
    # another seed, another side and another method are asked for anew
    test = ahead.compare("b", "a", "ap")
    assert ahead.compare("b", "a", "ap", alternative="greater").pvalue != test.pvalue
    assert ahead.compare("b", "a", "ap", rng=3).seed == 3


def test_swaps_that_do_not_fit_are_drawn_for_each_metric(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [12, 200])
    scores = {name: rng.normal(size=212) + y for name in "ab"}
    found = []
    for most in (1 << 24, 0):
        monkeypatch.setattr("hitcurve.inference.resampling.swaps._KEPT", most)
        ev = hc.evaluate(y, scores, metrics=["ap", "auc", "ndcg"])
        found.append([ev.compare("a", "b", m, method="swap-permutation").pvalue for m in ev.metrics])
    assert found[0] == found[1]
