"""How much of a ranking will be processed: densities of the rate, and how to elicit one.

The rate is the share of the list that is worked through before time or money ends. A density over it makes the
magnification f = W, its distribution function, of :class:`hitcurve.ExpectedRecall` and
:class:`hitcurve.RateWeightedAUC` (Millard, Flach and Higgins 2014).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from hitcurve import _checks, rows
from hitcurve.errors import ParameterError
from hitcurve.magnify import BetaDistribution, CutOff, Magnification, Mixture, Window
from hitcurve.magnify.quadrature import Array


class RateDensity(ABC):
    """A probability density of the rate on [0, 1]."""

    @abstractmethod
    def magnification(self) -> Magnification:
        """Return its distribution function W, as a magnification."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """Mean rate."""


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

    def magnification(self) -> Magnification:
        """Return the regularised incomplete beta function."""
        return BetaDistribution(self.a, self.b)

    @property
    def mean(self) -> float:
        """Mean rate, a / (a + b)."""
        return self.a / (self.a + self.b)

    @property
    def mode(self) -> float:
        """Most likely rate, (a - 1) / (a + b - 2); nan unless a and b are above 1."""
        return (self.a - 1) / (self.a + self.b - 2) if self.a > 1 and self.b > 1 else math.nan

    def quantile(self, level: float) -> float:
        """Return the rate below which the level lies."""
        return float(self.magnification().inverse(_checks.open_unit("level", level)))

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
        from scipy.optimize import root

        low, high = _checks.interval("quantiles", low, high)
        _checks.open_unit("lower quantile", low)
        _checks.open_unit("upper quantile", high)
        tail = (1 - _checks.open_unit("coverage", coverage)) / 2

        def residual(log_shape: Array) -> Array:
            found = BetaDistribution(*np.exp(np.clip(log_shape, -20, 20)))
            return np.asarray([found(low) - tail, found(high) - (1 - tail)])

        middle, spread = (low + high) / 2, (high - low) / 4
        size = max(middle * (1 - middle) / spread**2 - 1, 0.1)
        solution = root(residual, np.log([middle * size, (1 - middle) * size]), tol=1e-13)
        worst = float(np.max(np.abs(solution.fun)))
        if worst > 1e-8:
            raise ParameterError(
                f"no beta density has {low:g} and {high:g} as its quantiles (off by {worst:.2g} in probability)"
            )
        return cls(*np.exp(solution.x))

    @classmethod
    def from_time_budget(
        cls, items: int, minutes: float, per_item: tuple[float, float], *, coverage: float = 0.95
    ) -> Self:
        """Elicit the density from a time budget.

        Parameters
        ----------
        items : int
            Length of the list.
        minutes : float
            Time in all.
        per_item : (float, float)
            An item takes between these many minutes with probability ``coverage``.

        Returns
        -------
        Beta
            With rate quantiles T / (M t1) and T / (M t0).

        Raises
        ------
        ParameterError
            If an argument is out of range, or the time suffices for the whole list.

        Examples
        --------
        >>> density = Beta.from_time_budget(2500, 7200, (10, 45))
        >>> round(density.a, 3), round(density.b, 2), round(density.mode, 3)
        (6.226, 32.79, 0.141)
        """
        items = _checks.whole_number("items", items)
        minutes = _checks.positive_number("minutes", minutes)
        fast, slow = (_checks.positive_number("minutes per item", value) for value in per_item)
        if not fast < slow:
            raise ParameterError(f"per_item must go from the shorter to the longer time, got {per_item!r}")
        if minutes / (items * fast) >= 1:
            raise ParameterError(
                f"{minutes:g} minutes may suffice for all {items} items at {fast:g} minutes each: "
                "the rate then has no upper quantile below 1"
            )
        return cls.from_quantiles(minutes / (items * slow), minutes / (items * fast), coverage=coverage)


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
    """One rate, for sure.

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
        object.__setattr__(self, "rate", _checks.fraction("rate", self.rate))

    def __str__(self) -> str:
        return f"point({rows.exact(self.rate)})"

    def magnification(self) -> Magnification:
        """Return the step at the rate."""
        return CutOff(self.rate)

    @property
    def mean(self) -> float:
        """The rate."""
        return self.rate


@dataclass(frozen=True)
class RateMixture(RateDensity):
    """A weighted mean of densities: several reviewers, several budgets.

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
