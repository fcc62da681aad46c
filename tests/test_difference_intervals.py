"""Intervals of a difference from the replicates of its bootstrap."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import hitcurve as hc
from hitcurve.errors import ParameterError
from tests.sampled import binormal

SAMPLE = binormal(60, 240, 1.5, 0.8, seed=4)
KINDS = ("normal", "percentile", "bca")


def compared(metric: str = "auc", interval: str = "normal", **options: Any) -> hc.Comparison:
    chosen: dict[str, Any] = {"rng": 3, "n_resamples": 1500, "method": "bootstrap"} | options
    return hc.compare(SAMPLE.y, SAMPLE.a, SAMPLE.b, metric=metric, interval=interval, **chosen)


def test_the_replicates_are_kept() -> None:
    d = compared().difference
    assert d.replicates is not None
    assert d.replicates.shape == (1500,)
    assert np.std(d.replicates, ddof=1) == d.standard_error
    with pytest.raises(ValueError, match="read-only"):
        d.replicates[0] = 0
    assert tuple(d.confidence_interval(method="percentile")) == tuple(np.quantile(d.replicates, [0.025, 0.975]))
    assert compared(method="delta", n_resamples=None).difference.replicates is None


@pytest.mark.parametrize("metric", ["auc", "ap"])
def test_bca_is_that_of_scipy(metric: str) -> None:
    y, a, b = SAMPLE.y, SAMPLE.a, SAMPLE.b
    one = hc.metric(metric)

    def difference(positive: Any, negative: Any) -> float:
        chosen = np.concatenate([positive, negative])
        return one(y[chosen], a[chosen]) - one(y[chosen], b[chosen])

    places = (np.flatnonzero(y), np.flatnonzero(~y.astype(bool)))
    drawn = stats.bootstrap(
        places, difference, vectorized=False, n_resamples=2000, method="BCa", rng=np.random.default_rng(0)
    )
    d = compared(metric, design="case-control", n_resamples=40_000).difference
    low, high = d.confidence_interval(method="bca")
    # 2,000 replicates place an end within a fifteenth of the standard error or so
    slack = 0.15 * d.standard_error
    assert low == pytest.approx(drawn.confidence_interval.low, abs=slack)
    assert high == pytest.approx(drawn.confidence_interval.high, abs=slack)


def test_acceleration_is_the_skewness_of_the_jackknife() -> None:
    y, a, b = SAMPLE.y, SAMPLE.a, SAMPLE.b
    auc = hc.metric("auc")
    left_out = np.array(
        [auc(np.delete(y, i), np.delete(a, i)) - auc(np.delete(y, i), np.delete(b, i)) for i in range(y.size)]
    )
    moved = left_out.mean() - left_out
    expected = np.sum(moved**3) / (6 * np.sum(moved**2) ** 1.5)
    assert compared().difference.acceleration == pytest.approx(expected, rel=0.05)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("clusters", [None, np.arange(300) // 2])
def test_swapping_the_rankers_turns_the_interval(kind: str, clusters: Any) -> None:
    there = compared("ap", kind, clusters=clusters)
    back = hc.compare(
        SAMPLE.y, SAMPLE.b, SAMPLE.a, metric="ap", interval=kind, method="bootstrap", rng=3, n_resamples=1500,
        clusters=clusters,
    )  # fmt: skip
    low, high = there.difference.confidence_interval()
    assert tuple(back.difference.confidence_interval()) == pytest.approx((-high, -low), rel=1e-12)
    assert low < there.difference.value < high


def test_the_interval_asked_for_is_the_one_printed() -> None:
    found = {kind: compared(interval=kind) for kind in KINDS}
    assert len({test.pvalue for test in found.values()}) == 1
    assert len({test.difference.confidence_interval() for test in found.values()}) == 3
    for kind, words in (("percentile", "percentiles of the replicates"), ("bca", "BCa")):
        test = found[kind]
        low, high = test.difference.confidence_interval()
        assert test.difference.confidence_interval(0.9).method == kind
        assert (test.to_dict()["low"], test.to_dict()["high"]) == (low, high)
        assert test.to_dict()["interval_method"] == kind
        assert f"({words})" in str(test)
        assert words in test.methods_text()
    assert found["normal"].to_dict()["interval_method"] == "normal"


def test_all_pairs_have_it() -> None:
    ev = hc.evaluate(SAMPLE.y, {"a": SAMPLE.a, "b": SAMPLE.b}, metrics="auc")
    (test,) = ev.compare_all("auc", method="bootstrap", interval="bca", rng=3, n_resamples=1500)
    assert test.difference == compared(interval="bca").difference


def test_on_the_shell(tmp_path: Path) -> None:
    columns = (x.tolist() for x in (SAMPLE.y, SAMPLE.a, SAMPLE.b))
    lines = ["y,a,b", *(f"{int(y)},{a!r},{b!r}" for y, a, b in zip(*columns, strict=True))]
    (tmp_path / "s.csv").write_text("\n".join(lines))
    words = ["evaluate", "s.csv", "-l", "y", "-s", "a", "-s", "b", "-f", "json", "--compare", "auc", "-m", "auc"]
    words += ["--method", "bootstrap", "--seed", "3", "--n-resamples", "1500", "--interval", "bca"]
    done = subprocess.run([sys.executable, "-m", "hitcurve", *words], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (found,) = json.loads(done.stdout)["comparisons"]
    low, high = compared(interval="bca").difference.confidence_interval()
    assert (found["low"], found["high"], found["interval_method"]) == (low, high, "bca")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda: compared(interval="bca", method="delta"), "method='bootstrap'"),
        (lambda: compared(interval="percentile", method="auto"), "method='bootstrap'"),
        (lambda: compared(interval="studentized"), "interval must be one of"),
        (lambda: compared(interval="bca", paired=False), "two samples"),
        (lambda: compared(method="delta").difference.confidence_interval(method="bca"), "method='bootstrap'"),
        (lambda: compared().difference.confidence_interval(method="t"), "method must be one of"),
    ],
)
def test_what_has_no_such_interval(wrong: Any, words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        wrong()


def test_bca_without_influence_values_is_refused() -> None:
    test = compared("interpolated_ap(points=11)", "percentile")
    assert math.isnan(test.difference.acceleration)
    with pytest.raises(ParameterError, match="'percentile'"):
        compared("interpolated_ap(points=11)", "bca")


def test_percentiles_need_a_replicate_beyond_each_end() -> None:
    sample = binormal(20, 60, 1.0, 1.0, seed=1)
    ev = hc.evaluate(sample.y, sample.scores, metrics="auc")
    for interval in ("percentile", "bca"):
        with pytest.raises(ParameterError, match="need at least 40 bootstrap replicates, got 39"):
            ev.compare("a", "b", "auc", method="bootstrap", interval=interval, n_resamples=39, rng=0)
        with pytest.raises(ParameterError, match="need at least 40 bootstrap replicates, got 39"):
            ev["a", "auc"].confidence_interval(method=interval, n_resamples=39, rng=0)
        ev.compare("a", "b", "auc", method="bootstrap", interval=interval, n_resamples=40, rng=0)
