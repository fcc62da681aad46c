"""The files of one table: a partitioned write leaves some without rows, which are no reason to refuse the others."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from hitcurve import rows
from hitcurve.errors import EmptyInputError
from hitcurve.sources.files.datafile import DataFile
from hitcurve.sources.files.opening import has_no_object, open_file

_SHOWN = 5  # files that are named


class Parts(NamedTuple):
    """The files of one table.

    Attributes
    ----------
    files : list of DataFile
        Those that have rows, or the only one.
    notes : tuple of str
        Which ones have none, in words.
    """

    files: list[DataFile]
    notes: tuple[str, ...] = ()


def open_parts(paths: Sequence[Path], wanted: tuple[str, ...], db: Any, **how: Any) -> Parts:
    """Open the files of one table as :func:`open_file` does, unpack them to their ends, and set apart empty ones.

    Raises
    ------
    InputError
        One of its kinds, if one is no such file, or none of several has rows.
    """
    if len(paths) == 1:
        return Parts([_whole(paths[0], wanted, db, how)])
    files, empty = [], []
    for path in paths:
        file = None if has_no_object(path) else _whole(path, wanted, db, how)
        if file is not None and file.rows(f"SELECT 1 FROM {file.relation} LIMIT 1"):
            files.append(file)
        else:
            empty.append(path.name)
    named = ", ".join(empty[:_SHOWN]) + (", ..." if len(empty) > _SHOWN else "")
    if not files:
        raise EmptyInputError(f"none of {rows.count(len(paths))} files has rows: {named}")
    if not empty:
        return Parts(files)
    have = "has" if len(empty) == 1 else "have"
    return Parts(files, (f"{rows.count(len(empty))} of {rows.count(len(paths))} files {have} no rows: {named}",))


def _whole(path: Path, wanted: tuple[str, ...], db: Any, how: dict[str, Any]) -> DataFile:
    file = open_file(path, wanted, db, **how)
    file.check_end()
    return file
