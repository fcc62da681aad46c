"""One group of any data, as a source of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from hitcurve.errors import EmptyInputError
from hitcurve.sources.block import Block, Reading, Source

T = TypeVar("T")


@dataclass(frozen=True)
class GroupSource:
    """The subjects of one group of a source.

    Attributes
    ----------
    whole : Source
        One whose subjects have groups.
    group : str
    """

    whole: Source
    group: str

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the score columns."""
        return self.whole.rankers

    @property
    def reading(self) -> Reading:
        """How the columns are read."""
        return self.whole.reading

    @property
    def notes(self) -> tuple[str, ...]:
        """Nothing: what happened, happened to the whole."""
        return ()

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Apply ``map`` to what each block holds of the group."""

        def of_group(block: Block) -> list[T]:
            part = block.groups.get(self.group)
            return [] if part is None else [map(part)]

        def both(left: list[T], right: list[T]) -> list[T]:
            return [combine(left[0], right[0])] if left and right else left or right

        found = self.whole.reduce(of_group, both)
        if not found:
            raise EmptyInputError(f"no subject belongs to group {self.group!r}")
        return found[0]
