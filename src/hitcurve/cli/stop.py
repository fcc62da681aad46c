"""The command that tests whether a review may stop."""

from __future__ import annotations

from typing import Annotated

import typer

from hitcurve.cli import offered
from hitcurve.cli import options as opt
from hitcurve.cli.outputs import Part, Writer
from hitcurve.cli.promises import NOT_SHOWN
from hitcurve.cli.shares import of_share


def stop(
    found: Annotated[int, typer.Option("--found", help="Positives found in the order of the ranking.")],
    unread: Annotated[int, typer.Option("--unread", help="Subjects unread when the sample was drawn.")],
    sampled: Annotated[int, typer.Option("--sampled", help="Subjects in the random sample of the unread.")] = 0,
    hits: Annotated[int, typer.Option("--hits", help="Positives in the sample.")] = 0,
    target: Annotated[float, of_share("--target", help="Recall to be shown (95%, 0.95).")] = 0.95,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            autocompletion=offered.listed("hitcurve.inference.promises.reviews", "METHODS"),
            help="one-look (a sample of planned size) or likelihood-ratio (a sample that grows: any number of looks).",
        ),
    ] = "one-look",
    confidence_level: Annotated[
        float, of_share("--confidence-level", help="Confidence level, one-sided (95%, 0.95).")
    ] = 0.95,
    form: opt.Format = None,
    output: opt.Output = None,
) -> None:
    """Say whether a review may stop, from a random sample of the subjects that are still unread.

    Without --sampled: how large a sample must be. The exit code is 3 if the sample does not show the target.

    [bold]Example[/bold]

    hitcurve stop --found 90 --unread 1000 --sampled 300 --hits 1 --target 80%
    """
    from hitcurve.inference import stopping

    writer = Writer.of(form, output)
    answer = stopping(found, unread, sampled, hits, target=target, confidence_level=confidence_level, method=method)
    writer.parts([Part("stopping", answer.heading(), [answer.to_record()], *answer.table_rows())])
    if sampled and not answer.may_stop:
        raise typer.Exit(NOT_SHOWN)
