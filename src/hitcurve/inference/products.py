"""Sums over subjects of products of influence values: one pass over any block, in all threads.

A subject is known by the rows of its scores, its class and its weight. They are packed into one whole number, and these
are sorted: sums that round then do not depend on the order of the subjects. Values are looked up in one array for all
metrics of a ranker, and multiplied as matrices, chunk by chunk; chunks are added in their order, whatever thread they
were in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve._threads import in_threads, processors
from hitcurve.cells import Grid
from hitcurve.counts import AnyArray, Array
from hitcurve.inference.rounding import OF_SUMS
from hitcurve.sources import Block

_CHUNK = 1 << 14  # subjects whose influence values are held at a time, in each thread
_SHARE = 1 << 17  # subjects that pay for a thread that sorts
_TILE = 16  # columns, a multiple of the tiles of all processors
_BITS = 62
Codes = npt.NDArray[np.int64]


class Products(NamedTuple):
    """Sums over subjects of products of influence values, and of sums within clusters."""

    pos: Array
    neg: Array
    overlap: Array
    """Of the positives above the cuts of two metrics."""
    clusters: dict[Any, Array]
    """Of each cluster the sums of influence values of its positives and of its negatives, its number of positives, and
    its shares of both classes."""
    explained: Array
    """With what a fit of the weights takes of the influence of each subject, (K, d)."""

    def merged(self, other: Products) -> Products:
        """Add up; sums of a cluster that both hold are added."""
        clusters = dict(self.clusters)
        for name, total in other.clusters.items():
            clusters[name] = clusters[name] + total if name in clusters else total
        sums = (self.pos + other.pos, self.neg + other.neg, self.overlap + other.overlap)
        return Products(*sums, clusters, self.explained + other.explained)

    def settled(self, metrics: Sequence[Any]) -> Products:
        """Return the same with one value for what differs by rounding: products of rankers that are equal.

        Parameters
        ----------
        metrics : sequence
            The metric of each column: columns of one metric may be equal.
        """
        found = [self.pos.copy(), self.neg.copy(), self.overlap.copy()]
        own = [np.diag(side) for side in found[:2]]
        for column in range(1, len(self.pos)):
            both = [diagonal[:column] + diagonal[column] for diagonal in own]
            left = [sums - 2 * side[column, :column] for sums, side in zip(both, found, strict=False)]
            alike = [np.abs(rest) <= OF_SUMS * sums for rest, sums in zip(left, both, strict=True)]
            same = np.array([metric == metrics[column] for metric in metrics[:column]])
            first = np.flatnonzero(alike[0] & alike[1] & same)
            for side in found if first.size else ():
                side[column] = side[first[0]]
                side[:, column] = side[:, first[0]]
                side[column, column] = side[first[0], first[0]]
        return self._replace(pos=found[0], neg=found[1], overlap=found[2])


class Column(NamedTuple):
    """What one ranker and metric need to know of a subject: by row of the grid of the ranker."""

    pos: Array
    neg: Array
    above: Array
    noise: float
    by_share: Array


@dataclass(frozen=True, eq=False)
class _Packed:
    """The rows of subjects in their codes, taken out for those that are asked for."""

    codes: Codes
    shift: int
    mask: int

    def __getitem__(self, which: slice) -> Codes:
        found = self.codes[which] >> self.shift
        found &= self.mask
        return found


class _Subjects(NamedTuple):
    """Subjects in an order that depends on their rows, classes and weights alone: negatives first.

    Attributes
    ----------
    rows : sequence of array (n,) or _Packed
        The row of each subject in the grid of each ranker.
    negatives : int
        How many are negative.
    weight : array (n,) or None
    order : array (n,) or None
        Where they stand in the block; None if nothing else is asked of them.
    """

    rows: Sequence[AnyArray | _Packed]
    negatives: int
    weight: Array | None
    order: npt.NDArray[np.intp] | None


@dataclass(frozen=True)
class Multiplier:
    """What multiplies the influence values of the subjects of a block.

    Attributes
    ----------
    grids : mapping of str to Grid
    columns : mapping of str to sequence of Column
        Of each ranker, by metric.
    unit : float
        Weight of a subject of the tables.
    n_pos, n_neg : float
        Positives and negatives of the tables.
    """

    grids: Mapping[str, Grid]
    columns: Mapping[str, Sequence[Column]]
    unit: float
    n_pos: float
    n_neg: float

    def __call__(self, block: Block) -> Products:
        """Return the products of a block."""
        placed = self._in_order(block)
        negatives, positives = _chunks(0, placed.negatives), _chunks(placed.negatives, block.positive.size)
        plain = placed._replace(weight=None)
        asked = [("pos", placed, positives), ("neg", placed, negatives), ("above", plain, positives)]
        pos, neg, overlap = (
            self._summed(partial(self._of_chunk, self._tables[side], own), parts) for side, own, parts in asked
        )
        clusters = {} if block.cluster is None else self._by_cluster(block, placed)
        return Products(pos, neg, overlap, clusters, self._explained(block, placed))

    @cached_property
    def size(self) -> int:
        """Number of rankers and metrics."""
        return sum(map(len, self.columns.values()))

    @cached_property
    def _tables(self) -> dict[str, list[Array]]:
        """The values of each ranker, (rows, metrics): one row is what a subject needs."""

        def stacked(own: Sequence[Column], side: str, rows: int) -> Array:
            lines = [getattr(column, side) for column in own]
            return np.ascontiguousarray(np.array(lines).reshape(len(own), rows).T)

        return {
            side: [stacked(own, side, self.grids[name].rows) for name, own in self.columns.items()]
            for side in ("pos", "neg", "above")
        }

    def _values(self, values: Sequence[Array], placed: _Subjects, chunk: slice, width: int) -> Array:
        """Return the values of some subjects, (n, width): columns that are not of a metric are 0."""
        x, at = np.empty((chunk.stop - chunk.start, width)), 0
        for own, rows in zip(values, placed.rows, strict=True):
            x[:, at : at + own.shape[1]] = own.take(rows[chunk], axis=0)
            at += own.shape[1]
        if placed.weight is not None:
            x[:, :at] *= placed.weight[chunk, None]
        x[:, at:] = 0.0
        return x

    def _of_chunk(self, values: Sequence[Array], placed: _Subjects, chunk: slice) -> Array:
        x = self._values(values, placed, chunk, _in_tiles(self.size))
        return np.asarray(x.T @ x)[: self.size, : self.size]

    def _summed(self, square: Callable[[slice], Array], chunks: Sequence[slice]) -> Array:
        return reduce(np.add, in_threads(square, chunks), np.zeros((self.size, self.size)))

    # ---- the order of the subjects

    def _in_order(self, block: Block) -> _Subjects:
        """Return the subjects in an order that neither theirs nor that of the rankers changes, as the sums do not."""
        names = sorted(self.columns)
        placed = self._sorted_by(names, block)
        rows = dict(zip(names, placed.rows, strict=True))
        return placed._replace(rows=[rows[name] for name in self.columns])

    def _sorted_by(self, names: Sequence[str], block: Block) -> _Subjects:
        rows = [np.asarray(self.grids[name].rows_of(block.scores[name]), np.int64) for name in names]
        weight = block.weights(self.unit)
        known = block.positive.astype(np.int64)
        sizes = [self.grids[name].rows for name in names]
        parts, values = [known, *rows], None
        if weight is not None:
            values, place = np.unique(weight, return_inverse=True)
            parts, sizes = [*parts, np.asarray(place, np.int64)], [*sizes, values.size]
        bits = [1, *(max(int(size - 1).bit_length(), 1) for size in sizes)]
        if sum(bits) > _BITS:  # many rankers
            order = np.lexsort(parts[::-1])
            return self._taken(parts[1:], order, values, block)
        codes = parts[0]
        for start in range(0, codes.size, _CHUNK):
            own = codes[start : start + _CHUNK]
            for part, width in zip(parts[1:], bits[1:], strict=True):
                own <<= width
                own |= part[start : start + _CHUNK]
        if block.cluster is not None or block.explains is not None:
            return self._taken(parts[1:], np.argsort(codes), values, block)
        del parts, rows
        codes = _sorted(codes)
        shifts = [sum(bits[place + 1 :]) for place in range(len(bits))]
        packed = [_Packed(codes, shift, (1 << width) - 1) for shift, width in zip(shifts, bits, strict=True)]
        negatives = int(codes.searchsorted(1 << shifts[0]))
        return self._of(packed[1:], negatives, values, None)

    def _taken(
        self, parts: Sequence[Codes], order: npt.NDArray[np.intp], values: Array | None, block: Block
    ) -> _Subjects:
        negatives = int(order.size - np.count_nonzero(block.positive))
        return self._of([part[order] for part in parts], negatives, values, order)

    def _of(
        self, rows: Sequence[Codes | _Packed], negatives: int, values: Array | None, order: npt.NDArray[np.intp] | None
    ) -> _Subjects:
        if values is None:
            return _Subjects(rows, negatives, None, order)
        return _Subjects(rows[:-1], negatives, values[rows[-1][:]], order)

    # ---- what needs the subjects themselves

    def _by_cluster(self, block: Block, placed: _Subjects) -> dict[Any, Array]:
        """Return the sums of each cluster by class, one metric after another."""
        assert block.cluster is not None
        assert placed.order is not None
        names, place = np.unique(block.cluster[placed.order], return_inverse=True)
        weight = np.ones(place.size) if placed.weight is None else placed.weight
        split, totals = placed.negatives, np.zeros((names.size, 2 * self.size + 3))
        sides = (("pos", slice(split, None), self.n_pos), ("neg", slice(split), self.n_neg))
        for side, (name, of, number) in enumerate(sides):
            column = side * self.size
            for own, rows in zip(self.columns.values(), placed.rows, strict=True):
                for one in own:
                    x = getattr(one, name)[rows[of]] * weight[of]
                    totals[:, column] = np.bincount(place[of], x, minlength=names.size)
                    column += 1
            totals[:, side - 2] = np.bincount(place[of], weight[of] / number, minlength=names.size)
        totals[:, -3] = np.bincount(place[split:], minlength=names.size)
        return dict(zip(names.tolist(), totals, strict=True))

    def _explained(self, block: Block, placed: _Subjects) -> Array:
        if block.explains is None:
            return np.zeros((self.size, 0))
        assert placed.order is not None
        explains, total = block.explains[placed.order], np.zeros((self.size, block.explains.shape[1]))
        ends = {"neg": (0, placed.negatives), "pos": (placed.negatives, len(explains))}
        for side, (start, end) in ends.items():
            for chunk in _chunks(start, end):
                total += self._values(self._tables[side], placed, chunk, self.size).T @ explains[chunk]
        return total


def squared_columns(x: Array) -> Array:
    """Return the products of all columns, by which columns are beside them in no bit.

    Libraries multiply tiles of columns, and a tile that is not full by other steps: here all are full.
    """
    count = x.shape[1]
    more = _in_tiles(count) - count
    if more:
        x = np.concatenate([x, np.zeros((len(x), more))], axis=1)
    return np.asarray(x.T @ x)[:count, :count]


def _in_tiles(count: int) -> int:
    """Return how many columns full tiles for so many have."""
    return count + -count % _TILE


def _chunks(start: int, end: int) -> list[slice]:
    return [slice(at, min(at + _CHUNK, end)) for at in range(start, end, _CHUNK)]


def _sorted(codes: Codes) -> Codes:
    """Sort codes in place, a share in each thread."""
    share = max(-(-codes.size // processors()), _SHARE)
    shares = [codes[start : start + share] for start in range(0, codes.size, share)]
    for _ in in_threads(lambda own: own.sort(), shares):
        pass
    if len(shares) > 1:
        codes.sort(kind="stable")  # merges what is sorted
    return codes
