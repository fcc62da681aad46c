"""Analytic bands of the ROC and the accumulation curve: Gaussian processes with the variance of the counts.

The process of the curve is a sum of Brownian bridges, one of each class (and a normal variable for the prevalence);
its supremum, studentised by the analytic standard deviation, gives the level at which a beta distribution of an
effective number of subjects bounds the curve. Near 0 and 1, where counts are 0, 1 or 2, no Wald shape does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.cutting.step import variance_at_fpr, variance_at_rate
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resampling.resample import generator
from hitcurve.table import HitTable

DRAWS = 5000
_CHUNK = 500


@dataclass(frozen=True)
class Limits:
    """TPR over a grid of FPR or rates, with its limits.

    Attributes
    ----------
    x, value, low, high : array (G,)
    """

    x: Array
    value: Array
    low: Array
    high: Array


@dataclass(frozen=True)
class Process:
    """The curve on a grid, with the terms of its limits.

    Attributes
    ----------
    x : array (G,)
        FPR or rates, ascending.
    T, T_ : array (G,)
        TPR, and TPR with half a subject more on either side.
    Q_ : array (G,)
        FPR, in the same way.
    slope : array (G,)
        dTPR/dFPR, or the local precision.
    variance : array (G,)
    along : {"fpr", "rate"}
    n1, n0 : float
    pi : float
    sampled : bool
        Whether the prevalence was sampled.
    """

    x: Array
    T: Array
    T_: Array
    Q_: Array
    slope: Array
    variance: Array
    along: str
    n1: float
    n0: float
    pi: float
    sampled: bool

    def draws(self, count: int, rng: np.random.Generator) -> Array:
        """Return draws of the Gaussian process, one a row."""
        of_pos = bridge(self.T_, count, rng) / np.sqrt(self.n1)
        if self.along == "fpr":
            return np.asarray(of_pos - self.slope * bridge(self.x, count, rng) / np.sqrt(self.n0))
        n = self.n1 + self.n0
        of_neg = (1 - self.pi) * bridge(self.Q_, count, rng) / np.sqrt(self.n0)
        out = (1 - self.slope) * of_pos - self.slope / self.pi * of_neg
        if self.sampled:
            by_prevalence = rng.standard_normal((count, 1)) * np.sqrt(self.pi * (1 - self.pi) / n)
            out = out - self.slope / self.pi * (self.T_ - self.Q_) * by_prevalence
        return np.asarray(out)

    def limits(self, level: float, *, simultaneous: bool, n_draws: int = DRAWS, rng: Any = None) -> Limits:
        """Return limits that hold at every point at once, or at each alone."""
        t = t_quantile((1 + level) / 2, self.n1 - 1)
        if simultaneous:
            z = t_quantile((1 + level) / 2, np.inf)
            bound = sup_quantile(self, level, n_draws, rng) * t / z
        else:
            bound = t
        low, high = beta_shape(self.T, self.T_, self.variance, bound)
        return Limits(self.x, self.T, np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1])


def bridge(times: Array, count: int, rng: np.random.Generator) -> Array:
    """Return Brownian bridges at ascending times in [0, 1]."""
    steps = np.diff(np.concatenate([[0.0], times, [1.0]]))
    walk = np.cumsum(rng.standard_normal((count, steps.size)) * np.sqrt(np.maximum(steps, 0.0)), axis=1)
    return np.asarray(walk[:, :-1] - times * walk[:, -1:])


def sup_quantile(process: Process, level: float, n_draws: int, rng: Any) -> float:
    """Return the quantile of the largest studentised deviation over the grid."""
    if isinstance(rng, int):  # the same draws for every level
        columns = (x.tobytes() for x in (process.T_, process.x, process.Q_, process.slope, process.variance))
        shape = (process.along, process.n1, process.n0, process.pi, process.sampled)
        highest = _highest_of_seed(tuple(columns), shape, n_draws, rng)
    else:
        highest = _highest(process, n_draws, generator(rng))
    return float(np.quantile(highest, level))


def _highest(process: Process, n_draws: int, rng: np.random.Generator) -> Array:
    """Return the largest studentised deviation over the grid of each draw."""
    deviation = np.sqrt(process.variance)
    starts = range(0, n_draws, _CHUNK)
    draws = (process.draws(min(_CHUNK, n_draws - start), rng) for start in starts)
    return np.concatenate([np.max(np.abs(one) / deviation, axis=1) for one in draws])


@lru_cache(maxsize=8)
def _highest_of_seed(columns: tuple[bytes, ...], shape: tuple[Any, ...], n_draws: int, seed: int) -> Array:
    T_, x, Q_, slope, variance = map(np.frombuffer, columns)
    return _highest(Process(x, T_, T_, Q_, slope, variance, *shape), n_draws, generator(seed))


def beta_shape(T: Array, T_: Array, variance: Array, bound: float) -> tuple[Array, Array]:
    """Return the limits of a share T whose variance is that of n_e = T~(1 - T~)/variance subjects."""
    from scipy.special import betaincinv, ndtr

    eta = 2 * float(ndtr(-bound))
    n_e = T_ * (1 - T_) / variance
    with np.errstate(invalid="ignore"):
        low = np.where(T <= 0, 0.0, betaincinv(np.maximum(T * n_e, 1e-300), (1 - T) * n_e + 1, eta / 2))
        high = np.where(T >= 1, 1.0, betaincinv(T * n_e + 1, np.maximum((1 - T) * n_e, 1e-300), 1 - eta / 2))
    return low, high


def roc_process(table: HitTable, x: Array) -> Process:
    """Return the process of the ROC curve on a grid of FPR."""
    c = table.counts
    n1, n0 = float(c.n1), float(c.n0)
    axis, height = np.append(0.0, c.Q), np.append(0.0, c.P)
    T = upper_end(x, axis, height)
    T_ = (n1 * T + 0.5) / (n1 + 1)
    half = np.maximum(x * n1**-0.2, 1.5 / n0)
    low, high = np.maximum(x - half, 0.0), np.minimum(x + half, 1.0)
    # before the first negative the curve rises from 0: that rise is part of the slope
    from_below = np.where(low > 0, upper_end(low, axis, height), 0.0)
    slope = (upper_end(high, axis, height) - from_below + 1 / n1) / (high - low)
    variance = variance_at_fpr(T_, x, slope, n1, n0)
    return Process(x, T, T_, x, slope, variance, "fpr", n1, n0, float(c.pi), sampled=False)


def accumulation_process(table: HitTable, x: Array, *, sampled: bool) -> Process:
    """Return the process of the accumulation curve on a grid of rates."""
    c = table.counts
    n1, n0, pi = float(c.n1), float(c.n0), float(c.pi)
    n = n1 + n0
    axis, height = np.append(0.0, c.r), np.append(0.0, c.P)
    T = np.interp(x, axis, height)
    T_ = (n1 * T + 0.5) / (n1 + 1)
    Q_ = np.clip((n0 * (x - pi * T) / (1 - pi) + 0.5) / (n0 + 1), 0.0, 1.0)
    half = np.maximum(x * n1**-0.2, 1.5 / n)
    low, high = np.maximum(x - half, 0.0), np.minimum(x + half, 1.0)
    hits = n * pi * (np.interp(high, axis, height) - np.interp(low, axis, height))
    # half a subject of either class more, each with the weight that a subject of its class has at this prevalence
    of_pos, of_neg = pi * n / n1, (1 - pi) * n / n0
    rho = np.minimum((hits + of_pos / 2) / (n * (high - low) + (of_pos + of_neg) / 2), 1.0)
    of_prevalence = pi * (1 - pi) / n if sampled else 0.0
    variance = np.maximum(variance_at_rate(T_, Q_, rho, pi, n1, n0, of_prevalence), 1e-300)
    return Process(x, T, T_, np.maximum.accumulate(Q_), rho, variance, "rate", n1, n0, pi, sampled)


def upper_end(x: Array, axis: Array, height: Array) -> Array:
    """Return a rising curve at x, the upper end where it is vertical."""
    return np.asarray(np.interp(x, axis, height))  # of several equal places it takes the last


def first_reached(y: Array, axis: Array, height: Array) -> Array:
    """Return the first place of the axis at which a rising curve reaches y."""
    return np.asarray(np.interp(-np.asarray(y), -height[::-1], axis[::-1]))


def roc_grid(n0: float) -> Array:
    """Return 40 FPR in equal ratios from half a negative to 1/2, and 20 in equal steps on to 1."""
    end = 1 / (2 * n0)
    return np.concatenate([np.geomspace(end, 0.5, 40), np.linspace(0.5, 1 - end, 21)[1:]])


def rate_grid(n: float) -> Array:
    """Return 40 rates in equal ratios from one subject to 1/2, and 20 in equal steps on to 1."""
    end = 1 / n
    return np.concatenate([np.geomspace(end, 0.5, 40), np.linspace(0.5, 1 - end / 2, 21)[1:]])
