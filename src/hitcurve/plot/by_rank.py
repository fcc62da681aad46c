"""Rank weights: what a positive at each rank adds to metrics that are means over the positives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hitcurve import _checks, rows
from hitcurve.errors import ParameterError
from hitcurve.evaluation import Evaluation
from hitcurve.metrics import Metric
from hitcurve.metrics import rank_weights as weights_of
from hitcurve.plot import sheet, words
from hitcurve.plot.path import MANY, TOLERANCE, thinned
from hitcurve.plot.style import WIDTH, Dashes, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DASHES: tuple[Dashes, ...] = ("-", (0, (4, 1.5)), (0, (1, 1.2)), (0, (5, 1.5, 1, 1.5)))


def rank_weights(
    ev: Evaluation,
    *,
    metrics: Sequence[str | Metric] = ("ap", "auc"),
    rankers: str | Sequence[str] | None = None,
    log_x: bool = False,
    legend: str = "auto",
    ax: Axes | None = None,
) -> Axes:
    """Draw the rank weights of the positives, of which average precision and areas are the means (Su et al. 2015).

    The weights of average precision depend on the ranker: each is the precision at the positive. The weights of an area
    are fixed beforehand: 1 - f of the position, rescaled as the area is. Values are from :func:`hitcurve.rank_weights`.

    Parameters
    ----------
    ev : Evaluation
    metrics : sequence of str or Metric
        ``ap`` and any area (``auc``, ``croc``, ``cac``, ...) that were evaluated; each has its own dashes.
    rankers : str or sequence of str, optional
        All if absent; each has its own colour.
    log_x : bool
        Logarithmic x axis.
    legend : {"auto", "inside", "outside", "none"}
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        A line for each ranker and metric, with a point for each row of positives at the end of the row.

    Raises
    ------
    UndefinedMetricError
        If a metric is not a mean over the positives.
    ColumnNotFoundError
        If a metric was not evaluated.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> ax = plot.rank_weights(evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics=["ap", "auc"]))
    >>> ax.get_legend_handles_labels()[1]
    ['score, ap 0.8333', 'score, auc 0.7500']
    >>> [line.get_ydata().round(3).tolist() for line in ax.lines]
    [[1.0, 0.667], [1.0, 0.5]]
    """
    names = sheet.chosen(sheet.admitted(ev), rankers)
    _checks.choice("legend", legend, sheet.LEGENDS)
    wanted = [ev[names[0], one].metric for one in ([metrics] if isinstance(metrics, str) else metrics)]
    if not wanted:
        raise ParameterError("metrics must name at least one metric, got none")
    ax = sheet.single(ax, entries=len(names) * len(wanted), legend=legend)
    short = words.short_names(names)
    lowest, highest = [], []
    for place, name in enumerate(names):
        table = ev.tables[name]
        rows_of_positives = table.counts.rows_of_positives
        x = table.rate[rows_of_positives]
        few = x.size <= 25
        for turn, metric in enumerate(wanted):
            e = ev[name, metric]
            y = weights_of(metric, table)[rows_of_positives]
            lowest.append(float(y.min()))
            highest.append(float(y.max()))
            kept = slice(None) if x.size <= MANY else thinned(x, y, TOLERANCE)
            ax.plot(
                x[kept],
                y[kept],
                color=look(place).color,
                linestyle=_DASHES[turn % len(_DASHES)],
                linewidth=WIDTH,
                marker=look(place).marker if few else None,
                markersize=3.5,
                label=words.entry(f"{short[name]}, {metric}", rows.with_interval(e.value, e.interval)),
                gid=sheet.RANKER,
            )
    ax.set(xlabel="rate (fraction of the list)", ylabel="rank weight")
    low, high = min(0.0, *lowest), max(1.0, *highest)
    ax.set_ylim(low - 0.02 * high, 1.02 * high)
    if log_x:
        ax.set_xscale("log")
        sheet.number_ticks(ax.xaxis)
    sheet.legend(ax, f"mean rank weight, {words.level_text(ev.confidence_level)}", legend)
    return ax
