"""Folders of temporary files: removed however the process ends, at the latest by the next one."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import stat
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from hitcurve.errors import UnreadableFileError

_PREFIX = "hitcurve-"
_LOCK = "in-use"  # a file that is locked as long as the process of the folder lives
_NEW = f"{_LOCK}.new"  # its name until it is locked


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


@dataclass
class _Own:
    """The folder of this process, in which all others are; one file of it is locked, so that one is open."""

    path: Path
    lock: int
    users: int = 0


_OWN: dict[tuple[int, str], _Own] = {}  # by process, since a fork has its own, and by place
_GUARD = threading.RLock()  # what is collected meanwhile may remove its folder
if hasattr(os, "register_at_fork"):  # a child does not inherit a lock that a thread of its parent holds
    os.register_at_fork(before=_GUARD.acquire, after_in_parent=_GUARD.release, after_in_child=_GUARD.release)


def place_of_folders() -> Path:
    """Return where temporary files are.

    Raises
    ------
    UnreadableFileError
        If there is no place for them.
    """
    try:
        return Path(tempfile.gettempdir())
    except OSError as error:
        raise UnreadableFileError(
            f"there is no place for temporary files: {error.strerror or error} (TMPDIR names their folder)"
        ) from None


def named_place() -> Path:
    """Return where temporary files are as TMPDIR names it, also of a run that keeps its own in one folder."""
    place = place_of_folders()
    return next((own.path.parent for own in list(_OWN.values()) if own.path in place.parents), place)


@contextlib.contextmanager
def told_of_place(what: str, way_out: str = "TMPDIR names another place") -> Iterator[None]:
    """Say what cannot be done where temporary files are, why, and what to do instead.

    Raises
    ------
    UnreadableFileError
        If the system refuses what is done within.
    """
    try:
        yield
    except OSError as error:
        raise UnreadableFileError(f"{what} in {named_place()}: {error.strerror or error} ({way_out})") from None


def new_folder() -> Folder:
    """Make a folder for temporary files; those of killed processes are removed before.

    Raises
    ------
    UnreadableFileError
        If there is no place for one.
    """
    place = str(place_of_folders())
    key = os.getpid(), place
    try:
        _remove_remnants(place)
        with _GUARD:
            own = _OWN.get(key) or _OWN.setdefault(key, _made(place))
            own.users += 1
        try:
            path = Path(tempfile.mkdtemp(dir=own.path))
        except OSError:
            _leave(key, own)
            raise
    except OSError as error:
        raise UnreadableFileError(
            f"cannot write temporary files in {place}: {error.strerror or error} (TMPDIR names another place)"
        ) from None

    def remove() -> None:
        if os.getpid() == key[0]:  # a fork leaves what it has not made
            shutil.rmtree(path, ignore_errors=True)
            _leave(key, own)

    return Folder(path, remove)


def _made(place: str) -> _Own:
    while True:
        path = Path(tempfile.mkdtemp(prefix=_PREFIX, dir=place))
        try:
            return _Own(path, _locked(path))
        except (BlockingIOError, FileNotFoundError):  # another process took it for a remnant before it was locked
            continue
        except OSError:
            _remove(path)
            raise


def _leave(key: tuple[int, str], own: _Own) -> None:
    """Remove the folder of the process if nobody uses it any more."""
    with _GUARD:
        own.users -= 1
        if own.users == 0:
            _OWN.pop(key, None)
            with contextlib.suppress(OSError):
                os.close(own.lock)
            _remove(own.path)


def _remove(folder: Path) -> None:
    """Remove a folder, its lock last: if this process is killed meanwhile, the next one knows whose it is."""
    with contextlib.suppress(OSError):
        for one in folder.iterdir():
            if one.name not in (_LOCK, _NEW):
                shutil.rmtree(one, ignore_errors=True)
    shutil.rmtree(folder, ignore_errors=True)


def _locked(folder: Path) -> int:
    """Return a file of the folder that is locked; it gets its name after the lock, so that nobody finds it without."""
    file = os.open(folder / _NEW, os.O_CREAT | os.O_RDWR, 0o600)
    try:
        import fcntl

        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        os.replace(folder / _NEW, folder / _LOCK)
    except ImportError:  # Windows, which removes no remnants
        pass
    except OSError:
        os.close(file)
        raise
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
            lock = next((name for name in (_LOCK, _NEW) if (folder / name).exists()), None)
            if lock is None:
                # killed before there was a lock, or after it was removed; what is not empty may be of anybody
                if re.fullmatch(r"\w{8}", folder.name.removeprefix(_PREFIX)) and stat.S_IMODE(found.st_mode) == 0o700:
                    folder.rmdir()
                continue
            file = os.open(folder / lock, os.O_RDWR | os.O_NOFOLLOW)
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                _remove(folder)
            finally:
                os.close(file)
