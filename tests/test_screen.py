"""Thousands of markers against one outcome: the same numbers as one by one, by whatever door and block they come."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import false_discovery_control, mannwhitneyu
from sklearn.metrics import average_precision_score, roc_auc_score

import hitcurve as hc
from hitcurve.errors import (
    AlignmentWarning,
    ColumnNotFoundError,
    EmptyInputError,
    HitcurveWarning,
    InputError,
    LabelError,
    LengthMismatchError,
    MissingValueError,
    MissingValueWarning,
    ParameterError,
    SingleClassError,
    UndefinedMetricError,
)
from hitcurve.inference.variance.spread import Spread
from hitcurve.screens import null, quick
from hitcurve.screens.changes import ranks_of
from hitcurve.screens.columns import columns_of
from hitcurve.screens.engine import AUTO, MarkerLists, Subjects
from hitcurve.screens.orders import Orders
from hitcurve.screens.passing import Found, Job, over_all
from hitcurve.screens.tied import of_tied
from hitcurve.sums import Lists, Sums
from tests.data import NO_DATA, data_folder

Array = npt.NDArray[Any]
BOTH = (hc.metric("ap"), hc.metric("auc"))


@cache
def markers(rows: int = 60, count: int = 40, positives: int = 24) -> tuple[Array, Array]:
    """Return columns without ties, with some, and with many zeros; labels in random order."""
    rng = np.random.default_rng(1)
    y = rng.permutation(np.arange(rows) < positives).astype(int)
    X = rng.normal(size=(rows, count)) + np.linspace(-1, 1, count) * y[:, None]
    X[:, ::3] = np.round(X[:, ::3], 1)
    X[:, 1::3] *= rng.random((rows, X[:, 1::3].shape[1])) < 0.3
    for shared in (X, y):
        shared.flags.writeable = False
    return X, y


def passed(X: Any, y: Array, **options: Any) -> Found:
    columns = columns_of(X)
    directions = np.full(len(columns.names), AUTO)
    return over_all(columns, Job(Subjects(y == 1, "cohort"), BOTH, directions, with_orders=True), **options)


# ---- one by one


def test_values_are_those_of_scikit_learn() -> None:
    X, y = markers()
    found = hc.screen(X, y)
    for name, score in (("ap", average_precision_score), ("auc", roc_auc_score)):
        assert found[name] == pytest.approx([score(y, column) for column in X.T], abs=1e-12)


@pytest.mark.parametrize("options", [{}, {"design": "case-control"}, {"prevalence": 0.1}, {"clusters": True}])
def test_every_number_is_that_of_one_evaluation(options: dict[str, Any]) -> None:
    X, y = markers(count=9)
    if options.get("clusters"):
        options = {"clusters": np.arange(y.size) // 3}
    chosen = ["ap", "auc", "bedroc(alpha=20)", "scaled_ap", "auac"]
    found = hc.screen(X, y, metrics=chosen, direction="auto", n_resamples=50, **options)
    for place, name in enumerate(found.names):
        high = found.direction[place] == "high"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HitcurveWarning)
            one = hc.evaluate(y, X[:, place], metrics=chosen, higher_is_better=bool(high), **options)
        for row, metric in enumerate(chosen):
            estimate = one["score", metric]
            assert found.value[row, place] == pytest.approx(estimate.value, abs=1e-12)
            assert found.standard_error[row, place] == pytest.approx(estimate.standard_error, abs=1e-12)
            assert hc.metric(metric).value(found.table(name)) == pytest.approx(estimate.value, abs=1e-12)


def test_a_cut_has_the_error_of_the_whole_table() -> None:
    X, y = markers(count=9)
    chosen = ["recall@10%", "tpr@fpr=0.1", "croc(exp, alpha=7)"]
    found = hc.screen(X, y, metrics=chosen, n_resamples=50, direction="auto")
    for place, name in enumerate(found.names):
        one = hc.evaluate(tables={"score": found.table(name)}, metrics=chosen)
        errors = [one["score", metric].standard_error for metric in chosen]
        assert found.standard_error[:, place] == pytest.approx(errors, abs=1e-12)


@pytest.mark.parametrize("design", ["cohort", "case-control"])
@settings(max_examples=25, phases=(Phase.generate,), deadline=None)
@given(
    values=st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=4, max_size=30).filter(
        lambda rows: 2 <= sum(label for _, label in rows) <= len(rows) - 2
    )
)
def test_the_quick_road_is_that_of_the_kernels(design: str, values: list[tuple[int, bool]]) -> None:
    column, label = np.array(values).T
    positive = label.astype(bool)
    block = columns_of(np.stack([column, -column], axis=1)).taken(np.arange(2))
    own = MarkerLists.of(block, Subjects(positive, design), np.zeros(2, int))
    for metric in BOTH:
        spread = Spread(metric, Lists(Sums(own.pos, own.neg)), design)
        value, variance = quick.evaluated(metric, own.down, design)
        pos, neg = quick.influence(metric, own.down, design)
        assert spread.influence is not None
        assert value == pytest.approx(metric.value(spread.counts), abs=1e-12)
        assert variance == pytest.approx(spread.variance, abs=1e-12)
        assert pos[own.pos > 0] == pytest.approx(spread.influence.pos[own.pos > 0], abs=1e-12)
        assert neg[own.neg > 0] == pytest.approx(spread.influence.neg[own.neg > 0], abs=1e-12)


# ---- doors and blocks


def test_blocks_and_threads_change_no_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = markers()
    whole = passed(X, y)
    for numbers in (1, 150, 1000):
        assert_same_bits(whole, passed(X, y, numbers=numbers))
    monkeypatch.setattr("hitcurve._threads.processors", lambda: 1)
    assert_same_bits(whole, passed(X, y, numbers=150))


@pytest.mark.parametrize("kind", [sparse.csc_array, sparse.csr_array, sparse.coo_array, sparse.csc_matrix])
@pytest.mark.parametrize("integer", [False, True])
def test_sparse_columns_have_the_bits_of_dense_ones(kind: Callable[[Array], Any], integer: bool) -> None:
    X, y = markers()
    X = np.where(np.abs(X) < 0.7, 0, X)
    X = np.rint(5 * X).astype(np.int32) if integer else X
    dense, thin = passed(X, y), passed(kind(X), y)
    assert_same_bits(dense, thin, sums=False)
    assert_same_bits(thin, passed(kind(X), y, numbers=300))


def test_whole_numbers_beyond_floats_stay_apart_in_sparse_columns() -> None:
    column = np.array([2**60, 2**60 + 1, 0, -(2**60), -(2**60) - 1, 0, 5, 2**60 + 1])
    y = np.array([0, 1, 1, 1, 0, 0, 1, 0])
    X = np.stack([column, -column], axis=1)
    dense, thin = passed(X, y), passed(sparse.csc_array(X), y)
    assert np.array_equal(dense.value[1], thin.value[1])
    assert dense.tied.tolist() == thin.tied.tolist() == [4, 4]


def test_zeros_that_are_written_down_are_zeros() -> None:
    X, y = markers()
    X = np.where(np.abs(X) < 0.7, 0, X)
    thin = sparse.csc_array(np.where(X == 0, 3.0, X))
    thin.data[thin.data == 3.0] = 0.0
    assert thin.nnz == X.size
    assert_same_bits(passed(X, y), passed(thin, y), sums=False)


def assert_same_bits(a: Found, b: Found, *, sums: bool = True) -> None:
    for name in ("low", "n_pos", "n_neg", "missing", "levels", "ties", "tied"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    for name in ("value", "variance"):
        assert getattr(a, name) == pytest.approx(getattr(b, name), rel=1e-13, abs=1e-15)
        assert not sums or np.array_equal(getattr(a, name), getattr(b, name))
    assert np.array_equal(a.value[1], b.value[1])
    for one, other in zip(a.groups, b.groups, strict=True):
        assert np.array_equal(one, other)


def test_frames_arrays_and_files_in_memory_are_one(tmp_path: Any) -> None:
    X, y = markers()
    names = [f"m{i}" for i in range(X.shape[1])]
    mapped = np.lib.format.open_memmap(tmp_path / "x.npy", "w+", float, X.shape)
    mapped[:] = X
    doors = [
        hc.screen(X, y, names=names),
        hc.screen(np.asfortranarray(X), y, names=names),
        hc.screen(mapped, y, names=names),
        hc.screen(pd.DataFrame(X, columns=names), y),
        hc.screen(pl.DataFrame(dict(zip(names, X.T, strict=True))), y),
        hc.screen(pl.DataFrame(dict(zip(names, X.T, strict=True))).to_arrow(), y),
        hc.screen(dict(zip(names, X.T, strict=True)), y),
    ]
    for found in doors[1:]:
        assert found.to_csv() == doors[0].to_csv()


def test_labels_are_put_in_the_order_of_the_rows() -> None:
    X, y = markers()
    frame = pd.DataFrame(X, index=[f"s{i}" for i in range(len(X))])
    mixed = pd.Series(y, index=frame.index).sample(frac=1, random_state=3)
    with pytest.warns(AlignmentWarning):
        assert np.array_equal(hc.screen(frame, mixed)["ap"], hc.screen(X, y)["ap"])
    with pytest.raises(InputError, match="different indexes"):
        hc.screen(frame, mixed.rename(lambda name: f"{name}x"))


# ---- p values


@pytest.mark.parametrize(("direction", "side"), [("high", "greater"), ("low", "less"), ("auto", "two-sided")])
@pytest.mark.parametrize("ties", [False, True])
def test_p_values_of_auc_are_those_of_mann_whitney(direction: str, side: Any, ties: bool) -> None:
    X, y = markers()
    # without the columns of many zeros, whose rank sums are not about normal
    X = np.round(np.delete(X, np.s_[1::3], axis=1), 1) if ties else np.argsort(np.argsort(X, axis=0), axis=0)
    found = hc.screen(X, y, metrics="auc", direction=direction)
    reference = mannwhitneyu(X[y == 1], X[y == 0], alternative=side, method="asymptotic").pvalue
    assert found.pvalue[0] == pytest.approx(reference, rel=1e-9)
    assert found.adjusted[0] == pytest.approx(false_discovery_control(found.pvalue[0]))


@pytest.mark.parametrize(("n1", "n0"), [(1, 9), (3, 20), (8, 30), (40, 6)])
def test_few_subjects_have_the_exact_distribution(n1: int, n0: int) -> None:
    X = np.random.default_rng(0).normal(size=(n1 + n0, 12))
    y = np.arange(n1 + n0) < n1
    found = hc.screen(X, y, metrics="auc")
    reference = mannwhitneyu(X[y], X[~y], alternative="greater", method="exact").pvalue
    assert found.pvalue[0] == pytest.approx(reference, rel=1e-12)


def test_with_few_orders_all_of_them_are_taken() -> None:
    X, y = np.array([[5.0, 5], [4, 5], [3, 1], [2, 1], [1, 1], [0, 1]]), [1, 1, 0, 0, 0, 0]
    found = hc.screen(X, y, metrics=["ap", "auc"])
    # 1 of 15 orders; with ties, both positives among the first two
    assert found.pvalue == pytest.approx(np.full((2, 2), 1 / 15))
    assert found.test_methods["ap"] == ("all orders",)


def test_orders_with_and_without_ties_have_one_p_value_for_equal_lists() -> None:
    X, y = markers()
    orders = Orders(24, 36, 2000, 5)
    value = hc.screen(X, y)["ap"]
    every = [np.arange(1, 61)] * value.size
    depth = np.zeros(40)
    fine = null.of_untied(BOTH[0], orders, value, depth)
    # one chunk of orders decides most markers, and the smallest p values need all
    assert of_tied(BOTH[0], orders, every, value, depth) == pytest.approx(fine, abs=0.25)
    small = fine < 0.008
    assert small.any()
    assert np.array_equal(of_tied(BOTH[0], orders, every, value, depth)[small], fine[small])


@pytest.mark.parametrize("zeros", [0.0, 0.8])
def test_permuted_labels_give_uniform_p_values(zeros: float) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(50, 600)) * (rng.random((50, 600)) >= zeros)
    found = hc.screen(X, np.arange(50) < 20, n_resamples=999)
    for p in found.pvalue:
        for level in (0.05, 0.2, 0.5):
            # markers without ties share 999 orders
            assert np.mean(p <= level) <= level + 3.5 * np.sqrt(level * (1 - level) * (1 / 600 + 1 / 999))


def test_weighted_orders_find_the_p_values_of_all_orders() -> None:
    every, ends = Orders(5, 15, 15_504, 0), np.arange(1, 21)
    assert every.exact
    values = null.values_of(BOTH[0], every.drawn(0).hits, ends)
    observed = np.array([0.3, 0.5, 0.7, 0.9, 1.0])
    depth = np.full(5, np.log(np.arange(1, 6)).sum())
    exact = [np.mean(values >= one - 1e-12) for one in observed]
    weighted = Orders(5, 15, 4000, 1, weighted=True)
    found = null.of_untied(BOTH[0], weighted, observed, depth)
    assert np.log10(found) == pytest.approx(np.log10(exact), abs=0.2)
    assert of_tied(BOTH[0], weighted, [ends] * 5, observed, depth) == pytest.approx(found)
    weights = [np.asarray(weighted.drawn(chunk).weight) for chunk in range(8)]
    assert np.concatenate(weights).mean() == pytest.approx(1, abs=0.1)


def test_weighted_orders_show_what_so_many_markers_need() -> None:
    rng = np.random.default_rng(3)
    y = np.arange(90) < 30
    X = rng.normal(size=(90, 1000))
    X[:, 7] += 1.6 * y
    X[:, 8] = np.round(X[:, 7], 1)
    plain, weighted = hc.screen(X, y, n_resamples=1999), hc.screen(X, y, n_resamples=1999, orders="weighted")
    assert plain.adjusted[0, 7] > 0.05 > 1e-3 > weighted.adjusted[0, 7]
    assert weighted.pvalue[0, 8] < 1e-4
    assert "pass orders='weighted'" in str(plain)
    assert "pass orders='weighted'" not in str(weighted)
    null_p = weighted.pvalue[0, 9:]
    for level in (0.01, 0.05, 0.2):
        assert np.mean(null_p <= level) == pytest.approx(level, abs=0.03)


def test_no_p_value_is_below_what_the_orders_can_show() -> None:
    y = np.repeat([1, 0], 40)
    with pytest.warns(HitcurveWarning, match="markers whose values are the labels: '1'"):
        found = hc.screen(np.stack([y + np.linspace(0, 0.5, 80), y * 1.0], axis=1), y, n_resamples=199)
    assert found.pvalue[0] == pytest.approx([1 / 200] * 2)


@pytest.mark.parametrize("adjust", ["bh", "by", "holm"])
def test_adjusted_p_values_never_fall_below_their_own(adjust: str) -> None:
    X, y = markers()
    found = hc.screen(X, y, adjust=adjust, n_resamples=200)
    assert np.all(found.adjusted >= found.pvalue)
    for p, more in zip(found.pvalue, found.adjusted, strict=True):
        assert np.all(np.diff(more[np.argsort(p)]) >= 0)
        if adjust == "holm":
            assert more[np.argmin(p)] == min(1, p.size * p.min())


# ---- directions and policies


@pytest.mark.parametrize("odd", [0.0, np.nan, np.inf])
def test_equal_markers_are_named_and_no_others(odd: float) -> None:
    X, y = markers()
    X = X.copy()
    X[5, :20] = odd
    X[:, 12], X[:, 33], X[:, 39] = X[:, 4], X[:, 4], X[:, 21]
    for door in (X, sparse.csc_array(X), pd.DataFrame(X)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MissingValueWarning)
            found = hc.screen(door, y, missing="drop", n_resamples=9)
        assert found.duplicates == {"12": "4", "33": "4", "39": "21"}


def test_a_chosen_direction_is_paid_for() -> None:
    X, y = markers()
    high, low, auto = (hc.screen(X, y, direction=way) for way in ("high", "low", "auto"))
    assert np.array_equal(auto["auc"], np.maximum(high["auc"], low["auc"]))
    chosen = np.where(auto.low_first, low.pvalue, high.pvalue)
    assert np.array_equal(auto.pvalue, np.minimum(1, 2 * chosen))
    some = hc.screen(X, y, direction={"3": "low", "4": "auto"})
    assert some.direction[3] == "low"
    assert some.chosen.tolist() == [i == 4 for i in range(40)]


def odd_frame() -> tuple[pd.DataFrame, Array]:
    X, y = markers(count=4)
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["word"] = "x"
    frame["none"] = np.nan
    frame["same"] = 2.5
    frame["part"] = frame["a"].where(np.arange(60) % 10 > 0)
    frame["again"] = frame["b"]
    return frame, y


@pytest.mark.parametrize("missing", ["drop", "last", "omit"])
def test_markers_that_cannot_be_used_are_named(missing: str) -> None:
    frame, y = odd_frame()
    with pytest.warns(HitcurveWarning) as caught:
        found = hc.screen(frame, y, missing=missing)
    there = missing != "omit"
    assert set(found.left_out) == {"word", "none", "same", *(() if there else ("part",))}
    assert found.duplicates == {"again": "b"}
    assert "1 constant ('same')" in str(caught[0].message)
    assert "'again = b'" in str(found)
    with pytest.raises(ColumnNotFoundError, match="'same' was left out: it is constant"):
        found.table("same")
    if there:
        held = frame["part"].notna() if missing == "drop" else np.full(60, True)
        scores = frame["part"].fillna(-100)[held]
        place = found.place("part")
        assert found["ap"][place] == pytest.approx(average_precision_score(y[held], scores), abs=1e-12)
        assert found.missing[place] == 6
        assert BOTH[0].value(found.table("part")) == pytest.approx(found["ap"][place], abs=1e-12)
        assert any(issubclass(one.category, MissingValueWarning) for one in caught)


@pytest.mark.parametrize("direction", ["high", "low"])
def test_missing_values_are_last_in_either_direction(direction: str) -> None:
    frame, y = odd_frame()
    for X in (frame[["part"]], sparse.csc_array(frame[["part"]].to_numpy())):
        with pytest.warns(MissingValueWarning):
            found = hc.screen(X, y, missing="last", direction=direction)
        table = hc.HitTable.from_scores(y, frame["part"], higher_is_better=direction == "high", missing="last")
        assert found.value[:, 0] == pytest.approx([metric.value(table) for metric in BOTH], abs=1e-12)


REFUSED: list[tuple[Callable[[pd.DataFrame, Array], Any], type[Exception], str]] = [
    (lambda X, y: hc.screen(X, y), MissingValueError, "1 of 8 markers lacks values .'part'.: evaluate"),
    (lambda X, y: hc.screen(X[["a", "same"]], y, unusable="raise"), InputError, "1 constant .'same'."),
    (lambda X, y: hc.screen(X[["same"]], y), InputError, "no marker is left: 1 constant"),
    (lambda X, y: hc.screen(X[["a"]], y[:9]), LengthMismatchError, "y has 9 labels, and X has 60 rows"),
    (lambda X, y: hc.screen(X[["a"]], y * 0), SingleClassError, "no positive"),
    (lambda X, y: hc.screen(X[[]], y), EmptyInputError, "X has no columns"),
    (lambda X, y: hc.screen(X["a"].to_numpy(), y), InputError, "two dimensions"),
    (lambda X, y: hc.screen(sparse.coo_array(X["a"].to_numpy()), y), InputError, "two dimensions"),
    (lambda X, y: hc.screen(X[["a"]].to_numpy(), y, names=["p", "q"]), LengthMismatchError, "names has 2 entries"),
    (lambda X, y: hc.screen(X[["a", "b"]].to_numpy(), y, names=["p", "p"]), ParameterError, "'p' is named twice"),
    (lambda X, y: hc.screen(X[["a"]], y, direction={"x": "low"}), ParameterError, "'x', which is not a marker"),
    (lambda X, y: hc.screen(X[["a"]], y, direction="up"), ParameterError, "direction must be one of"),
    (lambda X, y: hc.screen(X[["a"]], y, adjust="fdr"), ParameterError, "adjust must be one of"),
    (lambda X, y: hc.screen(X[["a"]], y, clusters=[1] * 60), InputError, "only one cluster"),
    (lambda X, y: hc.screen(X[["a"]], np.where(y, 1.0, np.nan)), MissingValueError, "values of label are missing"),
    (lambda X, y: hc.screen(X[["a"]], y, orders="some"), ParameterError, "orders must be one of"),
    (lambda X, y: hc.screen(X[["a"]], y)["bedroc"], ColumnNotFoundError, "was not evaluated"),
    (lambda X, y: hc.screen(np.array([["a"]] * 60), y), InputError, "real numbers"),
    (lambda X, y: hc.screen(X[["a"]].to_numpy() + 1j, y), InputError, "complex"),
    (lambda X, y: hc.screen(X[["a"]], y, metrics="hits@5", prevalence=0.1), UndefinedMetricError, "whole ranks"),
]


@pytest.mark.parametrize(("call", "kind", "words"), REFUSED)
def test_input_that_cannot_be_screened_is_refused(
    call: Callable[[pd.DataFrame, Array], Any], kind: type[Exception], words: str
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        with pytest.raises(kind, match=words):
            call(*odd_frame())


# ---- as a value


def test_the_best_come_first_in_every_form() -> None:
    X, y = markers()
    found = hc.screen(X, y, names=[f"m{i}" for i in range(40)])
    best = found.names[int(np.argmax(found["ap"]))]
    frame = found.to_frame(backend="pandas")
    assert len(frame) == 80
    assert frame["marker"][0] == best
    assert frame["rank"][0] == 1
    assert frame["value"][0] == found["ap"].max()
    with_momentum = found["auc"] > 0.5
    expected = [hc.metric("momentum").value(found.table(found.names[i])) for i in np.flatnonzero(with_momentum)]
    assert np.asarray(found.momentum)[with_momentum] == pytest.approx(expected)
    assert frame["momentum"].isna().sum() == 2 * np.sum(~with_momentum)
    for text in (str(found), found.to_markdown(), found.to_latex(), found.to_html()):
        assert text.index(best) < text.index("20 more markers")
    assert len(found.to_dict()["markers"]) == 80


def test_a_screen_does_not_depend_on_the_order_of_rows_and_columns() -> None:
    X, y = markers()
    names = np.array([f"m{i}" for i in range(40)])
    rng = np.random.default_rng(4)
    rows, order = rng.permutation(60), rng.permutation(40)
    one = hc.screen(X, y, names=list(names))
    other = hc.screen(X[rows][:, order], y[rows], names=list(names[order]))
    assert one.to_csv() == other.to_csv()


def test_copies_of_a_marker_have_one_rank_wherever_they_are() -> None:
    """The last digit of a value may depend on the markers beside it."""
    rng = np.random.default_rng(3)
    y = rng.permutation(3001) < 1000
    X = np.round(8 * rng.normal(size=(3001, 60)))
    X[:, ::2] = rng.normal(size=(3001, 30))
    X = np.concatenate([X, X], axis=1)
    found = hc.screen(X, y, metrics=["bedroc(alpha=20)", "croc(exp, 7)", "ap"], n_resamples=1)
    for metric in found.metrics:
        rank = found.rank(metric)
        assert np.array_equal(rank[:60], rank[60:])
        assert np.array_equal(np.sort(rank), np.repeat(np.arange(1, 120, 2), 2))
        assert found.rank(metric)[found.order(metric)].tolist() == sorted(rank.tolist())
    infinite = ranks_of(np.array([np.inf, 1.0, np.nan, np.inf, 1.0 + 1e-15, -np.inf]))
    assert infinite.tolist() == [1, 3, 6, 1, 3, 5]


@pytest.mark.skipif(not (data_folder() / "seldi").is_dir(), reason=NO_DATA)
def test_peaks_of_the_prostate_study() -> None:
    frame = pd.read_csv(data_folder() / "seldi" / "prostate_seldi_late_vs_normal.csv.gz")
    with pytest.warns(HitcurveWarning, match="145 of 779 markers left out: 145 constant"):
        found = hc.screen(frame.filter(regex=r"^p\d"), frame["label"], direction="auto", n_resamples=99)
    # computed with the formulas of Su, Yuan and Zhu (2015), and with scikit-learn
    numbers = {"p594": ("high", 0.895436, 0.023790, 0.854981), "p224": ("low", 0.881116, 0.043593, 0.917426)}
    for name, (direction, ap, error, auc) in numbers.items():
        place = found.place(name)
        assert found.direction[place] == direction
        assert found.value[:, place] == pytest.approx([ap, auc], abs=1e-6)
        assert found.standard_error[0, place] == pytest.approx(error, abs=1e-6)


def test_pvalues_of_auc_are_exact_where_few_subjects_have_a_value() -> None:
    n, positives = 5000, 20
    y = (np.arange(n) < positives).astype(int)
    X = np.zeros((n, 2))
    X[0, 0] = 1
    X[[0, 1, 30], 1] = 3.0, 2.0, 1.0
    found = hc.screen(X, y, metrics="auc")
    np.testing.assert_allclose(found.pvalue[0, 0], positives / n)
    # two of three, and the two highest: 1 of 10,000 orders or fewer reach it
    assert 1e-5 < found.pvalue[0, 1] < 1e-3
    assert any("hypergeometric" in method for method in found.test_methods["auc"])


@pytest.mark.parametrize(
    "values", [[1, 0, 0, 0, 0, 0, 0, 0, 0], [3, 3, 3, 0, 0, 0, 0, 0, 0], [2, 1, 1, 0, 0, 0, 0, 0, 0]]
)
def test_pvalues_of_auc_with_ties_are_those_of_all_orders(values: list[int]) -> None:
    orders = [np.isin(np.arange(9), places) for places in combinations(range(9), 3)]
    auc = np.array([roc_auc_score(order, values) for order in orders])
    for order, value in list(zip(orders, auc, strict=True))[::7]:
        p = hc.screen(np.array(values, float)[:, None], order, metrics="auc").pvalue[0, 0]
        np.testing.assert_allclose(p, np.mean(auc >= value - 1e-12))


def test_no_marker_that_few_subjects_have_is_a_discovery_by_auc() -> None:
    rng = np.random.default_rng(0)
    y = (np.arange(5000) < 20).astype(int)
    X = sparse.random(5000, 1000, 0.002, rng=rng, data_rvs=lambda size: rng.integers(1, 4, size)).tocsc()
    found = hc.screen(X, y, metrics="auc", n_resamples=999)
    assert (found.adjusted[0] > 0.05).all()
    for level in (0.01, 0.05, 0.2):
        assert np.mean(found.pvalue[0] <= level) < level + 4 * np.sqrt(level / 1000)


def test_equal_columns_are_equal_in_every_value() -> None:
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, (500, 3000)).astype(float)
    y = (rng.random(500) < 0.3).astype(int)
    assert not hc.screen(X, y, metrics="auc").duplicates
    assert not hc.screen(sparse.csc_array(X), y, metrics="auc").duplicates
    a = rng.normal(size=500).round(1)
    a[0] = 0.0
    again = np.where(a == 0, -0.0, a)
    table = np.stack([a, -a, np.abs(a), a + 1, a, again, rng.permutation(a)], axis=1)
    for made in (table, sparse.csc_array(table)):
        assert hc.screen(made, y, metrics="auc").duplicates == {"4": "0", "5": "0"}


def test_labels_among_the_markers_are_told_whatever_the_others_are() -> None:
    rng = np.random.default_rng(4)
    y = (rng.random(300) < 0.3).astype(int)
    X = np.column_stack([rng.integers(0, 2, (300, 500)), y, 1 - y]).astype(float)
    for own in (X, sparse.csc_array(X)):
        with pytest.warns(HitcurveWarning, match="values are the labels: .*500.*501"):
            hc.screen(own, y, metrics="auc")


@pytest.mark.parametrize("prevalence", [2, 0.0, float("nan"), "a"])
def test_a_prevalence_is_a_share(prevalence: Any) -> None:
    X, y = markers()
    with pytest.raises(ParameterError, match="prevalence"):
        hc.screen(X, y, prevalence=prevalence)


def test_pvalues_with_clusters_are_uniform_and_those_of_perfect_markers_small() -> None:
    rng = np.random.default_rng(0)
    clusters = np.arange(120) // 3
    y = rng.permutation(np.arange(40) < 12)[clusters]
    X = rng.normal(size=(40, 800))[clusters] + rng.normal(size=(120, 800))
    X[:, 0] = y + 0.5 * rng.random(120)
    found = hc.screen(X, y, clusters=clusters)
    assert (found.pvalue[:, 0] < 0.01).all()
    assert (found.value[:, 0] == 1).all()
    for p in found.pvalue[:, 1:]:
        for level in (0.05, 0.2, 0.5):
            assert abs(np.mean(p <= level) - level) < 0.02 + 3 * np.sqrt(level * (1 - level) / 800)
    # clusters of one subject are independent subjects
    alone = hc.screen(X[::3], y[::3], clusters=np.arange(40)).pvalue[0]
    assert np.mean(alone <= 0.05) > 0.03


ONE_OF_EACH = ["ap", "pauc(fpr, 0, 0.1, scale=max)", "bedroc(20)", "recall@precision(0.8)"]


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [None, 0.02])
def test_pvalues_of_all_metrics_with_clusters_of_one_value_and_one_label_are_uniform(prevalence: float | None) -> None:
    rng = np.random.default_rng(7)
    clusters = np.arange(180) // 3
    X, y = rng.normal(size=(60, 500))[clusters], (np.arange(60) < 20)[clusters]
    found = hc.screen(X, y, metrics=ONE_OF_EACH, clusters=clusters, prevalence=prevalence, n_resamples=199)
    for metric, p in zip(found.metrics, found.pvalue, strict=True):
        # with a design effect, AP at this prevalence had 0.35 and 0.38
        assert np.mean(p <= 0.05) < 0.08, metric
        assert np.mean(p <= 0.2) < 0.26, metric
        assert p.min() >= 1 / 200
    assert abs(np.mean(found.pvalue[0] <= 0.2) - 0.2) < 0.06


@pytest.mark.parametrize("metric", ["ap", "tpr@fpr=0.2"])
def test_pvalues_with_clusters_of_one_size_are_those_of_all_their_orders(metric: str) -> None:
    rng = np.random.default_rng(1)
    clusters = np.repeat(np.arange(9), 2)
    X = np.column_stack([rng.normal(size=18), rng.integers(0, 4, 18), rng.normal(size=9)[clusters]])
    y = np.isin(clusters, [0, 3, 4])
    X[:, 0] += y
    found = hc.screen(X, y, metrics=metric, clusters=clusters, n_resamples=5000)
    every = np.array([np.isin(clusters, held) for held in combinations(range(9), 3)])
    for marker in range(3):
        values = [found.metrics[0].value(hc.HitTable.from_scores(own, X[:, marker])) for own in every]
        exact = np.mean(np.array(values) >= found.value[0, marker] - 1e-12)
        assert found.pvalue[0, marker] == pytest.approx(exact, abs=4 * np.sqrt(exact / 100) * max(exact, 0.1))


def test_labels_within_clusters_change_places() -> None:
    """In pairs of a positive and a negative, a marker that knows who is who is as good as its pairs are many."""
    rng = np.random.default_rng(2)
    clusters, y = np.repeat(np.arange(12), 2), np.tile([1, 0], 12)
    matched = np.repeat(10 * rng.permutation(12), 2) + y  # of little worth without the pairs
    found = hc.screen(matched[:, None], y, metrics="ap", clusters=clusters, n_resamples=99_999)
    assert found.pvalue[0, 0] == pytest.approx(2**-12, rel=0.5)
    assert hc.screen(matched[:, None], y, metrics="ap").pvalue[0, 0] > 0.1


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["drop", "last"])
def test_pvalues_with_clusters_depend_on_neither_rows_nor_names_nor_doors(missing: str) -> None:
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(20), rng.integers(1, 5, 20))
    X = rng.integers(0, 9, (clusters.size, 40)) + rng.normal(size=(20, 40)).round()[clusters]
    X[rng.random(X.shape) < 0.05] = np.nan
    y = np.where(rng.random(clusters.size) < 0.3, 1, (clusters < 6).astype(int))
    options: Any = {"metrics": ["ap", "bedroc(20)"], "missing": missing, "direction": "auto", "n_resamples": 500}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HitcurveWarning)
        p = hc.screen(X, y, clusters=clusters, rng=1, **options).pvalue
        rows, names = rng.permutation(clusters.size), rng.permutation(20)
        other = hc.screen(X[rows], y[rows], clusters=names[clusters[rows]], rng=1, **options).pvalue
        few = hc.screen(X[:, 7:9], y, clusters=clusters, rng=1, **options).pvalue
        stored = hc.screen(sparse.csc_array(X), y, clusters=clusters, rng=1, **options).pvalue
    assert np.array_equal(p, other)
    assert np.array_equal(p, stored)
    assert np.array_equal(p[:, 7:9], few)


def test_too_few_orders_by_cluster_are_said() -> None:
    rng = np.random.default_rng(0)
    clusters = np.arange(120) // 2
    y = (clusters < 20).astype(int)
    X = rng.normal(size=(120, 300))
    X[:, 0] += 5 * y
    notes = hc.screen(X, y, metrics="ap", clusters=clusters, n_resamples=199).notes()
    assert any(note.endswith("as small as they can be; pass more n_resamples (--n-resamples)") for note in notes)


def test_labels_of_several_groups_are_sent_to_the_screen_of_groups() -> None:
    X, _ = markers()
    three = np.repeat(["B", "NK", "T"], 20)
    for labels in (three, np.repeat([0, 1, 2], 20)):
        with pytest.raises(LabelError, match=r"two classes.*against all others by screen_one_vs_rest \(--one-vs"):
            hc.screen(X, labels)
        assert len(hc.screen_one_vs_rest(X, labels, metrics="auc")) == 3
    for labels in (np.arange(60) / 7, np.arange(60)):
        with pytest.raises(LabelError) as caught:
            hc.screen(X, labels)
        assert "one_vs_rest" not in str(caught.value)


FORMS: dict[str, dict[str, Any]] = {
    "ties": {},
    "design": {"design": "case-control"},
    "prevalence": {"prevalence": 0.01},
    "auto": {"direction": "auto"},
    "low": {"direction": "low"},
    "last": {"missing": "last", "direction": "auto"},
    "drop": {"missing": "drop"},
    "weighted": {"orders": "weighted"},
    "clusters": {"clusters": np.arange(90) // 2},
    "clusters at a prevalence": {"clusters": np.arange(90) // 2, "prevalence": 0.1, "direction": "auto"},
}


@pytest.mark.slow
@pytest.mark.parametrize("form", [*FORMS, "sparse", "groups"])
def test_pvalues_of_random_markers_are_uniform_in_every_form(form: str) -> None:
    rng = np.random.default_rng(12)
    y = rng.permutation(np.arange(90) < 30).astype(int)
    X = np.round(rng.normal(size=(90, 400)), 1)
    if form in ("last", "drop"):
        X[rng.random(X.shape) < 0.1] = np.nan
    options: dict[str, Any] = {"metrics": ["ap", "auc", "pauc(fpr, 0, 0.3)"], "n_resamples": 299}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingValueWarning)
        if form == "sparse":
            found = [hc.screen(sparse.csc_array(X * (rng.random(X.shape) < 0.5)), y, **options)]
        elif form == "groups":
            found = list(hc.screen(X, y, by=rng.permutation(np.arange(90) % 2), **options).values())
        else:
            found = [hc.screen(X, y, **options, **FORMS[form])]
    for one in found:
        for metric, p in zip(one.metrics, one.pvalue, strict=True):
            # a direction that is chosen, by AUC, leaves other metrics with p values that are too large
            least = 0.5 if one.chosen.any() and str(metric) != "auc" else 1.0
            for level in (0.05, 0.2):
                share, error = np.mean(p <= level), np.sqrt(level * (1 - level) / p.size)
                assert least * level - 4 * error <= share <= level + 4 * error, (metric, level)


def test_weighted_orders_are_for_independent_subjects() -> None:
    X, y = markers()
    with pytest.raises(ParameterError, match=r"orders='weighted' .* is for independent subjects"):
        hc.screen(X, y, clusters=np.arange(60) // 2, orders="weighted")


def test_a_metric_without_influence_values_is_refused_where_markers_are_drawn_together() -> None:
    X, y = markers()
    found = hc.screen(X, y, metrics="recall@precision(0.8)")
    for do in (found.top, found.simultaneous, found.rank_interval):
        with pytest.raises(ParameterError, match="recall@precision=80% has no influence values"):
            do()


def test_equal_markers_among_the_best_share_their_limits() -> None:
    rng = np.random.default_rng(0)
    y = (np.arange(100) < 40).astype(int)
    X = rng.normal(size=(100, 20))
    X[:, 0], X[:, 1] = y + 0.1 * rng.random(100), 2 * y + 0.1 * rng.random(100)
    first, second = hc.screen(X, y, metrics="auc").top(2)
    assert first.value == second.value == 1
    assert (first.corrected_low, first.corrected_high) == pytest.approx((second.corrected_low, second.corrected_high))
    assert min(first.simultaneous_low, first.corrected_low, first.corrected) > 0.75
    assert first.simultaneous_low <= first.low
    assert (first.simultaneous_low, first.rank_low) == pytest.approx((second.simultaneous_low, second.rank_low))


@pytest.mark.parametrize("kind", ["frame", "mapping"])
def test_subjects_are_put_in_order_by_their_index_or_refused(kind: str) -> None:
    X, y = markers()
    names = [f"s{i}" for i in range(60)]
    frame = pd.DataFrame(X, index=names).rename(columns=str)
    given: Any = frame if kind == "frame" else {key: frame[key] for key in frame}
    labels = pd.Series(y, index=names)
    value = hc.screen(X, y, metrics="auc").value
    with pytest.warns(AlignmentWarning, match="y put in the order"):
        moved = hc.screen(given, labels[::-1], metrics="auc")
    np.testing.assert_array_equal(moved.value, value)
    with pytest.raises(InputError, match="different indexes"):
        hc.screen(given, labels.rename(lambda name: f"t{name}"), metrics="auc")
    with pytest.raises(InputError, match="different indexes"):
        hc.screen(X, labels, clusters=pd.Series(np.arange(60), index=range(1, 61)), metrics="auc")


def test_columns_restrict_to_all_numeric_ones() -> None:
    frame = pd.DataFrame(markers()[0][:, :2], columns=["p1", "p2"]).assign(name="a")
    assert hc.screen(frame, markers()[1], columns="p*").left_out == {}


def test_small_doors_of_a_screen() -> None:
    X, y = markers()
    found = hc.screen(X, y, names=[f"p{i}" for i in range(40)])
    np.testing.assert_array_equal(found.random("ap"), found.random(hc.metric("ap")))
    assert found.interval("auc", "p1").low.shape == (1,)
    assert found.rank_changes(prevalences=0.01).at == ("prevalence 0.01",)
    assert found.rank_changes(negatives=10).at == ("negatives x 10",)
    with pytest.raises(ParameterError, match="prevalences must be"):
        found.rank_changes(prevalences="0.1")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="datetime64"):
        hc.screen(np.full((60, 2), np.datetime64("2020-01-01")), y)
    assert any(note.startswith("one-sided p values of ap") for note in found.notes())


@pytest.mark.slow
@pytest.mark.parametrize("prevalence", [None, 0.01])
@pytest.mark.parametrize("missing", ["drop", "last"])
@pytest.mark.parametrize("of_zeros", [False, True])
def test_blocks_do_not_change_a_bit(of_zeros: bool, missing: str, prevalence: float | None) -> None:
    rng = np.random.default_rng(0)
    y = rng.random(97) < 0.35
    X = rng.normal(size=(97, 60))
    X[:, ::2] = np.round(X[:, ::2])
    X[rng.random(X.shape) < 0.01] = np.nan
    columns = columns_of(sparse.csc_array(X * (rng.random(X.shape) < np.linspace(0, 0.5, 60))) if of_zeros else X)
    wanted = hc.metrics.metrics(
        ["ap", "auc", "bedroc(alpha=20)", "croc(exp, alpha=7)", "ndcg@10", "ef@10%", "pauc(fpr, 0, 0.1)", "tpr@fpr=0.1"]
    )
    subjects = Subjects(y, "cohort" if prevalence is None else "case-control", prevalence, missing=missing)
    job = Job(subjects, wanted, np.full(60, AUTO), True)
    whole = over_all(columns, job)
    for numbers in (97, 200, 2000):
        parts = over_all(columns, job, numbers)
        assert np.array_equal(parts.value, whole.value, equal_nan=True)
        assert np.array_equal(parts.variance, whole.variance, equal_nan=True)


@pytest.mark.parametrize("direction", ["high", "low"])
def test_one_missing_value_among_values_that_differ(direction: str) -> None:
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [20, 40])
    X = rng.normal(size=(60, 2))
    X[5, 0] = np.nan
    there = np.arange(60) != 5
    with pytest.warns(MissingValueWarning):
        found = hc.screen(X, y, missing="drop", direction=direction)
    alone = hc.screen(X[there], y[there], direction=direction)
    assert found.value[:, 0] == pytest.approx(alone.value[:, 0], rel=1e-12)
    assert found.standard_error[:, 0] == pytest.approx(alone.standard_error[:, 0], rel=1e-12)
    assert found.pvalue[1, 0] == pytest.approx(alone.pvalue[1, 0], rel=1e-12)


@pytest.mark.parametrize("values", [[0, 0, 0, 1, 1, 2, 3], [0, 1, 2, 3, 4, 5, 6], [0, 0, 0, 0, 0, 0, 5]])
@pytest.mark.parametrize("of_zeros", [False, True])
@pytest.mark.parametrize("direction", ["high", "low"])
def test_the_random_value_of_ap_is_the_mean_over_all_orders_with_these_ties(
    values: list[int], of_zeros: bool, direction: str
) -> None:
    X = np.array(values, float)[:, None]
    sign = 1 if direction == "high" else -1
    every = [np.isin(np.arange(7), places).astype(int) for places in combinations(range(7), 3)]
    mean = np.mean([average_precision_score(y, sign * X[:, 0]) for y in every])
    found = hc.screen(sparse.csc_array(X) if of_zeros else X, every[5], metrics="ap", direction=direction)
    assert found.random("ap") == pytest.approx([mean], rel=1e-12)
    assert found.to_records()[0]["random"] == pytest.approx(mean, rel=1e-12)
