"""Columns as they come -> numpy arrays whose missing values are known."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve.errors import InputError, ScoreError, WeightError

Vector: TypeAlias = npt.NDArray[Any]


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
        kind = float if values.dtype.kind in "iufb" else object
        return np.asarray(np.ma.filled(values.astype(kind), np.nan if kind is float else None))
    if isinstance(values, (np.ndarray, list, tuple, range)):
        try:
            return np.asarray(values)
        except ValueError as error:  # ragged lists
            raise InputError(f"a column must hold one value for each subject: {error}") from None
    import narwhals.stable.v2 as nw

    series = nw.from_native(values, series_only=True, pass_through=True)
    return series.to_numpy() if isinstance(series, nw.Series) else np.asarray(values)


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
    except TypeError:
        return True


def scores(name: str, values: Any) -> Vector:
    """Return one score column as real numbers, nan where a score is missing.

    Raises
    ------
    ScoreError
        If the scores are text, dates, complex or of several columns.
    """
    array = _to_numpy(values)
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
        gone = missing_labels(array)
        kept = array if gone is None else array[~gone]
        if all(not isinstance(value, (str, bytes, complex)) for value in kept):
            try:
                numbers = np.array([np.nan if _is_absent(value) else float(value) for value in array])
            except (TypeError, ValueError):
                pass
            else:
                return numbers
        array = kept
    example = array[0] if array.size else ""
    raise ScoreError(f"score {name!r} must be real numbers, got {array.dtype.name} such as {example!r}")


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


def weights(values: Any) -> npt.NDArray[np.float64]:
    """Return the weights as float64.

    Raises
    ------
    WeightError
        If a weight is negative or not finite.
    """
    array = vector("sample_weight", values)
    try:
        numbers = array.astype(np.float64)
    except (TypeError, ValueError):
        raise WeightError(f"weights must be numbers, got {array.dtype.name}") from None
    bad = ~(numbers >= 0) | np.isinf(numbers)
    if bad.any():
        row = int(np.argmax(bad))
        raise WeightError(f"weights must be finite and at least 0, got {numbers[row]} in row {row}")
    return numbers
