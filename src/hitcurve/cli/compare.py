"""The commands that compare two rankers while labels arrive, and plan how many are needed."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.counts import Counts
from hitcurve.cli.inputs import Subjects
from hitcurve.cli.outputs import Part, Writer
from hitcurve.cli.shares import of_level, of_share

if TYPE_CHECKING:
    from hitcurve.sources import Tally

OneMetric = Annotated[
    str, typer.Option("--metric", "-m", autocompletion=offered.metrics, help="Metric.", rich_help_panel="Metrics")
]


def compare(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.Score = None,
    metric: OneMetric = "ap",
    looks: Annotated[
        int, typer.Option("--looks", min=1, help="Number of looks, evenly spaced up to the horizon.")
    ] = 20,
    horizon: Annotated[
        int | None,
        typer.Option(
            "--horizon",
            min=2,
            help="Labels expected in all, chosen before the first look; the rows of the files if not given, with "
            "--missing drop also drops subjects without a label.",
        ),
    ] = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            autocompletion=offered.listed("hitcurve.inference.comparing.looks", "LOOKED"),
            help="anytime (no fixed end) or obrien-fleming (narrower, ends at the horizon).",
        ),
    ] = "anytime",
    target: Annotated[
        str,
        typer.Option(
            "--target",
            autocompletion=offered.listed("hitcurve.inference.comparing.looks", "TARGETS"),
            help="The difference in the population, or in this pool of subjects once all are labelled (anytime only).",
        ),
    ] = "population",
    positive: opt.Positive = None,
    no_header: opt.NoHeader = False,
    missing: opt.Missing = "raise",
    na: opt.Na = None,
    decimal: opt.Decimal = None,
    where: opt.Where = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    per_id: opt.PerId = "refuse",
    confidence_level: Annotated[float, of_level("of the intervals, at all looks together.")] = 0.95,
    form: opt.Format = None,
    output: opt.Output = None,
) -> None:
    r"""Compare two rankers while labels arrive, and stop as soon as they differ.

    Rows are in the order in which they were labelled, which must be random. P values and intervals hold at all looks
    together. With all labels at hand, use hitcurve evaluate --compare.

    [bold]Example[/bold]

    hitcurve compare pool.csv --label relevant --score old --score new \
        --metric ap --missing drop --looks 20
    """
    from hitcurve import _checks
    from hitcurve.errors import DirectionWarning, MissingValueWarning
    from hitcurve.evaluation import SequentialComparison, evaluate_source
    from hitcurve.inference.resampling.permute import Subjects as InMemory
    from hitcurve.metrics import metrics as read
    from hitcurve.metrics.remarks import about_missing

    writer = Writer.of(form, output)
    names = (na, decimal)
    subjects = _subjects(file, label, score, positive, no_header, missing, where, labels, on, per_id, *names)
    _checks.whole_number("--looks", looks)
    with warnings.catch_warnings(record=True) as caught, subjects.source() as source:
        warnings.simplefilter("always")
        first, second = _two(source.rankers)
        ev = evaluate_source(source, read(metric), pos_label=positive)
        tally = ev.tally
        rows_read = tally.rows if tally is not None else 0
        test = SequentialComparison(
            metric,
            horizon=rows_read if horizon is None else horizon,
            method=method,
            target=target,
            confidence_level=confidence_level,
            names=(first, second),
        )
        held = InMemory.of(source, [first, second])
        test.look_at(held.positive, held.scores[first], held.scores[second], looks)
    # rows without a label are those to come, not dropped; of directions the looks warn, where they are clear
    otherwise = (MissingValueWarning, DirectionWarning)
    of_all = [warning for warning in ev.warnings if not isinstance(warning, otherwise)]
    waiting = [] if tally is None or not tally.unlabelled else [_waiting(tally)]
    if tally is not None:
        of_all = [*about_missing(replace(tally, dropped=tally.dropped - tally.unlabelled)), *of_all]
    # what is true of all labels is not said of those that were seen too
    kinds = {type(warning) for warning in of_all}
    own = [f"warning: {warning.message}" for warning in caught if warning.category not in kinds]
    said = dict.fromkeys([*(f"warning: {warning}" for warning in of_all), *own])
    notes = [*test.heading(), *ev.notes, *waiting, *test.notes(), *said]
    writer.parts([Part("looks", notes, test.to_records(), *test.table_rows())])


def power(
    file: opt.Files,
    effect: Annotated[
        float,
        of_share("--effect", metavar="DIFFERENCE", help="True difference that is to be found."),
    ],
    label: opt.Label = None,
    score: opt.Score = None,
    metric: OneMetric = "ap",
    wanted: Annotated[
        float | None,
        of_share("--power", help="Power; gives the number of subjects."),
    ] = None,
    n_pos: Annotated[
        int | None,
        typer.Option("--n-pos", help="Number of positives, instead of --power; gives the power."),
    ] = None,
    n_neg: Annotated[
        int | None,
        typer.Option("--n-neg", help="Number of negatives; the ratio of the pilot if not given."),
    ] = None,
    significance: Annotated[float, of_share("--significance", help="Two-sided level of the test.")] = 0.05,
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
    correlation: opt.Correlation = None,
    form: opt.Format = None,
    output: opt.Output = None,
) -> None:
    r"""Plan a comparison of two rankers from a pilot: compute the number of subjects, or the power.

    The 95% interval shows how far the numbers may be off because the pilot is small. A pilot of counts plans two
    samples of different subjects, unless --correlation is given.

    [bold]Examples[/bold]

    hitcurve power pilot.csv --label active --score old --score new \
        --metric ap --effect 0.05 --power 0.8

    hitcurve power film.csv digital.csv --counts --positives cancers \
        --total screened --effect 0.05 --power 0.8
    """
    from hitcurve.errors import ParameterError
    from hitcurve.evaluation import evaluate_source
    from hitcurve.metrics import metrics as read

    writer = Writer.of(form, output)
    if wanted is None and n_pos is None:
        raise ParameterError("give --power for the number of subjects, or --n-pos (and --n-neg) for the power")
    if wanted is not None and (n_pos is not None or n_neg is not None):
        raise ParameterError("give either --power or --n-pos and --n-neg, because each determines the other")
    names = (na, decimal, cluster)
    subjects = _subjects(file, label, score, positive, no_header, missing, where, labels, on, per_id, *names)
    columns = Counts.of(counts, positives, total, negatives)
    if correlation is not None and not counts:
        raise ParameterError("--correlation needs --counts: the subjects of other files are known")
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        if counts:
            pilot = columns.evaluation(subjects, metrics=metric)
        else:
            source = stack.enter_context(subjects.source())
            _two(source.rankers)
            pilot = evaluate_source(source, read(metric), pos_label=positive)
        sizes: dict[str, Any] = {"power": wanted, "n_pos": n_pos, "n_neg": n_neg, "significance": significance}
        rankers = _two(tuple(pilot.tables), "two files, or --positives twice" if counts else "--score twice")
        found = pilot.power_analysis(metric, effect, rankers=rankers, correlation=correlation, **sizes)
    lacks = [] if found.no_interval is None else [f"note: the pilot gives no 95% interval: {found.no_interval}"]
    notes = [*([*lacks, *found.notes()] if writer.form == "json" else str(found).split("\n")), *pilot.notes]
    writer.parts([Part("power", notes, [found.to_record()])])
    writer.warn(pilot, notes=False)


def _waiting(tally: Tally) -> str:
    verb = "waits" if tally.unlabelled == 1 else "wait"
    return f"note: {tally.unlabelled:,} of {tally.rows:,} rows {verb} for a label"


def _two(rankers: tuple[str, ...], how: str = "--score twice") -> tuple[str, str]:
    from hitcurve.errors import ParameterError

    if len(rankers) != 2:
        raise ParameterError(f"give two rankers: {how}, got {len(rankers)}")
    return rankers[0], rankers[1]


def _subjects(
    file: Any,
    label: str | None,
    score: list[str] | None,
    positive: str | None,
    no_header: bool,
    missing: str,
    where: str | None,
    labels: str | None,
    on: str | None,
    per_id: str,
    na: list[str] | None,
    decimal: str | None,
    cluster: str | None = None,
) -> Subjects:
    given = (file, label, score or (), positive, None, no_header, missing, where, labels, on, per_id, cluster)
    return Subjects(*given, na=tuple(na or ()), decimal=decimal)
