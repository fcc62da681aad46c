"""What every subject of a list weighs: equal weights are counts, whose unit is kept so that tables add."""

from __future__ import annotations

from typing import NamedTuple, Self, TypeAlias

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.ragged import Places
from hitcurve.sums import Sums

Unit: TypeAlias = float | Array
"""Of all lists, or of each; nan where the subjects of a list weigh differently."""


class Extremes(NamedTuple):
    """The least and the largest weight of each list.

    Attributes
    ----------
    least, most : array (L,)
        inf and -inf of lists of nobody.
    """

    least: Array
    most: Array

    @classmethod
    def of(cls, weight: Array, code: Places | None, lists: int) -> Self:
        """Return the extreme weights of one list, or of the list that ``code`` gives for each subject (-1: none)."""
        least, most = np.full(lists, np.inf), np.full(lists, -np.inf)
        if code is None:
            least[0], most[0] = weight.min(initial=np.inf), weight.max(initial=-np.inf)
        else:
            there = code >= 0
            np.minimum.at(least, code[there], weight[there])
            np.maximum.at(most, code[there], weight[there])
        return cls(least, most)

    def merged(self, other: Extremes) -> Extremes:
        """Merge with those of other subjects of the same lists."""
        return Extremes(np.minimum(self.least, other.least), np.maximum(self.most, other.most))

    @property
    def unit(self) -> Array:
        """What every subject of a list weighs, nan where weights differ, or are 0."""
        return np.where((self.least == self.most) & (self.least > 0), self.least, np.nan)


def are_possible(unit: Unit, weighted: bool) -> bool:
    """Say whether units are positive numbers; of lists with sums of weights beside lists of counts, nan too."""
    each = np.asarray(unit)
    mixed = weighted and each.ndim > 0
    return bool(np.all((np.isfinite(each) & (each > 0)) | (mixed & np.isnan(each))))


def of_each(unit: Unit, weighted: bool, lists: int) -> Array:
    """Return the unit of each list, nan of those that hold sums of weights."""
    if isinstance(unit, np.ndarray):
        return unit
    return np.full(lists, np.nan if weighted else unit)


def counted(sums: Sums, starts: Places, unit: Array) -> tuple[Sums, Unit]:
    """Return sums of weights of which lists of equal weights are counts of subjects; with the unit of each list."""
    rows = np.repeat(np.where(np.isnan(unit), 1.0, unit), np.diff(starts))
    equal = np.repeat(~np.isnan(unit), np.diff(starts))

    def divided(column: AnyArray) -> AnyArray:
        return np.where(equal, np.rint(column / rows), column)

    pos, neg = divided(sums.pos), divided(sums.neg)
    _, _, *squares = sums.as_weights()
    own = (np.where(equal, count, np.asarray(column)) for count, column in zip((pos, neg), squares, strict=True))
    return settled(Sums(pos, neg, *own), unit)


def settled(sums: Sums, unit: Unit) -> tuple[Sums, Unit]:
    """Return lists without squares if all hold counts, and one unit if it is that of all."""
    if not isinstance(unit, np.ndarray):
        return sums, unit
    equal = ~np.isnan(unit)
    if equal.all():
        if sums.weighted:
            sums = Sums(sums.pos.astype(np.int64), sums.neg.astype(np.int64))
        return sums, float(unit[0]) if unit.size and np.all(unit == unit[0]) else unit
    return sums, unit if equal.any() else 1.0


def as_weights(sums: Sums, starts: Places, own: Array, unit: Array) -> Sums:
    """Return sums of which the lists that have a unit, but shall have none, are sums of their weights.

    Parameters
    ----------
    sums : Sums
    starts : array of int (L + 1,)
    own, unit : array (L,)
        The unit of each list as it is, and as it shall be; nan for none.
    """
    factor = np.repeat(np.where(np.isnan(unit) & ~np.isnan(own), own, 1.0), np.diff(starts))
    pos, neg, pos_squares, neg_squares = sums.as_weights()
    return Sums(pos * factor, neg * factor, pos_squares * factor**2, neg_squares * factor**2)


def united(a: Array, own: Places, b: Array, others: Places, lists: int) -> Array:
    """Return the unit of each list of a sum: that of both sides where it is one, else nan.

    Parameters
    ----------
    a, b : array
    own, others : array of int
        The place of each list of the two in the sum.
    lists : int
    """
    first, second = np.full(lists, np.inf), np.full(lists, np.inf)
    first[own], second[others] = a, b
    both = np.where(first == second, first, np.nan)
    return np.where(np.isinf(second), first, np.where(np.isinf(first), second, both))
