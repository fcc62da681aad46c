"""Metrics of censored outcomes over time: bands, differences, means, and figures of them."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from tests.sampled import censored_sample

TIMES = [3.0, 6.0, 10.0]


def _evaluated(**options: Any) -> hc.SurvivalEvaluation:
    s, time, event = censored_sample()
    return hc.evaluate_survival(time, event, {"a": s, "b": s + np.sin(50 * s)}, horizons=TIMES, **options)


def test_times_are_horizons() -> None:
    ev = _evaluated(metrics=["ap", "recall@10%"])
    for metric in ev.metrics:
        found = ev.over_time(metric, TIMES)
        for name in ("a", "b"):
            line = found[name]
            every = [ev[name, metric, t] for t in TIMES]
            assert line.value.tolist() == [e.value for e in every]
            assert line.standard_error.tolist() == pytest.approx([e.standard_error for e in every], rel=1e-12)
        tests = [ev.compare("a", "b", metric, t) for t in TIMES]
        difference = found.difference("a", "b")
        assert difference.value.tolist() == pytest.approx([t.difference.value for t in tests], abs=1e-15)
        errors = [t.difference.standard_error for t in tests]
        assert difference.standard_error.tolist() == pytest.approx(errors, rel=1e-12)
    found = ev.over_time("ap", TIMES)
    ends = [ev["a", "ap", t].interval for t in TIMES]
    assert [[*end] for end in zip(found["a"].low, found["a"].high, strict=True)] == [
        pytest.approx([*end], rel=1e-12) for end in ends if end is not None
    ]
    assert found.random.tolist() == [ev["a", "ap", t].random for t in TIMES]
    assert found.at_risk.tolist() == [ev.at(t).at_risk for t in TIMES]


def test_band_is_wider_and_of_one_time_it_is_the_interval() -> None:
    ev = _evaluated()
    found = ev.over_time("auc")
    assert 20 < found.times.size <= 40
    for line in (found["a"], found.difference("a", "b")):
        assert np.all(line.band_low < line.low)
        assert np.all(line.band_high > line.high)
        assert np.all((line.low < line.value) & (line.value < line.high))
    for seed in range(4):  # draws that fall short do not make it narrower
        alone = ev.over_time("auc", 6.0, rng=seed, n_resamples=2000)["a"]
        assert alone.band_low[0] <= alone.low[0]
        assert alone.band_low[0] == pytest.approx(alone.low[0], abs=1e-2)
    assert ev.over_time("auc", TIMES, rng=3).seed == 3
    assert ev.over_time("auc", TIMES)["a"].band_low.tolist() == ev.over_time("auc", TIMES)["a"].band_low.tolist()


def test_mean_of_scikit_survival() -> None:
    # scikit-survival 0.28: cumulative_dynamic_auc, with its weights
    mean = _evaluated(rule="sksurv").over_time("auc", TIMES).integrated("a")
    assert mean.value == pytest.approx(0.7761106751, abs=6e-11)


@pytest.mark.slow
def test_error_of_a_mean_knows_that_its_weights_are_estimated() -> None:
    s, time, event = censored_sample(6, 80)

    def value(weight: Any) -> float:
        ev = hc.evaluate_survival(time, event, s, horizons=3, sample_weight=weight)
        return ev.over_time("auc", TIMES, n_resamples=100).integrated("score").value

    phi = np.zeros(80)
    for i in range(80):
        up, down = (1 + sign * 1e-4 * (np.arange(80) == i) for sign in (1, -1))
        phi[i] = (value(up) - value(down)) / 2e-4
    mean = hc.evaluate_survival(time, event, s, horizons=3).over_time("auc", TIMES).integrated("score")
    assert mean.standard_error == pytest.approx(math.sqrt(80 / 79 * np.sum(phi**2)), rel=1e-4)


def test_means_and_their_difference() -> None:
    found = _evaluated().over_time("ap", TIMES)
    a, b, both = found.integrated("a"), found.integrated("b"), found.integrated_difference("a", "b")
    assert both.value == pytest.approx(a.value - b.value, abs=1e-15)
    assert both.standard_error < a.standard_error + b.standard_error
    assert 0 < both.pvalue < 1
    assert found.integrated_difference("b", "a").pvalue == both.pvalue
    assert "mean of ap over time, a" in str(found)
    clustered = _evaluated(clusters=np.arange(200) // 2).over_time("ap", TIMES)
    assert clustered.integrated("a").value == a.value
    assert clustered.integrated("a").standard_error != a.standard_error


def test_means_stay_in_the_range_of_the_metric() -> None:
    s, time, event = censored_sample(8, 60)
    near = hc.evaluate_survival(time, event, {"a": -time + 4 * np.sin(9 * s), "b": s}, horizons=3).over_time(
        "auc", TIMES[:2]
    )
    mean = near.integrated("a")
    assert 0 < mean.low < mean.value < mean.high <= 1
    both = near.integrated_difference("a", "b")
    assert -1 <= both.low < both.value < both.high <= 1
    middle = _evaluated().over_time("auc", TIMES).integrated("a")
    # of a mean in the middle the limits are about as far away on either side
    assert middle.high - middle.value == pytest.approx(middle.value - middle.low, rel=0.35)


def test_scores_that_depend_on_time_are_known_at_the_horizons() -> None:
    s, time, event = censored_sample()
    both = np.stack([s, s + 0.1 * np.sin(9 * s), s**3], axis=1)
    ev = hc.evaluate_survival(time, event, {"m": both[:, [1, 0, 2]]}, horizons=[6, 3, 10])
    found = ev.over_time("ap")
    assert found.times.tolist() == TIMES
    assert found["m"].value.tolist() == [ev["m", "ap", t].value for t in TIMES]
    assert found["m"].value[0] == hc.evaluate_survival(time, event, s, horizons=3)["score", "ap"].value
    with pytest.raises(ParameterError, match="at the horizons only"):
        ev.over_time("ap", [5])


def test_data_of_a_line() -> None:
    found = _evaluated().over_time("ap", TIMES)
    lines = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert len(lines) == 6
    assert [float(line["value"]) for line in lines[:3]] == found["a"].value.tolist()
    assert found.to_frame()["at_risk"].tolist()[:3] == found.at_risk.tolist()
    assert "<table" in found._repr_html_()


def test_what_cannot_be_had_over_time() -> None:
    ev = _evaluated()
    with pytest.raises(InsufficientDataError, match="beyond the follow-up"):
        ev.over_time("ap", [3, 1000])
    with pytest.raises(ParameterError, match="times must be numbers above 0, got '365'"):
        ev.over_time("ap", "365")
    with pytest.raises(UndefinedMetricError, match="leave rule out"):
        _evaluated(rule="aptools").over_time("ap")
    with pytest.raises(hc.errors.ColumnNotFoundError, match="no ranker"):
        ev.over_time("ap", TIMES).integrated("c")


def test_figures_have_the_number_at_risk() -> None:
    pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    found = _evaluated().over_time("ap")
    for ax in (hc.plot.over_time(found), hc.plot.difference_over_time(found, "a", "b", coverage="pointwise")):
        numbers = [text.get_text() for text in ax.texts]
        assert numbers[-1] == "at risk"
        tick = next(t for t in ax.get_xticks() if found.times[0] <= t <= found.times[-1])
        place = int(np.argmin(np.abs(found.times - tick)))
        assert numbers[0] == f"{found.at_risk[place]:g}"
        plt.close(ax.figure)
    ax = hc.plot.over_time(found, rankers="a", bands=False)
    assert ax.get_legend_handles_labels()[1] == ["a", "random"]
    plt.close(ax.figure)
    with pytest.raises(ParameterError, match="over_time returns"):
        hc.plot.over_time(3)  # type: ignore[arg-type]
