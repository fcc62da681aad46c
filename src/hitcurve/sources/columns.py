"""Columns as they come -> numpy arrays whose missing values are known."""

from __future__ import annotations

import sys
from array import array as typed_array
from collections.abc import Sequence, Sized
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve._threads import in_pieces
from hitcurve.errors import InputError, MissingValueError, ScoreError, WeightError
from hitcurve.sources.frames import check_not_apart
from hitcurve.sources.no_column import as_array, no_column
from hitcurve.sources.python_numbers import (
    EXACT,
    are_whole,
    as_floats,
    check_mixed,
    check_size,
    makes_ties,
    no_number,
    numbers_of,
    way_out,
    whole_ones,
)

Vector: TypeAlias = npt.NDArray[Any]
Mask: TypeAlias = npt.NDArray[np.bool_]
SMALLEST_WEIGHT, LARGEST_WEIGHT = 1e-60, 1e60  # squares of weights, and their squares, are floats
_RANKS = "give their ranks (1 for the lowest score), since floats would tie some of them"


class Column(NamedTuple):
    """One column: its values, and which of them are missing (None: none is)."""

    values: Vector
    gone: Mask | None

    def kept(self, rows: Mask) -> Column:
        """Return some rows."""
        return Column(self.values[rows], None if self.gone is None else self.gone[rows])


def vector(name: str, values: Any) -> Column:
    """Return one column without checking its values.

    Raises
    ------
    InputError
        If it is not one-dimensional.
    """
    return _one_dimensional(name if name.isidentifier() else repr(name), _to_numpy(values))


def _one_dimensional(name: str, column: Column) -> Column:
    if column.values.ndim == 0:
        raise no_column(name, column.values.item())
    if column.values.ndim != 1:
        raise InputError(f"{name} must be one column, got an array of shape {column.values.shape}")
    if column.values.dtype.kind == "O":
        odd = next((v for v in column.values if isinstance(v, Sized) and not isinstance(v, (str, bytes, tuple))), None)
        if odd is not None:
            raise InputError(f"{name} must hold one value for each subject, got a {type(odd).__name__}")
    return column


def listed(values: Any) -> Any:
    """Return a deque or another sequence of Python values as a list, of which what numpy would change is known."""
    typed = (list, tuple, range, str, bytes, bytearray, memoryview, typed_array)
    is_other = isinstance(values, Sequence) and not isinstance(values, typed)
    return list(values) if is_other and not hasattr(values, "__array__") else values


def _to_numpy(values: Any) -> Column:
    """Return values as numpy has them; its truths among objects, which no large integer compares with, as bool."""
    column = _in_numpy(values)
    if column.values.dtype.kind != "O" or not any(isinstance(value, np.bool_) for value in column.values.flat):
        return column
    plain = np.empty(column.values.shape, object)
    plain.flat[:] = [bool(value) if isinstance(value, np.bool_) else value for value in column.values.flat]
    return Column(plain, column.gone)


def _in_numpy(values: Any) -> Column:
    values = listed(values)
    if isinstance(values, np.ma.MaskedArray):
        gone = np.ma.getmaskarray(values)
        return Column(np.asarray(values.data), gone if gone.any() else None)
    if isinstance(values, (np.ndarray, list, tuple, range)):
        array = as_array(values)
        if array.dtype.kind == "T" or (
            array.dtype.kind in "US" and isinstance(values, (list, tuple)) and not _keep_as_text(values)
        ):
            # numpy would write a missing value among words as one more word, and cut a NUL off the end of a word
            array = np.array(values, dtype=object)
        elif array is not values and array.ndim == 1 and _lost_digits(array) and _are_integers(values):
            array = np.array(list(map(int, values)), dtype=object)  # -1 and 2**63 have no integer type of numpy
        return Column(array, None)
    import narwhals.stable.v2 as nw

    check_not_apart(values)
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        if isinstance(values, arrow.Array):
            values = arrow.chunked_array([values])
        if isinstance(values, arrow.ChunkedArray) and arrow.types.is_dictionary(values.type):
            values = values.cast(values.type.value_type)  # as codes, missing values would be taken for the first
    if (found := _of_integer_categories(values)) is not None:
        return found
    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return Column(as_array(values), None)
    if isinstance(series.dtype, (nw.Decimal, nw.Int128, nw.UInt128)):  # which numpy does not have
        return Column(np.array(series.to_list(), object), None)
    if series.dtype.is_integer() and series.null_count():  # floats would lose digits
        return Column(series.fill_null(0).to_numpy(), series.is_null().to_numpy())
    return Column(series.to_numpy(), None)


def _of_integer_categories(values: Any) -> Column | None:
    """Return the values of categories of pandas that are whole numbers, which floats for a missing one would round."""
    held = getattr(values, "cat", values)
    categories: Any = getattr(getattr(values, "dtype", None), "categories", None)
    if getattr(getattr(categories, "dtype", None), "kind", None) not in ("i", "u") or not hasattr(held, "codes"):
        return None
    codes = np.asarray(held.codes)
    distinct = np.asarray(categories.to_numpy(), object).astype(np.int64 if categories.dtype.kind == "i" else np.uint64)
    gone = codes < 0
    return Column(np.append(distinct, distinct.dtype.type(0))[codes], gone if gone.any() else None)


def _are_integers(values: Any) -> bool:
    return all(isinstance(v, (int, np.integer)) for v in values)


def _lost_digits(array: Vector) -> bool:
    """Say whether whole numbers of which these floats were made may have become one."""
    if array.dtype.kind != "f" or array.dtype.itemsize == 2 or not array.size:  # floats of 16 bits end far below
        return False
    ends = array.min(), array.max()
    return bool(np.any(np.abs(array if np.isnan(ends[0]) else ends) >= EXACT))


def labels(name: str, values: Any, *, exact: bool = True) -> Column:
    """Return the labels, all digits where ``exact``; None and what does not equal itself (nan, NaT, NA) are missing."""
    values = listed(values)
    array, gone = vector(name, values)
    if exact and isinstance(values, (list, tuple)) and _lost_digits(array) and not all(map(_is_float, values)):
        array = np.array(values, dtype=object)  # as floats, several labels could be one
    found = _nans(array) if array.dtype.kind == "f" else _absent(array)
    if array.dtype.kind in "mM" and np.isnat(array).any():
        found = np.isnat(array)
    if array.dtype.kind == "U" and np.any(array == "nan"):
        found = array == "nan"  # what numpy makes of a nan among words
    return Column(array, _either(gone, found))


def _is_float(value: Any) -> bool:
    return isinstance(value, (float, np.floating))


def _either(a: Mask | None, b: Mask | None) -> Mask | None:
    return b if a is None else a if b is None else a | b


def _keep_as_text(values: Any) -> bool:
    # text and bytes stay apart, since numpy would make one of them the other
    kind = str if isinstance(values[0], str) else bytes
    return all(isinstance(value, kind) and value[-1:] not in ("\0", b"\0") for value in values)


def _nans(values: Vector) -> Mask | None:
    """Return a mask of the nans, or None; min spreads a nan and is far cheaper than a mask."""
    return np.isnan(values) if values.size and np.isnan(list(in_pieces(np.min, values))).any() else None


def _absent(values: Vector) -> Mask | None:
    if values.dtype.kind != "O":
        return None
    mask = np.fromiter((value is None or _is_nan(value) for value in values), bool, values.size)
    return mask if mask.any() else None


def _is_nan(value: Any) -> bool:
    try:
        return bool(value != value)
    except (TypeError, ArithmeticError):  # pandas' NA, a signalling nan
        return True


def scores(name: str, values: Any) -> Column:
    """Return one score column as real numbers, whole ones as whole numbers.

    Raises
    ------
    ScoreError
        If the scores are text, dates, complex or of several columns.
    """
    values = listed(values)
    read = _to_numpy(values)
    if read.values.ndim == 2 and hasattr(values, "columns"):
        raise ScoreError(f"score {name!r} is a data frame: pass it as data, and the names of its columns as y_score")
    if read.values.ndim == 2 and read.values.shape[1] == 2:
        raise ScoreError(
            f"score {name!r} has two columns, as predict_proba returns: pass column 1, which is for the positive class"
        )
    array, gone = _one_dimensional(f"score {name!r}", read)
    if array.dtype.kind == "b":
        return Column(array.astype(np.int8), gone)
    if array.dtype.kind in "iu":
        return Column(array, gone)
    if array.dtype.kind == "f":
        if isinstance(values, (list, tuple)):
            check_mixed(name, values)
        if array.dtype.itemsize == 2:  # which numpy 2.4 sorts wrongly where many are tied, on processors with AVX-512
            array = array.astype(np.float32)
        return Column(array, _either(gone, _nans(array)))
    absent = _either(gone, _absent(array))
    there = array if absent is None else array[~absent]
    numbers = numbers_of(there) if array.dtype.kind == "O" else None
    if array.dtype.kind == "O" and are_whole(there):
        if numbers is None:
            raise ScoreError(
                f"score {name!r} contains whole numbers that 64 bits cannot represent: {way_out(there.tolist())}"
            )
    elif numbers is not None and makes_ties(there.tolist(), numbers.tolist()):
        numbers = whole_ones(name, there)
    if numbers is None:
        if there.dtype.kind == "O":
            check_size(name, there)
        raise ScoreError(f"score {name!r} must be real numbers, got {no_number(there)}")
    out = np.zeros(array.size, numbers.dtype)
    out[slice(None) if absent is None else ~absent] = numbers
    return Column(out, absent)


def beyond_floats(scores: Vector) -> bool:
    """Say whether some are so large that not every whole number around them is a float."""
    return bool(np.any(scores > EXACT) or (scores.dtype.kind != "u" and np.any(scores < -EXACT)))


def ranked_last(values: Vector, gone: Mask) -> Vector:
    """Put missing scores below all others.

    Raises
    ------
    ScoreError
        If whole numbers leave no room below them.
    """
    if values.dtype.kind == "f":
        return np.where(gone, values.dtype.type(-np.inf), values)
    whole = values.astype(np.int64)
    lowest = np.iinfo(np.int64).min
    if np.any(whole[~gone] != values[~gone]) or np.any(whole[~gone] == lowest):
        raise ScoreError(
            f"missing scores cannot be ranked below scores at the end of the 64-bit integer range: {_RANKS}"
        )
    return np.where(gone, lowest, whole)


def oriented(values: Vector, high_is_good: bool) -> Vector:
    """Turn scores so that high is good, without overflow."""
    if high_is_good:
        return values
    if values.dtype.kind == "f":
        return -values
    if values.dtype.itemsize < 8:
        return -values.astype(np.int64)
    if values.size and (values.min() < -(2**63 - 1) or values.max() > 2**63 - 1):
        raise ScoreError(f"the sign of scores at the end of the 64-bit integer range cannot be changed: {_RANKS}")
    return -values.astype(np.int64)


NAMELESS = {
    "clusters": "give an independent subject a cluster of its own",
    "groups": "every subject needs a group",
    "readers": "every reading needs a reader",
    "modalities": "every reading needs a modality",
    "cases": "every reading needs a case",
    "strata": "every subject needs a stratum",
    "ids": "give a molecule without copies an id of its own",
}


def nameless_error(what: str, count: int, rows: int) -> MissingValueError:
    """Return the refusal of missing names."""
    return MissingValueError(f"{count} of {rows} {what} are missing: {NAMELESS[what]}")


def names(what: str, values: Any) -> Vector:
    """Return the names of what subjects belong to, such as their ``clusters``, ``groups`` or ``ids``.

    Raises
    ------
    MissingValueError
        If one is missing.
    InputError
        If they are of kinds that do not compare, of which 7 and "7" may be meant to be one.
    """
    values = listed(values)
    array, gone = labels(what, values, exact=False)
    if gone is not None:
        raise nameless_error(what, int(gone.sum()), array.size)
    if isinstance(values, (list, tuple)) and _lost_digits(array):
        large = next((v for v in values if isinstance(v, (int, np.integer)) and abs(int(v)) >= EXACT), None)
        if large is not None:
            raise InputError(
                f"{what} mix floats and whole numbers beyond 2^53 such as {large}, of which some would become one: "
                "make all of them whole numbers, or text"
            )
    if array.dtype.kind in "mM" and np.datetime_data(array.dtype)[0] == "ns":
        # as Python's dates, which end at microseconds; numpy would count nanoseconds
        coarse = array.astype(f"{array.dtype.kind}8[us]")
        array = coarse if np.array_equal(coarse, array) else array.astype(str)
    if array.dtype.kind == "O" and set(map(type, array.tolist())) != {str}:
        try:
            np.unique(array)
        except TypeError:
            kinds = sorted({type(value).__name__ for value in array})
            said = f"mix {' and '.join(kinds)}" if len(kinds) > 1 else f"are {kinds[0]} objects, which have no order"
            raise InputError(f"{what} {said}: make all of them text, or all numbers") from None
    return array


def common_weight(weights: Vector | None) -> float | None:
    """Return what every subject weighs, None if weights differ, there are none or they are 0."""
    if weights is None or not weights.size or not weights[0]:
        return None
    return float(weights[0]) if np.all(weights == weights[0]) else None


def weights(values: Any) -> npt.NDArray[np.float64]:
    """Return the weights as float64.

    Raises
    ------
    WeightError
        If a weight is missing, or as in :func:`weight_column`.
    """
    numbers, gone = weight_column(values)
    if gone is not None:
        raise WeightError(missing_weight(int(np.argmax(gone))))
    return numbers


def missing_weight(row: int) -> str:
    """Return the words for a weight that is missing."""
    return f"weights must be finite and at least 0, got nan in row {row}"


def weight_column(values: Any, first_row: int = 0) -> Column:
    """Return the weights as float64, and which are missing; ``first_row`` is the place of the first in all the data.

    Raises
    ------
    WeightError
        If a weight is no number, negative or not finite, or so small or large that squares of weights would be no
        floats.
    """
    array, gone = labels("sample_weight", values, exact=False)
    there = array if gone is None else array[~gone]
    given = as_floats(there) if array.dtype.kind == "O" else there
    if given is None or given.dtype.kind not in "iufb":
        raise WeightError(f"weights must be numbers, got {no_number(there)}")
    numbers = np.full(array.size, np.nan)
    numbers[slice(None) if gone is None else ~gone] = given
    bad = (numbers < 0) | np.isinf(numbers)
    if bad.any():
        row = int(np.argmax(bad))
        raise WeightError(f"weights must be finite and at least 0, got {numbers[row]} in row {first_row + row}")
    extreme = (numbers > LARGEST_WEIGHT) | ((numbers < SMALLEST_WEIGHT) & (numbers > 0))
    if extreme.any():
        row = int(np.argmax(extreme))
        got = _checks.written(array[row]) if array.dtype.kind == "O" else f"{numbers[row]:g}"
        raise WeightError(
            f"weights must be 0 or between {SMALLEST_WEIGHT:g} and {LARGEST_WEIGHT:g}, got {got} in row "
            f"{first_row + row}: {_in_range(numbers)}"
        )
    return Column(numbers, gone)


def _in_range(numbers: npt.NDArray[np.float64]) -> str:
    """Return what brings weights, which have no unit, into the range of weights."""
    known = numbers[numbers > 0]
    if known.max() * (SMALLEST_WEIGHT / LARGEST_WEIGHT) < known.min():
        return "multiply all weights by one number"
    return "no unit suits all of them, so leave out the rows of the smallest weights, or set these weights to 0"
