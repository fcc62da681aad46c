"""Whether subjects arrive in the order of a score."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hitcurve.counts import AnyArray

_SORTED = 1 << 20  # scores that are looked up at a time


def rank_correlation(sizes: Sequence[int], scores: AnyArray) -> float:
    """Return the rank correlation of scores with the batches in which they came.

    Parameters
    ----------
    sizes : sequence of int
        Of the batches, one after another.
    scores : array (n,)
    """
    n = scores.size
    ascending = np.sort(scores)
    equal = np.concatenate([[0], ascending[1:] == ascending[:-1], [0]]).astype(np.int8)
    runs = np.flatnonzero(np.diff(equal)).reshape(-1, 2)
    # of twice the mid-ranks from the middle: what n different scores have, less what ties take away
    sizes_of_ties, times = np.unique(runs[:, 1] - runs[:, 0] + 1, return_counts=True)
    lost = sum(count * (t**3 - t) for t, count in zip(sizes_of_ties.tolist(), times.tolist(), strict=True))
    spread = (n**3 - n - lost) / 3
    of_batches = together = 0.0
    end = 0
    for size in map(int, sizes):
        own = 2.0 * end + size - n
        of_batches += size * own**2
        for start in range(end, end + size, _SORTED):  # what is sorted is found soon
            part = np.sort(scores[start : min(start + _SORTED, end + size)])
            below, up_to = (np.searchsorted(ascending, part, side) for side in ("left", "right"))
            together += own * float(np.sum(below + up_to - n))
        end += size
    both = math.sqrt(spread) * math.sqrt(of_batches)
    return together / both if both > 0 else 0.0
