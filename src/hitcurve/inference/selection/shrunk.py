"""What the highest of many values are worth on average, given how all of them are spread: empirical Bayes.

The distribution of the true values is estimated from all observed ones, without a form (the non-parametric maximum
likelihood estimate of Kiefer and Wolfowitz 1956), and each value is replaced by its posterior mean. A value that was
picked because it is high needs no further correction then: Efron (2011, J. Am. Stat. Assoc. 106:1602).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hitcurve.counts import Array

_POINTS = 121  # of the grid of true values
_ROUNDS = 200  # of the EM algorithm
_CLOSE = 1e-6  # gain of the log likelihood of one value from which on no more is done


class TrueValues(NamedTuple):
    """Distribution of the true values of many.

    Attributes
    ----------
    points : array (G,)
    shares : array (G,)
    """

    points: Array
    shares: Array

    @classmethod
    def of(cls, place: Array, error: Array, degrees: Array) -> TrueValues:
        """Estimate it from values with errors, which are as t with so many degrees of freedom; arrays (m,)."""
        points = np.linspace(place.min(), place.max(), _POINTS)
        if points[0] == points[-1]:
            return cls(points[:1], np.ones(1))
        density = _density(place, error, degrees, points)
        shares, last = np.full(_POINTS, 1 / _POINTS), -np.inf
        for _ in range(_ROUNDS):
            each = density @ shares
            shares = shares * (density.T @ (1 / each)) / place.size
            likelihood = float(np.mean(np.log(each)))
            if likelihood - last < _CLOSE:
                break
            last = likelihood
        return cls(points, shares)

    def posterior(self, place: Array, error: Array, degrees: Array) -> Array:
        """Return the share of each true value given an observed one, (m, G)."""
        weight = _density(place, error, degrees, self.points) * self.shares
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))


def _density(place: Array, error: Array, degrees: Array, points: Array) -> Array:
    """Return the density of each value at each true value, over the largest."""
    squares = ((place[:, None] - points) / error[:, None]) ** 2
    half = (degrees[:, None] + 1) / 2
    log = -half * np.log1p(squares / degrees[:, None])
    return np.asarray(np.exp(log - log.max(axis=1, keepdims=True)))
