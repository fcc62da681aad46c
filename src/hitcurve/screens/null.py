"""P values of markers against random orders of their subjects.

A random order is drawn from the top: the next subject is a positive with the share of positives that are left. The
same orders serve all markers of the same numbers of positives and negatives. Markers without ties share one null
distribution, since it depends on nothing else; markers with ties take the counts of each order at the ends of their own
groups, until enough orders are at least as good (Besag and Clifford 1991, Biometrika 78:301).

Weighted orders have more positives at the top than random ones and count the less for it, so that orders as good as the
best markers are among them. The order of the marker itself is one more, with its weight: the p value is valid whatever
the weights (Harrison 2012, Biometrika 99:57).
"""

from __future__ import annotations

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np

from hitcurve._cached import cached_property
from hitcurve._threads import in_threads
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import ParameterError
from hitcurve.inference.pvalues import HAIR
from hitcurve.metrics import Metric
from hitcurve.screens.quick import AP, AUC

ENOUGH = 100
"""Orders at least as good, after which no more are drawn for a marker with ties (:mod:`hitcurve.screens.tied`)."""
_GROWING = (250, 750, 2_000)  # orders in the first chunks, which decide most markers
_CHUNK = 2_500
_STRETCH = 1.06  # of places whose precision is bounded together
_ROUNDING = 1e-5  # of single precision
# a positive at rank i is favoured by i^-tilt; the share of the orders of each tilt
_TILTS = {0.0: 0.3, 0.25: 0.1, 0.5: 0.1, 0.75: 0.1, 1.0: 0.1, 1.5: 0.1, 2.0: 0.1, 3.0: 0.1}
_SLAB = 1 << 18  # random numbers that are drawn at a time
_KEPT = 1 << 24  # subjects times orders
_LARGEST = 1 << 22  # places times positives of which a tilt is tabulated


class Drawn(NamedTuple):
    """Orders side by side.

    Attributes
    ----------
    hits : array of int (n + 1, B)
        Positives down to each place, from none at all on.
    weight : array (B,) or None
        What each order counts; None for 1.
    """

    hits: AnyArray
    weight: Array | None = None

    def highest_ap(self) -> Array:
        """Return what average precision cannot exceed in whatever groups the subjects are tied, (B,).

        A positive has the precision at the end of its group: no more than the largest from its own place on. Of a
        stretch of places it is no more than all positives down to the last of them over the first.
        """
        n = len(self.hits) - 1
        ends = [1]
        while ends[-1] < n:
            ends.append(min(max(ends[-1] + 1, int(ends[-1] * _STRETCH)), n))
        down = self.hits[ends].astype(np.float32)
        first = np.append(1, np.array(ends[:-1]) + 1).astype(np.float32)
        highest = np.minimum(np.maximum.accumulate((down / first[:, None])[::-1], axis=0)[::-1], 1)
        down[1:] -= down[:-1].copy()
        return np.asarray(np.einsum("kb,kb->b", down, highest) / self.hits[-1] + _ROUNDING)


class Orders:
    """Random orders of n1 positives and n0 negatives, or all of them where these are no more.

    Parameters
    ----------
    n1, n0 : int
    draws : int
    seed : int
    weighted : bool
        Whether orders with more positives at the top are drawn, and weighted.

    Raises
    ------
    ParameterError
        If weighted orders are asked for of too many subjects.
    """

    def __init__(self, n1: int, n0: int, draws: int, seed: int, *, weighted: bool = False) -> None:
        self.n1, self.n0 = n1, n0
        every = math.comb(n1 + n0, n1)
        self.exact = every <= draws
        self.draws = every if self.exact else draws
        self.weighted = weighted and not self.exact
        self._seed = seed
        self._drawn: dict[int, Drawn] = {}
        if self.weighted and (n1 + n0) * n1 > _LARGEST:
            raise ParameterError(
                f"orders='weighted' is for up to {_LARGEST:,} subjects times positives, and there are {n1 + n0:,} "
                f"times {n1:,}: use orders='uniform'"
            )

    @property
    def n(self) -> int:
        """Number of subjects."""
        return self.n1 + self.n0

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many orders are in each chunk."""
        if self.exact:
            return (self.draws,)
        if self.weighted:
            ends = np.rint(np.cumsum(list(_TILTS.values())) * self.draws).astype(int)
            return tuple(np.diff(ends, prepend=0).tolist())
        sizes: list[int] = []
        left = self.draws
        while left:
            sizes.append(min(_GROWING[len(sizes)] if len(sizes) < len(_GROWING) else _CHUNK, left))
            left -= sizes[-1]
        return tuple(sizes)

    def drawn(self, chunk: int) -> Drawn:
        """Return the orders of a chunk; those of few subjects are kept for the next metric."""
        if chunk in self._drawn:
            return self._drawn[chunk]
        found = self._new(chunk)
        if (self.n + 1) * self.draws <= _KEPT:
            self._drawn[chunk] = found
        return found

    def _new(self, chunk: int) -> Drawn:
        size = self.sizes[chunk]
        found = np.zeros((self.n + 1, size), np.int32)
        if self.exact:
            for order, places in enumerate(combinations(range(1, self.n + 1), self.n1)):
                found[list(places), order] = 1
            return Drawn(np.asarray(np.cumsum(found, axis=0, dtype=np.int32)))
        rng = np.random.default_rng([self._seed, self.n1, self.n0, chunk])
        tilt = tuple(_TILTS)[chunk] if self.weighted else 0.0
        chances = self._chances(tilt) if tilt else None
        slab = max(_SLAB // size, 1)
        left = np.full((slab + 1, size), self.n1, float if chances is None else np.int32)
        for first in range(0, self.n, slab):
            own = rng.random((min(slab, self.n - first), size))
            if chances is None:
                own *= np.arange(self.n - first, self.n - first - len(own), -1)[:, None]
            for place, chance in enumerate(own):
                limit = left[place] if chances is None else chances[first + place][left[place]]
                np.subtract(left[place], chance < limit, out=left[place + 1])
            found[first + 1 : first + 1 + len(own)] = self.n1 - left[1 : len(own) + 1]
            left[0] = left[len(own)]
        if not self.weighted:
            return Drawn(found)
        depth = np.einsum("k,kb->b", np.log(np.arange(1.0, self.n + 1)), np.diff(found, axis=0))
        return Drawn(found, self.weights(depth))

    def _favours(self, tilt: float) -> Array:
        """Return the logarithm of the sums of products of favours, (n + 1, n1 + 1).

        Of r positives among the places from each one on.
        """
        sums = np.full((self.n + 1, self.n1 + 1), -np.inf)
        sums[self.n, 0] = 0.0
        for place in range(self.n - 1, -1, -1):
            sums[place] = sums[place + 1]
            favour = -tilt * math.log(place + 1)
            sums[place, 1:] = np.logaddexp(sums[place, 1:], favour + sums[place + 1, :-1])
        return sums

    def _chances(self, tilt: float) -> Array:
        """Return the probability of a positive at each place, by the number of positives left, (n, n1 + 1)."""
        sums = self._favours(tilt)
        out = np.zeros((self.n, self.n1 + 1))
        favour = -tilt * np.log(np.arange(1, self.n + 1))
        with np.errstate(invalid="ignore"):
            out[:, 1:] = np.exp(favour[:, None] + sums[1:, :-1] - sums[:-1, 1:])
        return np.nan_to_num(out)

    @cached_property
    def _totals(self) -> Array:
        """The logarithm of the mean favour of an order, for each tilt."""
        orders = math.lgamma(self.n + 1) - math.lgamma(self.n1 + 1) - math.lgamma(self.n0 + 1)
        return np.array([self._favours(tilt)[0, self.n1] - orders if tilt else 0.0 for tilt in _TILTS])

    def weights(self, depth: Array) -> Array:
        """Return the weights of orders whose positives have ranks with these sums of logarithms."""
        logs = -np.outer(list(_TILTS), depth) - self._totals[:, None]
        shares = np.array(self.sizes) / self.draws
        with np.errstate(divide="ignore"):
            return np.asarray(np.exp(-np.logaddexp.reduce(np.log(shares)[:, None] + logs, axis=0)))

    def pvalue(self, beyond: Array, depth: Array) -> Array:
        """Return the p values of markers.

        Parameters
        ----------
        beyond : array
            Orders that are at least as good, or the sum of their weights.
        depth : array
            Sums of the logarithms of the ranks of the positives of each marker.
        """
        if self.exact:
            return beyond / self.draws
        own = self.weights(depth) if self.weighted else 1.0
        return np.minimum((beyond + own) / (self.draws + 1), 1.0)


class SharedOrders:
    """Orders of the sizes that are asked for, of which the last are kept: metrics share them.

    Parameters
    ----------
    draws, seed, weighted
        As those of :class:`Orders`.
    """

    def __init__(self, draws: int, seed: int, *, weighted: bool = False) -> None:
        self.draws, self.seed, self.weighted = draws, seed, weighted
        self._last: Orders | None = None

    def of(self, n1: int, n0: int) -> Orders:
        """Return the orders of n1 positives and n0 negatives."""
        if self._last is None or (self._last.n1, self._last.n0) != (n1, n0):
            self._last = Orders(n1, n0, self.draws, self.seed, weighted=self.weighted)
        return self._last


def values_of(metric: Metric, hits: AnyArray, ends: AnyArray, prevalence: float | None = None) -> Array:
    """Return a metric of orders whose subjects are tied in groups.

    Parameters
    ----------
    metric : Metric
    hits : array (n + 1, B)
    ends : array of int (K,)
        How many subjects there are down to the end of each group.
    prevalence : float or None
        Assumed beside the counts.
    """
    down = hits[ends]
    if metric == AP and prevalence is None:
        found = down.astype(float)
        found[1:] -= down[:-1]
        found *= down
        return np.asarray(np.einsum("k,kb->b", 1 / ends, found) / hits[-1])
    if metric == AUC:
        # the sum of the middle ranks of the positives, as one of the hits down to each end
        middle = ends - (np.diff(ends, prepend=0) - 1) / 2
        ranks = -np.diff(middle, append=0.0) @ down
        n1 = hits[-1].astype(float)
        n0 = len(hits) - 1 - n1
        return np.asarray(1 - (ranks - n1 * (n1 + 1) / 2) / (n1 * n0))
    pos = np.diff(down, axis=0, prepend=0)
    size = np.diff(ends, prepend=0)[:, None]
    return np.asarray(metric.of_replicates(Counts(pos.T, (size - pos).T, prevalence)), float)


def of_untied(metric: Metric, orders: Orders, observed: Array, depth: Array, prevalence: float | None = None) -> Array:
    """Return the p values of markers without ties: the share of orders at least as good."""
    ends = np.arange(1, orders.n + 1)

    def do(chunk: int) -> tuple[Array, Array]:
        drawn = orders.drawn(chunk)
        values = good(metric, values_of(metric, drawn.hits, ends, prevalence))
        return values, np.ones(values.size) if drawn.weight is None else drawn.weight

    chunks = list(in_threads(do, range(len(orders.sizes))))
    null, weight = (np.concatenate(part) for part in zip(*chunks, strict=True))
    order = np.argsort(null)
    # weights at least as good, from the best order down
    beyond = np.append(np.cumsum(weight[order][::-1])[::-1], 0.0)
    return orders.pvalue(beyond[np.searchsorted(null[order], least(metric, observed), "left")], depth)


def good(metric: Metric, values: Array) -> Array:
    """Return values of which higher ones are better; an order without a value is no worse than any."""
    return np.where(np.isnan(values), math.inf, -values if metric.lower_is_better else values)


def least(metric: Metric, observed: Array) -> Array:
    """Return what an order must reach to be at least as good, rounding aside."""
    good = -observed if metric.lower_is_better else observed
    return np.asarray(good - HAIR * np.maximum(np.abs(good), 1e-300))
