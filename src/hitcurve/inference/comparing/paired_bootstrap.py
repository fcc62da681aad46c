"""The bootstrap of a difference: samples with replacement of the subjects that two rankers share, or of clusters."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from hitcurve.cells import Grid
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import InsufficientDataError, UndefinedMetricError
from hitcurve.inference.resampling.multinomial import Multinomial
from hitcurve.inference.resampling.permute import NUMBERS, Subjects, counted, difference_of_counts, sizes_of_parts
from hitcurve.inference.resampling.resample import (
    bytes_of,
    in_blocks,
    replicates_at_once,
    replicates_drawn,
    say_redraws,
    sizes_of_positives,
)
from hitcurve.inference.variance.influence import influence
from hitcurve.metrics import Metric
from hitcurve.sources import GroupCodes, group_name, in_order

Drawn: TypeAlias = tuple[list[AnyArray], list[AnyArray]]
"""Positives and negatives of a block of replicates, by row of either ranker."""
Draw: TypeAlias = Callable[[int, np.random.Generator], Drawn]


class _Side(NamedTuple):
    """The subjects of one class: of each ranker the row of each, and how many rows there are."""

    rows: list[AnyArray]
    sizes: list[int]


def paired_bootstrap(
    metric: Metric, subjects: Subjects, first: str, second: str, design: str, n_resamples: int, rng: Any
) -> Array:
    """Return replicates of the difference over samples with replacement: of subjects, or of whole clusters.

    They do not depend on the order of the subjects, and change sign if the rankers are swapped. The metric is
    evaluated on several replicates at once, so many as stay in the cache of a processor.
    """
    positive = subjects.positive
    n, n1 = positive.size, int(positive.sum())
    rows, sizes = zip(*(_rows(subjects.scores[name], positive) for name in (first, second)), strict=True)
    # subjects in the order of their rows under both rankers; which ranker comes first, their counts decide
    counts = [bytes_of(np.bincount(2 * row + positive)) for row in rows]
    if counts[0] == counts[1]:
        counts = [_held(a, b, positive) for a, b in (rows, rows[::-1])]
    order = np.lexsort(rows if counts[0] <= counts[1] else rows[::-1])
    positive = positive[order]
    pos, neg = (_Side([row[order][chosen] for row in rows], list(sizes)) for chosen in (positive, ~positive))
    if subjects.cluster is None:
        if design == "cohort":
            say_redraws(n, n1)
        draw = _of_subjects(pos, neg, sampled=design == "cohort")
    else:
        place = _places_of(subjects.cluster)[order]
        draw = _of_clusters(pos, neg, place[positive], place[~positive])
    size, batch = replicates_drawn(max(sizes)), replicates_at_once(max(sizes))

    def do(work: tuple[int, np.random.Generator]) -> Array:
        count, own = work
        differences = []
        for drawn in sizes_of_parts(count, size):
            a, b = zip(*draw(drawn, own), strict=True)
            parts = (slice(start, start + batch) for start in range(0, drawn, batch))
            differences += [
                difference_of_counts(metric, *(Counts(pos[part], neg[part]) for pos, neg in (a, b))) for part in parts
            ]
        return np.concatenate(differences)

    return np.concatenate(in_blocks(do, n_resamples, rng))


def acceleration(metric: Metric, subjects: Subjects, first: str, second: str, design: str) -> float:
    """Return the acceleration of a difference, of subjects or of whole clusters; nan without influence values."""
    positive, parts = subjects.positive, []
    for name in (first, second):
        row, size = _rows(subjects.scores[name], positive)
        pos, neg = (np.bincount(row[chosen], minlength=size) for chosen in (positive, ~positive))
        try:
            own = influence(metric, Counts(pos, neg), design)
        except (InsufficientDataError, UndefinedMetricError):
            return math.nan
        parts.append(np.where(positive, own.pos[row], own.neg[row]))
    moved = parts[0] - parts[1]
    if subjects.cluster is not None:
        moved = np.bincount(subjects.cluster.codes, moved)
    moved = np.sort(moved)  # sums that round must not depend on the order of the subjects
    squares = float(np.sum(moved**2))
    return float(np.sum(moved**3)) / (6 * squares**1.5) if squares > 0 else 0.0


def _rows(scores: AnyArray, positive: AnyArray) -> tuple[AnyArray, int]:
    """Return the row of each subject, and how many rows are not empty."""
    row = Grid(np.unique(scores[positive])).rows_of(scores)
    occupied = np.bincount(row) > 0
    return (np.cumsum(occupied) - 1)[row], int(occupied.sum())


def _held(row: AnyArray, other: AnyArray, positive: AnyArray) -> bytes:
    """Return the rows of the subjects under two rankers, whatever their order."""
    order = np.lexsort((positive, other, row))
    return bytes_of(row[order], other[order], positive[order])


def _of_subjects(pos: _Side, neg: _Side, *, sampled: bool) -> Draw:
    """Return what draws subjects with replacement; a cohort without one of the classes is drawn again."""
    n1, n0 = pos.rows[0].size, neg.rows[0].size
    positives, negatives = Multinomial(*pos), Multinomial(*neg)

    def draw(count: int, own: np.random.Generator) -> Drawn:
        n_pos = sizes_of_positives(n1 + n0, n1, count, own)[0] if sampled else np.full(count, n1)
        return positives.counts(n_pos, own), negatives.counts(n1 + n0 - n_pos, own)

    return draw


def _places_of(clusters: GroupCodes) -> AnyArray:
    """Return the place of each subject's cluster, in the order of names or numbers; text of numbers is as numbers."""
    names, place = clusters.sorted.names, np.asarray(clusters.sorted.codes)
    if names.dtype.kind in "iufb":
        return place
    texts = [group_name(name) for name in names.tolist()]
    among = {text: i for i, text in enumerate(in_order(texts))}
    return np.array([among[text] for text in texts], np.intp)[place]


def _of_clusters(pos: _Side, neg: _Side, of_pos: AnyArray, of_neg: AnyArray) -> Draw:
    """Return what draws whole clusters; a replicate without one of the classes is drawn again.

    Parameters
    ----------
    of_pos, of_neg : array of int
        The cluster of each positive and of each negative.
    """
    clusters = int(max(of_pos.max(), of_neg.max())) + 1
    alone = Multinomial([np.arange(clusters)], [clusters])
    with_pos, with_neg = np.unique(of_pos), np.unique(of_neg)

    def draw(count: int, own: np.random.Generator) -> Drawn:
        (often,) = alone.counts(np.full(count, clusters), own)
        while (empty := ~(often[:, with_pos].any(axis=1) & often[:, with_neg].any(axis=1))).any():
            (often[empty],) = alone.counts(np.full(int(empty.sum()), clusters), own)
        return _by_row(pos, of_pos, often), _by_row(neg, of_neg, often)

    return draw


def _by_row(side: _Side, cluster: AnyArray, often: AnyArray) -> list[AnyArray]:
    """Return the counts of rows of either ranker, of clusters that are in each replicate so often.

    Subjects are held for as many replicates at once as fit a million numbers.
    """
    part = max(1, NUMBERS // cluster.size)
    parts = [slice(start, start + part) for start in range(0, len(often), part)]
    return [
        np.concatenate([counted(row, often[replicates][:, cluster], size) for replicates in parts])
        for row, size in zip(*side, strict=True)
    ]
