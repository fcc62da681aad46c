"""Precision over recall."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from hitcurve.evaluation import Evaluation
from hitcurve.plot.draw import CurveOptions, draw

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def precision_recall(ev: Evaluation, **options: Unpack[CurveOptions]) -> Axes:
    """Draw precision-recall curves, which between two vertices follow the counts (Davis and Goadrich 2006).

    What lies below the curve of the reversed list cannot be reached (Boyd et al. 2012).

    Parameters
    ----------
    ev : Evaluation
    **options
        As in :class:`CurveOptions`. The number in the legend is ``ap``, or ``pr_area`` where that was not evaluated.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> ev = evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="ap")
    >>> ax = plot.precision_recall(ev)
    >>> ax.get_legend_handles_labels()[1]
    ['score 0.8333', 'random 0.5', 'unreachable']
    """
    return draw(ev, "precision_recall", **options)
