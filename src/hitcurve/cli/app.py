"""The commands."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from typing import Annotated, Any

import typer

from hitcurve.cli.files import readable, say, write_whole

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
    file: Annotated[str, typer.Argument(help="CSV file with a header, or - for standard input.")],
    label: Annotated[str, typer.Option("--label", "-l", help="Column of the labels.")],
    score: Annotated[
        list[str],
        typer.Option("--score", "-s", help="Column of scores, again for each ranker; NAME:low if low is good."),
    ],
    metric: Annotated[
        list[str] | None,
        typer.Option("--metric", "-m", help="Metric, again for each; see [bold]hitcurve metrics[/bold]."),
    ] = None,
    positive: Annotated[
        str | None, typer.Option("--positive", help="Label of the positives, unless beyond doubt.")
    ] = None,
    weight: Annotated[str | None, typer.Option("--weight", help="Column of weights.")] = None,
    missing: Annotated[
        str,
        typer.Option("--missing", help="raise, drop (the row, for all rankers) or last (in that ranker)."),
    ] = "raise",
    undefined: Annotated[
        str, typer.Option("--undefined", help="raise, or nan for metrics that have no meaning here.")
    ] = "raise",
    form: Annotated[str, typer.Option("--format", "-f", help="text, json, csv or markdown.")] = "text",
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write, whole or not at all.")] = None,
) -> None:
    """Evaluate rankers of the same subjects.

    Example:  hitcurve evaluate scores.csv --label y --score a --score energy:low --metric ap --metric ef@1%
    """
    from hitcurve import _checks
    from hitcurve.evaluation import evaluate_source
    from hitcurve.metrics import DEFAULT, metrics
    from hitcurve.report import FORMATS, render
    from hitcurve.sources import Reading
    from hitcurve.sources.files import FileSource

    _checks.choice("--format", form, FORMATS)
    _checks.choice("--undefined", undefined, ("raise", "nan"))
    wanted = metrics(metric or DEFAULT)
    names, directions = _directions(score)
    with readable(file) as path, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they are part of the result and printed with it
        source = FileSource(path, label, names, Reading(positive, directions, missing), weight)
        result = evaluate_source(source, wanted, pos_label=positive, undefined=undefined)
    text = render(result, form)
    if output is None:
        say(text)
    else:
        write_whole(output, text)
        print(f"wrote {output}", file=sys.stderr)
    if form == "csv" or output is not None:
        for warning in result.warnings:
            print(f"warning: {warning}", file=sys.stderr)


def _directions(scores: list[str]) -> tuple[tuple[str, ...], dict[str, bool]]:
    """Split ``energy:low`` into the column and its direction."""
    from hitcurve.errors import ParameterError

    directions: dict[str, bool] = {}
    for text in scores:
        name, mark, direction = text.rpartition(":")
        column, high = (name, direction == "high") if mark and direction in ("low", "high") else (text, True)
        if column in directions:
            raise ParameterError(f"--score names the column {column!r} twice")
        directions[column] = high
    return tuple(directions), directions


@app.command()
def metrics(
    form: Annotated[str, typer.Option("--format", "-f", help="text or markdown.")] = "text",
) -> None:
    """List every metric: written form, range, random value, one line."""
    from hitcurve import _checks, rows
    from hitcurve.metrics import examples, metric
    from hitcurve.table import HitTable

    _checks.choice("--format", form, ("text", "markdown"))
    list_of = HitTable.from_counts([100], [9900])
    body = []
    for text in examples().values():
        m = metric(text)
        low, high = m.range
        spread = f"{rows.short(low)} to {rows.short(high)}"
        body.append([text, spread, rows.short(m.random(list_of)), m.summary])
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

    result = run(tables=mammography(), metrics=_DEMO_METRICS)
    write_whole(output, _demo_report(result))
    say(f"{render(result)}\nwrote {output}\n")


def _demo_report(result: Any) -> str:
    from hitcurve import rows
    from hitcurve.quasi_concave import fit_quasi_concave, momentum
    from hitcurve.report import render

    shape = []
    for name, table in result.tables.items():
        model = fit_quasi_concave(table)
        shape.append([name, *map(rows.number, (momentum(table), model.beta, model.alpha, model.residual or 0.0))])
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
