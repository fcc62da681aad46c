"""Work in as many threads as there are processors."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

S = TypeVar("S")
T = TypeVar("T")


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(do: Callable[[S], T], work: Sequence[S]) -> Iterator[T]:
    """Yield the results of pieces of work in their order; what is not begun when one fails is not done."""
    threads = min(len(work), processors())
    if threads < 2:
        yield from map(do, work)
        return
    pool = ThreadPoolExecutor(threads)
    try:
        # with what numpy was told of floating-point errors
        yield from pool.map(lambda piece, here: here.run(do, piece), work, [copy_context() for _ in work])
    finally:
        # who is interrupted does not wait for the pieces at work: they end by themselves, and nobody asks for them
        pool.shutdown(wait=False, cancel_futures=True)
