"""Files of markers: which of their columns are markers, labels and clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import compress
from pathlib import Path
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve._callers import warn
from hitcurve.counts import AnyArray
from hitcurve.errors import EmptyInputError, HitcurveWarning, InputError, MissingValueError, ParameterError
from hitcurve.screens.columns import Columns
from hitcurve.screens.given import written
from hitcurve.screens.given.chosen import chosen_rows
from hitcurve.screens.given.parts import Given
from hitcurve.screens.given.patterns import matching
from hitcurve.screens.given.stacked import Stacked
from hitcurve.screens.given.subset import SomeRows
from hitcurve.screens.given.typed import ArrowTable, ParquetTable, TypedColumns, as_words, unreadable
from hitcurve.sources.columns import NAMELESS
from hitcurve.sources.files import duck
from hitcurve.sources.files.datafile import DataFile
from hitcurve.sources.files.formats.arrow import Arrow
from hitcurve.sources.files.numerals import DECIMALS, Absent
from hitcurve.sources.files.opening import open_file
from hitcurve.sources.files.parts import open_parts


@dataclass(frozen=True)
class MarkerFile:
    """A table with a row for each subject and a column for each marker, in one or several files.

    Attributes
    ----------
    paths : sequence of Path
        Files with the same columns, one below the other.
    label : str
        Column of the labels, in this file or in that of ``labels``.
    cluster : str or None
        Column of the clusters.
    markers : str, sequence of str or None
        Names or patterns of the markers; None for all other columns.
    omit : sequence of str
        Names or patterns of columns that are no markers.
    labels : Path or None
        A file of the labels, joined by the column ``on``.
    on : str or None
        Column of subject ids.
    na : sequence of str
        Words for missing values beside the usual ones.
    decimal : {".", ","} or None
        The decimal mark of text files.
    pos_label : object
        The positive label, which is never missing.
    by : str or None
        Column of the groups of the subjects.
    where : str or None
        SQL condition on the columns of these files; other rows are left out.
    """

    paths: Sequence[Path]
    label: str
    cluster: str | None = None
    markers: str | Sequence[str] | None = None
    omit: Sequence[str] = ()
    labels: Path | None = None
    on: str | None = None
    na: Sequence[str] = ()
    decimal: str | None = None
    pos_label: Any = None
    by: str | None = None
    where: str | None = None

    def __post_init__(self) -> None:
        if self.decimal is not None:
            _checks.choice("decimal", self.decimal, DECIMALS)
        if self.labels is not None and self.on is None:
            raise ParameterError("--labels needs the column of subject ids: name it with --on")

    @property
    def _absent(self) -> Absent:
        return Absent(tuple(self.na), self.pos_label)

    def read(self) -> Given:
        """Return the markers, which are read when they are asked for if the format allows it, and the labels.

        Raises
        ------
        InputError
            One of its kinds, if the file is no table or lacks a column.
        """
        own = [self.on, self.cluster, self.by, None if self.labels is not None else self.label]
        words = tuple(dict.fromkeys(name for name in own if name is not None))
        db = duck.connect(list(self.paths))
        how: dict[str, Any] = {"absent": self._absent, "decimal": self.decimal, "condition": self.where or ""}
        files, notes = open_parts(self.paths, words, db, **how)
        for note in notes:
            warn(HitcurveWarning(note))
        names = self._markers(files, words)
        parts = [numbers_and_words(file, names, words, self._absent, self.decimal) for file in files]
        columns: Columns = parts[0][0] if len(parts) == 1 else Stacked([part for part, _ in parts])
        said = {name: [word for _, own in parts for word in own[name]] for name in words}
        if self.where is not None:
            where, pairs = self.where, zip(files, parts, strict=True)
            chosen = np.concatenate([chosen_rows(file, where, part.rows) for file, (part, _) in pairs])
            if not chosen.any():
                raise EmptyInputError(f"no row of {self._name} is one where {self.where}")
            columns = SomeRows(columns, chosen)
            said = {name: list(compress(own, chosen.tolist())) for name, own in said.items()}
        ids = None if self.on is None else _ids(self.on, said[self.on], self._name)
        label = None if self.labels is not None else said[self.label]
        labels = written.meant(label, self._absent) if label is not None else self._joined(ids)
        clusters = None if self.cluster is None else self._named("clusters", self.cluster, said)
        by = None if self.by is None else self._named("groups", self.by, said)
        return Given(columns, labels, clusters, by=by)

    @property
    def _name(self) -> str:
        return self.paths[0].name if len(self.paths) == 1 else f"{len(self.paths)} files"

    def _markers(self, files: Sequence[DataFile], words: Sequence[str]) -> list[str]:
        found = self._markers_of(files[0], words)
        for file in files[1:]:
            own = self._markers_of(file, words)
            if set(own) != set(found):
                apart = [name for name in (*found, *own) if (name in found) != (name in own)]
                raise InputError(
                    f"{file.path.name} and {files[0].path.name} differ in markers ({rows.some(apart)}): choose those "
                    "that all files have with --columns or --omit"
                )
        return found

    def _markers_of(self, file: DataFile, words: Sequence[str]) -> list[str]:
        others = [name for name in file.names if name not in words]
        twins = {name for name, times in Counter(others).items() if times > 1}
        if twins:
            raise InputError(f"{file.path.name} has several columns of one name: {rows.some(sorted(twins))}")
        named = [self.markers] if isinstance(self.markers, str) else self.markers or ()
        if self.labels is not None and self.label in others and self.label not in named:
            # what it holds are labels of these subjects, and no marker
            others.remove(self.label)
            warn(
                HitcurveWarning(
                    f"column {self.label!r} of {file.path.name} is left out: labels are those of {self.labels.name}"
                )
            )
        found = others if self.markers is None else matching(self.markers, others, "--columns")
        gone = frozenset(matching(self.omit, file.names, "--omit") if self.omit else ())
        found = [name for name in found if name not in gone]
        if not found:
            raise EmptyInputError(f"there are no markers: {file.path.name} has no columns beside {rows.some(words)}")
        return found

    def _named(self, what: str, column: str, said: Mapping[str, Sequence[str | None]]) -> AnyArray:
        """Return a column of names.

        NA and other usual words for a missing value are missing where all other names are numbers.

        Raises
        ------
        MissingValueError
            If a name is missing.
        """
        words = [None if word is None else word.strip() for word in said[column]]
        of_numbers = all(self._absent.holds(word) or _is_number(word) for word in words if word is not None)
        never = ("", "nan", "-nan", "+nan")
        lacking = [
            word is None or word.lower() in never or word in self.na or (of_numbers and self._absent.holds(word))
            for word in words
        ]
        if any(lacking):
            raise MissingValueError(
                f"{sum(lacking)} of {len(words)} values of {column!r} are missing: {NAMELESS[what]}"
            )
        taken = Counter(word for word in words if word is not None and self._absent.holds(word))
        for word, count in sorted(taken.items()):
            warn(
                HitcurveWarning(
                    f"{word!r} in column {column!r} is read as a name, in {count:,} rows: if it means a missing value, "
                    f"give --na {word}"
                )
            )
        return np.array(said[column], object)

    def _joined(self, ids: Sequence[str] | None) -> AnyArray:
        """Return the labels of the subjects from the file of labels."""
        if self.labels is None or self.on is None or ids is None:
            raise ParameterError("give the column of the labels (--label)")
        db = duck.connect([self.labels])
        apart = open_file(self.labels, (self.on, self.label), db, absent=self._absent)
        apart.check_end()
        columns = ", ".join(apart.word(name) for name in (self.on, self.label))
        found = duck.rows(db, f"SELECT {columns} FROM {apart.relation}", [apart])
        known = _ids(self.on, [one for one, _ in found], apart.path.name)
        label_of = dict(zip(known, (label for _, label in found), strict=True))
        lacking = [one for one in ids if one not in label_of]
        if lacking:
            raise MissingValueError(
                f"{len(lacking):,} of {len(ids):,} subjects of {self._name} have no label in {apart.path.name} by "
                f"{self.on!r} ({rows.some(lacking)}): add their labels, or leave these rows out"
            )
        return written.meant([label_of[one] for one in ids], self._absent)


def numbers_and_words(
    file: DataFile, names: Sequence[str], words: Sequence[str], absent: Absent, decimal: str | None
) -> tuple[Columns, dict[str, list[str | None]]]:
    """Return columns of numbers, which are read when they are asked for if the format allows it, and those of words.

    Raises
    ------
    EmptyInputError, UnreadableFileError
        If the file has no rows, or is no table.
    """
    if not file.format.typed:
        return written.read(file, names, words, absent, decimal)
    content = file.asked.content
    table = ArrowTable(file.format) if isinstance(file.format, Arrow) else ParquetTable(content)
    if not table.rows:
        raise EmptyInputError(f"{file.path.name} has no rows")
    other = unreadable(file, table, names)
    kept = [name for name in names if name not in other]
    columns = TypedColumns(table, content, kept, other, absent.numbers)
    found = table.read(words)
    return columns, {name: as_words(found.column(name)) for name in words}


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _ids(on: str, found: Sequence[str | None], name: str) -> list[str]:
    gone = sum(one is None or not one.strip() for one in found)
    if gone:
        raise MissingValueError(f"{gone:,} of {len(found):,} rows of {name} have no {on!r}")
    ids = [str(one).strip() for one in found]
    twins = [one for one, times in Counter(ids).items() if times > 1]
    if twins:
        raise InputError(
            f"{len(twins):,} {'ids repeat' if len(twins) > 1 else 'id repeats'} in {name} "
            f"({rows.some(twins)}): give every subject one row"
        )
    return ids
