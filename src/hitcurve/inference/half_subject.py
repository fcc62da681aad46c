"""The table with half a positive and half a negative more, spread over the ranking.

It has what the sample may lack by accident: a false alarm above the last positive, a tail with somebody in it. The
plug-in standard error, which is 0 under perfect separation, is not 0 here.
"""

from __future__ import annotations

import numpy as np

from hitcurve.sums import Sums


def half_subject(sums: Sums, prevalence: float | None, *, negatives: float = 0.5) -> Sums:
    """Add half a positive and ``negatives`` of a negative, spread in proportion to the subjects of each row.

    Where the prevalence was set, in proportion to what the rows hold at that prevalence. Of weights, half the
    weight of a typical subject.
    """
    c = sums.counts(prevalence)
    if prevalence is None:
        spread = np.asarray(c.pos + c.neg, float) / float(c.n)
    else:
        spread = prevalence * c.p + (1 - prevalence) * c.q
    unit = 1.0
    if sums.pos_squares is not None and sums.neg_squares is not None:
        unit = float((sums.pos_squares.sum() + sums.neg_squares.sum()) / c.n)
    pos, neg = sums.pos + unit * spread / 2, sums.neg + unit * negatives * spread
    if sums.pos_squares is None or sums.neg_squares is None:
        return Sums(pos, neg)
    return Sums(pos, neg, sums.pos_squares + unit**2 * spread / 2, sums.neg_squares + unit**2 * negatives * spread)
