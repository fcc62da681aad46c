"""The command that names the best of many rankers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, cast

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.compare import OneMetric
from hitcurve.cli.counts import Counts
from hitcurve.cli.inputs import Request, Subjects
from hitcurve.cli.outputs import Part, Writer

if TYPE_CHECKING:
    from hitcurve.evaluation import Evaluation


def winner(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.Score = None,
    metric: OneMetric = "ap",
    method: Annotated[
        str,
        typer.Option(
            "--method",
            autocompletion=offered.listed("hitcurve.inference.selection.winner", "METHODS"),
            help="Interval: hybrid, conditional (given which ranker won) or simultaneous (for all rankers at once).",
            rich_help_panel="Uncertainty",
        ),
    ] = "hybrid",
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
    design: opt.Design = None,
    prevalence: opt.Prevalence = None,
    cluster: opt.Cluster = None,
    confidence_level: opt.Level = 0.95,
    seed: opt.Seed = None,
    form: opt.Format = None,
    output: opt.Output = None,
) -> None:
    """Name the best of several rankers, with a value and an interval that take into account that it was chosen.

    The highest of many values is too high on average. The chance of each ranker to be the best is printed too.

    [bold]Example[/bold]

    hitcurve winner scores.csv --label y --score a --score b --score c --metric ap
    """
    from hitcurve.metrics import metrics as read

    writer = Writer.of(form, output)
    given = (file, label, score or (), positive, weight, no_header, missing, where, labels, on, per_id, cluster)
    subjects = Subjects(*given, na=tuple(na or ()), decimal=decimal)
    how = (design, prevalence, confidence_level)
    request = Request(subjects, read(metric), "raise", Counts.of(counts, positives, total, negatives), *how)
    with request.evaluation() as result:
        # without groups it is of one list
        ev = cast("Evaluation", result)
        found = ev.winner(metric, method=method, rng=seed)
    notes = [*found.heading(), *found.notes(), *ev.notes, *ev.warning_lines()]
    writer.parts([Part("winner", notes, found.to_records(), *found.table_rows())])
