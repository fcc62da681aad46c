"""Lists of different length, one after another in one column: where they start, how each is sorted and searched."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray
from hitcurve.errors import ParameterError

Places = npt.NDArray[np.intp]
FACTOR = 1.5  # lists that are padded together differ in length by at most this: a fifth of the rows are padding
_DIGIT = 16  # bits; numpy sorts so short a key by counting
_MOST_PADDED = 1 << 20  # scores that are sorted at a time


def starts_of(sizes: npt.ArrayLike) -> Places:
    """Return where each of some lists of these sizes starts, and where the last one ends."""
    sizes = np.asarray(sizes, np.intp)
    starts = np.zeros(sizes.size + 1, np.intp)
    np.add.accumulate(sizes, out=starts[1:])
    return starts


def rows_of_lists(starts: Places, lists: Places) -> tuple[Places, Places]:
    """Return the rows of some of the lists that start here, and where each of them starts among these rows."""
    sizes = np.diff(starts)[lists]
    own = starts_of(sizes)
    return np.repeat(starts[lists] - own[:-1], sizes) + np.arange(own[-1]), own


def chosen_places(key: Any, lists: int) -> int | Places:
    """Return the places from 0 that a key chooses among so many lists, as numpy reads it: one, or several.

    Raises
    ------
    IndexError
        If there is no such place.
    ParameterError
        If it is no place, slice, mask or column of places.
    """
    every = np.arange(lists)
    if isinstance(key, slice):
        return every[key]
    asked = np.asarray(key)
    if asked.size == 0 and asked.ndim == 1:
        return every[:0]
    masked = asked.dtype.kind == "b" and asked.shape == (lists,)
    if not masked and (asked.dtype.kind not in "iu" or asked.ndim > 1):
        raise ParameterError(
            f"lists are chosen by a name, a slice, whole numbers or a mask of {lists} lists, got {key!r}"
        )
    if not masked and not np.all((asked >= -lists) & (asked < lists)):
        wrong = asked[(asked < -lists) | (asked >= lists)].flat[0]
        raise IndexError(f"there is no list {wrong}: the {lists} lists are at 0 to {lists - 1}")
    return int(every[asked]) if asked.ndim == 0 else every[asked]


def first_of_each(code: Places, scores: AnyArray) -> npt.NDArray[np.bool_]:
    """Return which of some sorted subjects have another list or score than the one before."""
    first = np.ones(scores.size, bool)
    first[1:] = (scores[1:] != scores[:-1]) | (code[1:] != code[:-1])
    return first


def in_lists(code: Places, scores: AnyArray) -> Places:
    """Return the order of subjects by list, and in each from the highest score down.

    Parameters
    ----------
    code : array of int (n,)
        The list of each subject, from 0.
    scores : array (n,)
    """
    order = np.argsort(scores)
    return order[_by_digits(code.max(initial=0) - code[order])][::-1]


def _by_digits(code: Places) -> Places:
    """Return the stable order of whole numbers from 0."""
    order = np.arange(code.size)
    for shift in range(0, int(code.max(initial=0)).bit_length(), _DIGIT):
        order = order[np.argsort((code[order] >> shift).astype(np.uint16), kind="stable")]
    return order


class ByList(NamedTuple):
    """Subjects put together list by list.

    Attributes
    ----------
    order : array of int (m,) or None
        The subjects that are on a list, in the order of the lists; None where they stand so already.
    starts : array of int (L + 1,)
        Where each list starts.
    """

    order: Places | None
    starts: Places

    @classmethod
    def of(cls, code: Places, lists: int) -> Self:
        """Take the list of each subject, -1 for none."""
        if code.size and np.all(code[1:] >= code[:-1]) and code[0] >= 0:
            return cls(None, np.searchsorted(code, np.arange(lists + 1)))
        sizes = np.bincount(code + 1, minlength=lists + 1)
        return cls(_by_digits(code + 1)[sizes[0] :], starts_of(sizes[1:]))

    def put(self, column: AnyArray) -> AnyArray:
        """Return a column of the subjects list by list."""
        return column if self.order is None else column[self.order]

    def among(self, chosen: npt.NDArray[np.bool_]) -> tuple[Places, Places]:
        """Return the places of the chosen among the subjects as they are put here, and where each list starts."""
        places = np.flatnonzero(self.put(chosen))
        return places, np.searchsorted(places, self.starts)


def padded(starts: Places, most: int, factor: float = FACTOR) -> Iterator[tuple[Places, AnyArray, AnyArray]]:
    """Yield lists in parts of similar length: which, the rows of each, and which of these rows are its own.

    Parameters
    ----------
    starts : array of int (L + 1,)
    most : int
        Rows of a part, unless one list alone has more.
    factor : float
        The longest list of a part has at most so many times the rows of the shortest.
    """
    sizes = np.diff(starts)
    order = np.argsort(sizes, kind="stable")
    size = sizes[order]
    first = 0
    while first < size.size:
        alike = size[first : np.searchsorted(size, max(size[first], 1) * factor, "right")]
        fit = np.searchsorted(alike * np.arange(1, alike.size + 1), most, "right")
        end = first + max(int(fit), 1)
        places, row = order[first:end], np.arange(size[end - 1])
        yield places, starts[places][:, None] + row, row < sizes[places][:, None]
        first = end


def descending_in_lists(scores: AnyArray, starts: Places) -> AnyArray:
    """Return every list from its highest score down.

    Parameters
    ----------
    scores : array (n,)
        One list after another.
    starts : array of int (L + 1,)
    """
    sizes = np.diff(starts)
    if not scores.size:
        return scores
    rises = np.flatnonzero(scores[1:] > scores[:-1]) + 1
    if not rises.size or (sizes.size > 1 and np.all(starts[np.searchsorted(starts, rises)] == rises)):
        return scores
    if np.all(sizes == sizes[0]):
        return np.sort(scores.reshape(sizes.size, -1), axis=1)[:, ::-1].ravel()
    out = np.empty_like(scores)
    lowest = scores.min()
    for _, where, inside in padded(starts, _MOST_PADDED):
        ordered = np.sort(np.where(inside, scores[np.minimum(where, scores.size - 1)], lowest), axis=1)[:, ::-1]
        out[where[inside]] = ordered[inside]
    return out


def accumulated(values: AnyArray, starts: Places, how: np.ufunc) -> AnyArray:
    """Return running sums, or what else accumulates, within every list.

    Parameters
    ----------
    values : array (n,)
        One list after another.
    starts : array of int (L + 1,)
    how : ufunc
    """
    out = np.empty_like(values)
    for _, where, inside in padded(starts, _MOST_PADDED):
        if values.size:
            block = how.accumulate(values[np.minimum(where, values.size - 1)], axis=1)
            out[where[inside]] = block[inside]
    return out


def first_not_above(scores: AnyArray, low: Places, high: Places, wanted: AnyArray) -> Places:
    """Return, of lists that descend, the first place from ``low`` whose score is not above the one wanted.

    Parameters
    ----------
    scores : array (n,)
    low, high : array of int (m,)
        Where each search starts, and where it ends: the answer if all scores are above.
    wanted : array (m,)
    """
    place = low.copy()
    if not scores.size or not place.size:
        return place
    for power in range(int((high - low).max()).bit_length() - 1, -1, -1):
        further = place + (1 << power)
        above = scores[np.minimum(further, scores.size) - 1] > wanted
        place = np.where(above & (further <= high), further, place)
    return place


def first_below(scores: AnyArray, start: Places, high: Places, wanted: AnyArray) -> Places:
    """Return the first place whose score is below the one wanted, where none is above from ``start`` on."""
    place = start.copy()
    if not scores.size:
        return place
    tied = np.flatnonzero((place < high) & (scores[np.minimum(place, scores.size - 1)] == wanted))
    place[tied] += 1
    # most scores occur once: a search for the others alone
    more = tied[(place[tied] < high[tied]) & (scores[np.minimum(place[tied], scores.size - 1)] == wanted[tied])]
    low, end, score = place[more], high[more], wanted[more]
    for power in range(int((end - low).max(initial=0)).bit_length() - 1, -1, -1):
        further = low + (1 << power)
        same = scores[np.minimum(further, scores.size) - 1] >= score
        low = np.where(same & (further <= end), further, low)
    place[more] = low
    return place
