"""Binomial and multinomial draws that are the same from every version of numpy.

numpy 2.5 mended the rejection step by which a ``Generator`` draws binomial numbers of many subjects, and with it what
a seed draws. The stream of ``RandomState`` is frozen, on the same bits. For 0 subjects and for a probability of 0 it
takes a number or none, by version and function: these are never drawn here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_BY_INVERSION = 60  # subjects up to which no version rejects: at most 30 are expected on one of two sides

Whole = npt.NDArray[np.int64]


def binomial(rng: np.random.Generator, n: npt.ArrayLike, p: npt.ArrayLike, size: Any = None) -> Whole:
    """Draw binomial numbers.

    Parameters
    ----------
    rng : Generator
    n, p : array
    size : int or tuple of int, optional
        By default what n and p broadcast to.
    """
    if size is None:
        size = np.broadcast_shapes(np.shape(n), np.shape(p))
    out = np.zeros(size, np.int64)
    n, p = (np.broadcast_to(x, out.shape) for x in (n, p))
    held = (n > 0) & (p > 0)
    out[held] = np.random.RandomState(rng.bit_generator).binomial(n[held], p[held])
    return out


def multinomial(rng: np.random.Generator, n: npt.ArrayLike, share: npt.NDArray[np.float64], size: int = 1) -> Whole:
    """Draw multinomial numbers of cells, (..., K).

    Parameters
    ----------
    rng : Generator
    n : array (...)
    share : array (..., K)
        Adds to at most 1; what is left is in the last cell.
    size : int, default 1
        Rows to draw where n and the shares are those of a single one.
    """
    shape = np.broadcast_shapes(np.shape(n), share.shape[:-1]) or (size,)
    n = np.broadcast_to(n, shape)
    share = np.broadcast_to(share, (*shape, share.shape[-1]))
    if n.max(initial=0) <= _BY_INVERSION:
        return np.asarray(rng.multinomial(n, share), np.int64)
    frozen = np.random.RandomState(rng.bit_generator)
    out = np.zeros(share.shape, np.int64)
    held = share > 0
    held[..., -1] = True
    whole = np.asarray(held.all(axis=-1))
    for row in np.ndindex(shape):
        if n[row] <= 0:
            continue
        if whole[row]:
            out[row] = frozen.multinomial(n[row], share[row])
        else:
            out[row][held[row]] = frozen.multinomial(n[row], share[row][held[row]])
    return out
