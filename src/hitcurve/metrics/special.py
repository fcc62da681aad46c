"""Differences of special functions that keep their digits where the arguments are large and close."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array
from hitcurve.magnify.quadrature import columns
from hitcurve.magnify.series import log_dn, log_up

_FEW = 128  # whole ranks that are summed one by one
_LARGE = 32.0  # Stirling's series is exact to double precision from here on


def log_gamma_slope(x0: Array, x1: Array) -> Array:
    """Return (log Gamma(x1 + 1) - log Gamma(x0 + 1)) / (x1 - x0), the mean of log i over x0 < i <= x1.

    Any value where the two coincide.
    """
    from scipy.special import gammaln

    x0, x1 = columns(x0, x1)
    width = np.where(x1 > x0, x1 - x0, 1.0)
    few = _are_few(width)
    if few.all():
        return np.asarray(_sum_of_few(lambda i, x: np.log(x + i), width, x0) / width)
    out = np.empty(x0.shape)
    out[few] = _sum_of_few(lambda i, x: np.log(x + i), width[few], x0[few]) / width[few]
    small = (x0 < _LARGE) & ~few
    large = ~small & ~few
    out[small] = (gammaln(x1[small] + 1) - gammaln(x0[small] + 1)) / width[small]
    a, d = x0[large], width[large]
    t = d / a
    # Stirling: integral of log + half a step + the difference of 1/(12x) - 1/(360x^3) + 1/(1260x^5)
    mean_log = np.log(a) + t * log_dn(t)
    half_step = np.log1p(t) / (2 * d)
    out[large] = mean_log + half_step + (_stirling(a + d) - _stirling(a)) / d
    return out


def _stirling(x: Array) -> Array:
    inverse = 1 / x
    square = inverse * inverse
    return inverse * (1 / 12 + square * (-1 / 360 + square / 1260))


def harmonic_difference(x: Array, width: Array) -> Array:
    """Return psi(x + width + 1) - psi(x + 1): the sum of 1/i over x < i <= x + width where both are whole."""
    x, width = columns(x, width)
    shift = np.where(x < _LARGE, _LARGE, 0.0)
    a, d = x + 1 + shift, width
    b = a + d
    out = np.asarray(
        np.log1p(d / a)
        + d / (2 * a * b)
        + d * (a + b) / (12 * (a * b) ** 2)
        - (1 / a**4 - 1 / b**4) / 120
        + (1 / a**6 - 1 / b**6) / 252
        - (1 / a**8 - 1 / b**8) / 240
    )
    small = np.asarray(x < _LARGE)
    if small.any():
        # psi(a) = psi(a + 1) - 1/a on both sides: what is added has one sign, and nothing cancels
        a, d = x[small] + 1, width[small]
        out[small] += sum(d / ((a + j) * (a + j + d)) for j in reversed(range(int(_LARGE))))
    return out


@lru_cache(maxsize=1024)
def harmonic_number(n: float) -> float:
    """Return the sum of 1/i up to n."""
    return float(harmonic_difference(np.zeros(()), np.asarray(n)))


def _are_few(width: Array) -> npt.NDArray[np.bool_]:
    """Say which widths are a few whole ranks, whose terms are summed one by one."""
    return np.asarray((width <= _FEW) & (width == np.rint(width)))


def _sum_of_few(term: Callable[[int, Array], Array], width: Array, x: Array) -> Array:
    """Return the sum of terms over i = 1..width, which is 1 at least."""
    total = np.array(term(1, x))
    for i in range(2, int(width.max(initial=0)) + 1):
        there = width >= i
        total[there] += term(i, x[there])
    return total


def mean_share(x: Array, width: Array) -> Array:
    """Return the mean of i / (x + i) over i = 1..width, without the cancellation of 1 - x times a mean of 1/(x + i).

    Any value where the width is 0.
    """
    x, width = columns(x, width)
    d = np.where(width > 0, width, 1.0)
    out = np.empty(x.shape)
    few = _are_few(d) & (x < 10 * _LARGE)
    out[few] = _sum_of_few(lambda i, x: i / (x + i), d[few], x[few]) / d[few]
    small = (x < 10 * _LARGE) & ~few
    large = ~small & ~few
    out[small] = 1 - x[small] / d[small] * harmonic_difference(x[small], d[small])
    near, d = x[large], d[large]
    a = near + 1
    b, t = a + d, d / a
    # the logarithm's part by its own series; what Stirling adds to it is small and does not cancel
    correction = near / a * (1 / (2 * b) + (1 / a + 1 / b) / (12 * b))
    u, v = 1 / a, 1 / b
    last = near / d * ((u**4 - v**4) / 120 - (u**6 - v**6) / 252)
    out[large] = t * log_up(t) + np.log1p(t) / d - correction + last
    return out


def log_gamma_bends(x0: Array, x1: Array) -> tuple[Array, Array]:
    """Return the derivatives of :func:`log_gamma_slope` by x1 and by x0; any value where the two coincide."""
    from scipy.special import digamma

    x0, x1 = columns(x0, x1)
    width = np.where(x1 > x0, x1 - x0, 1.0)
    slope = log_gamma_slope(x0, x1)
    up, dn = (digamma(x1 + 1) - slope) / width, (slope - digamma(x0 + 1)) / width
    large = x0 >= _LARGE
    a, d = x0[large], width[large]
    b, t = a + d, d / a
    # the same differences term by term of Stirling's series; those of its leading term have closed forms
    step, rest = np.log1p(t) / (2 * d), (_stirling(b) - _stirling(a)) / d
    up[large] = log_up(t) / a + (1 / (2 * b) - step + _stirling_slope(b) - rest) / d
    dn[large] = log_dn(t) / a + (step - 1 / (2 * a) + rest - _stirling_slope(a)) / d
    return up, dn


def _stirling_slope(x: Array) -> Array:
    square = 1 / (x * x)
    return -square * (1 / 12 - square * (1 / 120 - square / 252))
