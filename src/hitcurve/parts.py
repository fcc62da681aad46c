"""Lists of different length side by side: padded parts, as kernels see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hitcurve.assumed import of_some
from hitcurve.counts import Counts
from hitcurve.ragged import FACTOR, Places, padded
from hitcurve.sums import Lists, Sums

_MOST_CELLS = 1 << 16  # of a part, so that a column of it stays near the processor


class Part(NamedTuple):
    """Some lists of similar length, side by side.

    Attributes
    ----------
    places : array of int (l,)
        Their places in the stack.
    lists : Lists
        Columns (l, K), padded below with rows that hold nobody, and the prevalences that go along.
    """

    places: Places
    lists: Lists

    @property
    def sums(self) -> Sums:
        """The columns."""
        return self.lists.sums

    @property
    def counts(self) -> Counts:
        """The view that kernels see."""
        return self.lists.counts


def parts_of(lists: Lists, starts: Places, factor: float = FACTOR) -> Iterator[Part]:
    """Yield lists in parts of similar length.

    Parameters
    ----------
    lists : Lists
        Flat: the rows of the lists one after another.
    starts : array of int (L + 1,)
        Where each list starts.
    factor : float
        The longest list of a part has at most so many times the rows of the shortest.
    """
    sums, prevalence, has_gaps = lists.sums, lists.prevalence, lists.has_gaps
    for places, where, inside in padded(starts, _MOST_CELLS, factor):
        where = np.minimum(where, sums.pos.size - 1)
        if places.size > where.shape[-1]:
            where, inside = np.asfortranarray(where), np.asfortranarray(inside)  # row by row
        columns = [None if column is None else np.where(inside, column[where], 0) for column in sums]
        yield Part(places, Lists(Sums(*columns), of_some(prevalence, places), has_gaps))  # type: ignore[arg-type]
