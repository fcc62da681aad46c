"""The page: one file with charts and controls."""

from __future__ import annotations

from hitcurve.report.html.build import check_page, page, report
from hitcurve.report.html.small import small

__all__ = ["check_page", "page", "report", "small"]
