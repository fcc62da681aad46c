"""Data in memory: one block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from hitcurve.sources.block import Block, Reading

T = TypeVar("T")


@dataclass(frozen=True)
class MemorySource:
    """A source whose block is in memory."""

    block: Block

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the score columns."""
        return tuple(self.block.scores)

    @property
    def reading(self) -> Reading:
        """How the columns were read."""
        return self.block.reading

    @property
    def notes(self) -> tuple[str, ...]:
        """Nothing happens on the way from arrays to subjects."""
        return ()

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Apply ``map`` to the block."""
        return map(self.block)


def arrays(
    y_true: Any,
    scores: Mapping[str, Any],
    *,
    pos_label: Any = None,
    weight: Any = None,
    cluster: Any = None,
    group: Any = None,
    higher_is_better: bool | Mapping[str, bool] = True,
    missing: str = "raise",
) -> MemorySource:
    """Make a source of arrays."""
    reading = Reading(pos_label, higher_is_better, missing)
    reading.check_rankers(tuple(scores))
    block = reading.block(y_true, scores, weight, cluster=cluster, group=group, whole=True)
    block.tally.check_anybody()
    return MemorySource(block)
