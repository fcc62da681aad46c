"""Names that no file has, or that not every library can take."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import Any

from hitcurve.errors import FileNameError, UnreadableFileError

_SEPARATORS = tuple(filter(None, (os.sep, os.altsep)))


def path_of(given: Any, name: str = "path") -> Path:
    """Return the name of a file as a path; see :func:`text_of`.

    Raises
    ------
    UnreadableFileError
        If it ends in a separator, as that of a folder, which a path drops.
    """
    text = text_of(given, name)
    if text.endswith(_SEPARATORS):
        raise UnreadableFileError(f"{text!r} ends as the name of a folder: give the name of a file in it")
    return Path(text)


def text_of(given: Any, name: str) -> str:
    """Return the name of a file as text.

    Raises
    ------
    FileNameError
        If it is none, with the argument and its type.
    UnreadableFileError
        If it is empty, which pathlib takes for the working folder.
    """
    text = os.fspath(given) if isinstance(given, (str, os.PathLike)) else None
    if not isinstance(text, str):
        raise FileNameError(f"{name} must be the name of a file, got {type(given).__name__}")
    if not text:
        raise UnreadableFileError("the name of a file is empty")
    return text


def check_working_folder() -> None:
    """Refuse relative names where the working folder was removed meanwhile.

    Raises
    ------
    UnreadableFileError
        If it was.
    """
    try:
        os.getcwd()
    except OSError as error:
        raise UnreadableFileError(
            f"the working folder cannot be found ({error.strerror}): it was removed; change to another one (cd)"
        ) from None


def fault(path: Path, *, utf8: bool = False) -> str | None:
    """Return why nothing can be read or written under this name, None if it can.

    ``utf8`` is for what reads files by itself and takes names that are UTF-8, as DuckDB and Arrow do.
    """
    name = str(path)
    if "\0" in name:
        return "no name of a file has a null character"
    try:
        os.fsencode(name)
        if utf8:
            name.encode()
    except UnicodeEncodeError:
        encoding = sys.getfilesystemencoding()
        if encoding == "utf-8":
            return "its name is not UTF-8, rename it"
        return f"names of files are {encoding} in this locale, set PYTHONUTF8=1"
    try:
        os.lstat(name)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return "its name is too long"
    return None
