"""DuckDB: one connection, and what goes wrong in it as one sentence."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from hitcurve import _checks
from hitcurve.errors import ParameterError, UnreadableFileError

T = TypeVar("T")
# lines of advice in DuckDB's messages, about options that are not ours
_ADVICE = ("Possible", "*", "file =", "Try setting", "Candidate", "LINE", "^")


def connect() -> Any:
    """Return a connection that keeps the order of the rows, so that sums of weights are added in a fixed order."""
    duckdb = _checks.extra("duckdb", "files", "reading a file")
    _checks.extra("pyarrow", "files", "reading a file")
    connection = duckdb.connect()
    connection.execute("SET preserve_insertion_order = true")
    return connection


def query(connection: Any, sql: str, use: Callable[[Any], T], paths: Sequence[Path], plainer: str | None = None) -> T:
    """Run one query and use its result.

    Parameters
    ----------
    plainer : str, optional
        A query that reads the same as text: where guessing types fails, it names the line that does not fit.

    Raises
    ------
    UnreadableFileError
        If a file is no such table, with its name and the line.
    """
    duckdb = _checks.extra("duckdb", "files", "reading a file")
    pyarrow = _checks.extra("pyarrow", "files", "reading a file")
    try:
        return use(connection.sql(sql))
    except (duckdb.Error, pyarrow.ArrowInvalid) as error:
        reason = str(error)
        if "sniffing" in reason and plainer is not None:
            try:
                connection.sql(plainer).fetchall()
            except duckdb.Error as named:
                reason = str(named)
        raise UnreadableFileError(_sentence(reason, paths)) from None


def rows(connection: Any, sql: str, paths: Sequence[Path], plainer: str | None = None) -> list[tuple[Any, ...]]:
    """Return all rows of a small query."""
    return query(connection, sql, lambda found: list(found.fetchall()), paths, plainer)


def _sentence(reason: str, paths: Sequence[Path]) -> str:
    named = [path for path in paths if str(path) in reason]
    name = (named or list(paths))[0].name
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    known = "; ".join(line for line in lines[:5] if not line.startswith(_ADVICE))
    for path in paths:
        known = known.replace(str(path), path.name)
    known = re.sub(r"^(Invalid Input|IO|Conversion|Binder|Parser|Catalog) Error: ", "", known)
    if known.startswith("No magic bytes found at end"):
        known = "it is cut off or no Parquet file"
    return f"{name} cannot be read as a table: {known[:300]}"


def check_condition(connection: Any, condition: str, names: Sequence[str]) -> None:
    """Refuse a condition that is not one SQL expression over columns that are there.

    Raises
    ------
    ParameterError
        With what DuckDB says about it.
    """
    duckdb = _checks.extra("duckdb", "files", "reading a file")
    columns = ", ".join(f"NULL AS {quoted(name)}" for name in names)
    sql = f"SELECT 1 FROM (SELECT {columns}) WHERE (\n{condition}\n)"
    try:
        if len(connection.extract_statements(sql)) != 1:
            raise ParameterError(f"--where must be one condition, got {condition!r}")
        connection.sql(sql)
    except duckdb.Error as error:
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        near = next((line for line in lines if line.startswith("Candidate")), "")
        said = re.sub(r"^\w+ Error: ", "", lines[0])
        raise ParameterError(f"--where {condition!r}: {said}{f' ({near.lower()})' if near else ''}") from None


def quoted(name: str) -> str:
    """Return an identifier as SQL."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def text(value: str) -> str:
    """Return a text as SQL."""
    doubled = value.replace("'", "''")
    return f"'{doubled}'"
