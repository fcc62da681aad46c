"""Figures of screens: all markers at once, the best of them by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.metrics import Metric
from hitcurve.plot import sheet, words
from hitcurve.plot.labels import Mark, name_points
from hitcurve.plot.style import COLORS, GREY, SMALL, TINY, look
from hitcurve.screens import RankChanges, Screen

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MANY = 2000  # points that a file stores as pixels
_FAINT = "0.72"


def markers(screen: Screen, *, top: int = 5, level: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw average precision against AUC of all markers of a screen, and name the best by the first metric.

    Parameters
    ----------
    screen : Screen
        Of ``ap`` and ``auc``.
    top : int
        How many markers to name.
    level : float in (0, 1)
        Markers whose adjusted p value by the first metric is at most this are drawn in colour.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ColumnNotFoundError
        If ``ap`` or ``auc`` was not evaluated.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve import plot, screen
    >>> y = np.repeat([1, 0], 20)
    >>> ax = plot.markers(screen(np.random.default_rng(0).normal(size=(40, 9)), y, n_resamples=99))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('AUC', 'average precision (AP)')
    """
    found = _admitted(screen)
    level = _checks.open_unit("level", level)
    x, y = np.asarray(found["auc"]), np.asarray(found["ap"])
    ax = sheet.single(ax)
    positives, negatives = found.subjects.sizes
    prevalence = found.subjects.prevalence or positives / (positives + negatives)
    line: dict[str, Any] = {"color": GREY, "linewidth": 0.8, "linestyle": "--", "zorder": 1, "gid": sheet.REFERENCE}
    ax.axvline(0.5, **line)
    ax.axhline(prevalence, **line)
    _scatter(ax, found, x, y, 0, level)
    ax.set(xlabel="AUC", ylabel="average precision (AP)")
    ax.text(0.5, 1, " random", transform=ax.get_xaxis_transform(), fontsize=TINY, color=GREY, va="top")
    _name_best(ax, found, x, y, found.order()[: _whole("top", top)])
    return ax


def volcano(
    screen: Screen, metric: str | Metric | None = None, *, top: int = 5, level: float = 0.05, ax: Axes | None = None
) -> Axes:
    """Draw the p values of all markers against their effects: value minus the random baseline.

    Markers whose low values come first are on the left, where their direction was chosen or differs among markers.

    Parameters
    ----------
    screen : Screen
    metric : str or Metric, optional
        The first of the screen unless given.
    top : int
        How many markers to name, the best by this metric.
    level : float in (0, 1)
        Markers whose adjusted p value is at most this are drawn in colour. A line separates them from the others.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ColumnNotFoundError
        If the metric was not evaluated.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve import plot, screen
    >>> y = np.repeat([1, 0], 20)
    >>> found = screen(np.random.default_rng(0).normal(size=(40, 9)), y, direction="auto", n_resamples=99)
    >>> plot.volcano(found, "auc").get_xlabel()
    'auc - random (left: low values first)'
    """
    found = _admitted(screen)
    level = _checks.open_unit("level", level)
    place = found.metric_place(metric)
    one = found.metrics[place]
    effect = np.asarray(found.value[place] - found.random(one))
    sides = bool(found.low_first.any() and not found.low_first.all())
    x = np.where(found.low_first, -effect, effect) if sides else effect
    p = np.asarray(found.pvalue[place])
    y = -np.log10(np.maximum(p, np.nextafter(0, 1)))
    ax = sheet.single(ax)
    ax.axvline(0, color=GREY, linewidth=0.8, zorder=1, gid=sheet.REFERENCE)
    small = _scatter(ax, found, x, y, place, level)
    if small.any() and not small.all():
        # between the largest p value of those and the next
        cut = (float(y[small].min()) + float(np.nanmax(np.where(small, -np.inf, y)))) / 2
        ax.axhline(cut, color=GREY, linewidth=0.8, linestyle="--", zorder=1, gid=sheet.REFERENCE)
    side = " (left: low values first)" if sides else ""
    ax.set(xlabel=words.plain(f"{one} - random{side}"), ylabel="-log10 of the p value")
    ax.set_ylim(0, 1.09 * max(float(np.nanmax(y)), 1.0))
    _name_best(ax, found, x, y, found.order(one)[: _whole("top", top)])
    return ax


def rank_changes(changes: RankChanges, *, top: int = 8, ax: Axes | None = None) -> Axes:
    """Draw how the ranks of markers move where positives are rarer: the best at the first and at the last prevalence.

    Parameters
    ----------
    changes : RankChanges
        Of :meth:`hitcurve.Screen.rank_changes`.
    top : int
        How many of the best at each of the two prevalences.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        If it is not of rank changes.

    Examples
    --------
    >>> import numpy as np
    >>> from hitcurve import plot, screen
    >>> y = np.repeat([1, 0], 20)
    >>> found = screen(np.random.default_rng(0).normal(size=(40, 9)), y, n_resamples=99)
    >>> plot.rank_changes(found.rank_changes("ap")).get_ylabel()
    'rank by ap'
    """
    if not isinstance(changes, RankChanges):
        raise ParameterError(f"this figure needs Screen.rank_changes, got {type(changes).__name__}")
    count, last = _whole("top", top), len(changes.at) - 1
    wanted = dict.fromkeys(np.concatenate([changes.order(0)[:count], changes.order(last)[:count]]).tolist())
    ax = sheet.single(ax, (6.0, 4.6))
    short = words.short_names(changes.names[place] for place in wanted)
    across = np.arange(last + 1)
    taken: list[tuple[int, str, str]] = []
    for i, place in enumerate(wanted):
        style, rank = look(i), changes.rank[:, place]
        ax.plot(across, rank, linestyle=style.dashes, marker=style.marker, color=style.color, markersize=4, zorder=3)
        taken.append((int(rank[last]), words.plain(short[changes.names[place]]), style.color))
    ax.set_yscale("log")
    sheet.number_ticks(ax.yaxis)
    lowest = max(int(changes.rank[:, list(wanted)].max()), 2)
    ax.set_ylim(lowest * 1.3, 0.8)
    ax.set_xlim(-0.15, last + 0.15)
    ax.set_xticks(across.tolist(), [words.plain(at) for at in changes.at])
    ax.set(ylabel=words.plain(f"rank by {changes.metric}"))
    _write_right(ax, taken)
    return ax


def _write_right(ax: Axes, names: Sequence[tuple[int, str, str]]) -> None:
    """Write names at the right ends of lines, at their ranks in their colours, each below the one before."""
    step, below = 11.0 / (ax.bbox.height * 72 / ax.figure.dpi), 2.0
    ordered = sorted(names)
    places: list[float] = []
    for rank, _, _ in ordered:
        y = float(ax.transAxes.inverted().transform(ax.transData.transform((0, rank)))[1])
        below = min(y, below - step)
        places.append(below)
    above = 0.0
    for i in reversed(range(len(places))):  # what hangs below the axes goes up again
        places[i] = max(places[i], above)
        above = places[i] + step
    for (_, name, color), y in zip(ordered, places, strict=True):
        beside: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points", "va": "center"}
        ax.annotate(name, (1, y), (5, 0), fontsize=SMALL, color=color, **beside)


def _admitted(screen: Any) -> Screen:
    if not isinstance(screen, Screen):
        raise ParameterError(f"this figure needs a Screen, got {type(screen).__name__}: make one with screen")
    return screen


def _whole(name: str, value: Any) -> int:
    return _checks.whole_number(name, value, least=0)


def _scatter(ax: Axes, found: Screen, x: Array, y: Array, place: int, level: float) -> AnyArray:
    """Draw a point for each marker; return which have a small adjusted p value."""
    small: AnyArray = found.adjusted[place] <= level
    many = len(found) > _MANY
    for some, color in ((~small, _FAINT), (small, COLORS[0])):
        ax.scatter(x[some], y[some], s=9 if many else 16, color=color, linewidths=0, rasterized=many, zorder=2)
    said = f"blue: {int(np.sum(small)):,} of {len(found):,} markers with adjusted p ≤ {rows.short(level)}"
    ax.set_title(words.plain(f"{said} by {found.metrics[place]}"), fontsize=SMALL, loc="left")
    ax.margins(0.09)
    return small


def _name_best(ax: Axes, found: Screen, x: Array, y: Array, best: Sequence[int] | AnyArray) -> None:
    short = words.short_names(found.names[place] for place in best)
    rest = np.ones(x.size, bool)
    rest[best] = False
    name_points(
        ax,
        [Mark(float(x[i]), float(y[i]), words.plain(short[found.names[i]]), COLORS[1]) for i in best],
        others=np.column_stack([x, y])[rest & np.isfinite(x) & np.isfinite(y)],
    )
    ax.scatter(x[best], y[best], s=22, facecolors="none", edgecolors=COLORS[1], linewidths=1.1, zorder=4)
