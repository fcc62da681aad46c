"""Influence values of one class by row of a grid, and their exact products."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from math import prod
from typing import NamedTuple, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray, Array
from hitcurve.inference.variance.exact_products import MOST, Exponents, divide, exponent, no_products, products, whole

_CHUNK = 1 << 15  # influence values that are held at a time, in each thread
_ALONE, _ALONE_OF_ONE = 1 << 18, 1 << 13  # multiplications, by one column too, for which OpenBLAS starts no threads
Rows = npt.NDArray[np.intp]
Pair: TypeAlias = tuple[int, int]
"""A ranker within whose rows is summed, and one whose values are."""


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

    def chunks(
        self, rows: Sequence[Rows], weight: Array | None, shapes: Iterable[tuple[int, int]]
    ) -> Iterator[tuple[slice, Array]]:
        """Yield the divided values of some subjects, (3, K, n), of which so many columns are multiplied with others."""
        starts, number = self.starts, rows[0].size
        size = starts[-1]
        alone = [(_ALONE_OF_ONE if 1 in shape else _ALONE) // max(prod(shape), 1) for shape in shapes]
        most = max(min(_CHUNK // max(size, 1), *alone, MOST, number), 1)
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
        shapes = [(end - start, starts[-1] - end) for start, end in places]
        for _, parts in self.chunks(rows, weight, shapes) if any(map(prod, shapes)) else ():
            for own, (start, end) in zip(total, places, strict=True):
                own += products(parts[:, start:end], parts[:, end:])
        return total

    def all(self, rows: Sequence[Rows], weight: Array | None) -> Array:
        """Return exact products of all columns."""
        size = self.starts[-1]
        total = no_products(size, size)
        for _, parts in self.chunks(rows, weight, [(own.size, size) for own in self.exponents]):
            other = parts.copy()  # of an array with itself libraries make a triangle, in more time
            for start, end in pairwise(self.starts):
                total[..., start:end, :] += products(parts[:, start:end], other)
        return total

    def beside(self, rows: Sequence[Rows], weight: Array | None, columns: Array) -> Array:
        """Return exact products with other columns, (d, n)."""
        total = no_products(self.starts[-1], len(columns))
        for here, parts in self.chunks(rows, weight, [total.shape[-2:]]):
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

    def with_sums(self, ranker: int, rows: Rows, sums: Array, exponents: Exponents) -> Array:
        """Return the products of a ranker with sums within its rows, (d, n), that were divided by powers of two."""
        power = exponent(np.abs(sums).max(axis=1, initial=0.0))
        own = Values([self.tables[ranker]], [self.exponents[ranker]])
        total = own.beside([rows], None, np.ldexp(sums, -power[:, None]))
        return whole(total, self.exponents[ranker], exponents + power)

    def completed(
        self,
        sums: Mapping[int, Sequence[Array]],
        crossed: Mapping[Pair, tuple[Rows, Array]],
        number: Sequence[AnyArray],
    ) -> Array:
        """Return all products: across rankers, by the power of the weights or by sums within rows, and within them."""
        starts, powers = self.starts, np.concatenate(self.exponents)
        found = np.zeros((powers.size, powers.size))
        for (start, end), own in zip(pairwise(starts), self.within(number), strict=True):
            found[start:end, start:end] = own
        for weight, across in sorted(sums.items()):
            for (start, end), total in zip(pairwise(starts), across, strict=False):
                own = whole(total, powers[start:end] + weight, powers[end:] + weight)
                found[start:end, end:] += own
                found[end:, start:end] += own.T
        places = [slice(*ends) for ends in pairwise(starts)]
        for (within, of), (rows, own) in crossed.items():
            own = self.with_sums(within, rows, own, self.exponents[of])
            found[places[within], places[of]] += own
            found[places[of], places[within]] += own.T
        return found
