"""The command that lists and writes the data of the examples."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.streams import say, tell
from hitcurve.cli.unused import refuse_unused

_HOW = "\n\nhitcurve data NAME --about describes one, hitcurve data NAME -o FILE writes it.\n"


def data(
    name: Annotated[
        str | None,
        typer.Argument(autocompletion=offered.datasets, help="Data set; without one all are listed."),
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(
            "--only",
            help="COLUMN=VALUE: write only rows with this value; repeat for other columns.",
        ),
    ] = None,
    about: Annotated[
        bool, typer.Option("--about", help="Print description, columns, source and licence instead of the data.")
    ] = False,
    output: opt.Output = None,
) -> None:
    """List the data sets in the package, or write one as CSV.

    [bold]Examples[/bold]

    hitcurve data

    hitcurve data docking -o docking.csv

    hitcurve data reviews --only topic=CD009647 -o review.csv
    """
    from hitcurve.datasets import load

    if name is None:
        refuse_unused(
            {"--only": only or None, "--about": about, "--output": output},
            "needs the name of a data set: hitcurve data lists them",
        )
        say(_list())
        return
    if about:
        refuse_unused(
            {"--only": only or None, "--output": output},
            "is of the data, which --about does not print: leave one of them out",
        )
    found = load(name)
    if only:
        found = found.only(**_values(found, only))
    if about:
        say(f"{found}\n")
    elif output is None or output == Path("-"):
        say(found.to_csv())
    else:
        _check_suffix(output)
        found.to_csv(output)
        tell(f"wrote {output}: {found.n_rows:,} rows, licence: {found.licence}")


def _list() -> str:
    from hitcurve import rows
    from hitcurve.datasets import load, names

    body = [[one.name, f"{one.n_rows:,}", one.licence, one.title] for one in map(load, names())]
    return rows.text_table(["name", "rows", "licence", "content"], body, left=(0, 2, 3)) + _HOW


def _values(found: Any, only: list[str]) -> dict[str, Any]:
    """Read COLUMN=VALUE; a number where the column has numbers."""
    from hitcurve import _checks
    from hitcurve.errors import ParameterError

    values: dict[str, Any] = {}
    for text in only:
        column, mark, value = text.partition("=")
        if not mark:
            raise ParameterError(f"--only must be COLUMN=VALUE, got {text!r}")
        _checks.named("column", column, found)
        if column in values:
            raise ParameterError(f"--only names the column {column!r} twice: name it once")
        try:
            values[column] = value if found[column].dtype.kind == "U" else float(value)
        except ValueError:
            raise ParameterError(f"--only {text}: column {column!r} has numbers, got {value!r}") from None
    return values


def _check_suffix(output: Path) -> None:
    from hitcurve.errors import ParameterError

    if output.suffix.lower() not in ("", ".csv"):
        raise ParameterError(f"data sets are written as CSV, got --output {output}: end its name in .csv")
