"""The command line application: its commands, in the order of the help."""

from __future__ import annotations

from copy import copy
from functools import cache
from typing import Annotated, Any

import typer
from typer.models import CommandInfo

from hitcurve.cli.certify import certify
from hitcurve.cli.compare import compare, power
from hitcurve.cli.confusion import confusion
from hitcurve.cli.curves import band, curve
from hitcurve.cli.data import data
from hitcurve.cli.decision import decision
from hitcurve.cli.demo import demo
from hitcurve.cli.drift import drift
from hitcurve.cli.evaluate import evaluate, ranks
from hitcurve.cli.files import keeps_inputs
from hitcurve.cli.gap import gap
from hitcurve.cli.meta import meta
from hitcurve.cli.metrics import metrics
from hitcurve.cli.plot import plot
from hitcurve.cli.rate import rate
from hitcurve.cli.readers import readers
from hitcurve.cli.report import report
from hitcurve.cli.screen import screen
from hitcurve.cli.stop import stop
from hitcurve.cli.stored import needs_rows
from hitcurve.cli.streams import shows_progress
from hitcurve.cli.survival import survival
from hitcurve.cli.tables import merge, table
from hitcurve.cli.trec import trec
from hitcurve.cli.winner import winner

app = typer.Typer(
    name="hitcurve",
    no_args_is_help=True,
    add_completion=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
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
    """Evaluate how well scores rank positives near the top: average precision, CROC, BEDROC, enrichment and more."""


_OF_ROWS = (compare, gap, meta, power, rate, readers, screen, survival, winner)

for command in (
    evaluate,
    compare,
    winner,
    survival,
    gap,
    meta,
    screen,
    readers,
    certify,
    decision,
    power,
    ranks,
    table,
    merge,
    drift,
    curve,
    band,
    plot,
    confusion,
    metrics,
    data,
    demo,
    report,
    rate,
    stop,
    trec,
):
    app.command()(shows_progress(keeps_inputs(needs_rows(command) if command in _OF_ROWS else command)))


def with_one(name: str) -> Any:
    """Return the application, to be called, with only the command of this name; all commands if there is none.

    The parameters of all commands take ten times as long to read as those of one, which are read once.
    """
    if name == "--version":
        name = "demo"  # which has no parameters
    return _read(name if any(_name(command) == name for command in app.registered_commands) else None)


@cache
def _read(name: str | None) -> Any:
    found = copy(app)
    found.registered_commands = [one for one in app.registered_commands if name in (None, _name(one))]
    return typer.main.get_command(found)


def _name(command: CommandInfo) -> str:
    return getattr(command.callback, "__name__", "")
