"""What a magnification is, and what every one of them can do."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.magnify.pieces import Pair
from hitcurve.magnify.quadrature import Array, Function, columns, gauss_mean, gauss_slopes, mean_by_quadrature

_FEW = 1024  # intervals of which all nodes are worked out at once
_NARROW = 1e-4  # below this width a difference quotient of f has lost too many digits


class Magnification(ABC):
    """A non-decreasing map f of [0, 1] onto itself.

    Subclasses define ``__call__`` and, where a closed form exists, the primitives. ``mean(x0, x1)`` is the
    average of f over the interval, ``worth`` that of 1 - f, ``mean_slopes`` the averages of f' weighted by u and
    1 - u along it (``mean_up`` and ``mean_dn`` are one of them each); where the interval is a point they are f, f'/2
    and f'/2. Arguments are arrays that broadcast.

    ``has_flats`` says whether f stays the same somewhere, so that an inverse is not unique there,
    ``is_smooth`` whether f is known to have all derivatives inside (0, 1).

    A map with one shape parameter also has ``solve(x0, y0)``, which finds the parameter that sends ``x0`` to
    ``y0``.
    """

    word: ClassVar[str] = ""
    parameter: ClassVar[str | None] = None
    has_flats: ClassVar[bool] = False
    is_smooth: ClassVar[bool] = False

    @abstractmethod
    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return f(x)."""

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return f'(x), the local magnification: how much the axis is stretched at x."""
        x = np.asarray(x, float)
        step = 1e-6
        low, high = np.maximum(x - step, 0), np.minimum(x + step, 1)
        return np.asarray((self(high) - self(low)) / (high - low))

    def mean(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of f over each [x0, x1]."""
        return mean_by_quadrature(self, np.asarray(x0, float), np.asarray(x1, float))

    def worth(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of 1 - f over each [x0, x1]: the rank weight of a positive there."""
        return 1 - self.mean(x0, x1)

    def mean_up(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the integral of u f'(x0 + u d) over u in [0, 1], d = x1 - x0: how the mean follows x1."""
        return self.mean_slopes(x0, x1)[0]

    def mean_dn(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the integral of (1 - u) f'(x0 + u d) over u in [0, 1]: how the mean follows x0."""
        return self.mean_slopes(x0, x1)[1]

    def _narrow(self, x0: Array, width: Array) -> npt.NDArray[np.bool_]:
        """Say where f is so smooth on [x0, x0 + width] that 8 Gauss-Legendre points are exact."""
        return np.asarray(width < _NARROW)

    def mean_slopes(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Pair:
        """Return how the mean follows x1 and how it follows x0."""
        x0, x1 = columns(x0, x1)
        width = x1 - x0
        narrow = self._narrow(x0, width)
        up, dn = np.empty(x0.shape), np.empty(x0.shape)
        # a hundredth of what 8 points integrate exactly is integrated exactly by 3
        tiny = narrow & self._narrow(x0, 100 * width)
        for part, points in ((tiny, 3), (narrow & ~tiny, 8)):
            if np.count_nonzero(part):
                nodes, *shares = gauss_slopes(points)
                a, d = x0[part], width[part]
                # of few places at once, of many node by node, which stays in the cache
                if a.size <= _FEW:
                    slopes = self.derivative(a + nodes * d)
                    up[part], dn[part] = (np.add.reduce(share * slopes, axis=0) for share in shares)
                    continue
                each = [self.derivative(a + u * d) for u in nodes]
                up[part], dn[part] = (sum(h * s for h, s in zip(share, each, strict=True)) for share in shares)
        if np.count_nonzero(narrow) < narrow.size:
            wide = ~narrow
            up[wide], dn[wide] = self._slopes_of_wide(x0[wide], x1[wide], width[wide])
        return up, dn

    def _slopes_of_wide(self, x0: Array, x1: Array, width: Array) -> Pair:
        mean = self.mean(x0, x1)
        return (self(x1) - mean) / width, (mean - self(x0)) / width

    def antiderivative(self, x: npt.ArrayLike) -> Array:
        """Return the integral of f from 0 to x."""
        x = np.asarray(x, float)
        return x * self.mean(np.zeros_like(x), x)

    def inverse(self, y: npt.ArrayLike) -> Array:
        """Return an x with f(x) = y, found by bisection unless the family has a closed form."""
        y = np.asarray(y, float)
        low, high = np.zeros_like(y), np.ones_like(y)
        for _ in range(100):
            middle = (low + high) / 2
            below = self(middle) < y
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return high

    def mean_at_steps(self, count: int) -> float:
        """Return the mean of f(j/count) over j = 0..count.

        This is the expectation over random strict orders of what a positive's FPR is mapped to. Terms near the
        ends, where f may be singular, are summed one by one, those between them by Euler and Maclaurin.
        """
        head = 1 << 16
        if count <= 2 * head:
            return float(np.mean(self(np.arange(count + 1) / count)))
        ends = np.concatenate([np.arange(head), np.arange(count - head + 1, count + 1)]) / count
        a, b = np.asarray(head / count), np.asarray((count - head) / count)
        middle = (
            count * (b - a) * self.mean(a, b)
            + (self(a) + self(b)) / 2
            + (self.derivative(b) - self.derivative(a)) / (12 * count)
        )
        return float(np.sum(self(ends)) + np.squeeze(middle)) / (count + 1)

    def unit_point(self) -> float:
        """Return the x with f'(x) = 1, where magnification turns into compression.

        Raises
        ------
        ParameterError
            If there is none: the slope jumps over 1.
        """
        from scipy.optimize import brentq

        x = np.concatenate([np.geomspace(1e-12, 1e-3, 512), np.linspace(1e-3, 1 - 1e-9, 2048)[1:]])
        above = self.derivative(x) > 1
        turns = np.flatnonzero(above[:-1] & ~above[1:])
        if turns.size:
            low, high = x[turns[-1]], x[turns[-1] + 1]
            point = float(brentq(lambda x: float(self.derivative(x)) - 1, low, high, xtol=1e-15))
            if abs(float(self.derivative(point)) - 1) < 1e-6:
                return point
        raise ParameterError(f"{self!r} has no unit point: its slope does not pass through 1")

    @classmethod
    def solve(cls, x0: float, y0: float) -> Self:
        """Return the member of the family that sends ``x0`` to ``y0``.

        Parameters
        ----------
        x0, y0 : float in (0, 1)
            With ``x0 < y0``: early ranks are stretched.

        Raises
        ------
        ParameterError
            If the points are outside (0, 1), not stretched, or the family has no single parameter.

        Examples
        --------
        >>> from hitcurve.magnify import Exponential
        >>> round(Exponential.solve(0.1, 0.5).alpha, 3)
        6.922
        """
        x0, y0 = _checks.open_unit("x0", x0), _checks.open_unit("y0", y0)
        if cls.parameter is None:
            raise ParameterError(f"{cls.__name__} has no single parameter to solve for")
        if y0 <= x0:
            raise ParameterError(f"y0 must be above x0 to stretch the top of the list, got {x0!r} to {y0!r}")
        from scipy.optimize import brentq

        def excess(log_alpha: float) -> float:
            return float(cls(math.exp(log_alpha))(x0)) - y0  # type: ignore[call-arg]

        least, most = math.log(1e-9), math.log(1e300)
        if excess(least) > 0 or excess(most) < 0:
            raise ParameterError(f"no {cls.__name__} sends {x0!r} to {y0!r}")
        return cls(math.exp(brentq(excess, least, most, xtol=1e-15)))  # type: ignore[call-arg]


class Integrable(Magnification):
    """A map with a closed antiderivative and, possibly, an infinite slope at 0."""

    def _narrow(self, x0: Array, width: Array) -> npt.NDArray[np.bool_]:
        return np.asarray((width < x0 / 2) | (width == 0))

    def mean(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of f over each [x0, x1]."""
        return self._mean_of(self, self.antiderivative, x0, x1)

    def _mean_of(self, f: Function, integral: Function, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of a function, as smooth as this map, over each [x0, x1]."""
        x0, x1 = columns(x0, x1)
        width = x1 - x0
        out = np.empty(x0.shape)
        narrow = self._narrow(x0, width)
        out[narrow] = gauss_mean(f, x0[narrow], width[narrow])
        point = width == 0
        out[point] = f(x0[point])
        a, b = x0[~narrow], x1[~narrow]
        out[~narrow] = (integral(b) - integral(a)) / width[~narrow]
        return out
