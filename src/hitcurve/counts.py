"""The view of the counts that every kernel sees."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
AnyArray: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True)
class Counts:
    """What a kernel sees of one table, or of many at once.

    ``pos`` and ``neg`` are counts (or sums of weights) with the rows on the last axis, from the highest score
    down; any axes before it are replicates, and all properties follow that shape. Rows that hold nobody are
    neutral.

    Attributes
    ----------
    pos, neg : array (..., K)
        Positives and negatives of each row.
    prevalence : float or None
        A prevalence that was set instead of the one observed.
    weighted : bool
        Whether the counts are sums of weights, so that whole ranks do not exist.
    """

    pos: AnyArray
    neg: AnyArray
    prevalence: float | None = None
    weighted: bool = False

    @property
    def whole(self) -> bool:
        """Whether rows hold whole subjects, so that whole ranks and orders of a group exist."""
        return not self.weighted and self.prevalence is None

    @cached_property
    def H(self) -> AnyArray:
        """Positives down to and including each row."""
        return np.cumsum(self.pos, axis=-1)

    @cached_property
    def B(self) -> AnyArray:
        """Negatives down to and including each row."""
        return np.cumsum(self.neg, axis=-1)

    @cached_property
    def n1(self) -> Array:
        """Number of positives."""
        return np.asarray(self.H[..., -1], float)

    @cached_property
    def n0(self) -> Array:
        """Number of negatives."""
        return np.asarray(self.B[..., -1], float)

    @cached_property
    def n(self) -> Array:
        """Number of subjects."""
        return np.asarray(self.H[..., -1] + self.B[..., -1], float)

    @cached_property
    def pi(self) -> Array:
        """Prevalence: the one set, or n1/n."""
        return self.n1 / self.n if self.prevalence is None else np.full(self.n.shape, self.prevalence)

    @cached_property
    def p(self) -> Array:
        """Share of the positives in each row."""
        return self.pos / self.n1[..., None]

    @cached_property
    def q(self) -> Array:
        """Share of the negatives in each row."""
        return self.neg / self.n0[..., None]

    @cached_property
    def P(self) -> Array:
        """True positive rate down to each row."""
        return self.H / self.n1[..., None]

    @cached_property
    def Q(self) -> Array:
        """False positive rate down to each row."""
        return self.B / self.n0[..., None]

    @cached_property
    def r(self) -> Array:
        """Rate down to each row: the share of all subjects called positive."""
        if self.prevalence is None:
            return (self.H + self.B) / self.n[..., None]
        return self.prevalence * self.P + (1 - self.prevalence) * self.Q

    @property
    def R(self) -> Array:
        """Rank of the last subject of each row, n r."""
        return self.n[..., None] * self.r if self.prevalence is not None else np.asarray(self.H + self.B, float)

    @cached_property
    def precision(self) -> Array:
        """Precision down to each row; 1 where nobody is called yet (a lone positive there would be right)."""
        if self.prevalence is None:
            hits, called = self.H, self.H + self.B
        else:
            hits, called = self.prevalence * self.P, self.r
        return np.asarray(np.divide(hits, called, out=np.ones(self.P.shape), where=called > 0))


def held(c: Counts) -> npt.NDArray[np.intp]:
    """Return the rows that hold a positive in some replicate: half of those of a collapsed table do not."""
    return np.flatnonzero(np.any(c.pos.reshape(-1, c.pos.shape[-1]) > 0, axis=0))


def before(x: AnyArray) -> AnyArray:
    """Return the cumulative axis one row earlier: 0, x_1, ..., x_{K-1}."""
    out = np.zeros_like(x)
    out[..., 1:] = x[..., :-1]
    return out
