"""DuckDB: one connection, and what goes wrong in it as one sentence."""

from __future__ import annotations

import json
import re
import threading
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from hitcurve import _checks
from hitcurve._folders import new_folder
from hitcurve.errors import HitcurveError, ParameterError, UnreadableFileError
from hitcurve.sources.files import reasons

T = TypeVar("T")
# a connection answers one thread at a time, and refuses others instead of letting them wait
_LOCKS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()
# clocks that are no functions without arguments
_CLOCK_MACROS = ("ago", "pg_conf_load_time", "pg_postmaster_start_time")
# functions of one row that look beyond it, at the session
_OF_SESSION = frozenset({"current_setting", "getvariable", "in_search_path", "current_schemas"})
_CLOCK_WORDS = ("current_date", "current_time", "current_timestamp", "localtime", "localtimestamp")


class Table(Protocol):
    """A file that can say where something in it is."""

    @property
    def path(self) -> Path:
        """Where the file is."""

    def complaint(self, reason: str) -> str | None:
        """Return what DuckDB says of the file as one sentence, None if it is not known."""


def connect(paths: Sequence[Path] = (), memory: int | None = None) -> Any:
    """Return a connection that reads the given files and no others, whatever a condition asks for.

    It takes so many bytes of memory at most, where they are given.

    The order of the rows is kept, so that sums of weights are added in a fixed order.
    """
    duckdb = _checks.extra("duckdb", "files", "reading a file")
    _checks.extra("pyarrow", "files", "reading a file")
    # names in conditions are columns, never variables of Python
    off = dict.fromkeys(
        (
            "python_enable_replacements",
            "autoinstall_known_extensions",
            "autoload_known_extensions",
            "allow_community_extensions",
        ),
        False,
    )
    connection = duckdb.connect(config=off)
    connection.execute("SET preserve_insertion_order = true")
    if memory is not None:
        connection.execute(f"SET memory_limit = '{memory} bytes'")
    # in a notebook without ipywidgets DuckDB has no bar, and refuses to turn it off
    if connection.execute("SELECT current_setting('enable_progress_bar')").fetchone()[0]:
        connection.execute("SET enable_progress_bar = false")
    # what does not fit into memory is written here; DuckDB allows all of this folder, so it must hold nothing else
    folder = new_folder()
    weakref.finalize(connection, folder.remove)
    connection.execute(f"SET temp_directory = {text(str(folder.path))}")
    allowed = ", ".join(text(spelling) for path in paths for spelling in dict.fromkeys((str(path), literal(path))))
    connection.execute(f"SET allowed_paths = [{allowed}]")
    connection.execute("SET enable_external_access = false")
    connection.execute("SET lock_configuration = true")
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
        with _LOCKS.setdefault(connection, threading.RLock()):
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
        if condition is not None and not guilty and reasons.is_of_condition(reason):
            raise ParameterError(reasons.of_condition(condition, reason)) from None
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
    return reasons.of_file(files[0].path.name, reason)


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
        With what is wrong with it.
    """
    duckdb = _checks.extra("duckdb", "files", "reading a file")
    if not condition.strip():
        raise ParameterError("--where is empty: it must be one SQL condition, as in \"split = 'test'\"")
    columns = ", ".join(f"CAST(NULL AS {kind}) AS {quoted(name)}" for name, kind in types.items())
    try:
        duckdb.SQLExpression(condition)
        if any(kind == duckdb.token_type.comment for _, kind in duckdb.tokenize(condition)):
            raise ParameterError(f"--where must be one condition without a comment, got {condition!r}")
        _check_parts(connection, condition, types)
        connection.sql(f"SELECT 1 FROM (SELECT {columns or 1}) WHERE (\n{condition}\n)").fetchall()
    except duckdb.Error as error:
        missing = re.search(r'Referenced column "(.+?)" not found', str(error))
        if missing is None:
            raise ParameterError(reasons.of_condition(condition, str(error))) from None
        raise ParameterError(f"--where {condition!r}: {_no_column(missing[1], types, twins)}") from None


def _check_parts(connection: Any, condition: str, names: Collection[str]) -> None:
    """Refuse a condition that looks beyond its row: at other rows, at a clock or at chance."""
    sql = "SELECT json_serialize_sql(?)"
    tree = json.loads(connection.execute(sql, [f"SELECT 1 WHERE (\n{condition}\n)"]).fetchall()[0][0])
    moving = {
        name
        for (name,) in connection.execute(
            "SELECT function_name FROM duckdb_functions() WHERE stability = 'VOLATILE' "
            "OR (stability = 'CONSISTENT_WITHIN_QUERY' AND len(parameters) = 0)"
        ).fetchall()
    }
    beyond = _OF_SESSION | _macros_of(connection, moving | _OF_SESSION)
    columns = {name.lower() for name in names}
    if tree["error"]:  # binding the condition raises it
        return
    for part in _parts(tree["statements"][0]["node"]["where_clause"]):
        kind = part.get("class")
        if kind == "SUBQUERY":
            raise ParameterError(
                f"--where {condition!r}: a condition is about one row and cannot contain a SELECT: compare columns"
            )
        if kind == "PARAMETER":
            raise ParameterError(f"--where {condition!r}: a parameter has no value: write the value")
        if kind == "FUNCTION":
            name = part["function_name"].lower()
            alone = name == "age" and len(part["arguments"]) == 1  # the age today
            clock = alone or name in _CLOCK_MACROS
        else:
            name = ".".join(part.get("column_names", ())).lower() if kind == "COLUMN_REF" else ""
            clock = name in _CLOCK_WORDS and name not in columns
            name = name if clock else ""
        if kind == "FUNCTION" and not clock and name in beyond:
            raise ParameterError(
                f"--where {condition!r}: {name}() depends on the session or the clock, not on the row: compare columns"
            )
        if clock or (kind == "FUNCTION" and name in moving):
            shown = name if kind == "COLUMN_REF" else f"{name}()"
            raise ParameterError(
                f"--where {condition!r}: {shown} selects different rows each time, and files are read twice; a fixed "
                "sample is hash(id) % 10 = 0, and a fixed time is TIMESTAMP '2026-01-31 12:00:00'"
            )


def _macros_of(connection: Any, names: Collection[str]) -> set[str]:
    """Return the macros that stand for some functions, also by way of other macros, or for a SELECT."""
    sql = "SELECT lower(function_name), lower(macro_definition) FROM duckdb_functions() WHERE macro_definition NOT NULL"
    words = {name: set(re.findall(r"\w+", text)) for name, text in connection.execute(sql).fetchall()}
    found: set[str] = set()
    while more := {name for name, used in words.items() if used & {"select", *names, *found} and name not in found}:
        found |= more
    return found


def _parts(tree: Any) -> Iterator[Mapping[str, Any]]:
    """Return all parts of a parsed expression."""
    if isinstance(tree, dict):
        yield tree
    values = tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ()
    for value in values:
        yield from _parts(value)


def _no_column(name: str, types: Mapping[str, str], twins: Sequence[str]) -> str:
    same = [twin for twin in twins if twin.lower() == name.lower()]
    if same:
        return f"columns {' and '.join(map(repr, same))} have the same name in SQL: rename all but one"
    return f"no column {name!r}{_checks.did_you_mean(name, types) or columns_are(list(types))}"


def columns_are(names: Sequence[str]) -> str:
    """Return the names there are as the end of a sentence."""
    shown = ", ".join(repr(name[:60]) for name in names[:12])
    return f"; columns are {shown}{', ...' if len(names) > 12 else ''}"


def quoted(name: str) -> str:
    """Return an identifier as SQL."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def literal(path: Path) -> str:
    """Return a path as DuckDB takes it: a wildcard stands for itself, so that exactly the named file is read."""
    return re.sub(r"([*?\[])", r"[\1]", str(path))


def text(value: str) -> str:
    """Return a text as SQL."""
    doubled = value.replace("'", "''")
    return f"'{doubled}'"
