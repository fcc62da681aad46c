"""Parquet files whose columns need no SQL: every thread decodes row groups of its own.

DuckDB hands its rows to one thread, in their order, which costs more than decoding them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias, TypeVar

import numpy as np

from hitcurve import _checks
from hitcurve._progress import ROWS, tell
from hitcurve._threads import give_back_memory, in_threads, processors, threads_within
from hitcurve.sources.block import Block
from hitcurve.sources.files.batches import column_of, numbers, together
from hitcurve.sources.files.blocks import BlockMaker

S = TypeVar("S")
T = TypeVar("T")
_ROWS = 1 << 20  # rows that a thread reads at a time
_BLOCK = 1 << 17  # rows of these that it decodes at a time
_PIECE, _PIECES = 1 << 23, 4  # rows that a thread counts together; pieces for each thread, of fewer rows then
_LARGEST = 1 << 26  # bytes of the columns of a row group that a thread decodes
_COPIES = 16  # of what a thread holds of its rows, until they are counted
_FEWEST = 1 << 14  # rows that are decoded at a time
_STREAMED = {"pre_buffer": False, "buffer_size": 1 << 18}  # else all row groups that are asked for are held at once
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
Piece: TypeAlias = Callable[[], Iterable[Numbered]]
"""What decodes batches, one after another, in any thread."""


class _UndecodedError(Exception):
    """A file cannot be decoded."""


def folded(
    pieces: Iterable[Piece],
    maker: BlockMaker,
    map: Callable[[Block], T],
    combine: Callable[[T, T], T],
    threads: int | None = None,
) -> tuple[T] | tuple[()]:
    """Return what ``map`` makes of the blocks of all pieces, combined in their order; nothing where there is none.

    The blocks of a piece are given to the method ``together`` of a ``map`` that has one.
    """
    together: Callable[[Iterable[Block]], T] | None = getattr(map, "together", None)

    def of_piece(piece: Piece) -> tuple[T] | tuple[()]:
        blocks = (maker(*one) for one in piece())
        for first in blocks:
            if together is not None:
                return (together(chain((first,), blocks)),)
            return (reduce(combine, (map(block) for block in blocks), map(first)),)
        return ()

    parts = chain.from_iterable(in_threads(of_piece, pieces, threads))
    for first in parts:
        return (reduce(combine, parts, first),)
    return ()


class _Groups(NamedTuple):
    """Neighbouring row groups of a file, which are read at a time.

    Attributes
    ----------
    path : Path
    metadata : pyarrow.parquet.FileMetaData
    groups : tuple of int
    first_row, rows : int
        How many rows of all files are before them, and their own.
    """

    path: Path
    metadata: Any
    groups: tuple[int, ...]
    first_row: int
    rows: int


@dataclass(frozen=True)
class RowGroups:
    """Columns of Parquet files, one after another.

    Attributes
    ----------
    columns : tuple of str
        Labels first.
    pieces : tuple of tuples of _Groups
        None where something else has to read the files.
    rows : int
        Rows of all files.
    widths : tuple of int
        Bytes of a value of each column.
    at_once, labelled : int
        Rows that a thread decodes at a time, and subjects of one label that it holds.
    threads : int or None
        At most so many; None for as many as there are processors.
    """

    columns: tuple[str, ...] = ()
    pieces: tuple[tuple[_Groups, ...], ...] = ()
    rows: int = 0
    widths: tuple[int, ...] = ()
    at_once: int = _BLOCK
    labelled: int = _ROWS
    threads: int | None = None

    @classmethod
    def of(
        cls, paths: Sequence[Path], columns: Sequence[str], types: Mapping[str, str], memory: int | None = None
    ) -> Self:
        """Return columns of files, which have SQL types, the first one any.

        Nothing is also what comes of a row group that is too large for a thread. Pages are decoded as they are needed,
        so the ``memory`` bounds what is held of them.
        """
        arrow = _checks.extra("pyarrow", "files", "reading a file")
        parquet = _checks.extra("pyarrow.parquet", "files", "reading a file")
        found: list[_Groups] = []
        rows, widths = 0, (0,) * len(columns)
        for path in paths:
            try:
                with parquet.ParquetFile(path) as file:
                    schema, metadata = file.schema_arrow, file.metadata
            except (OSError, arrow.ArrowException):
                return cls()
            kinds = [schema.field(name).type for name in columns]
            own = [_SQL.get(str(kind)) for kind in kinds]
            if None in own or own[1:] != [types[name] for name in columns[1:]]:
                return cls()
            widths = tuple(max(most, -(-kind.bit_width // 8)) for most, kind in zip(widths, kinds, strict=True))
            width = sum(widths)
            sizes = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
            if max(sizes, default=0) * width > _LARGEST:
                return cls()
            for groups in _together(range(len(sizes)), sizes.__getitem__, min(_ROWS, _LARGEST // width)):
                size = sum(sizes[group] for group in groups)
                found.append(_Groups(path, metadata, groups, rows, size))
                rows += size
        share = min(_PIECE, -(-rows // (_PIECES * processors())))
        pieces, threads = tuple(_together(found, attrgetter("rows"), share)), None
        at_once, held = _BLOCK, _ROWS
        if memory is not None:
            threads = threads_within(memory)
            # what is made of a number takes 8 bytes, however short it is
            held = max(memory // (_COPIES * threads * sum(max(width, 8) for width in widths)), _FEWEST)
            at_once, held = min(at_once, held), min(_ROWS, held)
        return cls(tuple(columns), pieces, rows, widths, at_once, held, threads)

    def bytes_of_blocks(self, rankers: int) -> int:
        """Return how much memory the classes and scores of all rows take."""
        return self.rows * sum((1, *self.widths[1 : 1 + rankers]))

    def folded(
        self, maker: BlockMaker, map: Callable[[Block], T], combine: Callable[[T, T], T], label: float | None = None
    ) -> tuple[T] | tuple[()]:
        """Do what :func:`folded` does, with the subjects of one label alone if one is given.

        Nothing is also what comes of files that cannot be decoded: DuckDB says why.
        """
        try:
            return folded(self._read(label), maker, map, combine, self.threads)
        except _UndecodedError:
            return ()
        finally:
            give_back_memory()

    def _read(self, label: float | None) -> Iterator[Piece]:
        for piece in self.pieces:
            tell(ROWS, piece[0].first_row, self.rows)
            yield partial(self._decoded, piece) if label is None else partial(self._labelled, piece, label)

    def _decoded(self, piece: Sequence[_Groups]) -> Iterator[Numbered]:
        arrow = _checks.extra("pyarrow", "files", "reading a file")
        parquet = _checks.extra("pyarrow.parquet", "files", "reading a file")
        how = {"batch_size": self.at_once, "columns": list(self.columns), "use_threads": False}
        first_row = piece[0].first_row
        for path, metadata, groups, *_ in piece:
            try:
                with parquet.ParquetFile(path, metadata=metadata, **_STREAMED) as file:
                    for batch in file.iter_batches(row_groups=groups, **how):
                        if batch.num_rows:
                            yield batch.select(self.columns), first_row
                        first_row += batch.num_rows
            except (OSError, arrow.ArrowException, KeyError) as error:
                raise _UndecodedError from error

    def _labelled(self, piece: Sequence[_Groups], label: float) -> Iterator[Numbered]:
        """Decode the subjects of a label, whose rows are counted among themselves."""
        found = together((_of_label(batch, label) for batch, _ in self._decoded(piece)), self.labelled)
        return ((batch, 0) for batch in found if batch.num_rows)


def _of_label(batch: Any, label: float) -> Any:
    arrow = _checks.extra("pyarrow", "files", "reading a file")
    found = numbers(batch.column(0))
    # whole numbers as such are compared in less time; shorter floats are not what the label is rounded to
    own = int(label) if label.is_integer() and found.dtype.kind in "iu" else np.float64(label)
    chosen = np.ma.filled(found == own, False)
    columns = [column_of(numbers(column)[chosen], column.type) for column in batch.columns]
    return arrow.RecordBatch.from_arrays(columns, names=batch.schema.names)


def _together(parts: Iterable[S], size: Callable[[S], int], most: int) -> Iterator[tuple[S, ...]]:
    """Put neighbours together, of so many rows."""
    together: list[S] = []
    rows = 0
    for part in parts:
        if together and rows + size(part) > most:
            yield tuple(together)
            together, rows = [], 0
        together.append(part)
        rows += size(part)
    if together:
        yield tuple(together)
