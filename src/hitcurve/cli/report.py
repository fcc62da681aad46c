"""The command that writes an HTML report."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from hitcurve.cli import options as opt
from hitcurve.cli.counts import Counts
from hitcurve.cli.inputs import Groups, Request, Subjects, wanted_metrics
from hitcurve.cli.shares import of_level
from hitcurve.cli.streams import tell

Page = Annotated[
    Path, typer.Option("--output", "-o", help="HTML report to write (atomically).", rich_help_panel="Output")
]
Title = Annotated[str | None, typer.Option("--title", help="Heading of the report.", rich_help_panel="Output")]
Date = Annotated[
    str | None,
    typer.Option(
        "--date",
        help="Date shown in the report. By default there is none, so that the same data give the same file.",
        rich_help_panel="Output",
    ),
]
Color = Annotated[
    list[str] | None,
    typer.Option(
        "--color", help="Colour of a ranker, as in --color 'a=#0072b2'; repeat for each.", rich_help_panel="Output"
    ),
]


def _colors_of(given: Sequence[str]) -> dict[str, str]:
    from hitcurve.errors import ParameterError

    pairs = [text.rpartition("=") for text in given]
    for text, (name, _, color) in zip(given, pairs, strict=True):
        if not (name and color):
            raise ParameterError(f"--color is a ranker and a colour, such as 'a=#0072b2' or a=black, got {text!r}")
    return {name: color for name, _, color in pairs}


def report(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.ScoreOrRanker = None,
    metric: opt.Metric = None,
    preset: opt.Preset = None,
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
    counts: opt.AreCounts = False,
    positives: opt.Positives = None,
    total: opt.Total = None,
    negatives: opt.Negatives = None,
    undefined: opt.Undefined = "raise",
    design: opt.Design = None,
    prevalence: opt.Prevalence = None,
    cluster: opt.Cluster = None,
    confidence_level: Annotated[float, of_level("of the intervals and bands.")] = 0.95,
    by: opt.By = None,
    folds: opt.Folds = None,
    test_fraction: opt.TestFraction = None,
    single_class: opt.SingleClass = "raise",
    baseline: opt.Baseline = None,
    output: Page = Path("report.html"),
    title: Title = None,
    date: Date = None,
    color: Color = None,
) -> None:
    r"""Write a self-contained HTML report with charts and controls; a browser opens it without network access.

    [bold]Examples[/bold]

    hitcurve report scores.parquet --label y --score a --score b \
        -o report.html --title "Two models"

    hitcurve report film.csv digital.csv --counts --positives cancers \
        --total screened -o screening.html

    hitcurve report targets.csv --label active --score a --score b --by target \
        --single-class skip -o targets.html
    """
    from hitcurve.report.html import check_page
    from hitcurve.report.html import report as write

    check_page(output, f"written by hitcurve evaluate --output {output.name}")
    colors = _colors_of(color or ())
    groups = Groups.of(by, folds, test_fraction)
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
        cluster,
        groups.by,
        na=tuple(na or ()),
        decimal=decimal,
    )
    wanted = wanted_metrics(metric, preset)
    inference = (design, prevalence, confidence_level)
    request = Request(
        subjects,
        wanted,
        undefined,
        Counts.of(counts, positives, total, negatives),
        *inference,
        single_class,
        groups.folds,
    )
    with request.evaluation() as result:
        write(result, output, title, baseline=baseline, date=date, colors=colors)
    for said in (*(f"note: {note}" for note in result.notes), *result.warning_lines()):
        tell(said)
    tell(f"wrote {output}")
