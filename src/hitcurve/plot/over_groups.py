"""Numbers of many groups: their spread around the mean, all of them as a map, and who wins how often."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import ParameterError
from hitcurve.evaluation import GroupedEvaluation
from hitcurve.metrics import Metric
from hitcurve.plot import sheet, words
from hitcurve.plot.looks import looks_of
from hitcurve.plot.style import GREY, LIGHT, SMALL, TINY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ORDERS = ("name", "mean")
_MAP = "cividis"  # as bright for colour-blind readers as for all others
_INK = 0.55  # share of the map above which ink is black
_LANES, _LANE, _APART = 7, 0.075, 0.022  # of dots: how many, how far from each other (in rows), along x (in axes)
_ROW = 0.75  # inches
_SIGN = 0.62  # width of a sign, in heights of its font
_LEFT, _RIGHT, _TOP = 1.5, 1.0, 0.9  # inches around a map
_SHORT, _LETTER = 9, 0.065  # signs of a name that is not turned, and the height of each where it is, in inches
_TALLEST = 14.0


def groups(
    ev: GroupedEvaluation,
    metric: str | Metric,
    *,
    rankers: str | Sequence[str] | None = None,
    colors: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric of every group as a dot, and the mean over groups with its interval, ranker by ranker.

    Parameters
    ----------
    ev : GroupedEvaluation
    metric : str or Metric
        One that was evaluated.
    rankers : str or sequence of str, optional
        Rankers to draw, from the top down; all if absent.
    colors : mapping of str to color, optional
        Colours of rankers by name.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        Dots that would overlap are moved vertically; the height is not data. The diamond is the mean, its bar the t
        interval over groups.

    Raises
    ------
    ParameterError
        If ``ev`` is not an evaluation of groups, or a ranker is not in it.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> grouped = evaluate([1, 0, 0, 1, 0, 0], [6, 5, 4, 2, 3, 1], by=[1, 1, 1, 2, 2, 2], metrics="auc")
    >>> ax = plot.groups(grouped, "auc")
    >>> ax.get_xlabel(), [tick.get_text().splitlines() for tick in ax.get_yticklabels()]
    ('auc of 2 groups, mean with 95% interval', [['score', '0.7500 [0.00, 1.00]']])
    """
    names = sheet.chosen(sheet.admitted_groups(ev), rankers)
    means = [ev.mean(name, metric) for name in names]
    known = [mean.values[np.isfinite(mean.values)] for mean in means]
    spans = [np.asarray(mean.interval or (), float) for mean in means]
    ax = sheet.single(ax, (5.4, 0.8 + _ROW * len(names)))
    everything = np.concatenate([*known, *spans])
    low, high = (float(everything.min()), float(everything.max())) if everything.size else (0.0, 1.0)
    room = 0.04 * (high - low) or 0.05
    ax.set_xlim(low - room, high + room)
    apart = _APART * (high - low + 2 * room)
    looks = looks_of(None, names, ev.rankers, colors)
    short, labels = words.short_names(names), []
    for place, (name, mean, values, span) in enumerate(zip(names, means, known, spans, strict=True)):
        style = looks[name]
        x, lane = _swarm(values, apart)
        y = place - 0.12 + lane * _LANE
        ax.plot(x, y, linestyle="none", marker="o", markersize=4, color=style.color, alpha=0.55, markeredgewidth=0)
        if span.size:
            ax.plot(span, [place + 0.28] * 2, color=style.color, linewidth=2.4, solid_capstyle="butt", zorder=2)
        ax.plot(
            [mean.value],
            [place + 0.28],
            linestyle="none",
            marker="D",
            markersize=6,
            color=style.color,
            markerfacecolor=style.color if span.size else "none",
            gid=sheet.RANKER,
            zorder=3,
        )
        labels.append(f"{words.plain(short[name])}\n{words.plain(rows.with_interval(mean.value, mean.interval))}")
    ax.set_yticks(range(len(names)), labels, fontsize=SMALL)
    ax.set_ylim(len(names) - 0.45, -0.55)
    ax.tick_params(axis="x", labelsize=SMALL)
    ax.tick_params(axis="y", length=0)
    ax.grid(axis="x", color=LIGHT, linewidth=0.8)
    ax.set_axisbelow(True)
    many = rows.count(max(mean.n_groups for mean in means))
    ending = (
        f", mean with {words.level_text(ev.confidence_level)}" if any(span.size for span in spans) else ", and mean"
    )
    ax.set_xlabel(words.plain(f"{means[0].metric} of {many} {ev.unit}{ending}"), fontsize=SMALL)
    return ax


def _swarm(values: Array, apart: float) -> tuple[Array, Array]:
    """Put values into lanes, the middle one first, so that those of a lane do not touch while lanes suffice."""
    x = np.sort(values)
    order = sorted(range(-(_LANES // 2), _LANES // 2 + 1), key=lambda lane: (abs(lane), lane))
    last = dict.fromkeys(order, -np.inf)
    lanes = []
    for value in x:
        free = [lane for lane in order if value - last[lane] >= apart]
        lane = free[0] if free else min(order, key=lambda lane: (last[lane], abs(lane)))
        last[lane] = value
        lanes.append(lane)
    return x, np.array(lanes, float)


# ---- maps


def heatmap(
    ev: GroupedEvaluation,
    metric: str | Metric,
    *,
    rankers: str | Sequence[str] | None = None,
    order: str = "name",
    ax: Axes | None = None,
) -> Axes:
    """Draw a metric as a map of groups and rankers, a row for each group.

    Parameters
    ----------
    ev : GroupedEvaluation
    metric : str or Metric
        One that was evaluated.
    rankers : str or sequence of str, optional
        Columns, from the left; all if absent.
    order : {"name", "mean"}
        Rows as in the evaluation, or by their mean over the rankers, highest first.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        Numbers are written where cells have room for them; a hatched cell has no value.

    Raises
    ------
    ParameterError
        If ``ev`` is not an evaluation of groups, a ranker is not in it, or the order is unknown.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> grouped = evaluate([1, 0, 0, 1, 0, 0], [6, 5, 4, 2, 3, 1], by=[1, 1, 1, 2, 2, 2], metrics="auc")
    >>> ax = plot.heatmap(grouped, "auc", order="mean")
    >>> [tick.get_text() for tick in ax.get_yticklabels()], [text.get_text() for text in ax.texts]
    (['1', '2'], ['1.00', '0.500'])
    """
    names = sheet.chosen(sheet.admitted_groups(ev), rankers)
    _checks.choice("order", order, ORDERS)
    values = np.column_stack([ev.values(name, metric) for name in names])
    of_rows = list(ev.counted)
    if order == "mean":
        seen = np.where(np.isfinite(values), values, 0.0)
        number = np.isfinite(values).sum(axis=1)
        means = np.divide(seen.sum(axis=1), number, out=np.full(number.size, -np.inf), where=number > 0)
        kept = np.argsort(-means, kind="stable")
        values, of_rows = values[kept], [of_rows[i] for i in kept]
    height = max(min(0.24 * len(of_rows), _TALLEST), 0.7)
    ax = sheet.single(ax, (_LEFT + _RIGHT + max(0.75 * len(names), 1.2), _above(names) + height))
    known = values[np.isfinite(values)]
    ends = (float(known.min()), float(known.max())) if known.size else (0.0, 1.0)
    texts = [[rows.number(value, 3) if np.isfinite(value) else "" for value in line] for line in values.tolist()]
    image = _map(ax, values, ends, texts)
    _name_rows(ax, of_rows)
    _name_columns(ax, names)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.08, pad=0.03, aspect=min(6 * height, 60))
    bar.set_label(words.plain(str(ev[next(iter(ev)), names[0], metric].metric)), fontsize=SMALL)
    bar.ax.tick_params(labelsize=TINY)
    return ax


def wins(
    ev: GroupedEvaluation, metric: str | Metric, *, rankers: str | Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw in how many groups the ranker of a row is better than the ranker of a column: wins, ties, losses.

    Parameters
    ----------
    ev : GroupedEvaluation
    metric : str or Metric
        One that was evaluated.
    rankers : str or sequence of str, optional
        At least two; all if absent.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        The colour is the share of groups that are won.

    Raises
    ------
    ParameterError
        If ``ev`` is not an evaluation of groups, or has fewer than two rankers.
    InsufficientDataError
        If there is one group only.

    Examples
    --------
    >>> from hitcurve import evaluate, plot
    >>> scores = {"a": [6, 5, 4, 2, 3, 1], "b": [1, 2, 3, 3, 2, 1]}
    >>> grouped = evaluate([1, 0, 0, 1, 0, 0], scores, by=[1, 1, 1, 2, 2, 2], metrics="auc")
    >>> [text.get_text() for text in plot.wins(grouped, "auc").texts]
    ['1-0-1', '1-0-1']
    """
    names = sheet.chosen(sheet.admitted_groups(ev), rankers)
    if len(names) < 2:
        raise ParameterError("a plot of wins needs at least 2 rankers, got 1")
    share = np.full((len(names), len(names)), np.nan)
    texts = [[""] * len(names) for _ in names]
    for i, first in enumerate(names):
        for j, second in enumerate(names[:i]):
            found = ev.compare(first, second, metric)
            for (a, b), (won, lost) in (
                ((i, j), (found.wins, found.losses)),
                ((j, i), (found.losses, found.wins)),
            ):
                share[a, b] = won / found.n_groups
                texts[a][b] = f"{won}-{found.ties}-{lost}"
    size = 0.8 * len(names)
    ax = sheet.single(ax, (_LEFT + _RIGHT + size, _above(names) + 0.3 + 0.55 * size))
    image = _map(ax, share, (0.0, 1.0), texts, hatch=False)
    _name_rows(ax, names)
    _name_columns(ax, names)
    ax.set_title(words.plain(f"{found.metric}: wins-ties-losses of rows"), fontsize=SMALL)
    bar = ax.figure.colorbar(image, ax=ax, fraction=0.08, pad=0.03)
    bar.set_label("share won", fontsize=SMALL)
    bar.ax.tick_params(labelsize=TINY)
    return ax


def _above(names: Sequence[str]) -> float:
    """Return the inches above a map that the names of its columns take."""
    longest = max(map(len, words.short_names(names).values()))
    return _TOP + _LETTER * max(longest - _SHORT, 0)


def _map(
    ax: Axes, values: Array, ends: tuple[float, float], texts: Sequence[Sequence[str]], *, hatch: bool = True
) -> Any:
    """Draw values as colours, with their texts where all of them fit into their cells; mark what is missing."""
    from matplotlib import colormaps
    from matplotlib.patches import Rectangle

    low, high = ends if ends[0] < ends[1] else (ends[0] - 0.5, ends[1] + 0.5)
    shown = np.where(np.isfinite(values), values, np.nan)
    image = ax.imshow(shown, cmap=colormaps[_MAP].with_extremes(bad=LIGHT), aspect="auto", vmin=low, vmax=high)
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    fits = _fits(ax, values.shape, max((len(text) for line in texts for text in line), default=0))
    for (i, j), value in np.ndenumerate(shown):
        if np.isnan(value):
            if hatch:
                cell = Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, hatch="////", edgecolor=GREY, linewidth=0)
                ax.add_patch(cell)
        elif fits and texts[i][j]:
            ink = "black" if (value - low) / (high - low) > _INK else "white"
            ax.text(j, i, texts[i][j], ha="center", va="center", fontsize=TINY, color=ink)
    return image


def _fits(ax: Axes, shape: tuple[int, ...], signs: int) -> bool:
    """Say whether texts of so many signs fit into the cells of a map of this shape."""
    from matplotlib.font_manager import FontProperties

    box, dots = ax.get_window_extent(), 72 / ax.figure.dpi
    height, width = box.height * dots / shape[0], box.width * dots / shape[1]
    font = FontProperties(size=TINY).get_size_in_points()
    return height > 1.15 * font and width > _SIGN * font * signs


def _name_rows(ax: Axes, names: Iterable[str]) -> None:
    short = list(words.short_names(names).values())
    box = ax.get_window_extent().height * 72 / ax.figure.dpi
    # as many as can be read
    every = max(1, -(-len(short) * 7 // max(int(box), 1)))
    ax.set_yticks(range(0, len(short), every), [words.plain(name) for name in short[::every]], fontsize=TINY)


def _name_columns(ax: Axes, names: Sequence[str]) -> None:
    short = list(words.short_names(names).values())
    ax.xaxis.tick_top()
    long = max(map(len, short)) > _SHORT
    turned: dict[str, Any] = {"rotation": 60, "ha": "left", "rotation_mode": "anchor"} if long else {}
    ax.set_xticks(range(len(short)), [words.plain(name) for name in short], fontsize=SMALL, **turned)
