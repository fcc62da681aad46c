"""Densities of the rate."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
import numpy.typing as npt

from hitcurve import _checks, rows
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.magnify import Magnification, Mixture, Step, Window
from hitcurve.magnify.beta import BetaDistribution
from hitcurve.rates import fit
from hitcurve.rates.durations import Duration, minutes_of
from hitcurve.rates.minutes import MinutesPerItem

_FEWEST = 5  # logged times that a density is fitted to


class RateDensity(ABC):
    """A probability density of the rate on [0, 1]."""

    @abstractmethod
    def magnification(self) -> Magnification:
        """Return its distribution function W, as a magnification."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """Mean rate."""

    def quantile(self, level: float) -> float:
        """Return the rate below which the level lies."""
        return float(self.magnification().inverse(_checks.open_share("level", level)))


@dataclass(frozen=True)
class Beta(RateDensity):
    """Beta density of the rate.

    Parameters
    ----------
    a, b : float, above 0

    Raises
    ------
    ParameterError
        If one is not a finite number above 0.

    Examples
    --------
    >>> str(Beta(6.23, 32.8)), round(Beta(6.23, 32.8).mode, 3)
    ('beta(6.23, 32.8)', 0.141)
    """

    a: float
    b: float

    def __post_init__(self) -> None:
        shape = BetaDistribution(self.a, self.b)
        object.__setattr__(self, "a", shape.a)
        object.__setattr__(self, "b", shape.b)

    def __str__(self) -> str:
        return f"beta({rows.exact(self.a)}, {rows.exact(self.b)})"

    @property
    def rounded(self) -> str:
        """The density with four digits, for reading."""
        return f"beta({rows.short(self.a)}, {rows.short(self.b)})"

    def magnification(self) -> BetaDistribution:
        """Return the regularised incomplete beta function."""
        return _distribution(self.a, self.b)

    @property
    def mean(self) -> float:
        """Mean rate, a / (a + b)."""
        return self.a / (self.a + self.b)

    @property
    def mode(self) -> float:
        """Most likely rate, (a - 1) / (a + b - 2); nan unless a and b are above 1."""
        return (self.a - 1) / (self.a + self.b - 2) if self.a > 1 and self.b > 1 else math.nan

    @property
    def variance(self) -> float:
        """Variance of the rate, a b / ((a + b)^2 (a + b + 1))."""
        return self.mean * (1 - self.mean) / (self.a + self.b + 1)

    def minutes_per_item(self, items: int, minutes: Duration) -> MinutesPerItem:
        """Return the distribution of the minutes per item for given total minutes and number of items.

        Raises
        ------
        ParameterError
            If an argument is out of range.

        Examples
        --------
        >>> law = Beta(6.226, 32.79).minutes_per_item(2500, 7200)
        >>> law.shortest, round(law.quantile(0.5), 2)
        (2.88, 18.73)
        """
        items, minutes = _budget(items, minutes)
        return MinutesPerItem(minutes / items, self.a, self.b)

    def distance(self, rates: npt.ArrayLike) -> float:
        """Return the largest difference between the distribution function and that of a sample of rates.

        Examples
        --------
        >>> round(Beta(1, 1).distance([0.1, 0.2, 0.9]), 4)
        0.4667
        """
        return fit.distance(self.magnification(), np.array([_checks.fraction("a rate", r) for r in np.ravel(rates)]))

    @classmethod
    def from_quantiles(cls, low: float, high: float, *, coverage: float = 0.95) -> Self:
        """Return the beta density with a central interval.

        Parameters
        ----------
        low, high : float
            Ends of the interval, 0 < low < high < 1.
        coverage : float in (0, 1)
            Probability between them, half of the rest on either side.

        Raises
        ------
        ParameterError
            If the ends are not such an interval, or no beta density has it.

        Examples
        --------
        >>> density = Beta.from_quantiles(0.064, 0.288)
        >>> round(density.a, 3), round(density.b, 2)
        (6.226, 32.79)
        """
        low, high = _checks.interval("quantiles", low, high, least=0.0)
        _checks.open_unit("lower quantile", low)
        _checks.open_unit("upper quantile", high)
        return cls(*fit.of_quantiles(low, high, (1 - _checks.level("coverage", coverage)) / 2))

    @classmethod
    def from_time_budget(
        cls, items: int, minutes: Duration, per_item: tuple[Duration, Duration], *, coverage: float = 0.95
    ) -> Self:
        """Elicit the density from a time budget.

        Parameters
        ----------
        items : int
            Length of the list.
        minutes : float, str or datetime.timedelta
            Time in all: minutes, or a duration such as ``"24h"``, ``"3d"`` (of 24 hours a day) or ``"1h30min"``.
        per_item : pair of float, str or datetime.timedelta
            An item takes between these numbers of minutes with probability ``coverage``.

        Returns
        -------
        Beta
            With rate quantiles T / (M t1) and T / (M t0).

        Raises
        ------
        ParameterError
            If an argument is out of range, or the time suffices for the whole list, with advice.

        Examples
        --------
        >>> density = Beta.from_time_budget(2500, 7200, (10, 45))
        >>> round(density.a, 3), round(density.b, 2), round(density.mode, 3)
        (6.226, 32.79, 0.141)
        >>> Beta.from_time_budget(2500, "120h", ("10min", "45min")) == density
        True
        """
        items, minutes = _budget(items, minutes)
        fast, slow = (minutes_of("minutes per item", value) for value in per_item)
        if not fast < slow:
            raise ParameterError(f"per_item must be the shorter time and then the longer time, got {per_item!r}")
        if minutes >= items * slow:
            raise ParameterError(
                f"{minutes:g} minutes suffice for all {items} items even at {_minutes(slow)} each, which takes "
                f"{items * slow:g} minutes: screen the whole list, which finds every positive in any order; how early "
                "they are found is measured by auc or ap"
            )
        if minutes >= items * fast:
            raise ParameterError(
                f"{minutes:g} minutes may suffice for all {items} items at {_minutes(fast)} each: the rate then has no "
                f"upper quantile below 1; {_advice(minutes / (items * slow), items * fast)}"
            )
        return cls.from_quantiles(minutes / (items * slow), minutes / (items * fast), coverage=coverage)

    @classmethod
    def from_times(cls, minutes_per_item: npt.ArrayLike, items: int, minutes: Duration) -> Self:
        """Fit the density to a log of the time that items took.

        Each entry is an average over a review like the one that is planned (or over all that one reviewer read), not
        the time of a single item. At the pace t the budget reaches T / (M t) of the list; the density is fitted to
        these rates by maximum likelihood.

        Parameters
        ----------
        minutes_per_item : array-like (n,), above 0
            Average minutes per item of at least 5 reviews.
        items : int
            Length of the list that is planned for, M.
        minutes : float, str or datetime.timedelta
            Time in all, T; see :meth:`from_time_budget`.

        Returns
        -------
        Beta

        Raises
        ------
        InsufficientDataError
            If there are fewer than 5 entries.
        ParameterError
            If an argument is out of range; if at some logged pace the time suffices for the whole list; if all entries
            are the same; or if no beta density fits: if the distribution functions of the rates and of the density
            are further apart than in 99 of 100 samples of a density with two fitted parameters (the limit of
            Stephens 1974 for the normal one, which beta samples exceed in 1 to 3 of 100).

        Notes
        -----
        Averages over a few hours vary more than averages over a whole review, so a density fitted to them is too wide.
        With few entries almost any density fits, so an accepted fit is weak evidence.

        Examples
        --------
        >>> log = [14.2, 18.5, 16.1, 25.0, 31.5, 19.8, 12.9]
        >>> density = Beta.from_times(log, items=2500, minutes=7200)
        >>> density.rounded, round(density.distance(7200 / (2500 * np.array(log))), 3)
        ('beta(10.7, 56.63)', 0.126)
        """
        items, minutes = _budget(items, minutes)
        times = [_checks.positive_number("minutes per item", t) for t in np.ravel(minutes_per_item).tolist()]
        if len(times) < _FEWEST:
            raise InsufficientDataError(f"a density is fitted to at least {_FEWEST} logged times, got {len(times)}")
        if minutes / (items * min(times)) >= 1:
            raise ParameterError(
                f"{minutes:g} minutes suffice for all {items} items at the logged {_minutes(min(times))} each: the "
                f"rate then has no density below 1; {_advice(minutes / (items * max(times)), items * min(times))}"
            )
        if min(times) == max(times):
            raise ParameterError(
                f"all {len(times)} logged times are {times[0]:g} minutes: they do not show how much the rate varies"
            )
        rates = minutes / (items * np.array(times))
        found = cls(*fit.of_sample(rates))
        off, most = found.distance(rates), fit.largest_distance(rates.size)
        if off > most:
            raise ParameterError(
                f"no beta density fits the {rates.size} logged times: the distribution function of the best one, "
                f"{found.rounded}, differs by {off:.2g}, and at most {most:.2g} is accepted"
            )
        return found


def _budget(items: int, minutes: Duration) -> tuple[int, float]:
    return _checks.whole_number("items", items), minutes_of("minutes", minutes)


def _minutes(number: float) -> str:
    return f"{number:g} minute{'' if number == 1 else 's'}"


def _advice(lowest: float, least: float) -> str:
    """Return what to do where the whole list may be screened, at the least after so many minutes."""
    if lowest >= 1:
        return "screen the whole list, which finds every positive in any order"
    return (
        f"plan less than {least:g} minutes, or judge the order by a density that reaches the whole list, such as the "
        f"metric expected_recall(uniform({rows.short(lowest, 2)}, 1))"
    )


@lru_cache(maxsize=256)
def _distribution(a: float, b: float) -> BetaDistribution:
    """Return the distribution function, of which value and interval ask again and again."""
    return BetaDistribution(a, b)


@dataclass(frozen=True)
class Uniform(RateDensity):
    """Every rate between two ends alike.

    Parameters
    ----------
    lower, upper : float
        0 <= lower < upper <= 1.

    Examples
    --------
    >>> str(Uniform(0, 0.1)), Uniform(0, 0.1).mean
    ('uniform(0, 0.1)', 0.05)
    """

    lower: float = 0.0
    upper: float = 1.0

    def __post_init__(self) -> None:
        window = Window(self.lower, self.upper)
        object.__setattr__(self, "lower", window.lower)
        object.__setattr__(self, "upper", window.upper)

    def __str__(self) -> str:
        return f"uniform({rows.exact(self.lower)}, {rows.exact(self.upper)})"

    def magnification(self) -> Magnification:
        """Return the window between the ends."""
        return Window(self.lower, self.upper)

    @property
    def mean(self) -> float:
        """Middle of the ends."""
        return (self.lower + self.upper) / 2


@dataclass(frozen=True)
class Point(RateDensity):
    """A single known rate.

    Parameters
    ----------
    rate : float in (0, 1]

    Examples
    --------
    >>> str(Point(0.1))
    'point(0.1)'
    """

    rate: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", _checks.share_of_a_cut("rate", self.rate))

    def __str__(self) -> str:
        return f"point({rows.exact(self.rate)})"

    def magnification(self) -> Magnification:
        """Return the step at the rate."""
        return Step(self.rate)

    @property
    def mean(self) -> float:
        """The rate."""
        return self.rate


@dataclass(frozen=True)
class RateMixture(RateDensity):
    """A weighted mean of densities, for one unknown reviewer or budget of several.

    For several reviewers who share a list, see :class:`hitcurve.rates.RateSum`.

    Parameters
    ----------
    densities : sequence of RateDensity
    shares : sequence of float, above 0
        Relative weights: they need not sum to 1.

    Examples
    --------
    >>> str(RateMixture([Beta(6, 30), Point(0.5)], [3, 1]))
    'mixture(3, beta(6, 30), 1, point(0.5))'
    """

    densities: tuple[RateDensity, ...]
    shares: tuple[float, ...]

    def __init__(self, densities: Sequence[RateDensity], shares: Sequence[float]) -> None:
        object.__setattr__(self, "densities", tuple(densities))
        object.__setattr__(self, "shares", tuple(float(share) for share in shares))
        self.magnification()  # which checks them

    def __str__(self) -> str:
        pairs = zip(self.shares, self.densities, strict=True)
        return f"mixture({', '.join(f'{rows.exact(share)}, {density}' for share, density in pairs)})"

    def magnification(self) -> Magnification:
        """Return the mixture of the distribution functions."""
        return Mixture([density.magnification() for density in self.densities], self.shares)

    @property
    def mean(self) -> float:
        """Mean rate."""
        pairs = zip(self.shares, self.densities, strict=True)
        return math.fsum(share * density.mean for share, density in pairs) / math.fsum(self.shares)
