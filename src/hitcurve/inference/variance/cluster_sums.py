"""Sums within clusters of the subjects of some blocks, which are merged by the names of the clusters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray, Array
from hitcurve.piles import Pile, piling
from hitcurve.sources import group_name


@dataclass(frozen=True, eq=False)
class ClusterSums:
    """Numbers of each cluster.

    Attributes
    ----------
    names : array (C,)
        Each once; in their order where they are whole numbers.
    sums : array (C, k)
    """

    names: npt.NDArray[Any]
    sums: Array

    def __len__(self) -> int:
        """How many clusters there are."""
        return int(self.names.size)

    @classmethod
    def nothing(cls) -> ClusterSums:
        """Return no clusters."""
        return cls(np.zeros(0, np.int64), np.zeros((0, 0)))

    @classmethod
    def of(cls, names: npt.NDArray[Any], sums: Array) -> ClusterSums:
        """Return the sums of clusters in any order."""
        if names.dtype.kind not in "iu":
            return cls(names, sums)
        order = np.argsort(names)
        return cls(names[order], sums[order])

    def merged(self, other: ClusterSums) -> ClusterSums:
        """Add the sums of clusters that both have."""
        if not len(self) or not len(other):
            return self if len(self) else other
        names, own, others = _both(self.names, other.names)
        sums = np.zeros((names.size, self.sums.shape[1]))
        sums[own] = self.sums
        sums[others] += other.sums
        return ClusterSums(names, sums)

    @property
    def in_order(self) -> Array:
        """The sums in an order that names and subjects do not change."""
        return self.sums[np.lexsort(self.sums.T)]


def _both(a: npt.NDArray[Any], b: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], AnyArray, AnyArray]:
    """Return the names in either, and the places of those of each."""
    if a.dtype.kind in "iu" and b.dtype.kind == a.dtype.kind:
        names = np.union1d(a, b)
        return names, np.searchsorted(names, a), np.searchsorted(names, b)
    place = dict(zip(a.tolist(), range(a.size), strict=True))
    others = np.fromiter((place.setdefault(name, len(place)) for name in b.tolist()), np.intp, b.size)
    kind = np.result_type(a, b) if a.dtype.kind == b.dtype.kind else np.dtype(object)
    return np.fromiter(place, kind, len(place)), np.arange(a.size), others


combined = piling(ClusterSums.merged, len, times=2)
"""Merge neighbours of similar size: most blocks hold most clusters, so as they are, all would wait."""


def whole(pile: Pile[ClusterSums]) -> ClusterSums:
    """Return the sums of all blocks."""
    return reduce(ClusterSums.merged, reversed(pile), ClusterSums.nothing())


def side_by_side(samples: Sequence[ClusterSums]) -> ClusterSums | None:
    """Return the numbers of several samples beside each other, 0 where a sample lacks the cluster.

    None if no cluster is in two samples. Names are compared as text if they are numbers in one sample only.
    """
    kinds = {own.names.dtype.kind in "iu" for own in samples}
    named = [
        own.names if len(kinds) == 1 else np.array(list(map(group_name, own.names.tolist())), object) for own in samples
    ]
    found = named[0]
    places = [np.arange(found.size)]
    for own in named[1:]:
        found, before, here = _both(found, own)
        places = [*(before[place] for place in places), here]
    if found.size == sum(own.size for own in named):
        return None
    width = samples[0].sums.shape[1]
    out = np.zeros((found.size, width * len(samples)))
    for i, (place, sample) in enumerate(zip(places, samples, strict=True)):
        out[place, i * width : (i + 1) * width] = sample.sums
    return ClusterSums(found, out)
