"""The command that compares subgroups of the subjects."""

from __future__ import annotations

import warnings
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.images import drawn_as, figure_of
from hitcurve.cli.inputs import Subjects
from hitcurve.cli.outputs import Part, Writer
from hitcurve.cli.shares import of_share

if TYPE_CHECKING:
    from hitcurve.inference.linear.gap import Gap


def gap(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.Score = None,
    by: Annotated[
        str | None,
        opt.column("--by", help="Column of the subgroups (sexes, sites, devices).", panel=None),
    ] = None,
    metric: Annotated[
        str,
        typer.Option(
            "--metric",
            "-m",
            autocompletion=offered.metrics,
            help="Metric; with --cut one of tpr, fpr, precision, rate.",
            rich_help_panel="Metrics",
        ),
    ] = "ap",
    cut: Annotated[
        str | None,
        typer.Option(
            "--cut",
            autocompletion=offered.metrics,
            help="Cut the whole list at one score: of a metric such as recall@10% or tpr@fpr=5%, or a number.",
            rich_help_panel="Metrics",
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            "--reference",
            help="Subgroup that all others are compared with; all pairs if not given.",
        ),
    ] = None,
    at: Annotated[
        float | None,
        of_share("--prevalence", help="One prevalence for all subgroups, taken as known."),
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
    design: opt.Design = None,
    cluster: opt.Cluster = None,
    confidence_level: opt.Level = 0.95,
    seed: opt.Seed = None,
    form: opt.FormatOrPage = None,
    output: opt.Output = None,
) -> None:
    r"""Compare a metric between subgroups of the subjects: each ranked by itself, or all cut at one score.

    Prints the value of each subgroup, the differences of pairs with simultaneous intervals, and the test that all are
    equal.

    [bold]Examples[/bold]

    hitcurve gap scores.csv --label y --score s --by sex --metric auc

    hitcurve gap scores.csv --label y --score s --by site --metric tpr \
        --cut recall@10% -o gap.html

    hitcurve gap scores.csv --label y --score s --by site -o forest.pdf
    """
    from hitcurve import _checks
    from hitcurve.errors import ParameterError
    from hitcurve.evaluation import SamplingDesign, evaluate_source
    from hitcurve.evaluation.gaps import Asked, gap_of
    from hitcurve.evaluation.state import warnings_out
    from hitcurve.metrics import metrics as read
    from hitcurve.sources import in_memory

    drawn = figure_of(None, form, output, ("forest",))
    writer = Writer("figure", output) if drawn else Writer.of(form, output, has_page=True)
    if by is None:
        raise ParameterError("give the column of the subgroups: --by COLUMN")
    place: Any = cut
    if cut is not None:
        with suppress(ValueError):
            place = float(cut)
    prevalence = None if at is None else _checks.prevalence(at)
    given = (file, label, score or (), positive, weight, no_header, missing, where, labels, on, per_id, cluster)
    subjects = Subjects(*given, na=tuple(na or ()), decimal=decimal, by=by)
    found = []
    with warnings.catch_warnings(), subjects.source() as source:
        warnings.simplefilter("ignore")
        sampling = SamplingDesign.of(design, None, confidence_level)
        ev = evaluate_source(source, read("auc"), pos_label=positive, undefined="nan", sampling=sampling)
        block = in_memory(source, "a gap between subgroups")
        for ranker in ev.rankers:
            asked = Asked(metric, (ranker,), place, reference, prevalence, sampling.confidence_level, seed)
            found.append(gap_of(ev, block, by, asked))
    if drawn or writer.form == "html":
        if len(found) > 1:
            raise ParameterError(f"a page or a figure is of one ranker: give --score once, got {len(found)}")
        _show(writer, found[0])
        writer.warn(ev)
        return
    if writer.form == "json":
        gaps = [one.to_dict() for one in found]
        writer.json({"gaps": gaps, "notes": list(ev.notes), "warnings": warnings_out(ev.warnings)})
        return
    notes = [*(f"note: {text}" for text in ev.notes), *(f"warning: {text}" for text in ev.warnings)]
    parts = []
    for gap_of_ranker in found:
        name, lines = gap_of_ranker.ranker, gap_of_ranker.notes()
        of_subgroups = gap_of_ranker.records_of_subgroups
        parts.append(Part(f"subgroups of {name}", [gap_of_ranker.title], of_subgroups, *gap_of_ranker.table_rows()))
        parts.append(Part(f"pairs of {name}", lines, gap_of_ranker.to_records(), *gap_of_ranker.pair_rows()))
    writer.parts([*parts, *([Part("notes", notes, [])] if notes else [])])


def _show(writer: Writer, found: Gap) -> None:
    """Write a page, or a figure."""
    if writer.form == "html":
        from hitcurve.report import page

        writer.put(page(found))
    elif writer.output is not None:
        writer.put(drawn_as("forest", found, writer.output))
