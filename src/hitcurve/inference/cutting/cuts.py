"""Tables and grids that hold the cuts of metrics: "above the cut" must be known of every subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hitcurve.cells import Grid
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import UndefinedMetricError
from hitcurve.inference.cutting.step import step_of
from hitcurve.metrics import Metric
from hitcurve.sources import Block, Passes
from hitcurve.table import HitTable

Wanted = Mapping[str, Sequence[tuple[Metric, HitTable]]]


def with_cuts(tables: Mapping[str, HitTable], wanted: Wanted) -> Passes[tuple[dict[str, HitTable], dict[str, Grid]]]:
    """Return the passes that find tables and grids with the scores at which metrics cut inside a gap of the grid.

    Parameters
    ----------
    tables : mapping of str to HitTable
        The tables that were counted from the source.
    wanted : mapping of str to sequence of (Metric, HitTable)
        The metrics of each ranker, each with the table it is taken of: that of the ranker, or this one at another
        prevalence.
    """
    ascending = {name: ascending_grid(table) for name, table in tables.items()}
    gaps = {name: _divided_gaps(wanted[name]) for name in tables}
    if not any(gaps.values()):
        return dict(tables), {name: Grid(scores) for name, scores in ascending.items()}

    def inside(block: Block) -> dict[str, list[tuple[AnyArray, AnyArray]]]:
        return {
            name: [scores_inside(block, name, ascending[name], row, tables[name].unit) for row in places]
            for name, places in gaps.items()
        }

    def joined(a: dict[str, Any], b: dict[str, Any]) -> dict[str, Any]:
        return {
            name: [
                (np.concatenate([x[0], y[0]]), np.concatenate([x[1], y[1]]))
                for x, y in zip(a[name], b[name], strict=True)
            ]
            for name in a
        }

    found = yield inside, joined
    grids = {}
    for name, places in gaps.items():
        cuts = [
            _scores_at(scores, weight, shares)
            for shares, (scores, weight) in zip(places.values(), found[name], strict=True)
            if scores.size
        ]
        grids[name] = Grid(np.unique(np.concatenate([ascending[name], *cuts]).astype(ascending[name].dtype)))

    def count(block: Block) -> dict[str, HitTable]:
        return {name: HitTable.count(grid, block, name)[0] for name, grid in grids.items()}

    fine = yield count, lambda a, b: {name: table + b[name] for name, table in a.items()}
    prevalence = {name: table.assumed_prevalence for name, table in tables.items()}
    return {
        name: table if prevalence[name] is None else table.at_prevalence(float(prevalence[name] or 0))
        for name, table in fine.items()
    }, grids


def ascending_grid(table: HitTable) -> AnyArray:
    """Return the scores of a table between which others lie, from the lowest up."""
    grid = table.collapse().grid if table.kind == "full" else table.grid
    return np.asarray(grid)[::-1]


def _divided_gaps(wanted: Sequence[tuple[Metric, HitTable]]) -> dict[int, list[float]]:
    """Return the rows of negatives that cuts divide, and the shares of each that are above a cut."""
    out: dict[int, dict[float, None]] = {}
    for metric, table in wanted:
        try:
            step = step_of(metric, table.counts)
        except UndefinedMetricError:
            continue
        if step is None:
            continue
        for row in np.flatnonzero((step.share_above > 0) & (step.share_above < 1)):
            if row % 2 == 0:  # a gap between two scores of the grid
                out.setdefault(int(row), {})[float(step.share_above[row])] = None
    return {row: list(shares) for row, shares in out.items()}


def scores_inside(block: Block, name: str, ascending: AnyArray, row: int, unit: float) -> tuple[AnyArray, Array]:
    """Return the scores (and weights) of a gap between two scores of the grid; row 2i lies above score i."""
    scores = block.scores[name]
    above = ascending.size - row // 2  # place in the ascending grid of the score that bounds it from above
    chosen = np.ones(scores.size, bool)
    if above < ascending.size:
        chosen &= scores < ascending[above]
    if above > 0:
        chosen &= scores > ascending[above - 1]
    weight = block.weights(unit)
    return scores[chosen], np.ones(int(chosen.sum())) if weight is None else weight[chosen]


def _scores_at(scores: AnyArray, weight: Array, shares: Sequence[float]) -> AnyArray:
    """Return the scores at which shares of these subjects, from the highest down, are above the cut."""
    order = np.argsort(-scores, kind="stable") if scores.dtype.kind == "f" else np.argsort(scores, kind="stable")[::-1]
    reached = np.cumsum(weight[order])
    wanted = np.array(shares) * reached[-1]
    place = np.minimum(np.searchsorted(reached, wanted * (1 - 1e-12), "left"), scores.size - 1)
    return np.asarray(scores[order][place])
