"""Intervals side by side: a forest plot."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, overload

from hitcurve import rows
from hitcurve.errors import ParameterError
from hitcurve.evaluation import Evaluation
from hitcurve.inference import Comparison
from hitcurve.metrics import Metric
from hitcurve.metrics import metrics as read_metrics
from hitcurve.plot import sheet, words
from hitcurve.plot.looks import looks_of
from hitcurve.plot.style import DARK, GREY, SMALL, TINY, Look, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_EDGE = 0.25  # of the axes: numbers of points nearer to the edge begin there
ROW, REST, _WIDTH = 0.42, 0.95, 3.6  # inches
_LETTER, _SHORT = 0.085, 14  # inches of a letter of names that are longer than this


class Row(NamedTuple):
    """A value with its interval, if it has one, and what it is of."""

    name: str
    value: float
    interval: tuple[float, float] | None


@overload
def intervals(results: Comparison | Iterable[Comparison], *, ax: Axes | None = None) -> Axes: ...
@overload
def intervals(
    results: Evaluation,
    *,
    metrics: str | Metric,
    rankers: str | Sequence[str] | None = None,
    colors: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes: ...
@overload
def intervals(
    results: Evaluation,
    *,
    metrics: list[Any] | tuple[Any, ...] | None = None,
    rankers: str | Sequence[str] | None = None,
    colors: Mapping[str, Any] | None = None,
    ax: Any = None,
) -> sheet.AxesArray: ...
def intervals(
    results: Any,
    *,
    metrics: Any = None,
    rankers: str | Sequence[str] | None = None,
    colors: Mapping[str, Any] | None = None,
    ax: Any = None,
) -> Axes | sheet.AxesArray:
    """Draw values with their intervals below each other: of rankers by metric, or of differences between rankers.

    Parameters
    ----------
    results : Evaluation, Comparison or sequence of Comparison
    metrics : str, Metric or a sequence of these, optional
        For an evaluation, one figure each; all that were evaluated if absent.
    rankers : str or sequence of str, optional
        Of an evaluation; all if absent.
    colors : mapping of str to color, optional
        Colours of rankers by name; differences have none of them.
    ax : matplotlib.axes.Axes or an array of them, optional
        As many as there are metrics.

    Returns
    -------
    matplotlib.axes.Axes, or an array of them
        One for a metric that is named alone and for comparisons, else an array. A dotted line is the random baseline,
        or no difference; an open mark is a value without an interval.

    Raises
    ------
    ParameterError
        If there is nothing to draw, the comparisons are of several metrics, or ``ax`` does not fit.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> from hitcurve.datasets import mammography
    >>> ev = evaluate(tables=mammography(), metrics=["ap", "auc"])
    >>> ap, auc = plot.intervals(ev)
    >>> ap.get_xlabel(), [text.get_text() for text in ap.texts]
    ('ap, 95% interval', ['0.1659 [0.124, 0.215]', '0.1439 [0.107, 0.182]'])
    """
    if not isinstance(results, Evaluation):
        return _of_comparisons(results, ax)
    names = sheet.chosen(results, rankers)
    wanted = results.metrics if metrics is None else read_metrics(metrics)
    if not wanted:
        raise ParameterError("metrics must name at least one metric, got none")
    size = (_WIDTH, REST + ROW * len(names))
    panels = sheet.several(ax, len(wanted), size, share_y=ax is None)
    short, looks = words.short_names(names), looks_of(None, names, results.rankers, colors)
    for metric, panel in zip(wanted, panels, strict=True):
        estimates = [results[name, metric] for name in names]
        lines = [Row(short[e.ranker], e.value, e.interval) for e in estimates]
        reference = {e.random for e in estimates if not math.isnan(e.random)}
        draw_forest(panel, lines, sorted(reference), [looks[name] for name in names])
        panel.set_xlabel(words.plain(f"{metric}, {words.level_text(results.confidence_level)}"), fontsize=SMALL)
    return panels if metrics is None or isinstance(metrics, (list, tuple)) else panels[0]


def _of_comparisons(given: Any, ax: Any) -> Axes:
    comparisons = [given] if isinstance(given, Comparison) else given
    try:
        comparisons = list(comparisons)
    except TypeError:
        comparisons = [given]
    for one in comparisons:
        if not isinstance(one, Comparison):
            raise ParameterError(f"intervals need an Evaluation or Comparison values, got {type(one).__name__}")
    if not comparisons:
        raise ParameterError("comparisons must contain at least one comparison, got none")
    of = list(dict.fromkeys(str(one.metric) for one in comparisons))
    if len(of) > 1:
        raise ParameterError(f"comparisons of one figure must be of one metric, got {rows.listed(of)}")
    short = words.short_names(dict.fromkeys(name for one in comparisons for name in (one.first, one.second)))
    lines = []
    for one in comparisons:
        interval = one.simultaneous
        if interval is None and not math.isnan(one.difference.standard_error):
            interval = one.difference.confidence_interval()
        lines.append(Row(f"{short[one.first]} - {short[one.second]}", one.difference.value, interval))
    panel: Axes = sheet.single(ax, size_of(lines))
    # a difference has the colour of no ranker
    draw_forest(panel, lines, [comparisons[0].null], [look(0)._replace(color=DARK)] * len(lines))
    level = words.level_text(comparisons[0].difference.confidence_level)
    together = "simultaneous " if comparisons[0].simultaneous is not None else ""
    panel.set_xlabel(words.plain(f"difference in {of[0]}, {together}{level}"), fontsize=SMALL)
    return panel


def size_of(lines: Sequence[Row]) -> tuple[float, float]:
    """Return width and height of a figure of rows, whose names take room beside the axes."""
    longest = max((len(row.name) for row in lines), default=0)
    return 5.2 + _LETTER * max(longest - _SHORT, 0), REST + ROW * len(lines)


def draw_forest(ax: Axes, lines: Sequence[Row], references: Sequence[float], looks: Sequence[Look]) -> None:
    """Draw the rows from the top down, each with its numbers above it."""
    from matplotlib.ticker import MaxNLocator

    for value in references:
        ax.axvline(value, color=GREY, linestyle=":", linewidth=1, zorder=1)
    for place, (row, style) in enumerate(zip(lines, looks, strict=True)):
        if row.interval is not None:
            ax.plot(list(row.interval), [place, place], color=style.color, linewidth=2, solid_capstyle="butt", zorder=2)
        if math.isnan(row.value):
            continue
        ax.plot(
            [row.value],
            [place],
            linestyle="none",
            marker=style.marker,
            markersize=6,
            color=style.color,
            markerfacecolor=style.color if row.interval is not None else "none",
            gid=sheet.RANKER,
            zorder=3,
        )
    ax.set_yticks(range(len(lines)), [words.plain(row.name) for row in lines], fontsize=SMALL)
    ax.set_ylim(len(lines) - 0.5, -0.75)
    ax.margins(x=0.15)
    _write_numbers(ax, lines)
    ax.xaxis.set_major_locator(MaxNLocator(5, prune="both"))
    ax.tick_params(axis="x", labelsize=SMALL)
    ax.tick_params(axis="y", length=0)


def _write_numbers(ax: Axes, lines: Sequence[Row]) -> None:
    """Write the numbers above the rows, at the edges of the axes not beyond them."""
    left, right = ax.get_xlim()
    for place, row in enumerate(lines):
        if math.isnan(row.value):
            continue
        share = (row.value - left) / (right - left)
        side = "left" if share < _EDGE else "right" if share > 1 - _EDGE else "center"
        at = {"left": left + 0.02 * (right - left), "right": right - 0.02 * (right - left), "center": row.value}[side]
        ax.annotate(
            words.plain(rows.with_interval(row.value, row.interval)),
            (at, place),
            xytext=(0, 5),
            textcoords="offset points",
            ha=side,
            va="bottom",
            fontsize=TINY,
        )
