"""Sums over subjects of products of influence values: one pass over any block, in all threads.

A subject is known by the rows of its scores, its class and its weight. Values are looked up in one array for all
metrics of a ranker, and multiplied as matrices, chunk by chunk, without rounding: the order of subjects, chunks and
threads changes no bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import accumulate, pairwise
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hitcurve._threads import in_threads
from hitcurve.cells import Grid
from hitcurve.counts import AnyArray, Array
from hitcurve.inference.rounding import OF_SUMS
from hitcurve.inference.variance.exact_products import MOST, Exponents, divide, exponent, no_products, products, whole
from hitcurve.sources import Block
from hitcurve.table import HitTable

_CHUNK = 1 << 15  # influence values that are held at a time, in each thread
_ALONE = 1 << 18  # multiplications for which OpenBLAS starts no threads of its own
_BITS = 62  # of a whole number
_PIECE = 1 << 16  # subjects that a thread takes
_TILE = 16  # columns, a multiple of the tiles of all processors
Rows = npt.NDArray[np.intp]


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


class Values(NamedTuple):
    """Influence values of one class, each metric divided by a power of two so that the largest is at most 1.

    Attributes
    ----------
    tables : sequence of array (rows, metrics)
        Of each ranker: one row is what a subject needs.
    exponents : sequence of array of int (metrics,)
        Of each ranker.
    """

    tables: Sequence[Array]
    exponents: Sequence[Exponents]

    @classmethod
    def of(cls, lines: Sequence[Array], rows: int) -> Self:
        """Take the metrics of one ranker."""
        exponents = exponent([np.abs(line).max(initial=0.0) for line in lines])
        table = np.empty((rows, len(lines)))
        for column, (line, own) in enumerate(zip(lines, exponents, strict=True)):
            np.ldexp(line, -own, out=table[:, column])
        return cls([table], [exponents])

    @classmethod
    def of_rankers(cls, every: Sequence[Values]) -> Self:
        """Put rankers side by side."""
        return cls([own.tables[0] for own in every], [own.exponents[0] for own in every])

    @property
    def starts(self) -> list[int]:
        """Where the metrics of each ranker start among all, and where they end."""
        return [0, *accumulate(own.size for own in self.exponents)]

    @property
    def is_nothing(self) -> bool:
        """Whether all are 0."""
        return not any(table.any() for table in self.tables)

    def chunks(self, rows: Sequence[Rows], weight: Array | None, pairs: int) -> Iterator[tuple[slice, Array]]:
        """Yield the divided values of some subjects, (3, K, n), of which so many pairs are multiplied at once."""
        starts, number = self.starts, rows[0].size
        size = starts[-1]
        most = max(min(_CHUNK // max(size, 1), _ALONE // max(pairs, 1), MOST, number), 1)
        held = np.empty(3 * size * most)
        for start in range(0, number, most):
            here = slice(start, min(start + most, number))
            parts = held[: 3 * size * (here.stop - start)].reshape(3, size, here.stop - start)
            for table, own, at in zip(self.tables, rows, starts, strict=False):
                np.copyto(parts[-1, at : at + table.shape[1]], table.take(own[here], axis=0, mode="clip").T)
            if weight is not None:
                parts[-1] *= weight[here]
            yield here, divide(parts)

    def across(self, rows: Sequence[Rows], weight: Array | None) -> list[Array]:
        """Return exact products of the metrics of each ranker with those of all rankers after it."""
        starts = self.starts
        places = list(pairwise(starts[:-1]))
        total = [no_products(end - start, starts[-1] - end) for start, end in places]
        pairs = max(((end - start) * (starts[-1] - end) for start, end in places), default=0)
        for _, parts in self.chunks(rows, weight, pairs) if pairs else ():
            for own, (start, end) in zip(total, places, strict=True):
                own += products(parts[:, start:end], parts[:, end:])
        return total

    def all(self, rows: Sequence[Rows], weight: Array | None) -> Array:
        """Return exact products of all columns."""
        size = self.starts[-1]
        total = no_products(size, size)
        for _, parts in self.chunks(rows, weight, size * max(own.size for own in self.exponents)):
            other = parts.copy()  # of an array with itself libraries make a triangle, in more time
            for start, end in pairwise(self.starts):
                total[..., start:end, :] += products(parts[:, start:end], other)
        return total

    def beside(self, rows: Sequence[Rows], weight: Array | None, columns: Array) -> Array:
        """Return exact products with other columns, (d, n)."""
        total = no_products(self.starts[-1], len(columns))
        for here, parts in self.chunks(rows, weight, total[0, 0, 0].size):
            total += products(parts, divide(np.stack([columns[:, here]] * 3)))
        return total

    def within(self, number: Sequence[AnyArray]) -> Iterator[Array]:
        """Yield the products of the metrics of each ranker, given the subjects (or squared weights) in each row."""
        for table, powers, own in zip(self.tables, self.exponents, number, strict=True):
            rows = np.flatnonzero(own)
            root = np.sqrt(own[rows])
            power = exponent(root.max(initial=0.0))
            total = Values([table], [powers]).all([rows], np.ldexp(root, -power))
            yield whole(total, powers + power, powers + power)

    def completed(self, sums: Mapping[int, Sequence[Array]], number: Sequence[AnyArray]) -> Array:
        """Return all products: those across rankers, by the power of the weights, and those within them."""
        starts, powers = self.starts, np.concatenate(self.exponents)
        found = np.zeros((powers.size, powers.size))
        for (start, end), own in zip(pairwise(starts), self.within(number), strict=True):
            found[start:end, start:end] = own
        for weight, across in sorted(sums.items()):
            for (start, end), total in zip(pairwise(starts), across, strict=False):
                own = whole(total, powers[start:end] + weight, powers[end:] + weight)
                found[start:end, end:] += own
                found[end:, start:end] += own.T
        return found


class Totals(NamedTuple):
    """Exact sums over the subjects of some blocks.

    Attributes
    ----------
    pos, neg : dict of int to sequence of array
        Across rankers, by the power of two that the weights of a block were divided by.
    overlap : array
    clusters, explained
        Those of :class:`Products`.
    """

    pos: dict[int, list[Array]]
    neg: dict[int, list[Array]]
    overlap: Array
    clusters: dict[Any, Array]
    explained: Array

    def merged(self, other: Totals) -> Totals:
        """Add up; sums of a cluster that both hold are added."""
        clusters = dict(self.clusters)
        for name, total in other.clusters.items():
            clusters[name] = clusters[name] + total if name in clusters else total
        sums = (_added(self.pos, other.pos), _added(self.neg, other.neg), self.overlap + other.overlap)
        return Totals(*sums, clusters, self.explained + other.explained)


@dataclass(frozen=True, eq=False)
class Multiplier:
    """What multiplies the influence values of the subjects of a block.

    Attributes
    ----------
    grids : mapping of str to Grid
        Of each ranker.
    pos, neg : Values
    above : Values or None
        What share of a positive is above the cut; None if no metric has one.
    unit : float
        Weight of a subject of the tables.
    n_pos, n_neg : float
        Positives and negatives of the tables.
    """

    grids: Mapping[str, Grid]
    pos: Values
    neg: Values
    above: Values | None
    unit: float
    n_pos: float
    n_neg: float

    @property
    def size(self) -> int:
        """Number of rankers and metrics."""
        return self.pos.starts[-1]

    def __call__(self, block: Block) -> Totals:
        """Return the products of a block."""
        weight, power = block.weights(self.unit), 0
        if weight is not None:
            power = int(exponent(weight.max(initial=0.0)))
            weight = np.ldexp(weight, -power)
        several = block.cluster is not None or block.explains is not None
        placed = self._placed(block, slice(None)) if several else None
        pieces = [slice(start, start + _PIECE) for start in range(0, max(block.positive.size, 1), _PIECE)]
        found = reduce(Totals.merged, in_threads(partial(self._of_piece, block, placed, weight, power), pieces))
        if placed is not None and block.cluster is not None:
            found = found._replace(clusters=self._by_cluster(block.cluster, block.positive, placed, weight, power))
        if placed is not None and block.explains is not None:
            found = found._replace(explained=self._explained(block.explains, block.positive, placed, weight, power))
        return found

    def products(self, found: Totals, tables: Sequence[HitTable]) -> Products:
        """Return the products of all blocks, of which the tables of the rankers were counted."""
        sums = [table.sums for table in tables]
        sides = [
            [one.pos if one.pos_squares is None else one.pos_squares for one in sums],
            [one.neg if one.neg_squares is None else one.neg_squares for one in sums],
        ]
        pos, neg = self.pos.completed(found.pos, sides[0]), self.neg.completed(found.neg, sides[1])
        powers = np.zeros(self.size, int) if self.above is None else np.concatenate(self.above.exponents)
        return Products(pos, neg, whole(found.overlap, powers, powers), found.clusters, found.explained)

    def _placed(self, block: Block, piece: slice) -> list[Rows]:
        return [grid.rows_of(block.scores[name][piece]) for name, grid in self.grids.items()]

    def _of_piece(
        self, block: Block, placed: Sequence[Rows] | None, weight: Array | None, power: int, piece: slice
    ) -> Totals:
        rows = self._placed(block, piece) if placed is None else [own[piece] for own in placed]
        own = None if weight is None else weight[piece]
        positive = block.positive[piece]
        of_pos, of_neg = _taken(positive, rows, own), _taken(~positive, rows, own)
        overlap = no_products(self.size, self.size) if self.above is None else self.above.all(of_pos[0], None)
        sums = ({power: self.pos.across(*of_pos)}, {power: self.neg.across(*of_neg)})
        return Totals(*sums, overlap, {}, np.zeros((self.size, 0)))

    # ---- what needs the subjects themselves

    def _by_cluster(
        self,
        cluster: AnyArray,
        positive: npt.NDArray[np.bool_],
        placed: Sequence[Rows],
        weight: Array | None,
        power: int,
    ) -> dict[Any, Array]:
        """Return the sums of each cluster by class, one metric after another."""
        order = self._order(positive, placed, weight)
        positive, placed = positive[order], [own[order] for own in placed]
        weight = None if weight is None else weight[order]
        names, place = np.unique(cluster[order], return_inverse=True)
        totals = np.zeros((names.size, 2 * self.size + 3))
        sides = ((self.pos, positive, self.n_pos), (self.neg, ~positive, self.n_neg))
        for side, (values, which, number) in enumerate(sides):
            rows, own = _taken(which, placed, weight)
            inside, column = place[which], side * self.size
            for table, powers, row in zip(values.tables, values.exponents, rows, strict=True):
                for line, of_metric in zip(table.T, powers, strict=True):
                    x = line.take(row) if own is None else line.take(row) * own
                    totals[:, column] = np.ldexp(np.bincount(inside, x, names.size), of_metric + power)
                    column += 1
            share = np.full(inside.size, 1 / number) if own is None else np.ldexp(own, power) / number
            totals[:, side - 2] = np.bincount(inside, share, names.size)
        totals[:, -3] = np.bincount(place[positive], minlength=names.size)
        return dict(zip(names.tolist(), totals, strict=True))

    def _order(self, positive: npt.NDArray[np.bool_], placed: Sequence[Rows], weight: Array | None) -> Rows:
        """Return an order that those of subjects and rankers do not change, as sums of clusters are rounded."""
        rows = dict(zip(self.grids, placed, strict=True))
        parts, sizes = [positive.astype(np.int64)], [2]
        for name in sorted(self.grids):
            parts.append(rows[name])
            sizes.append(self.grids[name].rows)
        if weight is not None:
            values, place = np.unique(weight, return_inverse=True)
            parts.append(place)
            sizes.append(values.size)
        bits = [max(int(size - 1).bit_length(), 1) for size in sizes]
        if sum(bits) > _BITS:  # many rankers
            return np.lexsort(parts[::-1])
        codes = parts[0]
        for part, width in zip(parts[1:], bits[1:], strict=True):
            codes <<= width
            codes |= part
        return np.argsort(codes)

    def _explained(
        self,
        explains: Array,
        positive: npt.NDArray[np.bool_],
        placed: Sequence[Rows],
        weight: Array | None,
        power: int,
    ) -> Array:
        powers = exponent(np.abs(explains).max(axis=0, initial=0.0))
        columns, found = np.ldexp(explains, -powers).T, np.zeros((self.size, powers.size))
        for values, which in ((self.pos, positive), (self.neg, ~positive)):
            total = values.beside(*_taken(which, placed, weight), columns[:, which])
            found += whole(total, np.concatenate(values.exponents) + power, powers)
        return found


def _taken(which: npt.NDArray[np.bool_], rows: Sequence[Rows], weight: Array | None) -> tuple[list[Rows], Array | None]:
    return [own.compress(which) for own in rows], None if weight is None else weight.compress(which)


def _added(a: dict[int, list[Array]], b: dict[int, list[Array]]) -> dict[int, list[Array]]:
    both = {power: [x + y for x, y in zip(a[power], b[power], strict=True)] for power in a.keys() & b.keys()}
    return a | b | both


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
