"""Tests by rearrangement: signs and groups of positives, and the subjects that all rearrangements take."""

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
from hitcurve.inference.resampling.resample import bytes_of, in_blocks
from hitcurve.inference.rounding import differences, scale_of
from hitcurve.metrics import Metric
from hitcurve.sources import Block, GroupCodes, Source, check_hands_out
from hitcurve.table import HitTable

_EXACT_UP_TO = 20_000  # arrangements
_RANKED = 13  # tied values whose ranks are arranged in all ways; of more scipy takes the normal limit
_FEW = 32  # positives; so many have more arrangements than that, and of a million nobody can count them
NUMBERS = 1 << 20  # held at a time
_ALIKE = 2.0  # how far levels of two rankers may be apart, in roots of the number of subjects


def is_turned(observed: float, first: Callable[[], bytes], second: Callable[[], bytes]) -> bool:
    """Return whether draws are made for the mirror image of a difference, so that both have one p value.

    Draws are those of the better minus the worse; of two as good, what they are said to hold decides.
    """
    return observed < -HAIR or (observed <= HAIR and first() > second())


class _Held:
    """Columns to which those of the next block are added in place: two copies of all are never held."""

    def __init__(self, columns: list[AnyArray], cluster: GroupCodes | None) -> None:
        self.columns, self._own = columns, False
        self.clusters = [] if cluster is None else [cluster]

    def taken(self, other: _Held) -> _Held:
        """Take the subjects of the next block."""
        if not self._own:
            self.columns, self._own = [column.copy() for column in self.columns], True
        for column, more in zip(self.columns, other.columns, strict=True):
            size = column.size
            column.resize(size + more.size, refcheck=False)
            column[size:] = more
        self.clusters += other.clusters
        return self


class Subjects(NamedTuple):
    """Labels, scores and clusters of all subjects, in memory."""

    positive: AnyArray
    scores: dict[str, AnyArray]
    cluster: GroupCodes | None = None

    @classmethod
    def of(cls, source: Source, rankers: Sequence[str]) -> Subjects:
        """Read the scores of some rankers into memory."""
        check_hands_out(source, "a bootstrap or a permutation of subjects")

        def take(block: Block) -> _Held:
            return _Held([block.positive, *(block.scores[name] for name in rankers)], block.cluster)

        held: _Held = source.reduce(take, _Held.taken)
        positive, *scores = held.columns
        clusters = GroupCodes.joined(held.clusters) if held.clusters else None
        return cls(positive, dict(zip(rankers, scores, strict=True)), clusters)

    def midranks(self, ranker: str) -> AnyArray:
        """Return twice the mid-rank of each subject from the bottom: whole numbers."""
        _, place, size = np.unique(self.scores[ranker], return_inverse=True, return_counts=True)
        ends = np.cumsum(size)
        return np.asarray((2 * ends - size + 1)[place])

    def common_ranks(self, first: str, second: str) -> tuple[AnyArray, AnyArray]:
        """Return what is swapped between two rankers: their mid-ranks, or their levels where these are alike.

        Swapped mid-ranks of two coarse scales differ by hairs, which splits their levels: then observed lists have more
        ties than swapped ones. Levels are alike if each list has about as many subjects down to each: to each score, if
        both rankers use the same but for few subjects, else to each level, if both have as many.
        """
        a, b, n = self.scores[first], self.scores[second], self.positive.size
        (of_a, in_a), (of_b, in_b) = (np.unique(one, return_inverse=True) for one in (a, b))
        every = np.union1d(of_a, of_b)
        scales = [(every.searchsorted(a), every.searchsorted(b))] if every.size < n / 2 else []
        scales += [(in_a, in_b)] if of_a.size == of_b.size < n / 2 else []
        for one, other in scales:
            sizes = [np.bincount(own, minlength=every.size) for own in (one, other)]
            apart = np.abs(np.cumsum(sizes[0] - sizes[1]))
            alone = np.sum(sizes, axis=0)[np.minimum(*sizes) == 0]  # scores of one ranker
            if max(np.max(apart), np.sum(alone)) <= _ALIKE * np.sqrt(n):
                return one, other
        return self.midranks(first), self.midranks(second)


def turned(found: Outcome) -> Outcome:
    """Return what is found of the mirror image of a difference."""
    return found._replace(statistic=0.0 - found.statistic)


def counted(row: AnyArray, times: AnyArray, rows: int) -> AnyArray:
    """Return how many are in each row, for each replicate: ``times`` has a line of numbers of subjects for each."""
    replicates = times.shape[0]
    flat = row + rows * np.arange(replicates)[:, None]
    total = np.bincount(flat.ravel(), times.ravel(), minlength=replicates * rows)
    return np.asarray(total.reshape(replicates, rows), np.int64)


def difference_of_counts(metric: Metric, first: Counts, second: Counts) -> Array:
    """Return the difference of a metric of two stacks of counts; nan if undefined, 0 where they differ by rounding."""
    return differences(metric.of_replicates(first), metric.of_replicates(second))


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
        return turned(_on_scaled(w, v, scale, method, MIRRORED[alternative], n_resamples, rng))
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
        return _signed_ranks(_without_noise(d), alternative)
    if method == "unpaired-wilcoxon":
        both = _without_noise(np.concatenate([v, w]))
        if both.min() == both.max():  # every arrangement is this one; scipy 1.18 has no p value then
            return Outcome(v.size * w.size / 2, 1.0)
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


def _signed_ranks(d: Array, alternative: Alternative) -> Outcome:
    """Run the test of Wilcoxon and Pratt; of few with ties or zeros scipy would take each arrangement by itself."""
    from scipy import stats

    sizes = np.abs(d)
    if d.size > _RANKED or (sizes.all() and np.unique(sizes).size == d.size):
        signed = stats.wilcoxon(d, zero_method="pratt", alternative=alternative)
        return Outcome(float(signed.statistic), float(signed.pvalue))
    ranks = np.where(sizes > 0, stats.rankdata(sizes), 0.0)
    above, below = (float(ranks[side].sum()) for side in (d > 0, d < 0))
    p = exact_p((above - below) / d.size, _all_signs(ranks), alternative)
    return Outcome(min(above, below) if alternative == "two-sided" else above, p)


def _held(v: Array, w: Array) -> bytes:
    order = np.lexsort((w, v))
    return bytes_of(v[order], w[order])


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
