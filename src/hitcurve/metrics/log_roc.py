"""Areas under the ROC curve along a logarithmic axis."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.counts import Array, Counts
from hitcurve.magnify import LogWindow, Magnification
from hitcurve.metrics.area import AreaMetric, Scale
from hitcurve.metrics.texts import each
from hitcurve.metrics.written import flag, keyword, positional
from hitcurve.table import HitTable


@dataclass(frozen=True)
class LogAUC(AreaMetric):
    """Area under the ROC curve along a logarithmic axis of FPR (Mysinger and Shoichet 2010).

    ``integral of TPR d log(FPR) / log(upper/lower)`` over FPR in [lower, upper]; the curve is straight in FPR,
    not in its logarithm. Higher is better. Raw: in [0, 1], perfect 1, random .14462 for
    (.001, 1); adjusted: random 0, perfect .85538 there. Random is the value if all are tied; over random orders
    (``random_mean``) it differs in short lists.

    Parameters
    ----------
    lower, upper : float
        0 < lower < upper <= 1.
    adjusted : bool
        Subtract the value of the diagonal, so that the value of all tied is 0.

    Raises
    ------
    ParameterError
        If the ends are no such interval.

    Examples
    --------
    >>> round(LogAUC()([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    0.5502
    """

    name: ClassVar[str] = "logauc"
    summary: ClassVar[str] = "area under the ROC curve with a logarithmic axis of FPR"
    reference: ClassVar[str] = "Mysinger and Shoichet 2010, J. Chem. Inf. Model. 50:1561"
    lower: float = positional(0.001)
    upper: float = positional(1.0)
    adjusted: bool = flag()

    def __post_init__(self) -> None:
        window = LogWindow(self.lower, self.upper)
        object.__setattr__(self, "lower", window.lower)
        object.__setattr__(self, "upper", window.upper)
        object.__setattr__(self, "adjusted", _checks.flag("adjusted", self.adjusted))

    def magnification(self, c: Counts) -> Magnification:
        """Return the logarithmic window."""
        return LogWindow(self.lower, self.upper)

    def _random_area(self) -> float:
        return 1 - float(LogWindow(self.lower, self.upper).mean(0, 1))

    def rescale(self, c: Counts) -> Scale:
        """Subtract the area of the diagonal if adjusted."""
        return Scale(-self._random_area() if self.adjusted else 0.0)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        low = -self._random_area() if self.adjusted else 0.0
        return low, low + 1

    def extrapolates(self, c: Counts) -> npt.NDArray[np.bool_]:
        """Say whether the axis begins below the FPR of one negative."""
        return np.asarray(self.lower * c.n0 < 1)

    def convention(self, table: HitTable | Counts) -> Any:
        """Say how the curve runs between its points."""
        return each(self._admit(table), "straight in FPR" + (", random subtracted" if self.adjusted else ""))


@dataclass(frozen=True)
class PROC(AreaMetric):
    """Area under the pROC curve (Clark and Webster-Clark 2008).

    ``sum_k p_k mean of -log10(max(FPR, floor))``. In [0, -log10(floor)], higher is better; random about 0.434
    if all are tied (over random orders, ``random_mean``, it differs in short lists), perfect -log10(floor).

    Parameters
    ----------
    floor : {"half-subject", "negative"}
        The smallest FPR that is used: 1/(2n) with n the number of subjects, or 1/n0, the FPR of one negative, as in the
        mean of log10(1/FPR) over the actives (DockStream).

    Raises
    ------
    ParameterError
        If the floor is neither.

    Examples
    --------
    >>> y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    >>> round(PROC()(y, s), 4), round(PROC(floor="negative")(y, s), 4)
    (0.6021, 0.301)
    """

    name: ClassVar[str] = "proc"
    counts_subjects: ClassVar[bool] = True
    summary: ClassVar[str] = "area under TPR over log10 of FPR"
    reference: ClassVar[str] = "Clark and Webster-Clark 2008, J. Comput. Aided Mol. Des. 22:141"

    floor: str = keyword("half-subject")

    def __post_init__(self) -> None:
        _checks.choice("floor", self.floor, ("half-subject", "negative"))

    def _floor(self, c: Counts) -> Array:
        return np.asarray(0.5 / c.n if self.floor == "half-subject" else 1 / c.n0)

    def magnification(self, c: Counts) -> Magnification:
        """Return the logarithmic window from the floor."""
        # one negative leaves an axis without length, which counts 0 whatever is on it
        floor = np.minimum(self._floor(c), 0.5)[..., None]
        return LogWindow.per_replicate(lower=floor, upper=np.ones_like(floor))

    def rescale(self, c: Counts) -> Scale:
        """Return the length of the axis."""
        return Scale(0.0, -np.log10(self._floor(c)))

    def rescale_slope(self, c: Counts) -> Scale:
        """Return how the floor of one negative moves with the number of negatives."""
        if self.floor == "half-subject" or c.prevalence is not None:
            return Scale(0.0, 0.0)
        # what lies at the floor itself is above it, as the slopes of the window have it
        below = np.sum(c.p * c.share_above("fpr", self._floor(c), reached=False), axis=-1)
        return Scale(np.where(c.n0 > 1, -below / (math.log(10) * (1 - c.pi)), 0.0), 0.0)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value."""
        return 0.0, math.inf

    def convention(self, table: HitTable | Counts) -> Any:
        """Say the floor of the axis."""
        floor = "half a subject in n" if self.floor == "half-subject" else "one negative in n0"
        return each(self._admit(table), f"FPR not below {floor}")
