"""Boundaries of tests that are looked at again and again while labels arrive.

A boundary says how large a normal statistic must be at one look, so that over all looks a true null is rejected with
the probability of one test. Statistics with a t distribution are taken to the normal one by their tails.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

_FINE = 6  # points of a grid for each standard deviation of a step
_KEPT = 0.8  # of the error of an O'Brien-Fleming boundary; the rest is for what is normal only in large samples


class Boundary(Protocol):
    """What one look may reject at."""

    def critical(self, confidence_level: float) -> float:
        """Return the limit of a normal statistic."""

    def pvalue(self, z: float) -> float:
        """Return one minus the largest confidence level whose limit a normal statistic reaches."""


@dataclass(frozen=True)
class NormalMixture:
    """Asymptotic confidence sequence of a normal mixture (Robbins 1970; Waudby-Smith et al. 2024).

    ``c = sqrt((rho + 1)/rho log((rho + 1)/alpha^2))`` with ``rho = information r^2``: the interval value -+ c standard
    errors holds at all looks together, for any number of looks.

    Attributes
    ----------
    information : float
        Labels so far; of a pool of n, ``m n/(n - m)``.
    horizon : float
        Labels expected in all. The interval is narrowest, beside that of a single look, at a third of them.
    significance : float
        For which it is narrowest there.
    """

    information: float
    horizon: float
    significance: float = 0.05

    @property
    def _rho(self) -> float:
        a = -2 * math.log(self.significance)
        return self.information * (a + math.log(a + 1)) / (self.horizon / 3)

    def critical(self, confidence_level: float) -> float:
        """Return the limit of a normal statistic."""
        rho = self._rho
        return math.sqrt((rho + 1) / rho * (math.log1p(rho) - 2 * math.log1p(-confidence_level)))

    def pvalue(self, z: float) -> float:
        """Return the p value of a normal statistic; its reciprocal is the evidence of the mixture."""
        rho = self._rho
        return math.exp(min(0.0, math.log1p(rho) / 2 - z * z * rho / (2 * (rho + 1))))


@dataclass(frozen=True)
class OBrienFleming:
    """O'Brien and Fleming's boundary for a known end, and any looks before it.

    ``c = b/sqrt(share)``, with b the quantile of the largest absolute value of a Brownian motion on [0, 1] at 0.8
    times the error.

    Attributes
    ----------
    share : float in (0, 1]
        Labels so far, over those at the end.
    """

    share: float

    def critical(self, confidence_level: float) -> float:
        """Return the limit of a normal statistic."""
        from scipy.optimize import brentq

        error = _KEPT * (1 - confidence_level)
        found: float = brentq(lambda b: _beyond(b) - error, 0.1, 40.0, xtol=1e-12)
        return found / math.sqrt(self.share)

    def pvalue(self, z: float) -> float:
        """Return the p value of a normal statistic."""
        return min(1.0, _beyond(z * math.sqrt(self.share)) / _KEPT)


def _beyond(b: float) -> float:
    """Return the probability that a Brownian motion on [0, 1] leaves (-b, b)."""
    from scipy.special import erfc

    odd = 2 * np.arange(8) + 1.0
    sign = np.where(odd % 4 == 1, 1.0, -1.0)
    if b > 1:
        return float(2 * np.sum(sign * erfc(odd * b / math.sqrt(2))))
    if b < 0.05:
        return 1.0
    return float(1 - 4 / math.pi * np.sum(sign / odd * np.exp(-((odd * math.pi / b) ** 2) / 8)))


def taken_to_t(z: float, degrees: float) -> float:
    """Return the t statistic with the tail of a normal one."""
    from scipy.special import ndtr, stdtrit

    if math.isinf(degrees):
        return z
    tail = float(ndtr(-z))
    return float(-stdtrit(degrees, tail)) if tail > 0 else math.inf


def taken_to_normal(t: float, degrees: float) -> float:
    """Return the normal statistic with the tail of a t statistic, by its absolute value."""
    from scipy.special import ndtri, stdtr

    return abs(t) if math.isinf(degrees) else float(-ndtri(stdtr(degrees, -abs(t))))


def crossing(limits: Sequence[float], shares: Sequence[float], drift: float = 0.0) -> list[float]:
    """Return the probability that a normal statistic first passes its limit at each look.

    By numerical integration from look to look (Armitage, McPherson and Rowe 1969).

    Parameters
    ----------
    limits : sequence of float
        Of the absolute statistic at each look.
    shares : sequence of float
        Of the information at each look, rising.
    drift : float
        Mean of the statistic where all information is there; 0 under the null.
    """
    from scipy.special import ndtr

    probabilities, place, density, before = [], np.zeros(1), np.ones(1), 0.0
    for limit, share in zip(limits, shares, strict=True):
        edge, step = limit * math.sqrt(share), math.sqrt(share - before)
        mean = place + drift * (share - before)
        out = ndtr((mean - edge) / step) + ndtr((-edge - mean) / step)
        probabilities.append(float(np.sum(density * out)))
        edge = min(edge, abs(drift) * share + 9 * math.sqrt(share))  # beyond, there is nothing
        after = np.linspace(-edge, edge, 2 * math.ceil(_FINE * edge / step) + 1)
        weight = np.full(after.size, after[1] - after[0])
        weight[[0, -1]] /= 2
        kernel = np.exp(-(((after[:, None] - mean) / step) ** 2) / 2) / (step * math.sqrt(2 * math.pi))
        place, density, before = after, (kernel @ density) * weight, share
    return probabilities
