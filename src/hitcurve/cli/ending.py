"""Signals that end a run: it unwinds, and what does not come back from a library in time is ended all the same."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import threading
import time
from collections.abc import Iterator

from hitcurve.cli.streams import tell

_GRACE = 5.0  # seconds in which a run unwinds
_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")
_TOLD: list[int] = []  # where Python writes signals it hears


def stopped_by(number: int) -> str:
    """Return how a run that a signal ended says so."""
    return f"hitcurve: stopped by {signal.Signals(number).name}"


@contextlib.contextmanager
def endable(ended: list[int]) -> Iterator[None]:
    """Let signals that end the process unwind it as Ctrl-C does, so that nothing is left behind.

    Python hears a signal when a library returns. One that computes for long, such as DuckDB within one value of a
    condition, does not: a run that has not ended 5 seconds after the signal is ended where it is.
    """

    def end(number: int, _: object) -> None:
        ended.append(number)
        signal.signal(number, signal.SIG_DFL)  # a second one ends it at once
        raise KeyboardInterrupt

    numbers = [getattr(signal, name) for name in _NAMES[1:] if hasattr(signal, name)]
    # nohup ignores SIGHUP, and goes on doing so
    before = {number: signal.getsignal(number) for number in numbers if signal.getsignal(number) == signal.SIG_DFL}
    for number in before:
        signal.signal(number, end)
    try:
        with _watched():
            yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _watched() -> Iterator[None]:
    """Have a thread hear signals, which ends the process if it is still there some seconds after one."""
    if threading.current_thread() is not threading.main_thread() or os.name != "posix":
        yield
        return
    heard, told = _pipe()
    os.set_blocking(told, False)
    try:
        threading.Thread(target=_end_late, args=(heard,), daemon=True).start()
    except RuntimeError:  # no room for a thread: the run has its end without
        os.close(heard)
        os.close(told)
        yield
        return
    before = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    _TOLD.append(told)
    try:
        yield
    finally:
        _TOLD.remove(told)
        signal.set_wakeup_fd(before)
        os.close(told)


def _pipe() -> tuple[int, int]:
    """Return the ends of a pipe, of which none has the number of a standard stream that the caller closed."""
    import fcntl  # which only POSIX has

    ends = os.pipe()
    heard, told = (fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3) for end in ends)
    for end in ends:
        os.close(end)
    return heard, told


def _end_late(heard: int) -> None:
    """Wait for a signal, and then for the end of the run, which closes the other end of the pipe."""
    wanted = {getattr(signal, name).value for name in _NAMES if hasattr(signal, name)}
    number, until = 0, None
    while True:
        left = None if until is None else max(until - time.monotonic(), 0)
        if not select.select([heard], [], [], left)[0]:
            tell(stopped_by(number))
            os._exit(128 + number)
        found = os.read(heard, 1)
        if not found:
            os.close(heard)
            return
        if until is None and found[0] in wanted:
            number, until = found[0], time.monotonic() + _GRACE


def _after_fork() -> None:
    """Hear no signals in a child: its parent would end of them."""
    if _TOLD:
        signal.set_wakeup_fd(-1)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
