"""Thousands of markers against one outcome, beside a loop over scikit-learn and scipy's Mann-Whitney test.

Rows of ``python -m benchmarks.many --only screens``.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from scipy import sparse
from scipy.stats import mannwhitneyu
from sklearn.metrics import average_precision_score, roc_auc_score

import hitcurve as hc
from benchmarks.race import Race, agree

SEED = 20260101
_LOOP = "a loop over scikit-learn's average_precision_score and roc_auc_score, without errors and p values"


def races(quick: bool) -> Iterator[Race]:
    """Yield dense screens of two sizes, some with ties, and a sparse one."""
    sizes = ((60, 200),) if quick else ((165, 779), (500, 20_000))
    for rows, markers in sizes:
        yield _dense(rows, markers)
    for zeros in (0.5, 0.9):
        yield _dense(*sizes[0], zeros=zeros)
    yield _dense(*sizes[0], levels=5)
    size = (500, 200) if quick else (10_000, 20_000)
    yield _sparse(*size)
    for kind in ("normal values", "counts", "logarithms of counts"):
        yield _by_rows(*size, kind)


def _data(rows: int, markers: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(SEED)
    y = rng.permutation(np.arange(rows) < rows // 2).astype(int)
    return rng.normal(size=(rows, markers)) + np.linspace(-0.5, 0.5, markers) * y[:, None], y


def _dense(rows: int, markers: int, zeros: float = 0.0, levels: int = 0) -> Race:
    X, y = _data(rows, markers)
    if levels:
        X = np.searchsorted(np.linspace(-1.5, 1.5, levels - 1), X).astype(float)
    if zeros:
        X *= np.random.default_rng(SEED).random(X.shape) >= zeros
    sampled = min(markers, 200)

    def ours() -> hc.Screen:
        return hc.screen(X, y)

    def theirs() -> list[tuple[float, float]]:
        columns = X[:, :sampled].T
        return [(float(average_precision_score(y, x)), float(roc_auc_score(y, x))) for x in columns]

    agree("AP and AUC of markers", ours().value[:, :sampled].T, theirs())
    ties = f", {100 * zeros:.0f}% zeros" if zeros else f", {levels} values" if levels else ""
    what = f"{markers:,} markers x {rows:,}{ties}: AP, AUC, errors and p"
    return Race(what, _LOOP, ours, theirs, None if ties else 80, markers / sampled, few=markers > 10_000)


def _stored(rows: int, markers: int, share: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.random.Generator]:
    """Return the subjects of the values other than 0, where columns start, and labels."""
    rng = np.random.default_rng(SEED)
    stored = int(rows * share)
    subjects = np.concatenate([np.sort(rng.choice(rows, stored, replace=False)) for _ in range(markers)])
    return subjects, np.arange(0, subjects.size + 1, stored), rng.random(rows) < 0.3, rng


def _sparse(rows: int, markers: int, share: float = 0.05) -> Race:
    subjects, starts, y, rng = _stored(rows, markers, share)
    X = sparse.csc_array((rng.normal(1, 1, subjects.size), subjects, starts), shape=(rows, markers))
    sampled = min(markers, 100)

    def ours() -> hc.Screen:
        return hc.screen(X, y, metrics="auc")

    def theirs() -> object:
        dense = X[:, :sampled].toarray()
        return mannwhitneyu(dense[y], dense[~y], axis=0, alternative="greater").pvalue

    # of few subjects p is drawn from random orders, theirs is that of a normal distribution
    agree("p values of AUC", ours().pvalue[0, :sampled], theirs(), 1e-10 if rows >= 10_000 else 0.2)
    what = f"{markers:,} sparse markers x {rows:,}, {100 * share:.0f}% not zero: AUC, errors and p"
    against = f"scipy's mannwhitneyu on dense columns, {sampled} markers and extrapolated"
    return Race(what, against, ours, theirs, None, markers / sampled, few=True)


def _by_rows(rows: int, markers: int, kind: str, share: float = 0.05) -> Race:
    subjects, starts, y, rng = _stored(rows, markers, share)
    values: np.ndarray = rng.normal(1, 1, subjects.size)
    if kind != "normal values":
        values = (1 + rng.poisson(np.repeat(rng.gamma(1, 1, markers), np.diff(starts)))).astype(float)
    if kind == "logarithms of counts":
        values = np.log1p(1e4 * values / np.rint(rng.lognormal(8.5, 0.5, rows))[subjects])
    X = sparse.csc_array((values, subjects.astype(np.int32), starts.astype(np.int32)), shape=(rows, markers)).tocsr()

    def ours() -> hc.Screen:
        return hc.screen(X, y, metrics="auc")

    def theirs() -> list[float]:
        by_column = X.tocsc()
        return [float(np.sort(by_column.data[a:b]).sum()) for a, b in itertools.pairwise(by_column.indptr.tolist())]

    ours()
    what = f"{markers:,} sparse markers x {rows:,} by rows, 5% {kind}: AUC, errors and p"
    return Race(what, "X.tocsc(), numpy.sort and a sum of the values of each column", ours, theirs, 1 / 3)
