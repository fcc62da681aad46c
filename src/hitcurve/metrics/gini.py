"""The Gini coefficient of credit scoring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.magnify import Identity, Magnification
from hitcurve.metrics.area import AreaMetric, Scale
from hitcurve.metrics.roc import AUC


@dataclass(frozen=True)
class Gini(AreaMetric):
    """Gini coefficient of credit scoring, the accuracy ratio: ``2 AUC - 1``, Somers' D of the classes.

    In [-1, 1], higher is better; random 0, perfect 1, reversed -1.

    Examples
    --------
    >>> Gini()([1, 0, 1, 0], [4, 3, 2, 1])
    0.5
    """

    name: ClassVar[str] = "gini"
    summary: ClassVar[str] = "Gini coefficient, 2 AUC - 1"
    label_correction: ClassVar[str] = "linear"
    reference: ClassVar[str] = "Somers 1962, Am. Sociol. Rev. 27:799"

    def magnification(self, c: Counts) -> Magnification:
        """Return the identity."""
        return Identity()

    def rescale(self, c: Counts) -> Scale:
        """Return twice the area minus 1."""
        return Scale(-1.0, 2.0)

    def kernel(self, c: Counts) -> Array:
        """Return the value computed from the exact number of pairs."""
        return np.asarray(2 * AUC().kernel(c) - 1)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return -1.0, 1.0
