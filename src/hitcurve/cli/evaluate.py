"""The commands that evaluate scores, counts and ranks."""

from __future__ import annotations

import warnings
from typing import Annotated

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli import wrong_labels as wrong
from hitcurve.cli.counts import Counts
from hitcurve.cli.files import readable
from hitcurve.cli.inputs import Groups, Request, Subjects, check_undefined, wanted_metrics
from hitcurve.cli.limits import Bins, Limited, MaxGrid, MemoryLimit
from hitcurve.cli.on_spark import Spark
from hitcurve.cli.outputs import Writer
from hitcurve.cli.shares import share_with_error
from hitcurve.cli.stored import are_stored
from hitcurve.cli.tests import Tests
from hitcurve.errors import ParameterError

IntervalMethod = Annotated[
    str,
    typer.Option(
        "--interval-method",
        autocompletion=offered.listed("hitcurve.inference.intervals.interval", "METHODS"),
        help="Interval of the values: auto (the default method of each metric), end-model, tilted, half-subject, "
        "inversion, region, profile, cut-limits, best-cut, jeffreys, log, wald, logit, delong, corrected (of wrong "
        "labels), or by bootstrap "
        "percentile, bca or studentized.",
        rich_help_panel="Uncertainty",
    ),
]


def evaluate(
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
    prevalence: wrong.Prevalence = None,
    contamination: wrong.Contamination = None,
    mislabelled: wrong.Mislabelled = None,
    unlabelled: wrong.Unlabelled = False,
    verification: wrong.Verification = None,
    verified_by: wrong.VerifiedBy = None,
    cluster: opt.Cluster = None,
    confidence_level: opt.Level = 0.95,
    interval_method: IntervalMethod = "auto",
    by: opt.By = None,
    folds: opt.Folds = None,
    test_fraction: opt.TestFraction = None,
    single_class: opt.SingleClass = "raise",
    compare: opt.Compare = None,
    baseline: opt.Baseline = None,
    method: opt.TestMethod = "auto",
    interval: opt.Interval = "normal",
    adjust: opt.AdjustOrGroups = "holm",
    correlation: opt.Correlation = None,
    seed: opt.Seed = None,
    n_resamples: opt.Resamples = None,
    bins: Bins = None,
    max_grid: MaxGrid = None,
    memory_limit: MemoryLimit = None,
    spark: Spark = None,
    form: opt.FormatOrPage = None,
    output: opt.Output = None,
    methods: opt.Methods = False,
) -> None:
    r"""Evaluate rankers of the same subjects, with standard errors, intervals and tests.

    [bold]Examples[/bold]

    hitcurve evaluate docked.csv.gz --label active --score surf \
        --score energy:low --preset docking

    hitcurve evaluate scores.parquet --labels truth.csv --on id --score a \
        --where "split = 'test'"

    hitcurve evaluate poses.csv --label active --score energy:low \
        --on molecule --per-id best

    hitcurve evaluate film.csv digital.csv --counts --positives cancers \
        --total screened --compare ap

    hitcurve evaluate trial.csv --counts --positives film_cancers \
        --total film_screened --positives digital_cancers \
        --total digital_screened --compare ap --correlation 0.5

    hitcurve evaluate score-label.txt --no-header

    hitcurve evaluate scores.csv --label y --score a --score b --score c \
        --compare ap --baseline a --cluster patient

    hitcurve evaluate screen.csv --label hit --score a --contamination 5%,1% \
        --mislabelled 10%

    hitcurve evaluate known.csv --label known --score a --unlabelled \
        --prevalence 20%

    hitcurve evaluate screened.csv --label disease --score a \
        --verification probability

    hitcurve evaluate screened.csv --label disease --score a --verified-by a \
        --verified-by age

    hitcurve evaluate targets.csv --label active --score a --score b \
        --by target --compare ef@1% --method wilcoxon

    hitcurve evaluate --spark spark://host:7077 s3a://bucket/scores --label y \
        --score a --score b --by country
    """
    writer = Writer.of(form, output, methods, has_page=True)
    writer.refuse_tests_of_page(compare)
    if interval_method != "auto" and writer.form == "html":
        raise ParameterError(
            "an HTML report has the default intervals: leave out --interval-method, or write another format"
        )
    groups = Groups.of(by, folds, test_fraction)
    options = (tuple(compare or ()), baseline, method, adjust, seed, n_resamples)
    of_counts = counts or are_stored(file)
    tests = Tests(*options, grouped=groups.by is not None, interval=interval, correlation=correlation, counts=of_counts)
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
        verification=verification,
        verified_by=tuple(verified_by or ()),
        unlabelled=unlabelled and not counts,
        spark=spark,
    )
    labels_wrong = wrong.WrongLabels.of(contamination, mislabelled, unlabelled=unlabelled)
    chosen = wanted_metrics(metric, preset)
    wanted = tests.with_metrics(chosen if metric or preset else labels_wrong.defaults(chosen))
    inference = (design, share_with_error("--prevalence", prevalence), confidence_level)
    request = Request(
        subjects,
        wanted,
        undefined,
        Counts.of(counts, positives, total, negatives),
        *inference,
        single_class,
        groups.folds,
        interval_method,
        labels_wrong,
        Limited(bins, max_grid, memory_limit),
    )
    with request.evaluation() as result:
        writer.write(result, tests.run(result))


def ranks(
    n: Annotated[int, typer.Argument(help="Number of subjects in the list.")],
    file: Annotated[
        str, typer.Argument(help="File of the ranks of the positives, one per line; - is standard input.")
    ] = "-",
    metric: opt.Metric = None,
    preset: opt.Preset = None,
    undefined: opt.Undefined = "raise",
    form: opt.FormatOrPage = None,
    output: opt.Output = None,
    methods: opt.Methods = False,
) -> None:
    """Evaluate a ranked list of any length from the ranks of its positives.

    [bold]Example[/bold]

    hitcurve ranks 1000000000 < ranks.txt
    """
    from hitcurve.evaluation import evaluate as of_tables
    from hitcurve.sources.files import read_ranks
    from hitcurve.table import HitTable

    writer = Writer.of(form, output, methods, has_page=True)
    wanted = wanted_metrics(metric, preset)
    check_undefined(undefined)
    with readable(file) as path, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        name = "ranks" if file == "-" else path.name.partition(".")[0]
        table = HitTable.from_ranks(read_ranks(path), n)
        result = of_tables(tables={name: table}, metrics=wanted, undefined=undefined)
        writer.write(result)  # intervals are made here, and what is worth a warning is part of the text
