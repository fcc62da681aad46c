"""Differences of special functions that keep their digits where the arguments are large and close."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array
from hitcurve.magnify.series import log_dn

_LARGE = 32.0  # Stirling's series is exact to double precision from here on


def log_gamma_slope(x0: Array, x1: Array) -> Array:
    """Return (log Gamma(x1 + 1) - log Gamma(x0 + 1)) / (x1 - x0), the mean of log i over x0 < i <= x1.

    Any value where the two coincide.
    """
    from scipy.special import gammaln

    x0, x1 = np.broadcast_arrays(np.asarray(x0, float), np.asarray(x1, float))
    width = np.where(x1 > x0, x1 - x0, 1.0)
    out = np.empty(x0.shape)
    small = x0 < _LARGE
    out[small] = (gammaln(x1[small] + 1) - gammaln(x0[small] + 1)) / width[small]
    a, d = x0[~small], width[~small]
    t = d / a
    # Stirling: integral of log + half a step + the difference of 1/(12x) - 1/(360x^3) + 1/(1260x^5)
    mean_log = np.log(a) + t * log_dn(t)
    half_step = np.log1p(t) / (2 * d)
    out[~small] = mean_log + half_step + (_stirling(a + d) - _stirling(a)) / d
    return out


def _stirling(x: Array) -> Array:
    inverse = 1 / x
    square = inverse * inverse
    return inverse * (1 / 12 + square * (-1 / 360 + square / 1260))


def harmonic_difference(x: Array, width: Array) -> Array:
    """Return psi(x + width + 1) - psi(x + 1): the sum of 1/i over x < i <= x + width where both are whole."""
    from scipy.special import digamma

    x, width = np.broadcast_arrays(np.asarray(x, float), np.asarray(width, float))
    out = np.empty(x.shape)
    small = x < _LARGE
    out[small] = digamma(x[small] + width[small] + 1) - digamma(x[small] + 1)
    a, d = x[~small] + 1, width[~small]
    b = a + d
    out[~small] = (
        np.log1p(d / a)
        + d / (2 * a * b)
        + d * (a + b) / (12 * (a * b) ** 2)
        - (1 / a**4 - 1 / b**4) / 120
        + (1 / a**6 - 1 / b**6) / 252
    )
    return out
