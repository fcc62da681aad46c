"""Sources whose rows stay where they are: passes bring back what they add up, never rows."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

from hitcurve.errors import ParameterError


class Apart:
    """A source whose rows are not on this machine, or are too many for it.

    Attributes
    ----------
    engine : str
        What holds the rows, such as ``"Spark"``.
    """

    engine: ClassVar[str]


def origin(source: Any) -> Any:
    """Return the source that a source is made of."""
    while hasattr(source, "whole"):
        source = source.whole
    return source


def refusing(source: Any) -> AbstractContextManager[None]:
    """Return what says of a refusal inside where it is in the files of a source, if it has files."""
    found = origin(source)
    return found.refusing() if hasattr(found, "refusing") else nullcontext()


def engine_of(source: Any) -> str | None:
    """Return what holds the rows of a source; None if it hands them out."""
    found = origin(source)
    return found.engine if isinstance(found, Apart) else None


def check_hands_out(source: Any, what: str) -> None:
    """Refuse work that needs every row in memory of data that stay where they are.

    Raises
    ------
    ParameterError
    """
    engine = engine_of(source)
    if engine is not None:
        raise ParameterError(
            f"{what} needs every row in memory, and the data stay in {engine}: evaluate a sample of the rows that is a "
            "data frame in memory"
        )
