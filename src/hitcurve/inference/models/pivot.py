"""Quantiles of the length of the tilting path from samples of a binormal model to its average precision, by formula.

The length is a pivot: about standard normal, whatever the model. What it misses follows from three numbers of the
model: the skewness of its influence values, what each positive adds to the precision at its own place, and how far half
a positive and a negative more move the table. Cubics of a normal deviate whose coefficients are quadratics of these
three were fitted by ``python -m validation.path_lengths`` to tables of models, of which no more is needed here.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array

# places of the positives in standard deviations, from the highest down, and the edges of the cells around them
_STEP, _CELLS = 0.3, 41
_SCORES = _STEP * np.arange(_CELLS // 2, -_CELLS // 2, -1.0)
_EDGES = np.append(_SCORES + _STEP / 2, _SCORES[-1] - _STEP / 2)[1:-1]
_SHARE = np.exp(-(_SCORES**2) / 2) / np.sum(np.exp(-(_SCORES**2) / 2))
_TINY = 1e-300

_LEAST_MEAN, _MOST_LOG_ODDS = -0.5, 3.0  # of the models that the formula is for
_LEAST, _MOST = np.array([-0.6, 0.0, -0.5]), np.array([0.5, 0.6, 0.1])  # the same of their nature
# of terms of the cubic by row: 1, skewness, own, pull, their products in this order
COEFFICIENTS = np.array(
    [
        [-0.0076, 0.2697, -0.7724, -1.0242, -0.0694, -0.1303, 0.7652, 0.2004, 0.9450, -0.2674],
        [1.0145, -0.0550, -0.0360, 0.2280, 0.3871, -0.0075, -0.9764, -0.1194, -0.8734, -0.4925],
        [-0.0113, 0.1495, 0.0405, -0.1996, 0.0810, 0.0108, 0.2581, -0.1317, 0.1850, -0.0030],
        [0.0006, 0.0063, 0.0048, 0.0241, 0.0488, 0.0037, -0.1796, -0.0181, -0.1099, 0.0673],
    ]
)


class Nature(NamedTuple):
    """What the quantiles follow from, for samples of each model; the last three in standard errors.

    Attributes
    ----------
    skewness : array (...)
        Of average precision, to first order.
    own : array (...)
        What the positives add to the precision at their own places.
    pull : array (...)
        How far half a positive and one negative more, spread over the list, move average precision.
    """

    skewness: Array
    own: Array
    pull: Array


def nature_of(mean: Array, spread: Array, prevalence: Array, n: AnyArray) -> Nature:
    """Return what quantiles follow from, for samples of n subjects.

    Parameters
    ----------
    mean, spread, prevalence : array (...)
        Of the positives; the negatives are standard normal.
    n : array (...)
    """
    import hitcurve._special as special

    pi, n = prevalence[..., None], np.asarray(n, float)[..., None]
    of_pos = pi * _SHARE
    # shares of the negatives above each place, and above the lower edge of each cell
    fpr, edges = (special.ndtr(-(mean[..., None] + spread[..., None] * at)) for at in (_SCORES, _EDGES))
    of_neg = np.empty(of_pos.shape)
    of_neg[..., 0], of_neg[..., -1] = edges[..., 0], 1 - edges[..., -1]
    np.subtract(edges[..., 1:], edges[..., :-1], out=of_neg[..., 1:-1])
    of_neg *= 1 - pi
    called = pi * _tpr() + (1 - pi) * fpr
    right = 1 - (1 - pi) * fpr / called
    each = of_pos / called
    lost = each * right
    # influence values: what is said of a place by all positives below it, and by half of those of its cell
    by_neg = _from_below(lost)
    by_pos = (right - np.add.reduce(of_pos * right, axis=-1, keepdims=True) / pi + _from_below(each) - by_neg) / pi
    by_neg /= -pi
    of_pos_square, of_neg_square = of_pos * by_pos**2, of_neg * by_neg**2
    squares = np.add.reduce(of_pos_square + of_neg_square, axis=-1)
    cubes = np.add.reduce(of_pos_square * by_pos + of_neg_square * by_neg, axis=-1)
    error = np.sqrt(np.maximum(squares / n[..., 0], _TINY))
    above = n * called
    own = np.add.reduce(_SHARE * (1 - right) * -np.expm1(-above) / above, axis=-1)
    pull = np.add.reduce((of_pos + of_neg) * (by_pos / 2 + by_neg), axis=-1) / n[..., 0]
    return Nature(cubes / np.maximum(squares, _TINY) / (n[..., 0] * error), own / error, pull / error)


@lru_cache(maxsize=1)
def _tpr() -> Array:
    """Return the shares of the positives above each place."""
    import hitcurve._special as special

    return np.asarray(special.ndtr(-_SCORES))


def _from_below(x: Array) -> Array:
    """Return the sum of all cells below each, and half of its own."""
    found = x[..., ::-1].cumsum(axis=-1)[..., ::-1]
    return np.asarray(found - x / 2)


def quadratic(nature: Array) -> Array:
    """Return 1, all three numbers, and all their products, (..., 10)."""
    products = nature[..., [0, 0, 0, 1, 1, 2]] * nature[..., [0, 1, 2, 1, 2, 2]]
    return np.concatenate([np.ones((*nature.shape[:-1], 1)), nature, products], axis=-1)


def hermite(z: Array) -> Array:
    """Return the terms of a cubic of normal deviates, (..., 4)."""
    found = np.empty((*z.shape, 4))
    found[..., 0], found[..., 1], found[..., 2], found[..., 3] = 1.0, z, z * z - 1, z * z * z - 3 * z
    return found


def fits(mean: Array, log_odds: Array, nature: Array, wider: float = 1.0) -> AnyArray:
    """Say for which models the formula is, or for which it would be within limits so many times as wide.

    Parameters
    ----------
    mean, log_odds : array (...)
        Of the positives; logit of average precision.
    nature : array (..., 3)
    wider : float
    """
    inside = ((nature >= wider * _LEAST) & (nature <= wider * _MOST)).all(axis=-1)
    return np.asarray(inside & (mean >= wider * _LEAST_MEAN) & (log_odds <= wider * _MOST_LOG_ODDS))
