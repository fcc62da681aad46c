"""Columns as they come -> numpy arrays whose missing values are known."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve.errors import InputError, ScoreError, WeightError

Vector: TypeAlias = npt.NDArray[Any]
_EXACT = 2**53  # the largest range in which every whole number is a float


def vector(name: str, values: Any) -> Vector:
    """Return one column as a one-dimensional array.

    Raises
    ------
    InputError
        If it is not one-dimensional.
    """
    array = _to_numpy(values)
    if array.ndim != 1:
        raise InputError(f"{name} must be one column, got an array of shape {array.shape}")
    return array


def _to_numpy(values: Any) -> Vector:
    if isinstance(values, np.ma.MaskedArray):
        gone = np.ma.getmaskarray(values)
        return with_gaps(np.asarray(values.data), gone) if gone.any() else np.asarray(values.data)
    if isinstance(values, (np.ndarray, list, tuple, range)):
        try:
            return np.asarray(values)
        except ValueError as error:  # ragged lists
            raise InputError(f"a column must hold one value for each subject: {error}") from None
    import narwhals.stable.v2 as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return np.asarray(values)
    if series.dtype.is_integer() and series.null_count():
        return with_gaps(series.fill_null(0).to_numpy(), series.is_null().to_numpy())
    return series.to_numpy()


def with_gaps(values: Vector, gone: npt.NDArray[np.bool_]) -> Vector:
    """Return values some of which are missing, as floats if they are numbers.

    Raises
    ------
    ScoreError
        If whole numbers are too large to be exact as floats: distinct scores would become ties.
    """
    if values.dtype.kind not in "iufb":
        kept = values.astype(object)
        kept[gone] = None
        return kept
    if values.dtype.kind in "iu" and np.any(np.abs(values[~gone].astype(float)) > _EXACT):
        raise ScoreError(
            "whole numbers beyond 2^53 are not exact beside missing values: drop the rows with missing values first"
        )
    floats: Vector = values.astype(values.dtype if values.dtype.kind == "f" else float)
    floats[gone] = np.nan
    return floats


def missing_labels(labels: Vector) -> npt.NDArray[np.bool_] | None:
    """Return a mask of the missing labels, or None."""
    if labels.dtype.kind == "f":
        return missing_scores(labels)
    if labels.dtype.kind != "O":
        return None
    # None, nan, NaT and pandas' NA are the values that do not equal themselves
    mask = np.fromiter((value is None or _is_nan(value) for value in labels), bool, labels.size)
    return mask if mask.any() else None


def _is_nan(value: Any) -> bool:
    try:
        return bool(value != value)
    except (TypeError, ArithmeticError):  # pandas' NA, a signalling nan
        return True


def scores(name: str, values: Any) -> Vector:
    """Return one score column as real numbers, nan where a score is missing.

    Raises
    ------
    ScoreError
        If the scores are text, dates, complex or of several columns.
    """
    array = _to_numpy(values)
    if array.ndim == 2 and hasattr(values, "columns"):
        raise ScoreError(f"{name} is a data frame: pass it as data, and the names of its columns as y_score")
    if array.ndim == 2 and array.shape[1] == 2:
        raise ScoreError(
            f"{name} has two columns, as predict_proba returns: pass column 1, the one of the positive class"
        )
    array = vector(name, array)
    if array.dtype.kind == "b":
        return array.astype(np.int8)
    if array.dtype.kind in "iuf":
        return array
    if array.dtype.kind == "O":
        gone = np.fromiter((_is_absent(value) for value in array), bool, array.size)
        numbers = _numbers(array[~gone])
        if numbers is not None:
            out = np.full(array.size, np.nan)
            out[~gone] = numbers
            return out if gone.any() or numbers.dtype.kind == "f" else numbers
        array = array[~gone]
    example = array.tolist()[0] if array.size else ""
    raise ScoreError(f"score {name!r} must be real numbers, got {array.dtype.name} such as {example!r}")


def _numbers(values: Vector) -> Vector | None:
    """Return Python numbers as an array, whole ones exactly; None if some are no real numbers."""
    if any(isinstance(value, (str, bytes, complex)) for value in values):
        return None
    try:
        floats = np.array([float(value) for value in values])
    except (TypeError, ValueError, OverflowError):
        return None
    whole = [value for value in values if isinstance(value, (int, np.integer, np.bool_))]
    if whole and len(whole) == len(values):
        exact = np.array(whole)
        exact = exact.astype(np.int8) if exact.dtype.kind == "b" else exact
        return exact if exact.dtype.kind in "iu" else None
    return floats if all(abs(int(value)) <= _EXACT for value in whole) else None


def _is_absent(value: Any) -> bool:
    return value is None or _is_nan(value)


def missing_scores(values: Vector) -> npt.NDArray[np.bool_] | None:
    """Return a mask of the missing scores, or None; min spreads a nan and is far cheaper than a mask."""
    if values.dtype.kind != "f" or not values.size or not np.isnan(values.min()):
        return None
    return np.isnan(values)


def oriented(values: Vector, high_is_good: bool) -> Vector:
    """Turn scores so that high is good, without overflow."""
    if high_is_good:
        return values
    if values.dtype.kind == "f":
        return -values
    if values.dtype.itemsize < 8:
        return -values.astype(np.int64)
    if values.size and (values.min() < -(2**63 - 1) or values.max() > 2**63 - 1):
        raise ScoreError("64-bit integer scores at the end of their range cannot be turned round: pass floats")
    return -values.astype(np.int64)


def weights(values: Any, first_row: int = 0) -> npt.NDArray[np.float64]:
    """Return the weights as float64; ``first_row`` is the place of the first in all the data.

    Raises
    ------
    WeightError
        If a weight is no number, negative, missing or not finite, or their sum is not finite.
    """
    array = vector("sample_weight", values)
    given = _numbers(array) if array.dtype.kind == "O" else array
    if given is None or given.dtype.kind not in "iufb":
        raise WeightError(f"weights must be numbers, got {array.dtype.name} such as {array.tolist()[0]!r}")
    numbers = given.astype(np.float64)
    bad = ~(numbers >= 0) | np.isinf(numbers)
    if bad.any():
        row = int(np.argmax(bad))
        raise WeightError(f"weights must be finite and at least 0, got {numbers[row]} in row {first_row + row}")
    with np.errstate(over="ignore"):
        if not np.isfinite(numbers.sum()):
            raise WeightError(f"weights as large as {numbers.max():g} have no finite sum: scale them down")
    return numbers
