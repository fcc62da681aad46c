"""Why one thing is not a column, and what to give instead."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping, Set, ValuesView

from hitcurve import _checks
from hitcurve.errors import InputError


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
