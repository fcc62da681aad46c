"""Curves of an evaluation on one pair of axes: the steps that all kinds share."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.curve import KINDS, Curve, CurveKind
from hitcurve.errors import ParameterError
from hitcurve.evaluation import Evaluation
from hitcurve.inference import Band
from hitcurve.magnify import Magnification
from hitcurve.metrics import AUAC, LogAUC, Metric
from hitcurve.metrics import metric as read_metric
from hitcurve.plot import sheet, words
from hitcurve.plot.looks import looks_of
from hitcurve.plot.path import Path
from hitcurve.plot.style import FAINT, GREY, LIGHT, WIDTH, Look
from hitcurve.plot.view import View, furnish, view_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Wanted: TypeAlias = Metric | type[Metric]  # a metric, or any of a class
_FEW = 25  # vertices that are marked


class CurveOptions(TypedDict, total=False):
    """Options of all figures of curves, by name.

    Attributes
    ----------
    rankers : str or sequence of str
        Rankers to draw, in this order; all if absent.
    metric : str or Metric
        Number of the legend, one that was evaluated. If absent the one that belongs to the curve and its axis, where it
        was evaluated: ``logauc`` of roc curves over a logarithmic axis.
    window : (float, float)
        Range of the x axis: of the false positive rate, the rate or the recall, also where the axis is magnified.
    log_x : bool
        Logarithmic x axis, where the top of the list is what matters.
    references : bool
        Whether to draw the random baseline, and to shade the region that no ranking can reach (default True).
    bands : mapping of str to Band
        Bands of rankers, of the same kind of curve: see :meth:`hitcurve.Evaluation.band`.
    legend : {"auto", "inside", "outside", "none"}
        ``auto``: beside the axes from 7 entries on.
    colors : mapping of str to color
        Colours of rankers by name. Without it a ranker has the colour of its place in the evaluation, whichever are
        drawn.
    ax : matplotlib.axes.Axes
        Where to draw; new axes if absent. Other rankers of a second call on the same axes get colours of their own.
    """

    rankers: str | Sequence[str] | None
    metric: str | Metric | None
    window: tuple[float, float] | None
    log_x: bool
    references: bool
    bands: Mapping[str, Band] | None
    legend: str
    colors: Mapping[str, Any] | None
    ax: Axes | None


def draw(
    ev: Evaluation,
    name: str,
    *,
    magnification: Magnification | None = None,
    numbers: Sequence[Wanted] | None = None,
    rankers: str | Sequence[str] | None = None,
    metric: str | Metric | None = None,
    window: tuple[float, float] | None = None,
    log_x: bool = False,
    references: bool = True,
    bands: Mapping[str, Band] | None = None,
    legend: str = "auto",
    colors: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw one kind of curve of all rankers.

    Parameters
    ----------
    ev : Evaluation
    name : str
        Kind of the curve.
    magnification : Magnification, optional
        Of the x axis.
    numbers : sequence of Metric or type, optional
        What belongs into the legend, instead of what belongs to the kind.
    rankers, metric, window, log_x, references, bands, legend, colors, ax
        As in :class:`CurveOptions`.
    """
    kind, names = KINDS[name], sheet.chosen(sheet.admitted(ev), rankers)
    _checks.choice("legend", legend, sheet.LEGENDS)
    shown = ev[names[0], metric].metric if metric is not None else None
    if shown is None:
        wanted = numbers_of(kind) if numbers is None else numbers
        if log_x:  # the area under a logarithmic axis is another one
            wanted = (LogAUC,) if name == "roc" else tuple(one for one in wanted if one is not AUAC)
        shown = number_of(ev.metrics, wanted)
    tables = {one: ev.tables[one] for one in names}
    lines = {one: table.curve(name, magnification=magnification) for one, table in tables.items()}
    bands = _checked_bands(bands, name, names, magnification)
    view = view_of(kind, list(lines.values()), list(tables.values()), magnification, window, log_x=log_x)
    bounded, made = kind.picture.bounded, ax is None
    ax = sheet.single(ax, entries=len(names) + 1 + bounded + bool(bands), legend=legend)
    looks, short = looks_of(ax, names, ev.rankers, colors), words.short_names(names)
    for one, line in lines.items():
        style = looks[one]
        if one in bands:
            fill_band(ax, bands[one], view, style)
        draw_line(ax, view.path(line), style, words.entry(short[one], _number(ev, one, shown)), line)
    if references and not sheet.marked(ax, sheet.REFERENCE):
        distinct = {(t.n_pos, t.n_neg, t.prevalence): lines[one] for one, t in tables.items()}
        values = [] if shown is None else [float(shown.random(tables[one])) for one in names]
        _draw_references(ax, list(distinct.values()), values, view, bounded=bounded)
    furnish(ax, kind, view, magnification)
    sheet.explain_bands(ax, map(_with_method, bands.values()))
    sheet.legend(ax, legend_title(ev, shown), legend, widens=made)
    return ax


def numbers_of(kind: CurveKind) -> tuple[type[Metric], ...]:
    """Return the metric families shown in the legend of a kind of curve."""
    return tuple(type(read_metric(text)) for text in kind.picture.metrics)


def number_of(metrics: Sequence[Metric], wanted: Sequence[Wanted]) -> Metric | None:
    """Return the metric that belongs to a curve: of the wanted ones the first that was evaluated."""
    for one in wanted:
        for metric in metrics:
            if isinstance(metric, one) if isinstance(one, type) else metric == one:
                return metric
    return None


def _number(ev: Evaluation, name: str, shown: Metric | None) -> str:
    if shown is None:
        return ""
    e = ev[name, shown]
    return rows.with_interval(e.value, e.interval)


def legend_title(ev: Evaluation, shown: Metric | None) -> str:
    """Return the metric of a legend, with the level of the intervals."""
    return "" if shown is None else words.plain(f"{shown}, {words.level_text(ev.confidence_level)}")


def _checked_bands(
    bands: Mapping[str, Band] | None, kind: str, names: Iterable[str], f: Magnification | None
) -> Mapping[str, Band]:
    if bands is None:
        return {}
    if not isinstance(bands, Mapping):
        raise ParameterError(f"bands must map rankers to Band values, got {type(bands).__name__}")
    for name, one in bands.items():
        _checks.choice("a ranker of bands", name, tuple(names))
        if not isinstance(one, Band):
            raise ParameterError(f"bands must be Band values, the band of {name!r} is {type(one).__name__}")
        if one.curve != kind:
            raise ParameterError(f"a figure of {kind} curves needs bands of {kind} curves, got a band of {one.curve}")
        if repr(one.magnification) != repr(f):
            raise ParameterError(
                f"a curve magnified by {f!r} needs a band with the same magnification, got {one.magnification!r}"
            )
    return bands


# ---- lines


def draw_line(ax: Axes, path: Path, style: Look, label: str, line: Curve | None = None) -> None:
    """Draw the line of one ranker; few vertices are marked, as they are all that was observed."""
    marks = np.flatnonzero(path.is_vertex)
    if line is not None and line.starts_at_limit and marks.size and path.x[marks[0]] == line.x[0]:
        marks = marks[1:]  # no observation
    few = 0 < marks.size <= _FEW
    ax.plot(
        path.x,
        path.y,
        color=style.color,
        linestyle=style.dashes,
        linewidth=WIDTH,
        marker=style.marker if few else None,
        markersize=3.5,
        markevery=marks.tolist() if few else None,
        label=label,
        gid=sheet.RANKER,
        zorder=3,
    )


def fill_band(ax: Axes, band: Band, view: View, style: Look) -> None:
    """Fill a band between its limits."""
    low, high = view.path(band.low), view.path(band.high)
    if low.x.size:
        x = np.union1d(low.x, high.x)
        least, most = np.interp(x, low.x, low.y), np.interp(x, high.x, high.y)
        ax.fill_between(x, least, most, color=style.color, alpha=FAINT, linewidth=0, gid=sheet.BAND, zorder=2)


def band_text(band: Band) -> str:
    """Return what a band is: ``95% simultaneous band``."""
    return words.plain(f"{100 * band.confidence_level:g}% {band.coverage} band")


def _with_method(band: Band) -> str:
    """Return what a band is and how it was made: ``95% simultaneous band, region, cohort``."""
    return words.plain(f"{band_text(band)}, {band.method}, {band.design}")


# ---- references


def _draw_references(ax: Axes, lines: Sequence[Curve], values: Sequence[float], view: View, *, bounded: bool) -> None:
    """Draw the random list, and shade what lies beyond the perfect and the reversed one."""
    numbers = [value for value in values if not math.isnan(value)]
    label = f"random {rows.agreed(numbers)}" if numbers else "random"
    for line in lines if bounded else lines[:1]:  # over the false positive rate all of them are one line
        path = view.path(line.random)
        ax.plot(path.x, path.y, color=GREY, linestyle=":", linewidth=1.2, label=label, gid=sheet.REFERENCE, zorder=1.5)
        label = ""
    if bounded:
        _shade(ax, lines, view)


def _shade(ax: Axes, lines: Sequence[Curve], view: View) -> None:
    """Shade the region above the perfect and below the reversed ranking that none of the lists can reach."""
    upper = _outermost([view.path(line.perfect) for line in lines], np.maximum)
    lower = _outermost([view.path(line.worst) for line in lines], np.minimum)
    most = max(1.0, float(upper[1].max())) if view.top == 1.0 else max(view.top, float(upper[1].max()))
    label = "unreachable"
    for (x, limit), far in ((upper, most), (lower, 0.0)):
        ax.fill_between(x, limit, far, facecolor=LIGHT, linewidth=0, label=label, gid=sheet.REFERENCE, zorder=0.5)
        ax.plot(x, limit, color="0.7", linewidth=0.8, gid=sheet.REFERENCE, zorder=0.6)
        label = ""


def _outermost(paths: Sequence[Path], of: np.ufunc) -> tuple[Array, Array]:
    """Return the highest or the lowest of several lines; of a vertical piece that end of it."""
    x = np.unique(np.concatenate([path.x for path in paths]))
    heights = []
    for path in paths:
        places, first = np.unique(path.x, return_index=True)
        heights.append(np.interp(x, places, of.reduceat(path.y, first)))
    return x, np.asarray(of.reduce(heights))
