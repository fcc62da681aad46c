"""Bands of curves of clustered subjects: whole clusters are drawn again."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hitcurve import rows
from hitcurve.cells import Grid
from hitcurve.counts import AnyArray, Counts
from hitcurve.errors import InsufficientDataError
from hitcurve.inference.cutting.cuts import ascending_grid
from hitcurve.inference.design import cluster_degrees
from hitcurve.inference.resampling.draws import multinomial
from hitcurve.inference.resampling.resample import blocks
from hitcurve.inference.variance.dependent import largest_share, one_cluster
from hitcurve.sources import Block, GroupCodes, Source, check_hands_out
from hitcurve.table import HitTable

_BLOCK = 100  # replicates whose rows are held at a time
_FEWEST = 5  # clusters that contain a positive


class ClusterRows(NamedTuple):
    """What each cluster holds of each row of a grid.

    Attributes
    ----------
    pos, neg : sparse array (G, K)
    degrees : float
        Of freedom, of a variance between clusters.
    """

    pos: Any
    neg: Any
    degrees: float

    @property
    def clusters(self) -> int:
        """Number of clusters."""
        return int(self.pos.shape[0])


def rows_of_clusters(source: Source, table: HitTable, ranker: str) -> ClusterRows:
    """Count each cluster of a source into the rows of a table.

    Raises
    ------
    InsufficientDataError
        If fewer than 5 clusters contain a positive.
    """
    from scipy.sparse import csr_array

    check_hands_out(source, "a band with clusters")
    grid = Grid(ascending_grid(table))

    def of(block: Block) -> tuple[tuple[GroupCodes, AnyArray, AnyArray], ...]:
        return ((GroupCodes.of_clusters(block.cluster), grid.rows_of(block.scores[ranker]), block.positive),)

    parts, rows_of, classes = zip(*source.reduce(of, operator.add), strict=True)
    cluster, row, positive = GroupCodes.joined(parts).sorted, np.concatenate(rows_of), np.concatenate(classes)
    names, place = cluster.names, cluster.codes
    with_positive = np.unique(place[positive]).size
    degrees = cluster_degrees(names.size, with_positive)
    if with_positive < _FEWEST:
        raise InsufficientDataError(
            f"{rows.counted(with_positive, 'cluster', 6)} that contain a positive: a band needs at least {_FEWEST}"
        )
    shape = (names.size, grid.rows)
    sides = [csr_array((np.ones(int(own.sum())), (place[own], row[own])), shape=shape) for own in (positive, ~positive)]
    # draws do not depend on what clusters are called
    at = np.arange(1.0, shape[1] + 1)
    order = np.lexsort([side @ weight for side in sides for weight in (at**0.5, at**0, at)])
    return ClusterRows(sides[0][order], sides[1][order], degrees)


@dataclass(frozen=True)
class DrawnClusters:
    """Samples of whole clusters, with the counts of one or two rankers in each.

    Attributes
    ----------
    sides : sequence of ClusterRows
        Of each ranker.
    """

    sides: Sequence[ClusterRows]

    of: ClassVar[str] = "clusters"
    unit: ClassVar[str] = "whole clusters"
    varies: ClassVar[bool] = False

    @classmethod
    def from_source(cls, source: Source, tables: Sequence[HitTable], rankers: Sequence[str]) -> DrawnClusters:
        """Count the clusters of a source into the rows of the tables of some rankers."""
        return cls([rows_of_clusters(source, table, name) for table, name in zip(tables, rankers, strict=True)])

    @property
    def degrees(self) -> float:
        """Degrees of freedom of a variance between clusters."""
        return self.sides[0].degrees

    @property
    def inflation(self) -> float:
        """By what deviations of samples of G clusters are too small: the root of G/(G - 1)."""
        clusters = self.sides[0].clusters
        return math.sqrt(clusters / (clusters - 1))

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to know of the draws."""
        few = [] if self.degrees >= 9 else [f"only {self.degrees + 1:.0f} clusters contain a positive"]
        own = self.sides[0]
        heaviest = max(largest_share(side.sum(axis=1)) for side in (own.pos, own.neg))
        return (*few, *one_cluster(heaviest, but="the band may be too narrow"))

    def counts(self, count: int, rng: Any, prevalence: float | None) -> Iterator[list[Counts]]:
        """Yield the counts of all rankers in samples of clusters, some samples at a time.

        Samples without one of the classes are left out.
        """
        clusters = self.sides[0].clusters
        for size, own in blocks(count, rng, _BLOCK):
            weights = multinomial(own, clusters, np.full(clusters, 1 / clusters), size)
            found = [(weights @ side.pos, weights @ side.neg) for side in self.sides]
            there = (found[0][0].sum(axis=1) > 0) & (found[0][1].sum(axis=1) > 0)
            yield [Counts(np.asarray(pos)[there], np.asarray(neg)[there], prevalence, False) for pos, neg in found]
