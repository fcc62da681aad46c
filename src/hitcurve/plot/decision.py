"""Decision curves: net benefit over threshold probabilities, and the difference of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.evaluation import Evaluation
from hitcurve.inference import Band, DecisionCurve
from hitcurve.plot import sheet, words
from hitcurve.plot.bands import explain, mark_excluded
from hitcurve.plot.looks import looks_of
from hitcurve.plot.style import FAINT, GREY, WIDTH, look

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BELOW = 0.25  # of the height above 0, that is shown below it: selecting all falls without end
_ROOM = 1.06
_SHOWN = 0.8  # of the limits of a difference


def decision(
    ev: Evaluation,
    thresholds: Any = None,
    *,
    cut: str = "probability",
    coverage: str = "pointwise",
    bands: bool = True,
    rankers: str | Sequence[str] | None = None,
    log_x: bool = False,
    legend: str = "auto",
    colors: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the net benefit of rankers over threshold probabilities, beside selecting all and selecting none.

    Parameters
    ----------
    ev : Evaluation
    thresholds, cut, coverage
        As in :meth:`hitcurve.Evaluation.decision_curve`.
    bands : bool
        Fill the limits of each curve.
    rankers : str or sequence of str, optional
        All if absent.
    log_x : bool
        Logarithmic x axis: small thresholds, of rare positives.
    legend : {"auto", "inside", "outside", "none"}
    colors : mapping of str to color, optional
        Colours of rankers by name.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError, ScoreError
        As :meth:`hitcurve.Evaluation.decision_curve`, and if rankers have different prevalences.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> ev = evaluate([1, 0, 1, 0, 0, 0], {"a": [0.9, 0.6, 0.5, 0.4, 0.2, 0.1]}, metrics="auc")
    >>> ax = plot.decision(ev, [0.1, 0.2, 0.3, 0.4])
    >>> ax.get_xlabel(), ax.get_legend_handles_labels()[1]
    ('threshold probability', ['a', 'select all', 'select none', '95% pointwise limits'])
    """
    names = sheet.chosen(sheet.admitted(ev), rankers)
    _checks.choice("legend", legend, sheet.LEGENDS)
    sheet.one_prevalence(ev, names, "a figure of decision curves")
    curves = {name: ev.decision_curve(name, thresholds, cut=cut, coverage=coverage) for name in names}
    made, ax = ax is None, sheet.single(ax, entries=len(names) + 3, legend=legend)
    looks, short = looks_of(ax, names, ev.rankers, colors), words.short_names(names)
    for name, curve in curves.items():
        style = looks[name]
        if bands:
            ax.fill_between(
                curve.thresholds, curve.low, curve.high, color=style.color, alpha=FAINT, linewidth=0, gid=sheet.BAND
            )
        ax.plot(
            curve.thresholds,
            curve.net_benefit,
            color=style.color,
            linestyle=style.dashes,
            linewidth=WIDTH,
            label=words.plain(short[name]),
            gid=sheet.RANKER,
            zorder=3,
        )
    one = curves[names[0]]
    reference: dict[str, Any] = {"color": GREY, "gid": sheet.REFERENCE, "linewidth": 1.2}
    ax.plot(one.thresholds, one.treat_all, linestyle="--", label="select all", **reference)
    ax.plot(one.thresholds, np.zeros(one.thresholds.size), linestyle=":", label="select none", **reference)
    _name_axes(ax, list(curves.values()), log_x=log_x)
    if bands:
        sheet.explain_bands(ax, [f"{100 * one.confidence_level:g}% {one.coverage} limits"])
    title = {"probability": "cut at the threshold itself", "best": "each ranking at its best cut"}[cut]
    sheet.legend(ax, title, legend, widens=made)
    return ax


def _name_axes(ax: Axes, curves: Sequence[DecisionCurve], *, log_x: bool) -> None:
    t = curves[0].thresholds
    top = max(max(float(one.high.max()), one.prevalence) for one in curves) * _ROOM
    ax.set(xlabel="threshold probability", ylabel="net benefit", ylim=(-_BELOW * top, top))
    if log_x:
        ax.set_xscale("log")
        sheet.number_ticks(ax.xaxis)
    if t.size > 1:
        ax.set_xlim(float(t[0]), float(t[-1]))


def decision_difference(band: Band, *, log_x: bool = False, legend: str = "auto", ax: Axes | None = None) -> Axes:
    """Draw the difference of the net benefits of two rankers, and the ranges where its limits exclude 0.

    Parameters
    ----------
    band : Band
        Of :meth:`hitcurve.Evaluation.decision_difference`.
    log_x : bool
        Logarithmic x axis.
    legend : {"auto", "inside", "outside", "none"}
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        If the band is none of such a difference.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> a, b = [0.9, 0.6, 0.5, 0.4, 0.2, 0.1], [0.9, 0.6, 0.3, 0.4, 0.2, 0.1]
    >>> ev = evaluate([1, 0, 1, 0, 0, 0], {"a": a, "b": b}, metrics="auc")
    >>> ax = plot.decision_difference(ev.decision_difference("a", "b", [0.1, 0.2, 0.3, 0.4]))
    >>> ax.get_ylabel()
    'net benefit of a - b'
    """
    if not isinstance(band, Band) or band.curve != "net_benefit difference" or band.rankers is None:
        what = f"one of the {band.curve}" if isinstance(band, Band) else type(band).__name__
        raise ParameterError(f"decision_difference needs the band of Evaluation.decision_difference, got {what}")
    made, ax = ax is None, sheet.single(ax, legend=legend)
    first, second = words.short_names(band.rankers).values()
    style, pair = look(0), words.plain(f"{first} - {second}")
    ax.axhline(0, color=GREY, linewidth=0.8, zorder=1)
    ax.fill_between(band.x, band.low.y, band.high.y, color=style.color, alpha=FAINT, linewidth=0, gid=sheet.BAND)
    ax.plot(band.x, band.center.y, color=style.color, linewidth=WIDTH, label=pair, gid=sheet.RANKER, zorder=3)
    mark_excluded(ax, band, (first, second))
    ax.set(xlabel="threshold probability", ylabel=words.plain(f"net benefit of {first} - {second}"))
    # near a threshold of 1 an error costs so much that the limits would flatten all others
    limits = np.quantile(np.abs([band.low.y, band.high.y]).max(axis=0), _SHOWN)
    most = _ROOM * max(float(limits), float(np.abs(band.center.y).max()))
    ax.set_ylim(-most, most)
    if log_x:
        ax.set_xscale("log")
        sheet.number_ticks(ax.xaxis)
    explain(ax, [band], legend, widens=made)
    return ax
