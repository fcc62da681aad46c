"""Intervals of metrics of a hard cut: slices of a region, a beta with an effective number, work saved at a recall."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.inference.cutting.step import Step, variance_at_fpr, variance_at_rate
from hitcurve.inference.intervals import by_weight, cut_region
from hitcurve.inference.intervals.region import Corners
from hitcurve.inference.models import Places
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resampling.resample import seed_of_list
from hitcurve.inference.variance.spread import Spread

Ends: TypeAlias = tuple[Array, Array]

_NOISE = 1e-9  # a standard error of a share that is rounding
_HAIR = 1e-12  # what a sum of shares may miss 1 by


def jeffreys(spread: Spread, level: float) -> Ends:
    """Return the ends of the beta interval of a metric at a cut of the rate or the FPR.

    Raises
    ------
    ParameterError
        If the metric has no such cut.
    """
    step = _step(spread, "jeffreys")
    n1, n0 = by_weight.sizes(spread, step)
    T = step.tpr
    T_ = (n1 * T + 0.5) / (n1 + 1)
    cut = step.cut
    if step.axis == "fpr":
        variance = variance_at_fpr(T_, step.place, step.slope, n1, n0)
        ends = _beta(spread, step, level, T, T_, variance, cut.offset, cut.factor, n1)
        return _with_group(spread, step, level, ends)
    pi, n, rho = spread.counts.pi, n1 + n0, step.slope
    Q_ = np.clip((n0 * step.fpr + 0.5) / (n0 + 1), 0.0, 1.0)
    by_class = variance_at_rate(T_, Q_, rho, pi, n1, n0)
    of_prevalence = spread.deviation_of_prevalence
    pull, own = (cut.follows - (T_ - Q_)) * rho / pi, cut.factor_slope * T_ + cut.offset_slope
    multiple = _multiple_of_precision(spread, step)
    of_called = (T, T)
    if multiple.any():
        called, of_all = n * step.place, cut.factor * step.place / pi
        precision = pi * T / step.place
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = (cut.factor**2 * by_class + ((cut.factor * pull + own) * of_prevalence) ** 2) / of_all**2
            middle = (precision * called + 0.5) / (called + 1)
            of_called = _beta(spread, step, level, precision, middle, variance, 0.0, of_all, called)
        if multiple.all():
            return _with_group(spread, step, level, of_called)
    if by_weight.alone(spread) and np.any(own):
        # in one variance with the prevalence, which moves the value of a share of all too
        least, most = spread.metric.range
        width = np.asarray(cut.offset) + cut.factor - least if math.isinf(most) else np.asarray(most - least)
        share = np.asarray((spread.value - least) / width)
        variance = (cut.factor**2 * by_class + ((cut.factor * pull + own) * of_prevalence) ** 2) / width**2
        ends = _beta(spread, step, level, share, (n1 * share + 0.5) / (n1 + 1), variance, least, width, n1)
    else:
        ends = _beta(spread, step, level, T, T_, by_class + (pull * of_prevalence) ** 2, cut.offset, cut.factor, n1)
        ends = _with_prevalence(spread, level, ends, own * of_prevalence)
    ends = _either(multiple, of_called, ends)
    return _with_group(spread, step, level, ends)


def _with_group(spread: Spread, step: Step, level: float, ends: Ends) -> Ends:
    """Widen intervals to those of the shares of the group of equal scores that the cut divides.

    Of a metric that the prevalence changes by where the cut is alone, which moves inside the group along a straight
    line. If nobody of a class is outside the group, influence values do not say how its share inside varies.
    """
    own = np.asarray(step.cut.factor_slope * step.share + step.cut.offset_slope) * spread.deviation_of_prevalence
    where = step.divides_equal(spread.sums) & (own == 0)
    if spread.clustered is not None or spread.sums.weighted or not where.any():
        return ends
    from scipy.special import betaincinv

    above, divided = step.share_above >= 1, (step.share_above > 0) & (step.share_above < 1)
    inside = divided & (spread.sums.pos > 0) & (spread.sums.neg > 0)
    (n1, a1, l1), (n0, a0, l0) = (
        (
            n := side.sum(axis=-1),
            np.sum(side * above, axis=-1) / (n + 1),
            (np.sum(side * inside, axis=-1) + 0.5) / (n + 1),
        )
        for side in (spread.sums.pos, spread.sums.neg)
    )
    pi = spread.counts.pi if step.axis == "rate" else np.zeros(spread.shape)
    width = pi * l1 + (1 - pi) * l0
    share = np.clip((step.place - pi * a1 - (1 - pi) * a0) / width, 0.0, 1.0)
    by_pos, by_neg = 1 - pi * l1 / width, (1 - pi) * l1 / width
    pull = l1 / width * (step.cut.follows - (a1 + share * l1) + (a0 + share * l0))
    variance = by_pos**2 * (a1 + share**2 * l1 - (a1 + share * l1) ** 2) / n1
    variance += by_neg**2 * (a0 + share**2 * l0 - (a0 + share * l0) ** 2) / n0
    variance += (pull * spread.deviation_of_prevalence) ** 2
    top = np.minimum(1.0, np.divide(step.place, pi, out=np.ones(spread.shape), where=pi > 0))
    # no least middle: the cut may take as small a share of the group as one likes
    middle = np.minimum((a1 + share * l1) / top, 1 - 0.5 / (n1 + 1))
    size = middle * (1 - middle) / (variance / top**2)
    found = np.minimum(step.tpr / top, 1.0)
    a: Any = size * found + 0.5
    b: Any = size * (1 - found) + 0.5
    low, high = _around(found, betaincinv(a, b, (1 - level) / 2), betaincinv(a, b, (1 + level) / 2))
    offset, factor = step.cut.offset, step.cut.factor * top
    return (
        np.where(where, np.minimum(ends[0], offset + factor * low), ends[0]),
        np.where(where, np.maximum(ends[1], offset + factor * high), ends[1]),
    )


def region(spread: Spread, level: float, rng: Any = None) -> Ends:
    """Return the ends that the region of the ROC plane leaves a metric at a cut of the rate, the FPR or the recall.

    Parameters
    ----------
    rng : None, int or Generator
        Breaks ties; None takes a seed from each list.

    Raises
    ------
    ParameterError
        If the metric has no such cut, or subjects do not count one by one.
    """
    step = _step(spread, "region")
    if not spread.may_be_sliced.all():
        raise ParameterError(
            "method='region' is for lists without weights and clusters, of up to a million positives: use "
            f"{step.by_formula!r} for others"
        )
    z, cut, shape = float(t_quantile((1 + level) / 2, math.inf)), step.cut, spread.shape
    of_prevalence = spread.deviation_of_prevalence
    # of a prevalence that is known, precision is a multiple of recall
    multiple = _multiple_of_precision(spread, step) & spread.sampled
    flat: list[AnyArray] = [
        np.broadcast_to(x, shape).ravel() if shape else np.array(x, ndmin=1)
        for x in (step.place, spread.counts.pi, of_prevalence, multiple)
    ]
    low, high = np.full((2, flat[0].size), math.nan)
    for places, cuts in _places(spread, rng):
        place, pi, deviation, called = (column[cuts] for column in flat)
        if step.axis == "fpr":
            low[cuts], high[cuts] = cut_region.at_fpr(places, place, z)
        elif step.axis == "recall":
            low[cuts], high[cuts] = cut_region.at_tpr(places, place, z)
        elif called.all():
            n = places.n_pos + places.n_neg
            low[cuts], high[cuts] = np.transpose([cut_region.among_first(places, n * rate, z) for rate in place])
        else:
            limits = cut_region.RocLimits(Corners.of(places), z)
            known = cut_region.Prevalence(pi, deviation)
            low[cuts], high[cuts] = limits.at_rate(place, known, follows=cut.follows)
    if step.axis == "recall":
        low, high = _around(step.fpr, low.reshape(shape), high.reshape(shape))
        return _at_recall(spread, level, (low, high))
    share = np.where(multiple, spread.counts.pi * step.tpr / step.place, step.tpr)
    low, high = _around(share, low.reshape(shape), high.reshape(shape))
    most = np.where(multiple, cut.factor * step.place / spread.counts.pi, cut.factor)
    ends = (cut.offset + most * low, cut.offset + most * high)
    own = cut.factor_slope * step.tpr + cut.offset_slope
    return _either(multiple, ends, _with_prevalence(spread, level, ends, own * of_prevalence))


def _places(spread: Spread, rng: Any) -> Iterator[tuple[Places, AnyArray]]:
    """Yield the places of each list, with the cuts that are made in it."""
    lists, cuts = spread.lists, np.arange(math.prod(spread.shape))
    if lists.origin is not None:
        own = [(lists.origin.sums, cuts)]
    elif not lists.shape:
        own = [(lists.sums, cuts)]
    else:
        rows = lists.sums.each(lambda column: column.reshape(-1, column.shape[-1]))
        own = [(rows.of(i), cuts[i : i + 1]) for i in cuts.tolist()]
    for sums, of_list in own:
        if sums.mixed.any():
            drawn = np.random.default_rng(seed_of_list(sums) if rng is None else rng)
            yield Places.of(sums.counts(), drawn), of_list
        elif sums is lists.sums:  # all cuts of the list share them
            yield Places.of_list(spread.counts), of_list
        else:
            yield Places.even(sums.counts()), of_list


def _step(spread: Spread, method: str) -> Step:
    step = spread.step
    if step is None:
        raise ParameterError(f"method={method!r} is for metrics at a cutoff, and {spread.metric} has none: use 'auto'")
    if step.cut.tangent:
        raise ParameterError(f"method={method!r} is not for {spread.metric}, a precision: use 'auto'")
    if method not in ("region", step.by_formula):
        at = {"fpr": "an FPR", "rate": "a rate", "recall": "a recall"}[step.axis]
        raise ParameterError(
            f"method={method!r} is not for {spread.metric}, whose cutoff is at {at}: use {step.by_formula!r}"
        )
    return step


def _multiple_of_precision(spread: Spread, step: Step) -> npt.NDArray[np.bool_]:
    """Say where the metric is a multiple of precision, the share of the called: their number counts."""
    cut = step.cut
    if step.axis == "fpr":
        return np.zeros(spread.shape, bool)
    factor = np.asarray(cut.factor)
    followed = np.abs(cut.factor_slope * spread.counts.pi - factor) <= 1e-9 * np.abs(factor)
    return np.asarray((np.asarray(cut.offset) == 0) & (np.asarray(cut.offset_slope) == 0) & followed)


def _with_prevalence(spread: Spread, level: float, ends: Ends, by_deviation: Array) -> Ends:
    """Add in quadrature what else moves with the prevalence, by a standard deviation of it."""
    more = t_quantile((1 + level) / 2, math.inf) * by_deviation
    value, (low, high) = spread.value, ends
    return value - np.hypot(value - low, more), value + np.hypot(high - value, more)


def _at_recall(spread: Spread, level: float, fpr: Ends) -> Ends:
    """Return the ends of a metric at a recall from those of the FPR there; the prevalence in quadrature."""
    step = _step(spread, "region")
    ends = [step.cut.offset + np.asarray(step.cut.factor) * end for end in fpr]
    low, high = (np.min([*ends, spread.value], axis=0), np.max([*ends, spread.value], axis=0))
    slope = np.abs(step.cut.offset_slope + step.cut.factor_slope * step.fpr)
    return _with_prevalence(spread, level, (low, high), slope * spread.deviation_of_prevalence)


def _either(where: npt.NDArray[np.bool_], a: Ends, b: Ends) -> Ends:
    return (np.where(where, a[0], b[0]), np.where(where, a[1], b[1])) if np.count_nonzero(where) else b


def _around(share: Array, low: Array, high: Array) -> Ends:
    """Keep the ends of a share around it; of none and of all there is one end only."""
    # a sum of shares may miss 1 by a hair; the beta of a part of a hit may lie above it
    return (
        np.where(share <= _HAIR, 0.0, np.minimum(low, share)),
        np.where(share >= 1 - _HAIR, 1.0, np.maximum(high, share)),
    )


def log(spread: Spread, level: float) -> Ends:
    """Return the ends of the interval of a metric at a recall: log FPR there, the prevalence in quadrature.

    Raises
    ------
    ParameterError
        If the metric has no cut at a recall.
    """
    step = _step(spread, "log")
    n1, n0 = by_weight.sizes(spread, step)
    recall, factor = step.place, np.asarray(step.cut.factor)
    alpha = (n0 * step.fpr + 0.5) / (n0 + 1)
    elasticity = np.maximum(step.slope * recall / alpha, 1.0)
    variance = (1 - alpha) / (n0 * alpha) + elasticity**2 * recall * (1 - recall) / (n1 * recall**2)
    by_prevalence = np.abs(step.cut.offset_slope + step.cut.factor_slope * alpha) * spread.deviation_of_prevalence
    # the prevalence is part of a variance that was found as a whole
    seen = spread.variance / (factor * alpha) ** 2
    if by_weight.alone(spread):
        variance = by_weight.relative_variance(spread, variance + (by_prevalence / (factor * alpha)) ** 2, seen)
        whole = np.ones(spread.shape, bool)
    elif spread.clustered is not None:
        with np.errstate(divide="ignore"):
            apart = variance + (by_prevalence / (factor * alpha)) ** 2
            variance = 1 / by_weight.of_clusters(spread, 1 / apart, 1 / seen)
        whole = np.ones(spread.shape, bool)
    else:
        whole = (seen > 0) & step.divides_equal(spread.sums)
        variance = np.where(whole, seen, variance)
    half = t_quantile((1 + level) / 2, spread.degrees) * np.sqrt(variance)
    more = np.where(whole, 0.0, t_quantile((1 + level) / 2, math.inf) * by_prevalence)
    ends = []
    for side in (-1, 1):
        other = np.minimum(alpha * np.exp(np.minimum(side * np.sign(factor) * half, 700.0)), 1.0)
        ends.append(spread.value + side * np.hypot(factor * (other - alpha), more))
    return ends[0], ends[1]


def _as_a_whole(spread: Spread, step: Step) -> npt.NDArray[np.bool_]:
    """Say where the variance is that of the influence values, not one made for the cut.

    Where subjects are clustered, and where the cut divides a group of equal scores.
    """
    return np.ones(spread.shape, bool) if spread.clustered is not None else step.divides_equal(spread.sums)


def _beta(
    spread: Spread,
    step: Step,
    level: float,
    T: Array,
    T_: Array,
    variance: Array,
    offset: Array | float,
    factor: Array | float,
    count: Array,
) -> Ends:
    from scipy.special import betaincinv

    factor = np.asarray(factor, float)
    whole = (factor > 0) & (spread.variance > (_NOISE * factor) ** 2)
    whole &= _as_a_whole(spread, step)
    seen = np.where(whole, np.divide(spread.variance, factor**2, out=np.zeros(T.shape), where=whole), variance)
    # influence values vary as the share itself does, not as its middle: of a large group of equal scores the cut may
    # take a few subjects, whose number says nothing of how well the share of the group is known
    middle = np.where(whole, T_ + (T - T_) * step.share_of_equal(spread.sums), T_)
    of_count = np.array(np.broadcast_to(count, T.shape))
    size = np.divide(middle * (1 - middle), seen, out=of_count.copy(), where=seen > 0)
    if by_weight.alone(spread):
        size = by_weight.toward_influence(spread, factor, T, size)
    if spread.clustered is not None:
        apart = np.divide(T_ * (1 - T_), variance, out=of_count, where=variance > 0)
        size = by_weight.of_clusters(spread, apart, np.where(whole, size, math.inf))
        # a variance between few clusters is little known (Korn and Graubard 1998, Survey Methodology 24:193)
        tail = (1 + level) / 2
        ratio = t_quantile(tail, np.maximum(size - 1, 1.0)) / t_quantile(tail, spread.degrees)
        size = size * np.minimum(ratio, 1.0) ** 2
    # many short lists have few numbers between them
    a, b = size * T + 0.5, size * (1 - T) + 0.5
    shapes, place = np.unique(np.stack([a, b], axis=-1).view(complex)[..., 0], return_inverse=True)
    low, high = (
        np.asarray(betaincinv(shapes.real, shapes.imag, (1 + side * level) / 2), float)[place].reshape(T.shape)
        for side in (-1, 1)
    )
    low, high = _around(T, low, high)
    return offset + factor * low, offset + factor * high
