"""Batches of Arrow -> blocks, in any thread: nothing is asked of the files any more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from hitcurve.sources.block import Block, Reading
from hitcurve.sources.files.batches import group_codes, numbers, words


@dataclass(frozen=True)
class BlockMaker:
    """What makes a block of the columns label, scores, weight, names.

    Attributes
    ----------
    rankers : tuple of str
    reading : Reading
    label : callable or None
        What a word of the labels means; None for labels that are numbers.
    weighted : bool
    unit : float or None
        What every subject weighs, None if that differs or is 1.
    meanings : mapping of str to callable
        Of the columns of names (clusters, groups) in their order, what their words mean.
    """

    rankers: tuple[str, ...]
    reading: Reading
    label: Callable[[str], Any] | None
    weighted: bool
    unit: float | None
    meanings: Mapping[str, Callable[[str], str]]

    def __call__(self, batch: Any, first_row: int) -> Block:
        """Return the block of a batch; ``first_row`` rows are before it."""
        label = numbers(batch.column(0)) if self.label is None else words(batch.column(0), self.label)
        scores = {name: numbers(batch.column(1 + place)) for place, name in enumerate(self.rankers)}
        weight = numbers(batch.column(1 + len(self.rankers))) if self.weighted else None
        first_name = batch.num_columns - len(self.meanings)
        names = {
            place: (batch.column(first_name + i), meaning) for i, (place, meaning) in enumerate(self.meanings.items())
        }
        return self.reading.block(
            label,
            scores,
            weight,
            cluster=group_codes("clusters", *names["clusters"]) if "clusters" in names else None,
            group=group_codes("groups", *names["groups"]) if "groups" in names else None,
            first_row=first_row,
            unit=self.unit,
        )
