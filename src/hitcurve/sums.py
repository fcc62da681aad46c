"""The columns of a hit table: counts or sums of weights by row, and how rows merge and part."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve.assumed import of_some
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.cumulative import row_by_row
from hitcurve.immutable import viewed
from hitcurve.label_errors import CorrectedCounts, LabelErrors

LONG = 1 << 14  # rows from which on it pays to leave out empty ones
_VERY_LONG, _MOST_HELD = 1 << 17, 2 / 3  # rows, and share of all, from which on to do so takes longer than they do


class Weighed(NamedTuple):
    """Weights of the subjects of one class.

    Attributes
    ----------
    number : float
        Of the subjects with a weight.
    total, lightest, heaviest : float
    exact : bool
        Whether each subject was seen; if not, there may be more of them, and lighter and heavier ones.
    """

    number: float
    total: float
    lightest: float
    heaviest: float
    exact: bool

    @classmethod
    def of(cls, weights: Array) -> Weighed:
        """Take the weights of subjects."""
        own = weights[weights > 0]
        ends = (float(own.min()), float(own.max())) if own.size else (0.0, 0.0)
        return cls(float(own.size), float(own.sum()), *ends, True)

    def merged(self, other: Weighed) -> Weighed:
        """Add other subjects of the class."""
        if not self.number or not other.number:
            return self if self.number else other
        return Weighed(
            self.number + other.number,
            self.total + other.total,
            min(self.lightest, other.lightest),
            max(self.heaviest, other.heaviest),
            self.exact and other.exact,
        )


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

        if np.any(weight != np.rint(weight)):
            # from the smallest up: a sum that rounds must not depend on the order of the subjects
            order = np.argsort(weight)
            positive, row, weight = positive[order], row[order], weight[order]

        def of(chosen: npt.NDArray[np.bool_], power: int) -> Array:
            return np.asarray(np.bincount(row[chosen], weight[chosen] ** power, minlength=rows), float)

        return cls(of(positive, 1), of(~positive, 1), of(positive, 2), of(~positive, 2))

    @property
    def weighted(self) -> bool:
        """Whether these are sums of weights."""
        return self.pos_squares is not None

    @property
    def weighed(self) -> tuple[Weighed, Weighed]:
        """The weights of both classes of the only list; a row of several subjects is taken as one of equal weights."""
        found = []
        for weights, squares in ((self.pos, self.pos_squares), (self.neg, self.neg_squares)):
            if squares is None:
                total = float(weights.sum())
                found.append(Weighed(total, total, 1.0, 1.0, True))
                continue
            there = weights > 0
            if not there.any():
                found.append(Weighed.of(weights))
                continue
            mean = squares[there] / weights[there]
            number = float(np.sum(weights[there] / mean))
            # two weights have a smaller sum of squares than one weight of their sum
            exact = not np.any(squares < weights**2 * (1 - 1e-12))
            found.append(Weighed(number, float(weights.sum()), float(mean.min()), float(mean.max()), exact))
        return found[0], found[1]

    @property
    def mixed(self) -> npt.NDArray[np.bool_]:
        """Whether a row holds both classes."""
        return (self.pos > 0) & (self.neg > 0)

    @property
    def several_positives(self) -> npt.NDArray[np.bool_]:
        """Whether a row holds more than one positive."""
        if self.pos_squares is None:
            return np.asarray(self.pos > 1)
        # two weights have a smaller sum of squares than one weight of their sum
        return np.asarray(self.pos_squares < self.pos**2 * (1 - 1e-12))

    def each(self, do: Callable[[AnyArray], AnyArray]) -> Sums:
        """Apply ``do`` to every column that is there."""
        return Sums(*(None if column is None else do(column) for column in self))  # type: ignore[arg-type]

    def of(self, lists: Any) -> Sums:
        """Return some of the lists of the leading axis."""
        return self.each(lambda column: column[lists])

    def counts(self, prevalence: float | Array | None = None) -> Counts:
        """Return the view that kernels see."""
        return Counts(self.pos, self.neg, prevalence, self.weighted)

    def as_weights(self, unit: float = 1.0) -> Sums:
        """Return counts as sums of weights, of 1 or of another unit."""
        if self.weighted:
            return self
        pos, neg = self.pos * unit, self.neg * unit
        return Sums(pos, neg, pos * unit, neg * unit)

    def __add__(self, other: object) -> Sums:
        """Add row by row; counts become weights of 1 if the other side has weights."""
        if not isinstance(other, Sums):
            return NotImplemented
        if self.weighted or other.weighted:
            columns = zip(self.as_weights(), other.as_weights(), strict=True)
            return Sums(*(a + b for a, b in columns))  # type: ignore[operator]
        return Sums(_added(self.pos, other.pos), _added(self.neg, other.neg))

    def short(self) -> Sums:
        """Return counts in the shortest integers that hold them, to be kept until they are added."""
        return self if self.weighted else self.each(_short)

    def wide(self) -> Sums:
        """Return counts as integers of the usual size."""
        return self.each(lambda column: column.astype(np.int64) if column.itemsize < 8 else column)

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
        c = self.counts()
        if not c.shape:
            first = c.first_of_folded(negatives_join=negatives_join)
            starts = first.nonzero()[0]
            return self if starts.size == first.size else self.each(lambda column: np.add.reduceat(column, starts))
        place = c.folded(negatives_join=negatives_join)
        return self.moved(place, int(place[..., -1].max()) + 1)

    def with_half_subject(self, prevalence: float | Array | None, *, negatives: float = 0.5) -> Sums:
        """Add half a positive and ``negatives`` of a negative, spread in proportion to the subjects of each row.

        So the table has what the sample may lack by accident: a false alarm above the last positive, a tail with
        somebody in it. The plug-in standard error, which is 0 under perfect separation, is not 0 there.

        Where a prevalence is assumed, in proportion to what the rows hold at that prevalence. Of weights, half the
        weight of a typical subject.
        """
        c = self.counts(prevalence)
        if prevalence is None:
            spread = np.asarray(c.pos + c.neg, float) / c.n[..., None]
        else:
            pi = c.pi[..., None]
            spread = pi * c.p + (1 - pi) * c.q
        if self.pos_squares is None or self.neg_squares is None:
            return Sums(self.pos + spread / 2, self.neg + negatives * spread)
        squares = self.pos_squares.sum(axis=-1) + self.neg_squares.sum(axis=-1)
        unit = (squares / c.n)[..., None]
        pos, neg = self.pos + unit * spread / 2, self.neg + unit * negatives * spread
        return Sums(pos, neg, self.pos_squares + unit**2 * spread / 2, self.neg_squares + unit**2 * negatives * spread)

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


@dataclass(frozen=True, eq=False)
class Lists:
    """The rows of one list, or of many side by side, padded below with empty rows: what inference reads.

    Attributes
    ----------
    sums : Sums
        Rows on the last axis, lists on the axes before it.
    prevalence : float, array (...) or None
        Assumed beside the counts.
    has_gaps : bool
        Whether rows of negatives alone are gaps between two scores: their negatives have scores of their own.
    origin : Lists or None
        The only list of which these are condensed rows, each for another cut.
    errors : LabelErrors or None
        Wrong labels, for which counts are corrected.
    """

    sums: Sums
    prevalence: float | Array | None = None
    has_gaps: bool = False
    origin: Lists | None = None
    errors: LabelErrors | None = None

    @classmethod
    def of_held(
        cls, sums: Sums, prevalence: float | Array | None, *, has_gaps: bool, errors: LabelErrors | None = None
    ) -> Self:
        """Take the rows of one list, of a long one those that hold somebody: a few others may stay."""
        if sums.pos.size >= LONG:
            held = (sums.pos > 0) | (sums.neg > 0)
            many = np.count_nonzero(held)
            if many < held.size and (many < _VERY_LONG or many < _MOST_HELD * held.size):
                sums = sums.each(lambda column: column.compress(held))
        return cls(sums, prevalence, has_gaps, errors=errors)

    @property
    def shape(self) -> tuple[int, ...]:
        """The leading shape: ``()`` for one list."""
        return self.sums.pos.shape[:-1]

    @cached_property
    def counts(self) -> Counts:
        """The view that kernels see."""
        labels = self.sums.counts(self.prevalence)
        return labels if self.errors is None else CorrectedCounts.of(labels, self.errors)

    def folded(self, *, negatives_join: bool) -> Lists:
        """Return the canonical rows, which do not depend on how a table was collapsed (see ``Counts.folded``)."""
        return self._joined if negatives_join else self._apart

    @cached_property
    def _joined(self) -> Lists:
        return self._folded(negatives_join=True)

    @cached_property
    def _apart(self) -> Lists:
        return self._folded(negatives_join=False)

    @property
    def of_gaps(self) -> Lists:
        """The same, of weights with negatives between two positives in one row.

        A cut among them leaves some above it, of whose weights a collapsed table does not know the squares: full and
        collapsed tables must have one standard error.
        """
        return self._apart if self.sums.weighted else self

    def _folded(self, *, negatives_join: bool) -> Lists:
        sums = self.sums.folded(negatives_join=negatives_join)
        return Lists(sums, self.prevalence, self.has_gaps, errors=self.errors)

    @cached_property
    def with_half_subject(self) -> Lists:
        """Half a positive and half a negative more, spread over the rows (see ``Sums.with_half_subject``)."""
        return Lists(viewed(self.sums.with_half_subject(self.prevalence)), self.prevalence, errors=self.errors)

    def classes(self, number: int, prevalences: float | Array | None = None) -> Lists:
        """Return so many lists of one row, which holds all subjects of the only list, at these prevalences."""

        def together(column: AnyArray) -> AnyArray:
            return np.broadcast_to(column.sum(keepdims=True), (number, 1))

        return Lists(self.sums.each(together), self.prevalence if prevalences is None else prevalences)

    def of(self, lists: Any) -> Lists:
        """Return some of the lists of the leading axis."""
        return Lists(self.sums.of(lists), of_some(self.prevalence, lists), self.has_gaps, self.origin, self.errors)


def _short(column: AnyArray) -> AnyArray:
    kind = np.min_scalar_type(column.max(initial=0))
    return column.astype(kind) if kind.itemsize < 8 else column


def _added(a: AnyArray, b: AnyArray) -> AnyArray:
    """Add counts; short ones do not overflow, and stay as short as they may."""
    if min(a.itemsize, b.itemsize) == 8:
        return a + b
    if max(a.itemsize, b.itemsize) == 8:
        return np.add(a, b, dtype=np.int64)
    kind = np.min_scalar_type(int(a.max(initial=0)) + int(b.max(initial=0)))
    return np.add(a, b, dtype=np.promote_types(np.promote_types(a.dtype, b.dtype), kind))
