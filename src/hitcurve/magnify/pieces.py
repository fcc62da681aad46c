"""Long columns, worked on in pieces that stay in the cache of a processor, in threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from hitcurve._threads import in_threads
from hitcurve.magnify.quadrature import Array

Pair: TypeAlias = tuple[Array, Array]

_PIECE = 1 << 16
_LONG = 1 << 17  # from here on threads pay


def in_pieces(do: Callable[..., Array], *columns: Array) -> Array:
    """Apply ``do``, which treats each place by itself, to columns of one list; several lists stay together.

    What ``do`` returns has the places on its last axis.
    """
    if columns[0].ndim != 1 or columns[0].size < _LONG:
        return do(*columns)
    pieces = [[column[i : i + _PIECE] for column in columns] for i in range(0, columns[0].size, _PIECE)]
    return np.concatenate(list(in_threads(lambda piece: do(*piece), pieces)), axis=-1)


def pairs_in_pieces(do: Callable[..., Pair], *columns: Array) -> Pair:
    """Apply ``do``, which returns two columns."""
    up, dn = in_pieces(lambda *piece: np.stack(do(*piece)), *columns)
    return up, dn
