"""Groups of equal values of many markers, and average precision or AUC of orders whose subjects are tied in them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.metrics import Metric
from hitcurve.screens.quick import AP

_CACHED = 1 << 16  # numbers of a slab
_SHORT = 4  # places up to which each is summed by itself
_ALL, _SEVERAL = 5, 8  # steps for each group if all are summed, and for each group of several


class Batch(NamedTuple):
    """Markers of which an order is evaluated together.

    Attributes
    ----------
    markers : array of int (M,)
    of_marker : array of int (M,) or None
        The groups that each has, by their row; None if each has its own.
    starts, stops : array of int (R, T)
        How many subjects there are down to the start and to the end of each group; 0 before the first.
    of_starts, of_stops : array of int (R, T)
        Their places in the tables.
    """

    markers: AnyArray
    of_marker: AnyArray | None
    starts: AnyArray
    stops: AnyArray
    of_starts: AnyArray
    of_stops: AnyArray


class _Ragged(NamedTuple):
    """Lists of whole numbers one after the other."""

    first: AnyArray
    length: AnyArray
    flat: AnyArray

    def of(self, rows: AnyArray) -> AnyArray:
        """Return some of the lists side by side, with 0 before each that is shorter."""
        length = self.length[rows]
        width = int(length.max(initial=0))
        behind = np.arange(width) - (width - length)[:, None]
        place = self.first[rows][:, None] + np.maximum(behind, 0)
        return np.where(behind >= 0, self.flat[np.minimum(place, max(self.flat.size - 1, 0))], 0)


class Part(NamedTuple):
    """Groups that are evaluated in the same way.

    Attributes
    ----------
    every : Groups
    markers : array of int (M,)
        From those with the fewest groups on, and of these the best first.
    summed : bool
        Whether all subjects but those in groups of several are as in orders without ties.
    used : array of int (E,)
        How many subjects there are down to the places that the tables need.
    """

    every: Groups
    markers: AnyArray
    summed: bool
    used: AnyArray

    def batches(self, numbers: int, size: int) -> Iterator[Batch]:
        """Yield batches of about so many numbers of so many orders."""
        starts, stops = self.every.lists(summed=self.summed)
        place = np.zeros(int(self.used[-1]) + 1, np.intp)
        place[self.used] = np.arange(self.used.size)
        at_once = max(numbers // size, 1)
        for begin in range(0, self.markers.size, at_once):
            markers = self.markers[begin : begin + at_once]
            rows, of_marker = np.unique(self.every.of_marker[markers], return_inverse=True)
            one_each = rows.size == markers.size
            if one_each:
                rows = self.every.of_marker[markers]
            first, last = starts.of(rows), stops.of(rows)
            yield Batch(markers, None if one_each else of_marker, first, last, place[first], place[last])


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of equal values of markers, of which many may have the same.

    Attributes
    ----------
    ends : list of array of int
        How many subjects there are down to the end of each group.
    of_marker : array of int (M,)
        The groups of each marker.
    """

    ends: list[AnyArray]
    of_marker: AnyArray
    _starts: _Ragged
    _stops: _Ragged
    _starts_of_several: _Ragged
    _stops_of_several: _Ragged

    @classmethod
    def of(cls, groups: Sequence[AnyArray]) -> Groups:
        """Return the groups of each marker, from their ends."""
        place: dict[bytes, int] = {}
        of_marker = np.array([place.setdefault(ends.tobytes(), len(place)) for ends in groups])
        _, first = np.unique(of_marker, return_index=True)
        ends = [groups[marker] for marker in first.tolist()]
        length = np.array([one.size for one in ends])
        begin = np.cumsum(length) - length
        stops = np.concatenate(ends).astype(np.intp)
        starts = np.append(0, stops[:-1])
        starts[begin] = 0
        several = stops - starts > 1
        of_several = np.add.reduceat(several, begin, dtype=np.intp)
        sides = (starts, stops)
        all_of, tied = (
            [_Ragged(np.cumsum(many) - many, many, side[chosen]) for side in sides]
            for many, chosen in ((length, slice(None)), (of_several, several))
        )
        return cls(ends, of_marker, *all_of, *tied)

    @property
    def n(self) -> int:
        """Number of subjects."""
        return int(self.ends[0][-1])

    def lists(self, *, summed: bool) -> tuple[_Ragged, _Ragged]:
        """Return the starts and the ends of all groups, or of those of several."""
        return (self._starts_of_several, self._stops_of_several) if summed else (self._starts, self._stops)

    def one_by_one(self, markers: AnyArray) -> Iterator[Batch]:
        """Yield a batch of the markers that have the same groups, without places in tables."""
        own = self.of_marker[markers]
        for row in np.unique(own).tolist():
            here, stops = markers[own == row], self.ends[row][None]
            none = np.zeros((1, 0), np.intp)
            yield Batch(here, np.zeros(here.size, np.intp), none, stops, none, none)

    def _saved(self, rows: AnyArray) -> AnyArray:
        return np.asarray(_ALL * self._stops.length[rows] - _SEVERAL * self._stops_of_several.length[rows] - 1)

    def saved_by(self, markers: AnyArray) -> int:
        """Return the steps that sums of orders without ties save for an order."""
        return int(np.maximum(self._saved(np.unique(self.of_marker[markers])), 0).sum())

    def steps(self, markers: AnyArray, *, summed: bool) -> int:
        """Return the steps that an order takes."""
        every = int(self._stops.length[np.unique(self.of_marker[markers])].sum())
        return _ALL * every - (self.saved_by(markers) if summed else 0)

    def parts(self, markers: AnyArray, own: Array, *, summed: bool) -> list[Part]:
        """Divide markers by how they are evaluated.

        Parameters
        ----------
        markers : array of int
        own : array
            The value of every marker.
        summed : bool
            Whether there are sums of orders without ties.
        """
        by_sums = self._saved(self.of_marker[markers]) > 0 if summed else np.zeros(markers.size, bool)
        out = []
        for which in (False, True):
            here = markers[by_sums == which]
            if not here.size:
                continue
            starts, stops = self.lists(summed=which)
            rows = self.of_marker[here]
            width = np.frexp(stops.length[rows])[1]
            here = here[np.lexsort((-own[here], width))]
            rows = np.unique(rows)
            used = np.unique(np.concatenate([[0], starts.of(rows).ravel(), stops.of(rows).ravel(), [self.n]]))
            out.append(Part(self, here, which, used))
        return out


class Tables(NamedTuple):
    """What the places that are used give in each order, (E, b).

    Attributes
    ----------
    metric : Metric
    n, n1 : int
    hits : array
        Positives down to each.
    scaled, own : array
        Of average precision: their share of the subjects, and what a group has that ends there and begins at the top;
        less what the positives have that are alone, if these are summed.
    sums : array or None
        What the positives down to each have without ties; of AUC, the sum of hits over the places.
    total : array (b,) or None
        What all positives have without ties.
    """

    metric: Metric
    n: int
    n1: int
    hits: Array
    scaled: Array | None
    own: Array | None
    sums: Array | None
    total: Array | None

    @classmethod
    def of(cls, metric: Metric, hits: AnyArray, used: AnyArray, *, summed: bool) -> Tables:
        """Make the tables of orders (n + 1, b)."""
        n, n1 = len(hits) - 1, int(hits[-1, 0])
        down = hits[used].astype(float)
        sums = total = None
        if summed:
            sums = sums_of_untied(metric, hits, used)
            # of AUC, the hits of the last place are those of all orders
            total = sums[-1] if metric == AP else sums[-1] - n1
        if metric != AP:
            return cls(metric, n, n1, down, None, None, sums, total)
        scaled = down / np.maximum(used, 1)[:, None]
        own = down * scaled
        if sums is not None:
            own -= sums
        return cls(metric, n, n1, down, scaled, own, sums, total)

    def values(self, batch: Batch, first: int) -> Array:
        """Return the metric of the first orders for each row of a batch, (R, b)."""
        kept = slice(first)
        if self.metric == AP:
            return self._average_precision(batch, kept)
        return self._auc(batch, kept)

    def _average_precision(self, batch: Batch, kept: slice) -> Array:
        assert self.own is not None
        assert self.scaled is not None
        hits, scaled, own = self.hits[:, kept], self.scaled[:, kept], self.own[:, kept]
        total = np.zeros((len(batch.stops), hits.shape[1]))
        if self.sums is not None and self.total is not None:
            total += self.total[kept]
            for start in batch.of_starts.T:
                total += self.sums[:, kept][start]
        for place, (start, stop) in enumerate(zip(batch.of_starts.T, batch.of_stops.T, strict=True)):
            total += own[stop]
            if batch.starts[:, place].any():
                product = hits[start]
                product *= scaled[stop]
                total -= product
        total /= self.n1
        return total

    def _auc(self, batch: Batch, kept: slice) -> Array:
        hits = self.hits[:, kept]
        ranks = np.zeros((len(batch.stops), hits.shape[1]))
        size = batch.stops - batch.starts
        if self.sums is not None and self.total is not None:
            # of the sums over places, a group of several has half of those at its start and at its end
            ranks += self.n * self.n1 - self.total[kept]
            for place, (start, stop) in enumerate(zip(batch.of_starts.T, batch.of_stops.T, strict=True)):
                ends = hits[start]
                ranks += ends
                ranks += self.sums[:, kept][stop]
                ranks -= self.sums[:, kept][start]
                ends += hits[stop]
                ends *= (size[:, place, None] + 1) / 2
                ranks -= ends
        else:
            middle = (batch.starts + batch.stops + 1) / 2
            steps = np.diff(middle, axis=1, append=0.0)
            for place, stop in enumerate(batch.of_stops.T):
                product = hits[stop]
                product *= steps[:, place, None]
                ranks -= product
        n0 = self.n - self.n1
        ranks -= self.n1 * (self.n1 + 1) / 2
        ranks /= -self.n1 * n0
        ranks += 1
        return ranks


def sums_of_untied(metric: Metric, hits: AnyArray, used: AnyArray) -> Array:
    """Return what the positives down to some places have without ties, (E, b); of AUC, the sums of hits down to there.

    Parameters
    ----------
    metric : Metric
    hits : array of int (n + 1, b)
    used : array of int (E,)
        Ascending, the first is 0.
    """
    out = np.zeros((used.size, hits.shape[1]))
    for row, (first, last) in enumerate(zip(used[:-1].tolist(), used[1:].tolist(), strict=True), 1):
        part = _precisions(hits, first, last) if metric == AP else _total(hits[first + 1 : last + 1])
        np.add(out[row - 1], part, out=out[row])
    return out


def _precisions(hits: AnyArray, first: int, last: int) -> Array:
    """Return the sum of the precision at positives after one place and down to another, (b,).

    With H positives down to each place those there have ``(H (H + 1) - H' (H' + 1))/2k``, H' down to the place before:
    by parts, a sum over the places of ``H (H + 1)/2``, each over ``k (k + 1)``.
    """
    if last - first <= _SHORT:
        own = hits[first + 1 : last + 1] - hits[first:last]
        own *= hits[first + 1 : last + 1]
        return np.asarray(np.add.reduce(own / np.arange(first + 1.0, last + 1)[:, None], axis=0))
    ends = hits[[first, last]].astype(float)
    ends *= ends + 1
    out = ends[1] / (2 * last) - ends[0] / (2 * (first + 1))
    slab = max(_CACHED // hits.shape[1], 1)
    # 255 times 256 is less than 65,536
    kind = np.uint16 if hits.dtype == np.uint8 else float
    for begin in range(first + 1, last, slab):
        end = min(begin + slab, last)
        down = hits[begin:end].astype(kind)
        down *= down + down.dtype.type(1)
        place = np.arange(float(begin), end)
        out += np.einsum("k,kb->b", 1 / (2 * place * (place + 1)), down.astype(float, copy=False))
    return np.asarray(out)


def _total(hits: AnyArray) -> AnyArray:
    return np.asarray(np.add.reduce(hits, axis=0, dtype=np.uint32 if len(hits) < 1 << 12 else np.int64))
