"""P values of markers with ties, by random orders whose subjects are tied in the groups of each marker.

Average precision and AUC are sums of what each positive has. These are summed once down each order without ties; of a
marker only the groups of equal values are then put in their place. A marker of many zeros, for one, has one such group.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hitcurve._threads import in_threads, processors
from hitcurve.counts import AnyArray, Array
from hitcurve.metrics import Metric
from hitcurve.screens.null import ENOUGH, Drawn, Orders, good, least, values_of
from hitcurve.screens.quick import AP, AUC

_NUMBERS = 1 << 20  # places times orders of which the sums are held at a time
_TOGETHER = 1 << 18  # groups times orders that are looked at together
_AT_ONCE = 2_000  # markers of which all orders at least as good are listed at a time
_FEWEST = 500  # orders that a thread is begun for
_ALL, _TIED, _TOTAL = 3, 5, 4  # steps for each group if all are summed, for each one of several, and for their sum
_SUMS, _BOUNDS = 6, 25  # steps for each place that sums of an order and its bound take


@dataclass(slots=True)
class Groups:
    """Markers with the same groups of equal values, which share the values of the orders.

    Attributes
    ----------
    markers : list of int
        Those that are not decided yet.
    floor : float
        The lowest value of them.
    ends : array of int (K,)
        How many subjects there are down to the end of each group.
    stops : array of int (T,)
        The ends of the groups of several.
    starts : array of int (T,)
        How many there are down to their starts.
    saved : int
        Steps that sums of orders without ties save for an order; not above 0 if most groups hold several.
    """

    markers: list[int]
    floor: float
    ends: AnyArray
    stops: AnyArray
    starts: AnyArray
    saved: int

    @classmethod
    def of(cls, ends: AnyArray) -> Groups:
        """Return groups, of no marker yet."""
        starts = _starts(ends)
        several = ends - starts > 1
        stops = ends[several]
        return cls([], np.inf, ends, stops, starts[several], _ALL * ends.size - _TIED * stops.size - _TOTAL)

    def keep(self, is_open: Sequence[bool], own: Sequence[float]) -> bool:
        """Leave out the markers that are decided; say whether any is left."""
        if not all(is_open[marker] for marker in self.markers) or self.floor == np.inf:
            self.markers = [marker for marker in self.markers if is_open[marker]]
            self.floor = min((own[marker] for marker in self.markers), default=np.inf)
        return bool(self.markers)


class Batch(NamedTuple):
    """Markers of which an order is evaluated together.

    Attributes
    ----------
    markers : list of int
    of_marker : list of int
        The groups that each marker has, by their place.
    starts, stops : array of int (G, T)
        Groups of equal values, of all if sums are not needed; 0 beyond the last.
    sums : bool
        Whether all other subjects are as in orders without ties.
    floor : float
        The lowest value of any marker.
    """

    markers: list[int]
    of_marker: list[int]
    starts: AnyArray
    stops: AnyArray
    sums: bool
    floor: float

    @classmethod
    def of(cls, several: Sequence[Groups], *, sums: bool) -> Batch:
        """Return a batch of groups."""
        every = [(one.starts, one.stops) if sums else (_starts(one.ends), one.ends) for one in several]
        starts, stops = np.zeros((2, len(every), max(stops.size for _, stops in every)), np.intp)
        for row, (first, last) in enumerate(every):
            starts[row, : first.size], stops[row, : last.size] = first, last
        markers = [marker for one in several for marker in one.markers]
        of_marker = [row for row, one in enumerate(several) for _ in one.markers]
        return cls(markers, of_marker, starts, stops, sums, min(one.floor for one in several))


class Piece(NamedTuple):
    """Some orders side by side.

    Attributes
    ----------
    metric : Metric
    prevalence : float or None
    hits : array of int (n + 1, b)
        Positives down to each place, from none at all on.
    sums : array (n + 1, b) or None
        What the positives down to each place have without ties.
    highest : array (b,) or None
        What no order exceeds, descending.
    """

    metric: Metric
    prevalence: float | None
    hits: AnyArray
    sums: Array | None
    highest: Array | None

    def compared(self, batch: Batch, own: Array, places: AnyArray) -> Good:
        """Say which orders are at least as good as each marker of a batch."""
        values = self.values(batch)
        markers, of_marker = np.array(batch.markers), np.array(batch.of_marker)
        number, bits = [], []
        slab = max(_TOGETHER // max(values.shape[1], 1), 1)
        for first in range(0, markers.size, slab):
            held = slice(first, first + slab)
            is_good = values[of_marker[held]] >= own[markers[held]][:, None]
            number.append(np.count_nonzero(is_good, axis=1))
            bits.append(np.packbits(is_good, axis=1))
        return Good(markers, np.concatenate(number), np.concatenate(bits), places[: values.shape[1]])

    def values(self, batch: Batch) -> Array:
        """Return a metric of the first orders, of all that may be as good as a marker of a batch, (G, b)."""
        hits, sums = self.hits, self.sums
        if self.highest is not None:
            width = int(np.searchsorted(-self.highest, -batch.floor, "right"))
            hits, sums = hits[:, :width], None if sums is None else sums[:, :width]
        if not is_sum(self.metric, self.prevalence):
            return good(self.metric, values_of(self.metric, hits, batch.stops[0], self.prevalence))[None]
        starts, stops = batch.starts, batch.stops
        down = hits[stops]
        inside = np.subtract(down, hits[starts], dtype=float)
        n1 = hits[-1].astype(float)
        if self.metric == AP:
            inside *= down
            each = 1 / np.maximum(stops, 1)
        else:
            each = (starts + stops + 1) / 2
        total = np.matmul(each[:, None], inside)[:, 0]
        if batch.sums and sums is not None:
            total += sums[-1]
            for place in range(starts.shape[1]):
                total -= sums[stops[:, place]]
                total += sums[starts[:, place]]
        return np.asarray(total / n1 if self.metric == AP else 1 - (total / n1 - (n1 + 1) / 2) / (len(hits) - 1 - n1))


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
    of_groups: dict[bytes, Groups] = {}
    for marker, ends in enumerate(groups):
        key = ends.tobytes()
        if key not in of_groups:
            of_groups[key] = Groups.of(ends)
        of_groups[key].markers.append(marker)
    floors = own.tolist()
    undecided = [one for one in of_groups.values() if one.keep([True] * observed.size, floors)]
    before = 0
    for chunk, drawn in enumerate(in_threads(orders.drawn, range(len(orders.sizes)))):
        good_ones = list(_compared(metric, prevalence, drawn, undecided, own))
        count = np.zeros(observed.size, np.int64)
        for one in good_ones:
            count[one.markers] += one.number
        if drawn.weight is not None:
            for those, place in _places(good_ones, np.flatnonzero(count > 0)):
                beyond += np.bincount(those, drawn.weight[place], beyond.size)
        else:
            for those, place in _places(good_ones, np.flatnonzero(may_stop & (beyond + count >= ENOUGH))):
                stopped, first = np.unique(those, return_index=True)
                # the order at which there were enough
                out[stopped] = ENOUGH / (before + place[first + ENOUGH - 1 - beyond[stopped].astype(int)] + 1)
            beyond += count
        is_open = np.isnan(out).tolist()
        undecided = [one for one in undecided if one.keep(is_open, floors)]
        before += orders.sizes[chunk]
        if not undecided:
            break
    rest = np.isnan(out)
    out[rest] = orders.pvalue(beyond[rest], depth[rest])
    return out


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


def _compared(
    metric: Metric, prevalence: float | None, drawn: Drawn, undecided: Sequence[Groups], own: Array
) -> Iterator[Good]:
    """Compare the orders of a chunk with markers."""
    n, size = len(drawn.hits) - 1, drawn.hits.shape[1]
    saved = sum(max(one.saved, 0) for one in undecided) if is_sum(metric, prevalence) else 0
    saved = saved if saved > _SUMS * n else 0
    steps = sum(_ALL * one.ends.size for one in undecided) - saved
    batches = list(_batches(metric, prevalence, undecided, size, summed=saved > 0))
    order, highest = np.arange(size), None
    if metric == AP and prevalence is None and steps > _BOUNDS * n:
        # the orders that may be as good as the best come first
        bounds = drawn.highest_ap()
        order = np.argsort(-bounds)
        highest = bounds[order]
        order = order[: np.searchsorted(-highest, -min(batch.floor for batch in batches), "right")]
    width = max(min(_NUMBERS // (n + 1), max(-(-size // processors()), _FEWEST)), 1)

    def compare(held: slice) -> list[Good]:
        places = order[held]
        hits = drawn.hits[:, held] if highest is None else drawn.hits[:, places]
        sums = _sums(metric, hits) if saved else None
        piece = Piece(metric, prevalence, hits, sums, None if highest is None else highest[held])
        return [piece.compared(batch, own, places) for batch in batches]

    for found in in_threads(compare, [slice(start, start + width) for start in range(0, order.size, width)]):
        yield from found


def _batches(
    metric: Metric, prevalence: float | None, undecided: Sequence[Groups], size: int, *, summed: bool
) -> Iterator[Batch]:
    """Put markers together that have about as many groups to look at."""
    if not is_sum(metric, prevalence):
        yield from (Batch.of([one], sums=False) for one in undecided)
        return
    alike: dict[tuple[bool, int], list[Groups]] = {}
    for one in undecided:
        sums = summed and one.saved > 0
        width = one.stops.size if sums else one.ends.size
        alike.setdefault((sums, width.bit_length()), []).append(one)
    for (sums, bits), several in alike.items():
        # those that few orders may reach together
        several.sort(key=lambda one: -one.floor)
        together = max(_TOGETHER // (size << bits), 1)
        for first in range(0, len(several), together):
            yield Batch.of(several[first : first + together], sums=sums)


def _places(found: Sequence[Good], wanted: AnyArray) -> Iterator[tuple[AnyArray, AnyArray]]:
    """Yield some markers, each as often as there are orders of a chunk at least as good, and these, ascending."""
    for first in range(0, wanted.size, _AT_ONCE):
        markers, places = [np.empty(0, np.intp)], [np.empty(0, np.intp)]
        for one in found:
            own = np.flatnonzero(np.isin(one.markers, wanted[first : first + _AT_ONCE], assume_unique=True))
            row, place = np.nonzero(np.unpackbits(one.bits[own], axis=1, count=one.places.size))
            markers.append(one.markers[own[row]])
            places.append(one.places[place])
        marker, place = np.concatenate(markers), np.concatenate(places)
        order = np.argsort(marker, kind="stable")
        if np.any((place[order[1:]] < place[order[:-1]]) & (marker[order[1:]] == marker[order[:-1]])):
            order = np.lexsort((place, marker))  # the best orders came first
        yield marker[order], place[order]


def _sums(metric: Metric, hits: AnyArray) -> Array:
    """Return what the positives down to each place have without ties, (n + 1, b)."""
    out = np.zeros(hits.shape)
    np.subtract(hits[1:], hits[:-1], out=out[1:])
    place = np.arange(1, len(hits))[:, None]
    if metric == AP:
        out[1:] *= hits[1:]
        out[1:] /= place
    else:
        out[1:] *= place
    return np.asarray(np.cumsum(out, axis=0, out=out))


def _starts(ends: AnyArray) -> AnyArray:
    return np.concatenate([[0], ends[:-1]])
