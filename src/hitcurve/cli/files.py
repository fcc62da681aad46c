"""Where the command line reads from and writes to."""

from __future__ import annotations

import os
import shutil
import stat
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
    except OSError as error:
        # Python flushes once more at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):
            raise typer.Exit from None
        raise UnreadableFileError(f"cannot write to standard output: {error.strerror}") from None


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all: beside it first, then into its place.

    Links are followed, the mode of a file that is replaced is kept, and what is no file (a pipe, a device) is
    written into.
    """
    path = path.resolve()
    beside = None
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask()
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as out:
            out.write(text)
        os.chmod(beside, mode)
        os.replace(beside, path)
    except OSError as error:
        if beside is not None and os.path.exists(beside):
            os.unlink(beside)
        raise UnreadableFileError(f"cannot write {path}: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
