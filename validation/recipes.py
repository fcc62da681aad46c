"""The intervals of average precision once more, for many tables at a time: to have more draws, and to try variants.

The package makes one interval at a time. Its own functions run on a part of the draws, where these must agree with
them (``python -m validation.average_precision`` stops if they do not).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit, stdtrit

from validation.populations import AnyArray, Array, Whole


class Ends(NamedTuple):
    """Lower and upper ends of intervals of many tables."""

    low: Array
    high: Array


@dataclass(frozen=True)
class Tables:
    """Canonical rows of many tables: the negatives of a gap are in the row of the positive that ends it."""

    pos: Whole
    neg: Whole

    @classmethod
    def of(cls, pos: Whole, neg: Whole) -> Tables:
        """Fold negatives into the next row that holds a positive."""
        out_pos, out_neg = np.zeros_like(pos), np.zeros_like(neg)
        held = pos > 0
        place = np.concatenate([np.zeros((pos.shape[0], 1), int), np.cumsum(held, axis=-1)[:, :-1]], axis=-1)
        line = np.arange(pos.shape[0])[:, None]
        np.add.at(out_pos, (line, place), pos)
        np.add.at(out_neg, (line, place), neg)
        return cls(out_pos, out_neg)

    @property
    def n1(self) -> Array:
        """Positives of each table."""
        return np.asarray(self.pos.sum(axis=-1), float)

    def t(self, level: float = 0.95) -> Array:
        """Quantile of Student's t with n1 - 1 degrees of freedom."""
        return np.asarray(stdtrit(self.n1 - 1, (1 + level) / 2))

    def plus(self, positives: float, negatives: float) -> tuple[Array, Array]:
        """Return the rows with so much of a subject more, spread in proportion to the subjects."""
        size = self.pos + self.neg
        spread = size / size.sum(axis=-1, keepdims=True)
        return self.pos + positives * spread, self.neg + negatives * spread


def precision_mean(pos: AnyArray, neg: AnyArray) -> Array:
    """Return average precision."""
    hits = np.cumsum(pos, axis=-1)
    called = hits + np.cumsum(neg, axis=-1)
    return np.asarray(np.sum(pos * _over(hits, called), axis=-1) / hits[:, -1])


def _over(a: AnyArray, b: AnyArray) -> Array:
    return np.asarray(np.divide(a, b, out=np.ones(np.shape(b)), where=b > 0))


def _from_here(x: Array) -> Array:
    return np.asarray(np.cumsum(x[:, ::-1], axis=-1)[:, ::-1])


def derivatives(pos: AnyArray, neg: AnyArray) -> tuple[Array, Array, Array]:
    """Return what one subject more in each row adds to average precision, and the variance that gives."""
    H = np.cumsum(pos, axis=-1)
    R = H + np.cumsum(neg, axis=-1)
    u = _over(H, R)
    total = H[:, -1:]
    theta = np.sum(pos * u, axis=-1, keepdims=True) / total
    each = np.divide(pos, R, out=np.zeros(R.shape), where=R > 0)
    lost = _from_here(each * u)
    gained = _from_here(each) - lost  # pos B/R^2 = pos/R (1 - u)
    g, h = (u - theta + gained) / total, -lost / total
    return g, h, np.sum(pos * g**2 + neg * h**2, axis=-1)


def _on_logit(centre: Array, variance: Array, t: Array | float) -> Ends:
    with np.errstate(divide="ignore", invalid="ignore"):
        half = t * np.sqrt(variance) / (centre * (1 - centre))
        ends = [np.where(centre < 1, expit(logit(centre) + side * half), centre) for side in (-1, 1)]
    return Ends(*ends)


def with_value(tables: Tables, ends: Ends) -> Ends:
    """Widen intervals that do not hold the value that was found, as the package does."""
    value = precision_mean(tables.pos, tables.neg)
    return Ends(np.minimum(ends.low, value), np.maximum(ends.high, value))


def wald(tables: Tables, t: Array | float) -> Ends:
    """Return value -+ t standard errors, within [0, 1]."""
    value, (_, _, variance) = precision_mean(tables.pos, tables.neg), derivatives(tables.pos, tables.neg)
    half = t * np.sqrt(variance)
    return Ends(np.maximum(value - half, 0), np.minimum(value + half, 1))


def plain_logit(tables: Tables, t: Array | float) -> Ends:
    """Return value -+ t standard errors on the logit scale."""
    return _on_logit(precision_mean(tables.pos, tables.neg), derivatives(tables.pos, tables.neg)[2], t)


def half_subject(tables: Tables, t: Array | float) -> Ends:
    """Return the same on the table with half a positive and half a negative more."""
    pos, neg = tables.plus(0.5, 0.5)
    return with_value(tables, _on_logit(precision_mean(pos, neg), derivatives(pos, neg)[2], t))


def reaching(tables: Tables, t: Array | float, ends: Ends) -> Ends:
    """Widen intervals to those of the sample where half a subject more moves the value by a quarter of its error."""
    value, (pos, neg) = precision_mean(tables.pos, tables.neg), tables.plus(0.5, 0.5)
    moved = np.abs(value - precision_mean(pos, neg)) > np.sqrt(derivatives(pos, neg)[2]) / 4
    moved &= value < 1
    own = plain_logit(tables, t)
    low, high = np.minimum(ends.low, own.low), np.maximum(ends.high, own.high)
    return Ends(np.where(moved, low, ends.low), np.where(moved, high, ends.high))


def leave_one_out(tables: Tables) -> Array:
    """Return the leave-one-out estimate; a positive alone at the top takes the share of the next row."""
    above = np.cumsum(tables.pos, axis=-1) - 1.0
    called = above + np.cumsum(tables.neg, axis=-1)
    u = np.divide(above, called, out=np.ones(called.shape), where=called > 0)
    # canonical rows without a positive come last, so that the next row is the one after
    size = tables.pos + tables.neg
    following = _over(tables.pos[:, 1:].astype(float), size[:, 1:].astype(float))
    following[size[:, 1:] == 0] = 1.0
    undecided = (tables.pos[:, :-1] > 0) & (called[:, :-1] <= 0)
    u[:, :-1][undecided] = following[undecided]
    return np.asarray(np.sum(tables.pos * u, axis=-1) / tables.n1)


@dataclass(frozen=True)
class Tilting:
    """Tilting with its constants, which are those of the package unless told.

    Attributes
    ----------
    positives, negatives : float
        Parts of a subject added to the table that is tilted.
    shift : float
        Part of the distance to the leave-one-out estimate by which the interval is moved down.
    shift_high : float or None
        The same for the upper end, if it is another.
    steps : int
    """

    positives: float = 0.5
    negatives: float = 1.0
    shift: float = 0.2
    shift_high: float | None = None
    steps: int = 16

    def __call__(self, tables: Tables, t: Array) -> Ends:
        """Return the ends of the intervals."""
        centre = precision_mean(*tables.plus(0.5, 0.5))
        delta = np.clip(logit(centre) - logit(np.maximum(leave_one_out(tables), 0.3 * centre)), 0, 1)
        shifts = (self.shift, self.shift if self.shift_high is None else self.shift_high)
        start = tables.plus(self.positives, self.negatives)
        ends = [
            expit(logit(self.tilted(start, sign * t)) - share * delta)
            for sign, share in zip((-1, 1), shifts, strict=True)
        ]
        return with_value(tables, Ends(*ends))

    def tilted(self, start: tuple[Array, Array], t: Array) -> Array:
        """Return average precision of the rows tilted until it is t standard errors away."""
        pos, neg = start
        total = (pos + neg).sum(axis=-1, keepdims=True)
        going, first = np.ones(pos.shape[0], bool), np.zeros(pos.shape[0])
        for step in range(self.steps):
            g, h, variance = derivatives(pos, neg)
            first = variance if step == 0 else first
            going &= (variance >= 1e-8 * first) & (variance > 0)
            scale = np.where(going, t / self.steps / np.sqrt(np.where(going, variance, 1)), 0)[:, None]
            # empty rows stay empty whatever their factor
            pos, neg = pos * np.exp(np.clip(scale * g, -5, 5)), neg * np.exp(np.clip(scale * h, -5, 5))
            shrink = total / (pos + neg).sum(axis=-1, keepdims=True)
            pos, neg = pos * shrink, neg * shrink
        return precision_mean(pos, neg)


tilted = Tilting()
