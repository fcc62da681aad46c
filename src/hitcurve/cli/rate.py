"""The command that elicits how far a list will be screened, and estimates what is found."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.elicit import Budget, Elicited, items_of
from hitcurve.cli.inputs import Subjects
from hitcurve.cli.outputs import Part, Writer
from hitcurve.cli.shares import of_share
from hitcurve.cli.unused import refuse_unused

if TYPE_CHECKING:
    from hitcurve.evaluation import Evaluation
    from hitcurve.rates import RateDensity
    from hitcurve.sources import Source

_LEVELS = (0.025, 0.25, 0.5, 0.75, 0.975)
_Named: TypeAlias = tuple[str, float | None, float]  # what it is, the level of a quantile, its value
_BUDGET = "Time budget"

Scored = Annotated[
    list[str] | None,
    typer.Argument(help="Optional scores and labels of a list whose positives are known; files as for evaluate."),
]
Items = Annotated[
    str | None,
    opt.column(
        "--items",
        help="Number of items in the list; or a file whose rows are counted; or a column of the scores whose different "
        "values are counted. If not given, the subjects of the scores are counted.",
        panel=_BUDGET,
    ),
]
Minutes = Annotated[
    str | None,
    typer.Option(
        "--minutes",
        "--time",
        help="Total time: minutes, or a duration such as 90min, 24h, 3d (a day has 24 hours) or 1h30min.",
        rich_help_panel=_BUDGET,
    ),
]
PerItem = Annotated[
    str | None,
    typer.Option(
        "--per-item",
        help="Mean time per item, from the shorter to the longer, such as 10:45 (minutes) or 90s:5min.",
        rich_help_panel=_BUDGET,
    ),
]
Coverage = Annotated[
    float, of_share("--coverage", help="Probability that the mean minutes per item are between the two.", panel=_BUDGET)
]
Reviewers = Annotated[
    list[str] | None,
    typer.Option(
        "--reviewer",
        help="Total time and time per item of one reviewer, such as 7200/10:45 or 120h/10:45; repeat for each "
        "reviewer.",
        rich_help_panel=_BUDGET,
    ),
]
Combine = Annotated[
    str | None,
    typer.Option(
        "--combine",
        autocompletion=offered.listed("hitcurve.cli.elicit", "COMBINE"),
        help="Several reviewers: sum (they share the list; the default) or mixture (one unknown reviewer screens it).",
        rich_help_panel=_BUDGET,
    ),
]
Times = Annotated[
    str | None,
    typer.Option(
        "--times",
        help="File of mean minutes per item of past reviews, one per line, at least 5; instead of --per-item.",
        rich_help_panel=_BUDGET,
    ),
]


def rate(
    file: Scored = None,
    *,
    items: Items = None,
    minutes: Minutes = None,
    per_item: PerItem = None,
    coverage: Coverage = 0.95,
    reviewer: Reviewers = None,
    combine: Combine = None,
    times: Times = None,
    label: opt.Label = None,
    score: opt.Score = None,
    positive: opt.Positive = None,
    no_header: opt.NoHeader = False,
    missing: opt.Missing = "raise",
    na: opt.Na = None,
    decimal: opt.Decimal = None,
    where: opt.Where = None,
    labels: opt.Labels = None,
    on: opt.On = None,
    per_id: opt.PerId = "refuse",
    confidence_level: opt.Level = 0.95,
    form: opt.Format = None,
    output: opt.Output = None,
) -> None:
    r"""Turn a time budget into a density of the rate, the fraction of a list screened; with scores, estimate the hits.

    [bold]Examples[/bold]

    hitcurve rate --items 2500 --minutes 7200 --per-item 10:45

    hitcurve rate --items 2500 --reviewer 7200/10:45 --reviewer 3600/8:30 \
        --combine sum

    hitcurve rate --items 2500 --minutes 7200 --times log.txt

    hitcurve rate --items abstracts.csv --time 120h --per-item 10:45

    hitcurve rate scores.csv --label included --score a --score b --time 120h \
        --per-item 10:45
    """
    from hitcurve.errors import ParameterError

    writer = Writer.of(form, output)
    numerals: dict[str, Any] = {"na": tuple(na or ()), "decimal": decimal}
    subjects = Subjects(
        file or (), label, score or (), positive, None, no_header, missing, where, labels, on, per_id, **numerals
    )
    if not file and subjects != Subjects((), None, ()):
        raise ParameterError("options on columns and rows need a file of scores: name one")
    if not file:
        refuse_unused(
            {"--confidence-level": confidence_level != 0.95},
            "is of the intervals of what is found, and needs a file of scores: name one, or leave it out",
        )
    if times is not None:
        refuse_unused(
            {"--coverage": coverage != 0.95},
            "is of the span of --per-item and --reviewer, and --times has none: leave it out",
        )
    budget = Budget(minutes, per_item, reviewer or (), combine, times, coverage)
    with ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        source = stack.enter_context(subjects.source()) if file else None
        count, counted = items_of(items, source)
        elicited = budget.elicited(count)
        notes = (counted,) if counted else ()
        parts = [_density(elicited, notes), _rates(elicited.density, count), _minutes(elicited, count)]
        if source is None:
            writer.parts(parts)
            return
        result = _evaluated(source, positive, elicited.density, confidence_level)
        parts += [_found(result, elicited.density, count), _after(result, elicited.density)]
    writer.parts(parts)
    writer.warn(result, notes=False)  # the heading has them


def _density(elicited: Elicited, notes: tuple[str, ...]) -> Part:
    """Return the notes on the density; as records, the density of each reviewer."""
    records: list[dict[str, Any]] = [
        {"who": r.name, "density": str(r.density), "minutes": r.minutes, "distance": None} for r in elicited.reviewers
    ]
    if len(records) > 1:
        records.append({"who": "together", "density": str(elicited.density), "minutes": None, "distance": None})
    records[-1]["distance"] = elicited.distance
    return Part("density", (*notes, *elicited.notes), records)


def _rates(density: RateDensity, items: int) -> Part:
    """Return mode, mean and quantiles of the rate, as fractions and as numbers of items."""
    at: list[_Named] = [("mode", None, getattr(density, "mode", math.nan)), ("mean", None, density.mean)]
    at += [("quantile", level, density.quantile(level)) for level in _LEVELS]
    records: list[dict[str, Any]] = [
        {"quantity": quantity, "level": level, "share": share, "items": share * items}
        for quantity, level, share in at
        if not math.isnan(share)
    ]
    body = [[_name(record), *_shown(record["share"], record["items"])] for record in records]
    return Part("rate", (), records, ["rate", "share", "items"], body)


def _minutes(elicited: Elicited, items: int) -> Part:
    """Return the distribution of the minutes per item of each reviewer."""
    notes: list[str] = []
    records: list[dict[str, Any]] = []
    columns: list[list[str]] = []
    names: list[str] = []
    for r in elicited.reviewers:
        time = r.density.minutes_per_item(items, r.minutes)
        whose = "" if len(elicited.reviewers) == 1 else f" of {r.name}"
        least = _shown(time.shortest)[0]
        notes.append(
            f"minutes per item{whose}: {time}; the least is {least}, at which the time suffices for the whole list; no "
            "upper limit"
        )
        at: list[_Named] = [("least", None, time.shortest), ("mean", None, time.mean)]
        at += [("quantile", level, time.quantile(level)) for level in _LEVELS]
        own: list[dict[str, Any]] = [
            {"who": r.name, "quantity": name, "level": level, "minutes": value} for name, level, value in at
        ]
        records += own
        columns.append([_shown(record["minutes"])[0] for record in own])
        names = [_name(record) for record in own]
    header = ["time per item", *(["minutes"] if len(columns) == 1 else [r.name for r in elicited.reviewers])]
    body = [[name, *cells] for name, *cells in zip(names, *columns, strict=True)]
    return Part("minutes_per_item", tuple(notes), records, header, body)


def _name(record: dict[str, Any]) -> str:
    level = record["level"]
    return record["quantity"] if level is None else "median" if level == 0.5 else f"{100 * level:g}%"


def _shown(*values: float) -> list[str]:
    from hitcurve import rows

    return [rows.number(value) for value in values]


def _evaluated(source: Source, positive: str | None, density: RateDensity, level: float) -> Evaluation:
    """Evaluate with the number of positives fixed."""
    from hitcurve.evaluation import SamplingDesign, evaluate_source
    from hitcurve.metrics import ExpectedRecall, RateWeightedAUC

    sampling = SamplingDesign.of("case-control", None, level)
    wanted = (RateWeightedAUC(density), ExpectedRecall(density))
    return evaluate_source(source, wanted, pos_label=positive, sampling=sampling)


def _found(result: Evaluation, density: RateDensity, items: int) -> Part:
    """Return rAUC, expected recall and the expected number found of each ranker."""
    from hitcurve import rows
    from hitcurve.metrics import ExpectedRecall, RateWeightedAUC

    recall = ExpectedRecall(density)
    quantities = (("rauc", RateWeightedAUC(density)), ("expected recall", recall), ("expected number found", recall))
    records, body = [], []
    for quantity, metric in quantities:
        cells = []
        for name in result.rankers:
            e, factor = result[name, metric], result.tables[name].n_pos if "number" in quantity else 1.0
            ends = None if e.interval is None else (e.interval[0] * factor, e.interval[1] * factor)
            low, high = ends or (None, None)
            record = {"ranker": name, "quantity": quantity, "value": e.value * factor, "low": low, "high": high}
            records.append({**record, "confidence_level": e.confidence_level})
            cells.append(rows.with_interval(e.value * factor, ends))
        body.append([quantity, *cells])
    return Part("found", tuple(_about(result, items)), records, ["", *result.rankers], body)


def _about(result: Evaluation, items: int) -> Iterator[str]:
    from hitcurve import rows

    yield from result.heading()
    table = next(iter(result.tables.values()))
    if table.n != items:
        yield (
            f"the file lists {rows.count(table.n)} subjects and the budget is for {rows.count(items)} items: the "
            "fraction of the list screened is taken as the same"
        )
    yield (
        f"[{100 * result.confidence_level:g}%] intervals take the number of positives, {rows.count(table.n_pos)}, as "
        "fixed"
    )
    yield from (f"note: {text}" for text in result.cautions)


def _after(result: Evaluation, density: RateDensity) -> Part:
    """Return the number of positives found by each ranker after numbers of items."""
    from hitcurve import rows

    n = int(next(iter(result.tables.values())).n)
    grid = _stops(density, n)
    lines = result.sensitivity("budget", grid)
    reached = 1 - density.magnification()([k / n for k in grid])
    records: list[dict[str, Any]] = []
    shown: dict[tuple[str, int], dict[str, str]] = {}
    for name in result.rankers:
        n_pos, recall = result.tables[name].n_pos, lines.of(name, "recall")
        for place, k in enumerate(grid):
            # found and precision are multiples of recall where the number of positives is known
            value, low, high = (float(x[place]) for x in (recall.value, recall.low[0], recall.high[0]))
            high = min(high, k / n_pos)  # k items cannot hold more than k positives
            record: dict[str, Any] = {"ranker": name, "after": k, "share": k / n, "reached": float(reached[place])}
            cells = {}
            for key, factor in (("found", n_pos), ("recall", 1.0), ("precision", n_pos / k)):
                ends = None if math.isnan(low) else (low * factor, high * factor)
                record |= {key: value * factor} | dict(
                    zip((f"{key}_low", f"{key}_high"), ends or (None, None), strict=True)
                )
                cells[key] = rows.with_interval(value * factor, ends)
            records.append({**record, "confidence_level": result.confidence_level})
            shown[name, k] = cells
    alone = len(result.rankers) == 1
    keys = ("found", "recall", "precision") if alone else ("found", "recall")
    note = (
        "results after a number of items, with the probability that the time suffices for them (reached); found, "
        "recall and precision are multiples of each other, and so are their intervals"
    ) + ("" if alone else "; precision is found / after")
    columns = [(key, name) for key in keys for name in result.rankers]
    header = ["after", "share", "reached", *(key if alone else f"{key}: {name}" for key, name in columns)]
    body = [
        [
            rows.count(k),
            *(f"{100 * share:.3g}%" for share in (k / n, reached[place])),
            *(shown[name, k][key] for key, name in columns),
        ]
        for place, k in enumerate(grid)
    ]
    return Part("after", (note,), records, header, body)


def _stops(density: RateDensity, n: int) -> list[int]:
    """Return round numbers of items from a tenth of the smallest quantile up, and the quantiles of the density."""
    quantiles = {min(max(math.ceil(density.quantile(level) * n - 1e-9), 1), n) for level in _LEVELS}
    tens = {digit * 10**power for power in range(len(str(n))) for digit in (1, 2, 5)}
    return sorted(quantiles | {k for k in tens if min(quantiles) / 10 <= k < n})
