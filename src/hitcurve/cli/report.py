"""The command that writes a page."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from hitcurve.cli import options as opt
from hitcurve.cli.inputs import Subjects, counted_tables
from hitcurve.cli.streams import tell
from hitcurve.errors import ParameterError

Page = Annotated[
    Path,
    typer.Option("--output", "-o", help="Page to write, whole or not at all.", rich_help_panel="Output"),
]
Title = Annotated[
    str | None, typer.Option("--title", help="Heading of the page.", show_default=False, rich_help_panel="Output")
]
Date = Annotated[
    str | None,
    typer.Option(
        "--date",
        help="What the page says of when it was made; nothing unless given, so that the same data make the same file.",
        show_default=False,
        rich_help_panel="Output",
    ),
]


def report(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.Score = None,
    metric: opt.Metric = None,
    preset: opt.Preset = None,
    positive: opt.Positive = None,
    weight: opt.Weight = None,
    no_header: opt.NoHeader = False,
    missing: opt.Missing = "raise",
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
    confidence_level: opt.Level = 0.95,
    baseline: opt.Baseline = None,
    output: Page = Path("report.html"),
    title: Title = None,
    date: Date = None,
) -> None:
    """Write a page with charts and controls: one file, to be opened in a browser, without network.

    [bold]Examples[/bold]

    hitcurve report scores.parquet --label y --score a --score b -o report.html --title "Two models"

    hitcurve report film.csv digital.csv --counts --positives cancers --total screened -o screening.html
    """
    from hitcurve import _checks
    from hitcurve.evaluation import Doubt, evaluate, evaluate_source
    from hitcurve.metrics import DEFAULT
    from hitcurve.metrics import metrics as read
    from hitcurve.metrics import preset as of_field
    from hitcurve.report import report as write

    _checks.choice("--undefined", undefined, ("raise", "nan"))
    chosen = () if preset is None else of_field(preset)
    wanted = read([*chosen, *(metric or (() if chosen else DEFAULT))])
    doubt = Doubt.of(design, prevalence, confidence_level)
    subjects = Subjects(
        file, label, score or (), positive, weight, no_header, missing, where, labels, on, per_id, cluster
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are part of the page
        if counts:
            subjects.check_only_files()
            result = evaluate(
                tables=counted_tables(file, positives, total, negatives),
                metrics=wanted,
                undefined=undefined,
                design=design,
                prevalence=prevalence,
                confidence_level=confidence_level,
            )
            write(result, output, title, baseline=baseline, date=date)
        else:
            if any(name is not None for name in (positives, total, negatives)):
                raise ParameterError("--positives, --total and --negatives go with --counts")
            with subjects.source() as source:
                result = evaluate_source(source, wanted, pos_label=positive, undefined=undefined, doubt=doubt)
                write(result, output, title, baseline=baseline, date=date)
    for warning in result.warnings:
        tell(f"warning: {warning}")
    tell(f"wrote {output}")
