"""The share of scenarios whose coverage is as it should be, without what chance adds to the coverages found.

A scenario is as it should be if its coverage is in [.935, .965], and neither the share of intervals wholly below the
truth nor that wholly above it is more than .04. Found in some hundred samples, these shares have errors as large as the
margins: of scenarios that all have .95, .025 and .025, many seem not to be. So the distribution of the two shares
over the scenarios is estimated by nonparametric maximum likelihood (Kiefer and Wolfowitz 1956): weights on a grid of
shares, by EM. Given these weights every scenario has a probability to be as it should be; their mean is the share.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.stats import binom

from validation.populations import Array

STEPS = 400
LEAST, MOST, ONE_SIDED = 0.935, 0.965, 0.04
_HAIR = 1e-9


class Shares(NamedTuple):
    """How many scenarios are as they should be.

    Attributes
    ----------
    estimate : float
        Without the error of the coverages.
    raw : float
        As the coverages were found.
    attainable : float
        What ``raw`` would be on average if every scenario had coverage .95, as much below as above.
    """

    estimate: float
    raw: float
    attainable: float


def as_it_should_be(below: Array, above: Array) -> Array:
    """Say of shares of intervals wholly below and wholly above the truth whether they are as they should be."""
    coverage = 1 - below - above
    inside = (coverage >= LEAST - _HAIR) & (coverage <= MOST + _HAIR)
    return np.asarray(inside & (np.maximum(below, above) <= ONE_SIDED + _HAIR))


def shares(below: Array, above: Array, draws: Array) -> Shares:
    """Return the share of scenarios that are as they should be.

    Parameters
    ----------
    below, above : array (C,)
        Numbers of intervals wholly below, and wholly above the truth.
    draws : array (C,)
    """
    raw = as_it_should_be(below / draws, above / draws)
    attainable = np.mean([_attainable(int(n)) for n in draws])
    return Shares(float(np.mean(posterior(below, above, draws))), float(np.mean(raw)), float(attainable))


def posterior(below: Array, above: Array, draws: Array) -> Array:
    """Return the probability of each scenario to be as it should be, (C,)."""
    low, high = _grid()
    logs = (
        below[:, None] * np.log(low)
        + above[:, None] * np.log(high)
        + (draws - below - above)[:, None] * np.log(1 - low - high)
    )
    likelihood = np.exp(logs - logs.max(axis=-1, keepdims=True))
    weight = np.full(low.size, 1 / low.size)
    for _ in range(STEPS):
        given = likelihood * weight
        given /= given.sum(axis=-1, keepdims=True)
        weight = given.mean(axis=0)
    return np.asarray(given[:, as_it_should_be(low, high)].sum(axis=-1))


def _grid() -> tuple[Array, Array]:
    """Return shares below and above: steps of .0025 up to .06, of .01 up to .3."""
    one = np.concatenate([[1e-6], np.arange(1, 24) * 0.0025, np.arange(6, 31) * 0.01])
    low, high = (side.ravel() for side in np.meshgrid(one, one))
    inside = low + high < 0.4
    return low[inside], high[inside]


def _attainable(draws: int) -> float:
    most = int(draws * ONE_SIDED + _HAIR)
    below, above = (side.ravel() for side in np.meshgrid(np.arange(most + 1), np.arange(most + 1)))
    chance = binom.pmf(below, draws, 0.025) * binom.pmf(above, draws - below, 0.025 / 0.975)
    return float(np.sum(chance[as_it_should_be(below / draws, above / draws)]))
