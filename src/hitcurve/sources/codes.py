"""Groups of subjects as whole numbers: a name is looked at once for each group, not once for each subject."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True, eq=False)
class GroupCodes:
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
            found: dict[Any, int] = {}
            codes = np.fromiter((found.setdefault(name, len(found)) for name in values.tolist()), np.intp, values.size)
            return cls(codes, np.fromiter(found, values.dtype, len(found)))
        distinct, first, codes = np.unique(values, return_index=True, return_inverse=True)
        return cls(codes, distinct)._in_order(first)

    def kept(self, rows: npt.NDArray[np.bool_]) -> GroupCodes:
        """Return the groups of some subjects."""
        distinct, first, codes = np.unique(self.codes[rows], return_index=True, return_inverse=True)
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
        return tuple(group_name(name) for name in self.names.tolist())

    @cached_property
    def rows(self) -> list[npt.NDArray[np.intp]]:
        """The places of the subjects of each group, ascending."""
        order = np.argsort(self.codes, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.codes, minlength=self.names.size)))[:-1]


def group_name(value: Any) -> str:
    """Return the name of a group as text; a whole number has no point, whichever column it came from."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)
