"""Data that arrive as Arrow batches: kept in memory while they are small, else in a file that can be read again."""

from __future__ import annotations

import inspect
import os
import weakref
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve._folders import new_folder, told_of_place
from hitcurve.errors import EmptyInputError, InputError, UnreadableFileError
from hitcurve.sources.files.lazy import LOOKED_AT, Distinct, Query, query_of
from hitcurve.sources.files.source import FileSource
from hitcurve.sources.frames import check_columns, native_frame

_MOST_BYTES = 1 << 28  # what takes more is written to a file
_PURPOSE = "reading a stream of data"
_kept_there = partial(told_of_place, "the data can be read once, and cannot be kept")
_BEGUN: dict[int, weakref.ref[Any]] = {}  # streams that were read here, by id


@dataclass(frozen=True, eq=False)
class Kept:
    """What was read of a stream: a table in memory, or a temporary file, which goes with this value.

    Attributes
    ----------
    table : pyarrow.Table or None
    path : Path or None
    distinct : Distinct or None
        Instead of both, the distinct rows with their counts.
    """

    table: Any
    path: Path | None = None
    distinct: Distinct | None = None


@dataclass(frozen=True)
class SpilledSource(FileSource):
    """A stream that did not fit into memory, in a temporary file, which goes with what was kept."""

    kept: Kept | None = None

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What happened on the way to the subjects, in words."""
        size = rows.count(-(-self.paths[0].stat().st_size // 10**6))
        return (f"the data can be read once, and were kept in a temporary file of {size} MB", *super().notes)


def is_stream(data: Any) -> bool:
    """Say whether data arrive as Arrow batches, instead of as a frame that is there as a whole."""
    if isinstance(data, (str, bytes, dict)):
        return False
    if hasattr(data, "read_next_batch"):
        return True
    if hasattr(data, "__arrow_c_stream__"):
        return native_frame(data) is None
    if isinstance(data, (list, tuple)):
        return bool(data) and all(hasattr(one, "__arrow_c_array__") for one in data)
    # of other iterables only those without the columns of a frame
    return isinstance(data, Iterable) and not hasattr(data, "columns") and not hasattr(data, "__array__")


def keep(data: Any, names: Sequence[str], *, made: bool = False, on_disk: bool = False) -> Kept:
    """Read some columns of a stream or of a query that has not run, once.

    Parameters
    ----------
    made : bool
        Whether a stream was made to be read here.
    on_disk : bool
        Whether rows go to a file even if they are few: what reads a file can obey a limit of the memory.

    Raises
    ------
    InputError, ColumnNotFoundError, UnreadableFileError
        If it is no stream of Arrow batches, lacks a column, breaks off, or does not fit on the disk.
    """
    arrow = _checks.extra("pyarrow", "files", _PURPOSE)
    names = list(dict.fromkeys(names))
    once = not made and _begin(data)
    query = query_of(data, names)
    running = None if query is None else query.batches()
    schema, batches = _opened(arrow, data if running is None else running)
    check_columns(names, schema.names)
    kept: list[Any] = []
    size, most = 0, 0 if on_disk else _MOST_BYTES
    try:
        for batch in batches:
            kept.append(batch.select(names))
            size += kept[-1].nbytes
            if query is not None and running is not None and size > LOOKED_AT:
                if query.repeats(kept):
                    running.close()  # some connections run one query at a time
                    return _counted_or_kept(query, names, on_disk=on_disk)
                query = None
            if size > most and query is None:
                return _spilled(chain(kept, (one.select(names) for one in batches)))
    except UnreadableFileError:
        raise
    except (OSError, arrow.ArrowException) as error:
        if isinstance(error, OSError) and (made or error.errno is not None):  # of what makes the batches
            raise
        raise InputError(f"the data break off: {_reason(error)}") from None
    if once and not any(batch.num_rows for batch in kept):
        raise EmptyInputError("the data are a stream without rows: one that was read before has none left")
    if size > most:
        return _spilled(iter(kept))
    picked = arrow.schema([schema.field(name) for name in names])
    return Kept(arrow.Table.from_batches(kept, picked))


def _begin(data: Any) -> bool:
    """Say whether data can be read once, and refuse them if they were read before: what is left is not all of them.

    Raises
    ------
    InputError
    """
    if not (
        hasattr(data, "read_next_batch") or (isinstance(data, Iterator) and not hasattr(data, "__arrow_c_stream__"))
    ):
        return False
    known = _BEGUN.get(id(data))
    ended = inspect.isgenerator(data) and inspect.getgeneratorstate(data) == inspect.GEN_CLOSED
    if ended or (known is not None and known() is data):
        raise InputError(
            "the data are a stream that has been read already, and streams are read once: make it anew, or pass a "
            "table of its rows"
        )
    with suppress(TypeError):  # of built-in iterators nothing can be remembered
        place = id(data)
        _BEGUN[place] = weakref.ref(data, lambda _: _BEGUN.pop(place, None))
    return True


def _counted_or_kept(query: Query, names: Sequence[str], *, on_disk: bool) -> Kept:
    """Count distinct rows where the data are; if they are many after all, keep all rows."""
    distinct = query.distinct()
    return (
        keep(query.batches(), names, made=True, on_disk=on_disk) if distinct is None else Kept(None, distinct=distinct)
    )


def _opened(arrow: Any, data: Any) -> tuple[Any, Iterator[Any]]:
    """Return the schema and the batches of a stream."""
    if hasattr(data, "__arrow_c_stream__"):
        data = arrow.RecordBatchReader.from_stream(data)
    if hasattr(data, "read_next_batch"):
        return data.schema, iter(data)
    batches = map(_batch(arrow), data)
    first = next(batches, None)
    if first is None:
        raise InputError("the data are an iterable without a batch, or one whose batches have been read already")
    return first.schema, chain([first], _of_one_schema(batches, first.schema))


def _batch(arrow: Any) -> Any:
    def read(one: Any) -> Any:
        if not hasattr(one, "__arrow_c_array__"):
            way = ": make it a list" if isinstance(one, (str, os.PathLike)) else ""
            raise InputError(
                "data must be a data frame, a mapping, files, or Arrow batches, got an iterable of "
                f"{type(one).__name__}{way}"
            )
        return one if isinstance(one, arrow.RecordBatch) else arrow.record_batch(one)

    return read


def _of_one_schema(batches: Iterable[Any], schema: Any) -> Iterator[Any]:
    for place, batch in enumerate(batches, 2):
        if batch.schema.names != schema.names or batch.schema.types != schema.types:
            raise InputError(f"the batches differ: batch {place} has {_difference(batch.schema, schema)}")
        yield batch


def _difference(other: Any, schema: Any) -> str:
    """Say how the columns of a batch differ from those of the first; a column that is absent shifts all after it."""
    if lacking := [name for name in schema.names if name not in other.names]:
        return f"no column {lacking[0]!r}"
    if added := [name for name in other.names if name not in schema.names]:
        return f"a column {added[0]!r}, which is not in batch 1"
    if other.names != schema.names:
        return f"the columns {', '.join(other.names)}, before {', '.join(schema.names)}"
    a, b = next((a, b) for a, b in zip(other, schema, strict=True) if a.type != b.type)
    # Arrow writes float for 32 bits
    here, before = (str(one.type).replace("halffloat", "float16") for one in (a, b))
    here, before = ({"float": "float32", "double": "float64"}.get(kind, kind) for kind in (here, before))
    return f"{a.name!r} of type {here}, before {before}: convert all batches to one type"


def _spilled(batches: Iterator[Any]) -> Kept:
    """Write batches to a temporary file."""
    ipc = _checks.extra("pyarrow.ipc", "files", _PURPOSE)
    folder = new_folder()
    with ExitStack() as undo:
        undo.callback(folder.remove)
        path = folder.path / "the batches given"  # as errors name it
        first = next(batches)
        with _kept_there():
            out = path.open("wb")
            undo.callback(_end, out)
            writer = ipc.new_file(out, first.schema)
        for batch in chain([first], batches):  # what goes wrong in reading them is not of the disk
            with _kept_there():
                writer.write_batch(batch)
        with _kept_there():
            writer.close()
            out.close()
        undo.pop_all()
    kept = Kept(None, path)
    weakref.finalize(kept, folder.remove)
    return kept


def _end(out: BinaryIO) -> None:
    with suppress(OSError):  # what could not be written, which was said
        out.close()


def _reason(error: Exception) -> str:
    """Return what Arrow says, without the lines of Python that it adds."""
    return str(error).strip().partition("\n")[0].partition(". Detail: ")[0].removeprefix("Invalid: ")
