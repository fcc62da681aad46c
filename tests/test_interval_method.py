"""The method of the intervals of values, for a whole evaluation: in Python, in JSON and on the command line."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import ParameterError
from hitcurve.inference.intervals.interval import METHODS
from tests.sampled import binormal
from tests.shell import Shell

SAMPLE = binormal(40, 200, 1.0)
SCORES = {"a": SAMPLE.a, "b": np.round(SAMPLE.a, 0)}
# metrics that each method is for
OF = {"delong": ["auc"], "tilted": ["ap"], "end-model": ["ap"], "jeffreys": ["recall@10%"], "region": ["recall@10%"]}
OF |= {"inversion": ["ndcg"], "log": ["wss@80%"], "profile": [], "cut-limits": [], "best-cut": [], "corrected": []}


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS)
def test_every_interval_of_an_evaluation_is_by_the_method(method: str, tmp_path: Path) -> None:
    metrics = OF.get(method, ["ap", "auc"])
    if not metrics:
        pytest.skip("for metrics of its own, whose default it is")
    ev = hc.evaluate(SAMPLE.y, SCORES, metrics=metrics, interval_method=method)
    plain = hc.evaluate(SAMPLE.y, SCORES, metrics=metrics)
    ev.to_json(tmp_path / "ev.json")
    again = hc.from_json(tmp_path / "ev.json")
    for e in plain:
        expected = e.confidence_interval(method=method)
        for one in (ev, again):
            found = one[e.ranker, e.metric]
            assert found.interval == expected
            assert found.confidence_interval(0.9) == e.confidence_interval(0.9, method=method)
            assert found.confidence_interval(method="auto") == e.interval
            assert found.interval_method == (e.interval_method if method == "auto" else method)
        assert (f"intervals by {ev[e.ranker, e.metric].interval_method}" in str(ev)) or len(metrics) > 1


def test_many_rankers_have_the_method_too() -> None:
    many = {f"r{i}": SAMPLE.a + i for i in range(12)}
    ev = hc.evaluate(SAMPLE.y, many, metrics="auc", interval_method="wald")
    expected = ev["r0", "auc"].confidence_interval(method="wald")
    assert all(e.interval == expected for e in ev)


def test_what_it_is_not_for() -> None:
    with pytest.raises(ParameterError, match="method='delong' is for auc, not for ap"):
        hc.evaluate(SAMPLE.y, SCORES, metrics=["auc", "ap"], interval_method="delong")
    with pytest.raises(ParameterError, match="interval_method must be one of"):
        hc.evaluate(SAMPLE.y, SCORES, interval_method="walt")
    with pytest.raises(ParameterError, match="interval_method is for rankers of one list"):
        hc.evaluate(SAMPLE.y, SCORES, by=np.arange(240) % 4, interval_method="wald")
    ev = hc.evaluate(SAMPLE.y, SCORES, metrics="auc", interval_method="wald")
    with pytest.raises(ParameterError, match="an HTML report has the default intervals"):
        hc.report(ev, "never.html")


def test_simulated_coverage_is_not_said_of_a_method_by_name() -> None:
    default = hc.evaluate(SAMPLE.y, SAMPLE.a, metrics="rie(alpha=20)")["score", "rie(alpha=20)"]
    assert any("simulated coverage" in text for text in default.cautions)
    chosen = hc.evaluate(SAMPLE.y, SAMPLE.a, metrics="rie(alpha=20)", interval_method="wald")["score", "rie(alpha=20)"]
    assert not any("simulated" in text for text in chosen.cautions)


def test_the_shell_has_the_same(shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Path("s.csv").open("w", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["y", "a", "b", "g"])
        writer.writerows(zip(SAMPLE.y, *SCORES.values(), np.arange(240) % 4, strict=True))
    command = ("evaluate", "s.csv", "-l", "y", "-s", "a", "-s", "b", "-m", "auc", "--interval-method")
    for method in ("wald", "delong", "bca"):
        ev = hc.evaluate(SAMPLE.y, SCORES, metrics="auc", interval_method=method)
        lines = list(csv.DictReader(io.StringIO(shell(*command, method, "-f", "csv").out)))
        for line in lines:
            low, high = ev[line["ranker"], "auc"].interval or (0, 0)
            assert (float(line["low"]), float(line["high"]), line["method"]) == (low, high, method)
    assert "--interval-method must be one of 'auto'" in shell(*command, "walt").refusal
    assert "--interval-method is for rankers of one list" in shell(*command, "wald", "--by", "g").refusal
    assert "--interval-method delong is for auc, not for ap" in shell(*command, "delong", "-m", "ap").refusal
    assert "leave out --interval-method" in shell(*command, "wald", "-o", "page.html").refusal
