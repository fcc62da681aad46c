"""Atomic writing of files."""

from __future__ import annotations

import errno
import glob
import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from hitcurve import _file_names
from hitcurve.errors import UnreadableFileError

_SUFFIX = ".hitcurve"


def check_folder(path: Path) -> None:
    """Refuse a file in a folder that is not there, and one that is a folder itself.

    Raises
    ------
    UnreadableFileError
        If so.
    """
    if fault := _file_names.fault(path):
        raise UnreadableFileError(f"cannot write {str(path)!r}: {fault}")
    if not path.is_absolute():
        _file_names.check_working_folder()
    # as the system reads it too: it does not go up from a folder that is not there
    target = os.path.realpath(path)
    if not (path.parent.is_dir() and os.path.isdir(os.path.dirname(target))):
        raise UnreadableFileError(f"cannot write {path}: there is no folder {path.parent}")
    if os.path.islink(target):
        raise UnreadableFileError(f"cannot write {path}: {os.strerror(errno.ELOOP)}")
    if os.path.isdir(path):  # False of names that no system takes
        raise UnreadableFileError(f"cannot write {path}, which is a folder: give the name of a file in it")


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file atomically; see :func:`written_whole`.

    Raises
    ------
    UnreadableFileError
        If it cannot be written.
    """
    with written_whole(path) as out:
        out.write(content if isinstance(content, bytes) else content.encode("utf-8", "backslashreplace"))


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a file to write it atomically: a temporary file beside it, which replaces it at the end.

    Links are followed, the mode of a file that is replaced is kept, and what is no file (a pipe, a device) is
    written into. What a killed process left beside it is removed.

    Raises
    ------
    UnreadableFileError
        If it cannot be written.
    """
    # a pipe behind /dev/stdout has no name that could be followed; a name that no file has is no pipe
    is_open = os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path))
    if not is_open:
        check_folder(path)
        path = Path(os.path.realpath(path))
    try:
        if is_open:
            with path.open("wb") as out:
                yield out
            return
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask()
        _clean(path)
        with _beside(path) as (out, beside):
            yield out
            out.flush()
            os.chmod(beside, mode)
            os.replace(beside, path)
    except OSError as error:
        # the cause stays where a reader closed its pipe, which is no fault of a command
        cause = error if isinstance(error, BrokenPipeError) else None
        raise UnreadableFileError(f"cannot write {path}: {error.strerror or error}") from cause


@contextmanager
def _beside(path: Path) -> Iterator[tuple[BinaryIO, Path]]:
    """Open a file beside another one, locked while it is written; it is gone at the end unless it was renamed."""
    while True:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=_SUFFIX)
        beside = Path(name)
        with os.fdopen(handle, "wb") as out:
            _locked(handle)
            if not os.fstat(handle).st_nlink and os.name == "posix":  # taken for a remnant before it was locked
                continue
            try:
                yield out, beside
            finally:
                beside.unlink(missing_ok=True)
            return


def _clean(path: Path) -> None:
    """Remove what killed processes left beside a file: what has our name and is not locked by its writer."""
    for remnant in path.parent.glob(f".{glob.escape(path.name)}.????????{_SUFFIX}"):
        with suppress(OSError), remnant.open("r+") as file:
            if _locked(file.fileno()):
                remnant.unlink()


def _locked(handle: int) -> bool:
    """Lock an open file for this process, and return whether it could be: where nothing locks, it could not."""
    try:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (ImportError, OSError):
        return False
    return True


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
