"""Markers in files of text: every value is looked at, and kept as a number."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve._threads import free_addresses
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import EmptyInputError, UnreadableFileError
from hitcurve.rows import size as in_bytes
from hitcurve.screens.columns import Block, DenseBlock, Places, width_of
from hitcurve.screens.wide import ONE_AS_FLOATS
from hitcurve.sources.files import duck
from hitcurve.sources.files.batches import meant as number_of
from hitcurve.sources.files.batches import numbers, places_of
from hitcurve.sources.files.datafile import DataFile
from hitcurve.sources.files.formats.delimited import Delimited
from hitcurve.sources.files.numerals import Absent
from hitcurve.sources.python_numbers import EXACT

_BATCH = 1 << 25  # bytes of text that are read at a time
_OF_THREADS = 96e6  # bytes of address space for a dozen threads
_NUMBER = r"\s*[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:e[-+]?[0-9]+)?|inf(?:inity)?)\s*"
_APART = r"\s*[-+]?[1-9][0-9]{0,2}(?:[,' \u2019\u00a0\u202f][0-9]{3})+(?:\.[0-9]*)?\s*"  # thousands apart
_COMMA = r"\s*[-+]?[0-9]*,[0-9]+\s*"
_BOOLEANS = {"true": 1.0, "false": 0.0}
_TURNED = str.maketrans(".,", ",.")


@dataclass(frozen=True, eq=False)
class ReadColumns:
    """Columns of numbers that were read from a file, by parts of its rows.

    Attributes
    ----------
    parts : sequence of array (m, n_i)
        The columns as rows; nan is missing.
    names : sequence of str
    unreadable : mapping of str to str
    """

    parts: Sequence[Array]
    names: Sequence[str]
    unreadable: Mapping[str, str]

    @cached_property
    def rows(self) -> int:
        """Number of subjects."""
        return sum(part.shape[1] for part in self.parts)

    def blocks(self, numbers: int) -> Iterator[Block]:
        """Yield the columns."""
        width = width_of(numbers, self.rows)
        for first in range(0, len(self.names), width):
            yield self.taken(np.arange(first, min(first + width, len(self.names))))

    def taken(self, places: Places) -> Block:
        """Return a few columns."""
        return DenseBlock(places, np.concatenate([part[places] for part in self.parts], axis=1))


def read(
    file: DataFile, markers: Sequence[str], words: Sequence[str], absent: Absent, decimal: str | None
) -> tuple[ReadColumns, dict[str, list[str | None]]]:
    """Read columns of numbers and columns of words of a text file, all at once.

    Raises
    ------
    UnreadableFileError, EmptyInputError
        If the file is no table, or has no rows.
    """
    wanted = {*markers, *words}
    place = {name: i for i, name in enumerate(file.names) if name in wanted}
    columns = {name: _Column(absent, decimal, file.format.place) for name in markers}
    said: dict[str, list[str | None]] = {name: [] for name in words}
    parts: list[Array] = []
    row = 0
    for batch in _batches(file, markers):
        part, done = _plain(batch, [place[name] for name in markers], absent.more or decimal)
        for i in np.flatnonzero(~done).tolist():
            columns[markers[i]].read(batch.column(place[markers[i]]), part[i], row)
        for name, own in said.items():
            own.extend(batch.column(place[name]).to_pylist())
        parts.append(part)
        row += batch.num_rows
    if not row:
        raise EmptyInputError(f"{file.path.name} has no rows")
    unreadable = {name: column.odd for name, column in columns.items() if column.odd}
    if unreadable:
        kept = np.array([name not in unreadable for name in markers], bool)
        parts = [part[kept] for part in parts]
    return ReadColumns(parts, [name for name in markers if name not in unreadable], unreadable), said


def _batches(file: DataFile, markers: Sequence[str]) -> Iterator[Any]:
    """Yield the rows of a file as words."""
    if not isinstance(file.format, Delimited):  # objects, whose columns are few
        numeric, how = frozenset(markers), file.format
        columns = ", ".join(
            f"{how.number(place) if name in numeric else how.word(place)} AS {place}"
            for name, place in zip(file.names, file.places, strict=True)
        )
        sql = f"SELECT {columns} FROM {file.relation}"
        yield from duck.query(file.asked.db, sql, lambda found: found.to_arrow_table(), [file]).to_batches()
        return
    yield from lines(file, file.format)


def lines(file: DataFile, delimited: Delimited) -> Iterator[Any]:
    """Yield the rows of delimited text as words; DuckDB takes minutes for a hundred thousand columns.

    Raises
    ------
    UnreadableFileError
        If it is no table.
    """
    arrow, csv = (_checks.extra(name, "files", "reading a file") for name in ("pyarrow", "pyarrow.csv"))
    if (free := free_addresses()) < _OF_THREADS:
        # where a thread of Arrow does not start, the others wait for it without end
        raise UnreadableFileError(
            f"the address space of this process has {in_bytes(free)} left, and reading {file.path.name} takes threads, "
            "each with memory of its own: raise the limit (ulimit -v)"
        )
    content = file.asked.content
    size = _BATCH
    # names of columns may hold line ends
    header = 1 + sum(name.count("\n") for name in file.names) if file.asked.header else 0
    while True:
        options = {
            "read_options": csv.ReadOptions(
                column_names=file.places, skip_rows=header + delimited.preface, block_size=size
            ),
            "parse_options": csv.ParseOptions(delimiter=delimited.delimiter, newlines_in_values=True),
            "convert_options": csv.ConvertOptions(
                column_types=dict.fromkeys(file.places, arrow.string()), strings_can_be_null=False
            ),
        }
        begun = False
        try:
            with content.unpacked() as stream:
                for batch in csv.open_csv(stream, **options):
                    begun = True
                    yield batch
            return
        except arrow.ArrowInvalid as error:
            if "straddl" in str(error) and not begun and size < 1 << 30:  # one line is longer
                size *= 8
                continue
            if "Empty CSV file" in str(error):
                return
            raise UnreadableFileError(_complaint(file, str(error))) from None


def _complaint(file: DataFile, reason: str) -> str:
    """Return what pyarrow says of a file as one sentence."""
    name = file.path.name
    found = re.search(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)", reason)
    if found is not None:
        where = f" in row {int(found[1]) - 1}" if found[1] else ""
        return f"{name} has {found[3]} columns{where}, and {found[2]} in its first line"
    if "UTF8" in reason or "UTF-8" in reason:
        return f"{name} is not UTF-8: save it as UTF-8"
    return file.complaint(reason) or f"{name} cannot be read as a table: {reason.splitlines()[0]}"


def _plain(batch: Any, places: Sequence[int], own_words: Any) -> tuple[Array, AnyArray]:
    """Read columns that hold numbers as programs write them, as most do; return also which these are."""
    arrow, compute = (_checks.extra(name, "files", "reading a file") for name in ("pyarrow", "pyarrow.compute"))
    options = compute.CastOptions.safe(arrow.float64())
    out, done = np.empty((len(places), batch.num_rows)), np.zeros(len(places), bool)
    for i, place in enumerate(() if own_words else places):
        try:
            out[i] = numbers(compute.cast(batch.column(place), options=options))
        except arrow.ArrowInvalid:
            continue
        done[i] = True
    with np.errstate(invalid="ignore"):
        done &= ~(np.abs(out, where=done[:, None], out=np.zeros_like(out)) >= EXACT).any(axis=1)
    return out, done


@dataclass(eq=False)
class _Column:
    """What is known of one column of numbers while its rows are read.

    Attributes
    ----------
    odd : str
        What it holds that is no number; empty while there is nothing.
    place : callable
        Returns where a row, counted from 1, is in the file.
    """

    absent: Absent
    decimal: str | None
    place: Callable[[int], str]
    odd: str = ""

    def read(self, words: Any, out: Array, row: int) -> None:
        """Read some rows, the first of which is row ``row`` of the file, from 0."""
        if self.odd:
            return
        coded = words.dictionary_encode()
        every = coded.dictionary.to_pylist()
        values = np.array([*map(self._value, every), np.nan], object)
        places = places_of(coded)
        wrong = np.array([value is None for value in values], bool)
        if wrong.any():
            at = int(np.argmax(wrong[places]))
            self.odd = self._not_a_number(str(every[int(places[at])]), row + at + 1, every)
        elif _become_ties(every, values):
            self.odd = ONE_AS_FLOATS
        else:
            out[:] = values.astype(float)[places]

    def _not_a_number(self, word: str, row: int, every: Sequence[str]) -> str:
        """Return what is no number and where; a decimal mark is advised if it makes numbers of these rows."""
        read = replace(self, decimal=",") if self.decimal is None and re.fullmatch(_COMMA, word) else None
        advice = "; give --decimal ," if read and all(read._value(one) is not None for one in every) else ""
        if self.decimal is not None and replace(self, decimal=None)._value(word) is not None:
            advice = f"; the decimal mark is {self.decimal!r}, as specified"
        if any(sign.isdigit() and not sign.isascii() for sign in word):
            advice = "; numbers are written with the digits 0 to 9"
        return f"it has {word[:40]!r} in {self.place(row)}{advice}"

    def _value(self, word: str) -> float | None:
        """Return what a word means: a number, nan for a missing value, None for anything else."""
        if self.absent.holds(word):
            return np.nan
        text = (word.translate(_TURNED) if self.decimal == "," else word).lower()
        if self.decimal is not None and re.fullmatch(_APART, text):
            return float(re.sub(r"[^-+.\d]", "", text))
        if re.fullmatch(_NUMBER, text):
            number = float(text)
            # beyond the largest float, numbers that differ would be one
            return None if np.isinf(number) and "inf" not in text else number
        return _BOOLEANS.get(text.strip())


def _become_ties(words: Sequence[str], values: AnyArray) -> bool:
    """Say whether whole numbers that differ are one as floats."""
    large = [(word, value) for word, value in zip(words, values, strict=False) if abs(value) >= EXACT]
    whole = {int(word): value for word, value in large if re.fullmatch(r"\s*[-+]?\d+\s*", word)}
    return len(set(whole.values())) < len(whole)


def meant(words: Sequence[str | None], absent: Absent) -> AnyArray:
    """Return what labels mean: numbers where they are written as such, None where they are missing."""
    of_word = {word: None if word is None or absent.holds(word) else number_of(word) for word in dict.fromkeys(words)}
    out = np.empty(len(words), object)
    out[:] = [of_word[word] for word in words]
    return out
