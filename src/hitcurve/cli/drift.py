"""The command that looks for changes over days."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Annotated

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.outputs import Part, Writer
from hitcurve.cli.shares import of_level
from hitcurve.cli.streams import tell
from hitcurve.cli.tables import StoredFiles
from hitcurve.errors import ParameterError


def drift(
    file: StoredFiles,
    metric: Annotated[
        str, typer.Option("--metric", "-m", autocompletion=offered.metrics, help="Metric.", rich_help_panel="Metrics")
    ] = "auc",
    ranker: Annotated[
        str | None, typer.Option("--ranker", "--score", "-s", help="Ranker, if files have several.")
    ] = None,
    confidence_level: Annotated[
        float,
        of_level("of the intervals of all days together; one minus it is the level of the test of changes."),
    ] = 0.95,
    seed: opt.Seed = None,
    form: opt.FormatOrPage = None,
    output: opt.Output = None,
) -> None:
    """Look for changes of a metric over days, of which each has a file of hit tables.

    Files are days in the order given; a wildcard gives alphabetical order, in which day10 comes before day2, and a
    note says so. --output NAME.png (.svg, .pdf) draws them,
    and --output NAME.html writes a page.

    [bold]Example[/bold]

    hitcurve drift 'day*.hit' --metric ap --output drift.svg
    """
    from hitcurve.cli.images import FIGURES, drawn_as
    from hitcurve.cli.stored import chosen, copies, stored_files
    from hitcurve.evaluation import drift as find
    from hitcurve.evaluation.over_time.by_day import too_few_days
    from hitcurve.sources.files import names_after
    from hitcurve.table import HitTable

    is_figure = form is None and output is not None and output.suffix.lower() in FIGURES
    writer = None if is_figure else Writer.of(form, output, has_page=True)
    found = stored_files(file)
    if len(found) < 2:
        way = "; name a file of each day, or a wildcard in quotes, such as 'day*.hit'"
        raise ParameterError(too_few_days(list(found), way))
    _tell_of_order(list(found))
    days = {}
    for name, tables in zip(names_after(list(map(Path, found))), found.values(), strict=True):
        if ranker is None and len(tables) > 1:
            raise ParameterError(f"{name} has {len(tables)} rankers: choose one with --ranker ({', '.join(tables)})")
        days[name] = chosen(tables, () if ranker is None else (ranker,), name)
        if not all(isinstance(table, HitTable) for table in days[name].values()):
            raise ParameterError(f"{name} has groups, and a day is one list: count it without --by")
    for note in copies(dict(zip(found, days.values(), strict=True))):
        tell(f"note: {note}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = find(days, metric, confidence_level=confidence_level, rng=seed)
    if writer is None:
        assert output is not None
        Writer("text", output).put(drawn_as("drift", result, output))
        return
    if writer.form == "html":
        from hitcurve.report import page

        writer.put(page(result))
        return
    of_days, of_levels = result.sections()
    changes = [change._asdict() for change in result.changes]
    parts = [
        Part("days", [*result.heading(), *result.notes()], result.to_records(), of_days.header, of_days.body),
        Part("changes", (), changes, of_levels.header, of_levels.body),
    ]
    writer.parts(parts)


def _tell_of_order(names: list[str]) -> None:
    """Say that days are in alphabetical order, where that is not the order of their numbers."""
    in_order = sorted(names, key=lambda name: [(text, int(x or 0)) for text, x in re.findall(r"(\D*)(\d*)", name)])
    if names == sorted(names) and names != in_order:
        early, late = next(pair for pair in zip(names, in_order, strict=True) if pair[0] != pair[1])
        tell(f"note: days are in alphabetical order, {early} before {late}: name them in the order that is meant")
