"""Average precision and AUC of many lists by a few cumulative sums, with their influence values.

The same numbers as of the kernels of the metrics, in fewer steps: subjects are counted one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.cumulative import from_here
from hitcurve.metrics import Metric, metric

AP, AUC = metric("ap"), metric("auc")
_EXACT = 3e9  # pairs, counted twice, whose square 64 bits hold


class Down(NamedTuple):
    """Lists side by side, summed from the top; floats, which are whole numbers where subjects are counted.

    Attributes
    ----------
    pos, neg : array (w, K)
        Positives and negatives of each row.
    hits : array (w, K)
        Positives down to each row.
    called : array (w, K) or (K,)
        Subjects down to each row.
    """

    pos: Array
    neg: Array
    hits: Array
    called: Array

    @classmethod
    def of(cls, pos: AnyArray, neg: AnyArray, *, one_by_one: bool = False) -> Down:
        """Sum the rows, each of which holds one subject if they are ``one_by_one``."""
        called = np.arange(1.0, pos.shape[-1] + 1) if one_by_one else np.cumsum(pos + neg, axis=-1).astype(float)
        hits = np.cumsum(pos, axis=-1).astype(float)
        return cls(pos.astype(float), neg.astype(float), hits, called)

    @property
    def n1(self) -> Array:
        """Positives, (w, 1)."""
        return self.hits[:, -1:]

    @property
    def n0(self) -> Array:
        """Negatives, (w, 1)."""
        return np.asarray(self.called[..., -1:] - self.n1)

    def below(self) -> Array:
        """Return twice the negatives below each row, and once those in it, (w, K)."""
        out = self.hits - self.called
        out += self.n0
        out *= 2
        out += self.neg
        return out

    def above(self) -> Array:
        """Return twice the positives above each row, and once those in it, (w, K)."""
        out = 2 * self.hits
        out -= self.pos
        return out


def is_quick(of: Metric) -> bool:
    """Say whether a metric is one of these."""
    return of in (AP, AUC)


def total(x: AnyArray, *, padded: bool = False) -> AnyArray:
    """Return sums over the rows; of ``padded`` lists row by row, so that the length of other lists changes no bit."""
    return np.asarray(np.cumsum(x, axis=-1)[..., -1] if padded else np.sum(x, axis=-1))


def evaluated(of: Metric, down: Down, design: str, *, padded: bool = False) -> tuple[Array, Array]:
    """Return the value of average precision or AUC, and its variance, (w,) each.

    Parameters
    ----------
    of : Metric
    down : Down
    design : {"cohort", "case-control"}
    padded : bool
        Whether lists are as long as the longest of the others.
    """
    if of == AP:
        value, pos, neg = _average_precision(down, design, padded)
        pos **= 2
        pos *= down.pos
        neg **= 2
        neg *= down.neg
        pos += neg
        return value[:, 0], total(pos, padded=padded)
    return _auc(down, padded)


def random_ap(size: AnyArray, called: AnyArray, n1: AnyArray, n: AnyArray, *, padded: bool = False) -> Array:
    """Return the mean of average precision over random orders of subjects with some ties, (w,).

    A positive that stands down to the end of a group, the e-th place, has (e - 1)(n1 - 1)/(n - 1) others there on
    average, whatever its place in the group.

    Parameters
    ----------
    size : array (w, K)
        Subjects of each row.
    called : array (w, K) or (K,)
        Subjects down to each row.
    n1, n : array (w, 1)
        Positives and subjects.
    padded : bool
    """
    called = np.maximum(called, 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        # the share of the subjects in each row times the mean precision there
        other = np.where(n > 1, (n1 - 1) / (n - 1), 0.0)
        each = (1 + (called - 1) * other) / called
        return np.asarray(total(size * each, padded=padded) / n[:, 0])


def influence(of: Metric, down: Down, design: str) -> tuple[Array, Array]:
    """Return the influence of a positive and of a negative in each row, (w, K) each."""
    if of == AP:
        _, pos, neg = _average_precision(down, design, padded=True)
        return pos, neg
    n1, n0 = down.n1, down.n0
    value = total(down.pos * down.below())[:, None] / (2.0 * n1 * n0)
    return (down.below() / (2.0 * n0) - value) / n1, (down.above() / (2.0 * n1) - value) / n0


def _average_precision(down: Down, design: str, padded: bool) -> tuple[Array, Array, Array]:
    n1 = down.n1
    per_called = 1.0 / np.maximum(down.called, 1)  # rows before the first subject call nobody
    precision = down.hits * per_called
    own = down.pos * per_called
    lost = own * precision  # what one more negative above takes away
    value = total(down.pos * precision, padded=padded)[:, None] / n1
    neg = from_here(lost)
    own -= lost
    pos = from_here(own)
    pos += precision
    pos -= value
    pos /= n1
    neg /= -n1
    if design == "case-control":
        pos -= total(down.pos * pos, padded=padded)[:, None] / n1
        neg -= total(down.neg * neg, padded=padded)[:, None] / down.n0
    return value, pos, neg


def are_few(n1: AnyArray | int, n0: AnyArray | int) -> bool:
    """Say whether pairs are so few that the variance of AUC is found without rounding."""
    return bool(np.all(2 * n1 * n0 < _EXACT))


def variance_of_pairs(pairs: AnyArray, of_pos: AnyArray, of_neg: AnyArray, n1: AnyArray, n0: AnyArray) -> Array:
    """Return the variance of AUC of few pairs, counted twice, (w,).

    Parameters
    ----------
    pairs : array (w,)
        In the right order.
    of_pos, of_neg : array (w,)
        Sums of the squares of those of each subject.
    n1, n0 : array of float (w,)
    """
    out = np.zeros(pairs.shape)
    for squares, n, others in ((of_pos, n1, n0), (of_neg, n0, n1)):
        # whole numbers: n times the sum of the squares minus the square of the sum
        spread = n.astype(np.int64) * squares.astype(np.int64) - pairs.astype(np.int64) ** 2
        out += spread / n**3 / (2 * others) ** 2
    return out


def _auc(down: Down, padded: bool) -> tuple[Array, Array]:
    n1, n0 = down.n1[:, 0], down.n0[:, 0]
    below = down.below()
    pairs = np.einsum("ij,ij->i", down.pos, below)
    value = pairs / (2 * n1 * n0)
    sides = ((down.pos, below, n1, n0), (down.neg, down.above(), n0, n1))
    if are_few(n1, n0):
        of_pos, of_neg = (np.einsum("ij,ij,ij->i", side, ahead, ahead) for side, ahead, _, _ in sides)
        return value, variance_of_pairs(pairs, of_pos, of_neg, n1, n0)
    variance = np.zeros(value.shape)
    for side, ahead, n, others in sides:
        off = ahead / (2 * others[:, None]) - value[:, None]
        variance += total(side * off**2, padded=padded) / n**2
    return value, variance
