"""Columns and frames whose subjects have names (the index of pandas) are put in one order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve._callers import warn
from hitcurve.errors import AlignmentWarning, InputError

_WAY_OUT = "give them one index (reindex), or arrays if they are in one order (.to_numpy())"


def aligned(columns: Mapping[str, Any], *, parts: bool = False) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return columns in the order of the first that names its subjects, and what was done, in words.

    Columns with the same names in another order are put in one order. A column without an index, or with the default
    one of 0 to n - 1 where others have other names, does not say who its subjects are: it counts by position.

    Parameters
    ----------
    columns : mapping of str to array-like, sparse matrix, data frame or None
        By what they are called in messages.
    parts : bool
        Whether columns may be parts of others, such as folds: a part of a default index is whole numbers of which
        the other indexes have none, and does not say who its subjects are either.

    Raises
    ------
    InputError
        If indexes name different subjects, name one twice, or if it is not known to which of two orders a column
        without names belongs.
    """
    out = dict(columns)
    indexes = {name: values.index for name, values in columns.items() if has_index(values)}
    named = {name: index for name, index in indexes.items() if not is_default(index)}
    if parts:
        named = {
            name: index
            for name, index in named.items()
            if not (_is_whole(index) and _is_apart(index, indexes.values()))
        }
    if not named or len(indexes) < 2 or len({_size(values) for values in columns.values() if values is not None}) > 1:
        return out, ()
    index = next(iter(named.values()))
    named |= {name: own for name, own in indexes.items() if name not in named and _same_subjects(own, index)}
    first = next(name for name in indexes if name in named)  # as the columns are given
    index = named[first]
    moved = {name: own for name, own in named.items() if not own.equals(index)}
    for name, own in moved.items():
        if not _same_subjects(own, index):
            raise InputError(f"{first} and {name} have different indexes{_example(own, index)}: {_WAY_OUT}")
    by_position = [name for name, values in columns.items() if values is not None and name not in named]
    if moved and by_position:
        raise InputError(
            f"{first} and {next(iter(moved))} hold the same subjects in different orders, and {by_position[0]} has no "
            f"index that tells which order it follows: {_WAY_OUT}"
        )
    for name, own in moved.items():
        out[name] = columns[name].iloc[own.get_indexer(index)]
    return out, (f"{rows.listed(list(moved))} put in the order of {first} by the index",) if moved else ()


def put_in_order(columns: Mapping[str, Any], *, parts: bool = False) -> dict[str, Any]:
    """Return columns as :func:`aligned` does, and warn if their order was changed.

    Warns
    -----
    AlignmentWarning
    """
    found, notes = aligned(columns, parts=parts)
    tell_of_order(notes)
    return found


def tell_of_order(notes: Iterable[str]) -> None:
    """Warn about columns that were reordered, where notes cannot be stored."""
    for note in notes:
        warn(AlignmentWarning(note))


def has_index(values: Any) -> bool:
    """Say whether values have an index as those of pandas do."""
    if type(values).__module__.startswith("pyspark."):
        return False  # a column of Spark has every attribute that it is asked for
    return hasattr(values, "iloc") and hasattr(values.index, "get_indexer")


def _size(values: Any) -> int:
    return int(values.shape[0]) if getattr(values, "shape", ()) else len(values)  # sparse matrices have no len


def is_default(index: Any) -> bool:
    """Say whether an index counts from 0, as that of a series that was given none."""
    return _is_whole(index) and bool(np.array_equal(index, np.arange(len(index))))


def _is_whole(index: Any) -> bool:
    return getattr(index, "nlevels", 1) == 1 and getattr(index.dtype, "kind", "O") in "iu"


def _is_apart(index: Any, others: Iterable[Any]) -> bool:
    """Say whether other indexes have no label of this one."""
    return not any(np.any(other.isin(index)) for other in others if not other.equals(index))


def _same_subjects(a: Any, b: Any) -> bool:
    return bool(a.is_unique and b.is_unique and len(a) == len(b) and np.all(a.get_indexer(b) >= 0))


def _example(own: Any, index: Any) -> str:
    """Return what tells two indexes apart."""
    for one in (own, index):
        if not one.is_unique:
            return f" in which {_checks.quoted(one[one.duplicated()][0])} occurs twice"
    stray = own[index.get_indexer(own) < 0]
    return f" ({len(stray):,} of {len(own):,} labels are not in both, such as {_checks.quoted(stray[0])})"
