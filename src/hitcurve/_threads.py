"""Work in as many threads as there are processors."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import ContextVar, copy_context
from itertools import islice
from typing import TypeVar

import numpy as np

_KEPT = (32 << 20) - (64 << 10)  # the most that glibc takes for a size at which to change its mind

S = TypeVar("S")
T = TypeVar("T")

_inside: ContextVar[bool] = ContextVar("_inside", default=False)


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def keep_memory() -> None:
    """Let the C library keep the memory of arrays below 32 MB for the next ones.

    Asking the system again for that of each array takes longer than most kernels. glibc stops doing so for arrays
    smaller than one that was freed; this one is never written to, so that it takes no memory.
    """
    np.empty(_KEPT, np.int8)


def in_threads(do: Callable[[S], T], work: Iterable[S]) -> Iterator[T]:
    """Yield the results of pieces of work in their order; what is not begun when one fails is not done.

    Pieces are taken as they are needed, no more than one for each thread ahead. What a thread divides further it
    does by itself: the processors are busy.
    """
    pieces = iter(work)
    first = list(islice(pieces, 2))
    threads = 1 if _inside.get() else processors()
    if len(first) < 2 or threads < 2:
        yield from map(do, first)
        yield from map(do, pieces)
        return
    pool = ThreadPoolExecutor(threads)

    def submit(piece: S) -> Future[T]:
        context = copy_context()  # with what numpy was told of floating-point errors
        context.run(_inside.set, True)
        return pool.submit(context.run, do, piece)

    at_work = deque(map(submit, (*first, *islice(pieces, 2 * threads - 2))))
    try:
        while at_work:
            yield at_work.popleft().result()
            at_work.extend(map(submit, islice(pieces, 1)))
    finally:
        # who is interrupted does not wait for the pieces at work: they end by themselves, and nobody asks for them
        pool.shutdown(wait=False, cancel_futures=True)
