"""The hit tables of several rankers of the same subjects, as one value that is written, read and merged."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from hitcurve import _checks, rows, stored
from hitcurve.errors import GridMismatchError, InputError, ParameterError, UnreadableFileError
from hitcurve.immutable import ReadOnly
from hitcurve.piles import from_its_end, piling
from hitcurve.sources import Tally, label_as_text
from hitcurve.stack import TableStack
from hitcurve.table import HitTable

Table: TypeAlias = HitTable | TableStack
_OF_FILES = re.compile(r"tables of (\d+) files")
_OF_LABELS = "tables with different labels of the positives were added: "
_TYPES: dict[str, type[HitTable] | type[TableStack]] = {"HitTable": HitTable, "TableStack": TableStack}


class CountedAs(NamedTuple):
    """What tables that add must agree in, beside their scores.

    Attributes
    ----------
    positives : frozenset of str
        Labels that count as positive, as text; empty if that is not known.
    weighted : bool or None
        Whether subjects had weights; None if that is not known.
    by : str or None
        Column of the groups.
    """

    positives: frozenset[str] = frozenset()
    weighted: bool | None = None
    by: str | None = None


@dataclass(frozen=True, eq=False)
class Tables(Mapping[str, Table]):
    """The hit tables of several rankers, with the direction of their scores, the rows read and notes on the data.

    A mapping of rankers to :class:`HitTable`, or to :class:`TableStack` where subjects are in groups: what
    ``evaluate(tables=...)`` takes. Tables of other subjects on the same scores add.

    Attributes
    ----------
    tables : mapping of str to HitTable or TableStack
    tally : Tally or None
        Rows read, dropped and ranked last; None if it is not known.
    lower_is_better : frozenset of str
        Rankers whose scores were negated before they were counted.
    notes : tuple of str
        How the data were read.
    counted_as : CountedAs
        The labels of the positives, whether there were weights, and the column of the groups, as far as they are known.

    Raises
    ------
    InputError, ParameterError
        If there is no table, or one is none.

    Examples
    --------
    >>> import os, tempfile
    >>> import hitcurve as hc
    >>> path = os.path.join(tempfile.mkdtemp(), "day.hit")
    >>> day = hc.Tables({"a": hc.HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])})
    >>> (day + day)["a"].n
    8
    >>> day.save(path)
    >>> hc.load_tables(path) == day
    True
    """

    tables: Mapping[str, Table]
    tally: Tally | None = None
    lower_is_better: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    counted_as: CountedAs = CountedAs()

    def __post_init__(self) -> None:
        _checks.tables_by_name(self.tables, HitTable, TableStack)
        if not self.tables:
            raise InputError("no tables: there is no ranker")
        _checks.distinct("ranker", [str(name) for name in self.tables])
        object.__setattr__(self, "tables", ReadOnly({str(name): table for name, table in self.tables.items()}))

    def __getitem__(self, ranker: str) -> Table:
        """Return the table of one ranker.

        Raises
        ------
        ColumnNotFoundError
            If there is no such ranker.
        """
        return self.tables[_checks.named("ranker", ranker, self.tables)]

    def __iter__(self) -> Iterator[str]:
        """Go through the rankers."""
        return iter(self.tables)

    def __len__(self) -> int:
        """Return the number of rankers."""
        return len(self.tables)

    def __eq__(self, other: object) -> bool:
        """Compare tables, numbers of rows, directions, notes and how subjects were counted, exactly."""
        if not isinstance(other, Tables):
            return NotImplemented
        known = [(one.tally, one.lower_is_better, one.notes, one.counted_as) for one in (self, other)]
        return known[0] == known[1] and dict(self.tables) == dict(other.tables)

    __hash__ = None  # type: ignore[assignment]  # a table holds arrays

    def __repr__(self) -> str:
        """Name the rankers."""
        return f"Tables({', '.join(f'{rows.in_line(name)}: {table!r}' for name, table in self.tables.items())})"

    def __add__(self, other: object) -> Tables:
        """Add the tables of other subjects, ranker by ranker.

        Raises
        ------
        GridMismatchError
            If the rankers, their directions or the scores they were counted on differ, the positives of one are
            negatives of the other, or one has weights and the other has none.
        """
        if not isinstance(other, Tables):
            return NotImplemented
        self.check_counted_alike(other)
        tables: dict[str, Table] = {}
        for name, table in self.tables.items():
            try:
                tables[name] = table + other[name]
            except GridMismatchError as error:
                raise GridMismatchError(f"tables of {name!r}: {error}") from None
        tally = None if self.tally is None or other.tally is None else self.tally + other.tally
        return Tables(tables, tally, self.lower_is_better, _notes_of([self, other]), self._counted_as_both(other))

    def check_counted_alike(self, other: Tables) -> None:
        """Refuse tables of other rankers, directions or classes, weights beside counts, and groups beside none.

        Raises
        ------
        GridMismatchError
        """
        if set(self) != set(other):
            named = " and ".join(", ".join(map(repr, side)) for side in (self, other))
            both = next((name for name in self if name in other), None)
            way = "" if both is None else f", or keep those that both have (hitcurve merge --ranker {both})"
            raise GridMismatchError(
                f"tables of different rankers do not add: {named}; count both with the same scores (--score){way}"
            )
        for name in self:
            ways = (name in self.lower_is_better, name in other.lower_is_better)
            check_same_direction(f"tables of {name!r} do not add", *ways)
            if type(self[name]) is not type(other[name]):
                raise GridMismatchError(
                    f"tables of {name!r} do not add: one has groups and the other has none; count both with the column "
                    "of groups (by, --by), or both without"
                )
        check_same_classes("tables do not add", self, other)
        check_same_weighting("tables with and without weights do not add", self, other)

    def _counted_as_both(self, other: Tables) -> CountedAs:
        """Return what both agree in."""
        a, b = self.counted_as, other.counted_as
        return CountedAs(
            a.positives | b.positives if a.positives and b.positives else frozenset(),
            a.weighted if a.weighted == b.weighted else self.weighted,
            a.by if a.by == b.by else None,
        )

    @property
    def negatives(self) -> frozenset[str]:
        """Labels that count as negative, as text, as far as they are known."""
        if not self.counted_as.positives or self.tally is None:
            return frozenset()
        return frozenset(map(label_as_text, self.tally.vocabulary)) - self.counted_as.positives

    @property
    def weighted(self) -> bool:
        """Whether subjects had weights, as far as it is known."""
        if self.counted_as.weighted is not None:
            return self.counted_as.weighted
        return any(table.weighted for table in self.tables.values())

    def __radd__(self, other: object) -> Tables:
        """Let ``sum(days)`` start from 0."""
        return self if other == 0 else NotImplemented

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all tables to a file, atomically; see :meth:`HitTable.save`.

        Raises
        ------
        UnreadableFileError, ParameterError, MissingExtraError
        """
        heads = [{"ranker": name, **stored.fields_of(table)} for name, table in self.tables.items()]
        about = {
            "tally": stored.tally_out(self.tally),
            "lower_is_better": sorted(self.lower_is_better),
            "notes": list(self.notes),
            "counted_as": {**self.counted_as._asdict(), "positives": sorted(self.counted_as.positives)},
        }
        stored.write(path, stored.Stored(heads, about))


def check_same_direction(refused: str, lower_in_one: bool, lower_in_other: bool) -> None:
    """Refuse two tables if lower scores are better in one of them only.

    Raises
    ------
    GridMismatchError
    """
    if lower_in_one != lower_in_other:
        raise GridMismatchError(
            f"{refused}: lower is better in one and higher in the other; count both in one direction"
        )


def check_same_weighting(refused: str, one: Tables, other: Tables) -> None:
    """Refuse weights beside counts.

    Raises
    ------
    GridMismatchError
    """
    if one.weighted != other.weighted:
        raise GridMismatchError(f"{refused}: count both with the column of weights, or both without")


def check_same_classes(refused: str, one: Tables, other: Tables) -> None:
    """Refuse tables if the positives of one are the negatives of the other.

    Raises
    ------
    GridMismatchError
    """
    swapped = (one.counted_as.positives & other.negatives) | (other.counted_as.positives & one.negatives)
    if swapped:
        raise GridMismatchError(
            f"{refused}: {min(swapped)} is the label of positives in one and of negatives in the other; count both "
            "with one positive label (pos_label, --positive)"
        )


def load_tables(path: str | os.PathLike[str]) -> Tables:
    """Read the tables of all rankers of a file.

    Parameters
    ----------
    path : str or path
        A file written by :meth:`Tables.save`, :meth:`HitTable.save` or ``hitcurve table``.

    Returns
    -------
    Tables
        A single table without a name is called ``score``.

    Raises
    ------
    UnreadableFileError
        If the file is not there, contains no tables, is damaged, or was written by a later version.
    """
    found = stored.read(path)
    tables = {"score" if own.get("ranker") is None else own["ranker"]: _table(path, own) for own in found.tables}
    return Tables(
        tables,
        stored.tally_in(found.about.get("tally")),
        frozenset(found.about.get("lower_is_better", ())),
        tuple(found.about.get("notes", ())),
        _counted_as(found.about.get("counted_as", {})),
    )


def _counted_as(written: Mapping[str, Any]) -> CountedAs:
    known = {name: written[name] for name in CountedAs._fields if name in written}
    return CountedAs(**{**known, "positives": frozenset(known.get("positives", ()))})


def load_table(path: str | os.PathLike[str]) -> Table:
    """Read the only table of a file.

    A table alone does not say whether scores were negated before they were counted. A file that says they were is
    refused: the tables of :func:`load_tables` keep it, and add in one direction only.

    Parameters
    ----------
    path : str or path
        A file written by :meth:`HitTable.save`, :meth:`TableStack.save` or ``hitcurve table``.

    Returns
    -------
    HitTable or TableStack

    Raises
    ------
    ParameterError
        If the file has several rankers, or scores of which lower is better, which :func:`load_tables` reads.
    UnreadableFileError
        If the file is not there, contains no tables, is damaged, or was written by a later version.

    Examples
    --------
    >>> import os, tempfile
    >>> import hitcurve as hc
    >>> path = os.path.join(tempfile.mkdtemp(), "reader.hit")
    >>> hc.HitTable.from_counts(pos=[10, 18, 25], neg=[1, 11, 44]).save(path)
    >>> hc.load_table(path)
    HitTable(rows, rows=3, n=109, n_pos=53)
    """
    found = load_tables(path)
    if len(found) > 1:
        raise ParameterError(
            f"{Path(path).name} has the tables of {len(found)} rankers: take one of load_tables, such as "
            f"load_tables(path)[{next(iter(found))!r}]"
        )
    ((name, table),) = found.items()
    if name in found.lower_is_better:
        raise ParameterError(
            f"{Path(path).name} counts scores of which lower is better, and a table alone does not keep that: use "
            f"load_tables, whose tables add in one direction only, or its table load_tables(path)[{name!r}]"
        )
    return table


def _table(path: str | os.PathLike[str], own: Mapping[str, Any]) -> Table:
    """Return a table of its fields, if they belong together."""
    columns = {name: value for name, value in own.items() if name not in ("ranker", "type")}
    kind = _TYPES.get(own["type"])
    try:
        if kind is None:
            raise ValueError(own["type"])
        table = kind(**columns)
        rows = table.pos.size
        fits = all(one is None or one.size == rows for one in (table.neg, table.pos_squares, table.neg_squares))
        if isinstance(table, TableStack):
            fits &= table.starts.size == len(table.names) + 1 and table.starts[-1] == rows
        if not fits:
            raise ValueError("columns of different length")
        stored.check_numbers(table)
    except (TypeError, ValueError) as error:
        raise UnreadableFileError(f"{Path(path).name} is damaged: {error}") from None
    return table


def _same_bins(files: Mapping[str, Tables]) -> str:
    """Say how files get the same bins, since the grid of a collapsed table lacks the scores of other positives."""
    names = list(files)
    binned = next((name for name in names if all(table.kind == "binned" for table in files[name].values())), None)
    if binned is None:
        return f"with --bins for {names[0]} and --grid {names[0]} for the others"
    return f"with --grid {binned} for the others"


def merged(files: Mapping[str, Tables]) -> Tables:
    """Add the tables of several files.

    Raises
    ------
    GridMismatchError
        If they do not add, with the name of the file and the way out.
    """

    def add(left: tuple[str, Tables], right: tuple[str, Tables]) -> tuple[str, Tables]:
        (first, total), (name, other) = left, right
        way_out = ""
        try:
            total.check_counted_alike(other)
            way_out = f" (hitcurve table with --full for every file, or {_same_bins(files)})"
            return first, total + other
        except GridMismatchError as error:
            raise GridMismatchError(f"{name} does not add to {first}: {error}{way_out}") from None

    # tables of all scores grow with each file: each of their rows is added a few times, not once for each file after
    in_piles = piling(add, lambda one: sum(table.pos.size for table in one[1].values()))
    _, total = from_its_end(reduce(in_piles, (((name, own),) for name, own in files.items())), add)
    return replace(total, notes=_notes_of(files.values(), of_files=True)) if len(files) > 1 else total


def _notes_of(added: Collection[Tables], *, of_files: bool = False) -> tuple[str, ...]:
    """Return the notes of tables that are added, with the number of files in all of them where it is known."""
    numbers = [[int(found[1]) for note in one.notes if (found := _OF_FILES.fullmatch(note))] for one in added]
    notes = dict.fromkeys(note for one in added for note in one.notes if not _OF_FILES.fullmatch(note))
    files = sum(max(own, default=1) for own in numbers)
    of_number = (f"tables of {files} files",) if of_files or any(numbers) else ()
    others = tuple(note for note in notes if not note.startswith(_OF_LABELS))
    of_labels = tuple(note for note in notes if note.startswith(_OF_LABELS))
    labels = {one.counted_as.positives for one in added if one.counted_as.positives}
    if labels and (of_labels or any(not a & b for a in labels for b in labels)):
        of_labels = (_OF_LABELS + ", ".join(sorted(frozenset[str]().union(*labels))),)
    return (*others, *of_labels, *of_number)
