"""Columns of many subjects at a time, of parts that are shorter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from hitcurve._threads import keep_memory
from hitcurve.sources.columns import Vector

_MOST = 1 << 20  # subjects of two columns of scores


def in_chunks(parts: Iterable[Sequence[Vector]], columns: int) -> Iterator[Sequence[Vector]]:
    """Copy parts into long chunks, each of use until the next: of many ``columns`` of scores they hold fewer subjects.

    What steps of work read besides stays in the cache for all subjects of a chunk, while files are decoded fast in
    short parts only. Parts of other types than the first one, and long ones, are chunks of their own. There is a chunk
    where there is a part.
    """
    most = _MOST // max(columns // 2, 1)
    held: list[Vector] = []
    size = 0
    for part in parts:
        if part[0].size > most or (
            held and any(own.dtype != column.dtype for own, column in zip(held, part, strict=True))
        ):
            yield part
            continue
        if not held:
            keep_memory()
            held = [np.empty(most, column.dtype) for column in part]
        if size + part[0].size > most:
            yield [own[:size] for own in held]
            size = 0
        for own, column in zip(held, part, strict=True):
            own[size : size + column.size] = column
        size += part[0].size
    if held:
        yield [own[:size] for own in held]
