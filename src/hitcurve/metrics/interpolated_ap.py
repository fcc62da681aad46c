"""Average precision of the interpolated curve: precision at a recall is the best one from there on."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts, before
from hitcurve.errors import ParameterError
from hitcurve.magnify.pieces import sum_of_products
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.pieces import Gradient
from hitcurve.metrics.texts import each
from hitcurve.metrics.written import keyword
from hitcurve.table import HitTable

_MOST = 2**53  # above, a recall is not told from the next
_HAIR = 1e-12  # rounding noise of a recall


@dataclass(frozen=True)
class InterpolatedAP(Metric):
    """Interpolated average precision: the mean over recall of the highest precision at that recall or beyond.

    ``max of precision over the thresholds whose recall is at least t``, the envelope of the precision-recall curve,
    averaged over all t (PASCAL VOC from 2010 on) or over so many points from 0 to 1: 11 are those of TREC and VOC
    2007, 101 those of COCO. Never below average precision (``ap``), which takes precision as it is. In [pi, 1],
    higher is better; random pi, reversed pi, perfect 1.

    Parameters
    ----------
    points : {"all"} or int
        The recalls that are averaged: all, or 0, 1/(points - 1), ..., 1; at least 2.

    Raises
    ------
    ParameterError
        If it is neither.

    Examples
    --------
    >>> y, s = [1, 0, 1, 1, 0, 0, 0, 1, 0, 0], [3, 3, 3, 2, 2, 2, 2, 1, 1, 0]
    >>> round(InterpolatedAP()(y, s), 4), round(InterpolatedAP(points=11)(y, s), 4), str(InterpolatedAP(points=11))
    (0.5556, 0.5657, 'interpolated_ap(points=11)')
    """

    name: ClassVar[str] = "interpolated_ap"
    summary: ClassVar[str] = "average precision of the envelope of the precision-recall curve (VOC, COCO)"
    reference: ClassVar[str] = "Everingham et al. 2010, Int. J. Comput. Vis. 88:303"
    decided_by_prevalence: ClassVar[bool] = True
    negatives_join: ClassVar[bool] = True
    points: int | str = keyword("all")

    def __post_init__(self) -> None:
        if self.points == "all":
            return
        if isinstance(self.points, str):
            raise ParameterError(f"points must be 'all' or a whole number of at least 2, got {self.points!r}")
        points = _checks.whole_number("points", self.points, least=2, most=math.inf)
        if points > _MOST:
            raise ParameterError(
                f"points must be at most 2^53, got {_checks.written(self.points)}; points='all' has a point each"
            )
        object.__setattr__(self, "points", points)

    @property
    def jumps(self) -> bool:  # type: ignore[override]
        """At each recall level the precision jumps to the precision at the next positive."""
        return self.points != "all"

    def kernel(self, c: Counts) -> Array:
        """Return the mean of the envelope."""
        _, highest = _envelope(c)
        if self.points == "all":
            return sum_of_products(c.p, highest)
        # recall 0 is reached by the first row; how many of the others each row reaches
        last = int(self.points) - 1
        reached = np.floor(last * (c.P + _HAIR))
        return np.asarray((highest[..., 0] + sum_of_products(reached - before(reached), highest)) / (last + 1))

    def kernel_gradient(self, c: Counts) -> Gradient | None:
        """Return the gradient in closed form; none for single recalls."""
        if self.points != "all":
            return None
        precision, highest = _envelope(c)
        step = highest.copy()
        step[..., :-1] -= highest[..., 1:]
        # the share of the positives whose precision is that of each row, the next one that is on the envelope
        # (of equal precisions all, whichever of them rounding puts first)
        there = (np.asarray(c.pos) > 0) & (precision >= highest * (1 - _HAIR))
        reached = np.maximum.accumulate(np.where(there, c.P, 0.0), axis=-1)
        per_rate = np.divide(c.P - before(reached), c.r**2, out=np.zeros(c.p.shape), where=there)
        pi = c.pi[..., None]
        lost = per_rate * pi * (1 - pi)
        return Gradient(step + lost * c.Q, -lost * c.P, np.sum(per_rate * c.P * c.Q, axis=-1))

    def convention(self, table: HitTable | Counts) -> Any:
        """Say which recalls are averaged."""
        points = "every recall" if self.points == "all" else f"{self.points} recalls from 0 to 1"
        return each(self._admit(table), f"highest precision from a recall on, at {points}")


def _envelope(c: Counts) -> tuple[Array, Array]:
    """Return the precision of each row that holds a positive, and the highest from each row on."""
    precision = np.where(np.asarray(c.pos) > 0, c.precision, 0.0)
    return precision, np.maximum.accumulate(precision[..., ::-1], axis=-1)[..., ::-1]
