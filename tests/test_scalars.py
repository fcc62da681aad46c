"""Numbers one by one, for loggers of experiments."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import HitcurveWarning, ParameterError
from hitcurve.evaluation.scalars import NUMBERS, safe_names
from tests.metrics_under_test import FORMS

Y = np.repeat([1, 0], [20, 80])
RNG = np.random.default_rng(4)
NAMES = ("model", "model/2 (β=.1)", "模型", "_x_", "..", "a b", "a_b", "x" * 300, "ef@1%")
SCORES = {name: RNG.normal(size=100) + Y for name in NAMES}
SAFE = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9][A-Za-z0-9_.-]*)+")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::hitcurve.errors.SaturationWarning")
def test_names_are_safe_distinct_and_short() -> None:
    ev = hc.evaluate(Y, SCORES, metrics=FORMS)
    found = ev.scalars()
    assert all(SAFE.fullmatch(name) and len(name) <= 250 for name in found)
    assert len([name for name in found if not name.endswith(tuple(f"_{key}" for key in NUMBERS))]) == len(ev)
    # a folder of mlflow is no file beside
    assert not any(f"{name}/" in "".join(found) for name in found if name.count("/") > 1)
    assert {"model/ap", "model/ef_at_1pct", "model/croc_exp_alpha_7", "a_b-2/ap", "ranker-3/ap"} <= set(found)


def test_numbers_are_those_of_the_evaluation() -> None:
    ev = hc.evaluate(Y, {"a": SCORES["model"], "b": SCORES["a b"]}, metrics=["ap", "ef@10%"])
    found = ev.scalars()
    for e in ev:
        name = f"{e.ranker}/{safe_names([str(e.metric)], 'metric')[str(e.metric)]}"
        assert e.interval is not None
        own = [found[name], found[f"{name}_standard_error"], found[f"{name}_low"], found[f"{name}_high"]]
        assert own == [e.value, e.standard_error, *e.interval]
        if e.cut is not None:
            assert (found[f"{name}_cut_score"], found[f"{name}_cut_rate"]) == e.cut[:2]
    assert len(found) == 4 * len(ev) + 2 * 2  # of the cutoff at 10%
    assert all(isinstance(value, float) for value in found.values())


def test_cuts_of_equally_many_subjects_have_the_same_rate() -> None:
    y = np.repeat([1, 0], [100, 4700])
    scores = {str(i): RNG.normal(size=4800) + i / 4 * y for i in range(12)}
    metrics = ["recall@1%", "precision@48", "tpr@fpr=1%"]
    found = hc.evaluate(y, scores, metrics=metrics)
    for e in found:
        assert e.cut is not None
        assert e.cut.rate == round(e.cut.rate * 4800) / 4800  # a quotient of counts, rounded once
        if "fpr" not in str(e.metric):
            assert e.cut.rate == 48 / 4800


def test_what_cannot_be_had_is_left_out_with_a_reason() -> None:
    with pytest.warns(HitcurveWarning):
        ev = hc.evaluate(
            Y, SCORES["model"], sample_weight=1 + np.arange(100) % 2, metrics=["ap", "recall@5"], undefined="nan"
        )
    assert not any(map(math.isnan, ev.scalars().values()))
    assert "score/recall_at_5" not in ev.scalars()
    assert list(ev.reasons()) == ["score/recall_at_5"]
    few = hc.evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="ap")
    assert list(few.scalars()) == ["score/ap", "score/ap_standard_error"]
    assert "too few for an interval" in few.reasons()["score/ap"]


def test_groups_give_means_or_each_group() -> None:
    grouped = hc.evaluate(Y, {"a": SCORES["model"]}, by=np.arange(100) % 2, metrics="ap")
    mean = grouped.mean("a", "ap")
    assert mean.interval is not None
    expected = {
        "a/ap": mean.value,
        "a/ap_standard_error": mean.standard_error,
        "a/ap_low": mean.interval.low,
        "a/ap_high": mean.interval.high,
    }
    assert grouped.scalars() == expected
    assert grouped.scalars("group")["0/a/ap"] == grouped["0", "a", "ap"].value
    assert grouped.reasons("group") == {}
    with pytest.raises(ParameterError, match="per"):
        grouped.scalars("fold")
