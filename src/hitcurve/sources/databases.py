"""Queries of databases as Arrow batches, through ADBC."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hitcurve import _checks
from hitcurve.errors import HitcurveError, InputError, ParameterError, UnreadableFileError
from hitcurve.sources.answered import Answer

_DRIVERS = {
    "postgresql": "adbc_driver_postgresql",
    "postgres": "adbc_driver_postgresql",
    "sqlite": "adbc_driver_sqlite",
}


def is_database(data: Any) -> bool:
    """Say whether data are named by the address of a database."""
    return isinstance(data, str) and re.match(r"[a-z][a-z0-9+]*://", data) is not None


def has_driver(address: str) -> bool:
    """Say whether databases with such an address are read."""
    return address.partition("://")[0].partition("+")[0] in _DRIVERS


@contextmanager
def answer(address: str, query: str | None, numbers: Sequence[str] = (), names: Sequence[str] = ()) -> Iterator[Any]:
    """Yield what a database answers to one query, as a reader of Arrow batches.

    Parameters
    ----------
    address : str
        ``postgresql://user@host/name`` or ``sqlite:///path``; of a path from the root, ``sqlite:////path``.
    query : str
    numbers, names : sequence of str
        Columns that must hold numbers, and those of labels and names.

    Raises
    ------
    ParameterError
        If the kind of database is not known, there is no query, or the database refuses it.
    UnreadableFileError
        If there is no connection.
    InputError
        If the answer breaks off, or a column holds a value of another type than it must have or had before.
    MissingExtraError
    """
    kind = address.partition("://")[0].partition("+")[0]
    shown = without_password(address)
    if query is None and kind not in _DRIVERS:
        raise ParameterError(
            f"data {shown!r} are neither a file of this machine nor in a database ({', '.join(_DRIVERS)}): fetch the "
            "file first, and name it by its path"
        )
    _checks.choice("kind of database", kind, tuple(_DRIVERS))
    if query is None or not query.strip():
        raise ParameterError("data in a database need a query: query='SELECT y, a FROM scores'")
    if address.partition("://")[2].partition("/")[0].count("@") > 1:  # the driver would take, and show, half a password
        raise ParameterError(f"the address {shown} has a password with '@': write it as %40")
    adbc = _checks.extra("adbc_driver_manager", "sql", "reading a database")
    driver = _checks.extra(f"{_DRIVERS[kind]}.dbapi", "sql", f"reading {kind}")
    file = _file_of(address) if kind == "sqlite" else None
    try:
        connection = driver.connect(file or address)
    except adbc.Error as error:
        raise UnreadableFileError(f"cannot read {shown}: {_reason(error)}") from None
    with connection, connection.cursor() as cursor:
        found: Answer | None = None
        try:
            cursor.execute(query)
            found = Answer(cursor.fetch_record_batch(), query, numbers, names, file)
            yield found.checked()
        except adbc.Error as error:
            raise ParameterError(f"the database refuses the query {query!r}: {_reason(error)}") from None
        except HitcurveError:
            raise
        except OSError as error:  # what Arrow makes of an answer that breaks off
            odd = None if found is None else found.broken(str(error))
            raise odd or InputError(f"the answer to the query {query!r} breaks off: {_reason(error)}") from None


def without_password(address: str) -> str:
    """Return an address as it may be shown.

    Examples
    --------
    >>> without_password("postgresql://me:p@ss@host/name?password=word&sslmode=require")
    'postgresql://me@host/name?sslmode=require'
    """
    said, mark, options = re.sub(r"://([^:@/]*):.*@", r"://\1@", address).partition("?")
    kept = [one for one in options.split("&") if not re.match("(?i)(ssl)?pass", one)]
    return said + mark * any(kept) + "&".join(kept)


def _file_of(address: str) -> str:
    """Return the file of SQLite as an address that only reads."""
    path = Path(address.partition(":///")[2])
    if not path.is_file():
        raise UnreadableFileError(f"no file {path} (of a path from the root, four slashes: sqlite:////path)")
    return f"{Path(os.path.realpath(path)).as_uri()}?mode=ro"


def _reason(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    known = [line for line in lines if re.search(r"error|fatal", line, re.IGNORECASE)]
    found = (known or lines or ["no reason given"])[0]
    return re.sub(r"^[A-Z_]+: (\[[^\]]*\] )?", "", found)[:300]
