"""What tables and stacks must share to add: the kind of their rows, and their scores."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from hitcurve.counts import AnyArray
from hitcurve.errors import GridMismatchError
from hitcurve.label_errors import LabelErrors, refuse_corrected
from hitcurve.sources.columns import beyond_floats
from hitcurve.table_rows import Kind, TableRows

_ADDITIVE = ("full", "collapsed", "binned", "rows")


def descending(grid: AnyArray) -> AnyArray:
    """Return scores as a grid holds them, with -0.0 as 0.0: they are one score."""
    return np.asarray(grid + grid.dtype.type(0))


def joined_scores(a: AnyArray, b: AnyArray) -> AnyArray:
    """Return the scores of two grids as one array, unless whole numbers would become ties.

    Raises
    ------
    GridMismatchError
    """
    joined = np.concatenate([a, b])
    if any(joined.dtype.kind != scores.dtype.kind and beyond_floats(scores) for scores in (a, b)):
        raise GridMismatchError("whole numbers beyond 2^53 do not merge with scores of another kind")
    return joined


def check_additive(a: Kind, b: Kind) -> None:
    """Refuse to add tables of these kinds unless they add.

    Raises
    ------
    GridMismatchError
    """
    if a != b or a not in _ADDITIVE:
        raise GridMismatchError(
            f"a table of kind {a!r} and one of kind {b!r} do not add: count both into the same bins, or keep full "
            "tables"
        )


def check_alike(tables: Mapping[str, TableRows]) -> None:
    """Refuse tables side by side in one stack unless they are alike; some may hold counts and others weights.

    Raises
    ------
    GridMismatchError
    """
    for table in tables.values():
        refuse_corrected(table.label_errors, "a stack of lists")
    first_name, first = next(iter(tables.items()))
    for name, table in tables.items():
        if likeness(table)[:-1] != likeness(first)[:-1]:
            raise GridMismatchError(
                f"tables of a stack must be alike: {name!r} is {_described(table)}, {first_name!r} is "
                f"{_described(first)}"
            )


def likeness(table: TableRows) -> tuple[Any, ...]:
    """Return what tables have in common that are evaluated side by side; the last, whether they hold weights."""
    kind_of_scores = None if table.grid is None else table.grid.dtype
    return table.kind, kind_of_scores, table.assumed_prevalence is None, table.weighted


def _described(table: TableRows) -> str:
    kind, scores, observed, weighted = likeness(table)
    scored = "" if scores is None else f" of {scores} scores"
    return f"{kind!r}{scored}{' with weights' if weighted else ''}{'' if observed else ' at an assumed prevalence'}"


def check_same_grid(a: TableRows, b: TableRows) -> None:
    """Refuse to add tables cell by cell whose cells differ.

    Raises
    ------
    GridMismatchError
    """
    if not same_array(a.grid, b.grid) or a.pos.size != b.pos.size:
        raise GridMismatchError(
            "tables over different grids do not add: count both into the same bins, or keep full tables"
        )


def check_same_errors(a: LabelErrors | None, b: LabelErrors | None) -> None:
    """Refuse to add tables whose labels are corrected differently.

    Raises
    ------
    GridMismatchError
    """
    if a != b:
        raise GridMismatchError("tables that are corrected for different shares of wrong labels do not add")


def same_array(a: AnyArray | None, b: AnyArray | None) -> bool:
    """Say whether two arrays hold the same numbers of the same type, or neither is there."""
    if a is None or b is None:
        return a is b
    return a.dtype == b.dtype and np.array_equal(a, b)
