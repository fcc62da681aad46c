"""Populations of positives and negatives whose metrics are known: by numerical integration, not by this package."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import betainc, expit, ndtr, ndtri, stdtr, stdtrit

Array: TypeAlias = npt.NDArray[np.float64]
AnyArray: TypeAlias = npt.NDArray[Any]
Whole: TypeAlias = npt.NDArray[np.int64]


class Family(NamedTuple):
    """A distribution of scores that a shift makes into that of the positives."""

    above: Callable[[Array], Array]
    """Share of the negatives above a score."""
    quantile: Callable[[Array], Array]
    """Score with this share of the negatives above it."""
    draw: Callable[[np.random.Generator, tuple[int, ...]], Array]


FAMILIES = {
    "binormal": Family(lambda x: ndtr(-x), lambda u: -ndtri(u), lambda rng, shape: rng.standard_normal(shape)),
    "t3": Family(lambda x: stdtr(3, -x), lambda u: -stdtrit(3, u), lambda rng, shape: rng.standard_t(3, shape)),
}
LEVELS = 7


@dataclass(frozen=True)
class Population:
    """Positives and negatives.

    Attributes
    ----------
    name : {"binormal", "t3", "ordinal", "units"}
        Normal scores; scores with a t distribution of 3 degrees of freedom; normal scores cut into 7 levels, at
        the sevenths of an even mixture of both classes; cut into 7 levels at -1, 0, 1, 2, 3 and 4.
    shift : float
        How much higher the positives are.
    spread : float
        Standard deviation of the positives over that of the negatives.
    """

    name: str
    shift: float
    spread: float = 1.0

    @property
    def ordinal(self) -> bool:
        """Whether the scores are a few levels."""
        return self.name in ("ordinal", "units")

    @property
    def family(self) -> Family:
        """Of the scores before they are cut into levels."""
        return FAMILIES["binormal" if self.ordinal else self.name]

    def score(self, tpr: Array) -> Array:
        """Return the score with this share of the positives above it."""
        return np.asarray(self.shift + self.spread * self.family.quantile(tpr))

    def tpr(self, score: Array) -> Array:
        """Return the share of the positives above a score."""
        return np.asarray(self.family.above((score - self.shift) / self.spread))

    def fpr(self, score: Array) -> Array:
        """Return the share of the negatives above a score."""
        return np.asarray(self.family.above(score))

    def levels(self) -> tuple[Array, Array]:
        """Return the shares of positives and of negatives in each level, from the highest down."""
        if self.name == "units":
            return self._between([4.0, 3.0, 2.0, 1.0, 0.0, -1.0])
        cuts = [
            brentq(lambda x, j=j: float(self.tpr(x) + self.fpr(x)) / 2 - j / LEVELS, -20, 20 + self.shift)
            for j in range(1, LEVELS)
        ]
        return self._between(cuts)

    def _between(self, cuts: list[float]) -> tuple[Array, Array]:
        ends = np.array([math.inf, *cuts, -math.inf])
        return np.diff(self.tpr(ends)), np.diff(self.fpr(ends))

    @property
    def at_bottom(self) -> tuple[float, float]:
        """Shares of the positives and of the negatives that have the lowest score, below all others."""
        return 0.0, 0.0

    def draw(self, rng: np.random.Generator, shape: tuple[int, ...]) -> Array:
        """Draw scores of positives; minus infinity is the lowest score."""
        return np.asarray(self.shift + self.spread * self.family.draw(rng, shape))

    def points(self) -> tuple[Array, Array]:
        """Return TPR and FPR of the whole population along the list, ascending, straight lines between them."""
        return self._points

    @cached_property  # every metric of a study asks for them
    def _points(self) -> tuple[Array, Array]:
        if self.ordinal:
            tpr, fpr = (np.append(0.0, np.cumsum(side)) for side in self.levels())
        else:
            share = expit(np.linspace(-32, 32, 40_001))
            scores = np.concatenate([self.score(share), self.family.quantile(share)])
            scores = np.sort(scores[np.isfinite(scores)])[::-1]
            tpr, fpr = (np.concatenate([[0.0], above(scores), [1.0]]) for above in (self.tpr, self.fpr))
        for column in (tpr, fpr):
            column.flags.writeable = False
        return tpr, fpr

    # ---- what is true

    def mean(self, worth: Callable[[Array, Array], Array]) -> float:
        """Return the mean over the positives of what a positive at (TPR, FPR) is worth."""

        def integrand(w: float) -> float:
            u = 1 / (1 + math.exp(-w))
            tpr = np.array(u)
            return float(worth(tpr, self.fpr(self.score(tpr)))) * u * (1 - u)

        # on the logit of TPR, in pieces, since most of the change may be at the very top
        ends = np.linspace(-32, 32, 17)
        return math.fsum(quad(integrand, low, high, limit=200, epsabs=1e-12)[0] for low, high in pairwise(ends))

    def average_precision(self, pi: float) -> float:
        """Return the average precision of the whole population."""
        if self.ordinal:
            p, q = self.levels()
            hits = pi * np.cumsum(p)
            return float(np.sum(p * hits / (hits + (1 - pi) * np.cumsum(q))))
        return self.mean(lambda tpr, fpr: pi * tpr / (pi * tpr + (1 - pi) * fpr))

    def recall_at(self, rate: float, pi: float) -> float:
        """Return the recall where this share of all is called positive."""

        def excess(x: float) -> float:
            return float(pi * self.tpr(np.array(x)) + (1 - pi) * self.fpr(np.array(x))) - rate

        return float(self.tpr(np.array(brentq(excess, -20, 30, xtol=1e-13))))

    def area(self, metric: str, pi: float) -> float:
        """Return an area metric by its textbook definition."""
        if metric == "auc":
            return self.mean(lambda _, fpr: 1 - fpr)
        if metric == "croc":
            return self.mean(lambda _, fpr: 1 - np.expm1(-20 * fpr) / np.expm1(-20.0))
        weight = _exponential if metric == "bedroc" else _beta
        found = self.mean(lambda tpr, fpr: 1 - weight(pi * tpr + (1 - pi) * fpr))
        below = quad(lambda x: float(weight(np.array(x))), 0, pi, limit=200)[0] / pi  # lost at best
        above = 1 - quad(lambda x: float(weight(np.array(x))), 1 - pi, 1, limit=200)[0] / pi  # kept at worst
        return float((found - above) / (1 - above - below))


def _exponential(rate: Array) -> Array:
    return np.asarray(np.expm1(-20 * rate) / np.expm1(-20.0))


def _beta(rate: Array) -> Array:
    return np.asarray(betainc(6.2, 32.8, rate))


# ---- samples


class Sample(NamedTuple):
    """Rows of many tables, from the highest score down: the negatives of a gap, and the positive that ends it.

    Of an ordinal population, its levels. Rows at the end may be empty.
    """

    pos: Whole
    neg: Whole
    redrawn: int
    """Samples that had fewer than 2 of a class."""


def class_sizes(n: int, pi: float, size: int, rng: np.random.Generator) -> tuple[Whole, int]:
    """Draw numbers of positives of samples of n subjects; those with fewer than 2 of a class are drawn again."""
    positives = rng.binomial(n, pi, size)
    redrawn = 0
    while (few := (positives < 2) | (positives > n - 2)).any():
        redrawn += int(few.sum())
        positives[few] = rng.binomial(n, pi, int(few.sum()))
    return positives, redrawn


def sample(population: Population, n: int, pi: float, size: int, rng: np.random.Generator) -> Sample:
    """Draw tables of n subjects without drawing the negatives: given the positives they are multinomial."""
    positives, redrawn = class_sizes(n, pi, size, rng)
    return sample_of(population, positives, n, rng)._replace(redrawn=redrawn)


def sample_of(population: Population, positives: Whole, n: int, rng: np.random.Generator) -> Sample:
    """Draw tables of n subjects, of whom so many are positive."""
    size = positives.size
    if population.ordinal:
        p, q = population.levels()
        return Sample(rng.multinomial(positives, p), rng.multinomial(n - positives, q), 0)
    most = int(positives.max())
    drawn = population.draw(rng, (size, most))
    absent = np.arange(most) >= positives[:, None]
    at_bottom = np.sum(np.isneginf(drawn) & ~absent, axis=-1)
    drawn[absent] = -np.inf
    scores = -np.sort(-drawn, axis=-1)
    fpr, above = population.fpr(scores), 1 - population.at_bottom[1]
    # a last row for the lowest score, and before it one for those above it that no positive of their own ends
    ends = [np.full((size, 1), end) for end in ((above, 1.0) if any(population.at_bottom) else (1.0,))]
    fpr = np.concatenate([np.zeros((size, 1)), np.minimum(fpr, above), *ends], axis=-1)
    share = np.maximum(np.diff(fpr, axis=-1), 0.0)
    neg = rng.multinomial(n - positives, share / np.maximum(share.sum(axis=-1, keepdims=True), 1.0))
    pos = np.zeros_like(neg)
    pos[:, :most] = np.arange(most) < (positives - at_bottom)[:, None]
    if any(population.at_bottom):
        pos[:, -1] = at_bottom
    return Sample(pos, neg, 0)
