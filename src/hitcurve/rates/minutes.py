"""Time per item implied by a beta density of the rate."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hitcurve import _checks, rows
from hitcurve.magnify.beta import BetaDistribution
from hitcurve.magnify.quadrature import Array


@dataclass(frozen=True)
class MinutesPerItem:
    """Distribution of the mean minutes per item of a review: T / (M R), where the rate R has a beta density.

    It is the inverse beta distribution on [T / M, inf): no review takes less than T / M minutes per item, at which the
    time suffices for the whole list, and there is no upper end.

    Parameters
    ----------
    shortest : float, above 0
        T / M, the time in all over the number of items.
    a, b : float, above 0
        Shapes of the density of the rate.

    Notes
    -----
    T / (M R) has the distribution function 1 - I(T / (M x); a, b) with the regularised incomplete beta function I
    (Millard, Flach and Higgins 2014). It is a beta prime distribution with the shapes b, a, scaled by T / M and shifted
    by as much.

    Examples
    --------
    >>> from hitcurve.rates import Beta
    >>> law = Beta.from_time_budget(2500, 7200, (10, 45)).minutes_per_item(2500, 7200)
    >>> str(law)
    'inverse beta(6.226, 32.79) on [2.88, inf)'
    >>> round(law.quantile(0.025), 6), round(law.quantile(0.5), 2), round(law.quantile(0.975), 6)
    (10.0, 18.73, 45.0)
    >>> law.cdf([2.88, 10, 45]).round(3).tolist()
    [0.0, 0.025, 0.975]
    """

    shortest: float
    a: float
    b: float

    def __post_init__(self) -> None:
        shape = BetaDistribution(self.a, self.b)
        object.__setattr__(self, "shortest", _checks.positive_number("the shortest time", self.shortest))
        object.__setattr__(self, "a", shape.a)
        object.__setattr__(self, "b", shape.b)

    def __str__(self) -> str:
        return f"inverse beta({rows.short(self.a)}, {rows.short(self.b)}) on [{rows.short(self.shortest)}, inf)"

    @property
    def mean(self) -> float:
        """Mean minutes, T / M (a + b - 1) / (a - 1); inf unless a is above 1."""
        return self.shortest * (self.a + self.b - 1) / (self.a - 1) if self.a > 1 else math.inf

    def quantile(self, level: float) -> float:
        """Return the minutes below which the level lies."""
        from scipy.special import betainccinv

        return self.shortest / float(betainccinv(self.a, self.b, _checks.open_share("level", level)))

    def cdf(self, minutes: npt.ArrayLike) -> Array:
        """Return the probability that an item takes at most so many minutes."""
        from scipy.special import betaincc

        rate = self.shortest / np.maximum(np.asarray(minutes, float), self.shortest)
        return np.asarray(betaincc(self.a, self.b, rate))
