"""The distribution function of a beta density, as a magnification: an uncertain rate of processing."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.errors import ParameterError
from hitcurve.magnify.magnification import Integrable
from hitcurve.magnify.pieces import Pair, in_pieces, pairs_in_pieces
from hitcurve.magnify.quadrature import Array, columns, gauss_mean, gauss_nodes

# terms of the Taylor series of a beta distribution function, its slope, curvature, ...: the first two are exact on a
# panel of `_about`, the others are multiplied by tiny widths
_TERMS_OF = (13, 16, 11, 8, 4)
_FEW = 64  # tiny intervals for which series are not worth while
_LONG_PANEL = 256  # points of a panel from which on a polynomial of its own pays
_NEAR_END = 1e-15  # nearer to 0 or 1 the terms of a series are no floats
_TINY = 3e-4  # of the spread of the density or the room to 0 or 1, an interval that a series describes
_TINIEST = 5e-5  # of the same: the cube of such a width has no digits left
_LARGEST = 1e75  # squares of a shape are floats
_LARGEST_SHAPE = 4000.0  # beyond it the density has too few digits left to carry the distribution function


@dataclass(frozen=True)
class BetaDistribution(Integrable):
    """The distribution function of a beta density, the regularised incomplete beta function.

    Parameters
    ----------
    a, b : float, above 0

    Raises
    ------
    ParameterError
        If one is not a number between 1e-60 and 1e75.

    Examples
    --------
    >>> float(BetaDistribution(1, 1)(0.3).round(12))
    0.3
    """

    a: float
    b: float
    word: ClassVar[str] = "beta"
    is_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        for name, value in (("a", self.a), ("b", self.b)):
            shape = _checks.positive_number(f"{name} of a beta distribution", value)
            if not _checks.LEAST_SHARE <= shape <= _LARGEST:
                raise ParameterError(
                    f"{name} of a beta distribution must be between {_checks.LEAST_SHARE:g} and {_LARGEST:g}, "
                    f"got {value!r}"
                )
            object.__setattr__(self, name, shape)

    @cached_property
    def _mirrored(self) -> BetaDistribution:
        """1 - f(1 - x): close to 1 everything is looked at from the other end, where digits are left."""
        return BetaDistribution(self.b, self.a)

    @cached_property
    def _spread(self) -> float:
        return float(spread(self.a, self.b))

    @cached_property
    def _step(self) -> float:
        """Width of a panel on the logit axis: a tenth of the way to 0 or 1, and at most a quarter of the spread."""
        return min(0.1, 0.25 * self._spread * (self.a + self.b) ** 2 / (self.a * self.b))

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return f(x)."""
        import hitcurve._special as special

        return np.asarray(special.betainc(self.a, self.b, np.asarray(x, float)))

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return the density."""
        return density(self.a, self.b, np.asarray(x, float))

    def antiderivative(self, x: npt.ArrayLike) -> Array:
        """Return the integral of f from 0 to x."""
        import hitcurve._special as special

        x = np.asarray(x, float)
        mean = self.a / (self.a + self.b)
        return np.asarray(x * self(x) - mean * special.betainc(self.a + 1, self.b, x))

    def _narrow(self, x0: Array, width: Array) -> npt.NDArray[np.bool_]:
        room = np.minimum(x0, 1 - x0 - width)
        return np.asarray(((width < room / 2) & (width < self._spread / 4)) | (width == 0))

    def mean(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of f over each [x0, x1]."""
        x0, x1 = columns(x0, x1)
        return in_pieces(self._mean, x0, x1)

    def worth(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of 1 - f over each [x0, x1], with its own digits where it is small."""
        x0, x1 = columns(x0, x1)
        return in_pieces(partial(self._mean, rest=True), x0, x1)

    def _rest(self, x: Array) -> Array:
        return upper_tail(self.a, self.b, x)

    def _mean(self, x0: Array, x1: Array, rest: bool = False) -> Array:
        """Return the average of f, or that of 1 - f."""
        width = x1 - x0
        room = np.minimum(x0, 1 - x1)
        near = room < _NEAR_END
        tiny = (width < 1e-3 * np.minimum(self._spread, room)) & ~near
        if np.count_nonzero(tiny) == tiny.size:
            return self._mean_of_tiny(x0, width, rest)
        out = np.empty(x0.shape)
        narrow = self._narrow(x0, width)
        point = width == 0
        low, high = ~narrow & (x0 < 0.5), ~narrow & (x0 >= 0.5)
        point &= ~tiny
        small, near = narrow & ~tiny & ~point & ~near, narrow & ~point & near
        if np.count_nonzero(point):
            out[point] = self._rest(x0[point]) if rest else self(x0[point])
        if np.count_nonzero(near):
            # the side that is next to 0 there has its own digits
            at_top = x0[near] < 0.5
            f, other = (gauss_mean(side, x0[near], width[near]) for side in (self, self._rest))
            out[near] = np.where(at_top, 1 - f, other) if rest else np.where(at_top, f, 1 - other)
        if np.count_nonzero(small):
            nodes, weights = gauss_nodes(8)
            inner = self._about(x0[small] + nodes[:, None] * width[small], (0,), rest)[0]
            out[small] = np.sum(weights[:, None] * inner, axis=0)
        if np.count_nonzero(tiny):
            out[tiny] = self._mean_of_tiny(x0[tiny], width[tiny], rest)
        if np.count_nonzero(low):
            out[low] = (self._rest_of_wide if rest else self._wide)(x0[low], x1[low])
        if np.count_nonzero(high):
            mirrored = self._mirrored
            out[high] = (mirrored._wide if rest else mirrored._rest_of_wide)(1 - x1[high], 1 - x0[high])
        return out

    def _mean_of_tiny(self, x0: Array, width: Array, rest: bool) -> Array:
        value, half_curvature = self._about(x0 + width / 2, (0, 2), rest)
        return value + width**2 / 12 * half_curvature

    def mean_slopes(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Pair:
        """Return how the mean follows x1 and how it follows x0."""
        x0, x1 = columns(x0, x1)
        return pairs_in_pieces(self._mean_slopes, x0, x1)

    def _mean_slopes(self, x0: Array, x1: Array) -> Pair:
        width = x1 - x0
        # the slope and its changes at the middle say all there is on such an interval
        room = np.minimum(x0, 1 - x1)
        if room.size >= _FEW and room.min() >= _NEAR_END and width.min() > 0:
            widest = float(np.max(width / np.minimum(self._spread, room)))
            if widest < _TINY:
                return self._slopes_of_tiny(x0, width, widest)
        tiny = (width > 0) & (width < _TINY * np.minimum(self._spread, room)) & (room >= _NEAR_END)
        up, dn = np.empty(x0.shape), np.empty(x0.shape)
        early = x0 < 0.5
        late = ~early
        if np.count_nonzero(tiny) >= _FEW:
            up[tiny], dn[tiny] = self._slopes_of_tiny(x0[tiny], width[tiny], _TINY)
            early &= ~tiny
            late &= ~tiny
        if np.count_nonzero(early):
            up[early], dn[early] = super().mean_slopes(x0[early], x1[early])
        if np.count_nonzero(late):
            dn[late], up[late] = super(BetaDistribution, self._mirrored).mean_slopes(1 - x1[late], 1 - x0[late])
        return up, dn

    def _slopes_of_wide(self, x0: Array, x1: Array, width: Array) -> Pair:
        import hitcurve._special as special

        # the mean as in `_wide`: all that is wide begins in the first half here
        at_start, at_end = self(x0), self(x1)
        start, end = (special.betainc(self.a + 1, self.b, x) for x in (x0, x1))
        rate = self.a / (self.a + self.b)
        mean = ((x1 * at_end - rate * end) - (x0 * at_start - rate * start)) / width
        return (at_end - mean) / width, (mean - at_start) / width

    def _slopes_of_tiny(self, x0: Array, width: Array, widest: float) -> Pair:
        middle = x0 + width / 2
        slope, bend, turn, *twist = onwards(
            self.a, self.b, middle, self._about(middle, (1,))[0], 3 if widest < _TINIEST else 4
        )
        turn *= width**2 / 8
        turn += slope / 2
        bend *= width / 6
        if twist:  # else the third power of a width has no digits left
            bend += width**3 / 20 * twist[0]
        return turn + bend, turn - bend

    def _about(self, x: Array, orders: tuple[int, ...], rest: bool = False) -> list[Array]:
        """Return Taylor coefficients of these orders at each ``x``, of f or of 1 - f.

        An incomplete beta function costs as much as a polynomial of degree 100. So where there are many points
        it is called once for each of some hundred panels, and the Taylor series of its panel serves a point.
        """
        import hitcurve._special as special

        if not x.size:
            return [np.empty(x.shape) for _ in orders]
        step = self._step
        first, last = (math.floor(special.logit(end) / step) for end in (x.min(), x.max()))
        if self.a + self.b > _LARGEST_SHAPE or not last - first < x.size / 2:
            own = self._taylor(x, max(orders) + 1, rest)
            return [own[order] for order in orders]
        edges = np.arange(first, last + 1)
        centre, series = _panels(self, step, first, last, rest)
        flat, out = x.reshape(-1), [np.empty(x.size) for _ in orders]
        # along a long ranking a panel is a piece of it
        if edges.size < flat.size / _LONG_PANEL and np.all(flat[1:] >= flat[:-1]):
            ends = np.searchsorted(flat, special.expit(edges[1:] * step))
            pieces = zip(range(edges.size), np.append(0, ends), np.append(ends, flat.size), strict=True)
            for panel, start, end in pieces:
                t = flat[start:end] - centre[panel]
                for column, order in zip(out, orders, strict=True):
                    column[start:end] = _polynomial(_terms(series, order)[:, panel], t, order)
        else:
            panel = (np.floor(special.logit(flat) / step) - first).astype(np.intp)
            t = flat - centre[panel]
            for column, order in zip(out, orders, strict=True):
                column[:] = _polynomial(_terms(series, order).take(panel, axis=1), t, order)
        return [column.reshape(x.shape) for column in out]

    def _wide(self, x0: Array, x1: Array) -> Array:
        return (self.antiderivative(x1) - self.antiderivative(x0)) / (x1 - x0)

    def _rest_of_wide(self, x0: Array, x1: Array) -> Array:
        import hitcurve._special as special

        # of the antiderivative x (1 - f(x)) + E[rate; rate < x], whose last part is near E[rate] where f is near 1
        below = special.betainc(self.a + 1, self.b, x0)
        late = below > 0.5
        gained = np.empty(x0.shape)
        gained[late] = np.subtract(*upper_tail(self.a + 1, self.b, np.array([x0[late], x1[late]])))
        gained[~late] = special.betainc(self.a + 1, self.b, x1[~late]) - below[~late]
        mean = self.a / (self.a + self.b)
        at_start, at_end = self._rest(np.array([x0, x1]))
        return np.asarray((x1 * at_end - x0 * at_start + mean * gained) / (x1 - x0))

    def _taylor(self, x: Array, terms: int, rest: bool) -> list[Array]:
        if not rest:
            return taylor(self.a, self.b, x, self(x), terms)
        value, *others = taylor(self.a, self.b, x, self._rest(x), terms)
        return [value, *map(np.negative, others)]

    def inverse(self, y: npt.ArrayLike) -> Array:
        """Return the quantile."""
        import hitcurve._special as special

        return np.asarray(special.betaincinv(self.a, self.b, np.asarray(y, float)))


@lru_cache(maxsize=64)
def _panels(f: BetaDistribution, step: float, first: int, last: int, rest: bool) -> tuple[Array, Array]:
    """Return the centres of panels of the logit axis, and the Taylor coefficients there: lists of a kind share them."""
    import hitcurve._special as special

    centre = np.asarray(special.expit((np.arange(first, last + 1) + 0.5) * step))
    return centre, np.stack(f._taylor(centre, 1 + max(_TERMS_OF), rest))


def spread(a: Any, b: Any) -> Any:
    """Return the standard deviation of beta densities."""
    return np.sqrt(a * b / (a + b + 1)) / (a + b)


def upper_tail(a: float, b: float, x: Array) -> Array:
    """Return 1 - f(x), with its own digits where it is small."""
    import hitcurve._special as special

    if a + b > _LARGEST_SHAPE:  # 1 - x has too few digits
        return np.asarray(special.betaincc(a, b, x))
    # scipy's betaincc takes fifteen times as long
    found = np.asarray(1 - special.betainc(a, b, x))
    late = found < 0.5
    if np.count_nonzero(late):
        found[late] = special.betainc(b, a, 1 - np.asarray(x)[late])
    return found


def density(a: Any, b: Any, x: Array) -> Array:
    """Return beta densities at x."""
    import hitcurve._special as special

    with np.errstate(divide="ignore", over="ignore"):
        return np.asarray(np.exp(special.xlogy(a - 1, x) + special.xlog1py(b - 1, -x) - special.betaln(a, b)))


def taylor(a: Any, b: Any, centre: Array, value: Array, terms: int) -> list[Array]:
    """Return the Taylor coefficients of distribution functions, with these values there, at each centre."""
    return [value, *onwards(a, b, centre, density(a, b, centre), terms - 1)]


def onwards(a: Any, b: Any, centre: Array, slope: Array, terms: int) -> list[Array]:
    """Return the Taylor coefficients of distribution functions from their slope on, which is the density.

    By the recurrence of the density's g: it obeys x (1 - x) g' = (a - 1 - (a + b - 2) x) g.
    """
    room = centre * (1 - centre)
    pull, bend = a - 1 - (a + b - 2) * centre, 2 - a - b
    series, previous, here = [slope], np.zeros(centre.shape), slope
    for j in range(terms - 1):
        following = (pull - j * (1 - 2 * centre)) * here + (bend + j - 1) * previous
        previous, here = here, following / (room * (j + 1))
        series.append(here / (j + 2))
    return series


@lru_cache(maxsize=len(_TERMS_OF))
def _binomials(order: int) -> Array:
    """Return the binomial factors that move the Taylor coefficients of an order to another point."""
    return np.array([math.comb(power, order) for power in range(order, order + _TERMS_OF[order])], float)


def _terms(series: Array, order: int) -> Array:
    """Return the Taylor coefficients of panels, terms first, on which one of an order depends."""
    return series[order : order + _TERMS_OF[order]]


def _polynomial(terms: Array, t: Array, order: int) -> Array:
    """Return the Taylor coefficient of an order at a distance t from where those it depends on are known."""
    if order:  # those of order 0 have factors of 1
        terms = (_binomials(order) * terms.T).T
    last, following, *others = terms[::-1]
    value = t * last
    value += following
    for coefficient in others:
        value *= t
        value += coefficient
    return np.asarray(value)
