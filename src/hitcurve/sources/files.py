"""Files through DuckDB, in chunks, only the columns that are needed.

Nothing is left to guessing but the types of the score columns: DuckDB's sniffer would skip lines it takes for
comments or for a preface, and rename columns, without a word.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, reduce
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from hitcurve import _checks
from hitcurve.errors import EmptyInputError, InputError, MissingValueError, ScoreError, UnreadableFileError
from hitcurve.sources.block import Block, Reading, missing_error
from hitcurve.sources.frames import check_columns

T = TypeVar("T")
_ROWS = 1 << 18  # a chunk: large enough to count fast, small enough to stay out of the way
_DELIMITERS = (",", ";", "\t", "|")
_NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UBIGINT", "DOUBLE", "FLOAT", "BOOLEAN")


@dataclass(frozen=True)
class FileSource:
    """A CSV file with a header; its columns are separated by commas, semicolons, tabs or bars.

    Attributes
    ----------
    path : Path
    label : str
        Column of the labels.
    rankers : tuple of str
        Columns of the scores.
    reading : Reading
    weight : str or None
        Column of the weights.
    """

    path: Path
    label: str
    rankers: tuple[str, ...]
    reading: Reading
    weight: str | None = None

    def __post_init__(self) -> None:
        if not self.path.is_file():
            raise UnreadableFileError(f"{self.path} is not a file" if self.path.exists() else f"no file {self.path}")
        with self.path.open("rb") as start:
            first = start.read(4)
        if not first:
            raise EmptyInputError(f"{self.path.name} is empty")
        if first[:2] == b"\x1f\x8b" or first in (b"PK\x03\x04", b"(\xb5/\xfd", b"PAR1"):
            raise UnreadableFileError(f"{self.path.name} is compressed or binary, not text: unpack it first")
        if first[:2] in (b"\xff\xfe", b"\xfe\xff"):
            raise UnreadableFileError(f"{self.path.name} is UTF-16: save it as UTF-8")
        check_columns(self._needed, self._header)
        self.reading.check_rankers(self.rankers)
        for name in self._needed:
            if self._header.count(name) > 1:
                raise InputError(f"{self.path.name} has {self._header.count(name)} columns named {name!r}")
        for name in self._measured:
            if self._types[self._column(name)] not in _NUMBERS and self._column(name) not in self._floats:
                self._refuse(name, self._types[self._column(name)])

    def _refuse(self, name: str, kind: str) -> None:
        """Say which value kept a column from being read as numbers."""
        column = self._column(name)
        example = self._query(
            f"SELECT {column} FROM {self._typed({})} WHERE {column} IS NOT NULL ORDER BY {_is_number(column)} LIMIT 1",
            lambda found: found.fetchall(),
        )
        if not example:
            raise EmptyInputError(f"{self.path.name} has no rows with a value of {name!r}")
        raise ScoreError(
            f"column {name!r} of {self.path.name} must hold real numbers, got {kind} such as {str(example[0][0])!r}"
        )

    @property
    def _measured(self) -> list[str]:
        return [*self.rankers, *([self.weight] if self.weight else [])]

    @cached_property
    def _types(self) -> dict[str, str]:
        """Return the type that was read off each column."""
        return self._query(
            f"DESCRIBE SELECT * FROM {self._typed({})}", lambda found: {row[0]: row[1] for row in found.fetchall()}
        )

    @cached_property
    def _floats(self) -> frozenset[str]:
        """Return the columns that were taken for text but hold numbers, as inf and +4 are written."""
        texts = [self._column(name) for name in self._measured if self._types[self._column(name)] == "VARCHAR"]
        if not texts:
            return frozenset()
        counts = ", ".join(f"count({c}) > 0 AND count(*) FILTER (NOT {_is_number(c)}) = 0" for c in texts)
        fits = self._query(f"SELECT {counts} FROM {self._typed({})}", lambda found: found.fetchall())[0]
        return frozenset(column for column, fit in zip(texts, fits, strict=True) if fit)

    @property
    def _needed(self) -> list[str]:
        names = [self.label, *self.rankers, *([self.weight] if self.weight else [])]
        return list(dict.fromkeys(names))

    @cached_property
    def _dialect(self) -> tuple[str, list[str]]:
        """Return the delimiter and the header: the first delimiter under which all needed columns are there."""
        headers = {}
        for delimiter in _DELIMITERS:
            with self.path.open(newline="", encoding="utf-8-sig", errors="replace") as text:
                headers[delimiter] = next(csv.reader(text, delimiter=delimiter), [])
        fitting = [mark for mark, header in headers.items() if set(self._needed) <= set(header)]
        chosen = fitting[0] if fitting else max(headers, key=lambda mark: len(headers[mark]))
        return chosen, headers[chosen]

    @property
    def _header(self) -> list[str]:
        return self._dialect[1]

    def _column(self, name: str) -> str:
        """Return the name a column has in SQL: its place, which is safe and unique."""
        return f"c{self._header.index(name)}"

    @property
    def _table(self) -> str:
        return self._typed(dict.fromkeys(sorted(self._floats), "DOUBLE"))

    def _typed(self, types: dict[str, str]) -> str:
        names = ", ".join(f"'c{place}'" for place in range(len(self._header)))
        # labels stay text, so that yes/no and T/F are what was written; types are read off the whole file
        given = ", ".join(f"'{c}': '{kind}'" for c, kind in {**types, self._column(self.label): "VARCHAR"}.items())
        return self._read_csv(f"names = [{names}], types = {{{given}}}, sample_size = -1")

    @property
    def _table_of_text(self) -> str:
        columns = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(self._header)))
        return self._read_csv(f"columns = {{{columns}}}, auto_detect = false")

    def _read_csv(self, options: str) -> str:
        # a bracketed wildcard stands for itself: exactly the named file is read
        path = re.sub(r"([*?\[])", r"[\1]", str(self.path)).replace("'", "''")
        delimiter = self._dialect[0]
        return (
            f"read_csv('{path}', header = true, skip = 0, comment = '', delim = '{delimiter}', quote = '\"', "
            f"escape = '\"', null_padding = false, ignore_errors = false, strict_mode = true, {options})"
        )

    def _query(self, sql: str, use: Callable[[Any], T]) -> T:
        duckdb = _checks.extra("duckdb", "files", "reading a file")
        pyarrow = _checks.extra("pyarrow", "files", "reading a file")
        with duckdb.connect() as connection:
            # rows in the order of the file: sums of weights are added in a fixed order
            connection.execute("SET preserve_insertion_order = true")
            try:
                return use(connection.sql(sql))
            except (duckdb.Error, pyarrow.ArrowInvalid) as error:
                reason = str(error)
                if "sniffing" in reason:
                    try:  # read as text, it names the line that does not fit
                        connection.sql(f"SELECT count(*) FROM {self._table_of_text}").fetchall()
                    except duckdb.Error as plainer:
                        reason = str(plainer)
                lines = [line.strip() for line in reason.splitlines() if line.strip()]
                known = [line for line in lines[:5] if not line.startswith(("Possible", "*", "file ="))]
                raise UnreadableFileError(
                    f"{self.path.name} cannot be read as a table: {'; '.join(known)[:300]}"
                ) from None

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Read the file once: apply ``map`` to every chunk, combine in the order of the file."""
        columns = ", ".join(self._column(name) for name in self._needed)

        def fold(found: Any) -> T:
            parts = (map(block) for block in self._blocks(found))
            try:
                first = next(parts)
            except StopIteration:
                raise EmptyInputError(f"{self.path.name} has a header and no rows") from None
            return reduce(combine, parts, first)

        try:
            return self._query(f"SELECT {columns} FROM {self._table}", fold)
        except MissingValueError:
            raise self._count_missing() from None

    def _count_missing(self) -> MissingValueError:
        """Return the refusal of missing values with the numbers of the whole file, not of one chunk."""
        what = {"label": self.label, **{f"score {name!r}": name for name in self.rankers}}
        gone = ", ".join(
            f"count(*) FILTER ({c} IS NULL OR lower(trim(CAST({c} AS VARCHAR))) IN ('nan', '-nan', '+nan'))"
            for c in map(self._column, what.values())
        )
        rows, *counts = self._query(f"SELECT count(*), {gone} FROM {self._table}", lambda found: found.fetchall())[0]
        name, count = next(((name, count) for name, count in zip(what, counts, strict=True) if count), ("value", 1))
        return missing_error(name, count, rows)

    def _blocks(self, found: Any) -> Iterator[Block]:
        first_row = 0
        with found.to_arrow_reader(_ROWS) as reader:
            for batch in reader:
                column = {
                    name: _array(batch.column(place), text=name == self.label)
                    for place, name in enumerate(self._needed)
                }
                scores = {name: column[name] for name in self.rankers}
                weight = None if self.weight is None else column[self.weight]
                yield self.reading.block(column[self.label], scores, weight, first_row=first_row)
                first_row += batch.num_rows


def _is_number(column: str) -> str:
    """Return the SQL that says whether a text is a number as people write them."""
    pattern = r"\s*[-+]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|inf|infinity|nan)\s*"
    return f"coalesce(regexp_full_match(CAST({column} AS VARCHAR), '{pattern}', 'i'), true)"


def _array(column: Any, *, text: bool) -> np.ndarray[Any, Any]:
    """Return an Arrow column as an array; labels that are written as numbers become numbers."""
    if text:
        words = column.to_numpy(zero_copy_only=False)
        meaning = {word: _meant(word) for word in dict.fromkeys(words)}
        return np.asarray([meaning[word] for word in words], dtype=object)
    if column.null_count and str(column.type).lstrip("u").startswith("int"):
        gone = column.is_null().to_numpy(zero_copy_only=False)
        return np.ma.MaskedArray(column.fill_null(0).to_numpy(zero_copy_only=False), gone)
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _meant(word: str | None) -> Any:
    try:
        number = float(word or "")
    except ValueError:
        return word
    return int(number) if number.is_integer() else number
