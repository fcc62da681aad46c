"""What is given as a column -> an array of numpy; why one thing is not a column, and what to give instead."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Set, ValuesView
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.errors import InputError


def as_array(values: Any) -> npt.NDArray[Any]:
    """Return values as an array of numpy, of objects where numpy has no type for them.

    Raises
    ------
    InputError
        If lists are ragged, or an object refuses to be an array, as tensors on another device do.
    """
    try:
        return np.asarray(values)
    except MemoryError:
        raise
    except Exception as error:  # objects of others may raise anything
        plain = isinstance(values, (list, tuple))
        what = "must hold one value for each subject" if plain else f"cannot be read from {type(values).__name__}"
        raise not_read(f"a column {what}", error) from None


def no_column(name: str, given: object) -> InputError:
    """Return the refusal of what is given where one value for each subject is needed."""
    kind = type(given).__name__
    if isinstance(given, Iterator):
        return InputError(f"{name} is read more than once, which a {kind} does not allow: pass a list")
    if isinstance(given, (KeysView, ValuesView)):
        return InputError(f"{name} must be one column, got {kind}: pass a list of them")
    if isinstance(given, Set):
        return InputError(f"{name} must be one column, in the order of the subjects, which a {kind} does not keep")
    if isinstance(given, Mapping):
        return InputError(f"{name} must be one column, got a {kind}: pass its values in the order of the subjects")
    if isinstance(given, bytes):
        return InputError(f"{name} must be one column, got bytes: pass list(...) of them, or words")
    return InputError(f"{name} must be one column, got {_checks.quoted(given)}: pass a list")


def not_read(what: str, error: Exception) -> InputError:
    """Return the refusal of what another package does not read, in its words."""
    reason = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
    return InputError(f"{what}: {reason[:300]}")
