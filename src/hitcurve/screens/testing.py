"""Every marker against random orders of its subjects."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from hitcurve.counts import Array, Counts
from hitcurve.inference.design import cluster_degrees
from hitcurve.metrics import Metric
from hitcurve.screens import null, quick, rank_sum
from hitcurve.screens.engine import Subjects
from hitcurve.screens.orders import SharedOrders
from hitcurve.screens.passing import Found
from hitcurve.screens.tied import of_tied

EXACT, TWO_VALUES, NORMAL, ORDERS, WEIGHTED, ALL_ORDERS, CLUSTERS, CLUSTERED_ORDERS = (
    "the exact distribution of the rank sum",
    "the hypergeometric distribution of two values",
    "the exact mean and variance of the rank sum (normal, with a continuity correction)",
    "random orders",
    "random orders weighted towards the top",
    "all orders",
    "a design effect and t quantiles for clusters",
    "random orders of the labels between clusters of the same size and within them",
)


class Tested(NamedTuple):
    """One-sided p values of the markers against random orders, (m,), and how they were found."""

    pvalue: Array
    methods: tuple[str, ...]


def against_random(metric: Metric, value: Array, found: Found, subjects: Subjects, shared: SharedOrders) -> Tested:
    """Test each marker against random orders of its subjects.

    Parameters
    ----------
    metric : Metric
    value : array (m,)
    found : Found
    subjects : Subjects
    shared : SharedOrders
    """
    out = np.full(value.shape, np.nan)
    methods: dict[str, None] = {}
    there = ~np.isnan(value)
    sizes = np.stack([found.n_pos, found.n_neg], axis=1)
    for n1, n0 in np.unique(sizes[there], axis=0).tolist():
        own = there & (found.n_pos == n1) & (found.n_neg == n0)
        untied = own & (found.tied == 0)
        if metric == quick.AUC:
            two = own & (found.first > 0)
            normal = own & ~two & rank_sum.is_normal(n1, n0, found.ties, found.cubes, found.largest)
            untied &= ~two & ~normal
            if two.any():
                out[two] = rank_sum.of_two_values(value[two], n1, n0, found.first[two])
                methods[TWO_VALUES] = None
            if normal.any():
                out[normal] = rank_sum.normal(value[normal], n1, n0, found.ties[normal])
                methods[NORMAL] = None
            if untied.any():
                out[untied] = rank_sum.exact(value[untied], n1, n0)
                methods[EXACT] = None
            own &= ~(two | normal | untied)
        if not own.any():
            continue
        orders = shared.of(n1, n0)
        methods[ALL_ORDERS if orders.exact else WEIGHTED if orders.weighted else ORDERS] = None
        untied &= own
        if untied.any():
            out[untied] = null.of_untied(metric, orders, value[untied], found.depth[untied], subjects.prevalence)
        tied = own & ~untied
        if tied.any():
            groups = list(found.groups[tied])
            out[tied] = of_tied(metric, orders, groups, value[tied], found.depth[tied], subjects.prevalence)
    return Tested(out, tuple(methods))


def random_mean(metric: Metric, classes: Counts, random_ap: Array) -> Array:
    """Return the mean of a metric over random orders of each marker: of average precision, with the ties it has."""
    if metric == quick.AP and classes.prevalence is None:
        return random_ap
    with np.errstate(all="ignore"):
        return np.asarray(metric.baseline(classes), float)


def by_clusters(metric: Metric, place: int, found: Found, subjects: Subjects, shared: SharedOrders) -> Tested:
    """Test each marker against random orders, where subjects depend on each other within clusters.

    Those of the labels of clusters were counted. The distance of AUC from 1/2 is divided by the root of the design
    effect, the variance by cluster over that of independent subjects, and its p value has the tails of t.

    Parameters
    ----------
    metric : Metric
    place : int
        Of the metric.
    found : Found
    subjects : Subjects
    shared : SharedOrders

    Raises
    ------
    InsufficientDataError
        If there is one cluster only, or one only that holds positives.
    """
    from scipy.special import ndtri, stdtr

    if metric != quick.AUC:
        return Tested(found.permuted[place], (CLUSTERED_ORDERS,))
    clusters = np.asarray(subjects.clusters)
    degrees = cluster_degrees(np.unique(clusters).size, np.unique(clusters[subjects.positive]).size)
    with np.errstate(all="ignore"):
        nearer = np.where(found.effect > 0, 0.5 + (found.value[place] - 0.5) / np.sqrt(found.effect), np.nan)
    tested = against_random(metric, np.clip(nearer, 0.0, 1.0), found, subjects, shared)
    return Tested(np.asarray(stdtr(degrees, ndtri(tested.pvalue)), float), (*tested.methods, CLUSTERS))
