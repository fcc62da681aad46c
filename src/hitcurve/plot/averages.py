"""Curves of many groups: their average, or each in a panel of its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np

from hitcurve import _checks, rows
from hitcurve.curve import KINDS
from hitcurve.errors import ParameterError
from hitcurve.evaluation import GroupedEvaluation
from hitcurve.groups import AverageCurve
from hitcurve.plot import sheet, words
from hitcurve.plot.draw import CurveOptions, draw, draw_line
from hitcurve.plot.looks import looks_of
from hitcurve.plot.style import FAINT, GREY, SMALL, TINY, Look
from hitcurve.plot.view import furnish, view_of_points
from hitcurve.sources import group_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST = 24  # panels
_PANEL = 2.1  # inches


def average_curve(
    curves: AverageCurve | Mapping[str, AverageCurve],
    *,
    window: tuple[float, float] | None = None,
    log_x: bool = False,
    legend: str = "auto",
    colors: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw average curves of groups, with the interval of the average over groups.

    The band is vertical and pointwise: at every point of the average it is the t interval of y over groups. An average
    over rates or scores has an interval of x too (``x_error``), which is not drawn: there the band is the uncertainty
    of y at the same share of the list, or at the same score, and not at the same x.

    Parameters
    ----------
    curves : AverageCurve or mapping of str to AverageCurve
        One average curve, or several by the name of the ranker. All must be of one kind of curve and averaged along the
        same axis.
    window : (float, float), optional
        Range of the x axis.
    log_x : bool
        Logarithmic x axis.
    legend : {"auto", "inside", "outside", "none"}
        It has the area under the average, which is not the average of the areas.
    colors : mapping of str to color, optional
        Colours of rankers by name.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        A pool of all subjects has no band.

    Raises
    ------
    ParameterError
        If there is no average curve, or they are of different kinds or averaged along different things.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> grouped = evaluate([1, 0, 0, 1, 0, 0], [6, 5, 4, 2, 3, 1], by=[1, 1, 1, 2, 2, 2], metrics="auc")
    >>> ax = plot.average_curve({"score": grouped.average_curve("score")})
    >>> ax.get_legend_handles_labels()[1]
    ['score, area 0.7500', 'random', '95% t interval over groups, pointwise']
    """
    named = {"": curves} if isinstance(curves, AverageCurve) else curves
    if not isinstance(named, Mapping) or not named or not all(isinstance(one, AverageCurve) for one in named.values()):
        raise ParameterError(
            f"curves must be an AverageCurve, or map names to AverageCurve values, got {type(curves).__name__}: "
            "see GroupedEvaluation.average_curve"
        )
    drawn = list(named.values())
    for what in ("curve", "along"):
        found = sorted({getattr(one, what) for one in drawn})
        if len(found) > 1:
            raise ParameterError(f"average curves of one figure must have one {what}, got {rows.listed(found)}")
    kind = KINDS[drawn[0].curve]
    if kind.magnified:
        raise ParameterError(f"an average of {kind.name} curves cannot be drawn: draw the average of roc curves")
    x = np.concatenate([one.x for one in drawn])
    y = np.concatenate([side[np.isfinite(side)] for one in drawn for side in (one.y, one.high)])
    least = min(float(np.min(end[end > 0], initial=0.5)) for one in drawn for end in (one.y, 1 - one.y))
    view = view_of_points(kind, x, y, least, window, log_x=log_x)
    ax = sheet.single(ax, entries=len(drawn) + 2, legend=legend)
    looks, short = looks_of(ax, named, list(named), colors), words.short_names(named)
    levels: dict[str, None] = {}
    for name, one in named.items():
        style = looks[name]
        if not np.all(np.isnan(one.y_error)):
            ax.fill_between(
                one.x, one.low, one.high, color=style.color, alpha=FAINT, linewidth=0, gid=sheet.BAND, zorder=2
            )
            over = "corrected t interval over folds" if one.overlap else f"t interval over {one.unit}"
            levels[f"{100 * one.confidence_level:g}% {over}, pointwise"] = None
        area = f"area {rows.number(one.area())}" if kind.picture.is_share else ""
        label = words.entry(f"{short[name]}," if area else short[name], area) if name else area or "average"
        draw_line(ax, view.path(one), style, label)
    if kind.picture.random is not None and not sheet.marked(ax, sheet.REFERENCE):
        low, high = view.x_scale.forward(np.asarray(view.ends, float))
        places = view.x_scale.backward(np.linspace(low, high, 200 if log_x else 2))
        ax.plot(
            places,
            kind.picture.random(places),
            color=GREY,
            linestyle=":",
            linewidth=1.2,
            label="random",
            gid=sheet.REFERENCE,
            zorder=1.5,
        )
    furnish(ax, kind, view, None)
    sheet.explain_bands(ax, map(words.plain, levels))
    many = words.shown_range([one.n_groups for one in drawn])
    sheet.legend(ax, f"{_TITLES[drawn[0].along]} {many} {drawn[0].unit}", legend)
    return ax


_TITLES = {
    "rate": "average over rates of",
    "vertical": "vertical average of",
    "threshold": "average over scores of",
    "pool": "one list of",
}


def small_multiples(
    ev: GroupedEvaluation,
    curve: str = "roc",
    *,
    groups: str | Sequence[str] | None = None,
    columns: int = 4,
    **options: Unpack[CurveOptions],
) -> sheet.AxesArray:
    """Draw the curves of all rankers in one small panel for each group, on axes of one range.

    Parameters
    ----------
    ev : GroupedEvaluation
    curve : str
        Which curves: of a kind whose axis is not magnified.
    groups : str or sequence of str, optional
        Which groups, in this order; all if absent.
    columns : int
        Panels side by side.
    **options
        As in :class:`CurveOptions`; ``metric`` writes its values into the panels, of up to 6 rankers, and ``ax`` is an
        array of as many axes as there are groups.

    Returns
    -------
    array of matplotlib.axes.Axes
        In the order of the groups. The legend is that of the whole figure.

    Raises
    ------
    ParameterError
        If there are more than 24 groups, one was not evaluated, or an option is wrong.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> grouped = evaluate([1, 0, 0, 1, 0, 0], [6, 5, 4, 2, 3, 1], by=[1, 1, 1, 2, 2, 2], metrics="auc")
    >>> [panel.get_title() for panel in plot.small_multiples(grouped, "accumulation")]
    ['1', '2']
    """
    names = _chosen_groups(sheet.admitted_groups(ev), groups)
    if not ev.has_curves:
        raise ParameterError("a ranking of unknown length has no curve: give the number of documents (collection_size)")
    _checks.choice("curve", curve, [name for name, kind in KINDS.items() if not kind.magnified])
    columns = _checks.whole_number("columns", columns)
    legend = _checks.choice("legend", options.pop("legend", "auto"), sheet.LEGENDS)
    metric = options.pop("metric", None)
    ax: Any = options.pop("ax", None)
    panels = sheet.several(ax, len(names), (_PANEL, _PANEL), columns=columns)
    short = words.short_names(names)
    for panel, name in zip(panels, names, strict=True):
        draw(ev.groups[name], curve, numbers=(), **{**options, "legend": "none", "ax": panel})
        panel.set_title(words.plain(short[name]), fontsize=SMALL)
        panel.tick_params(labelsize=TINY)
    _share_ranges(panels)
    for place, panel in enumerate(panels):
        panel.xaxis.label.set_size(TINY)
        panel.yaxis.label.set_size(TINY)
        if ax is None:  # these are beside each other
            _only_outside(panel, left=place % columns == 0, bottom=place + columns >= len(names))
    if metric is not None:
        looks = looks_of(None, sheet.chosen(ev, options.get("rankers")), ev.rankers, options.get("colors"))
        _write_values(ev, panels, names, looks, metric)
    _common_legend(panels, legend, given=ax is not None)
    return panels


def _chosen_groups(ev: GroupedEvaluation, groups: str | Iterable[str] | None) -> list[str]:
    if groups is None:
        names = list(ev.groups)
    else:
        wanted = [groups] if isinstance(groups, str) or not isinstance(groups, Iterable) else list(groups)
        names = [group_name(one) for one in wanted]
        _checks.distinct("group", names)
        for one in wanted:
            _ = ev[one]  # refuses what was not evaluated
    if not names:
        raise ParameterError("groups must name at least one group, got none")
    if len(names) > MOST:
        raise ParameterError(
            f"small multiples show at most {MOST} panels, got {len(names)} groups: name fewer (groups=[...]), or draw "
            "all of them as a heatmap or an average curve"
        )
    return names


def _share_ranges(panels: sheet.AxesArray) -> None:
    """Give all panels the widest range: counts differ between groups, and so does where an axis begins."""
    for get, put in (("get_xlim", "set_xlim"), ("get_ylim", "set_ylim")):
        ends = np.array([getattr(panel, get)() for panel in panels])
        for panel in panels:
            getattr(panel, put)(ends[:, 0].min(), ends[:, 1].max())


def _only_outside(panel: Axes, *, left: bool, bottom: bool) -> None:
    """Take names and ticks off axes that another panel has at their side."""
    if not left:
        panel.set_ylabel("")
        panel.tick_params(axis="y", labelleft=False)
    if not bottom:
        panel.set_xlabel("")
        panel.tick_params(axis="x", which="both", labelbottom=False)


def _write_values(
    ev: GroupedEvaluation, panels: sheet.AxesArray, names: Sequence[str], rankers: Mapping[str, Look], metric: Any
) -> None:
    """Write the value of each ranker into its panel, in its colour, below each other."""
    if len(rankers) > 6:
        raise ParameterError(f"metric= writes the values of at most 6 rankers into a panel, got {len(rankers)}")
    for panel, name in zip(panels, names, strict=True):
        for place, ranker in enumerate(rankers):
            panel.text(
                0.96,
                0.05 + 0.1 * (len(rankers) - 1 - place),
                rows.number(ev[name, ranker, metric].value, 3),
                transform=panel.transAxes,
                ha="right",
                va="bottom",
                fontsize=TINY,
                color=rankers[ranker].color,
            )


def _common_legend(panels: sheet.AxesArray, where: str, *, given: bool) -> None:
    handles, labels = panels[0].get_legend_handles_labels()
    if where == "none" or not handles:
        return
    if given and not sheet.makes_room(panels[0]):
        sheet.legend(panels[-1], "", where)
        return
    panels[0].figure.legend(handles, labels, loc="outside right upper", fontsize=SMALL, alignment="left")
