"""Where the level of a metric changes over days, and which days differ from theirs: tests of independent values."""

from __future__ import annotations

import math
from bisect import bisect
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.resampling.draws import binomial

METHOD = (
    "a day's error is that of V1/n1 + V0/n0, with the variances V1 of one positive and V0 of one negative pooled over "
    "the period, since a day's own error follows its value; days weigh by its inverse; each split of a period compares "
    "the means of both sides, and each day that of the others, of bounded metrics on the arcsine scale with Anscombe's "
    "3/8 of a subject more on either side; the largest |z| of all is referred to its distribution for days with one "
    "mean (beta distributed, at a cutoff binomial, of unbounded metrics normal values, over errors as uncertain as "
    "these), and says whether the period is divided or the day set apart, after which the rest is looked at again; "
    "each change and day is then looked for again between its neighbours, and left out if it is not significant there"
)


_AT_ONCE = 1_000_000  # drawn values of days
_FEWEST = 0.2  # subjects of a drawn share
_SATURATED = 0.9  # of the best values of days


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
        ``(b + 1)/(draws + 1)``, with b draws in which the largest contrast of a split or one day reaches it.
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
        Weighted mean of the other days between the same changes, without odd ones.
    statistic : float
        Absolute standardized difference from these days.
    pvalue : float
        ``(b + 1)/(draws + 1)``, with b draws in which the largest contrast of a split or one day reaches it.
    """

    day: str
    value: float
    others: float
    statistic: float
    pvalue: float


class Days(NamedTuple):
    """Values of independent days, in their order.

    The standard error of a day follows its value: of a low AUC it is larger, of a low average precision smaller. Means
    with weights from these errors, and differences over them, reject equal days too often. So the variances of one
    positive and of one negative are pooled over days, each as n/(n - 1) times its mean square. A day has both over its
    own numbers of subjects, which need not be in one proportion on all days.

    Bounded metrics are compared on the scale on which their variance changes least. A value varies there as a share of
    few subjects does, with 3/8 of a subject more on either side (Anscombe, Biometrika 35, 1948): of n subjects, by
    which a share has the variance of the day.

    Attributes
    ----------
    names : tuple of str
    values : array (D,)
    parts : array (D, 2)
        Of positives and of negatives in the variance of each day.
    sizes : array (D, 2)
        Positives and negatives of each day.
    bounds : tuple of float
        Ends of the range of the metric.
    counted : bool
        Whether values count subjects beyond a cutoff.
    otherwise : tuple of float
        Variances of one subject of each class, where these days show none.
    """

    names: tuple[str, ...]
    values: Array
    parts: Array
    sizes: Array
    bounds: tuple[float, float]
    counted: bool = False
    otherwise: tuple[float, float] = (0.0, 0.0)

    def of(self, days: list[int]) -> Days:
        """Return some of the days."""
        names = tuple(self.names[day] for day in days)
        positive, negative = map(float, self._of_one)
        values, parts, sizes = self.values[days], self.parts[days], self.sizes[days]
        return self._replace(names=names, values=values, parts=parts, sizes=sizes, otherwise=(positive, negative))

    @property
    def _of_one(self) -> Array:
        """The variances of one positive and of one negative, pooled."""
        # a mean square of n is that of n - 1 degrees of freedom
        lacking = 1 / (1 - 1 / np.maximum(self.sizes, 2))
        pooled = np.sum(self.sizes**2 * self.parts * lacking, axis=0) / self.sizes.sum(axis=0)
        return np.asarray(pooled if pooled.any() else self.otherwise)

    @property
    def errors(self) -> Array:
        """Standard errors of the days, if all are equal."""
        return np.asarray(np.sqrt(np.sum(self._of_one / self.sizes, axis=1)))

    @property
    def weights(self) -> Array:
        """What days weigh in means: the inverse of their variances."""
        return np.asarray(self.errors**-2)

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the pooled variances (Satterthwaite)."""
        shares = np.sum(self._of_one / self.sizes, axis=0)
        own = np.sum(np.maximum(self.sizes, 2) - 1, axis=0)
        return float(shares.sum() ** 2 / np.sum(shares**2 / own))

    def mean(self) -> float:
        """Return the weighted mean."""
        return float(np.average(self.values, weights=self.weights))

    def placed(self) -> tuple[Array, Array]:
        """Return values and errors under equality: arcsines of the root of the share of the range, or as they are."""
        equal, (low, high) = self._equal(), self.bounds
        if equal is None:
            return self.values, self.errors
        return _arcsines((self.values - low) / (high - low), equal[1]), 1 / (2 * np.sqrt(equal[1] + 1 / 2))

    def drawn(self, draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
        """Return what :meth:`placed` gives of days with one mean, (draws, D), and by what errors miss theirs."""
        equal = self._equal()
        size = (draws, self.values.size)
        degrees = self.degrees
        missed = np.sqrt(rng.chisquare(degrees, draws) / degrees)
        if equal is None:
            return np.asarray(rng.normal(size=size) * self.errors), missed
        mean, n = equal
        if self.counted:
            whole = np.maximum(np.rint(n), 1)
            return _arcsines(binomial(rng, whole.astype(np.int64), mean, size) / whole, n), missed
        fewer = np.maximum(n - 1, _FEWEST)  # a beta distribution has the variance of a share of one subject more
        return _arcsines(rng.beta(mean * fewer, (1 - mean) * fewer, size), n), missed

    def _equal(self) -> tuple[float, Array] | None:
        """Return the mean as a share of a bounded range, and of how many subjects a share has the pooled errors."""
        low, high = self.bounds
        if not (math.isfinite(high - low) and np.all((low <= self.values) & (self.values <= high))):
            return None
        mean = (self.mean() - low) / (high - low)
        return (mean, mean * (1 - mean) * ((high - low) / self.errors) ** 2) if 0 < mean < 1 else None


def end_of(values: Array, best: Array, end: float) -> float:
    """Return the end of the scale of a metric at a cutoff: the largest ``best`` of the days, or the end of its range.

    Few hits among the subjects above a cutoff vary as a share of these subjects. Where nearly all are hits, values vary
    with the prevalence instead, and the scale must not end right above them.
    """
    return float(best.max()) if np.mean(values) < _SATURATED * np.mean(best) else end


def _arcsines(shares: Array, n: Array) -> Array:
    return np.asarray(np.arcsin(np.sqrt((shares * n + 3 / 8) / (n + 3 / 4))))


class Equality(NamedTuple):
    """Cochran's Q of days, and its p value by F: errors are pooled, and not known."""

    q: float
    degrees: float
    pvalue: float


def heterogeneity(days: Days) -> Equality:
    """Return the test that all days have one value."""
    from scipy.special import fdtrc

    q = float(np.sum(((days.values - days.mean()) / days.errors) ** 2))
    between, within = len(days.names) - 1, days.degrees
    return Equality(q, within, float(fdtrc(between, within, q / between)))


class Marks(NamedTuple):
    """What differs among days.

    Attributes
    ----------
    largest : Change
        The most likely change of all days but the odd ones, significant or not.
    changes : tuple of Change
    odd_days : tuple of OddDay
    pvalue : float
        That all days are equal, by the largest contrast.
    """

    largest: Change
    changes: tuple[Change, ...]
    odd_days: tuple[OddDay, ...]
    pvalue: float


def marks_of(days: Days, significance: float, draws: int, rng: np.random.Generator) -> Marks:
    """Find changes and odd days by dividing, and keep those that are significant between their neighbours.

    A single day that differs makes the splits beside it significant, and a change the days beside it. So both compete:
    the largest contrast says what a period has. The first split of a period that contains several changes may be at
    none of them, and beside one.
    """
    looking = _Looking(days, significance, draws, rng)
    changes, above = looking.divided(list(range(len(days.names))))
    odd = []
    for day, side in sorted(above.items()):
        before, after = above.get(day - 1) == side, above.get(day + 1) == side
        if not (before or after):
            odd.append(day)
            continue
        # neighbours on one side of the others are a level
        changes |= {day} if not before else {day + 1} if not after else set()
    return looking.kept(sorted(changes), odd)


def whole_period(days: Days, draws: int, rng: np.random.Generator) -> float:
    """Return the p value of the largest contrast of all days."""
    return _Looking(days, 1.0, draws, rng).at(list(range(len(days.names)))).pvalue_of_largest


class _Looked(NamedTuple):
    """Absolute contrasts of a period: of its splits, of each day from the others, and the largest of equal days."""

    splits: Array
    singles: Array
    drawn: Array

    @property
    def pvalue_of_largest(self) -> float:
        return self.pvalue(max(self.splits.max(), self.singles.max()))

    def pvalue(self, statistic: float) -> float:
        beyond = self.drawn.size - int(np.searchsorted(self.drawn, statistic))
        return (beyond + 1) / (self.drawn.size + 1)


@dataclass(frozen=True)
class _Looking:
    days: Days
    significance: float
    draws: int
    rng: np.random.Generator
    looked: dict[tuple[int, ...], _Looked] = field(default_factory=dict)

    def at(self, period: list[int]) -> _Looked:
        """Return the contrasts of a period. It is drawn once, so that what is significant stays so."""
        key = tuple(period)
        if key not in self.looked:
            days = self.days.of(period)
            places, errors = days.placed()
            at_once = max(_AT_ONCE // len(period), 1)
            sizes = (min(at_once, self.draws - start) for start in range(0, self.draws, at_once))
            drawn = (days.drawn(size, self.rng) for size in sizes)
            largest = np.concatenate([_largest(values, errors) / missed for values, missed in drawn])
            splits, singles = np.abs(_splits(places, errors)), np.abs(_singles(places, errors))
            self.looked[key] = _Looked(splits, singles, np.sort(largest))
        return self.looked[key]

    def divided(self, period: list[int]) -> tuple[set[int], dict[int, bool]]:
        """Return the days at which a period changes; and those that differ from the others, and whether from above."""
        changes: set[int] = set()
        odd: dict[int, bool] = {}
        waiting = [period]
        while waiting:
            period = waiting.pop()
            if len(period) < 2:
                continue
            looked = self.at(period)
            split, single = int(np.argmax(looked.splits)), int(np.argmax(looked.singles))
            alone = looked.singles[single] > looked.splits[split] and 0 < single < len(period) - 1
            if looked.pvalue(looked.singles[single] if alone else looked.splits[split]) > self.significance:
                continue
            if alone:
                day, others = period[single], period[:single] + period[single + 1 :]
                odd[day] = bool(self.days.values[day] > self.days.of(others).mean())
                waiting.append(others)
            else:
                changes.add(period[split + 1])
                waiting += [period[: split + 1], period[split + 1 :]]
        return changes, odd

    def kept(self, places: list[int], odd: list[int]) -> Marks:
        """Return what is significant between its neighbours; changes move to the most likely days there."""
        number, seen = len(self.days.names), set()
        while True:
            even = [day for day in range(number) if day not in odd]
            ends = [0, *places, number]
            changes = [self.change(_between(even, *around)) for around in zip(ends, ends[2:], strict=False)]
            levels = [_between(even, *level) for level in pairwise(ends)]
            odd_days = [self.odd_day(day, levels) for day in odd]
            found: list[Change | OddDay] = [*changes, *odd_days]
            least = max(range(len(found)), key=lambda one: (found[one].pvalue, -found[one].statistic), default=None)
            if least is not None and found[least].pvalue > self.significance:
                if least < len(places):
                    del places[least]
                else:
                    del odd[least - len(places)]
                continue
            moved = [self.days.names.index(change.first) for change in changes]
            if moved == places or len(set(moved)) < len(moved) or tuple(moved) in seen:
                p = self.at(list(range(number))).pvalue_of_largest
                return Marks(self.change(even), tuple(changes), tuple(odd_days), p)
            seen.add(tuple(moved))
            places = moved

    def change(self, period: list[int]) -> Change:
        """Return the most likely change of a period."""
        looked, names = self.at(period), self.days.names
        place = int(np.argmax(looked.splits))
        statistic = float(looked.splits[place])
        before, after = (self.days.of(side).mean() for side in (period[: place + 1], period[place + 1 :]))
        first, start, end = (names[period[one]] for one in (place + 1, 0, -1))
        return Change(first, start, end, before, after, statistic, looked.pvalue(statistic))

    def odd_day(self, day: int, levels: list[list[int]]) -> OddDay:
        """Return how a day differs from its level; between two levels from the nearer one."""
        # the first and the last day are splits, never odd
        level = bisect([one[0] for one in levels], day) - 1
        found = []
        for others in levels[level : level + 1 + (day > levels[level][-1])]:
            period = sorted([day, *others])
            looked = self.at(period)
            statistic = float(looked.singles[period.index(day)])
            value, mean = float(self.days.values[day]), self.days.of(others).mean()
            found.append(OddDay(self.days.names[day], value, mean, statistic, looked.pvalue(statistic)))
        return min(found, key=lambda one: one.statistic)


def _between(days: list[int], start: int, end: int) -> list[int]:
    return [day for day in days if start <= day < end]


def _largest(values: Array, errors: Array) -> Array:
    """Return the largest absolute contrast of rows; the first and the last day are splits."""
    splits, singles = np.abs(_splits(values, errors)), np.abs(_singles(values, errors)[:, 1:-1])
    return np.asarray(np.maximum(splits.max(axis=1), singles.max(axis=1, initial=0.0)))


def _singles(values: Array, errors: Array) -> Array:
    """Return the standardized difference of each day from the mean of the others, (..., D)."""
    weight = errors**-2
    others = weight.sum() - weight
    mean = ((values @ weight)[..., None] - values * weight) / others
    return np.asarray((values - mean) / np.sqrt(1 / weight + 1 / others))


def _splits(values: Array, errors: Array) -> Array:
    """Return the standardized difference of the means after and before each split, (..., D - 1)."""
    weight = errors**-2
    before, total = np.cumsum(weight)[:-1], weight.sum()
    sums = np.cumsum(values * weight, axis=-1)
    left, whole = sums[..., :-1], sums[..., -1:]
    after = total - before
    return np.asarray(((whole - left) / after - left / before) / np.sqrt(1 / before + 1 / after))
