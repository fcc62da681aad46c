"""The command line in the process of the tests."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

import pytest

from hitcurve.cli import main


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def refusal(self) -> str:
        """The one sentence of a refusal, with nothing printed beside it."""
        lines = self.err.splitlines()
        assert (self.code, self.out, len(lines)) == (2, "", 1), self
        assert lines[0].startswith("hitcurve: error: ")
        return lines[0].removeprefix("hitcurve: error: ")

    @property
    def json(self) -> Any:
        assert self.code == 0, self.err
        return json.loads(self.out)


Shell = Callable[..., Done]
# threads of BLAS too, of which `make tests` lets a process have one
AS_USERS_HAVE_IT = {name: value for name, value in os.environ.items() if name != "OPENBLAS_NUM_THREADS"}


def in_process(
    *arguments: str, stdin: bytes | None = None, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the command line here, with what a process of its own has: streams of bytes, a plain and wide terminal."""
    given, out, err = (io.TextIOWrapper(io.BytesIO(x), "utf-8", write_through=True) for x in (stdin or b"", b"", b""))
    environment = {"COLUMNS": "200", "NO_COLOR": "1", "TERM": "dumb"}
    code = 0
    with (
        mock.patch.dict(os.environ, environment),
        mock.patch.multiple(sys, argv=["hitcurve", *arguments], stdin=given, stdout=out, stderr=err),
        contextlib.chdir(cwd or Path.cwd()),
    ):
        try:
            main()
        except SystemExit as left:
            code = int(left.code or 0)
    texts = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return subprocess.CompletedProcess(arguments, code, *texts)


def new_terminal() -> tuple[int, int]:
    """Open both ends of a pseudo terminal."""
    import pty  # POSIX alone has it

    try:
        return pty.openpty()
    except OSError as error:
        pytest.skip(f"no pseudo terminal: {error}")


@pytest.fixture
def shell(monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command line in this process: a hundred times faster than a process of its own."""
    monkeypatch.delenv("HITCURVE_TRACEBACK", raising=False)

    def run(*arguments: str | Path, stdin: bytes | None = None) -> Done:
        done = in_process(*map(str, arguments), stdin=stdin)
        return Done(done.returncode, done.stdout, done.stderr)

    return run
