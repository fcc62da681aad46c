"""Tables drawn from a model, in time proportional to their positives."""

from __future__ import annotations

from typing import NamedTuple, Self

import numpy as np

from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.models.places import Whole
from hitcurve.inference.resampling.draws import multinomial


class Tables(NamedTuple):
    """Many tables, as the numbers of negatives between their positives.

    Attributes
    ----------
    gaps : array of int (..., K + 1)
        Negatives above the first positive, between it and the second, ..., below the last. A table of fewer than K
        positives ends with empty gaps.
    n_pos : array of int (...)
    """

    gaps: Whole
    n_pos: Whole

    @classmethod
    def at(cls, fpr: Array, n_pos: AnyArray, n_neg: AnyArray, rng: np.random.Generator) -> Self:
        """Draw the negatives of tables whose positives are known: given these, multinomial over the gaps.

        Parameters
        ----------
        fpr : array (..., K)
            Share of the negatives above each positive in the model, ascending; 1 beyond the number of positives.
        n_pos, n_neg : array of int (...)
        rng : Generator
        """
        ends = np.ones((*fpr.shape[:-1], 1))
        share = np.diff(fpr, axis=-1, prepend=0.0 * ends, append=ends)
        # shares that add to a hair above 1 are refused by numpy
        share /= np.maximum(share.sum(axis=-1, keepdims=True), 1.0)
        return cls(multinomial(rng, n_neg, share), np.asarray(n_pos, np.int64))

    @property
    def above(self) -> Whole:
        """Negatives above each positive, (..., K); all of them beyond the number of positives."""
        return np.asarray(np.cumsum(self.gaps[..., :-1], axis=-1))

    def counts(self, *, negatives_join: bool) -> Counts:
        """Return canonical rows (see ``Counts.folded``): gaps, and positives that join them or have their own."""
        pos = (np.arange(self.gaps.shape[-1]) < self.n_pos[..., None]).astype(float)
        if negatives_join:
            return Counts(pos, self.gaps.astype(float))
        rows = np.zeros((2, *pos.shape, 2))
        rows[0, ..., 1], rows[1, ..., 0] = pos, self.gaps
        return Counts(*rows.reshape(2, *pos.shape[:-1], -1))
