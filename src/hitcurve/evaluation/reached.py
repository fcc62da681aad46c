"""How many thresholds the scores of subjects reach: counted in one pass, or read from a table with scores."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from hitcurve import rows
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError, ScoreError
from hitcurve.evaluation.numbers import Numbers
from hitcurve.inference.decisions import Weighed
from hitcurve.sources import Block
from hitcurve.table import HitTable


class Reached(NamedTuple):
    """Subjects by how many thresholds they reach, and what tells whether scores are probabilities."""

    places: Array  # (2, 2, T + 1): weights of positives and negatives, and their squares
    least: float
    most: float
    by_class: Array = np.zeros((2, 3, 2))  # of weights and squared ones: sums, and those of scores and squared ones

    @property
    def pos(self) -> Array:
        """Positives at or above each threshold."""
        return _above(self.places[0, 0])

    @property
    def neg(self) -> Array:
        """Negatives at or above each threshold."""
        return _above(self.places[1, 0])

    @property
    def weighed(self) -> tuple[Weighed, Weighed]:
        """Both classes, by place."""
        return Weighed(*self.places[0]), Weighed(*self.places[1])

    def __add__(self, other: Any) -> Reached:
        a, b = self, other
        ends = min(a.least, b.least), max(a.most, b.most)
        return Reached(
            a.places + b.places,
            *ends,
            a.by_class + b.by_class,
        )


def _above(places: Array) -> Array:
    return np.asarray(np.cumsum(places[::-1])[::-1][1:])


def reached_by(ev: Numbers, ranker: str, t: Array) -> Reached:
    """Count the subjects that reach each threshold.

    Raises
    ------
    ScoreError
        If the scores are no probabilities.
    """
    table, source = ev.tables[ranker], ev.source
    if source is None:
        return _check(_of_table(table, ranker, t), ranker, ev)

    def count(block: Block) -> Reached:
        place, weight, scores = places_in(block, ranker, t), block.weights(table.unit), block.scores[ranker]
        places = by_place(block, place, weight, t.size + 1)
        known = _is_there(scores) if block.reading.missing == "last" else np.ones(scores.size, bool)
        there = scores[known]
        ends = (float(there.min()), float(there.max())) if there.size else (0.0, 0.0)
        if not 0 <= ends[0] <= ends[1] <= 1:
            return Reached(places, *ends)
        w = np.ones(scores.size) if weight is None else weight
        chosen = [known & side for side in (block.positive, ~block.positive)]
        each = [(scores[one].astype(float), w[one]) for one in chosen]
        by_class = [[[np.sum(v**j * x**k) for x, v in each] for k in range(3)] for j in (1, 2)]
        return Reached(places, *ends, np.array(by_class))

    return _check(source.reduce(count, lambda a, b: a + b), ranker, ev)


def places_in(block: Block, ranker: str, t: Array) -> AnyArray:
    """Return how many thresholds each score reaches."""
    return np.searchsorted(block.oriented_grid(ranker, t), block.scores[ranker], "right")


def _is_there(scores: AnyArray) -> AnyArray:
    """Say which scores are not those of subjects that are ranked last for want of one."""
    if scores.dtype.kind == "f":
        return np.asarray(scores != -np.inf)
    return np.asarray(scores != np.iinfo(np.int64).min)


def _of_table(table: HitTable, ranker: str, t: Array) -> Reached:
    """Return the same of a table with scores.

    Raises
    ------
    ParameterError
        If it has none, or a threshold divides negatives whose scores it does not keep.
    """
    if table.grid is None:
        raise ParameterError(
            f"a decision curve needs the scores of the subjects, and the table of {ranker!r} has none: evaluate labels "
            "and scores, or use cut='best' (--best-cut)"
        )
    grid = np.asarray(table.grid)[::-1]
    t = t.astype(grid.dtype) if grid.dtype.kind == "f" else t  # as scores are compared
    above = grid.size - np.searchsorted(grid, t, "left")  # scores of the grid that reach each threshold
    ends = float(grid[0]), float(grid[-1])
    if table.kind == "full":
        return Reached(_places_of(table, above), *ends)
    exact = np.isin(t, grid)
    if table.kind == "binned":
        for place in np.flatnonzero((table.pos + table.neg)[above].astype(bool) & ~exact):
            raise ParameterError(
                f"threshold {t[place]:g} lies inside a bin of the table of {ranker!r}: use the ends of bins, an exact "
                "table, or cut='best' (--best-cut)"
            )
        return Reached(_places_of(table, above), *ends)
    for place in np.flatnonzero((table.neg[2 * above] > 0) & ~exact):
        raise ParameterError(
            f"threshold {t[place]:g} lies among {rows.count(float(table.neg[2 * above[place]]))} negatives whose "
            f"scores the table of {ranker!r} does not keep: evaluate labels and scores, or use cut='best' (--best-cut)"
        )
    return Reached(_places_of(table, 2 * above), *ends)


def _places_of(table: HitTable, rows_above: AnyArray) -> Array:
    """Return the sums of a table by place, of so many rows that reach each threshold."""
    found = []
    for column, squares in ((table.pos, table.pos_squares), (table.neg, table.neg_squares)):
        powers = (column, column if squares is None else squares)
        sums = [np.concatenate([[0.0], np.cumsum(power)]) for power in powers]
        found.append([-np.diff(np.concatenate([total[-1:], total[rows_above], [0.0]])) for total in sums])
    return np.array(found)


def _check(seen: Reached, ranker: str, ev: Numbers) -> Reached:
    """Refuse scores that are no probabilities.

    Raises
    ------
    ScoreError
    """
    advice = "calibrate them, or use cut='best' (--best-cut), which judges the ranking"
    if ev.source is not None and not ev.source.reading.is_high_good(ranker):
        raise ScoreError(
            f"scores cut at a threshold probability must be probabilities of being positive, and lower scores of "
            f"{ranker!r} are better: {advice}"
        )
    if not 0 <= seen.least <= seen.most <= 1:
        raise ScoreError(
            f"scores cut at a threshold probability must lie in [0, 1], and the scores of {ranker!r} go from "
            f"{seen.least:g} to {seen.most:g}: {advice}"
        )
    return seen


def by_place(block: Block, place: AnyArray, weight: AnyArray | None, places: int) -> Array:
    """Return the sums of weights and of their squares by place, of positives and of negatives: (2, 2, places)."""
    found = []
    for own in (block.positive, ~block.positive):
        w = None if weight is None else weight[own]
        found.append([np.bincount(place[own], power, places) for power in (w, None if w is None else w**2)])
    return np.array(found, float)
