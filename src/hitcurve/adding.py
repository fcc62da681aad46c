"""What tables and stacks must share to add: the kind of their rows, and their scores."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import AnyArray
from hitcurve.errors import GridMismatchError
from hitcurve.sources.columns import beyond_floats
from hitcurve.table_rows import Kind, TableRows

_ADDITIVE = ("full", "collapsed", "rows")


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
            f"a table of kind {a!r} and one of kind {b!r} do not add: count both on the same grid, or keep full tables"
        )


def check_same_grid(a: TableRows, b: TableRows) -> None:
    """Refuse to add tables cell by cell whose cells differ.

    Raises
    ------
    GridMismatchError
    """
    if not same_array(a.grid, b.grid) or a.pos.size != b.pos.size:
        raise GridMismatchError(
            "tables over different grids do not add: count both on the same grid, or keep full tables"
        )


def same_array(a: AnyArray | None, b: AnyArray | None) -> bool:
    """Say whether two arrays hold the same numbers of the same type, or neither is there."""
    if a is None or b is None:
        return a is b
    return a.dtype == b.dtype and np.array_equal(a, b)
