"""Area under either half of the ROC curve, on the two sides of its point of equal errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts, before
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.pieces import Gradient, at_ends
from hitcurve.metrics.roc import AUC
from hitcurve.metrics.written import positional


@dataclass(frozen=True)
class HalfAUC(Metric):
    """Area under the half of the ROC curve where one kind of error prevails (Bradley 2014).

    ``specific``: the part of the area where TPR < TNR (few false positives); ``sensitive``: where TPR > TNR. The two
    add to AUC. In [0, 1/2], higher is better; random 1/4, perfect 1/2.

    Parameters
    ----------
    side : {"specific", "sensitive"}

    Raises
    ------
    ParameterError
        If the side is neither.

    Examples
    --------
    >>> HalfAUC("specific")([1, 0, 1, 0], [4, 3, 2, 1])
    0.375
    """

    name: ClassVar[str] = "half_auc"
    summary: ClassVar[str] = "area under the specific or the sensitive half of the ROC curve"
    reference: ClassVar[str] = "Bradley 2014, Pattern Recogn. Lett. 38:93"
    side: str = positional()

    def __post_init__(self) -> None:
        _checks.choice("side", self.side, ("specific", "sensitive"))

    def kernel(self, c: Counts) -> Array:
        """Integrate min(TPR, TNR) over FPR; the curve meets TPR = TNR once."""
        specific = np.sum(c.q * _heights(c, _share_below(c)), axis=-1)
        if self.side == "specific":
            return np.asarray(specific)
        return np.asarray(AUC().kernel(c) - specific)

    def kernel_gradient(self, c: Counts) -> Gradient:
        """Return the gradient in closed form: where the curve meets TPR = TNR does not move it to first order."""
        part = _share_below(c)
        heights = _heights(c, part)
        of_tpr, of_fpr = c.q * part, c.q * (1 - part)
        specific = Gradient(
            at_ends(of_tpr * part / 2, of_tpr * (1 - part / 2)),
            at_ends(heights - of_fpr * (1 + part) / 2, -heights - of_fpr * (1 - part) / 2),
            np.zeros(c.shape),
        )
        if self.side == "specific":
            return specific
        whole = AUC().kernel_gradient(c)
        return Gradient(whole.P - specific.P, whole.Q - specific.Q, whole.pi)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return 0.0, 0.5


def _share_below(c: Counts) -> Array:
    """Return the share of each row on which TPR < TNR."""
    room, length = 1 - before(c.P) - before(c.Q), c.p + c.q
    part = np.divide(room, length, out=np.asarray(room > 0, float), where=length > 0)
    return np.asarray(np.clip(part, 0.0, 1.0))


def _heights(c: Counts, part: Array) -> Array:
    """Return the mean of min(TPR, TNR) along each row."""
    below = part * (before(c.P) + c.p * part / 2)
    return np.asarray(below + (1 - part) * (1 - before(c.Q) - c.q * (1 + part) / 2))
