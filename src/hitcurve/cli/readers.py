"""The command that evaluates studies of several readers."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.files import readable
from hitcurve.cli.formats import BINARY
from hitcurve.cli.images import drawn_as, figure_of
from hitcurve.cli.outputs import Part, Writer
from hitcurve.cli.shares import of_share
from hitcurve.cli.streams import tell
from hitcurve.cli.unused import refuse_unused

if TYPE_CHECKING:
    from hitcurve.readers import ReaderStudy

_COLUMNS, _STUDY, _PLAN = "Columns", "Study", "Planning and checks"
_DRAWN = {"curves": "reader_curves", "differences": "reader_differences", "components": "variance_components"}

File = Annotated[
    str,
    typer.Argument(
        help="A row for each reading: CSV, TSV or JSON lines (plain, or compressed by gzip or zstd), Parquet or Arrow "
        "IPC (Feather). - is standard input."
    ),
]


Truth = Annotated[str, opt.column("--truth", "--label", "-l", help="Column of the truth of each case.")]
Rating = Annotated[str, opt.column("--rating", "--score", "-s", help="Column of the ratings.")]
Reader = Annotated[str, opt.column("--reader", help="Column of the readers.")]
Modality = Annotated[
    str | None, opt.column("--modality", help="Column of the modalities (treatments, tests); without it there is one.")
]
Case = Annotated[str, opt.column("--case", help="Column of the cases.")]
Low = Annotated[bool, typer.Option("--low", help="Low ratings are of positive cases.", rich_help_panel=_COLUMNS)]
Metrics = Annotated[
    list[str] | None,
    typer.Option(
        "--metric",
        "-m",
        autocompletion=offered.metrics,
        help="Metric, or operating point of the ratings such as 'sensitivity@rating>=3'; repeat for each. By default "
        "auc.",
        rich_help_panel="Metrics",
    ),
]
Random = Annotated[
    str,
    typer.Option(
        "--random",
        autocompletion=offered.one_of("both", "readers", "cases"),
        help="What is a sample of a larger population: both, readers (cases fixed) or cases (readers fixed).",
        rich_help_panel=_STUDY,
    ),
]
Nested = Annotated[
    str | None,
    typer.Option(
        "--nested",
        autocompletion=offered.listed("hitcurve.readers.readings", "NESTED"),
        help="'cases in readers', 'cases in modalities' or 'readers in modalities'. By default every reader reads "
        "every case with every modality.",
        rich_help_panel=_STUDY,
    ),
]
Design = Annotated[
    str | None,
    typer.Option(
        "--design",
        autocompletion=offered.listed("hitcurve.inference.design", "DESIGNS"),
        help="Design: case-control (the number of positive cases was fixed, the default) or cohort (it was sampled).",
        rich_help_panel=_STUDY,
    ),
]
Covariance = Annotated[
    str | None,
    typer.Option(
        "--covariance",
        autocompletion=offered.listed("hitcurve.readers.cells", "COVARIANCES"),
        help="Covariances over cases: delong (the default of case-control), influence (of a cohort), jackknife, or "
        "unbiased (for auc, with missing readings).",
        rich_help_panel=_STUDY,
    ),
]
Cluster = Annotated[
    str | None, opt.column("--cluster", help="Column of clusters of cases, such as patients with several lesions.")
]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        help="Compare all other modalities with this one, instead of all pairs.",
        rich_help_panel="Comparisons",
    ),
]
Margin = Annotated[
    float | None,
    of_share(
        "--margin",
        metavar="DIFFERENCE",
        help="Acceptable difference: test that modalities are worse than --baseline by less than this "
        "(non-inferiority).",
        panel="Comparisons",
    ),
]
Equivalence = Annotated[
    bool,
    typer.Option(
        "--equivalence",
        help="With --margin: test that modalities differ by less than it in either direction.",
        rich_help_panel="Comparisons",
    ),
]
Scale = Annotated[
    str,
    typer.Option(
        "--scale",
        autocompletion=offered.listed("hitcurve.readers.testing", "SCALES"),
        help="Of the intervals of means: logit, or identity (the metric as it is, as other programs have it).",
        rich_help_panel=_STUDY,
    ),
]
Effect = Annotated[
    float | None,
    of_share(
        "--effect",
        metavar="DIFFERENCE",
        help="Plan a study with this one as the pilot: true difference of two modalities. Give two of --n-readers, "
        "--n-cases and --power; the third is printed instead of the tables, for each metric. With --margin the plan is "
        "of non-inferiority, and --effect may be 0.",
        panel=_PLAN,
    ),
]
Readers = Annotated[
    int | None, typer.Option("--n-readers", help="Readers of the planned study.", rich_help_panel=_PLAN)
]
Cases = Annotated[
    int | None,
    typer.Option(
        "--n-cases", help="Cases of the planned study that each reader reads with each modality.", rich_help_panel=_PLAN
    ),
]
Power = Annotated[float | None, of_share("--power", help="Power of the planned study.", panel=_PLAN)]
Significance = Annotated[
    float,
    of_share(
        "--significance", help="Two-sided level of the planned test; half of it for non-inferiority.", panel=_PLAN
    ),
]
Resamples = Annotated[
    int | None,
    typer.Option(
        "--bootstrap",
        metavar="N",
        help="Check the standard errors: resample readers and cases together N times, and print the check instead of "
        "the tables.",
        rich_help_panel=_PLAN,
    ),
]
FigureOf = Annotated[
    str | None,
    typer.Option(
        "--figure",
        autocompletion=offered.one_of(*_DRAWN),
        help="What to draw if --output ends in .pdf, .svg or .png: curves (ROC curves of all readers with the average, "
        "the default), differences (of each reader and of the mean) or components (of variance).",
        rich_help_panel="Output",
    ),
]


def readers(
    file: File,
    truth: Truth,
    rating: Rating,
    reader: Reader,
    case: Case,
    modality: Modality = None,
    cluster: Cluster = None,
    positive: opt.Positive = None,
    low: Low = False,
    na: opt.Na = None,
    decimal: opt.Decimal = None,
    metric: Metrics = None,
    random: Random = "both",
    nested: Nested = None,
    design: Design = None,
    covariance: Covariance = None,
    prevalence: opt.Prevalence = None,
    baseline: Baseline = None,
    margin: Margin = None,
    equivalence: Equivalence = False,
    confidence_level: opt.Level = 0.95,
    scale: Scale = "logit",
    effect: Effect = None,
    n_readers: Readers = None,
    n_cases: Cases = None,
    power: Power = None,
    significance: Significance = 0.05,
    bootstrap: Resamples = None,
    seed: opt.Seed = None,
    figure: FigureOf = None,
    form: opt.FormatOrPage = None,
    output: opt.Output = None,
) -> None:
    r"""Evaluate several readers of the same cases: means over readers, and differences of modalities.

    Readers and cases are both random by default, so that intervals are about readers and cases like these.

    [bold]Examples[/bold]

    hitcurve readers study.csv --truth truth --rating rating --reader reader \
        --modality modality --case case

    hitcurve readers study.csv --truth truth --rating rating --reader reader \
        --modality modality --case case --metric auc \
        --metric 'sensitivity@rating>=3' --baseline film --margin 0.05 \
        -o study.json

    hitcurve readers study.csv --truth truth --rating rating --reader reader \
        --modality modality --case case --effect 0.05 --n-readers 8 \
        --power 0.8

    hitcurve readers study.csv --truth truth --rating rating --reader reader \
        --modality modality --case case --figure differences \
        -o differences.pdf

    hitcurve readers study.csv --truth truth --rating rating --reader reader \
        --modality modality --case case -o study.html
    """
    from hitcurve import _checks
    from hitcurve.errors import ParameterError
    from hitcurve.readers import evaluate_readers
    from hitcurve.readers.files import read_readings
    from hitcurve.readers.two_way import LEAST

    drawn = figure_of(figure, form, output, tuple(_DRAWN))
    instead = [name for name, given in (("--effect", effect), ("--bootstrap", bootstrap)) if given is not None]
    if len(instead) > 1:
        raise ParameterError("--effect plans a study and --bootstrap checks this one: give one of them")
    if drawn and instead:
        raise ParameterError(f"{instead[0]} prints numbers and no figure: leave out --figure, or write another format")
    if effect is None and any(one is not None for one in (n_readers, n_cases, power)):
        raise ParameterError("a plan needs the true difference that is to be found: give --effect")
    writer = Writer("figure", output) if drawn else Writer.of(form, output, has_page=not instead)
    _checks.choice("--random", random, ("both", "readers", "cases"))
    if bootstrap is not None:
        _checks.resamples(bootstrap, least=LEAST, name="--bootstrap")
    if effect is None:
        refuse_unused({"--significance": significance != 0.05}, "is of a plan: give --effect, or leave it out")
    if bootstrap is None:
        refuse_unused({"--seed": seed}, "is of the random draws of --bootstrap: leave it out, or add that")
    else:
        unused: dict[str, object] = {"--margin": margin, "--equivalence": equivalence, "--scale": scale != "logit"}
        refuse_unused(unused, "cannot be combined with --bootstrap, which checks standard errors: leave it out")
    if effect is not None:
        unused = {"--confidence-level": confidence_level != 0.95, "--scale": scale != "logit", "--baseline": baseline}
        refuse_unused(unused, "is of this study, and --effect plans another one: leave it out")
    if equivalence and effect is not None:
        raise ParameterError("plans are of differences and of non-inferiority: leave out --equivalence")
    if equivalence and margin is None:
        raise ParameterError("--equivalence needs a margin (--margin)")
    names = {"truth": truth, "rating": rating, "reader": reader, "modality": modality, "case": case}
    with readable(file) as path, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        columns = read_readings(
            path, names | {"clusters": cluster}, na=tuple(na or ()), decimal=decimal, pos_label=positive
        )
        found = evaluate_readers(
            **columns,
            metrics=metric or "auc",
            random=("readers", "cases") if random == "both" else random,
            design=design,
            covariance=covariance,
            nested=nested,
            prevalence=prevalence,
            pos_label=positive,
            higher_is_better=not low,
            confidence_level=confidence_level,
            scale=scale,
            baseline=baseline,
            margin=margin if effect is None else None,  # else of the plan
            hypothesis="equivalence" if equivalence else None,
        )
        if effect is not None:
            sizes: dict[str, Any] = {"readers": n_readers, "cases": n_cases, "power": power}
            plans = [
                found.power_analysis(effect, metric=one.metric, margin=margin, significance=significance, **sizes)
                for one in found
            ]
            lines = [] if writer.form == "json" else [line for plan in plans for line in str(plan).split("\n")]
            writer.parts([Part("plan", lines, [plan.to_record() for plan in plans])])
        elif bootstrap is not None:
            checks = [found.bootstrap(one.metric, n_resamples=bootstrap, rng=seed) for one in found]
            writer.parts([Part(f"bootstrap of {c.metric}", c.lines(), c.to_records(), *c.table_rows()) for c in checks])
        elif drawn and output is not None:
            writer.put(drawn_as(_DRAWN[drawn], found, output))
        else:
            _write(writer, found)
    for one in caught:
        tell(f"warning: {one.message}")


def _write(writer: Writer, found: ReaderStudy) -> None:
    _put(writer, found)
    writer.beside_columns(found.notes())


def _put(writer: Writer, found: ReaderStudy) -> None:
    if writer.form in BINARY:
        from hitcurve.report import file_of

        writer.put(file_of(found.to_records(), writer.form))
    elif writer.form == "html":
        from hitcurve.report import page

        writer.put(page(found))
    elif writer.form == "text":
        writer.put(found.to_text() + "\n")
    else:
        forms = {
            "csv": found.to_csv,
            "json": found.to_json,
            "markdown": found.to_markdown,
            "latex": found.to_latex,
        }
        writer.put(forms[writer.form]())
