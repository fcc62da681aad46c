"""Names of groups in any kind of column -> codes: a name is made and checked once, not once for each subject."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve.sources import columns
from hitcurve.sources.codes import GroupCodes, placed
from hitcurve.sources.frames import check_not_apart


class _Coded(NamedTuple):
    """Codes of subjects, and what they are codes of: a column in which a value may occur twice or be of nobody."""

    codes: npt.NDArray[np.integer[Any]]
    distinct: Any
    in_order: bool  # of the first subjects, and each of some


def codes_of(what: str, values: Any) -> GroupCodes:
    """Return the groups that a column names, such as ``clusters`` or ``groups``.

    Raises
    ------
    MissingValueError, InputError
        As in :func:`hitcurve.sources.columns.names`.
    """
    values = columns.listed(values)
    found = _coded(values)
    if found is None or columns.labels(what, found.distinct).gone is not None:
        return GroupCodes.of(columns.names(what, values))  # which says what is missing, and where
    named = GroupCodes.of(columns.names(what, found.distinct))
    if found.in_order and named.names.size == named.codes.size:
        return GroupCodes(found.codes, named.names)
    own = GroupCodes.of(named.codes[found.codes])
    return GroupCodes(own.codes, named.names[own.names])


def _coded(values: Any) -> _Coded | None:
    """Return the codes of a column of text, or of one that holds codes; None of another, or if a name is missing."""
    if isinstance(values, np.ndarray):
        return _of_array(values) if values.ndim == 1 and values.size else None
    if isinstance(values, (list, tuple)):
        return _of_texts(values)
    check_not_apart(values)
    kind = getattr(values, "dtype", None)
    if type(values).__module__.partition(".")[0] == "pandas":
        if hasattr(kind, "categories"):
            held = getattr(values, "cat", values)
            return _unless_missing(np.asarray(held.codes), np.asarray(held.categories))
        if getattr(kind, "storage", None) == "pyarrow" or hasattr(kind, "pyarrow_dtype"):
            return _of_arrow(sys.modules["pyarrow"].array(values))
        is_text = isinstance(kind, np.dtype) and kind.kind == "O"
        return _of_array(np.asarray(values, object)) if is_text or hasattr(kind, "storage") else None
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(values, (arrow.Array, arrow.ChunkedArray)):
        return _of_arrow(values)
    return _of_polars(values)


def _of_array(values: npt.NDArray[Any]) -> _Coded | None:
    if values.dtype.kind == "O":
        found = _of_texts(values.tolist())
        return None if found is None else found._replace(distinct=np.array(found.distinct, object))
    if values.dtype.kind not in "US":
        return None
    # subjects of a group are often beside each other: one object of Python for each run of them
    starts = np.append(0, np.flatnonzero(values[1:] != values[:-1]) + 1)
    if 2 * starts.size < values.size:
        codes, distinct = placed(values[starts].tolist())
        codes = np.repeat(codes, np.diff(np.append(starts, values.size)))
    else:
        codes, distinct = placed(values.tolist())
    return _Coded(codes, np.array(distinct, values.dtype), in_order=True)


def _of_texts(values: Sequence[Any]) -> _Coded | None:
    """Return the codes of values of Python, if all are text."""
    if not values or not isinstance(values[0], str):
        return None
    try:
        codes, distinct = placed(values)
    except TypeError:  # what has no hash is no name
        return None
    return _Coded(codes, distinct, in_order=True) if set(map(type, distinct)) == {str} else None


def _unless_missing(codes: npt.NDArray[np.integer[Any]], distinct: Any) -> _Coded | None:
    """Return codes of which a negative one is of a missing name."""
    return None if not codes.size or codes.min() < 0 else _Coded(codes, distinct, in_order=False)


def _of_arrow(column: Any) -> _Coded | None:
    """Return the codes of a column of Arrow, if it holds text or codes."""
    arrow = sys.modules["pyarrow"]
    types = arrow.types
    kind = column.type.value_type if types.is_dictionary(column.type) else column.type
    is_text = types.is_string(kind) or types.is_large_string(kind)
    if column.null_count or not len(column) or not (is_text or types.is_dictionary(column.type)):
        return None
    coded = column.dictionary_encode()
    if isinstance(coded, arrow.ChunkedArray):
        coded = coded.combine_chunks()  # of one dictionary
    if isinstance(coded, arrow.ChunkedArray) or coded.indices.null_count:
        return None
    return _unless_missing(coded.indices.to_numpy(), coded.dictionary)


def _of_polars(values: Any) -> _Coded | None:
    """Return the codes of a column of Polars, if it holds text."""
    import narwhals.stable.v2 as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series) or not series.implementation.is_polars():
        return None
    if not isinstance(series.dtype, (nw.String, nw.Categorical, nw.Enum)) or series.null_count() or not len(series):
        return None
    text = series.cast(nw.String())
    distinct = text.unique(maintain_order=True).to_list()
    codes = text.replace_strict(distinct, range(len(distinct)), return_dtype=nw.Int64())
    return _Coded(codes.to_numpy(), np.array(distinct, object), in_order=True)
