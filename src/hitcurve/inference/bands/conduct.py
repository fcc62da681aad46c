"""From a table to the band of one of its curves."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.inference.bands.band import Band, Line, check_range, reached
from hitcurve.inference.bands.free import free_limits
from hitcurve.inference.bands.limits import (
    DRAWS,
    Limits,
    accumulation_process,
    first_reached,
    rate_grid,
    roc_grid,
    roc_process,
    upper_end,
)
from hitcurve.inference.bands.smooth import (
    KERNELS,
    OF_VARIANCE,
    Smoothed,
    auto_importance,
    bandwidth_rule,
    draw_curves,
    smooth,
)
from hitcurve.inference.design import resolve
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resample import generator, replicates
from hitcurve.magnify import Exponential, Magnification
from hitcurve.table import HitTable

CURVES = (
    "precision_recall",
    "roc",
    "hit",
    "accumulation",
    "croc",
    "cac",
    "lift",
    "rate_accuracy",
)
METHODS = ("influence", "smoothed-bootstrap", "bootstrap", "distribution-free", "studentized-smoothed")
KINDS = ("simultaneous", "pointwise")
_FEWEST = 10  # positives for a simultaneous band
_FEWEST_OF_EITHER = 5
_OVER_FPR = ("roc", "croc", "precision_recall")
_POINTS = 81
_REPLICATES = 2000


@dataclass(frozen=True)
class Wish:
    """What band is wanted.

    Attributes
    ----------
    curve, kind, method : str
    level : float
    x_range : (float, float) or None
    magnification : Magnification
    sampled : bool
        Whether the prevalence was sampled.
    n_resamples : int or None
    kernel : str
    bandwidth : str or float
    importance : float, "auto" or None
    centring : str
    rng : object
    """

    curve: str
    kind: str
    method: str
    level: float
    x_range: tuple[float, float] | None
    magnification: Magnification
    sampled: bool
    n_resamples: int | None
    kernel: str
    bandwidth: str | float
    importance: float | str | None
    centring: str
    rng: Any


def band_of_table(
    table: HitTable,
    *,
    curve: str = "precision_recall",
    kind: str = "simultaneous",
    method: str = "influence",
    x_range: tuple[float, float] | None = None,
    confidence_level: float = 0.95,
    design: str | None = None,
    magnification: Magnification | None = None,
    n_resamples: int | None = None,
    kernel: str = "gaussian",
    bandwidth: str | float = "n^-1/5",
    importance: float | str | None = None,
    centring: str = "smoothed",
    rng: Any = 0,
) -> Band:
    """Return the band of one curve of a table; see :func:`hitcurve.band`."""
    _checks.choice("curve", curve, CURVES)
    _checks.choice("kind", kind, KINDS)
    _checks.choice("method", method, METHODS)
    _checks.choice("centring", centring, ("smoothed", "empirical"))
    _checks.choice("kernel", kernel, KERNELS)
    bandwidth_rule(bandwidth)
    _importance(importance, 1, 0.5)
    if n_resamples is not None:
        _checks.whole_number("n_resamples", n_resamples)
    level = _checks.open_unit("confidence_level", confidence_level)
    how = resolve(design, table.assumed_prevalence)
    if magnification is not None and curve not in ("croc", "cac"):
        raise ParameterError(f"a {curve} curve is not magnified: croc and cac curves are")
    if magnification is not None and not isinstance(magnification, Magnification):
        raise ParameterError(f"magnification must be a Magnification, got {magnification!r}")
    if table.weighted:
        raise UndefinedMetricError("bands need whole subjects: weights have none")
    c = table.counts
    n1, n0 = float(c.n1), float(c.n0)
    if kind == "simultaneous" and n1 < _FEWEST:
        raise InsufficientDataError(
            f"{n1:g} positives are too few for a simultaneous band (at least {_FEWEST}): kind='pointwise' is possible, "
            "and an interval of one metric"
        )
    if min(n1, n0) < _FEWEST_OF_EITHER:
        raise InsufficientDataError(
            f"{n1:g} positives and {n0:g} negatives: a band needs at least {_FEWEST_OF_EITHER} of either class"
        )
    if np.count_nonzero(np.asarray(c.pos) + np.asarray(c.neg)) < 2:
        raise UndefinedMetricError("all scores are tied: the curve is the diagonal and has no band")
    sampled = how == "cohort" and table.assumed_prevalence is None
    wish = Wish(
        curve,
        kind,
        method,
        level,
        None if x_range is None else check_range(x_range, 0.0, 1.0),
        Exponential(7) if magnification is None else magnification,
        sampled,
        n_resamples,
        kernel,
        bandwidth,
        importance,
        centring,
        rng,
    )
    recipe: dict[str, Callable[[HitTable, Wish], tuple[Limits, float | None, list[str]]]] = {
        "influence": _influence,
        "distribution-free": _distribution_free,
        "bootstrap": _bootstrap,
        "smoothed-bootstrap": _smoothed,
        "studentized-smoothed": _smoothed,
    }
    limits, effective, said = recipe[method](table, wish)
    if n1 < 20:
        said.append(f"only {n1:g} positives: the band is approximate")
    center, low, high = (Line(limits.x, y) for y in (limits.value, limits.low, limits.high))
    f = wish.magnification if curve in ("croc", "cac") else None
    return Band(curve, center, low, high, kind, method, level, how, n1, n0, effective, tuple(said), f)


# ---- from limits over FPR or rates to limits of the curve that was asked for


def _grid(table: HitTable, wish: Wish) -> Array:
    """Return FPR or rates, those of the range that was asked for."""
    c = table.counts
    x = roc_grid(float(c.n0)) if wish.curve in _OVER_FPR else rate_grid(float(c.n))
    if wish.x_range is None or wish.curve == "precision_recall":
        return x
    low, high = wish.x_range
    if wish.curve in ("croc", "cac"):
        low, high = (float(wish.magnification.inverse(np.asarray(end))) for end in (low, high))
    low, high = reached((low, high), x[0], x[-1])
    return np.unique(np.concatenate([[low], x[(x > low) & (x < high)], [high]]))


def _recalls(table: HitTable, wish: Wish) -> Array:
    # below two positives the curve is whatever the first scores make of it
    n1 = float(table.counts.n1)
    low, high = reached(wish.x_range or (2 / n1, 1.0), 1 / n1, 1.0)
    return np.linspace(low, high, _POINTS)


def _possible(limits: Limits, table: HitTable, wish: Wish) -> Limits:
    """Return limits of TPR over rates without what no list has whose prevalence is known.

    Above a rate there are at most as many positives as subjects, and below it likewise.
    """
    if wish.curve in _OVER_FPR or wish.sampled:
        return limits
    pi, x = float(table.counts.pi), limits.x
    low = np.minimum(np.maximum(limits.low, 1 - (1 - x) / pi), limits.value)
    high = np.maximum(np.minimum(limits.high, x / pi), limits.value)
    return replace(limits, low=low, high=high)


def _shown(limits: Limits, table: HitTable, wish: Wish) -> Limits:
    """Map limits of TPR over FPR or rates to the curve that was asked for."""
    if wish.curve == "precision_recall":
        return _precision(limits, table, wish)
    pi, n = float(table.counts.pi), float(table.counts.n)
    x = limits.x
    by_prevalence = t_quantile((1 + wish.level) / 2, math.inf) * math.sqrt(pi * (1 - pi) / n) if wish.sampled else 0.0
    if wish.curve in ("croc", "cac"):
        return replace(limits, x=np.asarray(wish.magnification(x)))
    if wish.curve == "lift":
        return Limits(x, limits.value / x, limits.low / x, limits.high / x)
    if wish.curve == "hit":
        return _scaled(limits, pi, np.zeros(x.size), limits.value * by_prevalence, 0.0, np.minimum(x, 1.0))
    if wish.curve == "rate_accuracy":
        return _scaled(limits, 2 * pi, 1 - pi - x, np.abs(2 * limits.value - 1) * by_prevalence, 0.0, np.ones(x.size))
    return limits


def _scaled(limits: Limits, factor: float, offset: Array, extra: Array, least: float, most: Array) -> Limits:
    """Return offset + factor * limits, with the doubt about the prevalence in quadrature."""
    value = offset + factor * limits.value
    low = value - np.hypot(factor * (limits.value - limits.low), extra)
    high = value + np.hypot(factor * (limits.high - limits.value), extra)
    return Limits(limits.x, value, np.maximum(low, least), np.minimum(high, most))


def _precision(limits: Limits, table: HitTable, wish: Wish) -> Limits:
    """Read limits of precision at a recall off those of the ROC curve: logit precision = logit pi + log b - log FPR."""
    from scipy.special import expit

    c = table.counts
    n1, n0, pi = float(c.n1), float(c.n0), float(c.pi)
    recall = _recalls(table, wish)
    fpr = first_reached(recall, np.append(0.0, c.Q), np.append(0.0, c.P))
    middle = (n0 * fpr + 0.5) / (n0 + 1)
    ends = np.concatenate([[0.0], limits.x, [1.0]])
    low, high = np.concatenate([[0.0], limits.low, [1.0]]), np.concatenate([[limits.high[0]], limits.high, [1.0]])
    # the first FPR at which the lower limit reaches the recall, the last at which the upper has not passed it
    most = np.maximum(_first_reached(recall, ends, low), middle)
    least = np.minimum(_last_not_passed(recall, ends, high), middle)
    centre = math.log(pi / (1 - pi)) + np.log(recall) - np.log(middle)
    z = t_quantile((1 + wish.level) / 2, math.inf)
    extra = z * z / ((n1 + n0) * pi * (1 - pi)) if wish.sampled else 0.0
    with np.errstate(divide="ignore"):
        down = np.sqrt(np.log(most / middle) ** 2 + extra)
        up = np.sqrt(np.log(middle / least) ** 2 + extra)
    value = np.asarray(pi * recall / (pi * recall + (1 - pi) * fpr))
    return Limits(recall, value, np.minimum(expit(centre - down), value), np.maximum(expit(centre + up), value))


def _first_reached(recall: Array, x: Array, low: Array) -> Array:
    """Return the first FPR of the grid at which the lower limit has reached a recall: between points it is unknown."""
    return np.asarray(x[np.minimum(np.searchsorted(np.maximum.accumulate(low), recall, "left"), x.size - 1)])


def _last_not_passed(recall: Array, x: Array, high: Array) -> Array:
    """Return the last FPR of the grid at which the upper limit has not passed a recall."""
    place = np.searchsorted(np.maximum.accumulate(high), recall, "right") - 1
    return np.where(place < 0, 0.0, x[np.maximum(place, 0)])


# ---- methods


def _influence(table: HitTable, wish: Wish) -> tuple[Limits, float | None, list[str]]:
    if wish.curve == "precision_recall" and wish.kind == "pointwise":
        return _pointwise_precision(table, wish), None, []
    x = _grid(table, wish)
    over_fpr = wish.curve in _OVER_FPR
    process = roc_process(table, x) if over_fpr else accumulation_process(table, x, sampled=wish.sampled)
    draws = wish.n_resamples or DRAWS
    limits = process.limits(wish.level, simultaneous=wish.kind == "simultaneous", n_draws=draws, rng=wish.rng)
    return _shown(_possible(limits, table, wish), table, wish), None, []


def _pointwise_precision(table: HitTable, wish: Wish) -> Limits:
    """Return limits of each precision alone: the corrected variance of Clemencon and Vayatis on the logit scale."""
    from scipy.special import expit

    c = table.counts
    n1, n0, pi = float(c.n1), float(c.n0), float(c.pi)
    recall = _recalls(table, wish)
    P, Q = np.append(0.0, c.P), np.append(0.0, c.Q)
    fpr = first_reached(recall, Q, P)
    middle = (n0 * fpr + 0.5) / (n0 + 1)
    half = np.maximum(recall * n1**-0.2, 1.5 / n1)
    low, high = np.maximum(recall - half, 0.0), np.minimum(recall + half, 1.0)
    rise = (first_reached(high, Q, P) - first_reached(low, Q, P) + 1 / n0) / (high - low)
    elasticity = np.maximum(rise * recall / middle, 1.0)
    variance = (1 - middle) / (n0 * middle) + elasticity**2 * (1 - recall) / (n1 * recall)
    if wish.sampled:
        variance = variance + 1 / ((n1 + n0) * pi * (1 - pi))
    centre = math.log(pi / (1 - pi)) + np.log(recall) - np.log(middle)
    reach = t_quantile((1 + wish.level) / 2, n1 - 1) * np.sqrt(variance)
    value = np.asarray(pi * recall / (pi * recall + (1 - pi) * fpr))
    return Limits(recall, value, np.minimum(expit(centre - reach), value), np.maximum(expit(centre + reach), value))


def _distribution_free(table: HitTable, wish: Wish) -> tuple[Limits, float | None, list[str]]:
    if wish.kind == "pointwise":
        raise ParameterError("method='distribution-free' is simultaneous: use kind='simultaneous'")
    c = table.counts
    x = _grid(table, wish)
    along = "fpr" if wish.curve in _OVER_FPR else "rate"
    by_prevalence = wish.sampled and wish.curve not in ("roc", "croc")
    limits, ends = free_limits(c, x, along, wish.level, sampled=by_prevalence)
    limits = _possible(limits, table, wish)
    if wish.curve != "precision_recall":
        if wish.curve in ("hit", "rate_accuracy") and by_prevalence:
            return _with_prevalence(limits, wish.curve, ends, float(c.pi)), None, []
        return _shown(limits, table, replace(wish, sampled=False)), None, []
    # precision follows FPR and prevalence; both ends of the latter are part of the confidence
    shown = _precision(limits, table, replace(wish, sampled=False))
    low, high = _at_prevalence(shown.low, float(c.pi), ends[0]), _at_prevalence(shown.high, float(c.pi), ends[1])
    return replace(shown, low=low, high=high), None, []


def _with_prevalence(limits: Limits, curve: str, ends: tuple[float, float], pi: float) -> Limits:
    def of(share: Array, p: float) -> Array:
        return p * share if curve == "hit" else 2 * p * share + 1 - p - limits.x

    low = np.minimum(*(of(limits.low, p) for p in ends))
    high = np.maximum(*(of(limits.high, p) for p in ends))
    return Limits(limits.x, of(limits.value, pi), np.maximum(low, 0.0), np.minimum(high, 1.0))


def _at_prevalence(precision: Array, pi: float, other: float) -> Array:
    """Move precision from one prevalence to another, the rates held."""
    odds = other / (1 - other) * (1 - pi) / pi
    return np.clip(precision * odds / (precision * odds + 1 - precision), 0.0, 1.0)


def _bootstrap(table: HitTable, wish: Wish) -> tuple[Limits, float | None, list[str]]:
    """Return limits of constant width, from multinomial draws over the cells of the table."""
    table = table.collapse()  # the same law from fewer cells
    x = _recalls(table, wish) if wish.curve == "precision_recall" else _grid(table, wish)

    def curve(P: Array, Q: Array, pi: float) -> Array:
        P, Q = np.append(0.0, P), np.append(0.0, Q)
        if wish.curve == "precision_recall":
            fpr = first_reached(x, Q, P)
            return np.asarray(pi * x / (pi * x + (1 - pi) * fpr))
        if wish.curve in _OVER_FPR:
            return upper_end(x, Q, P)
        return np.asarray(np.interp(x, pi * P + (1 - pi) * Q, P))

    def curves(c: Counts) -> Array:
        pi = np.broadcast_to(c.pi, len(c.P))
        return np.stack([curve(P, Q, float(p)) for P, Q, p in zip(c.P, c.Q, pi, strict=True)])

    design = "cohort" if wish.sampled else "case-control"
    values, _ = replicates(table, curves, design, wish.n_resamples or _REPLICATES, wish.rng)
    c = table.counts
    centre = curve(c.P, c.Q, float(c.pi))
    if wish.kind == "pointwise":
        low, high = np.quantile(values, [(1 - wish.level) / 2, (1 + wish.level) / 2], axis=0)
    else:
        width = float(np.quantile(np.max(np.abs(values - centre), axis=1), wish.level))
        low, high = centre - width, centre + width
    limits = Limits(x, centre, np.clip(low, 0, 1), np.clip(high, 0, 1))
    if wish.curve != "precision_recall":
        limits = _shown(_possible(limits, table, wish), table, wish)
    return limits, None, []


def _smoothed(table: HitTable, wish: Wish) -> tuple[Limits, float | None, list[str]]:
    """Return the band of Algorithm 1: smoothed bootstrap, largest deviation, constant width."""
    studentized = wish.method == "studentized-smoothed"
    if studentized != (wish.kind == "pointwise"):
        raise ParameterError(
            f"method={wish.method!r} is {'pointwise' if studentized else 'simultaneous'}: over a whole curve a band "
            "studentised by the standard deviation of replicates covers .03 to .8, so 'smoothed-bootstrap' is "
            "simultaneous with constant width, 'studentized-smoothed' for each point alone"
        )
    if table.kind != "full" or table.score is None:
        raise ParameterError(
            f"method={wish.method!r} needs the scores of all subjects: give labels and scores to hitcurve.band"
        )
    c = table.counts
    n, pi = int(c.n), float(c.pi)
    smoothed = smooth(table.score, c.pos, c.neg, kernel=wish.kernel, rule=wish.bandwidth)
    x = _recalls(table, wish) if wish.curve == "precision_recall" else _grid(table, wish)
    basis = "precision_recall" if wish.curve == "precision_recall" else "roc" if wish.curve in _OVER_FPR else "acc"
    count = wish.n_resamples or min(n, _REPLICATES)
    if wish.importance is not None and not wish.sampled:
        raise ParameterError("importance sampling is of the number of positives, which a case-control design fixes")
    importance = _importance(wish.importance, n, pi)
    empirical, centre = _both(table, smoothed, x, basis)
    sizes, known, own = (int(c.n1), int(c.n0)), None if wish.sampled else pi, generator(wish.rng)
    drawn = draw_curves(smoothed, x, basis, sizes, count, known=known, importance=importance, rng=own)
    said = []
    effective = None if importance is None else drawn.effective
    if effective is not None and effective < count / 10:
        said.append(
            f"importance sampling at p~ = {importance:.4g} leaves {effective:.3g} of {count} replicates: use "
            "importance=None, which draws given one positive and is exact"
        )
    middle = centre if wish.centring == "smoothed" else empirical
    if studentized:
        # quantiles of the draws in their own standard deviations, times those of draws that are smoothed less
        narrow = smooth(table.score, c.pos, c.neg, kernel=wish.kernel, rule=OF_VARIANCE)
        scale = draw_curves(narrow, x, basis, sizes, count, known=known, importance=importance, rng=own).deviation
        deviation = drawn.deviation
        ratio = np.divide(scale, deviation, out=np.ones_like(scale), where=deviation > 0)
        reach = ratio * drawn.quantiles(centre, wish.level)
    else:
        reach = np.full(x.size, drawn.quantile_of_sup(centre, wish.level))
    limits = Limits(x, middle, np.clip(middle - reach, 0, 1), np.clip(middle + reach, 0, 1))
    if basis != "precision_recall":
        limits = _shown(_possible(limits, table, wish), table, wish)
    return limits, effective, said


def _importance(wanted: float | str | None, n: int, pi: float) -> float | None:
    if wanted is None:
        return None
    if isinstance(wanted, str):
        _checks.choice("importance", wanted, ("auto",))
        return auto_importance(n, pi)
    return _checks.open_unit("importance", wanted)


def _both(table: HitTable, smoothed: Smoothed, x: Array, basis: str) -> tuple[Array, Array]:
    """Return the empirical and the smoothed curve on the grid."""
    c = table.counts
    pi, P, Q = float(c.pi), np.append(0.0, c.P), np.append(0.0, c.Q)
    if basis == "precision_recall":
        return np.asarray(pi * x / (pi * x + (1 - pi) * first_reached(x, Q, P))), smoothed.precision(x, pi)
    if basis == "roc":
        return upper_end(x, Q, P), smoothed.roc(x)
    rate = pi * smoothed.tpr + (1 - pi) * smoothed.fpr
    return np.interp(x, pi * P + (1 - pi) * Q, P), np.interp(x, rate, smoothed.tpr)
