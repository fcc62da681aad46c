"""What axes show of curves: their range, their names and their ticks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hitcurve import _checks
from hitcurve.curve import Curve
from hitcurve.errors import ParameterError
from hitcurve.magnify import Magnification
from hitcurve.plot import sheet, words
from hitcurve.plot.kinds import Kind
from hitcurve.plot.path import Drawable, Path, traced, visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MARGIN = 0.02  # of the axes, so that lines along their edges are seen
_NICE = (0, 1, 0.1, 0.01, 0.5, 0.001, 0.2, 0.05, 0.3, 0.02, 0.005, 0.7, 0.002, 0.0001, 0.0005, 0.0002)
_FLAT = 1e-3  # height of axes on which nothing rises
_APART = 0.13  # of the axis, between two ticks


class View(NamedTuple):
    """What the axes show.

    Attributes
    ----------
    ends : (float, float)
        Range of x, in units of the axis.
    bottom, top : float
        Range of y.
    log : bool
        Whether x is logarithmic.
    """

    ends: tuple[float, float]
    bottom: float
    top: float
    log: bool

    def path(self, line: Drawable) -> Path:
        """Return the line of a curve as it is drawn here."""
        return traced(line, self.ends, self.top - self.bottom, log=self.log)


def view_of(
    kind: Kind,
    lines: Sequence[Curve],
    step: float,
    f: Magnification | None,
    window: tuple[float, float] | None,
    *,
    log_x: bool,
) -> View:
    """Return what to show of curves.

    Parameters
    ----------
    kind : Kind
    lines : sequence of Curve
    step : float
        Share of one subject on the x axis.
    f : Magnification or None
        Of the x axis.
    window : (float, float) or None
        Range of the rates.
    log_x : bool
    """
    low, high = view_window(window, step / 2 if log_x or kind.scale == "log10" else 0.0, 1.0)
    ends = (low, high)
    if kind.scale == "log10":
        ends = (math.log10(low), math.log10(high))
    elif f is not None:
        ends = (float(f(low)), float(f(high)))
        if not ends[0] < ends[1]:
            raise ParameterError(f"the magnification makes a point of window {window!r}: nothing is left to show")
    heights = [visible(line, ends) for line in lines]
    lowest, highest = min(low for low, _ in heights), max(high for _, high in heights)
    if window is None:
        return View(ends, 0.0, 1.0 if kind.is_share else highest, log_x)
    bottom = lowest if lowest > highest / 2 else 0.0
    return View(ends, bottom, max(highest, bottom + _FLAT), log_x)


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
        raise ParameterError(f"window {low:g} to {high:g} shows nothing of what lies in {least:.3g} to {most:.3g}")
    return max(low, least), min(high, most)


def name_axes(ax: Axes, kind: Kind, view: View, x_name: str) -> None:
    """Name and limit the axes."""
    (low, high), height = view.ends, view.top - view.bottom
    ax.set(xlabel=x_name, ylabel=kind.y)
    if view.log:
        ax.set_xscale("log")
        sheet.number_ticks(ax.xaxis)
        ax.set_xlim(low, high * (high / low) ** _MARGIN)
    else:
        room = _MARGIN * (high - low)
        ax.set_xlim(low - room, high + room)
    ax.set_ylim(view.bottom - _MARGIN * height, view.top + _MARGIN * height)


def furnish(ax: Axes, kind: Kind, view: View, f: Magnification | None) -> None:
    """Name and limit the axes, with ticks in the units of the rates where x is magnified."""
    low, high = view.ends
    if kind.scale == "log10":
        name_axes(ax, kind, view, f"{kind.x}, logarithmic")
        values = _decades(10.0**low, 10.0**high)
        sheet.ticks_at(ax.xaxis, np.log10(values).tolist(), values)
    elif f is not None:
        name_axes(ax, kind, view, words.plain(f"{kind.x}, magnified by {words.written(f)}"))
        places = _places(f, low, high)
        sheet.ticks_at(ax.xaxis, [float(f(place)) for place in places], places)
    else:
        name_axes(ax, kind, view, kind.x)


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
