"""Markers without ties are evaluated by the ranks of their positives, and have the bits they have beside any others."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

import hitcurve as hc
from hitcurve.errors import HitcurveWarning
from hitcurve.screens import quick
from hitcurve.screens.columns import DenseBlock, SparseBlock, columns_of
from hitcurve.screens.engine import AUTO, HIGH, LOW, Subjects
from hitcurve.screens.lists import tabulated
from hitcurve.screens.passing import Found, Job, digests, over_all
from hitcurve.screens.untied import Ranks, ranks_of
from hitcurve.screens.zeros import among_zeros
from tests.test_screen import Array, assert_same_bits

NEXT = np.nextafter(1.0, 2.0)


@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("sizes", [(7, 20), (30, 4), (1, 9), (9, 1), (40_000, 40_000)])
def test_ranks_give_what_sums_over_all_rows_give(sizes: tuple[int, int], design: str) -> None:
    rng = np.random.default_rng(0)
    hits = np.stack([rng.permutation(np.repeat([1, 0], sizes)) for _ in range(3)])
    ranks = Ranks(np.nonzero(hits)[1].reshape(3, -1) + 1, sum(sizes))
    for metric in (quick.AP, quick.AUC):
        expected = quick.evaluated(metric, quick.Down.of(hits, 1 - hits, one_by_one=True), design)
        for own, other in zip(ranks.evaluated(metric, design), expected, strict=True):
            assert own == pytest.approx(other, rel=1e-12, abs=1e-18)


def test_what_is_no_list_of_single_subjects_is_left_to_others() -> None:
    """Ties, missing and infinite values, both zeros, and neighbours of which floats keep the last bit alone apart."""
    values: Array = np.array(
        [
            [4.0, 1.0, 3.0, 2.0],
            [4.0, 1.0, 1.0, 2.0],
            [4.0, np.nan, 3.0, 2.0],
            [np.inf, 1.0, 3.0, 2.0],
            [4.0, 0.0, -0.0, 2.0],
            [4.0, 1.0, NEXT, 2.0],
            [-4.0, 1e-310, 0.0, -1e300],
        ]
    )
    y = np.array([0, 1, 1, 0], bool)
    untied, ranks = ranks_of(values, y)
    assert np.flatnonzero(untied).tolist() == [0, 6]
    assert ranks.places.tolist() == [[2, 4], [1, 2]]
    assert ranks.turned(np.array([True, False])).places.tolist() == [[1, 3], [1, 2]]
    found = hc.screen(np.delete(values, 2, axis=0).T, y, n_resamples=1)
    assert found.tied.tolist() == [0, 2, 0, 2, 0, 0]
    assert found["auc"].tolist() == [0.25, 0.0, 0.25, 0.0, 0.0, 1.0]


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.float16, np.longdouble, np.int32])
@pytest.mark.parametrize("weighted", [False, True])
def test_bits_are_the_same_whatever_a_marker_is_beside(kind: type[np.generic], weighted: bool) -> None:
    rng = np.random.default_rng(3)
    y = rng.random(61) < 0.4
    X = np.argsort(rng.normal(size=(61, 50)), axis=0).astype(kind)
    X[:, ::3] //= kind(2)
    job = Job(Subjects(y, "cohort"), (quick.AP, quick.AUC), np.full(50, AUTO), True, weighted)
    whole = over_all(columns_of(X), job)
    assert np.count_nonzero(whole.tied == 0) == 33
    for numbers in (61, 150, 400):
        assert_same_bits(over_all(columns_of(X), job, numbers), whole)
    beside = Job(job.subjects, (*job.metrics, hc.metric("bedroc(alpha=20)")), job.directions, True, weighted)
    other = over_all(columns_of(X), beside)
    assert_same_bits(other._replace(value=other.value[:2], variance=other.variance[:2]), whole)
    for name in ("cubes", "largest", "first", "random_ap", "digest"):
        assert np.array_equal(getattr(other, name), getattr(whole, name)), name
    assert other.depth == pytest.approx(whole.depth, rel=1e-14)


def test_digests_keep_columns_of_few_digits_apart() -> None:
    """The bits that differ between small whole numbers are the first ones of a float."""
    columns = np.stack(np.meshgrid(*[np.arange(8.0)] * 4), axis=-1).reshape(-1, 4)
    places = np.arange(len(columns))
    found = digests(DenseBlock(places, columns))
    assert np.unique(found, axis=1).shape == found.shape
    assert all(np.unique(one).size == one.size for one in found)
    thin = sparse.csr_array(columns)
    block = SparseBlock(places, thin.indptr.astype(np.intp), thin.indices.astype(np.intp), thin.data, 4)
    assert np.array_equal(digests(block), found)


def sparse_columns(kind: str) -> Array:
    """Make columns of 400 subjects: of many and few values other than 0, one of zeros, and some with odd ones."""
    rng = np.random.default_rng(4)
    X: Array = rng.normal(0.3, 1, (400, 40))
    if kind == "whole numbers":
        X = np.rint(3 * X)
    if kind == "some ties":
        X[:, ::2] = np.round(X[:, ::2], 1)
    X *= rng.random(X.shape) < np.linspace(0, 1, 40)
    if kind == "odd":
        X[:3, 20] = 5e-324, -5e-324, 5e-324
        X[:2, 21] = np.inf, -np.inf
        X[5:8, 22] = np.nan
        X[:2, 23] = 1.0, NEXT
        X[0, 24] = 5e-324
        X[0, 25] = -5e-324
    return X


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["all differ", "whole numbers", "some ties", "odd"])
@pytest.mark.parametrize("direction", [HIGH, LOW, AUTO])
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_zeros_between_values_and_tables_of_whole_numbers_give_what_lists_give(
    kind: str, direction: int, design: str
) -> None:
    X = sparse_columns(kind)
    y = np.random.default_rng(5).random(400) < 0.4
    for metrics in ((quick.AUC,), (quick.AP, quick.AUC)):
        job = Job(Subjects(y, design), metrics, np.full(40, direction), False)
        (block,) = columns_of(sparse.csr_array(X)).blocks(1 << 20)
        lists = job.found_in_lists(block, job.lists(block))
        assert_equal(job.found(block), lists)
        for numbers in (100, 1000):
            assert_equal(over_all(columns_of(sparse.csr_array(X)), job, numbers).kept(block.places), lists)
        dense = over_all(columns_of(X), job).kept(block.places)
        assert_equal(dense, lists, besides=() if len(metrics) == 1 else ("value", "variance", "random_ap"))


def assert_equal(a: Found, b: Found, besides: tuple[str, ...] = ()) -> None:
    for name, own, other in zip(Found._fields, a, b, strict=True):
        if name == "groups":
            assert all(map(np.array_equal, own, other))
        elif name in besides:
            assert own == pytest.approx(other, rel=1e-12, nan_ok=True)
        else:
            assert np.array_equal(own, other, equal_nan=True), name


def test_zeros_and_few_whole_numbers_are_found_without_lists() -> None:
    y = np.random.default_rng(5).random(400) < 0.4
    (block,) = columns_of(sparse.csr_array(sparse_columns("all differ"))).blocks(1 << 20)
    assert isinstance(block, SparseBlock)
    assert tabulated(block, y) is None
    among = among_zeros(block, y)
    assert among is not None
    assert among.need_no_orders.sum() > 30
    (block,) = columns_of(sparse.csr_array(sparse_columns("whole numbers").astype(np.float32))).blocks(1 << 20)
    assert isinstance(block, SparseBlock)
    table = tabulated(block, y)
    assert table is not None
    assert table.pos.shape[1] < 30
    values = block.filled()
    for row, own in zip(table.row_of_subject, values, strict=True):
        assert np.array_equal(np.argsort(-own, kind="stable"), np.argsort(row, kind="stable"))


@pytest.mark.parametrize(
    "values",
    [
        np.array([1, 1 + np.finfo(np.longdouble).eps, 2, -1, 3, 4, 0, 0, 0]),
        np.array([1, 1e-30, 2e-30, -1e30, -1e-30, 1e30, 0, 0, 0], np.float32),
        np.array([1, 2.0**-63, 2.0**-63, -(2.0**63), np.nextafter(np.float32(1), 2), 1, 0, 0, 0], np.float32),
        np.array([1e-300, 2e-300, -1e300, -1e-300, 1e300, 1e300, 0, 0, 0]),
        np.array([5e-324, 1e-323, -5e-324, 1, 2, 2, 0, 0, 0]),
        np.array([2.0**-511, -(2.0**-511), 2.0**511, NEXT, 1, 1, 0, 0, 0]),
        np.array([np.iinfo(np.int64).min, np.iinfo(np.int64).max, 5, 5, 1, 1, 0, 0, 0]),
        np.array([255, 1, 1, 2, 3, 4, 0, 0, 0], np.uint8),
        np.array([1, 1, 1, 1, 0, 0, 0, 0, 0], bool),
    ],
)
def test_sparse_columns_of_sizes_far_apart_are_ranked_as_dense_ones(values: Array) -> None:
    rng = np.random.default_rng(0)
    X = np.stack([rng.permutation(np.tile(values, 20)) for _ in range(5)], axis=1)
    y = rng.random(180) < 0.4
    for direction in (HIGH, LOW):
        job = Job(Subjects(y, "cohort"), (quick.AUC,), np.full(5, direction), False)
        assert_equal(over_all(columns_of(sparse.csc_array(X)), job), over_all(columns_of(X), job))


def test_equal_columns_are_found_among_empty_ones() -> None:
    X = np.zeros((30, 6))
    X[:9, [1, 3]] = np.arange(9.0)[:, None]
    X[3, 5] = 2.0
    X[29, 0] = 1.0
    y = np.arange(30) % 3 == 0
    for form in (X, sparse.csc_array(X)):
        with pytest.warns(HitcurveWarning):
            found = hc.screen(form, y, n_resamples=9)
        assert dict(found.duplicates) == {"3": "1"}
        assert dict(found.left_out) == {"2": "constant", "4": "constant"}
