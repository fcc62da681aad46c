"""P values of markers with ties, by random orders whose subjects are tied in the groups of each marker.

Average precision and AUC are sums over the ends of these groups of what the positives down to them give, so that one
table of positives serves all markers. Where most subjects are alone in their group, as of a marker of many zeros, the
sums of orders without ties are taken, and the groups of several are put in their place (see
:mod:`hitcurve.screens.groups`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from hitcurve._progress import tell
from hitcurve._threads import in_threads, processors
from hitcurve.counts import AnyArray, Array
from hitcurve.metrics import Metric
from hitcurve.screens.groups import Batch, Groups, Tables
from hitcurve.screens.null import ENOUGH, good, least, values_of
from hitcurve.screens.orders import Drawn, Orders
from hitcurve.screens.quick import AP, AUC

_NUMBERS = 1 << 20  # places times orders of which the sums are held at a time
_TOGETHER = 1 << 16  # groups times orders that are evaluated together
_AT_ONCE = 1 << 22  # markers times orders that are looked at for the order at which there were enough
_FEWEST = 500  # orders that a thread is begun for
_SUMS, _BOUNDS = 3, 25  # steps for each place that sums of an order and its bound take


class Good(NamedTuple):
    """Which orders of a piece are at least as good as each of some markers.

    Attributes
    ----------
    markers : array of int (M,)
    number : array of int (M,)
        How many orders.
    bits : array of uint8 (M, b/8)
        Which ones, packed.
    places : array of int (b,)
        Of the orders in their chunk.
    """

    markers: AnyArray
    number: AnyArray
    bits: AnyArray
    places: AnyArray


def is_sum(metric: Metric, prevalence: float | None) -> bool:
    """Say whether a metric of an order is a sum of what each positive has by the end of its group."""
    return metric == AUC or (metric == AP and prevalence is None)


def of_tied(
    metric: Metric,
    orders: Orders,
    groups: Sequence[AnyArray],
    observed: Array,
    depth: Array,
    prevalence: float | None = None,
) -> Array:
    """Return the p values of markers with ties.

    Parameters
    ----------
    metric : Metric
    orders : Orders
    groups : sequence of array of int
        The ends of the groups of each marker.
    observed, depth : array (L,)
    prevalence : float or None
        At which they were evaluated.
    """
    own = least(metric, observed)
    beyond = np.zeros(observed.size)
    out = np.full(observed.size, np.nan)
    may_stop = not (orders.exact or orders.weighted)
    every = Groups.of(groups)
    undecided = np.arange(observed.size)
    before = 0
    for chunk, drawn in enumerate(in_threads(orders.drawn, range(len(orders.sizes)))):
        size = orders.sizes[chunk]
        found = list(_compared(metric, prevalence, drawn, every, undecided, own))
        count = np.zeros(observed.size, np.int64)
        for one in found:
            count[one.markers] += one.number
        if drawn.weight is not None:
            for those, is_good in _by_order(found, np.flatnonzero(count), size):
                beyond[those] += np.sum(is_good * drawn.weight, axis=1)
        else:
            enough = undecided[may_stop & (beyond + count >= ENOUGH)[undecided]]
            for those, is_good in _by_order(found, enough, size):
                # the order at which there were enough
                numbers = count[those]
                last = np.cumsum(numbers) - numbers + (ENOUGH - 1 - beyond[those].astype(int))
                out[those] = ENOUGH / (before + np.flatnonzero(is_good)[last] % size + 1)
            beyond += count
        undecided = undecided[np.isnan(out[undecided])]
        before += size
        tell("random orders", before, orders.draws)
        if not undecided.size:
            break
    out[undecided] = orders.pvalue(beyond[undecided], depth[undecided])
    return out


def _compared(
    metric: Metric, prevalence: float | None, drawn: Drawn, every: Groups, undecided: AnyArray, own: Array
) -> Iterator[Good]:
    """Compare the orders of a chunk with the markers that are not decided."""
    n, size = len(drawn.hits) - 1, drawn.hits.shape[1]
    if not is_sum(metric, prevalence):

        def evaluate(batch: Batch) -> Good:
            values = good(metric, values_of(metric, drawn.hits, batch.stops[0], prevalence))
            return _good(batch, values[None], own, np.arange(size))

        yield from in_threads(evaluate, every.one_by_one(undecided))
        return
    summed = every.saved_by(undecided) > _SUMS * n
    parts = every.parts(undecided, own, summed=summed)
    order, highest = np.arange(size), None
    if metric == AP and every.steps(undecided, summed=summed) > _BOUNDS * n:
        # the orders that may be as good as the best come first
        bounds = drawn.highest_ap()
        order = np.argsort(-bounds)
        highest = bounds[order]
        order = order[: np.searchsorted(-highest, -own[undecided].min(), "right")]
    width = max(min(_NUMBERS // (n + 1), max(-(-size // processors()), _FEWEST)), 1)

    def compare(held: slice) -> list[Good]:
        places = order[held]
        hits = drawn.hits[:, held] if highest is None else drawn.hits[:, places]
        out = []
        for part in parts:
            tables = Tables.of(metric, hits, part.used, summed=part.summed)
            for batch in part.batches(_TOGETHER, places.size):
                first = places.size
                if highest is not None:
                    first = int(np.searchsorted(-highest[held], -own[batch.markers].min(), "right"))
                out.append(_good(batch, tables.values(batch, first), own, places[:first]))
        return out

    for found in in_threads(compare, [slice(start, start + width) for start in range(0, order.size, width)]):
        yield from found


def _good(batch: Batch, values: Array, own: Array, places: AnyArray) -> Good:
    """Compare the values of orders, (R, b), with the markers of a batch."""
    is_good = (values if batch.of_marker is None else values[batch.of_marker]) >= own[batch.markers][:, None]
    return Good(batch.markers, np.count_nonzero(is_good, axis=1), np.packbits(is_good, axis=1), places)


def _by_order(found: Sequence[Good], wanted: AnyArray, size: int) -> Iterator[tuple[AnyArray, AnyArray]]:
    """Yield some markers, and which orders of a chunk are at least as good as each, (M, b)."""
    at_once = max(_AT_ONCE // size, 1)
    row_of = np.empty(int(wanted.max(initial=-1)) + 1, np.intp)
    for first in range(0, wanted.size, at_once):
        those = wanted[first : first + at_once]
        row_of[:] = -1
        row_of[those] = np.arange(those.size)
        out = np.zeros((those.size, size), bool)
        for one in found:
            here = np.flatnonzero(one.markers < row_of.size)
            here = here[row_of[one.markers[here]] >= 0]
            bits = np.unpackbits(one.bits[here], axis=1, count=one.places.size)
            out[row_of[one.markers[here]][:, None], one.places] = bits
        yield those, out
