"""Where the command line reads from and writes to."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from hitcurve.errors import EmptyInputError, UnreadableFileError


@contextmanager
def readable(name: str) -> Iterator[Path]:
    """Yield a path to read from; standard input (``-``) is kept in a file since it is read twice."""
    if name != "-":
        yield Path(name)
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "standard input"
        with path.open("wb") as kept:
            shutil.copyfileobj(sys.stdin.buffer, kept)
        if not path.stat().st_size:
            raise EmptyInputError("standard input is empty")
        yield path


def say(text: str) -> None:
    """Write to standard output; if whoever read it has closed it, leave in silence."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit from None


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all: beside it first, then into its place."""
    beside = None
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
            out.write(text)
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(beside, 0o666 & ~mask)
        os.replace(beside, path)
    except OSError as error:
        if beside is not None and os.path.exists(beside):
            os.unlink(beside)
        raise UnreadableFileError(f"cannot write {path}: {error.strerror}") from None
