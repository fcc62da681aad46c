"""Intervals by inversion: which models of a family would give a value as low, or as high, as the one that was found.

The family is the fit of a list (:class:`~hitcurve.inference.models.KernelFit`) with its positives moved up or down.
Smooth functions of the shift describe nine models: the centre of each, and how far the upper and lower quantiles of its
samples are from it, on a scale without ends. A limit is the centre of the model whose quantile is the value. So the
standard error is that of the model at the limit, not that of the sample.

Of a sum over the ranks of many positives the quantiles follow from three moments of each model
(:mod:`~hitcurve.inference.models.rank_moments`), unless it is too skewed. Of all others tables are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple, Protocol, Self, cast

import numpy as np
import numpy.typing as npt

from hitcurve._threads import keep_memory
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import ParameterError
from hitcurve.inference.models import KernelFit, Places, Tables, moments, weights_of
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resampling.draws import binomial
from hitcurve.inference.resampling.resample import generator, seeded
from hitcurve.inference.variance.logit_scale import LogitScale
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric

_SHIFTS, _DRAWS = 9, 150
_PLACES = np.linspace(-1.0, 1.0, _SHIFTS)  # of the models, in the farthest shift
TABLES = _SHIFTS * _DRAWS
"""Tables drawn for one list, where any are."""
_LEAST_SPREAD = 0.25  # of the scores of the fit
_REACH = 1.1  # standard deviations by which 16 positives are moved
_FACTOR, _FACTOR_OF_DIFFERENCES = 1.1, 1.05  # on the quantiles, beside that of t
_WIDEST = 1e3  # standard errors
_LEVEL = 0.95  # of the quantiles; those of other levels follow by t
_MANY, _SKEWED = 50, 1.0  # positives from which on moments may do, and the skewness up to which they do
_GRID = np.linspace(-1.0, 1.0, 401)  # places between the shifts at the ends
_FPR = np.concatenate([[0.0], np.geomspace(1e-12, 1e-4, 33), np.geomspace(1e-4, 1.0, 161)[1:]])


class Scale(NamedTuple):
    """The scale without ends: the logit of the share of the way from worst to best, or the logarithm.

    Attributes
    ----------
    worst, best : float
        ``best`` is infinite for the logarithm.
    least, most : float or array (...)
        Values beyond these count as these: a perfect list is half way between the best and the next value.
    """

    worst: float
    best: float
    least: Any
    most: Any

    @classmethod
    def of(cls, metric: Metric, c: Counts) -> Self:
        """Take the scale of a metric of one list."""
        bounds = metric.bounds(c)
        worst, best = metric.range if bounds is None else map(float, bounds)
        return cls(worst, best, worst, best).within(metric, c)

    def within(self, metric: Metric, c: Counts) -> Self:
        """Return the same scale for lists of other numbers of positives."""
        n1 = c.n1
        # metrics are hashable; a protocol cannot say so
        same: Any = metric
        nearly, turned = _next_to_ends(metric, n1, c.n0) if c.shape else _of_one(same, float(n1), float(c.n0))
        if math.isinf(self.best):
            return self._replace(least=(self.worst + turned) / 2, most=math.inf)
        # where an axis that is cut does not see that one, a quarter of a positive
        quarter = (self.best - self.worst) / (4 * n1)
        least = np.where(turned > self.worst, (self.worst + turned) / 2, self.worst + quarter)
        return self._replace(
            least=least, most=np.where(nearly < self.best, (self.best + nearly) / 2, self.best - quarter)
        )

    def up(self, value: Any) -> Array:
        """Return a value on the scale."""
        value = np.minimum(np.maximum(value, self.least), self.most)
        if math.isinf(self.best):
            return np.asarray(np.log(value - self.worst))
        return LogitScale(self.worst, self.best).up(value)

    def down(self, place: Any) -> Array:
        """Return the value at a place of the scale."""
        if math.isinf(self.best):
            return np.asarray(self.worst + np.exp(place))
        return LogitScale(self.worst, self.best).down(place)


def _next_to_ends(metric: Metric, n1: Array, n0: Array) -> Array:
    """Return the metric where one negative is above the last positive, and where one positive is above the last."""
    one, none = np.ones(n1.shape), np.zeros(n1.shape)
    up, down = (n1 - 1, none), (none, n0 - 1)
    orders = (up, (none, one), (one, none), down), (down, (one, none), (none, one), up)
    pos, neg = np.moveaxis(np.array(orders), (0, 1, 2), (1, -1, 0))
    return np.asarray(metric.kernel(Counts(pos, neg)))


@lru_cache(maxsize=1024)
def _of_one(metric: Metric, n1: float, n0: float) -> tuple[float, float]:
    """Return the same of one list: it follows from the numbers of the classes alone."""
    nearly, turned = _next_to_ends(metric, np.asarray(n1), np.asarray(n0)).tolist()
    return nearly, turned


@dataclass(frozen=True)
class Inverted:
    """The intervals of all levels of one list.

    Attributes
    ----------
    value : float
    place : float
        The value on the scale.
    scale : Scale
    centre, median, below, above : array (G,)
        Of models between the first and the last shift: the centre on the scale; the median of the draws minus the
        centre; the lower and the upper quantile of the draws minus the median.
    degrees : float
        Of t.
    seed : int or None
        Of the tables that were drawn, None if a generator was given or none were drawn.
    tables : int or None
        How many were drawn, None by formula.
    """

    value: float
    place: float
    scale: Scale
    centre: Array
    median: Array
    below: Array
    above: Array
    degrees: float
    seed: int | None = None
    tables: int | None = None

    def limits(self, level: float) -> tuple[float, float]:
        """Return the interval of a level."""
        return self.at(float(t_quantile((1 + level) / 2, self.degrees)))

    def at(self, t: float, more: float = _FACTOR) -> tuple[float, float]:
        """Return the interval whose half width is so many standard errors, ``more`` times as wide."""
        factor = more * t / float(t_quantile((1 + _LEVEL) / 2, math.inf))
        ends = []
        for off in (self.above, self.below):
            reached = np.maximum.accumulate(self.centre + self.median + factor * off)
            end = np.interp(self.place, reached, self.centre)
            # beyond the shifts straight on
            end += max(self.place - reached[-1], 0.0) + min(self.place - reached[0], 0.0)
            ends.append(float(self.scale.down(end)))
        return min(ends[0], self.value), max(ends[1], self.value)


class Side(Protocol):
    """The intervals of all levels of one value."""

    @property
    def value(self) -> float:
        """The value."""

    @property
    def degrees(self) -> float:
        """Of t."""

    def limits(self, level: float) -> tuple[float, float]:
        """Return the interval of a level."""

    def at(self, t: float, more: float) -> tuple[float, float]:
        """Return the interval whose half width is so many standard errors, ``more`` times as wide."""


class SquareAndAdd(NamedTuple):
    """The difference of two values with intervals of their own, first minus second (Newcombe 1998, method 10).

    Attributes
    ----------
    first, second : Side
    correlation : float
        Of the two values over samples.
    """

    first: Side
    second: Side
    correlation: float

    @property
    def value(self) -> float:
        """The difference."""
        return self.first.value - self.second.value

    def mirrored(self) -> SquareAndAdd:
        """Return the second minus the first."""
        return self._replace(first=self.second, second=self.first)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the interval of a level."""
        return self.at(float(t_quantile((1 + level) / 2, self.first.degrees)))

    def at(self, t: float) -> tuple[float, float]:
        """Return the interval whose half width is so many standard errors."""
        a, b = (side.at(t, _FACTOR_OF_DIFFERENCES) for side in (self.first, self.second))
        down, up = self.first.value - a[0], a[1] - self.first.value
        down_other, up_other = self.second.value - b[0], b[1] - self.second.value
        return self.value - self._together(down, up_other), self.value + self._together(up, down_other)

    def _together(self, x: float, y: float) -> float:
        return math.sqrt(max(x * x + y * y - 2 * self.correlation * (x * y), 0.0))  # the same of y and x

    def statistic(self, null: float) -> float:
        """Return how many standard errors wide the interval is that ends at a difference, with its sign."""
        from scipy.optimize import brentq

        above = self.value > null

        def beyond(t: float) -> float:
            low, high = self.at(t)
            return low - null if above else null - high

        if beyond(0.0) <= 0:
            return 0.0
        if beyond(_WIDEST) >= 0:
            return _WIDEST if above else -_WIDEST
        t = float(brentq(beyond, 0.0, _WIDEST, xtol=1e-9))
        return t if above else -t


def interval(spread: Spread, level: float, rng: Any = None) -> tuple[Array, Array]:
    """Return the ends of the interval of each list by inversion.

    Parameters
    ----------
    rng : None, int or Generator
        None takes a seed from each list.

    Raises
    ------
    ParameterError
        If the metric is none of those the method is made for, or tables like the lists cannot be drawn.
    """
    ends = np.empty((*spread.shape, 2))
    for i in product(*map(range, spread.shape)):
        own = spread.of(i) if i else spread
        ends[i] = inverted(own, rng).limits(level)
    return ends[..., 0], ends[..., 1]


def inverted(spread: Spread, rng: Any = None) -> Inverted:
    """Invert the metric of the only list.

    Raises
    ------
    ParameterError
        If the metric is none of those the method is made for, or tables like the list cannot be drawn.
    """
    known = by_moments(spread)
    if known is not None:
        return known
    rng, seed = seeded(rng, lambda: int(spread.seeds))
    rng = generator(rng)
    metric, c = spread.metric, spread.sums.counts()
    places = Places.of(c, rng)
    fit = KernelFit.of(places, least_spread=_LEAST_SPREAD)
    n1, n = int(c.n1), int(c.n)
    reach = _reach(places)
    n_pos = np.full((_SHIFTS, _DRAWS), n1)
    if spread.sampled:
        n_pos = np.clip(binomial(rng, n, n1 / n, n_pos.shape), 1, n - 1)
    keep_memory()
    drawn = fit.draw(n_pos, n - n_pos, rng, shift=reach * _PLACES[:, None])
    scale = Scale.of(metric, c)
    # shift by shift: tables that fit the cache of a processor
    values = np.stack([metric.kernel(Tables(*own).counts(negatives_join=False)) for own in zip(*drawn, strict=True)])
    on_scale = within(scale, metric, n_pos, n).up(values)
    if metric.axis == "fpr":
        centre = scale.up(_of_models(metric, fit, reach * _PLACES))
    else:
        centre = scale.up(np.mean(values, axis=-1))
    quantiles = np.quantile(on_scale, [(1 - _LEVEL) / 2, 0.5, (1 + _LEVEL) / 2], axis=-1)
    return replace(_smoothed(spread, scale, centre, quantiles), seed=seed, tables=TABLES)


def draws(spread: Spread) -> npt.NDArray[np.bool_]:
    """Say of which lists tables are drawn."""
    each = (spread.of(i) if i else spread for i in product(*map(range, spread.shape)))
    return np.array([by_moments(own) is None for own in each]).reshape(spread.shape)


def by_moments(spread: Spread) -> Inverted | None:
    """Invert the metric of the only list without drawing; None if its models are too skewed or have few positives.

    Raises
    ------
    ParameterError
        If the metric is none of those the method is made for, or tables like the list cannot be drawn.
    """
    if not spread.is_for_inversion:
        raise ParameterError(f"method='inversion' is for ndcg, dcg and logauc, not for {spread.metric}: use 'auto'")
    if not spread.may_be_inverted:
        raise ParameterError(
            "method='inversion' is for lists without weights and clusters, of up to 500 positives, and without a set "
            "prevalence unless the metric is along the FPR"
        )
    owner = spread.metric, spread.sampled
    found: Inverted | None = spread.counts.once("moments", owner, lambda: _by_moments(spread))
    return found


def _by_moments(spread: Spread) -> Inverted | None:
    metric, c = spread.metric, spread.sums.counts()
    n1, n = int(c.n1), int(c.n)
    # metrics are hashable; a protocol cannot say so
    weights = weights_of(cast(Hashable, metric)) if n1 >= _MANY else None
    if weights is None:
        return None
    places = Places.of_list(spread.counts)
    fit = KernelFit.of(places, least_spread=_LEAST_SPREAD)
    found = moments(fit, _reach(places), _SHIFTS, weights, n1, n, sampled=spread.sampled)
    if np.max(np.abs(found.skewness)) > _SKEWED:
        return None
    scale, z = Scale.of(metric, c), float(t_quantile((1 + _LEVEL) / 2, math.inf))
    below, median, above = found.quantile(np.array([[-z], [0.0], [z]]))
    centre, *quantiles = scale.up(np.array([found.mean, below, median, above]))
    return _smoothed(spread, scale, centre, quantiles)


def _reach(places: Places) -> float:
    return _REACH * max(places.deviation, 0.5) * math.sqrt(16 / places.n_pos)


def _smoothed(spread: Spread, scale: Scale, centre: Array, quantiles: Any) -> Inverted:
    """Describe the models by smooth functions of the shift: their centres, and lower, middle and upper quantiles."""
    below, median, above = quantiles
    middle, low, high = _smooth(np.array([median - centre, below - median, above - median]), 2)
    return Inverted(
        float(spread.value),
        float(scale.up(spread.value)),
        scale,
        np.maximum.accumulate(_smooth(centre, 3)),
        middle,
        np.minimum(low, 0.0),
        np.maximum(high, 0.0),
        float(spread.degrees),
    )


def within(scale: Scale, metric: Metric, n_pos: AnyArray, n: int) -> Scale:
    """Return the scale for each of many lists of n subjects, made once for each number of positives."""
    known, of = np.unique(n_pos, return_inverse=True)
    pos, neg = (side[:, None].astype(float) for side in (known, n - known))
    ends = scale.within(metric, Counts(pos, neg))
    least, most = (np.broadcast_to(end, known.shape)[of].reshape(n_pos.shape) for end in (ends.least, ends.most))
    return ends._replace(least=least, most=most)


def _smooth(of: Array, degree: int) -> Array:
    """Return the polynomial of least squares through the models (..., S), at the places of the grid."""
    return np.asarray(np.einsum("gs,...s->...g", _least_squares(degree), of))


@lru_cache(maxsize=4)
def _least_squares(degree: int) -> Array:
    from numpy.polynomial.polynomial import polyvander

    return np.asarray(polyvander(_GRID, degree) @ np.linalg.pinv(polyvander(_PLACES, degree)))


def _of_models(metric: Metric, fit: KernelFit, shifts: Array) -> Array:
    """Return the metric of the models themselves, as that of a table of many small rows."""
    tpr = np.stack([KernelFit(fit.z + shift, fit.width).tpr(_FPR) for shift in shifts])
    pos, neg = np.diff(tpr, axis=-1), np.broadcast_to(np.diff(_FPR), (shifts.size, _FPR.size - 1))
    return np.asarray(metric.kernel(Counts(pos, np.array(neg))))
