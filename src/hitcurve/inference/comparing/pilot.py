"""Uncertainty of the variance of a difference that a pilot study estimates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hitcurve.cells import Grid
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import HitcurveError
from hitcurve.inference.resampling.multinomial import Multinomial
from hitcurve.inference.resampling.permute import NUMBERS, Subjects, counted, sizes_of_parts
from hitcurve.inference.resampling.resample import in_blocks
from hitcurve.inference.variance.influence import influence
from hitcurve.metrics import Metric

REPLICATES = 200


def variances(
    metric: Metric, subjects: Subjects, rankers: Sequence[str], design: str, n_resamples: int, rng: Any
) -> Array:
    """Return the variance of the difference of two rankers in bootstrap replicates of both classes.

    Subjects are drawn within their class, so that replicates differ in the variance of a subject alone; nan where the
    metric has no influence values.
    """
    positive = subjects.positive
    rows = [Grid(np.unique(subjects.scores[name][positive])).rows_of(subjects.scores[name]) for name in rankers]
    # neither what a seed draws nor sums that round depend on the order of the subjects
    order = np.lexsort((*rows, positive))
    rows, positive = [row[order] for row in rows], positive[order]
    sides = [np.flatnonzero(~positive), np.flatnonzero(positive)]
    units = [Multinomial([np.arange(side.size)], [side.size]) for side in sides]
    most = max(1, NUMBERS // positive.size)

    def do(work: tuple[int, np.random.Generator]) -> Array:
        count, own = work
        found = []
        for size in sizes_of_parts(count, most):
            often = np.zeros((size, positive.size), np.int64)
            for side, unit in zip(sides, units, strict=True):
                often[:, side] = unit.counts(np.full(size, side.size), own)[0]
            found.append(_variance(metric, rows, positive, often, design))
        return np.concatenate(found)

    return np.concatenate(in_blocks(do, n_resamples, rng))


def _variance(metric: Metric, rows: Sequence[AnyArray], positive: AnyArray, often: AnyArray, design: str) -> Array:
    """Return the variance of the difference, where each subject counts so often in each replicate."""
    moved: Any = 0.0
    for sign, row in zip((1, -1), rows, strict=True):
        size = int(row.max()) + 1
        pos, neg = (counted(row[side], often[:, side], size) for side in (positive, ~positive))
        try:
            found = influence(metric, Counts(pos, neg), design)
        except HitcurveError:
            return np.full(len(often), np.nan)
        moved = moved + sign * np.where(positive, found.pos[:, row], found.neg[:, row])
    total: Any = 0.0
    for side in (positive, ~positive):
        n = int(side.sum())
        total = total + np.sum(often[:, side] * moved[:, side] ** 2, axis=1) * n / (n - 1)
    return np.asarray(total)
