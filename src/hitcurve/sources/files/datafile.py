"""One file on disk: what kind it is, which columns it has, what they hold, and the SQL that reads it.

Nothing is left to the guesses of DuckDB, which would skip lines it takes for comments or for a preface, and rename
columns or rewrite dates without a word. Text is read as text, and becomes numbers where all of it is numbers.
"""

from __future__ import annotations

import csv
import glob
import io
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import IO, Any

from hitcurve import _checks
from hitcurve.errors import (
    ColumnNotFoundError,
    EmptyInputError,
    InputError,
    ParameterError,
    ScoreError,
    UnreadableFileError,
)
from hitcurve.sources.files import duck
from hitcurve.sources.files.measures import Measure, is_float, is_whole

_DELIMITERS = (",", ";", "\t", "|")
_MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}
_ENDINGS = {".parquet": "parquet", ".pq": "parquet", ".jsonl": "json", ".ndjson": "json", ".json": "json"}
_CALLED = {"parquet": "Parquet", "json": "JSON"}
_STRANGE = {
    b"PK\x03\x04": "is a zip archive or a spreadsheet: save the table as CSV, or unpack it",
    b"\xd0\xcf\x11\xe0": "is a spreadsheet of Excel: save the table as CSV",
    b"BZh": "is packed by bzip2, which is not read: use gzip or zstd, or none",
    b"\xfd7zXZ": "is packed by xz, which is not read: use gzip or zstd, or none",
    b"7z\xbc\xaf": "is packed by 7-zip, which is not read: use gzip or zstd, or none",
    b"\xff\xfe": "is UTF-16 or UTF-32: save it as UTF-8",
    b"\xfe\xff": "is UTF-16 or UTF-32: save it as UTF-8",
}
_NO_FOLDERS = "hive_partitioning = false"  # a folder named split=test is no column
_START = 1 << 16
_LONGEST = 1 << 24  # first line
_LOOK = 1 << 12  # where a NUL shows that a file is no text

# a number as people write it: DuckDB would also take 1_000 and +-1
_WHOLE = r"\s*[-+]?[0-9]+\s*"
_PADDED = r"\s*[-+]?0[0-9].*"  # 007 is a word
_ABSENT = ("NA", "N/A", "n/a", "null", "NULL", "None", "none", "-", ".", "?")


def expand(name: str) -> list[Path]:
    """Return the files a name stands for: itself, or all that match its wildcards, in alphabetical order.

    Raises
    ------
    UnreadableFileError
        If wildcards match nothing.
    """
    if not glob.has_magic(name) or os.path.lexists(name):
        return [Path(name)]
    found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise UnreadableFileError(f"no file matches {name}")
    return [Path(path) for path in found]


def names_after(paths: Sequence[Path]) -> list[str]:
    """Return what each file is called: its name up to the first dot, or as much as tells it from the others.

    Raises
    ------
    ParameterError
        If a file is given twice.
    """
    whole = [str(path) for path in paths]
    ways = [[path.name.partition(".")[0] or path.name for path in paths], [path.name for path in paths], whole]
    for name in whole:
        if whole.count(name) > 1:
            raise ParameterError(f"{name} is given twice")
    return [next(way[place] for way in ways if way.count(way[place]) == 1) for place in range(len(paths))]


def check_is_file(path: Path) -> os.stat_result:
    """Refuse what is no file.

    Raises
    ------
    UnreadableFileError
        As said.
    """
    try:
        found = path.stat()
    except FileNotFoundError:
        raise UnreadableFileError(f"no file {path}") from None
    except OSError as error:
        raise unreadable(path, error) from None
    if not stat.S_ISREG(found.st_mode):
        raise UnreadableFileError(f"{path} {'is a folder, not a file' if path.is_dir() else 'is not a file'}")
    return found


def unreadable(path: Path, error: OSError) -> UnreadableFileError:
    """Return the refusal of a file that the system does not let us read."""
    return UnreadableFileError(f"cannot read {path}: {error.strerror}")


@dataclass(frozen=True)
class DataFile:
    """A file that is there, is no folder, and holds something.

    Attributes
    ----------
    path : Path
    wanted : tuple of str
        Columns that are needed; they decide on the delimiter of a text file.
    db : DuckDBPyConnection
    header : bool
        Whether the first line of a text file names the columns; they are named 1, 2, ... otherwise.
    """

    path: Path
    wanted: tuple[str, ...]
    db: Any = field(repr=False, compare=False)
    header: bool = True

    def __post_init__(self) -> None:
        self._check_there()
        name = self.path.name
        if self._declared in ("parquet", "json") and self.kind != self._declared:
            raise UnreadableFileError(f"{name} is no {_CALLED[self._declared]} file: it does not begin like one")
        if self.kind == "csv" and b"\x00" in self._start[:_LOOK]:
            line = self._start.split(b"\x00")[0].count(b"\n") + 1
            raise UnreadableFileError(f"{name} is neither text nor Parquet: there is a NUL byte in line {line}")
        for column in self.wanted:
            if column not in self.names:
                near = _checks.did_you_mean(column, self.names) or duck.columns_are(self.names)
                raise ColumnNotFoundError(f"no column {column!r} in {name}{near}")
            if self.names.count(column) > 1:
                raise InputError(f"{name} has {self.names.count(column)} columns named {column!r}: rename all but one")

    # ---- what is there

    def _check_there(self) -> None:
        _ = self.stamp
        for start, meaning in _STRANGE.items():
            if self._raw_start.startswith(start):
                raise UnreadableFileError(f"{self.path.name} {meaning}")
        if self.compression != "none" and self._start.startswith(b"PAR1"):
            raise UnreadableFileError(f"{self.path.name} is a Parquet file that was packed once more: unpack it")
        if not self._start.removeprefix(b"\xef\xbb\xbf").strip():
            raise EmptyInputError(f"{self.path.name} is empty")

    @cached_property
    def stamp(self) -> tuple[int, int]:
        """Return size and time of the last change, to see whether the file changes while it is read."""
        return self._now()

    def _now(self) -> tuple[int, int]:
        found = check_is_file(self.path)
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

    # ---- what it is

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
    def _unpacked(self) -> Iterator[IO[bytes]]:
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
                f"{self.path.name} cannot be unpacked ({self.compression}), it is cut off or damaged: "
                f"{str(error).splitlines()[0]}"
            ) from None

    @cached_property
    def _start(self) -> bytes:
        """Return the beginning of the content."""
        if self.compression == "none":
            return self._raw_start
        with self._unpacked() as stream:
            return bytes(stream.read(_START))

    def check_whole(self) -> None:
        """Unpack a packed file to its end: DuckDB passes over checksums, and over an end that is missing.

        Raises
        ------
        UnreadableFileError
            If it is cut off or damaged.
        """
        if self.compression != "none":
            with self._unpacked() as stream:
                while stream.read(1 << 20):
                    pass

    @property
    def _declared(self) -> str | None:
        name = self.path.name.lower()
        for ending in (".gz", ".zst"):
            name = name.removesuffix(ending)
        return next((kind for ending, kind in _ENDINGS.items() if name.endswith(ending)), None)

    @cached_property
    def kind(self) -> str:
        """What the file is: parquet, json or csv (any delimiter), by its first bytes."""
        if self._raw_start.startswith(b"PAR1"):
            return "parquet"
        start = self._start.removeprefix(b"\xef\xbb\xbf")
        looks = rb"\s*[\[{]" if self._declared == "json" else rb'\s*(\[\s*)?\{\s*"'
        return "json" if re.match(looks, start) else "csv"

    # ---- its columns

    @cached_property
    def names(self) -> list[str]:
        """Names of the columns."""
        if self.kind == "csv":
            return self._split[1]
        return self._keys if self.kind == "json" else self._parquet_names

    @cached_property
    def _split(self) -> tuple[str, list[str]]:
        """Return the delimiter of a text file and its first line: the first under which all columns are there."""
        start = self._start
        if len(start) == _START and not re.search(rb"[\r\n]", start):  # thousands of columns
            with self._unpacked() as stream:
                start = bytes(stream.read(_LONGEST))
        # the last character may be cut in two
        text = start.decode("utf-8-sig", errors="replace")
        if not text.partition("\n")[0].strip():
            raise InputError(f"line 1 of {self.path.name} is empty: the table must begin there")
        marks = _DELIMITERS if self.header else (*_DELIMITERS, " ")
        first = {mark: _first_line(text, mark) for mark in marks}
        names = {mark: line if self.header else _numbered(line) for mark, line in first.items()}
        fitting = [mark for mark in marks if set(self.wanted) <= set(names[mark])]
        chosen = fitting[0] if fitting else max(marks, key=lambda mark: len(names[mark]))
        if any("\ufffd" in name for name in names[chosen]):
            raise UnreadableFileError(f"line 1 of {self.path.name} is not UTF-8: save it as UTF-8")
        # DuckDB takes the first line end for that of all lines, and would find no rows
        if "\r" in text and any("\n" in cell for cell in first[chosen]):
            raise InputError(f"line 1 of {self.path.name} goes on in line 2: write it without line ends in quotes")
        return chosen, names[chosen]

    @cached_property
    def _keys(self) -> list[str]:
        """Return the keys of all objects of a JSON file."""
        found = self._rows(
            "SELECT key, bool_or(again) FROM (SELECT unnest(keys) AS key, unnest(range(len(keys))) AS place, "
            "list_unique(keys) < len(keys) AS again FROM (SELECT DISTINCT CASE json_type(json) WHEN 'OBJECT' "
            f"THEN json_keys(json) ELSE [NULL] END AS keys FROM {self._objects})) GROUP BY key ORDER BY min(place), key"
        )
        keys = [key for key, _ in found]
        if None in keys:
            value, where = self.first("CAST(json AS VARCHAR)", "json_type(json) <> 'OBJECT'", self._objects)
            raise UnreadableFileError(f"{self.path.name} holds {value[:60]!r} in {where}, not an object of columns")
        if any(again for _, again in found):
            keys_of = "json_keys(json)"
            value, where = self.first(
                "CAST(json AS VARCHAR)", f"list_unique({keys_of}) < len({keys_of})", self._objects
            )
            raise InputError(f"{self.path.name} has a key twice in {where}: {value[:60]!r}")
        if not keys:
            raise EmptyInputError(f"{self.path.name} has no rows")
        return keys

    @cached_property
    def _parquet_names(self) -> list[str]:
        parquet = _checks.extra("pyarrow.parquet", "files", "reading a file")
        try:
            names = list(parquet.read_schema(self.path).names)
        except (OSError, ValueError) as error:
            raise UnreadableFileError(
                f"{self.path.name} cannot be read as a table: it is cut off or no Parquet file "
                f"({str(error).splitlines()[0][:120]})"
            ) from None
        if not names:
            raise EmptyInputError(f"{self.path.name} has no columns")
        return names

    @cached_property
    def nameable(self) -> dict[str, str]:
        """Return the columns that can be named in SQL, by their place there: those that do not differ in case only."""
        times = Counter(name.lower() for name in self.names)
        placed = zip(self.names, self._places, strict=True)
        return {name: place for name, place in placed if name and times[name.lower()] == 1}

    def column(self, name: str) -> str:
        """Return the name a column has in SQL: its place, which is safe and unique."""
        return self._places[self.names.index(name)]

    @cached_property
    def _places(self) -> list[str]:
        prefix = "c"
        while any(name.lower().startswith(prefix) for name in self.names):
            prefix += "_"
        return [f"{prefix}{place}" for place in range(len(self.names))]

    # ---- SQL

    @cached_property
    def relation(self) -> str:
        """Return the SQL that reads the file as it is, its columns named by place."""
        if self.kind == "parquet":
            return f"read_parquet({self._literal}, {_NO_FOLDERS}) AS t({', '.join(self._places)})"
        if self.kind == "csv":
            columns = ", ".join(f"'{place}': 'VARCHAR'" for place in self._places)
            return (
                f"read_csv({self._literal}, columns = {{{columns}}}, auto_detect = false, "
                f"header = {str(self.header).lower()}, skip = 0, comment = '', delim = '{self._split[0]}', "
                "quote = '\"', escape = '\"', null_padding = false, ignore_errors = false, strict_mode = true, "
                f"compression = '{self.compression}', {_NO_FOLDERS})"
            )
        # json pointers, since columns of read_json must not differ in case only
        picked = ", ".join(
            f"json_extract(json, {duck.text(_pointer(name))}) AS {place}"
            for name, place in zip(self.names, self._places, strict=True)
        )
        return f"(SELECT {picked} FROM {self._objects})"

    @property
    def _objects(self) -> str:
        return (
            f"read_json_objects({self._literal}, format = 'auto', compression = '{self.compression}', "
            f"maximum_object_size = 67108864, {_NO_FOLDERS})"
        )

    @property
    def _literal(self) -> str:
        # a bracketed wildcard stands for itself: exactly the named file is read
        return duck.text(re.sub(r"([*?\[])", r"[\1]", str(self.path)))

    def word(self, name: str) -> str:
        """Return the SQL of a column as words."""
        column = self.column(name)
        return f"({column} ->> '$')" if self.kind == "json" else f"CAST({column} AS VARCHAR)"

    def number(self, name: str, kind: str, measure: Measure) -> str:
        """Return the SQL of a column of numbers as a type that holds them."""
        written = self._written(name)
        return f"CAST({f'CAST({written} AS BOOLEAN)' if measure.words else written} AS {kind})"

    def _written(self, name: str) -> str:
        """Return the SQL of a column as it is written in the file, so that "3" in JSON is no 3."""
        column = self.column(name)
        return f"nullif(CAST({column} AS VARCHAR), 'null')" if self.kind == "json" else column

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return duck.rows(self.db, sql, [self])

    # ---- what the columns hold

    def measure(self, names: Sequence[str]) -> dict[str, Measure]:
        """Return what columns of numbers hold; one without any value has an empty measure.

        Raises
        ------
        ScoreError
            If one holds anything else, with the first such value and its line.
        EmptyInputError
            If the file has no rows.
        """
        return self._measure_typed(names) if self.kind == "parquet" else self._measure_text(names)

    def _measure_typed(self, names: Sequence[str]) -> dict[str, Measure]:
        numeric = {name: self._numeric(name) for name in names}
        ends = ", ".join(f"min({sql}), max({sql})" for sql in numeric.values())
        total, *found = self._rows(f"SELECT count(*), {ends} FROM {self.relation}")[0]
        self._check_rows(total)
        out = {}
        for name, low, high in zip(names, found[::2], found[1::2], strict=True):
            kind = self.types[name]
            if low is None:
                out[name] = Measure()
            elif is_float(kind) or (kind.startswith("DECIMAL") and not kind.endswith(",0)")):
                out[name] = Measure(floats=kind if is_float(kind) else "DOUBLE")
            else:
                out[name] = Measure((int(low), int(high)), kind=kind if is_whole(kind) else None)
        return out

    def _numeric(self, name: str) -> str:
        column, kind = self.column(name), self.types[name]
        if is_whole(kind) or is_float(kind) or kind.startswith("DECIMAL"):
            return column
        value, where = self.first(f"CAST({column} AS VARCHAR)", f"{column} IS NOT NULL", self.relation)
        if value is None:
            return column
        raise ScoreError(
            f"column {name!r} of {self.path.name} must hold real numbers, got {value[:60]!r} in {where}, "
            f"which is of type {kind.partition('(')[0]}"
        )

    def _measure_text(self, names: Sequence[str]) -> dict[str, Measure]:
        classes = {name: _class_of(self._written(name)) for name in names}
        columns = ", ".join(f"{sql} AS k{i}, {self._written(n)} AS t{i}" for i, (n, sql) in enumerate(classes.items()))
        counts = [
            f"count(*) FILTER (k{i} = 'float'), count(*) FILTER (k{i} = 'bool'), count(*) FILTER (k{i} = 'odd'), "
            f"min(CASE WHEN k{i} = 'whole' THEN CAST(t{i} AS HUGEINT) END), "
            f"max(CASE WHEN k{i} = 'whole' THEN CAST(t{i} AS HUGEINT) END)"
            for i in range(len(names))
        ]
        total, *found = self._rows(
            f"SELECT count(*), {', '.join(counts)} FROM (SELECT {columns} FROM {self.relation})"
        )[0]
        self._check_rows(total)
        out = {}
        for i, name in enumerate(names):
            floats, booleans, odd, low, high = found[5 * i : 5 * i + 5]
            mixed = bool(booleans and (floats or low is not None))
            if odd or mixed:
                wrong = "('odd', 'bool')" if mixed else "('odd')"
                raise self._no_number(name, f"{classes[name]} IN {wrong}")
            whole = (0, 1) if booleans else None if low is None else (int(low), int(high))
            out[name] = Measure(whole, "DOUBLE" if floats else None, "BOOLEAN" if booleans else None, bool(booleans))
        return out

    def _no_number(self, name: str, condition: str) -> ScoreError:
        value, where = self.first(self._written(name), condition, self.relation)
        advice = ""
        if value in _ABSENT:
            advice = "; a missing value is left empty, or written nan"
        elif re.fullmatch(r"\s*[-+]?\d[\d.,' \u00a0\u202f]*\s*", value):
            advice = (
                "; whole numbers have at most 64 bits"
                if value.strip("+- ").isdigit()
                else "; numbers are written with a decimal point, and without separators"
            )
        return ScoreError(
            f"column {name!r} of {self.path.name} must hold real numbers, got {value[:60]!r} in {where}{advice}"
        )

    def _check_rows(self, total: int) -> None:
        if not total:
            raise EmptyInputError(f"{self.path.name} has no rows")

    @cached_property
    def types(self) -> dict[str, str]:
        """Return the SQL types of the wanted columns of a typed file."""
        return self._described({name: self.column(name) for name in self.wanted})

    def _described(self, columns: Mapping[str, str]) -> dict[str, str]:
        described = self._rows(f"DESCRIBE SELECT {', '.join(columns.values())} FROM {self.relation}")
        return {name: row[1] for name, row in zip(columns, described, strict=True)}

    def types_in(self, condition: str) -> dict[str, str]:
        """Return the SQL types of the columns that can be named, as far as a condition may depend on them."""
        if self.kind == "parquet":
            return self._described(self.nameable) if self.nameable else {}
        said = condition.lower().replace('""', '"')
        spoken = [name for name in self.nameable if name.lower() in said or "columns" in said]
        classes = {name: (self._written(name), _class_of(self._written(name))) for name in spoken}
        counts = [
            f"count({c}), count(*) FILTER ({kind} = 'whole'), count(TRY_CAST({c} AS BIGINT)), "
            f"count(*) FILTER ({kind} = 'float'), count(*) FILTER (regexp_full_match({c}, '{_PADDED}')), "
            f"count(*) FILTER ({kind} = 'bool'), "
            f"count(CASE WHEN {c} LIKE '____-__-__%' THEN TRY_CAST({c} AS TIMESTAMP) END)"
            for c, kind in classes.values()
        ]
        found = self._rows(f"SELECT {', '.join(counts)} FROM {self.relation}")[0] if counts else ()
        out = dict.fromkeys(self.nameable, "VARCHAR")
        for i, name in enumerate(spoken):
            there, whole, fit, floats, padded, booleans, times = found[7 * i : 7 * i + 7]
            fits = {
                "BIGINT": whole == fit == there and not padded,
                "HUGEINT": whole == there and not padded,
                "DOUBLE": whole + floats == there and not padded,
                "BOOLEAN": booleans == there,
                "TIMESTAMP": times == there,
            }
            out[name] = next((kind for kind, all_fit in fits.items() if there and all_fit), "VARCHAR")
        return out

    def named(self, types: Mapping[str, str]) -> str:
        """Return the SQL of the columns a condition may name, in these types."""
        return ", ".join(f"{self._typed(name, kind)} AS {duck.quoted(name)}" for name, kind in types.items())

    def _typed(self, name: str, kind: str) -> str:
        if self.kind == "parquet":
            return self.column(name)
        return self.word(name) if kind == "VARCHAR" else f"CAST({self._written(name)} AS {kind})"

    # ---- places

    def first(self, value: str, condition: str, relation: str) -> tuple[Any, str]:
        """Return a value of the first row that meets a condition and its place in words; None if there is none."""
        found = self._rows(
            f"SELECT value, row FROM (SELECT {value} AS value, {condition} AS hit, row_number() OVER () AS row "
            f"FROM {relation}) WHERE hit ORDER BY row LIMIT 1"
        )
        return (found[0][0], self.place(found[0][1])) if found else (None, "")

    def place(self, row: int) -> str:
        """Return where a row, counted from 1, is in the file: its line, where it has one."""
        if self.kind == "parquet":
            return f"row {row}"
        is_text = self.kind == "csv"
        line = self._line_of(row + self.header, empty=False) if is_text else self._line_of_object(row)
        return f"line {line}" if line else f"record {row}"

    def line_of_record(self, record: int) -> int | None:
        """Return the line in which a record of a text file begins; the first is the header, and empty lines count."""
        return self._line_of(record, empty=True) if self.kind == "csv" else None

    def _line_of(self, record: int, *, empty: bool) -> int | None:
        with self._text() as text:
            reader = csv.reader(text, delimiter=self._split[0])
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

    def _line_of_object(self, row: int) -> int | None:
        with self._text() as text:
            filled = ((place, line.strip()) for place, line in enumerate(text, start=1) if line.strip())
            place, line = next(islice(filled, row - 1, None), (None, ""))
        return place if line.startswith("{") and line.endswith("}") else None

    def line_that_is_no_json(self) -> int | None:
        """Return the first line that is no JSON, None where values go over several lines."""
        seen = False
        with self._text() as text:
            for place, line in enumerate(text, start=1):
                try:
                    seen = bool(not line.strip() or json.loads(line)) or seen
                except ValueError:
                    return place if seen else None
        return None

    @contextmanager
    def _text(self) -> Iterator[io.TextIOWrapper]:
        with self._unpacked() as stream, io.TextIOWrapper(stream, "utf-8-sig", "replace", newline="") as text:
            yield text


def _first_line(text: str, mark: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(text, newline=""), delimiter=mark), [])
    except csv.Error:  # thousands of columns are one that is too long, under another mark
        return []


def _numbered(line: Sequence[str]) -> list[str]:
    return [str(place + 1) for place in range(len(line))]


def _pointer(key: str) -> str:
    return "/" + key.replace("~", "~0").replace("/", "~1")


def _class_of(text: str) -> str:
    """Return the SQL that says what a text is: a whole number, a float (nan is one), a boolean, odd, or NULL."""
    return (
        f"CASE WHEN {text} IS NULL THEN NULL "
        f"WHEN regexp_full_match({text}, '{_WHOLE}') THEN CASE WHEN TRY_CAST({text} AS HUGEINT) "
        "BETWEEN -9223372036854775808 AND 18446744073709551615 THEN 'whole' ELSE 'odd' END "
        f"WHEN TRY_CAST({text} AS DOUBLE) IS NOT NULL AND NOT contains({text}, '_') AND NOT contains({text}, '+-') "
        f"THEN 'float' WHEN lower({text}) IN ('true', 'false') THEN 'bool' ELSE 'odd' END"
    )
