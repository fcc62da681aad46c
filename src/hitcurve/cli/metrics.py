"""The command that lists the metrics, or describes one."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.streams import say


def metrics(
    name: Annotated[
        str | None,
        typer.Argument(
            autocompletion=offered.described,
            help="Metric to describe: a name or a metric string, such as bedroc or 'croc(exp, alpha=7)'. Without one "
            "all are listed.",
        ),
    ] = None,
    preset: opt.Preset = None,
    form: Annotated[
        str,
        typer.Option(
            "--format", "-f", autocompletion=offered.one_of("text", "markdown"), help="Format: text or markdown."
        ),
    ] = "text",
) -> None:
    """List all metrics, or those of a preset, or describe one: arguments, metric strings, interval and source.

    [bold]Examples[/bold]

    hitcurve metrics --preset docking

    hitcurve metrics bedroc

    hitcurve metrics 'croc(exp, alpha=7)'
    """
    from hitcurve import _checks
    from hitcurve.errors import ParameterError

    _checks.choice("--format", form, ("text", "markdown"))
    if name is None:
        say(_listed(preset, form))
        return
    if preset is not None:
        raise ParameterError("--preset lists metrics and a name describes one: leave one of them out")
    from hitcurve.cli.described import about

    say(about(name, form))


def _listed(preset: str | None, form: str) -> str:
    from hitcurve import rows
    from hitcurve.metrics import examples
    from hitcurve.metrics import metrics as read
    from hitcurve.metrics import preset as of_field
    from hitcurve.table import HitTable

    list_of = HitTable.from_counts([100], [9900])
    body = []
    for m in read(examples().values()) if preset is None else of_field(preset):
        low, high = m.range
        spread = f"{rows.short(low)} to {rows.short(high)}"
        random = float(m.baseline(list_of))
        body.append([str(m), spread, "none" if math.isnan(random) else rows.short(random), m.summary])
    header = ["metric", "range", "random", "summary"]
    table = rows.text_table if form == "text" else rows.markdown_table
    note = (
        "random: of 10,000 subjects with 1% positives, the mean over random orders where it is known, else the value "
        "if all are tied"
    )
    if any(line[2] == "none" for line in body):
        note += "; none: the metric is undefined of them"
    return f"{table(header, body, left=(0, 1, 3))}\n\n{note}\n"
