"""Areas along the rate: what a list is worth if a share of all subjects is processed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts, before
from hitcurve.errors import ParameterError
from hitcurve.magnify import Exponential, Identity, Magnification
from hitcurve.magnify.pieces import sum_of_products
from hitcurve.metrics.area import AreaMetric, Magnified, Scale
from hitcurve.metrics.normalised import Normalised
from hitcurve.metrics.texts import each
from hitcurve.metrics.written import keyword, positional
from hitcurve.rates import Beta, RateDensity
from hitcurve.refusals import Refusal
from hitcurve.table import HitTable


class RateMetric(AreaMetric):
    """A member of the area family on the rate axis."""

    axis: ClassVar[str] = "rate"


@dataclass(frozen=True)
class AUAC(RateMetric):
    """Area under the accumulation curve: TPR over the rate.

    ``integral of TPR d rate = pi/2 + (1 - pi) AUC``, also the area under the cumulative gains or enrichment curve.
    In [0, 1], higher is better; random 1/2, perfect 1 - pi/2, reversed pi/2.

    Parameters
    ----------
    scale : {"raw", "max"}
        ``max`` divides by the perfect value, as CLEF's norm_area does.

    Raises
    ------
    ParameterError
        If the scale is neither.

    Examples
    --------
    >>> AUAC()([1, 0, 1, 0], [4, 3, 2, 1])
    0.625
    """

    name: ClassVar[str] = "auac"
    summary: ClassVar[str] = "area under the accumulation curve"
    reference: ClassVar[str] = "Truchon and Bayly 2007, J. Chem. Inf. Model. 47:488"
    scale: str = keyword("raw")

    def __post_init__(self) -> None:
        _checks.choice("scale", self.scale, ("raw", "max"))

    @property
    def perfect_value(self) -> float | None:  # type: ignore[override]
        """1 if the area is divided by its maximum."""
        return 1.0 if self.scale == "max" else None

    def magnification(self, c: Counts) -> Magnification:
        """Return the identity."""
        return Identity()

    def rescale(self, c: Counts) -> Scale:
        """Divide by the maximum 1 - pi/2 if asked."""
        return Scale() if self.scale == "raw" else Scale(0.0, 1 / (1 - c.pi / 2))

    def rescale_slope(self, c: Counts) -> Scale:
        """Return how the maximum follows the prevalence."""
        return Scale(0.0, 0.0 if self.scale == "raw" else 0.5 / (1 - c.pi / 2) ** 2)


@dataclass(frozen=True)
class CAC(Magnified):
    """Area under the concentrated accumulation curve (Swamidass et al. 2010).

    ``integral of TPR d f(rate)``. In [0, 1], higher is better; random ``1 - mean of f``; the perfect value is
    below 1 since the positives themselves take up part of the list.

    Parameters
    ----------
    f : Magnification

    Raises
    ------
    ParameterError
        If f is no magnification.

    Examples
    --------
    >>> from hitcurve.magnify import Exponential
    >>> round(CAC(Exponential(7))([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    0.2425
    """

    name: ClassVar[str] = "cac"
    summary: ClassVar[str] = "area under the concentrated accumulation curve"
    reference: ClassVar[str] = "Swamidass et al. 2010, Bioinformatics 26:1348"
    axis: ClassVar[str] = "rate"


@dataclass(frozen=True)
class _ExponentialWeights(RateMetric):
    """Weights that fall exponentially with the rate."""

    alpha: float = keyword(20.0, always=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", _checks.positive_number("alpha", self.alpha))
        if self.alpha > _LARGEST_ALPHA:
            raise ParameterError(f"alpha must be at most {_LARGEST_ALPHA:g}, got {self.alpha!r}")

    def magnification(self, c: Counts) -> Magnification:
        """Return the exponential map."""
        return _exponential(self.alpha)

    def of_replicates(self, c: Counts) -> Any:
        """Return the kernel of many lists; of samples of one size the exponentials of whole ranks are looked up."""
        if c.whole and c.whole_lists and not c.is_corrected and self.alpha >= 1:
            n = int(c.n.max(initial=0.0))
            if 0 < n <= _LOOKED_UP and (c.n == n).all():
                f = _exponential(self.alpha)
                c.once("worth", self, lambda: f.worth_of_steps(*c.around_positives(c.called), n))
        return super().of_replicates(c)


_exponential = lru_cache(maxsize=64)(Exponential)


@dataclass(frozen=True)
class RIE(_ExponentialWeights):
    """Robust initial enhancement (Sheridan et al. 2001).

    Mean of ``exp(-alpha rank/n)`` over the positives, over its mean for a random order; natural exponential, ranks from
    1, ties in expectation. Equal to ``alpha (AUC[CAC] + 1/(exp(alpha) - 1))``. At least 0, higher is better; random 1.

    Parameters
    ----------
    alpha : float, above 0

    Raises
    ------
    ParameterError
        If it is not.

    Examples
    --------
    >>> round(RIE(alpha=20)([1, 0, 0, 0, 1, 0, 0, 0, 0, 0], range(10, 0, -1)), 4)
    4.3248
    """

    name: ClassVar[str] = "rie"
    summary: ClassVar[str] = "robust initial enhancement"
    reference: ClassVar[str] = "Sheridan et al. 2001, J. Chem. Inf. Comput. Sci. 41:1395"

    def rescale(self, c: Counts) -> Scale:
        """Return alpha (area + 1/(exp(alpha) - 1))."""
        return Scale(float(Exponential(self.alpha).derivative(1.0)), self.alpha)

    def bounds_of_cohort(self, c: Counts) -> tuple[Array | float, Array | float]:
        """Return the values of an area of 0 and of 1, which a rare class may reach."""
        scale = self.rescale(c)
        return scale.offset, scale.offset + scale.factor

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return 0.0, math.inf

    def convention(self, table: HitTable | Counts) -> Any:
        """Say the conventions of the sum."""
        return each(self._admit(table), "natural exponential, ties in expectation")


_LOOKED_UP = 1 << 14  # ranks whose exponentials stay in the cache of a processor
_LARGEST_ALPHA = 1e75  # squares of it are floats
_FEW_NEGATIVES = 1e-6  # share of the list


@dataclass(frozen=True)
class BEDROC(_ExponentialWeights, Normalised):
    """Boltzmann-enhanced discrimination of ROC (Truchon and Bayly 2007).

    RIE rescaled to 0 for the reversed and 1 for the perfect list; ties in expectation. In [0, 1], higher is
    better. The random value depends on the prevalence and is far from 0 unless ``alpha * prevalence`` is small;
    it tends to AUC as alpha tends to 0.

    Parameters
    ----------
    alpha : float, above 0
        80% of the weight is on the first 8% of the list with 20, and on the first 2% with 80.5.

    Raises
    ------
    ParameterError
        If it is not.

    Examples
    --------
    >>> y, s = [1, 0, 1, 0, 0, 0, 1, 0, 0, 0], range(10, 0, -1)
    >>> round(BEDROC(alpha=20)(y, s), 6)
    0.882695
    """

    name: ClassVar[str] = "bedroc"
    summary: ClassVar[str] = "Boltzmann-enhanced discrimination of ROC"
    reference: ClassVar[str] = "Truchon and Bayly 2007, J. Chem. Inf. Model. 47:488"

    def convention(self, table: HitTable | Counts) -> Any:
        """Say the convention."""
        return each(self._admit(table), "ties in expectation")

    def caution(self, table: HitTable | Counts) -> Any:
        """Return a caveat unless alpha times prevalence is small compared with 1."""
        c = self._admit(table)
        load, random = self.alpha * c.pi, np.asarray(self.random(c))
        return each(c, lambda index: self._crowded(load[index], random[index]) if load[index] > 1 else "", load, random)

    def _crowded(self, load: float, random: float) -> str:
        return (
            f"{self} depends on the prevalence here: alpha * prevalence is {load:.3g}, which is not small compared "
            f"with 1, so positives compete for the top ranks (random baseline {random:.3g})"
        )


@dataclass(frozen=True)
class _Elicited(RateMetric):
    """A metric under a density of the rate; the default is the rapid review of Millard et al."""

    density: RateDensity = positional(Beta(6.23, 32.8))

    def __post_init__(self) -> None:
        if not isinstance(self.density, RateDensity):
            raise ParameterError(f"density must be a RateDensity, got {self.density!r}")

    def magnification(self, c: Counts) -> Magnification:
        """Return the distribution function of the rate."""
        return self.density.magnification()


@dataclass(frozen=True)
class RateWeightedAUC(_Elicited, Normalised):
    """Rate-weighted AUC: expected recall when an uncertain fraction of the list is screened, rescaled.

    ``(E[TPR] - B) / (1 - B - C)`` with B and C of Theorem 6 of Millard, Flach and Higgins (2014). In [0, 1],
    higher is better; perfect 1, reversed 0, random ``(mean rate - B) / (1 - B - C)``; equal
    to AUC under a uniform density.

    Parameters
    ----------
    density : RateDensity
        Of the share of the list that will be processed; beta(6.23, 32.8) is the paper's rapid review.

    Raises
    ------
    ParameterError
        If the density is none.
    UndefinedMetricError
        When evaluated under a density that gives all rankings the same value, such as point(1).

    Examples
    --------
    >>> from hitcurve.rates import Uniform
    >>> round(RateWeightedAUC(Uniform())([1, 0, 1, 0], [4, 3, 2, 1]), 12)
    0.75
    """

    name: ClassVar[str] = "rauc"
    _least_room: ClassVar[float] = 1e-10  # distribution functions are known to 1e-16
    _least_part: ClassVar[float] = 1e-6
    summary: ClassVar[str] = "rate-weighted AUC"
    reference: ClassVar[str] = "Millard, Flach and Higgins 2014, LNCS 8725:386"


@dataclass(frozen=True)
class ExpectedRecall(_Elicited):
    """Expected TPR under a density of the rate.

    ``integral of TPR dW(rate)`` (Millard, Flach and Higgins 2014). In [0, 1], higher is better; random: the mean
    rate; perfect: one minus the expected shortfall C of rates below the prevalence.

    Parameters
    ----------
    density : RateDensity

    Raises
    ------
    ParameterError
        If the density is none.

    Examples
    --------
    >>> from hitcurve.rates import Point
    >>> ExpectedRecall(Point(0.5))([1, 0, 1, 0], [4, 3, 2, 1])
    0.5
    """

    name: ClassVar[str] = "expected_recall"
    summary: ClassVar[str] = "expected recall under a density of the rate"
    reference: ClassVar[str] = "Millard, Flach and Higgins 2014, LNCS 8725:386"


@dataclass(frozen=True)
class ExpectedNegativeRecall(_Elicited):
    """Expected TNR under a density of the rate: expected fraction of the negatives not screened.

    ``integral of TNR dW(rate)`` (Millard, Flach and Higgins 2014). In [0, 1], higher is better; random: one minus
    the mean rate; perfect: below 1 where rates may exceed the prevalence.

    Parameters
    ----------
    density : RateDensity

    Raises
    ------
    ParameterError
        If the density is none.

    Examples
    --------
    >>> from hitcurve.rates import Point
    >>> ExpectedNegativeRecall(Point(0.5))([1, 0, 1, 0], [4, 3, 2, 1])
    0.5
    """

    name: ClassVar[str] = "expected_negative_recall"
    summary: ClassVar[str] = "expected fraction of negatives not screened, under a density of the rate"
    reference: ClassVar[str] = "Millard, Flach and Higgins 2014, LNCS 8725:386"

    def why_nan(self, c: Counts) -> Iterator[Refusal]:
        """Yield the lists whose negatives are lost in rounding."""
        where = f"where the prevalence is within {_FEW_NEGATIVES:g} of 1, so the negatives have no weight"
        yield Refusal(1 - c.pi < _FEW_NEGATIVES, f"{self} is undefined {where}")

    def _rest(self, c: Counts) -> Array:
        rest = np.asarray(1 - c.pi)
        return np.where(rest < _FEW_NEGATIVES, math.nan, rest)

    def kernel(self, c: Counts) -> Array:
        """Return the mean over the negatives of how likely each is spared: small values keep their digits."""
        spared = self.magnification(c).mean(before(c.r), c.r)
        return np.where(np.isnan(self._rest(c)), math.nan, sum_of_products(c.q, spared))

    def rescale(self, c: Counts) -> Scale:
        """Return the TNR at this TPR, from rate = pi TPR + (1 - pi) FPR."""
        rest = self._rest(c)
        return Scale(1 - self.density.mean / rest, c.pi / rest)

    def rescale_slope(self, c: Counts) -> Scale:
        """Return how that follows the prevalence."""
        rest = self._rest(c)
        return Scale(-self.density.mean / rest**2, 1 / rest**2)
