"""Paths of files: wildcards, names, and checks."""

from __future__ import annotations

import glob
import os
import stat
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path

from hitcurve import _file_names
from hitcurve.errors import ParameterError, UnreadableFileError

_LOOKED_AT = 1000  # names in a folder


def expand(name: str) -> list[Path]:
    """Return the files a name stands for: itself, or all that match its wildcards, in alphabetical order.

    Raises
    ------
    UnreadableFileError
        If wildcards match nothing.
    """
    if "\n" in name and not os.path.lexists(name):
        first = name.partition("\n")[0][:60]
        raise UnreadableFileError(
            f"text of several lines ({first!r}...) names no file: write it to one, or read it into a data frame"
        )
    if not glob.has_magic(name) or os.path.lexists(name):
        return [Path(name)]
    found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise UnreadableFileError(f"no file matches {name}")
    return [Path(path) for path in found]


def names_after(paths: Sequence[Path]) -> list[str]:
    """Return what each file is called: its name up to the first dot, or as much as tells it from the others.

    Raises
    ------
    ParameterError
        If a file is given twice.
    """
    whole = [str(path) for path in paths]
    ways = [[path.name.partition(".")[0] or path.name for path in paths], [path.name for path in paths], whole]
    for name in whole:
        if whole.count(name) > 1:
            raise ParameterError(f"{name} is given twice")
    return [next(way[place] for way in ways if way.count(way[place]) == 1) for place in range(len(paths))]


def check_differ(paths: Sequence[Path]) -> None:
    """Raise if two paths are one file, whose rows would be counted twice.

    Raises
    ------
    ParameterError
        As said.
    """
    seen: dict[tuple[int, int], Path] = {}
    for path in paths:
        try:
            found = path.stat()
        except (OSError, ValueError):  # opening it raises what is wrong
            continue
        if not stat.S_ISREG(found.st_mode):
            continue
        file = (found.st_dev, found.st_ino)
        if file in seen:
            other = seen[file]
            named = f"{path} is given twice" if other == path else f"{other} and {path} are the same file"
            raise ParameterError(f"{named}: its rows would be counted twice")
        seen[file] = path


def check_name(path: Path, *, utf8: bool = False) -> None:
    """Raise if no file can be read under this name, or none by what takes names that are UTF-8.

    Raises
    ------
    UnreadableFileError
        As said.
    """
    if fault := _file_names.fault(path, utf8=utf8):
        raise UnreadableFileError(f"cannot read {str(path)!r}: {fault}")


def check_is_file(path: Path) -> os.stat_result:
    """Raise if the path is not a file.

    Raises
    ------
    UnreadableFileError
        As said.
    """
    check_name(path)
    try:
        found = path.stat()
    except FileNotFoundError:
        raise UnreadableFileError(f"no file {path}") from None
    except OSError as error:
        raise unreadable(path, error) from None
    if not stat.S_ISREG(found.st_mode):
        way = f": name its files, such as '{path / _most(path)}'" if path.is_dir() else ""
        raise UnreadableFileError(f"{path} {f'is a folder, not a file{way}' if way else 'is not a file'}")
    return found


def _most(folder: Path) -> str:
    """Return a wildcard for most files of a folder, or of the folders in it."""
    suffixes: Counter[str] = Counter()
    with suppress(OSError):
        deep = not any(path.is_file() and path.suffix for path in folder.iterdir())
        for path in islice(folder.rglob("*") if deep else folder.iterdir(), _LOOKED_AT):
            suffixes.update([path.suffix] if path.suffix and path.is_file() else [])
        if suffixes:
            return f"{'**/' * deep}*{suffixes.most_common(1)[0][0]}"
    return "*.parquet"


def unreadable(path: Path, error: OSError) -> UnreadableFileError:
    """Return the refusal of a file that the system does not let us read."""
    return UnreadableFileError(f"cannot read {path}: {error.strerror}")
