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
        spread = max(float(np.std(z, ddof=1)) if np.ptp(z) > 0 else 0.0, least_spread)
        return cls(z, 0.9 * spread * z.size**-0.2)

    def tpr(self, fpr: Array) -> Array:
        """Return TPR of the model at FPR."""
        from scipy.special import ndtr, ndtri

        if self.width == 0:
            return np.asarray(np.mean(self.z[:, None] + ndtri(fpr) >= 0, axis=0))
        return np.asarray(np.mean(ndtr((self.z[:, None] + ndtri(fpr)) / self.width), axis=0))

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
        from scipy.special import ndtr

        n_pos = np.asarray(n_pos)
        shape = (*n_pos.shape, int(n_pos.max()))
        scores = self.z[rng.integers(0, self.z.size, shape)] + self.width * rng.standard_normal(shape)
        scores += np.broadcast_to(shift, n_pos.shape)[..., None]
        fpr = np.where(np.arange(shape[-1]) < n_pos[..., None], ndtr(-scores), 1.0)
        return Tables.at(np.sort(fpr, axis=-1), n_pos, n_neg, rng)
