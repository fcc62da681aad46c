"""The command of decision curves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.counts import Counts
from hitcurve.cli.inputs import Request, Subjects
from hitcurve.cli.outputs import Part, Writer, notes_of
from hitcurve.cli.shares import of_level, of_share
from hitcurve.cli.unused import refuse_unused

if TYPE_CHECKING:
    from hitcurve.evaluation import Evaluation

_SHOWN = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_POINTS = 99


def decision(
    file: opt.Files,
    label: opt.Label = None,
    score: opt.ScoreOrRanker = None,
    threshold: Annotated[
        list[float] | None,
        of_share(
            "--threshold",
            "-t",
            help="Threshold probability (20%, 0.2); repeat for each. By default some from 1% to 90%.",
        ),
    ] = None,
    ends: Annotated[
        tuple[float, float] | None,
        of_share(
            "--range",
            metavar="SHARE SHARE",
            help=f"{_POINTS} equally spaced thresholds from the first to the second, such as 1% 50%.",
        ),
    ] = None,
    best_cut: Annotated[
        bool,
        typer.Option(
            "--best-cut",
            help="Scores only rank: cut each list where its net benefit is largest, instead of at the threshold.",
        ),
    ] = False,
    difference: Annotated[
        bool, typer.Option("--difference", help="Difference of two rankers, first minus second, instead of both.")
    ] = False,
    coverage: Annotated[
        str,
        typer.Option(
            "--coverage",
            autocompletion=offered.listed("hitcurve.inference.decision_curve", "COVERAGES"),
            help="Coverage of the limits: pointwise, or simultaneous (all of a curve together).",
            rich_help_panel="Uncertainty",
        ),
    ] = "pointwise",
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
    design: opt.Design = None,
    prevalence: opt.Prevalence = None,
    confidence_level: Annotated[float, of_level("of the limits, each or together by --coverage.")] = 0.95,
    seed: opt.Seed = None,
    form: opt.Format = None,
    output: opt.Output = None,
) -> None:
    r"""Print the net benefit of each ranker over threshold probabilities (decision curve analysis).

    Scores must be probabilities: a subject is selected where its score is at least the threshold. With --best-cut any
    score will do, and the list is cut where its net benefit is largest. Draw the curve with hitcurve plot decision.

    [bold]Examples[/bold]

    hitcurve decision risks.csv --label y --score model --threshold 10% \
        --threshold 20%

    hitcurve decision risks.csv --label y --score a --score b --difference \
        --range 0.05 0.4 -o difference.csv
    """
    from hitcurve.errors import ParameterError
    from hitcurve.metrics import metrics as read

    writer = Writer.of(form, output)
    thresholds = _thresholds(threshold, ends)
    if difference and best_cut:
        raise ParameterError(
            "--difference is of scores cut at the threshold itself: leave out --best-cut, or compare net_benefit@t"
        )
    if coverage == "pointwise":
        refuse_unused({"--seed": seed}, "is of the draws of --coverage simultaneous: leave it out, or add that")
    columns = (file, label, score or (), positive, weight, no_header, missing, where, labels, on, per_id)
    subjects = Subjects(*columns, na=tuple(na or ()), decimal=decimal)
    inference = (design, prevalence, confidence_level)
    request = Request(subjects, read("auc"), "raise", Counts.of(counts, positives, total, negatives), *inference)
    with request.evaluation() as result:
        # without groups it is of one list
        ev = cast("Evaluation", result)
        how: dict[str, Any] = {"coverage": coverage, "rng": seed}
        part = _difference(ev, thresholds, how) if difference else _curves(ev, thresholds, best_cut=best_cut, how=how)
    notes = [*part.notes, *notes_of(ev, compared=difference), *ev.warning_lines()]
    writer.parts([Part("decision", notes, part.records, part.header, part.body)])


def _thresholds(given: Sequence[float] | None, ends: tuple[float, float] | None) -> list[float]:
    from hitcurve.errors import ParameterError

    if given and ends is not None:
        raise ParameterError("--threshold and --range cannot be combined: give one of them")
    if given:
        for value in given:
            if given.count(value) > 1:
                raise ParameterError(f"--threshold {value:g} is given twice")
        return sorted(given)
    if ends is None:
        return list(_SHOWN)
    return spaced("--range", ends)


def spaced(option: str, ends: tuple[float, float]) -> list[float]:
    """Return equally spaced thresholds.

    Raises
    ------
    ParameterError
        If the ends are none.
    """
    import numpy as np

    from hitcurve import _checks
    from hitcurve.errors import ParameterError

    low, high = (_checks.open_unit(f"an end of {option}", end) for end in ends)
    if not low < high:
        raise ParameterError(f"{option} must go from a lower to a higher threshold, got {low:g} {high:g}")
    found: list[float] = np.linspace(low, high, _POINTS).tolist()
    return found


def _curves(ev: Evaluation, thresholds: Sequence[float], *, best_cut: bool, how: dict[str, Any]) -> Part:
    cut = "best" if best_cut else "probability"
    curves = [ev.decision_curve(name, thresholds, cut=cut, **how) for name in ev.rankers]
    tables = [one.table_rows() for one in curves]
    body = [[one.ranker, *line] for one, (_, lines) in zip(curves, tables, strict=True) for line in lines]
    notes = [line for one in curves for line in one.heading()]
    return Part("", notes, [record for one in curves for record in one.to_records()], ["ranker", *tables[0][0]], body)


def _difference(ev: Evaluation, thresholds: Sequence[float], how: dict[str, Any]) -> Part:
    from hitcurve import rows
    from hitcurve.errors import ParameterError

    if len(ev.rankers) != 2:
        raise ParameterError(f"--difference needs two rankers (--score), got {len(ev.rankers)}")
    band = ev.decision_difference(*ev.rankers, thresholds, **how)
    pair = " - ".join(ev.rankers)
    records = [
        {"ranker": pair, "threshold": one["x"], "net_benefit": one["value"], "low": one["low"], "high": one["high"]}
        for one in band.to_records()
    ]
    body = [
        [pair, rows.short(r["threshold"]), rows.with_interval(r["net_benefit"], (r["low"], r["high"]))] for r in records
    ]
    return Part("", str(band).split("\n"), records, ["difference", "threshold", "net benefit"], body)
