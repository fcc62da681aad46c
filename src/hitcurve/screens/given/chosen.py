"""Which rows of a file are read: those that satisfy a condition."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from hitcurve.counts import AnyArray
from hitcurve.errors import UnreadableFileError
from hitcurve.screens.given import written
from hitcurve.sources.files import duck
from hitcurve.sources.files.condition import Condition
from hitcurve.sources.files.datafile import DataFile
from hitcurve.sources.files.formats.delimited import Delimited
from hitcurve.sources.files.opening import open_file

_WIDE = 500  # columns of a text file beyond which DuckDB gets only those that the condition names
_SHOWN = 12  # columns that a message lists


def chosen_rows(file: DataFile, where: str, rows: int) -> AnyArray:
    """Return which rows of a file satisfy a condition, (n,).

    Parameters
    ----------
    file : DataFile
        Opened with the condition.
    where : str
        SQL.
    rows : int
        How many there are.

    Raises
    ------
    ParameterError
        If it is no condition on the columns of the file.
    """
    if isinstance(file.format, Delimited) and len(file.names) > _WIDE and "columns" not in where.lower():
        found = _of_few_columns(file, file.format, where)
    else:
        found = _of_file(file, where)
    if found.size != rows:
        raise UnreadableFileError(f"{file.path.name} has empty lines between its rows: leave them out")
    return found


def _of_file(file: DataFile, where: str) -> AnyArray:
    condition = Condition(where, file.asked.db, [file])
    _ = condition.needs_labels  # refuses what is no condition
    table = f"SELECT *, {file.named(condition.types[file])} FROM {file.relation}"
    sql = f"SELECT coalesce(CAST((\n{where}\n) AS BOOLEAN), false) AS chosen FROM ({table})"

    def read(found: Any) -> AnyArray:
        return np.asarray(found.fetchnumpy()["chosen"], bool)

    return duck.query(file.asked.db, sql, read, [file], where)


def _of_few_columns(file: DataFile, delimited: Delimited, where: str) -> AnyArray:
    """Look at the columns that the condition names, in a file of their own; DuckDB takes long for thousands."""
    named = [name for name in file.names if file.asked.may_name(name) and file.asked.names(name)]
    kept = list(dict.fromkeys([*named, *file.asked.wanted, *file.names[:_SHOWN]]))
    places = [file.names.index(name) for name in kept]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{file.path.name}.csv"  # of which messages speak
        with path.open("w", encoding="utf-8", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(kept)
            for batch in written.lines(file, delimited):
                writer.writerows(zip(*(batch.column(place).to_pylist() for place in places), strict=True))
        asked = file.asked
        with duck.connect([path]) as db:
            how: dict[str, Any] = {"absent": asked.absent, "decimal": asked.decimal}
            return _of_file(open_file(path, asked.wanted, db, condition=where, **how), where)
