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
from hitcurve.screens.columns import Block, Columns, SparseBlock
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
    """

    subjects: Subjects
    metrics: Sequence[Metric]
    directions: AnyArray
    with_orders: bool

    def lists(self, block: Block) -> MarkerLists:
        """Return the lists of the markers of a block."""
        return MarkerLists.of(block, self.subjects, self.directions[block.places])

    def found(self, block: Block) -> Found:
        """Evaluate the markers of a block."""
        own = self.lists(block)
        with np.errstate(divide="ignore", invalid="ignore"):  # markers of one class, or of nobody
            measured = [own.of_metric(metric) for metric in self.metrics]
        if self.subjects.clusters is not None:
            variance = [own.clustered(one) for one in measured]
        else:
            variance = [one.variance for one in measured]
        size = own.size
        tied = np.sum(size, axis=1, where=size > 1)
        cubes = size.astype(float)
        cubes *= cubes * cubes - 1
        groups = np.full(len(block), None, object)
        if self.with_orders:
            for marker in np.flatnonzero(tied).tolist():
                groups[marker] = np.cumsum(size[marker][size[marker] > 0])
        return Found(
            np.array([one.value for one in measured]),
            np.array(variance),
            own.low,
            own.pos.sum(axis=1),
            own.neg.sum(axis=1),
            own.ranked.gone.sum(axis=0),
            own.levels,
            cubes.sum(axis=1),
            tied,
            digests(block),
            groups,
        )


def digests(block: Block) -> AnyArray:
    """Return a number of each column that is the same for equal columns."""
    if isinstance(block, SparseBlock):
        parts = zip(block.starts[:-1].tolist(), block.starts[1:].tolist(), strict=True)
        values = np.asarray(block.values, float)
        return np.array([hash((values[a:b].tobytes(), block.subjects[a:b].tobytes())) for a, b in parts], np.int64)
    return np.array([hash(row.tobytes()) for row in np.ascontiguousarray(block.values, float)], np.int64)


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
