"""Sums of the discount 1/ln(rank + 1): one by one at the top, by Euler and Maclaurin further down."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array
from hitcurve.magnify.pieces import Pair
from hitcurve.magnify.quadrature import columns, gauss_mean

_FEW_RANKS = 8  # so many discounts of a row are summed one by one
_SHORT = 4096  # the sums of few discounts of a list no longer than this are looked up
NARROW = 1e-4  # of its rank, a row on which the discount is as good as a parabola
_HEAD = 64  # ranks whose weights are summed one by one before Euler and Maclaurin take over


def discount(rank: Array) -> Array:
    """Return 1/ln(rank + 1)."""
    return np.asarray(1 / np.log(rank + 1))


@lru_cache(maxsize=1)
def discounts_after(last: int) -> Array:
    """Return the discounts after the ranks from 0 to a last one."""
    return np.asarray(1 / np.log(np.arange(last + 1.0) + 2))


@lru_cache(maxsize=8)
def _head_of_discounts() -> Array:
    """Return the cumulative discounts 1/ln(i + 1) of the first ranks, starting with 0."""
    return np.concatenate([[0.0], np.cumsum(1 / np.log(np.arange(2.0, _HEAD + 2)))])


@lru_cache(maxsize=1)
def _sums_of_first() -> Array:
    """Return the sums of the first 0 to 4,096 discounts."""
    ranks = np.arange(_SHORT + 1.0)
    return _wide_discount_sum(np.zeros_like(ranks), ranks)


@lru_cache(maxsize=1)
def _sums_of_few() -> Array:
    """Return the sums of the 0 to 8 discounts after each rank up to 4,096."""
    last = _SHORT + _FEW_RANKS
    windows = np.lib.stride_tricks.sliding_window_view(1 / np.log(np.arange(2.0, last + 2)), _FEW_RANKS)
    return np.concatenate([np.zeros((windows.shape[0], 1)), np.cumsum(windows, axis=1)], axis=1)


def discount_sum(start: npt.ArrayLike, end: npt.ArrayLike) -> Array:
    """Return the sum of 1/ln(i + 1) over whole ranks start < i <= end."""
    start, end = columns(start, end)
    width = end - start
    one_by_one = width <= _FEW_RANKS
    if end.max(initial=0) <= _SHORT:
        if not start.any():
            return _sums_of_first()[end.astype(np.intp)]
        total = np.array(_sums_of_few()[start.astype(np.intp), np.minimum(width, _FEW_RANKS).astype(np.intp)])
    else:
        total = np.asarray((width > 0) / np.log(start + 2))  # most rows of a long list have one rank
        sums, rows = total.reshape(-1), np.flatnonzero(one_by_one & (width > 1))
        first, ranks = start.reshape(-1)[rows], width.reshape(-1)[rows]
        for i in range(1, _FEW_RANKS):
            sums[rows] += 1 / np.log(first + (i + 2))
            longer = ranks > i + 1
            rows, first, ranks = rows[longer], first[longer], ranks[longer]
    wide = ~one_by_one
    if wide.any():
        total[wide] = _wide_discount_sum(start[wide], end[wide])
    return total


def _wide_discount_sum(start: Array, end: Array) -> Array:
    head = _head_of_discounts()
    low, high = (np.minimum(rank, _HEAD).astype(int) for rank in (start, end))
    total = np.array(head[high] - head[low])
    tail = end > _HEAD
    # midpoint Euler-Maclaurin of g(x) = 1/ln x: sum = integral - [g']/24 + 7 [g''']/5760 - ...
    a, b = np.maximum(start[tail], _HEAD) + 1.5, end[tail] + 1.5
    total[tail] += _integral_of_inverse_log(a, b) + _midpoint_terms(b) - _midpoint_terms(a)
    return total


def _midpoint_terms(x: Array) -> Array:
    """Return the Euler-Maclaurin correction at one end."""
    u = 1 / np.log(x)
    first = -(u**2) / x
    third = -(2 * u**2 + 6 * u**3 + 6 * u**4) / x**3
    fifth = -(24 * u**2 + 100 * u**3 + 210 * u**4 + 240 * u**5 + 120 * u**6) / x**5
    return np.asarray(-first / 24 + 7 * third / 5760 - 31 * fifth / 967680)


def _integral_of_inverse_log(a: Array, b: Array) -> Array:
    from scipy.special import expi

    out = np.empty(a.shape)
    narrow = b - a < a / 2
    width = (b - a)[narrow]
    out[narrow] = width * gauss_mean(lambda x: 1 / np.log(x), a[narrow], width)
    out[~narrow] = expi(np.log(b[~narrow])) - expi(np.log(a[~narrow]))
    return out


def slopes_of_narrow(start: Array, end: Array, factor: float) -> Pair:
    """Return how the mean discount of narrow rows follows their end and their start, times a factor.

    The discount is taken as continuous, which it is far down a list.
    """
    width = end - start
    middle = width / 2
    middle += start
    middle += 1.5
    width /= middle
    u = 1 / np.log(middle)
    # half of 1/(x ln(x)^2) in the middle, of which the rest is the Taylor series
    half = u * u
    half *= factor / 2
    half /= middle
    even = 1 + width**2 * (1 + 3 * u * (1 + u)) / 12
    odd = width * (1 + 2 * u) / 6
    return half * (even - odd), half * (even + odd)
