"""Any file -> a table."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from hitcurve.errors import ColumnNotFoundError, ParameterError
from hitcurve.sources.files import duck
from hitcurve.sources.files.content import BOM, Content
from hitcurve.sources.files.datafile import DataFile
from hitcurve.sources.files.formats import Asked, format_of
from hitcurve.sources.files.formats.objects import Objects
from hitcurve.sources.files.numerals import Absent
from hitcurve.sources.files.typed import TypedFile
from hitcurve.sources.files.written import WrittenFile


def open_file(
    path: Path,
    wanted: tuple[str, ...],
    db: Any,
    *,
    header: bool = True,
    condition: str = "",
    numbers: tuple[str, ...] = (),
    absent: Absent | None = None,
    decimal: str | None = None,
) -> DataFile:
    """Open a file in the format that its first bytes say.

    Parameters
    ----------
    wanted : tuple of str
        Columns that are needed.
    db : DuckDBPyConnection
    header : bool
        Whether the first line of a text file names the columns.
    condition : str
        A condition on the rows, which may name other columns.
    numbers, absent, decimal
        As in :class:`Asked`.

    Raises
    ------
    UnreadableFileError, EmptyInputError, ColumnNotFoundError, InputError
        If it is not there, is no table, is empty, or lacks a column or has it twice.
    """
    asked = Asked(Content(path), db, wanted, header, condition, numbers, absent or Absent(), decimal)
    format = format_of(asked)
    return (TypedFile if format.typed else WrittenFile)(asked, format)


def has_column(path: Path, name: str, *, header: bool = True) -> bool:
    """Return whether a file has a column of this name."""
    with duck.connect([path]) as connection:
        try:
            open_file(path, (name,), connection, header=header)
        except ColumnNotFoundError:
            return False
    return True


def column_names(path: Path, *, header: bool = True) -> list[str]:
    """Return the names of the columns of a file as far as its beginning has them: no row is read but to that end.

    Raises
    ------
    UnreadableFileError, EmptyInputError, InputError
        If it is not there, is no table or is empty.
    """
    with duck.connect([path]) as connection:
        return format_of(Asked(Content(path), connection, (), header)).header


def only_in(path: Path, names: Collection[str], others: Sequence[Path], *, header: bool = True) -> list[str]:
    """Return the columns that a file has, and the first of others, with or without a ``header``, has not."""
    other = leading(others)
    return [name for name in names if not has_column(other, name, header=header) and has_column(path, name)]


def leading(paths: Sequence[Path]) -> Path:
    """Return the first file that says which columns there are."""
    return next((path for path in paths if not has_no_object(path)), paths[0])


def has_no_object(path: Path) -> bool:
    """Return whether a file is one of JSON without any object, which has no columns either."""
    content = Content(path)
    if not content.bare_name.endswith(Objects.endings) or content.goes_on:
        return False
    return re.fullmatch(rb"\s*(\[\s*\])?\s*", content.start.removeprefix(BOM)) is not None


def column_beside(path: Path, on: str, db: Any) -> str:
    """Return the column of the labels of a file that has one beside the ids.

    Raises
    ------
    ParameterError
        If it has none, or several.
    """
    others = [other for other in open_file(path, (on,), db).names if other != on]
    if not others:
        raise ParameterError(f"{path.name} has no column of labels beside {on!r}")
    if len(others) > 1:
        shown = ", ".join(map(repr, others[:8]))
        raise ParameterError(f"give the column of {path.name} that contains the labels (--label): {shown}")
    return others[0]
