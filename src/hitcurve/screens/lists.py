"""The columns of a block as ranked lists side by side: one sort for all, ties as one row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray
from hitcurve.immutable import Viewed
from hitcurve.screens.columns import Block, DenseBlock, Places, SparseBlock

Flags = npt.NDArray[np.bool_]

_SOME = 1 << 8  # of many values


@dataclass(frozen=True, eq=False)
class RankedBlock(Viewed):
    """Lists side by side, from the highest value down; a subject without a value is in none.

    Subjects of equal values are one row, the last of those they would have; all others are empty.

    Attributes
    ----------
    pos, neg : array of int (w, K)
        Positives and negatives of each row.
    gone : array of int (2, w)
        Positives and negatives without a value.
    one_by_one : bool
        Whether every row of every list holds one subject.
    padded : bool
        Whether the number of rows is that of the longest list.
    """

    pos: AnyArray
    neg: AnyArray
    gone: AnyArray
    one_by_one: bool
    padded: bool
    where: Callable[[], Places]

    @cached_property
    def row_of_subject(self) -> Places:
        """The row of each subject, (w, n); -1 of those without a value."""
        return self.where()


def ranked(block: Block, positive: Flags) -> RankedBlock:
    """Rank the subjects by each column."""
    return _of_sparse(block, positive) if isinstance(block, SparseBlock) else _of_dense(block, positive)


def _of_dense(block: DenseBlock, positive: Flags) -> RankedBlock:
    values = _orderable(block.values)
    n = values.shape[1]
    # from the lowest up, nan at the end
    order = np.argsort(values, axis=1)
    ordered = np.take_along_axis(values, order, axis=1)
    label = positive[order]
    starts = np.empty(values.shape, bool)
    starts[:, 0] = True
    np.not_equal(ordered[:, 1:], ordered[:, :-1], out=starts[:, 1:])
    there = np.full(len(values), n)
    if values.dtype.kind == "f" and np.isnan(ordered[:, -1]).any():
        there = n - np.isnan(values).sum(axis=1)
        starts &= np.arange(n) <= there[:, None]  # subjects without a value are one group
    one_by_one = bool(starts.all() and (there == n).all())
    if one_by_one:
        pos, neg = label[:, ::-1].astype(np.int64, order="C"), (~label[:, ::-1]).astype(np.int64, order="C")
    else:
        pos, neg = (np.ascontiguousarray(side[:, ::-1]) for side in _grouped(label, starts))
    gone = np.zeros((2, len(values)), np.int64)
    lacking = np.flatnonzero(there < n)
    if lacking.size:
        row = n - 1 - there[lacking]
        for side, out in ((pos, gone[0]), (neg, gone[1])):
            out[lacking] = side[lacking, row]
            side[lacking, row] = 0

    return RankedBlock(pos, neg, gone, one_by_one, False, partial(_rows_of_subjects, order, starts, there))


def _rows_of_subjects(order: AnyArray, starts: Flags, there: AnyArray) -> Places:
    """Return the row of each subject, -1 without a value: that at which its group starts from below."""
    n = order.shape[1]
    place = np.arange(n)
    row = n - 1 - np.maximum.accumulate(np.where(starts, place, 0), axis=1)
    out = np.empty(order.shape, np.intp)
    np.put_along_axis(out, order, np.where(place < there[:, None], row, -1), axis=1)
    return out


def _grouped(label: Flags, starts: Flags) -> tuple[AnyArray, AnyArray]:
    """Return positives and negatives of each group where it starts, 0 elsewhere."""
    n = label.shape[1]
    place = np.arange(n)
    # a group ends where the next one starts
    ends = np.full(label.shape, n)
    np.minimum.accumulate(np.where(starts, place, n)[:, :0:-1], axis=1, out=ends[:, -2::-1])
    hits = np.zeros((len(label), n + 1), np.int64)
    np.cumsum(label, axis=1, out=hits[:, 1:])
    pos = np.take_along_axis(hits, ends, axis=1) - hits[:, :-1]
    return np.where(starts, pos, 0), np.where(starts, ends - place - pos, 0)


def labelled(values: AnyArray, positive: Flags) -> AnyArray:
    """Return numbers in the same order whose last bit is a label; those that differ in it alone are tied or not.

    Sorted with their labels they need no subjects. An infinity is none any more.

    Parameters
    ----------
    values : array of float
        Which are overwritten.
    positive : array of bool
    """
    keys = values.view(np.uint64)
    keys &= ~np.uint64(1)
    keys |= positive
    return keys


def labels_of(keys: AnyArray) -> Flags:
    """Return the labels of such numbers."""
    return np.asarray(keys & keys.dtype.type(1), bool)


def are_tied(keys: AnyArray) -> Flags:
    """Say of such numbers in order whether each and the next are the same but for the label, (w, K - 1)."""
    return np.asarray((keys[:, 1:] ^ keys[:, :-1]) <= 1)


@dataclass(frozen=True, eq=False)
class SortedKeys:
    """The values of a sparse block with their labels below the last bit, and 0 once, from the highest value down.

    Equal values that are above 0 are sorted with the positives first, those below 0 with the negatives first.

    Attributes
    ----------
    label : array of bool (w, K)
        Lists are as long as the longest; no label of their end or of the zeros.
    tied : array of bool (w, K)
        Whether a value and the next are the same.
    stored, above : array of int (w,)
        How many values are other than 0, and above it.
    """

    label: Flags
    tied: Flags
    stored: Places
    above: Places

    @classmethod
    def of(cls, block: SparseBlock, positive: Flags) -> SortedKeys | None:
        """Sort the values of each column, all in one matrix; None if they are missing, infinite, or of sizes far apart.

        One bit of the exponent makes room for the label: numbers from 2^-511 to 2^512 do not need it, and floats of 32
        bits from 2^-63 to 2^64.
        """
        values = _as_floats(block.values)
        if values.dtype == np.float32:
            found = cls._of_floats(block, values, positive, np.uint32, 0x4000_0000, 0x7F80_0000)
            if found is not None:
                return found
        if values.dtype == np.longdouble:  # of which not all are floats of 64 bits
            return None
        wide = values.astype(float, copy=False)
        return cls._of_floats(block, wide, positive, np.uint64, 0x4000_0000_0000_0000, 0x7FF0_0000_0000_0000)

    @classmethod
    def _of_floats(
        cls,
        block: SparseBlock,
        values: AnyArray,
        positive: Flags,
        bits: type[np.unsignedinteger[Any]],
        smallest: int,
        infinity: int,
    ) -> SortedKeys | None:
        turned = np.negative(values).view(bits)
        keys = turned << bits(1)
        keys -= bits(smallest - 2)  # twice the smallest, and less: no number becomes 0
        if keys.size and keys.max() >= infinity:
            return None
        keys |= positive.take(block.subjects)
        keys |= turned & ~bits(np.iinfo(bits).max >> 1)
        w, stored = len(block), np.diff(block.starts)
        every, place = np.arange(w), np.arange(int(stored.max(initial=0)) + 1)
        floats = np.full((w, place.size), np.nan, values.dtype)
        matrix = floats.view(bits)
        matrix[place < stored[:, None]] = keys
        matrix[every, stored] = 0
        floats.sort(axis=1)
        tied = np.zeros(floats.shape, bool)
        tied[:, :-1] = are_tied(matrix)
        if stored.min(initial=0) < stored.max(initial=0):
            tied &= place < stored[:, None]
        return cls(labels_of(matrix), tied, stored, np.argmax(floats >= 0, axis=1))


def tabulated(block: SparseBlock, positive: Flags) -> RankedBlock | None:
    """Rank whole numbers of which there are few, such as counts, by a row for each; None where they are no such.

    Where rows without subjects are depends on the other columns of the block: sums must add row by row.
    """
    values = block.values
    if not values.size or not _is_whole(values[:_SOME]):
        return None
    lowest, highest = min(float(values.min()), 0.0), max(float(values.max()), 0.0)
    # not where it is nan
    if not highest - lowest < np.diff(block.starts).max() or not _is_whole(values):
        return None
    w, stored, every = len(block), np.diff(block.starts), np.arange(len(block))
    top = int(highest)
    rows = top - int(lowest) + 1
    row = top - values.astype(np.intp)
    label = positive.take(block.subjects)
    cells = np.repeat(2 * rows * every, stored) + 2 * row
    counted = np.bincount(cells + label, minlength=2 * rows * w).reshape(w, rows, 2)
    neg, pos = (np.ascontiguousarray(counted[:, :, side]) for side in (0, 1))
    stored_pos = pos.sum(axis=1)
    pos[:, top] = positive.sum() - stored_pos
    neg[:, top] = (~positive).sum() - (stored - stored_pos)

    def where() -> Places:
        out = np.full((w, block.n), top)
        out[np.repeat(every, stored), block.subjects] = row
        return out

    return RankedBlock(pos, neg, np.zeros((2, w), np.int64), False, True, where)


def _is_whole(values: AnyArray) -> bool:
    return values.dtype.kind in "iub" or bool((values == np.rint(values)).all())


def _of_sparse(block: SparseBlock, positive: Flags) -> RankedBlock:
    """Rank the values other than 0, with the zeros between them as one more value."""
    own = SortedKeys.of(block, positive)
    if own is None:
        return _of_sparse_in_order(block, positive)
    w, stored, label = len(block), own.stored, own.label
    there = np.arange(label.shape[1]) <= stored[:, None]
    if own.tied.any():
        ends = ~own.tied
        pos, neg = (np.ascontiguousarray(side[:, ::-1]) for side in _grouped(label[:, ::-1], ends[:, ::-1]))
        neg *= there
    else:
        pos, neg = label.astype(np.int64), (there & ~label).astype(np.int64)
    every, stored_pos = np.arange(w), label.sum(axis=1)
    pos[every, own.above] = positive.sum() - stored_pos
    neg[every, own.above] = (~positive).sum() - (stored - stored_pos)

    def where() -> Places:
        return _of_sparse_in_order(block, positive).row_of_subject

    return RankedBlock(pos, neg, np.zeros((2, w), np.int64), False, True, where)


def _of_sparse_in_order(block: SparseBlock, positive: Flags) -> RankedBlock:
    """Rank the values other than 0 with their subjects, and put the zeros between them as one more value."""
    w, n = len(block), block.n
    stored = np.diff(block.starts)
    column = np.repeat(np.arange(w), stored)
    values = _as_floats(block.values)
    order = _descending(values, column, block.starts)
    values, subject = values[order], block.subjects[order]
    hit = positive[subject]
    lost = np.isnan(values)
    above = np.bincount(column[values > 0], minlength=w)
    place = np.arange(values.size) - np.repeat(block.starts[:-1], stored)
    place += place >= above[column]  # the zeros have the row between
    ends = np.ones(values.size, bool)
    ends[:-1] = (values[1:] != values[:-1]) | (column[1:] != column[:-1])
    row = place[np.flatnonzero(ends)[np.cumsum(ends) - ends]]
    length = int(stored.max(initial=0)) + 1
    cell = column * length + row

    def counted(chosen: Flags) -> AnyArray:
        return np.bincount(cell[chosen & ~lost], minlength=w * length).reshape(w, length)

    every = np.arange(w)
    pos, neg = counted(hit), counted(~hit)
    stored_pos = np.bincount(column[hit], minlength=w)
    pos[every, above] = positive.sum() - stored_pos
    neg[every, above] = (~positive).sum() - (stored - stored_pos)
    gone = np.stack([np.bincount(column[lost & side], minlength=w) for side in (hit, ~hit)])

    def where() -> Places:
        out = np.repeat(above[:, None], n, axis=1)
        out[column, subject] = np.where(lost, -1, row)
        return out

    return RankedBlock(pos, neg, gone, False, True, where)


def _orderable(values: AnyArray) -> AnyArray:
    if values.dtype.kind == "b":
        return values.astype(np.int8)
    return values.astype(np.float32) if values.dtype.char == "e" else values  # of 16 bits sorting is slow


def _as_floats(values: AnyArray) -> AnyArray:
    """Return numbers in the same order around 0, of which a float holds each."""
    if values.dtype.kind == "f":
        return _orderable(values)
    if values.dtype.itemsize == 8 and np.any(np.abs(values.astype(float)) > 2.0**53):
        levels, place = np.unique(values, return_inverse=True)
        # all are other than 0
        place = place - np.searchsorted(levels, 0)
        return np.asarray(place + (place >= 0), float)
    return values.astype(float)


def _descending(values: AnyArray, column: Places, starts: Places) -> Places:
    """Return the order of the values of each column from the highest down, nan last."""
    stored = np.diff(starts)
    place = np.arange(values.size) - np.repeat(starts[:-1], stored)
    # side by side, padded with nan: sorting rows of a matrix is far faster than sorting by two keys
    padded = np.full((stored.size, int(stored.max(initial=0))), np.nan, values.dtype)
    padded[column, place] = -values
    order = np.argsort(padded, axis=1)
    return np.asarray((starts[:-1, None] + order)[order < stored[:, None]])
