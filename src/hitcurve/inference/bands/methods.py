"""Methods of bands: limits of a share along the list, and what becomes of them on the curve that was asked for."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.curve import Axis, BandPart, CurveKind
from hitcurve.errors import ParameterError
from hitcurve.inference.bands.band import reached
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
from hitcurve.inference.bands.options import BandOptions
from hitcurve.inference.bands.precision import at_prevalence, pointwise_precision, precision_at
from hitcurve.inference.bands.smooth import OF_VARIANCE, Smoothed, auto_importance, draw_curves, smooth
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resampling.resample import generator, replicates
from hitcurve.table import HitTable

_POINTS = 81
_REPLICATES = 2000


@dataclass(frozen=True)
class Task:
    """One band to be made.

    Attributes
    ----------
    table : HitTable
    kind : CurveKind
    axis : Axis
    options : BandOptions
    x_range : (float, float) or None
    sampled : bool
        Whether the prevalence was sampled.
    rng : object
    """

    table: HitTable
    kind: CurveKind
    axis: Axis
    options: BandOptions
    x_range: tuple[float, float] | None
    sampled: bool
    rng: Any

    @property
    def part(self) -> BandPart:
        """The part of the curve kind that defines its bands."""
        return self.kind.band or BandPart()

    @property
    def over_fpr(self) -> bool:
        """Whether limits are those of TPR over FPR; else over the rate."""
        return self.kind.along != "rate"

    @property
    def of_precision(self) -> bool:
        """Whether precision at a recall is bounded."""
        return self.part.share == "precision"

    @property
    def level(self) -> float:
        """The confidence level."""
        return self.options.confidence_level

    def grid(self) -> Array:
        """Return the grid of FPR or rates within the requested range."""
        c = self.table.counts
        x = roc_grid(float(c.n0)) if self.over_fpr else rate_grid(float(c.n))
        if self.x_range is None or self.of_precision:
            return x
        low, high = (float(end) for end in self.axis.backward(np.asarray(self.x_range, float)))
        low, high = reached((low, high), x[0], x[-1])
        return np.unique(np.concatenate([[low], x[(x > low) & (x < high)], [high]]))

    def recalls(self) -> Array:
        """Return the recalls of a band of precision."""
        # below two positives the curve is whatever the first scores make of it
        n1 = float(self.table.counts.n1)
        low, high = reached(self.x_range or (2 / n1, 1.0), 1 / n1, 1.0)
        return np.linspace(low, high, _POINTS)

    # ---- from limits of TPR to those of the curve

    def heights(self, x: Array, T: Array, pi: float) -> Array:
        """Return y of the curve where TPR is T at an FPR or a rate."""
        return self.kind.height(pi, T, x if self.over_fpr else (x - pi * T) / (1 - pi))

    def shown(self, limits: Limits) -> Limits:
        """Map limits of TPR to the curve; the uncertainty of the prevalence, where it matters, comes in quadrature."""
        pi, n, x = float(self.table.counts.pi), float(self.table.counts.n), limits.x
        value, *ends = (self.heights(x, T, pi) for T in (limits.value, limits.low, limits.high))
        low, high = np.minimum(*ends), np.maximum(*ends)
        if self.part.by_prevalence is not None and self.sampled:
            reach = t_quantile((1 + self.level) / 2, math.inf) * math.sqrt(pi * (1 - pi) / n)
            extra = reach * self.part.by_prevalence(pi, x, limits.value)
            low, high = value - np.hypot(value - low, extra), value + np.hypot(high - value, extra)
        return self.placed(Limits(x, value, low, high))

    def placed(self, limits: Limits) -> Limits:
        """Return limits over the x of the curve, without heights that no list reaches."""
        low, high = limits.low, limits.high
        if self.part.most is not None:
            low, high = np.maximum(low, 0.0), np.minimum(high, self.part.most(limits.x))
        return Limits(self.axis.forward(limits.x), limits.value, low, high)


class Found(NamedTuple):
    """Limits of a curve, the effective number of replicates where they have weights, and cautions."""

    limits: Limits
    effective: float | None = None
    cautions: tuple[str, ...] = ()


def _possible(limits: Limits, task: Task) -> Limits:
    """Return limits of TPR over rates without what no list has whose prevalence is known.

    Above a rate there are at most as many positives as subjects, and below it likewise.
    """
    if task.over_fpr or task.sampled:
        return limits
    pi, x = float(task.table.counts.pi), limits.x
    low = np.minimum(np.maximum(limits.low, 1 - (1 - x) / pi), limits.value)
    high = np.maximum(np.minimum(limits.high, x / pi), limits.value)
    return replace(limits, low=low, high=high)


# ---- methods


def influence_limits(task: Task) -> Found:
    """Return the limits of a Gaussian process with analytic variance and a beta shape."""
    options, table = task.options, task.table
    if task.of_precision and not options.simultaneous:
        return Found(pointwise_precision(table, task.recalls(), task.level, sampled=task.sampled))
    x = task.grid()
    process = roc_process(table, x) if task.over_fpr else accumulation_process(table, x, sampled=task.sampled)
    draws = options.n_resamples or DRAWS
    limits = process.limits(task.level, simultaneous=options.simultaneous, n_draws=draws, rng=task.rng)
    if task.of_precision:
        return Found(precision_at(task.recalls(), limits, table, task.level, sampled=task.sampled))
    return Found(task.shown(_possible(limits, task)))


def free_of_distribution(task: Task) -> Found:
    """Return limits from equal local levels for each class."""
    if not task.options.simultaneous:
        raise ParameterError("method='distribution-free' is simultaneous: use coverage='simultaneous'")
    c = task.table.counts
    by_prevalence = task.sampled and task.kind.along != "fpr"
    limits, ends = free_limits(c, task.grid(), "fpr" if task.over_fpr else "rate", task.level, sampled=by_prevalence)
    pi = float(c.pi)
    if task.of_precision:
        # precision follows FPR and prevalence; both ends of the latter are part of the confidence
        shown = precision_at(task.recalls(), limits, task.table, task.level, sampled=False)
        low, high = at_prevalence(shown.low, pi, ends[0]), at_prevalence(shown.high, pi, ends[1])
        return Found(replace(shown, low=low, high=high))
    limits = _possible(limits, task)
    if task.part.by_prevalence is None:
        return Found(task.shown(limits))
    sides = [task.heights(limits.x, T, p) for T in (limits.low, limits.high) for p in ends]
    value = task.heights(limits.x, limits.value, pi)
    return Found(task.placed(Limits(limits.x, value, np.min(sides, axis=0), np.max(sides, axis=0))))


def curves_of(task: Task, x: Array) -> Callable[[Counts], Array]:
    """Return what gives the heights of many curves on a grid, of precision or of TPR."""

    def curve(P: Array, Q: Array, pi: float) -> Array:
        P, Q = np.append(0.0, P), np.append(0.0, Q)
        if task.of_precision:
            fpr = first_reached(x, Q, P)
            return np.asarray(pi * x / (pi * x + (1 - pi) * fpr))
        if task.over_fpr:
            return upper_end(x, Q, P)
        return np.asarray(np.interp(x, pi * P + (1 - pi) * Q, P))

    def curves(c: Counts) -> Array:
        pi = np.broadcast_to(c.pi, len(c.P))
        return np.stack([curve(P, Q, float(p)) for P, Q, p in zip(c.P, c.Q, pi, strict=True)])

    return curves


def resampled(task: Task) -> Found:
    """Return limits of constant width, from multinomial draws over the cells of the table."""
    options, table = task.options, task.table.collapse()  # the same law from fewer cells
    x = task.recalls() if task.of_precision else task.grid()
    curves = curves_of(task, x)
    design = "cohort" if task.sampled else "case-control"
    values, _ = replicates(table, curves, design, options.replicates(_REPLICATES, x.size), task.rng)
    c = table.counts
    centre = curves(Counts(np.asarray(c.pos)[None], np.asarray(c.neg)[None], c.prevalence, c.weighted))[0]
    if not options.simultaneous:
        low, high = np.quantile(values, [(1 - task.level) / 2, (1 + task.level) / 2], axis=0)
    else:
        width = float(np.quantile(np.max(np.abs(values - centre), axis=1), task.level))
        low, high = centre - width, centre + width
    limits = Limits(x, centre, np.clip(low, 0, 1), np.clip(high, 0, 1))
    return Found(limits if task.of_precision else task.shown(_possible(limits, task)))


def smoothed_bootstrap(task: Task) -> Found:
    """Return the band of Algorithm 1: smoothed bootstrap, largest deviation, constant width."""
    options, table = task.options, task.table
    studentized = options.method == "studentized-smoothed"
    if studentized == options.simultaneous:
        raise ParameterError(
            f"method={options.method!r} is {'pointwise' if studentized else 'simultaneous'}: over a whole curve a band "
            "studentised by the standard deviation of replicates covers .03 to .8, so 'smoothed-bootstrap' is "
            "simultaneous with constant width, 'studentized-smoothed' for each point alone"
        )
    if table.kind != "full" or table.score is None:
        raise ParameterError(
            f"method={options.method!r} needs the scores of all subjects: give labels and scores to hitcurve.band"
        )
    c = table.counts
    n, pi = int(c.n), float(c.pi)
    smoothed = smooth(table.score, c.pos, c.neg, kernel=options.kernel, rule=options.bandwidth)
    x = task.recalls() if task.of_precision else task.grid()
    basis = "precision_recall" if task.of_precision else "roc" if task.over_fpr else "accumulation"
    count = options.replicates(min(n, _REPLICATES), x.size)
    if options.importance is not None and not task.sampled:
        raise ParameterError("importance sampling draws the number of positives, which a case-control design fixes")
    importance = _importance(options.importance, n, pi)
    empirical, centre = _both(table, smoothed, x, basis)
    sizes, known, own = (int(c.n1), int(c.n0)), None if task.sampled else pi, generator(task.rng)
    drawn = draw_curves(smoothed, x, basis, sizes, count, known=known, importance=importance, rng=own)
    cautions = []
    effective = None if importance is None else drawn.effective
    if effective is not None and effective < count / 10:
        cautions.append(
            f"importance sampling at p~ = {importance:.4g} leaves {effective:.3g} of {count} replicates: use "
            "importance=None, which draws given one positive and is exact"
        )
    middle = centre if options.centring == "smoothed" else empirical
    off = empirical if options.centring == "printed" else centre  # what deviations are taken from
    if studentized:
        # quantiles of the draws in their own standard deviations, times those of draws that are smoothed less
        narrow = smooth(table.score, c.pos, c.neg, kernel=options.kernel, rule=OF_VARIANCE)
        scale = draw_curves(narrow, x, basis, sizes, count, known=known, importance=importance, rng=own).deviation
        deviation = drawn.deviation
        ratio = np.divide(scale, deviation, out=np.ones_like(scale), where=deviation > 0)
        reach = ratio * drawn.quantiles(off, task.level)
    else:
        reach = np.full(x.size, drawn.quantile_of_sup(off, task.level))
    limits = Limits(x, middle, np.clip(middle - reach, 0, 1), np.clip(middle + reach, 0, 1))
    if not task.of_precision:
        limits = task.shown(_possible(limits, task))
    return Found(limits, effective, tuple(cautions))


def _importance(wanted: float | str | None, n: int, pi: float) -> float | None:
    if wanted is None:
        return None
    return auto_importance(n, pi) if isinstance(wanted, str) else float(wanted)


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
