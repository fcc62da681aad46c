"""P values of AUC against random orders: by the moments of the rank sum, or its exact distribution."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.screens.lists import Flags

EXACT_UP_TO = 8
"""Subjects of the smaller class up to which the distribution is not taken for normal."""
_WHOLE = 1e-6  # what a count may lack by rounding
_SKEWEST = 0.1  # of the rank sum, beyond which the tails are not those of a normal distribution


def is_normal(n1: Array | int, n0: Array | int, ties: Array, cubes: Array, largest: AnyArray) -> Flags:
    """Say of which markers the rank sum is about normal.

    The smaller class is expected to have more than 8 subjects outside the largest group of equal values, and the
    skewness over random orders is at most 0.1.

    Parameters
    ----------
    n1, n0 : int or array (w,)
    ties : array (w,)
        Sum of t^3 - t over the groups of t equal values.
    cubes : array (w,)
        Sum over the subjects of the third power of their middle rank less the mean.
    largest : array of int (w,)
        Subjects of the largest group.
    """
    n = n1 + n0
    with np.errstate(divide="ignore", invalid="ignore"):  # markers of nobody
        outside = np.minimum(n1, n0) * (n - largest) / n
        variance = n1 * n0 / 12 * (n + 1 - ties / (n * (n - 1)))
        third = 1.0 * n1 * n0 * (n0 - n1) / (n * (n - 1) * np.maximum(n - 2, 1)) * cubes
        return np.asarray((outside > EXACT_UP_TO) & (np.abs(third) <= _SKEWEST * variance**1.5))


def of_two_values(value: Array, n1: int, n0: int, first: AnyArray) -> Array:
    """Return one-sided p values of AUC of markers with two values: the positives of the first are hypergeometric.

    Parameters
    ----------
    value : array (w,)
    n1, n0 : int
    first : array of int (w,)
        Subjects who have the first value.
    """
    from scipy.stats import hypergeom

    hits = np.floor((2 * value - 1 + first / n0) * n1 * n0 / (n1 + n0) + _WHOLE)
    return np.asarray(hypergeom.sf(hits - 1, n1 + n0, n1, first))


def normal(value: Array, n1: int, n0: int, ties: Array) -> Array:
    """Return one-sided p values of AUC by its exact mean and variance over random orders.

    Parameters
    ----------
    value : array (w,)
    n1, n0 : int
    ties : array (w,)
        Sum of t^3 - t over the groups of t equal values.

    Returns
    -------
    array (w,)
        By the normal distribution, with a continuity correction of half a pair.
    """
    from scipy.special import ndtr

    n = n1 + n0
    variance = n1 * n0 / 12 * (n + 1 - ties / (n * (n - 1)))
    above = n1 * n0 * (value - 0.5)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 0, ndtr(-(above - 0.5) / np.sqrt(variance)), 1.0)


def exact(value: Array, n1: int, n0: int) -> Array:
    """Return one-sided p values of AUC without ties, from the number of orders with each count of pairs."""
    ways = np.ones(1)
    fewer, more = min(n1, n0), max(n1, n0)
    # the Gaussian binomial coefficient: products of (1 - q^(more + i))/(1 - q^i)
    for i in range(1, fewer + 1):
        longer = np.zeros(i * more + 1)
        longer[: ways.size] = ways
        longer[more + i :] -= ways[: max(longer.size - more - i, 0)]
        for residue in range(i):
            longer[residue::i] = np.cumsum(longer[residue::i])
        ways = longer
    tail = np.cumsum(ways[::-1])[::-1] / ways.sum()
    return np.asarray(tail[np.floor(value * n1 * n0 + _WHOLE).astype(int)])
