"""The families of smooth maps with one parameter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.counts import AnyArray
from hitcurve.magnify.magnification import Integrable, Magnification
from hitcurve.magnify.pieces import Pair, in_pieces, pairs_in_pieces
from hitcurve.magnify.quadrature import Array, columns
from hitcurve.magnify.series import exp_dn, exp_up_dn, log_dn, log_up

_NEXT_TO_0 = 3e-4  # where three terms of a series leave no rest


def _average_of_fall(fall: Array) -> Array:
    """Return the averages of exp(fall u) over u in [0, 1]: (exp(fall) - 1)/fall, and 1 where fall is next to 0.

    ``fall``, at most 0, is overwritten.
    """
    fall -= 1e-300
    if fall.size and fall.min() > -_NEXT_TO_0:
        return np.asarray(1 + fall / 2 * (1 + fall / 3 * (1 + fall / 4)))
    average = np.asarray(np.expm1(fall))
    average /= fall
    return average


@dataclass(frozen=True)
class Identity(Magnification):
    """No magnification: f(x) = x."""

    word: ClassVar[str] = "identity"
    is_smooth: ClassVar[bool] = True

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return x."""
        return np.array(x, float)

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return 1."""
        return np.ones(np.shape(x))

    def mean(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the middle of each interval."""
        return in_pieces(lambda a, b: (a + b) / 2, *columns(x0, x1))

    def mean_slopes(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Pair:
        """Return 1/2 twice."""
        half = np.full(np.broadcast_shapes(np.shape(x0), np.shape(x1)), 0.5)
        return half, half.copy()

    def inverse(self, y: npt.ArrayLike) -> Array:
        """Return y."""
        return np.array(y, float)


@dataclass(frozen=True)
class _Shaped(Magnification):
    """A family with one parameter above 0."""

    alpha: float
    parameter: ClassVar[str | None] = "alpha"

    def __post_init__(self) -> None:
        object.__setattr__(self, "alpha", _checks.positive_number("alpha", self.alpha))


@dataclass(frozen=True)
class Exponential(_Shaped):
    """f(x) = (1 - exp(-alpha x)) / (1 - exp(-alpha)), Swamidass et al. 2010.

    Parameters
    ----------
    alpha : float, above 0
        The larger, the earlier: 7 sends 0.1 to about 0.5, 14 sends 0.05 there, 80 sends 0.0086 there.

    Raises
    ------
    ParameterError
        If alpha is not a finite number above 0.

    Examples
    --------
    >>> float(Exponential(7)(0.1).round(3))
    0.504
    """

    word: ClassVar[str] = "exp"
    is_smooth: ClassVar[bool] = True

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return f(x)."""
        return np.asarray(np.expm1(-self.alpha * np.asarray(x, float)) / math.expm1(-self.alpha))

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return f'(x)."""
        slope = np.exp(-self.alpha * np.asarray(x, float))
        slope *= self.alpha / -math.expm1(-self.alpha)
        return np.asarray(slope)

    def _growth(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        return np.asarray(self.alpha * (np.asarray(x1, float) - np.asarray(x0, float)))

    def mean(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of f over each [x0, x1]."""
        x0, t = np.asarray(x0, float), self._growth(x0, x1)
        rise = -np.expm1(-self.alpha * x0) + np.exp(-self.alpha * x0) * t * exp_dn(t)
        return np.asarray(rise / -math.expm1(-self.alpha))

    def worth(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of 1 - f, with full relative precision far down the list."""
        return 1 - self.mean(x0, x1) if self.alpha < 1 else in_pieces(self._worth, *columns(x0, x1))

    def _worth(self, x0: Array, x1: Array) -> Array:
        fall = np.asarray(x0 - x1)
        fall *= self.alpha
        average = _average_of_fall(fall)
        rest = np.multiply(x0, -self.alpha, out=fall)
        np.exp(rest, out=rest)
        rest *= average
        return self._beyond_the_end(rest)

    def worth_of_steps(self, start: AnyArray, end: AnyArray, steps: int) -> Array:
        """Return the average of 1 - f from each whole step to another one of so many, by looking exponentials up."""
        width = end - start
        at_start = np.exp(np.arange(steps + 1) / steps * -self.alpha)
        average = _average_of_fall(np.arange(width.max(initial=0) + 1) * (-self.alpha / steps))
        rest = at_start.take(start)
        rest *= average.take(width)
        return self._beyond_the_end(rest)

    def _beyond_the_end(self, rest: Array) -> Array:
        """Return averages of exp(-alpha x), which are overwritten, less what it is at the end, and scaled."""
        rest -= math.exp(-self.alpha)
        if rest.size and rest.min() < 0:
            np.maximum(rest, 0, out=rest)
        rest /= -math.expm1(-self.alpha)
        return rest

    def mean_slopes(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Pair:
        """Return how the mean follows x1 and how it follows x0."""
        return pairs_in_pieces(self._mean_slopes, *columns(x0, x1))

    def _mean_slopes(self, x0: Array, x1: Array) -> Pair:
        slope, t = self.derivative(x0), self._growth(x0, x1)
        up, dn = exp_up_dn(t)
        return slope * up, slope * dn

    def inverse(self, y: npt.ArrayLike) -> Array:
        """Return the x with f(x) = y."""
        with np.errstate(divide="ignore"):
            x = -np.log1p(np.asarray(y, float) * math.expm1(-self.alpha)) / self.alpha
        return np.asarray(np.minimum(x, 1.0))

    def unit_point(self) -> float:
        """Return log(alpha / (1 - exp(-alpha))) / alpha."""
        return math.log(self.alpha / -math.expm1(-self.alpha)) / self.alpha


@dataclass(frozen=True)
class Power(_Shaped, Integrable):
    """f(x) = x^(1/(1+alpha)), Swamidass et al. 2010.

    Parameters
    ----------
    alpha : float, above 0
        2.3 sends 0.1 to about 0.5. The local magnification at 0 is infinite.

    Raises
    ------
    ParameterError
        If alpha is not a finite number above 0.

    Examples
    --------
    >>> float(Power(2.3)(0.1).round(3))
    0.498
    """

    word: ClassVar[str] = "power"
    is_smooth: ClassVar[bool] = True

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return f(x)."""
        return np.asarray(np.asarray(x, float) ** (1 / (1 + self.alpha)))

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return f'(x); infinite at 0."""
        c = 1 / (1 + self.alpha)
        with np.errstate(divide="ignore"):
            return np.asarray(c * np.asarray(x, float) ** (c - 1))

    def antiderivative(self, x: npt.ArrayLike) -> Array:
        """Return the integral of f from 0 to x."""
        c = 1 / (1 + self.alpha)
        return np.asarray(np.asarray(x, float) ** (1 + c) / (1 + c))

    def worth(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of 1 - f over each [x0, x1], with its own digits where alpha is large."""
        c = 1 / (1 + self.alpha)

        def rest(x: Array) -> Array:
            with np.errstate(divide="ignore"):
                return np.asarray(-np.expm1(c * np.log(x)))

        return self._mean_of(rest, lambda x: x * (c + np.where(x > 0, rest(x), 0.0)) / (1 + c), x0, x1)

    def inverse(self, y: npt.ArrayLike) -> Array:
        """Return the x with f(x) = y."""
        return np.asarray(np.asarray(y, float) ** (1 + self.alpha))

    def unit_point(self) -> float:
        """Return c^(1/(1-c)) with c = 1/(1+alpha)."""
        return math.exp(-(1 + self.alpha) / self.alpha * math.log1p(self.alpha))


@dataclass(frozen=True)
class Logarithmic(_Shaped):
    """f(x) = log(1 + alpha x) / log(1 + alpha), Swamidass et al. 2010.

    Parameters
    ----------
    alpha : float, above 0
        80 sends 0.1 to 0.5.

    Raises
    ------
    ParameterError
        If alpha is not a finite number above 0.

    Examples
    --------
    >>> float(Logarithmic(80)(0.1).round(3))
    0.5
    """

    word: ClassVar[str] = "log"
    is_smooth: ClassVar[bool] = True

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return f(x)."""
        return np.asarray(np.log1p(self.alpha * np.asarray(x, float)) / math.log1p(self.alpha))

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return f'(x)."""
        return np.asarray(self.alpha / (1 + self.alpha * np.asarray(x, float)) / math.log1p(self.alpha))

    def _growth(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        x0 = np.asarray(x0, float)
        return np.asarray(self.alpha * (np.asarray(x1, float) - x0) / (1 + self.alpha * x0))

    def mean(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of f over each [x0, x1]."""
        x0 = np.asarray(x0, float)
        t = self._growth(x0, x1)
        return np.asarray((np.log1p(self.alpha * x0) + t * log_dn(t)) / math.log1p(self.alpha))

    def mean_slopes(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Pair:
        """Return how the mean follows x1 and how it follows x0."""
        return pairs_in_pieces(self._mean_slopes, *columns(x0, x1))

    def _mean_slopes(self, x0: Array, x1: Array) -> Pair:
        slope, t = self.derivative(x0), self._growth(x0, x1)
        return slope * log_up(t), slope * log_dn(t)

    def inverse(self, y: npt.ArrayLike) -> Array:
        """Return the x with f(x) = y."""
        return np.asarray(np.expm1(np.asarray(y, float) * math.log1p(self.alpha)) / self.alpha)

    def unit_point(self) -> float:
        """Return (alpha / log(1 + alpha) - 1) / alpha."""
        return (self.alpha / math.log1p(self.alpha) - 1) / self.alpha


@dataclass(frozen=True)
class Log2Power(_Shaped, Integrable):
    """f(x) = [log2(1 + x)]^(1/(1+alpha)), the second logarithmic map of Swamidass et al. 2010.

    Parameters
    ----------
    alpha : float, above 0

    Raises
    ------
    ParameterError
        If alpha is not a finite number above 0.

    Examples
    --------
    >>> float(Log2Power(2)(1.0))
    1.0
    """

    word: ClassVar[str] = "log2power"
    is_smooth: ClassVar[bool] = True

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return f(x)."""
        return np.asarray((np.log1p(np.asarray(x, float)) / math.log(2)) ** (1 / (1 + self.alpha)))

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return f'(x); infinite at 0."""
        c = 1 / (1 + self.alpha)
        x = np.asarray(x, float)
        with np.errstate(divide="ignore"):
            return np.asarray(c * (np.log1p(x) / math.log(2)) ** (c - 1) / (1 + x) / math.log(2))

    def antiderivative(self, x: npt.ArrayLike) -> Array:
        """Return the integral of f from 0 to x, from the power series in log2(1 + x)."""
        c = 1 / (1 + self.alpha)
        y = np.log1p(np.asarray(x, float)) / math.log(2)
        terms = [math.log(2) ** (n + 1) / (math.factorial(n) * (n + 1 + c)) for n in range(24)]
        return np.asarray(y ** (1 + c) * np.polynomial.polynomial.polyval(y, np.asarray(terms)))

    def worth(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of 1 - f over each [x0, x1], with its own digits where alpha is large."""
        c = 1 / (1 + self.alpha)
        # of y^n (1 - y^c), whose integral over y the terms add up
        factors = [math.log(2) ** (n + 1) / math.factorial(n) for n in range(24)]

        def logarithm(x: Array) -> Array:
            return np.asarray(np.log1p(x) / math.log(2))

        def rest(y: Array) -> Array:
            with np.errstate(divide="ignore"):
                return np.asarray(-np.expm1(c * np.log(y)))

        def integral(x: Array) -> Array:
            y = logarithm(x)
            flat, curved = (
                np.polynomial.polynomial.polyval(y, np.array([f / (n + 1 + c) / d(n) for n, f in enumerate(factors)]))
                for d in (lambda n: (n + 1) / c, lambda n: 1)
            )
            return np.asarray(y * (flat + np.where(y > 0, rest(y), 0.0) * curved))

        return self._mean_of(lambda x: rest(logarithm(x)), integral, x0, x1)

    def inverse(self, y: npt.ArrayLike) -> Array:
        """Return the x with f(x) = y."""
        return np.asarray(np.expm1(np.asarray(y, float) ** (1 + self.alpha) * math.log(2)))
