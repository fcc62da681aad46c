"""How far a region has to reach for the whole curve to lie in it: from samples of a smooth model of this one."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.inference.intervals.region import above_upper, below_lower, levels, thresholds
from hitcurve.inference.models import KernelFit, Places
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resampling.resample import generator

DRAWS = 400
_SHARE = 0.6  # of the error that is allowed: the model is smoother than the curve
_POINTS = 61
_DENSER = 6  # candidates for each point, of which a part of an axis takes what it has
_IN_MODEL = 500  # positives that a model needs
_NUMBERS = 1 << 21  # counts drawn at a time
_APART = 0.1  # standard deviations between counts of negatives in tables
_FAR = 6.0  # beyond it a distance is far


class Part(NamedTuple):
    """The part of an axis that a band is for.

    Attributes
    ----------
    along : {"fpr", "rate", "recall"}
    low, high : float
    prevalence : float
    """

    along: str
    low: float
    high: float
    prevalence: float


class Points(NamedTuple):
    """Points of a curve, FPR and TPR."""

    x: Array
    y: Array

    @classmethod
    def of(cls, model: KernelFit, n_pos: int, n_neg: int, part: Part | None = None) -> Self:
        """Return 61 points of a model, dense at the beginning of FPR and at both ends of TPR; or those of a part."""
        end, k = 1 / (2 * n_neg), _DENSER
        x = np.concatenate([np.geomspace(end, 0.5, 24 * k + 1), np.linspace(0.5, 1 - end, 12 * k + 1)[1:]])
        y = np.concatenate([np.geomspace(1.5 / n_pos, 0.5, 12 * k + 1), 1 - np.geomspace(0.5, 0.5 / n_pos, 12 * k)[1:]])
        x = np.sort(np.clip(np.concatenate([x, model.fpr(y)]), 1e-12, 1 - 1e-12))
        y = np.clip(model.tpr(x), 1e-12, 1 - 1e-12)
        if part is not None:
            place = {"fpr": x, "recall": y, "rate": part.prevalence * y + (1 - part.prevalence) * x}[part.along]
            beyond = np.maximum(part.low - place, place - part.high)
            inside = beyond <= max(float(beyond.min()), 0.0)  # the nearest, if there is none inside
            x, y = x[inside], y[inside]
        every = -(-x.size // _POINTS)
        return cls(x[::every], y[::every])


def reach(places: Places, level: float, rng: Any, part: Part | None = None, count: int = DRAWS) -> float:
    """Return the distance within which the whole curve lies, or a part of it: no less than for one point.

    Where a list is perfect, or the part is beyond all positives, samples of its model are too, and say nothing of how
    far away the curve of the population may be.

    Parameters
    ----------
    places : Places
    level : float
    rng : int or Generator
        A seed draws the same for every level and every curve.
    part : Part, optional
    count : int
        Samples that are drawn.
    """
    if isinstance(rng, int):
        drawn = _distances_of_seed(places.above.tobytes(), places.n_neg, part, count, rng)
    else:
        drawn = distances(places, part, count, generator(rng))
    t, z = (t_quantile((1 + level) / 2, degrees) for degrees in (places.n_pos - 1, np.inf))
    return float(max(np.quantile(drawn, 1 - _SHARE * (1 - level)), z) * t / z)


@lru_cache(maxsize=32)
def _distances_of_seed(above: bytes, n_neg: int, part: Part | None, count: int, seed: int) -> Array:
    return distances(Places(np.frombuffer(above, np.int64), n_neg), part, count, generator(seed))


def distances(places: Places, part: Part | None, count: int, rng: np.random.Generator) -> Array:
    """Return the largest distance of the curve of the model from each of many samples of it, at most 6."""
    n_pos, n_neg = places.n_pos, places.n_neg
    model = KernelFit.of(places)
    if n_pos > _IN_MODEL:
        model = replace(model, z=model.z[np.linspace(0, n_pos - 1, _IN_MODEL).astype(int)])
    points, rank = Points.of(model, n_pos, n_neg, part), thresholds(n_pos)[1:]
    known = levels(n_neg, _APART)
    of_neg = _squares(known, n_neg, points.x)
    over, under = np.append(0, rank), np.append(rank - 1, n_pos)
    of_pos = _squares(over, n_pos, points.y)[0], _squares(under, n_pos, points.y)[1]
    at_once = max(1, _NUMBERS // rank.size)
    sizes = [min(at_once, count - start) for start in range(0, count, at_once)]
    drawn = (_nearest(known, model.above(rank, n_pos, n_neg, size, rng)) for size in sizes)
    return np.concatenate([_largest(above, known.size - 1, of_neg, of_pos) for above in drawn])


def _largest(above: AnyArray, last: int, of_neg: tuple[Array, Array], of_pos: tuple[Array, Array]) -> Array:
    """Return the largest distance over the points of each sample.

    Parameters
    ----------
    above : array of int (samples, C)
        Negatives above the thresholds, as places in the table.
    last : int
        Place of all negatives.
    of_neg, of_pos : (array (points, counts), array (points, counts))
        Squares of too few and of too many: of negatives by place in the table, of positives by threshold.
    """
    end = np.zeros((above.shape[0], 1), above.dtype)
    over, under = np.hstack([end, above]), np.hstack([above, end + last])
    largest = np.zeros(above.shape[0])
    for few, many, few_pos, many_pos in zip(*of_neg, *of_pos, strict=True):
        # thresholds that the positives put far away do not matter, and of those at no cost only the nearest
        near = slice(int(np.argmax(few_pos < _FAR**2)), int(np.argmax(few_pos <= 0)) + 1)
        from_above = np.min(many[over[:, near]] + few_pos[near], axis=1)
        near = slice(int(np.flatnonzero(many_pos <= 0)[-1]), int(np.flatnonzero(many_pos < _FAR**2)[-1]) + 1)
        from_below = np.min(few[under[:, near]] + many_pos[near], axis=1)
        largest = np.maximum(largest, np.maximum(from_above, from_below))
    return np.sqrt(np.minimum(largest, _FAR**2))


def _squares(counts: AnyArray, n: int, shares: Array) -> tuple[Array, Array]:
    """Return squared deviations of counts below and above given shares, capped at the square of ``_FAR``."""
    apart = np.arcsin(np.sqrt(counts / n)) - np.arcsin(np.sqrt(shares))[:, None]
    few, many = (np.where(side, _FAR**2, 0.0) for side in (apart < 0, apart > 0))
    row, column = np.nonzero(2 * np.sqrt(n) * np.abs(apart) < 10)  # beyond it all are far
    near = counts[column], n, shares[row]
    few[row, column] = np.minimum(above_upper(*near) ** 2, _FAR**2)
    many[row, column] = np.minimum(below_lower(*near) ** 2, _FAR**2)
    return few, many


def _nearest(known: AnyArray, counts: AnyArray) -> AnyArray:
    """Return the place of the nearest of the known counts."""
    if known.size == known[-1] + 1:
        return counts
    return np.searchsorted((known[1:] + known[:-1]) / 2, counts)
