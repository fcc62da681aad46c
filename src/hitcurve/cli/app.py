"""The commands."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitcurve.cli import options as opt
from hitcurve.cli.files import readable
from hitcurve.cli.inputs import Request, Subjects, check_undefined, split_directions, wanted_metrics
from hitcurve.cli.outputs import REFERENCES, Writer
from hitcurve.cli.rate import rate
from hitcurve.cli.report import report
from hitcurve.cli.streams import say
from hitcurve.cli.tests import Tests
from hitcurve.cli.trec import trec
from hitcurve.errors import ParameterError

if TYPE_CHECKING:
    from hitcurve.evaluation import Evaluation

app = typer.Typer(
    name="hitcurve",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_DEMO_METRICS = (
    "ap",
    "scaled_ap",
    "auc",
    "croc(exp, alpha=7)",
    "bedroc(alpha=20)",
    "rauc",
    "recall@1%",
    "ef@1%",
)


def _version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version as installed

        print(f"hitcurve {installed('hitcurve')}")
        raise typer.Exit


@app.callback()
def common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Judge rankings at their top: average precision, CROC, BEDROC, enrichment and more, ties and all."""


@app.command()
def evaluate(
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
    by: opt.By = None,
    single_class: opt.SingleClass = "raise",
    compare: opt.Compare = None,
    baseline: opt.Baseline = None,
    method: opt.TestMethod = "auto",
    adjust: opt.Adjust = "holm",
    repeats: opt.Repeats = 1,
    seed: opt.Seed = 0,
    n_resamples: opt.Resamples = None,
    form: opt.Format = "text",
    output: opt.Output = None,
    methods: opt.Methods = False,
) -> None:
    """Evaluate rankers of the same subjects, with standard errors, intervals and tests.

    [bold]Examples[/bold]

    hitcurve evaluate docked.csv.gz --label active --score surf --score energy:low --preset docking

    hitcurve evaluate scores.parquet --labels truth.csv --on id --score a --where "split = 'test'"

    hitcurve evaluate poses.csv --label active --score energy:low --on molecule --per-id best

    hitcurve evaluate film.csv digital.csv --counts --positives cancers --total screened

    hitcurve evaluate score-label.txt --no-header

    hitcurve evaluate scores.csv --label y --score a --score b --score c --compare ap --baseline a --cluster patient

    hitcurve evaluate targets.csv --label active --score a --score b --by target --compare ef@1% --method wilcoxon
    """
    writer = Writer(form, output, methods)
    tests = Tests(tuple(compare or ()), baseline, method, adjust, seed, n_resamples, by is not None, repeats)
    subjects = Subjects(
        file, label, score or (), positive, weight, no_header, missing, where, labels, on, per_id, cluster, by
    )
    wanted = tests.with_metrics(wanted_metrics(metric, preset))
    doubt = (design, prevalence, confidence_level)
    request = Request(subjects, wanted, undefined, counts, positives, total, negatives, *doubt, single_class)
    with request.evaluation() as result:
        found = tests.run(result)
        # standard errors of clusters are sums over the subjects
        result = result.without_data() if cluster is not None else result
    writer.write(result, found)


@app.command()
def ranks(
    n: Annotated[int, typer.Argument(help="Length of the list.", show_default=False)],
    file: Annotated[str, typer.Argument(help="File of ranks, one a line; - is standard input.")] = "-",
    metric: opt.Metric = None,
    preset: opt.Preset = None,
    undefined: opt.Undefined = "raise",
    form: opt.Format = "text",
    output: opt.Output = None,
    methods: opt.Methods = False,
) -> None:
    """Evaluate a list of which only the ranks of the positives are known, whatever its length.

    [bold]Example[/bold]

    hitcurve ranks 1000000000 < ranks.txt
    """
    from hitcurve.evaluation import evaluate as of_tables
    from hitcurve.sources.files import read_ranks
    from hitcurve.table import HitTable

    writer = Writer(form, output, methods)
    wanted = wanted_metrics(metric, preset)
    check_undefined(undefined)
    with readable(file) as path, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        name = "ranks" if file == "-" else path.name.partition(".")[0]
        table = HitTable.from_ranks(read_ranks(path), n)
        result = of_tables(tables={name: table}, metrics=wanted, undefined=undefined)
    writer.write(result)


@app.command()
def curve(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.Score = None,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            "-k",
            help="hit, roc, precision_recall, accumulation, croc, cac, rate_accuracy, rate_recall, "
            "rate_negative_recall, lift, proc, pac or prg.",
        ),
    ] = "roc",
    magnify: Annotated[
        str | None,
        typer.Option("--magnify", help="Map of the x axis of croc and cac, as 'exp(7)'.", show_default=False),
    ] = None,
    reference: Annotated[
        list[str] | None,
        typer.Option("--reference", help="Also random, perfect or worst, again for each.", show_default=False),
    ] = None,
    positive: opt.Positive = None,
    weight: opt.Weight = None,
    no_header: opt.NoHeader = False,
    missing: opt.Missing = "raise",
    where: opt.Where = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    per_id: opt.PerId = "refuse",
    by: opt.By = None,
    single_class: opt.SingleClass = "raise",
    average: Annotated[
        str | None,
        typer.Option(
            "--average",
            help="Average the curves of the groups at the same rate, the same x (vertical) or the same score "
            "(threshold), or pool their subjects.",
            show_default=False,
            rich_help_panel="Groups",
        ),
    ] = None,
    confidence_level: opt.Level = 0.95,
    form: Annotated[
        str, typer.Option("--format", "-f", help="csv, json, text, markdown or latex.", rich_help_panel="Output")
    ] = "csv",
    output: opt.Output = None,
) -> None:
    """Write the vertices of a curve of each ranker: ranker, curve, x, y, threshold.

    Between vertices curves go straight, but for precision_recall, prg, lift, proc and pac, which follow the counts.

    With --by, the average curve over groups: ranker, x, y, the half widths of their t intervals, and low and high of y.

    [bold]Examples[/bold]

    hitcurve curve scores.csv --label y --score a --kind croc --magnify 'exp(7)' --reference random -o points.csv

    hitcurve curve folds.csv --label y --score a --score b --by fold --average rate -o mean.csv
    """
    from hitcurve import _checks
    from hitcurve.curve import KINDS
    from hitcurve.curve import curve as draw
    from hitcurve.groups import AVERAGES
    from hitcurve.magnify import magnification

    _checks.choice("--kind", kind, tuple(KINDS))
    references = tuple(dict.fromkeys(reference or ()))
    for name in references:
        _checks.choice("--reference", name, REFERENCES)
    f = None if magnify is None else magnification(magnify)
    writer = Writer(form, output)
    reading = (file, label, score or (), positive, weight, no_header, missing, where, labels, on, per_id)
    if (by is None) != (average is None):
        raise ParameterError("--by and --average go together: the average curve over groups")
    if by is None and (single_class != "raise" or confidence_level != 0.95):
        raise ParameterError("--single-class and --confidence-level go with --by")
    if average is not None and by is not None:
        _checks.choice("--average", average, AVERAGES)
        if f is not None or references:
            raise ParameterError("--magnify and --reference do not go with --average")
        subjects = Subjects(*reading, by=by)
        _average(subjects, positive, kind, average, single_class, confidence_level, writer)
        return
    result = _counted(Subjects(*reading), positive)
    curves = {name: draw(table, kind, magnification=f) for name, table in result.tables.items()}
    writer.points(curves, references)
    writer.warn(result)


def _average(
    subjects: Subjects, positive: str | None, kind: str, average: str, single_class: str, level: float, writer: Writer
) -> None:
    """Write the average curve of each ranker over groups."""
    from hitcurve.evaluation import Doubt, evaluate_groups
    from hitcurve.metrics import metrics as read

    doubt = Doubt.of(None, None, level)
    with warnings.catch_warnings(), subjects.source() as source:
        warnings.simplefilter("ignore")
        result = evaluate_groups(
            source, read("auc"), by=str(subjects.by), single_class=single_class, pos_label=positive, doubt=doubt
        )
        curves = {name: result.consensus(name, kind, average) for name in result.rankers}
    writer.averages(curves)
    writer.warn(result)


@app.command()
def band(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.Score = None,
    curve: Annotated[
        str,
        typer.Option(
            "--curve",
            help="precision_recall, roc, hit, accumulation, croc, cac, lift or rate_accuracy.",
        ),
    ] = "precision_recall",
    kind: Annotated[str, typer.Option("--kind", help="simultaneous (the whole curve) or pointwise.")] = "simultaneous",
    band_method: Annotated[
        str,
        typer.Option("--method", help="influence, bootstrap or distribution-free."),
    ] = "influence",
    x_range: Annotated[
        tuple[float, float] | None,
        typer.Option("--x-range", help="Part of the x axis, as 0.1 0.9.", show_default=False),
    ] = None,
    magnify: Annotated[
        str | None,
        typer.Option("--magnify", help="Map of the x axis of croc and cac, as 'exp(7)'.", show_default=False),
    ] = None,
    difference: Annotated[
        bool,
        typer.Option("--difference", help="Band of the difference of the first two rankers (accumulation or roc)."),
    ] = False,
    positive: opt.Positive = None,
    no_header: opt.NoHeader = False,
    missing: opt.Missing = "raise",
    where: opt.Where = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    per_id: opt.PerId = "refuse",
    design: opt.Design = None,
    prevalence: opt.Prevalence = None,
    confidence_level: opt.Level = 0.95,
    seed: opt.Seed = 0,
    form: Annotated[
        str, typer.Option("--format", "-f", help="csv, json, text, markdown or latex.", rich_help_panel="Output")
    ] = "csv",
    output: opt.Output = None,
) -> None:
    """Write a confidence band of a curve of each ranker: ranker, x, value, low, high.

    [bold]Example[/bold]

    hitcurve band scores.csv --label y --score a --curve precision_recall -o band.csv
    """
    from hitcurve.evaluation import Doubt, evaluate_source
    from hitcurve.magnify import magnification
    from hitcurve.metrics import metrics as read

    f = None if magnify is None else magnification(magnify)
    writer = Writer(form, output)
    doubt = Doubt.of(design, prevalence, confidence_level)
    subjects = Subjects(file, label, score or (), positive, None, no_header, missing, where, labels, on, per_id)
    with warnings.catch_warnings(), subjects.source() as source:
        warnings.simplefilter("ignore")
        result = evaluate_source(source, read("auc"), pos_label=positive, doubt=doubt)
        if difference:
            if len(result.rankers) != 2:
                raise ParameterError(f"--difference takes two rankers (--score), got {len(result.rankers)}")
            first, second = result.rankers
            bands = {f"{first} - {second}": result.difference_band(first, second, curve, x_range=x_range, rng=seed)}
        else:
            options: dict[str, Any] = {"kind": kind, "method": band_method, "x_range": x_range, "magnification": f}
            bands = {name: result.band(name, curve, rng=seed, **options) for name in result.rankers}
    writer.bands(bands)
    writer.warn(result)


@app.command()
def confusion(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.Score = None,
    at: Annotated[
        str | None,
        typer.Option("--at", help="Share (1%, 0.01) or number (100) of subjects that are called.", show_default=False),
    ] = None,
    threshold: Annotated[
        float | None,
        typer.Option("--threshold", help="Or: call the subjects with this score or a better one.", show_default=False),
    ] = None,
    cut: Annotated[
        str, typer.Option("--cut", help="How a share becomes a number: ceil, floor, round or fractional.")
    ] = "ceil",
    positive: opt.Positive = None,
    weight: opt.Weight = None,
    no_header: opt.NoHeader = False,
    missing: opt.Missing = "raise",
    where: opt.Where = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    per_id: opt.PerId = "refuse",
    form: opt.Format = "text",
    output: opt.Output = None,
) -> None:
    """Print the confusion matrix of each ranker at one cut, with what is read off it.

    [bold]Example[/bold]

    hitcurve confusion scores.csv --label y --score a --at 1%
    """
    from hitcurve.metrics.written import cut_place

    if (at is None) == (threshold is None):
        raise ParameterError("give --at or --threshold")
    writer = Writer(form, output)
    place = None if at is None else cut_place(at)
    subjects = Subjects(file, label, score or (), positive, weight, no_header, missing, where, labels, on, per_id)
    result = _counted(subjects, positive)
    lows = {name for name, high in split_directions(subjects.columns()[1])[1].items() if not high}
    found = {}
    for name, table in result.tables.items():
        if threshold is not None:
            # the table knows scores of which high is good
            found[name] = table.confusion(threshold=-threshold if name in lows else threshold)
        elif isinstance(place, float):
            found[name] = table.confusion(rate=place, cut=cut)
        else:
            found[name] = table.confusion(k=place, cut=cut)
    writer.confusions(found)
    writer.warn(result)


def _counted(subjects: Subjects, positive: str | None) -> Evaluation:
    """Return the tables of the rankers, with what was said while counting."""
    from hitcurve.evaluation import evaluate_source
    from hitcurve.metrics import metrics as read

    with warnings.catch_warnings(), subjects.source() as source:
        warnings.simplefilter("ignore")
        return evaluate_source(source, read("auc"), pos_label=positive)


@app.command()
def metrics(
    preset: opt.Preset = None,
    form: Annotated[str, typer.Option("--format", "-f", help="text or markdown.")] = "text",
) -> None:
    """List every metric, or those of a preset: written form, range, random value, one line.

    [bold]Example[/bold]

    hitcurve metrics --preset docking
    """
    from hitcurve import _checks, rows
    from hitcurve.metrics import examples
    from hitcurve.metrics import metrics as read
    from hitcurve.metrics import preset as of_field
    from hitcurve.table import HitTable

    _checks.choice("--format", form, ("text", "markdown"))
    list_of = HitTable.from_counts([100], [9900])
    body = []
    for m in read(examples().values()) if preset is None else of_field(preset):
        low, high = m.range
        spread = f"{rows.short(low)} to {rows.short(high)}"
        body.append([str(m), spread, rows.short(m.random(list_of)), m.summary])
    header = ["metric", "range", "random", "what it is"]
    table = rows.text_table if form == "text" else rows.markdown_table
    say(f"{table(header, body, left=(0, 1, 3))}\n\nrandom: value of a list of 10,000 with 1% positives, all tied\n")


@app.command()
def demo(
    output: Annotated[Path, typer.Option("--output", "-o", help="Report to write.")] = Path("demo-report.md"),
) -> None:
    """Evaluate film against digital mammography (42,000 women, 335 cancers) and write a report."""
    from hitcurve.datasets import mammography
    from hitcurve.evaluation import evaluate as run
    from hitcurve.report import render
    from hitcurve.report.writing import write_whole

    result = run(tables=mammography(), metrics=_DEMO_METRICS)
    write_whole(output, _demo_report(result))
    say(f"{render(result)}\nwrote {output}\n")


def _demo_report(result: Any) -> str:
    from hitcurve import rows
    from hitcurve.metrics import Momentum
    from hitcurve.quasi_concave import fit_quasi_concave
    from hitcurve.report import render

    shape = []
    for name, table in result.tables.items():
        model = fit_quasi_concave(table)
        shape.append(
            [name, *map(rows.number, (Momentum().value(table), model.beta, model.alpha, model.residual or 0.0))]
        )
    header = ["", "momentum", "fitted momentum", "fitted stamina", "residual"]
    words = [f"- by {m}: {_order(result, m)}" for m in ("auc", "ap", "ef@1%")]
    return "\n".join(
        [
            "# Film against digital mammography",
            "",
            "Malignancy scores on a seven-point scale and cancers found within 15 months, from the Digital",
            "Mammographic Imaging Screening Trial (Pisano et al. 2005, Table 3).",
            "",
            render(result, "markdown"),
            "Momentum is scaled AP over scaled AUC, an estimate of the precision at the top of the list; stamina is",
            "the share of the list over which it lasts. The fit is the quasi-concave hit curve of Su, Yuan and Zhu",
            "(2015) by least squares.",
            "",
            rows.markdown_table(header, shape),
            "",
            "Which of the two is ahead depends on the question:",
            "",
            *words,
            "",
        ]
    )


def _order(result: Any, metric: str) -> str:
    from hitcurve import rows

    ranked = sorted(result.metric(metric).values(), key=lambda e: -e.value)
    return ", then ".join(f"{e.ranker} ({rows.number(e.value)})" for e in ranked)


app.command()(report)
app.command()(rate)
app.command()(trec)
