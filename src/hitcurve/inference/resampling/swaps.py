"""Test by swaps of the two normalised ranks of subjects, which are drawn once for all metrics of a pair."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hitcurve._cached import cached_property
from hitcurve._threads import in_threads
from hitcurve.cells import Grid
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.pvalues import HAIR, MIRRORED, Outcome, monte_carlo_p
from hitcurve.inference.resampling.draws import binomial
from hitcurve.inference.resampling.permute import (
    NUMBERS,
    Subjects,
    counted,
    difference_of_counts,
    is_turned,
    sizes_of_parts,
    turned,
)
from hitcurve.inference.resampling.resample import bytes_of, in_blocks, replicates_at_once
from hitcurve.metrics import Metric

_BATCH = 16  # arrangements for which positives, then negatives are drawn
_NEAR = np.geomspace(0.5, 2.0, 9)  # cuts near a cut, over its place
_INVERTED = 60  # subjects up to which numpy inverts the distribution, which takes one uniform number
_KEPT = 1 << 24  # numbers of the arrangements of a pair up to which they are kept for other metrics

Shifts = Sequence[AnyArray]  # how many more positives, and negatives, each row has in each arrangement


def _other_way_round(i: AnyArray, j: AnyArray, count: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray]:
    order = np.lexsort((i, j))
    return j[order], i[order], count[order]


class Swaps:
    """Two rankings of the same subjects, and random swaps of the two normalised ranks of each subject.

    Under the null both rankers are exchangeable. Subjects with the same pair of cells are swapped by one binomial draw.
    The swaps of a seed are kept for other metrics while they fit the memory: drawing them takes most of the time.
    """

    def __init__(
        self,
        first: str,
        rows: int,
        pairs: Sequence[tuple[AnyArray, AnyArray, AnyArray]],
        prevalence: float | None = None,
    ) -> None:
        self.first, self.rows, self._pairs, self._prevalence = first, rows, pairs, prevalence
        self._drawn: tuple[Any, list[list[Shifts]]] = (None, [])

    @classmethod
    def of(cls, subjects: Subjects, first: str, second: str, prevalence: float | None = None) -> Swaps:
        """Count the pairs of rows of the positives and of the negatives; metrics are of a prevalence that is set."""
        a, b = subjects.common_ranks(first, second)
        positive = subjects.positive
        grid = Grid(np.unique(np.concatenate([a[positive], b[positive]])))
        rows, row_a, row_b = grid.rows, grid.rows_of(a), grid.rows_of(b)
        pairs = []
        for chosen in (positive, ~positive):
            codes, count = np.unique(row_a[chosen] * rows + row_b[chosen], return_counts=True)
            pairs.append((codes // rows, codes % rows, count))
        found = cls(first, rows, pairs, prevalence)
        found.turned = cls(second, rows, [_other_way_round(*side) for side in pairs], prevalence)
        found.turned.turned = found
        return found

    turned: Swaps
    """The same with the second ranker first."""

    def from_(self, first: str) -> Swaps:
        """Return the swaps of the pair that begins with a ranker."""
        return self if self.first == first else self.turned

    @cached_property
    def _base(self) -> list[tuple[AnyArray, AnyArray]]:
        rows = self.rows
        return [(np.bincount(i, k, minlength=rows), np.bincount(j, k, minlength=rows)) for i, j, k in self._pairs]

    @cached_property
    def _moved_subjects(self) -> list[MovedSubjects]:
        return [MovedSubjects.of(i[i != j], j[i != j], k[i != j]) for i, j, k in self._pairs]

    @cached_property
    def content(self) -> bytes:
        """What the pair of rankings holds, which decides which is first if both are as good."""
        return bytes_of(*(column for i, j, k in self._pairs for column in (i * self.rows + j, np.asarray(k, np.int64))))

    def test(self, metric: Metric, alternative: str, n_resamples: int, rng: Any) -> Outcome:
        """Test the difference of a metric, first minus second; of the turned pair only its sign differs."""
        observed, near = self._with_near(metric, *([side[of][None] for side in self._base] for of in (0, 1)))[:, 0]
        if is_turned(float(observed), lambda: self.content, lambda: self.turned.content):
            return turned(self.turned.test(metric, MIRRORED[alternative], n_resamples, rng))

        def values(part: Shifts) -> Array:
            firsts = [of_a + shift for (of_a, _), shift in zip(self._base, part, strict=True)]
            seconds = [of_b - shift for (_, of_b), shift in zip(self._base, part, strict=True)]
            return self._with_near(metric, firsts, seconds)

        key = (n_resamples, rng) if isinstance(rng, (int, np.integer)) else None
        if key is not None and self._drawn[0] == key:
            found = list(in_threads(lambda parts: [values(part) for part in parts], self._drawn[1]))
        else:
            keeps = key is not None and 2 * self.rows * n_resamples <= _KEPT

            def do(work: tuple[int, np.random.Generator]) -> tuple[list[Array], list[Shifts]]:
                out, kept = list[Array](), list[Shifts]()
                for part in self._shifts(*work):
                    out.append(values(part))
                    kept += [[shift.astype(np.int32) for shift in part]] if keeps else []
                return out, kept

            made = in_blocks(do, n_resamples, rng)
            found = [out for out, _ in made]
            if keeps:
                self._drawn = (key, [kept for _, kept in made])
        drawn = np.concatenate([[[observed], [near]], *(part for block in found for part in block)], axis=1)
        # lists of the same value are not told apart by other cuts: that only lifts p
        statistic = _ties_broken(*drawn) if observed else drawn[0]
        p = monte_carlo_p(float(statistic[0]), statistic[1:], alternative)
        return Outcome(float(observed), p, None, n_resamples)

    def _with_near(self, metric: Metric, first: Sequence[AnyArray], second: Sequence[AnyArray]) -> Array:
        """Return the difference of a metric of two stacks of counts, and of one with a cut its mean over near cuts.

        Hits above one cut are few whole numbers, and most arrangements have the same difference. Those are told apart
        by the mean share above cuts from half the place to twice as far, which costs the test nothing: it is exact for
        any statistic.
        """
        both = [Counts(pos, neg, self._prevalence) for pos, neg in (first, second)]
        found = difference_of_counts(metric, *both)
        near = [_near_cuts(metric, c) for c in both]
        return np.stack([found, np.zeros(found.shape) if near[0] is None or near[1] is None else near[0] - near[1]])

    def _shifts(self, count: int, own: np.random.Generator) -> Iterator[Shifts]:
        for many in sizes_of_parts(count, max(_BATCH, replicates_at_once(self.rows) // _BATCH * _BATCH)):
            parts = [
                [one.shifts(self.rows, size, own) for one in self._moved_subjects]
                for size in sizes_of_parts(many, _BATCH)
            ]
            yield [np.concatenate(of_class) for of_class in zip(*parts, strict=True)]


def _near_cuts(metric: Metric, c: Counts) -> Array | None:
    cut = metric.cut_at(c)
    if cut is None:
        return None
    axis, height = {"rate": (c.r, c.P), "fpr": (c.Q, c.P), "recall": (c.P, c.Q)}[cut.axis]
    height = height * np.sign(cut.factor)[..., None] if cut.axis == "recall" else height
    at = np.minimum(np.asarray(cut.place)[..., None] * _NEAR, 1.0)
    # all lists are searched as one, each two above the one before; both columns start at 0
    axis, height = (np.pad(column, ((0, 0), (1, 0))) for column in (axis, height))
    above = 2.0 * np.arange(len(axis))[:, None]
    row = np.searchsorted((axis + above).ravel(), at + above, "right") - axis.shape[1] * np.arange(len(axis))[:, None]
    row = np.clip(row, 1, axis.shape[1] - 1)
    x0, x1, y0, y1 = (np.take_along_axis(side, row - 1 + k, axis=1) for side in (axis, height) for k in (0, 1))
    rise = np.divide(at - x0, x1 - x0, out=np.ones(x0.shape), where=x1 > x0)
    return np.asarray(np.mean(y0 + np.clip(rise, 0.0, 1.0) * (y1 - y0), axis=1))


def _ties_broken(difference: Array, near: Array) -> Array:
    """Return a statistic in the order of the differences, and of equal ones in the order of the other."""
    largest = float(np.max(np.abs(near)))
    if not largest > 0:
        return difference
    sizes = np.unique(np.abs(difference[~np.isnan(difference)]))
    apart = np.diff(sizes, prepend=-sizes[:1])
    apart = apart[apart > HAIR]
    return difference + near * (float(apart.min(initial=1.0)) / (4 * largest))


class MovedSubjects(NamedTuple):
    """Subjects whose two rows differ: ``k`` of them have the rows ``i`` and ``j``."""

    i: AnyArray
    j: AnyArray
    k: AnyArray
    several: tuple[tuple[AnyArray, Array], ...] | None
    """Pairs of rows by their number of subjects, with its distribution function; None if there are large ones."""

    @classmethod
    def of(cls, i: AnyArray, j: AnyArray, k: AnyArray) -> MovedSubjects:
        """Return the subjects with what their draws need."""
        if k.max(initial=1) > _INVERTED:
            return cls(i, j, k, None)
        several = [
            (np.flatnonzero(k == size), np.cumsum([math.comb(size, x) for x in range(size)]) / 2.0**size)
            for size in np.unique(k[k > 1]).tolist()
        ]
        return cls(i, j, k, tuple(several))

    def shifts(self, rows: int, size: int, own: np.random.Generator) -> AnyArray:
        """Return how many more subjects each row has in each arrangement, if each subject moves from i to j or stays.

        Draws are held for as many arrangements at once as fit a million numbers.
        """
        parts = []
        for few in sizes_of_parts(size, max(1, NUMBERS // max(self.k.size, 1))):
            moved = self.drawn(few, own)
            parts.append(counted(self.j, moved, rows) - counted(self.i, moved, rows))
        return np.concatenate(parts)

    def drawn(self, lines: int, own: np.random.Generator) -> AnyArray:
        """Return binomial draws of k and one half, as numpy draws them: small ones from one uniform number each.

        Most are of one subject, and a comparison with one half takes a twentieth of the time.
        """
        if self.several is None:
            return binomial(own, self.k, 0.5, (lines, self.k.size))
        uniform = own.random((lines, self.k.size))
        moved = (uniform > 0.5).astype(float)
        for places, reached in self.several:
            moved[:, places] = np.searchsorted(reached, uniform[:, places].ravel()).reshape(lines, -1)
        return moved
