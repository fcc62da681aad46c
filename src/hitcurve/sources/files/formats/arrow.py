"""Arrow IPC, as a file or a stream; Feather is another name of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.errors import EmptyInputError
from hitcurve.sources.files import duck
from hitcurve.sources.files.formats.format import Asked, Format, no_table

_FILE = b"ARROW1"
_MESSAGE = b"\xff\xff\xff\xff"  # before each message of a stream
_END = _MESSAGE + bytes(4)
_VIEWS = count()  # names of relations


@dataclass(frozen=True, eq=False)
class Arrow(Format):
    """An Arrow file or stream, which pyarrow hands to DuckDB one record batch after another."""

    asked: Asked

    called = "Arrow"
    endings = (".arrow", ".arrows", ".feather", ".ipc")
    packs_itself = True
    typed = True

    @classmethod
    def begins(cls, start: bytes, *, promised: bool) -> bool:
        """Return whether content begins as Arrow does."""
        return start.startswith((_FILE, _MESSAGE))

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns."""
        arrow = _checks.extra("pyarrow", "files", "reading a file")
        content = self.asked.content
        try:
            with self._opened() as (schema, _):
                names = list(schema.names)
        except (OSError, arrow.ArrowException):
            raise no_table(content, self.called) from None
        if self._is_stream and not self._ends:
            raise no_table(content, self.called, "the mark at the end of a stream is missing")
        if not names:
            raise EmptyInputError(f"{content.path.name} has no columns")
        return names

    def relation(self, places: Sequence[str]) -> str:
        """Return the SQL that reads the columns that are wanted or may be named; the others are NULL."""
        wanted = [
            place for place, name in enumerate(self.names) if name in self.asked.wanted or self.asked.may_name(name)
        ]
        view = f"arrow_{next(_VIEWS)}"
        duck.hold(self.asked.db)
        self.asked.db.register(view, _Readable(self, wanted, [places[place] for place in wanted]))
        columns = (column if place in wanted else f"NULL AS {column}" for place, column in enumerate(places))
        return f"(SELECT {', '.join(columns)} FROM {view})"

    def complaint(self, reason: str) -> str | None:
        """Return what went wrong in a record batch."""
        path = self.asked.content.path
        found = re.search(rf"{re.escape(str(path))}: ([^\n]*)", reason)
        if found is None:
            return None
        return f"{path.name} cannot be read as a table: it is cut off or damaged"

    @property
    def _is_stream(self) -> bool:
        return not self.asked.content.start.startswith(_FILE)

    @property
    def _ends(self) -> bool:
        """Whether a stream has its end: readers take one that is cut between two batches for whole."""
        with self.asked.content.path.open("rb") as file:
            file.seek(-len(_END), 2)
            return file.read() == _END

    @contextmanager
    def _opened(self, columns: Sequence[int] = ()) -> Iterator[tuple[Any, Iterator[Any]]]:
        """Open some columns: their schema, and the record batches, which are read one after another."""
        arrow = _checks.extra("pyarrow", "files", "reading a file")
        ipc = _checks.extra("pyarrow.ipc", "files", "reading a file")
        options = ipc.IpcReadOptions(included_fields=list(columns))
        # not mapped into memory, where a file that shrinks would end the process
        with arrow.OSFile(str(self.asked.content.path)) as file:
            if self._is_stream:
                reader = ipc.open_stream(file, options=options)
                yield reader.schema, iter(reader)
            else:
                reader = ipc.open_file(file, options=options)
                yield reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))

    def batches(self, columns: Sequence[int], schema: Any) -> Iterator[Any]:
        """Read the record batches in types that DuckDB knows.

        Raises
        ------
        OSError
            With the path, if one is damaged.
        """
        arrow = _checks.extra("pyarrow", "files", "reading a file")
        try:
            with self._opened(columns) as (_, found):
                for batch in found:
                    batch.validate(full=True)  # DuckDB would follow offsets out of a damaged column
                    typed = zip(batch.columns, schema.types, strict=True)
                    arrays = [array if array.type == kind else array.cast(kind) for array, kind in typed]
                    yield arrow.RecordBatch.from_arrays(arrays, schema=schema)
        except (OSError, arrow.ArrowException) as error:
            raise OSError(f"{self.asked.content.path}: {str(error).splitlines()[0]}") from None

    def schema(self, columns: Sequence[int], places: Sequence[str]) -> Any:
        """Return the schema of some columns in types that DuckDB knows, named by place."""
        arrow = _checks.extra("pyarrow", "files", "reading a file")
        with self._opened(columns) as (found, _):
            return arrow.schema([(place, _known(kind)) for place, kind in zip(places, found.types, strict=True)])


@dataclass(frozen=True, eq=False)
class _Readable:
    """Some columns of a file, which DuckDB reads as a stream from the beginning in each query."""

    file: Arrow
    columns: Sequence[int]
    places: Sequence[str]

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        arrow = _checks.extra("pyarrow", "files", "reading a file")
        schema = self.file.schema(self.columns, self.places)
        reader = arrow.RecordBatchReader.from_batches(schema, self.file.batches(self.columns, schema))
        return reader.__arrow_c_stream__(requested_schema)


def _known(kind: Any) -> Any:
    """Return a type, or one that DuckDB knows and that holds its values: decimals beyond 38 digits become floats."""
    arrow = _checks.extra("pyarrow", "files", "reading a file")
    if arrow.types.is_float16(kind):
        return arrow.float32()
    return arrow.float64() if arrow.types.is_decimal256(kind) else kind
