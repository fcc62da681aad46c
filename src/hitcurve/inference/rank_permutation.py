"""The permutation tests of Swamidass et al. (2010), section 4: the ranks of the positives are dealt out anew.

How good a ranker is follows from the number of subjects and the ranks of its positives. A random partition of the ranks
of both rankers makes two others: by a coin for each positive (paired), or of all ranks together. Of the sorted ranks of
one part, r_(j) - j negatives are above positive j. Each metric is computed anew, so that a rank that moves changes what
the others contribute; the Fisher-Pitman tests of :mod:`~hitcurve.inference.permute` keep the contributions.
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any

import numpy as np

from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.permute import NUMBERS, Subjects, is_turned, sizes_of_parts
from hitcurve.inference.pvalues import MIRRORED, Outcome, exact_p, monte_carlo_p
from hitcurve.inference.resample import generator, in_blocks
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

    def held(pair: AnyArray) -> tuple[AnyArray, bytes]:
        order = np.lexsort((positive, pair[1], pair[0]))
        return order, pair[:, order].tobytes() + positive[order].tobytes()

    (order, first), (_, second) = held(own), held(own[::-1])
    if is_turned(difference, lambda: first, lambda: second):
        found = on_ranks(metric, subjects, rankers[::-1], -difference, method, MIRRORED[alternative], n_resamples, rng)
        return found._replace(statistic=0.0 - found.statistic)
    # neither sums nor what a seed draws depend on the order of the subjects
    own, positive, rng = own[:, order], positive[order], generator(rng)
    tied = any(np.unique(side[positive]).size < positive.sum() or _tied_across(side, positive) for side in own)
    keys = rng.random(own.shape) if tied else np.zeros(own.shape)
    ranks = np.empty(own.shape)
    for side, key, out in zip(own, keys, ranks, strict=True):
        out[np.lexsort((key, -side))] = np.arange(1.0, side.size + 1)
    return _of_ranks(metric, ranks[:, positive], positive.size, method, alternative, n_resamples, rng, exact=not tied)


def _tied_across(side: AnyArray, positive: AnyArray) -> bool:
    return bool(np.intersect1d(side[positive], side[~positive]).size)


def _of_ranks(
    metric: Metric, ranks: Array, n: int, method: str, alternative: str, n_resamples: int, rng: Any, *, exact: bool
) -> Outcome:
    n_pos, paired = ranks.shape[1], method == "paired-rank-permutation"
    observed = float(_differences(metric, ranks[:, None], n)[0])
    if paired:
        apart = np.flatnonzero(ranks[0] != ranks[1])
        many = 2**apart.size if apart.size < _FEW else math.inf
    else:
        many = math.comb(2 * n_pos, n_pos) if n_pos < _FEW else math.inf
    if exact and many <= _EXACT_UP_TO:
        dealt = _by_every_coin(ranks, apart) if paired else _by_every_choice(ranks)
        parts = [_differences(metric, dealt[:, part], n) for part in _parts(dealt.shape[1], n_pos)]
        return Outcome(observed, exact_p(observed, np.concatenate(parts), alternative))

    def do(block: tuple[int, np.random.Generator]) -> Array:
        count, own = block
        found = []
        for size in sizes_of_parts(count, _at_once(n_pos)):
            if paired:
                turned = own.integers(0, 2, (size, n_pos), dtype=np.int8) > 0
                dealt = _turned(ranks, turned)
            else:
                pool = own.permuted(np.tile(ranks.ravel(), (size, 1)), axis=-1)
                dealt = np.moveaxis(pool.reshape(size, 2, n_pos), 1, 0)
            found.append(_differences(metric, dealt, n))
        return np.concatenate(found)

    drawn = np.concatenate(in_blocks(do, n_resamples, rng))
    return Outcome(observed, monte_carlo_p(observed, drawn, alternative), None, n_resamples)


def _differences(metric: Metric, ranks: Array, n: int) -> Array:
    """Return the differences of a metric of pairs of lists, from the ranks of their positives.

    Parameters
    ----------
    ranks : array (2, R, n1)
    n : int
        Subjects.
    """
    n_pos = ranks.shape[-1]
    above = np.sort(ranks, axis=-1) - np.arange(1, n_pos + 1)
    above = np.clip(np.maximum.accumulate(above, axis=-1), 0, n - n_pos)
    rows = np.zeros((2, *above.shape, 2))
    rows[0, ..., 1] = 1
    rows[1, ..., 0] = np.diff(above, axis=-1, prepend=0)
    pos, neg = rows.reshape(2, *above.shape[:-1], -1)
    last = n - n_pos - above[..., -1:]
    pos, neg = np.concatenate([pos, np.zeros(last.shape)], axis=-1), np.concatenate([neg, last], axis=-1)
    return differences(*(metric.of_replicates(Counts(pos[side], neg[side])) for side in (0, 1)))


def _turned(ranks: Array, turned: AnyArray) -> Array:
    """Return both parts (2, R, n1) where the ranks of a positive change sides."""
    first = np.where(turned, ranks[1], ranks[0])
    return np.stack([first, ranks.sum(axis=0) - first])


def _by_every_coin(ranks: Array, apart: AnyArray) -> Array:
    turned = np.zeros((2**apart.size, ranks.shape[1]), bool)
    turned[:, apart] = (np.arange(2**apart.size)[:, None] >> np.arange(apart.size)) & 1
    return _turned(ranks, turned)


def _by_every_choice(ranks: Array) -> Array:
    pool, n_pos = ranks.ravel(), ranks.shape[1]
    chosen = np.zeros((math.comb(2 * n_pos, n_pos), 2 * n_pos), bool)
    for row, places in zip(chosen, combinations(range(2 * n_pos), n_pos), strict=True):
        row[list(places)] = True
    both = np.broadcast_to(pool, chosen.shape)
    return np.stack([both[side].reshape(-1, n_pos) for side in (chosen, ~chosen)])


def _at_once(n_pos: int) -> int:
    """Return how many pairs of lists are held at a time."""
    return max(1, NUMBERS // (8 * n_pos))


def _parts(count: int, n_pos: int) -> list[slice]:
    size = _at_once(n_pos)
    return [slice(start, start + size) for start in range(0, count, size)]
