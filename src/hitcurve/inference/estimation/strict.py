"""Values of the worst and of the best strict order of a list, a slice of its positives at a time.

Breaking ties strictly takes a row for each positive. What the rows of a slice add to a metric that adds over rows is
what a short list (all above in one row, these rows, all below in one row) has beyond one in which they are one row.
A metric at a cutoff needs the strict order of the rows that touch the cutoff.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array, Counts, before
from hitcurve.errors import UndefinedMetricError
from hitcurve.metrics import Metric
from hitcurve.metrics.ends import with_exact_end
from hitcurve.metrics.pieces import CutAt
from hitcurve.sums import Sums
from hitcurve.table import HitTable

MOST_STRICT_ROWS = 10_000_000  # metrics that need all rows at once take 240 bytes for each
MOST_IN_SLICES = 100_000_000  # positives, each of which takes 0.2 microseconds
AT_ONCE = 100_000  # positives
_HAIR = 1e-11  # of a place on an axis


class StrictSums:
    """A metric that adds over rows, in both strict orders, slice after slice in any order.

    Parameters
    ----------
    metric : Metric
    value : float
        Of the list in which each slice is one row.
    """

    def __init__(self, metric: Metric, value: float) -> None:
        self._metric = metric
        self._values = {False: value, True: value}

    def add(self, order: StrictOrder) -> None:
        """Add the rows of a slice in one of the orders."""
        # counts of its own: what metrics keep with them would add up
        c, short = (sums.counts(order.prevalence) for sums in (order.strict, order.together))
        self._values[order.positives_first] += float(self._metric.kernel(c)) - float(self._metric.kernel(short))

    def found(self, c: Counts) -> tuple[float, float]:
        """Return the values with the positives last and first."""
        last, first = (with_exact_end(self._metric, c, value) for value in self._values.values())
        return last, first


class StrictOrder(NamedTuple):
    """The short list of a slice in one of its strict orders, and the one in which its rows are one row."""

    positives_first: bool
    strict: Sums
    together: Sums
    prevalence: float | None


def strict_orders(totals: Sums, place: int, rows: Sums, prevalence: float | None) -> Iterator[StrictOrder]:
    """Yield both strict orders of a slice, one after the other: all metrics add one before the next is made.

    Parameters
    ----------
    totals : Sums
        Of each slice.
    place : int
        Of the slice.
    rows : Sums
        Of the slice.
    prevalence : float or None
    """
    for positives_first in (False, True):
        strict = rows.in_strict_order(positives_first=positives_first)
        own, together = short_lists(totals, place, strict, None)
        yield StrictOrder(positives_first, own, together, prevalence)


def strict_values(metric: Metric, table: HitTable) -> tuple[float, float]:
    """Return the values of a list with positives last and first in every tie.

    They are nan where the metric is undefined in one of these orders, or its rows are more than are looked at.

    Parameters
    ----------
    metric : Metric
    table : HitTable
        Of counts; all metrics of a list of few positives share its strict orders.

    Examples
    --------
    >>> from hitcurve.metrics import AUC
    >>> strict_values(AUC(), HitTable.from_counts([1, 3, 0], [0, 1, 5]))
    (0.875, 1.0)
    """
    try:
        if table.n_pos > AT_ONCE:
            if (cut := metric.cut_at(table.counts)) is not None:
                return _at_cut(metric, table, cut)
            if metric.adds_over_rows and not metric.jumps:
                return _in_slices(metric, table)
        if table.n_pos > MOST_STRICT_ROWS:
            return np.nan, np.nan
        return float(metric.value(table.worst_ties())), float(metric.value(table.best_ties()))
    except UndefinedMetricError:
        return np.nan, np.nan


def _at_cut(metric: Metric, table: HitTable, cut: CutAt) -> tuple[float, float]:
    near = _near(cut, table.counts)
    if table.pos[near].sum() > MOST_STRICT_ROWS:
        return np.nan, np.nan
    return ends_in_part(metric, table, near)


def _in_slices(metric: Metric, table: HitTable) -> tuple[float, float]:
    sums, prevalence = table.sums, table.assumed_prevalence
    slices = np.cumsum(sums.pos) // AT_ONCE
    starts = np.flatnonzero(np.append(True, slices[1:] != slices[:-1]))
    totals = Sums(*(np.add.reduceat(side, starts) for side in sums[:2]))
    if totals.pos.max() > MOST_STRICT_ROWS or table.n_pos > MOST_IN_SLICES:  # a slice is at least a row
        return np.nan, np.nan
    together = totals.counts(prevalence)
    added = StrictSums(metric, float(metric.kernel(together)))
    for place, (start, end) in enumerate(zip(starts, np.append(starts[1:], sums.pos.size), strict=True)):
        rows = sums.each(lambda column, own=slice(start, end): column[own])  # type: ignore[misc]
        for order in strict_orders(totals, place, rows, prevalence):
            added.add(order)
    return added.found(together)


def ends_in_part(metric: Metric, table: HitTable, strict: npt.NDArray[np.bool_]) -> tuple[float, float]:
    """Return the values with positives last and first in the ties of some rows."""
    last, first = (
        float(metric.value(_in_part(table.sums, strict, side).counts(table.assumed_prevalence)))
        for side in (False, True)
    )
    return last, first


def _in_part(sums: Sums, strict: npt.NDArray[np.bool_], positives_first: bool) -> Sums:
    parts = []
    for run in np.split(np.arange(strict.size), np.flatnonzero(np.diff(strict)) + 1):
        own = sums.each(lambda column, run=run: column[run])  # type: ignore[misc]
        parts.append(own.in_strict_order(positives_first=positives_first) if strict[run[0]] else own)
    return Sums(*(np.concatenate([part[i] for part in parts]) for i in range(2)))


def on_axis(cut: CutAt, c: Counts) -> Array:
    """Return where rows end on the axis of a cut."""
    return {"rate": c.r, "fpr": c.Q, "recall": c.P}[cut.axis]


def reach_of_rounding(cut: CutAt, n1: float) -> float:
    """Return how far from a cut a row may matter by itself: a recall may be rounded to whole positives."""
    return 1.5 / n1 if cut.axis == "recall" else _HAIR


def _near(cut: CutAt, c: Counts) -> npt.NDArray[np.bool_]:
    ends, around = on_axis(cut, c), reach_of_rounding(cut, float(c.n1))
    place = float(cut.place)
    return np.asarray((before(ends) <= place + around) & (ends >= place - around))


def short_lists(totals: Sums, place: int, rows: Sums, next_rows: Sums | None) -> Iterator[Sums]:
    """Yield the short list of a slice, and the one in which its own rows are one row."""
    columns = []
    for side, own, following in zip(totals[:2], rows[:2], (next_rows or Sums(*np.zeros((2, 0), int)))[:2], strict=True):
        behind = np.append(following, side[place + 1 :].sum() - following.sum())
        columns.append((side[:place].sum(), own, side[place], behind))
    yield Sums(*(np.concatenate([[above], own, behind]) for above, own, _, behind in columns))
    yield Sums(*(np.concatenate([[above, together], behind]) for above, _, together, behind in columns))
