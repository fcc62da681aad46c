"""The command that prints confusion matrices."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.counts import Counts
from hitcurve.cli.inputs import Subjects, counted
from hitcurve.cli.outputs import Writer
from hitcurve.cli.unused import refuse_unused
from hitcurve.errors import ParameterError


def confusion(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.ScoreOrRanker = None,
    at: Annotated[
        str | None,
        typer.Option("--at", help="Fraction (1%, 0.01) or number (100) of subjects selected."),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", help="Select subjects with this score or a better one, instead of --at."),
    ] = None,
    cut: Annotated[
        str,
        typer.Option(
            "--cut",
            autocompletion=offered.one_of("auto", "ceil", "floor", "round", "fractional"),
            help="How a fraction of subjects becomes a number: auto, ceil, floor, round or fractional.",
        ),
    ] = "auto",
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
    form: opt.Format = None,
    output: opt.Output = None,
) -> None:
    r"""Print the confusion matrix of each ranker at one cutoff, with the rates computed from it.

    [bold]Examples[/bold]

    hitcurve confusion scores.csv --label y --score a --at 1%

    hitcurve confusion film.csv digital.csv --counts --positives cancers \
        --total screened --at 1%
    """
    from hitcurve.metrics.written import cut_place

    if (at is None) == (threshold is None):
        given = "neither" if at is None else "both"
        raise ParameterError(f"give either --at or --threshold, got {given}")
    if counts and threshold is not None:
        raise ParameterError("--threshold needs scores, and counts have none: use --at")
    if threshold is not None:
        refuse_unused({"--cut": cut != "auto"}, "rounds a fraction of subjects (--at), not a --threshold: leave it out")
    writer = Writer.of(form, output)
    place = None if at is None else cut_place(at)
    if place is not None and not (0 < place <= 1 if isinstance(place, float) else place >= 1):
        raise ParameterError(
            f"--at must be a fraction up to 100% or a whole number of at least 1, got {at}; a score is given by "
            "--threshold"
        )
    if isinstance(place, int):
        refuse_unused(
            {"--cut": cut != "auto"}, f"rounds a fraction of subjects, and --at {at} is a number of them: leave it out"
        )
    numerals: dict[str, Any] = {"na": tuple(na or ()), "decimal": decimal}
    subjects = Subjects(
        file, label, score or (), positive, weight, no_header, missing, where, labels, on, per_id, **numerals
    )
    result = counted(subjects, positive, Counts.of(counts, positives, total, negatives))
    rate, k = (place, None) if isinstance(place, float) else (None, place)
    found = {name: result.confusion(name, rate=rate, k=k, threshold=threshold, cut=cut) for name in result.rankers}
    writer.confusions(found)
    writer.warn(result, compared=False)
