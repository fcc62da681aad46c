"""The table with half a positive and half a negative more, spread over the ranking.

It has what the sample may lack by accident: a false alarm above the last positive, a tail with somebody in it. The
plug-in standard error, which is 0 under perfect separation, is not 0 here.
"""

from __future__ import annotations

import numpy as np

from hitcurve.counts import AnyArray
from hitcurve.sums import Sums


def canonical(sums: Sums, *, fold: bool) -> Sums:
    """Merge rows so that the answer does not depend on how a table was collapsed.

    Parameters
    ----------
    fold : bool
        Whether negatives join the next row that holds a positive (average precision does not tell them apart);
        else they stay apart, in one row for each gap.
    """
    held = np.asarray(sums.pos) > 0
    if fold:
        # a row ends with each row of positives; what follows the last is a row of its own
        place = np.append(0, np.cumsum(held)[:-1])
    else:
        starts = held | np.append(True, held[:-1])
        place = np.cumsum(starts) - 1
    rows = int(place[-1]) + 1
    merged = [None if column is None else _added(column, place, rows) for column in sums]
    return Sums(*merged)  # type: ignore[arg-type]


def _added(column: AnyArray, place: AnyArray, rows: int) -> AnyArray:
    out = np.zeros(rows, column.dtype)
    np.add.at(out, place, column)
    return out


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
