"""The command line: the same words as in Python. Exit codes: 0, 2 (bad input), 1 (a bug), 130 (Ctrl-C)."""

from __future__ import annotations

import os
import sys

from hitcurve import _checks
from hitcurve.cli.streams import standard_streams, tell
from hitcurve.errors import HitcurveError, ParameterError


def main() -> None:
    """Run the command line and leave with its exit code."""
    try:
        with standard_streams():
            _run()
    except HitcurveError as error:
        tell(f"hitcurve: error: {error}")
        sys.exit(2)
    except (KeyboardInterrupt, SystemExit) as end:
        # typer leaves with 130 after Ctrl-C; an ordinary exit would wait for threads that still draw
        if isinstance(end, KeyboardInterrupt) or end.code == 130:
            os._exit(130)
        raise
    except Exception as error:
        if os.environ.get("HITCURVE_TRACEBACK"):
            raise
        tell(
            f"hitcurve: internal error, please report it: {type(error).__name__}: {error}\n"
            "(set HITCURVE_TRACEBACK=1 to see where)"
        )
        sys.exit(1)


def _run() -> None:
    for argument in sys.argv[1:]:
        if not argument.isprintable() and any("\ud800" <= sign <= "\udfff" for sign in argument):
            raise ParameterError(f"{argument!r} is not UTF-8")
    _checks.extra("typer", "cli", "the command line")
    from hitcurve.cli.app import app

    app(prog_name="hitcurve")
