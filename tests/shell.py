"""The command line in the process of the tests."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

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


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command line in this process: a hundred times faster than a process of its own."""
    monkeypatch.delenv("HITCURVE_TRACEBACK", raising=False)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*arguments: str | Path, stdin: bytes | None = None) -> Done:
        monkeypatch.setattr(sys, "argv", ["hitcurve", *map(str, arguments)])
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = 0
        try:
            main()
        except SystemExit as left:
            code = int(left.code or 0)
        return Done(code, *capsys.readouterr())

    return run
