"""Scores of the two classes."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.plot import sheet, words
from hitcurve.plot.style import COLORS
from hitcurve.table import HitTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 25  # distinct scores that have a bar each


def score_distribution(
    y_true: Any,
    y_score: Any = None,
    *,
    bins: int | None = None,
    log_y: bool = False,
    name: str = "score",
    pos_label: Any = None,
    missing: str = "raise",
    legend: str = "auto",
    ax: Axes | None = None,
) -> Axes:
    """Draw how the scores of positives and of negatives are distributed, each as shares of its class.

    Parameters
    ----------
    y_true : array-like (n,) or HitTable
        Labels, or a full table instead of labels and scores.
    y_score : array-like (n,)
        A class of up to 25 distinct scores gets a bar for each of them. Infinite scores count in the outermost bins.
    bins : int, optional
        Bins of more distinct scores; if absent twice the cube root of the smaller class, from 10 to 60.
    log_y : bool
        Logarithmic y axis, for tails.
    name : str
        Of the score, for the axis.
    pos_label, missing
        As in :meth:`hitcurve.HitTable.from_scores`.
    legend : {"auto", "inside", "outside", "none"}
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        If there are no scores, or an argument is invalid.

    Examples
    --------
    >>> from hitcurve import plot
    >>> ax = plot.score_distribution([1, 0, 1, 0, 0], [0.9, 0.8, 0.7, 0.2, 0.1])
    >>> ax.get_legend_handles_labels()[1]
    ['3 negatives', '2 positives']
    """
    table = _table(y_true, y_score, pos_label=pos_label, missing=missing)
    count = _bins(table) if bins is None else _checks.whole_number("bins", bins)
    _checks.choice("legend", legend, sheet.LEGENDS)
    score = np.asarray(table.score, float)
    known = score[np.isfinite(score)]
    if not known.size:
        raise ParameterError("all scores are infinite, so they have no distribution")
    ax = sheet.single(ax, legend=legend)
    edges = _edges(known, count)
    inside = np.clip(score, edges[0], edges[-1])
    for pos, counts, color, what in (
        (False, table.neg, COLORS[0], "negatives"),
        (True, table.pos, COLORS[1], "positives"),
    ):
        share = np.histogram(inside, edges, weights=np.asarray(counts, float) / max(float(counts.sum()), 1))[0]
        ax.stairs(
            share,
            edges,
            fill=True,
            facecolor=(color, 0.25),
            edgecolor=color,
            linewidth=1.4,
            label=f"{rows.count(float(counts.sum()))} {what}",
            zorder=3 if pos else 2,
        )
    ax.set(xlabel=words.plain(name), ylabel="fraction of the class")
    if log_y:
        ax.set_yscale("log")
        sheet.number_ticks(ax.yaxis)
    else:
        ax.set_ylim(bottom=0)
    sheet.legend(ax, "", legend)
    return ax


def _table(y_true: Any, y_score: Any, **reading: Any) -> HitTable:
    table = y_true
    if not isinstance(table, HitTable):
        if y_score is None:
            raise ParameterError("give labels and scores, or a HitTable")
        table = HitTable.from_scores(y_true, y_score, **reading)
    elif y_score is not None:
        raise ParameterError("give a table, or labels and scores, not both")
    if table.kind != "full" or table.score is None:
        raise ParameterError(
            f"a table of kind {table.kind!r} does not contain the scores of all subjects: give labels and scores"
        )
    return table


def _bins(table: HitTable) -> int:
    return min(max(math.ceil(2 * math.cbrt(min(table.n_pos, table.n_neg))), 10), 60)


def _edges(score: AnyArray, bins: int) -> Array:
    """Return the ends of the bins: halfway between the scores where they are few."""
    places = np.unique(score)
    if places.size == 1:
        return np.asarray([places[0] - 0.5, places[0] + 0.5])
    if places.size > _FEW:
        return np.linspace(places[0], places[-1], bins + 1)
    between = (places[1:] + places[:-1]) / 2
    return np.concatenate([[2 * places[0] - between[0]], between, [2 * places[-1] - between[-1]]])
