"""A smooth ROC curve through the normal scores of the positives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.inference.models.places import Places
from hitcurve.inference.models.tables import Tables


@dataclass(frozen=True)
class KernelFit:
    """Negatives standard normal, positives a normal kernel around their normal scores.

    TPR(x) is the mean over the positives of Phi((z_i + Phi^{-1}(x)) / h), with h = .9 sd(z) n1^{-1/5}.

    Attributes
    ----------
    z : array (n1,)
        Normal scores of the positives (see ``Places.normal_scores``).
    width : float
    """

    z: Array
    width: float

    @classmethod
    def of(cls, places: Places, *, least_spread: float = 0.0) -> Self:
        """Fit the places of one list; the spread of the scores is taken as at least ``least_spread``."""
        z = places.normal_scores
        # equal scores differ by what their mean rounds away
        spread = max(places.deviation if z[0] > z[-1] else 0.0, least_spread)
        return cls(z, 0.9 * spread * z.size**-0.2)

    def tpr(self, fpr: Array) -> Array:
        """Return TPR of the model at FPR."""
        import hitcurve._special as special

        return self.share_above(-special.ndtri(fpr))

    def share_above(self, score: Array) -> Array:
        """Return the share of the positives above scores, on the scale on which the negatives are standard normal."""
        import hitcurve._special as special

        if self.width == 0:
            return np.asarray(np.mean(self.z[:, None] - score >= 0, axis=0))
        return np.asarray(np.mean(special.ndtr((self.z[:, None] - score) / self.width), axis=0))

    def fpr(self, tpr: Array) -> Array:
        """Return FPR of the model at TPR in (0, 1)."""
        import hitcurve._special as special

        reach = 8 * self.width + 1e-6
        deviates = np.linspace(self.z.max() + reach, self.z.min() - reach, 300)
        known = np.clip(self.tpr(special.ndtr(-deviates)), 1e-15, 1 - 1e-15)
        return np.asarray(special.ndtr(-np.interp(special.logit(tpr), special.logit(known), deviates)))

    def above(self, rank: AnyArray, n_pos: int, n_neg: int, count: int, rng: np.random.Generator) -> AnyArray:
        """Draw the negatives above the positives of some ranks, in so many lists.

        Parameters
        ----------
        rank : array of int (C,)
            From 1 to ``n_pos``, ascending: all of them or some, in time proportional to C.

        Returns
        -------
        array of int (count, C)
        """
        if rank.size == n_pos:
            return self.draw(np.full(count, n_pos), np.full(count, n_neg), rng).above
        # TPR at the positives of these ranks: order statistics of uniforms, from sums of exponential gaps
        gaps = rng.standard_gamma(np.diff(rank, prepend=0, append=n_pos + 1), (count, rank.size + 1))
        tpr = np.cumsum(gaps, axis=1)
        fpr = self.fpr(np.clip(tpr[:, :-1] / tpr[:, -1:], 1e-15, 1 - 1e-15))
        return Tables.at(fpr, np.full(count, rank.size), np.full(count, n_neg), rng).above

    def draw(
        self, n_pos: AnyArray, n_neg: AnyArray, rng: np.random.Generator, *, shift: AnyArray | float = 0.0
    ) -> Tables:
        """Draw tables of so many positives and negatives, the positives moved up by ``shift``.

        Parameters
        ----------
        n_pos, n_neg : array of int (...)
        rng : Generator
        shift : float or array (...)
        """
        import hitcurve._special as special

        n_pos = np.asarray(n_pos)
        shape = (*n_pos.shape, int(n_pos.max()))
        scores = self.z[rng.integers(0, self.z.size, shape)] + self.width * rng.standard_normal(shape)
        scores += np.broadcast_to(shift, n_pos.shape)[..., None]
        np.negative(scores, out=scores)
        np.copyto(scores, np.inf, where=np.arange(shape[-1]) >= n_pos[..., None])
        fpr = special.ndtr(scores, out=scores)
        fpr.sort(axis=-1)
        return Tables.at(fpr, n_pos, n_neg, rng)
