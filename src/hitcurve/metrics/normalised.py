"""Areas along the rate that are 0 for the reversed and 1 for the perfect list."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array, Counts, before
from hitcurve.magnify import Magnification
from hitcurve.magnify.pieces import sum_of_products
from hitcurve.metrics.area import AreaMetric, Scale
from hitcurve.refusals import Refusal

_Means: TypeAlias = Callable[[Array, Array], Array]


class _Ends(NamedTuple):
    """The reversed and the perfect list, of the class that is the smaller part of the list.

    Differences of the other class have no digits left where nearly all subjects are of one class.

    Attributes
    ----------
    negatives : array of bool (...)
        Whether that class is the negatives.
    by_mean : array of bool (...)
        Whether it is taken by the mean of f, and not by that of 1 - f, which is next to 1 everywhere.
    low, high : array (...)
        The mean over that class in the reversed and in the perfect list.
    worst, room : array (...)
        The area of the reversed list, and how much larger that of the perfect list is.
    """

    negatives: npt.NDArray[np.bool_]
    by_mean: npt.NDArray[np.bool_]
    low: Array
    high: Array
    worst: Array
    room: Array


def _ends_of(f: Magnification, pi: Array) -> _Ends:
    none, all = np.zeros_like(pi), np.ones_like(pi)
    negatives = np.asarray(pi > 0.5)
    first = none, np.where(negatives, 1 - pi, pi)
    last = np.where(negatives, pi, 1 - pi), all
    at_end = f.worth(*last)
    by_mean = np.asarray(at_end > 0.5)
    top = _either(by_mean, f.mean, f.worth, *first)
    end = _either(by_mean, f.mean, lambda *_: at_end, *last)
    worst = f.worth(1 - pi, all) if negatives.any() else at_end
    low, high = np.where(negatives, top, end), np.where(negatives, end, top)
    # pi times the area of the positives and 1 - pi times that of the negatives have one sum
    ratio = np.divide(1 - pi, pi, out=np.ones_like(pi), where=negatives)
    return _Ends(negatives, by_mean, low, high, worst, np.abs(high - low) * ratio)


def _either(which: npt.NDArray[np.bool_], one: _Means, other: _Means, x0: Array, x1: Array) -> Array:
    """Return one or the other mean over intervals, as each list needs it."""
    if which.all():
        return one(x0, x1)
    return np.where(which, one(x0, x1), other(x0, x1)) if which.any() else other(x0, x1)


@lru_cache(maxsize=1024)
def _ends_of_one(f: Magnification, pi: float) -> _Ends:
    """Return the same of one list, of which value, references and intervals ask again and again."""
    return _ends_of(f, np.asarray(pi))


def _slopes_of_ends(f: Magnification, pi: Array) -> tuple[Array, Array]:
    return f.mean_dn(1 - pi, np.ones_like(pi)), f.mean_up(np.zeros_like(pi), pi)


@lru_cache(maxsize=1024)
def _slopes_of_ends_of_one(f: Magnification, pi: float) -> tuple[Array, Array]:
    return _slopes_of_ends(f, np.asarray(pi))


class Normalised(AreaMetric):
    """``(area - B) / (1 - B - C)``: 0 for the reversed, 1 for the perfect list (Theorem 6 of Millard et al.)."""

    axis: ClassVar[str] = "rate"
    perfect_value: ClassVar[float | None] = 1.0
    reversed_value: ClassVar[float | None] = 0.0
    _least_room: ClassVar[float] = 0.0  # between the two, beyond rounding
    _least_part: ClassVar[float] = 0.0  # of the larger of the two, that the room between them must be

    def kernel(self, c: Counts) -> Array:
        """Return the share of the way from the reversed to the perfect list, of the smaller class."""
        ends, f = self._ends(c), self.magnification(c)

        def mean_of(share: Array, x0: Array, x1: Array) -> Array:
            return sum_of_products(share, _either(ends.by_mean[..., None], f.mean, f.worth, x0, x1))

        of_negatives, by_mean = np.count_nonzero(ends.negatives), np.count_nonzero(ends.by_mean)
        if not of_negatives:
            mean = mean_of(c.positives, *self._span(c)) if by_mean else self._area(c)
        elif of_negatives == ends.negatives.size:
            # where every row holds positives, these are worth as much as its negatives
            known = isinstance(c.index_of_positives, slice) and not by_mean
            mean = sum_of_products(c.q, self._worth(c)) if known else mean_of(c.q, before(c.r), c.r)
        else:
            both = mean_of(c.q, before(c.r), c.r), mean_of(c.positives, *self._span(c))
            mean = np.where(ends.negatives, *both)
        return np.asarray((mean - ends.low) / self._room(c))

    def rescale(self, c: Counts) -> Scale:
        """Return the normalisation; B and C are means of f, never differences of its antiderivative."""
        if not c.shape:
            same: Any = self  # hashable, as metrics are
            return _scale_of_one(same, self.magnification(c), float(c.pi))
        return self.scale_of(self._ends(c))

    def scale_of(self, ends: _Ends) -> Scale:
        """Return the normalisation from what the reversed and the perfect list have."""
        room = np.where(self._tells_apart(ends), ends.room, math.nan)
        return Scale(-ends.worst / room, 1 / room)

    def _room(self, c: Counts) -> Array:
        """Return the mean in the perfect list less that in the reversed one, nan where they are not told apart."""
        if not c.shape:
            same: Any = self  # as above
            return _room_of_one(same, self.magnification(c), float(c.pi))
        return self.room_of(self._ends(c))

    def room_of(self, ends: _Ends) -> Array:
        """Return the same from what the reversed and the perfect list have."""
        return np.where(self._tells_apart(ends), ends.high - ends.low, math.nan)

    def _tells_apart(self, ends: _Ends) -> npt.NDArray[np.bool_]:
        """Say where the perfect and the reversed list differ by so much that digits are left."""
        largest = np.maximum(np.abs(ends.high), np.abs(ends.low))
        return np.asarray((ends.room > self._least_room) & (np.abs(ends.high - ends.low) > self._least_part * largest))

    def _ends(self, c: Counts) -> _Ends:
        """Return what the reversed and the perfect list have."""
        f, pi = self.magnification(c), c.pi
        return c.once("ends", self, lambda: _ends_of(f, pi)) if c.shape else _ends_of_one(f, float(pi))

    def why_nan(self, c: Counts) -> Iterator[Refusal]:
        """Yield the lists whose perfect and reversed order have one value."""
        with np.errstate(divide="ignore", invalid="ignore"):  # lists that lack a class were refused above
            together = np.isnan(self._room(c))
        yield Refusal(together, f"{self} is undefined here: the perfect and the reversed ranking have the same value")

    def rescale_slope(self, c: Counts) -> Scale:
        """Return how the normalisation follows the prevalence."""
        f, pi, (offset, factor) = self.magnification(c), c.pi, self.rescale(c)
        d_worst, d_lost = _slopes_of_ends(f, pi) if c.shape else _slopes_of_ends_of_one(f, float(pi))
        return Scale(factor * (offset * (d_worst + d_lost) - d_worst), (d_worst + d_lost) * factor**2)


@lru_cache(maxsize=1024)
def _room_of_one(metric: Normalised, f: Magnification, pi: float) -> Array:
    """Return the room between the reversed and the perfect order of one list."""
    return metric.room_of(_ends_of_one(f, pi))


@lru_cache(maxsize=1024)
def _scale_of_one(metric: Normalised, f: Magnification, pi: float) -> Scale:
    """Return the normalisation of one list."""
    return metric.scale_of(_ends_of_one(f, pi))
