"""The page of labels that are wrong in a known way: corrected values with intervals, curves and comparisons.

Bands and what follows a control have no error for wrong labels, so the page has no script.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.curve import Curve
from hitcurve.evaluation import Evaluation
from hitcurve.report.html import words
from hitcurve.report.html.still import tables_of_tests, text_at, ticks
from hitcurve.report.html.template import markup, rendered

_CURVES = {
    "roc": ("ROC curve", "false positive rate", "true positive rate"),
    "precision_recall": ("Precision-recall curve", "recall", "precision"),
}
_WIDTH, _HEIGHT = 520.0, 400.0
_LEFT, _RIGHT, _TOP, _BOTTOM, _LINE = 52.0, 8.0, 8.0, 46.0, 18.0
_HINT = (
    "Values, intervals and curves are those that right labels would have given. Curves follow the nearest rates that "
    "never run back. Bands and the controls of other reports are left out: they have no error for wrong labels."
)


def page(ev: Evaluation, title: str, *, baseline: str | None, date: str | None, style: str) -> str:
    """Return the page; see :func:`hitcurve.report`.

    Parameters
    ----------
    style : str
        Colours that are given, as a style sheet.
    """
    names = [*(word for name in ev.rankers for word in name.split()[:1]), *map(str, ev.metrics)]
    header, body = ev.table_rows()
    tie_header, tie_body, tie_note = ev.tie_rows()
    sections = [{"title": "Metrics with intervals", "header": header, "body": body}]
    sections += [{"title": "Order of ties", "header": tie_header, "body": tie_body}] if tie_body else []
    about = [*ev.about_cuts().splitlines(), *ev.about_intervals().splitlines(), *([tie_note] if tie_body else [])]
    compared = {str(m): partial(ev.compare_all, m, baseline=baseline) for m in ev.metrics if len(ev.rankers) > 1}
    tests, why = tables_of_tests(compared, names)
    return rendered(
        "still",
        title=title,
        lead=[words.sentence(line, names) for line in ev.heading()],
        warnings=[words.sentence(str(one), names) for one in ev.warnings],
        charts=[{"caption": own[0], "svg": markup(chart(ev, kind))} for kind, own in _CURVES.items()],
        means=[],
        about={"charts": "Corrected curves", "hint": _HINT, "numbers": "Results"},
        sections=sections,
        notes=[words.sentence(line, names) for line in [*about, *why] if line],
        tests=tests,
        methods=[line for line in ev.methods_text().strip().splitlines() if line],
        style=style,
        date=date,
    )


def chart(ev: Evaluation, kind: str) -> str:
    """Return one curve of all rankers as SVG, with the names of the rankers below."""
    caption, along, up = _CURVES[kind]
    deep = _HEIGHT + _LINE * len(ev.rankers)
    out = [f'<svg viewBox="0 0 {_WIDTH:g} {deep:g}" role="img" aria-label="{rows.html_text(caption)}">']
    below = _HEIGHT - _BOTTOM
    for tick in ticks(0.0, 1.0):
        across, height = _place(tick, tick)
        out.append(f'<path d="M{_LEFT:g} {height:.1f}H{_WIDTH - _RIGHT:g}" stroke="var(--line)"/>')
        out.append(text_at(_LEFT - 6, height + 4, f"{tick:g}", "end"))
        out.append(text_at(across, below + 17, f"{tick:g}", "middle"))
    out.append(text_at((_LEFT + _WIDTH) / 2, below + 36, f"{along} (upwards: {up})", "middle"))
    for place, (name, table) in enumerate(ev.tables.items()):
        colour, at = f"var(--ranker-{place})", _HEIGHT + _LINE * (place + 0.4)
        points = " ".join(_points(table.curve(kind)))
        out.append(f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out.append(f'<path d="M{_LEFT:g} {at - 4:.1f}h24" stroke="{colour}" stroke-width="3"/>')
        out.append(text_at(_LEFT + 32, at, name, "start"))
    return "".join([*out, "</svg>"])


def _place(x: Any, y: Any) -> tuple[Any, Any]:
    return _LEFT + x * (_WIDTH - _LEFT - _RIGHT), _TOP + (1 - y) * (_HEIGHT - _TOP - _BOTTOM)


def _points(curve: Curve) -> Iterator[str]:
    """Yield the places of a curve to a tenth of a unit, each once."""
    there = np.isfinite(curve.y)
    x, y = (np.round(side, 1) for side in _place(curve.x[there], curve.y[there]))
    new = np.append(True, (np.diff(x) != 0) | (np.diff(y) != 0))
    return (f"{a:.1f},{b:.1f}" for a, b in zip(x[new].tolist(), y[new].tolist(), strict=True))
