"""A list that is taken out of an evaluation of very many has the intervals that it has in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.evaluation import group_numbers, numbers, views
from hitcurve.evaluation.passes import lists
from hitcurve.evaluation.passes.lists import MOST_DRAWN, OF_MANY

METRICS = ["ap", "ndcg", "precision@10", "logauc(0.001, 1)", "auc"]
SIZE = 40


def drawn(groups: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(1)
    y = np.tile(np.arange(SIZE) < 12, groups)
    return y, rng.normal(size=y.size) + y, np.repeat(np.arange(groups), SIZE)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("groups", [12, 13])
def test_a_group_has_the_intervals_of_its_evaluation(
    groups: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (lists, group_numbers, numbers, views):
        monkeypatch.setattr(module, "MOST_DRAWN", 12)
    y, score, group = drawn(groups)
    ev = hc.evaluate(y, score, by=group, metrics=METRICS)
    frame = ev.to_frame(backend="pandas")
    own = ev["7"]
    for m in METRICS:
        (line,) = frame[(frame.group == "7") & (frame.metric == m)].to_dict("records")
        e = own["score", m]
        assert e.interval is not None
        for ends in (e.interval, e.confidence_interval(), ev["7", "score", m].interval):
            assert tuple(ends or ()) == pytest.approx((line["low"], line["high"]), rel=1e-9)
        assert e.interval_method == e.confidence_interval(0.9).method == line["method"]
    by_formula = groups > 12
    assert (own["score", "ap"].interval_method == "tilted") is by_formula
    for one in (ev, own):
        assert (OF_MANY in one.notes) is by_formula
        assert (OF_MANY in str(one)) is by_formula
    # what is asked for by name is still drawn
    assert own["score", "ap"].confidence_interval(method="end-model").method == "end-model"
    budget = own.sensitivity("budget", [10]).of("score", "precision")
    assert (budget.low[0][0], budget.high[0][0]) == pytest.approx(own["score", "precision@10"].interval, rel=1e-9)
    # a file keeps the rule
    own.to_json(tmp_path / "one.json")
    again = hc.from_json(tmp_path / "one.json")
    assert again["score", "ap"].interval == own["score", "ap"].interval
    assert again.notes == own.notes


@pytest.mark.filterwarnings("ignore")
def test_of_very_many_rankers_too() -> None:
    rng = np.random.default_rng(2)
    y = np.arange(SIZE) < 12
    ev = hc.evaluate(y, {f"r{i}": rng.normal(size=SIZE) + y for i in range(MOST_DRAWN + 1)}, metrics=["ap", "auc"])
    e = ev["r3", "ap"]
    assert e.interval_method == e.confidence_interval().method == "tilted"
    assert e.confidence_interval() == pytest.approx(tuple(e.interval or ()), rel=1e-9)
    assert OF_MANY in ev.notes


@pytest.mark.filterwarnings("ignore")
def test_nothing_is_said_where_nothing_would_be_drawn() -> None:
    y, score, group = drawn(MOST_DRAWN + 1)
    ev = hc.evaluate(y, score, by=group, metrics=["auc", "rauc", "max_f1", "tpr@fpr=5%"])
    assert OF_MANY not in ev.notes
    assert OF_MANY not in ev["0"].notes
