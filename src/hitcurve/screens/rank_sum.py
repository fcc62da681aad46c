"""P values of AUC against random orders: by the moments of the rank sum, or its exact distribution."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array

EXACT_UP_TO = 8
"""Subjects of the smaller class up to which the exact distribution is taken."""


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
    return np.asarray(tail[np.rint(value * n1 * n0).astype(int)])
