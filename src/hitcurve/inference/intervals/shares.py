"""Jeffreys limits of a share, and limits of a sum of shares, each with a factor: theirs, squared and added."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from hitcurve.counts import Array

_HAIR = 1e-9  # of a count


def jeffreys(count: Any, size: Any, tail: Any) -> tuple[Array, Array]:
    """Return the Jeffreys limits of a share: quantiles of Beta(count + 1/2, size - count + 1/2), 0 of none, 1 of all.

    Parameters
    ----------
    count, size : array (...)
        Counts need not be whole; a count beyond its size by a rounding is all.
    tail : float or array (...)
        The error on either side.

    Examples
    --------
    >>> [round(float(end), 4) for end in jeffreys(0, 20, 0.025)]
    [0.0, 0.1166]
    """
    from scipy.special import betaincinv

    count, rest = np.maximum(count, 0.0), np.maximum(np.subtract(size, count), 0.0)
    low, high = (betaincinv(count + 0.5, rest + 0.5, p) for p in (tail, 1 - np.asarray(tail)))
    return np.where(count <= _HAIR, 0.0, low), np.where(rest <= _HAIR, 1.0, high)


def limits_of_shares(
    counts: Sequence[Any], sizes: Sequence[Any], factors: Sequence[Any], tail: Any, *, together: bool
) -> tuple[Array, Array]:
    """Return the limits of a sum of shares ``factor * count / size``, each with so much of its error on either side.

    Parameters
    ----------
    counts, sizes, factors : sequence of arrays (...)
        One of each for every share. Counts need not be whole.
    tail : float or array (...)
        The error on either side.
    together : bool
        Whether the shares are of the same subjects, which are in one of them at most; else they are independent.
    """
    shares, below, above = [], [], []
    for count, size, factor in zip(counts, sizes, factors, strict=True):
        count = np.clip(count, 0.0, size)  # one minus a share may be below 0 by a rounding
        low, high = jeffreys(count, size, tail)
        share = count / size
        down, up = factor * (share - low), factor * (high - share)
        shares.append(share)
        # signed by the side on which the share itself errs
        below.append(np.where(np.asarray(factor) >= 0, down, up))
        above.append(np.where(np.asarray(factor) >= 0, up, down))
    value = np.asarray(sum(factor * share for factor, share in zip(factors, shares, strict=True)))
    low, high = (np.sqrt(np.maximum(_square(parts, shares, together=together), 0.0)) for parts in (below, above))
    return value - low, value + high


def limits_of_quotient(
    above: tuple[Any, Any], below: tuple[Any, Any], divisor: Callable[[Any], Any], tail: Any
) -> tuple[Array, Array]:
    """Return the limits of a share over an increasing function of another share, from the limits of both.

    The squares of the errors of the logarithms add up (Zou and Donner 2008). A share of 0 has the quotient of its own
    limit at the other's.

    Parameters
    ----------
    above, below : (count, size)
    divisor : callable
        Above 0.
    tail : float or array (...)
        The error on either side.
    """
    (share, low, high), (other, left, right) = (
        (count / size, *jeffreys(count, size, tail)) for count, size in (above, below)
    )
    whole, least, most = divisor(other), divisor(left), divisor(right)
    with np.errstate(divide="ignore", invalid="ignore"):
        down = np.hypot(np.log(share / low), np.log(most / whole))
        up = np.hypot(np.log(high / share), np.log(whole / least))
        value = share / whole
        there = share > 0
        return np.where(there, value * np.exp(-down), 0.0), np.where(there, value * np.exp(up), high / least)


def _square(parts: Sequence[Array], shares: Sequence[Array], *, together: bool) -> Array:
    """Return the square of a sum of errors; those of shares of the same subjects are correlated."""
    total: Any = sum(part * part for part in parts)
    if together:
        for i, x in enumerate(parts):
            for j in range(i):
                a, b = shares[i], shares[j]
                odds = a * b / np.maximum((1 - a) * (1 - b), 1e-300)
                total = total - 2 * np.sqrt(np.minimum(odds, 1.0)) * x * parts[j]
    return np.asarray(total)
