"""Work in as many threads as there are processors."""

from __future__ import annotations

import ctypes
import math
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar, copy_context
from functools import cache
from itertools import islice
from typing import Any, TypeVar

_IN_HEAP = 32 << 20  # bytes of the largest array that glibc takes from memory that it has
_KEPT = 256 << 20  # bytes of free memory that it does not give back; 64 MB where it is left to itself
_IN_SMALL_HEAP, _KEPT_OF_LITTLE = 1 << 20, 4 << 20  # the same where memory is limited
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD, _M_ARENA_MAX = -1, -3, -8  # of malloc.h
_PIECE = 1 << 22  # rows that pay for a thread where they are read once

S = TypeVar("S")
T = TypeVar("T")

_inside: ContextVar[bool] = ContextVar("_inside", default=False)
_share: ContextVar[int | None] = ContextVar("_share", default=None)
_OF_A_THREAD = 24 << 20  # bytes that pay for another thread, which decodes a page of each column at a time


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def share_of_memory() -> int | None:
    """Return how many bytes reading may take; None without a limit."""
    return _share.get()


@contextmanager
def sharing_memory(share: int | None) -> Iterator[None]:
    """Let what is opened inside read within so many bytes."""
    before = _share.set(share)
    try:
        yield
    finally:
        _share.reset(before)


def limit_of_addresses() -> float:
    """Return the limit of the address space of this process in bytes; infinite without one."""
    try:
        from resource import RLIM_INFINITY, RLIMIT_AS, getrlimit
    except ImportError:  # Windows
        return math.inf
    limit = getrlimit(RLIMIT_AS)[0]
    return math.inf if limit == RLIM_INFINITY else limit


def free_addresses() -> float:
    """Return how many bytes of address space this process may still take; infinite without a limit."""
    limit = limit_of_addresses()
    if math.isinf(limit):
        return limit
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return limit - int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:  # no Linux, which says it nowhere else
        return limit


def threads_within(memory: int) -> int:
    """Return how many threads read within so many bytes."""
    return max(min(memory // _OF_A_THREAD, processors()), 1)


@cache
def keep_memory() -> None:
    """Let glibc keep the memory of arrays below 32 MB for the next ones, up to 256 MB of it.

    Asking the system again for that of each array takes longer than most kernels. Other C libraries, and a glibc that
    was told in the environment what to keep, stay as they are.
    """
    if _is_left_to_itself():
        _tell_malloc((_M_MMAP_THRESHOLD, _IN_HEAP), (_M_TRIM_THRESHOLD, _KEPT))


@cache
def keep_little_memory() -> None:
    """Let glibc give free memory back early in the rest of this process, which has a limit of it.

    All threads then take theirs from one heap, and so does Arrow, whose own keeps what it has freed.
    """
    keep_memory()  # which does nothing after this
    if _is_left_to_itself():
        _tell_malloc((_M_MMAP_THRESHOLD, _IN_SMALL_HEAP), (_M_TRIM_THRESHOLD, _KEPT_OF_LITTLE))
    one_heap()
    with suppress(ImportError):
        import pyarrow

        if "ARROW_DEFAULT_MEMORY_POOL" not in os.environ:
            pyarrow.set_memory_pool(pyarrow.system_memory_pool())


def _is_left_to_itself() -> bool:
    told = " ".join([*os.environ, os.environ.get("GLIBC_TUNABLES", "")]).lower()
    return sys.platform == "linux" and "trim_threshold" not in told and "mmap_threshold" not in told


def one_heap() -> None:
    """Have one heap for all threads: glibc reserves 64 MB of address space for that of each."""
    if sys.platform == "linux":
        _tell_malloc((_M_ARENA_MAX, 1))


def _tell_malloc(*options: tuple[int, int]) -> None:
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
    if mallopt is not None:
        for option in options:
            mallopt(*option)


def give_back_memory() -> None:
    """Give free memory back, of what has been read: much of it is in pieces that nothing else will take."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None  # of glibc alone
    if trim is not None:
        trim(0)


@contextmanager
def one_thread() -> Iterator[None]:
    """Do all work inside in this thread: the other processors are busy."""
    before = _inside.set(True)
    try:
        yield
    finally:
        _inside.reset(before)


def in_threads(do: Callable[[S], T], work: Iterable[S], most: int | None = None) -> Iterator[T]:
    """Yield the results of pieces of work in their order; what is not begun when one fails is not done.

    Pieces are taken as they are needed, no more than one for each thread ahead. What a thread divides further it
    does by itself: the processors are busy. There are as many threads as processors, or ``most`` of them.
    """
    pieces = iter(work)
    first = list(islice(pieces, 2))
    threads = 1 if len(first) < 2 or _inside.get() else min(processors(), most or processors())
    if threads < 2:
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


def in_pieces(do: Callable[..., T], *columns: Any) -> Iterator[T]:
    """Yield what ``do`` returns for pieces of columns of equal length, in their order; short columns are one piece."""
    if len(columns[0]) <= _PIECE:
        return iter((do(*columns),))
    starts = range(0, len(columns[0]), _PIECE)
    return in_threads(lambda start: do(*(column[start : start + _PIECE] for column in columns)), starts)
