"""Many hit tables as one value: every list is a row of a stack, and a table is one list of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, overload

import numpy as np

from hitcurve import _checks, assumed, units
from hitcurve.adding import check_additive, check_alike, check_same_grid, descending, joined_scores, same_array
from hitcurve.assumed import Assumed
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import EmptyInputError
from hitcurve.grids import CountedLists, GridStack
from hitcurve.parts import Part, parts_of
from hitcurve.queries import lists_of_rows
from hitcurve.ragged import FACTOR, Places, chosen_places, first_of_each, in_lists, rows_of_lists, starts_of
from hitcurve.sources import Block, arrays, in_order
from hitcurve.stack_rows import StackRows
from hitcurve.sums import Lists, Sums
from hitcurve.table import HitTable
from hitcurve.table_rows import WITH_GAPS, Kind, rows_for_a_score


@dataclass(frozen=True, eq=False)
class TableStack(StackRows):
    """The hit tables of many lists: flat columns, one list after another.

    ``stack[i]`` and ``stack[name]`` are the :class:`~hitcurve.HitTable` of one list; a slice, a mask or several places
    give a stack of these lists. Make a stack with :meth:`from_scores` or :meth:`from_tables`; stacks add by name and
    score.

    Attributes
    ----------
    pos, neg : array (N,)
        Positives and negatives of each row of each list: whole numbers, or sums of weights.
    starts : array of int (L + 1,)
        Where each list starts, and where the last one ends.
    names : tuple of str
        The name of each list, no two the same.
    kind : {"full", "collapsed", "binned", "rows", "ranks", "derived"}
        That of every table, see :class:`~hitcurve.HitTable`.
    grid : array or None
        The scores that have a row of their own, descending in each list; None where there are none.
    pos_squares, neg_squares : array (N,) or None
        Sums of squared weights of each row; None without weights.
    assumed_prevalence : float, array (L,) or None
        A prevalence that is assumed instead of the one observed, of all lists or of each.
    unit : float or array (L,)
        Weight of every subject that was counted, of all lists or of each; nan of lists that hold sums of weights beside
        lists that hold counts.

    Examples
    --------
    >>> stack = TableStack.from_scores([1, 0, 1, 0, 0], [5, 4, 3, 2, 1], ["a", "a", "b", "b", "b"])
    >>> len(stack), stack.n.tolist(), stack.n_pos.tolist()
    (2, [2, 3], [1, 1])
    >>> stack["b"]
    HitTable(full, rows=3, n=3, n_pos=1)
    >>> stack[::-1].names
    ('b', 'a')
    """

    # ---- making one

    @classmethod
    def from_scores(
        cls,
        y_true: Any,
        y_score: Any,
        groups: Any,
        *,
        pos_label: Any = None,
        sample_weight: Any = None,
        higher_is_better: bool = True,
        missing: str = "raise",
    ) -> Self:
        """Count labels and scores list by list; every distinct score of a list keeps a row.

        Parameters
        ----------
        y_true, y_score : array-like (n,)
        groups : array-like (n,)
            The name of the list of each subject; lists stand in the order of their names, or of the numbers they are.
        pos_label, sample_weight, higher_is_better, missing
            As in :meth:`hitcurve.HitTable.from_scores`.

        Raises
        ------
        InputError
            One of its kinds, for anything that is not such input.
        """
        block = arrays(
            y_true,
            {"y_score": y_score},
            pos_label=pos_label,
            weight=sample_weight,
            group=groups,
            higher_is_better=higher_is_better,
            missing=missing,
        ).told()
        return cls.full_of_block(block, "y_score")

    @classmethod
    def full_of_block(cls, block: Block, ranker: str) -> Self:
        """Count one ranker of a block with groups, list by list; every distinct score of a list keeps a row."""
        found, code = block.lists
        names = tuple(in_order(found))
        place = {name: i for i, name in enumerate(names)}
        code = np.array([place[name] for name in found], np.intp)[code]
        scores = block.scores[ranker]
        order = in_lists(code, scores)
        sorted_code, sorted_scores = code[order], scores[order]
        first = first_of_each(sorted_code, sorted_scores)
        row = np.empty(order.size, np.intp)
        row[order] = np.cumsum(first) - 1
        sums = Sums.counted(block.positive, row, int(first.sum()), block.weight)
        starts = starts_of(np.bincount(sorted_code[first], minlength=len(names)))
        unit: units.Unit = block.unit
        if block.weight is not None:
            sums, unit = units.counted(sums, starts, units.Extremes.of(block.weight, code, len(names)).unit)
        return cls._of(sums, starts, names, "full", descending(sorted_scores[first]), unit=unit)

    @classmethod
    def of_grids(cls, grids: GridStack, found: CountedLists, names: Sequence[str]) -> Self:
        """Return collapsed tables from counts in the cells of grids."""
        sums, unit = found.in_units(grids.cells)
        return cls._of(sums, grids.cells, tuple(names), "collapsed", descending(grids.scores), unit=unit)

    @classmethod
    def from_frame(cls, frame: Any) -> Self:
        """Take the result of the query that :func:`hitcurve.sql` writes with ``by``; see :meth:`HitTable.from_frame`.

        Parameters
        ----------
        frame : data frame, Arrow table or mapping
            Columns ``list``, ``cell``, ``score``, ``pos`` and ``neg``. Lists are put in the order of the numbers that
            their names are, or of the alphabet.
        """
        lists = lists_of_rows(frame, grouped=True)
        tables = {str(name): HitTable.of_sums(sums, "collapsed", grid) for name, sums, grid in lists}
        return cls.from_tables({name: tables[name] for name in in_order(tables)})

    @classmethod
    def from_tables(cls, tables: Mapping[str, HitTable]) -> Self:
        """Put tables of one kind side by side.

        Parameters
        ----------
        tables : mapping of str to HitTable

        Raises
        ------
        EmptyInputError
            If there is none.
        GridMismatchError, ParameterError
            If they differ in kind, in the type of their scores, or in whether they have an assumed prevalence; if two
            have one name, as 1 and "1"; if one is no table.
        """
        _checks.tables_by_name(tables, HitTable)
        if not tables:
            raise EmptyInputError("no tables: a stack needs at least one list")
        check_alike(tables)
        every = list(tables.values())
        first = every[0]
        weighted = any(table.weighted for table in every)
        columns = zip(*(table.sums.as_weights() if weighted else table.sums for table in every), strict=True)
        joined = [None if column[0] is None else np.concatenate(column) for column in columns]
        sums = Sums(*joined)  # type: ignore[arg-type]
        unit = np.array([math.nan if table.weighted else table.unit for table in every])
        grid = None if first.grid is None else np.concatenate([table.grid for table in every])
        prevalence = assumed.of_each([table.assumed_prevalence for table in every])
        starts = starts_of([table.pos.size for table in every])
        return cls._of(sums, starts, tuple(map(str, tables)), first.kind, grid, prevalence, unit)

    @classmethod
    def _of(
        cls,
        sums: Sums,
        starts: Places,
        names: tuple[str, ...],
        kind: Kind,
        grid: AnyArray | None = None,
        prevalence: Assumed = None,
        unit: units.Unit = 1.0,
    ) -> Self:
        sums, unit = units.settled(sums, unit)
        return cls(sums.pos, sums.neg, starts, names, kind, grid, sums.pos_squares, sums.neg_squares, prevalence, unit)

    # ---- as a sequence of tables

    def __iter__(self) -> Iterator[HitTable]:
        """Go through the tables."""
        return (self[place] for place in range(len(self)))

    @overload
    def __getitem__(self, key: int | str) -> HitTable: ...
    @overload
    def __getitem__(self, key: slice | Sequence[int] | AnyArray) -> TableStack: ...
    def __getitem__(self, key: Any) -> HitTable | TableStack:
        """Return the table of one list by its place or its name, or a stack of several lists.

        Parameters
        ----------
        key : int, str, slice, array of bool (L,) or array of int
            Negative places count from the end, as in numpy.

        Raises
        ------
        ColumnNotFoundError, IndexError, ParameterError
            If there is no such name, no such place, or the key is none of these or takes a list twice.
        """
        if isinstance(key, str):
            key = self.places[_checks.named("list", key, self.places)]
        place = chosen_places(key, len(self))
        if not isinstance(place, int):
            return self.taken(place)
        rows = slice(self.starts[place], self.starts[place + 1])
        grid = None if self.grid is None else self.grid[self._grid_starts[place] : self._grid_starts[place + 1]]
        sums, unit = units.settled(self.sums.each(lambda column: column[rows]), self.units[place : place + 1])
        return HitTable.of_sums(sums, self.kind, grid, assumed.of_one(self.assumed_prevalence, place), float(unit))

    @property
    def _grid_starts(self) -> Places:
        """Where the scores of each list start: a full table has a row for each, a collapsed one two and one more."""
        if self.kind == "full":
            return self.starts
        return np.asarray((self.starts - np.arange(self.starts.size)) // rows_for_a_score(self.kind))

    def scores_at(self, lists: AnyArray, rows: AnyArray) -> Array:
        """Return the score of one row of each of some lists; nan for rows below 0 and for tables without scores."""
        if self.grid is None:
            return np.full(rows.shape, np.nan)
        # between the scores of a collapsed table there are gaps
        own = rows if self.kind in ("full", "binned") else (rows - 1) // 2
        own = np.where(own == np.diff(self._grid_starts)[lists], -1, own)  # below all bins
        found = self.grid[self._grid_starts[lists] + np.maximum(own, 0)]
        return np.where((rows >= 0) & (own >= 0), np.asarray(found, float), np.nan)

    def taken(self, lists: Sequence[int] | AnyArray) -> TableStack:
        """Return some of the lists, in this order: ``stack[lists]``."""
        lists = np.atleast_1d(chosen_places(lists, len(self)))
        where, starts = rows_of_lists(self.starts, lists)
        sums = self.sums.each(lambda column: column[where])
        grid = None if self.grid is None else self.grid[rows_of_lists(self._grid_starts, lists)[0]]
        prevalence = assumed.of_some(self.assumed_prevalence, lists)
        names = tuple(self.names[place] for place in lists.tolist())
        return self._of(sums, starts, names, self.kind, grid, prevalence, self.units[lists])

    def by_name(self) -> TableStack:
        """Return the lists in the order of the numbers that their names are, or of the alphabet."""
        place = {name: i for i, name in enumerate(self.names)}
        order = [place[name] for name in in_order(self.names)]
        return self if order == list(range(len(self))) else self.taken(order)

    def parts(self, factor: float = FACTOR) -> Iterator[Part]:
        """Yield all lists in parts of similar length, padded below with empty rows.

        Parameters
        ----------
        factor : float
            The longest list of a part has at most so many times the rows of the shortest.
        """
        if isinstance(self.unit, np.ndarray) and self.weighted:  # kernels see counts or weights, not both
            for own in (np.flatnonzero(self.whole), np.flatnonzero(~self.whole)):
                yield from (part._replace(places=own[part.places]) for part in self.taken(own).parts(factor))
            return
        gaps = self.kind in WITH_GAPS
        yield from parts_of(Lists(self.sums, self.assumed_prevalence, gaps), self.starts, factor)

    def strict(self, *, positives_first: bool) -> TableStack:
        """Break every tie in favour of the positives or against them; see :meth:`hitcurve.HitTable.best_ties`."""
        sums = self.sums.in_strict_order(positives_first=positives_first)
        starts = starts_of(np.diff(self.starts) + self.n_pos)
        return self._of(sums, starts, self.names, "derived", None, self.assumed_prevalence, self.unit)

    # ---- as a value

    def __add__(self, other: object) -> TableStack:
        """Add lists of one name: over the same grid cell by cell, full tables over the union of their scores.

        Lists that only one side has are kept.

        Raises
        ------
        GridMismatchError
            If tables of one name do not add.
        """
        if not isinstance(other, TableStack):
            return NotImplemented
        check_additive(self.kind, other.kind)
        names = tuple(dict.fromkeys([*self.names, *other.names]))
        place = {name: i for i, name in enumerate(names)}
        sides = [(stack, np.array([place[name] for name in stack.names], np.intp)) for stack in (self, other)]
        prevalence = assumed.united(
            self.assumed_prevalence, sides[0][1], other.assumed_prevalence, sides[1][1], len(names)
        )
        unit = units.united(self.units, sides[0][1], other.units, sides[1][1], len(names))
        columns = [stack.sums for stack, _ in sides]
        if self.weighted or other.weighted or np.isnan(unit).any():
            columns = [units.as_weights(stack.sums, stack.starts, stack.units, unit[own]) for stack, own in sides]
        if self.kind == "full":
            return self._merged(sides, columns, names, prevalence, unit)
        sizes = np.zeros(len(names), np.intp)
        both = np.zeros(len(names), np.intp)
        for stack, own in sides:
            sizes[own] = np.diff(stack.starts)
            both[own] += 1
        for name in np.flatnonzero(both == 2).tolist():
            check_same_grid(self[names[name]], other[names[name]])
        starts = starts_of(sizes)
        moved = []
        for (stack, own), sums in zip(sides, columns, strict=True):
            row = np.repeat(starts[own] - stack.starts[:-1], np.diff(stack.starts)) + np.arange(stack.pos.size)
            moved.append(sums.moved(row, int(starts[-1])))
        grid = None
        if self.grid is not None and other.grid is not None:
            own_starts = starts_of((sizes - 1) // rows_for_a_score(self.kind))
            grid = np.empty(own_starts[-1], np.result_type(self.grid, other.grid))
            for stack, own in sides:
                grid[rows_of_lists(own_starts, own)[0]] = stack.grid
        return self._of(moved[0] + moved[1], starts, names, self.kind, grid, prevalence, unit)

    def __radd__(self, other: object) -> TableStack:
        """Let ``sum(stacks)`` start from 0."""
        return self if other == 0 else NotImplemented

    def _merged(
        self,
        sides: Sequence[tuple[TableStack, Places]],
        columns: Sequence[Sums],
        names: tuple[str, ...],
        prevalence: Assumed,
        unit: Array,
    ) -> TableStack:
        """Merge full tables over the union of the scores of each list."""
        scores = joined_scores(*(np.asarray(stack.grid) for stack, _ in sides))
        code = np.concatenate([np.repeat(own, np.diff(stack.starts)) for stack, own in sides])
        order = in_lists(code, scores)
        first = first_of_each(code[order], scores[order])
        place = np.empty(order.size, np.intp)
        place[order] = np.cumsum(first) - 1
        rows, split = int(first.sum()), self.pos.size
        ends = (place[:split], place[split:])
        moved = [sums.moved(end, rows) for sums, end in zip(columns, ends, strict=True)]
        starts = starts_of(np.bincount(code[order][first], minlength=len(names)))
        return self._of(moved[0] + moved[1], starts, names, "full", scores[order][first], prevalence, unit)

    def at_prevalence(self, prevalence: float | Array) -> TableStack:
        """Assume a prevalence, of all lists or of each; see :meth:`hitcurve.HitTable.at_prevalence`."""
        return replace(self, assumed_prevalence=assumed.checked(prevalence, len(self)))

    def __eq__(self, other: object) -> bool:
        """Compare names, kind, grids, counts, weights and the assumed prevalence, exactly."""
        if not isinstance(other, TableStack):
            return NotImplemented
        return (
            self.names == other.names
            and self.kind == other.kind
            and np.array_equal(self.starts, other.starts)
            and assumed.are_same(self.assumed_prevalence, other.assumed_prevalence)
            and np.array_equal(self.units, other.units, equal_nan=True)
            and same_array(self.grid, other.grid)
            and all(map(same_array, self.sums, other.sums))
        )

    __hash__ = None  # type: ignore[assignment]  # a stack holds arrays

    def __repr__(self) -> str:
        """Say how large the stack is."""
        return f"TableStack({self.kind}, lists={len(self)}, rows={self.pos.size})"
