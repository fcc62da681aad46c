"""P values of markers against random orders of their subjects.

Markers without ties share one null distribution, since it depends on nothing but the numbers of positives and
negatives; markers with ties take the counts of each order at the ends of their own groups, until enough orders are at
least as good (Besag and Clifford 1991, Biometrika 78:301).
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from hitcurve._threads import in_threads
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.pvalues import HAIR
from hitcurve.metrics import Metric
from hitcurve.screens.groups import sums_of_untied
from hitcurve.screens.orders import Drawn, Orders
from hitcurve.screens.quick import AP, AUC

ENOUGH = 100
"""Orders at least as good, after which no more are drawn for a marker with ties (:mod:`hitcurve.screens.tied`)."""


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
    pos = np.diff(down.astype(np.int64), axis=0, prepend=0)
    size = np.diff(ends, prepend=0)[:, None]
    return np.asarray(metric.of_replicates(Counts(pos.T, (size - pos).T, prevalence)), float)


def of_untied(metric: Metric, orders: Orders, observed: Array, depth: Array, prevalence: float | None = None) -> Array:
    """Return the p values of markers without ties: the share of orders at least as good."""
    ends = np.arange(1, orders.n + 1)

    def values(drawn: Drawn) -> Array:
        if metric == AP and prevalence is None:
            return np.asarray(sums_of_untied(AP, drawn.hits, np.array([0, orders.n]))[1] / orders.n1)
        return good(metric, values_of(metric, drawn.hits, ends, prevalence))

    def do(chunks: range) -> list[tuple[Array, Array | None]]:
        return [(values(drawn), drawn.weight) for drawn in orders.several(chunks)]

    null, weights = zip(*itertools.chain.from_iterable(in_threads(do, orders.bundles)), strict=True)
    value, own = np.concatenate(null), least(metric, observed)
    if orders.weighted:
        weight = np.concatenate([one for one in weights if one is not None])
        order = np.argsort(value)
        value = value[order]
        # weights at least as good, from the best order down
        beyond = np.append(np.cumsum(weight[order][::-1])[::-1], 0.0)
        return orders.pvalue(beyond[np.searchsorted(value, own, "left")], depth)
    value.sort()
    return orders.pvalue((value.size - np.searchsorted(value, own, "left")).astype(float), depth)


def good(metric: Metric, values: Array) -> Array:
    """Return values of which higher ones are better; an order without a value is no worse than any."""
    return np.where(np.isnan(values), math.inf, -values if metric.lower_is_better else values)


def least(metric: Metric, observed: Array) -> Array:
    """Return what an order must reach to be at least as good, rounding aside."""
    good = -observed if metric.lower_is_better else observed
    return np.asarray(good - HAIR * np.maximum(np.abs(good), 1e-300))
