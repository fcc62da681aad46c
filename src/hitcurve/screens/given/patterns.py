"""Which columns are markers: by name, by wildcards or by a regular expression."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray
from hitcurve.errors import ColumnNotFoundError, ParameterError
from hitcurve.screens.columns import (
    Block,
    Columns,
    DenseBlock,
    FrameColumns,
    Places,
    SparseBlock,
    SparseColumns,
    width_of,
)


def matching(patterns: str | Sequence[str], names: Sequence[str], what: str = "columns") -> list[str]:
    """Return the names that are given or match, in their own order.

    Parameters
    ----------
    patterns : str or sequence of str
        A name, wildcards as in ``p*``, or a regular expression between slashes as in ``/^p[0-9]+$/``.

    Raises
    ------
    ColumnNotFoundError
        If one of them matches nothing.
    ParameterError
        If one is no regular expression.
    """
    every = frozenset(names)
    found: set[str] = set()
    wanted: Any = [patterns] if isinstance(patterns, str) else patterns
    if not hasattr(wanted, "__len__") or not len(wanted) or not all(isinstance(one, str) for one in wanted):
        raise ParameterError(f"{what} must be names or patterns of columns, got {patterns!r}")
    for pattern in wanted:
        own = {pattern} if pattern in every else set(_matches(str(pattern), names, what))
        if not own:
            near = _checks.did_you_mean(pattern, names) if len(names) <= 5000 else ""
            first = ", ".join(map(repr, names[:12]))
            every_name = f"columns are {first}{', ...' if len(names) > 12 else ''}" if names else "there is none"
            there = near or f"; {every_name}"
            raise ColumnNotFoundError(f"{what} {str(pattern)!r} matches no column{there}")
        found |= own
    return [name for name in names if name in found]


def _matches(pattern: str, names: Sequence[str], what: str) -> Iterator[str]:
    if len(pattern) > 1 and pattern[0] == pattern[-1] == "/":
        try:
            expression = re.compile(pattern[1:-1])
        except re.error as error:
            raise ParameterError(f"{what} {pattern!r} is not a regular expression: {error}") from None
        return (name for name in names if expression.search(name))
    return (name for name in names if fnmatchcase(name, pattern))


@dataclass(frozen=True, eq=False)
class Picked:
    """Some of the columns of others.

    Attributes
    ----------
    every : Columns
    among : array of int (m,)
        Their places there.
    names : sequence of str
    unreadable : mapping of str to str
    """

    every: Columns
    among: Places
    names: Sequence[str]
    unreadable: Mapping[str, str]

    @property
    def rows(self) -> int:
        """Number of subjects."""
        return self.every.rows

    def blocks(self, numbers: int) -> Iterator[Block]:
        """Yield the columns."""
        width = width_of(numbers, self.rows)
        for first in range(0, len(self.names), width):
            yield self.taken(np.arange(first, min(first + width, len(self.names))))

    def taken(self, places: Places) -> Block:
        """Return a few columns."""
        own = self.every.taken(self.among[places])
        if isinstance(own, SparseBlock):
            return replace(own, places=places)
        return DenseBlock(places, own.values)


def picked(columns: Columns, patterns: str | Sequence[str] | None) -> Columns:
    """Return the columns that patterns match; all if there are none."""
    if patterns is None:
        return columns
    wanted = set(matching(patterns, [*columns.names, *columns.unreadable]))
    among: AnyArray = np.array([i for i, name in enumerate(columns.names) if name in wanted], np.intp)
    other = {name: what for name, what in columns.unreadable.items() if name in wanted}
    if among.size == len(columns.names) and len(other) == len(columns.unreadable):
        return columns
    names = [columns.names[place] for place in among.tolist()]
    if isinstance(columns, SparseColumns):
        return SparseColumns(columns.matrix[:, among], names, other)
    if isinstance(columns, FrameColumns):
        return FrameColumns(columns.frame, [columns.keys[place] for place in among.tolist()], names, other)
    return Picked(columns, among, names, other)
