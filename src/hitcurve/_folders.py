"""Folders of temporary files: removed however the process ends, at the latest by the next one."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hitcurve.errors import UnreadableFileError

_PREFIX = "hitcurve-"
_LOCK = "in-use"  # a file that is locked as long as the process of the folder lives


class Folder(NamedTuple):
    """A folder of this process.

    Attributes
    ----------
    path : Path
    remove : callable
        Removes it with all it holds.
    """

    path: Path
    remove: Callable[[], None]


def new_folder() -> Folder:
    """Make a folder for temporary files; those of killed processes are removed before.

    Raises
    ------
    UnreadableFileError
        If there is no place for one.
    """
    try:
        _remove_remnants(tempfile.gettempdir())
        path = Path(tempfile.mkdtemp(prefix=_PREFIX))
    except OSError as error:
        raise UnreadableFileError(
            f"there is no place for temporary files: {error.strerror or error} (TMPDIR names their folder)"
        ) from None
    try:
        lock = _locked(path)
    except OSError as error:
        shutil.rmtree(path, ignore_errors=True)
        raise UnreadableFileError(
            f"cannot write temporary files in {path.parent}: {error.strerror} (TMPDIR names their folder)"
        ) from None

    def remove() -> None:
        with contextlib.suppress(OSError):
            os.close(lock)
        shutil.rmtree(path, ignore_errors=True)

    return Folder(path, remove)


def _locked(folder: Path) -> int:
    """Return a file of the folder that is locked; it gets its name after the lock, so that nobody finds it without."""
    file = os.open(folder / f"{_LOCK}.new", os.O_CREAT | os.O_RDWR, 0o600)
    with contextlib.suppress(ImportError):  # Windows, which removes no remnants
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.replace(folder / f"{_LOCK}.new", folder / _LOCK)
    return file


@cache
def _remove_remnants(place: str) -> None:
    """Remove folders of this user whose processes are dead, once."""
    try:
        import fcntl
    except ImportError:
        return
    for folder in Path(place).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # gone, in use, or of another user
            found = folder.lstat()
            if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
                continue
            file = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(file)
