"""The command that pools one metric over studies."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Annotated

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.compare import OneMetric
from hitcurve.cli.images import drawn_as, figure_of
from hitcurve.cli.inputs import Subjects
from hitcurve.cli.outputs import Part, Writer
from hitcurve.cli.shares import of_share
from hitcurve.cli.unused import refuse_unused


def meta(
    file: Annotated[
        list[str],
        typer.Argument(
            help="A file of each study: CSV, TSV, JSON lines (plain, or compressed by gzip or zstd), Parquet or Arrow "
            "IPC (Feather). A quoted wildcard stands for all it matches. - is standard input."
        ),
    ],
    label: opt.Label = None,
    score: opt.Score = None,
    metric: OneMetric = "auc",
    scale: Annotated[
        str,
        typer.Option("--scale", autocompletion=offered.one_of("logit", "identity"), help="Scale: logit or identity."),
    ] = "logit",
    method: Annotated[
        str,
        typer.Option(
            "--method",
            autocompletion=offered.one_of("reml", "fixed"),
            help="Effects: reml (random) or fixed (one common value).",
        ),
    ] = "reml",
    interval: Annotated[
        str,
        typer.Option(
            "--interval",
            autocompletion=offered.listed("hitcurve.evaluation.meta", "INTERVALS"),
            help="Of the mean of random effects: hartung-knapp, or modified (never narrower than by the errors of the "
            "studies; advised for few studies).",
        ),
    ] = "hartung-knapp",
    prevalence: Annotated[
        float | None,
        of_share("--prevalence", help="One prevalence for all studies, taken as known."),
    ] = None,
    positive: opt.Positive = None,
    no_header: opt.NoHeader = False,
    missing: opt.Missing = "raise",
    na: opt.Na = None,
    decimal: opt.Decimal = None,
    where: opt.Where = None,
    cluster: opt.Cluster = None,
    design: opt.Design = None,
    confidence_level: opt.Level = 0.95,
    form: opt.FormatOrPage = None,
    output: opt.Output = None,
) -> None:
    r"""Pool one metric over studies: each file has the subjects of one study.

    Random effects by restricted maximum likelihood, with the interval of Hartung and Knapp.

    [bold]Examples[/bold]

    hitcurve meta study1.csv study2.csv study3.csv --label y --score s \
        --metric auc

    hitcurve meta study1.csv study2.csv study3.csv --label y --score s \
        --metric ap -o forest.pdf
    """
    from hitcurve._checks import distinct
    from hitcurve.cli.streams import tell
    from hitcurve.errors import ParameterError
    from hitcurve.evaluation import SamplingDesign, evaluate_source
    from hitcurve.evaluation.meta import meta_analysis, of_study
    from hitcurve.metrics import metrics as read
    from hitcurve.sources.files import expand

    if method == "fixed":
        refuse_unused(
            {"--interval": interval != "hartung-knapp"},
            "is of the mean of random effects, and --method fixed has none: leave it out",
        )
    drawn = figure_of(None, form, output, ("forest",))
    writer = Writer("figure", output) if drawn else Writer.of(form, output, has_page=True)
    file = [str(path) for one in file for path in expand(one)]
    distinct("file", [os.path.realpath(one) for one in file])
    stems = [Path(one).stem for one in file]
    # site1/scores.csv and site2/scores.csv are told apart by their folders
    names = [stem if stems.count(stem) == 1 else str(one) for stem, one in zip(stems, file, strict=True)]
    sampling = SamplingDesign.of(design, prevalence, confidence_level)
    studies, notes = {}, []
    for name, path in zip(names, file, strict=True):
        given = ([path], label, score or (), positive, None, no_header, missing, where, None, None, "refuse", cluster)
        subjects = Subjects(*given, na=tuple(na or ()), decimal=decimal)
        with warnings.catch_warnings(), of_study(name), subjects.source() as source:
            warnings.simplefilter("ignore")
            ev = evaluate_source(source, read(metric), pos_label=positive, sampling=sampling)
            if len(ev.rankers) != 1:
                raise ParameterError(f"studies are pooled for one ranker: give --score once, got {len(ev.rankers)}")
            # the files are open here only
            studies[name] = ev.without_data() if ev.clustered else ev
            for e in ev:
                _ = e.standard_error
        notes += [f"{name}: {text}" for text in (*ev.notes, *(f"warning: {one}" for one in ev.warnings))]
    found = meta_analysis(
        studies,
        metric,
        scale=scale,
        method=method,
        interval=interval,
        prevalence=prevalence,
        confidence_level=confidence_level,
    )
    if drawn and output is not None:
        writer.put(drawn_as("forest", found, output))
    elif writer.form == "html":
        from hitcurve.report import page

        writer.put(page(found))
    if drawn or writer.form == "html":
        for line in notes:
            tell(line)
        return
    lines = [*found.heading(), *found.notes(), *notes]
    records = found.to_records()
    pooled = {key: value for key, value in found.to_dict().items() if key not in ("studies", "notes")}
    parts = [Part("studies", [], records, *found.table_rows()), Part("pooled", lines, [pooled])]
    writer.parts(parts)
