"""Normal deviates of a share within its Jeffreys posterior, in closed form."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import AnyArray, Array


def deviate(count: AnyArray, n: float, share: AnyArray) -> Array:
    """Return the normal deviate of P(Beta(count + 1/2, n - count + 1/2) < share).

    That is a binomial tail with half of the count itself: positive where the share is larger than the count says.
    Peizer and Pratt's (1968) formula, by logarithms only, off by less than 0.05 up to 4.

    Parameters
    ----------
    count, share : array (...)
        Broadcast; counts from 0 to n, shares in (0, 1).
    n : float
    """
    from scipy.special import betainc, ndtri

    count, share = np.broadcast_arrays(count, share)
    rest = n - count
    above, below = n * share, n * (1 - share)
    gap = above - count
    shift = 0.02 * ((1 - share) / (count + 0.5) - share / (rest + 0.5) + (0.5 - share) / (n + 1))
    distance = (n + 1 / 3) * share - count - 1 / 6 - shift
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = count * np.log(count / above) + rest * np.log(rest / below)
        root = np.sqrt(2 * np.maximum(entropy, 0.0) / (1 + 1 / (6 * n))) / np.abs(gap)
    at_mean = 1 / np.sqrt((n + 1 / 6) * share * (1 - share))
    z = distance * np.where(np.abs(gap) < 1e-4 * np.sqrt(above * (1 - share)), at_mean, root)
    # at the ends the formula is a tenth off
    none, all_ = count == 0, rest == 0
    z[none] = ndtri(betainc(0.5, n + 0.5, share[none]))
    z[all_] = -ndtri(betainc(0.5, n + 0.5, 1 - share[all_]))
    return np.asarray(z)
