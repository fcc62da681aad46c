"""Standard input, output and error, in any state that the caller left them in."""

from __future__ import annotations

import contextlib
import functools
import io
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from hitcurve import rows
from hitcurve.errors import UnreadableFileError

T = TypeVar("T")


class Output(io.TextIOWrapper):
    """Standard output that ends the run in silence once its reader has left, including the help text."""

    def write(self, text: str, /) -> int:
        """Write a text."""
        return self._guarded(lambda: super(Output, self).write(text))

    def flush(self) -> None:
        """Flush the text written."""
        self._guarded(super().flush)

    def _guarded(self, use: Callable[[], T]) -> T:
        try:
            return use()
        except OSError as error:
            # Python flushes once more at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            if isinstance(error, BrokenPipeError):
                raise SystemExit(0) from None
            raise UnreadableFileError(f"cannot write to standard output: {error.strerror}") from None


def _take_standard_numbers() -> None:
    """Open the numbers 0 to 2 that the caller closed: a file under one of them would get what libraries print.

    Standard output cannot be written to, so that what prints fails as it does for other programs.
    """
    number = 0
    while number <= 2:
        number = os.open(os.devnull, os.O_RDWR)
        if number == 1:
            os.close(number)
            os.open(os.devnull, os.O_RDONLY)
    os.close(number)


@contextlib.contextmanager
def standard_streams() -> Iterator[None]:
    """Make standard output and error writable, and flush them at the end."""
    _take_standard_numbers()
    if sys.stderr is None:  # closed by the caller
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115  it stays open to the end
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    given = sys.stdout
    if not isinstance(given, io.TextIOWrapper):
        yield
        return
    # a character that the encoding lacks must not end the run
    out = Output(given.buffer, encoding=given.encoding, errors="backslashreplace", line_buffering=given.line_buffering)
    sys.stdout = out
    try:
        yield
    finally:
        sys.stdout = given
        out.flush()
        out.detach()


_BARS: list[Callable[[], None]] = []


def shows_progress(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that shows its steps on a terminal, until there is something to write: that takes it over."""

    @functools.wraps(command)
    def run(**options: Any) -> None:
        if sys.stderr is None or not sys.stderr.isatty():
            command(**options)
            return
        from hitcurve._progress import Bar, progress

        with Bar() as bar, progress(bar.hear):
            _BARS.append(bar.stop)
            try:
                command(**options)
            finally:
                _BARS.remove(bar.stop)

    return run


def _stop_bars() -> None:
    for stop in _BARS:
        stop()


def say(text: str) -> None:
    """Write to standard output."""
    _stop_bars()
    sys.stdout.write(text)
    sys.stdout.flush()


def tell(*lines: str) -> None:
    """Write lines to standard error, if it is open."""
    _stop_bars()
    with contextlib.suppress(OSError):
        for line in lines:
            print(rows.in_line(line), file=sys.stderr)
