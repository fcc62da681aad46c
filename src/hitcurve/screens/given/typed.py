"""Markers in Parquet and Arrow files, read by blocks of columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray
from hitcurve.errors import InputError, UnreadableFileError
from hitcurve.screens.columns import SLAB, Block, DenseBlock, Places, width_of
from hitcurve.screens.wide import ONE_AS_FLOATS, side_by_side, with_gaps
from hitcurve.sources.files.content import Content
from hitcurve.sources.files.datafile import DataFile
from hitcurve.sources.files.formats.arrow import Arrow

_NUMERIC = re.compile(r"u?int\d+|float|halffloat|double|bool|decimal\d*\(.*\)|null")


class Columnar(Protocol):
    """A file whose columns can be read one without the other."""

    @property
    def rows(self) -> int: ...  # noqa: D102
    def types(self) -> list[Any]: ...  # noqa: D102
    def read(self, names: Sequence[str]) -> Any: ...  # noqa: D102


@dataclass(frozen=True, eq=False)
class ParquetTable:
    """A Parquet file."""

    content: Content

    @cached_property
    def _file(self) -> Any:
        parquet = _checks.extra("pyarrow.parquet", "files", "reading a file")
        return parquet.ParquetFile(self.content.path, page_checksum_verification=True)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self._file.metadata.num_rows)

    def types(self) -> list[Any]:
        """Return the type of each column."""
        return list(self._file.schema_arrow.types)

    def read(self, names: Sequence[str]) -> Any:
        """Return some columns."""
        return checked(self.content, lambda: self._file.read(columns=list(names), use_threads=False))


@dataclass(frozen=True, eq=False)
class ArrowTable:
    """An Arrow file or stream."""

    file: Arrow

    @cached_property
    def _rows(self) -> int:
        return int(self.read(self.file.names[:1]).num_rows)

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self._rows

    def types(self) -> list[Any]:
        """Return the type of each column."""
        return list(self.file.schema(range(len(self.file.names)), self.file.names).types)

    def read(self, names: Sequence[str]) -> Any:
        """Return some columns."""
        arrow = _checks.extra("pyarrow", "files", "reading a file")
        place = {name: i for i, name in enumerate(self.file.names)}
        # readers hand the columns out in the order of the file
        ordered = sorted(names, key=place.__getitem__)
        schema = self.file.schema([place[name] for name in ordered], ordered)
        return arrow.Table.from_batches(self.file.batches([place[name] for name in ordered], schema), schema)


@dataclass(frozen=True, eq=False)
class TypedColumns:
    """Columns of a file, which are read when they are asked for: memory is that of some blocks.

    Attributes
    ----------
    table : Columnar
    content : Content
    names : sequence of str
    unreadable : mapping of str to str
    absent : tuple of float
        Numbers that stand for missing values.
    """

    table: Columnar
    content: Content
    names: Sequence[str]
    unreadable: Mapping[str, str]
    absent: tuple[float, ...] = field(default=())

    @property
    def rows(self) -> int:
        """Number of subjects."""
        return self.table.rows

    def blocks(self, numbers: int) -> Iterator[Block]:
        """Yield the columns, read by slabs of several blocks."""
        width = width_of(numbers, self.rows)
        slab = max(SLAB // max(self.rows, 1) // width, 1) * width
        for start in range(0, len(self.names), slab):
            values = self._read(np.arange(start, min(start + slab, len(self.names))))
            for first in range(0, len(values), width):
                part = values[first : first + width]
                yield DenseBlock(np.arange(start + first, start + first + len(part)), part)

    def taken(self, places: Places) -> Block:
        """Return a few columns."""
        return DenseBlock(places, self._read(places))

    def _read(self, places: Places) -> AnyArray:
        names = [self.names[place] for place in places.tolist()]
        table = checked(self.content, lambda: self.table.read(names))
        found = side_by_side([as_numbers(name, table.column(name)) for name in names])
        if self.absent:
            gone = np.isin(found, self.absent)
            found = with_gaps(found[~gone], gone) if gone.any() else found
        self.content.check_unchanged()
        return found


def checked(content: Content, use: Any) -> Any:
    """Return what is read of a file.

    Raises
    ------
    UnreadableFileError
        If it is damaged.
    """
    arrow = _checks.extra("pyarrow", "files", "reading a file")
    try:
        return use()
    except (OSError, arrow.ArrowException):
        raise UnreadableFileError(f"{content.path.name} cannot be read as a table: it is cut off or damaged") from None


def as_numbers(name: str, column: Any) -> AnyArray:
    """Return a column of Arrow as numbers, whose missing values are nan.

    Raises
    ------
    InputError
        If it has decimals that differ and are one as floats.
    """
    arrow = _checks.extra("pyarrow", "files", "reading a file")
    kind = str(column.type)
    if kind.startswith("decimal"):
        floats = column.cast(arrow.float64())
        if len(floats.unique()) < len(column.unique()):
            raise InputError(f"marker {name!r} cannot be used: {ONE_AS_FLOATS}; store ranks, or leave it out (--omit)")
        column = floats
    elif kind in ("null", "bool"):
        column = column.cast(arrow.float64())
    elif kind == "halffloat":
        column = column.cast(arrow.float32())
    elif column.null_count and "int" in kind:
        return with_gaps(np.asarray(column.drop_null().to_numpy()), np.asarray(column.is_null().to_numpy()))
    return np.asarray(column.to_numpy())


def unreadable(file: DataFile, table: Columnar, markers: Sequence[str]) -> dict[str, str]:
    """Return which columns hold no numbers, with their types in the file."""
    types = dict(zip(file.names, map(str, checked(file.asked.content, table.types)), strict=True))
    return {name: types[name] for name in markers if not _NUMERIC.fullmatch(types[name])}


def as_words(column: Any) -> list[str | None]:
    """Return a column of Arrow as it would be written in a text file."""
    arrow = _checks.extra("pyarrow", "files", "reading a file")
    if arrow.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return [None if value is None else str(value).strip() for value in column.to_pylist()]
