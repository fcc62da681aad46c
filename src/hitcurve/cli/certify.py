"""The command that finds cuts which keep a promise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, cast

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.counts import Counts
from hitcurve.cli.inputs import Request, Subjects
from hitcurve.cli.outputs import Part, Writer
from hitcurve.cli.promises import NOT_SHOWN, share

if TYPE_CHECKING:
    from hitcurve.evaluation import Evaluation
    from hitcurve.inference import CertifiedCut, LargestEnrichment


def certify(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.Score = None,
    precision: Annotated[
        str | None,
        typer.Option("--precision", help="Precision of at least so much (90%, 0.9).", show_default=False),
    ] = None,
    recall: Annotated[
        str | None, typer.Option("--recall", help="Recall of at least so much (95%, 0.95).", show_default=False)
    ] = None,
    fpr: Annotated[
        str | None,
        typer.Option("--fpr", help="False positive rate of at most so much (1%, 0.01).", show_default=False),
    ] = None,
    enrichment: Annotated[
        bool,
        typer.Option(
            "--enrichment",
            help="Instead of a promise: a lower limit of the enrichment (TPR over FPR), where it is highest.",
        ),
    ] = False,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            autocompletion=offered.listed("hitcurve.inference.certifying", "METHODS"),
            help="For precision: fixed-sequence (the default) or mixture.",
            rich_help_panel="Uncertainty",
        ),
    ] = "auto",
    misses: Annotated[
        int | None,
        typer.Option(
            "--misses",
            help="Negatives that the first test of a precision allows, chosen before the data are seen. By default 0 "
            "below 30 positives, 1 below 100, and 2 from there on.",
            show_default=False,
            rich_help_panel="Uncertainty",
        ),
    ] = None,
    positive: opt.Positive = None,
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
    confidence_level: opt.Level = 0.95,
    form: opt.Format = None,
    output: opt.Output = None,
) -> None:
    """Find the cut of each ranker that keeps a promise of precision, recall or false positive rate on new subjects.

    The cut at which a sample just keeps a target breaks it on new subjects about every second time. A certified cut
    breaks it in at most 5% of the samples. The exit code is 3 if nothing can be certified for one of the rankers.

    [bold]Examples[/bold]

    hitcurve certify scores.csv --label y --score a --precision 90%

    hitcurve certify scores.csv --label y --score a --score b --recall 95% --format json

    hitcurve certify scores.csv --label y --score a --enrichment
    """
    from hitcurve.errors import ParameterError
    from hitcurve.metrics import metrics as read

    writer = Writer.of(form, output)
    targets = {"precision": precision, "recall": recall, "fpr": fpr}
    given = {what: share(f"--{what}", text) for what, text in targets.items() if text is not None}
    if enrichment and (given or method != "auto" or misses is not None):
        raise ParameterError(
            "--enrichment has no target: leave out --precision, --recall, --fpr, --method and --misses"
        )
    columns = (file, label, score or (), positive, None, no_header, missing, where, labels, on, per_id)
    subjects = Subjects(*columns, na=tuple(na or ()), decimal=decimal)
    request = Request(
        subjects, read("auc"), "raise", Counts.of(counts, positives, total, negatives), design, None, confidence_level
    )
    with request.evaluation() as result:
        # without groups it is of one list
        ev = cast("Evaluation", result)
        found: Sequence[CertifiedCut | LargestEnrichment]
        if enrichment:
            found = [ev.largest_enrichment(name) for name in ev.rankers]
        else:
            found = [ev.certify(name, **given, method=method, misses=misses) for name in ev.rankers]
    tables = [one.table_rows() for one in found]
    body = [[one.ranker, *line] for one, (_, lines) in zip(found, tables, strict=True) for line in lines]
    notes = [*(line for one in found for line in one.heading()), *ev.notes, *ev.warning_lines()]
    writer.parts([Part("certify", notes, [one.to_record() for one in found], ["ranker", *tables[0][0]], body)])
    if writer.form in ("csv", "parquet"):  # which have no place for them
        writer.warn(ev)
    if not all(one.certified for one in found):
        raise typer.Exit(NOT_SHOWN)
