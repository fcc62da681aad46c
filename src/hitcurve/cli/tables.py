"""The commands that write and merge files of hit tables."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitcurve.cli import options as opt
from hitcurve.cli.inputs import Subjects
from hitcurve.cli.limits import Limited
from hitcurve.cli.stored import added, are_stored, stored_files
from hitcurve.cli.streams import say, tell
from hitcurve.errors import ParameterError

if TYPE_CHECKING:
    from hitcurve.tables import Tables

_OTHERS = (
    ".csv",
    ".tsv",
    ".txt",
    ".json",
    ".jsonl",
    ".html",
    ".md",
    ".tex",
    ".parquet",
    ".xlsx",
    ".png",
    ".svg",
    ".pdf",
)
OutputOfTables = Annotated[
    Path,
    typer.Option("--output", "-o", help="File to write (atomically), such as day.hit; it is binary, and no -."),
]
StoredFiles = Annotated[
    list[str],
    typer.Argument(help="Files of hit tables, written by hitcurve table. A quoted wildcard stands for all it matches."),
]


def table(
    file: opt.Files,
    output: OutputOfTables,
    label: opt.Label = None,
    score: opt.Score = None,
    full: Annotated[
        bool,
        typer.Option(
            "--full",
            help="Keep a row for each distinct score: such tables always add.",
            rich_help_panel="Rows of the table",
        ),
    ] = False,
    grid: Annotated[
        str | None,
        typer.Option(
            "--grid",
            help="File of tables on whose scores, or into whose bins, subjects are counted, so that both add.",
            rich_help_panel="Rows of the table",
        ),
    ] = None,
    bins: Annotated[
        int | None,
        typer.Option(
            "--bins",
            help="Count into so many bins between quantiles of the positives; metrics then have a bracket.",
            rich_help_panel="Rows of the table",
        ),
    ] = None,
    max_grid: Annotated[
        int | None,
        typer.Option(
            "--max-grid",
            help="Count rankers whose positives have more distinct scores than this in bins (at most 100,000).",
            rich_help_panel="Rows of the table",
        ),
    ] = None,
    memory_limit: Annotated[
        str | None,
        typer.Option(
            "--memory-limit",
            help="Memory of the process, such as 4GB, at least 320 MB, of which programs take 270: rankers beyond one "
            "distinct score of a positive for 250 bytes of the rest are counted in bins, as beyond --max-grid. "
            "Not with --full.",
            show_default=False,
            rich_help_panel="Rows of the table",
        ),
    ] = None,
    positive: opt.Positive = None,
    weight: opt.Weight = None,
    no_header: opt.NoHeader = False,
    missing: opt.Missing = "raise",
    na: opt.Na = None,
    decimal: opt.Decimal = None,
    where: opt.Where = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    per_id: opt.PerId = "refuse",
    by: opt.By = None,
) -> None:
    r"""Count labels and scores into a file of hit tables, to merge and evaluate later.

    By default a table has a row for each score of a positive and for each gap between two: exact for every metric. Such
    tables add only where the scores of the positives are the same; --full, --grid and --bins make tables that add.

    [bold]Examples[/bold]

    hitcurve table day1.parquet --label y --score a --score b --full \
        -o day1.hit

    hitcurve table day1.parquet --label y --score a --bins 1000 -o day1.hit

    hitcurve table day2.parquet --label y --score a --grid day1.hit \
        -o day2.hit
    """
    from hitcurve.evaluation import count_source
    from hitcurve.tables import load_tables

    _check_name(output)
    if are_stored(file):
        raise ParameterError(
            f"{file[0]} contains hit tables already: hitcurve merge adds them, hitcurve evaluate evaluates them"
        )
    subjects = Subjects(
        file,
        label,
        score or (),
        positive,
        weight,
        no_header,
        missing,
        where,
        labels,
        on,
        per_id,
        by=by,
        na=tuple(na or ()),
        decimal=decimal,
    )
    how: dict[str, Any] = {"rows": "full" if full else "collapsed", "bins": bins, "grouped": by is not None, "by": by}
    how |= {"max_grid": max_grid, "memory_limit": memory_limit}
    how["grid"] = None if grid is None else load_tables(grid)
    with warnings.catch_warnings(), Limited(memory_limit=memory_limit).within(), subjects.source() as source:
        warnings.simplefilter("ignore")
        _put(count_source(source, pos_label=positive, **how), output)


def merge(
    file: StoredFiles,
    output: OutputOfTables,
    ranker: Annotated[
        list[str] | None,
        typer.Option("--ranker", "--score", "-s", help="Ranker to keep; repeat for several. By default all."),
    ] = None,
) -> None:
    """Add files of hit tables of different subjects to one file.

    Files must have the same rankers; --ranker keeps those that all of them have.

    [bold]Examples[/bold]

    hitcurve merge day1.hit day2.hit -o month.hit

    hitcurve merge day1.hit day2.hit --ranker a -o month.hit
    """
    _check_name(output)
    found = stored_files(file)
    if len(found) < 2:
        raise ParameterError("one file is merged with none: name at least two")
    _put(added(found, ranker or ()), output)


def _check_name(output: Path) -> None:
    """Refuse the name of another format, and standard output, on which the numbers of rows are printed."""
    if output == Path("-"):
        raise ParameterError("hit tables are a binary file and go to no standard output: name a file, such as day.hit")
    if output.suffix.lower() in _OTHERS:
        named = output.with_suffix(".hit")
        raise ParameterError(
            f"{output} is named as a file of another format, and hit tables are written as .hit: write {named}, and "
            f"numbers by hitcurve evaluate {named} -o {output.name}"
        )


def _put(tables: Tables, output: Path) -> None:
    """Write tables and say what they hold."""
    import numpy as np

    from hitcurve import rows
    from hitcurve.stack import TableStack

    tables.save(output)
    tell(f"wrote {output}")
    for name, own in tables.items():
        groups = f" in {rows.count(len(own))} groups" if isinstance(own, TableStack) else ""
        n, n_pos = rows.count(np.sum(own.n)), rows.count(np.sum(own.n_pos))
        if own.weighted:
            subjects = f"subjects of weight {n}{groups}, positives of weight {n_pos}"
        else:
            subjects = f"{n} subjects{groups}, {n_pos} positive"
        say(f"{rows.in_line(name)}: {subjects}, {own.kind}, {rows.count(own.pos.size)} rows\n")
    for note in tables.notes:
        tell(f"note: {note}")
