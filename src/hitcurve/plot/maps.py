"""Magnifications: the map and its slope."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import ParameterError
from hitcurve.magnify import Magnification
from hitcurve.magnify.written import magnification_given
from hitcurve.plot import sheet, words
from hitcurve.plot.style import GREY, WIDTH, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 1001
_LEAST = 1e-3  # slope that is shown on a logarithmic axis


def magnification(
    f: Magnification | str | Iterable[Magnification | str], *, log_x: bool = False, legend: str = "auto", ax: Any = None
) -> sheet.AxesArray:
    """Draw magnifications f and their slopes f', how much each place of the axis is stretched.

    The mark is the unit point, where stretching turns into squeezing.

    Parameters
    ----------
    f : Magnification or str, or a sequence of these
    log_x : bool
        Logarithmic x axis, from 0.0001 on.
    legend : {"auto", "inside", "outside", "none"}
        On the axes of f'.
    ax : array of 2 matplotlib.axes.Axes, optional

    Returns
    -------
    array of 2 matplotlib.axes.Axes
        Of f and of f'.

    Raises
    ------
    ParameterError
        If ``f`` is not a magnification, or ``ax`` is not a pair of axes.

    Examples
    --------
    >>> from hitcurve import plot
    >>> from hitcurve.magnify import Exponential
    >>> map_ax, slope_ax = plot.magnification([Exponential(7), Exponential(20)])
    >>> slope_ax.get_legend_handles_labels()[1]
    ['exp, alpha=7', 'exp, alpha=20']
    """
    several = isinstance(f, Iterable) and not isinstance(f, str)
    maps = [magnification_given("f", one) for one in (f if several else [f])]  # type: ignore[union-attr]
    if not maps:
        raise ParameterError("f must be at least one Magnification, got none")
    map_ax, slope_ax = axes = sheet.several(ax, 2, (3.9, 3.4), legend=legend, entries=[len(maps)])
    x = np.geomspace(1e-4, 1, _POINTS) if log_x else np.linspace(0, 1, _POINTS)
    slopes = []
    for place, one in enumerate(maps):
        style = look(place)
        how = {"color": style.color, "linestyle": style.dashes, "linewidth": WIDTH, "gid": sheet.RANKER}
        map_ax.plot(x, one(x), **how)
        slope = np.asarray(one.derivative(x))
        slope = np.where(np.isfinite(slope), slope, np.nan)
        slopes.append(slope)
        slope_ax.plot(x, slope, label=words.plain(words.written(one)), **how)
        _mark_unit_point(one, (map_ax, slope_ax), style.color)
    map_ax.set(xlabel="x", ylabel="f(x)", ylim=(-0.02, 1.02))
    slope_ax.axhline(1, color=GREY, linestyle=":", linewidth=1)
    slope_ax.set(xlabel="x", ylabel="f'(x)")
    _scale_slopes(slope_ax, np.concatenate(slopes))
    for one_ax in axes:
        one_ax.set_xlim(1e-4 if log_x else -0.02, 1 if log_x else 1.02)
        if log_x:
            one_ax.set_xscale("log")
            sheet.number_ticks(one_ax.xaxis)
    sheet.legend(slope_ax, "", legend)
    return axes


def _mark_unit_point(f: Magnification, axes: tuple[Axes, Axes], color: str) -> None:
    try:
        x = f.unit_point()
    except ParameterError:
        return
    for ax, y in zip(axes, (float(f(x)), 1.0), strict=True):
        ax.plot([x], [y], "o", color=color, markersize=4.5)


def _scale_slopes(ax: Axes, slopes: Array) -> None:
    """Draw slopes in proportion where they differ much; those of 0 are then off the axes."""
    known = slopes[np.isfinite(slopes) & (slopes > 0)]
    if known.size and known.max() / known.min() > 10:
        ax.set_yscale("log")
        sheet.number_ticks(ax.yaxis)
        ax.set_ylim(max(0.8 * float(known.min()), _LEAST), 1.5 * float(known.max()))
    else:
        ax.set_ylim(bottom=0)
