"""Columns of a part of the rows -> a block, by the rules of data in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.errors import MissingValueError
from hitcurve.sources import Block, Reading
from hitcurve.sources import columns as read
from hitcurve.sources.block import missing_error


@dataclass(frozen=True)
class SubjectColumns:
    """The columns that are read, by name, and how; workers are sent it.

    Attributes
    ----------
    label : str
    rankers : tuple of str
    reading : Reading
    weight, cluster, by : str or None
    """

    label: str
    rankers: tuple[str, ...]
    reading: Reading
    weight: str | None = None
    cluster: str | None = None
    by: str | None = None

    def __post_init__(self) -> None:
        _checks.distinct("ranker", self.rankers)
        self.reading.check_rankers(self.rankers)

    @property
    def every(self) -> tuple[str, ...]:
        """All columns, each once."""
        others = [name for name in (self.weight, self.cluster, self.by) if name is not None]
        return tuple(dict.fromkeys([self.label, *self.rankers, *others]))

    def block(self, frame: Any, first_row: int) -> Block:
        """Return some rows as a block.

        Parameters
        ----------
        frame : mapping, data frame or record batch
            With at least one row; ``frame[name]`` is a column.
        first_row : int
            The place of its first row in the partition.
        """
        weight, cluster, group = (
            None if name is None else frame[name] for name in (self.weight, self.cluster, self.by)
        )
        scores = {name: frame[name] for name in self.rankers}
        return self.reading.block(frame[self.label], scores, weight, cluster=cluster, group=group, first_row=first_row)

    def missing(self, frame: Any) -> tuple[int, dict[str, int]]:
        """Return how many rows there are, and how many values of each column are missing."""
        label = read.labels("y_true", frame[self.label])
        gone = {} if self.reading.unlabelled else {"label": label.gone}
        gone |= {f"score {name!r}": read.scores(name, frame[name]).gone for name in self.rankers}
        named = {"clusters": self.cluster, "groups": self.by}
        names = {what: read.labels(what, frame[name]).gone for what, name in named.items() if name is not None}
        counts = {what: 0 if mask is None else int(np.count_nonzero(mask)) for what, mask in {**names, **gone}.items()}
        return label.values.size, counts

    def missing_error(self, rows: int, counts: dict[str, int]) -> MissingValueError | None:
        """Return the refusal of the first column that misses values."""
        for what, count in counts.items():
            if count and what in read.NAMELESS:
                return read.nameless_error(what, count, rows)
            if count:
                return missing_error(what, count, rows)
        return None
