"""The columns of a block as ranked lists side by side: one sort for all, ties as one row each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray
from hitcurve.screens.columns import Block, DenseBlock, Places, SparseBlock

Flags = npt.NDArray[np.bool_]

_LABEL = np.uint64(1)


@dataclass(frozen=True, eq=False)
class RankedBlock:
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

    def where() -> Places:
        # a group has the row at which it starts from below
        place = np.arange(n)
        row = n - 1 - np.maximum.accumulate(np.where(starts, place, 0), axis=1)
        out = np.empty(values.shape, np.intp)
        np.put_along_axis(out, order, np.where(place < there[:, None], row, -1), axis=1)
        return out

    return RankedBlock(pos, neg, gone, one_by_one, False, where)


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
    keys &= ~_LABEL
    keys |= positive
    return keys


def labels_of(keys: AnyArray) -> Flags:
    """Return the labels of such numbers."""
    return (keys & _LABEL).astype(bool)


def are_tied(keys: AnyArray) -> Flags:
    """Say of such numbers in order whether each and the next are the same but for the label, (w, K - 1)."""
    return np.asarray((keys[:, 1:] ^ keys[:, :-1]) <= _LABEL)


def _of_sparse(block: SparseBlock, positive: Flags) -> RankedBlock:
    """Rank the values other than 0, with the zeros between them as one more value."""
    values = np.negative(_as_floats(block.values), dtype=float)
    if not np.isfinite(values).all():
        return _of_sparse_in_order(block, positive)
    last_bits = bool((values.view(np.uint64) & _LABEL).any())
    w, stored, every = len(block), np.diff(block.starts), np.arange(len(block))
    place = np.arange(int(stored.max(initial=0)) + 1)
    keys = np.full((w, place.size), np.nan).view(np.uint64)
    hit = positive[block.subjects]
    keys[place < stored[:, None]] = labelled(values, hit)
    keys[every, stored] = 0
    floats = keys.view(float)
    above = np.count_nonzero(floats < 0, axis=1)
    floats.sort(axis=1)
    there = place <= stored[:, None]
    tied = are_tied(keys)
    tied &= there[:, 1:]
    any_tied = bool(tied.any())
    if any_tied and last_bits:  # are they?
        return _of_sparse_in_order(block, positive)
    label = labels_of(keys)
    if any_tied:
        ends = np.ones(keys.shape, bool)
        np.logical_not(tied, out=ends[:, :-1])
        pos, neg = (np.ascontiguousarray(side[:, ::-1]) for side in _grouped(label[:, ::-1], ends[:, ::-1]))
        neg *= there
    else:
        pos, neg = label.astype(np.int64), (there & ~label).astype(np.int64)
    stored_pos = label.sum(axis=1)
    pos[every, above] = positive.sum() - stored_pos
    neg[every, above] = (~positive).sum() - (stored - stored_pos)

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
