"""Data that arrive as Arrow batches: kept in memory while they are small, else in a file that can be read again."""

from __future__ import annotations

import inspect
import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve._folders import named_place, new_folder, told_of_place
from hitcurve.errors import EmptyInputError, InputError, UnreadableFileError
from hitcurve.sources.files.batches import numpy_name
from hitcurve.sources.files.lazy import LOOKED_AT, Distinct, Query, query_of
from hitcurve.sources.files.source import FileSource
from hitcurve.sources.frames import backend_of, check_columns, native_frame, opening
from hitcurve.sources.no_data import is_no_data, no_data

_MOST_BYTES = 1 << 28  # what takes more is written to a file
_PURPOSE = "reading a stream of data"
BATCHES, ANSWER = "the batches given", "the answer"  # what was kept, as errors name it
_kept_there = partial(told_of_place, "the data are read more than once, and their batches cannot be kept")
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
        size = rows.size(self.paths[0].stat().st_size)
        kept = f"the data are read more than once: their batches were kept in a temporary file of {size}"
        return (f"{kept} in {named_place()}", *super().notes)


def is_stream(data: Any) -> bool:
    """Say whether data arrive as Arrow batches, instead of as a frame that is there as a whole."""
    if isinstance(data, (str, bytes, dict)) or is_no_data(data):
        return False
    if hasattr(data, "read_next_batch") or _is_scanned(data):
        return True
    if hasattr(data, "__arrow_c_stream__"):
        return native_frame(data) is None
    if isinstance(data, (list, tuple)):
        return bool(data) and all(map(_is_part, data))
    # of other iterables only those without the columns of a frame
    return isinstance(data, Iterable) and not hasattr(data, "columns") and not hasattr(data, "__array__")


def begun(data: Any) -> Any:
    """Begin what is iterated over once: return its files as a list in alphabetical order, or all it yields.

    Raises
    ------
    InputError
        If it was begun before, or holds no files and no batches.
    """
    if isinstance(data, (set, frozenset)):
        return sorted(data, key=os.fspath) if data and all(map(_is_file, data)) else data
    if not _is_read_once(data) or hasattr(data, "read_next_batch") or is_no_data(data):
        return data
    _begin(data)
    first = next(data, None)
    if first is None:
        raise InputError("the data are an iterable without a batch, or one whose batches have been read already")
    if not _is_file(first):
        return chain([first], data)
    paths = [first, *data]
    if not all(map(_is_file, paths)):
        raise no_data(data, next(path for path in paths if not _is_file(path)))
    return sorted(paths, key=os.fspath)


def _is_file(one: Any) -> bool:
    return isinstance(one, (str, os.PathLike))


def _is_scanned(data: Any) -> bool:
    """Say whether data are a dataset of pyarrow, a fragment or a scanner of one, which can be read again."""
    return type(data).__module__.startswith("pyarrow._dataset") and (
        hasattr(data, "scanner") or hasattr(data, "to_reader")
    )


def _is_part(one: Any) -> bool:
    """Say whether this is a batch, a table or a frame: a part of the rows of an iterable."""
    return (hasattr(one, "__arrow_c_array__") or hasattr(one, "__arrow_c_stream__")) and not is_no_data(one)


def keep(data: Any, names: Sequence[str], *, made: bool = False, on_disk: bool = False, called: str = BATCHES) -> Kept:
    """Read some columns of a stream or of a query that has not run, once.

    Parameters
    ----------
    made : bool
        Whether a stream was made to be read here.
    on_disk : bool
        Whether rows go to a file even if they are few: what reads a file can obey a limit of the memory.
    called : str
        What errors call the file.

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
    schema, batches = _opened(arrow, data if running is None else running, names)
    check_columns(names, schema.names)
    for name in names:
        if schema.names.count(name) > 1:
            raise InputError(f"the data have {schema.names.count(name)} columns named {name!r}: rename all but one")
    kept: list[Any] = []
    size, most = 0, 0 if on_disk else _MOST_BYTES
    try:
        for batch in batches:
            kept.append(batch.select(names))
            size += _bytes_of(kept[-1], arrow)
            if query is not None and running is not None and size > LOOKED_AT:
                if query.repeats(kept):
                    running.close()  # some connections run one query at a time
                    return _counted_or_kept(query, names, on_disk=on_disk)
                query = None
            if size > most and query is None:
                return _spilled(chain(kept, (one.select(names) for one in batches)), called)
    except UnreadableFileError:
        raise
    except (OSError, arrow.ArrowException) as error:
        if isinstance(error, OSError) and (made or error.errno is not None):  # of what makes the batches
            raise
        raise InputError(f"the data break off: {_reason(error)}") from None
    if once and not any(batch.num_rows for batch in kept):
        raise EmptyInputError("the data are a stream without rows: one that was read before has none left")
    if size > most:
        return _spilled(iter(kept), called)
    picked = arrow.schema([schema.field(name) for name in names])
    return Kept(arrow.Table.from_batches(kept, picked))


def _bytes_of(batch: Any, arrow: Any) -> int:
    try:
        return int(batch.nbytes)
    except arrow.ArrowTypeError:  # earlier pyarrow, of text as Polars has it
        return int(batch.get_total_buffer_size())


def _is_read_once(data: Any) -> bool:
    return hasattr(data, "read_next_batch") or (isinstance(data, Iterator) and not hasattr(data, "__arrow_c_stream__"))


def _begin(data: Any) -> bool:
    """Say whether data can be read once, and refuse them if they were read before: what is left is not all of them.

    Raises
    ------
    InputError
    """
    if not _is_read_once(data):
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


def _opened(arrow: Any, data: Any, names: Sequence[str]) -> tuple[Any, Iterator[Any]]:
    """Return the schema and the batches of a stream."""
    if _is_scanned(data):
        if hasattr(data, "scanner"):
            there = data.schema if hasattr(data, "schema") else data.physical_schema
            check_columns(names, there.names)
            data = data.scanner(columns=list(names))
        data = data.to_reader()
    if hasattr(data, "__arrow_c_stream__"):
        with opening(data):
            data = arrow.RecordBatchReader.from_stream(data)
    if hasattr(data, "read_next_batch"):
        return data.schema, iter(data)
    batches = chain.from_iterable(map(_parts(arrow, data), data))
    first = next(batches, None)
    if first is None:
        raise InputError("the data are an iterable without a batch, or one whose batches have been read already")
    return first.schema, chain([first], _of_one_schema(batches, first.schema))


def _parts(arrow: Any, data: Any) -> Callable[[Any], Iterable[Any]]:
    """Return a function that makes batches of each thing an iterable holds: a batch, a table or a frame."""

    def read(one: Any) -> Iterable[Any]:
        if not _is_part(one):
            raise no_data(data, one)
        if isinstance(one, arrow.RecordBatch):
            return (one,)
        if not hasattr(one, "__arrow_c_stream__"):
            return (arrow.record_batch(one),)
        table = _of_pandas(arrow, one) if backend_of(one) == "pandas" else arrow.table(one)
        return table.to_batches() or (arrow.RecordBatch.from_pylist([], table.schema),)

    return read


def _of_pandas(arrow: Any, frame: Any) -> Any:
    """Return a frame as a table, without the index, which is of some parts only a column."""
    return arrow.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)


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
    here, before = (numpy_name(str(one.type).replace("halffloat", "float16")) for one in (a, b))
    return f"{a.name!r} of type {here}, before {before}: convert all batches to one type"


def _spilled(batches: Iterator[Any], called: str) -> Kept:
    """Write batches to a temporary file."""
    ipc = _checks.extra("pyarrow.ipc", "files", _PURPOSE)
    folder = new_folder()
    with ExitStack() as undo:
        undo.callback(folder.remove)
        path = folder.path / called
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
