"""Where a list is cut: a share of it, a whole number of subjects, or as many as there are positives."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import ClassVar

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts
from hitcurve.errors import UndefinedMetricError

_SLACK = 1e-9  # 0.07 * 100 is a hair above 7 in floating point; that hair must not cost a subject


@dataclass(frozen=True)
class Cut:
    """A place on the list.

    Parameters
    ----------
    at : float, int or "R"
        A float in (0, 1] is a share of the list, an int of at least 1 a number of subjects, ``"R"`` the number
        of positives.
    rounding : {"ceil", "floor", "round", "fractional"}
        How a share becomes a whole number of subjects. ``"floor"`` takes at least one; ``"round"`` goes to the
        even neighbour; ``"fractional"`` takes a part of a subject. Where whole ranks do not exist (sums of
        weights, a prevalence that was set) a share is always fractional.

    Raises
    ------
    ParameterError
        If ``at`` or ``rounding`` is none of these.
    """

    at: float | str
    rounding: str = "ceil"

    ROUNDINGS: ClassVar[tuple[str, ...]] = ("ceil", "floor", "round", "fractional")

    def __post_init__(self) -> None:
        _checks.choice("cut", self.rounding, self.ROUNDINGS)
        if self.at == "R":
            return
        if isinstance(self.at, (int, np.integer)):
            object.__setattr__(self, "at", _checks.whole_number("the rank of a cut", self.at))
        else:
            object.__setattr__(self, "at", _checks.fraction("the share of a cut", self.at))

    @property
    def is_share(self) -> bool:
        """Whether the cut is a share of the list."""
        return isinstance(self.at, float)

    def __str__(self) -> str:
        """Return ``1%``, ``100`` or ``R``."""
        return percent(self.at) if isinstance(self.at, float) else str(self.at)

    def is_fractional(self, counts: Counts) -> bool:
        """Say whether a share is taken as it is."""
        return self.rounding == "fractional" or counts.weighted or counts.prevalence is not None

    def share(self, counts: Counts) -> Array:
        """Return the rate at which the list is cut, one for each replicate.

        Raises
        ------
        UndefinedMetricError
            If the cut is beyond the list, or at a whole rank of a table whose prevalence was set.
        """
        if self.at == "R":
            return counts.pi
        if isinstance(self.at, float):
            if self.is_fractional(counts):
                return np.full(counts.n.shape, self.at)
            exact = self.at * counts.n
            whole = {
                "ceil": lambda: np.ceil(exact - _SLACK),
                "floor": lambda: np.maximum(np.floor(exact + _SLACK), 1),
                "round": lambda: np.maximum(np.rint(exact), 1),
            }[self.rounding]()
            return np.asarray(whole / counts.n)
        if counts.prevalence is not None:
            raise UndefinedMetricError(
                f"a cut at rank {self.at} has no meaning at a prevalence that was set: cut at a share of the list"
            )
        if np.any(counts.n < float(self.at)):
            raise UndefinedMetricError(f"a cut at rank {self.at} is beyond the list of {np.min(counts.n):g} subjects")
        return np.asarray(float(self.at) / counts.n)

    def describe(self, counts: Counts) -> str:
        """Say in words which cut it became."""
        taken = float(np.asarray(self.share(counts) * counts.n).flat[0])
        if not self.is_share:
            return f"first {taken:.12g} of {float(np.asarray(counts.n).flat[0]):.12g}"
        how = "fractional" if self.is_fractional(counts) else self.rounding
        return f"first {taken:.12g} of {float(np.asarray(counts.n).flat[0]):.12g} ({how})"


def percent(share: float) -> str:
    """Return a share as a percentage that reads back to the same float."""
    return f"{(Decimal(repr(share)) * 100).normalize():f}%"
