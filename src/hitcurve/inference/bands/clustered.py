"""Bands of curves of clustered subjects: whole clusters are drawn again.

The band has constant width: the quantile of the largest deviation of the replicates, times the root of G/(G - 1) of G
clusters and the ratio of the quantiles of t and normal, with as many degrees of freedom as clusters that contain a
positive less 1. Of the difference of two rankers both are drawn by the same clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hitcurve import rows
from hitcurve.cells import Grid
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.inference.bands.band import Band, SampledCurve, check_range, reached
from hitcurve.inference.bands.limits import Limits
from hitcurve.inference.bands.methods import Found, Task, curves_of
from hitcurve.inference.bands.options import BandOptions
from hitcurve.inference.cuts import ascending_grid
from hitcurve.inference.design import cluster_degrees, resolve
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resample import blocks, seed_of, seeded
from hitcurve.sources import Block, Source
from hitcurve.table import HitTable

METHOD = "bootstrap"
_REPLICATES = 2000
_BLOCK = 100  # replicates whose rows are held at a time
_FEWEST = 5  # clusters that contain a positive
_POINTS = 30


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

    grid = Grid(ascending_grid(table))

    def of(block: Block) -> tuple[AnyArray, AnyArray, AnyArray]:
        return np.asarray(block.cluster), grid.rows_of(block.scores[ranker]), block.positive

    def joined(a: tuple[AnyArray, ...], b: tuple[AnyArray, ...]) -> tuple[AnyArray, AnyArray, AnyArray]:
        return tuple(np.concatenate(both) for both in zip(a, b, strict=True))  # type: ignore[return-value]

    cluster, row, positive = source.reduce(of, joined)
    names, place = np.unique(cluster, return_inverse=True)
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


def drawn_counts(
    sides: Sequence[ClusterRows], count: int, rng: Any, prevalence: float | None
) -> Iterator[list[Counts]]:
    """Yield the counts of all rankers in samples of clusters, some samples at a time.

    Samples without one of the classes are left out.
    """
    clusters = sides[0].clusters
    for size, own in blocks(count, rng, _BLOCK):
        weights = own.multinomial(clusters, np.full(clusters, 1 / clusters), size)
        found = [(weights @ side.pos, weights @ side.neg) for side in sides]
        there = (found[0][0].sum(axis=1) > 0) & (found[0][1].sum(axis=1) > 0)
        yield [Counts(np.asarray(pos)[there], np.asarray(neg)[there], prevalence, False) for pos, neg in found]


def widened(deviations: Array, level: float, side: ClusterRows) -> float:
    """Return the half width of a band from the largest deviations of the replicates."""
    return float(np.quantile(deviations, level)) * _wider(level, side)


def _as_one(c: Counts) -> Counts:
    """Return one list as the only one of several."""
    return Counts(np.asarray(c.pos, float)[None], np.asarray(c.neg, float)[None], c.prevalence, False)


def _wider(level: float, side: ClusterRows) -> float:
    """Return by what few clusters widen a band."""
    inflation = t_quantile((1 + level) / 2, side.degrees) / t_quantile((1 + level) / 2, math.inf)
    return float(inflation) * math.sqrt(side.clusters / (side.clusters - 1))


def recipe(source: Source, ranker: str) -> Callable[[Task], Found]:
    """Return the recipe of a band by whole clusters."""

    def limits_of(task: Task) -> Found:
        if not task.options.simultaneous:
            raise ParameterError(
                "a band of clusters is simultaneous: for single points take intervals of metrics such as tpr@fpr=5%, "
                "which support clusters"
            )
        side = rows_of_clusters(source, task.table, ranker)
        x = task.recalls() if task.of_precision else task.grid()
        of = curves_of(task, x)
        c = task.table.counts
        centre = of(_as_one(c))[0]
        values = np.concatenate(
            [
                of(drawn)
                for (drawn,) in drawn_counts(
                    [side], task.options.n_resamples or _REPLICATES, task.rng, task.table.assumed_prevalence
                )
            ]
        )
        half = widened(np.max(np.abs(values - centre), axis=1), task.level, side)
        low, high = centre - half, centre + half
        limits = Limits(x, centre, np.clip(low, 0, 1), np.clip(high, 0, 1))
        # the prevalence is drawn with the clusters
        fixed = replace(task, sampled=False)
        cautions = () if side.degrees >= 9 else (f"only {side.degrees + 1:.0f} clusters contain a positive",)
        return Found(limits if task.of_precision else fixed.shown(limits), None, cautions)

    return limits_of


def clustered_difference(
    source: Source,
    tables: tuple[HitTable, HitTable],
    names: tuple[str, str],
    curve: str,
    options: BandOptions,
) -> Band:
    """Return the band of a difference of two curves over samples of clusters."""
    options.check_difference()
    level, design = float(options.confidence_level), resolve(options.design, tables[0].assumed_prevalence)
    c = tables[0].counts
    if curve not in ("accumulation", "roc"):
        raise ParameterError(f"curve must be one of 'accumulation', 'roc', got {curve!r}")
    sides = [rows_of_clusters(source, table, name) for table, name in zip(tables, names, strict=True)]
    low, high = reached(
        check_range(options.x_range or (0.01, 0.5)), 1 / float(c.n if curve == "accumulation" else c.n0), 1.0
    )
    x = np.geomspace(low, high, _POINTS)
    rng, seed = seeded(options.rng, lambda: seed_of(*(table.collapse() for table in tables)))

    def heights(counts: Counts) -> Array:
        axis = counts.Q if curve == "roc" else counts.r
        return np.stack(
            [np.interp(x, np.append(0.0, a), np.append(0.0, p)) for a, p in zip(axis, counts.P, strict=True)]
        )

    whole = [heights(_as_one(table.counts)) for table in tables]
    centre = (whole[0] - whole[1])[0]
    values = np.concatenate(
        [
            heights(first) - heights(second)
            for first, second in drawn_counts(sides, _REPLICATES, rng, tables[0].assumed_prevalence)
        ]
    )
    half = widened(np.max(np.abs(values - centre), axis=1), level, sides[0])
    ends = (np.maximum(centre - half, -1.0), np.minimum(centre + half, 1.0))
    return Band(
        f"{curve} difference",
        SampledCurve(x, centre),
        SampledCurve(x, ends[0]),
        SampledCurve(x, ends[1]),
        "simultaneous",
        METHOD,
        level,
        design,
        float(c.n1),
        float(c.n0),
        seed=seed,
        rankers=names,
    )
