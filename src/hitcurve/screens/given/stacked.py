"""Columns of several files with the same columns, one below the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.screens.columns import SLAB, Block, Columns, DenseBlock, Places, width_of
from hitcurve.screens.wide import kind_of


@dataclass(frozen=True, eq=False)
class Stacked:
    """Columns one below the other.

    Attributes
    ----------
    parts : sequence of Columns
    """

    parts: Sequence[Columns]

    @property
    def rows(self) -> int:
        """Number of subjects."""
        return sum(part.rows for part in self.parts)

    @cached_property
    def unreadable(self) -> Mapping[str, str]:
        """Columns that are no numbers in a part."""
        return {name: what for part in reversed(self.parts) for name, what in part.unreadable.items()}

    @cached_property
    def names(self) -> Sequence[str]:
        """Names of the columns that are numbers in all parts."""
        return [name for name in self.parts[0].names if name not in self.unreadable]

    @cached_property
    def _places(self) -> list[Places]:
        """Where the columns stand in each part."""
        places = [{name: place for place, name in enumerate(part.names)} for part in self.parts]
        return [np.array([own[name] for name in self.names], np.intp) for own in places]

    def blocks(self, numbers: int) -> Iterator[Block]:
        """Yield the columns, read by slabs of several blocks."""
        width = width_of(numbers, self.rows)
        slab = max(SLAB // max(self.rows, 1) // width, 1) * width
        for start in range(0, len(self.names), slab):
            values = self.taken(np.arange(start, min(start + slab, len(self.names)))).filled()
            for first in range(0, len(values), width):
                part = values[first : first + width]
                yield DenseBlock(np.arange(start + first, start + first + len(part)), part)

    def taken(self, places: Places) -> Block:
        """Return a few columns."""
        parts = [part.taken(own[places]).filled() for part, own in zip(self.parts, self._places, strict=True)]
        return DenseBlock(places, np.concatenate(parts, axis=1, dtype=kind_of(parts)))
