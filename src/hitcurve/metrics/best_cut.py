"""Operating points whose cut the list chooses: the deepest of a precision, the best F1, the most net benefit."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.pieces import ChosenCut, Gradient
from hitcurve.metrics.texts import each
from hitcurve.metrics.written import at
from hitcurve.table import HitTable

_HAIR = 1e-12  # of a precision, which a quotient may miss by a rounding


def _hits_and_called(c: Counts) -> tuple[AnyArray, AnyArray, Array]:
    """Return positives above each row end, all subjects there, and all positives: numbers, or shares if weighted."""
    if c.prevalence is None:
        return c.H, c.called, c.n1[..., None]
    pi = c.pi[..., None]
    return pi * c.P, c.r, pi


def _of_row(values: Array, row: AnyArray) -> Array:
    """Return what a row of each list has; 0 of row -1."""
    found = np.take_along_axis(values, np.maximum(row, 0)[..., None], axis=-1)[..., 0]
    return np.where(row >= 0, found, 0.0)


def _at_row(slope: Array, row: AnyArray, rows: int) -> Array:
    """Return a gradient that is 0 but in one row of each list."""
    return np.where(np.arange(rows) == row[..., None], slope[..., None], 0.0)


class _ChoosesCut(Metric):
    """What the cut of each list decides; groups of equal scores are taken as a whole."""

    @abstractmethod
    def chosen(self, c: Counts) -> ChosenCut:
        """Return the cut."""

    def convention(self, table: HitTable | Counts) -> Any:
        """Say how many subjects are taken."""
        c = self._admit(table)
        taken = _of_row(np.asarray(c.R, float), self.chosen(c).row)
        if not c.whole:
            share = taken / c.n
            return each(c, lambda index: f"first {100 * share[index]:.4g}% of the list", share)
        return each(c, lambda index: f"first {taken[index]:.12g} of {c.n[index]:.12g}", taken, c.n)


@dataclass(frozen=True)
class RecallAtPrecision(_ChoosesCut):
    """Recall at a precision: TPR at the deepest cutoff whose precision is at least that, 0 if none is.

    Cutoffs are between groups of equal scores. In [0, 1], higher is better; random 0 (1 from that prevalence on),
    perfect 1. With few positives the value is too high on average where the population hardly reaches the precision:
    the first subjects of a small sample reach it by chance.

    Parameters
    ----------
    precision : float in (0, 1)

    Raises
    ------
    ParameterError
        If the precision does not lie strictly between 0 and 1.

    Examples
    --------
    >>> RecallAtPrecision(0.9)([1, 0, 1, 0], [4, 3, 2, 1]), str(RecallAtPrecision(0.9))
    (0.5, 'recall@precision=90%')
    """

    name: ClassVar[str] = "recall@precision"
    summary: ClassVar[str] = "recall at the deepest cutoff of a precision"
    reference: ClassVar[str] = "Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval"
    jumps: ClassVar[bool] = True
    default_interval: ClassVar[str] = "cut-limits"
    perfect_value: ClassVar[float | None] = 1.0
    precision: float = at()

    def __post_init__(self) -> None:
        object.__setattr__(self, "precision", _checks.open_share("precision", self.precision))

    def chosen(self, c: Counts) -> ChosenCut:
        """Return the deepest cut of the precision, below its last positive."""
        hits, called, _ = _hits_and_called(c)
        enough = (hits > 0) & (hits >= self.precision * (1 - _HAIR) * called)
        best = np.max(np.where(enough, hits, 0), axis=-1, keepdims=True)
        row = np.argmax(hits >= best, axis=-1)
        return ChosenCut("precision", np.where(best[..., 0] > 0, row, -1), self.precision)

    def kernel(self, c: Counts) -> Array:
        """Return the TPR above that cut."""
        return _of_row(c.P, self.chosen(c).row)


@dataclass(frozen=True)
class MaxF1(_ChoosesCut):
    """Largest F1 over all cutoffs: ``max of 2 H / (n1 + H + B)``.

    H positives and B negatives are above a cutoff between groups of equal scores. In [0, 1], higher is better; random
    ``2 pi / (1 + pi)``, perfect 1. The cutoff is chosen on the data it is judged by, so the value is too high on
    average: by .035 with 20 positives in simulations, .008 with 200.

    Examples
    --------
    >>> MaxF1()([1, 0, 1, 0], [4, 3, 2, 1])
    0.8
    """

    name: ClassVar[str] = "max_f1"
    default_interval: ClassVar[str] = "best-cut"
    summary: ClassVar[str] = "largest F1 over all cutoffs"
    reference: ClassVar[str] = "van Rijsbergen 1979, Information Retrieval"
    perfect_value: ClassVar[float | None] = 1.0

    def _at_rows(self, c: Counts) -> Array:
        hits, called, positives = _hits_and_called(c)
        return np.asarray(2 * hits / (positives + called))

    def chosen(self, c: Counts) -> ChosenCut:
        """Return the cut of the largest F1, the first of equal ones."""
        return ChosenCut("f1", np.argmax(self._at_rows(c), axis=-1))

    def kernel(self, c: Counts) -> Array:
        """Return the largest F1."""
        return np.asarray(np.max(self._at_rows(c), axis=-1))

    def kernel_gradient(self, c: Counts) -> Gradient:
        """Return the gradient at the cut, which does not move to first order."""
        row, pi = self.chosen(c).row, c.pi
        P, Q = _of_row(c.P, row), _of_row(c.Q, row)
        whole = pi + pi * P + (1 - pi) * Q
        value = 2 * pi * P / whole
        by_P, by_Q = pi * (2 - value) / whole, -value * (1 - pi) / whole
        by_pi = (2 * P - value * (1 + P - Q)) / whole
        rows = c.pos.shape[-1]
        return Gradient(_at_row(by_P, row, rows), _at_row(by_Q, row, rows), np.asarray(by_pi))


@dataclass(frozen=True)
class NetBenefit(_ChoosesCut):
    """Net benefit at a threshold probability t, at the cutoff where it is largest (Vickers and Elkin 2006).

    ``max of (H - w B) / n`` with ``w = t / (1 - t)``, the cost of a false positive in true positives; at least 0, which
    selecting no subject has. H positives and B negatives are above a cutoff between groups of equal scores. Of scores
    that are calibrated probabilities that cutoff is t; a ranking has no probabilities, and the cutoff is chosen on the
    data. In [0, 1], higher is better; random ``max(0, pi - w (1 - pi))``, the better of selecting all and selecting
    none; perfect the prevalence.

    Parameters
    ----------
    threshold : float in (0, 1)
        The smallest probability at which selecting is worth its cost.

    Raises
    ------
    ParameterError
        If the threshold does not lie strictly between 0 and 1.

    Examples
    --------
    >>> NetBenefit(0.5)([1, 0, 1, 0], [4, 3, 2, 1]), str(NetBenefit(0.1))
    (0.25, 'net_benefit@10%')
    """

    name: ClassVar[str] = "net_benefit"
    default_interval: ClassVar[str] = "best-cut"
    summary: ClassVar[str] = "largest net benefit at a threshold probability"
    reference: ClassVar[str] = "Vickers and Elkin 2006, Med. Decis. Making 26:565"
    threshold: float = at()

    def __post_init__(self) -> None:
        object.__setattr__(self, "threshold", _checks.open_share("threshold", self.threshold))

    @property
    def cost(self) -> float:
        """Cost of a false positive, in true positives."""
        return self.threshold / (1 - self.threshold)

    def _at_rows(self, c: Counts) -> Array:
        hits, called, _ = _hits_and_called(c)
        total = c.n[..., None] if c.prevalence is None else 1.0
        return np.asarray((hits - self.cost * (called - hits)) / total)

    def chosen(self, c: Counts) -> ChosenCut:
        """Return the cut of the largest net benefit, the first of equal ones."""
        benefit = self._at_rows(c)
        row = np.argmax(benefit, axis=-1)
        return ChosenCut("net benefit", np.where(np.max(benefit, axis=-1) > 0, row, -1), self.cost)

    def kernel(self, c: Counts) -> Array:
        """Return the largest net benefit, 0 if none is above."""
        return np.asarray(np.maximum(np.max(self._at_rows(c), axis=-1), 0.0))

    def kernel_gradient(self, c: Counts) -> Gradient:
        """Return the gradient at the cut, which does not move to first order."""
        row, pi, rows = self.chosen(c).row, c.pi, c.pos.shape[-1]
        by_pi = _of_row(c.P, row) + self.cost * _of_row(c.Q, row)
        return Gradient(_at_row(pi, row, rows), _at_row(-self.cost * (1 - pi), row, rows), by_pi)


@dataclass(frozen=True)
class KolmogorovSmirnov(_ChoosesCut):
    """Kolmogorov-Smirnov statistic: the largest distance of the TPR above the FPR, over all cutoffs.

    ``max of TPR - FPR``, at least 0; Youden's index at its best cutoff, Pietra's index of the ROC curve. Cutoffs are
    between groups of equal scores. In [0, 1], higher is better; random 0 for one group of ties, perfect 1, reversed 0:
    the distance in the direction of the score, where two-sided statistics take the larger of both. The cutoff is chosen
    on the data it is judged by, so the value is above 0 without any skill: ``test_random`` compares it with random
    orders.

    Examples
    --------
    >>> KolmogorovSmirnov()([1, 0, 1, 0], [4, 3, 2, 1])
    0.5
    """

    name: ClassVar[str] = "ks"
    default_interval: ClassVar[str] = "best-cut"
    summary: ClassVar[str] = "Kolmogorov-Smirnov statistic: the largest TPR - FPR over all cutoffs"
    reference: ClassVar[str] = "Youden 1950, Cancer 3:32"
    perfect_value: ClassVar[float | None] = 1.0
    reversed_value: ClassVar[float | None] = 0.0

    def chosen(self, c: Counts) -> ChosenCut:
        """Return the cut of the largest distance, the first of equal ones."""
        distance = c.P - c.Q
        row = np.argmax(distance, axis=-1)
        return ChosenCut("distance", np.where(np.max(distance, axis=-1) > 0, row, -1), 1.0)

    def kernel(self, c: Counts) -> Array:
        """Return the largest distance, 0 if none is above."""
        return np.asarray(np.maximum(np.max(c.P - c.Q, axis=-1), 0.0))

    def kernel_gradient(self, c: Counts) -> Gradient:
        """Return the gradient at the cut, which does not move to first order."""
        row, rows, one = self.chosen(c).row, c.pos.shape[-1], np.ones(c.shape)
        return Gradient(_at_row(one, row, rows), _at_row(-one, row, rows), np.zeros(c.shape))
