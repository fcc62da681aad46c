"""The page of a reader study: curves of all readers with the average, differences of each reader, all tables."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.groups.lines import points_of
from hitcurve.readers import ReaderDifference, ReaderMetric, ReaderStudy
from hitcurve.readers.curves import tables_of
from hitcurve.report.html import words
from hitcurve.report.html.template import file_of, rendered, seen

_TITLE = "Reader study"
_CURVES = {"roc": "ROC", "precision_recall": "precision-recall", "accumulation": "positives found"}
_MOST = 400  # lines of a chart, for which the file stays below 3 MB
_POINTS = 201  # of a curve with more vertices than this


def page(found: ReaderStudy, title: str | None = None, *, date: str | None = None) -> str:
    """Return the page of a reader study; see :func:`hitcurve.report`.

    Raises
    ------
    ParameterError
        If there are too many readers and modalities.
    """
    if len(found.readings.ratings) > _MOST:
        raise ParameterError(
            f"an HTML report shows at most {_MOST} readers times modalities, got {len(found.readings.ratings)}: write "
            "to_markdown() or to_csv()"
        )
    names = [*found.readers, *found.modalities, *map(str, found.metrics)]
    return rendered(
        "readers",
        title=title or _TITLE,
        lead=[words.sentence(line, names) for line in found.heading()],
        notes=[words.sentence(note, names) for note in found.notes()],
        sections=[section._asdict() for section in found.sections()],
        modalities=found.modalities,
        metrics=[str(one.metric) for one in found],
        curves=_CURVES,
        differ=len(found.modalities) > 1,
        data=seen(data(found)),
        style=file_of("screen.css"),
        scripts=[file_of("sheet.js") + file_of("readers.js")],
        date=date,
    )


def data(found: ReaderStudy) -> dict[str, Any]:
    """Return what the script draws."""
    tables, readings = tables_of(found.readings), found.readings
    curves: dict[str, Any] = {}
    for kind in _CURVES:
        lines = [table.curve(kind) for table in tables]
        curves[kind] = {
            "labels": [lines[0].x_label, lines[0].y_label],
            "lines": [_points(*points_of(line)) for line in lines],
            "average": _averages(found, kind),
        }
    return {
        "modalities": list(found.modalities),
        "readers": list(found.readers),
        "modality": readings.modality_of.tolist(),
        "reader": readings.reader_of.tolist(),
        "curves": curves,
        "forests": [_forest(found, one) for one in found],
        "level": rows.short(100 * found.confidence_level),
    }


def _averages(found: ReaderStudy, kind: str) -> list[list[list[float]]]:
    try:
        return [_points(one.x, one.y) for one in found.average_curves(kind).values()]
    except InsufficientDataError:  # of one reader
        return []


def _points(x: Array, y: Array) -> list[list[float]]:
    """Return the points of a line, of a long one some of them."""
    there = np.isfinite(x) & np.isfinite(y)
    x, y = x[there], y[there]
    if x.size > _POINTS:
        kept = np.unique(np.linspace(0, x.size - 1, _POINTS).round().astype(int))
        x, y = x[kept], y[kept]
    return np.round(np.column_stack([x, y]), 4).tolist()  # type: ignore[no-any-return]


def _forest(found: ReaderStudy, one: ReaderMetric) -> dict[str, Any]:
    lines: list[dict[str, Any]] = []
    for difference in one.differences:
        own = [x for x in one.of_readers if (x.first, x.second) == (difference.first, difference.second)]
        lines += [_row(x, several=len(one.differences) > 1) for x in (*own, difference)]
    margins: Sequence[float] = ()
    if found.margin is not None:
        worse = found.margin.size if one.metric.lower_is_better else -found.margin.size
        margins = [worse] if found.margin.hypothesis == "non-inferiority" else [worse, -worse]
    first = one.differences[0] if one.differences else None
    pair = f", {first.first} - {first.second}" if first is not None and len(one.differences) == 1 else ""
    return {"label": f"difference in {one.metric}{pair}", "rows": lines, "margins": list(margins)}


def _row(difference: ReaderDifference, *, several: bool) -> dict[str, Any]:
    name = "mean" if difference.reader is None else f"reader {difference.reader}"
    ends = None if math.isnan(difference.low) else (difference.low, difference.high)
    return {
        "name": f"{difference.first} - {difference.second}: {name}" if several else name,
        "value": difference.value,
        "ends": ends,
        "text": rows.with_interval(difference.value, ends),
        "mean": difference.reader is None,
    }
