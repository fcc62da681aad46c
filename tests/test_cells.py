"""Counting scores into the cells of a grid: every road to the same whole numbers."""

from __future__ import annotations

import importlib
import itertools
import math
import sys
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hitcurve import _threads, cells
from hitcurve.buckets import Buckets, add_up, searched
from hitcurve.cells import Accumulator, Grid, some_distinct
from hitcurve.errors import LabelError, MissingValueError
from hitcurve.sources.memory import arrays
from tests.strategies import law

Scores = npt.NDArray[Any]


def by_hand(grid: Scores, scores: Scores) -> list[int]:
    counted = [int(np.sum(scores > grid[-1]))]
    for i in range(grid.size - 1, -1, -1):
        below = grid[i - 1] if i else None
        between = (scores < grid[i]) & (True if below is None else scores > below)
        counted += [int(np.sum(scores == grid[i])), int(np.sum(between))]
    return counted


@pytest.mark.parametrize("chunk", [1, 7, 64, 10_000])
@pytest.mark.parametrize("processors", [1, 2, 5])
@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8])
def test_chunks_and_threads_do_not_matter(
    monkeypatch: pytest.MonkeyPatch, chunk: int, processors: int, dtype: type
) -> None:
    rng = np.random.default_rng(0)
    scores: Scores = np.array(rng.integers(0, 60, 1003), dtype)
    grid: Scores = np.unique(np.array(rng.integers(5, 70, 12), dtype))
    monkeypatch.setattr(cells, "_CHUNK", chunk)
    monkeypatch.setattr(cells, "_LARGEST_CHUNK", chunk)
    monkeypatch.setattr(cells, "processors", lambda: processors)
    monkeypatch.setattr(_threads, "processors", lambda: processors)
    counted = Grid(grid).count(scores)
    assert counted.dtype == np.int64
    assert counted.tolist() == by_hand(grid, scores)
    assert np.bincount(Grid(grid).rows_of(scores), minlength=2 * grid.size + 1).tolist() == counted.tolist()


def spread(kind: str, n: int, rng: np.random.Generator) -> Scores:
    if kind == "normal":
        return rng.normal(size=n)
    if kind == "rounded":
        return np.round(rng.normal(size=n), 3)
    if kind == "heavy tails":
        return rng.standard_cauchy(n)
    if kind == "probabilities":
        return rng.beta(0.1, 5, n)
    if kind == "subnormal":
        return rng.integers(0, 50_000, n) * 5e-324
    if kind == "far from 0":
        return 1e6 + rng.normal(size=n)
    if kind == "huge":
        return rng.uniform(-1, 1, n) * np.finfo(float).max
    return np.where(rng.random(n) < 0.1, rng.choice([-math.inf, math.inf], n), rng.normal(size=n))


KINDS = ["normal", "rounded", "heavy tails", "probabilities", "subnormal", "far from 0", "huge", "infinities"]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [2, 40, 3000])
def test_buckets_and_sorting_agree(monkeypatch: pytest.MonkeyPatch, kind: str, size: int, dtype: type) -> None:
    rng = np.random.default_rng(size)
    with np.errstate(over="ignore"):
        scores: Scores = spread(kind, 100_000, rng).astype(dtype)
    grid = Grid(np.unique(scores[:size]))
    by_buckets, rows = grid.count(scores), grid.rows_of(scores)
    monkeypatch.setattr(cells, "_FEWEST", scores.size + 1)
    by_sorting, searched = grid.count(scores), grid.rows_of(scores)
    np.testing.assert_array_equal(by_buckets, by_sorting)
    np.testing.assert_array_equal(rows, searched)
    np.testing.assert_array_equal(np.bincount(rows, minlength=grid.rows), by_sorting)
    # the road by hand, at three rows: above, tied with and below one score of the grid
    middle = grid.scores[grid.size // 2]
    above = 2 * (grid.size - grid.size // 2) - 1
    assert by_sorting[:above].sum() == np.sum(scores > middle)
    assert by_sorting[above] == np.sum(scores == middle)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("shift", [0.0, 1e3])
def test_scores_beyond_the_buckets_have_the_rows_at_the_ends(shift: float, dtype: type) -> None:
    rng = np.random.default_rng(8)
    grid = Grid(np.unique((shift + rng.normal(size=300)).astype(dtype)))
    assert grid._helpful(rng.choice(grid.scores, 50_000)) is not None
    ends, largest = grid.scores[[0, -1]], np.finfo(dtype).max
    far = [-math.inf, -largest, -1.0, -np.finfo(dtype).tiny, -0.0, 0.0, 1.0, largest, math.inf]
    beside = [np.nextafter(end, way) for end in ends for way in (-largest, largest)]
    one_each: Scores = np.array([*far, *(-end for end in ends), *ends, *beside], dtype)
    rows = [2 * np.sum(grid.scores > score) + np.sum(grid.scores == score) for score in one_each]
    scores = np.tile(one_each, 10_000)
    np.testing.assert_array_equal(grid.rows_of(scores), np.tile(rows, 10_000))
    np.testing.assert_array_equal(grid.count(scores), 10_000 * np.bincount(rows, minlength=grid.rows))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("kind", ["normal", "rounded", "heavy tails", "probabilities", "shifted", "clusters"])
def test_intervals_may_hold_any_number_of_scores(kind: str, dtype: type) -> None:
    for count, size in itertools.product((4096, 256, 16), (3, 40, 3000)):
        _check_intervals(size, count, kind, dtype)


def _check_intervals(size: int, count: int, kind: str, dtype: type) -> None:
    rng = np.random.default_rng(count)
    with np.errstate(over="ignore"):
        if kind == "shifted":
            grid: Scores = 1e3 + 10 * rng.normal(size=size)
        elif kind == "clusters":  # some in many intervals, many in few
            grid = np.where(np.arange(size) % 3, rng.normal(size=size), 2 + 1e-3 * rng.normal(size=size))
        else:
            grid = spread(kind, size, rng)
        grid = np.unique(grid.astype(dtype))
    grid = grid[np.isfinite(grid)]
    beside = [np.nextafter(grid, dtype(way)) for way in (-math.inf, math.inf)]
    between: Scores = rng.uniform(grid[0], grid[-1], 5000).astype(dtype)
    scores = rng.permutation(np.concatenate([grid, *beside, between, [-math.inf, math.inf, 0.0, -0.0]]).astype(dtype))
    buckets = Buckets(grid, count)
    assert buckets.usable
    np.testing.assert_array_equal(buckets.rows(scores), searched(grid, scores))


def test_scores_are_crowded_where_their_part_holds_many() -> None:
    grid = np.concatenate([np.arange(100.0), 50 + np.arange(1, 100) * 1e-9])
    assert Buckets(np.arange(100.0), 4096).crowded(grid) == 0
    assert Buckets(np.sort(grid), 4096).crowded(np.arange(100.0) + 0.25) == 0
    assert Buckets(np.sort(grid), 4096).crowded(grid) == 100 / 199  # 50 and what is just above it


@pytest.mark.parametrize("processors", [1, 2, 5])
@pytest.mark.parametrize("pieces", [1, 3])
@pytest.mark.parametrize("chunk", [1000, 4096, 1 << 20])
def test_pieces_of_several_chunks_are_counted_once(
    monkeypatch: pytest.MonkeyPatch, chunk: int, pieces: int, processors: int
) -> None:
    monkeypatch.setattr(cells, "_LOOKED_UP", 1)
    monkeypatch.setattr(cells, "_MOST_LOOKED_UP", chunk)
    monkeypatch.setattr(cells, "_PIECES", pieces)
    monkeypatch.setattr(cells, "processors", lambda: processors)
    monkeypatch.setattr(_threads, "processors", lambda: processors)
    scores = np.random.default_rng(11).normal(size=60_001)
    grid = Grid(np.unique(scores[:200]))
    assert grid._helpful(scores) is not None
    assert grid.count(scores).tolist() == by_hand(grid.scores, scores)


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("size", [10, 5000])
def test_rows_are_added_up_by_every_road(monkeypatch: pytest.MonkeyPatch, size: int, sparse: bool, dtype: type) -> None:
    if sparse:
        monkeypatch.setitem(sys.modules, "scipy.sparse", importlib.import_module("scipy.sparse"))
    else:
        monkeypatch.delitem(sys.modules, "scipy.sparse", raising=False)
    rows = np.random.default_rng(9).integers(0, 900, size, dtype=np.int32)
    total: Scores = np.arange(1000, dtype=dtype)
    add_up(total, rows)
    assert total.dtype == dtype
    assert total.tolist() == [place + int(np.sum(rows == place)) for place in range(1000)]


@pytest.mark.parametrize("left", [0, 5000, 2**31 - 1])
@pytest.mark.parametrize("kind", ["normal", "rounded", "heavy tails", "subnormal", "far from 0"])
def test_chunks_are_counted_into_the_same_arrays(kind: str, left: int) -> None:
    rng = np.random.default_rng(4)
    scores = spread(kind, 40_000, rng)
    positive = rng.random(scores.size) < 0.02
    grid = Grid(np.unique(scores[positive]))
    counted = Accumulator(grid)
    counted._left = left  # subjects that 32 bits hold
    for start in range(0, scores.size, 9000):  # the first are sorted, the last are few
        chunk = slice(start, start + 9000)
        counted.add(scores[chunk], positive[chunk])
    pos, neg = counted.classes()
    assert pos.dtype == (np.int32 if left > scores.size else np.int64)
    for own, all in zip((pos, neg), Grid(grid.scores).count_classes(scores, positive), strict=True):
        np.testing.assert_array_equal(own, all)


def test_buckets_are_used_where_they_help() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(size=50_000)
    grid = Grid(np.unique(scores[:500]))
    assert grid._helpful(scores) is not None
    assert Grid(np.unique(np.append(scores[:500], 1e9)))._helpful(scores) is None  # all in one bucket
    assert Grid(np.unique(np.append(scores[:500], math.inf)))._helpful(scores) is None
    assert grid._helpful(scores[:100]) is None


@law(100)
@given(scores=st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, -math.inf, math.inf]), max_size=12))
def test_a_decision_is_told_from_a_score(scores: list[float]) -> None:
    for many in (1, 60):
        found = some_distinct(np.array(scores * many))
        assert len(set(found.tolist())) == found.size
        assert min(found.size, 3) == min(len(set(scores)), 3)


def test_a_rare_third_score_is_seen() -> None:
    scores = np.zeros(5000)
    scores[-1], scores[-2] = 1, 2
    assert some_distinct(scores).size == 3
    assert some_distinct(scores[:-2]).size == 1


@pytest.mark.parametrize("piece", [1, 7, 100])
@pytest.mark.parametrize("processors", [1, 2])
def test_columns_read_in_pieces_have_the_same_positives_and_nans(
    monkeypatch: pytest.MonkeyPatch, piece: int, processors: int
) -> None:
    monkeypatch.setattr(_threads, "_PIECE", piece)
    monkeypatch.setattr(_threads, "processors", lambda: processors)
    rng = np.random.default_rng(10)
    scores, positive = rng.normal(size=50), rng.random(50) < 0.3
    block = arrays(positive.astype(np.int16), {"a": scores}).block
    assert block.n_pos == sum(positive.tolist())
    assert block.positive.tolist() == positive.tolist()
    assert block.positive_scores("a").tolist() == [score for score, one in zip(scores, positive, strict=True) if one]
    for place in (0, 31, 49):
        gap = scores.copy()
        gap[place] = math.nan
        with pytest.raises(MissingValueError, match=r"^1 of 50 values"):
            arrays(positive, {"a": gap})
    labels = positive.astype(np.int16)
    labels[49] = 2
    with pytest.raises(LabelError, match="got more: 0, 1, 2"):
        arrays(labels, {"a": scores})
