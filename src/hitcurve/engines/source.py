"""A source whose rows an engine holds in partitions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias, TypeVar
from zlib import crc32

import numpy as np

from hitcurve._progress import ROWS, tell
from hitcurve.engines.partial import Looked, Partial, Task
from hitcurve.engines.subjects import SubjectColumns
from hitcurve.errors import EngineError, MissingValueError
from hitcurve.sources.apart import Apart
from hitcurve.sources.block import Block, Reading

T = TypeVar("T")
_MULTIPLIER, _HALF = np.uint64(0xFF51AFD7ED558CCD), np.uint64(32)  # of the 64-bit mix of MurmurHash3
_AT_ONCE = 1 << 13  # rows that a processor keeps close by
Missing: TypeAlias = tuple[int, dict[str, int]]  # rows, and missing values by column


@dataclass(eq=False)
class EngineSource(Apart, ABC):
    """Rows in the partitions of an engine.

    An engine adds :meth:`_run`; nothing else asks it for anything. The functions of a pass, and a pickled evaluation,
    take the source along without its frame.

    Attributes
    ----------
    frame : object
        Of the engine; None after unpickling.
    columns : SubjectColumns
    """

    frame: Any = field(repr=False)
    columns: SubjectColumns
    _size: tuple[int, int, int] | None = field(default=None, init=False, repr=False)

    def __getstate__(self) -> dict[str, Any]:
        """Leave the frame behind."""
        return {**self.__dict__, "frame": None}

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the score columns."""
        return self.columns.rankers

    @property
    def reading(self) -> Reading:
        """How the columns are read."""
        return self.columns.reading

    @property
    def notes(self) -> tuple[str, ...]:
        """What happened on the way from the data to the subjects, in words."""
        return ()

    @property
    def repeats(self) -> None:
        """Whether a subject is in several groups, which is not known."""
        return

    @abstractmethod
    def _run(self, task: Task[T]) -> Partial[T]:
        """Run a pass: ``task.of_partition`` where the rows are, ``task.merged`` in the order of the partitions.

        Which neighbours are merged first is up to the engine. What a worker returns is packed: pickled, or a refusal if
        it is too large. What fails in the engine is raised as an `EngineError` of one sentence.
        """

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Apply ``map`` to the rows where they are, and combine the results in the order of the partitions.

        Raises
        ------
        EngineError
            If the engine fails, or holds other rows than in the pass before.
        HitcurveError
            What a worker refused.
        """
        if self.frame is None:
            raise EngineError(
                f"the rows stayed in {self.engine} when this value was pickled: evaluate them again, or keep the "
                "evaluation by to_json, which has its comparisons"
            )
        task = Task(partial(_of_block, self.columns, map), combine)
        tell(ROWS, 0, 0)
        whole = self._run(task)
        tell(ROWS, whole.rows, whole.rows)
        if isinstance(whole.refusal, MissingValueError):
            raise self._count_missing() or whole.refusal
        found = task.settled(whole)
        size = (whole.rows, whole.positives, whole.checksum % (1 << 64))
        before = self._size = self._size or size
        if before != size:
            said = ": as many rows with as many positives have other values"
            if before[:2] != size[:2]:
                said = f", from {before[0]:,} with {before[1]:,} positives to {size[0]:,} with {size[1]:,}"
            raise EngineError(
                f"the rows changed between two passes{said}; persist the data, or write them to files, and evaluate "
                "these"
            )
        return found

    def _count_missing(self) -> MissingValueError | None:
        """Return the refusal of missing values with the numbers of all rows, not of one partition."""
        counting = Task(partial(_missing, self.columns), _added)
        return self.columns.missing_error(*counting.settled(self._run(counting)))


def _of_block(columns: SubjectColumns, map: Callable[[Block], T], frame: Any, first_row: int) -> Looked[T]:
    block = columns.block(frame, first_row)
    positives = block.n_pos
    return Looked(block.tally.rows, positives, _checksum(block, columns), map(block))


def _checksum(block: Block, columns: SubjectColumns) -> int:
    """Return a sum, modulo 2^64, of a hash of each row: of its label, scores, weight and group.

    Rows may come in any order, and in other parts. Clusters are left out: they are read in one pass only.
    """
    read = list(block.scores.values())
    if columns.weight is not None:
        read.append(np.full(block.positive.size, block.unit) if block.weight is None else block.weight)
    if columns.by is not None:
        names, code = block.lists
        read.append(np.array([crc32(name.encode(errors="surrogatepass")) for name in names], float)[code])
    total, above = 0, np.empty(_AT_ONCE, np.uint64)
    for start in range(0, block.positive.size, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        row = block.positive[part].astype(np.uint64)
        for values in read:
            row ^= values[part].astype(np.float64).view(np.uint64)
            row *= _MULTIPLIER
            row ^= np.right_shift(row, _HALF, out=above[: row.size])
        total += int(row.sum(dtype=np.uint64))
    return total


def _missing(columns: SubjectColumns, frame: Any, first_row: int) -> Looked[Missing]:
    found = columns.missing(frame)
    return Looked(found[0], 0, 0, found)


def _added(left: Missing, right: Missing) -> Missing:
    return left[0] + right[0], {what: count + right[1][what] for what, count in left[1].items()}
