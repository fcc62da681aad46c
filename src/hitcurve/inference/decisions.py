"""Net benefit over threshold probabilities, of scores that are probabilities: values and limits at fixed cuts.

A subject is selected where its score is at least the threshold. The cut does not depend on the sample, so the net
benefit is a mean over subjects, and its limits are those of two shares.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.intervals.shares import limits_of_shares
from hitcurve.inference.resampling.resample import normal_draws

DRAWS = 20_000
_ADDED = 0.5  # of a subject of each class, spread over all places, so that no share is without error
_KNOWN = 30.0  # subjects of equal weight, of whom squares of weights say as much as those of the whole list


class Sizes(NamedTuple):
    """Numbers of subjects: of weights, the numbers of equal weights that vary as much.

    Attributes
    ----------
    n_pos, n_neg, n : float or array (T,)
    prevalence : float
    sampled : bool
        Whether the prevalence was sampled too.
    """

    n_pos: Any
    n_neg: Any
    n: Any
    prevalence: float
    sampled: bool

    def scaled(self, variance: Array, expected: Array) -> Sizes:
        """Return the sizes at which the variances are these, instead of those that are expected of these sizes."""
        there = (variance > 0) & (expected > 0)
        factor = np.divide(variance, expected, out=np.ones(variance.shape), where=there)
        return self._replace(n_pos=self.n_pos / factor, n_neg=self.n_neg / factor, n=self.n / factor)

    def variances(self, of_pos: tuple[Array, Array], of_neg: tuple[Array, Array]) -> Array:
        """Return the variances of means over subjects, from (means, means of squares) within each class."""
        pi = self.prevalence
        if self.sampled:
            mean = pi * of_pos[0] + (1 - pi) * of_neg[0]
            return np.asarray((pi * of_pos[1] + (1 - pi) * of_neg[1] - mean**2) / self.n)
        inside = [own[1] - own[0] ** 2 for own in (of_pos, of_neg)]
        return np.asarray(pi**2 * inside[0] / self.n_pos + (1 - pi) ** 2 * inside[1] / self.n_neg)

    @classmethod
    def of(
        cls, effective: tuple[float, float], totals: tuple[float, float], prevalence: float, *, sampled: bool
    ) -> Sizes:
        """Return them from effective numbers and totals of both classes."""
        n1, n0 = effective
        squares = sum(total**2 / number for total, number in zip(totals, effective, strict=True))
        return cls(n1, n0, sum(totals) ** 2 / squares, prevalence, sampled)

    def limits(
        self, positives: list[Array], negatives: list[Array], factors: list[Array], tail: float
    ) -> tuple[Any, Any]:
        """Return the limits of a sum of shares of positives and of negatives, times the factors of all of them."""
        pi = self.prevalence
        classes = ((positives, pi, self.n_pos), (negatives, 1 - pi, self.n_neg))
        if self.sampled:
            counts = [self.n * part * share for shares, part, _ in classes for share in shares]
            return limits_of_shares(counts, [self.n] * len(counts), factors, tail, together=True)
        value: Any = 0.0
        below: Any = 0.0
        above: Any = 0.0
        left = list(factors)
        for shares, part, size in classes:  # those of one class exclude each other, and the classes are independent
            own, left = [part * factor for factor in left[: len(shares)]], left[len(shares) :]
            low, high = limits_of_shares([size * x for x in shares], [size] * len(shares), own, tail, together=True)
            middle = sum(factor * share for factor, share in zip(own, shares, strict=True))
            value, below, above = value + middle, np.hypot(below, middle - low), np.hypot(above, high - middle)
        return value - below, value + above

    def variance(self, of_pos: tuple[Array, Array], of_neg: tuple[Array, Array]) -> Array:
        """Return the covariances of means over subjects, from (means, means of products) within each class."""
        pi = self.prevalence
        if self.sampled:
            mean = pi * of_pos[0] + (1 - pi) * of_neg[0]
            return np.asarray((pi * of_pos[1] + (1 - pi) * of_neg[1] - np.outer(mean, mean)) / self.n)
        inside = [(own[1] - np.outer(own[0], own[0])) for own in (of_pos, of_neg)]
        return np.asarray(pi**2 * inside[0] / self.n_pos + (1 - pi) ** 2 * inside[1] / self.n_neg)


class Weighed(NamedTuple):
    """Weights of the subjects of a class, and their squares, by how many thresholds the scores reach.

    Attributes
    ----------
    sums, squares : array (P,)
        By place: T + 1 of one ranker, (T + 1)^2 of two.
    """

    sums: Array
    squares: Array


def covariance_by_weights(
    sides: tuple[Weighed, Weighed], values: tuple[Array, Array], prevalence: float, *, sampled: bool
) -> Array:
    """Return the covariances of means over weighted subjects, which may have larger weights at some scores.

    Parameters
    ----------
    sides : (Weighed, Weighed)
        Positives and negatives.
    values : (array (M, P), array (M, P))
        Of a positive and of a negative, at each place.
    prevalence : float
    sampled : bool
        Whether the prevalence was sampled too.

    Returns
    -------
    array (M, M)
    """
    shares = (prevalence, 1 - prevalence)
    means = [own @ side.sums / side.sums.sum() for side, own in zip(sides, values, strict=True)]
    if sampled:
        means = [sum(share * mean for share, mean in zip(shares, means, strict=True))] * 2
    found: Any = 0.0
    for side, own, share, mean in zip(sides, values, shares, means, strict=True):
        away = (own - mean[:, None]) * (share / side.sums.sum())
        found = found + (away * side.squares) @ away.T
    return np.asarray(found)


def deciding(sides: tuple[Weighed, Weighed], values: tuple[Array, Array], prevalence: float) -> Array:
    """Return how many subjects of equal weight make what is selected vary, or what is not.

    Parameters
    ----------
    sides, values, prevalence
        As of :func:`covariance_by_weights`.

    Returns
    -------
    array (M,)
        The square of a sum of variances by the sum of their squares, each over its number; 0 of nobody.
    """
    parts, numbers = [], []
    for side, own, share in zip(sides, values, (prevalence, 1 - prevalence), strict=True):
        there = own != 0
        sums, squares = there @ side.sums, there @ side.squares
        numbers.append(np.divide(sums**2, squares, out=np.ones(len(own)), where=squares > 0))
        parts.append((share / side.sums.sum()) ** 2 * (own**2 @ side.squares))
    total, by_number = sum(parts), sum(part**2 / number for part, number in zip(parts, numbers, strict=True))
    return np.asarray(np.divide(total**2, by_number, out=np.zeros(total.shape), where=by_number > 0))


def _as_of_list(variance: Array, expected: Array, number: Array) -> Array:
    """Return a variance of weights, no smaller than that of all weights of the list where few are selected.

    Few may be light by chance.
    """
    known = number**2 / (number**2 + _KNOWN**2)
    return np.where((variance > 0) & (variance < expected), variance**known * expected ** (1 - known), variance)


def worth_of_one(thresholds: Array) -> tuple[Array, Array]:
    """Return the net benefits and the interventions avoided that a positive and a negative are worth, (2 T, T + 1)."""
    w = (thresholds / (1 - thresholds))[:, None]
    above = np.arange(thresholds.size + 1) > np.arange(thresholds.size)[:, None]
    gains = [(np.ones_like(w), -1 / w), (-w, np.ones_like(w))]
    of_pos, of_neg = (np.concatenate([above * gain, ~above * saved]) for gain, saved in gains)
    return of_pos, of_neg


def difference_of_one(thresholds: Array) -> tuple[Array, Array]:
    """Return the differences of net benefits that a positive and a negative are worth, (T, (T + 1)^2)."""
    above = (np.arange(thresholds.size + 1) > np.arange(thresholds.size)[:, None]).astype(float)
    alone = (above[:, :, None] - above[:, None, :]).reshape(thresholds.size, -1)
    return alone, -(thresholds / (1 - thresholds))[:, None] * alone


class Decisions(NamedTuple):
    """The shares of both classes at or above each threshold, which ascend.

    Attributes
    ----------
    thresholds, tpr, fpr : array (T,)
    sizes : Sizes
    covariance : array (2 T, 2 T) or None
        Of the net benefits and the interventions avoided, where it is known; else it follows from the shares.
    deciding : array (2 T,) or None
        Of weights, how many subjects of equal weight vary so: those selected, and those not selected.
    """

    thresholds: Array
    tpr: Array
    fpr: Array
    sizes: Sizes
    covariance: Array | None = None
    deciding: Array | None = None

    @property
    def cost(self) -> Array:
        """Cost of a false positive in true positives, at each threshold."""
        return np.asarray(self.thresholds / (1 - self.thresholds))

    def limits(self, tail: float) -> tuple[Any, Any]:
        """Return the limits of the net benefit and of the interventions avoided, with so much error on either side."""
        w, one, half = self.cost, np.ones(self.tpr.shape), self.tpr.size
        sides = [(self.tpr, self.fpr, one, -w), (1 - self.tpr, 1 - self.fpr, -1 / w, one)]
        found = []
        for part, (tpr, fpr, gain, loss) in zip((slice(half), slice(half, None)), sides, strict=True):
            sizes = self.sizes
            if self.covariance is not None:
                expected = sizes.variances((gain * tpr, gain**2 * tpr), (loss * fpr, loss**2 * fpr))
                variance = np.diag(self.covariance)[part]
                if self.deciding is not None:
                    variance = _as_of_list(variance, expected, self.deciding[part])
                sizes = sizes.scaled(variance, expected)
            found.append(sizes.limits([tpr], [fpr], [gain, loss], tail))
        return found[0], found[1]

    def together(self, level: float, rng: Any) -> float:
        """Return the error on either side of each limit with which all limits hold together.

        The largest of the deviations of the net benefit and of the interventions avoided, over all thresholds, is drawn
        from the normal distribution with their correlations.
        """
        if self.covariance is not None:
            return tail_of_largest(self.covariance, level, rng)
        sides = []
        numbers, shares = (self.sizes.n_pos, self.sizes.n_neg), (self.tpr, self.fpr)
        for share, number, values in zip(shares, numbers, worth_of_one(self.thresholds), strict=True):
            mass = -np.diff(np.concatenate([[1.0], share, [0.0]]))
            mass = (mass * number + _ADDED / mass.size) / (number + _ADDED)
            sides.append((values @ mass, (values * mass) @ values.T))
        return tail_of_largest(self.sizes.variance(*sides), level, rng)


class PairedDecisions(NamedTuple):
    """The decisions of two rankers on the same subjects, at each threshold.

    Attributes
    ----------
    thresholds : array (T,)
    pos, neg : array (T + 1, T + 1)
        Shares of a class by how many thresholds the score of the first reaches, and that of the second.
    sizes : Sizes
    covariance : array (T, T) or None
        Of the differences of the net benefits, where it is known; else it follows from the shares.
    """

    thresholds: Array
    pos: Array
    neg: Array
    sizes: Sizes
    covariance: Array | None = None

    def value_and_limits(self, tail: float) -> tuple[Array, Array, Array]:
        """Return the difference of the net benefits with its limits: of subjects that one ranker alone selects."""
        w, one = self.thresholds / (1 - self.thresholds), np.ones(self.thresholds.size)
        (pos_first, pos_second), (neg_first, neg_second) = (_alone(side) for side in (self.pos, self.neg))
        pi = self.sizes.prevalence
        value = pi * (pos_first - pos_second) - w * (1 - pi) * (neg_first - neg_second)
        factors, sizes = [one, -one, -w, w], self.sizes
        if self.covariance is not None:
            of_pos = (pos_first - pos_second, pos_first + pos_second)
            of_neg = (-w * (neg_first - neg_second), w**2 * (neg_first + neg_second))
            sizes = sizes.scaled(np.diag(self.covariance), sizes.variances(of_pos, of_neg))
        low, high = sizes.limits([pos_first, pos_second], [neg_first, neg_second], factors, tail)
        return np.asarray(value), low, high

    def together(self, level: float, rng: Any) -> float:
        """Return the error on either side of each limit with which all limits hold together."""
        if self.covariance is not None:
            return tail_of_largest(self.covariance, level, rng)
        w, sides = self.thresholds / (1 - self.thresholds), []
        for side, number, factor in (
            (self.pos, self.sizes.n_pos, np.ones(w.size)),
            (self.neg, self.sizes.n_neg, -w),
        ):
            mass = (side * number + _ADDED / side.size) / (number + _ADDED)
            both = _above(mass)[1:, 1:]
            later = np.maximum.outer(np.arange(w.size), np.arange(w.size))
            own = _above(mass)[1:, 0], _above(mass)[0, 1:]
            products = own[0][later] + own[1][later] - both - both.T
            sides.append((factor * (own[0] - own[1]), np.outer(factor, factor) * products))
        return tail_of_largest(self.sizes.variance(*sides), level, rng)


def _above(mass: Array) -> Array:
    """Return the mass at or beyond each pair of places."""
    return np.asarray(np.cumsum(np.cumsum(mass[::-1, ::-1], axis=0), axis=1)[::-1, ::-1])


def _alone(mass: Array) -> tuple[Array, Array]:
    """Return the shares that the first selects alone, and the second, at each threshold."""
    above = _above(mass)
    both = np.diag(above)[1:]
    return np.maximum(above[1:, 0] - both, 0.0), np.maximum(above[0, 1:] - both, 0.0)


def tail_of_largest(covariance: Array, level: float, rng: Any) -> float:
    """Return the error on one side beyond which the largest of correlated normal variables lies with 1 - level."""
    from scipy.special import ndtr

    deviation = np.sqrt(np.diag(covariance))
    vary = deviation > 0
    if not vary.any():
        return (1 - level) / 2
    deviation = deviation[vary]
    draws = normal_draws(covariance[np.ix_(vary, vary)] / np.outer(deviation, deviation), DRAWS, rng)
    return float(ndtr(-np.quantile(np.max(np.abs(draws), axis=1), level)))
