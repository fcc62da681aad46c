"""One pass over all markers: their values, standard errors and what tests against random orders need."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hitcurve._progress import tell
from hitcurve._threads import in_threads, keep_memory
from hitcurve.counts import AnyArray, Array
from hitcurve.metrics import Metric
from hitcurve.screens.columns import Block, Columns, DenseBlock, SparseBlock
from hitcurve.screens.engine import MarkerLists, Subjects
from hitcurve.screens.lists import Flags

NUMBERS = 1 << 16  # of a block: what is made of them stays in the cache of a processor


class Found(NamedTuple):
    """What one pass finds of some markers; the last axis is that of the markers.

    Attributes
    ----------
    value, variance : array (M, w)
        Of each metric.
    low : array of bool (w,)
    n_pos, n_neg : array of int (w,)
        Subjects that have a place.
    missing : array of int (w,)
        Subjects without a value.
    levels : array of int (w,)
        Distinct values.
    ties : array (w,)
        Sum of t^3 - t over the groups of t equal values.
    tied : array of int (w,)
        Subjects that share their value with another.
    depth : array (w,)
        Sum of the logarithms of the ranks of the positives, tied ones at the end of their group; 0 unless
        orders are weighted.
    digest : array of int (w,)
        Equal for columns that are equal.
    groups : array of object (w,)
        Ends of the groups of equal values, None without ties or where they are not needed.
    """

    value: Array
    variance: Array
    low: Flags
    n_pos: AnyArray
    n_neg: AnyArray
    missing: AnyArray
    levels: AnyArray
    ties: Array
    tied: AnyArray
    depth: Array
    digest: AnyArray
    groups: AnyArray

    def kept(self, markers: Flags) -> Found:
        """Return some of the markers."""
        parts: list[AnyArray] = [part[..., markers] for part in self]
        return Found(*parts)


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
        Whether groups of equal values are kept for random orders.
    weighted : bool
        Whether these are weighted.
    """

    subjects: Subjects
    metrics: Sequence[Metric]
    directions: AnyArray
    with_orders: bool
    weighted: bool = False

    def lists(self, block: Block) -> MarkerLists:
        """Return the lists of the markers of a block."""
        return MarkerLists.of(block, self.subjects, self.directions[block.places])

    def found(self, block: Block) -> Found:
        """Evaluate the markers of a block."""
        own = self.lists(block)
        with np.errstate(divide="ignore", invalid="ignore"):  # markers of one class, or of nobody
            value, variance = zip(*map(own.of_metric, self.metrics), strict=True)
            if self.subjects.clusters is not None:
                variance = tuple(map(own.clustered, self.metrics))
        counts = {
            "n_pos": own.down.n1[:, 0].astype(np.int64),
            "n_neg": own.down.n0[:, 0].astype(np.int64),
            "missing": own.ranked.gone.sum(axis=0),
            "digest": digests(block),
            "depth": own.depth if self.weighted else np.zeros(len(block)),
            **self._ties(own),
        }
        return Found(np.array(value), np.array(variance), own.low, **counts)

    def _ties(self, own: MarkerLists) -> dict[str, AnyArray]:
        width, rows = own.pos.shape
        groups = np.full(width, None, object)
        if own.ranked.one_by_one:
            none = np.zeros(width, np.int64)
            return {"levels": none + rows, "ties": none.astype(float), "tied": none, "groups": groups}
        size = own.size
        tied = np.sum(size, axis=1, where=size > 1)
        cubes = size.astype(float)
        cubes *= cubes * cubes - 1
        if self.with_orders:
            for marker in np.flatnonzero(tied).tolist():
                groups[marker] = np.cumsum(size[marker][size[marker] > 0])
        return {"levels": own.levels, "ties": cubes.sum(axis=1), "tied": tied, "groups": groups}


def digests(block: Block) -> AnyArray:
    """Return a number of each column that is the same for equal columns."""
    # whole numbers made of the bits, with odd weights: sums are exact, and what overflows does no harm
    bits = np.ascontiguousarray(block.values, float).view(np.uint64)
    weights = np.random.default_rng(0).integers(1 << 63, size=block.n, dtype=np.uint64) * np.uint64(2) + np.uint64(1)
    if isinstance(block, SparseBlock):
        sums = np.concatenate([[np.uint64(0)], np.cumsum(bits * weights[block.subjects])])
        return np.asarray(sums[block.starts[1:]] - sums[block.starts[:-1]])
    return np.asarray(np.sum(bits * weights, axis=1, dtype=np.uint64))


def digests_of_labels(positive: Flags) -> AnyArray:
    """Return the digests of columns that are 1 for positives and 0 for negatives, or the other way round."""
    both = np.stack([positive, ~positive]).astype(float)
    places = np.arange(2)
    subjects = [np.flatnonzero(row) for row in both]
    starts = np.cumsum([0, *(own.size for own in subjects)])
    of_ones = SparseBlock(places, starts, np.concatenate(subjects), np.ones(positive.size), positive.size)
    return np.concatenate([digests(DenseBlock(places, both)), digests(of_ones)])


def over_all(columns: Columns, job: Job, numbers: int = NUMBERS) -> Found:
    """Evaluate all markers, block by block in threads; the results are in the order of the columns."""
    keep_memory()
    count = len(columns.names)
    out: list[AnyArray] = []
    done = 0
    tell("markers", 0, count)
    work = ((block, job) for block in columns.blocks(numbers))
    for places, found in in_threads(_do, work):
        if not out:
            out = [np.empty((*part.shape[:-1], count), part.dtype) for part in found]
        for whole, part in zip(out, found, strict=True):
            whole[..., places] = part
        done += len(places)
        tell("markers", done, count)
    return Found(*out)


def _do(piece: tuple[Block, Job]) -> tuple[AnyArray, Found]:
    block, job = piece
    return block.places, job.found(block)
