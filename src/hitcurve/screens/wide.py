"""Numbers of markers as floats that keep them apart: 64 bits do not tell whole numbers beyond 2^53 apart."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import AnyArray
from hitcurve.errors import InputError, LengthMismatchError
from hitcurve.sources.columns import beyond_floats
from hitcurve.sources.python_numbers import makes_ties

ONE_AS_FLOATS = "it has numbers that differ and are equal as 64-bit floats"
_DIGITS = 63  # of 64-bit whole numbers, beside the first
_FLOATS = np.zeros(1)


def kind_of(columns: Sequence[AnyArray]) -> np.dtype[Any]:
    """Return a type that holds all numbers of some columns.

    Raises
    ------
    InputError
        If there is none on this machine.
    """
    kind = np.result_type(*columns)
    if kind.kind != "f" or not any(_are_beyond(values) for values in columns):
        return kind
    if np.finfo(np.longdouble).nmant < _DIGITS:
        raise InputError(
            "markers hold whole numbers beyond 2^53 beside fractions or missing values, and no float of this machine "
            "keeps them apart: pass their ranks"
        )
    return np.dtype(np.longdouble)


def side_by_side(columns: Sequence[AnyArray]) -> AnyArray:
    """Return columns as rows of one array."""
    return np.array(columns, kind_of(columns))


def with_gaps(there: AnyArray, gone: AnyArray) -> AnyArray:
    """Return numbers with nan for those that are missing."""
    out = np.full(gone.shape, np.nan, kind_of([there, _FLOATS]))
    out[~gone] = there
    return out


def numbers(values: AnyArray) -> AnyArray:
    """Return Python numbers, or their words, as an array.

    Raises
    ------
    InputError
        If they differ and are one as floats.
    TypeError, ValueError
        If they are no numbers.
    """
    exact = [_of_word(value) if isinstance(value, (str, bytes)) else value for value in values.tolist()]
    if all(isinstance(value, (int, np.integer)) for value in exact):
        found = np.array(exact)
        if found.dtype.kind in "iub" and found.size:
            return found
    held = np.empty(len(exact), object)
    held[:] = exact
    floats = held.astype(float)
    if exact and makes_ties(exact, floats.tolist()):
        raise InputError(f"a column cannot be used: {ONE_AS_FLOATS}")
    return floats


def _of_word(word: str | bytes) -> float:
    """Return a number that is written as files write them: in ASCII, without ``_``, within the range of floats."""
    if not isinstance(word, str) or "_" in word or not word.isascii():
        raise ValueError(f"{word!r} is no number")
    if re.fullmatch(r"\s*[-+]?\d+\s*", word):
        return int(word)
    number = float(word)
    if math.isinf(number) and "inf" not in word.lower():
        raise ValueError(f"{word!r} is beyond 64-bit floats")
    return number


def table_of_objects(values: AnyArray) -> AnyArray:
    """Return a matrix of Python numbers, None and nan as numbers.

    Raises
    ------
    InputError, TypeError, ValueError
        As in :func:`numbers`.
    """
    values = values.astype(object)
    gone = np.array([[one is None or one != one for one in own] for own in values.tolist()], bool).reshape(values.shape)
    parts = zip(values.T, gone.T, strict=True)
    return np.ascontiguousarray(side_by_side([with_gaps(numbers(own[~lost]), lost) for own, lost in parts]).T)


def column_of(series: Any) -> AnyArray:
    """Return a column of a data frame as numbers, whose missing values are nan.

    Raises
    ------
    InputError, TypeError, ValueError
        As in :func:`numbers`.
    """
    native = series.to_native() if hasattr(series, "to_native") else series
    if hasattr(native, "isna"):
        gone = np.asarray(native.isna())
        found = np.asarray((native[~gone] if gone.any() else native).to_numpy())
    elif series.dtype.is_decimal() or (series.dtype.is_integer() and series.null_count()):
        gone = np.asarray(series.is_null().to_numpy())
        held = series.drop_nulls()
        found = np.array(held.to_list(), object) if series.dtype.is_decimal() else np.asarray(held.to_numpy())
    else:
        found, gone = np.asarray(series.to_numpy()), np.zeros(1, bool)
    found = found if found.dtype.kind in "fiub" else numbers(found)
    return with_gaps(found, gone) if gone.any() else found


def lost_by_floats(values: AnyArray) -> AnyArray | None:
    """Return the bits of what floats lose of numbers, 0 where they lose nothing; None if they hold all of them."""
    if values.dtype != np.longdouble and not _are_beyond(values):
        return None
    wide = values.astype(np.longdouble)
    with np.errstate(invalid="ignore"):
        lost = (wide - wide.astype(float)).astype(float)
    return np.asarray(np.where(np.isfinite(lost), lost, 0.0) + 0.0).view(np.uint64)


def _are_beyond(values: AnyArray) -> bool:
    return values.dtype.kind in "iu" and values.dtype.itemsize == 8 and beyond_floats(values)


def of_mapping(data: Mapping[Any, Any]) -> Any:
    """Return the data frame of columns by their names.

    Raises
    ------
    InputError
        If a column is no row of values.
    LengthMismatchError
        If columns differ in length.
    """
    from hitcurve.sources.frames import to_frame

    for name, values in data.items():
        if isinstance(values, str) or not hasattr(values, "__len__") or getattr(values, "shape", None) == ():
            raise InputError(
                f"a column of X must have a value for each subject, {_checks.quoted(name)} is "
                f"{_checks.quoted(values)}: write one subject as [value]"
            )
    lengths = {len(values) for values in data.values()}
    if len(lengths) > 1:
        raise LengthMismatchError(f"columns of X differ in length: {rows.listed(sorted(map(str, lengths)))}")
    return to_frame(dict(data))
