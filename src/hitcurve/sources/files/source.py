"""Files -> blocks: the needed columns, rows chosen and joined, in chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from hitcurve import _checks
from hitcurve.errors import EmptyInputError, InputError, LabelError, MissingValueError, ParameterError, ScoreError
from hitcurve.sources.block import Block, Reading, missing_error
from hitcurve.sources.files import duck
from hitcurve.sources.files.datafile import DataFile

T = TypeVar("T")
PER_ID = ("refuse", "best", "mean")
_ROWS = 1 << 18  # a chunk: large enough to count fast, small enough to stay out of the way
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT")
_NUMBERS = (*_WHOLE, "DOUBLE", "FLOAT", "BOOLEAN")
_KEPT = "subjects"  # the table that a join or a choice among rows of one id is kept in


@dataclass(frozen=True)
class Join:
    """Subjects that are known by an id.

    Attributes
    ----------
    on : str
        Column of the ids, in every file.
    labels : Path or None
        A file of labels that is joined to the scores.
    per_id : {"refuse", "best", "mean"}
        What to do with several rows of one id: refuse, the best score of each ranker (the best pose of a
        molecule), or the mean score.
    """

    on: str
    labels: Path | None = None
    per_id: str = "refuse"

    def __post_init__(self) -> None:
        _checks.choice("--per-id", self.per_id, PER_ID)


@dataclass(frozen=True)
class FileSource:
    """One table in one or several files: CSV with any usual delimiter, Parquet or JSON lines, plain or packed.

    Attributes
    ----------
    paths : tuple of Path
        Files that are read one after another.
    label : str or None
        Column of the labels; None for the only column of the label file beside the id.
    rankers : tuple of str
        Columns of the scores.
    reading : Reading
    weight : str or None
        Column of the weights.
    where : str or None
        SQL condition on the columns of the files of scores; other rows are not read.
    join : Join or None
    header : bool
        Whether text files begin with the names of the columns; they are named 1, 2, ... otherwise.
    watch : callable or None
        Called with the number of rows of each chunk that was read.
    """

    paths: tuple[Path, ...]
    label: str | None
    rankers: tuple[str, ...]
    reading: Reading
    weight: str | None = None
    where: str | None = None
    join: Join | None = None
    header: bool = True
    watch: Callable[[int], None] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not self.paths:
            raise ParameterError("no file given")
        if self.label is None and not self._labels_apart:
            raise ParameterError("say which column holds the labels (--label)")
        self.reading.check_rankers(self.rankers)
        for file in self._every_file:
            _ = file.stamp
        for file in self._files:
            if self.where is not None:
                duck.check_condition(self._db, self.where, list(_unambiguous(file.names).values()))
            for name in self._measured:
                self._check_numbers(file, name)
        if self.join is not None:
            self._check_ids()

    def __getstate__(self) -> dict[str, Any]:
        """Leave the connection behind: what is pickled opens its own."""
        return {name: value for name, value in self.__dict__.items() if name in self.__dataclass_fields__}

    # ---- the files

    @property
    def _labels_apart(self) -> bool:
        return self.join is not None and self.join.labels is not None

    @property
    def _measured(self) -> list[str]:
        return [*self.rankers, *([self.weight] if self.weight else [])]

    @cached_property
    def _files(self) -> list[DataFile]:
        ids = [self.join.on] if self.join else []
        words = [*ids, *([] if self._labels_apart else [str(self.label)])]
        needed = tuple(dict.fromkeys([*words, *self._measured]))
        return [DataFile(path, needed, tuple(words), self.header) for path in self.paths]

    @cached_property
    def _label_file(self) -> DataFile | None:
        """Return the file of the labels, if they are apart."""
        if self.join is None or self.join.labels is None:
            return None
        on = self.join.on
        label = self.label
        if label is None:
            others = [name for name in DataFile(self.join.labels, (on,), (on,)).names if name != on]
            if len(others) != 1:
                shown = ", ".join(map(repr, others[:8])) or "none"
                raise ParameterError(f"say which column of {self.join.labels.name} is the label (--label): {shown}")
            label = others[0]
        return DataFile(self.join.labels, (on, label), (on, label))

    @property
    def _every_file(self) -> list[DataFile]:
        return [*self._files, *([self._label_file] if self._label_file else [])]

    @property
    def _name(self) -> str:
        return self._files[0].path.name if len(self._files) == 1 else f"{len(self._files)} files"

    @cached_property
    def _db(self) -> Any:
        return duck.connect()

    def _rows(self, sql: str) -> list[tuple[Any, ...]]:
        return duck.rows(self._db, sql, [file.path for file in self._every_file], self._as_text)

    @property
    def _as_text(self) -> str | None:
        texts = [file.as_text for file in self._every_file if file.as_text]
        return " UNION ALL ".join(texts) or None

    # ---- types of the scores

    def _check_numbers(self, file: DataFile, name: str) -> None:
        column = file.column(name)
        kind = file.types[column]
        if kind in _NUMBERS or kind.startswith("DECIMAL") or column in self._floats(file):
            return
        # the first value that is no number, and its line
        is_number = _is_number(column)
        found = self._rows(
            f"SELECT {column}, row FROM (SELECT {column}, row_number() OVER () AS row FROM {file.relation()}) "
            f"WHERE NOT {is_number} ORDER BY row LIMIT 1"
        )
        if not found:
            if not self._rows(f"SELECT 1 FROM {file.relation()} WHERE {column} IS NOT NULL LIMIT 1"):
                raise EmptyInputError(f"{file.path.name} has no rows with a value of {name!r}")
            raise ScoreError(f"column {name!r} of {file.path.name} must hold real numbers, got {kind}")
        value, row = found[0]
        line = f"line {row + (file.kind == 'csv' and self.header)}" if file.kind != "parquet" else f"row {row}"
        raise ScoreError(
            f"column {name!r} of {file.path.name} must hold real numbers, got {str(value)[:60]!r} in {line}"
        )

    def _floats(self, file: DataFile) -> frozenset[str]:
        """Return the columns of a text file that were taken for text but hold numbers, as inf and +4 are written."""
        if file not in self._float_columns:
            columns = [file.column(name) for name in self._measured]
            texts = [column for column in columns if file.types[column] == "VARCHAR"] if file.kind == "csv" else []
            fits: Sequence[bool] = []
            if texts:
                counts = ", ".join(f"count({c}) > 0 AND count(*) FILTER (NOT {_is_number(c)}) = 0" for c in texts)
                fits = self._rows(f"SELECT {counts} FROM {file.relation()}")[0]
            self._float_columns[file] = frozenset(c for c, fit in zip(texts, fits, strict=True) if fit)
        return self._float_columns[file]

    @cached_property
    def _float_columns(self) -> dict[DataFile, frozenset[str]]:
        return {}

    # ---- the relation: label, s0, s1, ..., weight

    @property
    def _score_columns(self) -> list[str]:
        return [f"s{place}" for place in range(len(self.rankers))]

    def _of_file(self, file: DataFile) -> str:
        types = dict.fromkeys(sorted(self._floats(file)), "DOUBLE")
        picked = []
        if self.join is not None:
            picked.append(f"CAST({file.column(self.join.on)} AS VARCHAR) AS id")
        if not self._labels_apart:
            picked.append(f"CAST({file.column(str(self.label))} AS VARCHAR) AS label")
        for place, name in zip([*self._score_columns, "weight"], [*self.rankers, self.weight], strict=True):
            if name is not None:
                column = file.column(name)
                decimal = file.types[column].startswith("DECIMAL")
                picked.append(f"{f'CAST({column} AS DOUBLE)' if decimal else column} AS {place}")
        columns, relation = ", ".join(picked), file.relation(types)
        if self.where is None:
            return f"SELECT {columns} FROM {relation}"
        named = ", ".join(f"{place} AS {duck.quoted(name)}" for place, name in _unambiguous(file.names).items())
        # a line of its own: a comment in the condition must not swallow what follows
        return f"SELECT {columns} FROM (SELECT *, {named} FROM {relation}) WHERE (\n{self.where}\n)"

    @property
    def _scores(self) -> str:
        return " UNION ALL ".join(f"({self._of_file(file)})" for file in self._files)

    @property
    def _labels(self) -> str:
        file = self._label_file
        if file is None or self.join is None:
            return f"SELECT id, label FROM ({self._scores})"
        label = next(name for name in file.wanted if name != self.join.on)
        return (
            f"SELECT CAST({file.column(self.join.on)} AS VARCHAR) AS id, "
            f"CAST({file.column(label)} AS VARCHAR) AS label FROM {file.relation()}"
        )

    @cached_property
    def _relation(self) -> str:
        columns = ", ".join(["label", *self._score_columns, *(["weight"] if self.weight else [])])
        if self.join is None:
            return f"SELECT {columns} FROM ({self._scores})"
        if self.join.per_id == "refuse" and not self._labels_apart:
            return f"SELECT {columns} FROM ({self._scores})"
        self._rows(
            f"CREATE OR REPLACE TEMP TABLE {_KEPT} AS SELECT {columns} FROM ({self._one_row_per_id}) ORDER BY id"
        )
        return f"SELECT {columns} FROM {_KEPT}"

    @property
    def _one_row_per_id(self) -> str:
        if self.join is None or self.join.per_id == "refuse":
            scores = self._scores
        else:
            picked = ["id", *([] if self._labels_apart else ["any_value(label) AS label"])]
            picked += [
                f"{self._of_poses(column, name)} AS {column}"
                for column, name in zip(self._score_columns, self.rankers, strict=True)
            ]
            picked += ["any_value(weight) AS weight"] if self.weight else []
            scores = f"SELECT {', '.join(picked)} FROM ({self._scores}) GROUP BY id"
        if not self._labels_apart:
            return scores
        columns = ", ".join(["label", *self._score_columns, *(["weight"] if self.weight else [])])
        labels = f"SELECT id, any_value(label) AS label FROM ({self._labels}) GROUP BY id"
        both = f"({scores}) s FULL OUTER JOIN ({labels}) l ON s.id = l.id"
        return f"SELECT coalesce(s.id, l.id) AS id, {columns} FROM {both}"

    def _of_poses(self, column: str, ranker: str) -> str:
        there = f"FILTER ({column} IS NOT NULL AND NOT isnan(CAST({column} AS DOUBLE)))"
        if self.join is not None and self.join.per_id == "mean":
            return f"avg(CAST({column} AS DOUBLE) ORDER BY {column}) {there}"  # in a fixed order: the same digits
        return f"{'max' if self.reading.is_high_good(ranker) else 'min'}({column}) {there}"

    # ---- ids

    def _check_ids(self) -> None:
        """Refuse ids that are missing, repeated without a policy, of two labels, or in one file only."""
        where = self._name
        label_name = self._label_file.path.name if self._label_file else where
        sides = [(where, self._scores), *([(label_name, self._labels)] if self._labels_apart else [])]
        for name, relation in sides:
            gone, total = self._rows(f"SELECT count(*) FILTER (id IS NULL), count(*) FROM ({relation})")[0]
            if gone:
                raise MissingValueError(f"{gone} of {total} rows of {name} have no {self._on!r}: an id is needed")
            if self._per_id == "refuse":
                self._check_distinct(name, relation)
        two = self._rows(
            f"SELECT id, min(label), max(label) FROM ({self._labels}) GROUP BY id "
            "HAVING min(label) <> max(label) ORDER BY id LIMIT 1"
        )
        if two:
            raise LabelError(
                f"{self._on} {two[0][0]!r} has two labels in {label_name}: {two[0][1]!r} and {two[0][2]!r}"
            )
        if self._per_id != "refuse":
            self._check_poses()
        if self._labels_apart:
            self._check_match(where, label_name)

    @property
    def _on(self) -> str:
        return self.join.on if self.join else ""

    @property
    def _per_id(self) -> str:
        return self.join.per_id if self.join else "refuse"

    def _check_distinct(self, name: str, relation: str) -> None:
        twice = self._rows(
            f"SELECT count(*), any_value(id ORDER BY id), any_value(k ORDER BY id) FROM "
            f"(SELECT id, count(*) AS k FROM ({relation}) GROUP BY id HAVING count(*) > 1)"
        )[0]
        if twice[0]:
            raise InputError(
                f"{twice[0]} {'ids repeat' if twice[0] > 1 else 'id repeats'} in {name}, such as {twice[1]!r} "
                f"({twice[2]} rows): take the best or the mean score of each with --per-id best or --per-id mean"
            )

    def _check_poses(self) -> None:
        if self.weight:
            two = self._rows(
                f"SELECT id FROM ({self._scores}) GROUP BY id HAVING min(weight) <> max(weight) ORDER BY id LIMIT 1"
            )
            if two:
                raise InputError(f"{self._on} {two[0][0]!r} has rows of different weights in {self._name}")
        for column, name in zip(self._score_columns, self.rankers, strict=True):
            gone, total = self._rows(f"SELECT count(*) FILTER ({_is_missing(column)}), count(*) FROM ({self._scores})")[
                0
            ]
            if gone and self.reading.missing == "raise":
                raise missing_error(f"score {name!r}", gone, total)

    def _check_match(self, where: str, label_name: str) -> None:
        both, only_scores, only_labels, example, other = self._match
        if not both:
            raise InputError(
                f"no {self._on} of {where} is in {label_name}: they look like {example!r} and like {other!r}"
            )
        if (only_scores or only_labels) and self.reading.missing == "raise":
            parts = [
                *([f"{only_scores} of {where} have no label (such as {example!r})"] if only_scores else []),
                *([f"{only_labels} of {label_name} have no score (such as {other!r})"] if only_labels else []),
            ]
            raise MissingValueError(
                f"by {self._on!r}, {both} subjects match, {' and '.join(parts)}: leave those out with --missing drop, "
                "or rank what has no score last with --missing last"
            )

    @cached_property
    def _match(self) -> tuple[int, int, int, str | None, str | None]:
        """Return how many ids are in both, only with a score, only with a label, and an example of the last two."""
        both, scores, labels, example, other = self._rows(
            f"SELECT count(*) FILTER (s.id IS NOT NULL AND l.id IS NOT NULL), count(*) FILTER (l.id IS NULL), "
            f"count(*) FILTER (s.id IS NULL), min(s.id) FILTER (l.id IS NULL), min(l.id) FILTER (s.id IS NULL) "
            f"FROM (SELECT DISTINCT id FROM ({self._scores})) s "
            f"FULL OUTER JOIN (SELECT DISTINCT id FROM ({self._labels})) l ON s.id = l.id"
        )[0]
        return both, scores, labels, example, other

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What happened on the way to the subjects, in words."""
        said = []
        if self.where is not None:
            said.append(f"rows where {self.where}")
        if self._labels_apart:
            both, only_scores, only_labels, *_ = self._match
            said.append(
                f"joined by {self._on!r}: {both} matched, {only_scores} without a label, {only_labels} without a score"
            )
        if self._per_id != "refuse":
            rows, ids = self._rows(f"SELECT count(*), count(DISTINCT id) FROM ({self._scores})")[0]
            said.append(f"{self._per_id} score of each {self._on!r}: {rows} rows of {ids} ids")
            for column, name in zip(self._score_columns, self.rankers, strict=True):
                gone = self._rows(f"SELECT count(*) FILTER ({_is_missing(column)}) FROM ({self._scores})")[0][0]
                if gone:
                    said.append(f"{gone} rows without a score {name!r} were passed over where their id has another")
        return tuple(said)

    # ---- as a source

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Read the files once: apply ``map`` to every chunk, combine in the order of the files."""

        def fold(found: Any) -> T:
            parts = (map(block) for block in self._blocks(found))
            try:
                first = next(parts)
            except StopIteration:
                which = "" if self.where is None else f" where {self.where}"
                raise EmptyInputError(f"{self._name} has no rows{which}") from None
            return reduce(combine, parts, first)

        paths = [file.path for file in self._every_file]
        try:
            total = duck.query(self._db, self._relation, fold, paths, self._as_text)
        except MissingValueError:
            raise self._count_missing() from None
        for file in self._every_file:
            file.check_unchanged()
        return total

    def _count_missing(self) -> MissingValueError:
        """Return the refusal of missing values with the numbers of all rows, not of one chunk."""
        what = {"label": "label", **{f"score {n!r}": c for n, c in zip(self.rankers, self._score_columns, strict=True)}}
        gone = ", ".join(f"count(*) FILTER ({_is_missing(column)})" for column in what.values())
        rows, *counts = self._rows(f"SELECT count(*), {gone} FROM ({self._relation})")[0]
        name, count = next(((name, count) for name, count in zip(what, counts, strict=True) if count), ("value", 1))
        return missing_error(name, count, rows)

    def _blocks(self, found: Any) -> Iterator[Block]:
        first_row = 0
        with found.to_arrow_reader(_ROWS) as reader:
            for batch in reader:
                label = _array(batch.column(0), text=True)
                scores = {name: _array(batch.column(1 + place)) for place, name in enumerate(self.rankers)}
                weight = _array(batch.column(1 + len(self.rankers))) if self.weight else None
                yield self.reading.block(label, scores, weight, first_row=first_row)
                first_row += batch.num_rows
                if self.watch is not None:
                    self.watch(batch.num_rows)


def _unambiguous(names: Sequence[str]) -> dict[str, str]:
    """Return the names by place, without those that differ from an earlier one in case only: SQL cannot tell."""
    seen: set[str] = set()
    out = {}
    for place, name in enumerate(names):
        if name.lower() not in seen and name:
            out[f"c{place}"] = name
            seen.add(name.lower())
    return out


def _is_missing(column: str) -> str:
    return f"{column} IS NULL OR lower(trim(CAST({column} AS VARCHAR))) IN ('nan', '-nan', '+nan')"


def _is_number(column: str) -> str:
    """Return the SQL that says whether a text is a number as people write them."""
    pattern = r"\s*[-+]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?|inf|infinity|nan)\s*"
    return f"coalesce(regexp_full_match(CAST({column} AS VARCHAR), '{pattern}', 'i'), true)"


def _array(column: Any, *, text: bool = False) -> np.ndarray[Any, Any]:
    """Return an Arrow column as an array; labels that are written as numbers become numbers."""
    if text:
        codes = column.dictionary_encode()
        words = [_meant(word) for word in codes.dictionary.to_pylist()]
        meaning = np.empty(len(words) + 1, dtype=object)
        meaning[:-1] = words
        meaning[-1] = None
        return np.asarray(meaning[codes.indices.fill_null(len(words)).to_numpy(zero_copy_only=False)])
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
