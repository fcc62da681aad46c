"""Data in memory: one block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from hitcurve.sources.alignment import aligned, tell_of_order
from hitcurve.sources.block import Block, Reading

T = TypeVar("T")


@dataclass(frozen=True)
class MemorySource:
    """A source whose block is in memory.

    Attributes
    ----------
    block : Block
    notes : tuple of str
        What happened on the way from the columns to the subjects, in words.
    """

    block: Block
    notes: tuple[str, ...] = ()

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the score columns."""
        return tuple(self.block.scores)

    @property
    def reading(self) -> Reading:
        """How the columns were read."""
        return self.block.reading

    def told(self) -> Block:
        """Warn of what happened on the way; return the block."""
        tell_of_order(self.notes)
        return self.block

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
    unlabelled: bool = False,
) -> MemorySource:
    """Make a source of arrays; columns whose subjects have names are put in one order.

    Raises
    ------
    InputError
        One of its kinds.
    """
    reading = Reading(pos_label, higher_is_better, missing, unlabelled)
    reading.check_rankers(tuple(scores))
    beside = {"y_true": y_true, "sample_weight": weight, "clusters": cluster, "groups": group}
    found, notes = aligned({**beside, **{f"score {name!r}": values for name, values in scores.items()}})
    block = reading.block(
        found["y_true"],
        {name: found[f"score {name!r}"] for name in scores},
        found["sample_weight"],
        cluster=found["clusters"],
        group=found["groups"],
        whole=True,
    )
    block.tally.check_anybody()
    return MemorySource(block, notes)
