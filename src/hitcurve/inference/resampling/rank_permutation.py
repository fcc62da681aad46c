"""The permutation tests of Swamidass et al. (2010), section 4: the ranks of the positives are dealt out anew.

How good a ranker is follows from the number of subjects and the ranks of its positives. A random partition of the ranks
of both rankers makes two others: by a coin for each positive (paired), or of all ranks together. Of the sorted ranks of
one part, r_(j) - j negatives are above positive j. Each metric is computed anew, so that a rank that moves changes what
the others contribute; the Fisher-Pitman tests of :mod:`~hitcurve.inference.resampling.permute` keep the contributions.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.pvalues import MIRRORED, Outcome, exact_p, monte_carlo_p
from hitcurve.inference.resampling.permute import NUMBERS, Subjects, is_turned, sizes_of_parts
from hitcurve.inference.resampling.resample import bytes_of, generator, in_blocks, replicates_at_once
from hitcurve.inference.rounding import differences
from hitcurve.metrics import Metric

OF_RANKS = ("paired-rank-permutation", "unpaired-rank-permutation")
_EXACT_UP_TO = 20_000  # arrangements
_FEW = 15  # positives; so many have more arrangements


def on_ranks(
    metric: Metric,
    subjects: Subjects,
    rankers: tuple[str, str],
    difference: float,
    method: str,
    alternative: str,
    n_resamples: int,
    rng: Any,
) -> Outcome:
    """Test whether two rankers are equally good by dealing out the ranks of their positives; negatives are held fixed.

    A list has one order: where positives are tied with other subjects, one is drawn for each ranker, and the statistic
    is that of the lists in this order. Two positives at one rank, which no list has, count as neighbours.

    Parameters
    ----------
    metric : Metric
    subjects : Subjects
    rankers : (str, str)
    difference : float
        First minus second as evaluated; the p value of none is 1.
    method : {"paired-rank-permutation", "unpaired-rank-permutation"}
    alternative : {"two-sided", "less", "greater"}
    n_resamples : int
        Partitions that are drawn; all of them are tried where there are no more than 20,000 and no ties.
    rng : Generator or what makes one
    """
    if difference == 0 and alternative == "two-sided":
        return Outcome(0.0, 1.0)
    own = np.stack([subjects.midranks(name) for name in rankers])
    positive = subjects.positive

    def ordered(pair: AnyArray) -> tuple[AnyArray, bytes]:
        order = np.lexsort((positive, pair[1], pair[0]))
        return order, bytes_of(pair[:, order], positive[order])

    (order, first), (order_turned, second) = ordered(own), ordered(own[::-1])
    turned = is_turned(difference, lambda: first, lambda: second)
    if turned:
        own, order, alternative = own[::-1], order_turned, MIRRORED[alternative]
    # neither sums nor what a seed draws depend on the order of the subjects
    own, positive, rng = own[:, order], positive[order], generator(rng)
    tied = any(np.unique(side[positive]).size < positive.sum() or _tied_across(side, positive) for side in own)
    keys = rng.random(own.shape) if tied else np.zeros(own.shape)
    ranks = np.empty(own.shape, np.int64)
    for side, key, out in zip(own, keys, ranks, strict=True):
        out[np.lexsort((key, -side))] = np.arange(1, side.size + 1)
    lists = _Lists.of(metric, ranks[:, positive], positive.size)
    found = _tested(lists, method == "paired-rank-permutation", alternative, n_resamples, rng, exact=not tied)
    return found._replace(statistic=0.0 - found.statistic) if turned else found


def _tied_across(side: AnyArray, positive: AnyArray) -> bool:
    return bool(np.intersect1d(side[positive], side[~positive]).size)


class _Lists(NamedTuple):
    """The ranks of the positives of two lists in one order, which no part of them has to find again."""

    metric: Metric
    n: int
    pool: AnyArray
    """Ranks of both lists, ascending (2 n1,)."""
    of_first: AnyArray
    """Which of them are of the first list."""
    whose: AnyArray
    """Positive of each of them."""

    @classmethod
    def of(cls, metric: Metric, ranks: AnyArray, n: int) -> _Lists:
        n_pos = ranks.shape[1]
        order = np.argsort(ranks.ravel(), kind="stable")
        return cls(metric, n, ranks.ravel()[order], order < n_pos, order % n_pos)

    @property
    def n_pos(self) -> int:
        return self.pool.size // 2

    @property
    def apart(self) -> AnyArray:
        """Positives whose two ranks differ."""
        ranks = np.empty((2, self.n_pos), self.pool.dtype)
        ranks[np.where(self.of_first, 0, 1), self.whose] = self.pool
        return np.flatnonzero(ranks[0] != ranks[1])

    def turned(self, turned: AnyArray) -> AnyArray:
        """Return which ranks of the pool the first part has (R, 2 n1) where those of some positives change sides."""
        return np.asarray(self.of_first ^ turned[:, self.whose])

    def differences(self, chosen: AnyArray) -> Array:
        """Return the differences of the metric of parts of the ranks, chosen (R, 2 n1), and the others."""
        size = replicates_at_once(self.pool.size + 1)
        parts = [chosen[start : start + size] for start in range(0, len(chosen), size)]
        return np.concatenate([differences(self._values(part), self._values(~part)) for part in parts])

    def _values(self, chosen: AnyArray) -> Array:
        ranks = np.broadcast_to(self.pool, chosen.shape)[chosen].reshape(len(chosen), -1)
        above = np.maximum.accumulate(ranks - np.arange(1, self.n_pos + 1), axis=-1)
        above = np.clip(above, 0, self.n - self.n_pos)
        pos, neg = np.zeros(self.pool.size + 1), np.zeros((len(chosen), self.pool.size + 1))
        pos[1::2] = 1
        neg[:, ::2] = np.diff(above, axis=-1, prepend=0, append=self.n - self.n_pos)
        return np.asarray(self.metric.of_replicates(Counts(np.broadcast_to(pos, neg.shape), neg)))


def _tested(
    lists: _Lists, paired: bool, alternative: str, n_resamples: int, rng: np.random.Generator, *, exact: bool
) -> Outcome:
    n_pos = lists.n_pos
    observed = float(lists.differences(lists.of_first[None])[0])
    if paired:
        apart = lists.apart
        many = 2**apart.size if apart.size < _FEW else math.inf
    else:
        many = math.comb(2 * n_pos, n_pos) if n_pos < _FEW else math.inf
    if exact and many <= _EXACT_UP_TO:
        chosen = lists.turned(_every_coin(apart, n_pos)) if paired else _every_choice(n_pos)
        return Outcome(observed, exact_p(observed, lists.differences(chosen), alternative))

    def do(block: tuple[int, np.random.Generator]) -> Array:
        count, own = block
        found = []
        for size in sizes_of_parts(count, max(1, NUMBERS // (8 * n_pos))):
            if paired:
                chosen = lists.turned(own.integers(0, 2, (size, n_pos), dtype=np.int8) > 0)
            else:
                chosen = own.permuted(np.tile(lists.of_first, (size, 1)), axis=-1)
            found.append(lists.differences(chosen))
        return np.concatenate(found)

    drawn = np.concatenate(in_blocks(do, n_resamples, rng))
    return Outcome(observed, monte_carlo_p(observed, drawn, alternative), None, n_resamples)


def _every_coin(apart: AnyArray, n_pos: int) -> AnyArray:
    turned = np.zeros((2**apart.size, n_pos), bool)
    turned[:, apart] = (np.arange(2**apart.size)[:, None] >> np.arange(apart.size)) & 1
    return turned


def _every_choice(n_pos: int) -> AnyArray:
    chosen = np.zeros((math.comb(2 * n_pos, n_pos), 2 * n_pos), bool)
    for row, places in zip(chosen, combinations(range(2 * n_pos), n_pos), strict=True):
        row[list(places)] = True
    return chosen
