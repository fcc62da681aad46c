"""The page of a screen: a table of all markers, p values against effects, and the curve of the marker chosen."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import HitcurveError, ParameterError
from hitcurve.report.html import words
from hitcurve.report.html.template import file_of, rendered, seen
from hitcurve.screens import GroupScreens, Screen
from hitcurve.screens.engine import HIGH, LOW
from hitcurve.screens.passing import NUMBERS
from hitcurve.screens.together import Markers

_TITLE = "Markers against one outcome"
_MOST = 50_000  # markers; the file has about 300 bytes for each
_POINTS = 64  # of a curve, more of them at the top of the list
_DIGITS = 5
_WHOLE = 65535  # a recall of 1, in 16 bits
_BEST = 10


def page(found: Any, title: str | None = None, *, date: str | None = None) -> str:
    """Return the page of a screen; see :func:`hitcurve.report`.

    Raises
    ------
    ParameterError
        If there are too many markers, or several outcomes or groups.
    """
    if isinstance(found, GroupScreens):
        group = next(iter(found))
        raise ParameterError(
            f"an HTML report is of one screen: write the report of a group, as in report(found[{group!r}], path)"
        )
    if not isinstance(found, Screen):
        raise ParameterError(f"a report of markers needs a Screen, got {type(found).__name__}")
    if len(found) > _MOST:
        raise ParameterError(
            f"an HTML report shows at most {_MOST:,} markers, got {len(found):,}: screen fewer, or write to_csv()"
        )
    names = [*found.names, *map(str, found.metrics)]
    warned = [str(one) for one in found.warnings]
    notes = [note for note in found.notes() if not note.startswith("warning: ")]
    shares, recalls = curves(found)
    header, body = found.table_rows(_BEST)
    return rendered(
        "screen",
        title=title or _TITLE,
        lead=found.heading(),
        notes=[words.sentence(note, names) for note in notes],
        warnings=[words.sentence(one, names) for one in warned],
        best=_best(found),
        header=header,
        body=body,
        metrics=list(map(str, found.metrics)),
        data=seen(data(found)) | {"shares": shares, "recalls": recalls},
        style=file_of("screen.css"),
        scripts=[file_of("sheet.js") + file_of("screen.js")],
        date=date,
    )


def _best(found: Screen) -> dict[str, Any] | None:
    """Return the best markers with values that know that they were chosen; None where there are none."""
    try:
        top = found.top(min(_BEST, len(found)))
    except HitcurveError:  # too few subjects, or a metric without influence values
        return None
    header, body = top.table_rows()
    names = [*found.names, *map(str, found.metrics)]
    return {"header": header, "body": body, "notes": [words.sentence(note, names) for note in top.notes()]}


def data(found: Screen) -> dict[str, Any]:
    """Return what the script shows: columns of numbers, each in the order of the markers."""
    metrics = []
    for place, metric in enumerate(found.metrics):
        ends = found.interval(metric)
        effect = found.value[place] - found.random(metric)
        metrics.append(
            {
                "name": str(metric),
                "lower": metric.lower_is_better,
                "value": _short(found.value[place]),
                "low": _short(ends.low),
                "high": _short(ends.high),
                "p": _short(found.pvalue[place]),
                "adjusted": _short(found.adjusted[place]),
                "rank": found.rank(metric).tolist(),
                "effect": _short(effect),
            }
        )
    low = found.low_first
    return {
        "names": list(found.names),
        "metrics": metrics,
        "order": found.order().tolist(),
        "low": np.flatnonzero(low).tolist(),
        "sides": bool(low.any() and not low.all()),
        "missing": found.missing.tolist() if found.missing.any() else None,
        "n_pos": found.n_pos.tolist() if found.missing.any() else int(found.n_pos[0]),
        "n": (found.n_pos + found.n_neg).tolist() if found.missing.any() else int(found.n_pos[0] + found.n_neg[0]),
        "prevalence": found.subjects.prevalence,
        "level": rows.short(100 * found.confidence_level),
    }


def _short(values: Array) -> list[float | None]:
    """Return numbers of a few digits; nan is None."""
    return [None if np.isnan(x) else float(f"{x:.{_DIGITS}g}") for x in np.asarray(values, float).tolist()]


def curves(found: Screen) -> tuple[list[float], str]:
    """Return fractions of the list, and the fraction of the positives in each of them for every marker.

    Between two distinct values the curve is straight, as it is on average over the orders of ties. Numbers of 16 bits,
    marker after marker, in base 64.
    """
    share: Array = np.linspace(0, 1, _POINTS) ** 2
    out: AnyArray = np.zeros((len(found), _POINTS), "<u2")
    directions = np.full(len(found.columns.names), HIGH)
    directions[found.places] = np.where(found.low_first, LOW, HIGH)
    markers = Markers(found.columns, found.places, found.names, found.subjects, directions)
    for block, places in markers.blocks(NUMBERS):
        lists = markers.lists(block)
        size = np.cumsum(lists.pos + lists.neg, axis=1)
        hits = np.cumsum(lists.pos, axis=1)
        for i in np.flatnonzero(places >= 0).tolist():
            x = np.concatenate([[0], size[i] / size[i, -1]])
            y = np.concatenate([[0], hits[i] / hits[i, -1]])
            out[places[i]] = np.rint(np.interp(share, x, y) * _WHOLE)
    return [float(f"{x:.6g}") for x in share.tolist()], base64.b64encode(out.tobytes()).decode()
