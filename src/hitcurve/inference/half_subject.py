"""The table with half a positive and half a negative more, spread over the ranking.

It has what the sample may lack by accident: a false alarm above the last positive, a tail with somebody in it. The
plug-in standard error, which is 0 under perfect separation, is not 0 here.
"""

from __future__ import annotations

import numpy as np

from hitcurve.counts import Array
from hitcurve.sums import Sums


def half_subject(sums: Sums, prevalence: float | Array | None, *, negatives: float = 0.5) -> Sums:
    """Add half a positive and ``negatives`` of a negative, spread in proportion to the subjects of each row.

    Where a prevalence is assumed, in proportion to what the rows hold at that prevalence. Of weights, half the
    weight of a typical subject.
    """
    c = sums.counts(prevalence)
    if prevalence is None:
        spread = np.asarray(c.pos + c.neg, float) / c.n[..., None]
    else:
        pi = c.pi[..., None]
        spread = pi * c.p + (1 - pi) * c.q
    if sums.pos_squares is None or sums.neg_squares is None:
        return Sums(sums.pos + spread / 2, sums.neg + negatives * spread)
    squares = sums.pos_squares.sum(axis=-1) + sums.neg_squares.sum(axis=-1)
    unit = (squares / c.n)[..., None]
    pos, neg = sums.pos + unit * spread / 2, sums.neg + unit * negatives * spread
    return Sums(pos, neg, sums.pos_squares + unit**2 * spread / 2, sums.neg_squares + unit**2 * negatives * spread)
