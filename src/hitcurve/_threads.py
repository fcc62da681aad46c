"""Work in as many threads as there are processors."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from itertools import islice
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(do: Callable[[S], T], work: Iterable[S]) -> Iterator[T]:
    """Yield the results of pieces of work in their order; what is not begun when one fails is not done.

    Pieces are taken as they are needed, no more than one for each thread ahead.
    """
    pieces = iter(work)
    first = list(islice(pieces, 2))
    threads = processors()
    if len(first) < 2 or threads < 2:
        yield from map(do, first)
        yield from map(do, pieces)
        return
    pool = ThreadPoolExecutor(threads)

    def submit(piece: S) -> Future[T]:
        # with what numpy was told of floating-point errors
        return pool.submit(copy_context().run, do, piece)

    at_work = deque(map(submit, (*first, *islice(pieces, 2 * threads - 2))))
    try:
        while at_work:
            yield at_work.popleft().result()
            at_work.extend(map(submit, islice(pieces, 1)))
    finally:
        # who is interrupted does not wait for the pieces at work: they end by themselves, and nobody asks for them
        pool.shutdown(wait=False, cancel_futures=True)
