"""Parquet files whose columns need no SQL: every thread decodes row groups of its own.

DuckDB hands its rows to one thread, in their order, which costs more than decoding them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

from hitcurve import _checks
from hitcurve._progress import ROWS, tell
from hitcurve._threads import in_threads, processors
from hitcurve.sources.block import Block
from hitcurve.sources.files.blocks import BlockMaker

T = TypeVar("T")
_ROWS = 1 << 20  # rows decoded at a time by a thread
_LARGEST = 1 << 26  # bytes of the columns that are decoded at a time by a thread
_COPIES = 4  # of these, until they are counted
_SQL = {
    "bool": "BOOLEAN",
    "int8": "TINYINT",
    "int16": "SMALLINT",
    "int32": "INTEGER",
    "int64": "BIGINT",
    "uint8": "UTINYINT",
    "uint16": "USMALLINT",
    "uint32": "UINTEGER",
    "uint64": "UBIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
}
Numbered: TypeAlias = tuple[Any, int]
"""A batch of Arrow, and how many rows are before it."""
Piece: TypeAlias = Callable[[], list[Numbered]]
"""What decodes batches, in any thread."""


class _UndecodedError(Exception):
    """A file cannot be decoded."""


def folded(
    pieces: Iterable[Piece], maker: BlockMaker, map: Callable[[Block], T], combine: Callable[[T, T], T]
) -> tuple[T] | tuple[()]:
    """Return what ``map`` makes of the blocks of all pieces, combined in their order; nothing where there is none."""

    def of_piece(piece: Piece) -> list[T]:
        return [map(maker(*one)) for one in piece()]

    parts = chain.from_iterable(in_threads(of_piece, pieces))
    for first in parts:
        return (reduce(combine, parts, first),)
    return ()


class _Groups(NamedTuple):
    """Neighbouring row groups of a file.

    Attributes
    ----------
    path : Path
    metadata : pyarrow.parquet.FileMetaData
    groups : tuple of int
    first_row : int
        How many rows of all files are before them.
    """

    path: Path
    metadata: Any
    groups: tuple[int, ...]
    first_row: int


@dataclass(frozen=True)
class RowGroups:
    """Columns of Parquet files, one after another.

    Attributes
    ----------
    columns : tuple of str
        Labels first.
    pieces : tuple of _Groups
        None where something else has to read the files.
    rows, width : int
        Rows of all files, and bytes of one.
    """

    columns: tuple[str, ...] = ()
    pieces: tuple[_Groups, ...] = ()
    rows: int = 0
    width: int = 0

    @classmethod
    def of(
        cls, paths: Sequence[Path], columns: Sequence[str], types: Mapping[str, str], memory: int | None = None
    ) -> Self:
        """Return columns of files, which have SQL types, the first one any.

        Nothing is also what comes of a row group that is too large, for a thread or for its share of the ``memory``.
        """
        arrow = _checks.extra("pyarrow", "files", "reading a file")
        parquet = _checks.extra("pyarrow.parquet", "files", "reading a file")
        pieces: list[_Groups] = []
        rows = width = 0
        most = _LARGEST if memory is None else min(_LARGEST, memory // (_COPIES * processors()))
        for path in paths:
            try:
                with parquet.ParquetFile(path) as file:
                    schema, metadata = file.schema_arrow, file.metadata
            except (OSError, arrow.ArrowException):
                return cls()
            kinds = [schema.field(name).type for name in columns]
            found = [_SQL.get(str(kind)) for kind in kinds]
            if None in found or found[1:] != [types[name] for name in columns[1:]]:
                return cls()
            width = max(width, sum(-(-kind.bit_width // 8) for kind in kinds))
            sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
            if max(sizes, default=0) * width > most:
                return cls()
            for groups, size in _together(sizes, min(_ROWS, most // width)):
                pieces.append(_Groups(path, metadata, groups, rows))
                rows += size
        return cls(tuple(columns), tuple(pieces), rows, width)

    def folded(
        self, maker: BlockMaker, map: Callable[[Block], T], combine: Callable[[T, T], T], label: float | None = None
    ) -> tuple[T] | tuple[()]:
        """Do what :func:`folded` does, with the subjects of one label alone if one is given.

        Nothing is also what comes of files that cannot be decoded: DuckDB says why.
        """
        try:
            return folded(self._read(label), maker, map, combine)
        except _UndecodedError:
            return ()

    def _read(self, label: float | None) -> Iterator[Piece]:
        for piece in self.pieces:
            tell(ROWS, piece.first_row, self.rows)
            yield partial(self._decoded, piece, label)

    def _decoded(self, piece: _Groups, label: float | None) -> list[Numbered]:
        arrow = _checks.extra("pyarrow", "files", "reading a file")
        parquet = _checks.extra("pyarrow.parquet", "files", "reading a file")
        names = list(self.columns)
        try:
            with parquet.ParquetFile(piece.path, metadata=piece.metadata) as file:
                table = file.read_row_groups(list(piece.groups), columns=names, use_threads=False).select(names)
            if label is not None:
                table = _labelled(table, label)
        except (OSError, arrow.ArrowException, KeyError) as error:
            raise _UndecodedError from error
        first_row, found = piece.first_row, []
        for batch in table.combine_chunks().to_batches(max_chunksize=_ROWS):
            if batch.num_rows:
                found.append((batch, first_row))
            first_row += batch.num_rows
        return found


def _labelled(table: Any, label: float) -> Any:
    compute = _checks.extra("pyarrow.compute", "files", "reading a file")
    found = table.column(0)
    return table.filter(compute.equal(found.cast("int8") if str(found.type) == "bool" else found, label))


def _together(sizes: Sequence[int], most: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Put neighbouring row groups together, of so many rows, and say how many they have."""
    together: list[int] = []
    rows = 0
    for group, size in enumerate(sizes):
        if together and rows + size > most:
            yield tuple(together), rows
            together, rows = [], 0
        together.append(group)
        rows += size
    if together:
        yield tuple(together), rows
