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


def is_of_ctrl_c(error: BaseException | None) -> bool:
    """Say whether an error came of Ctrl-C: Python 3.11 makes another one of it where a class is made."""
    seen = set()
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


try:
    import signal  # loads more than all that Python starts with
except BaseException as error:
    if is_of_ctrl_c(error):
        _leave()
    raise


def main() -> None:
    """Run the command line and leave with its exit code."""
    before = signal.getsignal(signal.SIGINT)
    if before == signal.default_int_handler:  # Python's own, which would show where it was
        signal.signal(signal.SIGINT, _leave)
    from hitcurve.cli.run import run

    signal.signal(signal.SIGINT, before)
    run()
