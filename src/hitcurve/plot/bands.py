"""Confidence bands of curves, and of differences of curves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.curve import KINDS
from hitcurve.errors import ParameterError
from hitcurve.inference import Band
from hitcurve.plot import sheet, words
from hitcurve.plot.draw import band_text, draw_line, fill_band
from hitcurve.plot.looks import looks_of
from hitcurve.plot.scales import LINEAR, LOG
from hitcurve.plot.style import COLORS, GREY, look
from hitcurve.plot.view import View, furnish, name_axes, view_of_points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DIFFERENCE = " difference"


def band(
    bands: Band | Mapping[str, Band],
    *,
    window: tuple[float, float] | None = None,
    log_x: bool = False,
    legend: str = "auto",
    colors: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw confidence bands of curves, with the curves in their middle.

    Parameters
    ----------
    bands : Band or mapping of str to Band
        One, or several by the name of the ranker. All must be of one kind of curve.
    window : (float, float), optional
        Range of the x axis; all of the bands if absent.
    log_x : bool
        Logarithmic x axis.
    legend : {"auto", "inside", "outside", "none"}
    colors : mapping of str to color, optional
        Colours of rankers by name.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        If there is no band, or bands are of different kinds or magnifications.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> from hitcurve.datasets import mammography
    >>> ev = evaluate(tables=mammography(), metrics="ap")
    >>> ax = plot.band({name: ev.band(name, "precision_recall") for name in ev.rankers})
    >>> ax.get_legend_handles_labels()[1]
    ['film, mean width 0.201', 'digital, mean width 0.1828', '95% simultaneous band']
    """
    named = {"": bands} if isinstance(bands, Band) else bands
    if not isinstance(named, Mapping) or not named or not all(isinstance(one, Band) for one in named.values()):
        raise ParameterError(f"bands must be a Band, or map names to Band values, got {bands!r}")
    kinds = sorted({one.curve for one in named.values()})
    if len(kinds) > 1:
        raise ParameterError(f"bands of one figure must be of one kind of curve, got {rows.listed(kinds)}")
    if len({repr(one.magnification) for one in named.values()}) > 1:
        raise ParameterError("bands of one figure must have the same magnification")
    if kinds[0] not in KINDS:
        raise ParameterError(f"use difference_band to draw a band of the {kinds[0]}")
    kind, drawn = KINDS[kinds[0]], list(named.values())
    x, y = (np.concatenate(parts) for parts in zip(*((one.x, one.high.y) for one in drawn), strict=True))
    view = view_of_points(kind, x, y, min(0.5 / one.n_pos for one in drawn), window, log_x=log_x)
    made, ax = ax is None, sheet.single(ax, entries=len(drawn) + 1, legend=legend)
    short = words.short_names(named)
    looks = looks_of(ax, named, list(named), colors)
    for name, one in named.items():
        fill_band(ax, one, view, looks[name])
        width = f"mean width {rows.short(one.mean_width)}"
        label = words.entry(f"{short[name]},", width) if name else width
        draw_line(ax, view.path(one.center), looks[name], label)
    furnish(ax, kind, view, drawn[0].magnification)
    explain(ax, drawn, legend, widens=made)
    return ax


def difference_band(
    band: Band,
    *,
    names: tuple[str, str] | None = None,
    log_x: bool = True,
    legend: str = "auto",
    ax: Axes | None = None,
) -> Axes:
    """Draw the band of the difference of two rankers' curves, and the ranges where it excludes 0.

    Parameters
    ----------
    band : Band
        Of :meth:`hitcurve.Evaluation.difference_band` or :func:`hitcurve.difference_band`.
    names : (str, str), optional
        Of the two rankers; those of the band unless given.
    log_x : bool
        Logarithmic x axis: the points of such a band are spaced in proportion.
    legend : {"auto", "inside", "outside", "none"}
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        If the band is that of one curve.

    Examples
    --------
    >>> import numpy as np
    >>> import hitcurve as hc
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([1, 0], [100, 900])
    >>> b = hc.difference_band(y, rng.normal(size=1000) + 2 * y, rng.normal(size=1000) + 0.5 * y)
    >>> ax = hc.plot.difference_band(b, names=("new", "old"))
    >>> ax.get_ylabel(), ax.get_legend_handles_labels()[1]
    ('recall of new - old', ['new - old', 'new is ahead at the 5% level', '95% simultaneous band'])
    """
    if not isinstance(band, Band) or not band.curve.endswith(_DIFFERENCE):
        what = f"one of the {band.curve} curve" if isinstance(band, Band) else type(band).__name__
        raise ParameterError(f"difference_band needs the band of a difference, got {what}")
    if names is None:
        names = band.rankers or ("first", "second")
    if len(names) != 2 or not all(isinstance(name, str) for name in names) or names[0] == names[1]:
        raise ParameterError(f"names must be two different names, got {names!r}")
    if band.curve.removesuffix(_DIFFERENCE) not in KINDS:
        raise ParameterError(f"use decision_difference to draw a band of the {band.curve}")
    kind = KINDS[band.curve.removesuffix(_DIFFERENCE)]
    ends = (float(band.x[band.x > 0][0] if log_x else band.x[0]), float(band.x[-1]))
    bottom, top = min(float(band.low.y.min()), 0.0), max(float(band.high.y.max()), 0.0)
    view = View(ends, bottom, top, LOG if log_x else LINEAR)
    made, ax = ax is None, sheet.single(ax, legend=legend)
    first, second = words.short_names(names).values()
    pair = f"{first} - {second}"
    ax.axhline(0, color=GREY, linewidth=0.8, zorder=1)
    fill_band(ax, band, view, look(0))
    draw_line(ax, view.path(band.center), look(0), words.plain(pair))
    mark_excluded(ax, band, (first, second))
    name_axes(ax, kind, view, kind.picture.x)
    ax.set_ylabel(words.plain(f"recall of {pair}"))
    explain(ax, [band], legend, widens=made)
    return ax


def mark_excluded(ax: Axes, band: Band, names: tuple[str, str]) -> None:
    """Mark along the line of no difference where the band excludes it."""
    labelled = set()
    at = f"at the {100 * (1 - band.confidence_level):.3g}% level"
    for start, end in band.excludes(0.0):
        ahead = 0 if float(band.center.at(start)) > 0 else 1
        label = "" if ahead in labelled else words.plain(f"{names[ahead]} is ahead {at}")
        labelled.add(ahead)
        color = (COLORS[2], COLORS[1])[ahead]
        ax.plot(
            [start, end],
            [0, 0],
            color=color,
            linewidth=5,
            solid_capstyle="round",
            label=label,
            gid=sheet.MARK,
            zorder=2.5,
        )


def explain(ax: Axes, bands: list[Band], legend: str, *, widens: bool) -> None:
    """Draw the legend, with what the bands are."""
    _checks.choice("legend", legend, sheet.LEGENDS)
    sheet.explain_bands(ax, map(band_text, bands))
    methods = dict.fromkeys(f"{one.method}, {one.design}" for one in bands)
    sheet.legend(ax, words.plain("; ".join(methods)), legend, widens=widens)
