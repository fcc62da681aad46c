"""Intervals of metrics of a hard cut: a beta with an effective number of subjects, and work saved at a recall."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array
from hitcurve.errors import ParameterError
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.spread import Spread
from hitcurve.inference.step import Step, variance_at_fpr, variance_at_rate

_NOISE = 1e-9  # a standard error of a share that is rounding
_HAIR = 1e-12  # what a sum of shares may miss 1 by


def jeffreys(spread: Spread, level: float) -> tuple[Array, Array]:
    """Return the ends of the beta interval of a metric at a cut of the rate or the FPR.

    Raises
    ------
    ParameterError
        If the metric has no such cut.
    """
    step = spread.step
    if step is None or step.axis == "recall":
        raise ParameterError(f"method='jeffreys' is for metrics of a hard cut, and {spread.metric} is none")
    n1, n0 = spread.effective
    T = step.tpr
    T_ = (n1 * T + 0.5) / (n1 + 1)
    cut = step.cut
    if step.axis == "fpr":
        variance = variance_at_fpr(T_, step.place, step.slope, n1, n0)
        return _beta(spread, step, level, T, T_, variance, cut.offset, cut.factor, n1)
    pi, n, rho = spread.counts.pi, n1 + n0, step.slope
    Q_ = np.clip((n0 * step.fpr + 0.5) / (n0 + 1), 0.0, 1.0)
    by_class = variance_at_rate(T_, Q_, rho, pi, n1, n0)
    of_prevalence = np.sqrt(pi * (1 - pi) / n) if spread.sampled else np.zeros_like(pi)
    pull, own = (cut.follows - (T_ - Q_)) * rho / pi, cut.factor_slope * T_ + cut.offset_slope
    multiple = (
        (np.asarray(cut.offset) == 0)
        & (np.asarray(cut.offset_slope) == 0)
        & np.isclose(cut.factor_slope * pi, cut.factor, rtol=1e-9, atol=0.0)
    )
    if multiple.any():
        # a multiple of precision, the share of the called: their number counts
        called, most = n * step.place, cut.factor * step.place / pi
        precision = pi * T / step.place
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = (cut.factor**2 * by_class + ((cut.factor * pull + own) * of_prevalence) ** 2) / most**2
            middle = (precision * called + 0.5) / (called + 1)
            of_called = _beta(spread, step, level, precision, middle, variance, 0.0, most, called)
        if multiple.all():
            return of_called
    low, high = _beta(spread, step, level, T, T_, by_class + (pull * of_prevalence) ** 2, cut.offset, cut.factor, n1)
    # what else moves with the prevalence, in quadrature
    by_prevalence = t_quantile((1 + level) / 2, math.inf) * own * of_prevalence
    of_recall = (
        spread.value - np.hypot(spread.value - low, by_prevalence),
        spread.value + np.hypot(high - spread.value, by_prevalence),
    )
    if not multiple.any():
        return of_recall
    return np.where(multiple, of_called[0], of_recall[0]), np.where(multiple, of_called[1], of_recall[1])


def log(spread: Spread, level: float) -> tuple[Array, Array]:
    """Return the ends of the interval of work saved at a recall: log FPR there, the prevalence in quadrature.

    Raises
    ------
    ParameterError
        If the metric has no cut at a recall.
    """
    step = spread.step
    if step is None or step.axis != "recall":
        raise ParameterError(f"method='log' is for work saved at a recall (wss), not for {spread.metric}")
    n1, n0 = spread.effective
    n, pi, recall = n1 + n0, spread.counts.pi, step.place
    alpha = (n0 * step.fpr + 0.5) / (n0 + 1)
    elasticity = np.maximum(step.slope * recall / alpha, 1.0)
    variance = (1 - alpha) / (n0 * alpha) + elasticity**2 * recall * (1 - recall) / (n1 * recall**2)
    # the prevalence is part of a variance that was found as a whole
    whole = (spread.variance > 0) & _as_a_whole(spread, step)
    variance = np.where(whole, spread.variance / ((1 - pi) * alpha) ** 2, variance)
    half = t_quantile((1 + level) / 2, spread.degrees) * np.sqrt(variance)
    by_prevalence = t_quantile((1 + level) / 2, math.inf) * np.sqrt(pi * (1 - pi) / n) * np.abs(alpha - recall)
    by_prevalence = np.where(whole | (not spread.sampled), 0.0, by_prevalence)
    ends = []
    for side in (1, -1):
        other = np.minimum(alpha * np.exp(np.minimum(side * half, 700.0)), 1.0)
        ends.append(spread.value - side * np.hypot((1 - pi) * (other - alpha), by_prevalence))
    return ends[0], ends[1]


def _as_a_whole(spread: Spread, step: Step) -> npt.NDArray[np.bool_]:
    """Say where the variance is that of the influence values, not one made for the cut.

    Where subjects are clustered, and where the cut divides a group of equal scores, whose subjects are above it in
    part.
    """
    if spread.clustered is not None:
        return np.ones(spread.shape, bool)
    divided = (step.share_above > 0) & (step.share_above < 1)
    return np.asarray(np.any(divided & (spread.sums.pos > 0) & (spread.sums.neg > 0), axis=-1))


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
) -> tuple[Array, Array]:
    from scipy.special import betaincinv

    factor = np.asarray(factor, float)
    whole = (factor > 0) & (spread.variance > (_NOISE * factor) ** 2)
    whole &= _as_a_whole(spread, step)
    variance = np.where(whole, np.divide(spread.variance, factor**2, out=np.zeros(T.shape), where=whole), variance)
    size = np.divide(T_ * (1 - T_), variance, out=np.array(np.broadcast_to(count, T.shape)), where=variance > 0)
    a, b = size * T + 0.5, size * (1 - T) + 0.5
    # a sum of shares may miss 1 by a hair; the beta of a part of a hit may lie above it
    low = np.where(T <= _HAIR, 0.0, np.minimum(betaincinv(a, b, (1 - level) / 2), T))
    high = np.where(T >= 1 - _HAIR, 1.0, np.maximum(betaincinv(a, b, (1 + level) / 2), T))
    return offset + factor * low, offset + factor * high
