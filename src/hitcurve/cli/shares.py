"""How a share is written on the command line: 90% or 0.9."""

from __future__ import annotations

from typing import Annotated, Any

import typer


def share_with_error(option: str, text: str | None) -> float | tuple[float, ...] | None:
    """Read a share, or a share and its standard error: 5%, 0.05, or 5%,1%; None of nothing.

    Raises
    ------
    ParameterError
        If the text is neither.
    """
    from hitcurve.errors import ParameterError

    if text is None:
        return None
    numbers = [_number(part) for part in text.split(",")]
    found = tuple(number for number in numbers if number is not None)
    if len(found) not in (1, 2) or len(found) < len(numbers):
        raise ParameterError(f"{option} must be a number or SHARE,ERROR, as 0.05 or 5%,1%, got {text!r}")
    return found[0] if len(found) == 1 else found


def as_share(given: Any) -> float:
    """Read the value of an option that is a share; for ``parser=`` of an option."""
    if not isinstance(given, str):  # a default
        return float(given)
    found = _number(given)
    if found is None:
        raise typer.BadParameter(f"must be a share such as 5% or 0.05, got {given!r}")
    return found


def of_share(*names: str, help: str, panel: str | None = None, metavar: str = "SHARE") -> Any:
    """Return an option whose values are shares."""
    return typer.Option(*names, parser=as_share, metavar=metavar, help=help, rich_help_panel=panel)


def _number(text: str) -> float | None:
    from hitcurve.grammar import number

    try:
        return float(number(text.strip()))
    except (ValueError, ArithmeticError):
        return None


Prevalence = Annotated[
    float | None,
    of_share(
        "--prevalence", help="Evaluate at a known prevalence, such as for case-control data.", panel="Uncertainty"
    ),
]


def of_level(what: str) -> Any:
    """Return the option of the confidence level of something, as the help says."""
    return of_share("--confidence-level", help=f"Confidence level {what}", panel="Uncertainty")


Level = Annotated[float, of_level("of the intervals.")]
