"""The command line: the same words as in Python. Exit codes: 0, 2 (bad input), 1 (a bug), 130 (Ctrl-C)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hitcurve import _checks
from hitcurve.errors import HitcurveError


def main() -> None:
    """Run the command line and leave with its exit code."""
    if sys.stdout is None:  # closed by the caller: nobody reads
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115  it stays open to the end
    try:
        _checks.extra("typer", "cli", "the command line")
        from hitcurve.cli.app import app

        app()
    except HitcurveError as error:
        _say(f"error: {error}")
        sys.exit(2)
    except Exception as error:
        if os.environ.get("HITCURVE_TRACEBACK"):
            raise
        _say(
            f"internal error, please report it: {type(error).__name__}: {error}\n"
            "(set HITCURVE_TRACEBACK=1 to see where)"
        )
        sys.exit(1)


def _say(text: str) -> None:
    print(f"hitcurve: {text}", file=sys.stderr)
