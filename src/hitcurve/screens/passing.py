"""One pass over all markers: their values, standard errors and what tests against random orders need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from hitcurve._cached import cached_property
from hitcurve._progress import tell
from hitcurve._threads import in_threads, keep_memory
from hitcurve.counts import AnyArray, Array
from hitcurve.metrics import Metric
from hitcurve.screens import quick, rank_sum
from hitcurve.screens.cluster_orders import ClusterOrders
from hitcurve.screens.columns import Block, Columns, DenseBlock, SparseBlock
from hitcurve.screens.engine import AUTO, LOW, MarkerLists, Subjects
from hitcurve.screens.lists import Flags, tabulated
from hitcurve.screens.mixing import mixed
from hitcurve.screens.placed import design_effect
from hitcurve.screens.untied import Ranks, ranks_of
from hitcurve.screens.wide import lost_by_floats
from hitcurve.screens.zeros import AmongZeros, among_zeros

_HALF = np.uint64(32)
NUMBERS = 1 << 16  # of a block: what is made of them stays in the cache of a processor


class Found(NamedTuple):
    """What one pass finds of some markers; the last axis is that of the markers.

    Attributes
    ----------
    value, variance : array (M, w)
        Of each metric.
    effect : array (w,)
        Variance of AUC by cluster over that of independent subjects; 1 without clusters.
    permuted : array (M, w)
        P values by random orders of the labels of clusters; nan without clusters, and of AUC.
    low : array of bool (w,)
    n_pos, n_neg : array of int (w,)
        Subjects that have a place.
    missing : array of int (w,)
        Subjects without a value.
    levels : array of int (w,)
        Distinct values.
    ties : array (w,)
        Sum of t^3 - t over the groups of t equal values.
    cubes : array (w,)
        Sum over the subjects of the third power of their middle rank less the mean.
    largest : array of int (w,)
        Subjects of the largest group.
    first : array of int (w,)
        Subjects of the first of two groups; 0 unless there are two.
    tied : array of int (w,)
        Subjects that share their value with another.
    random_ap : array (w,)
        Mean of average precision over random orders of subjects with these ties.
    depth : array (w,)
        Sum of the logarithms of the ranks of the positives, tied ones at the end of their group; 0 unless
        orders are weighted.
    digest : array of int (2, w)
        Equal for columns that are equal.
    groups : array of object (w,)
        Ends of the groups of equal values, None without ties or where they are not needed.
    """

    value: Array
    variance: Array
    effect: Array
    permuted: Array
    low: Flags
    n_pos: AnyArray
    n_neg: AnyArray
    missing: AnyArray
    levels: AnyArray
    ties: Array
    cubes: Array
    largest: AnyArray
    first: AnyArray
    tied: AnyArray
    random_ap: Array
    depth: Array
    digest: AnyArray
    groups: AnyArray

    def kept(self, markers: AnyArray) -> Found:
        """Return some of the markers."""
        parts: list[AnyArray] = [part[..., markers] for part in self]
        return Found(*parts)

    def room(self, count: int) -> Found:
        """Return room for so many markers."""
        parts: list[AnyArray] = [np.empty((*part.shape[:-1], count), part.dtype) for part in self]
        return Found(*parts)

    def put(self, places: AnyArray, found: Found) -> None:
        """Put what was found of some markers in its place."""
        for whole, part in zip(self, found, strict=True):
            whole[..., places] = part


@dataclass(frozen=True)
class Job:
    """What is computed of each block.

    Attributes
    ----------
    subjects : Subjects
    metrics : sequence of Metric
    directions : array of int (m,)
        HIGH, LOW or AUTO.
    with_orders : bool
        Whether groups of equal values are kept of all markers for random orders, beside those that need them for AUC.
    weighted : bool
        Whether these are weighted.
    by_cluster : ClusterOrders or None
        Random orders where subjects are in clusters.
    """

    subjects: Subjects
    metrics: Sequence[Metric]
    directions: AnyArray
    with_orders: bool
    weighted: bool = False
    by_cluster: ClusterOrders | None = None

    def lists(self, block: Block) -> MarkerLists:
        """Return the lists of the markers of a block."""
        return MarkerLists.of(block, self.subjects, self.directions[block.places])

    def found(self, block: Block) -> Found:
        """Evaluate the markers of a block."""
        if self._by_ranks and isinstance(block, SparseBlock):
            table = tabulated(block, self.subjects.positive)
            if table is not None:
                own = MarkerLists.directed(table, self.subjects, self.directions[block.places])
                return self.found_in_lists(block, own)
        some = self._of_positives(block)
        if some is None:
            return self.found_in_lists(block, self.lists(block))
        which, found = some
        if which.all():
            return found
        out = found.room(len(block))
        out.put(which, found)
        rest = block.kept(~which)
        out.put(~which, self.found_in_lists(rest, self.lists(rest)))
        return out

    def _of_positives(self, block: Block) -> tuple[Flags, Found] | None:
        """Evaluate the markers of a block of which no more is needed than where the positives are."""
        positive, sizes = self.subjects.positive, self.subjects.sizes
        if not self._by_ranks:
            return None
        if isinstance(block, SparseBlock):
            if set(self.metrics) != {quick.AUC} or self.weighted or not quick.are_few(*sizes):
                return None
            among = among_zeros(block, positive)
            if among is None or not (which := among.need_no_orders).any():
                return None
            found = self._of_zeros(among, block)
            return which, found if which.all() else found.kept(which)
        if block.values.dtype not in (np.float32, np.float64):
            return None
        untied, ranks = ranks_of(block.values, positive)
        if not untied.any():
            return None
        return untied, self._of_ranks(ranks, self.directions[block.places[untied]], digests(block)[:, untied])

    @cached_property
    def _by_ranks(self) -> bool:
        """Whether the ranks of its positives are all that is needed of a marker without ties."""
        subjects = self.subjects
        return all(map(quick.is_quick, self.metrics)) and subjects.prevalence is None and subjects.clusters is None

    def _of_ranks(self, ranks: Ranks, directions: AnyArray, digest: AnyArray) -> Found:
        low, auto = directions == LOW, directions == AUTO
        if auto.any():
            low |= auto & ranks.is_worse()
        ranks = ranks.turned(low)
        value, variance = zip(*(ranks.evaluated(m, self.subjects.design) for m in self.metrics), strict=True)
        width, n = low.size, ranks.n
        random = np.full(1, np.nan)
        if quick.AP in self.metrics:
            random = quick.random_ap(np.ones(n), np.arange(1.0, n + 1), *np.array([[[ranks.n1]], [[n]]]))
        return Found(
            np.array(value),
            np.array(variance),
            low=low,
            n_pos=np.full(width, ranks.n1),
            n_neg=np.full(width, ranks.n0),
            missing=np.zeros(width, np.int64),
            random_ap=np.broadcast_to(random, width),
            digest=digest,
            depth=ranks.depth() if self.weighted else np.zeros(width),
            **_independent(len(value), width),
            **_no_ties(width, n),
        )

    def _of_zeros(self, among: AmongZeros, block: SparseBlock) -> Found:
        directions = self.directions[block.places]
        low, auto = directions == LOW, directions == AUTO
        if auto.any():
            low |= auto & among.is_worse()
        value, variance = (np.repeat(one[None], len(self.metrics), axis=0) for one in among.auc(low))
        width = low.size
        none = np.zeros(width, np.int64)
        return Found(
            value,
            variance,
            low=low,
            n_pos=none + among.n1,
            n_neg=none + among.n0,
            missing=none,
            levels=among.levels,
            ties=among.ties,
            cubes=np.where(low, -among.cubes, among.cubes),
            largest=among.largest,
            first=none,
            tied=among.tied,
            random_ap=np.full(width, np.nan),
            depth=np.zeros(width),
            digest=digests(block),
            groups=np.full(width, None, object),
            **_independent(len(value), width),
        )

    def found_in_lists(self, block: Block, own: MarkerLists) -> Found:
        """Evaluate the markers of a block by their lists."""
        with np.errstate(divide="ignore", invalid="ignore"):  # markers of one class, or of nobody
            value, variance = zip(*map(own.of_metric, self.metrics), strict=True)
            if self.subjects.clusters is not None:
                variance = tuple(map(own.clustered, self.metrics))
        among = _independent(len(value), len(block))
        if self.by_cluster is not None:
            if quick.AUC in self.metrics:
                among["effect"] = design_effect(quick.AUC, own)
            counted = {i: metric for i, metric in enumerate(self.metrics) if metric != quick.AUC}
            among["permuted"] = self.by_cluster.pvalues(counted, own, np.array(value))
        return Found(
            np.array(value),
            np.array(variance),
            low=own.low,
            n_pos=own.down.n1[:, 0].astype(np.int64),
            n_neg=own.down.n0[:, 0].astype(np.int64),
            missing=own.ranked.gone.sum(axis=0),
            random_ap=own.random_ap if quick.AP in self.metrics else np.full(len(block), np.nan),
            digest=digests(block),
            depth=own.depth if self.weighted else np.zeros(len(block)),
            **among,
            **self._ties(own),
        )

    def _ties(self, own: MarkerLists) -> dict[str, AnyArray]:
        width, rows = own.pos.shape
        if own.ranked.one_by_one:
            return _no_ties(width, rows)
        groups = np.full(width, None, object)
        size = own.size
        cubes = size.astype(float)
        cubes *= cubes * cubes - 1
        ties = cubes.sum(axis=1)
        n = size.sum(axis=1, keepdims=True)
        tied = n[:, 0] - np.count_nonzero(size == 1, axis=1)
        # over all places the third powers cancel: what is left is that of the ties
        third = np.einsum("ij,ij->i", cubes, (size + n) / 2 - np.cumsum(size, axis=1)) / 4
        largest = size.max(axis=1)
        two = np.count_nonzero(size, axis=1) == 2
        first = np.where(two, size[np.arange(width), np.argmax(size > 0, axis=1)], 0)
        kept = tied > 0
        if not self.with_orders:
            kept &= (first == 0) & ~self._normal(own, ties, third, largest)
        held = size[kept]
        ends = np.cumsum(held, axis=1)[held > 0]
        last = np.cumsum(np.count_nonzero(held, axis=1)).tolist()
        for marker, start, stop in zip(np.flatnonzero(kept).tolist(), [0, *last], last, strict=False):
            groups[marker] = ends[start:stop]
        places = {"cubes": third, "largest": largest, "first": first}
        return {"levels": own.levels, "ties": ties, "tied": tied, "groups": groups, **places}

    @staticmethod
    def _normal(own: MarkerLists, ties: Array, cubes: Array, largest: AnyArray) -> Flags:
        """Say of which markers AUC needs no random orders."""
        n1, n0 = (side[:, 0].astype(float) for side in (own.down.n1, own.down.n0))
        return rank_sum.is_normal(n1, n0, ties, cubes, largest)


def _independent(metrics: int, width: int) -> dict[str, AnyArray]:
    """Return what markers of subjects without clusters have."""
    return {"effect": np.ones(width), "permuted": np.full((metrics, width), np.nan)}


def _no_ties(width: int, n: int) -> dict[str, AnyArray]:
    """Return what markers have whose values all differ."""
    none, zero = np.zeros(width, np.int64), np.zeros(width)
    # two subjects are two values
    places = {"cubes": zero, "largest": none + 1, "first": none + (n == 2)}
    return {"levels": none + n, "ties": zero, "tied": none, "groups": np.full(width, None, object), **places}


def digests(block: Block) -> AnyArray:
    """Return two numbers of each column that are the same for equal columns, (2, w); a zero adds nothing."""
    # -0.0 + 0.0 is 0.0
    bits = (np.ascontiguousarray(block.values, float) + 0.0).view(np.uint64)
    # of few digits the last bits of floats are all 0, and a product has no more bits than are left
    bits ^= bits >> _HALF
    lost = lost_by_floats(block.values)
    if lost is not None:
        bits ^= mixed(lost)
    keys = _keys(block.n)
    # sums of whole numbers are exact, and what overflows does no harm
    if not isinstance(block, SparseBlock):
        return np.array([np.einsum("ij,j->i", bits, key) for key in keys])
    sums = np.zeros((2, len(block)), np.uint64)
    some = np.diff(block.starts) > 0
    if bits.size:
        sums[:, some] = [np.add.reduceat(bits * key.take(block.subjects), block.starts[:-1][some]) for key in keys]
    return sums


@lru_cache(maxsize=1)
def _keys(n: int) -> AnyArray:
    return np.random.default_rng(0).integers(0, 1 << 64, size=(2, n), dtype=np.uint64)


def are_labels(digest: AnyArray, positive: Flags) -> Flags:
    """Say which columns are 1 for positives and 0 for negatives, or the other way round, (w,)."""
    both = digests(DenseBlock(np.arange(2), np.stack([positive, ~positive]).astype(float)))
    return np.asarray((digest[:, :, None] == both[:, None]).all(axis=0).any(axis=1))


def over_all(columns: Columns, job: Job, numbers: int = NUMBERS) -> Found:
    """Evaluate all markers, block by block in threads; the results are in the order of the columns."""
    keep_memory()
    count = len(columns.names)
    out: Found | None = None
    done = 0
    tell("markers", 0, count)
    work = ((block, job) for block in columns.blocks(numbers))
    for places, found in in_threads(_do, work):
        if out is None:
            out = found.room(count)
        out.put(places, found)
        done += len(places)
        tell("markers", done, count)
    assert out is not None
    return out


def _do(piece: tuple[Block, Job]) -> tuple[AnyArray, Found]:
    block, job = piece
    return block.places, job.found(block)
