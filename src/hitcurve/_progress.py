"""What long work reports while it is done: the step, how much of it is done, of how much."""

from __future__ import annotations

import functools
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeAlias, TypeVar

from hitcurve import _checks
from hitcurve.errors import ParameterError

Listener: TypeAlias = Callable[[str, int, int], Any]
Progress: TypeAlias = "bool | Listener"
T = TypeVar("T")
P = ParamSpec("P")
ROWS = "rows read"
_PATIENCE = 2.0  # seconds before a bar is shown
_STEPS = 2  # shown at most: one, and the one inside it


def _nobody(what: str, done: int, count: int) -> None:
    """Take no notice."""


_listener: ContextVar[Listener] = ContextVar("listener", default=_nobody)


def tell(what: str, done: int, count: int) -> None:
    """Report how many of something are done, and of how many; 0 if that is unknown."""
    _listener.get()(what, done, count)


def counted(items: Iterable[T], what: str) -> Iterator[T]:
    """Go through items, and report each that is done, and the first before it begins."""
    size = len(items) if isinstance(items, Sized) else 0
    tell(what, 0, size)
    for done, item in enumerate(items, 1):
        yield item
        tell(what, done, size)


@contextmanager
def progress(listener: Progress = True) -> Iterator[None]:
    """Show what long work does, or let a function hear it, inside a ``with`` block.

    Intervals and tests are computed when they are asked for, so a block around printing and comparing shows them too.
    Long functions have the same argument as ``progress=``.

    Parameters
    ----------
    listener : bool or callable
        True: a line on standard error of a terminal, or in a notebook, with the step that runs, once the block has
        taken two seconds; it needs rich (``pip install 'hitcurve[cli]'``). A function is called with the step, how
        much of it is done, and of how much (0 if that is unknown). False changes nothing.

    Raises
    ------
    ParameterError
        If it is none of these.
    MissingExtraError
        If rich is not installed.

    Examples
    --------
    >>> from hitcurve import evaluate, progress
    >>> steps = []
    >>> with progress(lambda step, done, count: steps.append((step, done, count))):
    ...     text = str(evaluate([1, 0, 1, 0], [4, 3, 2, 1], metrics=["ap", "auc"]))
    >>> steps[0], steps[-1]
    (('values', 0, 2), ('intervals', 2, 2))
    """
    if listener is True:
        with Bar() as bar, progress(bar.hear):
            yield
        return
    if listener is False:
        yield
        return
    if not callable(listener):
        raise ParameterError(
            f"progress must be True, False or a function of the step, how much is done, and of how much, got "
            f"{listener!r}"
        )
    before = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(before)


def reports(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function whose argument ``progress`` is heard while it works."""

    @functools.wraps(function)
    def run(*args: P.args, **options: P.kwargs) -> T:
        listener: Any = options.pop("progress", False)
        with progress(listener):
            return function(*args, **options)

    return run


class Bar:
    """A line with the steps that run; it begins when they have taken a while, and ends for good when it is stopped."""

    def __init__(self) -> None:
        _checks.extra("rich", "cli", "a progress bar")
        self._steps: dict[str, tuple[int, int]] = {}
        self._newest = ""
        self._passes = 0
        self._began = time.monotonic()
        self._lock = threading.RLock()
        self._live: Any = None
        self._ended = False
        self._timer = threading.Timer(_PATIENCE, self._begin)
        self._timer.daemon = True

    def __enter__(self) -> Bar:
        """Wait for the time at which the line is shown."""
        if sys.stderr is not None:
            self._timer.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Take the line away."""
        self.stop()

    def hear(self, what: str, done: int, count: int) -> None:
        """Take note of a step; one that begins again after another is the newest."""
        with self._lock:
            if what == ROWS and not done:
                self._passes += 1
            if not done:
                self._steps.pop(what, None)
            self._steps[what], self._newest = (done, count), what
            if self._live is not None:
                self._live.update(self)

    def stop(self) -> None:
        """Take the line away, and show no other."""
        with self._lock:
            self._ended = True
            self._timer.cancel()
            live, self._live = self._live, None
        if live is not None:
            live.stop()

    def _begin(self) -> None:
        from rich.console import Console
        from rich.live import Live

        console = Console(stderr=True, highlight=False)
        with self._lock:
            if self._ended or not (console.is_terminal or console.is_jupyter):
                return
            self._live = Live(self, console=console, transient=True, refresh_per_second=4)
            self._live.start(refresh=True)

    def __rich__(self) -> str:
        """Return the line."""
        from rich.markup import escape

        # one whose end is unknown is over when another is heard
        at_work = [
            step for step, (done, count) in self._steps.items() if (done < count if count else step == self._newest)
        ]
        words = [self._in_words(step) for step in at_work[-_STEPS:]] or ["working"]
        return f"{escape(', '.join(words))}  {time.monotonic() - self._began:.0f} s"

    def _in_words(self, step: str) -> str:
        done, count = self._steps[step]
        if count:
            return f"{step}: {done:,} of {count:,}"
        again = f" in pass {self._passes}" if step == ROWS and self._passes > 1 else ""
        return f"{done:,} {step}{again}"
