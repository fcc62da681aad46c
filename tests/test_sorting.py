"""Scores are put in the same order with and without buckets."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from hitcurve import cells, sorting

Scores = npt.NDArray[Any]
N = 70_001


def spread() -> dict[str, Scores]:
    rng = np.random.default_rng(0)
    normal = rng.normal(size=N)
    return {
        "normal": normal,
        "float32": normal.astype(np.float32),
        "descending": np.sort(normal)[::-1],
        "few ties": np.round(normal, 5),
        "whole rows": normal[:68_096],
    }


def crowded() -> dict[str, Scores]:
    rng = np.random.default_rng(1)
    normal = rng.normal(size=N)
    return {
        "many ties": np.round(normal, 1),
        "a far one": np.append(normal, 1e9),
        "powers": rng.random(N) ** 60,
        "heavy tails": rng.standard_cauchy(N),
    }


@pytest.fixture
def buckets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "_are_faster", lambda: True)


@pytest.mark.usefixtures("buckets")
@pytest.mark.parametrize("kind", spread())
def test_buckets_ascend(kind: str) -> None:
    scores = spread()[kind]
    given = scores.copy()
    found = sorting.by_buckets(scores)
    assert found is not None
    assert found.dtype == scores.dtype
    assert np.array_equal(found, np.sort(scores))
    assert np.array_equal(scores, given)


@pytest.mark.usefixtures("buckets")
@pytest.mark.parametrize("kind", crowded())
def test_crowded_scores_are_left_to_numpy_and_would_be_right(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = crowded()[kind]
    assert sorting.by_buckets(scores) is None
    assert np.array_equal(sorting.ascending(scores), np.sort(scores))
    monkeypatch.setattr(sorting, "_are_spread", lambda key: True)
    found = sorting.by_buckets(scores)
    assert found is not None
    assert np.array_equal(found, np.sort(scores))


@pytest.mark.usefixtures("buckets")
@pytest.mark.parametrize(
    "scores",
    [
        np.zeros(N),
        np.append(np.random.default_rng(2).normal(size=N), math.inf),
        np.linspace(-1, 1, N) * 1.5e308,
        np.arange(N) * 5e-324,
        np.arange(N),
        np.random.default_rng(3).normal(size=1000),
    ],
    ids=["one value", "infinite", "too far apart", "too near", "integers", "few"],
)
def test_no_buckets_for(scores: Scores) -> None:
    assert sorting.by_buckets(scores) is None
    assert np.array_equal(sorting.ascending(scores), np.sort(scores))


@pytest.mark.parametrize("own", [0, 1, 70_001])
@pytest.mark.parametrize("searched", [1, 4095, 4096, 50_000])
@pytest.mark.parametrize("digits", [1, 3, 17])
def test_search_is_that_of_all_at_once(own: int, searched: int, digits: int) -> None:
    rng = np.random.default_rng(5)
    ordered, wanted = (np.sort(np.round(rng.normal(size=size), digits)) for size in (own, searched))
    found = sorting.search(ordered, wanted)
    assert found.dtype == np.intp
    assert np.array_equal(found, ordered.searchsorted(wanted))


@pytest.mark.parametrize("faster", [False, True])
def test_tables_do_not_depend_on_it(faster: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sorting, "_are_faster", lambda: faster)
    rng = np.random.default_rng(4)
    positive, scores = rng.random(400_000) < 0.5, rng.normal(size=400_000)
    distinct, times = cells.tallied(scores[positive])
    pos, neg = cells.Grid(distinct).count_classes(scores, positive, times)
    assert np.array_equal(distinct, np.unique(scores[positive]))
    assert pos.sum() == np.count_nonzero(positive)
    above = np.cumsum(neg)[1::2][::-1]  # negatives above each positive
    assert np.array_equal(above, np.count_nonzero(~positive) - np.searchsorted(np.sort(scores[~positive]), distinct))


@pytest.mark.parametrize(("plain", "by_buckets", "faster"), [(10.0, 1.0, True), (2.0, 1.0, False), (1.0, 10.0, False)])
def test_whether_buckets_are_faster_is_measured(
    plain: float, by_buckets: float, faster: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]

    def takes(seconds: float) -> Any:
        def do(*_: Any) -> None:
            now[0] += seconds

        return do

    monkeypatch.setattr(sorting, "thread_time", lambda: now[0])
    monkeypatch.setattr(sorting, "_sorted", takes(by_buckets))
    monkeypatch.setattr(np, "sort", takes(plain))
    assert sorting._are_faster.__wrapped__() is faster
