"""Normal deviates of binomial tails in closed form (Peizer and Pratt 1968), off by less than .04 below 4."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import AnyArray, Array


def deviate(count: AnyArray, n: float, share: AnyArray) -> Array:
    """Return the normal deviate of P(Bin(n, share) <= count), for counts from -1/2 up to below n.

    Parameters
    ----------
    count, share : array (...)
        Broadcast; shares in (0, 1). Counts may be between whole numbers.
    n : float
    """
    above, below = n * share, n * (1 - share)
    s, f = count + 0.5, n - count - 0.5
    shift = 0.02 * ((1 - share) / (s + 0.5) - share / (f + 0.5) + (0.5 - share) / (n + 1))
    distance = s + 1 / 6 - (n + 1 / 3) * share + shift
    gap = s - above
    with np.errstate(divide="ignore", invalid="ignore"):
        # y log y, 0 at 0
        first = np.where(s > 0, s * np.log(s / above), 0.0)
        second = np.where(f > 0, f * np.log(f / below), 0.0)
        root = np.sqrt(2 * np.maximum(first + second, 0.0) / (1 + 1 / (6 * n))) / np.abs(gap)
        at_mean = 1 / np.sqrt((n + 1 / 6) * share * (1 - share))
    return np.asarray(distance * np.where(np.abs(gap) < 1e-4 * np.sqrt(above * (1 - share)), at_mean, root))


def too_few(count: AnyArray, n: float, share: AnyArray, half: float = 0.0) -> Array:
    """Return by how many deviates a count is too small for a share: 0 from its mean on, and for all n."""
    z = -deviate(np.minimum(count, n - 0.5) - half, n, share)
    return np.where(count >= n, 0.0, np.maximum(z, 0.0))


def too_many(count: AnyArray, n: float, share: AnyArray, half: float = 0.0) -> Array:
    """Return by how many deviates a count is too large for a share: 0 up to its mean, and for none."""
    z = deviate(np.maximum(count, 0.5) - 1 + half, n, share)
    return np.where(count <= 0, 0.0, np.maximum(z, 0.0))
