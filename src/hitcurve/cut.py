"""Where a list is cut: a share of it, a whole number of subjects, or as many as there are positives."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from hitcurve import _checks, rows
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.cumulative import first_reaching
from hitcurve.errors import ParameterError
from hitcurve.refusals import Index, Refusal

_HAIR = 4 * float(np.finfo(float).eps)


def whole(exact: Array, rounding: str) -> Array:
    """Return a number of subjects as a whole number, at least 1.

    0.07 * 100 is a hair above 7 in floating point, and the hair must not cost a subject.
    """
    rounding = rule(rounding)
    hair = np.maximum(1e-9, _HAIR * exact)
    rounded = {"ceil": lambda: np.ceil(exact - hair), "floor": lambda: np.floor(exact + hair)}
    return np.asarray(np.maximum(rounded.get(rounding, lambda: np.rint(exact))(), 1))


def rule(rounding: str) -> str:
    """Return the rounding of whole subjects: ``"ceil"`` for ``"auto"``."""
    return "ceil" if rounding == "auto" else rounding


def no_whole_subjects(rounding: str, counts: Counts) -> str:
    """Say why a rounding that was asked for cannot be had where there are no whole subjects."""
    without = "weights do not have" if counts.weighted else "a set prevalence does not have"
    return f"cut={rounding} rounds to whole subjects, which {without}: leave cut out"


class Share(float):
    """A share of the list, which is no number of subjects: 100% is not the first one, though 1.0 is 1."""

    def __eq__(self, other: object) -> bool:
        """Compare with shares, not with whole numbers."""
        return isinstance(other, float) and float.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        """Compare with shares, not with whole numbers."""
        return not self == other

    __hash__ = float.__hash__


@dataclass(frozen=True)
class Cut:
    """A place on the list.

    Parameters
    ----------
    at : float, int, "R" or array (...)
        A float in (0, 1] is a share of the list, an int of at least 1 a number of subjects, ``"R"`` the number
        of positives; an unchecked array has one of the first two for each list.
    rounding : {"auto", "ceil", "floor", "round", "fractional"}
        How a share becomes a whole number of subjects. ``"floor"`` takes at least one; ``"round"`` goes to the
        even neighbour; ``"fractional"`` takes a part of a subject. ``"auto"`` is ``"ceil"``, and ``"fractional"``
        where there are no whole subjects: with weights, and at a prevalence that was set, which leave the whole numbers
        undefined.

    Raises
    ------
    ParameterError
        If ``at`` or ``rounding`` is none of these.
    """

    at: Any
    rounding: str = "auto"

    ROUNDINGS: ClassVar[tuple[str, ...]] = ("auto", "ceil", "floor", "round", "fractional")

    def __post_init__(self) -> None:
        _checks.choice("cut", self.rounding, self.ROUNDINGS)
        if isinstance(self.at, np.ndarray) or self.at == "R":
            return
        if isinstance(self.at, (int, np.integer)):
            object.__setattr__(self, "at", _checks.whole_number("the rank of a cutoff", self.at))
        else:
            self._check_is_no_rank()
            object.__setattr__(self, "at", Share(_checks.share_of_a_cut("the fraction of a cutoff", self.at)))

    def _check_is_no_rank(self) -> None:
        """Refuse a number of subjects that is written as a float.

        Raises
        ------
        ParameterError
        """
        if isinstance(self.at, float) and 1 < self.at < 2**53 and not self.at % 1 and not repr(self.at).endswith("%"):
            rank = int(self.at)
            also = f", {rank / 100!r} for {rank}%" if rank <= 100 else ""  # 1.0: 1 is a rank
            raise ParameterError(
                f"a cutoff is a fraction in (0, 1] or a whole number of subjects, got {self.at!r}: write {rank} for "
                f"{rank} subjects{also}"
            )

    @property
    def is_share(self) -> bool:
        """Whether the cut is a share of the list."""
        return isinstance(self.at, float) or (isinstance(self.at, np.ndarray) and self.at.dtype.kind == "f")

    def __str__(self) -> str:
        """Return ``1%``, ``100`` or ``R``."""
        return rows.percent(self.at) if isinstance(self.at, float) else str(self.at)

    def is_fractional(self, counts: Counts) -> bool:
        """Say whether a share is taken as it is."""
        return self.rounding == "fractional" or (self.rounding == "auto" and not counts.whole)

    def rank(self, counts: Counts) -> Array:
        """Return the number of subjects before the cut, one for each list; nan where it is undefined."""
        if counts.shape or isinstance(self.at, np.ndarray):
            return self._rank(counts)
        return counts.once("rank", self, lambda: self._rank(counts))

    def _rank(self, counts: Counts) -> Array:
        if isinstance(self.at, str):
            return counts.n1 if counts.prevalence is None else counts.n * counts.pi
        if self.is_share:
            exact: Array = self.at * counts.n
            if self.is_fractional(counts):
                return exact
            return whole(exact, self.rounding) if counts.whole else np.full(counts.shape, np.nan)
        there = counts.n >= self.at if counts.whole else np.zeros(counts.shape, bool)
        return np.where(there, np.asarray(self.at, float), np.nan)

    def undefined(self, counts: Counts) -> Iterator[Refusal]:
        """Yield the lists that end before the cut, or have no whole ranks to cut at."""
        if isinstance(self.at, str):
            return
        if self.is_share:
            if not counts.whole and not self.is_fractional(counts):
                yield Refusal(True, f"{no_whole_subjects(self.rounding, counts)}, or write cut=fractional")
            return
        if counts.prevalence is not None:
            yield Refusal(
                True,
                f"a cutoff at rank {self.at} is undefined at a set prevalence: use a fraction of the list",
            )
        if counts.weighted:
            yield Refusal(
                True,
                f"a cutoff at rank {self.at} counts subjects, and weights have no unit: use a fraction of the list "
                "(1%), or repeat rows instead of weighting them",
            )
        yield Refusal(
            counts.n < self.at,
            lambda index: f"a cutoff at rank {self.at} exceeds the list of {counts.n[index]:g} subjects",
        )

    def share(self, counts: Counts) -> Array:
        """Return the rate at which the list is cut, one for each list; nan where it is undefined."""
        if self.is_share and self.is_fractional(counts):
            return np.array(np.broadcast_to(self.at, counts.shape))  # free of the rounding of n f / n
        return np.asarray(counts.pi if isinstance(self.at, str) else self.rank(counts) / counts.n)

    def in_words(self, counts: Counts) -> str | Callable[[Index], str]:
        """Say which cut it became, of all lists or of the one whose index is given."""
        if isinstance(self.at, float) and counts.prevalence is not None:
            return f"first {rows.percent(self.at)} of the list at the set prevalence"
        taken = self.rank(counts)
        how = f" ({'fractional' if self.is_fractional(counts) else rule(self.rounding)})" if self.is_share else ""
        return lambda index: f"first {taken[index]:.12g} of {counts.n[index]:.12g}{how}"


def of_rows(column: AnyArray, rows: AnyArray) -> AnyArray:
    """Return a column (..., K) at some rows of each list (..., W), as numpy's ``take_along_axis`` in fewer steps."""
    if column.ndim == 1:
        return np.asarray(column[rows])
    if column.shape[:-1] != rows.shape[:-1]:  # they are broadcast
        return np.asarray(np.take_along_axis(column, rows, axis=-1))
    flat = column.reshape(-1, column.shape[-1])
    each = np.arange(flat.shape[0])[:, None]
    return np.asarray(flat[each, rows.reshape(flat.shape[0], -1)].reshape(rows.shape))


def interpolated(place: npt.ArrayLike, axis: Array, height: Array) -> Array:
    """Return the height of each list at its place on a non-decreasing axis; both start at 0, above the first row.

    Where the axis stands still, the height at the end of it.

    Parameters
    ----------
    place : array (...)
    axis, height : array (..., K)
        At the end of each row.
    """
    if axis.ndim == 1 and not np.ndim(place):
        return np.asarray(_interpolated(float(place), axis, height))  # type: ignore[arg-type]
    at = np.asarray(place, float)[..., None]
    # lists side by side are searched together
    row = np.searchsorted(axis, at, "right") if axis.ndim == 1 else np.sum(axis <= at, axis=-1, keepdims=True)
    last = axis.shape[-1] - 1
    following = np.minimum(row, last)
    before = np.maximum(row - 1, 0)
    x1, y1 = (of_rows(side, following) for side in (axis, height))
    x0, y0 = (np.where(row > 0, of_rows(side, before), 0.0) for side in (axis, height))
    rise = np.divide(y1 - y0, x1 - x0, out=np.zeros(x0.shape), where=x1 > x0)
    return np.asarray(np.where(at <= x0, y0, rise * (at - x0) + y0)[..., 0])


def _interpolated(at: float, axis: Array, height: Array) -> float:
    """Return the same of one place of one list, without arrays."""
    row = int(first_reaching(axis, at, "right"))
    following = min(row, axis.size - 1)
    x1, y1 = float(axis[following]), float(height[following])
    x0, y0 = (float(axis[row - 1]), float(height[row - 1])) if row else (0.0, 0.0)
    if at <= x0:
        return y0
    return ((y1 - y0) / (x1 - x0) if x1 > x0 else 0.0) * (at - x0) + y0
