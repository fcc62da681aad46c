"""Tests by rearrangement: swaps of subjects, signs and groups of positives."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from hitcurve.cells import Grid
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import InsufficientDataError, UndefinedMetricError
from hitcurve.inference.pvalues import (
    HAIR,
    MIRRORED,
    Alternative,
    Outcome,
    exact_p,
    monte_carlo_p,
    t_p,
    without_variance,
)
from hitcurve.inference.resample import in_blocks, replicates_at_once
from hitcurve.inference.rounding import differences, scale_of
from hitcurve.metrics import Metric
from hitcurve.sources import Block, Source
from hitcurve.table import HitTable

_BATCH = 16  # arrangements for which positives, then negatives are drawn
_NEAR = np.geomspace(0.5, 2.0, 9)  # cuts near a cut, over its place
_EXACT_UP_TO = 20_000  # arrangements
_FEW = 32  # positives; so many have more arrangements than that, and of a million nobody can count them
NUMBERS = 1 << 20  # held at a time
_INVERTED = 60  # subjects up to which numpy inverts the distribution, which takes one uniform number


def is_turned(observed: float, first: Callable[[], bytes], second: Callable[[], bytes]) -> bool:
    """Return whether draws are made for the mirror image of a difference, so that both have one p value.

    Draws are those of the better minus the worse; of two as good, what they are said to hold decides.
    """
    return observed < -HAIR or (observed <= HAIR and first() > second())


class Subjects(NamedTuple):
    """Labels, scores and clusters of all subjects, in memory."""

    positive: AnyArray
    scores: dict[str, AnyArray]
    cluster: AnyArray | None = None

    @classmethod
    def of(cls, source: Source, rankers: Sequence[str]) -> Subjects:
        """Read the scores of some rankers into memory."""

        def take(block: Block) -> Subjects:
            return cls(block.positive, {name: block.scores[name] for name in rankers}, block.cluster)

        def join(a: Subjects, b: Subjects) -> Subjects:
            scores = {name: np.concatenate([a.scores[name], b.scores[name]]) for name in rankers}
            together = None if a.cluster is None or b.cluster is None else np.concatenate([a.cluster, b.cluster])
            return cls(np.concatenate([a.positive, b.positive]), scores, together)

        return source.reduce(take, join)

    def midranks(self, ranker: str) -> AnyArray:
        """Return twice the mid-rank of each subject from the bottom: whole numbers."""
        _, place, size = np.unique(self.scores[ranker], return_inverse=True, return_counts=True)
        ends = np.cumsum(size)
        return np.asarray((2 * ends - size + 1)[place])


def swap(
    metric: Metric, subjects: Subjects, first: str, second: str, alternative: str, n_resamples: int, rng: Any
) -> Outcome:
    """Swap the two normalised ranks of subjects at random, positives and negatives alike.

    Under the null both rankers are exchangeable. Subjects with the same pair of cells are swapped by one binomial
    draw. Swapping the rankers turns the difference and nothing else.
    """
    a, b = subjects.midranks(first), subjects.midranks(second)
    positive = subjects.positive
    grid = Grid(np.unique(np.concatenate([a[positive], b[positive]])))
    rows, row_a, row_b = grid.rows, grid.rows_of(a), grid.rows_of(b)
    pairs = []
    for chosen in (positive, ~positive):
        codes, count = np.unique(row_a[chosen] * rows + row_b[chosen], return_counts=True)
        pairs.append((codes // rows, codes % rows, count))
    base = [(np.bincount(i, k, minlength=rows), np.bincount(j, k, minlength=rows)) for i, j, k in pairs]
    moving = [Moving.of(i[i != j], j[i != j], k[i != j]) for i, j, k in pairs]
    observed, near = _with_near(metric, [side[0][None] for side in base], [side[1][None] for side in base])[:, 0]

    def held(x: AnyArray, y: AnyArray) -> bytes:
        found = [np.unique(x[of] * rows + y[of], return_counts=True) for of in (positive, ~positive)]
        return b"".join(column.tobytes() for side in found for column in side)

    if is_turned(float(observed), lambda: held(row_a, row_b), lambda: held(row_b, row_a)):
        return _turned(swap(metric, subjects, second, first, MIRRORED[alternative], n_resamples, rng))

    def do(work: tuple[int, np.random.Generator]) -> Array:
        count, own = work
        out = []
        for many in sizes_of_parts(count, max(_BATCH, replicates_at_once(rows) // _BATCH * _BATCH)):
            parts = [[one.shifts(rows, size, own) for one in moving] for size in sizes_of_parts(many, _BATCH)]
            shifts = [np.concatenate(of_class) for of_class in zip(*parts, strict=True)]
            firsts = [of_a + shift for (of_a, _), shift in zip(base, shifts, strict=True)]
            seconds = [of_b - shift for (_, of_b), shift in zip(base, shifts, strict=True)]
            out.append(_with_near(metric, firsts, seconds))
        return np.concatenate(out, axis=1)

    drawn = np.concatenate([[[observed], [near]], *in_blocks(do, n_resamples, rng)], axis=1)
    # lists of the same value are not told apart by other cuts: that only lifts p
    statistic = _ties_broken(*drawn) if observed else drawn[0]
    p = monte_carlo_p(float(statistic[0]), statistic[1:], alternative)
    return Outcome(float(observed), p, None, n_resamples)


def _with_near(metric: Metric, first: Sequence[AnyArray], second: Sequence[AnyArray]) -> Array:
    """Return the difference of a metric of two stacks of counts, and of a metric with a cut its mean over near cuts.

    Hits above one cut are few whole numbers, and most arrangements have the same difference. Those are told apart by
    the mean share above cuts from half the place to twice as far, which costs the test nothing: it is exact for any
    statistic.
    """
    found = difference_of_counts(metric, first, second)
    near = [_near_cuts(metric, Counts(pos, neg)) for pos, neg in (first, second)]
    return np.stack([found, np.zeros(found.shape) if near[0] is None or near[1] is None else near[0] - near[1]])


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


def _turned(found: Outcome) -> Outcome:
    return found._replace(statistic=0.0 - found.statistic)


class Moving(NamedTuple):
    """Subjects whose two rows differ: ``k`` of them have the rows ``i`` and ``j``."""

    i: AnyArray
    j: AnyArray
    k: AnyArray
    several: tuple[tuple[AnyArray, Array], ...] | None
    """Pairs of rows by their number of subjects, with its distribution function; None if there are large ones."""

    @classmethod
    def of(cls, i: AnyArray, j: AnyArray, k: AnyArray) -> Moving:
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
            return own.binomial(self.k, 0.5, (lines, self.k.size))
        uniform = own.random((lines, self.k.size))
        moved = (uniform > 0.5).astype(float)
        for places, reached in self.several:
            moved[:, places] = np.searchsorted(reached, uniform[:, places].ravel()).reshape(lines, -1)
        return moved


def counted(row: AnyArray, times: AnyArray, rows: int) -> AnyArray:
    """Return how many are in each row, for each replicate: ``times`` has a line of numbers of subjects for each."""
    replicates = times.shape[0]
    flat = row + rows * np.arange(replicates)[:, None]
    total = np.bincount(flat.ravel(), times.ravel(), minlength=replicates * rows)
    return np.asarray(total.reshape(replicates, rows), np.int64)


def difference_of_counts(metric: Metric, first: Sequence[AnyArray], second: Sequence[AnyArray]) -> Array:
    """Return the difference of a metric of two stacks of counts, positives and negatives of each; nan if undefined.

    It is 0 where the two differ by rounding.
    """
    values = [metric.of_replicates(Counts(pos, neg)) for pos, neg in (first, second)]
    return differences(*values)


# ---- the six tests of Swamidass et al. on the rank weights of the positives


def weights_of_positives(metric: Metric, table: HitTable, subjects: Subjects, ranker: str) -> Array:
    """Return the rank weight of each positive, the mean of which is the metric (up to its scale).

    Raises
    ------
    UndefinedMetricError
        If the metric is not such a mean.
    """
    weights = metric.kernel_rank_weights(table.counts)
    if weights is None:
        raise UndefinedMetricError(
            f"{metric} is not a mean over the positives, which this test needs: use delta or swap-permutation"
        )
    grid = Grid(np.asarray(table.grid)[::-1])
    return weights.rows[grid.rows_of(subjects.scores[ranker][subjects.positive])]


SIX = (
    "paired-permutation",
    "paired-t",
    "paired-wilcoxon",
    "unpaired-permutation",
    "unpaired-t",
    "unpaired-wilcoxon",
)


def _without_noise(x: Array) -> Array:
    """Round where only rounding noise is, which would break ties: log 2 - log 1 and log 4 - log 2."""
    scale = float(np.max(np.abs(x), initial=0.0)) or 1.0
    return np.round(x / scale, 12)


def on_positives(v: Any, w: Any, method: str, alternative: Alternative, n_resamples: int, rng: Any) -> Outcome:
    """Run one of the six tests on the rank weights of the positives under two rankers; negatives are held fixed.

    What counts as rounding is relative to the largest of the values.
    """
    scale = scale_of(v, w)
    found = _on_scaled(np.asarray(v) / scale, np.asarray(w) / scale, scale, method, alternative, n_resamples, rng)
    return found._replace(statistic=scale * found.statistic) if method.endswith("permutation") else found


def _on_scaled(
    v: Array, w: Array, scale: float, method: str, alternative: Alternative, n_resamples: int, rng: Any
) -> Outcome:
    from scipy import stats

    if method.startswith("paired") and not differences(v, w, HAIR).any():
        return Outcome(0.0, 1.0)
    # neither sums nor the arrangements that a seed draws depend on the order of the subjects
    order = np.lexsort((w, v))
    v, w = v[order], w[order]
    d = differences(v, w, HAIR)
    observed = (math.fsum(v) - math.fsum(w)) / v.size
    observed = observed if abs(observed) > HAIR else 0.0
    # a statistic of ranks is not mirrored by its sign
    if not method.endswith("wilcoxon") and is_turned(observed, lambda: _held(v, w), lambda: _held(w, v)):
        return _turned(_on_scaled(w, v, scale, method, MIRRORED[alternative], n_resamples, rng))
    if method.endswith("-t"):
        if v.size < 2:
            raise InsufficientDataError(f"method={method!r} needs at least 2 positives")
        varying = [d] if method == "paired-t" else [v, w]
        if max(float(np.ptp(x)) for x in varying) <= HAIR:
            return without_variance(scale * observed, observed == 0)
        parts = [float(np.var(x, ddof=1)) / x.size for x in varying]  # one of which may be 0, at which scipy warns
        t, degrees = observed / math.sqrt(sum(parts)), sum(parts) ** 2 / sum(x**2 for x in parts) * (v.size - 1)
        return Outcome(t, t_p(t, degrees, alternative), degrees)
    if method == "paired-wilcoxon":
        signed = stats.wilcoxon(_without_noise(d), zero_method="pratt", alternative=alternative)
        return Outcome(float(signed.statistic), float(signed.pvalue))
    if method == "unpaired-wilcoxon":
        both = _without_noise(np.concatenate([v, w]))
        ranked = stats.mannwhitneyu(both[: v.size], both[v.size :], alternative=alternative)
        return Outcome(float(ranked.statistic), float(ranked.pvalue))
    paired = method == "paired-permutation"
    few = min(v.size, _FEW)
    arrangements = 2**few if paired else math.comb(2 * few, few)
    if arrangements <= _EXACT_UP_TO:
        drawn = _all_signs(d) if paired else _all_groups(np.concatenate([v, w]), v.size)
        return Outcome(observed, exact_p(observed, drawn, alternative))
    pool, batch = np.concatenate([v, w]), max(1, NUMBERS // v.size)

    def do(block: tuple[int, np.random.Generator]) -> Array:
        count, own = block
        parts = []
        for size in sizes_of_parts(count, batch):
            if paired:
                parts.append(np.mean((own.integers(0, 2, (size, v.size)) * 2 - 1) * d, axis=-1))
            else:
                shuffled = own.permuted(np.tile(pool, (size, 1)), axis=-1)
                parts.append(np.mean(shuffled[:, : v.size], axis=-1) - np.mean(shuffled[:, v.size :], axis=-1))
        return np.concatenate(parts)

    drawn = np.concatenate(in_blocks(do, n_resamples, rng))
    return Outcome(observed, monte_carlo_p(observed, drawn, alternative), None, n_resamples)


def _held(v: Array, w: Array) -> bytes:
    order = np.lexsort((w, v))
    return v[order].tobytes() + w[order].tobytes()


def _all_signs(d: Array) -> Array:
    signs = (np.arange(2**d.size)[:, None] >> np.arange(d.size)) & 1
    return np.asarray(np.mean((2 * signs - 1) * d, axis=-1))


def _all_groups(pool: Array, size: int) -> Array:
    from itertools import combinations

    chosen = np.array(list(combinations(range(pool.size), size)))
    first = pool[chosen].mean(axis=-1)
    return np.asarray(first - (pool.sum() - size * first) / (pool.size - size))


def sizes_of_parts(count: int, most: int) -> Iterator[int]:
    """Yield the sizes of parts of so many, in order."""
    for start in range(0, count, most):
        yield min(most, count - start)
