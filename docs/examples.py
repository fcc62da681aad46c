"""What the examples of the documentation share: where public data lie, and how commands are run and shown."""

from __future__ import annotations

import atexit
import contextlib
import io
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any
from unittest import mock

from hitcurve.errors import HitcurveWarning


def data(name: str) -> Path:
    """Return the path of a file of the public data: in HITCURVE_DATA, or beside the checkout."""
    given = os.environ.get("HITCURVE_DATA")
    folder = Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"
    return folder / name


def start(*files: str) -> None:
    """Work in an empty folder of this page's own that holds the named data files."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    for name in files:
        (folder / Path(name).name).symlink_to(data(name))
    os.chdir(folder)
    # they are printed with an evaluation; a second time, with the path of a line, says nothing more
    warnings.simplefilter("ignore", HitcurveWarning)


def with_prompt(command: str) -> str:
    """Return a command as it is typed; lines after the first of it are continuations."""
    lines = [line for line in command.strip().splitlines() if line.strip()]
    shown, continues = [], False
    for line in lines:
        shown.append(f"{'  ' if continues else '$ '}{line.strip()}")
        continues = line.endswith("\\")
    return "\n".join(shown)


def run(command: str, *, code: int = 0, width: int = 100) -> str:
    """Run a shell command and return what it prints, errors included.

    Raises
    ------
    RuntimeError
        If it ends with another exit code than ``code``.
    """
    settings = {**os.environ, "COLUMNS": str(width), "NO_COLOR": "1", "TERM": "dumb", "PYTHONWARNINGS": "ignore"}
    programs = os.environ.get("HITCURVE_PROGRAMS", Path(sys.executable).parent)  # `warm` gives others
    settings["PATH"] = f"{programs}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command], env=settings, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    if done.returncode != code:
        raise RuntimeError(f"{command.strip()}\nleft with {done.returncode}, not {code}:\n{done.stdout}")
    return done.stdout


def sh(command: str, *, code: int = 0, width: int = 100, language: str = "text", wrap: bool = False) -> None:
    """Run a shell command; show it and what it prints, errors and prose with lines broken."""
    _show(command, run(command, code=code, width=width).rstrip(), code=code, language=language, wrap=wrap)


def show_help(name: str = "", *, width: int = 100) -> None:
    """Show the help of a command."""
    command = " ".join(filter(None, ["hitcurve", name, "--help"]))
    _show(command, _helps(width)[command])


@cache
def _helps(width: int) -> dict[str, str]:
    """Return the help of all commands, which one process makes: one for each would be most of the time of a page."""
    done = run(f"{shlex.quote(sys.executable)} {shlex.quote(__file__)}", width=width)
    return {command: printed.rstrip() for command, printed in json.loads(done).items()}


def _make_helps() -> dict[str, str]:
    from typer.main import get_group

    from hitcurve.cli import main
    from hitcurve.cli.app import app

    found = {}
    for words in ([], *([name] for name in get_group(app).commands)):
        command, said = ["hitcurve", *words, "--help"], io.BytesIO()
        out = io.TextIOWrapper(said, "utf-8", write_through=True)
        with mock.patch.multiple(sys, argv=command, stdout=out), contextlib.suppress(SystemExit):
            main()
        found[" ".join(command)] = said.getvalue().decode()
    return found


def _show(command: str, printed: str, *, code: int = 0, language: str = "text", wrap: bool = False) -> None:
    from IPython.display import Markdown, display

    opening = f"````{language}" if code == 0 and not wrap else f"````{{code-block}} {language}\n:class: wraps\n"
    output = f"\n\n{opening}\n{printed}\n````" if printed else ""
    display(Markdown(f"````console\n{with_prompt(command)}\n````{output}"))


def table(header: list[str], body: list[list[Any]]) -> None:
    """Show a table whose cells are markdown; numbers are rounded to six significant digits."""
    from IPython.display import Markdown, display

    lines = [header, ["---"] * len(header), *([_cell(value) for value in line] for line in body)]
    display(Markdown("\n".join(f"| {' | '.join(line)} |" for line in lines)))


def _cell(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def comparison(lines: list[dict[str, str]]) -> None:
    """Show numbers of a paper beside ours, as ``comparison.csv`` of its script has them.

    A reason that several rows share stands once, below the table.
    """
    from IPython.display import Markdown, display

    times = Counter(line["reason"] for line in lines)
    notes = [reason for reason, count in times.items() if reason and count > 2]
    body = []
    for line in lines:
        cells = [line[column].replace("|", r"\|") for column in ("item", "published", "ours", "verdict")]
        if line["distance"]:
            cells[3] += f", off by {line['distance']}"
        reason = line["reason"]
        cells.append(f"note {notes.index(reason) + 1}" if reason in notes else reason.replace("|", r"\|"))
        body.append(cells)
    table(["of", "published", "ours", "verdict", "why"], body)
    if notes:
        display(Markdown("\n".join(f"{number}. {note}" for number, note in enumerate(notes, start=1))))


if __name__ == "__main__":
    print(json.dumps(_make_helps()))
