"""Several reviewers who share one list."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.errors import ParameterError
from hitcurve.magnify.quadrature import Array
from hitcurve.rates.densities import Beta

_CELLS = 4096  # of the sum; halving them moves its distribution function by some 1e-7
_BEYOND = 1e-10  # left out in either tail of each density
_LARGEST = 0.025  # probability of finishing the list, as in the elicitation of one reviewer


@dataclass(frozen=True)
class RateSum:
    """Sum of the rates of independent reviewers of one list.

    The sum of beta densities is not a beta density. It is approximated by the beta density with the same mean and
    variance; ``distance`` is the error.

    Parameters
    ----------
    densities : sequence of Beta
        Rate of each reviewer, as a share of the whole list; at least two.

    Raises
    ------
    ParameterError
        If they are not, or finish the list with a probability of 2.5% or more.

    See Also
    --------
    RateMixture : one unknown reviewer of several does the review.

    Notes
    -----
    The expected recall under ``density`` is off by at most ``distance``: recall rises from 0 to 1 with the rate, so
    that the integral of recall over a change of the distribution function is at most its largest change.

    If reviewers are slow or fast together (because the abstracts are hard or easy), their sum is wider than this one.

    Examples
    --------
    >>> team = RateSum([Beta.from_time_budget(2500, 7200, (10, 45)), Beta.from_time_budget(2500, 3600, (8, 30))])
    >>> str(team), round(team.mean, 3), team.distance < 0.01
    ('sum of 2, as beta(11.14, 31)', 0.264, True)
    """

    densities: tuple[Beta, ...]

    def __init__(self, densities: Sequence[Beta]) -> None:
        object.__setattr__(self, "densities", tuple(densities))
        if len(self.densities) < 2:
            raise ParameterError(f"a sum needs at least two densities, got {len(self.densities)}")
        for density in self.densities:
            if not isinstance(density, Beta):
                raise ParameterError(f"a sum is taken of beta densities, got {density!r}")
        if (beyond := self._beyond) >= _LARGEST:
            raise ParameterError(
                f"together the reviewers finish the whole list with probability {beyond:.2g}: the rate then has no "
                "density below 1; plan less time or fewer reviewers, or screen the whole list, which finds every "
                "positive in any order"
            )

    def __str__(self) -> str:
        return f"sum of {len(self.densities)}, as {self.density.rounded}"

    @property
    def mean(self) -> float:
        """Mean rate, the sum of the means."""
        return math.fsum(density.mean for density in self.densities)

    @property
    def density(self) -> Beta:
        """The beta density with the mean and the variance of the sum."""
        variance = math.fsum(density.variance for density in self.densities)
        size = self.mean * (1 - self.mean) / variance - 1
        return Beta(self.mean * size, (1 - self.mean) * size)

    @property
    def distance(self) -> float:
        """Largest difference between the distribution functions of the sum and of ``density``."""
        rate, below = self._distribution
        return float(np.max(np.abs(self.density.magnification()(np.minimum(rate, 1)) - below)))

    def cdf(self, rate: float) -> float:
        """Return the probability that the summed rate is at most this rate."""
        return float(np.interp(rate, *self._distribution))

    @property
    def _beyond(self) -> float:
        return 1 - self.cdf(1)

    @cached_property
    def _distribution(self) -> tuple[Array, Array]:
        """Rates and the distribution function of the sum there.

        Each density is spread evenly within cells of one width; the sum of two such is a triangle over two cells, half
        of which lies in either.
        """
        ends = [density.magnification().inverse([_BEYOND, 1 - _BEYOND]) for density in self.densities]
        width = float(np.sum(np.diff(ends))) / _CELLS
        start, below = 0.0, np.zeros(0)
        for place, (density, (low, high)) in enumerate(zip(self.densities, ends, strict=True)):
            edges = low + width * np.arange(math.ceil((high - low) / width) + 1)
            own = np.diff(density.magnification()(np.minimum(edges, 1)))
            own /= own.sum()
            start += float(low)
            if not place:
                below = np.append(0.0, np.cumsum(own))
                continue
            reached = np.append(0.0, np.cumsum(np.convolve(np.diff(below), own)))
            below = np.concatenate([[0.0], (reached[:-1] + reached[1:]) / 2, [1.0]])
        return np.asarray(start + width * np.arange(below.size)), below
