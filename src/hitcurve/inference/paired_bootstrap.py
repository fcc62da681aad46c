"""The bootstrap of a difference: samples with replacement of the subjects that two rankers share, or of clusters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from hitcurve.cells import Grid
from hitcurve.counts import AnyArray, Array
from hitcurve.inference.permute import Subjects, difference_of_counts, sizes_of_parts
from hitcurve.inference.resample import in_blocks, replicates_at_once, say_redraws, sizes_of_positives
from hitcurve.metrics import Metric

Times: TypeAlias = Iterator[tuple[AnyArray, AnyArray]]
"""How often each positive and each negative is in a replicate, replicate by replicate."""


def paired_bootstrap(
    metric: Metric, subjects: Subjects, first: str, second: str, design: str, n_resamples: int, rng: Any
) -> Array:
    """Return replicates of the difference over samples with replacement: of subjects, or of whole clusters.

    They do not depend on the order of the subjects. The metric is evaluated on several replicates at once, so many as
    fit 16,384 numbers.
    """
    positive = subjects.positive
    n, n1 = positive.size, int(positive.sum())
    rows, sizes = zip(*(_rows(subjects.scores[name], positive) for name in (first, second)), strict=True)
    # subjects in the order of their rows under both rankers
    order = np.lexsort(rows)
    positive = positive[order]
    sides = [_Side([row[order][chosen] for row in rows], list(sizes)) for chosen in (positive, ~positive)]
    if subjects.cluster is None:
        if design == "cohort":
            say_redraws(n, n1)
        draw = _of_subjects(n, n1, sampled=design == "cohort")
    else:
        draw = _of_clusters(subjects.cluster[order], positive)
    batch = replicates_at_once(max(sizes))

    def do(work: tuple[int, np.random.Generator]) -> Array:
        count, own = work
        times = draw(count, own)
        return np.concatenate([_replicates(metric, sides, times, size) for size in sizes_of_parts(count, batch)])

    return np.concatenate(in_blocks(do, n_resamples, rng))


def _rows(scores: AnyArray, positive: AnyArray) -> tuple[AnyArray, int]:
    """Return the row of each subject, and how many rows there are."""
    grid = Grid(np.unique(scores[positive]))
    return grid.rows_of(scores), grid.rows


def _replicates(metric: Metric, sides: Sequence[_Side], times: Times, size: int) -> Array:
    counts = [[np.empty((size, rows)) for rows in side.sizes] for side in sides]
    for i, drawn in zip(range(size), times, strict=False):
        for side, columns, often in zip(sides, counts, drawn, strict=True):
            weight = often.astype(float)
            for row, counted in zip(side.rows, columns, strict=True):
                counted[i] = np.bincount(row, weight, minlength=counted.shape[1])
    first, second = zip(*counts, strict=True)
    return difference_of_counts(metric, first, second)


class _Side(NamedTuple):
    """The subjects of one class: of each ranker the row of each, and how many rows there are."""

    rows: list[AnyArray]
    sizes: list[int]


def _of_subjects(n: int, n1: int, *, sampled: bool) -> Callable[[int, np.random.Generator], Times]:
    """Return what draws subjects with replacement; a cohort without one of the classes is drawn again."""

    def draw(count: int, own: np.random.Generator) -> Times:
        positives, _ = sizes_of_positives(n, n1, count, own) if sampled else (np.full(count, n1), 0)
        for taken in positives.tolist():
            pos, neg = own.integers(0, n1, taken), own.integers(0, n - n1, n - taken)
            yield np.bincount(pos, minlength=n1), np.bincount(neg, minlength=n - n1)

    return draw


def _of_clusters(cluster: AnyArray, positive: AnyArray) -> Callable[[int, np.random.Generator], Times]:
    """Return what draws whole clusters; a replicate without one of the classes is drawn again."""
    names, place = np.unique(cluster, return_inverse=True)
    of_pos, of_neg = place[positive], place[~positive]

    def draw(count: int, own: np.random.Generator) -> Times:
        while count:
            often = np.bincount(own.integers(0, names.size, names.size), minlength=names.size)
            pos, neg = often[of_pos], often[of_neg]
            if pos.any() and neg.any():
                count -= 1
                yield pos, neg

    return draw
