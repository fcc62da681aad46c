"""Texts and ticks of charts that stay as they are: SVG, without a script."""

from __future__ import annotations

import numpy as np

from hitcurve import rows
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
