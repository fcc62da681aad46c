"""Axes, legends and ticks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.errors import ParameterError
from hitcurve.evaluation import Evaluation, GroupedEvaluation
from hitcurve.plot.style import FAINT, GREY, SMALL, TINY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

AxesArray: TypeAlias = "npt.NDArray[np.object_]"

LEGENDS = ("auto", "inside", "outside", "none")
_CROWDED = 7  # entries of a legend that cover too much of the axes
_SAME = 0.01  # relative difference of prevalences that no line shows
_AROUND = 0.04  # of the axes, that belong to a legend inside of them
_SAMPLES = 400  # points of a line, to see what a legend covers
_BESIDE, _LINE = 2.4, 0.24  # inches: width of a legend beside the axes, and height of one of its entries
RANKER = "hitcurve ranker"  # marks the lines of rankers, so that a second call on the same axes goes on from them
REFERENCE = "hitcurve reference"
BAND = "hitcurve band"
MARK = "hitcurve mark"  # of a finding, which no legend may cover


# ---- what is drawn


def admitted(ev: Any) -> Evaluation:
    """Return an evaluation as it is.

    Raises
    ------
    ParameterError
        If it is none.
    """
    if isinstance(ev, GroupedEvaluation):
        raise ParameterError(
            f"a figure of one list needs an Evaluation, got the {len(ev)} groups of a GroupedEvaluation: draw "
            "one of them (ev['group']), or all by plot.average_curve, plot.small_multiples, plot.groups or plot.heatmap"
        )
    if not isinstance(ev, Evaluation):
        raise ParameterError(f"a figure needs an Evaluation, got {type(ev).__name__}: make one with evaluate")
    return ev


def admitted_groups(ev: Any) -> GroupedEvaluation:
    """Return an evaluation of groups as it is.

    Raises
    ------
    ParameterError
        If it is none.
    """
    if not isinstance(ev, GroupedEvaluation):
        raise ParameterError(
            f"a figure of groups needs a GroupedEvaluation, got {type(ev).__name__}: evaluate with by=..."
        )
    return ev


def chosen(ev: Evaluation | GroupedEvaluation, rankers: str | Iterable[str] | None) -> tuple[str, ...]:
    """Return the rankers to draw, all of them if none is named.

    Raises
    ------
    ParameterError
        If one was not evaluated, or none is left.
    """
    if rankers is None:
        return ev.rankers
    whole = (int, np.integer)
    given: Any = rankers
    if isinstance(given, (str, *whole)) and not isinstance(given, bool):
        given = (given,)
    if not isinstance(given, Iterable):
        raise ParameterError(f"rankers must be names, got {rankers!r}")
    names = tuple(str(name) if isinstance(name, whole) else name for name in given)
    if not names:
        raise ParameterError("rankers must name at least one ranker, got none")
    _checks.distinct("ranker", names)
    return tuple(_checks.choice("ranker", name, ev.rankers) for name in names)


def one_prevalence(ev: Evaluation, names: tuple[str, ...], what: str) -> float:
    """Return the prevalence of all rankers.

    Raises
    ------
    ParameterError
        If they differ by more than a line would show.
    """
    values = [ev.tables[name].prevalence for name in names]
    if max(values) > min(values) * (1 + _SAME):
        verb = "needs" if what.startswith("a ") else "need"
        raise ParameterError(
            f"{what} {verb} one prevalence, and the prevalences of the rankers go from {min(values):.4g} to "
            f"{max(values):.4g}: evaluate at one (prevalence=...)"
        )
    return values[0]


# ---- axes


def single(ax: Axes | None, size: tuple[float, float] = (5.2, 4.2), *, entries: int = 0, legend: str = "auto") -> Axes:
    """Return the axes that were given, or new ones with room for a legend of so many entries where it is drawn beside.

    Raises
    ------
    ParameterError
        If what was given is no axes.
    MissingExtraError
        If matplotlib is not installed.
    """
    pyplot = _checks.extra("matplotlib.pyplot", "plot", "a picture")
    if ax is None:
        width, height = size
        if _is_outside(legend, entries):
            width, height = width + _BESIDE, max(height, entries * _LINE)
        made: Axes = pyplot.subplots(figsize=(width, height), layout="constrained")[1]
        return made
    if not _are_axes(ax):
        raise ParameterError(f"ax must be matplotlib axes, got {_kind(ax)}")
    return ax


def several(
    ax: Any,
    count: int,
    size: tuple[float, float],
    *,
    columns: int = 3,
    share_y: bool = False,
    legend: str = "none",
    entries: Sequence[int] = (),
) -> AxesArray:
    """Return the axes that were given, as many as are needed, or new ones side by side, with room for their legends.

    Raises
    ------
    ParameterError
        If there are not so many, or one of them is no axes.
    """
    pyplot = _checks.extra("matplotlib.pyplot", "plot", "a picture")
    if ax is None:
        across = min(count, columns)
        down = -(-count // across)
        beside = [number for number in entries if _is_outside(legend, number)]
        width = size[0] * across + _BESIDE * min(len(beside), across)
        height = max([size[1], *(number * _LINE for number in beside)]) * down
        figure, grid = pyplot.subplots(
            down,
            across,
            figsize=(width, height),
            layout="constrained",
            squeeze=False,
            sharey=share_y,
        )
        for spare in grid.ravel()[count:]:
            figure.delaxes(spare)
        return np.asarray(grid.ravel()[:count], object)
    given = np.asarray(ax, object).ravel()
    if given.size != count or not all(map(_are_axes, given)):
        strange = next((_kind(one) for one in given if not _are_axes(one)), f"{given.size} axes")
        raise ParameterError(f"ax must be {count} matplotlib axes, got {strange}")
    return given


def _are_axes(thing: Any) -> bool:
    from matplotlib.axes import Axes

    return isinstance(thing, Axes)


def _kind(thing: Any) -> str:
    return f"an array of {thing.size}" if isinstance(thing, np.ndarray) else type(thing).__name__


def marked(ax: Axes, mark: str) -> list[Any]:
    """Return the artists that were drawn on the axes under a mark before."""
    return [artist for artist in ax.get_children() if artist.get_gid() == mark]


def explain_bands(ax: Axes, texts: Iterable[str]) -> None:
    """Say in the legend what filled bands are, each text once; in grey, as rankers have their own colours."""
    for text in dict.fromkeys(texts):
        if text not in ax.get_legend_handles_labels()[1]:
            ax.fill_between([], [], color=GREY, alpha=2 * FAINT, linewidth=0, label=text)


# ---- legend


def legend(ax: Axes, title: str = "", where: str = "auto", *, widens: bool = False) -> None:
    """Draw the legend of all that has a label on the axes, rankers first.

    Beside the axes where it would cover too much of them, or a band.

    Parameters
    ----------
    ax : matplotlib.axes.Axes
    title : str
    where : {"auto", "inside", "outside", "none"}
    widens : bool
        Whether the figure may grow by a legend beside the axes.
    """
    _checks.choice("legend", where, LEGENDS)
    found = [
        (handle, label)
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)
        if label and not label.isspace()
    ]
    if where == "none" or not found:
        return
    found.sort(key=lambda pair: getattr(pair[0], "get_gid", lambda: None)() != RANKER)
    handles, labels = zip(*found, strict=True)
    swatches = {tuple(band.get_facecolor()[0][:3]): band for band in marked(ax, BAND)}
    handles = tuple(_with_swatch(handle, swatches) for handle in handles)
    outside = _is_outside(where, len(found), ax)

    def put(outside: bool) -> Any:
        place = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0)} if outside else {"loc": "upper right"}
        box = ax.legend(
            handles,
            labels,
            title=title or None,
            fontsize=TINY if len(found) >= _CROWDED else SMALL,
            title_fontsize=SMALL,
            alignment="left",
            **place,
        )
        box.set_zorder(10)
        return box

    box = put(outside)
    if outside:
        return
    extent = box.get_window_extent().transformed(ax.transAxes.inverted())
    corner, covered = _emptiest(ax, extent.width, extent.height)
    if where == "auto" and widens and covered > _COVERED:
        figure: Any = ax.figure
        figure.set_size_inches(figure.get_figwidth() + _BESIDE, figure.get_figheight())
        put(True)
        return
    box.set_loc(corner)


def _with_swatch(handle: Any, bands: Mapping[tuple[float, ...], Any]) -> Any:
    """Return the handle of a ranker on the swatch of its band, if it has one."""
    from matplotlib.colors import to_rgb

    if handle.get_gid() != RANKER or not hasattr(handle, "get_color"):
        return handle
    band = bands.get(to_rgb(handle.get_color()))
    return handle if band is None else (band, handle)


def makes_room(ax: Axes | None) -> bool:
    """Say whether the figure moves its axes so that what is beside them is seen; new figures do."""
    figure: Any = getattr(ax, "figure", None)
    return figure is None or figure.get_layout_engine() is not None


def _is_outside(where: str, entries: int, ax: Axes | None = None) -> bool:
    return where == "outside" or (where == "auto" and entries >= _CROWDED and makes_room(ax))


_MATTERS = {
    RANKER: 3.0,
    MARK: 3.0,
    BAND: 1.0,
}  # how much it matters what a legend covers, by length in parts of the axes
_ON_BANDS = 1.0  # the same for a legend that lies on bands altogether
_COVERED = 0.05  # part of a legend on bands from which on it is better beside the axes
_GRID = 40  # points on each side of the axes, to see what bands fill
_LATER = 0.02  # how much more each place of these is worth than the next
Corner: TypeAlias = Literal[
    "upper right",
    "lower right",
    "upper left",
    "lower left",
    "center right",
    "upper center",
    "lower center",
    "center left",
    "center",
]
_CORNERS: dict[Corner, tuple[float, float]] = {
    "upper right": (1.0, 1.0),
    "lower right": (1.0, 0.0),
    "upper left": (0.0, 1.0),
    "lower left": (0.0, 0.0),
    "center right": (1.0, 0.5),
    "upper center": (0.5, 1.0),
    "lower center": (0.5, 0.0),
    "center left": (0.0, 0.5),
    "center": (0.5, 0.5),
}


def _emptiest(ax: Axes, width: float, height: float) -> tuple[Corner, float]:
    """Return where a legend of this size, in parts of the axes, covers least of the lines of rankers and their bands.

    And how much of it lies on bands there, as a part of the legend.

    What matplotlib calls the best place counts references and shaded regions as much as them.
    """
    drawn = [(line.get_transform().transform(line.get_xydata()), line.get_gid()) for line in ax.lines]
    for band in marked(ax, BAND):
        drawn += [(ax.transData.transform(path.vertices), BAND) for path in band.get_paths()]
    drawn += [(bar.get_transform().transform(bar.get_path().vertices), RANKER) for bar in ax.patches]
    points, weights = [], []
    for vertices, mark in drawn:
        ends = ax.transAxes.inverted().transform(vertices)
        ends = ends[np.all(np.isfinite(ends), axis=1)]
        if len(ends) > 1:
            length = np.append(0.0, np.cumsum(np.hypot(*np.diff(ends, axis=0).T)))
            along = np.linspace(0, length[-1], _SAMPLES)
            points.append(np.column_stack([np.interp(along, length, ends[:, i]) for i in (0, 1)]))
            weights.append(np.full(_SAMPLES, length[-1] / _SAMPLES * _MATTERS.get(str(mark), 0.05)))
    if not points:
        return next(iter(_CORNERS)), 0.0
    x, y, weight = *np.concatenate(points).T, np.concatenate(weights)
    width, height = width + _AROUND, height + _AROUND

    cells, filled = _filled(ax)

    def within(where: Array, corner: tuple[float, float]) -> npt.NDArray[np.bool_]:
        left, bottom = (at * (1 - size) for at, size in zip(corner, (width, height), strict=True))
        across = (where[:, 0] >= left) & (where[:, 0] <= left + width)
        return np.asarray(across & (where[:, 1] >= bottom) & (where[:, 1] <= bottom + height))

    lines = np.column_stack([x, y])
    covered = [float(filled[within(cells, corner)].mean()) for corner in _CORNERS.values()]
    costs = [
        float(weight[within(lines, corner)].sum()) + covered[place] * _ON_BANDS + place * _LATER
        for place, corner in enumerate(_CORNERS.values())
    ]
    best = int(np.argmin(costs))
    return list(_CORNERS)[best], covered[best]


def _filled(ax: Axes) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return a grid over the axes, in parts of them, and which of its points lie on a band."""
    at = (np.arange(_GRID) + 0.5) / _GRID
    cells = np.stack(np.meshgrid(at, at), axis=-1).reshape(-1, 2)
    filled = np.zeros(len(cells), bool)
    for band in marked(ax, BAND):
        for path in band.get_paths():
            filled |= ax.transAxes.inverted().transform_path(ax.transData.transform_path(path)).contains_points(cells)
    return cells, filled


# ---- scales and ticks


def number_ticks(axis: Axis) -> None:
    """Write the ticks of a logarithmic axis as numbers: 0.001, 0.01, 0.1."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(10, numticks=9))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(NullFormatter())


def ticks_at(axis: Axis, places: Sequence[float], values: Sequence[float]) -> None:
    """Put ticks at places of an axis and write values there."""
    axis.set_ticks(list(places), [f"{value:g}" for value in values])
