"""Products of columns, summed over subjects to the same bits whatever their order and however they are divided.

Numbers of at most 1 are divided into three parts: whole multiples of 2^-19, of 2^-39 and of 2^-59. Products of parts
are whole multiples as well, and so small that sums of 2^14 of them are exact, whatever the steps of the library that
adds them. Longer sums are held in two numbers each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array

MOST = 1 << 14  # subjects whose products are summed at once
_BITS = np.array([19, 39, 59])
_ROUNDING = tuple(1.5 * 2.0 ** (52 - bits) for bits in _BITS.tolist())  # added and taken away, leaves whole multiples
_UNITS = np.add.outer(_BITS, _BITS)[:, :, None, None]
_LOW = 26  # bits of a sum that are held apart

Exponents = npt.NDArray[Any]


def exponent(largest: npt.ArrayLike) -> Exponents:
    """Return the power of two by which numbers are divided so that the largest is at most 1."""
    largest = np.asarray(largest)
    there = np.isfinite(largest) & (largest > 0)
    return np.asarray(np.where(there, np.frexp(np.where(there, largest, 1.0))[1], 0))


def divide(parts: Array) -> Array:
    """Divide the last of three arrays into all three."""
    first, second, rest = parts
    for part, large in zip((first, second), _ROUNDING, strict=False):
        np.add(rest, large, out=part)
        part -= large
        rest -= part
    rest += _ROUNDING[-1]
    rest -= _ROUNDING[-1]
    return parts


def no_products(columns: int, others: int) -> Array:
    """Return sums over nobody."""
    return np.zeros((2, *_UNITS.shape[:2], columns, others))


def products(one: Array, other: Array) -> Array:
    """Return exact sums over some subjects of products of divided columns, (3, columns, n); they may be added."""
    found = np.ldexp(one[:, None] @ other[None].swapaxes(-1, -2), _UNITS)
    high = np.rint(np.ldexp(found, -_LOW))
    return np.stack([high, found - np.ldexp(high, _LOW)])


def whole(total: Array, exponents: Exponents, others: Exponents) -> Array:
    """Return the products of columns that were divided by powers of two; two that change places change no bit."""
    found = np.ldexp(np.ldexp(total[0], _LOW) + total[1], -_UNITS)
    sums = found[0, 0] + (found[0, 1] + found[1, 0])
    sums += (found[0, 2] + found[2, 0]) + found[1, 1]
    sums += (found[1, 2] + found[2, 1]) + found[2, 2]
    return np.asarray(np.ldexp(sums, np.add.outer(exponents, others)))
