"""Consensus scores: against published columns, against the definitions by other roads, laws, and refusals."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats

import hitcurve as hc
from hitcurve import errors
from tests.data import read_columns

METHODS = ("mean-rank", "min-rank", "mean-z", "max-z")
PPARG = "docking/pparg_scores.csv.gz"
PUBLISHED = ["surf_scores", "icm_scores"]  # of these two the published consensus is


def drawn(seed: int = 0, n: int = 40, ties: bool = True) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    out = {name: rng.normal(size=n) for name in "abc"}
    return {name: np.round(values, 1 if ties else 12) for name, values in out.items()}


# ---- published columns


def test_max_z_is_the_published_one(shared_data: Path) -> None:
    columns = read_columns(PPARG)
    fused = hc.fuse_scores(PUBLISHED, "max-z", data=columns)
    np.testing.assert_allclose(fused, columns["maxz_scores"], rtol=0, atol=1e-14)


def test_min_rank_is_the_published_one_but_for_ties(shared_data: Path) -> None:
    """The published ranks go by the row within ties; here ties share their midrank."""
    columns = read_columns(PPARG)
    strict = {name: -stats.rankdata(-columns[name], method="ordinal") for name in PUBLISHED}
    np.testing.assert_array_equal(hc.fuse_scores(strict, "min-rank"), columns["minr_scores"])

    fused = hc.fuse_scores(PUBLISHED, "min-rank", data=columns)
    tied = np.zeros(fused.size, bool)
    widest = 0.0
    for name in PUBLISHED:
        _, place, size = np.unique(columns[name], return_inverse=True, return_counts=True)
        tied |= size[place] > 1
        widest = max(widest, (size.max() - 1) / 2)
    away = np.abs(fused - columns["minr_scores"])
    assert 0 < away.max() <= widest
    assert not away[~tied].any()


def test_the_consensus_has_the_published_areas(shared_data: Path) -> None:
    columns = read_columns(PPARG)
    ev = hc.evaluate(columns["surf_actives"], hc.fuse_scores(PUBLISHED, "max-z", data=columns), metrics=["auc", "ap"])
    # scikit-learn on the published column
    assert ev["score", "auc"].value == pytest.approx(0.91941345774, abs=1e-10)
    assert ev["score", "ap"].value == pytest.approx(0.508346369495, abs=1e-10)


# ---- the definitions by other roads


def test_methods_follow_their_definitions() -> None:
    frame = pd.DataFrame(drawn())
    ranks = frame.rank(ascending=False)
    z = frame.apply(lambda column: stats.zscore(column, ddof=1))
    expected = {
        "mean-rank": -ranks.mean(axis=1),
        "min-rank": -ranks.min(axis=1),
        "mean-z": z.mean(axis=1),
        "max-z": z.max(axis=1),
    }
    for method in METHODS:
        np.testing.assert_allclose(hc.fuse_scores(["a", "b", "c"], method, data=frame), expected[method], rtol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_groups_are_fused_one_by_one(method: str) -> None:
    scores = drawn(1, 60)
    group = np.random.default_rng(2).choice(["x", "y", "z"], 60)
    together = hc.fuse_scores(scores, method, by=group)
    for name in "xyz":
        rows = group == name
        alone = hc.fuse_scores({key: values[rows] for key, values in scores.items()}, method)
        np.testing.assert_array_equal(together[rows], alone)


@pytest.mark.parametrize("method", METHODS)
def test_a_score_of_which_low_is_good_is_turned(method: str) -> None:
    scores = drawn(3)
    turned = scores | {"b": -scores["b"]}
    np.testing.assert_array_equal(
        hc.fuse_scores(turned, method, higher_is_better={"b": False}), hc.fuse_scores(scores, method)
    )
    low = {name: -values for name, values in scores.items()}
    np.testing.assert_array_equal(hc.fuse_scores(low, method, higher_is_better=False), hc.fuse_scores(scores, method))


@pytest.mark.parametrize("method", METHODS)
def test_order_of_rows_and_programs_is_of_no_account(method: str) -> None:
    scores = drawn(4)
    order = np.random.default_rng(5).permutation(40)
    fused = hc.fuse_scores(scores, method)
    moved = {name: scores[name][order] for name in "cab"}
    np.testing.assert_allclose(hc.fuse_scores(moved, method), fused[order], rtol=0, atol=1e-13)


@pytest.mark.parametrize(
    ("method", "change"),
    [
        ("mean-rank", np.exp),
        ("mean-z", lambda x: 7 * x - 3),
        ("mean-z", lambda x: 1e-200 * x),
        ("mean-z", lambda x: 1e300 * x),
    ],
)
def test_what_a_change_of_scale_leaves_alone(method: str, change: Callable[[Any], Any]) -> None:
    scores = drawn(6)
    changed = scores | {"a": change(scores["a"])}
    np.testing.assert_allclose(hc.fuse_scores(changed, method), hc.fuse_scores(scores, method), atol=1e-12)
    if method == "mean-z":
        assert np.abs(
            hc.fuse_scores(scores | {"a": np.exp(scores["a"])}, method) - hc.fuse_scores(scores, method)
        ).any()


@pytest.mark.parametrize("method", METHODS)
def test_two_copies_of_a_program_say_what_it_says(method: str) -> None:
    a = drawn(7)["a"]
    fused = hc.fuse_scores({"first": a, "second": a}, method)
    assert stats.rankdata(fused).tolist() == stats.rankdata(a).tolist()


def test_large_whole_numbers_stay_apart() -> None:
    large = np.array([2**60, 2**60 + 1, 2**60 + 2])
    fused = hc.fuse_scores({"a": large, "b": large}, "mean-rank")
    assert fused.tolist() == [-3, -2, -1]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, dict], ids=["pandas", "polars", "mapping"])
def test_columns_of_any_frame(make: Callable[[Any], Any]) -> None:
    scores = drawn(8, 6)
    data = make({**scores, "target": ["p", "q"] * 3})
    fused = hc.fuse_scores(["a", "b", "c"], data=data, by="target")
    np.testing.assert_array_equal(fused, hc.fuse_scores(scores, by=["p", "q"] * 3))


# ---- missing scores


def test_missing_ranks_share_the_places_at_the_end() -> None:
    """The same as a score below all others, which the others that lack one share."""
    scores = drawn(9)
    gaps = {name: values.copy() for name, values in scores.items()}
    gaps["a"][[3, 17, 30]] = math.nan
    gaps["b"][5] = math.nan
    filled = {name: np.where(np.isnan(values), -99.0, values) for name, values in gaps.items()}
    for method in ("mean-rank", "min-rank"):
        with pytest.warns(errors.MissingValueWarning, match="3 of 'a', 1 of 'b'"):
            fused = hc.fuse_scores(gaps, method, missing="last")
        np.testing.assert_array_equal(fused, hc.fuse_scores(filled, method))


def test_missing_z_scores_are_the_lowest_of_their_program_and_group() -> None:
    a = np.array([1.0, 2.0, 4.0, math.nan, 10.0, 30.0, 50.0, math.nan])
    b = np.arange(8.0)
    group = [0, 0, 0, 0, 1, 1, 1, 1]
    with pytest.warns(errors.MissingValueWarning, match="2 of 'a'"):
        fused = hc.fuse_scores({"a": a, "b": b}, "mean-z", by=group, missing="last")
    for start in (0, 4):
        z = stats.zscore(a[start : start + 3], ddof=1)
        expected = (np.append(z, z.min()) + stats.zscore(b[start : start + 4], ddof=1)) / 2
        np.testing.assert_allclose(fused[start : start + 4], expected, rtol=1e-12)


# ---- refusals

A, B = [1.0, 2.0, 3.0], [3.0, 1.0, 2.0]
BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "one program": (lambda: hc.fuse_scores({"a": A}), errors.ParameterError, "at least two programs, got 1"),
    "method": (lambda: hc.fuse_scores({"a": A, "b": B}, "meanrank"), errors.ParameterError, "did you mean 'mean-rank'"),
    "lengths": (lambda: hc.fuse_scores({"a": A, "b": B[:2]}), errors.LengthMismatchError, "a has 3, b has 2"),
    "length of by": (lambda: hc.fuse_scores({"a": A, "b": B}, by=[1]), errors.LengthMismatchError, "by has 1"),
    "nobody": (lambda: hc.fuse_scores({"a": [], "b": []}), errors.EmptyInputError, "no rows"),
    "missing": (
        lambda: hc.fuse_scores({"a": A, "b": [1.0, None, 2.0]}),
        errors.MissingValueError,
        "1 of 3 values of score 'b'",
    ),
    "drop is no policy": (
        lambda: hc.fuse_scores({"a": A, "b": B}, missing="drop"),
        errors.ParameterError,
        "'raise', 'last'",
    ),
    "missing group": (
        lambda: hc.fuse_scores({"a": A, "b": B}, by=["x", None, "x"]),
        errors.MissingValueError,
        "1 of 3 values of by",
    ),
    "constant": (
        lambda: hc.fuse_scores({"a": A, "b": [0.1] * 3}, "max-z"),
        errors.ScoreError,
        "score 'b' is constant for",
    ),
    "constant in a group": (
        lambda: hc.fuse_scores({"a": A, "b": B}, "max-z", by=["x", "x", "y"]),
        errors.ScoreError,
        "score 'a' of group 'y' is constant for 1 subject,",
    ),
    "infinite": (lambda: hc.fuse_scores({"a": A, "b": [1, 2, math.inf]}, "mean-z"), errors.ScoreError, "infinite"),
    "text": (lambda: hc.fuse_scores({"a": A, "b": ["1", "2", "3"]}), errors.ScoreError, "'b' must be real numbers"),
    "direction of nobody": (
        lambda: hc.fuse_scores({"a": A, "b": B}, higher_is_better={"bb": False}),
        errors.ParameterError,
        "did you mean 'b'",
    ),
    "names without data": (lambda: hc.fuse_scores(["a", "b"]), errors.ParameterError, "need data"),
    "arrays with data": (lambda: hc.fuse_scores([A, B], data={"a": A}), errors.ParameterError, "names of columns"),
    "no such column": (
        lambda: hc.fuse_scores(["a", "c"], data={"a": A, "b": B}),
        errors.ColumnNotFoundError,
        "no column 'c'",
    ),
    "twice": (lambda: hc.fuse_scores(["a", "a"], data={"a": A}), errors.ParameterError, "'a' is named twice"),
}


@pytest.mark.parametrize("name", BAD)
def test_refusals(name: str) -> None:
    wrong, kind, words = BAD[name]
    with pytest.raises(kind) as caught:
        wrong()
    assert words in str(caught.value)


def test_infinite_scores_have_ranks() -> None:
    assert hc.fuse_scores({"a": [1, 2, math.inf], "b": [-math.inf, 2, 3]}, "mean-rank").tolist() == [-3, -2, -1]


@pytest.mark.parametrize("data", ["scores.csv", ["scores.csv"], 3, [], object()])
def test_what_is_taken_where_files_are_not_is_said(data: Any) -> None:
    calls: dict[str, Callable[[], object]] = {
        "data": lambda: hc.fuse_scores(["a", "b"], data=data),
        "the result of a query": lambda: hc.TableStack.from_frame(data),
    }
    for start, call in calls.items():
        with pytest.raises(
            errors.InputError, match=f"^{start} must be a data frame, a mapping or an Arrow stream, got "
        ):
            call()
