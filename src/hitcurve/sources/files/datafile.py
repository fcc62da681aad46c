"""One file on disk as a table: which columns it has, and the SQL that reads them.

Nothing is left to the guesses of DuckDB, which would skip lines it takes for comments or for a preface, and rename
columns or rewrite dates without a word. Text is read as text, and becomes numbers where all of it is numbers.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.errors import ColumnNotFoundError, EmptyInputError, InputError, LabelError, ScoreError, WeightError
from hitcurve.sources import labels
from hitcurve.sources.files import duck
from hitcurve.sources.files.batches import meant
from hitcurve.sources.files.formats import Asked, Format
from hitcurve.sources.files.measures import Measure
from hitcurve.sources.files.numerals import read

ROW = re.compile(r"(.*\bin )row (\d+)(.*)", re.DOTALL)
"""A refusal that names a row, counted from 0."""


@dataclass(frozen=True, eq=False)
class DataFile(ABC):
    """A file that is there, is no folder, and has the columns that are wanted of it.

    Attributes
    ----------
    asked : Asked
    format : Format
    """

    asked: Asked
    format: Format

    def __post_init__(self) -> None:
        name = self.path.name
        for column in self.asked.wanted:
            if column not in self.names:
                near = _checks.did_you_mean(column, self.names) or duck.columns_are(self.names)
                raise ColumnNotFoundError(f"no column {column!r} in {name}{near}")
            if self.names.count(column) > 1:
                raise InputError(f"{name} has {self.names.count(column)} columns named {column!r}: rename all but one")

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.asked.content.path

    # ---- its columns

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return self.format.names

    @cached_property
    def places(self) -> list[str]:
        """Names of the columns in SQL: their places."""
        prefix = "c"
        while any(name.lower().startswith(prefix) for name in self.names):
            prefix += "_"
        return [f"{prefix}{place}" for place in range(len(self.names))]

    @cached_property
    def nameable(self) -> dict[str, str]:
        """Return the columns that can be named in SQL, by their place there: those that do not differ in case only."""
        times = Counter(name.lower() for name in self.names)
        placed = zip(self.names, self.places, strict=True)
        return {name: place for name, place in placed if name and times[name.lower()] == 1}

    def column(self, name: str) -> str:
        """Return the name a column has in SQL: its place, which is safe and unique."""
        return self.places[self.names.index(name)]

    # ---- SQL

    @cached_property
    def relation(self) -> str:
        """Return the SQL that reads the file as it is, its columns named by place.

        Raises
        ------
        InputError
            If there are too many columns for any answer in time.
        """
        most = self.format.most_columns
        if len(self.names) > most:
            raise InputError(
                f"{self.path.name} has {len(self.names):,} columns, and at most {most:,} of {self.format.called} are "
                "read: leave out columns that are not needed, or evaluate all of them by hitcurve screen"
            )
        return self.format.relation(self.places)

    def word(self, name: str) -> str:
        """Return the SQL of a column as words."""
        return self.format.word(self.column(name))

    def written(self, name: str) -> str:
        """Return the SQL of a column as it is written in the file."""
        return self.format.number(self.column(name))

    def number(self, name: str, kind: str, measure: Measure) -> str:
        """Return the SQL of a column of numbers as a type that holds them."""
        written = self.written(name)
        if measure.decimal is not None:
            written = read(written, measure.decimal)
        if measure.absent:
            written = f"CASE WHEN {self.missing(name)} THEN NULL ELSE {written} END"
        return f"CAST({f'CAST({written} AS BOOLEAN)' if measure.words else written} AS {kind})"

    def missing(self, name: str) -> str:
        """Return the SQL that says whether a word stands for a missing value in a column of numbers."""
        absent, word = self.asked.absent, self.word(name)
        return f"({absent.named(word)} OR {absent.usual(word)})"

    def notes(self, measures: Mapping[str, Measure]) -> list[str]:
        """Return how numbers of the file were read, in words, where it was not said."""
        return []

    @property
    def doubt(self) -> str:
        """Why a condition may not see numbers in a column of numbers, as the end of a sentence."""
        return ""

    def named(self, types: Mapping[str, str]) -> str:
        """Return the SQL of the columns a condition may name, in these types."""
        return ", ".join(f"{self._in_type(name, kind)} AS {duck.quoted(name)}" for name, kind in types.items())

    @abstractmethod
    def _in_type(self, name: str, kind: str) -> str:
        """Return the SQL of a column in a type that a condition takes it for."""

    def check_end(self) -> None:
        """Refuse a file that is cut off, damaged where it is packed, or whose end DuckDB would pass over.

        Raises
        ------
        UnreadableFileError
            As said.
        """
        self.format.check_end(self.asked.content.end())

    def complaint(self, reason: str) -> str | None:
        """Return what DuckDB says of the file as one sentence, if the format knows it."""
        return self.format.complaint(reason)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """Return all rows of a small query."""
        return duck.rows(self.asked.db, sql, [self])

    def first(self, value: str, condition: str) -> tuple[Any, str]:
        """Return a value of the first row that meets a condition and its place in words; None if there is none."""
        found, row = duck.first(self.asked.db, value, condition, self.relation, self)
        return found, self.format.place(row) if row else ""

    # ---- what the columns hold

    @abstractmethod
    def measure(self, names: Sequence[str]) -> dict[str, Measure]:
        """Return what columns of numbers hold; one without any value has an empty measure.

        Raises
        ------
        ScoreError
            If one holds anything else, with the first such value and its line.
        EmptyInputError
            If the file has no rows.
        """

    @abstractmethod
    def type_of(self, name: str) -> str | None:
        """Return the SQL type of a wanted column, None if columns have no types."""

    @abstractmethod
    def nameable_types(self) -> dict[str, str]:
        """Return the SQL types of the columns that can be named, as far as the condition may depend on them."""

    def _check_rows(self, total: int) -> None:
        if not total:
            raise EmptyInputError(f"{self.path.name} has no rows")


def measured(files: Sequence[DataFile], names: Sequence[str]) -> list[dict[str, Measure]]:
    """Return what columns of numbers hold in each file.

    Raises
    ------
    ScoreError
        If one holds anything else; with a file in which it holds numbers, if there is one.
    """
    found = []
    for file in files:
        try:
            found.append(file.measure(names))
        except ScoreError as error:
            others = [other for other in files if other is not file]
            raise ScoreError(f"{error}{_with_numbers(str(error), others, names)}") from None
    return found


def _with_numbers(said: str, files: Sequence[DataFile], names: Sequence[str]) -> str:
    """Return the first file whose column of a refusal holds numbers, and which, in words."""
    column = next((name for name in names if said.startswith(f"column {name!r} of ")), None)
    for file in files if column is not None else ():
        try:
            measure = file.measure([str(column)])[str(column)]
        except (ScoreError, EmptyInputError):
            continue
        if measure.there:
            kind = file.type_of(str(column))
            typed = "" if kind is None else f" of type {kind}"
            return f"; in {file.path.name} it holds {'whole numbers' if measure.whole else 'numbers'}{typed}"
    return ""


def in_place(error: InputError, files: Sequence[DataFile], label: str | None, where: str | None = None) -> InputError:
    """Return the refusal of a weight with its line in place of its row among those of all files, counted from 0.

    Or that of more labels than two, with the files that have others, or the line of the rarest one; ``label`` is their
    column. Without files, as where rows are chosen and have no places in them, the row is one of those chosen.
    """
    if not files:
        return error if where is None else in_chosen(error, where)
    if isinstance(error, LabelError) and label is not None:
        by_file = _labels_by_file(files, label)
        if by_file is not None:
            return LabelError(
                f"labels must be two classes, got more: {by_file}; make a column that is 1 for positives in all files"
            )
        return LabelError(f"{error}{_of_rarest(str(error), files, label)}") if "got more" in str(error) else error
    return with_line(error, files) if isinstance(error, WeightError) else error


def in_chosen(error: InputError, where: str) -> InputError:
    """Return a refusal with the row it names, counted from 0, as one of the chosen rows, counted from 1."""
    found = ROW.fullmatch(str(error))
    if found is None:
        return error
    return type(error)(f"{found[1]}row {int(found[2]) + 1} of the rows where {where}{found[3]}")


def with_line(error: InputError, files: Sequence[DataFile]) -> InputError:
    """Return a refusal with the line in place of the row it names last among those of all files, counted from 0."""
    found = ROW.fullmatch(str(error))
    if found is None:
        return error
    row = int(found[2]) + 1
    for file in files:
        size = file.rows(f"SELECT count(*) FROM {file.relation}")[0][0]
        if row <= size:
            return type(error)(f"{found[1]}{file.format.place(row)} of {file.path.name}{found[3]}")
        row -= size
    return error


def of_first(files: Sequence[DataFile], chosen: Iterable[str], condition: str) -> str:
    """Return where the first row is that meets a condition, in words; ``chosen`` is SQL of the rows of each file."""
    for file, sql in zip(files, chosen, strict=True):
        _, row = duck.first(file.asked.db, "1", f"({condition})", f"({sql})", file)
        if row:
            return f"; the first is in {file.format.place(row)} of {file.path.name}"
    return ""


def _labels_by_file(files: Sequence[DataFile], label: str) -> str | None:
    """Return which labels are where, in words; None unless each file has two at most, and all together more."""
    first_file: dict[frozenset[Any], str] = {}
    for file in files:
        word = file.word(label)
        there = f"NOT coalesce({file.asked.absent.label_sql(word)}, true)"
        found = file.rows(f"SELECT DISTINCT {word} FROM {file.relation} WHERE {there} LIMIT 3")
        if len(found) > 2:
            return None
        first_file.setdefault(frozenset(meant(one) for (one,) in found), file.path.name)
    if len(frozenset().union(*first_file)) <= 2:
        return None
    seen = [f"{', '.join(sorted(map(repr, labels)))} in {name}" for labels, name in first_file.items() if labels]
    return " and ".join(seen[:3])


def _of_rarest(refusal: str, files: Sequence[DataFile], label: str) -> str:
    """Return where the rarest label that a refusal lists is first, in words."""
    times: Counter[str] = Counter()
    places: dict[str, str] = {}
    for file in files:
        words = f"SELECT {file.word(label)} AS word, row_number() OVER () AS row FROM {file.relation}"
        for word, count, row in file.rows(f"SELECT word, count(*), min(row) FROM ({words}) GROUP BY word ORDER BY 3"):
            if word is not None:
                times[word] += count
                places.setdefault(word, f"{file.format.place(row)} of {file.path.name}")
    if not times:
        return ""
    word = labels.rarest(refusal, times, meant)
    return f"; the first {word!r} is in {places[word]}"
