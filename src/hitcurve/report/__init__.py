"""Results as text in the formats that people pass on."""

from __future__ import annotations

from hitcurve.report.text import FORMATS, render, render_records

__all__ = ["FORMATS", "render", "render_records"]
