"""Variances of many metrics of clustered subjects, where nothing is asked of how they vary together.

The cross-products of a few thousand metrics are millions of numbers over all subjects; their sums within clusters
are one product of a sparse table of clusters and rows with their influence values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import InsufficientDataError, UndefinedMetricError
from hitcurve.inference.cutting.cuts import Wanted, with_cuts
from hitcurve.inference.cutting.step import step_of
from hitcurve.inference.design import cluster_degrees, effective, left_out
from hitcurve.inference.rounding import without_noise
from hitcurve.inference.variance.dependent import Clustered, largest_share, number_above
from hitcurve.inference.variance.influence import Influence, influence
from hitcurve.metrics import Metric
from hitcurve.sources import Block, GroupCodes, Source, follow
from hitcurve.table import HitTable

_TOGETHER = 64  # metrics whose influence values are held at a time


class _Cells(NamedTuple):
    """Contents of the cells: cluster, row, class, and number of subjects (by weight)."""

    cluster: GroupCodes
    row: AnyArray
    positive: AnyArray
    subjects: Array


def cluster_variances(
    source: Source, tables: Mapping[str, HitTable], wanted: Wanted, design: str
) -> dict[str, list[Clustered | None]]:
    """Return the variance of each metric from the sums of its influence values within clusters.

    Parameters
    ----------
    source : Source
    tables : mapping of str to HitTable
        The tables that were counted from this source.
    wanted : mapping of str to sequence of (Metric, HitTable)
        The metrics of each ranker, each with the table it is taken of: that of the ranker, or this one at another
        prevalence, which then counts as known.
    design : {"cohort", "case-control"}

    Returns
    -------
    dict of str to list
        In the order of the metrics; None for metrics without influence values.

    Raises
    ------
    InsufficientDataError
        If there is one cluster only, or one only that holds positives.
    """
    fine, grids = follow(source, with_cuts(tables, wanted))

    def tabulate(block: Block) -> dict[str, list[_Cells]]:
        return {name: [_cells(block, grids[name].rows_of(block.scores[name]), fine[name].unit)] for name in tables}

    found = source.reduce(tabulate, lambda a, b: {name: a[name] + b[name] for name in a})
    return {name: _of_ranker(fine[name], found[name], wanted[name], design) for name in tables}


def _cells(block: Block, row: AnyArray, unit: float) -> _Cells:
    weight = block.weights(unit)
    return _Cells(
        GroupCodes.of_clusters(block.cluster), row, block.positive, np.ones(row.size) if weight is None else weight
    )


def _of_ranker(
    table: HitTable, parts: Sequence[_Cells], wanted: Sequence[tuple[Metric, HitTable]], design: str
) -> list[Clustered | None]:
    from scipy.sparse import csr_array

    clusters, *columns = zip(*parts, strict=True)
    cluster = GroupCodes.joined(clusters).sorted
    names, place = cluster.names, cluster.codes
    row, positive, subjects = map(np.concatenate, columns)
    # sums that round must not depend on the order of the subjects
    order = np.lexsort((subjects, positive, row, place))
    place, row, positive, subjects = place[order], row[order], positive[order], subjects[order]
    degrees = cluster_degrees(names.size, np.unique(place[positive]).size)
    shape = (names.size, table.counts.pos.size)
    pos, neg = (
        csr_array((subjects[chosen], (place[chosen], row[chosen])), shape=shape) for chosen in (positive, ~positive)
    )
    shares = [np.asarray(side.sum(axis=1) / side.sum()) for side in (pos, neg)]
    heaviest = max(map(largest_share, shares))
    of_pos, of_neg = (left_out(share, names.size)[:, None] for share in shares)
    out: list[Clustered | None] = []
    for start in range(0, len(wanted), _TOGETHER):
        some = list(_influences(table, wanted[start : start + _TOGETHER], design))
        there = [own for own in some if own is not None]
        found: Iterator[tuple[float, float]] = iter(())
        if there:
            sums = of_pos * (pos @ np.array([v.pos for v, _ in there]).T)
            sums += of_neg * (neg @ np.array([v.neg for v, _ in there]).T)
            sums = without_noise(sums, shares[0] + shares[1], np.array([v.noise for v, _ in there]))
            variances = names.size / (names.size - 1) * np.sum(sums**2, axis=0)
            above = number_above((pos + neg) @ np.array([share for _, share in there]).T)
            found = zip(variances.tolist(), above.tolist(), strict=True)
        for own in some:
            if own is None:
                out.append(None)
                continue
            variance, number = next(found)
            out.append(Clustered(variance, degrees, heaviest, above=number))
    return out


def _influences(
    table: HitTable, wanted: Sequence[tuple[Metric, HitTable]], design: str
) -> Iterator[tuple[Influence, Array] | None]:
    """Yield the influence values of each metric by row, and the share of each row above its cut."""
    size = effective(table.sums)
    at: dict[float | None, Counts] = {}
    for metric, own in wanted:
        pi = own.assumed_prevalence
        if pi not in at:
            at[pi] = (table if pi == table.assumed_prevalence else table.at_prevalence(float(pi or 0))).counts
        try:
            step = step_of(metric, at[pi], size)
            values = influence(metric, at[pi], design, size, step=step)
        except (InsufficientDataError, UndefinedMetricError):
            yield None
        else:
            yield values, np.zeros(table.counts.pos.size) if step is None else step.share_above
