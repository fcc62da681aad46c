"""Numbers that are given in lists and arrays: texts, dates and truth values are none."""

from __future__ import annotations

from decimal import Decimal
from numbers import Real
from typing import Any

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import ParameterError


def numbers(name: str, values: Any) -> Array:
    """Return numbers as an array of floats.

    Raises
    ------
    ParameterError
        If one is no number.
    """
    try:
        given = np.asarray(values)
        of_objects = given.dtype.kind == "O" and all(isinstance(value, Real | Decimal) for value in given.ravel())
        if (given.dtype.kind in "iuf" or of_objects) and not has_truth_values(values):
            return given.astype(float)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ParameterError(f"{name} must be numbers, got {values!r}")


def has_truth_values(values: Any) -> bool:
    """Whether a list of numbers holds a truth value, which numpy takes for 0 or 1."""
    return isinstance(values, list | tuple) and any(isinstance(value, bool | np.bool_) for value in values)
