"""Markers without ties: the ranks of the positives are all that there is to know.

Between two positives nothing changes of average precision and AUC, so that sums over the positives do. The label of a
subject takes the last bit of its value, and sorting brings it along.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.cumulative import from_here
from hitcurve.metrics import Metric
from hitcurve.screens import quick
from hitcurve.screens.lists import Flags, are_tied, labelled, labels_of


@dataclass(frozen=True, eq=False)
class Ranks:
    """The positives of markers without ties and without missing values.

    Attributes
    ----------
    places : array of int (w, n1)
        Their ranks, ascending from 1 on.
    n : int
        Number of subjects.
    """

    places: AnyArray
    n: int

    @property
    def n1(self) -> int:
        """Number of positives."""
        return int(self.places.shape[1])

    @property
    def n0(self) -> int:
        """Number of negatives."""
        return self.n - self.n1

    def turned(self, low: Flags) -> Ranks:
        """Return the ranks where low values of some markers come first."""
        if not low.any():
            return self
        return replace(self, places=np.where(low[:, None], self.n + 1 - self.places[:, ::-1], self.places))

    def is_worse(self) -> Flags:
        """Say of which markers AUC is below 1/2, (w,)."""
        return np.asarray(2 * self._below.sum(axis=1) < self.n1 * self.n0)

    def depth(self) -> Array:
        """Return the sum of the logarithms of the ranks, (w,)."""
        return np.asarray(np.log(self.places).sum(axis=1))

    def evaluated(self, of: Metric, design: str) -> tuple[Array, Array]:
        """Return the value of average precision or AUC, and its variance, (w,) each."""
        return self._average_precision(design) if of == quick.AP else self._auc()

    @cached_property
    def _below(self) -> AnyArray:
        """The negatives below each positive, (w, n1)."""
        return np.asarray(self.n0 + np.arange(1, self.n1 + 1) - self.places)

    @cached_property
    def _between(self) -> AnyArray:
        """The negatives between each positive and the one above it, (w, n1)."""
        return np.diff(self.places, axis=1, prepend=0) - 1

    @cached_property
    def _last(self) -> AnyArray:
        """The negatives below all positives, (w,)."""
        return np.asarray(self.n - self.places[:, -1])

    def _average_precision(self, design: str) -> tuple[Array, Array]:
        own = 1.0 / self.places
        precision = np.arange(1.0, self.n1 + 1) * own
        value = precision.sum(axis=1) / self.n1
        lost = precision * own  # what one more negative above takes away
        own -= lost
        pos = precision - value[:, None]
        pos += from_here(own)
        neg = np.ascontiguousarray(from_here(lost))  # of the negatives between; those below the last positive have 0
        others: Array = np.zeros(len(neg))
        if design == "case-control":
            pos -= pos.mean(axis=1, keepdims=True)
            mean = np.sum(self._between * neg, axis=1) / self.n0
            neg -= mean[:, None]
            others = self._last * mean**2
        pos *= pos
        neg *= neg
        neg *= self._between
        pos += neg
        return value, (pos.sum(axis=1) + others) / self.n1**2

    def _auc(self) -> tuple[Array, Array]:
        n1, n0 = self.n1, self.n0
        below, above = self._below, np.arange(n1)  # negatives below, and positives above those between
        pairs = below.sum(axis=1)
        value = pairs / (n1 * n0)
        if quick.are_few(n1, n0):
            ahead = np.einsum("ij,ij->i", below, below)
            missed = self._between @ above**2 + self._last * n1**2
            return value, quick.variance_of_pairs(2 * pairs, 4 * ahead, 4 * missed, *np.array([[n1], [n0]], float))
        ahead = np.sum((below / n0 - value[:, None]) ** 2, axis=1)
        missed = np.sum(self._between * (above / n1 - value[:, None]) ** 2, axis=1) + self._last * (1 - value) ** 2
        return value, ahead / n1**2 + missed / n0**2


def ranks_of(values: AnyArray, positive: Flags) -> tuple[Flags, Ranks]:
    """Return which markers are finite and without ties, and the ranks of the positives of these.

    Parameters
    ----------
    values : array of float (w, n)
        Numbers that differ in the last of 64 bits alone count as tied here.
    positive : array of bool (n,)
    """
    finite = np.isfinite(values).all(axis=1)
    keys = labelled((values + 0.0).astype(float, copy=False), positive)  # -0.0 is 0.0
    keys.view(float).sort(axis=1)
    untied = np.asarray(finite & ~are_tied(keys).any(axis=1))
    label = labels_of(keys if untied.all() else keys[untied])
    w, n = label.shape
    from_below = np.flatnonzero(label).reshape(w, np.count_nonzero(positive)) - n * np.arange(w)[:, None]
    return untied, Ranks(np.ascontiguousarray(n - from_below[:, ::-1]), n)
