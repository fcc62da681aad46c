"""The command that finds cuts which keep a promise."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.counts import Counts
from hitcurve.cli.files import readable
from hitcurve.cli.inputs import Request, Subjects
from hitcurve.cli.outputs import Part, Writer, notes_of
from hitcurve.cli.promises import NOT_SHOWN
from hitcurve.cli.shares import of_level, of_share

if TYPE_CHECKING:
    from hitcurve.evaluation import Evaluation, GroupedEvaluation
    from hitcurve.inference import CertifiedCut, CertifiedCuts, LargestEnrichment


def certify(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.ScoreOrRanker = None,
    precision: Annotated[
        float | None,
        of_share("--precision", help="Precision of at least so much (90%, 0.9)."),
    ] = None,
    recall: Annotated[float | None, of_share("--recall", help="Recall of at least so much (95%, 0.95).")] = None,
    fpr: Annotated[
        float | None,
        of_share("--fpr", help="False positive rate of at most so much (1%, 0.01)."),
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
            autocompletion=offered.listed("hitcurve.inference.promises.certifying", "METHODS"),
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
            rich_help_panel="Uncertainty",
        ),
    ] = None,
    unlabelled: Annotated[
        str | None,
        typer.Option(
            "--unlabelled",
            help="File with the rest of a finite list: its rows without a label, or all rows if it has no column of "
            "labels. The labelled subjects must be a random part of the list; its precision is promised.",
        ),
    ] = None,
    together: Annotated[
        bool,
        typer.Option(
            "--together",
            help="With --by: the confidence level is for the promises of all groups together.",
            rich_help_panel="Groups",
        ),
    ] = False,
    by: opt.By = None,
    single_class: opt.SingleClass = "raise",
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
    confidence_level: Annotated[
        float,
        of_level(
            "with which the promise of each ranker (and group) is kept, with --together the promises of all groups; "
            "with --enrichment of the lower limit. One-sided."
        ),
    ] = 0.95,
    form: opt.Format = None,
    output: opt.Output = None,
) -> None:
    r"""Find the cut of each ranker that keeps a promise of precision, recall or false positive rate on new subjects.

    The cut at which a sample just keeps a target breaks it on new subjects about every second time. A certified cut
    breaks it in at most 5% of the samples. The exit code is 3 if nothing can be certified for one of the rankers.

    A precision is tested cut after cut from the top. The cut is the last before the first test that fails, which one
    unlucky start may cause early. --misses and --method mixture go on otherwise; choose before you see the data.

    [bold]Examples[/bold]

    hitcurve certify scores.csv --label y --score a --precision 90%

    hitcurve certify scores.csv --label y --score a --score b --recall 95% \
        --format json

    hitcurve certify scores.csv --label y --score a --enrichment

    hitcurve certify log.csv --label fraud --score model --by merchant \
        --precision 50% --together
    """
    from hitcurve.errors import ParameterError
    from hitcurve.metrics import metrics as read

    writer = Writer.of(form, output)
    targets = {"precision": precision, "recall": recall, "fpr": fpr}
    given = {what: target for what, target in targets.items() if target is not None}
    if enrichment and (given or method != "auto" or misses is not None):
        raise ParameterError(
            "--enrichment has no target: leave out --precision, --recall, --fpr, --method and --misses"
        )
    if enrichment and (by is not None or unlabelled is not None):
        raise ParameterError("--enrichment is of one list of labelled subjects: leave out --by and --unlabelled")
    if not enrichment and len(given) != 1:
        got = " and ".join(f"--{what}" for what in given) or "none"
        raise ParameterError(f"a cut keeps one promise: give one of --precision, --recall and --fpr, got {got}")
    if together and by is None:
        raise ParameterError("--together is of the promises of several groups: name their column with --by")
    if unlabelled is not None and by is not None:
        raise ParameterError("--unlabelled is the rest of one list: leave out --by")
    columns = (file, label, score or (), positive, None, no_header, missing, where, labels, on, per_id, None, by)
    subjects = Subjects(*columns, na=tuple(na or ()), decimal=decimal)
    inference = (design, None, confidence_level)
    at = Counts.of(counts, positives, total, negatives)
    request = Request(subjects, read("auc"), "raise", at, *inference, single_class)
    how: dict[str, Any] = {**given, "method": method, "misses": misses}
    with request.evaluation() as result, ExitStack() as stack:
        found: Sequence[CertifiedCut | CertifiedCuts | LargestEnrichment]
        if by is not None:
            grouped = cast("GroupedEvaluation", result)
            found = [grouped.certify(name, together=together, **how) for name in result.rankers]
        elif enrichment:
            found = [cast("Evaluation", result).largest_enrichment(name) for name in result.rankers]
        else:
            rest = {} if unlabelled is None else _rest(unlabelled, subjects, result.rankers, stack)
            ev = cast("Evaluation", result)
            found = [ev.certify(name, unlabelled=rest.get(name), **how) for name in result.rankers]
    tables = [one.table_rows() for one in found]
    body = [[one.ranker, *line] for one, (_, lines) in zip(found, tables, strict=True) for line in lines]
    alone = [] if len(found) == 1 else [_each_alone(len(found), confidence_level)]
    said = [*notes_of(result, compared=False), *result.warning_lines()]
    notes = [*(line for one in found for line in one.heading()), *alone, *said]
    records = [record for one in found for record in _records(one)]
    writer.parts([Part("certify", notes, records, ["ranker", *tables[0][0]], body)])
    if not all(one.certified for one in found):
        raise typer.Exit(NOT_SHOWN)


def _each_alone(rankers: int, level: float) -> str:
    """Say that the confidence is that of each ranker, and which level makes it that of all."""
    from hitcurve import rows

    for_all = rows.percent(float(f"{1 - (1 - level) / rankers:.6g}"))
    return (
        f"each ranker keeps its promise with {rows.short(100 * level)}% confidence by itself: before the best of them "
        f"is chosen by these cuts, give --confidence-level {for_all}, by which all promises hold together"
    )


def _records(found: CertifiedCut | CertifiedCuts | LargestEnrichment) -> list[dict[str, Any]]:
    """Return one record of a list, and one for each group of many."""
    one: Any = found
    return list(one.to_records()) if hasattr(one, "cuts") else [one.to_record()]


def _rest(file: str, subjects: Subjects, rankers: Sequence[str], stack: ExitStack) -> dict[str, Any]:
    """Return the scores of the subjects without labels, by ranker."""
    from hitcurve.sources.files import read_scores

    path = stack.enter_context(readable(file))
    header = not subjects.no_header
    return read_scores(path, rankers, subjects.columns()[0], na=subjects.na, decimal=subjects.decimal, header=header)
