"""Grids whose points share their work say what each point says alone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.evaluation.sensitivities.sensitivity import sensitivity_of
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import ExpectedRecall, Metric, PrecisionAt, RateWeightedAUC, RecallAt
from hitcurve.rates import Beta
from hitcurve.rates.fit import of_many_quantiles

LEVEL = 0.9
PAIRS = ((0.001, 0.00133), (0.001, 0.95), (0.06, 0.29), (0.3, 0.4), (0.71, 0.95))


def scores(n: int, n_pos: int, *, ties: int | None = None) -> tuple[Any, Any]:
    rng = np.random.default_rng(n)
    y = np.arange(n) < n_pos
    s = rng.normal(size=n) + 1.3 * y
    return y, s if ties is None else np.round(s * ties)


def table(kind: str) -> hc.HitTable:
    y, s = scores(12_000, 900, ties=3 if kind == "ties" else None)
    if kind == "short":
        y, s = scores(40, 12)
    weight = np.random.default_rng(1).uniform(0.5, 2, y.size) if kind == "weights" else None
    made = hc.HitTable.from_scores(y, s, sample_weight=weight)
    return made.at_prevalence(0.02) if kind == "prevalence" else made


def alone(metric: Metric, rows: hc.HitTable, design: str) -> tuple[float, float, float]:
    from hitcurve.inference.intervals.interval import interval

    ends, _ = interval(Spread(metric, rows, design), LEVEL)
    return float(metric.value(rows)), *ends


@pytest.mark.parametrize("kind", ["plain", "ties", "short", "weights", "prevalence"])
def test_densities_of_the_rate(kind: str) -> None:
    rows = table(kind)
    design = "case-control" if kind == "prevalence" else "cohort"
    found = sensitivity_of({"a": rows}, "rate", PAIRS, (LEVEL,), design=design)
    kinds: dict[str, Any] = {"rauc": RateWeightedAUC, "expected_recall": ExpectedRecall}
    for name, metric in kinds.items():
        line = found.of("a", name)
        for g, pair in enumerate(PAIRS):
            own = alone(metric(Beta.from_quantiles(*pair)), rows, design)
            assert (line.value[g], line.low[0, g], line.high[0, g]) == pytest.approx(own, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("kind", ["plain", "ties", "short", "weights"])
def test_cuts(kind: str) -> None:
    rows = table(kind)
    budgets = (1, 2, 7, 20, 39) if kind == "short" else (1, 2, 7, 100, 1000, 5000, 11_999)
    found = sensitivity_of({"a": rows}, "budget", budgets, (LEVEL,), design="cohort")
    for name, metric in {"precision": PrecisionAt, "recall": RecallAt}.items():
        line = found.of("a", name)
        for g, k in enumerate(budgets):
            at = k if rows.counts.whole else k / float(rows.n)
            own = alone(metric(at), rows, "cohort")
            assert (line.value[g], line.low[0, g], line.high[0, g]) == pytest.approx(own, rel=1e-12)


@pytest.mark.parametrize(
    ("along", "grid"), [("budget", (2, 7, 100, 5000)), ("rate", PAIRS), ("prevalence", (0.01, 0.3))]
)
def test_full_and_collapsed_rows_of_weights_are_one(along: str, grid: tuple[Any, ...]) -> None:
    full = table("weights")
    here, there = (
        sensitivity_of({"a": rows}, along, grid, (LEVEL,), design="cohort") for rows in (full, full.collapse())
    )
    for line, other in zip(here.lines, there.lines, strict=True):
        np.testing.assert_allclose(line.value, other.value, rtol=1e-12)
        np.testing.assert_allclose(line.low, other.low, rtol=1e-10)
        np.testing.assert_allclose(line.high, other.high, rtol=1e-10)


def test_a_precision_at_many_prevalences() -> None:
    rows, grid = table("plain"), (0.001, 0.01, 0.075, 0.5)
    found = sensitivity_of({"a": rows}, "prevalence", grid, (LEVEL,), design="cohort").of("a", "precision@10%")
    for g, prevalence in enumerate(grid):
        own = alone(PrecisionAt(0.1), rows.at_prevalence(prevalence), "case-control")
        assert (found.value[g], found.low[0, g], found.high[0, g]) == pytest.approx(own, rel=1e-11)


def test_many_quantiles_are_those_of_one() -> None:
    low, high = np.array(PAIRS).T
    one_by_one = [Beta.from_quantiles(*pair) for pair in PAIRS]
    a, b = of_many_quantiles(low, high, 0.025)
    np.testing.assert_allclose(a, [density.a for density in one_by_one], rtol=1e-12)
    np.testing.assert_allclose(b, [density.b for density in one_by_one], rtol=1e-12)


def test_nothing_found_is_nothing() -> None:
    # all positives lie far below what is read under the first density
    rows = hc.HitTable.from_scores(np.arange(10_000) >= 9_900, -np.arange(10_000.0))
    found = sensitivity_of({"a": rows}, "rate", ((0.001, 0.00133),), (LEVEL,), design="cohort")
    assert found.of("a", "expected_recall").value.tolist() == [0.0]
