"""Figures as files."""

from __future__ import annotations

import io
from collections.abc import Sequence
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


def figure_of(what: str | None, form: str | None, output: Path | None, there: Sequence[str]) -> str | None:
    """Return what to draw, the first of what is there unless it is named; None if no figure is asked for."""
    from hitcurve import _checks

    is_figure = form is None and output is not None and output.suffix.lower() in FIGURES
    if what is not None:
        _checks.choice("--figure", what, tuple(there))
        if not is_figure:
            raise ParameterError("--figure needs a file: --output NAME.pdf, NAME.svg or NAME.png")
    return (what or there[0]) if is_figure else None


def drawn_as(function: str, result: Any, output: Path) -> bytes:
    """Return what a function of ``hitcurve.plot`` draws of a result, in the format of the file."""
    form = figure_form(output)
    import hitcurve.plot as plot

    return image_of(getattr(plot, function)(result), form)
