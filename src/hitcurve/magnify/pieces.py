"""Long columns, worked on in pieces that stay in the cache of a processor.

What is only needed on the way then never takes new memory the size of a column, which would cost more than the
arithmetic.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, TypeAlias

import numpy as np

from hitcurve.counts import AnyArray
from hitcurve.magnify.quadrature import Array

Pair: TypeAlias = tuple[Array, Array]

_PIECE = 1 << 16
_LONG = 1 << 17  # from here on pieces pay
_BLOCK = 1 << 13  # rows of a product that BLAS makes in one thread: to wake another takes longer


def in_pieces(do: Callable[..., Array], *columns: Array) -> Array:
    """Apply ``do``, an elementwise function, to columns of one list in pieces; several lists are not divided."""
    return _filled((), do, *columns) if _are_long(columns) else do(*columns)


def pairs_in_pieces(do: Callable[..., Pair], *columns: Array) -> Pair:
    """Apply ``do``, which returns two columns."""
    if not _are_long(columns):
        return do(*columns)
    up, dn = _filled((2,), do, *columns)
    return up, dn


def sum_of_products(*columns: AnyArray) -> Array:
    """Return the sum, over the last axis, of the product of columns."""
    product = columns[0]
    if product.size < _LONG or not _are_long(columns):
        for column in columns[1:]:
            product = product * column
        return np.asarray(np.add.reduce(product, axis=-1))
    parts = [np.sum(reduce(np.multiply, _piece(columns, start))) for start in _starts(columns)]
    return np.asarray(np.sum(parts))


def product(a: Array, b: Array) -> float:
    """Return the sum of the product of two columns of one list that are in the cache."""
    whole = a.size // _BLOCK * _BLOCK
    blocks = np.vecdot(a[:whole].reshape(-1, _BLOCK), b[:whole].reshape(-1, _BLOCK))
    return float(np.add.reduce(blocks)) + float(np.vecdot(a[whole:], b[whole:]))


def _filled(shape: tuple[int, ...], do: Callable[..., Any], *columns: Array) -> Array:
    # one after the other: a thread takes longer to wake than an operation on a piece
    out = np.empty((*shape, columns[0].size))
    for start in _starts(columns):
        out[..., start : start + _PIECE] = do(*_piece(columns, start))
    return out


def _are_long(columns: tuple[AnyArray, ...]) -> bool:
    first = columns[0]  # all have its length
    return first.ndim == 1 and first.size >= _LONG and all(column.ndim == 1 for column in columns)


def _starts(columns: tuple[AnyArray, ...]) -> range:
    return range(0, columns[0].size, _PIECE)


def _piece(columns: tuple[AnyArray, ...], start: int) -> list[AnyArray]:
    return [column[start : start + _PIECE] for column in columns]
