"""A file of markers: which of its columns are markers, labels and clusters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import AnyArray
from hitcurve.errors import EmptyInputError, InputError, MissingValueError, ParameterError
from hitcurve.screens.columns import Columns
from hitcurve.screens.given import written
from hitcurve.screens.given.parts import Given
from hitcurve.screens.given.patterns import matching
from hitcurve.screens.given.typed import ArrowTable, ParquetTable, TypedColumns, as_words, unreadable
from hitcurve.sources.files import duck
from hitcurve.sources.files.datafile import DataFile
from hitcurve.sources.files.formats.arrow import Arrow
from hitcurve.sources.files.numerals import DECIMALS, Absent
from hitcurve.sources.files.opening import open_file


@dataclass(frozen=True)
class MarkerFile:
    """A file with a row for each subject and a column for each marker.

    Attributes
    ----------
    path : Path
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
    """

    path: Path
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
        db = duck.connect([self.path])
        file = open_file(self.path, words, db, absent=self._absent, decimal=self.decimal)
        file.asked.content.check_unpacks()
        names = self._markers(file, words)
        columns, said = numbers_and_words(file, names, words, self._absent, self.decimal)
        ids = None if self.on is None else _ids(self.on, said[self.on], file)
        label = said.get(self.label)
        labels = written.meant(label, self._absent) if label is not None else self._joined(file, ids)
        clusters = None if self.cluster is None else np.array(said[self.cluster], object)
        by = None if self.by is None else np.array(said[self.by], object)
        return Given(columns, labels, clusters, by=by)

    def _markers(self, file: DataFile, words: Sequence[str]) -> list[str]:
        others = [name for name in file.names if name not in words]
        twins = {name for name, times in Counter(others).items() if times > 1}
        if twins:
            raise InputError(f"{file.path.name} has several columns of one name: {rows.some(sorted(twins))}")
        found = others if self.markers is None else matching(self.markers, others, "--columns")
        gone = frozenset(matching(self.omit, file.names, "--omit") if self.omit else ())
        found = [name for name in found if name not in gone]
        if not found:
            raise EmptyInputError(f"there are no markers: {file.path.name} has no columns beside {rows.some(words)}")
        return found

    def _joined(self, file: DataFile, ids: Sequence[str] | None) -> AnyArray:
        """Return the labels of the subjects from the file of labels."""
        if self.labels is None or self.on is None or ids is None:
            raise ParameterError("give the column of the labels (--label)")
        db = duck.connect([self.labels])
        apart = open_file(self.labels, (self.on, self.label), db, absent=self._absent)
        apart.asked.content.check_unpacks()
        columns = ", ".join(apart.word(name) for name in (self.on, self.label))
        found = duck.rows(db, f"SELECT {columns} FROM {apart.relation}", [apart])
        known = _ids(self.on, [one for one, _ in found], apart)
        label_of = dict(zip(known, (label for _, label in found), strict=True))
        lacking = [one for one in ids if one not in label_of]
        if lacking:
            raise MissingValueError(
                f"{len(lacking):,} of {len(ids):,} subjects of {file.path.name} have no label in {apart.path.name} by "
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


def _ids(on: str, found: Sequence[str | None], file: DataFile) -> list[str]:
    gone = sum(one is None or not one.strip() for one in found)
    if gone:
        raise MissingValueError(f"{gone:,} of {len(found):,} rows of {file.path.name} have no {on!r}")
    ids = [str(one).strip() for one in found]
    twins = [name for name, times in Counter(ids).items() if times > 1]
    if twins:
        raise InputError(
            f"{len(twins):,} {'ids repeat' if len(twins) > 1 else 'id repeats'} in {file.path.name} "
            f"({rows.some(twins)}): give every subject one row"
        )
    return ids
