"""Rows of one list around many cuts of the rate: those far from a cut count together."""

from __future__ import annotations

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.inference.cutting.step import half_window
from hitcurve.inference.design import effective
from hitcurve.metrics import Metric
from hitcurve.sums import Lists

_KEPT = np.arange(-2, 2)  # row ends around a place: those of its row, and one more on either side


def around_cuts(metric: Metric, rows: Lists, prevalences: Array | None, number: int) -> Lists | None:
    """Return a few rows for each cut of a metric, from which it follows as from all: None if it has no such cut.

    Rows above and below the windows in which slopes at a cut are taken are put together, and so are those between a
    cut and the ends of its window.

    Parameters
    ----------
    metric : Metric
        With a cut for each list.
    rows : Lists
        One list.
    prevalences : array (number,) or None
        Assumed, one for each cut.
    number : int
        Cuts.
    """
    cut = metric.cut_at(rows.classes(number, prevalences).counts)
    if cut is None or cut.axis != "rate":
        return None
    n1, n0 = effective(rows.sums)
    c, place = rows.counts, cut.place
    half = half_window(place, n1, n0) / (n1 + n0)
    wanted = np.stack([place - half, place, place + half], axis=-1)
    if prevalences is None:
        row = np.searchsorted(c.r, wanted)
    else:
        row = np.stack(
            [np.searchsorted(pi * c.P + (1 - pi) * c.Q, at) for pi, at in zip(prevalences, wanted, strict=True)]
        )
    last = c.pos.shape[-1] - 1
    ends = np.sort(np.clip((row[..., None] + _KEPT).reshape(number, -1), -1, last), axis=-1)
    ends = np.append(ends, np.full((number, 1), last), axis=-1)

    def together(column: AnyArray) -> AnyArray:
        return np.diff(np.append(0, np.cumsum(column))[ends + 1], axis=-1, prepend=0)

    return Lists(rows.sums.each(together), prevalences, rows.has_gaps, rows)
