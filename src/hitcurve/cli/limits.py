"""Options on how many scores have a row of their own."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from hitcurve.cli.unused import refuse_unused

if TYPE_CHECKING:
    from hitcurve.evaluation.passes.limits import Limits
    from hitcurve.sources import Source

Bins = Annotated[
    int | None,
    typer.Option(
        "--bins",
        help="Count scores into so many bins between quantiles of the positives; each metric then has a bracket.",
        rich_help_panel="Long lists",
    ),
]
MaxGrid = Annotated[
    int | None,
    typer.Option(
        "--max-grid",
        help="Distinct scores of positives of a ranker that are counted in memory (5000000 by default); scores of "
        "rankers with more are sorted on disk, or counted in 100,000 bins where that does not do, which is noted.",
        rich_help_panel="Long lists",
    ),
]
MemoryLimit = Annotated[
    str | None,
    typer.Option(
        "--memory-limit",
        help="Memory of the process, such as 4GB, at least 320 MB, of which programs take 270: beyond one distinct "
        "score of a positive for 600 bytes of the rest, scores are sorted on disk as beyond --max-grid.",
        rich_help_panel="Long lists",
    ),
]


class Limited(NamedTuple):
    """What was asked of the rows of tables."""

    bins: int | None = None
    max_grid: int | None = None
    memory_limit: str | None = None

    def applied(self, source: Source, *, grouped: bool) -> tuple[Source, Limits]:
        """Return the source that obeys them, and what its tables obey."""
        from hitcurve.evaluation.passes.limits import limited

        return limited(source, *self, grouped=grouped)

    def within(self) -> AbstractContextManager[None]:
        """Let files that are opened inside be read within the limit of the memory."""
        from hitcurve.evaluation.passes.limits import within

        return within(self.memory_limit)

    def refuse(self, what: str) -> None:
        """Refuse these options where there is nothing to count.

        Raises
        ------
        ParameterError
        """
        given = {"--bins": self.bins, "--max-grid": self.max_grid, "--memory-limit": self.memory_limit}
        refuse_unused(given, f"is for subjects that are counted, not for {what}: leave it out")
