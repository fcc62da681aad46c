"""DuckDB: one connection, and what goes wrong in it as one sentence."""

from __future__ import annotations

import contextlib
import os
import re
import threading
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from hitcurve import _checks
from hitcurve._file_names import check_working_folder
from hitcurve._folders import new_folder
from hitcurve._threads import limit_of_addresses, share_of_memory, threads_within
from hitcurve.errors import HitcurveError, ParameterError, UnreadableFileError
from hitcurve.rows import size
from hitcurve.sources.files import reasons
from hitcurve.sources.files.paths import check_name

T = TypeVar("T")
_OF_LIBRARIES = 500e6  # bytes of address space
# a connection answers one thread at a time, and refuses others instead of letting them wait
_LOCKS: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


class _Made(NamedTuple):
    """Of which process a connection is, and how another one is made."""

    process: int
    again: Callable[[], Any]


_MADE: weakref.WeakKeyDictionary[Any, _Made] = weakref.WeakKeyDictionary()
_AFTER_FORK: dict[int, tuple[Any, Any]] = {}  # by id: connections of the parent, which closing would hang, and ours
_HOLDING: weakref.WeakSet[Any] = weakref.WeakSet()  # connections with tables of their own, which no file holds
_LIMITED: weakref.WeakSet[Any] = weakref.WeakSet()  # connections that have a limit of the memory
_GUARD = threading.Lock()


def is_limited(connection: Any) -> bool:
    """Say whether a connection has a limit of the memory."""
    return connection in _LIMITED


def hold(connection: Any) -> None:
    """Note that a connection has what another one would lack."""
    _HOLDING.add(connection)


def _of_this_process(connection: Any) -> Any:
    """Return the connection, or after a fork another one: the threads of DuckDB are not there, and it would wait."""
    made = _MADE.get(connection)
    if made is None or made.process == os.getpid():
        return connection
    if connection in _HOLDING:
        raise UnreadableFileError(
            "rows that were read before this process was forked are not in it: evaluate the files here, or before"
        )
    with _GUARD:
        key = id(connection)
        if key not in _AFTER_FORK or _MADE[_AFTER_FORK[key][1]].process != os.getpid():
            _AFTER_FORK[key] = connection, made.again()
        return _AFTER_FORK[key][1]


def _after_fork() -> None:
    """Take new locks in a child: threads that held the old ones are not there."""
    global _GUARD
    _GUARD = threading.Lock()
    _LOCKS.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Table(Protocol):
    """A file that can say where something in it is."""

    @property
    def path(self) -> Path:
        """Where the file is."""

    def complaint(self, reason: str) -> str | None:
        """Return what DuckDB says of the file as one sentence, None if it is not known."""


def connect(paths: Sequence[Path] = (), memory: int | None = None) -> Any:
    """Return a connection that reads the given files and no others, whatever a condition asks for.

    It takes so many bytes of memory at most, where they are given or there is a limit for all reading.

    The order of the rows is kept, so that sums of weights are added in a fixed order.
    """
    for path in paths:
        check_name(path, utf8=True)
    check_working_folder()  # DuckDB asks for it, also to read other folders
    if (limit := limit_of_addresses()) < _OF_LIBRARIES:  # they would end the process instead of saying so
        raise UnreadableFileError(
            f"the address space of this process is limited to {size(limit)}, and the libraries that read files "
            "take 500 MB of it: raise the limit (ulimit -v)"
        )
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
    with contextlib.suppress(duckdb.Error):  # without zones of time there is no other
        connection.execute("SET TimeZone = 'UTC'")
    memory = share_of_memory() if memory is None else memory
    if memory is not None:
        _LIMITED.add(connection)
        connection.execute(f"SET memory_limit = '{memory} bytes'")
        connection.execute(f"SET threads = {threads_within(memory)}")
        with contextlib.suppress(duckdb.Error):  # else whole row groups are read at once
            connection.execute("SET disable_parquet_prefetching = true")
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
    _MADE[connection] = _Made(os.getpid(), lambda: connect(paths, memory))
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
        connection = _of_this_process(connection)
        with _LOCKS.setdefault(connection, threading.RLock()):
            if sql.startswith("CREATE"):
                hold(connection)
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
        raise UnreadableFileError(_sentence(reason, guilty or files, limited=is_limited(connection))) from None


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


def _sentence(reason: str, files: Sequence[Table], *, limited: bool) -> str:
    known = next((sentence for file in files if (sentence := file.complaint(reason)) is not None), None)
    if known is not None:
        return known
    return reasons.of_file(files[0].path.name, reason, limited=limited)


def columns_are(names: Sequence[str]) -> str:
    """Return the names there are as the end of a sentence."""
    if long := next((name for name in names if "\n" in name), None):
        return f"; the name {long[:40]!r} goes over several lines: a quote in the first line may not be closed"
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
