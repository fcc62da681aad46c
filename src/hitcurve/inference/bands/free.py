"""Distribution-free limits: equal local levels for the distribution function of each class."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.bands.limits import Limits, upper_end

_INDICES, _DRAWS = 80, 20_000


@lru_cache(maxsize=64)
def _smallest_tails(n: int) -> Array:
    """Return draws of the smallest two-sided tail probability of n uniform order statistics."""
    from scipy.special import betainc

    index = np.unique(np.round(np.geomspace(1, max(n // 2, 1), _INDICES // 2)).astype(int))
    index = np.unique(np.concatenate([index, n + 1 - index]))
    rng = np.random.default_rng([20260101, n])
    smallest = []
    for _ in range(0, _DRAWS, 1000):
        # uniform order statistics at these indices: sums of gamma spacings
        spacing = rng.standard_gamma(np.diff(np.concatenate([[0], index, [n + 1]])), (1000, index.size + 1))
        total = np.cumsum(spacing, axis=1)
        u = total[:, :-1] / total[:, -1:]
        tail = betainc(index, n + 1 - index, u)
        smallest.append(np.min(2 * np.minimum(tail, 1 - tail), axis=1))
    return np.concatenate(smallest)


def local_level(n: int, level: float) -> float:
    """Return the level of each order statistic's beta limits at which all hold together with ``level``."""
    return float(np.quantile(_smallest_tails(n), 1 - level))


def class_limits(above: Array, n: int, level: float) -> tuple[Array, Array]:
    """Return limits of the share above a threshold, simultaneous over all, from the counts above."""
    from scipy.special import betaincinv

    eta = local_level(n, level)
    low = np.where(above <= 0, 0.0, betaincinv(np.maximum(above, 1), n - above + 1, eta / 2))
    high = np.where(above >= n, 1.0, betaincinv(above + 1, np.maximum(n - above, 1), 1 - eta / 2))
    return low, high


def prevalence_limits(positives: float, n: float, level: float) -> tuple[float, float]:
    """Return Clopper and Pearson's limits."""
    from scipy.special import betaincinv

    low = float(betaincinv(positives, n - positives + 1, (1 - level) / 2))
    return low, float(betaincinv(positives + 1, n - positives, (1 + level) / 2))


def free_limits(c: Counts, x: Array, along: str, level: float, *, sampled: bool) -> tuple[Limits, tuple[float, float]]:
    """Return limits of TPR over FPR or over the rate, and of the prevalence."""
    n1, n0, pi = int(c.n1), int(c.n0), float(c.pi)
    share = level ** (1 / 3) if sampled else level**0.5
    ends = prevalence_limits(n1, n1 + n0, share) if sampled else (pi, pi)
    above1, above0 = np.append(0, np.cumsum(c.pos)), np.append(0, np.cumsum(c.neg))

    def place(row: AnyArray) -> tuple[Array, Array]:
        """Return limits of the FPR or the rate of rows."""
        of_neg = class_limits(above0[row], n0, share)
        if along == "fpr":
            return of_neg
        of_pos = class_limits(above1[row], n1, share)
        low, high = ([p * of_pos[side] + (1 - p) * of_neg[side] for p in ends] for side in (0, 1))
        return np.minimum(*low), np.maximum(*high)

    if along == "fpr":
        value = upper_end(x, above0 / n0, above1 / n1)
    else:
        value = np.interp(x, pi * above1 / n1 + (1 - pi) * above0 / n0, above1 / n1)
    # at least what is reached before x for sure, at most what is not yet passed for sure
    reached = _last_row(lambda row: place(row)[1] <= x, above1.size, x.size)
    low = np.where(reached >= 0, class_limits(above1[np.maximum(reached, 0)], n1, share)[0], 0.0)
    passed = _last_row(lambda row: place(row)[0] < x, above1.size, x.size) + 1
    high = np.where(passed < above1.size, class_limits(above1[np.minimum(passed, above1.size - 1)], n1, share)[1], 1.0)
    return Limits(x, value, low, high), ends


def _last_row(holds: Callable[[AnyArray], AnyArray], rows: int, count: int) -> AnyArray:
    """Return for each of ``count`` places the last row for which something holds, -1 if for none.

    It holds for all rows up to one: found by halving, since limits of every row would take minutes of a long list.
    """
    low, high = np.full(count, -1), np.full(count, rows)
    while np.any(high - low > 1):
        middle = np.clip((low + high) // 2, 0, rows - 1)
        inside = holds(middle) & (high - low > 1)
        high = np.where(inside | (high - low <= 1), high, middle)
        low = np.where(inside, middle, low)
    return low
