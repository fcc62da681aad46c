"""Figures as files."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from hitcurve.errors import ParameterError

FIGURES = (".pdf", ".svg", ".png")
_DOTS = 200  # per inch, of formats without lines


def figure_form(output: Path) -> str:
    """Return the format given by the suffix of the file."""
    from hitcurve import _checks
    from hitcurve._writing import check_folder

    _checks.extra("matplotlib", "plot", "a figure").use("Agg")
    from matplotlib.backend_bases import FigureCanvasBase

    there = FigureCanvasBase.get_supported_filetypes()
    form = output.suffix.lower().removeprefix(".")
    if form not in there:
        raise ParameterError(
            f"--output {output} does not end in a format of figures: use {output.stem or 'figure'}.pdf, .svg or .png "
            f"(or {', '.join(sorted(set(there) - {'pdf', 'svg', 'png'}))})"
        )
    check_folder(output)
    return form


def image_of(axes: Any, form: str) -> bytes:
    """Return the figure in a format; the same figure gives the same bytes."""
    import matplotlib
    import numpy as np

    first = np.asarray(axes, object).ravel()[0]
    undated = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "ps": {}, "eps": {}}
    out = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": "hitcurve"}):
        first.figure.savefig(out, format=form, dpi=_DOTS, metadata=undated.get(form))
    return out.getvalue()
