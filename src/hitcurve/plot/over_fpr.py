"""Curves over the false positive rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.evaluation import Evaluation
from hitcurve.metrics import AUC, PartialAUC
from hitcurve.plot import sheet
from hitcurve.plot.draw import CurveOptions, draw
from hitcurve.plot.style import GREY, TINY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ISOMETRICS = ("rate", "accuracy")
_RIM = 0.05  # of the axes, without labels of isometrics


def roc(ev: Evaluation, *, isometrics: str | None = None, **options: Unpack[CurveOptions]) -> Axes:
    """Draw ROC curves: recall over the false positive rate.

    Parameters
    ----------
    ev : Evaluation
    isometrics : {"rate", "accuracy"}, optional
        Lines of equal rate, whose slope is -(1 - pi)/pi, or of equal accuracy, with slope (1 - pi)/pi.
    **options
        As in :class:`CurveOptions`. The number in the legend is ``auc``, or ``pauc(fpr, low, high)`` of a window.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        If an argument is none of these, or isometrics are wanted for rankers of different prevalence.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> ev = evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="auc")
    >>> ax = plot.roc(ev, isometrics="rate")
    >>> ax.get_legend_handles_labels()[1]
    ['score 0.7500', 'random 0.5', 'equal rate']
    """
    if isometrics is not None:
        _checks.choice("isometrics", isometrics, ISOMETRICS)
        pi = sheet.one_prevalence(sheet.admitted(ev), sheet.chosen(ev, options.get("rankers")), "isometrics")
        if options.setdefault("legend", "auto") == "auto" and sheet.makes_room(options.get("ax")):
            options["legend"] = "outside"  # there is no empty place among the lines
    window = options.get("window")
    partial = [m for m in _partial_areas(ev) if window is not None and np.array_equal(window, (m.lower, m.upper))]
    ax = draw(ev, "roc", numbers=(*partial, AUC()), **options)
    if isometrics is not None:
        _draw_isometrics(ax, isometrics, pi)
        sheet.legend(ax, _title(ax), options["legend"])
    return ax


def proc(ev: Evaluation, **options: Unpack[CurveOptions]) -> Axes:
    """Draw pROC curves: recall over the logarithm of the false positive rate, from half a negative on.

    Parameters
    ----------
    ev : Evaluation
    **options
        As in :class:`CurveOptions`. The number in the legend is ``proc``.

    Returns
    -------
    matplotlib.axes.Axes
        Its x is log10 of the false positive rate; the ticks are written as rates.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> ax = plot.proc(evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="proc"))
    >>> ax.get_legend_handles_labels()[1]
    ['score 0.6021', 'random 0.38']
    """
    return draw(ev, "proc", **options)


def _partial_areas(ev: Evaluation) -> list[PartialAUC]:
    return [m for m in sheet.admitted(ev).metrics if isinstance(m, PartialAUC) and m.over == "fpr"]


def _title(ax: Axes) -> str:
    there = ax.get_legend()
    return "" if there is None else str(there.get_title().get_text())


def _draw_isometrics(ax: Axes, of: str, pi: float) -> None:
    """Draw lines of equal rate or accuracy, labelled where no good curve runs."""
    from matplotlib.ticker import MaxNLocator

    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    log = ax.get_xscale() == "log"
    low, high = max(left, 0.0), min(right, 1.0)
    y = np.linspace(max(bottom, 0.0), min(top, 1.0), 301)

    def value(x: float, height: float) -> float:
        return pi * height + (1 - pi) * (x if of == "rate" else 1 - x)

    def place(level: float, height: Array) -> Array:
        rest = (level - pi * height) / (1 - pi)
        return rest if of == "rate" else 1 - rest

    corners = [value(x, height) for x in (low, high) for height in (y[0], y[-1])]
    least, most = min(corners), max(corners)
    if log and of == "rate":
        levels = np.asarray([step * 10.0**ten for ten in range(-12, 1) for step in (1, 3)])
    else:
        levels = np.asarray(MaxNLocator(10, steps=[1, 2, 5, 10]).tick_values(least, most))
    label = f"equal {of}"
    for level in levels[(levels > least) & (levels < most)]:
        x = place(level, y)
        seen = (x >= low) & (x <= high)
        if not seen.any():
            continue
        ax.plot(x[seen], y[seen], color=GREY, linewidth=0.6, alpha=0.6, label=label, gid=sheet.REFERENCE, zorder=1)
        label = ""
        # a good curve is far from the lower right corner: the end of the line that is nearest to it
        across = ax.transAxes.inverted().transform(ax.transData.transform(np.column_stack([x, y])))
        inside = np.flatnonzero(seen & np.all((across > _RIM) & (across < 1 - _RIM), axis=1))
        if not inside.size:
            continue
        at = inside[0]
        ax.text(
            float(x[at]),
            float(y[at]),
            f"{level:.3g}",
            fontsize=TINY,
            color=GREY,
            ha="center",
            va="center",
            bbox={"facecolor": ax.get_facecolor(), "edgecolor": "none", "pad": 0.8, "alpha": 0.8},
            clip_on=True,
            zorder=1.2,
        )
