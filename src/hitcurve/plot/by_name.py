"""Any curve, by the name of its kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from hitcurve import _checks
from hitcurve.curve import KINDS
from hitcurve.evaluation import Evaluation
from hitcurve.plot.draw import draw
from hitcurve.plot.magnified import cac, croc
from hitcurve.plot.over_fpr import roc
from hitcurve.plot.over_rate import rate_accuracy, rate_recall

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# those that take more than the options of all curves
_OWN: dict[str, Callable[..., Any]] = {
    "roc": roc,
    "croc": croc,
    "cac": cac,
    "rate_accuracy": rate_accuracy,
    "rate_recall": rate_recall,
}


def curve(ev: Evaluation, curve: str = "roc", **options: Any) -> Axes:
    """Draw curves of any kind.

    Parameters
    ----------
    ev : Evaluation
    curve : str
        As in :meth:`hitcurve.HitTable.curve`.
    **options
        Options of :class:`CurveOptions`, and of the function that has the name of the curve, if there is one. The
        number in the legend is the metric that belongs to the curve, if it was evaluated.

    Returns
    -------
    matplotlib.axes.Axes
        A det curve is drawn on normal-deviate axes (Martin et al. 1997); ticks and data are shares.

    Raises
    ------
    ParameterError
        If there is no such curve, or an option is wrong.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> ax = plot.curve(evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics="auc"), "det")
    >>> ax.get_ylabel(), ax.get_legend_handles_labels()[1]
    ('false negative rate', ['score 0.7500', 'random 0.5'])
    """
    name = _checks.choice("curve", curve, tuple(KINDS))
    ax: Axes = _OWN[name](ev, **options) if name in _OWN else draw(ev, name, **options)
    return ax
