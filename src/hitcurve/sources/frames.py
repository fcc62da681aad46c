"""Data frames in and out, through narwhals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any, Literal, TypeAlias, cast

import numpy as np

from hitcurve import _checks
from hitcurve.errors import ColumnNotFoundError, InputError, MissingExtraError
from hitcurve.sources.no_column import not_read
from hitcurve.sources.no_data import is_no_data, no_data

Backend: TypeAlias = Literal["pandas", "polars", "pyarrow"]
_BACKENDS: tuple[Backend, ...] = ("pandas", "polars", "pyarrow")


def _installed() -> list[str]:
    return [name for name in _BACKENDS if find_spec(name)]


def is_column(value: object) -> bool:
    """Return whether a value names a column: text, or a whole number as of frames without names."""
    return isinstance(value, (str, int, np.integer)) and not isinstance(value, bool)


def pick_columns(data: Any, names: Sequence[Any], *, taken: str | None = None) -> dict[Any, Any]:
    """Return columns of a data frame (or an Arrow stream), reading only those.

    Parameters
    ----------
    taken : str, optional
        What data must be, for an error, if the caller does not take files and batches: see :func:`no_data`.

    Raises
    ------
    InputError
        If ``data`` is not a table.
    ColumnNotFoundError
        If a column is missing, with the near names.
    """
    if isinstance(data, Mapping):
        check_columns(names, list(data))
        return {name: data[name] for name in names}
    import narwhals.stable.v2 as nw

    frame = None if is_no_data(data) else as_frame(data)
    if frame is None:
        if isinstance(data, (list, tuple)) and not data and taken is None:
            raise InputError("data is an empty list: name at least one file, or give a batch")
        raise no_data(data, taken=taken)
    if not isinstance(frame, (nw.DataFrame, nw.LazyFrame)):
        check_columns(names, list(frame.columns))
        return {name: frame[name] for name in names}
    check_columns(names, frame.collect_schema().names())
    picked = frame.select(list(dict.fromkeys(names)))
    if isinstance(picked, nw.LazyFrame):
        picked = picked.collect()
    return {name: picked[name].to_native() for name in picked.columns}


def column_names(frame: Any) -> list[Any]:
    """Return the names of the columns of a table of :func:`as_frame`."""
    return list(frame.collect_schema().names() if hasattr(frame, "collect_schema") else frame.columns)


def native_frame(data: Any) -> Any:
    """Return a frame that narwhals knows as narwhals has it; None of anything else."""
    import narwhals.stable.v2 as nw
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(data, pass_through=True)
    except DuplicateError:
        raise InputError("data has several columns of one name: rename them, or leave all but one out") from None
    return frame if isinstance(frame, (nw.DataFrame, nw.LazyFrame)) else None


ENGINES = {"dask": "Dask", "pyspark": "Spark"}


def check_not_apart(data: Any) -> None:
    """Refuse what would be brought to this machine as a whole.

    Raises
    ------
    InputError
        If data are a frame or a column of an engine.
    """
    engine = ENGINES.get(type(data).__module__.partition(".")[0])
    if engine is not None:
        if type(data).__name__ == "Column":
            raise InputError(
                f"a column of {engine} has no values without its frame: pass the frame as data, and names of its "
                "columns, to evaluate or count_tables"
            )
        way = "compute()" if engine == "Dask" else "toPandas()"
        raise InputError(
            f"data of {engine} stay where they are in evaluate and count_tables, if all columns are of {engine}; what "
            f"is asked for here needs them in memory: take a sample, or all of them, by {way}"
        )


def as_frame(data: Any) -> Any:
    """Return a table as narwhals has it, a frame of pandas whose columns have no names as it is, None of no table.

    Raises
    ------
    InputError
        If it is a frame of an engine.
    """
    import narwhals.stable.v2 as nw

    check_not_apart(data)
    frame = native_frame(data)
    if isinstance(frame, nw.DataFrame) and backend_of(data) == "pandas" and not all(_is_text(data.columns)):
        return data
    if frame is not None:
        return frame
    if not hasattr(data, "__arrow_c_stream__"):
        return None
    backend = default_backend("reading an Arrow stream", order=_BACKENDS[::-1])
    with opening(data):
        return nw.from_arrow(data, backend=backend)


@contextmanager
def opening(data: Any) -> Iterator[None]:
    """Refuse an Arrow stream that fails in whatever way its package fails.

    Raises
    ------
    InputError
        As said.
    """
    try:
        yield
    except Exception as error:
        raise not_read(f"the Arrow stream of {type(data).__name__} fails", error) from None


def _is_text(names: Iterable[Any]) -> Iterator[bool]:
    return (isinstance(name, str) for name in names)


def check_columns(wanted: Sequence[Any], there: Sequence[Any]) -> None:
    """Refuse a column that is not there.

    Raises
    ------
    ColumnNotFoundError
        With the near names, or the names there are.
    """
    for name in wanted:
        if name not in there:
            near = _checks.did_you_mean(name, there)
            raise ColumnNotFoundError(f"no column {_checks.quoted(name)}{near or f'; columns are {_first(there)}'}")


def _first(names: Sequence[Any]) -> str:
    return ", ".join(map(repr, names[:12]))


def backend_of(data: Any) -> str | None:
    """Return the name of the package whose data frame this is, if frames can be made with it."""
    package = type(data).__module__.partition(".")[0]
    return package if package in _BACKENDS else None


def default_backend(purpose: str, order: Sequence[Backend] = _BACKENDS) -> Backend:
    """Return the first data frame package that is installed.

    Raises
    ------
    MissingExtraError
        If none is.
    """
    there = _installed()
    for name in order:
        if name in there:
            return name
    raise MissingExtraError(f"{purpose} needs one of {', '.join(_BACKENDS)}: pip install pandas")


def to_frame(columns: Mapping[str, Any], backend: str | None = None) -> Any:
    """Make a native data frame of columns.

    Raises
    ------
    ParameterError, MissingExtraError
        If there is no such backend, a name holds half a character, or the package is not installed.
    """
    import narwhals.stable.v2 as nw

    chosen = default_backend("to_frame")
    if backend is not None:
        chosen = cast("Backend", _checks.choice("backend", backend, _BACKENDS))
    if chosen not in _installed():
        raise MissingExtraError(f"to_frame needs {chosen}: pip install {chosen}")
    try:
        return nw.from_dict(dict(columns), backend=chosen).to_native()
    except UnicodeEncodeError as error:
        raise _checks.half_a_character(error) from None
