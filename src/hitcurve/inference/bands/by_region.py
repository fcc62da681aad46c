"""Bands from the region of the ROC plane that a sample makes credible."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.inference.bands.limits import Limits, first_reached, upper_end
from hitcurve.inference.bands.methods import Found, Task
from hitcurve.inference.bands.precision import precision_between
from hitcurve.inference.bands.reach import DRAWS, Part, reach
from hitcurve.inference.intervals.region import Corners
from hitcurve.inference.models import Places
from hitcurve.inference.quantiles import t_quantile

_AT_ENDS = 60  # recalls in equal steps of their logit
_ANGLES = (0.0, 22.5, 45.0, 67.5, 90.0)  # at which reach is shared between the curve and the prevalence


def region_limits(task: Task) -> Found:
    """Return limits of the curves whose ROC curve lies in the region."""
    table, c = task.table, task.table.counts
    places = Places.even(c)
    corners = Corners.of(places)
    q = task_reach(task, places)
    of_prevalence = _of_prevalence(task, q) if task.sampled else 0.0
    P, Q = np.append(0.0, c.P), np.append(0.0, c.Q)
    if task.of_precision:
        recall = _recalls(task)
        fpr = first_reached(recall, Q, P)
        # near recall 1 the limit of FPR stays where it is while reach goes to the prevalence
        angles = np.radians(_ANGLES if of_prevalence else _ANGLES[:1])
        found = [
            precision_between(
                recall, fpr, rising(*corners.fpr_at(recall, q * math.cos(angle))), table, of_prevalence * share
            )
            for angle, share in zip(angles, (1.0, *np.sin(angles[1:])), strict=True)
        ]
        low, high = np.min([own.low for own in found], axis=0), np.max([own.high for own in found], axis=0)
        return Found(replace(found[0], low=low, high=high))
    x = task.grid()
    if task.over_fpr:
        low, high = rising(*corners.tpr_at(x, q))
        value = upper_end(x, Q, P)
        return Found(task.shown(Limits(x, value, np.minimum(low, value), np.maximum(high, value))))
    value = task.heights(x, np.interp(x, np.append(0.0, c.r), P), float(c.pi))
    low, high = along_rate(corners, c, x, q, of_prevalence, task.heights)
    return Found(task.placed(Limits(x, value, np.minimum(low, value), np.maximum(high, value))))


def _recalls(task: Task) -> Array:
    """Return the recalls of a band of precision and more at both ends, where it changes within few positives."""
    from scipy.special import expit, logit

    recall = task.recalls()
    end = min(recall[-1], 1 - 0.5 / float(task.table.counts.n1))
    more = expit(np.linspace(logit(recall[0]), logit(end), _AT_ENDS)) if end > recall[0] else recall[:0]
    return np.unique(np.concatenate([recall, more[1:-1]]))


def _of_prevalence(task: Task, reach: float) -> float:
    """Return the standard errors by which the prevalence is bounded where the curve says little.

    There it has its limits alone, at a level that leaves room for the curve. Of curves that follow the prevalence all
    along the list these are far from few, so that the reach of the curve, larger by far, would be too much.
    """
    follows = task.part.by_prevalence is not None
    alone = float(t_quantile((1 + task.level ** (1 / 3 if follows else 1 / 2)) / 2, math.inf))
    return alone if follows else max(reach, alone)


def task_reach(task: Task, places: Places) -> float:
    """Return the reach of a band: for the whole curve or the part that was asked for, or for each point alone."""
    if not task.options.simultaneous:
        return float(t_quantile((1 + task.level) / 2, math.inf))
    part = None
    if task.x_range is not None:
        low, high = (float(end) for end in task.axis.backward(np.asarray(task.x_range, float)))
        part = Part(task.kind.along, low, high, float(task.table.counts.pi))
    return reach(places, task.level, task.rng, part, task.options.n_resamples or DRAWS)


def along_rate(
    corners: Corners,
    c: Counts,
    rate: Array,
    reach: float,
    of_prevalence: float,
    height: Callable[[Array, Array, float], Array],
) -> tuple[Array, Array]:
    """Return the lowest and the highest curve over rates of the lists whose ROC curve lies in the region.

    Where the prevalence was sampled, they are those of all prevalences that leave reach for the curve.

    Parameters
    ----------
    rate : array (G,)
    reach : float
    of_prevalence : float
        Standard errors by which the prevalence alone is bounded; 0 where it is known.
    height : callable
        y from rates, TPR there and a prevalence.
    """
    pi, n0 = float(c.pi), float(c.n0)
    fpr = np.concatenate([[1e-12], np.geomspace(0.05 / n0, 0.5, 52), np.linspace(0.5, 1 - 1e-12, 22)[1:]])
    angles = np.radians(_ANGLES if of_prevalence else _ANGLES[:1])
    ends: list[Array] = []
    of_angles = zip(*corners.tpr_at(fpr, reach * np.cos(angles)[:, None]), strict=True)
    for angle, sides in zip(angles, of_angles, strict=True):
        off = of_prevalence * math.sin(angle) * math.sqrt(pi * (1 - pi) / float(c.n))
        for p in np.clip([pi - off, pi + off] if off else [pi], 1e-12, 1 - 1e-12):
            read = (_read(rate, p * tpr + (1 - p) * fpr, tpr) for tpr in rising(*sides))
            ends += [height(rate, tpr, float(p)) for tpr in rising(*read)]
    return np.asarray(np.min(ends, axis=0)), np.asarray(np.max(ends, axis=0))


def rising(low: Array, high: Array) -> tuple[Array, Array]:
    """Return limits of a rising curve that hold between the places too, where they are read off straight lines.

    Both rise. A curve may stay at 0, or be at 1, all the way between two places, so that the first lower limit above
    0 is 0, and the last upper one below 1 is 1.
    """
    low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    at_start, at_end = low <= 0, high >= 1
    low, high = low.copy(), high.copy()
    low[1:][at_start[:-1]] = 0.0
    high[:-1][at_end[1:]] = 1.0
    return low, high


def _read(rate: Array, place: Array, tpr: Array) -> Array:
    """Return TPR at rates, from the whole curve."""
    whole = np.concatenate([[0.0], place, [1.0]]), np.concatenate([[0.0], tpr, [1.0]])
    return np.asarray(np.interp(rate, *whole))
