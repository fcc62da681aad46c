"""Average precision against AUC, and momentum against stamina: pictures of the quasi-concave model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.evaluation import Evaluation
from hitcurve.inference import Estimate
from hitcurve.metrics import Momentum, metric
from hitcurve.plot import sheet, words
from hitcurve.plot.draw import draw
from hitcurve.plot.labels import Mark, name_points
from hitcurve.plot.looks import looks_of
from hitcurve.plot.style import GREY, LIGHT, TINY, Look
from hitcurve.quasi_concave import QuasiConcave, fit_quasi_concave

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROOM = 0.12  # of the axes around the points


def ap_versus_auc(
    ev: Evaluation,
    *,
    rankers: str | Sequence[str] | None = None,
    names: bool = True,
    colors: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw average precision against AUC, with their intervals and lines of equal momentum.

    Of two rankers with equal AUC, the ranker with the larger momentum beta has the larger AP. The lines are from the
    quasi-concave model (Su, Yuan and Zhu 2015) and begin at the random baseline.

    Parameters
    ----------
    ev : Evaluation
        Of ``ap`` and ``auc``, of one prevalence.
    rankers : str or sequence of str, optional
        All if absent.
    names : bool
        Whether to write the names at the points.
    colors : mapping of str to color, optional
        Colours of rankers by name.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ColumnNotFoundError
        If ``ap`` or ``auc`` was not evaluated.
    ParameterError
        If the rankers are of different prevalence.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> from hitcurve.datasets import mammography
    >>> ax = plot.ap_versus_auc(evaluate(tables=mammography(), metrics=["ap", "auc"]))
    >>> [text.get_text() for text in ax.texts if text.get_text() in ("film", "digital")]
    ['film', 'digital']
    """
    chosen = sheet.chosen(sheet.admitted(ev), rankers)
    pairs = [(ev[name, "auc"], ev[name, "ap"]) for name in chosen]
    pi = sheet.one_prevalence(ev, chosen, "lines of equal momentum")
    ax = sheet.single(ax)
    looks = looks_of(ax, chosen, ev.rankers, colors)
    marks, crosses = [], []
    short = words.short_names(chosen)
    for auc, ap in pairs:
        style = looks[auc.ranker]
        crosses += _cross(ax, auc, ap, style.color)
        ax.plot([auc.value], [ap.value], style.marker, color=style.color, markersize=6, gid=sheet.RANKER, zorder=3)
        marks.append(Mark(auc.value, ap.value, words.plain(short[auc.ranker]), style.color))
    ax.set(xlabel=f"AUC, {words.level_text(ev.confidence_level)}", ylabel="average precision (AP)")
    _limit(ax)
    _draw_equal_momentum(ax, pi)
    if names:
        name_points(ax, marks, crosses)
    return ax


def _cross(ax: Axes, auc: Estimate, ap: Estimate, color: str) -> list[Array]:
    """Draw both intervals through a point, and return their ends."""
    drawn = []
    for e, other, across in ((auc, ap, True), (ap, auc, False)):
        ends = e.interval
        if ends is not None:
            x, y = (list(ends), [other.value] * 2) if across else ([other.value] * 2, list(ends))
            ax.plot(x, y, color=color, linewidth=1.3, alpha=0.8, zorder=2)
            drawn.append(np.column_stack([x, y]))
    return drawn


def _limit(ax: Axes) -> None:
    """Show all points and intervals, with room around them."""
    known = np.concatenate([line.get_xydata() for line in ax.lines])
    low, high = np.nanmin(known, axis=0), np.nanmax(known, axis=0)
    room = np.maximum((high - low) * _ROOM, 0.02)
    ax.set_xlim(max(low[0] - room[0], 0.0), min(high[0] + room[0], 1.005))
    ax.set_ylim(max(low[1] - room[1], 0.0), min(high[1] + room[1], 1.01))


def _draw_equal_momentum(ax: Axes, pi: float) -> None:
    """Draw lines of equal beta, labelled where they leave the axes."""
    from matplotlib.ticker import MaxNLocator

    (left, right), (bottom, top) = ax.get_xlim(), ax.get_ylim()
    # beta is about scaled AP over scaled AUC: its range over the corners of the axes
    most = (top - pi) / (1 - pi) / max(2 * left - 1, 1e-3)
    least = (bottom - pi) / (1 - pi) / max(2 * right - 1, 1e-3)
    low, high = max(least, pi), min(most, 1.0)
    for beta in (value for value in MaxNLocator(7, steps=[1, 2, 5, 10]).tick_values(low, high) if pi < value <= 1):
        auc, ap = _equal_momentum(float(beta), pi)
        inside = (auc >= left) & (auc <= left + 0.98 * (right - left)) & (ap >= bottom)
        seen = np.flatnonzero(inside & (ap <= bottom + 0.94 * (top - bottom)))
        if seen.size < 2:
            continue
        ax.plot(auc, ap, color=GREY, linewidth=0.7, alpha=0.7, gid=sheet.REFERENCE, zorder=1)
        end = seen[-1]
        ax.annotate(
            f"β = {beta:.2g}",
            (float(auc[end]), float(ap[end])),
            xytext=(-2, 2),
            textcoords="offset points",
            ha="right",
            va="bottom",
            fontsize=TINY,
            color=GREY,
            zorder=1,
        )


def _equal_momentum(beta: float, pi: float) -> tuple[Array, Array]:
    """Return AUC and AP of the models of one momentum, from no stamina to all that is possible."""
    models = [QuasiConcave(float(alpha), beta, pi) for alpha in np.linspace(0, 1, 301) ** 2 * pi / beta]
    return np.array([model.auc for model in models]), np.array([model.ap for model in models])


class _Fitted(NamedTuple):
    name: str
    model: QuasiConcave
    look: Look


def momentum(
    ev: Evaluation,
    *,
    rankers: str | Sequence[str] | None = None,
    window: tuple[float, float] | None = None,
    legend: str = "auto",
    colors: Mapping[str, Any] | None = None,
    ax: Any = None,
) -> sheet.AxesArray:
    """Draw hit curves with the quasi-concave model, and momentum against stamina (Su, Yuan and Zhu 2015).

    Momentum beta is the slope at the top of the list, stamina alpha the rate up to which it lasts. On the right each
    ranker's model, on a line of all models with its AUC: one may be traded for the other.

    Parameters
    ----------
    ev : Evaluation
        Of ``momentum``, if its value and interval are to be in the legend.
    rankers : str or sequence of str, optional
        All if absent.
    window : (float, float), optional
        Rates to show of the hit curves; from the top to five times the largest stamina if absent.
    legend : {"auto", "inside", "outside", "none"}
    colors : mapping of str to color, optional
        Colours of rankers by name.
    ax : array of 2 matplotlib.axes.Axes, optional

    Returns
    -------
    array of 2 matplotlib.axes.Axes
        Of the hit curves, and of momentum against stamina.

    Raises
    ------
    ParameterError
        If the rankers are of different prevalence, or ``ax`` are not two axes.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> from hitcurve.datasets import mammography
    >>> hits, plane = plot.momentum(evaluate(tables=mammography(), metrics="momentum"))
    >>> hits.get_legend_handles_labels()[1][-2:], plane.get_xlabel()
    (['unreachable', 'fitted model'], 'stamina α of the model')
    """
    chosen = sheet.chosen(sheet.admitted(ev), rankers)
    pi = sheet.one_prevalence(ev, chosen, "a plane of momentum and stamina")
    _checks.choice("legend", legend, sheet.LEGENDS)
    hits, plane = axes = sheet.several(ax, 2, (4.6, 3.9), legend=legend, entries=[len(chosen) + 3])
    looks = looks_of(None, chosen, ev.rankers, colors)
    fitted = [_Fitted(name, fit_quasi_concave(ev.tables[name]), looks[name]) for name in chosen]
    if window is None:
        window = (0.0, min(1.0, 5 * max(one.model.alpha for one in fitted)))
    draw(ev, "hit", numbers=(Momentum(),), rankers=chosen, window=window, legend="none", colors=colors, ax=hits)
    rate = np.linspace(*window, 501)
    for place, one in enumerate(fitted):
        hits.plot(
            rate,
            one.model(rate),
            color=one.look.color,
            linestyle=(0, (4, 2)),
            linewidth=1.1,
            label="" if place else "fitted model",
            gid=sheet.REFERENCE,
            zorder=2.5,
        )
    title = f"{metric('momentum')}, {words.level_text(ev.confidence_level)}" if Momentum() in ev.metrics else ""
    sheet.legend(hits, title, legend)
    _draw_plane(plane, fitted, pi)
    return axes


def _draw_plane(ax: Axes, fitted: Sequence[_Fitted], pi: float) -> None:
    """Draw momentum against stamina, with the line of equal AUC through each ranker."""
    farthest = min(1.0, 2.2 * max(one.model.alpha for one in fitted))
    highest = min(1.0, 1.25 * max(one.model.beta for one in fitted))
    marks = []
    short = words.short_names(one.name for one in fitted)
    for one in fitted:
        style, model = one.look, one.model
        betas = np.linspace(pi, 1, 401)[1:]
        if model.auc > 0.5:
            stamina = np.array([_stamina(model, float(beta)) for beta in betas])
            ax.plot(stamina, betas, color=style.color, linewidth=0.9, alpha=0.7, gid=sheet.REFERENCE, zorder=1)
        ax.plot([model.alpha], [model.beta], style.marker, color=style.color, markersize=6, gid=sheet.RANKER, zorder=3)
        marks.append(Mark(model.alpha, model.beta, words.plain(short[one.name]), style.color))
    alphas = np.linspace(pi, 1, 401)
    ax.fill_between(alphas, pi / alphas, 1.0, facecolor=LIGHT, linewidth=0, zorder=0.5)
    ax.fill_between([0, 1], 0, pi, facecolor=LIGHT, linewidth=0, zorder=0.5)
    ax.set(xlabel="stamina α of the model", ylabel="momentum β of the model", xlim=(0, farthest), ylim=(0, highest))
    name_points(ax, marks)


def _stamina(model: QuasiConcave, beta: float) -> float:
    """Return the stamina that gives a momentum the AUC of a model, nan where none does."""
    try:
        return model.with_same_auc(beta).alpha
    except ValueError:
        return math.nan
