"""The columns of a hit table: counts or sums of weights by row, and how rows merge and part."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray, Array, Counts, row_by_row


class Sums(NamedTuple):
    """Positives and negatives of each row, with their sums of squared weights where there are weights."""

    pos: AnyArray
    neg: AnyArray
    pos_squares: Array | None = None
    neg_squares: Array | None = None

    @classmethod
    def counted(
        cls, positive: npt.NDArray[np.bool_], row: npt.NDArray[np.intp], rows: int, weight: Array | None = None
    ) -> Self:
        """Sum subjects whose rows are known, and their weights if they have weights."""
        if weight is None:
            pos = np.bincount(row[positive], minlength=rows)
            return cls(pos, np.bincount(row, minlength=rows) - pos)

        def of(chosen: npt.NDArray[np.bool_], power: int) -> Array:
            return np.asarray(np.bincount(row[chosen], weight[chosen] ** power, minlength=rows), float)

        return cls(of(positive, 1), of(~positive, 1), of(positive, 2), of(~positive, 2))

    @property
    def weighted(self) -> bool:
        """Whether these are sums of weights."""
        return self.pos_squares is not None

    @property
    def mixed(self) -> npt.NDArray[np.bool_]:
        """Whether a row holds both classes."""
        return (self.pos > 0) & (self.neg > 0)

    @property
    def several_positives(self) -> npt.NDArray[np.bool_]:
        """Whether a row holds more than one positive."""
        # two weights have a smaller sum of squares than one weight of their sum
        squares = self.pos if self.pos_squares is None else self.pos_squares
        return np.asarray(squares < np.asarray(self.pos, float) ** 2 * (1 - 1e-12))

    def each(self, do: Callable[[AnyArray], AnyArray]) -> Sums:
        """Apply ``do`` to every column that is there."""
        return Sums(*(None if column is None else do(column) for column in self))  # type: ignore[arg-type]

    def of(self, lists: Any) -> Sums:
        """Return some of the lists of the leading axis."""
        return self.each(lambda column: column[lists])

    def counts(self, prevalence: float | Array | None = None) -> Counts:
        """Return the view that kernels see."""
        return Counts(self.pos, self.neg, prevalence, self.weighted)

    def as_weights(self) -> Sums:
        """Return counts as sums of weights of 1."""
        if self.weighted:
            return self
        pos, neg = self.pos.astype(float), self.neg.astype(float)
        return Sums(pos, neg, pos.copy(), neg.copy())

    def __add__(self, other: object) -> Sums:
        """Add row by row; counts become weights of 1 if the other side has weights."""
        if not isinstance(other, Sums):
            return NotImplemented
        if self.weighted or other.weighted:
            columns = zip(self.as_weights(), other.as_weights(), strict=True)
            return Sums(*(a + b for a, b in columns))  # type: ignore[operator]
        return Sums(self.pos + other.pos, self.neg + other.neg)

    def moved(self, place: npt.NDArray[np.intp], rows: int) -> Sums:
        """Put row i at ``place[..., i]`` of so many rows; what meets there is added."""
        leading = place.shape[:-1]
        lists = np.arange(math.prod(leading)).reshape(*leading, 1)
        together = row_by_row(place)
        where = (place * lists.size + lists if together else place + rows * lists).ravel()

        def put(column: AnyArray) -> AnyArray:
            out = np.zeros(lists.size * rows, column.dtype)
            np.add.at(out, where, column.ravel())
            return np.moveaxis(out.reshape(rows, *leading), 0, -1) if together else out.reshape(*leading, rows)

        return self.each(put)

    def folded(self, *, negatives_join: bool) -> Sums:
        """Return the canonical rows, which do not depend on how a table was collapsed (see ``Counts.folded``)."""
        place = self.counts().folded(negatives_join=negatives_join)
        return self.moved(place, int(place[..., -1].max()) + 1)

    def in_strict_order(self, *, positives_first: bool) -> Sums:
        """Give every positive a row of its own, before or after the negatives tied with it.

        Negatives of a row stay together: their order among themselves moves no positive.
        """
        one, none = np.ones_like(self.pos), np.zeros_like(self.pos)
        times = np.stack([self.pos, one], axis=1)
        pos, neg = np.stack([one, none], axis=1), np.stack([none, self.neg], axis=1)
        side = slice(None) if positives_first else slice(None, None, -1)
        repeats = times[:, side].ravel()
        return Sums(np.repeat(pos[:, side].ravel(), repeats), np.repeat(neg[:, side].ravel(), repeats))


class Lists(NamedTuple):
    """The rows of one list, or of many side by side, padded below with empty rows: what inference reads.

    Attributes
    ----------
    sums : Sums
        Rows on the last axis, lists on the axes before it.
    prevalence : float, array (...) or None
        Assumed beside the counts.
    has_gaps : bool
        Whether rows of negatives alone are gaps between two scores: their negatives have scores of their own.
    """

    sums: Sums
    prevalence: float | Array | None = None
    has_gaps: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The leading shape: ``()`` for one list."""
        return self.sums.pos.shape[:-1]

    @property
    def counts(self) -> Counts:
        """The view that kernels see."""
        return self.sums.counts(self.prevalence)

    def of(self, lists: Any) -> Lists:
        """Return some of the lists of the leading axis."""
        prevalence = self.prevalence
        own = prevalence if prevalence is None or not np.ndim(prevalence) else np.asarray(prevalence)[lists]
        return Lists(self.sums.of(lists), own, self.has_gaps)
