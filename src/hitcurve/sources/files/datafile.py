"""One file on disk: what kind it is, which columns it has, and the SQL that reads it.

Nothing is left to guessing but the types of columns: DuckDB's sniffer would skip lines it takes for comments or
for a preface, and rename columns, without a word.
"""

from __future__ import annotations

import csv
import glob
import io
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from hitcurve import _checks
from hitcurve.errors import EmptyInputError, InputError, UnreadableFileError
from hitcurve.sources.files import duck
from hitcurve.sources.frames import check_columns

_DELIMITERS = (",", ";", "\t", "|")
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".jsonl": "json", ".ndjson": "json", ".json": "json"}
_START = 1 << 16


def expand(name: str) -> list[Path]:
    """Return the files a name stands for: itself, or all that match its wildcards, in alphabetical order.

    Raises
    ------
    UnreadableFileError
        If wildcards match nothing.
    """
    if not glob.has_magic(name) or os.path.exists(name):
        return [Path(name)]
    found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise UnreadableFileError(f"no file matches {name}")
    return [Path(path) for path in found]


@dataclass(frozen=True)
class DataFile:
    """A file that is there, is no folder, and holds something.

    Attributes
    ----------
    path : Path
    wanted : tuple of str
        Columns that are needed; they decide on the delimiter of a text file.
    words : tuple of str
        Of these, columns that stay text, so that yes/no, T/F and 007 are what was written.
    header : bool
        Whether the first line of a text file names the columns; they are named 1, 2, ... otherwise.
    """

    path: Path
    wanted: tuple[str, ...]
    words: tuple[str, ...] = ()
    header: bool = True

    def __post_init__(self) -> None:
        self._check_there()
        kind, name = self.kind, self.path.name
        if kind == "binary":
            raise UnreadableFileError(f"{name} is binary, neither text nor Parquet")
        declared = self._declared
        if declared == "parquet" and kind != "parquet":
            raise UnreadableFileError(f"{name} is no Parquet file: it does not begin like one")
        check_columns(self.wanted, self.names)
        for column in self.wanted:
            if self.names.count(column) > 1:
                raise InputError(f"{name} has {self.names.count(column)} columns named {column!r}")

    def _check_there(self) -> None:
        if not self.path.is_file():
            what = "is a folder, not a file" if self.path.is_dir() else "is not a file"
            raise UnreadableFileError(f"{self.path} {what}" if self.path.exists() else f"no file {self.path}")
        if not self._start:
            raise EmptyInputError(f"{self.path.name} is empty")
        if self._start[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise UnreadableFileError(f"{self.path.name} is UTF-16: save it as UTF-8")
        if self._raw_start.startswith((b"PK\x03\x04", b"BZh", b"\xfd7zXZ")):
            raise UnreadableFileError(
                f"{self.path.name} is packed in a way that is not read: use gzip or zstd, or none"
            )

    @cached_property
    def _raw_start(self) -> bytes:
        try:
            with self.path.open("rb") as start:
                return start.read(_START)
        except OSError as error:
            raise UnreadableFileError(f"cannot read {self.path}: {error.strerror}") from None

    @cached_property
    def compression(self) -> str:
        """How the file is packed: none, gzip or zstd, by its first bytes."""
        return next((how for magic, how in _MAGIC.items() if self._raw_start.startswith(magic)), "none")

    @cached_property
    def _start(self) -> bytes:
        """Return the beginning of the content."""
        if self.compression == "none":
            return self._raw_start
        pyarrow = _checks.extra("pyarrow", "files", "reading a file")
        try:
            with pyarrow.input_stream(str(self.path), compression=self.compression) as stream:
                return bytes(stream.read(_START))
        except OSError as error:
            raise UnreadableFileError(
                f"{self.path.name} cannot be unpacked ({self.compression}): {str(error).splitlines()[0]}"
            ) from None

    @property
    def _declared(self) -> str | None:
        name = self.path.name.lower()
        for ending in (".gz", ".zst"):
            name = name.removesuffix(ending)
        return next((kind for ending, kind in _ENDINGS.items() if name.endswith(ending)), None)

    @cached_property
    def kind(self) -> str:
        """What the file is: parquet, json, csv (any delimiter) or binary."""
        if self._raw_start.startswith(b"PAR1"):
            return "parquet"
        if b"\x00" in self._start[:4096]:
            return "binary"
        looks_json = self._start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] in (b"{", b"[")
        return "json" if looks_json and (self._declared == "json" or self._start.lstrip()[:2] == b'{"') else "csv"

    @cached_property
    def _text_start(self) -> str:
        return self._start.decode("utf-8-sig", errors="replace")

    @cached_property
    def _split(self) -> tuple[str, list[str]]:
        """Return the delimiter of a text file and its first line: the first under which all columns are there."""
        first = {}
        marks = _DELIMITERS if self.header else (*_DELIMITERS, " ")
        for mark in marks:
            first[mark] = next(csv.reader(io.StringIO(self._text_start, newline=""), delimiter=mark), [])
        names = {mark: line if self.header else _numbered(line) for mark, line in first.items()}
        fitting = [mark for mark in marks if set(self.wanted) <= set(names[mark])]
        chosen = fitting[0] if fitting else max(marks, key=lambda mark: len(names[mark]))
        return chosen, names[chosen]

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns."""
        if self.kind == "csv":
            return self._split[1]
        if self.kind == "json":
            return [row[0] for row in self._described(f"DESCRIBE SELECT * FROM {self._json}")]
        parquet = _checks.extra("pyarrow.parquet", "files", "reading a file")
        try:
            return list(parquet.read_schema(self.path).names)
        except (OSError, ValueError) as error:
            raise UnreadableFileError(
                f"{self.path.name} cannot be read as a table: it is cut off or no Parquet file "
                f"({str(error).splitlines()[0][:120]})"
            ) from None

    def column(self, name: str) -> str:
        """Return the name a column has in SQL: its place, which is safe and unique."""
        return f"c{self.names.index(name)}"

    def relation(self, types: Mapping[str, str] | None = None) -> str:
        """Return the SQL that reads the file, its columns named by place.

        ``types`` says which columns of a text file are read as what, by their names here.
        """
        if self.kind == "csv":
            words = {self.column(name): "VARCHAR" for name in self.words}
            given = ", ".join(f"'{c}': '{kind}'" for c, kind in {**(types or {}), **words}.items())
            # types are read off the whole file
            return self._csv(f"names = [{self._quoted_places}], types = {{{given}}}, sample_size = -1")
        read = self._json if self.kind == "json" else f"read_parquet({self._literal})"
        return f"{read} AS t({', '.join(self._places)})"

    @property
    def as_text(self) -> str | None:
        """Return SQL that reads all columns of a text file as they are, None for other files."""
        if self.kind != "csv":
            return None
        columns = ", ".join(f"'{place}': 'VARCHAR'" for place in self._places)
        return f"SELECT count(*) FROM {self._csv(f'columns = {{{columns}}}, auto_detect = false')}"

    @property
    def _places(self) -> list[str]:
        return [f"c{place}" for place in range(len(self.names))]

    @property
    def _quoted_places(self) -> str:
        return ", ".join(f"'{place}'" for place in self._places)

    @property
    def _literal(self) -> str:
        # a bracketed wildcard stands for itself: exactly the named file is read
        return duck.text(re.sub(r"([*?\[])", r"[\1]", str(self.path)))

    @property
    def _json(self) -> str:
        return (
            f"read_json({self._literal}, format = 'auto', compression = '{self.compression}', sample_size = -1, "
            "convert_strings_to_integers = false, maximum_object_size = 67108864)"
        )

    def _csv(self, options: str) -> str:
        delimiter = self._split[0]
        return (
            f"read_csv({self._literal}, header = {str(self.header).lower()}, skip = 0, comment = '', "
            f"delim = '{delimiter}', quote = '\"', escape = '\"', null_padding = false, ignore_errors = false, "
            f"strict_mode = true, compression = '{self.compression}', {options})"
        )

    def _described(self, sql: str) -> list[tuple[Any, ...]]:
        with duck.connect() as connection:
            return duck.rows(connection, sql, [self.path], self.as_text if self.kind == "csv" else None)

    @cached_property
    def types(self) -> dict[str, str]:
        """Return the type that was read off each column, by place."""
        return {row[0]: row[1] for row in self._described(f"DESCRIBE SELECT * FROM {self.relation()}")}

    @cached_property
    def stamp(self) -> tuple[int, int]:
        """Return size and time of the last change, to see whether the file changes while it is read."""
        return self._now()

    def _now(self) -> tuple[int, int]:
        try:
            found = self.path.stat()
        except OSError as error:
            raise UnreadableFileError(f"cannot read {self.path}: {error.strerror}") from None
        return found.st_size, found.st_mtime_ns

    def check_unchanged(self) -> None:
        """Refuse a file that changed since it was opened: its two readings would not agree.

        Raises
        ------
        UnreadableFileError
            As said.
        """
        if self._now() != self.stamp:
            raise UnreadableFileError(f"{self.path.name} changed while it was read: try again when it is complete")


def _numbered(line: Sequence[str]) -> list[str]:
    return [str(place + 1) for place in range(len(line))]
