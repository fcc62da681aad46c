"""What a file format has to answer."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from hitcurve.errors import UnreadableFileError
from hitcurve.sources.files.content import Content
from hitcurve.sources.files.numerals import Absent

NO_FOLDERS = "hive_partitioning = false"  # a folder named split=test is no column


@dataclass(frozen=True, eq=False)
class Asked:
    """A file with the options to read it.

    Attributes
    ----------
    content : Content
    db : DuckDBPyConnection
    wanted : tuple of str
        Columns that are needed; they decide on the delimiter of a text file.
    header : bool
        Whether the first line of a text file names the columns; they are named 1, 2, ... otherwise.
    condition : str
        A condition on the rows, which may name other columns.
    numbers : tuple of str
        The wanted columns that hold numbers.
    absent : Absent
        Words for missing values.
    decimal : str or None
        The decimal mark of text files, None to detect it in the numbers where it is unambiguous.
    """

    content: Content
    db: Any = field(repr=False)
    wanted: tuple[str, ...]
    header: bool = True
    condition: str = ""
    numbers: tuple[str, ...] = ()
    absent: Absent = Absent()
    decimal: str | None = None

    def may_name(self, column: str) -> bool:
        """Return whether the condition may depend on a column."""
        condition = self.condition.lower().replace('""', '"')
        return column.lower() in condition or "columns" in condition

    def names(self, column: str) -> bool:
        """Return whether the condition has the name of a column as a word."""
        condition = self.condition.lower().replace('""', '"')
        return re.search(rf"(?<!\w){re.escape(column.lower())}(?!\w)", condition) is not None


class Format(Protocol):
    """One file of one format: its columns, the SQL that reads them, and where things are in it.

    The first five answers are all that reading a table takes; the others say how the format is known, and what
    errors of DuckDB mean in it. A format is one class in one module, and its place in ``FORMATS``.

    Attributes
    ----------
    called : str
        Name of the format in a sentence.
    endings : tuple of str
        Ends of the names of files that promise this format.
    packs_itself : bool
        Whether files of this format compress their own columns, and are not packed once more.
    typed : bool
        Whether its columns have types; the values of others are looked at.
    numerals : bool
        Whether numbers may be written as people write them, with decimal commas and thousands apart.
    most_columns : int
        Columns of which DuckDB reads some within a minute: its time grows with the square of their number.
    """

    called: ClassVar[str]
    endings: ClassVar[tuple[str, ...]]
    packs_itself: ClassVar[bool]
    typed: ClassVar[bool]
    numerals: ClassVar[bool] = False
    most_columns: ClassVar[int] = 100_000

    def __init__(self, asked: Asked) -> None: ...

    @property
    def names(self) -> list[str]:
        """Names of the columns."""

    @property
    def filled(self) -> frozenset[str]:
        """Columns of which it is known without a look at the rows that they hold a value."""
        return frozenset()

    @property
    def durations(self) -> frozenset[str]:
        """Columns of durations that are read as whole numbers of a unit which their type has and the numbers lack."""
        return frozenset()

    @property
    def header(self) -> list[str]:
        """Names of the columns as far as the beginning of the file has them."""
        return self.names

    def relation(self, places: Sequence[str]) -> str:
        """Return the SQL that reads the file as it is, its columns named by place."""

    def word(self, column: str) -> str:
        """Return the SQL of a column as words."""
        return f"CAST({column} AS VARCHAR)"

    def number(self, column: str) -> str:
        """Return the SQL of a column as it is written in the file, from which it becomes numbers."""
        return column

    def digits(self, columns: Mapping[str, str], relation: str) -> tuple[list[str], str]:
        """Return the SQL of columns of numbers with all digits as they are in the file, and of what they are read from.

        Parameters
        ----------
        columns : mapping of str to str
            From names to columns of the relation.
        relation : str
            The SQL that reads the file.
        """
        return [self.number(column) for column in columns.values()], relation

    def place(self, row: int) -> str:
        """Return where a row, counted from 1, is in the file: its line, where it has one."""
        return f"row {row}"

    @classmethod
    def begins(cls, start: bytes, *, promised: bool) -> bool:
        """Return whether content begins as this format does; a name that promises it is a hint."""

    def check_end(self, end: bytes) -> None:
        """Refuse a file whose end DuckDB would pass over, by its last bytes.

        Raises
        ------
        UnreadableFileError
            As said.
        """

    def complaint(self, reason: str) -> str | None:
        """Return what DuckDB says of the file as one sentence, None for what this format knows nothing of."""
        return None


def no_table(content: Content, called: str, reason: str = "") -> UnreadableFileError:
    """Return the refusal of a file whose end or beginning is not that of its format, unless it changes meanwhile.

    Raises
    ------
    UnreadableFileError
        If it changed since it was opened.
    """
    content.check_unchanged()
    kind = f"{'an' if called[0] in 'AEIOU' else 'a'} {called} file"
    return UnreadableFileError(
        f"{content.path.name} cannot be read as a table: it is cut off, damaged or not {kind}"
        + (f" ({reason})" if reason else "")
    )
