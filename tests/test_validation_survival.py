"""The study of censored outcomes: a slice of it, and what its committed results must say."""

from __future__ import annotations

import numpy as np
import pytest
from validation import survival
from validation.running import read


def test_settings_are_what_they_say() -> None:
    for cell in (survival.Cell(20_000, 0.6, 0.0, "free"), survival.Cell(20_000, 0.3, 0.5, "all")):
        one = survival.drawn(cell, np.random.default_rng(0))
        early = one.time <= survival.HORIZON
        assert np.mean(early & (one.event == 0)) == pytest.approx(cell.censored, abs=0.012)
        assert ((one.event == 2).any()) == (cell.competing > 0)


@pytest.mark.slow
def test_a_slice_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survival, "_TRUE", 50_000)
    survival.truths.cache_clear()
    lines = survival.study((survival.Cell(400, 0.3, 0.5, "all"), 12))
    assert [line["metric"] for line in lines] == list(survival.METRICS)
    for line in lines:
        assert line["draws"] == 12
        assert abs(line["bias"]) < 4 * line["width"] / 3.9 / np.sqrt(12) + 0.01
    (band,) = [
        one for one in survival.study_over_time((survival.Cell(100, 0.3, 0.0, "free"), 10)) if one["metric"] == "ap"
    ]
    assert band["band"] >= 0.6
    survival.truths.cache_clear()


def test_intervals_cover_and_tests_have_their_size() -> None:
    lines = read("survival")
    assert len(lines) == len(survival.METRICS) * len(survival.cells())
    assert min(float(line["coverage"]) for line in lines) > 0.925
    for line in lines:
        seen = float(line["n"]) * (1 - float(line["censored"]))
        assert float(line["size"]) < (0.1 if seen < 200 else 0.07)
    bands = [float(line["band"]) for line in read("survival_over_time")]
    assert min(bands) > 0.92


def test_bands_of_curves_cover() -> None:
    lines = read("survival_curves")
    assert len(lines) == len(survival.BANDED) * (len(survival.CURVES) + 1)
    assert min(float(line["coverage"]) for line in lines) > 0.9


@pytest.mark.slow
def test_a_slice_of_bands_is_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survival, "_TRUE", 50_000)
    survival.population.cache_clear()
    lines = survival.study_curves((survival.BANDED[2], 3))
    assert [line["curve"] for line in lines] == [*survival.CURVES, "accumulation difference"]
    assert min(line["coverage"] for line in lines) >= 1 / 3
    survival.population.cache_clear()


def test_censoring_costs_width() -> None:
    width = {
        (line["metric"], int(line["n"]), float(line["censored"])): float(line["width"])
        for line in read("survival")
        if line["competing"] == "0.0"
    }
    for metric in ("ap", "auc"):
        for n in survival.SIZES:
            assert width[metric, n, 0.0] < width[metric, n, 0.3] < width[metric, n, 0.6]
