"""Cumulative columns: how they are summed, and where they reach a value."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Column = npt.NDArray[Any]


def first_reaching(
    column: Column, values: npt.ArrayLike, side: Literal["left", "right"] = "left"
) -> npt.NDArray[np.intp]:
    """Return the first rows in which an ascending column is at least as large as values, or larger ("right")."""
    if column.dtype.kind == "i" and column.size:  # a search for floats would make floats of the whole column
        whole = (np.ceil if side == "left" else np.floor)(values)
        # nan is beyond the last row, as where floats are searched
        values = np.fmin(np.maximum(whole, column[0] - 1.0), column[-1] + 1.0).astype(column.dtype)
    return np.asarray(column.searchsorted(values, side))


def downwards(x: Column) -> Column:
    """Return the sum of each row and all above it."""
    if not row_by_row(x):
        return x.cumsum(axis=-1)
    out = np.empty_like(x, np.cumsum(np.empty(0, x.dtype)).dtype)
    out[..., 0] = x[..., 0]
    for row in range(1, x.shape[-1]):
        np.add(out[..., row - 1], x[..., row], out=out[..., row])
    return out


def from_here(x: Column) -> Column:
    """Return the sum of each row and all below it."""
    return downwards(x[..., ::-1])[..., ::-1]


def row_by_row(x: Column) -> bool:
    """Say whether lists are many and short, each row of all of them together: sums over rows are far faster so."""
    return x.ndim > 1 and 1 < x.shape[-1] < x.shape[-2] and abs(x.strides[-1]) > abs(x.strides[-2]) > 0
