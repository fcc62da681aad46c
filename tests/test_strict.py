"""Ends of the range of orders, of which a slice at a time is in memory: those of both strict orders."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hitcurve as hc
from hitcurve.evaluation.passes import lists
from hitcurve.inference.estimation import strict
from tests.metrics_under_test import METRICS
from tests.strategies import law

pytestmark = pytest.mark.filterwarnings(f"ignore::{hc.errors.HitcurveWarning.__module__}.HitcurveWarning")
ROWS = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12)


@pytest.fixture(scope="module", autouse=True)
def few() -> Any:
    """Let three positives be many."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(strict, "AT_ONCE", 3)
        patched.setattr(lists, "AT_ONCE", 3)
        yield


@pytest.mark.slow
@law(25)
@given(ROWS, st.sampled_from([None, 0.02]), st.booleans())
def test_slices_are_the_whole(rows: list[tuple[int, int]], prevalence: float | None, collapsed: bool) -> None:
    pos, neg = np.array([*rows, (3, 3)]).T
    table = hc.HitTable.from_counts(pos, neg)
    if collapsed:
        table = table.collapse()
    if prevalence is not None:
        table = table.at_prevalence(prevalence)
    for metric in METRICS:
        try:
            wanted = metric.value(table.worst_ties()), metric.value(table.best_ties())
        except hc.errors.UndefinedMetricError:
            continue
        assert strict.strict_values(metric, table) == pytest.approx(wanted, rel=1e-11, abs=1e-13), metric


@pytest.mark.slow
def test_lists_and_estimates_ask_for_the_same() -> None:
    rng = np.random.default_rng(3)
    y, g = rng.random(600) < 0.4, np.repeat([0, 1, 2], [10, 40, 550])
    scores = np.rint(3 * (rng.normal(size=600) + y))
    alone = {i: hc.evaluate(y[g == i], scores[g == i], metrics=METRICS, undefined="nan") for i in range(3)}
    held = hc.evaluate(y, scores, by=g, metrics=METRICS, undefined="nan").to_frame(per="group")
    seen = 0
    for row in held.to_dict("records"):
        low, high = row["worst_ties"], row["best_ties"]
        one = alone[int(row["group"])]["score", row["metric"]]
        if one.tie_range is None:
            assert low is None or np.isnan(low)
        else:
            assert (low, high) == pytest.approx(one.tie_range, rel=1e-11, abs=1e-13), row["metric"]
            seen += 1
    assert seen > len(METRICS)


def test_more_rows_than_are_looked_at_have_no_range(monkeypatch: pytest.MonkeyPatch) -> None:
    table = hc.HitTable.from_counts([4, 4, 1, 4], [1, 2, 3, 9])
    limits: list[tuple[str, int, set[str]]] = [
        ("MOST_STRICT_ROWS", 12, {"auc", "precision@3"}),
        ("MOST_STRICT_ROWS", 3, set()),
        ("MOST_IN_SLICES", 12, {"scaled_ap", "precision@3"}),
    ]
    for name, most, there in limits:
        with monkeypatch.context() as patched:
            patched.setattr(strict, name, most)
            ends = {m: strict.strict_values(hc.metric(m), table) for m in ("scaled_ap", "auc", "precision@3")}
        assert {m for m, both in ends.items() if not np.isnan(both).any()} == there, (name, most)


def test_a_metric_that_one_order_leaves_undefined_has_no_range() -> None:
    y, scores = np.repeat([1, 0, 1], [40, 60, 1]), np.repeat([1.0, 1.0, 2.0], [40, 60, 1])
    found = hc.evaluate(y, scores, metrics="momentum", undefined="nan")["score", "momentum"]
    assert not np.isnan(found.value)
    assert found.tie_range is None
