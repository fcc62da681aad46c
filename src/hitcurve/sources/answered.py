"""Values in the answer of a database that have another type than their column must have."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from hitcurve import _checks
from hitcurve.errors import InputError, ScoreError
from hitcurve.sources.python_numbers import EXACT

_WORDS = {str: "text", bytes: "a blob", float: "a float", int: "a whole number"}
_ROUNDED = r"^-?[0-9]\.[0-9]{6}e[-+][0-9]{2,3}$"  # how the driver of SQLite writes a float beside text


@dataclass(frozen=True)
class Answer:
    """What a database answers to a query, as a reader of Arrow batches.

    Attributes
    ----------
    reader : pyarrow.RecordBatchReader
    query : str
    numbers, names : sequence of str
        Columns of numbers, and of labels and names.
    file : str or None
        Address of the file of SQLite, whose columns hold values of any type; None of another database.
    """

    reader: Any
    query: str
    numbers: Sequence[str]
    names: Sequence[str]
    file: str | None

    def checked(self) -> Any:
        """Return a reader of the same batches that refuses what the driver changed.

        Raises
        ------
        ScoreError, InputError
            If a column of numbers holds anything else; with the first such value and its row.
        """
        arrow = _checks.extra("pyarrow", "sql", "reading a database")
        types, schema = arrow.types, self.reader.schema
        is_number = (types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null)
        for name in dict.fromkeys(self.numbers):
            if schema.names.count(name) == 1 and not any(of(schema.field(name).type) for of in is_number):
                self._refuse_number(name)
        if self.file is None:
            return self.reader
        text = [
            name for name in self.names if schema.names.count(name) == 1 and types.is_string(schema.field(name).type)
        ]
        floats = [
            name
            for name in dict.fromkeys([*self.numbers, *self.names])
            if schema.names.count(name) == 1 and types.is_floating(schema.field(name).type)
        ]
        if not (text or floats):
            return self.reader
        return arrow.RecordBatchReader.from_batches(schema, self._unrounded(text, floats))

    def broken(self, reason: str) -> InputError | None:
        """Return what is wrong where SQLite breaks off at a value of another type; None of anything else."""
        found = re.search(r"Type mismatch in column (\d+): expected (\w+)", reason)
        if found is None or self.file is None:
            return None
        place, expected = int(found[1]), found[2]
        name = self.reader.schema.names[place]
        if name in self.numbers and (odd := self._first_no_number(place)):
            return self._no_number(name, *odd)
        kinds: dict[str, tuple[type, ...]] = {"INT64": (int,), "DOUBLE": (int, float)}
        kind = kinds.get(expected)
        odd = self._first(place, lambda v: isinstance(v, bytes) if kind is None else not isinstance(v, kind))
        if odd is None:
            return None
        row, value = odd
        others = "" if kind is None else f" after {'whole ' if kind == (int,) else ''}numbers"
        to = "REAL" if name in self.numbers else "TEXT"
        return InputError(
            f"{self._column(name)} holds {_shown(value)} in row {row}, which is {_WORDS[type(value)]}{others}: "
            f"CAST({_quoted(name)} AS {to}) in the query gives it one type"
        )

    def _refuse_number(self, name: str) -> None:
        """Refuse a column of numbers that is of another type, unless it has no value."""
        place = self.reader.schema.get_field_index(name)
        odd = self._first_no_number(place) if self.file else self._first_of_batches(name)
        if odd is not None:
            raise self._no_number(name, *odd)

    def _first_no_number(self, place: int) -> tuple[int, Any] | None:
        """Return the first text of SQLite that is not written as a number, or the first text, with its row."""
        return self._first(place, lambda v: isinstance(v, (str, bytes)) and not _is_written_number(v)) or self._first(
            place, lambda value: isinstance(value, str)
        )

    def _first_of_batches(self, name: str) -> tuple[int, Any] | None:
        """Return the first value that is not written as a number, or the first value, with its row."""
        first, before = None, 0
        for batch in self.reader:
            for row, value in enumerate(batch.column(name).to_pylist(), before + 1):
                if value is not None:
                    first = first or (row, value)
                    if not _is_written_number(value):
                        return row, value
            before += batch.num_rows
        return first

    def _no_number(self, name: str, row: int, value: Any) -> ScoreError:
        kind = _WORDS.get(type(value), f"of type {self.reader.schema.field(name).type}")
        column = _quoted(name)
        number = f"CAST({column} AS {'REAL' if self.file else 'double precision'}) in the query makes numbers of it"
        out = "correct it, or leave its row out"
        if self.file is not None:
            out += f" by WHERE typeof({column}) IN ('integer', 'real')"
        return ScoreError(
            f"{self._column(name)} must hold real numbers, got {_shown(value)} in row {row}, which is {kind}: "
            f"{number if _is_written_number(value) else out}"
        )

    def _column(self, name: str) -> str:
        return f"column {name!r} of the answer to the query {self.query!r}"

    def _first(self, place: int, is_odd: Callable[[Any], bool]) -> tuple[int, Any] | None:
        """Return the first odd value of a column with its row, as SQLite holds it."""
        import sqlite3

        try:
            with closing(sqlite3.connect(str(self.file), uri=True)) as connection:
                connection.text_factory = lambda raw: raw.decode(errors="replace")
                for row, values in enumerate(connection.execute(self.query), 1):
                    if values[place] is not None and is_odd(values[place]):
                        return row, values[place]
        except sqlite3.Error:  # what can be read by another driver alone
            return None
        return None

    def _refuse_rounded(self, name: str) -> None:
        """Refuse a column of floats with a whole number that is none of them."""
        place = self.reader.schema.get_field_index(name)
        odd = self._first(place, lambda value: isinstance(value, int) and int(float(value)) != value)
        if odd is not None:
            row, value = odd
            to, gives = ("REAL", "rounds it") if name in self.numbers else ("TEXT", "gives it one type")
            raise InputError(
                f"{self._column(name)} holds {value} in row {row}, a whole number that a column with floats would "
                f"round: CAST({_quoted(name)} AS {to}) in the query {gives}"
            )

    def _unrounded(self, text: Sequence[str], floats: Sequence[str]) -> Iterator[Any]:
        """Yield the batches, and refuse what the driver rounded.

        Floats beside text have six digits, and whole numbers beside floats are the nearest float.
        """
        compute = _checks.extra("pyarrow.compute", "sql", "reading a database")
        left, whole = list(text), list(floats)
        for batch in self.reader:
            for name in list(whole):
                if compute.any(compute.greater_equal(compute.abs(batch.column(name)), float(EXACT))).as_py():
                    whole.remove(name)
                    self._refuse_rounded(name)
            for name in list(left):
                if not compute.any(compute.match_substring_regex(batch.column(name), _ROUNDED)).as_py():
                    continue
                left.remove(name)
                odd = self._first(self.reader.schema.get_field_index(name), lambda value: isinstance(value, float))
                if odd is not None:
                    row, value = odd
                    raise InputError(
                        f"{self._column(name)} holds {_shown(value)} in row {row}, which is a number, beside text: "
                        f"CAST({_quoted(name)} AS TEXT) in the query gives it one type"
                    )
            yield batch


def _is_written_number(value: Any) -> bool:
    try:
        return isinstance(value, str) and "_" not in value and float(value) is not None
    except ValueError:
        return False


def _shown(value: Any) -> str:
    return repr(value if isinstance(value, (str, bytes, int, float)) else str(value))[:60]


def _quoted(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z_]\w*", name) else '"' + name.replace('"', '""') + '"'
