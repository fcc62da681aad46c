"""Maps that rise on a part of the axis only: windows, cut-offs and steps."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.magnify.magnification import Magnification
from hitcurve.magnify.pieces import Pair, in_pieces
from hitcurve.magnify.quadrature import Array, columns
from hitcurve.magnify.series import log_dn, log_up


class _Placed(Magnification):
    """A map whose place on the axis may differ between replicates."""

    has_flats: ClassVar[bool] = True

    @classmethod
    def per_replicate(cls, **places: Array) -> Self:
        """Make one map for each replicate: unchecked arrays with a last axis of length 1."""
        made = object.__new__(cls)
        for name, place in places.items():
            object.__setattr__(made, name, place)
        return made


class _Ramp(_Placed):
    """A map that rises between two points only: 0 before ``lower``, 1 after ``upper``.

    Subclasses give the shape of the rise on a part of it.
    """

    lower: Any
    upper: Any

    @abstractmethod
    def _rise(self, x: Array) -> Array: ...

    @abstractmethod
    def _slope(self, x: Array) -> Array: ...

    @abstractmethod
    def _part(self, low: Array, high: Array) -> tuple[Array, Array, Array]:
        """Return the mean and its two slopes on [low, high] inside the ramp."""

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return f(x)."""
        x = np.asarray(x, float)
        return np.asarray(np.where(x >= self.upper, 1.0, self._rise(np.clip(x, self.lower, self.upper))))

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return f'(x); at the two kinks the slope of the ramp."""
        x = np.asarray(x, float)
        inside = (x >= self.lower) & (x <= self.upper)
        return np.asarray(np.where(inside, self._slope(np.clip(x, self.lower, self.upper)), 0.0))

    def mean(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of f over each [x0, x1]."""
        x0, x1 = np.asarray(x0, float), np.asarray(x1, float)
        low, high = np.clip(x0, self.lower, self.upper), np.clip(x1, self.lower, self.upper)
        area = (high - low) * self._part(low, high)[0] + np.maximum(x1 - np.maximum(x0, self.upper), 0)
        return _over(area, x1 - x0, self(x0))

    def mean_slopes(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Pair:
        """Return how the mean follows x1 and how it follows x0."""
        x0, x1 = np.asarray(x0, float), np.asarray(x1, float)
        low, high = np.clip(x0, self.lower, self.upper), np.clip(x1, self.lower, self.upper)
        _, up, dn = self._part(low, high)
        width, length = x1 - x0, high - low
        at_point = self.derivative(x0) / 2

        def levered(room: Array, side: Array) -> Array:
            # u runs over [room, room + length] / width while the ramp's own parameter runs over [0, 1]
            lever = room * (up + dn) + length * side
            return _over(_over(length * lever, width, 0.0), width, at_point)

        return levered(low - x0, up), levered(x1 - high, dn)


def _over(numerator: Array, width: Array, at_zero: npt.ArrayLike) -> Array:
    """Divide by an interval's width; ``at_zero`` where it is a point."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(width > 0, numerator / width, at_zero))


class _Straight(_Ramp):
    """A straight rise."""

    def _rise(self, x: Array) -> Array:
        return np.asarray((x - self.lower) / (self.upper - self.lower))

    def _slope(self, x: Array) -> Array:
        return np.asarray(np.full(np.shape(x), 1.0) / (self.upper - self.lower))

    def _part(self, low: Array, high: Array) -> tuple[Array, Array, Array]:
        half = self._slope(low) / 2
        return self._rise((low + high) / 2), half, half

    def worth(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of 1 - f over each [x0, x1], with its own digits where it is small."""
        x0, x1 = np.asarray(x0, float), np.asarray(x1, float)
        low, high = np.clip(x0, self.lower, self.upper), np.clip(x1, self.lower, self.upper)
        rest = (self.upper - (low + high) / 2) / (self.upper - self.lower)
        area = (high - low) * rest + np.maximum(np.minimum(x1, self.lower) - x0, 0)
        return _over(area, x1 - x0, 1 - self(x0))

    def inverse(self, y: npt.ArrayLike) -> Array:
        """Return the x on the ramp with f(x) = y."""
        return np.asarray(self.lower + np.asarray(y, float) * (self.upper - self.lower))


@dataclass(frozen=True)
class Window(_Straight):
    """0 up to ``lower``, straight up to 1 at ``upper``: the partial area over [lower, upper].

    Parameters
    ----------
    lower, upper : float
        0 <= lower < upper <= 1.

    Raises
    ------
    ParameterError
        If the two are not such an interval.

    Examples
    --------
    >>> Window(0, 0.1)([0.05, 0.1, 0.7]).tolist()
    [0.5, 1.0, 1.0]
    """

    lower: float
    upper: float
    word: ClassVar[str] = "window"

    def __post_init__(self) -> None:
        low, high = _checks.interval("window", self.lower, self.upper)
        object.__setattr__(self, "lower", low)
        object.__setattr__(self, "upper", high)


@dataclass(frozen=True)
class CutOff(_Straight):
    """min(x/t, 1): the hard cut-off of the CROC paper, which shows the curve up to ``t`` and nothing beyond.

    It magnifies by 1/t up to the cut and by 0 after it, so the area is the partial area over [0, t], divided by t. The
    same map as ``Window(0, t)``, by the paper's name; the height of the curve at t, which is another metric, is that
    of a :class:`Step`.

    Parameters
    ----------
    t : float in (0, 1]

    Raises
    ------
    ParameterError
        If t is outside (0, 1].

    References
    ----------
    Swamidass et al. 2010, Bioinformatics 26:1348, Eq. 2.

    Examples
    --------
    >>> CutOff(0.1)([0.05, 0.1, 0.7]).tolist()
    [0.5, 1.0, 1.0]
    """

    t: float
    word: ClassVar[str] = "cutoff"

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", _checks.share_of_a_cut("t", self.t))
        object.__setattr__(self, "lower", 0.0)
        object.__setattr__(self, "upper", self.t)


@dataclass(frozen=True)
class LogWindow(_Ramp):
    """clip(log(x/lower) / log(upper/lower), 0, 1): the logarithmic axis of DOCK's LogAUC and of pROC.

    Parameters
    ----------
    lower, upper : float
        0 < lower < upper <= 1.

    Raises
    ------
    ParameterError
        If the two are not such an interval.

    Examples
    --------
    >>> LogWindow(0.001, 1)([0.0, 0.001, 0.1, 1.0]).round(3).tolist()
    [0.0, 0.0, 0.667, 1.0]
    """

    lower: float
    upper: float = 1.0
    word: ClassVar[str] = "logwindow"

    def __post_init__(self) -> None:
        low, high = _checks.interval("logarithmic window", self.lower, self.upper)
        object.__setattr__(self, "lower", _checks.positive_number("lower end of the logarithmic window", low))
        object.__setattr__(self, "upper", high)

    @property
    def _span(self) -> Any:
        return np.log(self.upper / self.lower)

    def _rise(self, x: Array) -> Array:
        return np.asarray(np.log(x / self.lower) / self._span)

    def _slope(self, x: Array) -> Array:
        return np.asarray(1 / (x * self._span))

    def _part(self, low: Array, high: Array) -> tuple[Array, Array, Array]:
        t = (high - low) / low
        dn = log_dn(t)
        slope = self._slope(low)
        return self._rise(low) + t * dn / self._span, slope * log_up(t), slope * dn

    def inverse(self, y: npt.ArrayLike) -> Array:
        """Return the x on the ramp with f(x) = y."""
        return np.asarray(self.lower * np.exp(np.asarray(y, float) * self._span))


@dataclass(frozen=True)
class Step(_Placed):
    """A step at ``t``: subjects ranked before ``t`` count equally, and all others do not count.

    The area is the height of the curve at t.

    Parameters
    ----------
    t : float in (0, 1]

    Raises
    ------
    ParameterError
        If t is outside (0, 1].

    Examples
    --------
    >>> Step(0.1)([0.05, 0.1, 0.2]).tolist()
    [0.0, 0.0, 1.0]
    """

    t: float
    word: ClassVar[str] = "step"

    def __post_init__(self) -> None:
        object.__setattr__(self, "t", _checks.share_of_a_cut("t", self.t))

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return 1 beyond the cut, 0 up to it."""
        return (np.asarray(x, float) > self.t).astype(float)

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return 0: the step has no slope but at the cut, where it has no value."""
        return np.zeros(np.shape(x))

    def _width(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        return np.asarray(np.asarray(x1, float) - np.asarray(x0, float))

    def worth(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the share of each [x0, x1] before the cut."""
        return in_pieces(self._worth, *columns(x0, x1))

    def _worth(self, x0: Array, x1: Array) -> Array:
        return np.minimum(np.maximum(_over(self.t - x0, x1 - x0, x0 <= self.t), 0.0), 1.0)

    def mean(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the share of each [x0, x1] beyond the cut."""
        return np.asarray(1 - self.worth(x0, x1))

    def mean_slopes(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Pair:
        """Return the place of the cut in an interval that holds it, seen from either end, over its width."""
        worth = self.worth(x0, x1)
        return self._slope_at_cut(worth, x0, x1), self._slope_at_cut(1 - worth, x0, x1)

    def _slope_at_cut(self, lever: Array, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        holds = (np.asarray(x0, float) < self.t) & (np.asarray(x1, float) >= self.t)
        return _over(np.where(holds, lever, 0.0), self._width(x0, x1), 0.0)

    def inverse(self, y: npt.ArrayLike) -> Array:
        """Return the cut."""
        return np.full(np.shape(y), self.t)

    def mean_at_steps(self, count: int) -> float:
        """Return the share of j/count, j = 0..count, beyond the cut."""
        return 1 - (math.floor(self.t * count + 1e-9) + 1) / (count + 1)
