"""The command line: the same words as in Python.

Exit codes: 0, 2 (bad input, no room on disk or in memory), 3 (nothing can be certified), 1 (a bug), 128 + N (signal N:
130 for Ctrl-C).
"""

from __future__ import annotations

import os


def _leave(*_: object) -> None:
    """End the process as Ctrl-C does, at once: nothing was begun."""
    try:
        os.write(2, b"hitcurve: stopped by SIGINT\n")
    finally:
        os._exit(130)


try:
    import signal  # loads more than all that Python starts with
except KeyboardInterrupt:
    _leave()


def main() -> None:
    """Run the command line and leave with its exit code."""
    before = signal.getsignal(signal.SIGINT)
    if before == signal.default_int_handler:  # Python's own, which would show where it was
        signal.signal(signal.SIGINT, _leave)
    from hitcurve.cli.run import run

    signal.signal(signal.SIGINT, before)
    run()
