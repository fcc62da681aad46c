"""Limits of precision at a recall."""

from __future__ import annotations

import math

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.bands.limits import Limits, first_reached
from hitcurve.inference.quantiles import t_quantile
from hitcurve.table import HitTable


def precision_at(recall: Array, limits: Limits, table: HitTable, level: float, *, sampled: bool) -> Limits:
    """Read limits of precision at a recall off limits of the ROC curve.

    ``logit precision = logit pi + log recall - log FPR``; where the prevalence was sampled, its uncertainty is added in
    quadrature.
    """
    c = table.counts
    fpr = first_reached(recall, np.append(0.0, c.Q), np.append(0.0, c.P))
    ends = np.concatenate([[0.0], limits.x, [1.0]])
    low, high = np.concatenate([[0.0], limits.low, [1.0]]), np.concatenate([[limits.high[0]], limits.high, [1.0]])
    # the first FPR at which the lower limit reaches the recall, the last at which the upper has not passed it
    between = _last_not_passed(recall, ends, high), _first_reached(recall, ends, low)
    z = t_quantile((1 + level) / 2, math.inf) if sampled else 0.0
    return precision_between(recall, fpr, between, table, z)


def precision_between(
    recall: Array, fpr: Array, between: tuple[Array, Array], table: HitTable, of_prevalence: float
) -> Limits:
    """Return precision at a recall, and its limits from those of FPR and so many standard errors of the prevalence.

    Both are added in quadrature, but in full where FPR is limited by 0 or 1: no sample moves that.
    """
    from scipy.special import expit

    c = table.counts
    n1, n0, pi = float(c.n1), float(c.n0), float(c.pi)
    middle = (n0 * fpr + 0.5) / (n0 + 1)
    least, most = np.minimum(between[0], middle), np.maximum(between[1], middle)
    centre = math.log(pi / (1 - pi)) + np.log(recall) - np.log(middle)
    extra = of_prevalence**2 / ((n1 + n0) * pi * (1 - pi))
    with np.errstate(divide="ignore"):
        down, up = np.log(most / middle), np.log(middle / least)
        full = math.sqrt(extra)
        down = np.where(most >= 1, down + full, np.sqrt(down**2 + extra))
        up = np.where(least <= 0, up + full, np.sqrt(up**2 + extra))
    value = np.asarray(pi * recall / (pi * recall + (1 - pi) * fpr))
    return Limits(recall, value, np.minimum(expit(centre - down), value), np.maximum(expit(centre + up), value))


def _first_reached(recall: Array, x: Array, low: Array) -> Array:
    """Return the first FPR of the grid at which the lower limit has reached a recall: between points it is unknown."""
    return np.asarray(x[np.minimum(np.searchsorted(np.maximum.accumulate(low), recall, "left"), x.size - 1)])


def _last_not_passed(recall: Array, x: Array, high: Array) -> Array:
    """Return the last FPR of the grid at which the upper limit has not passed a recall."""
    place = np.searchsorted(np.maximum.accumulate(high), recall, "right") - 1
    return np.where(place < 0, 0.0, x[np.maximum(place, 0)])


def pointwise_precision(table: HitTable, recall: Array, level: float, *, sampled: bool) -> Limits:
    """Return limits of each precision alone: the corrected variance of Clémençon and Vayatis on the logit scale."""
    from scipy.special import expit

    c = table.counts
    n1, n0, pi = float(c.n1), float(c.n0), float(c.pi)
    P, Q = np.append(0.0, c.P), np.append(0.0, c.Q)
    fpr = first_reached(recall, Q, P)
    middle = (n0 * fpr + 0.5) / (n0 + 1)
    half = np.maximum(recall * n1**-0.2, 1.5 / n1)
    low, high = np.maximum(recall - half, 0.0), np.minimum(recall + half, 1.0)
    rise = (first_reached(high, Q, P) - first_reached(low, Q, P) + 1 / n0) / (high - low)
    elasticity = np.maximum(rise * recall / middle, 1.0)
    variance = (1 - middle) / (n0 * middle) + elasticity**2 * (1 - recall) / (n1 * recall)
    if sampled:
        variance = variance + 1 / ((n1 + n0) * pi * (1 - pi))
    centre = math.log(pi / (1 - pi)) + np.log(recall) - np.log(middle)
    reach = t_quantile((1 + level) / 2, n1 - 1) * np.sqrt(variance)
    value = np.asarray(pi * recall / (pi * recall + (1 - pi) * fpr))
    return Limits(recall, value, np.minimum(expit(centre - reach), value), np.maximum(expit(centre + reach), value))


def at_prevalence(precision: Array, pi: float, other: float) -> Array:
    """Move precision from one prevalence to another, the rates held."""
    odds = other / (1 - other) * (1 - pi) / pi
    return np.clip(precision * odds / (precision * odds + 1 - precision), 0.0, 1.0)
