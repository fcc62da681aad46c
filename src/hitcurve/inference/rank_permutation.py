"""The permutation tests of Swamidass et al. (2010), section 4: the ranks of the positives are dealt out anew.

How good a ranker is follows from the number of subjects and the ranks of its positives. A random partition of the ranks
of both rankers makes two others: by a coin for each positive (paired), or of all ranks together. Of the sorted ranks of
one part, r_(j) - j negatives are above positive j. Each metric is computed anew, so that a rank that moves changes what
the others contribute; the Fisher-Pitman tests of :mod:`~hitcurve.inference.permute` keep the contributions.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.permute import NUMBERS, Subjects, is_turned, sizes_of_parts
from hitcurve.inference.pvalues import MIRRORED, Outcome, exact_p, monte_carlo_p
from hitcurve.inference.resample import in_blocks
from hitcurve.inference.rounding import differences
from hitcurve.metrics import Metric

OF_RANKS = ("paired-rank-permutation", "unpaired-rank-permutation")
_EXACT_UP_TO = 20_000  # arrangements
_FEW = 15  # positives; so many have more arrangements


def on_ranks(
    metric: Metric,
    subjects: Subjects,
    rankers: tuple[str, str],
    method: str,
    alternative: str,
    n_resamples: int,
    rng: object,
) -> Outcome:
    """Test whether two rankers are equally good by dealing out the ranks of their positives; negatives are held fixed.

    Equal scores share the mean of their ranks. Two positives of one rank, which no list has, count as neighbours.

    Parameters
    ----------
    metric : Metric
    subjects : Subjects
    rankers : (str, str)
    method : {"paired-rank-permutation", "unpaired-rank-permutation"}
    alternative : {"two-sided", "less", "greater"}
    n_resamples : int
        Partitions that are drawn; all of them are tried where there are no more than 20,000.
    rng : Generator or what makes one
    """
    n = subjects.positive.size
    ranks = np.stack([n + 1 - subjects.midranks(name)[subjects.positive] / 2 for name in rankers])
    # neither sums nor the partitions that a seed draws depend on the order of the subjects
    ranks = ranks[:, np.lexsort(ranks[::-1])]
    return _of_ranks(metric, ranks, n, method, alternative, n_resamples, rng)


def _of_ranks(
    metric: Metric, ranks: Array, n: int, method: str, alternative: str, n_resamples: int, rng: object
) -> Outcome:
    n_pos, paired = ranks.shape[1], method == "paired-rank-permutation"
    observed = float(_differences(metric, ranks[:, None], n)[0])
    mirrored = ranks[::-1][:, np.lexsort(ranks)]
    if is_turned(observed, ranks.tobytes, mirrored.tobytes):
        found = _of_ranks(metric, mirrored, n, method, MIRRORED[alternative], n_resamples, rng)
        return found._replace(statistic=0.0 - found.statistic)
    if paired:
        apart = np.flatnonzero(ranks[0] != ranks[1])
        many = 2**apart.size if apart.size < _FEW else math.inf
    else:
        many = math.comb(2 * n_pos, n_pos) if n_pos < _FEW else math.inf
    if many <= _EXACT_UP_TO:
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
