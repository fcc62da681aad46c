"""Tests by rearrangement: swaps of subjects, signs and groups of positives."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from hitcurve.cells import Grid
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import InsufficientDataError, UndefinedMetricError
from hitcurve.inference.chance import Alternative
from hitcurve.inference.resample import in_blocks, say_redraws
from hitcurve.metrics import Metric
from hitcurve.metrics.weights import worth_of_rows
from hitcurve.sources import Block, Source
from hitcurve.table import HitTable

_BATCH = 16
_EXACT_UP_TO = 20_000  # arrangements
_FEW = 32  # positives; so many have more arrangements than that, and of a million nobody can count them
_NUMBERS = 1 << 20  # held at a time
_HAIR = 1e-12  # rounding noise of a difference of metrics


class Tested(NamedTuple):
    """Outcome of a test."""

    statistic: float
    pvalue: float
    degrees: float | None = None
    resamples: int | None = None


def without_variance(distance: float, alternative: str) -> Tested:
    """Test a distance that does not vary from subject to subject: it is 0, or certain."""
    if abs(distance) <= _HAIR:
        return Tested(0.0, 1.0)
    p = {"two-sided": 0.0, "greater": float(distance < 0), "less": float(distance > 0)}
    return Tested(math.copysign(math.inf, distance), p[alternative])


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
) -> Tested:
    """Swap the two normalised ranks of subjects at random, positives and negatives alike.

    Under the null both rankers are exchangeable. Subjects with the same pair of cells are swapped by one binomial
    draw.
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
    moving = [(i[i != j], j[i != j], k[i != j]) for i, j, k in pairs]
    observed = _difference(metric, [side[0][None] for side in base], [side[1][None] for side in base])[0]

    def do(work: tuple[int, np.random.Generator]) -> Array:
        count, own = work
        out = []
        for start in range(0, count, _BATCH):
            size = min(_BATCH, count - start)
            firsts: list[AnyArray] = []
            seconds: list[AnyArray] = []
            for (i, j, k), (of_a, of_b) in zip(moving, base, strict=True):
                moved = own.binomial(k, 0.5, (size, k.size))
                shift = np.stack([np.bincount(j, m, minlength=rows) - np.bincount(i, m, minlength=rows) for m in moved])
                firsts.append(of_a + shift)
                seconds.append(of_b - shift)
            out.append(_difference(metric, firsts, seconds))
        return np.concatenate(out)

    drawn = np.concatenate(in_blocks(do, n_resamples, rng))
    return Tested(float(observed), monte_carlo_p(float(observed), drawn, alternative), None, n_resamples)


def _difference(metric: Metric, first: Sequence[AnyArray], second: Sequence[AnyArray]) -> Array:
    values = [metric.kernel(Counts(pos, neg)) for pos, neg in (first, second)]
    return np.asarray(values[0] - values[1], np.float64)


def monte_carlo_p(observed: float, drawn: Array, alternative: str) -> float:
    """Return (b + 1)/(B + 1), b the arrangements at least as extreme."""
    return (int(np.sum(_as_extreme(observed, drawn, alternative))) + 1) / (drawn.size + 1)


def _as_extreme(observed: float, drawn: Array, alternative: str) -> AnyArray:
    """Say which arrangements are at least as extreme.

    Rounding noise counts as equal, and so does an arrangement on which the metric is undefined.
    """
    slack = _HAIR * max(1.0, abs(observed))
    beyond = {
        "two-sided": np.abs(drawn) >= abs(observed) - slack,
        "greater": drawn >= observed - slack,
        "less": drawn <= observed + slack,
    }[alternative]
    return np.asarray(beyond | np.isnan(drawn))


# ---- the six tests of Swamidass et al. on what the positives are worth


def worth_of_positives(metric: Metric, table: HitTable, subjects: Subjects, ranker: str) -> Array:
    """Return what each positive is worth, the mean of which is the metric (up to its scale).

    Raises
    ------
    UndefinedMetricError
        If the metric is no such mean.
    """
    try:
        worth = worth_of_rows(metric, table.counts)
    except UndefinedMetricError as error:
        raise UndefinedMetricError(f"{error}, which this test needs; use delta or swap-permutation") from None
    grid = Grid(np.asarray(table.grid)[::-1])
    return worth[grid.rows_of(subjects.scores[ranker][subjects.positive])]


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


def on_positives(v: Any, w: Any, method: str, alternative: Alternative, n_resamples: int, rng: Any) -> Tested:
    """Run one of the six tests on what the positives are worth under two rankers; negatives are held fixed."""
    from scipy import stats

    if method.startswith("paired") and np.array_equal(v, w):
        return Tested(0.0, 1.0)
    if method.endswith("-t"):
        if v.size < 2:
            raise InsufficientDataError(
                f"method={method!r} needs two positives: one says nothing of how much they vary"
            )
        varying = [v - w] if method == "paired-t" else [v, w]
        if max(float(np.ptp(x)) for x in varying) <= _HAIR:
            return without_variance(float(np.mean(v) - np.mean(w)), alternative)
    if method == "paired-t":
        paired_t = stats.ttest_rel(v, w, alternative=alternative)
        return Tested(float(paired_t.statistic), float(paired_t.pvalue), float(paired_t.df))
    if method == "unpaired-t":
        two_samples = stats.ttest_ind(v, w, equal_var=False, alternative=alternative)
        return Tested(float(two_samples.statistic), float(two_samples.pvalue), float(two_samples.df))
    if method == "paired-wilcoxon":
        signed = stats.wilcoxon(_without_noise(v - w), zero_method="pratt", alternative=alternative)
        return Tested(float(signed.statistic), float(signed.pvalue))
    if method == "unpaired-wilcoxon":
        both = _without_noise(np.concatenate([v, w]))
        ranked = stats.mannwhitneyu(both[: v.size], both[v.size :], alternative=alternative)
        return Tested(float(ranked.statistic), float(ranked.pvalue))
    paired = method == "paired-permutation"
    few = min(v.size, _FEW)
    arrangements = 2**few if paired else math.comb(2 * few, few)
    observed = float(np.mean(v) - np.mean(w))
    if arrangements <= _EXACT_UP_TO:
        drawn = _all_signs(v - w) if paired else _all_groups(np.concatenate([v, w]), v.size)
        return Tested(observed, float(np.mean(_as_extreme(observed, drawn, alternative))))
    pool, batch = np.concatenate([v, w]), max(1, _NUMBERS // v.size)

    def do(block: tuple[int, np.random.Generator]) -> Array:
        count, own = block
        parts = []
        for start in range(0, count, batch):
            size = min(batch, count - start)
            if paired:
                parts.append(np.mean((own.integers(0, 2, (size, v.size)) * 2 - 1) * (v - w), axis=-1))
            else:
                shuffled = own.permuted(np.tile(pool, (size, 1)), axis=-1)
                parts.append(np.mean(shuffled[:, : v.size], axis=-1) - np.mean(shuffled[:, v.size :], axis=-1))
        return np.concatenate(parts)

    drawn = np.concatenate(in_blocks(do, n_resamples, rng))
    return Tested(observed, monte_carlo_p(observed, drawn, alternative), None, n_resamples)


def _all_signs(d: Array) -> Array:
    signs = (np.arange(2**d.size)[:, None] >> np.arange(d.size)) & 1
    return np.asarray(np.mean((2 * signs - 1) * d, axis=-1))


def _all_groups(pool: Array, size: int) -> Array:
    from itertools import combinations

    chosen = np.array(list(combinations(range(pool.size), size)))
    first = pool[chosen].mean(axis=-1)
    return np.asarray(first - (pool.sum() - size * first) / (pool.size - size))


# ---- paired bootstrap


def _of_subjects(n: int, n1: int, design: str) -> Callable[[np.random.Generator], list[AnyArray]]:
    """Return what draws how often each positive and each negative is in a replicate."""

    def draw(own: np.random.Generator) -> list[AnyArray]:
        drawn = own.binomial(n, n1 / n) if design == "cohort" else n1
        while not 0 < drawn < n:
            drawn = own.binomial(n, n1 / n)
        return [
            np.bincount(own.integers(0, size, take), minlength=size)
            for size, take in ((n1, drawn), (n - n1, n - drawn))
        ]

    return draw


def _of_clusters(cluster: AnyArray, positive: AnyArray) -> Callable[[np.random.Generator], list[AnyArray]]:
    """Return what draws whole clusters; a replicate without one of the classes is drawn again."""
    names, place = np.unique(cluster, return_inverse=True)
    places = place[positive], place[~positive]

    def draw(own: np.random.Generator) -> list[AnyArray]:
        while True:
            often = np.bincount(own.integers(0, names.size, names.size), minlength=names.size)
            times = [often[side] for side in places]
            if all(side.any() for side in times):
                return times

    return draw


def paired_bootstrap(
    metric: Metric, subjects: Subjects, first: str, second: str, design: str, n_resamples: int, rng: Any
) -> Array:
    """Return replicates of the difference over samples with replacement: of subjects, or of whole clusters."""
    positive = subjects.positive
    n, n1 = positive.size, int(positive.sum())
    if design == "cohort" and subjects.cluster is None:
        say_redraws(n, n1)
    draw = _of_subjects(n, n1, design) if subjects.cluster is None else _of_clusters(subjects.cluster, positive)
    cells = []
    for name in (first, second):
        scores = subjects.scores[name]
        grid = Grid(np.unique(scores[positive]))
        row = grid.rows_of(scores)
        cells.append((row[positive], row[~positive], grid.rows))

    def do(work: tuple[int, np.random.Generator]) -> Array:
        count, own = work
        out = np.empty(count)
        for i in range(count):
            times = draw(own)
            values = [
                metric.kernel(
                    Counts(
                        np.bincount(pos, times[0], minlength=rows)[None],
                        np.bincount(neg, times[1], minlength=rows)[None],
                    )
                )[0]
                for pos, neg, rows in cells
            ]
            out[i] = values[0] - values[1]
        return out

    return np.concatenate(in_blocks(do, n_resamples, rng))
