"""The shapes of the beta density that meets what is known: two quantiles, or a sample."""

from __future__ import annotations

import numpy as np

from hitcurve.errors import ParameterError
from hitcurve.magnify.beta import BetaDistribution
from hitcurve.magnify.quadrature import Array


def of_quantiles(low: float, high: float, tail: float) -> tuple[float, float]:
    """Return the shapes with ``tail`` below ``low`` and above ``high``."""
    from scipy.optimize import root

    def residual(log_shape: Array) -> Array:
        found = BetaDistribution(*_shapes(log_shape))
        return np.asarray([found(low) - tail, found(high) - (1 - tail)])

    solution = root(residual, _start((low + high) / 2, ((high - low) / 4) ** 2), tol=1e-13)
    worst = float(np.max(np.abs(solution.fun)))
    if worst > 1e-8:
        raise ParameterError(
            f"no beta density has {low:g} and {high:g} as its quantiles (off by {worst:.2g} in probability)"
        )
    return _shapes(solution.x)


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


def _start(mean: float, variance: float) -> Array:
    """Return the logs of the shapes with about this mean and variance."""
    size = max(mean * (1 - mean) / max(variance, 1e-300) - 1, 0.1)
    return np.log([mean * size, (1 - mean) * size])


def _shapes(log_shape: Array) -> tuple[float, float]:
    a, b = np.exp(np.clip(log_shape, -20, 20))
    return float(a), float(b)
