"""The area under the ROC curve with its false positive rate, its TPR or both magnified."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array, Counts, before
from hitcurve.errors import ParameterError
from hitcurve.magnify import Exponential, Identity, Log2Power, Logarithmic, Magnification, Power
from hitcurve.magnify.pieces import Pair
from hitcurve.magnify.quadrature import unit_means
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.pieces import Gradient, plain
from hitcurve.metrics.written import keyword, map_text
from hitcurve.table import HitTable

Rows: TypeAlias = npt.NDArray[np.intp]
_SMOOTH = (Exponential, Power, Logarithmic, Log2Power)  # their product is integrated along a tied row


@dataclass(frozen=True)
class MagnifiedArea(Metric):
    """Area under the ROC curve with magnified axes (Swamidass et al. 2010).

    ``integral of y(TPR) d x(FPR)`` along the curve, straight lines across ties included. With ``x`` alone it is
    :class:`CROC`. ``y`` alone weighs the curve over TPR: the mean of 1 - FPR over recalls that have the density y'. In
    [0, 1], higher is better; random ``integral of y dx`` if all are tied (over random orders,
    ``random_mean``, it differs in short lists), perfect 1, reversed 0.

    Parameters
    ----------
    x, y : Magnification
        Of FPR and of TPR; no magnification if absent. Both axes are magnified by smooth families only: exponential,
        power, or a logarithmic one.

    Raises
    ------
    ParameterError
        If one is no magnification; if both are magnified and one is of no smooth family.

    Examples
    --------
    >>> from hitcurve.magnify import Exponential
    >>> both = MagnifiedArea(x=Exponential(7), y=Exponential(3))
    >>> str(both), round(both([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    ('magnified_area(x=exp(alpha=7), y=exp(alpha=3))', 0.8229)
    >>> round(MagnifiedArea(y=Exponential(3))([1, 0, 1, 0], [4, 3, 2, 1]), 4)
    0.9088
    """

    name: ClassVar[str] = "magnified_area"
    summary: ClassVar[str] = "area under the ROC curve with FPR, TPR or both magnified"
    reference: ClassVar[str] = "Swamidass et al. 2010, Bioinformatics 26:1348"
    perfect_value: ClassVar[float | None] = 1.0
    reversed_value: ClassVar[float | None] = 0.0
    adds_over_rows: ClassVar[bool] = True
    x: Magnification = keyword(Identity())
    y: Magnification = keyword(Identity())

    def __post_init__(self) -> None:
        for name, f in (("x", self.x), ("y", self.y)):
            if not isinstance(f, Magnification):
                raise ParameterError(f"{name} must be a Magnification, got {f!r}")
            if self._both and not isinstance(f, _SMOOTH):
                raise ParameterError(
                    f"{name} is {map_text(f)}: magnify one axis alone, or both by exp, power, log or log2power"
                )

    @property
    def _both(self) -> bool:
        return not (isinstance(self.x, Identity) or isinstance(self.y, Identity))

    def kernel(self, c: Counts) -> Array:
        """Return the area, row by row: a row is a straight line."""
        P0, Q0 = before(c.P), before(c.Q)
        if isinstance(self.x, Identity):
            return np.asarray(np.sum(c.q * self.y.mean(P0, c.P), axis=-1))
        if isinstance(self.y, Identity):
            return np.asarray(np.sum(c.p * self.x.worth(Q0, c.Q), axis=-1))
        area = self.y(c.P) * (self.x(c.Q) - self.x(Q0))
        tied = (c.p > 0) & (c.q > 0)
        if tied.any():
            a, p, b, q = P0[tied], c.p[tied], Q0[tied], c.q[tied]

            def along(row: Rows, u: Array) -> Array:
                slope = self.x.derivative(b[row] + u * q[row])
                return np.asarray(self.y(a[row] + u * p[row]) * slope * q[row])

            area[tied] = unit_means(along, a.size)
        return np.asarray(np.sum(area, axis=-1))

    def kernel_gradient(self, c: Counts) -> Gradient:
        """Return the gradient: moving the end of a line turns it about its start."""
        ends, starts = self._slopes(c)
        # where nobody is, a slope may be infinite and does not count
        with np.errstate(invalid="ignore"):
            columns = []
            for share in (c.q, c.p):
                column = np.where(share > 0, share * ends, 0.0)
                column[..., :-1] += np.where(share > 0, share * starts, 0.0)[..., 1:]
                columns.append(column)
        return Gradient(columns[0], -columns[1], np.zeros(c.pi.shape))

    def _slopes(self, c: Counts) -> Pair:
        """Return the means of y'(TPR) x'(FPR) over each row, weighted towards its end and towards its start."""
        P0, Q0 = before(c.P), before(c.Q)
        if isinstance(self.x, Identity):
            return self.y.mean_slopes(P0, c.P)
        if isinstance(self.y, Identity):
            return self.x.mean_slopes(Q0, c.Q)
        with np.errstate(invalid="ignore", divide="ignore"):
            flat, steep = c.p == 0, c.q == 0
            fixed = np.where(flat, self.y.derivative(c.P), self.x.derivative(c.Q))
            ends, starts = (
                np.where(flat, of_x, of_y) * fixed
                for of_x, of_y in zip(self.x.mean_slopes(Q0, c.Q), self.y.mean_slopes(P0, c.P), strict=True)
            )
        tied = ~flat & ~steep
        if tied.any():
            a, p, b, q = P0[tied], c.p[tied], Q0[tied], c.q[tied]

            def both(row: Rows, u: Array) -> Array:
                return np.asarray(self.y.derivative(a[row] + u * p[row]) * self.x.derivative(b[row] + u * q[row]))

            ends[tied] = unit_means(lambda row, u: np.asarray(u * both(row, u)), a.size)
            starts[tied] = unit_means(lambda row, u: np.asarray((1 - u) * both(row, u)), a.size)
        return ends, starts

    def random_mean(self, table: HitTable | Counts) -> Any:
        """Return the expectation over strict orders, a mean of the map at whole ranks; None if both are magnified."""
        c = self._admit(table)
        if c.weighted or self._both:
            return None
        along_y = isinstance(self.x, Identity)
        sizes, place = np.unique(np.ravel(c.n1 if along_y else c.n0), return_inverse=True)
        f = self.y if along_y else self.x
        means = np.array([f.mean_at_steps(int(size)) if size else math.nan for size in sizes])
        return plain((means if along_y else 1 - means)[place].reshape(c.shape))

    @property
    def deciding_class(self) -> str:  # type: ignore[override]
        """Negatives; positives if TPR alone is magnified."""
        return "positives" if isinstance(self.x, Identity) and not isinstance(self.y, Identity) else "negatives"

    def deciding_share(self, c: Counts) -> Array | None:
        """Return where the map of that axis has risen to 1 - 1/e."""
        f = self.y if self.deciding_class == "positives" else self.x
        if isinstance(f, Identity):
            return None
        return np.broadcast_to(np.asarray(f.inverse(np.asarray(1 - math.exp(-1)))), c.shape)
