"""Shape parameters of a beta density fitted to two quantiles or to a sample."""

from __future__ import annotations

from typing import Any

import numpy as np

from hitcurve.errors import ParameterError
from hitcurve.magnify.beta import BetaDistribution
from hitcurve.magnify.quadrature import Array

_DIFFERENCE = 1e-5  # of the log of a shape
_MOST_STEPS, _MOST_HALVINGS = 60, 12
_CLOSE = 1e-12  # in the log of a tail


def of_quantiles(low: float, high: float, tail: float) -> tuple[float, float]:
    """Return the shapes with ``tail`` below ``low`` and above ``high``."""
    from scipy.optimize import root

    def residual(log_shape: Array) -> Array:
        found = BetaDistribution(*_shapes(log_shape))
        return np.asarray([found(low) - tail, found(high) - (1 - tail)])

    solution = root(residual, _start((low + high) / 2, ((high - low) / 4) ** 2), tol=1e-13)
    worst = float(np.max(np.abs(solution.fun)))
    if worst > 1e-8:
        a, b = (float(side[0]) for side in of_many_quantiles(np.array([low]), np.array([high]), tail))
        if a > 0:
            return a, b
        raise ParameterError(
            f"no beta density has {low:g} and {high:g} as its quantiles (off by {worst:.2g} in probability)"
        )
    return _shapes(solution.x)


@np.errstate(divide="ignore", invalid="ignore", over="ignore")  # of steps that lead nowhere
def of_many_quantiles(low: Array, high: Array, tail: float) -> tuple[Array, Array]:
    """Return the shapes for each pair of quantiles, nan where Newton's method does not find them.

    On the logs of both tails, which follow those of the shapes almost linearly; steps that lead away are halved.
    """
    shape = _start((low + high) / 2, ((high - low) / 4) ** 2)
    found = _log_tails(shape, low, high) - np.log(tail)
    active = np.arange(low.size)
    for _ in range(_MOST_STEPS):
        own, at, ends = shape[:, active], found[:, active], (low[active], high[active])
        columns = []
        for side in (0, 1):
            move = np.zeros((2, 1))
            move[side] = _DIFFERENCE
            columns.append((_log_tails(own + move, *ends) - _log_tails(own - move, *ends)) / (2 * _DIFFERENCE))
        (a, c), (b, d) = columns
        step = np.clip(np.stack([b * at[1] - d * at[0], c * at[0] - a * at[1]]) / (a * d - b * c), -1.0, 1.0)
        size = np.ones(active.size)
        for _ in range(_MOST_HALVINGS):
            new = _log_tails(own + size * step, *ends) - np.log(tail)
            worse = ~(np.abs(new).max(axis=0) < np.abs(at).max(axis=0))
            if not worse.any():
                break
            size[worse] /= 2
        moved = ~worse
        shape[:, active[moved]], found[:, active[moved]] = (own + size * step)[:, moved], new[:, moved]
        # at the last digits a step leads nowhere
        active = active[moved]
        if not active.size:
            break
    good = np.abs(found).max(axis=0) < _CLOSE
    a, b = np.where(good, np.exp(shape), np.nan)
    return a, b


def _log_tails(log_shape: Array, low: Array, high: Array) -> Array:
    """Return the logs of the probabilities below ``low`` and above ``high``."""
    from scipy.special import betainc

    a, b = np.exp(log_shape)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return np.asarray(np.log(np.stack([betainc(a, b, low), betainc(b, a, 1 - high)])))


def of_sample(rates: Array) -> tuple[float, float]:
    """Return the shapes of the largest likelihood, at which the means of log r and log(1 - r) are those expected."""
    from scipy.optimize import root
    from scipy.special import digamma

    logs = np.array([np.log(rates).mean(), np.log1p(-rates).mean()])

    def residual(log_shape: Array) -> Array:
        shapes = np.array(_shapes(log_shape))
        return np.asarray(digamma(shapes) - digamma(shapes.sum()) - logs)

    solution = root(residual, _start(float(rates.mean()), float(rates.var())), tol=1e-13)
    worst = float(np.max(np.abs(solution.fun)))
    if worst > 1e-8:
        raise ParameterError(f"no beta density fits these {rates.size} rates (off by {worst:.2g} in the mean of a log)")
    return _shapes(solution.x)


def distance(f: BetaDistribution, sample: Array) -> float:
    """Return the largest difference of a distribution function to that of a sample (Kolmogorov-Smirnov)."""
    here = f(np.sort(sample))
    steps = np.arange(sample.size + 1) / sample.size
    return float(max(np.max(steps[1:] - here), np.max(here - steps[:-1])))


def largest_distance(n: int) -> float:
    """Return the distance that one in a hundred samples of a normal density exceeds, mean and s.d. fitted.

    Stephens (1974), case 3. Samples of beta densities with both shapes fitted exceed it in 1 to 3 of a hundred.
    """
    return float(1.035 / (np.sqrt(n) - 0.01 + 0.85 / np.sqrt(n)))


def _start(mean: Any, variance: Any) -> Array:
    """Return the logs of the shapes with about this mean and variance."""
    size = np.maximum(mean * (1 - mean) / np.maximum(variance, 1e-300) - 1, 0.1)
    return np.log([mean * size, (1 - mean) * size])


def _shapes(log_shape: Array) -> tuple[float, float]:
    a, b = np.exp(np.clip(log_shape, -20, 20))
    return float(a), float(b)
