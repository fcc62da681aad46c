"""Python's own numbers in columns: as numbers of numpy where these hold them, else why not."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.errors import ScoreError

EXACT = 2**53  # the largest range in which every whole number is a float
_Vector = npt.NDArray[Any]


def way_out(values: list[Any]) -> str:
    """Return what makes numbers of whole ones that 64 bits cannot represent, and keeps their order."""
    low, high = int(min(values)), int(max(values))
    if high - low < 2**63:
        return f"subtract a constant, such as {_checks.written(low)}"
    if max(abs(low), abs(high)) < sys.float_info.max and not makes_ties(values, map(float, values)):
        return "pass them as floats, which keep their order here"
    return "pass their ranks"


def no_number(values: _Vector) -> str:
    """Return the first value that is no real number, after its type."""
    first = next((value for value in values.tolist() if not is_real(value)), "")
    kind = values.dtype.name if values.dtype.kind not in "OUS" else type(first).__name__
    return f"{'text' if kind == 'str' else kind} such as {_checks.written(first)}"


def is_real(value: Any) -> bool:
    """Say whether a value is a real number, however large."""
    if isinstance(value, (str, bytes, complex, np.complexfloating)):
        return False
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    except OverflowError:
        pass
    return True


def check_size(name: str, values: _Vector) -> None:
    """Refuse numbers beyond the largest float, which are real numbers all the same."""
    for value in values:
        try:
            float(value)
        except OverflowError:
            raise ScoreError(
                f"score {name!r} holds numbers beyond the largest float (1.8e308) beside others: 64 bits do not "
                "keep their order, so pass their ranks"
            ) from None
        except (TypeError, ValueError):
            return
    if not any(isinstance(value, (str, bytes)) for value in values):
        check_mixed(name, values)


def check_mixed(name: str, values: Iterable[Any]) -> None:
    """Refuse whole numbers that are no floats beside floats."""
    if any(isinstance(value, (int, np.integer)) and abs(int(value)) > EXACT for value in values):
        raise ScoreError(f"score {name!r} mixes floats and whole numbers beyond 2^53, which would become ties")


def are_whole(values: _Vector) -> bool:
    """Say whether all values are whole numbers, and there are some."""
    return bool(values.size) and all(isinstance(value, (int, np.integer, np.bool_)) for value in values)


def makes_ties(exact: Iterable[Any], floats: Iterable[float]) -> bool:
    """Return whether fewer floats differ than the numbers they were made of."""
    return len(set(floats)) < len(set(exact))


def numbers_of(values: _Vector) -> _Vector | None:
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
    return floats if all(abs(int(value)) <= EXACT for value in whole) else None


def whole_ones(name: str, values: _Vector) -> _Vector:
    """Return decimal numbers and fractions that are whole as such, where floats of them would tie.

    Raises
    ------
    ScoreError
        If they are not whole, or beyond 64 bits.
    """
    kinds = (int, Decimal, Fraction, np.integer)
    exact = all(isinstance(v, kinds) and abs(float(v)) <= 2**64 and v == int(v) for v in values)
    numbers = numbers_of(np.array(list(map(int, values)), object)) if exact else None
    if numbers is not None:
        return numbers
    raise ScoreError(
        f"score {name!r} holds {type(values[0]).__name__} values that are equal as 64-bit floats, which would create "
        "ties: pass their ranks, or whole numbers of at most 64 bits"
    )


def as_floats(values: _Vector) -> _Vector | None:
    """Return Python numbers as floats, those beyond the largest float as this one; None if some are no numbers."""
    if not all(map(is_real, values)):
        return None
    return np.array([_as_float(value) for value in values], float)


def _as_float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return sys.float_info.max if value > 0 else -sys.float_info.max
