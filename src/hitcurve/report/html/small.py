"""HTML table of an evaluation for notebooks."""

from __future__ import annotations

from hitcurve import rows
from hitcurve.evaluation.shown import Shown


def small(ev: Shown, *, standard_error: bool = False) -> str:
    """Return the numbers as a small table in HTML, for notebooks; of groups the means over them."""
    header, body = ev.table_rows(standard_error=standard_error)
    levelled = ev.levelled(header, body, standard_error=standard_error)
    parts = [rows.html_paragraphs(ev.heading()), rows.html_table(levelled, body)]
    tie_header, tie_body, note = ev.tie_rows()
    if tie_body:
        parts += [rows.html_table(tie_header, tie_body), rows.html_paragraphs([note] if note else [])]
    parts.append(rows.html_paragraphs([*ev.about_cuts().splitlines(), *ev.about_intervals().splitlines()]))
    parts.append(rows.html_paragraphs(ev.warning_lines()))
    return rows.html_block(parts)
