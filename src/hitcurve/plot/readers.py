"""Figures of reader studies: curves of readers with their average, differences of readers, components of variance."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from hitcurve import rows
from hitcurve.errors import ParameterError
from hitcurve.plot import sheet, words
from hitcurve.plot.averages import average_curve
from hitcurve.plot.forest import REST, ROW, Row, draw_forest, size_of
from hitcurve.plot.looks import looks_of
from hitcurve.plot.path import traced
from hitcurve.plot.style import COLORS, DARK, GREY, SMALL, TINY, Look, look
from hitcurve.readers import ReaderMetric, ReaderStudy
from hitcurve.readers.curves import rating_cuts, tables_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_THIN = 0.7  # width of the line of one reader, in points
_PALE = 0.45
_MARKERS = ("o", "s", "^", "v")


def reader_curves(
    study: ReaderStudy,
    curve: str = "roc",
    *,
    legend: str = "auto",
    colors: Mapping[str, Any] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the curve of each reader, thin, and the average of each modality, y at the same x.

    Parameters
    ----------
    study : ReaderStudy
    curve : str
        Of a kind whose axis is not magnified: ``roc``, ``precision_recall``, ``accumulation`` and others.
    legend : {"auto", "inside", "outside", "none"}
    colors : mapping of str to color, optional
        Colours of modalities by name.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        Bands are t intervals over readers, point by point. Operating points on the scale of the ratings that were
        evaluated are marked on the ROC curve of each reader.

    Raises
    ------
    ParameterError
        If it is no reader study, or there is no such curve.
    InsufficientDataError
        If a modality has one reader.

    Examples
    --------
    >>> from hitcurve import evaluate_readers, plot
    >>> from hitcurve.datasets import reader_study
    >>> names = {"reader": "reader", "modality": "modality", "case": "case"}
    >>> ax = plot.reader_curves(evaluate_readers("truth", "rating", data=reader_study(), **names))
    >>> ax.get_legend_handles_labels()[1][:2]
    ['digital, area 0.8687', 'film, area 0.7774']
    """
    found = _admitted(study)
    averages = found.average_curves(curve)
    axes: Axes = average_curve(averages, legend=legend, colors=colors, ax=ax)
    looks = looks_of(None, averages, list(averages), colors)
    ends, heights = axes.get_xlim(), axes.get_ylim()
    if curve == "roc":
        _mark_points(axes, found, looks)
    for row, table in enumerate(tables_of(found.readings)):
        line = table.curve(curve)
        x = np.clip(ends, line.x[0], line.x[-1])
        path = traced(line, (float(x[0]), float(x[1])), heights[1] - heights[0])
        style = looks[found.modalities[found.readings.modality_of[row]]]
        axes.plot(path.x, path.y, color=style.color, linewidth=_THIN, alpha=_PALE, zorder=2.5)
    axes.set(xlim=ends, ylim=heights)
    return axes


def _mark_points(axes: Axes, found: ReaderStudy, looks: Mapping[str, Look]) -> None:
    """Mark the operating points that were evaluated on the curves of the readers; each rating has a marker."""
    cuts = rating_cuts(found)
    for place, (label, points) in enumerate(cuts.items()):
        for row, (x, y) in enumerate(points):
            color = looks[found.modalities[found.readings.modality_of[row]]].color
            axes.plot(
                [x],
                [y],
                linestyle="none",
                marker=_MARKERS[place % len(_MARKERS)],
                markersize=5,
                markerfacecolor="white",
                color=color,
                zorder=4,
                gid=sheet.MARK,
                label=words.plain(label) if row == 0 else "_",
            )
    if cuts and axes.get_legend() is not None:
        handles, labels = axes.get_legend_handles_labels()
        axes.legend(handles, labels, fontsize=SMALL, loc="lower right")


def reader_differences(study: ReaderStudy, metric: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw the difference of modalities of each reader and of their mean, with intervals, below each other.

    Intervals of one reader are over cases, that of the mean over what is random in the study.

    Parameters
    ----------
    study : ReaderStudy
    metric : str, Metric or RatingPoint, optional
        The first unless given.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    ParameterError
        If it is no reader study, or has one modality.

    Examples
    --------
    >>> from hitcurve import evaluate_readers, plot
    >>> from hitcurve.datasets import reader_study
    >>> names = {"reader": "reader", "modality": "modality", "case": "case"}
    >>> ax = plot.reader_differences(evaluate_readers("truth", "rating", data=reader_study(), **names))
    >>> " ".join(ax.get_xlabel().split()), [text.get_text() for text in ax.get_yticklabels()][-2:]
    ('difference in auc, digital - film, 95% interval', ['reader 6', 'mean'])
    """
    found = _admitted(study)
    one = _metric(found, metric)
    if not one.differences:
        raise ParameterError("this figure is of differences, and the study has one modality")
    single = len(one.differences) == 1
    lines = []
    for difference in one.differences:
        pair = f"{difference.first} - {difference.second}"
        own = [x for x in one.of_readers if (x.first, x.second) == (difference.first, difference.second)]
        for x in (*own, difference):
            name = "mean" if x.reader is None else f"reader {x.reader}"
            ends = None if math.isnan(x.low) else (x.low, x.high)
            lines.append((Row(name if single else f"{pair}: {name}", x.value, ends), x.reader is None))
    panel: Axes = sheet.single(ax, size_of([row for row, _ in lines]))
    styles = [look(0)._replace(color=DARK if mean else COLORS[0], marker="D" if mean else "o") for _, mean in lines]
    references = [0.0]
    if found.margin is not None:
        worse = found.margin.size if one.metric.lower_is_better else -found.margin.size
        references += [worse] if found.margin.hypothesis == "non-inferiority" else [worse, -worse]
    draw_forest(panel, [row for row, _ in lines], references, styles)
    pair = f", {one.differences[0].first} - {one.differences[0].second}" if single else ""
    level = words.level_text(found.confidence_level)
    panel.set_xlabel(words.broken(f"difference in {one.metric}{pair}, {level}"), fontsize=SMALL)
    return panel


def variance_components(study: ReaderStudy, metric: Any = None, *, ax: Axes | None = None) -> Axes:
    """Draw the variances of the effects of readers, cases and their interactions, on the scale of the metric.

    Parameters
    ----------
    study : ReaderStudy
        Whose readers read with all modalities.
    metric : str, Metric or RatingPoint, optional
        The first unless given.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
        Estimates, some of which may be negative; those of cases are of one reader with one modality and all cases.

    Raises
    ------
    ParameterError
        If it is no reader study, or its effects cannot be separated: one modality, one reader, nested readers.

    Examples
    --------
    >>> from hitcurve import evaluate_readers, plot
    >>> from hitcurve.datasets import reader_study
    >>> names = {"reader": "reader", "modality": "modality", "case": "case"}
    >>> ax = plot.variance_components(evaluate_readers("truth", "rating", data=reader_study(), **names))
    >>> [text.get_text() for text in ax.get_yticklabels()][:3]
    ['reader', 'modality x reader', 'case']
    """
    found = _admitted(study)
    one = _metric(found, metric)
    effects = one.components.of_effects(len(found.modalities))
    if any(math.isnan(value) for value in effects.values()):
        raise ParameterError(
            "effects cannot be separated: this figure needs two or more readers and modalities, all readers with all "
            "modalities"
        )
    panel: Axes = sheet.single(ax, (5.2, REST + ROW * len(effects)))
    places, values = np.arange(len(effects)), np.array(list(effects.values()))
    of_readers = ["reader" in name and "case" not in name for name in effects]
    panel.barh(places, values, height=0.6, color=[COLORS[1] if own else COLORS[0] for own in of_readers], zorder=2)
    panel.axvline(0, color=GREY, linewidth=0.8, zorder=3)
    for place, value in zip(places.tolist(), values.tolist(), strict=True):
        side, shift = ("left", 4) if value >= 0 else ("right", -4)
        beside: dict[str, Any] = {"textcoords": "offset points", "va": "center", "ha": side, "fontsize": TINY}
        panel.annotate(rows.number(value, 3), (value, place), (shift, 0), **beside)
    panel.set_yticks(places, list(effects), fontsize=SMALL)
    panel.invert_yaxis()
    panel.margins(x=0.2)
    panel.tick_params(axis="x", labelsize=SMALL)
    panel.tick_params(axis="y", length=0)
    panel.set_xlabel(words.plain(f"variance of {one.metric}"), fontsize=SMALL)
    return panel


def _admitted(study: Any) -> ReaderStudy:
    if not isinstance(study, ReaderStudy):
        raise ParameterError(
            f"this figure needs a ReaderStudy, got {type(study).__name__}: make one with evaluate_readers"
        )
    return study


def _metric(study: ReaderStudy, metric: Any) -> ReaderMetric:
    return study.results[0] if metric is None else study[metric]
