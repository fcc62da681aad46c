"""The readings of a study: which reader gave which rating to which case with which modality, checked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve._file_names import path_of
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import (
    EmptyInputError,
    InputError,
    LabelError,
    LengthMismatchError,
    MissingValueError,
    ParameterError,
    ScoreError,
)
from hitcurve.immutable import Compared
from hitcurve.inference.design import cluster_degrees
from hitcurve.screens.lists import Flags
from hitcurve.sources import columns as source_columns
from hitcurve.sources import in_order, is_column, labels, pick_columns, put_in_order
from hitcurve.sources.codes import GroupCodes, given_order
from hitcurve.sources.named import codes_of

_TAKEN = "data must be a data frame, a mapping, an Arrow stream or the path of one file"
NESTED = ("cases in readers", "cases in modalities", "readers in modalities")
ONE = "all"
"""Name of the only modality where none is given."""


@dataclass(frozen=True, eq=False)
class Readings(Compared):
    """Ratings as one row for each reader and modality, and a column for each case.

    Attributes
    ----------
    readers, modalities, cases : tuple of str
    reader_of, modality_of : array of int (K,)
        The reader and the modality of each row.
    ratings : array (K, n)
        nan where there is none.
    positive : array of bool (n,)
    clusters : array of int (n,) or None
        The cluster of each case, from 0 on.
    nested : str or None
        One of ``NESTED``; None if every reader reads every case with every modality.
    expected : array of bool (K, n)
        The readings that the design asks for.
    low : bool
        Whether low ratings are of positives.
    notes : tuple of str
        How names were understood.
    """

    readers: tuple[str, ...]
    modalities: tuple[str, ...]
    cases: tuple[str, ...]
    reader_of: AnyArray
    modality_of: AnyArray
    ratings: Array
    positive: Flags
    clusters: AnyArray | None
    nested: str | None
    expected: Flags
    low: bool
    notes: tuple[str, ...] = ()

    @cached_property
    def missing(self) -> Flags:
        """Readings that the design asks for and that are not there, (K, n)."""
        return self.expected & np.isnan(self.ratings)

    @property
    def n_readings(self) -> int:
        """Number of ratings."""
        return int(np.sum(~np.isnan(self.ratings)))

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of positive and of negative cases."""
        positives = int(self.positive.sum())
        return positives, self.positive.size - positives

    @property
    def readers_of_modality(self) -> AnyArray:
        """Number of readers of each modality, (I,)."""
        return np.bincount(self.modality_of, minlength=len(self.modalities))

    def name(self, row: int) -> str:
        """Return the reader and the modality of a row in words."""
        reader = f"reader {self.readers[self.reader_of[row]]}"
        return reader if len(self.modalities) == 1 else f"{reader}, modality {self.modalities[self.modality_of[row]]}"

    def missing_words(self) -> str:
        """Return how many readings are missing, and where."""
        counts = self.missing.sum(axis=1)
        where = [f"{counts[row]} of {self.name(row)}" for row in np.flatnonzero(counts).tolist()]
        more = f" and of {len(where) - 5} more" if len(where) > 5 else ""
        return (
            f"{int(counts.sum()):,} of {int(self.expected.sum()):,} readings are missing ({'; '.join(where[:5])}{more})"
        )


@dataclass(frozen=True)
class Given:
    """Columns as they were given, or their names."""

    truth: Any
    rating: Any
    reader: Any
    modality: Any
    case: Any
    clusters: Any

    def columns(self, data: Any, pos_label: Any) -> dict[str, Any]:
        """Return the columns, taken from a frame or a file where they are names."""
        every = {name: value for name, value in vars(self).items() if value is not None}
        for needed in ("truth", "rating", "reader", "case"):
            if needed not in every:
                raise ParameterError(f"give the {needed} of each reading ({needed}=)")
        if data is None:
            named = [name for name, value in every.items() if isinstance(value, str)]
            if named:
                raise ParameterError(f"{named[0]}={every[named[0]]!r} is the name of a column, which needs data=")
            return every
        wanted = {name: value for name, value in every.items() if is_column(value)}
        if isinstance(data, (str, os.PathLike)):
            other = next((name for name in every if name not in wanted), None)
            if other is not None:
                raise ParameterError(f"with data in a file, {other} is the name of a column")
            from hitcurve.readers.files import read_readings  # as commands do, which read most files of readings

            return read_readings(
                path_of(data), {name: str(value) for name, value in wanted.items()}, pos_label=pos_label
            )
        picked = pick_columns(data, list(dict.fromkeys(wanted.values())), taken=_TAKEN)
        return {name: picked[value] if name in wanted else value for name, value in every.items()}


def readings_of(
    given: Given, data: Any, *, pos_label: Any, higher_is_better: bool, nested: str | None, missing: bool
) -> Readings:
    """Read and check the columns.

    Parameters
    ----------
    missing : bool
        Whether readings may be missing.

    Raises
    ------
    InputError
        One of its kinds, if they are no reader study of this design.
    """
    if nested is not None:
        _checks.choice("nested", nested, NESTED)
    columns = put_in_order(given.columns(data, pos_label))
    rating = source_columns.scores("rating", columns["rating"])
    if not rating.values.size:
        raise EmptyInputError("there are no readings")
    names = {"reader": "readers", "modality": "modalities", "case": "cases", "clusters": "clusters"}
    groups = {name: _named(of, columns[name]) for name, of in names.items() if name in columns}
    orders = {name: given_order(columns[name]) for name in groups}
    truth = source_columns.labels("truth", columns["truth"])
    _same_length({"rating": rating.values, "truth": truth.values} | {name: one.codes for name, one in groups.items()})
    if truth.gone is not None:
        raise MissingValueError(
            f"{int(truth.gone.sum())} of {truth.values.size} truths are missing: a case needs a known truth"
        )
    if rating.values.dtype.kind in "iu" and source_columns.beyond_floats(rating.values):
        raise ScoreError("rating holds whole numbers beyond 2^53, which would become ties: subtract a constant")
    positive, _ = labels.encode(truth.values, pos_label)
    _checks.both_classes(int(positive.sum()), int((~positive).sum()))
    values = np.array(rating.values, float)
    if rating.gone is not None:
        values[rating.gone] = np.nan
    modality = groups.get("modality") or GroupCodes(np.zeros(values.size, np.intp), np.array([ONE], object))
    if nested == "readers in modalities":
        reader = _within(groups["reader"], modality, always=False)
    else:
        reader = _ordered(groups["reader"], orders["reader"])
    outer = {"cases in readers": groups["reader"], "cases in modalities": modality}.get(nested or "")
    case = _ordered(groups["case"]) if outer is None else _within(groups["case"], outer, always=True)
    notes: tuple[str, ...] = ()
    if nested is not None:
        inside = groups["reader" if nested == "readers in modalities" else "case"]
        notes = _about_names(nested, inside, modality if outer is None else outer, positive)
    place = _ordered(modality, orders.get("modality"))
    of_case = _of_cases(case, positive, truth.values, "truth")
    cluster = None
    if "clusters" in groups:
        own = _ordered(groups["clusters"])
        cluster = _of_cases(case, own.codes, np.array(own.names)[own.codes], "cluster")
        cluster_degrees(int(cluster.max()) + 1, np.unique(cluster[of_case]).size)
    found = _arranged(reader, place, case, values, of_case, cluster, nested, low=not higher_is_better, missing=missing)
    return replace(found, notes=notes)


def _named(what: str, values: Any) -> GroupCodes:
    """Return groups whose names are seen; a blank is no name, as in files.

    Raises
    ------
    MissingValueError
    """
    found = codes_of(what, values)
    blank = [place for place, name in enumerate(found.texts) if not name.strip()]
    if blank:
        count = int(np.isin(found.codes, blank).sum())
        raise MissingValueError(f"{count} of {found.codes.size} {what} are blank: {source_columns.NAMELESS[what]}")
    return found


def _about_names(nested: str, inner: GroupCodes, outer: GroupCodes, positive: Flags) -> tuple[str, ...]:
    """Say that names that occur in several places are taken for different readers or cases."""
    pairs = np.unique(np.column_stack([inner.codes, outer.codes]), axis=0)
    several = int(np.sum(np.bincount(pairs[:, 0]) > 1))
    if not several:
        return ()
    what, _, places = nested.partition(" in ")
    if len(pairs) == inner.names.size * outer.names.size > inner.names.size:
        alike = what == "readers" or not np.any(np.bincount(inner.codes, positive) % np.bincount(inner.codes))
        if alike:
            truth = ", each with one truth" if what == "cases" else ""
            return (
                f"all names of {what} occur in all {places}{truth}, and "
                f"nested={nested!r} takes them for different {what}: leave nested out if they are the same",
            )
    return (f"{several:,} of {inner.names.size:,} names of {what} occur in several {places}, as different {what}",)


def _same_length(columns: dict[str, AnyArray]) -> None:
    sizes = {name: column.size for name, column in columns.items()}
    if len(set(sizes.values())) > 1:
        raise LengthMismatchError(f"columns differ in length: {', '.join(f'{n} has {s}' for n, s in sizes.items())}")


@dataclass(frozen=True, eq=False)
class _Coded:
    """The reader, modality or case of each reading, with the names in order."""

    codes: AnyArray
    names: tuple[str, ...]


def _ordered(groups: GroupCodes, order: Sequence[str] | None = None) -> _Coded:
    names = in_order(groups.texts)
    if order is not None:
        names.sort(key=list(order).index)
    place = {name: i for i, name in enumerate(names)}
    if len(place) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"two names are written {twice!r}, one of them as a number: make all of them text")
    return _Coded(np.array([place[name] for name in groups.texts])[groups.codes], tuple(names))


def _within(inner: GroupCodes, outer: GroupCodes, *, always: bool) -> _Coded:
    """Return groups as distinct in each outer group; with the name of that one where needed, or always."""
    one, other = _ordered(inner), _ordered(outer)
    pairs, codes = np.unique(other.codes * len(one.names) + one.codes, return_inverse=True)
    of_outer, of_inner = np.divmod(pairs, len(one.names))
    repeated = always or np.bincount(of_inner).max() > 1
    names = [
        f"{one.names[i]} ({other.names[o]})" if repeated else one.names[i]
        for o, i in zip(of_outer.tolist(), of_inner.tolist(), strict=True)
    ]
    return _Coded(codes, tuple(names))


def _of_cases(case: _Coded, values: AnyArray, shown: AnyArray, what: str) -> AnyArray:
    """Return what all readings of a case share.

    Raises
    ------
    LabelError, InputError
        If readings of one case differ in it.
    """
    first = np.unique(case.codes, return_index=True)[1]
    differs = np.flatnonzero(values != values[first][case.codes])
    if differs.size:
        row = int(differs[0])
        of = int(case.codes[row])
        raise (LabelError if what == "truth" else InputError)(
            f"the {what} of case {case.names[of]} differs between its readings: {shown[first[of]]!s} and "
            f"{shown[row]!s}; if readers or modalities have cases of their own, pass nested= (--nested)"
        )
    return np.asarray(values[first])


def _arranged(
    reader: _Coded,
    modality: _Coded,
    case: _Coded,
    values: Array,
    positive: Flags,
    clusters: AnyArray | None,
    nested: str | None,
    *,
    low: bool,
    missing: bool,
) -> Readings:
    cell = modality.codes * len(reader.names) + reader.codes
    every, row = np.unique(cell, return_inverse=True)
    modality_of, reader_of = np.divmod(every, len(reader.names))
    if nested != "readers in modalities" and every.size < len(reader.names) * len(modality.names):
        there = set(every.tolist())
        lacking = [
            f"reader {reader.names[r]} has no reading with modality {modality.names[m]}"
            for m in range(len(modality.names))
            for r in range(len(reader.names))
            if m * len(reader.names) + r not in there
        ]
        raise InputError(
            f"{lacking[0]}{f' (and {len(lacking) - 1} more)' if lacking[1:] else ''}: leave it out, or pass "
            "nested='readers in modalities' if each reader has one modality"
        )
    _no_duplicates(row, case, reader, modality, every)
    ratings = np.full((every.size, len(case.names)), np.nan)
    ratings[row, case.codes] = values
    expected = np.ones(ratings.shape, bool)
    if nested in ("cases in readers", "cases in modalities"):
        of_row = reader_of if nested == "cases in readers" else modality_of
        owner = np.zeros(len(case.names), int)
        owner[case.codes] = reader.codes if nested == "cases in readers" else modality.codes
        expected = of_row[:, None] == owner
    found = Readings(
        reader.names,
        modality.names,
        case.names,
        reader_of,
        modality_of,
        ratings,
        positive,
        clusters,
        nested,
        expected,
        low,
    )
    if found.missing.any() and not missing:
        raise MissingValueError(f"{found.missing_words()}: {_advice(found)}")
    return found


def _advice(found: Readings) -> str:
    if found.nested is None:
        readers_per_case = [np.unique(found.reader_of[~np.isnan(column)]).size for column in found.ratings.T]
        modalities_per_case = [np.unique(found.modality_of[~np.isnan(column)]).size for column in found.ratings.T]
        if len(found.readers) > 1 and max(readers_per_case) == 1:
            return "every case has one reader, so pass nested='cases in readers'"
        if len(found.modalities) > 1 and max(modalities_per_case) == 1:
            return "every case has one modality, so pass nested='cases in modalities'"
    return "leave these cases out, or pass covariance='unbiased', which takes what was read (for auc)"


def _no_duplicates(row: AnyArray, case: _Coded, reader: _Coded, modality: _Coded, every: AnyArray) -> None:
    place = row * len(case.names) + case.codes
    distinct, counts = np.unique(place, return_counts=True)
    if (counts > 1).any():
        twice = int(np.sum(counts > 1))
        at_row, of_case = divmod(int(distinct[np.argmax(counts > 1)]), len(case.names))
        m, r = divmod(int(every[at_row]), len(reader.names))
        own = "" if len(modality.names) == 1 else f" with modality {modality.names[m]}"
        more = f" ({twice - 1} more are repeated)" if twice > 1 else ""
        alone = ", or name the column of the modalities (modality=, --modality)" if modality.names == (ONE,) else ""
        raise InputError(
            f"reader {reader.names[r]} rated case {case.names[of_case]}{own} {counts.max()} times{more}: keep one "
            f"reading of each reader, modality and case{alone}"
        )


def listed_names(what: str, names: Sequence[str]) -> str:
    """Return how many there are of what, and their names if they are few."""
    return f"{len(names)} {what} ({rows.listed(list(names))})" if len(names) <= 6 else f"{len(names)} {what}"
