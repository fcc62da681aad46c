"""Counts and ranks that are given by hand, checked, as the columns of a table."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve._numbers import has_truth_values
from hitcurve.counts import AnyArray
from hitcurve.errors import CountError, EmptyInputError, InputError, RankError
from hitcurve.sources import columns
from hitcurve.sums import Sums


def sums_of_counts(pos: npt.ArrayLike, neg: npt.ArrayLike) -> Sums:
    """Return the columns of a row for each category; see :meth:`hitcurve.HitTable.from_counts`."""
    pos, neg = _whole_counts("pos", pos), _whole_counts("neg", neg)
    _checks.same_length({"pos": pos, "neg": neg})
    if not pos.sum() + neg.sum():
        raise EmptyInputError("the counts are all 0, so there are no subjects to rank")
    return Sums(pos, neg)


def sums_of_ranks(ranks: npt.ArrayLike, n: int) -> Sums:
    """Return the columns of a list of n whose positives have these ranks; see :meth:`hitcurve.HitTable.from_ranks`."""
    n = _checks.whole_number("n", n, most=math.inf)
    if n > _checks.LARGEST_COUNT:
        raise RankError(f"n must be at most 2^62, got {_checks.written(n)}")
    try:
        given = _column("ranks", ranks)
    except InputError:
        raise RankError("ranks must be a row of whole numbers") from None
    if not given.size:
        raise EmptyInputError("no rank given: a list needs at least one positive")
    if given.ndim != 1 or given.dtype.kind not in "iuf" or not _are_whole(given):
        raise RankError("ranks must be a row of whole numbers")
    if given.dtype.kind == "f" and given.itemsize < 8:
        given = given.astype(np.float64)  # as n may be
    outside = given[(given < 1) | (given > n)]
    if outside.size:
        raise RankError(f"ranks must lie in 1..{n}, got {outside[0]:.17g}")
    order = np.sort(given.astype(np.int64))
    repeated = order[1:][np.diff(order) == 0]
    if repeated.size:
        raise RankError(f"ranks must be distinct, and {repeated[0]} repeats")
    pos = np.zeros(2 * order.size + 1, np.int64)
    neg = np.zeros_like(pos)
    pos[1::2] = 1
    neg[::2] = np.diff(np.concatenate([[0], order, [n + 1]])) - 1
    return Sums(pos, neg)


def _whole_counts(name: str, values: npt.ArrayLike) -> npt.NDArray[np.int64]:
    try:
        counts = _column(name, values)
    except InputError:
        raise CountError(f"{name} must be a row of whole numbers, got {_checks.quoted(values)}") from None
    if not counts.size:
        raise EmptyInputError(f"{name} is empty: a table needs at least one row")
    if counts.ndim != 1 or counts.dtype.kind not in "iuf":
        raise CountError(f"{name} must be a row of whole numbers, got {_checks.quoted(values)}")
    _checks.counts(name, counts.tolist())
    return counts.astype(np.int64)


def _column(name: str, values: npt.ArrayLike) -> AnyArray:
    """Return a column as it is given; a missing number is none."""
    if has_truth_values(values):
        raise InputError(f"{name} must be numbers")
    column = columns.vector(name, values)
    if column.gone is not None and column.gone.any():
        raise InputError(f"{name} must not be missing")
    if column.values.dtype.kind == "O" and all(isinstance(value, int) for value in column.values):
        return np.asarray(column.values.tolist())  # whole numbers of 128 bits come as objects
    return column.values


def _are_whole(values: AnyArray) -> bool:
    return bool(np.all(np.isfinite(values)) and np.all(np.mod(values, 1) == 0))
