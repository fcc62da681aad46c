"""A source that is read once: its blocks are kept for the passes to come, while they fit in memory."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import reduce
from typing import TypeAlias, TypeVar

from hitcurve.sources.apart import engine_of
from hitcurve.sources.block import Block, OfAnother, Source

T = TypeVar("T")
_Kept: TypeAlias = tuple[Block, ...] | None  # None: they do not fit
_MOST_BYTES = 1 << 28  # blocks that take more are not kept: every pass reads the source again, and finds the same


@dataclass(eq=False)
class ReadOnce(OfAnother):
    """A source whose blocks are kept by the first pass if they fit; the rows of an engine stay where they are.

    Attributes
    ----------
    whole : Source
    memory : int or None
        Bytes of which blocks that are kept may take a half.
    """

    whole: Source
    memory: int | None = None
    _kept: _Kept = field(default=None, init=False, repr=False)
    _fits: bool = field(default=True, init=False, repr=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """What happened on the way from the data to the subjects, in words."""
        return self.whole.notes

    @property
    def is_kept(self) -> bool:
        """Whether blocks are in memory, so that another pass reads nothing."""
        return self._kept is not None

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Apply ``map`` to every block and combine the results, in the order of the source."""
        if self._kept is None and self._fits:
            self._fits = engine_of(self.whole) is None and getattr(self.whole, "bytes_at_least", 0) <= self._most_bytes
        if not self._fits:
            return self.whole.reduce(map, combine)
        if self._kept is not None:
            return reduce(combine, builtins.map(map, self._kept))

        def both(left: tuple[T, _Kept], right: tuple[T, _Kept]) -> tuple[T, _Kept]:
            return combine(left[0], right[0]), self._fitting(left[1], right[1])

        found, self._kept = self.whole.reduce(lambda block: (map(block), self._fitting((block,), ())), both)
        self._fits = self._kept is not None
        return found

    def reduce_positives(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T | None:
        """Apply ``map`` to blocks of positives alone, where all blocks do not fit and these are quick to read.

        Return None elsewhere. Of the other subjects, and of what is wrong with them, nothing is known then.
        """
        alone = getattr(self.whole, "reduce_positives", None)
        found: T | None = None if alone is None or self._kept is not None else alone(map, combine, self._most_bytes)
        self._fits &= found is None
        return found

    @property
    def _most_bytes(self) -> int:
        return _MOST_BYTES if self.memory is None else min(_MOST_BYTES, self.memory // 2)

    def _fitting(self, left: _Kept, right: _Kept) -> _Kept:
        if left is None or right is None or sum(block.nbytes for block in (*left, *right)) > self._most_bytes:
            return None
        return (*left, *right)
