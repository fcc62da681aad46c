"""How many negatives are above each positive of one list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

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
        pos, neg = (np.asarray(side, np.int64) for side in (counts.pos, counts.neg))
        above = np.repeat(np.cumsum(neg) - neg, pos)
        starts = np.cumsum(pos) - pos
        for row in np.flatnonzero((pos > 0) & (neg > 0)):
            p, q = int(pos[row]), int(neg[row])
            if evenly and p > 1:
                passed = (2 * np.arange(p) + 1) * (q + 1) // (2 * p)
            else:
                passed = np.sort(rng.choice(p + q, p, replace=False, shuffle=False)) - np.arange(p)
            above[starts[row] : starts[row] + p] += passed
        return cls(above, int(neg.sum()))

    @classmethod
    def even(cls, counts: Counts) -> Self:
        """Take the places from the rows of one list, positives spread evenly over the negatives of their row."""
        pos, neg = (np.asarray(side, np.int64) for side in (counts.pos, counts.neg))
        start = np.cumsum(pos) - pos
        within = 2 * (np.arange(pos.sum()) - np.repeat(start, pos)) + 1
        above = np.repeat(np.cumsum(neg) - neg, pos) + within * np.repeat(neg, pos) // np.repeat(2 * pos, pos)
        return cls(above, int(neg.sum()))

    @property
    def n_pos(self) -> int:
        """Number of positives."""
        return self.above.size

    @property
    def normal_scores(self) -> Array:
        """Scores of the positives, descending, on the scale on which the negatives are standard normal."""
        from scipy.special import ndtri

        return np.asarray(-ndtri((self.above + 0.5) / (self.n_neg + 1)))
