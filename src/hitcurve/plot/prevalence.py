"""Metrics that depend on the prevalence, over the prevalence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.evaluation import Evaluation
from hitcurve.metrics import metric as read_metric
from hitcurve.plot import sheet, words
from hitcurve.plot.looks import looks_of
from hitcurve.plot.style import FAINT, GREY, WIDTH

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def prevalence_profile(
    ev: Evaluation,
    metric: str = "ap",
    *,
    grid: Sequence[float] | None = None,
    rankers: str | Sequence[str] | None = None,
    legend: str = "auto",
    colors: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric at other prevalences with its intervals, for unchanged true and false positive rates.

    Intervals end where they depend on too few negatives; :meth:`hitcurve.Evaluation.sensitivity` has the reason.

    Parameters
    ----------
    ev : Evaluation
    metric : str
        One of :meth:`hitcurve.Evaluation.sensitivity` along the prevalence: ``ap``, ``precision@1%``,
        ``precision@10%``.
    grid : sequence of float, optional
        Prevalences. The default is the grid of :meth:`hitcurve.Evaluation.sensitivity`.
    rankers : str or sequence of str, optional
        All if absent.
    colors : mapping of str to color, optional
        Colours of rankers by name.
    legend : {"auto", "inside", "outside", "none"}
        With the value at the prevalence of the data, where the metric was evaluated.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        If there is no such metric along the prevalence, or an argument is out of range.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> from hitcurve.datasets import mammography
    >>> ev = evaluate(tables=mammography(), metrics="ap")
    >>> ax = plot.prevalence_profile(ev, grid=[0.001, 0.01, 0.1])
    >>> ax.get_legend_handles_labels()[1]
    ['film 0.1659 [0.124, 0.215]', 'digital 0.1439 [0.107, 0.182]', 'random', 'prevalence of the data']
    """
    names = sheet.chosen(sheet.admitted(ev), rankers)
    _checks.choice("legend", legend, sheet.LEGENDS)
    sensitivity = ev.sensitivity("prevalence", grid)
    lines = {name: sensitivity.of(name, metric) for name in names}
    x, known = np.asarray(sensitivity.grid, float), read_metric(metric)
    ax = sheet.single(ax, entries=len(names) + 2, legend=legend)
    short = words.short_names(names)
    looks = looks_of(ax, names, ev.rankers, colors)
    for name, line in lines.items():
        style, number = looks[name], ""
        if known in ev.metrics:
            e = ev[name, known]
            number = rows.with_interval(e.value, e.interval)
        ax.fill_between(x, line.low[0], line.high[0], color=style.color, alpha=FAINT, linewidth=0, gid=sheet.BAND)
        ax.plot(
            x,
            line.value,
            color=style.color,
            linestyle=style.dashes,
            linewidth=WIDTH,
            label=words.entry(short[name], number),
            gid=sheet.RANKER,
            zorder=3,
        )
    first = ev.tables[names[0]]
    random = [known.random(first.at_prevalence(float(prevalence))) for prevalence in x]
    ax.plot(x, random, color=GREY, linestyle=":", linewidth=1.2, label="random", gid=sheet.REFERENCE)
    label = "prevalence of the data"
    for prevalence in dict.fromkeys(ev.tables[name].prevalence for name in names):
        if x.min() <= prevalence <= x.max():
            ax.axvline(prevalence, color=GREY, linewidth=0.8, alpha=0.6, label=label, gid=sheet.REFERENCE, zorder=1)
            label = ""
    ax.set_xscale("log")
    sheet.number_ticks(ax.xaxis)
    low, high = known.range
    ax.set(xlabel="prevalence", ylabel=words.plain(metric), xlim=(x.min(), x.max()))
    if (low, high) == (0.0, 1.0):
        ax.set_ylim(-0.02, 1.02)
    sheet.legend(ax, words.plain(f"{metric}, {words.level_text(sensitivity.levels[0])}"), legend)
    return ax
