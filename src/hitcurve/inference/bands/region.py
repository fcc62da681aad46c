"""The points of the ROC plane that some threshold of a sample makes credible, each rate in its class.

A threshold with so many positives and negatives above it contradicts a point (x, y) by two binomial tails, as normal
deviates whose squares add. The distance of a point is that of the threshold that contradicts it least, so it needs no
slope of the curve: the threshold is profiled out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Self

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.inference.bands.binomial import too_few, too_many
from hitcurve.inference.models import KernelFit, Places
from hitcurve.inference.resample import generator

_ALL = 200  # counts up to which every one is a corner
_EXACT = 4  # corners whose limits are evaluated by the beta distribution
_POINTS = 61  # at which a level is for the whole curve
_FAR = 6.0  # deviates beyond which a point is far away, however far
_STEP, _FINE = 0.2, 0.1  # standard deviations between corners, and between counts of negatives in tables


class Corners(NamedTuple):
    """Positives and negatives above thresholds."""

    pos: AnyArray
    neg: AnyArray


@dataclass(frozen=True)
class Region:
    """Distances of points from a sample, and the limits of a rate where the other is given.

    Attributes
    ----------
    rank : array of int (C,)
        Positives down to and including those at which thresholds are placed: all, or of a long list some, a fifth of
        a standard deviation apart.
    above : array of int (C,)
        Negatives above them.
    n_pos, n_neg : int
    half : float
        How far counts are moved towards the sample: 0 for exact tails.
    """

    rank: AnyArray
    above: AnyArray
    n_pos: int
    n_neg: int
    half: float = 0.0

    @classmethod
    def of(cls, places: Places, half: float = 0.0) -> Self:
        """Take the thresholds from the places of the positives."""
        rank = levels(places.n_pos, _STEP)[1:]
        return cls(rank, places.above[rank - 1], places.n_pos, places.n_neg, half)

    @property
    def over(self) -> Corners:
        """Thresholds at a positive, which is above: what bounds the curve from above."""
        return Corners(np.append(0, self.rank), np.append(0, self.above))

    @property
    def under(self) -> Corners:
        """Thresholds at a positive, which is below: what bounds the curve from below."""
        return Corners(np.append(self.rank - 1, self.n_pos), np.append(self.above, self.n_neg))

    def tpr(self, fpr: Array, *reach: float) -> list[tuple[Array, Array]]:
        """Return the limits of TPR at FPR, for several distances."""
        few = too_few(self.under.neg, self.n_neg, fpr[:, None], self.half)
        many = too_many(self.over.neg, self.n_neg, fpr[:, None], self.half)
        sides = (self.under.pos, few, self.over.pos, many, self.n_pos, self.half)
        return [_limits(*sides, q) for q in reach]

    def fpr(self, tpr: Array, reach: float) -> tuple[Array, Array]:
        """Return the limits of FPR at TPR."""
        few = too_few(self.over.pos, self.n_pos, tpr[:, None], self.half)
        many = too_many(self.under.pos, self.n_pos, tpr[:, None], self.half)
        return _limits(self.over.neg, few, self.under.neg, many, self.n_neg, self.half, reach)


def levels(n: int, step: float) -> AnyArray:
    """Return counts from 0 to n: all of few, of many those about so many standard deviations apart."""
    if n <= _ALL:
        return np.arange(n + 1)
    parts = math.ceil(math.pi * math.sqrt(n) / step)
    return np.unique(np.rint(n * np.sin(np.arange(parts + 1) * (math.pi / (2 * parts))) ** 2).astype(np.int64))


def _limits(
    lower: AnyArray, z_lower: Array, upper: AnyArray, z_upper: Array, n: int, half: float, reach: float
) -> tuple[Array, Array]:
    """Return the lowest and the highest share of n that the reach left over by a corner allows.

    Corners are counts of n with the deviates that they have used up, (places, C).
    """
    from scipy.special import betaincinv, ndtr

    ends = []
    for count, z, sign in ((lower, z_lower, -1.0), (upper, z_upper, 1.0)):
        left = np.sqrt(np.maximum(reach**2 - z**2, 0.0))
        # on the scale on which a share has constant variance, which is enough to find the few that matter
        end = np.where(z <= reach, np.arcsin(np.sqrt(count / n)) + sign * left / (2 * math.sqrt(n)), -sign * np.inf)
        few = np.argpartition(-sign * end, min(_EXACT, count.size) - 1, axis=1)[:, :_EXACT]
        k, c = count[few], np.take_along_axis(left, few, axis=1)
        given = np.take_along_axis(end, few, axis=1)
        more = 1.0 if sign > 0 else 0.0
        a, b = k + abs(more - half), n - k + abs(1 - more - half)
        with np.errstate(invalid="ignore"):
            share = betaincinv(np.maximum(a, 1e-300), np.maximum(b, 1e-300), ndtr(sign * c))
        share = np.where(k <= 0, 0.0, share) if sign < 0 else np.where(k >= n, 1.0, share)
        share = np.where(np.isfinite(given), share, -sign * np.inf)
        ends.append(share.min(axis=1) if sign < 0 else share.max(axis=1))
    return ends[0], ends[1]


# ---- the level


class Part(NamedTuple):
    """The part of an axis that a level is for.

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
    def of(cls, fit: KernelFit, n_pos: int, n_neg: int, part: Part | None = None) -> Self:
        """Return points of a model, dense at the beginning of FPR and at both ends of TPR: 61, or those of a part."""
        from scipy.special import ndtr

        end = 1 / (2 * n_neg)
        x = np.concatenate([np.geomspace(end, 0.5, 6 * 24 + 1), np.linspace(0.5, 1 - end, 6 * 12 + 1)[1:]])
        y = np.concatenate([np.geomspace(1.5 / n_pos, 0.5, 6 * 12 + 1), 1 - np.geomspace(0.5, 0.5 / n_pos, 6 * 12)[1:]])
        lowest, highest = fit.z[-1] - 8 * fit.width - 1, fit.z[0] + 8 * fit.width + 1
        deviates = np.linspace(highest, lowest, 1000)
        at = ndtr(-np.interp(y, fit.tpr(ndtr(-deviates)), deviates))
        x = np.sort(np.concatenate([x, np.clip(at, 1e-12, 1 - 1e-12)]))
        y = fit.tpr(x)
        if part is not None:
            place = {"fpr": x, "recall": y, "rate": part.prevalence * y + (1 - part.prevalence) * x}[part.along]
            beyond = np.maximum(part.low - place, place - part.high)
            inside = beyond <= max(float(beyond.min()), 0.0)
            x, y = x[inside], y[inside]
        every = max(1, -(-x.size // _POINTS))
        return cls(x[::every], y[::every])


def largest_distances(
    places: Places, count: int, rng: np.random.Generator, part: Part | None = None, half: float = 0.0, spread: float = 0.0
) -> Array:
    """Return the largest distance of the points of a fitted model from each of many samples of it."""
    n_pos, n_neg = places.n_pos, places.n_neg
    fit = KernelFit.of(places, least_spread=spread)
    points = Points.of(fit, n_pos, n_neg, part)
    rank = levels(n_pos, _STEP)[1:]
    tables = fit.draw(np.full(count, n_pos), np.full(count, n_neg), rng)
    above = tables.above[:, rank - 1]
    known = levels(n_neg, _FINE)
    code = _nearest(known, above)
    first, last = np.zeros((count, 1), code.dtype), np.full((count, 1), known.size - 1)
    over, under = np.hstack([first, code]), np.hstack([code, last])
    corners = Region(rank, above[0], n_pos, n_neg, half)
    few0, many0 = _squares(known, n_neg, points.x, half)
    few1, _ = _squares(corners.over.pos, n_pos, points.y, half)
    _, many1 = _squares(corners.under.pos, n_pos, points.y, half)
    largest = np.zeros(count)
    for place in range(points.x.size):
        # positives beyond the first that cost nothing cost more among the negatives
        near = slice(int(np.argmax(few1[place] < _FAR**2)), int(np.argmax(few1[place] <= 0)) + 1)
        too_low = np.min(many0[place][over[:, near]] + few1[place, near], axis=1)
        backwards = many1[place, ::-1]
        near = slice(backwards.size - 1 - int(np.argmax(backwards <= 0)), backwards.size - int(np.argmax(backwards < _FAR**2)))
        too_high = np.min(few0[place][under[:, near]] + many1[place, near], axis=1)
        largest = np.maximum(largest, np.maximum(too_low, too_high))
    return np.sqrt(largest)


def _squares(counts: AnyArray, n: int, shares: Array, half: float) -> tuple[Array, Array]:
    """Return how much too few and too many counts are at shares, squared, no more than the square of far."""
    shares = shares[:, None]
    apart = 2 * math.sqrt(n) * (np.arcsin(np.sqrt(counts / n)) - np.arcsin(np.sqrt(shares)))
    few = np.where(apart < 0, _FAR**2, 0.0)
    many = np.where(apart > 0, _FAR**2, 0.0)
    place, count = np.nonzero(np.abs(apart) < 10)
    near = counts[count], n, shares[place, 0], half
    few[place, count] = np.minimum(too_few(*near) ** 2, _FAR**2)
    many[place, count] = np.minimum(too_many(*near) ** 2, _FAR**2)
    return few, many


def _nearest(levels: AnyArray, counts: AnyArray) -> AnyArray:
    """Return the index of the nearest level."""
    if levels.size == levels[-1] + 1:
        return counts
    return np.searchsorted((levels[1:] + levels[:-1]) / 2, counts)
