"""Files through DuckDB, in chunks, only the columns that are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
        types = dict(self._query(f"DESCRIBE SELECT * FROM {self._table}", lambda result: _two(result.fetchall())))
        check_columns(self._needed, list(types))
        for name in self.rankers:
            if not any(word in types[name] for word in _NUMBERS):
                raise ScoreError(f"score {name!r} of {self.path.name} must be real numbers, is {types[name]}")
        self.reading.check_rankers(self.rankers)

    @property
    def _needed(self) -> list[str]:
        names = [self.label, *self.rankers, *([self.weight] if self.weight else [])]
        return list(dict.fromkeys(names))

    @property
    def _table(self) -> str:
        return f"read_csv({_literal(str(self.path))}, header = true, sample_size = -1)"

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
                return use(connection.execute(sql))
            except duckdb.Error as error:
                reason = str(error).splitlines()[0]
                raise UnreadableFileError(f"{self.path} cannot be read as a table: {reason}") from None

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Read the file once: apply ``map`` to every chunk, combine in the order of the file."""
        names = ", ".join(map_identifier(name) for name in self._needed)

        def fold(result: Any) -> T:
            total: list[T] = []
            for block in self._blocks(result):
                part = map(block)
                total = [combine(total[0], part)] if total else [part]
            if not total:
                raise EmptyInputError(f"{self.path} has a header and no rows")
            return total[0]

        return self._query(f"SELECT {names} FROM {self._table}", fold)

    def _blocks(self, result: Any) -> Iterator[Block]:
        for batch in result.to_arrow_reader(_ROWS):
            column: Mapping[str, Any] = {
                name: batch.column(name).to_numpy(zero_copy_only=False) for name in self._needed
            }
            weight = None if self.weight is None else column[self.weight]
            yield self.reading.block(column[self.label], {name: column[name] for name in self.rankers}, weight)


def map_identifier(name: str) -> str:
    """Quote a column name for SQL."""
    return '"' + name.replace('"', '""') + '"'


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _two(rows: Sequence[Sequence[Any]]) -> list[tuple[Any, Any]]:
    return [(row[0], row[1]) for row in rows]
