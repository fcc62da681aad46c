"""Paths of files: wildcards, names, and checks."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

from hitcurve import _file_names
from hitcurve.errors import ParameterError, UnreadableFileError
from hitcurve.sources.databases import has_driver, is_database, without_password

_LOOKED_AT = 1000  # names in a folder
_TABLE = re.compile(
    r"\.(csv|tsv|tab|txt|parquet|pq|jsonl?|ndjson|arrows?|feather|ipc|hit|run|qrels)(\.(gz|zst))?$",
    re.IGNORECASE,
)


def expand(given: Any) -> list[Path]:
    """Return the files that a name stands for: itself, or all that match its wildcards, in alphabetical order.

    Raises
    ------
    UnreadableFileError
        If wildcards match nothing, or the name is empty or the address of a database or of a site.
    FileNameError
        If it is no name.
    """
    name = _file_names.text_of(given, "data")
    if "\n" in name and not os.path.lexists(name):
        first = name.partition("\n")[0][:60]
        raise UnreadableFileError(
            f"text of several lines ({first!r}...) names no file: write it to one, or read it into a data frame"
        )
    if is_database(name) and not os.path.lexists(name):
        shown = without_password(name)
        raise UnreadableFileError(
            f"{shown!r} is an address, not a file of this machine: name a file, or, of a database, use Python with "
            f"data={shown!r} and query="
            if has_driver(name)
            else f"{shown!r} is an address, not a file of this machine: fetch the file first, and name it by its path"
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
        raise UnreadableFileError(f"{path} {_no_file(path, found.st_mode)}")
    return found


def check_no_pipe(path: Path) -> None:
    """Raise if the path is a pipe: opening it waits for a writer, without end if there is none.

    Raises
    ------
    UnreadableFileError
        As said.
    """
    check_name(path)
    try:
        mode = path.stat().st_mode
    except OSError:  # opening it raises what is wrong
        return
    if stat.S_ISFIFO(mode):
        raise UnreadableFileError(f"{path} {_no_file(path, mode)}")


def _no_file(path: Path, mode: int) -> str:
    """Return what a path is, where a file is needed, and a way out."""
    if stat.S_ISDIR(mode):
        most = _most(path)
        way = "in which no name ends as that of a table" if most is None else f"name its files, such as '{path / most}'"
        return f"is a folder, not a file{', ' if most is None else ': '}{way}"
    if stat.S_ISFIFO(mode):
        return "is a pipe, which cannot be read twice: write what comes out of it to a file"
    return "is not a file"


def _most(folder: Path) -> str | None:
    """Return a wildcard for most tables of a folder, or of the folders in it; None if there is no table."""
    suffixes: Counter[str] = Counter()
    with suppress(OSError):
        deep = not any(_ending(path) for path in folder.iterdir())
        for path in islice(folder.rglob("*") if deep else folder.iterdir(), _LOOKED_AT):
            suffixes.update([_ending(path)] if _ending(path) else [])
        if suffixes:
            return f"{'**/' * deep}*{suffixes.most_common(1)[0][0]}"
    return None


def _ending(path: Path) -> str:
    """Return how the name of a table ends, "" of other files."""
    found = _TABLE.search(path.name)
    return found[0] if found and path.is_file() else ""


def unreadable(path: Path, error: OSError) -> UnreadableFileError:
    """Return the refusal of a file that the system does not let us read."""
    return UnreadableFileError(f"cannot read {path}: {error.strerror}")
