"""Where the command line reads from and writes to."""

from __future__ import annotations

import errno
import functools
import os
import select
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any

from hitcurve import rows
from hitcurve._file_names import path_of
from hitcurve.cli.streams import tell
from hitcurve.errors import EmptyInputError, ParameterError, UnreadableFileError

_PATIENCE = 3000  # milliseconds


@contextmanager
def readable(name: str) -> Iterator[Path]:
    """Yield a path to read from; standard input (``-``) or a pipe is copied to a file since it is read twice."""
    path = path_of(name)
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
                    _copy(sys.stdin.buffer, out)
                else:
                    with _opened(path) as pipe:
                        _copy(pipe, out)
        except OSError as error:
            if error.errno == errno.ENOSPC:
                size = rows.size(kept.stat().st_size if kept.exists() else 0)
                raise UnreadableFileError(
                    f"{what} is kept in a temporary file, since data may be read twice, and after {size} there is "
                    "no space left for it (TMPDIR names the folder of temporary files)"
                ) from None
            raise UnreadableFileError(f"cannot read {what}: {error.strerror}") from None
        if not kept.stat().st_size:
            raise EmptyInputError(f"{what} is empty")
        yield kept


def _copy(source: Any, out: IO[bytes]) -> None:
    # one read of the system at a time: a signal that comes between two of them inside one of Python would be lost
    read = getattr(source, "read1", source.read)
    while part := read(1 << 16):
        out.write(part)


def _opened(pipe: Path) -> IO[bytes]:
    """Open a pipe; one with a name may have no writer yet, which is said after some seconds."""
    if not os.path.exists(os.path.realpath(pipe)) or not hasattr(select, "poll"):  # that of <(...) has no name
        return pipe.open("rb")
    handle = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)  # else opening waits, and says nothing
    written = select.poll()
    written.register(handle, select.POLLIN)
    if not written.poll(_PATIENCE):
        tell(f"hitcurve: waiting for a program that writes to the pipe {pipe.name} (Ctrl-C stops it)")
        written.poll()
    os.set_blocking(handle, True)
    return os.fdopen(handle, "rb")


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


# parameters of commands that name files to read
INPUTS = ("censoring_from", "file", "grid", "labels", "qrels", "subtopics", "times", "unlabelled")
OUTPUT = "output"  # and the one that names the file to write


def keeps_inputs(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that refuses to write over a file it reads, however the two are spelled or linked."""

    @functools.wraps(command)
    def run(**options: Any) -> None:
        output = options.get(OUTPUT)
        if output is not None and str(output) != "-":
            given = [options.get(name) or () for name in INPUTS]
            given = [one for one in given if not isinstance(one, bool)]  # --unlabelled, which of some is a file
            names = [name for one in given for name in ([one] if isinstance(one, str) else one)]
            _check_is_no_input(Path(output), names)
        command(**options)

    return run


def _check_is_no_input(output: Path, names: Sequence[str]) -> None:
    from hitcurve.sources.files import expand

    try:
        written = os.stat(os.path.realpath(output))
    except OSError:  # not there yet; writing it raises what else is wrong
        return
    if not stat.S_ISREG(written.st_mode):
        return
    for name in names:
        for path in [None] if name == "-" else expand(name):
            try:
                read = os.fstat(sys.stdin.fileno()) if path is None else path.stat()
            except (OSError, ValueError, AttributeError):  # closed, or no file: opening it raises the error
                continue
            if os.path.samestat(written, read):
                what = "standard input" if path is None else path
                raise ParameterError(f"--output {output} is the input file {what}: give another name")
