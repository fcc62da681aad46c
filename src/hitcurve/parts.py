"""Lists of different length side by side: padded parts, as kernels see them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from hitcurve.assumed import of_some
from hitcurve.counts import Counts
from hitcurve.grids import Places
from hitcurve.sums import Lists, Sums

FACTOR = 1.5  # lists of a part differ in length by at most this: a fifth of the rows of a part are padding
_MOST_CELLS = 2_000_000  # of a part, so that it stays small in memory


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
    sizes = np.diff(starts)
    order = np.argsort(sizes, kind="stable")
    size = sizes[order]
    first = 0
    while first < size.size:
        alike = size[first : np.searchsorted(size, max(size[first], 1) * factor, "right")]
        fit = np.searchsorted(alike * np.arange(1, alike.size + 1), _MOST_CELLS, "right")
        end = first + max(int(fit), 1)
        places, row = order[first:end], np.arange(size[end - 1])
        inside = row < sizes[places][:, None]
        where = np.minimum(starts[places][:, None] + row, sums.pos.size - 1)
        padded = [None if column is None else np.where(inside, column[where], 0) for column in sums]
        yield Part(places, Lists(Sums(*padded), of_some(prevalence, places), has_gaps))  # type: ignore[arg-type]
        first = end
