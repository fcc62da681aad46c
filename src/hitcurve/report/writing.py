"""Files written whole or not at all."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from hitcurve.errors import UnreadableFileError


def check_folder(path: Path) -> None:
    """Refuse a file in a folder that is not there.

    Raises
    ------
    UnreadableFileError
        If so.
    """
    if not path.resolve().parent.is_dir():
        raise UnreadableFileError(f"cannot write {path}: there is no folder {path.parent}")


def write_whole(path: Path, text: str) -> None:
    """Write a file whole or not at all: beside it first, then into its place.

    Links are followed, the mode of a file that is replaced is kept, and what is no file (a pipe, a device) is
    written into.

    Raises
    ------
    UnreadableFileError
        If it cannot be written.
    """
    path = path.resolve()
    beside = None
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else 0o666 & ~_umask()
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="") as out:
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
