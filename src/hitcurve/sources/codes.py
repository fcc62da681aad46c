"""Groups of subjects as whole numbers: a name is looked at once for each group, not once for each subject."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve.errors import ParameterError
from hitcurve.immutable import Viewed

_POINTLESS = 1e16  # whole numbers from here on are written with an exponent
WHOLE = r"[-+]?[0-9]{1,15}\.0*"  # numbers of which the name has no point


@dataclass(frozen=True, eq=False)
class GroupCodes(Viewed):
    """The groups of some subjects.

    Attributes
    ----------
    codes : array of int (n,)
        The place of each subject's group in ``names``.
    names : array (k,)
        The groups that occur, each once, in the order of their first subjects, as they are in the data: whole numbers
        stay whole numbers.
    """

    codes: npt.NDArray[np.integer[Any]]
    names: npt.NDArray[Any]

    @classmethod
    def of(cls, values: npt.NDArray[Any]) -> GroupCodes:
        """Return the groups that a column names; nothing in it is missing."""
        if values.dtype.kind in "OUS":
            places, names = placed(values.tolist())
            return cls(places, np.fromiter(names, values.dtype, len(names)))
        if values.dtype.kind in "iu" and values.size and int(values.max()) - int(values.min()) < 4 * values.size:
            # no need to sort them
            whole = values if values.dtype.kind == "u" else values.astype(np.int64)
            place = (whole - whole.min()).astype(np.intp)
            there = np.flatnonzero(np.bincount(place))
            first = np.empty(there[-1] + 1, np.intp)
            first[place[::-1]] = np.arange(values.size)[::-1]
            codes = np.empty_like(first)
            codes[there] = np.arange(there.size)
            return cls(codes[place], values[first[there]])._in_order(first[there])
        distinct, first, codes = np.unique(values, return_index=True, return_inverse=True)
        return cls(codes, distinct)._in_order(first)

    @classmethod
    def joined(cls, parts: Sequence[GroupCodes]) -> GroupCodes:
        """Return the groups of the subjects of several parts, one part after the other."""
        if len(parts) == 1:
            return parts[0]
        starts = np.cumsum([0, *(part.names.size for part in parts)])
        found = cls.of(np.concatenate([part.names for part in parts]))
        return cls(
            np.concatenate([found.codes[start + part.codes] for start, part in zip(starts, parts, strict=False)]),
            found.names,
        )

    @classmethod
    def of_clusters(cls, given: GroupCodes | None) -> GroupCodes:
        """Return the clusters of subjects that have some.

        Raises
        ------
        ParameterError
            If they have none.
        """
        if given is None:
            raise ParameterError("the subjects have no clusters")
        return given

    @property
    def values(self) -> npt.NDArray[Any]:
        """The name of each subject's group."""
        return np.asarray(self.names[self.codes])

    @cached_property
    def sorted(self) -> GroupCodes:
        """The same with names in their order, whatever that of the subjects is."""
        order = np.argsort(self.names, kind="stable")
        places = np.empty_like(order)
        places[order] = np.arange(order.size)
        return GroupCodes(places[self.codes], self.names[order])

    def kept(self, rows: npt.NDArray[np.bool_]) -> GroupCodes:
        """Return the groups of some subjects."""
        return self.taken(np.flatnonzero(rows))

    def taken(self, places: npt.NDArray[np.intp]) -> GroupCodes:
        """Return the groups of the subjects at some places."""
        distinct, first, codes = np.unique(self.codes[places], return_index=True, return_inverse=True)
        return GroupCodes(codes, self.names[distinct])._in_order(first)

    def _in_order(self, first: npt.NDArray[np.intp]) -> GroupCodes:
        """Return the same, names in the order of their first subjects."""
        order = np.argsort(first)
        places = np.empty_like(order)
        places[order] = np.arange(order.size)
        return GroupCodes(places[self.codes], self.names[order])

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The names as text."""
        # scalars of numpy are written with the digits of their own precision
        names = self.names if self.names.dtype.kind == "f" else self.names.tolist()
        return tuple(map(str if self.names.dtype.kind in "iu" else group_name, names))


def placed(values: Sequence[Any]) -> tuple[npt.NDArray[np.intp], list[Any]]:
    """Return the place of each value among the distinct ones, and these in the order of their first places."""
    place: defaultdict[Any, int] = defaultdict(count().__next__)  # looks every value up once, in C
    codes = np.fromiter(map(place.__getitem__, values), np.intp, len(values))
    return codes, list(place)


def group_name(value: Any) -> str:
    """Return the name of a group as text; a whole number has no point, and a day no hour, whatever the column."""
    if isinstance(value, datetime) and str(value).endswith(" 00:00:00"):
        return str(value.date())
    if not isinstance(value, (float, np.floating)):
        return str(value)
    return str(int(value)) if value.is_integer() and abs(float(value)) < _POINTLESS else str(value)


def name_of_word(word: str) -> str:
    """Return the name of a group that a file without text in its column writes so; see :func:`group_name`."""
    return group_name(float(word)) if re.fullmatch(WHOLE, word) else word


def in_order(names: Iterable[str]) -> list[str]:
    """Return names of groups in the order of the numbers they are, or of the alphabet."""
    names = list(names)
    return list(map(names.__getitem__, places_in_order(names).tolist()))


def places_in_order(names: Sequence[str]) -> npt.NDArray[np.intp]:
    """Return the places of the names of groups in the order of the numbers they are, or of the alphabet."""
    try:
        numbers = np.array(list(map(float, names)))
        # "nan" is no more than a word: it has no place among numbers
        are_numbers = not np.isnan(numbers).any()
    except ValueError:
        are_numbers = False
    if not are_numbers:
        return np.array(sorted(range(len(names)), key=names.__getitem__), np.intp)
    order = np.argsort(numbers)
    if np.any(numbers[order[1:]] == numbers[order[:-1]]):  # names of one number stand as in the alphabet
        return np.array(sorted(range(len(names)), key=lambda place: (numbers[place], names[place])), np.intp)
    return order


def given_order(values: Any) -> list[str] | None:
    """Return the names of ordered categories (of pandas) or of an enumeration (of Polars) in their order, else None."""
    kind = getattr(values, "dtype", None)
    if getattr(kind, "ordered", False) is True:
        return list(map(group_name, kind.categories.tolist()))  # type: ignore[union-attr]
    if type(kind).__name__ == "Enum" and type(kind).__module__.startswith("polars"):
        return list(map(str, kind.categories.to_list()))  # type: ignore[union-attr]
    return None
