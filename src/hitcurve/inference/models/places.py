"""How many negatives are above each positive of one list."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve.counts import Array, Counts

Whole = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Places:
    """The negatives above each positive of one list.

    Attributes
    ----------
    above : array of int (n1,)
        Ascending.
    n_neg : int
    """

    above: Whole
    n_neg: int

    @classmethod
    def of(cls, counts: Counts, rng: np.random.Generator, *, evenly: bool = False) -> Self:
        """Take the places from the rows of one list, ties broken at random.

        Evenly: the positives of a row in equal steps over its negatives, one that is alone there at random.
        """

        def passed(p: int, q: int) -> Whole:
            if evenly and p > 1:
                return _equal_steps(p, q)
            order = np.sort(rng.choice(p + q, p, replace=False, shuffle=False))
            return np.asarray(order - np.arange(p))

        return cls._placed(counts, passed)

    @classmethod
    def even(cls, counts: Counts) -> Self:
        """Take the places from the rows of one list, all positives of a row in equal steps over its negatives."""
        return cls._placed(counts, _equal_steps)

    @classmethod
    def of_list(cls, counts: Counts) -> Self:
        """Return the same, which all methods of the only list share."""
        return counts.once("places", "places", lambda: cls.even(counts))

    @classmethod
    def _placed(cls, counts: Counts, passed: Callable[[int, int], Whole]) -> Self:
        """Take the places; ``passed`` says how many negatives of its row are above each of its positives."""
        held = counts.rows_of_positives
        pos, neg = (np.asarray(side.take(held), np.int64) for side in (counts.pos, counts.neg))
        above = np.asarray(counts.B.take(held), np.int64)
        above -= neg
        if pos.max(initial=1) > 1:
            above = np.repeat(above, pos)
        if neg.any():
            starts = np.cumsum(pos) - pos
            for row in np.flatnonzero(neg):
                p, q = int(pos[row]), int(neg[row])
                above[starts[row] : starts[row] + p] += passed(p, q)
        return cls(above, int(counts.n0))

    @property
    def n_pos(self) -> int:
        """Number of positives."""
        return self.above.size

    @cached_property
    def normal_scores(self) -> Array:
        """Scores of the positives, descending, on the scale on which the negatives are standard normal."""
        import hitcurve._special as special

        return np.asarray(-special.ndtri((self.above + 0.5) / (self.n_neg + 1)))

    @cached_property
    def centre(self) -> float:
        """Mean of these scores."""
        return float(np.add.reduce(self.normal_scores)) / self.n_pos

    @cached_property
    def deviation(self) -> float:
        """Standard deviation of these scores."""
        z = self.normal_scores
        apart = z - self.centre
        return math.sqrt(float(np.add.reduce(apart * apart)) / (z.size - 1)) if z.size > 1 else math.nan


def _equal_steps(p: int, q: int) -> Whole:
    """Return how many of q negatives are above each of p positives in equal steps."""
    return np.asarray((2 * np.arange(p) + 1) * (q + 1) // (2 * p))
