"""What axes show of curves: their range, their names and their ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.curve import Curve, CurveKind
from hitcurve.errors import ParameterError
from hitcurve.magnify import Magnification
from hitcurve.plot import sheet, words
from hitcurve.plot.path import Drawable, Path, traced, visible
from hitcurve.plot.scales import LINEAR, LOG, NORMAL, Scale, scale_axes
from hitcurve.table import HitTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARGIN = 0.02  # of the axes, so that lines along their edges are seen
_NICE = (0, 1, 0.1, 0.01, 0.5, 0.001, 0.2, 0.05, 0.3, 0.02, 0.005, 0.7, 0.002, 0.0001, 0.0005, 0.0002)
_DEVIATES = (0.5, 0.05, 0.95, 0.2, 0.8, 0.01, 0.99, 0.001, 0.999, 1e-4, 1e-5, 1e-6, 0.1, 0.9, 0.02, 0.3)
_FLAT = 1e-3  # height of axes on which nothing rises
_APART, _APART_NORMAL = 0.13, 0.1  # of the axis, between two ticks


class View(NamedTuple):
    """What the axes show.

    Attributes
    ----------
    ends : (float, float)
        Range of x, in units of the axis.
    bottom, top : float
        Range of y.
    x_scale, y_scale : Scale
    """

    ends: tuple[float, float]
    bottom: float
    top: float
    x_scale: Scale = LINEAR
    y_scale: Scale = LINEAR

    def path(self, line: Drawable) -> Path:
        """Return the line of a curve as it is drawn here."""
        bottom, top = self.y_scale.forward(np.array([self.bottom, self.top]))
        return traced(line, self.ends, float(top - bottom), self.x_scale, self.y_scale)


def view_of(
    kind: CurveKind,
    lines: Sequence[Curve],
    tables: Sequence[HitTable],
    f: Magnification | None,
    window: tuple[float, float] | None,
    *,
    log_x: bool,
) -> View:
    """Return what to show of curves.

    Parameters
    ----------
    kind : CurveKind
    lines : sequence of Curve
    tables : sequence of HitTable
        Of the curves.
    f : Magnification or None
        Of the x axis.
    window : (float, float) or None
        Range of the rates.
    log_x : bool
    """
    half = min(_share_of_one(kind, table) for table in tables) / 2
    picture, x_scale = kind.picture, scale_of(kind, log_x=log_x)
    low, high = view_window(window, half if x_scale is not LINEAR or picture.x_scale == "log10" else 0.0, 1.0)
    ends = (low, min(high, 1 - half) if x_scale is NORMAL else high)
    if picture.x_scale == "log10":
        ends = (math.log10(low), math.log10(high))
    elif f is not None:
        ends = (float(f(low)), float(f(high)))
        if not ends[0] < ends[1]:
            raise ParameterError(f"the magnification maps window {window!r} to a point, so nothing is left to show")
    heights = [visible(line, ends) for line in lines]
    lowest, highest = min(low for low, _ in heights), max(high for _, high in heights)
    if picture.y_scale == "normal-deviate":
        least = min(0.5 / table.n_pos for table in tables)
        bottom, top = (0.0, 1.0) if window is None else (lowest, highest)
        return View(ends, max(bottom, least), max(min(top, 1 - least), 2 * least), x_scale, NORMAL)
    if window is None:
        return View(ends, 0.0, 1.0 if picture.is_share else highest, x_scale)
    bottom = lowest if lowest > highest / 2 else 0.0
    return View(ends, bottom, max(highest, bottom + _FLAT), x_scale)


def scale_of(kind: CurveKind, *, log_x: bool) -> Scale:
    """Return the scale of the x axis.

    Raises
    ------
    ParameterError
        If it is to be logarithmic, and the kind of curve has a scale of its own.
    """
    own = kind.picture.x_scale
    if log_x and own != "linear":
        raise ParameterError(f"log_x is for linear axes, and the axis of a {kind.name} curve is {own}")
    return LOG if log_x else NORMAL if own == "normal-deviate" else LINEAR


def y_scale_of(kind: CurveKind) -> Scale:
    """Return the scale of the y axis."""
    return NORMAL if kind.picture.y_scale == "normal-deviate" else LINEAR


def view_of_points(
    kind: CurveKind, x: Array, y: Array, least: float, window: tuple[float, float] | None, *, log_x: bool
) -> View:
    """Return the axis range of bands and averages, which are known at points.

    Parameters
    ----------
    kind : CurveKind
    x, y : array
        Of all points.
    least : float
        Share at which a normal-deviate axis of y ends.
    window : (float, float) or None
        Range of the rates.
    log_x : bool
    """
    x_scale, y_scale = scale_of(kind, log_x=log_x), y_scale_of(kind)
    if x_scale is not LINEAR:
        x = x[(x > 0) & ((x < 1) | (x_scale is LOG))]
    ends = float(x.min()), float(x.max())
    if window is not None and kind.picture.x_scale == "log10":
        low, high = view_window(window, 10.0 ** ends[0], 10.0 ** ends[1])
        ends = (math.log10(low), math.log10(high))
    else:
        ends = view_window(window, *ends)
    if y_scale is NORMAL:
        return View(ends, least, 1 - least, x_scale, y_scale)
    return View(ends, 0.0, 1.0 if kind.picture.is_share else float(y.max()), x_scale, y_scale)


def _share_of_one(kind: CurveKind, table: HitTable) -> float:
    """Return the share of one subject on the x axis."""
    return 1 / {"fpr": table.n_neg, "recall": table.n_pos, "rate": table.n}[kind.along]


def view_window(window: tuple[float, float] | None, least: float, most: float) -> tuple[float, float]:
    """Return the part of a window that lies inside the range of what is drawn.

    Raises
    ------
    ParameterError
        If the window is none, or nothing of it does.
    """
    if window is None:
        return least, most
    try:
        low, high = window
    except (TypeError, ValueError):
        raise ParameterError(f"window must be two numbers, got {window!r}") from None
    low, high = _checks.interval("window", low, high)
    if not max(low, least) < min(high, most):
        raise ParameterError(
            f"window {low:g} to {high:g} does not overlap the curve, which lies in {least:.3g} to {most:.3g}"
        )
    return max(low, least), min(high, most)


def name_axes(ax: Axes, kind: CurveKind, view: View, x_name: str) -> None:
    """Name, scale and limit the axes."""
    ax.set(xlabel=x_name, ylabel=kind.picture.y)
    scale_axes(ax, view.x_scale, view.y_scale)
    if view.x_scale is LOG:
        sheet.number_ticks(ax.xaxis)
    low, high = _with_room(view.ends, view.x_scale)
    ax.set_xlim(view.ends[0] if view.x_scale is LOG else low, high)
    ax.set_ylim(*_with_room((view.bottom, view.top), view.y_scale))
    for axis, scale, (low, high) in (
        (ax.xaxis, view.x_scale, view.ends),
        (ax.yaxis, view.y_scale, (view.bottom, view.top)),
    ):
        if scale is NORMAL:
            values = _shares(low, high)
            sheet.ticks_at(axis, values, values)


def _with_room(ends: tuple[float, float], scale: Scale) -> tuple[float, float]:
    """Return a range with a margin on either side."""
    low, high = scale.forward(np.asarray(ends, float))
    room = _MARGIN * (high - low)
    low, high = scale.backward(np.array([low - room, high + room]))
    return float(low), float(high)


def _shares(low: float, high: float) -> list[float]:
    """Return round places of a normal-deviate axis that lie apart; in a short range some between its ends."""
    first, last = NORMAL.forward(np.array([low, high]))
    taken: list[float] = []
    for share in _DEVIATES:
        at = NORMAL.forward(np.array([share, *taken]))
        if low <= share <= high and np.all(np.abs(at[1:] - at[0]) >= _APART_NORMAL * (last - first)):
            taken.append(share)
    return sorted(taken) if len(taken) > 1 else [float(f"{value:.3g}") for value in np.linspace(low, high, 4)[1:-1]]


def furnish(ax: Axes, kind: CurveKind, view: View, f: Magnification | None) -> None:
    """Name and limit the axes, with ticks in the units of the rates where x is magnified."""
    (low, high), picture = view.ends, kind.picture
    if picture.x_scale == "log10":
        name_axes(ax, kind, view, f"{picture.x}, logarithmic")
        values = _decades(10.0**low, 10.0**high)
        sheet.ticks_at(ax.xaxis, np.log10(values).tolist(), values)
    elif f is not None:
        name_axes(ax, kind, view, words.plain(f"{picture.x}, magnified by {words.written(f)}"))
        places = _places(f, low, high)
        sheet.ticks_at(ax.xaxis, [float(f(place)) for place in places], places)
    else:
        name_axes(ax, kind, view, picture.x)


def _decades(low: float, high: float) -> list[float]:
    """Return powers of ten in a range, and what lies between them where it is short."""
    for digits in ((1,), (1, 2, 5), range(1, 10)):
        tens = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        values = [value for ten in tens for digit in digits if low <= (value := digit * 10.0**ten) * (1 + 1e-9)]
        values = [value for value in values if value <= high * (1 + 1e-9)]
        if len(values) > 1:
            return values
    return [float(f"{value:.3g}") for value in np.linspace(low, high, 4)[1:-1]]


def _places(f: Magnification, low: float, high: float) -> list[float]:
    """Return round places whose images lie apart; in a short range some between its ends."""
    taken: list[float] = []
    for place in _NICE:
        at = float(f(place))
        if low <= at <= high and all(abs(at - float(f(other))) >= _APART * (high - low) for other in taken):
            taken.append(place)
    if len(taken) < 2:
        first, last = np.asarray(f.inverse(np.asarray([low, high])), float)
        taken = [float(f"{place:.3g}") for place in np.linspace(first, last, 5)]
    return sorted(taken)
