"""Texts and ticks of charts that stay as they are, SVG without a script, and tables of tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.errors import HitcurveError
from hitcurve.inference import Comparisons
from hitcurve.report.html import words
from hitcurve.report.html.template import seen

TICKS = 5


def text_at(x: float, y: float, text: str, anchor: str) -> str:
    """Return a text of a chart, as SVG."""
    shown = rows.html_text(seen(text))
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12" fill="var(--soft)">{shown}</text>'


def ticks(low: float, high: float) -> list[float]:
    """Return round numbers that span a range."""
    width = (high - low) / TICKS or 1.0
    power = 10.0 ** np.floor(np.log10(width))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= width)
    first, last = np.floor(low / step), np.ceil(high / step)
    return [float(f"{step * place:.10g}") for place in np.arange(first, last + 1)]


def tables_of_tests(
    compared: Mapping[str, Callable[[], Comparisons]], names: Sequence[str]
) -> tuple[list[dict[str, Any]], list[str]]:
    """Return tables of comparisons with their notes, and why some are missing.

    Parameters
    ----------
    compared : mapping of str to callable
        Comparisons by their title.
    names : sequence of str
        Words that keep their small letters.
    """
    tables, why = [], []
    for title, compare in compared.items():
        try:
            found = compare()
        except HitcurveError as error:  # too few subjects, or values without errors
            why.append(f"no comparison by {title}: {error}")
            continue
        header, body = found.table_rows()
        notes = [words.sentence(line, names) for line in found.notes()]
        tables.append({"title": title, "header": header, "body": body, "notes": notes})
    return tables, why
