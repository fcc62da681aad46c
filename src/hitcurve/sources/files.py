"""Files through DuckDB, in chunks, only the columns that are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, TypeVar

from hitcurve import _checks
from hitcurve.errors import EmptyInputError, ScoreError, UnreadableFileError
from hitcurve.sources.block import Block, Reading
from hitcurve.sources.frames import check_columns

T = TypeVar("T")
_ROWS = 1 << 18  # a chunk: large enough to count fast, small enough to stay out of the way
_NUMBERS = ("INT", "DOUBLE", "FLOAT", "DECIMAL", "BOOLEAN", "REAL")


@dataclass(frozen=True)
class FileSource:
    """A CSV file with a header.

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
        types = self._query(
            f"DESCRIBE SELECT * FROM {self._table}", lambda result: {row[0]: row[1] for row in result.fetchall()}
        )
        check_columns(self._needed, list(types))
        self.reading.check_rankers(self.rankers)
        for name in self.rankers:
            if not any(word in types[name] for word in _NUMBERS):
                self._refuse_text(name, types[name])

    def _refuse_text(self, name: str, kind: str) -> None:
        """Say which value kept a score column from being read as numbers."""
        column = quoted(name)
        example = self._query(
            f"SELECT {column} FROM {self._table} WHERE {column} IS NOT NULL "
            f"AND try_cast({column} AS DOUBLE) IS NULL LIMIT 1",
            lambda result: result.fetchall(),
        )
        if not example:
            raise EmptyInputError(f"{self.path.name} has no rows with a score {name!r}")
        raise ScoreError(
            f"score {name!r} of {self.path.name} must be real numbers, got {kind} such as {str(example[0][0])!r}"
        )

    @property
    def _needed(self) -> list[str]:
        names = [self.label, *self.rankers, *([self.weight] if self.weight else [])]
        return list(dict.fromkeys(names))

    @property
    def _table(self) -> str:
        path = str(self.path).replace("'", "''")
        return f"read_csv('{path}', header = true, sample_size = -1)"

    def _query(self, sql: str, use: Callable[[Any], T]) -> T:
        if not self.path.is_file():
            raise UnreadableFileError(f"{self.path} is not a file" if self.path.exists() else f"no file {self.path}")
        if not self.path.stat().st_size:
            raise EmptyInputError(f"{self.path} is empty")
        duckdb = _checks.extra("duckdb", "files", "reading a file")
        _checks.extra("pyarrow", "files", "reading a file")
        with duckdb.connect() as connection:
            # rows in the order of the file: sums of weights are added in a fixed order
            connection.execute("SET preserve_insertion_order = true")
            try:
                return use(connection.sql(sql))
            except duckdb.Error as error:
                reason = str(error).splitlines()[0]
                raise UnreadableFileError(f"{self.path} cannot be read as a table: {reason}") from None

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Read the file once: apply ``map`` to every chunk, combine in the order of the file."""
        names = ", ".join(quoted(name) for name in self._needed)

        def fold(result: Any) -> T:
            parts = (map(block) for block in self._blocks(result))
            try:
                first = next(parts)
            except StopIteration:
                raise EmptyInputError(f"{self.path.name} has a header and no rows") from None
            return reduce(combine, parts, first)

        return self._query(f"SELECT {names} FROM {self._table}", fold)

    def _blocks(self, result: Any) -> Iterator[Block]:
        with result.to_arrow_reader(_ROWS) as reader:
            for batch in reader:
                column: Mapping[str, Any] = {
                    name: batch.column(name).to_numpy(zero_copy_only=False) for name in self._needed
                }
                weight = None if self.weight is None else column[self.weight]
                yield self.reading.block(column[self.label], {name: column[name] for name in self.rankers}, weight)


def quoted(name: str) -> str:
    """Quote a column name for SQL."""
    return '"' + name.replace('"', '""') + '"'
