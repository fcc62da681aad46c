"""Operating points at a fixed FPR or recall: a point of the ROC curve, read along either axis."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array, Counts, before
from hitcurve.cut import whole
from hitcurve.magnify import Magnification, Step
from hitcurve.metrics.area import AreaMetric
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.pieces import CutAt, plain
from hitcurve.metrics.texts import each
from hitcurve.metrics.written import at
from hitcurve.refusals import refused
from hitcurve.table import HitTable

_PEPE = "Pepe 2003, The Statistical Evaluation of Medical Tests for Classification and Prediction"
_HAIR = 1e-12  # of a recall, which a number of positives may miss by a rounding


def fpr_at_recall(c: Counts, recall: float) -> Array:
    """Return the first FPR at which the ROC curve of each list reaches a recall; straight inside a group of ties."""
    wanted = (recall * c.n1)[..., None]
    row = np.argmax(wanted * (1 - _HAIR) <= c.H, axis=-1)[..., None]

    def of_row(values: Array) -> Array:
        return np.take_along_axis(np.asarray(values, float), row, axis=-1)

    start, positives = of_row(before(c.Q)), of_row(c.pos)
    missing = np.clip(wanted - of_row(before(c.H)), 0.0, positives)
    share = np.divide(missing, positives, out=np.zeros(positives.shape), where=positives > 0)
    found = np.where(share < 1, start + (of_row(c.Q) - start) * share, of_row(c.Q))[..., 0]
    return np.where(c.n1 > 0, found, math.nan)


def _rest(share: float) -> float:
    """Return one minus a share, as exact as it is written: .1 for .9."""
    return float(1 - Decimal(repr(share)))


@dataclass(frozen=True)
class _AtRate:
    """The rate of a cut, which is the only parameter of the metric."""

    def __post_init__(self) -> None:
        (rate,) = fields(self)
        object.__setattr__(self, rate.name, _checks.open_share(rate.name, getattr(self, rate.name)))

    @property
    def rate(self) -> float:
        """The rate, as it is called."""
        return float(getattr(self, fields(self)[0].name))


def _number_of(c: Counts, rate: str, place: float, of: str) -> Any:
    """Say how many subjects of a class a rate is."""
    n = c.n0 if of == "negatives" else c.n1
    if c.weighted:
        return each(c, f"{rate} {rows.percent(place)}")
    return each(c, lambda index: f"{rate} {rows.percent(place)}: {place * n[index]:.4g} of {n[index]:.12g} {of}", n)


class _AtFPR(_AtRate, AreaMetric):
    """The height of the ROC curve at an FPR."""

    reference: ClassVar[str] = _PEPE
    perfect_value: ClassVar[float | None] = 1.0
    reversed_value: ClassVar[float | None] = 0.0
    default_interval: ClassVar[str] = "profile"

    @property
    def at_fpr(self) -> float:
        """The FPR of the cut."""
        return self.rate

    def magnification(self, c: Counts) -> Magnification:
        """Return the step at the FPR."""
        return Step(self.at_fpr)

    def convention(self, table: HitTable | Counts) -> Any:
        """Say how many negatives that rate is."""
        return _number_of(self._admit(table), "FPR", self.at_fpr, "negatives")


@dataclass(frozen=True)
class TPRAtFPR(_AtFPR):
    """True positive rate at a false positive rate: the height of the ROC curve there.

    Straight inside a group of ties, the upper end of a vertical step; ``fpr`` times :class:`ROCEnrichment`. In [0, 1],
    higher is better; random ``fpr`` if all are tied (over random orders, ``random_mean``, it differs in short lists),
    perfect 1. Where that rate is fewer than 3 negatives, the value is too high on
    average: the cutoff stands anywhere up to the next negative.

    Parameters
    ----------
    fpr : float in (0, 1)

    Raises
    ------
    ParameterError
        If the rate does not lie strictly between 0 and 1.

    Examples
    --------
    >>> TPRAtFPR(0.5)([1, 0, 1, 0], [4, 3, 2, 1]), str(TPRAtFPR(0.01))
    (1.0, 'tpr@fpr=1%')
    """

    name: ClassVar[str] = "tpr@fpr"
    summary: ClassVar[str] = "true positive rate at a false positive rate"
    fpr: float = at()


@dataclass(frozen=True)
class SensitivityAtSpecificity(_AtFPR):
    """Sensitivity at a specificity: :class:`TPRAtFPR` at one minus the specificity.

    In [0, 1], higher is better; random ``1 - specificity`` if all are tied (over random orders,
    ``random_mean``, it differs in short lists), perfect 1.

    Parameters
    ----------
    specificity : float in (0, 1)

    Raises
    ------
    ParameterError
        If the specificity does not lie strictly between 0 and 1.

    Examples
    --------
    >>> SensitivityAtSpecificity(0.5)([1, 0, 1, 0], [4, 3, 2, 1]), str(SensitivityAtSpecificity(0.99))
    (1.0, 'sensitivity@specificity=99%')
    """

    name: ClassVar[str] = "sensitivity@specificity"
    summary: ClassVar[str] = "sensitivity at a specificity"
    specificity: float = at()

    @property
    def at_fpr(self) -> float:
        """The FPR of the cut."""
        return _rest(self.specificity)


class _AtRecall(_AtRate, Metric):
    """What follows from the first FPR at which the ROC curve reaches a recall."""

    axis: ClassVar[str] = "fpr"
    default_interval: ClassVar[str] = "profile"

    def of_fpr(self, c: Counts, fpr: Array) -> Array:
        """Return the value of lists that reach the recall at an FPR."""
        return fpr

    def kernel(self, c: Counts) -> Array:
        """Return the value at the first FPR that reaches the recall."""
        return np.asarray(self.of_fpr(c, fpr_at_recall(c, self.rate)))

    def cut_at(self, c: Counts) -> CutAt:
        """Return the cut at the recall."""
        return CutAt("recall", np.full(c.shape, self.rate))

    def random_mean(self, table: HitTable | Counts) -> Any:
        """Return that of ``j/(n1 + 1)`` with ``j = ceil(recall n1)``, the mean FPR of the j-th positive."""
        c = self._admit(table)
        if c.weighted:
            return None
        mean = self.of_fpr(c, whole(self.rate * c.n1, "ceil") / (c.n1 + 1))
        return plain(np.where(refused(self.unsuited(c), c.shape), math.nan, mean))

    def convention(self, table: HitTable | Counts) -> Any:
        """Say how many positives that recall is."""
        return _number_of(self._admit(table), "TPR", self.rate, "positives")


@dataclass(frozen=True)
class FPRAtTPR(_AtRecall):
    """False positive rate at a true positive rate: the first at which the ROC curve reaches it.

    Negatives right below the positive that reaches it do not count; straight inside a group of ties. In [0, 1], lower
    is better; random ``tpr`` if all are tied (over random orders, ``random_mean``, it differs in short lists),
    perfect 0. ``fpr@tpr=95%`` is the FPR95 of out-of-distribution detection.

    Parameters
    ----------
    tpr : float in (0, 1)

    Raises
    ------
    ParameterError
        If the rate does not lie strictly between 0 and 1.

    Examples
    --------
    >>> FPRAtTPR(0.95)([1, 0, 1, 0], [4, 3, 2, 1]), str(FPRAtTPR(0.95))
    (0.5, 'fpr@tpr=95%')
    """

    name: ClassVar[str] = "fpr@tpr"
    summary: ClassVar[str] = "false positive rate at a true positive rate"
    reference: ClassVar[str] = "Liang, Li and Srikant 2018, Int. Conf. Learn. Represent."
    lower_is_better: ClassVar[bool] = True
    perfect_value: ClassVar[float | None] = 0.0
    reversed_value: ClassVar[float | None] = 1.0
    tpr: float = at()


@dataclass(frozen=True)
class SpecificityAtSensitivity(_AtRecall):
    """Specificity at a sensitivity: one minus :class:`FPRAtTPR`.

    In [0, 1], higher is better; random ``1 - sensitivity`` if all are tied (over random orders,
    ``random_mean``, it differs in short lists), perfect 1.

    Parameters
    ----------
    sensitivity : float in (0, 1)

    Raises
    ------
    ParameterError
        If the sensitivity does not lie strictly between 0 and 1.

    Examples
    --------
    >>> SpecificityAtSensitivity(0.95)([1, 0, 1, 0], [4, 3, 2, 1]), str(SpecificityAtSensitivity(0.95))
    (0.5, 'specificity@sensitivity=95%')
    """

    name: ClassVar[str] = "specificity@sensitivity"
    summary: ClassVar[str] = "specificity at a sensitivity"
    reference: ClassVar[str] = _PEPE
    perfect_value: ClassVar[float | None] = 1.0
    reversed_value: ClassVar[float | None] = 0.0
    sensitivity: float = at()

    def of_fpr(self, c: Counts, fpr: Array) -> Array:
        """Return one minus the FPR."""
        return 1 - fpr

    def cut_at(self, c: Counts) -> CutAt:
        """Return the cut at the recall."""
        return super().cut_at(c)._replace(offset=1.0, factor=-1.0)


@dataclass(frozen=True)
class PrecisionAtRecall(_AtRecall):
    """Precision at a recall: ``pi r / (pi r + (1 - pi) FPR)`` at the first FPR at which recall r is reached.

    In [0, 1], higher is better; random the prevalence, perfect 1. No envelope and no interpolation: inside a group of
    ties TPR and FPR grow along a straight line.

    Parameters
    ----------
    recall : float in (0, 1)

    Raises
    ------
    ParameterError
        If the recall does not lie strictly between 0 and 1.

    Examples
    --------
    >>> round(PrecisionAtRecall(0.8)([1, 0, 1, 0], [4, 3, 2, 1]), 4), str(PrecisionAtRecall(0.8))
    (0.6154, 'precision@recall=80%')
    """

    name: ClassVar[str] = "precision@recall"
    summary: ClassVar[str] = "precision at a recall"
    reference: ClassVar[str] = "Manning, Raghavan and Schuetze 2008, Introduction to Information Retrieval"
    axis: ClassVar[str] = "own"
    perfect_value: ClassVar[float | None] = 1.0
    recall: float = at()

    def of_fpr(self, c: Counts, fpr: Array) -> Array:
        """Return the precision of a recall and an FPR."""
        hits = c.pi * self.recall
        return np.asarray(hits / (hits + (1 - c.pi) * fpr))

    def random_mean(self, table: HitTable | Counts) -> Any:
        """Return None: the mean over random orders has no closed form."""
        return None

    def cut_at(self, c: Counts) -> CutAt:
        """Return the cut at the recall, with the tangent of the precision there."""
        pi, r, fpr = c.pi, self.recall, fpr_at_recall(c, self.recall)
        value, called = self.of_fpr(c, fpr), pi * r + (1 - pi) * fpr
        factor = -(1 - pi) * value / called
        by_prevalence = r * fpr / called**2
        cut = super().cut_at(c)
        return cut._replace(offset=value - factor * fpr, factor=factor, offset_slope=by_prevalence, tangent=True)
