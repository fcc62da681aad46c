"""CSV and its kin: lines of text whose values stand between commas, semicolons, tabs or bars."""

from __future__ import annotations

import csv
import io
import re
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from hitcurve._cached import cached_property
from hitcurve.errors import InputError, UnreadableFileError
from hitcurve.rows import counted
from hitcurve.sources.files import duck
from hitcurve.sources.files.content import LONGEST_LINE
from hitcurve.sources.files.formats.format import NO_FOLDERS, Asked, Format

_DELIMITERS = (",", ";", "\t", "|")
_LONGEST = 1 << 24  # first line
_AT_ONCE = f", buffer_size = {1 << 22}"  # bytes; at least the 2 MB that DuckDB lets a line have
_LOOK = 1 << 12  # where a NUL shows that a file is no text
_SEP = re.compile(r"""sep=([^"'\r\n])(?:\r\n|\n|\r)""", re.IGNORECASE)
_MIXED = "The CSV Parser state machine reached an invalid state"
# a line longer than the buffers of DuckDB, and of Arrow
_NO_FULL_READ = re.compile("Parallel CSV Reader currently does not support a full read|straddling object")
_LINE = re.compile(
    r"CSV Error on Line: (\d+)\nOriginal Line:\s*(.*?)\s*\n(?=Expected|Value with|Invalid unicode|Error|Maximum)",
    re.DOTALL,
)


@dataclass(frozen=True, eq=False)
class Delimited(Format):
    """A file of delimited text, its values as they are written."""

    asked: Asked

    called = "CSV"
    endings = ()  # text may be called anything
    packs_itself = False
    typed = False
    numerals = True

    def __post_init__(self) -> None:
        start = self.asked.content.start
        if b"\x00" in start[:_LOOK]:
            self.asked.content.check_unpacked()
            line = start.split(b"\x00")[0].count(b"\n") + 1
            raise UnreadableFileError(
                f"{self._name} is neither text nor Parquet nor Arrow IPC: there is a NUL byte in line {line}"
            )

    @classmethod
    def begins(cls, start: bytes, *, promised: bool) -> bool:
        """Return True: text begins in any way."""
        return True

    @property
    def _name(self) -> str:
        return self.asked.content.path.name

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return self._split[1]

    @cached_property
    def _separator_line(self) -> str:
        """First line if it is Excel's ``sep=`` line, which gives the delimiter and is not part of the table."""
        found = _SEP.match(self.asked.content.start.decode("utf-8-sig", errors="replace"))
        return found[0] if found else ""

    @cached_property
    def _split(self) -> tuple[str, list[str]]:
        """Return the delimiter and the first line: the first delimiter under which all columns are there."""
        content, header, wanted = self.asked.content, self.asked.header, self.asked.wanted
        start = content.start
        if content.goes_on and not re.search(rb"[\r\n]", start):  # thousands of columns
            with content.unpacked() as stream:
                start = bytes(stream.read(_LONGEST))
            if len(start) == _LONGEST and not re.search(rb"[\r\n]", start):
                raise UnreadableFileError(self._too_long("line 1"))
        # the last character may be cut in two
        text = start.decode("utf-8-sig", errors="replace")[len(self._separator_line) :]
        if not text.partition("\n")[0].strip():
            raise InputError(f"line {1 + self.preface} of {self._name} is empty: the table must begin there")
        marks = (self._separator_line[4],) if self._separator_line else _DELIMITERS if header else (*_DELIMITERS, " ")
        first = {mark: _first_line(text, mark) for mark in marks}
        names = {mark: line if header else _numbered(line) for mark, line in first.items()}
        fitting = [mark for mark in marks if wanted and set(wanted) <= set(names[mark])]
        chosen = fitting[0] if fitting else max(marks, key=lambda mark: len(names[mark]))
        if not names[chosen]:  # a name of more than 131,072 characters
            raise UnreadableFileError(self._too_long("line 1"))
        if any("\ufffd" in name for name in names[chosen]):
            raise UnreadableFileError(f"line 1 of {self._name} is not UTF-8: save it as UTF-8")
        # DuckDB takes the first line end for that of all lines, and would find no rows
        if "\r" in text and any("\n" in cell for cell in first[chosen]):
            raise InputError(f"line 1 of {self._name} continues in line 2: write it without line breaks in quotes")
        return chosen, names[chosen]

    @property
    def delimiter(self) -> str:
        """What stands between values."""
        return self._split[0]

    @property
    def preface(self) -> int:
        """Lines before the table: 1 if there is Excel's ``sep=`` line."""
        return int(bool(self._separator_line))

    def relation(self, places: Sequence[str]) -> str:
        """Return the SQL that reads the file; nothing is left to the guesses of DuckDB."""
        content = self.asked.content
        columns = ", ".join(f"'{place}': 'VARCHAR'" for place in places)
        return (
            f"read_csv({content.literal}, columns = {{{columns}}}, auto_detect = false, "
            f"header = {str(self.asked.header).lower()}, skip = {self.preface}, comment = '', "
            f"delim = {duck.text(self.delimiter)}, "
            "quote = '\"', escape = '\"', null_padding = false, ignore_errors = false, strict_mode = true, "
            f"compression = '{content.compression}', {NO_FOLDERS}{_AT_ONCE if duck.is_limited(self.asked.db) else ''})"
        )

    def place(self, row: int) -> str:
        """Return the line of a row."""
        line = self._line_of(row + self.asked.header + self.preface, empty=False)
        return f"line {line}" if line else f"record {row}"

    def check_end(self, end: bytes) -> None:
        """Refuse a last line that is too long, or has other columns and no line end.

        DuckDB drops such a line without a word where a buffer of a longer file ends in it.
        """
        if len(end) <= LONGEST_LINE:  # all of the file, which is one buffer
            return
        ended = end.endswith((b"\n", b"\r"))
        lines = re.split(rb"\r\n|\n|\r", end)
        last = lines[-2 if ended else -1]
        if len(lines) == 1 + ended:
            raise UnreadableFileError(self._too_long(self._long_line()))
        text = last.decode("utf-8", errors="replace")
        if ended or len(_first_line(text, self.delimiter)) == len(self.names):
            return
        columns = self._columns_at_the_end()  # line ends may stand within quotes
        if columns != len(self.names):
            raise UnreadableFileError(
                f"{self._name} has {counted(columns, 'column')} in its last line ({text[:60]!r}), which has no line "
                f"end, and {len(self.names)} in its first line"
            )

    def _columns_at_the_end(self) -> int:
        """Return the columns of the last record, by reading all."""
        with self.asked.content.text() as lines, suppress(csv.Error):
            return len(deque(csv.reader(lines, delimiter=self.delimiter, strict=True), 1)[-1])
        return 0

    def complaint(self, reason: str) -> str | None:
        """Return the error in a line, as text."""
        if reason.startswith(f"Invalid Input Error: {_MIXED}"):
            return (
                f"{self._name} has mixed line endings, or a quote within a value: save it with one kind of line endings"
            )
        if _NO_FULL_READ.search(reason):
            return self._too_long(self._long_line())
        found = _LINE.search(reason)
        if found is None:
            return None
        record, text = int(found[1]), " ".join(found[2].split())
        # DuckDB counts empty lines
        where = f"line {self._line_of(record, empty=True) or record} ({text[:60]!r})"
        rest = reason[found.end() :]
        columns = re.match(r"Expected Number of Columns: (\d+) Found: (\d+)", rest)
        if columns is not None:
            return (
                f"{self._name} has {counted(int(columns[2]), 'column')} in {where}, and {columns[1]} in its first line"
            )
        if rest.startswith("Value with unterminated quote"):
            return f"{self._name} has a misplaced quote in {where}"
        if rest.startswith("Invalid unicode"):
            return f"{self._name} is not UTF-8 in {where}: save it as UTF-8"
        if rest.startswith("Maximum line size"):
            return self._too_long(where)
        return f"{self._name} cannot be read as a table in {where}: check its delimiters and quotes"

    def _too_long(self, where: str) -> str:
        return f"{self._name} has a line that is too long{where and ' in ' + where}: check its line ends and quotes"

    def _long_line(self) -> str:
        """Return the place of the first line that is too long, empty if only lines within quotes are together."""
        line, length = 1, 0
        with self.asked.content.unpacked() as stream:
            while block := bytes(stream.read(io.DEFAULT_BUFFER_SIZE)):
                for place, part in enumerate(block.split(b"\n")):
                    line, length = (line + 1, len(part)) if place else (line, length + len(part))
                    if length > LONGEST_LINE:
                        return f"line {line}"
        return ""

    def _line_of(self, record: int, *, empty: bool) -> int | None:
        """Return the line in which a record begins; the first is the header, and ``empty`` lines count or not."""
        with self.asked.content.text() as text:
            reader = csv.reader(text, delimiter=self.delimiter)
            begins = 1
            try:
                for cells in reader:  # values may hold line ends
                    record -= bool(cells) or empty
                    if not record:
                        return begins
                    begins = reader.line_num + 1
            except csv.Error:  # a value of more than 131,072 characters
                pass
        return None


def _first_line(text: str, mark: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=mark), [])
    except csv.Error:  # thousands of columns are one that is too long, under another mark
        return []


def _numbered(line: Sequence[str]) -> list[str]:
    return [str(place + 1) for place in range(len(line))]
