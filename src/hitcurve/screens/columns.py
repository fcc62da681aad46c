"""Where markers come from: a matrix, a data frame or a sparse matrix, handed out by blocks of columns.

A block has its columns as rows, one after another in memory. A new kind of data is one more class with ``rows``,
``names``, ``unreadable``, ``blocks`` and ``taken``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.counts import AnyArray
from hitcurve.errors import EmptyInputError, InputError, LengthMismatchError, ParameterError
from hitcurve.immutable import Viewed
from hitcurve.screens.wide import ONE_AS_FLOATS, column_of, of_mapping, side_by_side, table_of_objects, with_gaps

Places: TypeAlias = npt.NDArray[np.intp]

SLAB = 1 << 22  # numbers that are read from a matrix at a time, so that each page of a file is read once


@dataclass(frozen=True)
class DenseBlock:
    """Some columns, each with a value for every subject.

    Attributes
    ----------
    places : array of int (w,)
        Where the columns stand among all.
    values : array (w, n)
        Real numbers; nan is missing.
    """

    places: Places
    values: AnyArray

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.values)

    @property
    def n(self) -> int:
        """Number of subjects."""
        return int(self.values.shape[1])

    def filled(self) -> AnyArray:
        """Return the value of each subject, (w, n)."""
        return self.values

    def kept(self, which: AnyArray) -> DenseBlock:
        """Return some of the columns."""
        return DenseBlock(self.places[which], self.values[which])


@dataclass(frozen=True)
class SparseBlock:
    """Some columns, most values of which are 0.

    Attributes
    ----------
    places : array of int (w,)
        Where the columns stand among all.
    starts : array of int (w + 1,)
        Where each column starts, and where the last one ends.
    subjects : array of int (N,)
        The subject of each value, ascending within a column.
    values : array (N,)
        Real numbers other than 0; nan is missing.
    n : int
        Number of subjects.
    """

    places: Places
    starts: Places
    subjects: Places
    values: AnyArray
    n: int

    def __len__(self) -> int:
        """Return the number of columns."""
        return self.starts.size - 1

    def filled(self) -> AnyArray:
        """Return the value of each subject, (w, n)."""
        out = np.zeros((len(self), self.n), self.values.dtype)
        out[np.repeat(np.arange(len(self)), np.diff(self.starts)), self.subjects] = self.values
        return out

    def kept(self, which: AnyArray) -> SparseBlock:
        """Return some of the columns."""
        stored = np.diff(self.starts)
        held, starts = np.repeat(which, stored), np.cumsum([0, *stored[which].tolist()])
        return SparseBlock(self.places[which], starts, self.subjects[held], self.values[held], self.n)


Block: TypeAlias = DenseBlock | SparseBlock


class Columns(Protocol):
    """Markers of the same subjects, by blocks.

    Attributes
    ----------
    rows : int
        Number of subjects.
    names : sequence of str
        Name of each column, no two the same.
    unreadable : mapping of str to str
        Columns that are no real numbers, with what they are; they are not among ``names``.
    """

    @property
    def rows(self) -> int: ...  # noqa: D102
    @property
    def names(self) -> Sequence[str]: ...  # noqa: D102
    @property
    def unreadable(self) -> Mapping[str, str]: ...  # noqa: D102

    def blocks(self, numbers: int) -> Iterator[Block]:
        """Yield all columns, each once, in blocks of about so many numbers; the order is free."""

    def taken(self, places: Places) -> Block:
        """Return a few columns, in this order."""


@dataclass(frozen=True)
class MatrixColumns(Viewed):
    """Columns of a matrix in memory, or of a file that is mapped into memory.

    Attributes
    ----------
    matrix : array (n, m)
    names : sequence of str
    """

    matrix: AnyArray
    names: Sequence[str]
    unreadable: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of subjects."""
        return int(self.matrix.shape[0])

    def blocks(self, numbers: int) -> Iterator[Block]:
        """Yield the columns, read by slabs of several blocks."""
        width = width_of(numbers, self.rows)
        slab = max(SLAB // max(self.rows, 1) // width, 1) * width
        for start in range(0, len(self.names), slab):
            values = np.ascontiguousarray(np.asarray(self.matrix[:, start : start + slab]).T)
            for first in range(0, len(values), width):
                part = values[first : first + width]
                yield DenseBlock(np.arange(start + first, start + first + len(part)), part)

    def taken(self, places: Places) -> Block:
        """Return a few columns."""
        return DenseBlock(places, np.ascontiguousarray(self.matrix[:, places].T))


@dataclass(frozen=True)
class FrameColumns(Viewed):
    """Columns of a data frame, which may differ in type.

    Attributes
    ----------
    frame : narwhals.DataFrame, or pandas.DataFrame whose names are no text
    keys : sequence
        The columns, by their names in the frame.
    names : sequence of str
    """

    frame: Any
    keys: Sequence[Any]
    names: Sequence[str]
    unreadable: Mapping[str, str]

    @property
    def rows(self) -> int:
        """Number of subjects."""
        return int(self.frame.shape[0])

    def blocks(self, numbers: int) -> Iterator[Block]:
        """Yield the columns."""
        width = width_of(numbers, self.rows)
        for first in range(0, len(self.keys), width):
            yield self.taken(np.arange(first, min(first + width, len(self.keys))))

    def taken(self, places: Places) -> Block:
        """Return a few columns."""
        return DenseBlock(places, side_by_side([column_of(self.frame[self.keys[place]]) for place in places.tolist()]))


@dataclass(frozen=True)
class SparseColumns(Viewed):
    """Columns of a sparse matrix, stored column by column.

    Attributes
    ----------
    matrix : scipy.sparse.csc_array (n, m)
        In canonical format.
    names : sequence of str
    """

    matrix: Any
    names: Sequence[str]
    unreadable: Mapping[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """Number of subjects."""
        return int(self.matrix.shape[0])

    def blocks(self, numbers: int) -> Iterator[Block]:
        """Yield columns of similar numbers of values together."""
        stored = np.diff(self.matrix.indptr)
        order = np.argsort(stored, kind="stable")
        first = 0
        while first < order.size:
            # as many as fit side by side, each padded to the longest
            longest = stored[order[first:]] + 1
            width = max(int(np.searchsorted(longest * np.arange(1, longest.size + 1), numbers, "right")), 1)
            yield self.taken(order[first : first + width])
            first += width

    def taken(self, places: Places) -> Block:
        """Return a few columns."""
        own = self.matrix[:, places]
        starts, values, subjects = np.asarray(own.indptr, np.intp), own.data, np.asarray(own.indices, np.intp)
        there = values != 0
        if not there.all():  # zeros that are written down are zeros like all others
            starts = np.concatenate([[0], np.cumsum(there)])[starts]
            values, subjects = values[there], subjects[there]
        return SparseBlock(places, starts, subjects, values, self.rows)


def width_of(numbers: int, rows: int) -> int:
    """Return how many dense columns are about so many numbers."""
    return max(numbers // max(rows, 1), 1)


def columns_of(data: Any, names: Sequence[Any] | None = None) -> Columns:
    """Return the columns of a matrix, a data frame or a sparse matrix.

    Raises
    ------
    InputError
        If it is none of these, or has no columns.
    LengthMismatchError
        If there are not as many names as columns.
    ParameterError
        If two columns have one name.
    """
    if hasattr(data, "blocks") and hasattr(data, "taken"):
        found: Columns = data
    elif hasattr(data, "tocsc"):
        found = _sparse(data, names)
    elif isinstance(data, np.ndarray) or not _is_frame(data):
        found = _matrix(data, names)
    else:
        found = _frame(data, names)
    if not len(found.names) and not found.unreadable:
        raise EmptyInputError("there are no markers: X has no columns")
    if not found.rows:
        raise EmptyInputError("there are no subjects: X has no rows")
    return found


def _is_frame(data: Any) -> bool:
    # of the class: a lazy frame warns when it is asked
    if hasattr(type(data), "columns") or isinstance(data, Mapping):
        return True
    return hasattr(data, "__arrow_c_stream__") and not hasattr(data, "dtype")  # a series has one


def _matrix(data: Any, names: Sequence[Any] | None) -> MatrixColumns:
    try:
        matrix = data if isinstance(data, np.ndarray) else np.asarray(data)
    except ValueError as error:
        raise InputError(f"X must be a table with a row for each subject: {error}") from None
    _check_shape(matrix.shape)
    if matrix.dtype.kind == "c":
        raise InputError("X must hold real numbers, got complex ones: pass their real parts, or their sizes")
    if matrix.dtype.kind in "mM":
        raise InputError(f"X must hold real numbers, got {matrix.dtype}: pass the days or seconds since some date")
    if matrix.dtype.kind not in "fiub":
        try:
            matrix = table_of_objects(np.asarray(matrix))
        except InputError:
            raise InputError(f"X cannot be used, for a column of it: {ONE_AS_FLOATS}") from None
        except (TypeError, ValueError):
            raise InputError(
                f"X must hold real numbers, got {matrix.dtype}: pass a data frame to leave out columns of text"
            ) from None
    if isinstance(data, np.ma.MaskedArray):
        gone = np.ma.getmaskarray(data)
        matrix = with_gaps(np.asarray(matrix)[~gone], gone)
    return MatrixColumns(matrix, named(names, matrix.shape[1]))


def _check_shape(size: tuple[int, ...]) -> None:
    if len(size) != 2:
        raise InputError(f"X must have two dimensions, subjects by markers, got shape {size}; one marker is X[:, None]")


def _sparse(data: Any, names: Sequence[Any] | None) -> SparseColumns:
    _check_shape(data.shape)
    matrix = data.tocsc()
    if matrix.dtype.kind not in "fiub":
        raise InputError(f"X must hold real numbers, got {matrix.dtype}")
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return SparseColumns(matrix, named(names, matrix.shape[1]))


def _frame(data: Any, names: Sequence[Any] | None) -> FrameColumns:
    import narwhals.stable.v2 as nw

    from hitcurve.sources.frames import as_frame, column_names

    if isinstance(data, Mapping):
        data = of_mapping(data)
    frame = as_frame(data)
    if frame is None:
        raise InputError(f"X must be a matrix, a data frame or a sparse matrix, got {type(data).__name__}")
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    every = column_names(frame)
    keys, unreadable = [], {}
    for key in every:
        what = _not_numeric(frame[key])
        if what:
            unreadable[str(key)] = what
        else:
            keys.append(key)
    if names is not None:
        wanted = named(names, len(every))
        of_key = dict(zip(map(str, every), wanted, strict=True))
        own = tuple(of_key[str(key)] for key in keys)
        return FrameColumns(frame, tuple(keys), own, {of_key[k]: v for k, v in unreadable.items()})
    return FrameColumns(frame, tuple(keys), tuple(named(list(map(str, keys)), len(keys))), unreadable)


def _not_numeric(series: Any) -> str:
    """Return what a column is that holds no real numbers, else an empty text."""
    import narwhals.stable.v2 as nw

    if isinstance(series, nw.Series):
        declared = series.dtype
        if declared == nw.Boolean or (declared.is_numeric() and not declared.is_decimal()):
            return ""
        if not declared.is_decimal() and declared not in (nw.Object, nw.Unknown):
            return str(declared)
    kind = np.asarray(series.to_numpy()).dtype
    if kind.kind in "cmM":
        return "complex" if kind.kind == "c" else str(kind)
    try:
        column_of(series)
    except InputError:
        return ONE_AS_FLOATS
    except (TypeError, ValueError):
        return "text"
    return ""


def named(names: Sequence[Any] | None, number: int) -> Sequence[str]:
    """Return the names of the columns: those given, or their places.

    Raises
    ------
    LengthMismatchError
        If there are not as many names as columns.
    ParameterError
        If two columns have one name.
    """
    if names is None:
        return tuple(map(str, range(number)))
    if isinstance(names, (str, bytes, Set, Mapping)) or not hasattr(names, "__len__") or np.ndim(names) == 0:
        raise ParameterError(f"names must be a list of names, got {names!r}")
    if len(names) != number:
        raise LengthMismatchError(f"names has {len(names)} entries, and X has {number} columns")
    found = tuple(map(str, names))
    if len(set(found)) < len(found):
        _checks.distinct("column", found)
    return found
