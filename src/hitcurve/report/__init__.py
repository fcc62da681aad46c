"""Results as text in the formats that people pass on, and as a page: ``hitcurve.report(evaluation, path)``."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from hitcurve._progress import Progress
from hitcurve.evaluation import Evaluation, GroupedEvaluation
from hitcurve.report.columns import file_of, file_of_columns
from hitcurve.report.html import page, report, small
from hitcurve.report.text import FORMATS, render, render_records, rows_of

if TYPE_CHECKING:
    from hitcurve.evaluation.meta import MetaAnalysis
    from hitcurve.evaluation.over_time.by_day import Drift
    from hitcurve.inference.linear.gap import Gap
    from hitcurve.readers import ReaderStudy
    from hitcurve.screens import Screen
    from hitcurve.survival import SurvivalEvaluation

__all__ = [
    "FORMATS",
    "file_of",
    "file_of_columns",
    "page",
    "render",
    "render_records",
    "report",
    "rows_of",
    "small",
]


class _Room(ModuleType):
    """A room that is also the function it is known for."""

    def __call__(
        self,
        ev: Evaluation | GroupedEvaluation | Screen | ReaderStudy | SurvivalEvaluation | Gap | MetaAnalysis | Drift,
        path: str | Path,
        title: str | None = None,
        *,
        baseline: str | None = None,
        date: str | None = None,
        colors: Mapping[str, str] | None = None,
        progress: Progress = False,
    ) -> Path:
        return report(ev, path, title, baseline=baseline, date=date, colors=colors, progress=progress)


sys.modules[__name__].__class__ = _Room
