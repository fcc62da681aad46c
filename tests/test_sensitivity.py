"""Sensitivities are the estimates of the package, point by point."""

from __future__ import annotations

import math
import re
from contextlib import nullcontext
from typing import Any

import numpy as np
import pytest

import hitcurve as hc
from hitcurve.errors import HitcurveError
from hitcurve.evaluation import evaluate_source
from hitcurve.evaluation.sensitivities.sensitivity_grids import ALONG, default_grid
from hitcurve.magnify.beta import BetaDistribution
from hitcurve.magnify.tabulated import Places, TabulatedBeta
from tests.pages import normal_scores
from tests.sampled import InParts, Sample, quietly

KEYS = {"alpha": "alpha", "prevalence": "prevalence", "budget": "budget", "rate": "rate_low"}


def one_by_one(table: hc.HitTable, metric: hc.Metric, level: float, design: str) -> dict[str, float]:
    value = float(metric.value(table))
    estimate = hc.Estimate("a", metric, value, table, design, level)
    try:
        low, high = estimate.confidence_interval()
    except HitcurveError:
        return {"value": value}
    return {"value": value, "low": low, "high": high}


def expected(along: str, record: dict[str, Any], table: hc.HitTable, design: str) -> dict[str, float]:
    metric: hc.Metric
    if along == "alpha":
        metric = hc.metrics.CROC(hc.magnify.Exponential(record["alpha"]))
    elif along == "prevalence":
        metric, table, design = hc.metric(record["metric"]), table.at_prevalence(record["prevalence"]), "case-control"
    elif along == "budget":
        share = table.assumed_prevalence is not None
        kind = {
            "hits": hc.metrics.HitsAt,
            "precision": hc.metrics.PrecisionAt,
            "recall": hc.metrics.RecallAt,
            "ef": hc.metrics.EnrichmentFactor,
        }
        at = record["budget"] / float(table.n) if share else record["budget"]
        metric = kind[record["metric"]](at)  # type: ignore[abstract]
    else:
        density = hc.rates.Beta.from_quantiles(record["rate_low"], record["rate_high"])
        kinds = {"rauc": hc.metrics.RateWeightedAUC, "expected_recall": hc.metrics.ExpectedRecall}
        metric = kinds[record["metric"]](density)
    return one_by_one(table, metric, record["level"], design)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("positives", "subjects", "decimals", "options"),
    [
        (12, 60, 1, {}),
        (3, 60, None, {}),
        (40, 400, None, {}),
        (200, 3000, 1, {"design": "case-control"}),
        (100, 1000, None, {"prevalence": 0.02}),
        (1500, 20000, None, {}),
    ],
)
@pytest.mark.parametrize("along", ALONG)
def test_a_sensitivity_is_its_estimates(
    along: str, positives: int, subjects: int, decimals: int | None, options: dict[str, Any]
) -> None:
    y, scores = normal_scores(("a",), positives, subjects, decimals=decimals)
    ev = hc.evaluate(y, scores, metrics="ap", **options)
    grid = default_grid(along, ev.tables)
    some = [grid[i] for i in np.linspace(0, len(grid) - 1, 7).astype(int)]
    for level in (0.9, 0.99):
        records = ev.sensitivity(along, some, confidence_level=level).to_records()
        assert {record["level"] for record in records} == {level}
        for record in records:
            wanted = expected(along, record, ev.tables["a"], ev.design)
            found = {key: record[key] for key in ("value", "low", "high") if record[key] is not None}
            assert found == pytest.approx(wanted, rel=1e-8, abs=1e-9), record


def test_levels_of_one_metric_share_their_centre() -> None:
    # the page asks for all levels at once, which takes the quicker of two roads
    from hitcurve.evaluation.sensitivities.sensitivity import sensitivity_of

    y, scores = normal_scores(("a",), 30, 500)
    ev = hc.evaluate(y, scores, metrics="ap")
    for along in ALONG:
        grid = default_grid(along, ev.tables)[::40]
        several = sensitivity_of(ev.tables, along, grid, (0.9, 0.95, 0.99), design="cohort")
        for place, level in enumerate((0.9, 0.95, 0.99)):
            alone = ev.sensitivity(along, grid, confidence_level=level)
            for line in several:
                other = alone.of("a", line.metric)
                assert line.low[place] == pytest.approx(other.low[0], rel=1e-9, nan_ok=True)
                assert line.high[place] == pytest.approx(other.high[0], rel=1e-9, nan_ok=True)


def test_default_grids() -> None:
    y, scores = normal_scores(("a", "b"), 240, 12000)
    tables = hc.evaluate(y, scores, metrics="auc").tables
    sizes = {along: len(default_grid(along, tables)) for along in ALONG}
    assert (sizes["alpha"], sizes["prevalence"], sizes["rate"]) == (60, 60, 300)
    assert 150 <= sizes["budget"] <= 240
    alphas, budgets = default_grid("alpha", tables), default_grid("budget", tables)
    assert {1, 7, 20, 80, 200} <= set(alphas)
    assert {1, 10, 100, 1000, 120, 240, 12000} <= set(budgets)
    assert 0.02 in default_grid("prevalence", tables)
    for along in ALONG:
        half = default_grid(along, tables, part=2)
        assert 0.4 < len(half) / sizes[along] < 0.65
        assert list(half) == sorted(half)


def test_a_frame_and_records() -> None:
    y, scores = normal_scores(("a", "b"), 40, 400)
    ev = hc.evaluate(y, scores, metrics="ap")
    sensitivity = ev.sensitivity("rate", [(0.05, 0.2), (0.1, 0.3)])
    frame = sensitivity.to_frame("pandas")
    assert list(frame.columns) == ["ranker", "metric", "rate_low", "rate_high", "value", "low", "high", "level"]
    assert len(frame) == len(sensitivity.to_records()) == 2 * 2 * 2
    assert len(list(sensitivity)) == 4
    with pytest.raises(hc.errors.ParameterError, match="there are rauc of 'a'"):
        sensitivity.of("a", "auc")


def test_frames_say_why_something_is_missing() -> None:
    y, scores = normal_scores(("a", "b"), 3, 60)
    sensitivity = hc.evaluate(y, scores, metrics="ap").sensitivity("budget", [10, 100])
    frame = sensitivity.to_frame("pandas")
    assert frame["reason"].tolist() == [why for line in sensitivity for why in line.missing]
    assert [record["reason"] or "" for record in sensitivity.to_records()] == frame["reason"].tolist()
    wide = sensitivity.to_frame("pandas", wide=True)
    metrics = list(dict.fromkeys(line.metric for line in sensitivity))
    assert list(wide.columns) == ["ranker", "budget", *metrics, "reason"]
    assert wide[["ranker", "budget"]].to_numpy().tolist() == [["a", 10], ["a", 100], ["b", 10], ["b", 100]]
    for line in sensitivity:
        np.testing.assert_array_equal(wide.loc[wide["ranker"] == line.ranker, line.metric], line.value)
    assert wide["reason"][0] == ""  # an interval is missing, and a wide frame has none
    assert all(f"{m}: " in wide["reason"][1] for m in metrics)
    whole = hc.evaluate(*normal_scores(("a",), 40, 400), metrics="ap").sensitivity("alpha", [7, 20])
    assert "reason" not in whole.to_frame("pandas").columns
    assert list(whole.to_frame("pandas", wide=True).columns) == ["ranker", "alpha", "croc"]


def test_what_cannot_be_had_is_none() -> None:
    y, scores = normal_scores(("a",), 3, 60)
    ev = hc.evaluate(y, scores, metrics="ap")
    sensitivity = ev.sensitivity("alpha", [7])
    (record,) = sensitivity.to_records()
    assert record["low"] is None
    assert "3 positives are too few" in sensitivity.of("a", "croc").missing[0]
    beyond = ev.sensitivity("budget", [10, 100])
    assert math.isnan(beyond.of("a", "hits").value[1])
    assert beyond.of("a", "recall").missing == (
        beyond.of("a", "recall").missing[0],
        "100 exceeds the list of 60 subjects",
    )
    unreachable = ev.sensitivity("rate", [(1e-9, 0.999999)])
    assert math.isnan(unreachable.of("a", "rauc").value[0]) or unreachable.of("a", "rauc").missing


CHOSEN: dict[str, tuple[list[Any], Any]] = {
    "alpha": ([1.5, 20.0], lambda alpha: {"croc": hc.metrics.CROC(hc.magnify.Exponential(alpha))}),
    "budget": (
        [1, 23, 100, 390],
        lambda k: {
            "hits": hc.metrics.HitsAt(k),
            "precision": hc.metrics.PrecisionAt(k),
            "recall": hc.metrics.RecallAt(k),
        },
    ),
    "rate": (
        [(0.02, 0.1), (0.1, 0.5)],
        lambda ends: {
            "rauc": hc.metrics.RateWeightedAUC(hc.rates.Beta.from_quantiles(*ends)),
            "expected_recall": hc.metrics.ExpectedRecall(hc.rates.Beta.from_quantiles(*ends)),
        },
    ),
    "prevalence": ([0.02, 0.3], lambda _: {text: hc.metric(text) for text in ("ap", "precision@1%", "precision@10%")}),
}


@pytest.mark.parametrize("along", ALONG)
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("decimals", [None, 1])
def test_intervals_of_clusters_are_those_of_the_metrics_evaluated(
    along: str, weighted: bool, decimals: int | None
) -> None:
    y, scores = normal_scores(("a", "b"), 40, 400, decimals=decimals)
    rng = np.random.default_rng(5)
    options: dict[str, Any] = {"clusters": rng.integers(0, 60, 400), "design": "cohort"}
    if weighted:
        options["sample_weight"] = rng.integers(1, 4, 400) / 2
    grid, metrics_at = CHOSEN[along]
    found = hc.evaluate(y, scores, metrics="ap", **options).sensitivity(along, grid, confidence_level=0.9)
    for g, point in enumerate(grid):
        if along == "prevalence":
            options = {**options, "design": None, "prevalence": point}
        # weights have no whole subjects: so many of them are a share of the list
        shares = along == "budget" and weighted
        wanted = metrics_at(point / float(np.sum(options["sample_weight"])) if shares else point)
        if shares:
            del wanted["hits"]
        one_by_one = hc.evaluate(y, scores, metrics=list(wanted.values()), **options)
        for name in scores:
            for text, metric in wanted.items():
                line, e = found.of(name, text), one_by_one[name, metric]
                assert line.value[g] == pytest.approx(e.value, rel=1e-8)
                if line.missing[g]:
                    with pytest.raises(HitcurveError, match=re.escape(line.missing[g])):
                        e.confidence_interval(0.9)
                    continue
                ends = tuple(e.confidence_interval(0.9))
                assert np.isfinite(ends).all()
                assert (line.low[0, g], line.high[0, g]) == pytest.approx(ends, rel=1e-6, abs=1e-9), (text, point)


ENDS: dict[str, tuple[list[float], list[float]]] = {
    "perfect": ([3.0, 2.0], []),
    "tied": ([3.0], []),
    "one error": ([3.0, 2.0], [4.0]),
    "upside down": ([-3.0, -2.0], []),
    "tied at the end": ([-3.0], []),
    "one positive above": ([-3.0, -2.0], [-4.0]),
}
"""Scores that positives have in turn, and what one negative beside those at random has."""


@pytest.mark.parametrize("name", ENDS)
@pytest.mark.parametrize("weighted", [False, True])
def test_lists_near_either_end_are_those_of_each_metric(name: str, weighted: bool) -> None:
    positives, negatives = ENDS[name]
    rng = np.random.default_rng(17)
    y = np.repeat([1, 0], [40, 500])
    scores = np.concatenate([np.resize(positives, 40), rng.random(500 - len(negatives)), negatives])
    if len(positives) > 1:
        scores[:40] += 0.5 * rng.random(40)
    weights = rng.integers(1, 4, y.size) / 2 if weighted else None
    with pytest.warns(hc.errors.DirectionWarning) if scores[0] < 0 else nullcontext():
        ev = hc.evaluate(y, {"a": scores}, metrics="ap", sample_weight=weights, design="cohort")
    grid = default_grid("rate", ev.tables)
    found = ev.sensitivity("rate", grid)
    for line in found:
        assert np.all(line.low <= line.value + 1e-13)
        assert np.all(line.value <= line.high + 1e-13)
        for g in range(0, len(grid), 29):
            record = {"metric": line.metric, "rate_low": grid[g][0], "rate_high": grid[g][1], "level": 0.95}
            wanted = expected("rate", record, ev.tables["a"], "cohort")
            assert line.value[g] == pytest.approx(wanted["value"], abs=1e-9)
            assert (line.low[0, g], line.high[0, g]) == pytest.approx((wanted["low"], wanted["high"]), abs=1e-6), g


def test_metrics_without_influence_values_have_no_interval_of_clusters() -> None:
    y, scores = normal_scores(("a", "b"), 40, 400)
    ev = hc.evaluate(y, scores, metrics=["wss@100%", "auc"], clusters=np.arange(400) % 50)
    with pytest.raises(hc.errors.InsufficientDataError, match="depends on the rank of the last of 40 positives"):
        ev["a", "wss@100%"].confidence_interval()
    with pytest.raises(
        hc.errors.UndefinedMetricError, match="has no influence values, which an error of clustered subjects needs"
    ):
        _ = ev["a", "wss@100%"].standard_error
    assert str(ev).count("[0.") == 2  # of the other metric


def test_intervals_of_clusters_do_not_depend_on_the_parts() -> None:
    y, scores = normal_scores(("a",), 40, 400)
    cluster = np.random.default_rng(5).integers(0, 60, 400)
    whole = hc.evaluate(y, scores, metrics="ap", clusters=cluster).sensitivity("budget", [20, 50, 200])
    parts = evaluate_source(InParts(Sample(y == 1, scores), 37, cluster=cluster), (hc.metric("ap"),))
    for a, b in zip(whole, parts.sensitivity("budget", [20, 50, 200]), strict=True):
        assert np.isfinite(a.low).all()
        assert b.low == pytest.approx(a.low, rel=1e-9)
        assert b.high == pytest.approx(a.high, rel=1e-9)


def test_without_their_data_clusters_have_values_and_a_reason() -> None:
    y, scores = normal_scores(("a",), 40, 400)
    ev = hc.evaluate(y, scores, metrics="ap", clusters=np.arange(400) % 50)
    line = ev.without_data().sensitivity("alpha", [7]).of("a", "croc")
    assert line.value[0] == ev.sensitivity("alpha", [7]).of("a", "croc").value[0]
    assert np.isnan(line.low).all()
    assert line.missing == ("subjects within clusters are dependent, and the evaluation does not hold its data",)
    alone = hc.evaluate(y, scores, metrics="ap", clusters=np.zeros(400)).sensitivity("alpha", [7]).of("a", "croc")
    assert alone.missing == ("there is only one cluster, so the variance between clusters cannot be estimated",)


@pytest.mark.parametrize(
    ("along", "grid", "said"),
    [
        ("depth", None, "along must be one of"),
        ("alpha", [], "the grid is empty"),
        ("alpha", [0], "alpha must be a finite number above 0"),
        ("alpha", 7, "the grid must be a sequence"),
        ("prevalence", [1.0], "prevalence must lie strictly between 0 and 1"),
        ("budget", [2.5], "a budget must be a whole number"),
        ("rate", [0.1], "a rate is a pair"),
        ("rate", [(0.3, 0.2)], "rates must be an interval"),
    ],
)
def test_a_wrong_grid_is_refused(along: str, grid: Any, said: str) -> None:
    y, scores = normal_scores(("a",), 10, 100)
    with pytest.raises(hc.errors.ParameterError, match=said):
        hc.evaluate(y, scores, metrics="ap").sensitivity(along, grid)


@pytest.mark.parametrize("ends", [(0.05, 0.2), (0.001, 0.95), (0.9, 0.95), (0.001, 0.0013), (0.01, 0.9)])
def test_a_tabulated_beta_is_its_parent(ends: tuple[float, float]) -> None:
    shape = hc.rates.Beta.from_quantiles(*ends)
    rng = np.random.default_rng(1)
    x = np.unique(np.concatenate([[0, 1], rng.random(3000), np.arange(200) / 300_000, 1 - np.arange(200) / 300_000]))
    x0, x1 = np.append(x[:-1], 0.3), np.append(x[1:], 0.3)
    quick, slow = TabulatedBeta(shape.a, shape.b, Places()), BetaDistribution(shape.a, shape.b)
    assert np.max(np.abs(quick.mean(x0, x1) - slow.mean(x0, x1))) < 2e-9
    for side in ("mean_up", "mean_dn"):
        here, there = getattr(quick, side)(x0, x1), getattr(slow, side)(x0, x1)
        known = np.isfinite(there) & (x0 > 0)
        assert np.max(np.abs(here - there)[known]) < 1e-5 * np.max(there[known])
    assert float(quick.worth(0.0, 1.0)) == pytest.approx(float(slow.worth(0.0, 1.0)), rel=1e-12)


def test_budgets_of_weights_are_in_their_unit() -> None:
    """The same share of the list is the same point of the curve, whatever the weights sum to."""
    y, scores = normal_scores(("a",), 40, 400)
    w = np.random.default_rng(2).integers(1, 4, 400) / 2
    for unit in (1 / w.sum(), 1.0, 1000.0):
        ev = hc.evaluate(y, scores, metrics=["recall@10%", "precision@10%"], sample_weight=w * unit)
        found = ev.sensitivity("budget")
        assert found.grid[0] == pytest.approx(float(np.sum(w**2) / np.sum(w)) * unit, rel=0.02)
        assert found.grid[-1] == ev.tables["a"].n
        tenth = found.grid.index(float(ev.tables["a"].n) * 0.1)
        for kind in ("recall", "precision"):
            line, e = found.of("a", kind), ev["a", f"{kind}@10%"]
            assert e.interval is not None
            assert [line.value[tenth], line.low[0, tenth], line.high[0, tenth]] == pytest.approx([e.value, *e.interval])
    assert ev.sensitivity("budget", [0.5 * w.sum()]).of("a", "recall").value.size == 1


def test_few_negatives_that_decide_are_said_along_a_prevalence() -> None:
    y, s = np.repeat([1, 0], [50, 1000]), np.arange(1050.0)[::-1]
    ev = quietly(y, s, metrics="ap")
    (said,) = ev.sensitivity("prevalence", [0.001, 0.02, 0.3]).cautions
    assert said.startswith("at prevalence 0.02 ap is extrapolated")
    assert "only 20.4 negatives" in said
    assert ev.sensitivity("prevalence", [0.3]).cautions == ()
    assert ev.sensitivity("budget", [20]).cautions == ()
