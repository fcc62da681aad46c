"""P values of markers against random orders of their subjects.

A random order is drawn from the top: the next subject is a positive with the share of positives that are left. The
same orders serve all markers of the same numbers of positives and negatives. Markers without ties share one null
distribution, since it depends on nothing else; markers with ties take the counts of each order at the ends of their own
groups, until enough orders are at least as good (Besag and Clifford 1991, Biometrika 78:301).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from hitcurve._cached import cached_property
from hitcurve._threads import in_threads
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.pvalues import HAIR
from hitcurve.metrics import Metric
from hitcurve.screens.quick import AP

EXACT_UP_TO = 8
"""Subjects of the smaller class up to which AUC has its exact distribution."""
ENOUGH = 100
"""Orders at least as good, after which no more are drawn for a marker with ties."""
_GROWING = (500, 2_000)  # orders in the first chunks, which decide most markers
_CHUNK = 2_500


class Orders:
    """Random orders of n1 positives and n0 negatives, or all of them where these are no more.

    Parameters
    ----------
    n1, n0 : int
    draws : int
    seed : int
    """

    def __init__(self, n1: int, n0: int, draws: int, seed: int) -> None:
        self.n1, self.n0 = n1, n0
        every = math.comb(n1 + n0, n1)
        self.exact = every <= draws
        self.draws = every if self.exact else draws
        self._seed = seed

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many orders are in each chunk."""
        if self.exact:
            return (self.draws,)
        sizes: list[int] = []
        left = self.draws
        while left:
            sizes.append(min(_GROWING[len(sizes)] if len(sizes) < len(_GROWING) else _CHUNK, left))
            left -= sizes[-1]
        return tuple(sizes)

    def hits(self, chunk: int) -> AnyArray:
        """Return the positives down to each place, (n + 1, B), from none at all on."""
        n, size = self.n1 + self.n0, self.sizes[chunk]
        found = np.zeros((n + 1, size), np.int32)
        if self.exact:
            for order, places in enumerate(combinations(range(1, n + 1), self.n1)):
                found[list(places), order] = 1
            return np.asarray(np.cumsum(found, axis=0, dtype=np.int32))
        own = np.random.default_rng([self._seed, self.n1, self.n0, chunk])
        for place in range(n):
            taken = own.random(size) * (n - place) < self.n1 - found[place]
            np.add(found[place], taken, out=found[place + 1])
        return found

    def pvalue(self, beyond: Any) -> Any:
        """Return the p value of so many orders that are at least as good."""
        return beyond / self.draws if self.exact else (beyond + 1) / (self.draws + 1)


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
    pos = np.diff(down, axis=0, prepend=0)
    if metric == AP and prevalence is None:
        return np.asarray(np.einsum("kb,kb,k->b", pos, down, 1 / ends) / hits[-1])
    size = np.diff(ends, prepend=0)[:, None]
    return np.asarray(metric.of_replicates(Counts(pos.T, (size - pos).T, prevalence)), float)


def of_untied(metric: Metric, orders: Orders, observed: Array, prevalence: float | None = None) -> Array:
    """Return the p values of markers without ties: the share of orders at least as good."""
    ends = np.arange(1, orders.n1 + orders.n0 + 1)

    def do(chunk: int) -> Array:
        return values_of(metric, orders.hits(chunk), ends, prevalence)

    chunks = in_threads(do, range(len(orders.sizes)))
    null = np.sort(_good(metric, np.concatenate(list(chunks))))
    return np.asarray(orders.pvalue(null.size - np.searchsorted(null, _least(metric, observed), "left")))


def of_tied(
    metric: Metric, orders: Orders, groups: Sequence[AnyArray], observed: Array, prevalence: float | None = None
) -> Array:
    """Return the p values of markers with ties.

    Parameters
    ----------
    metric : Metric
    orders : Orders
    groups : sequence of array of int
        The ends of the groups of each marker.
    observed : array (L,)
    prevalence : float or None
        At which they were evaluated.
    """
    least = _least(metric, observed)
    beyond = np.zeros(observed.size, np.int64)
    out = np.full(observed.size, np.nan)
    # markers with the same groups share the values of the orders
    of_groups: dict[bytes, list[int]] = {}
    for marker, ends in enumerate(groups):
        of_groups.setdefault(ends.tobytes(), []).append(marker)
    undecided = list(of_groups.values())
    drawn = 0
    for chunk, hits in enumerate(in_threads(orders.hits, range(len(orders.sizes)))):

        def compare(markers: list[int], hits: AnyArray = hits, drawn: int = drawn) -> list[int]:
            values = _good(metric, values_of(metric, hits, groups[markers[0]], prevalence))
            for marker in markers:
                at_least = values >= least[marker]
                more = int(np.count_nonzero(at_least))
                if not orders.exact and beyond[marker] + more >= ENOUGH:
                    # the order at which there were enough
                    place = np.flatnonzero(at_least)[ENOUGH - 1 - beyond[marker]]
                    out[marker] = ENOUGH / (drawn + place + 1)
                beyond[marker] += more
            return [marker for marker in markers if np.isnan(out[marker])]

        undecided = [left for left in in_threads(compare, undecided) if left]
        drawn += orders.sizes[chunk]
        if not undecided:
            break
    rest = np.isnan(out)
    out[rest] = orders.pvalue(beyond[rest])
    return out


def _good(metric: Metric, values: Array) -> Array:
    """Return values of which higher ones are better; an order without a value is no worse than any."""
    return np.where(np.isnan(values), math.inf, -values if metric.lower_is_better else values)


def _least(metric: Metric, observed: Array) -> Array:
    """Return what an order must reach to be at least as good, rounding aside."""
    good = -observed if metric.lower_is_better else observed
    return np.asarray(good - HAIR * np.maximum(np.abs(good), 1e-300))


# ---- AUC


def normal_auc(value: Array, n1: int, n0: int, ties: Array) -> Array:
    """Return one-sided p values of AUC by its exact mean and variance over random orders.

    Parameters
    ----------
    value : array (w,)
    n1, n0 : int
    ties : array (w,)
        Sum of t^3 - t over the groups of t equal values.

    Returns
    -------
    array (w,)
        By the normal distribution, with a continuity correction of half a pair.
    """
    from scipy.special import ndtr

    n = n1 + n0
    variance = n1 * n0 / 12 * (n + 1 - ties / (n * (n - 1)))
    above = n1 * n0 * (value - 0.5)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(variance > 0, ndtr(-(above - 0.5) / np.sqrt(variance)), 1.0)


def exact_auc(value: Array, n1: int, n0: int) -> Array:
    """Return one-sided p values of AUC without ties, from the number of orders with each count of pairs."""
    ways = np.ones(1)
    fewer, more = min(n1, n0), max(n1, n0)
    # the Gaussian binomial coefficient: products of (1 - q^(more + i))/(1 - q^i)
    for i in range(1, fewer + 1):
        longer = np.zeros(i * more + 1)
        longer[: ways.size] = ways
        longer[more + i :] -= ways[: max(longer.size - more - i, 0)]
        for residue in range(i):
            longer[residue::i] = np.cumsum(longer[residue::i])
        ways = longer
    tail = np.cumsum(ways[::-1])[::-1] / ways.sum()
    return np.asarray(tail[np.rint(value * n1 * n0).astype(int)])
