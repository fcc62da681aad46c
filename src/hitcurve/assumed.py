"""A prevalence that is assumed instead of the one observed: of all lists, of each, or None."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.errors import GridMismatchError, ParameterError

Assumed: TypeAlias = float | Array | None
Places = npt.NDArray[np.intp]


def checked(prevalence: Any, lists: int) -> float | Array:
    """Return a prevalence in (0, 1), or one for each list.

    Raises
    ------
    ParameterError
    """
    given = np.asarray(prevalence)
    if given.ndim == 0:
        return _checks.prevalence(prevalence)
    if given.shape != (lists,):
        raise ParameterError(f"prevalence must be one number, or one for each of {lists} lists")
    return np.array([_checks.prevalence(value) for value in given.tolist()])


def of_each(prevalences: list[float | None]) -> Assumed:
    """Return the prevalences of some tables, all of them assumed or none, as one number where they agree."""
    first = prevalences[0]
    return first if all(value == first for value in prevalences) else np.array(prevalences, float)


def of_one(prevalence: Assumed, place: int) -> float | None:
    """Return the prevalence of one list."""
    return float(prevalence[place]) if isinstance(prevalence, np.ndarray) else prevalence


def of_some(prevalence: Assumed, lists: Any) -> Assumed:
    """Return the prevalence of some lists."""
    return prevalence[lists] if isinstance(prevalence, np.ndarray) else prevalence


def are_same(a: Assumed, b: Assumed) -> bool:
    """Say whether two stacks of the same lists assume the same."""
    return (a is b) if a is None or b is None else np.shape(a) == np.shape(b) and bool(np.all(np.equal(a, b)))


def check_same(a: float | None, b: float | None) -> None:
    """Refuse to add tables at different assumed prevalences.

    Raises
    ------
    GridMismatchError
    """
    if a != b:
        raise GridMismatchError(f"tables at different assumed prevalences do not add: {a}, {b}")


def united(a: Assumed, own: Places, b: Assumed, others: Places, lists: int) -> Assumed:
    """Return the prevalence of the sum of two stacks, the same wherever both have a list.

    Parameters
    ----------
    a, b : float, array or None
    own, others : array of int
        The place of each list of the two in the sum.
    lists : int
        Number of lists of the sum.

    Raises
    ------
    GridMismatchError
    """
    if a is None or b is None or not (isinstance(a, np.ndarray) or isinstance(b, np.ndarray)):
        check_same(*(value if value is None else float(np.ravel(value)[0]) for value in (a, b)))
        return a
    first, second = np.full(lists, np.nan), np.full(lists, np.nan)
    first[own], second[others] = a, b
    for differ in np.flatnonzero((first != second) & ~np.isnan(first) & ~np.isnan(second)).tolist():
        check_same(first[differ].item(), second[differ].item())
    return np.where(np.isnan(first), second, first)
