"""Bands from the region of the ROC plane that a sample makes credible."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from hitcurve.counts import Array
from hitcurve.inference.bands.limits import Limits, first_reached, upper_end
from hitcurve.inference.bands.methods import Found, Task
from hitcurve.inference.bands.precision import precision_between
from hitcurve.inference.bands.region import Part, Region, largest_distances
from hitcurve.inference.models import Places
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resample import generator

TUNE: dict[str, Any] = {"half": 0.0, "spread": 0.0, "tail": 0.6, "t": 1.0, "restrict": True}
DRAWS = 400
_ANGLES = (0.0, 25.0, 50.0, 75.0)


def region_limits(task: Task) -> Found:
    """Return limits of the curves whose ROC curve lies in the region."""
    table, level = task.table.collapse(), task.level
    c = table.counts
    of_ties, _ = generator(task.rng).spawn(2)
    places = Places.of(c, of_ties)
    region = Region.of(places, TUNE["half"])
    if task.options.simultaneous:
        q = reach(task, places)
    else:
        q = t_quantile((1 + level) / 2, TUNE.get("df") or math.inf)
    pi, n1, n0 = float(c.pi), float(c.n1), float(c.n0)
    P, Q = np.append(0.0, c.P), np.append(0.0, c.Q)
    wide = max(q, t_quantile((1 + math.sqrt(level)) / 2, math.inf)) if task.options.simultaneous else q
    if task.of_precision:
        recall = task.recalls()
        least, most = region.fpr(recall, q)
        limits = precision_between(
            recall,
            first_reached(recall, Q, P),
            (np.minimum.accumulate(least[::-1])[::-1], np.maximum.accumulate(most)),
            table,
            wide if task.sampled else 0.0,
        )
        return Found(limits)
    x = task.grid()
    if task.over_fpr:
        ((low, high),) = region.tpr(x, q)
        value = upper_end(x, Q, P)
        return Found(task.shown(Limits(x, value, *_rising(low, high, value))))
    value = np.interp(x, pi * P + (1 - pi) * Q, P)
    angles = np.radians(_ANGLES if task.sampled else _ANGLES[:1])
    fpr = _places(n0)
    deviation = math.sqrt(pi * (1 - pi) / (n1 + n0))
    lows, highs = [], []
    for angle, (low, high) in zip(angles, region.tpr(fpr, *(q * np.cos(angles))), strict=True):
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
        off = wide * math.sin(angle) * deviation
        for p in {pi - off, pi + off}:
            p = min(max(p, 1e-12), 1 - 1e-12)
            ends = [np.interp(x, np.append(0.0, p * y + (1 - p) * fpr), np.append(0.0, y)) for y in (low, high)]
            heights = [task.heights(x, end, p) for end in ends]
            lows.append(np.minimum(*heights))
            highs.append(np.maximum(*heights))
    shown = task.heights(x, value, pi)
    low, high = np.minimum(np.min(lows, axis=0), shown), np.maximum(np.max(highs, axis=0), shown)
    return Found(task.placed(Limits(x, shown, low, high)))


def _rising(low: Array, high: Array, value: Array) -> tuple[Array, Array]:
    low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    return np.minimum(low, value), np.maximum(high, value)


def _places(n0: float) -> Array:
    """Return FPR at which limits are known: between them they are straight."""
    return np.concatenate([[1e-12], np.geomspace(0.05 / n0, 0.5, 52), np.linspace(0.5, 1.0 - 1e-12, 22)[1:]])


def reach(task: Task, places: Places) -> float:
    """Return the distance within which the whole curve lies."""
    count = task.options.n_resamples or DRAWS
    part = None
    if task.x_range is not None and TUNE["restrict"]:
        along = task.kind.along
        low, high = (float(end) for end in task.axis.backward(np.asarray(task.x_range, float)))
        part = Part(along, low, high, float(task.table.counts.pi))
    if isinstance(task.rng, int):
        largest = _of_seed(places.above.tobytes(), places.n_neg, count, part, task.rng, TUNE["half"], TUNE["spread"])
    else:
        largest = largest_distances(places, count, generator(task.rng).spawn(2)[1], part, TUNE["half"], TUNE["spread"])
    df = places.n_pos - 1
    inflation = t_quantile((1 + task.level) / 2, df) / t_quantile((1 + task.level) / 2, math.inf)
    return float(np.quantile(largest, 1 - TUNE["tail"] * (1 - task.level))) * inflation ** TUNE["t"]


@lru_cache(maxsize=32)
def _of_seed(above: bytes, n_neg: int, count: int, part: Part | None, seed: int, half: float, spread: float) -> Array:
    """Return the distances of draws of a seed: the same for every level and curve."""
    places = Places(np.frombuffer(above, np.int64), n_neg)
    return largest_distances(places, count, generator(seed).spawn(2)[1], part, half, spread)
