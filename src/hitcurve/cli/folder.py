"""The folder of the temporary files of one run."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

_PREFIX = "hitcurve-"
_LOCK = "in-use"  # a file that is locked as long as the process of the folder lives


@contextlib.contextmanager
def own_folder() -> Iterator[None]:
    """Put all temporary files into one folder that is removed however the run ends.

    A process that was killed leaves its folder behind: the next run removes it.
    """
    before = tempfile.tempdir
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):  # no place for temporary files: what needs one raises the error
            _remove_remnants(Path(tempfile.gettempdir()))
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix=_PREFIX, ignore_cleanup_errors=True))
            tempfile.tempdir = folder
            stack.callback(os.close, _locked(Path(folder)))
        try:
            yield
        finally:
            tempfile.tempdir = before


def _locked(folder: Path) -> int:
    """Return a file of the folder that is locked; it gets its name after the lock, so that nobody finds it without."""
    file = os.open(folder / f"{_LOCK}.new", os.O_CREAT | os.O_RDWR, 0o600)
    with contextlib.suppress(ImportError):  # Windows, which removes no remnants
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.replace(folder / f"{_LOCK}.new", folder / _LOCK)
    return file


def _remove_remnants(place: Path) -> None:
    """Remove folders of this user whose processes are dead."""
    try:
        import fcntl
    except ImportError:
        return
    for folder in place.glob(f"{_PREFIX}*"):
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
