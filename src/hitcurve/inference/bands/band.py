"""Confidence bands of whole curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from hitcurve import _checks, rows
from hitcurve.counts import Array, Number, Numbers
from hitcurve.curve import Curve
from hitcurve.errors import ParameterError
from hitcurve.immutable import Compared
from hitcurve.magnify import Magnification
from hitcurve.sources import to_frame


@dataclass(frozen=True, eq=False)
class SampledCurve(Compared):
    """A curve known at some points, straight between them.

    Attributes
    ----------
    x, y : array (G,)
        x ascending.
    """

    x: Array
    y: Array

    def __repr__(self) -> str:
        """Return the range and the number of points."""
        return f"<SampledCurve from x = {self.x[0]:g} to {self.x[-1]:g}: {self.x.size} points>"

    @overload
    def at(self, x: Number) -> float: ...
    @overload
    def at(self, x: Numbers) -> Array: ...
    @overload
    def at(self, x: npt.ArrayLike) -> Any: ...
    def at(self, x: npt.ArrayLike) -> Any:
        """Return y at x.

        Raises
        ------
        ParameterError
            If an x lies outside the curve.
        """
        wanted = np.asarray(x, float)
        if np.any((wanted < self.x[0] - 1e-12) | (wanted > self.x[-1] + 1e-12)):
            raise ParameterError(f"x must lie on the curve, in [{self.x[0]:g}, {self.x[-1]:g}], got {x!r}")
        y = np.interp(wanted, self.x, self.y)
        return float(y) if y.ndim == 0 else y


@dataclass(frozen=True, eq=False)
class Band(Compared):
    """Limits between which a curve lies with a stated confidence.

    Attributes
    ----------
    curve : str
        Kind of the curve.
    center, low, high : SampledCurve
        The estimate and its limits on one grid.
    coverage : {"simultaneous", "pointwise"}
        Whether the level is for the whole curve, or for each point alone.
    method : str
    confidence_level : float
    design : {"cohort", "case-control"}
    n_pos, n_neg : float
    effective_sample_size : float or None
        Effective number of replicates of importance sampling; None without it. It is estimated from the drawn
        replicates, and too large if p~ is far from the fraction of positives: the replicates with large weights were
        then not drawn.
    cautions : tuple of str
        Caveats on the reliability of the band.
    magnification : Magnification or None
        Of the x axis of croc and cac curves.
    seed : int or None
        Of the draws: the one given, or the one derived from the counts. None where nothing was drawn, or a generator
        was given.
    rankers : (str, str) or None
        Of the band of a difference: first minus second; None of one curve.
    """

    curve: str
    center: SampledCurve
    low: SampledCurve
    high: SampledCurve
    coverage: str
    method: str
    confidence_level: float
    design: str
    n_pos: float
    n_neg: float
    effective_sample_size: float | None = None
    cautions: tuple[str, ...] = ()
    magnification: Magnification | None = None
    seed: int | None = None
    rankers: tuple[str, str] | None = None

    def __repr__(self) -> str:
        """Return the kind of the curve and that of the limits."""
        return f"<Band of {self.curve}: {100 * self.confidence_level:g}%, {self.coverage}, {self.method}>"

    @property
    def x(self) -> Array:
        """The grid."""
        return self.center.x

    @property
    def mean_width(self) -> float:
        """Mean vertical distance of the limits over the range of the grid."""
        width = self.high.y - self.low.y
        if self.x.size == 1:
            return float(width[0])
        return float(np.trapezoid(width, self.x) / (self.x[-1] - self.x[0]))

    def contains(self, curve: Curve | SampledCurve) -> bool:
        """Say whether a curve of the same kind lies inside at every point of the grid.

        Raises
        ------
        ParameterError
            If it is not a curve, is of another kind, or has another magnification.
        """
        if not isinstance(curve, Curve | SampledCurve):
            raise ParameterError(f"a band holds a Curve or a SampledCurve, got {curve!r}")
        if isinstance(curve, Curve) and curve.kind.name != self.curve:
            raise ParameterError(f"a {self.curve} band does not hold a {curve.kind.name} curve")
        if isinstance(curve, Curve) and (
            repr(curve.magnification) != repr(self.magnification) or curve.y_magnification is not None
        ):
            raise ParameterError(
                f"a band magnified by {self.magnification!r} does not hold a curve of {curve.y_label} over "
                f"{curve.x_label}"
            )
        y = np.asarray(curve.at(self.x))
        # where a magnification is flat several points share an x, and the last is the upper end, as of the curve
        return bool(np.all((y >= self.low.at(self.x) - 1e-12) & (y <= self.high.at(self.x) + 1e-12)))

    def excludes(self, value: float = 0.0) -> list[tuple[float, float]]:
        """Return the ranges of x on which the band lies wholly above or below a value.

        For a difference band and 0: the ranges where the simultaneous band excludes 0.
        """
        value = _checks.real_number("value", value)
        outside = (self.low.y > value) | (self.high.y < value)
        edges = np.flatnonzero(np.diff(np.concatenate([[False], outside, [False]]).astype(int)))
        return [
            (float(self.x[start]), float(self.x[end - 1])) for start, end in zip(edges[::2], edges[1::2], strict=True)
        ]

    def to_frame(self, backend: str | None = None) -> Any:
        """Return x, value, low and high as a data frame."""
        return to_frame({"x": self.x, "value": self.center.y, "low": self.low.y, "high": self.high.y}, backend)

    def to_records(self) -> list[dict[str, Any]]:
        """Return x, value, low and high as a list of records; undefined values are None."""
        columns = (self.x, self.center.y, self.low.y, self.high.y)
        return [
            rows.plain({"x": x, "value": value, "low": low, "high": high})
            for x, value, low, high in zip(*(column.tolist() for column in columns), strict=True)
        ]

    def __str__(self) -> str:
        """Return a description of the band, in one paragraph."""
        by = "" if self.magnification is None else f" magnified by {self.magnification!r}"
        method = self.method if self.seed is None else f"{self.method}, seed {self.seed}"
        lines = [
            f"{100 * self.confidence_level:g}% {self.coverage} band of the {self.curve.replace('_', ' ')} curve{by} "
            f"({method}, {self.design}), {rows.count(self.n_pos)} positives, {rows.count(self.n_neg)} negatives, "
            f"x from {rows.short(self.x[0])} to {rows.short(self.x[-1])}, mean width {rows.short(self.mean_width)}"
        ]
        if self.effective_sample_size is not None:
            lines.append(f"effective number of replicates {rows.short(self.effective_sample_size)}")
        return "\n".join([*lines, *(f"note: {text}" for text in self.cautions)])


def check_range(x_range: Any, least: float = 0.0, most: float = 1.0) -> tuple[float, float]:
    """Return a range of x as two floats.

    Raises
    ------
    ParameterError
        If it is empty or lies outside.
    """
    try:
        start, end = x_range
    except (TypeError, ValueError):
        raise ParameterError(f"x_range must be two numbers, got {x_range!r}") from None
    low, high = (_checks.real_number(f"{side} end of x_range", x) for side, x in (("lower", start), ("upper", end)))
    if not least <= low < high <= most:
        raise ParameterError(
            f"x_range must be an interval inside [{least:g}, {most:g}] with lower < upper, got {start!r}, {end!r}"
        )
    return low, high


def reached(x_range: tuple[float, float], least: float, most: float) -> tuple[float, float]:
    """Return the part of a range that data of this size say something about.

    Raises
    ------
    ParameterError
        If there is none.
    """
    low, high = max(x_range[0], least), min(x_range[1], most)
    if not low < high:
        raise ParameterError(
            f"x_range {x_range[0]:g} to {x_range[1]:g} lies within one subject of the end of the axis, where there is "
            f"no band: it must overlap {least:.3g} to {most:.3g}"
        )
    return low, high
