"""Random effects over studies: restricted maximum likelihood, with the interval of Hartung and Knapp."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.quantiles import t_quantile

_NOISE = 1e-24  # of squares: values that differ by rounding
_STEPS = 20  # tau^2 per decade
_MOST = 1e8  # times the largest variance: a heterogeneity beyond it is infinite


class Pooled(NamedTuple):
    """What several studies say together.

    Attributes
    ----------
    mean, standard_error : float
        Of the mean over studies; by Hartung and Knapp of random effects.
    degrees_of_freedom : float
        Of its t quantile; inf of a common effect.
    interval, prediction : (float, float)
        Of the mean, and of the true value of another study.
    tau2 : float
        Variance between studies.
    tau2_interval : (float, float)
        By the Q profile (Viechtbauer 2007).
    i2 : float
        Share of the variance that is between studies: tau2 / (tau2 + s2), s2 the typical variance within a study
        ``(k - 1) sum(w) / (sum(w)^2 - sum(w^2))`` with ``w = 1/v`` (Higgins and Thompson 2002); of a common effect
        ``max(0, 1 - (k - 1)/q)``.
    q, pvalue : float
        Cochran's Q and its p value: that the studies have one value.
    weights : array (k,)
        Shares of the studies in the mean.
    ratio : float
        q: mean square of the standardised deviations, by which Hartung and Knapp multiply the variance of the mean;
        inf of a common effect.
    """

    mean: float
    standard_error: float
    degrees_of_freedom: float
    interval: tuple[float, float]
    prediction: tuple[float, float]
    tau2: float
    tau2_interval: tuple[float, float]
    i2: float
    q: float
    pvalue: float
    weights: Array
    ratio: float = math.inf


def pooled(y: Array, v: Array, level: float, *, random: bool, least: float = 0.0) -> Pooled:
    """Pool values with known variances, of at least two studies.

    ``least`` is the least that the variance of the mean is multiplied by, where its estimate is smaller: 0, or 1.
    """
    from scipy.special import chdtrc

    k = y.size
    tau2 = _reml(y, v) if random else 0.0
    w = 1 / (v + tau2)
    mean = float(np.sum(w * y) / np.sum(w))
    error = math.sqrt(1 / float(np.sum(w)))
    degrees = math.inf
    ratio = math.inf
    if random:
        ratio = float(np.sum(w * (y - mean) ** 2)) / (k - 1)
        ratio = ratio if ratio > _NOISE * float(np.max(w * y**2)) else 0.0
        error, degrees = error * math.sqrt(max(ratio, least)), k - 1.0
    t = float(t_quantile((1 + level) / 2, degrees)) if error > 0 else math.nan  # no error, no interval
    spread = math.sqrt(tau2 + error**2)
    q = _q(0.0, y, v)
    fixed = 1 / v
    typical = (k - 1) * float(np.sum(fixed)) / (2 * float(_products(fixed)))
    return Pooled(
        mean,
        error,
        degrees,
        (mean - t * error, mean + t * error),
        (mean - t * spread, mean + t * spread),
        tau2,
        _q_profile(y, v, level),
        tau2 / (tau2 + typical) if random else max(1 - (k - 1) / q, 0.0) if q > 0 else 0.0,
        q,
        float(chdtrc(k - 1, q)),
        w / np.sum(w),
        ratio,
    )


def _reml(y: Array, v: Array) -> float:
    """Return the heterogeneity with the largest restricted likelihood.

    With errors of very different sizes it may have several maxima, of which one may be at 0: all are looked at that
    lie apart on a grid of :data:`_STEPS` per decade.
    """
    from scipy.optimize import brentq

    def slope(tau2: float | Array) -> Array:
        w = 1 / (v + np.asarray(tau2)[..., None])
        total = np.sum(w, axis=-1)
        moved = w * (y - (np.sum(w * y, axis=-1) / total)[..., None])
        # they add up to 0, which rounding hides where one weight exceeds all others
        moved[..., np.argmin(v)] -= np.sum(moved, axis=-1)
        return np.asarray(np.sum(moved**2, axis=-1) - 2 * _products(w) / total)

    def likelihood(tau2: float) -> float:
        w = 1 / (v + tau2)
        return float(np.sum(np.log(w)) - math.log(np.sum(w)) - _q(tau2, y, v)) / 2

    low, high = float(np.min(v)) / 100, float(np.max(v) + np.var(y))
    while slope(high) > 0:
        high *= 2
    grid = np.append(0.0, np.geomspace(low, high, 2 + round(_STEPS * math.log10(high / low))))
    rises = slope(grid) > 0
    ends = np.flatnonzero(rises[:-1] & ~rises[1:])
    tops = [float(brentq(lambda tau2: float(slope(tau2)), grid[i], grid[i + 1], xtol=1e-14, rtol=1e-12)) for i in ends]
    return max([*([] if rises[0] else [0.0]), *tops], key=likelihood)


def _products(w: Array) -> Array:
    """Return the sum of products of all pairs: half of (sum w)^2 - sum w^2, which may cancel to 0."""
    ordered = np.sort(w, axis=-1)
    return np.asarray(np.sum(ordered[..., 1:] * np.cumsum(ordered, axis=-1)[..., :-1], axis=-1))


def _q(tau2: float, y: Array, v: Array) -> float:
    w = 1 / (v + tau2)
    return float(np.sum(w * (y - np.sum(w * y) / np.sum(w)) ** 2))


def _q_profile(y: Array, v: Array, level: float) -> tuple[float, float]:
    from scipy.optimize import brentq
    from scipy.special import chdtri

    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        wanted = float(chdtri(y.size - 1, tail))
        if _q(0.0, y, v) <= wanted:
            ends.append(0.0)
            continue
        high = float(np.max(v) + np.var(y))
        while _q(high, y, v) > wanted and high < _MOST * float(np.max(v)):
            high *= 2
        below = _q(high, y, v) < wanted
        ends.append(float(brentq(lambda x, at=wanted: _q(x, y, v) - at, 0.0, high)) if below else math.inf)
    return ends[0], ends[1]
