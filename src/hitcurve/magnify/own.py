"""Maps made from other maps, from attention, from a density, or by the user."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.errors import ParameterError
from hitcurve.magnify.magnification import Magnification
from hitcurve.magnify.pieces import Pair
from hitcurve.magnify.quadrature import Array, Function, mean_by_quadrature, unit_means
from hitcurve.magnify.ramps import Window


@dataclass(frozen=True)
class Mixture(Magnification):
    """A weighted mean of magnifications.

    Parameters
    ----------
    parts : sequence of Magnification
    shares : sequence of float, above 0
        Rescaled to sum to 1.

    Raises
    ------
    ParameterError
        If there is no part, a share is not above 0, or their numbers differ.

    Examples
    --------
    >>> Mixture([Window(0, 0.5), Window(0.5, 1)], [3, 1])([0.25, 0.5, 0.75]).tolist()
    [0.375, 0.75, 0.875]
    """

    parts: tuple[Magnification, ...]
    shares: tuple[float, ...]
    word: ClassVar[str] = "mixture"

    def __init__(self, parts: Sequence[Magnification], shares: Sequence[float]) -> None:
        if not parts or len(parts) != len(shares):
            raise ParameterError(f"a mixture needs one share for each part, got {len(parts)} and {len(shares)}")
        weights = [_checks.positive_number("share", share) for share in shares]
        object.__setattr__(self, "parts", tuple(parts))
        object.__setattr__(self, "shares", tuple(weight / math.fsum(weights) for weight in weights))

    @property
    def has_flats(self) -> bool:  # type: ignore[override]
        """Whether all parts have."""
        return all(part.has_flats for part in self.parts)

    def _sum(self, values: Callable[[Magnification], Array]) -> Array:
        return np.asarray(sum(share * values(part) for part, share in zip(self.parts, self.shares, strict=True)))

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return f(x)."""
        return self._sum(lambda part: part(x))

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return f'(x)."""
        return self._sum(lambda part: part.derivative(x))

    def mean(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of f over each [x0, x1]."""
        return self._sum(lambda part: part.mean(x0, x1))

    def worth(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of 1 - f over each [x0, x1]."""
        return self._sum(lambda part: part.worth(x0, x1))

    def mean_slopes(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Pair:
        """Return how the mean follows x1 and how it follows x0."""
        up, dn = self._sum(lambda part: np.stack(part.mean_slopes(x0, x1)))
        return up, dn

    def mean_at_steps(self, count: int) -> float:
        """Return the mean of f(j/count) over j = 0..count."""
        return math.fsum(s * part.mean_at_steps(count) for part, s in zip(self.parts, self.shares, strict=True))


def magnification_from_attention(attention: Sequence[float], edges: Sequence[float] | None = None) -> Magnification:
    """Return the magnification of an attention profile, such as clicks along the list.

    Parameters
    ----------
    attention : sequence of float, at least 0
        Importance of each bin of the axis, such as its fraction of clicks or the probability that it is viewed.
    edges : sequence of float, optional
        The ends of the bins, from 0 to 1, one more than bins; equal bins if absent.

    Returns
    -------
    Magnification
        Piecewise linear, its slope proportional to ``attention``.

    Raises
    ------
    ParameterError
        If the attention is empty, negative or all zero, or the edges do not rise from 0 to 1.

    Examples
    --------
    >>> magnification_from_attention([6, 3, 1], edges=[0, 0.1, 0.2, 1])([0.1, 0.2]).round(12).tolist()
    [0.6, 0.9]
    """
    heights = np.asarray(attention, float)
    ends = np.linspace(0, 1, heights.size + 1) if edges is None else np.asarray(edges, float)
    if heights.ndim != 1 or not heights.size or not np.all(heights >= 0) or not 0 < heights.sum() < math.inf:
        raise ParameterError("the attention must be a non-empty row of finite numbers of at least 0, not all 0")
    if ends.size != heights.size + 1 or ends[0] != 0 or ends[-1] != 1 or not np.all(np.diff(ends) > 0):
        raise ParameterError("edges must rise from 0 to 1 and be one more than the bins of the attention")
    used = np.flatnonzero(heights > 0)
    return Mixture([Window(ends[i], ends[i + 1]) for i in used], [heights[i] for i in used])


@dataclass(frozen=True)
class FromDensity(Magnification):
    """The magnification whose local magnification is proportional to a density.

    If the probability that rank r of n is viewed decays like g(r/n), then f' is proportional to g.

    Parameters
    ----------
    density : callable
        Array of x in [0, 1] to array of values of at least 0; it need not integrate to 1. An integrable
        singularity costs digits: x^-.7 is resolved to 1e-5; where a closed family exists, use it.

    Raises
    ------
    ParameterError
        If the density is negative somewhere on a fine grid, or its integral is not a finite number above 0.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve.magnify import Exponential
    >>> f = FromDensity(lambda x: np.exp(-7 * x))
    >>> bool(abs(f(0.1) - Exponential(7)(0.1)) < 1e-12)
    True
    """

    density: Function
    word: ClassVar[str] = "density"

    def __post_init__(self) -> None:
        if not np.all(np.asarray(self.density(np.linspace(0, 1, 1025)[1:-1])) >= 0):
            raise ParameterError("the density of a magnification must be at least 0 on all of [0, 1]")
        if not 0 < self._total < math.inf or self._diverges():
            raise ParameterError("the density of a magnification must have a finite integral above 0")

    def _diverges(self) -> bool:
        """Say whether one of the ends holds as much mass in ever smaller pieces, as 1/x does."""
        steps = np.asarray([1e-12, 1e-9, 1e-6])
        for ends in (steps, 1 - steps[::-1]):
            masses = mean_by_quadrature(self.density, ends[:-1], ends[1:]) * np.diff(ends)
            inner, outer = masses if ends is steps else masses[::-1]
            if inner > 0.999 * outer > 0:
                return True
        return False

    @cached_property
    def _total(self) -> float:
        return float(mean_by_quadrature(self.density, np.asarray(0.0), np.asarray(1.0)))

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return f(x)."""
        x = np.asarray(x, float)
        points, place = np.unique(np.append(x.ravel(), 0.0), return_inverse=True)
        steps = mean_by_quadrature(self.density, points[:-1], points[1:]) * np.diff(points)
        heights = np.concatenate([[0.0], np.cumsum(steps)]) / self._total
        return np.asarray(heights[place.ravel()[:-1]].reshape(x.shape))

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return f'(x)."""
        return np.asarray(self.density(np.asarray(x, float)) / self._total)

    def mean(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of f over each [x0, x1]."""
        x0, x1 = np.asarray(x0, float), np.asarray(x1, float)
        width = x1 - x0
        # at a point of infinite density the width is 0, and it wins
        rise = np.multiply(width, self._levered_mean(x0, x1, upper=False), out=np.zeros(width.shape), where=width > 0)
        return np.asarray(self(x0) + rise)

    def mean_slopes(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Pair:
        """Return how the mean follows x1 and how it follows x0."""
        x0, x1 = np.asarray(x0, float), np.asarray(x1, float)
        return self._levered_mean(x0, x1, upper=True), self._levered_mean(x0, x1, upper=False)

    def _levered_mean(self, x0: Array, x1: Array, *, upper: bool) -> Array:
        x0, x1 = np.broadcast_arrays(x0, x1)
        start, width = x0.ravel(), (x1 - x0).ravel()

        def levered(owner: npt.NDArray[np.intp], u: Array) -> Array:
            return self.derivative(start[owner] + u * width[owner]) * (u if upper else 1 - u)

        return unit_means(levered, start.size).reshape(x0.shape)


@dataclass(frozen=True)
class Custom(Magnification):
    """A magnification of the user's own; :func:`hitcurve.magnify.register_magnification` names it for metric strings.

    Parameters
    ----------
    function : callable
        f: array of x in [0, 1] to array; non-decreasing, f(0) = 0, f(1) = 1.
    slope : callable, optional
        f'; a difference quotient if absent.

    Raises
    ------
    ParameterError
        If f does not rise from 0 to 1.

    Examples
    --------
    >>> f = Custom(lambda x: x * (2 - x))
    >>> round(float(f.mean(0, 1)), 12)
    0.666666666667
    """

    function: Function
    slope: Function | None = None
    word: ClassVar[str] = "custom"

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ParameterError(f"a magnification must be a function, got {self.function!r}")
        try:
            values = np.asarray(self.function(np.linspace(0, 1, 1025)), float)
        except Exception as error:
            raise ParameterError(f"a magnification must take an array of x in [0, 1]: {error}") from error
        if values.shape != (1025,):
            raise ParameterError("a magnification must return an array of the same shape as its argument")
        if not (abs(values[0]) < 1e-9 and abs(values[-1] - 1) < 1e-9 and np.all(np.diff(values) >= -1e-12)):
            raise ParameterError("a magnification must rise from f(0) = 0 to f(1) = 1 and never fall")

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return f(x)."""
        return np.asarray(self.function(np.asarray(x, float)), float)

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return f'(x)."""
        if self.slope is None:
            return super().derivative(x)
        return np.asarray(self.slope(np.asarray(x, float)), float)
