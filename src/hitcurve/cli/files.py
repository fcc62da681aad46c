"""Where the command line reads from and writes to."""

from __future__ import annotations

import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from hitcurve.errors import EmptyInputError, ParameterError, UnreadableFileError


@contextmanager
def readable(name: str) -> Iterator[Path]:
    """Yield a path to read from; standard input (``-``) or a pipe is copied to a file since it is read twice."""
    path = Path(name)
    if name != "-" and not _is_pipe(path):
        yield path
        return
    with tempfile.TemporaryDirectory() as folder:
        what = "standard input" if name == "-" else f"pipe {path.name}"
        kept = Path(folder) / what
        if name == "-" and sys.stdin is None:
            raise UnreadableFileError("standard input is closed")
        try:
            with kept.open("wb") as out:
                if name == "-":
                    shutil.copyfileobj(sys.stdin.buffer, out)
                else:
                    with path.open("rb") as pipe:
                        shutil.copyfileobj(pipe, out)
        except OSError as error:
            raise UnreadableFileError(f"cannot read {what}: {error.strerror}") from None
        if not kept.stat().st_size:
            raise EmptyInputError(f"{what} is empty")
        yield kept


def _is_pipe(path: Path) -> bool:
    try:
        return stat.S_ISFIFO(path.stat().st_mode)
    except OSError:  # opening the file raises the error
        return False


def open_all(names: Sequence[str], stack: ExitStack) -> list[Path]:
    """Return the files that names and wildcards stand for, in order."""
    from hitcurve.sources.files import expand

    check_one_input(names)
    return [stack.enter_context(readable(str(path))) for name in names for path in expand(name)]


def check_one_input(names: Sequence[str | None]) -> None:
    """Raise if standard input is named twice."""
    if names.count("-") > 1:
        raise ParameterError("standard input (-) can be read only once: name it once")
