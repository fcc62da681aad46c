"""Sums over subjects of products of influence values: one pass over any block, in all threads.

A subject is known by the rows of its scores, its class and its weight. Values are looked up in one array for all
metrics of a ranker, and multiplied as matrices, chunk by chunk, or added up within the rows of another ranker, without
rounding: the order of subjects, chunks and threads changes no bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve._threads import in_threads, processors
from hitcurve.cells import Grid
from hitcurve.chunks import in_chunks
from hitcurve.counts import AnyArray, Array
from hitcurve.inference.rounding import OF_SUMS
from hitcurve.inference.variance.cluster_sums import ClusterSums, combined
from hitcurve.inference.variance.cluster_sums import whole as whole_clusters
from hitcurve.inference.variance.crossed import Crossed, Words
from hitcurve.inference.variance.exact_products import exponent, no_products, whole
from hitcurve.inference.variance.row_values import Rows, Values
from hitcurve.piles import Pile
from hitcurve.sources import Block, GroupCodes
from hitcurve.table import HitTable

_BITS = 62  # of a whole number
_PIECE = 1 << 16  # subjects whose values are multiplied at a time
_SHARE = 1 << 18  # subjects that pay for a thread that sums within rows
_LOOKED_UP = 1 << 20  # subjects that are looked up at a time
_TILE = 16  # columns, a multiple of the tiles of all processors


class Products(NamedTuple):
    """Sums over subjects of products of influence values, and of sums within clusters."""

    pos: Array
    neg: Array
    overlap: Array
    """Of the positives above the cuts of two metrics."""
    clusters: ClusterSums
    """Of each cluster the sums of influence values of its positives and of its negatives, its subjects above each cut,
    its number of positives, and its shares of both classes."""
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


class Totals(NamedTuple):
    """Exact sums over the subjects of some blocks.

    Attributes
    ----------
    pos, neg : dict of int to sequence of array
        Across rankers, by the power of two that the weights of a block were divided by.
    overlap : array
    clusters : pile of ClusterSums
    explained : array
        Those of :class:`Products`.
    crossed : sequence of array of int
        Sums within rows of each pair of rankers, where products are made of them; else none.
    """

    pos: dict[int, list[Array]]
    neg: dict[int, list[Array]]
    overlap: Array
    clusters: Pile[ClusterSums]
    explained: Array
    crossed: Sequence[Words] = ()

    def merged(self, other: Totals) -> Totals:
        """Add up; sums of a cluster that both hold are added."""
        clusters = combined(self.clusters, other.clusters)
        sums = (_added(self.pos, other.pos), _added(self.neg, other.neg), self.overlap + other.overlap)
        crossed = [own + more for own, more in zip(self.crossed, other.crossed, strict=False)]
        return Totals(*sums, clusters, self.explained + other.explained, crossed or self.crossed or other.crossed)


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
    crossed : Crossed or None
        What sums within rows, of subjects without weights and clusters; None if all products are made of subjects.
    """

    grids: Mapping[str, Grid]
    pos: Values
    neg: Values
    above: Values | None
    unit: float
    n_pos: float
    n_neg: float
    crossed: Crossed | None = None

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
        if weight is None and not several:
            return self._long(block)
        placed = self._placed(block, slice(None)) if several else None
        pieces = _pieces(block.positive.size, _PIECE)
        found = reduce(Totals.merged, in_threads(partial(self._of_piece, block, placed, weight, power), pieces))
        if placed is not None and block.cluster is not None:
            found = found._replace(clusters=(self._by_cluster(block.cluster, block.positive, placed, weight, power),))
        if placed is not None and block.explains is not None:
            found = found._replace(explained=self._explained(block.explains, block.positive, placed, weight, power))
        return found

    def together(self, blocks: Iterable[Block]) -> Totals:
        """Return the products of blocks that one thread reads."""
        others: list[Totals] = []

        def plain() -> Iterator[list[AnyArray]]:
            for block in blocks:
                if block.cluster is None and block.explains is None and block.weights(self.unit) is None:
                    yield self._columns(block)
                else:
                    others.append(self(block))

        found = [self._of_chunks(in_chunks(plain(), len(self.grids)))]
        return reduce(Totals.merged, found + others)

    def products(self, found: Totals, tables: Sequence[HitTable]) -> Products:
        """Return the products of all blocks, of which the tables of the rankers were counted."""
        sums = [table.sums for table in tables]
        sides = [
            [one.pos if one.pos_squares is None else one.pos_squares for one in sums],
            [one.neg if one.neg_squares is None else one.neg_squares for one in sums],
        ]
        crossed = [{}, {}] if self.crossed is None else self.crossed.by_class(found.crossed)
        pos = self.pos.completed(found.pos, crossed[0], sides[0])
        neg = self.neg.completed(found.neg, crossed[1], sides[1])
        powers = np.zeros(self.size, int) if self.above is None else np.concatenate(self.above.exponents)
        return Products(pos, neg, whole(found.overlap, powers, powers), whole_clusters(found.clusters), found.explained)

    # ---- what needs neither weights nor clusters

    def _columns(self, block: Block) -> list[AnyArray]:
        return [block.positive, *(block.scores[name] for name in self.grids)]

    def _long(self, block: Block) -> Totals:
        """Return the products of a block, divided among the processors."""
        size = block.positive.size
        share = max(-(-size // processors()), _PIECE if self.crossed is None else _SHARE)
        whole_block = self._columns(block)

        def of_share(share: slice) -> Totals:
            pieces = _pieces(share.stop - share.start, _LOOKED_UP)
            own = [column[share] for column in whole_block]
            return self._of_chunks([column[piece] for column in own] for piece in pieces)

        return reduce(Totals.merged, in_threads(of_share, _pieces(size, share)))

    def _of_chunks(self, chunks: Iterable[Sequence[AnyArray]]) -> Totals:
        """Return the products of columns: classes, then scores of all rankers."""
        found = self._nobody()
        for positive, *scores in chunks:
            rows = [grid.rows_of(own) for grid, own in zip(self.grids.values(), scores, strict=True)]
            if self.crossed is None:
                for piece in _pieces(positive.size, _PIECE):
                    found = found.merged(self._of_rows(positive[piece], [own[piece] for own in rows], None, 0))
            else:
                if self.above is not None:
                    found = found._replace(overlap=found.overlap + self._overlap([own[positive] for own in rows]))
                self.crossed.add(found.crossed, positive, rows)
        return found

    def _nobody(self) -> Totals:
        crossed = () if self.crossed is None else self.crossed.nothing()
        return Totals({}, {}, no_products(self.size, self.size), (), np.zeros((self.size, 0)), crossed)

    # ---- subjects one by one

    def _placed(self, block: Block, piece: slice) -> list[Rows]:
        return [grid.rows_of(block.scores[name][piece]) for name, grid in self.grids.items()]

    def _of_piece(
        self, block: Block, placed: Sequence[Rows] | None, weight: Array | None, power: int, piece: slice
    ) -> Totals:
        rows = self._placed(block, piece) if placed is None else [own[piece] for own in placed]
        return self._of_rows(block.positive[piece], rows, None if weight is None else weight[piece], power)

    def _of_rows(
        self, positive: npt.NDArray[np.bool_], rows: Sequence[Rows], weight: Array | None, power: int
    ) -> Totals:
        of_pos, of_neg = _taken(positive, rows, weight), _taken(~positive, rows, weight)
        sums = ({power: self.pos.across(*of_pos)}, {power: self.neg.across(*of_neg)})
        return Totals(*sums, self._overlap(of_pos[0]), (), np.zeros((self.size, 0)))

    def _overlap(self, rows: Sequence[Rows]) -> Array:
        return no_products(self.size, self.size) if self.above is None else self.above.all(rows, None)

    # ---- what needs the subjects themselves

    def _by_cluster(
        self,
        cluster: GroupCodes,
        positive: npt.NDArray[np.bool_],
        placed: Sequence[Rows],
        weight: Array | None,
        power: int,
    ) -> ClusterSums:
        """Return the sums of each cluster by class, one metric after another."""
        order = self._order(positive, placed, weight)
        positive, placed = positive[order], [own[order] for own in placed]
        weight = None if weight is None else weight[order]
        place, clusters = cluster.codes[order], cluster.names.size
        totals = np.zeros((clusters, 3 * self.size + 3))
        sides = ((self.pos, positive, self.n_pos), (self.neg, ~positive, self.n_neg))
        for side, (values, which, number) in enumerate(sides):
            rows, own = _taken(which, placed, weight)
            inside = place[which]
            _add_within(totals[:, side * self.size :], values, rows, own, inside, power)
            share = np.full(inside.size, 1 / number) if own is None else np.ldexp(own, power) / number
            totals[:, side - 2] = np.bincount(inside, share, clusters)
        if self.above is not None:
            _add_within(totals[:, 2 * self.size :], self.above, placed, weight, place, power)
        totals[:, -3] = np.bincount(place[positive], minlength=clusters)
        return ClusterSums.of(cluster.names, totals)

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


def _add_within(
    out: Array, values: Values, rows: Sequence[Rows], weight: Array | None, place: AnyArray, power: int
) -> None:
    """Write the sums of each column within clusters, at whose places the subjects are."""
    column = 0
    for table, powers, row in zip(values.tables, values.exponents, rows, strict=True):
        for line, of_metric in zip(table.T, powers, strict=True):
            x = line.take(row) if weight is None else line.take(row) * weight
            out[:, column] = np.ldexp(np.bincount(place, x, len(out)), of_metric + power)
            column += 1


def _pieces(size: int, most: int) -> list[slice]:
    """Divide subjects, of whom there may be none."""
    return [slice(start, min(start + most, size)) for start in range(0, max(size, 1), most)]


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
