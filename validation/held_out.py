"""Populations on which nothing is chosen: recipes that were tuned on the others are only reported on these.

Numbers that no source fixes (the location of the lognormal, the shares of the five levels) were set once, before
anything was run on them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy import stats
from scipy.special import expit

from validation.populations import Array, Family, Population


@dataclass(frozen=True)
class Mixture:
    """A mixture of continuous distributions, part of which may be one score below all others.

    Attributes
    ----------
    parts : tuple of (share, distribution)
        Frozen distributions of scipy.
    at_bottom : float
        Share that has the lowest score.
    """

    parts: tuple[tuple[float, Any], ...]
    at_bottom: float = 0.0

    def above(self, score: Array) -> Array:
        """Return the share above a score; 1 above minus infinity holds those at the bottom too."""
        share = sum(share * np.asarray(part.sf(score), float) for share, part in self.parts)
        return np.where(np.isneginf(score), 1.0, (1 - self.at_bottom) * share)

    def quantile(self, share: Array) -> Array:
        """Return the score with this share above it: minus infinity at the bottom."""
        share = np.asarray(share, float)
        inside = np.minimum(share / (1 - self.at_bottom), 1.0)
        found = self._bisected(inside) if len(self.parts) > 1 else np.asarray(self.parts[0][1].isf(inside), float)
        return np.where(share > 1 - self.at_bottom, -math.inf, found)

    def _bisected(self, share: Array) -> Array:
        ends = np.stack([part.isf(np.clip(share, 1e-300, 1 - 1e-16)) for _, part in self.parts])
        low, high = ends.min(axis=0), ends.max(axis=0)
        for _ in range(200):
            middle = (low + high) / 2
            more = sum(weight * part.sf(middle) for weight, part in self.parts) > share
            low, high = np.where(more, middle, low), np.where(more, high, middle)
        return np.asarray((low + high) / 2)

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Draw scores, minus infinity at the bottom."""
        which = rng.choice(len(self.parts), shape, p=[share for share, _ in self.parts])
        out = np.empty(shape)
        for number, (_, part) in enumerate(self.parts):
            chosen = which == number
            out[chosen] = part.rvs(int(chosen.sum()), random_state=rng)
        if self.at_bottom:
            out[rng.random(shape) < self.at_bottom] = -math.inf
        return out


@dataclass(frozen=True)
class HeldOut(Population):
    """A population of positives and negatives with distributions of their own, or of levels.

    Attributes
    ----------
    positive, negative : Mixture or None
    shares : tuple of tuples or None
        Shares of positives and of negatives in each level, from the highest down.
    """

    name: str
    shift: float = 0.0
    spread: float = 1.0
    positive: Mixture | None = field(default=None, compare=False, repr=False)
    negative: Mixture | None = field(default=None, compare=False, repr=False)
    shares: tuple[tuple[float, ...], tuple[float, ...]] | None = field(default=None, compare=False, repr=False)

    @property
    def ordinal(self) -> bool:
        """Whether the scores are a few levels."""
        return self.shares is not None

    def levels(self) -> tuple[Array, Array]:
        """Return the shares of positives and of negatives in each level, from the highest down."""
        assert self.shares is not None
        p, q = (np.array(side) for side in self.shares)
        return p / p.sum(), q / q.sum()

    @property
    def at_bottom(self) -> tuple[float, float]:
        """Shares of the positives and of the negatives that have the lowest score."""
        return (0.0, 0.0) if self.ordinal else (self._sides[0].at_bottom, self._sides[1].at_bottom)

    @property
    def _sides(self) -> tuple[Mixture, Mixture]:
        assert self.positive is not None
        assert self.negative is not None
        return self.positive, self.negative

    @property
    def family(self) -> Family:
        """Of the negatives."""
        negative = self._sides[1]
        return Family(negative.above, negative.quantile, negative.draw)

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Draw scores of positives."""
        return self._sides[0].draw(rng, shape)

    def tpr(self, score: Array) -> Array:
        """Return the share of the positives above a score."""
        return self._sides[0].above(np.asarray(score, float))

    def fpr(self, score: Array) -> Array:
        """Return the share of the negatives above a score."""
        return self._sides[1].above(np.asarray(score, float))

    def score(self, tpr: Array) -> Array:
        """Return the score with this share of the positives above it."""
        return self._sides[0].quantile(np.asarray(tpr, float))

    @cached_property
    def _along(self) -> tuple[Array, Array, Array]:
        """Weights, TPR and FPR at Gauss-Legendre points of the logit of TPR, in pieces."""
        nodes, weights = np.polynomial.legendre.leggauss(40)
        # ten thousand points of TPR from 1e-14 up
        ends = np.linspace(-32, 32, 257)
        middle, half = (ends[1:] + ends[:-1]) / 2, np.diff(ends) / 2
        w = (middle[:, None] + half[:, None] * nodes).ravel()
        tpr = expit(w)
        weight = (half[:, None] * weights).ravel() * tpr * expit(-w)
        return weight, tpr, self.fpr(self.score(tpr))

    def mean(self, worth: Callable[[Array, Array], Array]) -> float:
        """Return the mean over the positives of what a positive at (TPR, FPR) is worth."""
        weight, tpr, fpr = self._along
        bottom = self.at_bottom[0]
        tied = tpr > 1 - bottom
        found = weight[~tied] @ np.asarray(worth(tpr[~tied], fpr[~tied]))
        # those at the bottom are one group, whose end is that of the list
        return float(found + (bottom * worth(np.array(1.0), np.array(1.0)) if bottom else 0.0))

    def recall_at(self, rate: float, pi: float) -> float:
        """Return the recall where this share of all is called positive; equal scores are taken in proportion."""
        tpr, fpr = self.points()
        return float(np.interp(rate, pi * tpr + (1 - pi) * fpr, tpr))


def _one(distribution: Any, at_bottom: float = 0.0) -> Mixture:
    return Mixture(((1.0, distribution),), at_bottom)


def _of(name: str, positive: Mixture | Any, negative: Mixture | Any) -> HeldOut:
    sides = [side if isinstance(side, Mixture) else _one(side) for side in (positive, negative)]
    return HeldOut(name, positive=sides[0], negative=sides[1])


_NORMAL, _T2 = stats.norm(), stats.t(2)
_POISSON = np.arange(30, -1, -1)

NOT_TUNED = {
    population.name: population
    for population in (
        _of("beta", stats.beta(3, 1.5), stats.beta(1.5, 4)),
        _of("lognormal", stats.lognorm(1.4, scale=math.exp(1.5)), stats.lognorm(1.0)),
        _of("gamma", stats.gamma(3.5), stats.expon()),
        _of("subgroup", Mixture(((0.2, stats.norm(4, 0.5)), (0.8, stats.norm(0.3, 1)))), _NORMAL),
        _of("t2 hook", stats.norm(2.5, 1), _T2),
        HeldOut("5 levels", shares=((0.35, 0.25, 0.2, 0.12, 0.08), (0.03, 0.07, 0.15, 0.3, 0.45))),
        HeldOut(
            "poisson",
            shares=(tuple(stats.poisson(6).pmf(_POISSON).tolist()), tuple(stats.poisson(2).pmf(_POISSON).tolist())),
        ),
        _of("laplace", stats.laplace(1.5), stats.laplace()),
        _of("logistic", stats.logistic(2.5), stats.logistic()),
        _of("zero-inflated", _one(stats.gamma(3), 0.2), _one(stats.gamma(1), 0.7)),
    )
}
"""Populations of a second and of a third check: skew, heavy tails, subgroups, levels, many equal scores."""

HOOKS = {
    population.name: population
    for population in (
        NOT_TUNED["t2 hook"],
        _of("t2.5 hook", stats.norm(2, 0.8), stats.t(2.5)),
        _of("t2a hook", stats.norm(2, 1), _T2),
        _of("high 2%", stats.norm(1.5, 1), Mixture(((0.02, stats.norm(6, 0.5)), (0.98, _NORMAL)))),
        _of("high 5%", stats.norm(2, 0.7), Mixture(((0.05, stats.norm(4.5, 0.5)), (0.95, _NORMAL)))),
    )
}
"""Populations with negatives above all positives: the ROC curve begins flat, and is not concave."""
