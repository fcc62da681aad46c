"""What simulations of systematic reviews report of a whole ranking: loss and the average time to discovery."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.magnify import Identity, Magnification
from hitcurve.metrics.area import AreaMetric, Scale
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.rate import RateMetric
from hitcurve.metrics.roc import AUC
from hitcurve.metrics.texts import each
from hitcurve.table import HitTable


class _Fewer(Metric):
    """An area turned round, of which less is better."""

    lower_is_better: ClassVar[bool] = True

    def magnification(self, c: Counts) -> Magnification:
        """Return the identity."""
        return Identity()

    def bounds(self, c: Counts) -> tuple[Array | float, Array | float] | None:
        """Return the values of the perfect and of the reversed list."""
        return self.best(c), self.worst(c)


@dataclass(frozen=True)
class Loss(_Fewer, AreaMetric):
    """Normalised loss of a review: area between its recall curve and the perfect one, rescaled; ``1 - AUC``.

    ``(n1 (n - (n1 - 1)/2) - sum of the positives found at each rank) / (n1 n0)``. In [0, 1], lower is better; random
    1/2, perfect 0, reversed 1. ASReview Insights states this formula and computes the area by trapezoids, which
    differs by less than ``1 / (n1 n0)``.

    Examples
    --------
    >>> Loss()([1, 0, 1, 0], [4, 3, 2, 1])
    0.25
    """

    name: ClassVar[str] = "loss"
    summary: ClassVar[str] = "normalised loss of a review, 1 - AUC"
    reference: ClassVar[str] = "ASReview Insights, doi:10.5281/zenodo.6626069"
    label_correction: ClassVar[str] = "linear"
    perfect_value: ClassVar[float | None] = 0.0
    reversed_value: ClassVar[float | None] = 1.0

    def rescale(self, c: Counts) -> Scale:
        """Return one minus the area."""
        return Scale(1.0, -1.0)

    def kernel(self, c: Counts) -> Array:
        """Return the value from the exact number of pairs."""
        return np.asarray(1 - AUC().kernel(c))


@dataclass(frozen=True)
class AverageTimeToDiscovery(_Fewer, RateMetric):
    """Average time to discovery: mean rank of the positives over the length of the list (Ferdinands et al. 2023).

    ``1 - AUAC + 1/(2n)``, the fraction of the list that is screened until a positive is found, on average over the
    positives; ties in expectation. In (0, 1], lower is better; random ``(n + 1)/(2n)``, perfect ``(n1 + 1)/(2n)``. With
    weights and at a set prevalence, where there are no whole ranks, the rate in the middle of a positive takes the
    place of its rank. ASReview Insights prints ranks: n times this value.

    Examples
    --------
    >>> AverageTimeToDiscovery()([1, 0, 1, 0], [4, 3, 2, 1])
    0.5
    """

    name: ClassVar[str] = "atd"
    summary: ClassVar[str] = "average time to discovery: mean rank of the positives over the length of the list"
    reference: ClassVar[str] = "Ferdinands et al. 2023, Syst. Rev. 12:100"

    def rescale(self, c: Counts) -> Scale:
        """Return one minus the area, to the end of a subject instead of its middle."""
        return Scale(1 + 0.5 / c.n if c.whole else 1.0, -1.0)

    def convention(self, table: HitTable | Counts) -> Any:
        """Say how many ranks that is."""
        c = self._admit(table)
        if not c.whole:
            return each(c, "mean rate of the positives")
        ranks = self._of_lists(c, self.kernel) * c.n
        return each(c, lambda index: f"mean rank {ranks[index]:.6g} of {c.n[index]:.12g}", ranks, c.n)
