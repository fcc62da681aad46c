"""An evaluation in a notebook: a table, and nothing that moves."""

from __future__ import annotations

import html

from hitcurve import rows
from hitcurve.evaluation.shown import Shown

_STYLE = (
    "<style>.hitcurve{font-variant-numeric:tabular-nums}.hitcurve p{margin:.3em 0}"
    ".hitcurve table{border-collapse:collapse}.hitcurve th,.hitcurve td{padding:.25em .7em;text-align:right}"
    ".hitcurve td:not(:last-child){white-space:nowrap}"
    ".hitcurve th:first-child,.hitcurve :is(th,td):last-child{text-align:left}</style>"
)


def small(ev: Shown) -> str:
    """Return the numbers as a small table in HTML, for notebooks; of groups the means over them."""
    header, body = ev.table_rows()
    parts = [_paragraphs(ev.heading()), _table(header, body)]
    tie_header, tie_body, note = ev.tie_rows()
    if tie_body:
        parts += [_table(tie_header, tie_body), _paragraphs([note] if note else [])]
    parts.append(_paragraphs(ev.about_intervals().splitlines()))
    parts.append(_paragraphs(ev.warning_lines()))
    return f'<div class="hitcurve">{_STYLE}{"".join(parts)}</div>'


def _paragraphs(lines: list[str]) -> str:
    return "".join(f"<p>{_escaped(line)}</p>" for line in lines)


def _table(header: list[str], body: list[list[str]]) -> str:
    head = "".join(f'<th scope="col">{_escaped(text)}</th>' for text in header)
    lines = []
    for first, *rest in body:
        cells = "".join(f"<td>{_escaped(text)}</td>" for text in rest)
        lines.append(f'<tr><th scope="row">{_escaped(first)}</th>{cells}</tr>')
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table>"


def _escaped(text: str) -> str:
    return html.escape(rows.visible(text))
