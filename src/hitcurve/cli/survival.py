"""The command that evaluates rankers of censored subjects at horizons."""

from __future__ import annotations

import warnings
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.files import open_all
from hitcurve.cli.formats import BINARY
from hitcurve.cli.inputs import check_undefined, split_directions, wanted_metrics
from hitcurve.cli.outputs import Part, Writer
from hitcurve.cli.shares import of_share
from hitcurve.cli.streams import tell
from hitcurve.cli.tests import NEEDED
from hitcurve.cli.unused import refuse_unused

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hitcurve.inference import Comparisons
    from hitcurve.survival import SurvivalEvaluation

_OUTCOME = "Outcome"
Time = Annotated[
    str | None, opt.column("--time", "-t", help="Column of times: of the event, or of the censoring.", panel=_OUTCOME)
]
Event = Annotated[
    str | None,
    opt.column(
        "--event",
        "-e",
        help="Column of what happened: 0 censored, 1 the event, other whole numbers competing events.",
        panel=_OUTCOME,
    ),
]
Horizon = Annotated[
    list[float] | None,
    typer.Option(
        "--horizon",
        help="Time up to which events count, in the unit of --time; repeat for each.",
        rich_help_panel=_OUTCOME,
    ),
]
Cause = Annotated[
    str | None, typer.Option("--cause", help="Code of the event, by default 1.", rich_help_panel=_OUTCOME)
]
Censored = Annotated[
    str | None, typer.Option("--censored", help="Code of the censored, by default 0.", rich_help_panel=_OUTCOME)
]
Controls = Annotated[
    str,
    typer.Option(
        "--controls",
        autocompletion=offered.one_of("free", "all"),
        help="Controls: free (subjects without any event at the horizon) or all (those with a competing event, too).",
        rich_help_panel=_OUTCOME,
    ),
]
Strata = Annotated[
    list[str] | None,
    opt.column(
        "--strata",
        help="Column of strata within which the distribution of the censoring is estimated; repeat for each.",
        panel=_OUTCOME,
    ),
]
CensoringFrom = Annotated[
    str | None,
    typer.Option(
        "--censoring-from",
        metavar="FILE",
        help="File of other subjects, such as the training data, from whose columns --time and --event the "
        "distribution of the censoring is estimated.",
        rich_help_panel=_OUTCOME,
    ),
]
Scores = Annotated[
    list[str] | None,
    typer.Option(
        "--score",
        "-s",
        autocompletion=offered.scores,
        help="Column of scores, higher for earlier events; repeat for each ranker, NAME:low if lower is better. "
        "NAME=COLUMN,COLUMN,... if scores depend on time: one column for each --horizon.",
        rich_help_panel="Columns",
    ),
]
_PLAN = "Plan"
Effect = Annotated[
    float | None,
    of_share(
        "--effect",
        metavar="DIFFERENCE",
        help="True difference of two rankers that new data are to find; prints a plan for each horizon and metric.",
        panel=_PLAN,
    ),
]
Power = Annotated[float | None, of_share("--power", help="Power; gives the number of subjects.", panel=_PLAN)]
Number = Annotated[
    int | None,
    typer.Option("--subjects", help="Number of subjects, instead of --power; gives the power.", rich_help_panel=_PLAN),
]
Rule = Annotated[
    str | None,
    typer.Option(
        "--rule",
        autocompletion=offered.listed("hitcurve.survival.censoring", "RULES"),
        help="Weights of another program: timeroc (the default), sksurv or aptools.",
        rich_help_panel=_OUTCOME,
    ),
]


def survival(
    file: opt.Files,
    time: Time = None,
    event: Event = None,
    score: Scores = None,
    horizon: Horizon = None,
    cause: Cause = None,
    censored: Censored = None,
    controls: Controls = "free",
    strata: Strata = None,
    censoring_from: CensoringFrom = None,
    rule: Rule = None,
    metric: opt.Metric = None,
    preset: opt.Preset = None,
    weight: opt.Weight = None,
    cluster: opt.Cluster = None,
    missing: opt.Missing = "raise",
    na: opt.Na = None,
    decimal: opt.Decimal = None,
    where: opt.Where = None,
    undefined: opt.Undefined = "raise",
    design: opt.Design = None,
    confidence_level: opt.Level = 0.95,
    compare: opt.Compare = None,
    baseline: opt.Baseline = None,
    adjust: opt.Adjust = "holm",
    effect: Effect = None,
    power: Power = None,
    subjects: Number = None,
    seed: opt.Seed = None,
    form: opt.FormatOrPage = None,
    output: opt.Output = None,
    methods: opt.Methods = False,
) -> None:
    r"""Evaluate rankers by events up to one or several horizons, with censoring and competing events.

    [bold]Examples[/bold]

    hitcurve survival mayo.csv --time time --event censor --score mayoscore5 \
        --score mayoscore4 --horizon 365 --horizon 1825 --compare ap

    hitcurve survival paquid.csv --time time --event status --score DSST:low \
        --horizon 5 --controls all -o paquid.json

    hitcurve survival mayo.csv --time time --event censor --score mayoscore5 \
        --horizon 365 -o report.html

    hitcurve survival test.csv --time time --event died \
        --score model=risk_1y,risk_5y --horizon 1 --horizon 5 \
        --censoring-from train.csv

    hitcurve survival pilot.csv --time time --event died --score old \
        --score new --horizon 5 --effect 0.05 --power 80%

    hitcurve survival trial.csv --time days --event status --cause dead \
        --censored alive --score risk --horizon 365 --strata centre \
        --metric ap --metric recall@10%
    """
    from hitcurve import _checks
    from hitcurve.errors import ParameterError
    from hitcurve.metrics import metrics as read_metrics
    from hitcurve.survival import evaluate_survival
    from hitcurve.survival.api import DEFAULT

    writer = Writer.of(form, output, methods, has_page=True)
    writer.refuse_tests_of_page(compare)
    _check_plan(effect, power, subjects, writer.form, compare)
    if effect is not None:
        refuse_unused(
            {"--confidence-level": confidence_level != 0.95},
            "is not of plans, whose intervals are of 95%: leave it out",
        )
    for option, given in (("--time", time), ("--event", event), ("--score", score), ("--horizon", horizon)):
        if not given:
            raise ParameterError(f"give {option}, the {_WANTED[option]}")
    _checks.choice("--adjust", adjust, ("holm", "max-t"))
    if not compare:
        refuse_unused({"--baseline": baseline, "--adjust": adjust != "holm", "--seed": seed}, NEEDED)
    elif adjust == "holm":
        refuse_unused({"--seed": seed}, "is of the random draws of --adjust max-t: leave it out, or add that")
    check_undefined(undefined)
    wanted = wanted_metrics(metric, preset) if metric or preset else read_metrics(DEFAULT)
    wanted = read_metrics([*wanted, *(compare or ())])
    with ExitStack() as stack, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        of_numbers = [str(time), *([weight] if weight else [])]
        of_words = [str(event), *(strata or ()), *([cluster] if cluster else [])]
        how: dict[str, Any] = {"where": where, "na": tuple(na or ()), "decimal": decimal}
        rankers, directions, columns, notes = _columns(file, of_numbers, score or (), of_words, stack, **how)
        other = None
        if censoring_from is not None:
            of_other, _ = _read_other(censoring_from, (str(time),), (str(event),), stack, na=how["na"], decimal=decimal)
            other = (of_other[str(time)], of_other[str(event)])
        result = evaluate_survival(
            columns[str(time)],
            columns[str(event)],
            {
                name: columns[several[0]] if len(several) == 1 else [columns[one] for one in several]
                for name, several in rankers.items()
            },
            horizons=horizon or (),
            metrics=wanted,
            cause=cause,
            censored=censored,
            controls=controls,
            censoring={name: columns[name] for name in strata} if strata else "kaplan-meier",
            censoring_from=other,
            rule=rule,
            clusters=None if cluster is None else columns[cluster],
            sample_weight=None if weight is None else columns[weight],
            higher_is_better=directions,
            missing=missing,
            undefined=undefined,
            design=design,
            confidence_level=confidence_level,
        )
        if effect is not None:
            _write_plans(writer, result, effect, {"power": power, "subjects": subjects}, notes)
            return
        options: dict[str, Any] = {"baseline": baseline, "adjust": adjust, "rng": seed}
        tests = {t: [result.compare_all(one, t, **options) for one in compare or ()] for t in result.horizons}
        _write(writer, result, tests if compare else {}, notes)


_WANTED = {
    "--time": "column of times",
    "--event": "column of events",
    "--score": "column of scores, repeated for each ranker",
    "--horizon": "time up to which events count, repeated for each",
}


def _check_plan(
    effect: float | None, power: float | None, subjects: int | None, form: str, compare: Sequence[str] | None
) -> None:
    from hitcurve.errors import ParameterError

    if effect is None:
        if power is not None or subjects is not None:
            raise ParameterError("--power and --subjects need --effect, the difference that is to be found")
        return
    if (power is None) == (subjects is None):
        raise ParameterError("give --power for the number of subjects, or --subjects for the power")
    if compare:
        raise ParameterError("--effect plans a comparison and cannot be combined with --compare")
    if form in ("html", "markdown", "latex"):
        raise ParameterError(f"a plan is written as text, csv, json, parquet, arrow or feather, not as {form}")


def _columns(
    files: Sequence[str],
    numbers: Sequence[str],
    score: Sequence[str],
    words: Sequence[str],
    stack: ExitStack,
    **how: Any,
) -> tuple[dict[str, list[str]], dict[str, bool], dict[str, Any], tuple[str, ...]]:
    """Return the columns of each ranker, their directions, all columns, and how they were read."""
    from hitcurve.sources.files import has_column, in_lines, leading, read_columns
    from hitcurve.survival.elsewhere import check_no_table

    paths = open_all(files, stack)
    check_no_table(paths)

    def is_there(name: str) -> bool:
        return has_column(leading(paths), name, header=True)

    names, directions = split_directions(score, is_there)
    rankers: dict[str, list[str]] = {}
    turned: dict[str, bool] = {}
    for text in names:
        name, several = text, [text]
        if "=" in text and not is_there(text):
            name, _, listed = text.partition("=")
            several = listed.split(",")
        if name in rankers:
            raise _twice(name)
        rankers[name], turned[name] = several, directions[text]
    every = list(dict.fromkeys(one for several in rankers.values() for one in several))
    columns, notes = read_columns(paths, [*numbers, *every], words, **how)
    stack.enter_context(in_lines(paths, how["where"]))
    return rankers, turned, columns, notes


def _twice(name: str) -> Exception:
    from hitcurve.errors import ParameterError

    return ParameterError(f"--score names the ranker {name!r} twice: name it once")


def _read_other(
    file: str, numbers: Sequence[str], words: Sequence[str], stack: ExitStack, **how: Any
) -> tuple[dict[str, Any], tuple[str, ...]]:
    from hitcurve.sources.files import in_lines, read_columns
    from hitcurve.survival.subjects import FROM

    paths = open_all([file], stack)
    found = read_columns(paths, numbers, words, **how)
    stack.enter_context(in_lines(paths, of=FROM))
    return found


def _write_plans(
    writer: Writer, result: SurvivalEvaluation, effect: float, how: dict[str, Any], notes: tuple[str, ...]
) -> None:
    """Write the plan of each horizon and metric."""
    from hitcurve.errors import ParameterError

    if len(result.rankers) != 2:
        raise ParameterError(f"a plan needs two rankers: give --score twice, got {len(result.rankers)}")
    plans = [result.power_analysis(m, effect, t, **how) for t in result.horizons for m in result.metrics]
    said = [] if writer.form == "json" else [line for plan in plans for line in str(plan).split("\n")]
    writer.parts([Part("power", [*said, *notes], [plan.to_record() for plan in plans])])


def _write(
    writer: Writer, result: SurvivalEvaluation, tests: dict[float, list[Comparisons]], notes: tuple[str, ...]
) -> None:
    from hitcurve.report import file_of, page

    if writer.form == "html":
        writer.put(page(result))
    elif writer.form in BINARY:
        writer.put(file_of(result.rows_of(tests), writer.form))
    elif writer.form == "json":
        writer.json(result.to_dict(tests))
    elif writer.form == "csv":
        writer.put(result.to_csv(tests))
    else:
        made = {"text": result.to_text, "markdown": result.to_markdown, "latex": result.to_latex}[writer.form]
        text = made(tests)
        writer.put(text.rstrip("\n") + "\n" + (writer.as_note(result.methods_text()) if writer.methods else ""))
    for note in notes:
        tell(f"note: {note}")
    of_tests = [caution for several in tests.values() for one in several for caution in one.cautions]
    writer.beside_columns(dict.fromkeys((*result.cautions, *of_tests)))
    if writer.form in ("csv", *BINARY, "html") or (writer.output is not None and writer.form != "json"):
        for warning in result.warnings:
            tell(f"warning: {warning}")
