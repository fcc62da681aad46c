"""P values of markers whose subjects depend on each other within clusters, by random orders of the labels.

Where clusters of the same size are alike before anything is known of their labels, and so are the subjects of each,
the labels of whole clusters may change places, and those within a cluster: p values are then exact for every metric.
Sizes that few clusters have are put together with the next; a cluster then takes the share of positives of another.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.metrics import Metric
from hitcurve.screens.engine import MarkerLists
from hitcurve.screens.mixing import mixed
from hitcurve.screens.null import ENOUGH, good, least, values_of

_FEWEST = 10  # clusters of about the same size that change places
_FIRST = 250  # orders, which decide most markers
_NUMBERS = 1 << 21  # subjects times orders at a time
_KEPT = 1 << 25  # subjects times orders
_STRUCTURES = 4  # of clusters, of which orders are kept


class Clusters(NamedTuple):
    """The clusters of a marker by their size, and its subjects in their order.

    Attributes
    ----------
    sizes, hits : array of int (C,)
        Subjects and positives, ascending.
    places : array of int (n,)
        Where the subjects of the ranking, from the top, are among the clusters.
    """

    sizes: AnyArray
    hits: AnyArray
    places: AnyArray

    @classmethod
    def of(cls, row: AnyArray, codes: AnyArray, positive: AnyArray) -> Clusters:
        """Return those of one marker; clusters of one size are in an order that their rows alone give.

        Parameters
        ----------
        row : array of int (n,)
            Of each subject; -1 of those without a place.
        codes : array of int (n,)
        positive : array of bool (n,)
        """
        there = row >= 0
        row, codes = row[there], codes[there]
        sizes = np.bincount(codes)
        hits = np.bincount(codes[positive[there]], minlength=sizes.size)
        order = np.argsort(codes, kind="stable")
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        content = np.zeros(sizes.size, np.uint64)
        content[codes[order[starts]]] = np.add.reduceat(mixed(row[order].astype(np.uint64)), starts)
        canonical = np.lexsort((row, codes, content[codes], sizes[codes]))
        by_size = np.lexsort((hits, sizes))
        by_size = by_size[sizes[by_size] > 0]
        return cls(sizes[by_size], hits[by_size], np.argsort(row[canonical], kind="stable"))

    @property
    def key(self) -> tuple[bytes, bytes]:
        """Return what is the same where the same orders may be used."""
        return self.sizes.tobytes(), self.hits.tobytes()


class LabelOrders:
    """Random labels of the subjects of clusters.

    Parameters
    ----------
    sizes, hits : array of int (C,)
        Subjects and positives of the clusters, by size.
    draws, seed : int
    """

    def __init__(self, sizes: AnyArray, hits: AnyArray, draws: int, seed: int) -> None:
        self.sizes, self.hits, self.draws = sizes, hits, draws
        self._seed = seed
        self._drawn: dict[int, AnyArray] = {}

    @cached_property
    def chunks(self) -> tuple[int, ...]:
        """How many orders are in each chunk."""
        most = max(_NUMBERS // int(self.sizes.sum()), 1)
        out: list[int] = []
        left = self.draws
        while left:
            out.append(min(left, most, _FIRST if not out else sum(out)))
            left -= out[-1]
        return tuple(out)

    @property
    def varies(self) -> bool:
        """Whether the number of positives differs between orders."""
        return any(self.sizes[own.start] != self.sizes[own.stop - 1] for own in self.strata)

    @cached_property
    def strata(self) -> list[slice]:
        """The clusters that change places with each other."""
        ends = np.append(np.flatnonzero(np.diff(self.sizes)) + 1, self.sizes.size).tolist()
        out = [0]
        for end in ends:
            if end - out[-1] >= _FEWEST:
                out.append(end)
        if out[-1] < ends[-1]:  # the largest, together with the next
            out[max(len(out) - 1, 1) :] = [ends[-1]]
        return [slice(*pair) for pair in pairwise(out)]

    def drawn(self, chunk: int) -> AnyArray:
        """Return the labels of some orders, (n, b); those of few subjects are kept for the next markers."""
        if chunk in self._drawn:
            return self._drawn[chunk]
        found = self._new(chunk)
        if int(self.sizes.sum()) * self.draws <= _KEPT:
            self._drawn[chunk] = found
        return found

    def _new(self, chunk: int) -> AnyArray:
        draws = self.chunks[chunk]
        rng = np.random.default_rng([self._seed, int(self.hits.sum()), int(self.sizes.sum()), chunk])
        hits = np.empty((self.sizes.size, draws), np.int64)
        for own in self.strata:
            sizes = self.sizes[own]
            donor = np.argsort(rng.random((sizes.size, draws)), axis=0)
            if sizes[0] == sizes[-1]:
                hits[own] = self.hits[own][donor]
                continue
            # a cluster of another size takes the share of the positives
            share = sizes[:, None] * self.hits[own][donor] / sizes[donor]
            hits[own] = np.floor(share + rng.random(share.shape))
        out = np.repeat(hits > 0, self.sizes, axis=0)
        ends = np.cumsum(self.sizes)
        partly = np.any((hits > 0) & (hits < self.sizes[:, None]), axis=1)
        for size in np.unique(self.sizes[partly]).tolist():
            some = np.flatnonzero(partly & (self.sizes == size))
            rank = np.argsort(np.argsort(rng.random((some.size, size, draws)), axis=1), axis=1)
            subjects = (ends[some] - size)[:, None] + np.arange(size)
            out[subjects] = rank < hits[some][:, None]
        return out


class ClusterOrders:
    """Random orders by cluster that the markers of a screen share.

    Parameters
    ----------
    draws, seed : int
    """

    def __init__(self, draws: int, seed: int) -> None:
        self.draws, self.seed = draws, seed
        self._kept: dict[tuple[bytes, bytes], LabelOrders] = {}

    def of(self, clusters: Clusters) -> LabelOrders:
        """Return the orders of clusters of these sizes and positives."""
        found = self._kept.get(clusters.key)
        if found is None:
            found = LabelOrders(clusters.sizes, clusters.hits, self.draws, self.seed)
            if len(self._kept) < _STRUCTURES:
                self._kept[clusters.key] = found
        return found

    def pvalues(self, metrics: dict[int, Metric], own: MarkerLists, observed: Array) -> Array:
        """Return the p values of the markers of a block, (M, w); nan of metrics that are not asked for.

        Parameters
        ----------
        metrics : mapping of int to Metric
            By their place.
        own : MarkerLists
        observed : array (M, w)
        """
        out = np.full(observed.shape, np.nan)
        codes, positive = np.asarray(own.subjects.clusters), own.subjects.positive
        alike: dict[tuple[bytes, bytes], list[tuple[int, Clusters]]] = {}
        # which rows hold nobody depends on how the values are stored
        rank = np.cumsum(own.size > 0, axis=1) - 1
        for marker, row in enumerate(own.row_of_subject):
            if (row >= 0).any():
                one = Clusters.of(np.where(row >= 0, rank[marker, row], -1), codes, positive)
                alike.setdefault(one.key, []).append((marker, one))
        for several in alike.values():
            orders = self.of(several[0][1])
            assumed = {
                (i, marker): _prevalence(metric, own, marker, observed[i, marker], orders)
                for i, metric in metrics.items()
                for marker, _ in several
            }
            ends = {marker: np.cumsum(own.size[marker][own.size[marker] > 0]) for marker, _ in several}
            # how many orders were at least as good
            beyond = {(i, marker): 0 for i in metrics for marker, _ in several if not np.isnan(observed[i, marker])}
            before = 0
            for chunk, size in enumerate(orders.chunks):
                if not beyond:
                    break
                labels = orders.drawn(chunk)
                for marker, one in several:
                    wanted = [i for i in metrics if (i, marker) in beyond]
                    if not wanted:
                        continue
                    hits = np.zeros((len(labels) + 1, size), np.int32)
                    np.cumsum(labels[one.places], axis=0, out=hits[1:])
                    for i in wanted:
                        metric = metrics[i]
                        with np.errstate(all="ignore"):  # orders of one class
                            values = values_of(metric, hits, ends[marker], assumed[i, marker])
                        is_good = good(metric, values) >= least(metric, observed[i, marker])
                        at = np.flatnonzero(is_good)
                        lacking = ENOUGH - beyond[i, marker]
                        if at.size >= lacking:
                            out[i, marker] = ENOUGH / (before + at[lacking - 1] + 1)
                            del beyond[i, marker]
                        else:
                            beyond[i, marker] += at.size
                before += size
            for (i, marker), count in beyond.items():
                out[i, marker] = (count + 1) / (self.draws + 1)
        return out


def _prevalence(metric: Metric, own: MarkerLists, marker: int, observed: float, orders: LabelOrders) -> float | None:
    """Return the prevalence at which orders are evaluated: where they differ in their positives, that of the marker.

    None for metrics that have no value at a set prevalence, or another one.
    """
    given = own.subjects.prevalence
    if given is not None or np.isnan(observed) or not orders.varies:
        return given
    n1, n = int(orders.hits.sum()), int(orders.sizes.sum())
    counts = Counts(own.pos[[marker]], own.neg[[marker]], n1 / n)
    if any(np.any(refusal.where) for refusal in metric.unsuited(Counts(np.array([n1]), np.array([n - n1]), n1 / n))):
        return None
    return n1 / n if np.allclose(metric.value(counts), observed, rtol=1e-9, atol=1e-12) else None
