"""Binormal models of a list by fiducial draws, and a table drawn from each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, Self

import numpy as np

from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.models.places import Places
from hitcurve.inference.models.tables import Tables
from hitcurve.inference.resampling.draws import binomial, multinomial

# places of a positive, in standard deviations, at which the precision of a model is added up; equal steps are as
# exact as quadrature gets for what a normal density brings to 0 at both ends
_SCORES = np.linspace(-6.0, 6.0, 41)
_WEIGHTS = np.exp(-(_SCORES**2) / 2) / np.sum(np.exp(-(_SCORES**2) / 2))
_TINY = 1e-300


@lru_cache(maxsize=1)
def _tpr() -> Array:
    """Return the shares of the positives above these places."""
    import hitcurve._special as special

    return np.asarray(special.ndtr(-_SCORES))


class Rows(NamedTuple):
    """Canonical rows of a table drawn from each model (see ``Counts.folded``, negatives joined): rows first.

    Attributes
    ----------
    pos, neg : array (K, D)
    """

    pos: Array
    neg: Array


@dataclass(frozen=True)
class Binormals:
    """Models whose negatives are standard normal and whose positives are normal, one of each draw.

    Attributes
    ----------
    mean, spread : array (D,)
        Of the positives.
    prevalence : array (D,)
    """

    mean: Array
    spread: Array
    prevalence: Array

    @classmethod
    def fiducial(cls, places: Places, draws: int, rng: np.random.Generator) -> Self:
        """Draw the models that the places of one list are a sample of, as a fiducial argument has it.

        A positive with B negatives above it is at the uniform place between B and B + 1 of n0 uniform places. Given
        the normal scores z of these places, the variance is that of z over chi-squared with n1 - 1 degrees, the mean
        normal around that of z, and the prevalence is beta (n1 + 1/2, n0 + 1/2).
        """
        import hitcurve._special as special

        n1, n0 = places.n_pos, places.n_neg
        z = -special.ndtri(_uniform_places(places, draws, rng))
        centre = np.mean(z, axis=-1)
        z -= centre[:, None]
        squares = np.einsum("ij,ij->i", z, z)
        spread = np.sqrt(np.maximum(squares, _TINY) / rng.chisquare(n1 - 1, draws))
        mean = centre + spread * rng.standard_normal(draws) / np.sqrt(n1)
        return cls(mean, spread, rng.beta(n1 + 0.5, n0 + 0.5, draws))

    @property
    def log_odds(self) -> Array:
        """Logit of the average precision of each model."""
        import hitcurve._special as special

        fpr = special.ndtr(-(self.mean[:, None] + self.spread[:, None] * _SCORES))
        hits = self.prevalence[:, None] * _tpr()
        alarms = (1 - self.prevalence)[:, None] * fpr
        called = hits + alarms
        return _log_ratio(*(np.einsum("ij,j->i", side / called, _WEIGHTS) for side in (hits, alarms)))

    @property
    def slopes(self) -> tuple[Array, Array, Array]:
        """Derivatives of that by mean, logarithm of the spread, and logit of the prevalence."""
        import hitcurve._special as special

        score = self.mean[:, None] + self.spread[:, None] * _SCORES
        fpr = np.maximum(special.ndtr(-score), _TINY)
        right = 1 / (1 + (1 / self.prevalence - 1)[:, None] * fpr / _tpr())
        value = np.einsum("ij,j->i", right, _WEIGHTS)
        each = right * (1 - right) * _WEIGHTS / (value * (1 - value))[:, None]
        of_score = each * np.exp(-(score**2) / 2) / (math.sqrt(2 * math.pi) * fpr)
        by_spread = np.einsum("ij,j->i", of_score, _SCORES) * self.spread
        return np.add.reduce(of_score, axis=-1), by_spread, np.add.reduce(each, axis=-1)

    def draw(self, n: int, rng: np.random.Generator) -> Rows:
        """Draw a table of n subjects from each model: no ties."""
        import hitcurve._special as special

        n_pos = _sizes(n, self.prevalence, rng)
        most = int(n_pos.max())
        scores = rng.standard_normal((n_pos.size, most))
        scores *= self.spread[:, None]
        scores += self.mean[:, None]
        np.negative(scores, out=scores)
        np.copyto(scores, np.inf, where=np.arange(most) >= n_pos[:, None])
        fpr = special.ndtr(scores, out=scores)
        fpr.sort(axis=-1)
        drawn = Tables.at(fpr, n_pos, n - n_pos, rng).counts(negatives_join=True)
        return Rows(drawn.pos.T, drawn.neg.T)

    def in_levels(self, neg: Array, rng: np.random.Generator) -> Levels:
        """Cut the models into the levels of one list, whose shares of negatives are drawn from a Dirichlet.

        Parameters
        ----------
        neg : array (K,)
            Negatives of each level, half a negative more of each in the Dirichlet.
        """
        import hitcurve._special as special

        share = rng.standard_gamma(neg + 0.5, (self.mean.size, neg.size))
        share /= share.sum(axis=-1, keepdims=True)
        above = np.minimum(np.cumsum(share, axis=-1), 1.0)
        above[:, -1] = 1.0
        tpr = special.ndtr((self.mean[:, None] + special.ndtri(above)) / self.spread[:, None])
        return Levels(np.diff(tpr, prepend=0.0, axis=-1), share, self.prevalence)


@dataclass(frozen=True)
class Levels:
    """Models of a score of a few levels, one of each draw.

    Attributes
    ----------
    positives, negatives : array (D, K)
        Shares of the classes in each level, from the highest down.
    prevalence : array (D,)
    """

    positives: Array
    negatives: Array
    prevalence: Array

    @property
    def log_odds(self) -> Array:
        """Logit of the average precision of each model."""
        hits = self.prevalence[:, None] * np.cumsum(self.positives, axis=-1)
        alarms = (1 - self.prevalence)[:, None] * np.cumsum(self.negatives, axis=-1)
        called = np.maximum(hits + alarms, _TINY)
        return _log_ratio(
            np.einsum("ij,ij->i", self.positives, hits / called),
            np.einsum("ij,ij->i", self.positives, alarms / called),
        )

    def draw(self, n: int, rng: np.random.Generator) -> Rows:
        """Draw a table of n subjects from each model."""
        n_pos = _sizes(n, self.prevalence, rng)
        sides = []
        for size, share in ((n_pos, self.positives), (n - n_pos, self.negatives)):
            # shares that add to a hair above 1 are refused by numpy
            share = share / np.maximum(share.sum(axis=-1, keepdims=True), 1.0)
            sides.append(multinomial(rng, size, share).T.astype(float))
        pos, neg = sides
        for row in range(pos.shape[0] - 1):  # negatives join the next row that holds a positive
            moved = np.where(pos[row] == 0, neg[row], 0.0)
            neg[row] -= moved
            neg[row + 1] += moved
        return Rows(pos, neg)


def models_of(apart: Counts, draws: int, rng: np.random.Generator) -> Binormals | Levels:
    """Draw models of one list: in its levels where at least half of the positives share a score.

    Parameters
    ----------
    apart : Counts
        Canonical rows, gaps apart.
    """
    models = Binormals.fiducial(Places.of(apart, rng, evenly=True), draws, rng)
    return models.in_levels(np.asarray(apart.neg, float), rng) if mostly_tied(apart) else models


def mostly_tied(apart: Counts) -> AnyArray:
    """Say of each list whether at least half of its positives share a score."""
    tied = (apart.pos > 1) | ((apart.pos > 0) & (apart.neg > 0))
    return np.asarray(2 * (apart.pos * tied).sum(axis=-1) >= apart.pos.sum(axis=-1))


def _uniform_places(places: Places, draws: int, rng: np.random.Generator) -> Array:
    """Draw the places of the positives among the negatives, which are uniform on (0, 1)."""
    gap, of = np.unique(places.above, return_inverse=True)
    # sums of exponential variables from one gap that holds positives to the next, and such a gap itself
    before = rng.standard_gamma(np.diff(gap, prepend=-1) - 1.0, (draws, gap.size))
    own = rng.standard_exponential((draws, gap.size))
    below = rng.standard_gamma(float(places.n_neg - gap[-1]), (draws, 1))
    ends = np.cumsum(before + own, axis=-1)
    inside = rng.random((draws, of.size))
    place = (ends[:, of] - inside * own[:, of]) / (ends[:, -1:] + below)
    return np.asarray(np.clip(place, _TINY, 1 - 1e-16))


def _sizes(n: int, prevalence: Array, rng: np.random.Generator) -> AnyArray:
    """Draw numbers of positives; two of either class at least, which an interval needs."""
    return np.asarray(np.clip(binomial(rng, n, prevalence), 2, n - 2))


def _log_ratio(right: Array, wrong: Array) -> Array:
    return np.asarray(np.log(np.maximum(right, _TINY)) - np.log(np.maximum(wrong, _TINY)))
