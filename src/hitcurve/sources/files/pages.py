"""Checksums of the pages of a Parquet file, which DuckDB passes over.

pyarrow compares them only while it decodes every page, and does not say whether a file has any.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple

from hitcurve import _checks
from hitcurve._threads import in_threads
from hitcurve.errors import UnreadableFileError

_HEADER = 1 << 12  # bytes that are read of the header of a page at first, and at most
_LONGEST = 1 << 24
_STEP = 1 << 20  # bytes of a page that are read at a time
_DEPTH = 16  # of what is nested in a header
# of Thrift's compact protocol
_BYTE, _WHOLE, _DOUBLE, _TEXT, _LISTS, _STRUCT = 3, (4, 5, 6), 7, 8, (9, 10), 12
_COMPRESSED, _CRC = 3, 4  # fields of the header of a page


class _Chunk(NamedTuple):
    """The pages of a column in one row group."""

    column: str
    start: int
    size: int


class _NoHeaderError(ValueError):
    """Bytes are no header of a page."""


def check_pages(path: Path, columns: Collection[str]) -> None:
    """Compare the pages of some columns with their checksums, where the first page of a column chunk has one.

    Raises
    ------
    UnreadableFileError
        If a page differs.
    """
    arrow = _checks.extra("pyarrow", "files", "reading a file")
    parquet = _checks.extra("pyarrow.parquet", "files", "reading a file")
    try:
        chunks = list(_chunks(parquet.read_metadata(path), columns))
        with path.open("rb") as file:
            chunks = [chunk for chunk in chunks if _has_checksums(file, chunk)]
        for damaged in in_threads(lambda chunk: None if _is_whole(path, chunk) else chunk.column, chunks):
            if damaged is not None:
                raise UnreadableFileError(
                    f"{path.name} is damaged: a page of {damaged!r} is not what its checksum says; write the file again"
                )
    except UnreadableFileError:
        raise
    except (OSError, arrow.ArrowException):  # DuckDB says what is wrong
        return


def _chunks(metadata: Any, columns: Collection[str]) -> Iterator[_Chunk]:
    paths = [metadata.schema.column(place).path for place in range(metadata.num_columns)]
    owners = [next((name for name in columns if f"{path}.".startswith(f"{name}.")), None) for path in paths]
    for group in range(metadata.num_row_groups):
        for place, owner in enumerate(owners):
            if owner is not None:
                found = metadata.row_group(group).column(place)
                starts = [found.data_page_offset]
                if found.has_dictionary_page and found.dictionary_page_offset:
                    starts.append(found.dictionary_page_offset)
                yield _Chunk(owner, min(starts), found.total_compressed_size)


def _has_checksums(file: IO[bytes], chunk: _Chunk) -> bool:
    try:
        return chunk.size > 0 and _header(file, chunk.start)[2] is not None
    except _NoHeaderError:
        return False


def _is_whole(path: Path, chunk: _Chunk) -> bool:
    at, end = chunk.start, chunk.start + chunk.size
    try:
        with path.open("rb") as file:
            while at < end:
                length, size, checksum = _header(file, at)
                at += length + size
                found = 0
                file.seek(at - size)
                for left in range(size, 0, -_STEP):
                    found = zlib.crc32(file.read(min(left, _STEP)), found)
                if checksum is not None and found != checksum:
                    return False
    except _NoHeaderError:
        return False
    return True


def _header(file: IO[bytes], at: int) -> tuple[int, int, int | None]:
    """Return the length of the header of a page, how many bytes follow it, and their checksum, if it has one."""
    longest = _HEADER
    while True:
        file.seek(at)
        read = file.read(longest)
        header = _Header(read)
        try:
            found = header.numbers()
        except IndexError:
            if len(read) < longest or longest >= _LONGEST:
                raise _NoHeaderError from None
            longest *= 16
            continue
        size, checksum = found.get(_COMPRESSED, -1), found.get(_CRC)
        if size < 0:
            raise _NoHeaderError
        return header.at, size, None if checksum is None else checksum & 0xFFFFFFFF


class _Header:
    """The fields of a header in Thrift's compact protocol, one after another."""

    def __init__(self, read: bytes) -> None:
        self.read, self.at = read, 0

    def numbers(self, depth: int = 0) -> dict[int, int]:
        """Return the whole numbers of a struct, by the number of their field."""
        if depth > _DEPTH:
            raise _NoHeaderError
        found: dict[int, int] = {}
        field = 0
        while head := self._byte():
            kind = head & 15
            field = field + (head >> 4) if head >> 4 else self._signed()
            if kind in _WHOLE:
                found[field] = self._signed()
            elif kind not in (1, 2):  # true and false are all that there is of them
                self._pass(kind, depth)
        return found

    def _pass(self, kind: int, depth: int) -> None:
        if kind in (1, 2, _BYTE):
            self.at += 1
        elif kind in _WHOLE:
            self._unsigned()
        elif kind == _DOUBLE:
            self.at += 8
        elif kind == _TEXT:
            size = self._unsigned()
            self.at += size
        elif kind in _LISTS:
            head = self._byte()
            for _ in range(head >> 4 if head >> 4 < 15 else self._unsigned()):
                self._pass(head & 15, depth + 1)
        elif kind == _STRUCT:
            self.numbers(depth + 1)
        else:
            raise _NoHeaderError

    def _byte(self) -> int:
        self.at += 1
        return self.read[self.at - 1]

    def _unsigned(self) -> int:
        found = shift = 0
        while True:
            byte = self._byte()
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found
            if shift > 63:
                raise _NoHeaderError

    def _signed(self) -> int:
        found = self._unsigned()
        return (found >> 1) ^ -(found & 1)
