"""What was given as data and is none: one sentence with the way out."""

from __future__ import annotations

import io
import numbers
from types import ModuleType
from typing import Any

import numpy as np

from hitcurve.errors import InputError

_KINDS = "data must be a data frame, a mapping, files, or Arrow batches"
_AS_FRAME = "make a data frame of it, such as pandas.DataFrame(data)"
_ADDRESS = "pass its address and a query, such as data='sqlite:///scores.db', query='SELECT y, a FROM scores'"
_GROUPINGS = (
    *("LazyGroupBy", "GroupBy", "DynamicGroupBy", "RollingGroupBy"),  # of polars
    *("DataFrameGroupBy", "Rolling", "RollingGroupby", "Resampler", "DatetimeIndexResampler", "Window"),  # of pandas
    *("TableGroupBy", "GroupedData"),  # of pyarrow and Spark
)
_CLIENTS = (
    "sqlite3",
    "adbc_driver_manager",
    "adbc_driver_sqlite",
    "adbc_driver_postgresql",
    "psycopg",
    "psycopg2",
    "sqlalchemy",
)


def is_no_data(data: Any) -> bool:
    """Say whether this is something known that only looks like data, such as an open file."""
    return _way_out(data) is not None


def no_data(data: Any, first: Any = None, *, taken: str | None = None) -> InputError:
    """Return the refusal of what is no data.

    Parameters
    ----------
    first : object, optional
        What an iterable began with.
    taken : str, optional
        What is taken where this is not all that :func:`hitcurve.evaluate` takes: ``"data must be a data frame"``.
    """
    known = _way_out(data)
    if taken is not None:
        return InputError(f"{taken}, got {type(data).__name__ if known is None else known[0]}")
    if known is not None:
        return InputError(f"{_KINDS}, got {known[0]}: {known[1]}")
    if isinstance(data, (list, tuple)) and data and first is None:
        first = data[0]
    if first is not None:
        kind = type(data).__name__ if isinstance(data, (list, tuple)) else "iterable"
        way = _ADDRESS if _comes_from(data, _CLIENTS) else _AS_FRAME
        return InputError(
            f"{_KINDS}, got {'an' if kind == 'iterable' else 'a'} {kind} of {type(first).__name__}: {way}"
        )
    way = f": {_AS_FRAME}" if isinstance(data, np.ndarray) else ""
    return InputError(f"{_KINDS}, got {type(data).__name__}{way}")


def _way_out(data: Any) -> tuple[str, str] | None:
    """Return what this is in words, and what to pass instead; None if it is nothing known."""
    kind = type(data).__name__
    if _comes_from(data, ("duckdb", "_duckdb")) and "Connection" in kind:
        return "a connection of DuckDB", "pass a relation, such as connection.sql('SELECT y, a FROM scores')"
    if _comes_from(data, _CLIENTS):
        return f"{type(data).__module__.partition('.')[0]}'s {kind}", _ADDRESS
    if isinstance(data, (bytes, bytearray, memoryview)):
        return kind, "write them to a file and pass its path, or read them into a data frame"
    if isinstance(data, (list, tuple)) and data and isinstance(data[0], bytes):
        return f"a {kind} of bytes", "decode names of files by os.fsdecode"
    if isinstance(data, (io.BytesIO, io.StringIO)):
        return (
            "a file in memory",
            "read it into a data frame, or write it to a file and pass its path",
        )
    if hasattr(data, "read") and hasattr(data, "readline"):
        name = getattr(data, "name", None)
        return "an open file", f"pass its path{f', data={name!r}' if isinstance(name, str) else ''}"
    if kind in _GROUPINGS:
        return f"groups ({kind})", "pass the data frame, and by=... for an evaluation of each group"
    if isinstance(data, ModuleType):
        return f"the module {data.__name__}", "pass a data frame, or the path of a file"
    if isinstance(data, (numbers.Number, np.number, np.bool_)):
        return f"the value {data!s}", "pass a data frame, or the path of a file"
    if kind == "ParquetFile":
        return "a ParquetFile", "pass its path, or data.read()"
    if kind == "Series" or (_comes_from(data, ("pyarrow",)) and "Array" in kind and kind != "StructArray"):
        return "one column", "pass a data frame, and names of its columns"
    return None


def _comes_from(data: Any, packages: tuple[str, ...]) -> bool:
    return type(data).__module__.partition(".")[0] in packages
