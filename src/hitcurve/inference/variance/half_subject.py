"""A metric of the table with half a subject more: its value, variance and bounds, from which intervals are made.

Half a subject changes the value and the variance of a list of a hundred thousand rows in the sixth digit. This change
is as large on a table in which neighbouring rows are taken together, to a few digits: the value and variance of the
list itself and the change on some thousand rows are then those of the long table, far beyond what is printed. Two such
tables, one with half as many rows, must agree on it.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.cumulative import first_reaching
from hitcurve.inference.variance.influence import LONG, has_gradient, not_differentiable, variance_of
from hitcurve.refusals import refused
from hitcurve.sums import Lists, Sums

if TYPE_CHECKING:
    from hitcurve.inference.variance.spread import Spread
    from hitcurve.metrics import Metric

Bounds: TypeAlias = tuple[Array, Array]

_CELLS = (2048, 4096)  # rows that neighbours are taken together to
_FINE = 32  # rows per rank at the ends: each row is one there, as are those of the ends of each class
_APART = 1e-6  # standard errors, and share of the variance, by which two such tables may differ
_SMALL = 0.01  # of the same: a larger change is taken from the long table
# a list on which a metric that follows the prevalence has another value at another one
_ANY = Sums(np.array([300.0, 0.0, 200.0, 100.0, 10.0]), np.array([20.0, 400.0, 100.0, 300.0, 900.0]))


class WithHalfSubject(NamedTuple):
    """A metric of the half-subject table: its value, variance and bounds there."""

    value: Array
    variance: Array
    bounds: Bounds | None


def with_half_subject(spread: Spread) -> WithHalfSubject:
    """Return what half a subject more makes of the metric."""
    set_prevalence = spread.lists.prevalence
    if set_prevalence is not None and spread_by(spread.metric, set_prevalence) is None:
        spread = replace(spread, rows=replace(spread.lists, prevalence=None))
    return _by_change(spread) or _of_table(spread)


def spread_by(metric: Metric, prevalence: Any) -> Any:
    """Return the prevalence that half a subject is spread by; None is that of the sample.

    Of a metric of both rates alone it is that of the sample: a half spread by a prevalence that was set would lie among
    the other class.
    """
    return None if prevalence is None or _is_of_rates_alone(metric) else prevalence


def _is_of_rates_alone(metric: Metric) -> bool:
    """Whether the metric is the same at every prevalence."""
    if metric.axis != "own" or metric.decided_by_prevalence:
        return metric.axis == "fpr"
    values = [float(metric.kernel(_ANY.counts(prevalence))) for prevalence in (0.3, 0.02)]
    return math.isclose(*values, rel_tol=1e-12)


def _of_table(spread: Spread) -> WithHalfSubject:
    metric = spread.metric
    more = spread.lists.folded(negatives_join=metric.negatives_join).with_half_subject
    c = more.counts
    # so many rows that derivatives are not taken numerically
    too_long = refused(not_differentiable(metric, c), spread.shape)
    number = np.count_nonzero(too_long)
    if number == too_long.size:
        found = spread.variance
    else:
        own = spread.share_left * variance_of(metric, more.sums, c, spread.design)
        own = of_clusters(spread, own)
        found = np.where(too_long, spread.variance, own) if number else own
    return WithHalfSubject(np.asarray(metric.kernel(c)), found, spread.bounds_of(c))


def of_clusters(spread: Spread, own: Array) -> Array:
    """Return the variance with half a subject more, given that of subjects one by one.

    Near its best value a metric hardly varies: of clusters it varies as much more as it would of independent subjects.
    """
    if spread.clustered is None:
        return own
    alone = spread.without_clusters.variance
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(alone > 0, spread.variance * np.fmax(own / alone, 1.0), np.fmax(own, spread.variance))


def _by_change(spread: Spread) -> WithHalfSubject | None:
    """Return it for a long list of a smooth metric; None of others, and where the change is large or not certain."""
    metric, lists = spread.metric, spread.lists
    c = lists.counts
    if c.shape or c.pos.size < LONG or c.weighted or c.is_corrected or spread.clustered is not None:
        return None
    exact = metric.smooth_from(c)
    if not exact < float(c.n) or metric.cut_at(c) is not None or not has_gradient(metric, c):
        return None
    value, variance = spread.value, spread.variance
    if not variance > 0:
        return None
    error = float(np.sqrt(variance))
    coarse, fine = (_Change.of(spread, cells, exact) for cells in _CELLS)
    steps = [abs(fine.value - coarse.value) / error, abs(fine.share - coarse.share)]
    sizes = [abs(fine.value) / error, abs(fine.share)]
    if not (max(steps) <= _APART and max(sizes) <= _SMALL):  # nan is neither
        return None
    return WithHalfSubject(value + fine.value, variance * (1 + fine.share), spread.bounds_of(fine.counts))


class _Change(NamedTuple):
    """What half a subject more changes: the value, and the variance by this share of it; and the counts with it."""

    value: float
    share: float
    counts: Counts

    @classmethod
    def of(cls, spread: Spread, cells: int, exact: float) -> Self:
        """Return it for a table of so many cells."""
        metric = spread.metric
        # a value has no corner: only the variance needs the rows that are told apart
        rows, wanted = (_with_and_without(spread, cells, rank) for rank in (0.0, exact))
        values = [float(metric.kernel(own.counts)) for own in rows]
        before, after = (float(variance_of(metric, own.sums, own.counts, spread.design, least=0)) for own in wanted)
        return cls(values[1] - values[0], after / before - 1 if before > 0 else math.nan, rows[1].counts)


def _with_and_without(spread: Spread, cells: int, exact: float) -> tuple[Lists, Lists]:
    """Return condensed rows, which all metrics share, and these with half a subject more."""
    joined = spread.metric.negatives_join
    key = f"condensed {cells} {joined} {exact}"
    lists = spread.counts.once(key, key, lambda: condensed(spread.lists, cells, exact, joined=joined))
    return lists, lists.with_half_subject


def condensed(lists: Lists, cells: int, exact: float = 0.0, *, joined: bool) -> Lists:
    """Return the only list with neighbouring rows taken together, rows near the ends one by one.

    Parameters
    ----------
    lists : Lists
    cells : int
        About how many rows are left.
    exact : float
        The rank down to which no rows are taken together.
    joined : bool
        Whether negatives above a row that holds a positive join it; else they are a row of their own, as in
        ``Lists.folded``.
    """
    c = lists.counts
    held, n = c.rows_of_positives, float(c.n)
    edge = cells / _FINE
    reach = math.log((n + edge) / edge)
    ranks = (n + 2 * edge) / (1 + np.exp(-np.linspace(-reach, reach, cells + 1)[1:-1])) - edge
    place = [held.searchsorted(first_reaching(c.called, np.rint(ranks)))]
    for own in (c.H, c.B):
        # the first and last of a rare class, which are not near the ends of the list, apart from the row above
        nearest = np.arange(1.0, min(edge, float(own[-1]) / 2) + 1)
        first = held.searchsorted(first_reaching(own, np.concatenate([nearest, own[-1] + 1 - nearest])))
        place += [first, np.maximum(first - 1, 0)]
    at = np.concatenate(place)
    rows = held[at[at < held.size]]
    wanted = np.zeros(c.pos.size, bool)
    wanted[held[: held.searchsorted(first_reaching(c.called, exact))]] = True
    wanted[rows] = True
    if not joined:
        wanted[:-1] |= wanted[1:]
    wanted[-1] = True
    ends = np.flatnonzero(wanted)
    ends = ends[np.diff(c.called[ends], prepend=0) > 0]  # of an empty row there may be two at one place
    return Lists(Sums(np.diff(c.H[ends], prepend=0), np.diff(c.B[ends], prepend=0)), lists.prevalence)
