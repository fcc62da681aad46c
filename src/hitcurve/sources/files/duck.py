"""DuckDB: one connection, and what goes wrong in it as one sentence."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from hitcurve import _checks
from hitcurve.errors import HitcurveError, ParameterError, UnreadableFileError

T = TypeVar("T")
# lines of advice in DuckDB's messages, about options that are not ours
_ADVICE = ("Possible", "*", "file =", "Try setting", "Try increasing", "Candidate", "LINE", "^")


class Table(Protocol):
    """A file that can say where something in it is."""

    @property
    def path(self) -> Path:
        """Where the file is."""

    def complaint(self, reason: str) -> str | None:
        """Return what DuckDB says of the file as one sentence, None if it is not known."""


def connect() -> Any:
    """Return a connection that keeps the order of the rows, so that sums of weights are added in a fixed order."""
    duckdb = _checks.extra("duckdb", "files", "reading a file")
    _checks.extra("pyarrow", "files", "reading a file")
    # names in conditions are columns, never variables of Python
    connection = duckdb.connect(config={"python_enable_replacements": False})
    connection.execute("SET preserve_insertion_order = true")
    connection.execute("SET enable_progress_bar = false")
    # what does not fit into memory must not land in the folder of the user
    folder = Path(tempfile.gettempdir()) / f"hitcurve-{os.getpid()}"
    connection.execute(f"SET temp_directory = {text(str(folder))}")
    return connection


def query(
    connection: Any, sql: str, use: Callable[[Any], T], files: Sequence[Table], condition: str | None = None
) -> T:
    """Run one query and use its result.

    Parameters
    ----------
    condition : str, optional
        The condition of the user in the query: to blame for what goes wrong in no file.

    Raises
    ------
    UnreadableFileError
        If a file is no such table, with its name and the line.
    ParameterError
        If the condition fails on a row.
    """
    duckdb = _checks.extra("duckdb", "files", "reading a file")
    try:
        return use(connection.sql(sql))
    except HitcurveError:
        raise
    except RuntimeError as error:
        if "interrupted" in str(error):  # what DuckDB makes of Ctrl-C
            raise KeyboardInterrupt from None
        raise
    except (duckdb.Error, OSError) as error:  # Arrow passes on what DuckDB says as an OSError
        reason = str(error)
        guilty = [file for file in files if str(file.path) in reason]
        if condition is not None and not guilty:
            raise ParameterError(f"--where {condition!r}: {without_advice(reason)}") from None
        raise UnreadableFileError(_sentence(reason, guilty or files)) from None


def rows(connection: Any, sql: str, files: Sequence[Table]) -> list[tuple[Any, ...]]:
    """Return all rows of a small query."""
    return query(connection, sql, lambda found: list(found.fetchall()), files)


def first(connection: Any, value: str, condition: str, relation: str, file: Table) -> tuple[Any, int]:
    """Return a value of the first row of a file that meets a condition, and that row from 1; None and 0 for none."""
    found = rows(
        connection,
        f"SELECT value, row FROM (SELECT {value} AS value, {condition} AS hit, row_number() OVER () AS row "
        f"FROM {relation}) WHERE hit ORDER BY row LIMIT 1",
        [file],
    )
    return (found[0][0], found[0][1]) if found else (None, 0)


def _sentence(reason: str, files: Sequence[Table]) -> str:
    known = next((sentence for file in files if (sentence := file.complaint(reason)) is not None), None)
    if known is not None:
        return known
    path = files[0].path
    return f"{path.name} cannot be read as a table: {without_advice(reason).replace(str(path), path.name)[:300]}"


def without_advice(reason: str) -> str:
    """Return what DuckDB says, without what it advises."""
    lines = [line.strip() for line in reason.splitlines() if line.strip()]
    known = "; ".join(line for line in lines[:5] if not line.startswith(_ADVICE))
    return re.sub(r"^[A-Z][\w ]* Error: ", "", known)


def check_condition(connection: Any, condition: str, types: Mapping[str, str], twins: Sequence[str]) -> None:
    """Refuse a condition that is not one SQL expression over columns that are there.

    Parameters
    ----------
    types : mapping of str to str
        Columns that can be named in SQL, and their types.
    twins : sequence of str
        Columns that cannot, since others differ from them in case only.

    Raises
    ------
    ParameterError
        With what DuckDB says about it.
    """
    duckdb = _checks.extra("duckdb", "files", "reading a file")
    if not condition.strip():
        raise ParameterError("--where is empty: it must be one SQL condition, as in \"split = 'test'\"")
    columns = ", ".join(f"CAST(NULL AS {kind}) AS {quoted(name)}" for name, kind in types.items())
    try:
        duckdb.SQLExpression(condition)
        if any(kind == duckdb.token_type.comment for _, kind in duckdb.tokenize(condition)):
            raise ParameterError(f"--where must be one condition without a comment, got {condition!r}")
        connection.sql(f"SELECT 1 FROM (SELECT {columns or 1}) WHERE (\n{condition}\n)").fetchall()
    except duckdb.Error as error:
        missing = re.search(r'Referenced column "(.+?)" not found', str(error))
        if missing is None:
            raise ParameterError(f"--where {condition!r}: {without_advice(str(error))}") from None
        raise ParameterError(f"--where {condition!r}: {_no_column(missing[1], types, twins)}") from None
    calls = re.findall(r"(\w+)\s*\(", re.sub(r"'[^']*'", "''", condition))
    sql = "SELECT DISTINCT function_name FROM duckdb_functions() WHERE stability = 'VOLATILE'"
    volatile = {name for (name,) in connection.sql(sql).fetchall()}
    for name in calls:
        if name.lower() in volatile:
            raise ParameterError(
                f"--where {condition!r}: {name.lower()}() picks other rows each time, and files are read twice; "
                "a sample that stays is hash(id) % 10 = 0"
            )


def _no_column(name: str, types: Mapping[str, str], twins: Sequence[str]) -> str:
    same = [twin for twin in twins if twin.lower() == name.lower()]
    if same:
        return f"columns {' and '.join(map(repr, same))} cannot be told apart in SQL: rename all but one"
    return f"no column {name!r}{_checks.did_you_mean(name, types) or columns_are(list(types))}"


def columns_are(names: Sequence[str]) -> str:
    """Return the names there are as the end of a sentence."""
    shown = ", ".join(repr(name[:60]) for name in names[:12])
    return f"; columns are {shown}{', ...' if len(names) > 12 else ''}"


def quoted(name: str) -> str:
    """Return an identifier as SQL."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def text(value: str) -> str:
    """Return a text as SQL."""
    doubled = value.replace("'", "''")
    return f"'{doubled}'"
