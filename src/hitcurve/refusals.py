"""What cannot be had of which list, and why: refusals are collected for many lists, and raised for one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve.errors import InputError, UndefinedMetricError

Index: TypeAlias = tuple[int, ...]
COUNTS_SUBJECTS = (
    "counts subjects, and weights have no unit: use a metric of fractions of the list (ap, bedroc, recall@1%), or "
    "repeat rows instead of weighting them"
)


class Refusal(NamedTuple):
    """Lists of which something cannot be had.

    Attributes
    ----------
    where : bool or array of bool (...)
        Which lists.
    sentence : str or callable
        Why; a callable takes the index of a list, ``()`` for the only one.
    kind : type
        The exception that is raised for one list.
    """

    where: bool | npt.NDArray[np.bool_]
    sentence: str | Callable[[Index], str]
    kind: type[InputError] = UndefinedMetricError

    def of(self, index: Index) -> str:
        """Return the sentence of one list."""
        return self.sentence if isinstance(self.sentence, str) else self.sentence(index)


def raise_first(refusals: Iterable[Refusal]) -> None:
    """Raise the first refusal of the only list there is.

    Raises
    ------
    InputError
        One of its kinds, with its sentence.
    """
    for refusal in refusals:
        if refusal.where:
            raise refusal.kind(refusal.of(()))


def reasons(refusals: Iterable[Refusal], shape: tuple[int, ...]) -> npt.NDArray[Any]:
    """Return the first sentence of each list, empty where nothing is refused: an array of str of this shape."""
    out = np.full(shape, "", object)
    for refusal in refusals:
        new = np.broadcast_to(refusal.where, shape) & (out == "")
        for index in zip(*np.nonzero(new), strict=True) if shape else [()] * bool(new):
            out[index] = refusal.of(tuple(map(int, index)))
    return out


def refused(refusals: Iterable[Refusal], shape: tuple[int, ...]) -> npt.NDArray[np.bool_]:
    """Return which lists are refused."""
    out = np.zeros(shape, bool)
    for refusal in refusals:
        out |= refusal.where
    return out
