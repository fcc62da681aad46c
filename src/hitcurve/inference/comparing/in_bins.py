"""Standard errors of differences of rankers whose scores are in bins: how far from those of the scores themselves."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from hitcurve import rows
from hitcurve.counts import AnyArray
from hitcurve.errors import InsufficientDataError
from hitcurve.inference.estimation.difference import Difference
from hitcurve.inference.pvalues import HAIR
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from hitcurve.sums import Sums
from hitcurve.table import HitTable

_MORE = (
    "evaluate with more bins (bins, --bins), or with a larger max_grid (--max-grid) and memory_limit (--memory-limit)"
)


def within_bins(metric: Metric, table: HitTable, design: str) -> float:
    """Return how large the standard error of what bins leave out of a value may be; nan if that is not known.

    The influence of a subject in a strict order is taken to lie between its influence with the positives of each bin
    before the negatives, and with the negatives before. The error of a sum differs from that of another sum by no more
    than the error of what lies between them.

    Parameters
    ----------
    metric : Metric
    table : HitTable
        Of bins.
    design : {"cohort", "case-control"}
    """
    if table.label_errors is not None:
        return math.nan
    own, *orders = (Spread(metric, t.lists, design).influence for t in (table, *(_in_order(table, k) for k in (0, 1))))
    first, second = orders
    if own is None or first is None or second is None:
        return math.nan
    variance = 0.0
    for side, (one, other) in {"pos": (0, 1), "neg": (1, 0)}.items():  # their rows in both orders
        squares = getattr(table, f"{side}_squares")
        amount = np.asarray(getattr(table, side) if squares is None else squares)
        here = getattr(own, side)
        moves = (getattr(order, side)[row::2] - here for order, row in ((first, one), (second, other)))
        far = np.maximum(*map(np.abs, moves))
        variance += float(np.sum(amount * far**2, where=amount > 0))
    return math.sqrt(variance)


def _in_order(table: HitTable, first: int) -> HitTable:
    """Return each row as two: of positives and then of negatives (0), or the other way (1)."""

    def at(column: AnyArray, row: int) -> AnyArray:
        out = np.zeros(2 * column.size, column.dtype)
        out[row::2] = column
        return out

    sums = Sums(at(table.pos, first), at(table.neg, 1 - first))
    if table.pos_squares is not None and table.neg_squares is not None:
        sums = Sums(sums.pos, sums.neg, at(table.pos_squares, first), at(table.neg_squares, 1 - first))
    return HitTable.of_sums(sums, "rows", None, table.assumed_prevalence, table.unit)


def of_bins(
    metric: Metric,
    tables: Mapping[str, HitTable],
    exact: Collection[str],
    difference: Difference,
    design: str,
    clustered: bool,
) -> list[str]:
    """Say what of a comparison is of bins, and how far its standard error may be from that of the scores.

    Parameters
    ----------
    metric : Metric
    tables : mapping of str to HitTable
        Of the rankers that are in bins.
    exact : collection of str
        Those of them whose values were read in slices.
    difference : Difference
        With a standard error of bins.
    design : {"cohort", "case-control"}
    clustered : bool
        Whether subjects depend on each other within clusters.

    Raises
    ------
    InsufficientDataError
        If nothing varies in the bins, although there may be a difference within them.
    """
    if not tables:
        return []
    names, error = rows.listed(list(tables)), difference.standard_error
    bins = rows.counted(max(int(np.count_nonzero(table.pos)) for table in tables.values()), "bin")
    far = math.nan if clustered else sum(within_bins(metric, table, design) for table in tables.values())
    if error == 0 and (far > 0 or abs(difference.value) > HAIR):
        what = f"the difference of {rows.number(difference.value)} is" if exact else "what differs may be"
        raise InsufficientDataError(
            f"{what} of scores within the same bins: its standard error is from {bins} of {names}, in which "
            f"nothing varies; {_MORE}"
        )
    if far == 0:
        return []
    whose = f"the scores of {names} in {bins}"
    if exact:
        said = f"the difference is exact; its standard error is that of {whose}"
    else:
        said = f"the difference and its standard error are those of {whose}"
    if math.isnan(far):
        return [f"{said}; see whether more bins move them"]
    reach = rows.number(error + far)
    between = f"between {rows.number(error - far)} and {reach}" if error > far else f"at most {reach}"
    return [f"{said}; without bins the standard error is {between}"]
