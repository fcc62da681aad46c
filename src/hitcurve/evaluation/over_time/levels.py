"""Where the level of a metric changes over days, and which days differ from theirs: tests of independent values."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hitcurve.counts import Array

METHOD = (
    "days weigh by n1 n0/(n1 + n0), and the error of one subject is pooled over the period, since a day's own error "
    "follows its value, with n1 - 1 for n1 in its variance; each split of a period compares the means of both sides, "
    "of bounded metrics on the arcsine scale (at a cutoff with Anscombe's 3/8 of a subject more on either side), and "
    "the largest |z| over all splits is referred to its distribution for normal values with one mean; each change is "
    "then looked for again between its two neighbours, and left out if it is not significant there"
)


class Change(NamedTuple):
    """A day on which the level of a metric changes.

    Attributes
    ----------
    first : str
        The first day at the new level.
    start, end : str
        The first and the last day of the period in which the change was looked for.
    before, after : float
        Weighted means of the days of the period on both sides.
    statistic : float
        The largest absolute standardized difference over all splits of the period.
    pvalue : float
        ``(b + 1)/(draws + 1)``, with b draws that reach it.
    """

    first: str
    start: str
    end: str
    before: float
    after: float
    statistic: float
    pvalue: float


class OddDay(NamedTuple):
    """A day that differs from the other days of its level.

    Attributes
    ----------
    day : str
    value : float
    others : float
        Weighted mean of the other days between the same changes.
    statistic : float
        Absolute standardized difference from these days.
    pvalue : float
        Of the statistic, for all days at once (Šidák).
    """

    day: str
    value: float
    others: float
    statistic: float
    pvalue: float


class Days(NamedTuple):
    """Values of independent days, in their order.

    The standard error of a day follows its value: of a low AUC it is larger, of a low average precision smaller. Means
    with weights from these errors, and differences over them, reject equal days too often. So the variance is that of
    one subject, pooled over days, over the number of subjects; of bounded metrics where their mean is, on the scale
    on which it changes least. The variance of one subject is that of the formula times n1/(n1 - 1), as of any sample:
    Q adds up what a day lacks. Shares of few subjects beyond a cutoff vary on that scale as if 3/8 of a subject were
    on either side of it (Anscombe, Biometrika 35, 1948).

    Attributes
    ----------
    names : tuple of str
    values, errors : array (D,)
    weights : array (D,)
        n1 n0/(n1 + n0) of each day.
    bounds : tuple of float
        Ends of the range of the metric.
    n_pos : array (D,)
    counted : bool
        Whether values count subjects beyond a cutoff.
    """

    names: tuple[str, ...]
    values: Array
    errors: Array
    weights: Array
    bounds: tuple[float, float]
    n_pos: Array
    counted: bool = False

    def of(self, days: slice) -> Days:
        """Return some of the days."""
        values, errors, weights = self.values[days], self.errors[days], self.weights[days]
        return Days(self.names[days], values, errors, weights, self.bounds, self.n_pos[days], self.counted)

    def mean(self, days: slice = slice(None)) -> float:
        """Return the weighted mean of days."""
        return float(np.average(self.values[days], weights=self.weights[days]))

    def placed(self) -> tuple[Array, Array]:
        """Return values and errors under equality: arcsines of the root of the share of the range, or as they are."""
        lacking = 1 / (1 - 1 / np.maximum(self.n_pos, 2))
        pooled = math.sqrt(float(np.average(self.weights * self.errors**2 * lacking, weights=self.weights)))
        errors = pooled / np.sqrt(self.weights)
        low, high = self.bounds
        if not (math.isfinite(high - low) and np.all((low <= self.values) & (self.values <= high))):
            return self.values, errors
        mean = (self.mean() - low) / (high - low)
        if not 0 < mean < 1:
            return self.values, errors
        shares, n = (self.values - low) / (high - low), mean * (1 - mean) * ((high - low) / errors) ** 2
        if self.counted:
            shares, n = (shares * n + 3 / 8) / (n + 3 / 4), n + 1 / 2
        return np.arcsin(np.sqrt(shares)), 1 / (2 * np.sqrt(n))


def heterogeneity(days: Days) -> float:
    """Return Cochran's Q."""
    places, errors = days.placed()
    return float(np.sum(((places - np.average(places, weights=days.weights)) / errors) ** 2))


def changes_of(days: Days, significance: float, draws: int, rng: np.random.Generator) -> Iterator[Change]:
    """Yield the most likely change of a period, and where it is significant those on both sides of it."""
    if len(days.names) < 2:
        return
    change = _most_likely(days, draws, rng)
    yield change
    if change.pvalue <= significance:
        place = days.names.index(change.first)
        for side in (slice(place), slice(place, None)):
            yield from changes_of(days.of(side), significance, draws, rng)


def _most_likely(days: Days, draws: int, rng: np.random.Generator) -> Change:
    names = days.names
    places, errors = days.placed()
    z = np.abs(_splits(places, errors))
    place = int(np.argmax(z))
    drawn = np.max(np.abs(_splits(rng.normal(size=(draws, len(names))) * errors, errors)), axis=1)
    beyond = int(np.count_nonzero(drawn >= z[place]))
    before, after = days.mean(slice(place + 1)), days.mean(slice(place + 1, None))
    p = (beyond + 1) / (draws + 1)
    return Change(names[place + 1], names[0], names[-1], before, after, float(z[place]), p)


def significant_changes(
    days: Days, looked: Sequence[Change], significance: float, draws: int, rng: np.random.Generator
) -> tuple[Change, ...]:
    """Return changes that are significant between their neighbours, in the order of days.

    The first split of a period that contains several changes may be at none of them, and beside one.

    Parameters
    ----------
    looked : sequence of Change
        What :func:`changes_of` yields.
    """
    whole, places = looked[0], sorted(days.names.index(c.first) for c in looked if c.pvalue <= significance)
    while len(places) > 1:
        ends = [0, *places, len(days.names)]
        found = [_most_likely(days.of(slice(*one)), draws, rng) for one in zip(ends, ends[2:], strict=False)]
        least = max(found, key=lambda change: (change.pvalue, -change.statistic))
        if least.pvalue > significance:
            del places[found.index(least)]
            continue
        moved = [days.names.index(change.first) for change in found]
        if moved == places or len(set(moved)) < len(moved):
            return tuple(found)
        places = moved
    return (whole,) if places else ()


def odd_days_of(days: Days, changes: tuple[Change, ...], significance: float) -> Iterator[OddDay]:
    """Yield days that differ from the others of their level; Šidák's inequality allows for their common mean."""
    from scipy.special import ndtr

    names = days.names
    starts = [0, *(names.index(change.first) for change in changes), len(names)]
    for start, end in pairwise(starts):
        if end - start < 3:  # two days are one split, which was looked at
            continue
        level = days.of(slice(start, end))
        places, errors = level.placed()
        z = np.abs(places - _of_others(places, level.weights)) / errors
        z /= np.sqrt(1 + level.weights / (level.weights.sum() - level.weights))
        p = -np.expm1(len(names) * np.log1p(-2 * ndtr(-z)))
        others = _of_others(level.values, level.weights)
        for place in np.flatnonzero(p <= significance):
            numbers = (float(column[place]) for column in (level.values, others, z, p))
            yield OddDay(level.names[place], *numbers)


def _of_others(values: Array, weights: Array) -> Array:
    """Return the mean of all but each."""
    return np.asarray((weights @ values - weights * values) / (weights.sum() - weights))


def _splits(values: Array, errors: Array) -> Array:
    """Return the standardized difference of the means after and before each split, (..., D - 1)."""
    weight = errors**-2
    before, total = np.cumsum(weight)[:-1], weight.sum()
    sums = np.cumsum(values * weight, axis=-1)
    left, whole = sums[..., :-1], sums[..., -1:]
    after = total - before
    return np.asarray(((whole - left) / after - left / before) / np.sqrt(1 / before + 1 / after))
