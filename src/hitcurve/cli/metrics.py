"""The command that lists the metrics."""

from __future__ import annotations

import math
from typing import Annotated

import typer

from hitcurve.cli import options as opt
from hitcurve.cli.streams import say


def metrics(
    preset: opt.Preset = None,
    form: Annotated[str, typer.Option("--format", "-f", help="Format: text or markdown.")] = "text",
) -> None:
    """List all metrics, or those of a preset: metric string, range, random baseline, summary.

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
        random = float(m.random(list_of))
        body.append([str(m), spread, "none" if math.isnan(random) else rows.short(random), m.summary])
    header = ["metric", "range", "random", "summary"]
    table = rows.text_table if form == "text" else rows.markdown_table
    note = "random: value for 10,000 subjects with 1% positives, all tied"
    if any(line[2] == "none" for line in body):
        note += "; none: the metric is undefined of them"
    say(f"{table(header, body, left=(0, 1, 3))}\n\n{note}\n")
