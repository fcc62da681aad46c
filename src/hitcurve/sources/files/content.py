"""The bytes of one file: whether they are there, packed, whole, and as they were when the file was opened."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.errors import UnreadableFileError
from hitcurve.sources.files import duck
from hitcurve.sources.files.paths import check_is_file, unreadable

BOM = b"\xef\xbb\xbf"
# how zstd begins: with a frame, or with one that is passed over, as programs write that pack in parallel
ZSTD = (b"\x28\xb5\x2f\xfd", *(bytes((number, 0x2A, 0x4D, 0x18)) for number in range(0x50, 0x60)))
_MAGIC = {b"\x1f\x8b": "gzip", **dict.fromkeys(ZSTD, "zstd")}
_STRANGE = {
    b"PK\x03\x04": "is a zip archive or a spreadsheet: save the table as CSV, or unpack it",
    b"\xd0\xcf\x11\xe0": "is a spreadsheet of Excel: save the table as CSV",
    b"BZh": "is compressed by bzip2, which is not supported: use gzip or zstd, or no compression",
    b"\xfd7zXZ": "is compressed by xz, which is not supported: use gzip or zstd, or no compression",
    b"7z\xbc\xaf": "is compressed by 7-zip, which is not supported: use gzip or zstd, or no compression",
    b"\xff\xfe": "is UTF-16 or UTF-32: save it as UTF-8",
    b"\xfe\xff": "is UTF-16 or UTF-32: save it as UTF-8",
    b"SQLite format 3\x00": "is a database of SQLite, and the command line reads files: write the rows to CSV, or "
    "read it in Python with data='sqlite:///PATH' and query=",
    b"FEA1": "is Feather of version 1, which is not supported: save it as version 2",
}
_START = 1 << 16
LONGEST_LINE = 2_097_152  # bytes, of which DuckDB reads a line


@dataclass(frozen=True)
class Content:
    """What a file holds, unpacked where it is packed."""

    path: Path

    def __post_init__(self) -> None:
        _ = self.stamp
        self._check_kind(self._raw_start, _STRANGE)

    def check_unpacked(self) -> None:
        """Refuse what is packed and no table: UTF-16, an archive, a file that was packed twice.

        Raises
        ------
        UnreadableFileError
            As said.
        """
        if self.compression != "none":
            self._check_kind(self.start, _STRANGE | dict.fromkeys(_MAGIC, "is packed twice: unpack it once"))

    def _check_kind(self, start: bytes, meanings: Mapping[bytes, str]) -> None:
        for first, meaning in meanings.items():
            if start.startswith(first):
                raise UnreadableFileError(f"{self.path.name} {meaning}")

    @cached_property
    def stamp(self) -> tuple[int, int, int]:
        """Return size, time of the last change and place, to see whether the file changes while it is read."""
        return self._now()

    def _now(self) -> tuple[int, int, int]:
        found = check_is_file(self.path)
        return found.st_size, found.st_mtime_ns, found.st_ino

    def check_unchanged(self) -> None:
        """Refuse a file that changed since it was opened: its two readings would not agree.

        Raises
        ------
        UnreadableFileError
            As said.
        """
        if self._now() != self.stamp:
            raise UnreadableFileError(f"{self.path.name} changed while it was read: try again when it is complete")

    @cached_property
    def _raw_start(self) -> bytes:
        try:
            with self.path.open("rb") as start:
                return start.read(_START)
        except OSError as error:
            raise unreadable(self.path, error) from None

    @cached_property
    def compression(self) -> str:
        """How the file is packed: none, gzip or zstd, by its first bytes."""
        return next((how for magic, how in _MAGIC.items() if self._raw_start.startswith(magic)), "none")

    @contextmanager
    def unpacked(self) -> Iterator[IO[bytes]]:
        """Open the content from its beginning.

        Raises
        ------
        UnreadableFileError
            If it may not be read, is cut off or damaged.
        """
        pyarrow = _checks.extra("pyarrow", "files", "reading a file")
        try:
            if self.compression == "none":
                with self.path.open("rb") as stream:
                    yield stream
            else:
                with pyarrow.input_stream(str(self.path), compression=self.compression) as stream:
                    yield stream
        except OSError as error:
            if self.compression == "none":
                raise unreadable(self.path, error) from None
            raise UnreadableFileError(
                f"{self.path.name} cannot be decompressed ({self.compression}) because it is cut off or damaged: "
                f"{str(error).splitlines()[0]}"
            ) from None

    @contextmanager
    def text(self) -> Iterator[io.TextIOWrapper]:
        """Open the content as text, its line ends as they are."""
        with self.unpacked() as stream, io.TextIOWrapper(stream, "utf-8-sig", "replace", newline="") as text:
            yield text

    @cached_property
    def start(self) -> bytes:
        """The beginning of the content: all of a small file."""
        if self.compression == "none":
            return self._raw_start
        with self.unpacked() as stream:
            return bytes(stream.read(_START))

    @property
    def goes_on(self) -> bool:
        """Whether there may be more than the beginning."""
        return len(self.start) == _START

    def end(self) -> bytes:
        """Return the last bytes, one more than a line may have: all of a small file.

        A packed file is unpacked to its end: DuckDB passes over checksums, and over an end that is missing.

        Raises
        ------
        UnreadableFileError
            If it is cut off or damaged.
        """
        most = LONGEST_LINE + 1
        with self.unpacked() as stream:
            if self.compression == "none":
                stream.seek(max(0, self.stamp[0] - most))
                return bytes(stream.read())
            found = b""
            while block := bytes(stream.read(1 << 20)):
                found = (found + block)[-most:]
            return found

    @property
    def bare_name(self) -> str:
        """The name in small letters, without the suffix of its compression."""
        return self.path.name.lower().removesuffix(".gz").removesuffix(".zst")

    @property
    def literal(self) -> str:
        """The path in SQL."""
        return duck.text(duck.literal(self.path))
