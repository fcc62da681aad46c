"""The commands that write curves and bands."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from typing import Annotated, Any

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.counts import Counts
from hitcurve.cli.inputs import Groups, Subjects, counted, of_one_list, with_repeats
from hitcurve.cli.outputs import REFERENCES, Writer
from hitcurve.cli.shares import of_level, of_share
from hitcurve.cli.stored import are_stored, rows_needed
from hitcurve.cli.unused import refuse_unused
from hitcurve.errors import ParameterError


def curve(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.ScoreOrRanker = None,
    which: Annotated[
        str,
        typer.Option(
            "--curve",
            "-k",
            autocompletion=offered.listed("hitcurve.curve", "KINDS"),
            help="Curve: roc, det, precision_recall, hit, accumulation, croc, cac, rate_accuracy, rate_recall, "
            "rate_negative_recall, lift, proc, pac or prg.",
        ),
    ] = "roc",
    magnify: Annotated[
        str | None,
        typer.Option("--magnify", help="Magnification of the x axis of croc and cac, such as 'exp(7)'."),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option(
            "--reference",
            autocompletion=offered.listed("hitcurve.cli.outputs", "REFERENCES"),
            help="Also write the reference curve random, perfect or worst; repeat for each.",
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
    counts: opt.AreCounts = False,
    positives: opt.Positives = None,
    total: opt.Total = None,
    negatives: opt.Negatives = None,
    by: opt.By = None,
    folds: opt.Folds = None,
    test_fraction: opt.TestFraction = None,
    single_class: opt.SingleClass = "raise",
    along: Annotated[
        str | None,
        typer.Option(
            "--along",
            autocompletion=offered.listed("hitcurve.groups", "ALONG"),
            help="Average the curves of the groups along: rate, vertical (the same x) or threshold (the same score); "
            "or pool: pool their subjects.",
            rich_help_panel="Groups",
        ),
    ] = None,
    confidence_level: Annotated[float, of_level("of the intervals of average curves.")] = 0.95,
    form: opt.FormatOfPoints = None,
    output: opt.Output = None,
) -> None:
    r"""Write the vertices of a curve for each ranker: ranker, curve, x, y, threshold, exclusive.

    Subjects with the score of the threshold or a better one are selected; where exclusive is true, better ones only.

    Curves are straight between vertices, except precision_recall, lift, croc, cac, proc and pac, which follow the
    counts.

    With --along, and --by or --folds, write the average curve over groups: ranker, x, y, the half-widths of their
    t intervals, and low and high of y.

    [bold]Examples[/bold]

    hitcurve curve scores.csv --label y --score a --curve croc \
        --magnify 'exp(7)' --reference random -o points.csv

    hitcurve curve film.csv digital.csv --counts --positives cancers \
        --total screened -o points.csv

    hitcurve curve folds.csv --label y --score a --score b --folds fold \
        --along rate -o mean.csv
    """
    from hitcurve import _checks
    from hitcurve.curve import KINDS
    from hitcurve.groups import ALONG
    from hitcurve.magnify import magnification

    which = _checks.choice("--curve", which.replace("-", "_"), tuple(KINDS))
    references = tuple(dict.fromkeys(reference or ()))
    for name in references:
        _checks.choice("--reference", name, REFERENCES)
    f = None if magnify is None else magnification(magnify)
    writer = Writer.of(form, output, default="csv")
    reading = (file, label, score or (), positive, weight, no_header, missing, where, labels, on, per_id)
    numerals: dict[str, Any] = {"na": tuple(na or ()), "decimal": decimal}
    columns = Counts.of(counts, positives, total, negatives)
    groups = Groups.of(by, folds, test_fraction)
    if columns.given and groups.by is not None:
        raise ParameterError("--counts cannot be combined with --by or --folds: counts are of one list")
    if (groups.by is None) != (along is None):
        raise ParameterError(
            "--by (or --folds) and --along need each other: together they write the average curve over groups"
        )
    if groups.by is None and (single_class != "raise" or confidence_level != 0.95):
        raise ParameterError("--single-class and --confidence-level need --by or --folds")
    if along is not None and groups.by is not None:
        _checks.choice("--along", along, ALONG)
        if f is not None or references:
            raise ParameterError("--magnify and --reference cannot be combined with --along")
        if along == "pool":
            refuse_unused(
                {"--confidence-level": confidence_level != 0.95},
                "is of intervals over groups, and a pooled curve has none: leave it out",
            )
        if are_stored(file):
            raise rows_needed("--along", file[0])
        subjects = Subjects(*reading, by=groups.by, **numerals)
        _average(subjects, groups, positive, which, along, single_class, confidence_level, writer)
        return
    result = counted(Subjects(*reading, **numerals), positive, columns)
    curves = {name: table.curve(which, magnification=f) for name, table in result.tables.items()}
    writer.points(curves, references, result.lower_is_better)
    writer.warn(result, compared=False)


def _average(
    subjects: Subjects,
    groups: Groups,
    positive: str | None,
    curve: str,
    along: str,
    single_class: str,
    level: float,
    writer: Writer,
) -> None:
    """Write the average curve of each ranker over groups."""
    from hitcurve.evaluation import SamplingDesign, evaluate_groups
    from hitcurve.metrics import metrics as read

    sampling = SamplingDesign.of(None, None, level)
    with warnings.catch_warnings(), subjects.source() as source:
        warnings.simplefilter("ignore")
        result = evaluate_groups(
            source,
            read("auc"),
            by=str(groups.by),
            folds=with_repeats(groups.folds, source),
            single_class=single_class,
            pos_label=positive,
            sampling=sampling,
        )
        curves = {name: result.average_curve(name, curve, along) for name in result.rankers}
    writer.averages(curves)
    writer.warn(result)


def band(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.ScoreOrRanker = None,
    curve: Annotated[
        str,
        typer.Option(
            "--curve",
            "-k",
            autocompletion=offered.listed("hitcurve.inference.bands.api", "CURVES"),
            help="Curve: precision_recall, roc, det, hit, accumulation, croc, cac, rate_accuracy, rate_recall, lift, "
            "proc or pac.",
        ),
    ] = "precision_recall",
    coverage: Annotated[
        str,
        typer.Option(
            "--coverage",
            autocompletion=offered.listed("hitcurve.inference.bands.options", "COVERAGES"),
            help="Coverage: simultaneous (the whole curve) or pointwise.",
        ),
    ] = "simultaneous",
    band_method: Annotated[
        str | None,
        typer.Option(
            "--method",
            autocompletion=offered.listed("hitcurve.inference.bands.options", "METHODS"),
            help="Method: region (the default), influence, bootstrap (the only one of clusters) or distribution-free.",
        ),
    ] = None,
    x_range: Annotated[
        tuple[float, float] | None,
        of_share("--x-range", metavar="SHARE SHARE", help="Part of the x axis, such as 0.1 0.9."),
    ] = None,
    magnify: Annotated[
        str | None,
        typer.Option("--magnify", help="Magnification of the x axis of croc and cac, such as 'exp(7)'."),
    ] = None,
    difference: Annotated[
        bool,
        typer.Option(
            "--difference", help="Band of the difference of two rankers, first minus second (accumulation or roc)."
        ),
    ] = False,
    positive: opt.Positive = None,
    no_header: opt.NoHeader = False,
    missing: opt.Missing = "raise",
    na: opt.Na = None,
    decimal: opt.Decimal = None,
    where: opt.Where = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    per_id: opt.PerId = "refuse",
    cluster: opt.Cluster = None,
    counts: opt.AreCounts = False,
    positives: opt.Positives = None,
    total: opt.Total = None,
    negatives: opt.Negatives = None,
    design: opt.Design = None,
    prevalence: opt.Prevalence = None,
    confidence_level: Annotated[float, of_level("of the band.")] = 0.95,
    seed: opt.Seed = None,
    form: opt.FormatOfPoints = None,
    output: opt.Output = None,
) -> None:
    r"""Write a confidence band of a curve for each ranker: ranker, x, value, low, high, seed.

    [bold]Examples[/bold]

    hitcurve band scores.csv --label y --score a --curve precision_recall \
        -o band.csv

    hitcurve band film.csv digital.csv --counts --positives cancers \
        --total screened --curve roc -o band.csv
    """
    from hitcurve.evaluation import SamplingDesign, evaluate_source
    from hitcurve.magnify import magnification
    from hitcurve.metrics import metrics as read

    f = None if magnify is None else magnification(magnify)
    writer = Writer.of(form, output, default="csv")
    sampling = SamplingDesign.of(design, prevalence, confidence_level)
    numerals: dict[str, Any] = {"na": tuple(na or ()), "decimal": decimal}
    subjects = Subjects(
        file, label, score or (), positive, None, no_header, missing, where, labels, on, per_id, cluster, **numerals
    )
    columns = Counts.of(counts, positives, total, negatives)
    tables = None if columns.given else subjects.tables()
    if difference:
        unused = {"--method": band_method, "--magnify": magnify, "--coverage": coverage != "simultaneous"}
        refuse_unused(
            unused,
            "cannot be combined with --difference, whose band is simultaneous and has a method of "
            "its own: leave it out",
        )
    elif band_method == "distribution-free":
        refuse_unused({"--seed": seed}, "is of random draws, and a distribution-free band has none: leave it out")
    elif coverage == "pointwise" and cluster is None and band_method in (None, "region", "influence"):
        refuse_unused(
            {"--seed": seed}, "is of random draws, and a pointwise band has none by this method: leave it out"
        )
    if difference and (columns.given or tables is not None):
        raise ParameterError("--difference needs the subjects of both rankers, and counts hold none: leave it out")
    curve = curve.replace("-", "_")
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        inference: dict[str, Any] = {
            "design": design,
            "prevalence": prevalence,
            "confidence_level": confidence_level,
        }
        if columns.given:
            result = columns.evaluation(subjects, metrics="auc", **inference)
        elif tables is not None:
            result = of_one_list(tables, **inference)
        else:
            source = stack.enter_context(subjects.source())
            result = evaluate_source(source, read("auc"), pos_label=positive, sampling=sampling)
        if difference:
            if len(result.rankers) != 2:
                raise ParameterError(f"--difference needs two rankers (--score), got {len(result.rankers)}")
            first, second = result.rankers
            bands = {f"{first} - {second}": result.difference_band(first, second, curve, x_range=x_range, rng=seed)}
        else:
            options: dict[str, Any] = {
                "coverage": coverage,
                **({} if band_method is None else {"method": band_method}),
                "x_range": x_range,
                "magnification": f,
            }
            bands = {name: result.band(name, curve, rng=seed, **options) for name in result.rankers}
    writer.bands(bands)
    writer.warn(result, compared=difference)
