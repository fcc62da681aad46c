"""Dependent subjects: their variance by cluster, and what clusters hide: much of a class at once, subjects alike."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array

_HEAVY = 0.2  # share of a class
_ALIKE = 0.45  # intra-cluster correlation of influence values
_MIXED = 0.5  # share of the classes that clusters have in common
_LITTLE = 0.25  # of a sum of squares: what is not of the class as a whole then decides little, and is hardly known
_MANY = 500  # clusters, from where simulated coverage is that of independent subjects within .03
_OF_ERRORS = (
    "standard errors may be too small (where its members are nearly alike, simulated coverage of 95% intervals was .75 "
    "to .98, and size of tests up to .19 at the 5% level)"
)


class Clustered(NamedTuple):
    """Variance of a metric whose subjects depend on each other within clusters; of one list or of each of many."""

    variance: Any
    degrees: Any
    heaviest: Any = 0.0  # the largest share of a class in one cluster
    alike: Any = 0.0  # correlation of influence values within clusters that mix the classes
    above: Any = math.inf  # clusters above the cut, if all were equal there; infinity without a cut

    @property
    def of_subjects(self) -> bool:
        """Whether each subject is a cluster of its own."""
        return isinstance(self, OfSubjects)

    @property
    def what(self) -> str:
        """Say what methods for independent subjects, each seen in full, do not know."""
        return "censored subjects" if self.of_subjects else "clusters"


class OfSubjects(Clustered):
    """Variance of a metric over independent subjects, with a part for the censoring that was estimated beside it."""


def largest_share(sums: AnyArray) -> float:
    """Return the largest share that one cluster holds; 0 where there is nothing to hold."""
    total = float(sums.sum())
    return float(sums.max()) / total if total > 0 else 0.0


def number_above(sums: Array) -> Array:
    """Return in how many clusters, if all were equal there, the subjects above a cut are; infinity if nobody is.

    As many decide how well a variance at the cut is known: of clusters of unequal size Carter, Schnepel and Steigerwald
    (2017, Review of Economics and Statistics 99:698).

    Parameters
    ----------
    sums : array (C, ...)
        Subjects of each cluster above the cut.
    """
    squares = np.sum(sums**2, axis=0)
    out = np.full(squares.shape, math.inf)
    return np.asarray(np.divide(np.sum(sums, axis=0) ** 2, squares, out=out, where=squares > 0))


def one_cluster(share: float, of: str = "a class", but: str = _OF_ERRORS) -> list[str]:
    """Return a caveat if the largest share that one cluster holds is large."""
    return [f"one cluster holds {100 * share:.0f}% of {of}: {but}"] if share >= _HEAVY else []


def correlation_within(
    sums: Sequence[Array], alone: Sequence[float], shares: Sequence[Array], sizes: Sequence[float]
) -> float:
    """Return the correlation of the influence values of subjects of one cluster and class.

    Parameters
    ----------
    sums : (positives, negatives), each array (C,)
        Of influence values within clusters.
    alone : (float, float)
        Sums of squares of those values.
    shares : (positives, negatives), each array (C,)
        Of the class in each cluster.
    sizes : (float, float)

    Returns
    -------
    float
        0 where clusters are of one class, which does no harm, or so many that it does none.
    """
    if len(shares[0]) >= _MANY or float(np.minimum(*shares).sum()) < _MIXED:
        return 0.0
    more = sum(n * math.fsum(share**2) - 1 for n, share in zip(sizes, shares, strict=True))
    if not (more > 1e-9 and min(alone) > 0):
        return 0.0
    found = 0.0
    for total, one, share, n in zip(sums, alone, shares, sizes, strict=True):
        # about the mean of the class, which all of it have in common whatever their cluster
        of_class = math.fsum(total)
        left = one - of_class**2 / n
        if not left > _LITTLE * one:
            return 0.0
        found += math.fsum((total - of_class * share) ** 2) / left - 1
    return min(found / more, 1.0)


def alike(correlation: float) -> list[str]:
    """Return a caveat if subjects of one cluster and class are nearly alike, for metrics that the top decides."""
    if not correlation >= _ALIKE:
        return []
    return [
        f"subjects of one cluster and class are much alike (correlation {correlation:.2f} of what they add to the "
        "metric): standard errors may be too small (simulated coverage of 95% intervals of metrics of the top was .75 "
        "to .94 with 15 to 300 such clusters, and size of tests up to .17 at the 5% level)"
    ]
