"""The third pass: cross-products of influence values over the subjects, for all rankers and metrics at once.

From them follow the covariances of everything with everything: paired tests, simultaneous ones, and standard errors
of clustered subjects.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, UndefinedMetricError
from hitcurve.inference.cutting.cuts import with_cuts
from hitcurve.inference.cutting.step import step_of
from hitcurve.inference.design import cluster_degrees, effective, left_out
from hitcurve.inference.rounding import OF_SUMS, without_noise
from hitcurve.inference.variance.cluster_sums import ClusterSums
from hitcurve.inference.variance.corrected import deviations_by_share
from hitcurve.inference.variance.crossed import Crossed, pays
from hitcurve.inference.variance.dependent import Clustered, correlation_within, number_above
from hitcurve.inference.variance.influence import Influence, influence
from hitcurve.inference.variance.products import Column, Multiplier, Products, Totals, squared_columns
from hitcurve.inference.variance.row_values import Values
from hitcurve.metrics import Metric
from hitcurve.sources import Passes, Source, engine_of, follow
from hitcurve.table import HitTable


@dataclass(frozen=True)
class Joint:
    """Covariances of all rankers and metrics of one evaluation.

    Attributes
    ----------
    keys : sequence of (str, Metric)
        What the rows and columns of the matrices stand for.
    products : Products
    n_pos, n_neg : float
        Effective numbers of positives and negatives.
    noise : array (K,)
        What of the influence of a whole class is rounding, of each ranker and metric.
    by_share : array (K, 2)
        How far the standard errors of both shares of wrong labels move each; 0 where labels are right.
    degrees : float or None
        Degrees of freedom of all variances, where those of the classes do not say how well they are known.
    """

    keys: Sequence[tuple[str, Metric]]
    products: Products
    n_pos: float
    n_neg: float
    noise: Array
    by_share: Array
    degrees: float | None = None

    @cached_property
    def place(self) -> dict[tuple[str, Metric | None], int]:
        """Row of each ranker and metric."""
        return {key: row for row, key in enumerate(self.keys)}

    @property
    def clustered(self) -> bool:
        """Whether subjects depend on each other within clusters."""
        return len(self.products.clusters) > 0

    def contrast(self, first: str, second: str, metric: Metric | None) -> Array:
        """Return the weights of first minus second.

        Raises
        ------
        UndefinedMetricError
            If one of them has no influence values.
        """
        weights = np.zeros(len(self.keys))
        for name, sign in ((first, 1), (second, -1)):
            if (name, metric) not in self.place:
                raise UndefinedMetricError(f"{metric} of {name!r} has no influence values here")
            weights[self.place[name, metric]] += sign
        return weights

    def correlations(self, rankers: Sequence[str], metric: Metric) -> Array:
        """Return the correlations (m, m) of the values of rankers over samples of subjects; 0 where one does not vary.

        Raises
        ------
        UndefinedMetricError
            If one of them has no influence values.
        """
        weights = np.zeros((len(rankers), len(self.keys)))
        for row, name in enumerate(rankers):
            if (name, metric) not in self.place:
                raise UndefinedMetricError(f"{metric} of {name!r} has no influence values here")
            weights[row, self.place[name, metric]] = 1
        if self.clustered:
            sums = self.cluster_sums(weights)
            found = squared_columns(sums)
        else:
            sides = ((self.products.pos, self.n_pos), (self.products.neg, self.n_neg))
            parts = [covariances(weights @ matrix @ weights.T) * count / max(count - 1, 1) for matrix, count in sides]
            of_fit = weights @ self.products.explained
            found = parts[0] + parts[1] - squared_columns(of_fit.T)
        of_shares = weights @ self.by_share
        found = found + squared_columns(of_shares.T)
        both = np.sqrt(
            np.outer(np.diag(found), np.diag(found))
        )  # of two that are equal, that of either to the last bit
        out = np.divide(found, both, out=np.eye(len(rankers)), where=both > 0)
        return np.asarray(np.clip(out, -1.0, 1.0))

    def clustered_variance(self, weights: Array) -> float:
        """Return the variance of a linear combination from sums within clusters."""
        sums = self.cluster_sums(weights[None])
        return float(len(sums) / (len(sums) - 1) * np.sum(sums**2))

    def by_class(self, weights: Array) -> tuple[float, float]:
        """Return the variance of a linear combination, the positives' and the negatives' part.

        With the factors n1/(n1 - 1) and n0/(n0 - 1), so that for AUC it is DeLong's. Of both, what a fit of the weights
        explains is taken away in proportion.
        """
        left, parts = self.share_left(weights), []
        for matrix, count in ((self.products.pos, self.n_pos), (self.products.neg, self.n_neg)):
            parts.append(left * quadratic(weights, matrix) * count / (count - 1) if count > 1 else math.nan)
        return parts[0], parts[1]

    def share_left(self, weights: Array) -> float:
        """Return the share of the variance of a linear combination that a fit of the weights does not explain."""
        if not self.products.explained.size:
            return 1.0
        explained = float(np.sum((weights @ self.products.explained) ** 2))
        whole = sum(quadratic(weights, matrix) for matrix in (self.products.pos, self.products.neg))
        return max(1.0 - explained / whole, 0.0) if whole > 0 else 1.0

    def share_left_of(self, ranker: str, metric: Metric) -> float:
        """Return that of one estimate."""
        row = self.place.get((ranker, metric))
        return 1.0 if row is None else self.share_left(np.eye(1, len(self.keys), row)[0])

    def variance_of_shares(self, weights: Array) -> float:
        """Return the variance of a linear combination by the errors of the shares of wrong labels, which all share."""
        return float(np.sum((weights @ self.by_share) ** 2))

    @cached_property
    def _totals(self) -> Array:
        return self.products.clusters.in_order

    @cached_property
    def cluster_degrees(self) -> float:
        """Degrees of freedom of a variance between clusters.

        Raises
        ------
        InsufficientDataError
            If there is one cluster only, or one only that holds positives.
        """
        return cluster_degrees(len(self._totals), int(np.sum(self._totals[:, -3] > 0)))

    @property
    def heaviest_cluster(self) -> float:
        """The largest share of a class that one cluster holds; 0 without clusters."""
        return float(self._totals[:, -2:].max()) if self.clustered else 0.0

    def cluster_sums(self, weights: Array) -> Array:
        """Return the sums of linear combinations (R, K) within clusters (C, R), 0 where they are rounding.

        Those of each class have the factors of :func:`~hitcurve.inference.design.left_out`.

        Raises
        ------
        InsufficientDataError
            If there is one cluster only, or one only that holds positives.
        """
        _ = self.cluster_degrees
        return without_noise(_adjusted(self._totals) @ weights.T, self._shares, np.abs(weights) @ self.noise)

    @property
    def _shares(self) -> Array:
        return np.asarray(self._totals[:, -2] + self._totals[:, -1])

    def sums_of_clusters(self, weights: Array) -> ClusterSums:
        """Return the same by the names of the clusters."""
        _ = self.cluster_degrees
        totals = self.products.clusters.sums
        shares = totals[:, -2] + totals[:, -1]
        found = without_noise(_adjusted(totals) @ weights.T, shares, np.abs(weights) @ self.noise)
        return ClusterSums(self.products.clusters.names, found)

    def cluster_variance(self, ranker: str, metric: Metric) -> Clustered:
        """Return the variance of one estimate from sums within clusters, nan if it has no influence values."""
        row = self.place.get((ranker, metric))
        degrees = self.cluster_degrees
        own = None if row is None else np.eye(1, len(self.keys), row)[0]
        variance = math.nan if own is None else self.clustered_variance(own)
        above = math.inf if row is None else float(number_above(self._totals[:, 2 * len(self.keys) + row]))
        return Clustered(variance, degrees, self.heaviest_cluster, self.alike(ranker, metric), above)

    def alike(self, ranker: str, metric: Metric) -> float:
        """Return the correlation of influence values within clusters that mix the classes; 0 without such clusters."""
        row = self.place.get((ranker, metric))
        if row is None or not self.clustered:
            return 0.0
        own, of_pos, of_neg = self._totals[:, [row, len(self.keys) + row]].T, *self._totals[:, -2:].T
        alone = [float(matrix[row, row]) for matrix in (self.products.pos, self.products.neg)]
        return correlation_within(list(own), alone, (of_pos, of_neg), (self.n_pos, self.n_neg))

    def discordant_hits(self, first: tuple[str, Metric], second: tuple[str, Metric]) -> float:
        """Return how many positives are above the cut of one ranker only."""
        i, j = self.place[first], self.place[second]
        overlap = self.products.overlap
        return float(overlap[i, i] + overlap[j, j] - 2 * overlap[i, j])


def _adjusted(totals: Array) -> Array:
    """Return the sums of both classes within clusters, each with the factor of its share."""
    width = (totals.shape[1] - 3) // 3
    of_pos, of_neg = (left_out(totals[:, side], len(totals))[:, None] for side in (-2, -1))
    return np.asarray(totals[:, :width] * of_pos + totals[:, width : 2 * width] * of_neg)


def quadratic(weights: Array, matrix: Array) -> float:
    """Return the variance of a linear combination, 0 where it is a rounding of its terms."""
    of = np.flatnonzero(weights)
    terms = np.outer(weights[of], weights[of]) * matrix[np.ix_(of, of)]
    found = float(np.sum(terms))
    return found if found > OF_SUMS * float(np.sum(np.abs(terms))) else 0.0


def covariances(found: Array) -> Array:
    """Return the covariances of a class; two columns that differ by rounding only are treated as equal."""
    both = np.add.outer(np.diag(found), np.diag(found))
    alike = both - 2 * found <= OF_SUMS * (both + 2 * np.abs(found))
    return np.where(alike, both / 2, found)


def cross_products(source: Source, tables: Mapping[str, HitTable], metrics: Sequence[Metric], design: str) -> Joint:
    """Read the subjects once more and add up the products of their influence values.

    Parameters
    ----------
    source : Source
    tables : mapping of str to HitTable
        The tables that were counted from this source.
    metrics : sequence of Metric
        Metrics that are undefined on a table are left out for its ranker.
    design : {"cohort", "case-control"}
    """
    # what engines bring together are a few numbers, and not sums for every row
    return follow(source, passes_of_products(tables, metrics, design, in_rows=engine_of(source) is None))


def passes_of_products(
    tables: Mapping[str, HitTable], metrics: Sequence[Metric], design: str, *, in_rows: bool = False
) -> Passes[Joint]:
    """Return the passes of :func:`cross_products`, for one list or for one of many.

    Of one list values may be summed ``in_rows``, where that takes less time than products.
    """
    tables, grids = yield from with_cuts(
        tables, {name: [(m, table) for m in metrics] for name, table in tables.items()}
    )
    keys: list[tuple[str, Metric]] = []
    noise, by_share = [], []
    values: dict[str, list[Values]] = {"pos": [], "neg": [], "above": []}
    for name, table in tables.items():
        own = {m: column for m in metrics if (column := column_of(m, table, design)) is not None}
        keys += [(name, metric) for metric in own]
        noise += [column.noise for column in own.values()]
        by_share += [column.by_share for column in own.values()]
        for side, every in values.items():
            every.append(Values.of([getattr(column, side) for column in own.values()], grids[name].rows))
        own.clear()  # as large as the values

    some = next(iter(tables.values()))  # the others hold the same subjects
    labels = some.counts.observed
    pos, neg, above = map(Values.of_rankers, values.values())
    sizes = [own.size for own in pos.exponents]
    in_rows &= not some.weighted and pays(sizes, [len(table) for table in pos.tables], some.n)
    multiply = Multiplier(
        {name: grids[name] for name in tables},
        pos,
        neg,
        None if above.is_nothing else above,
        some.unit,
        float(labels.n1),
        float(labels.n0),
        Crossed.of(pos, neg) if in_rows else None,
    )
    found: Totals = yield multiply, Totals.merged
    products = multiply.products(found, list(tables.values())).settled([metric for _, metric in keys])
    n_pos, n_neg = effective(some.sums)
    shares = np.array(by_share).reshape(len(keys), 2)
    return Joint(keys, products, float(n_pos), float(n_neg), np.array(noise), shares)


def column_of(metric: Metric, table: HitTable, design: str) -> Column | None:
    """Return what a metric needs to know of a subject, None without influence values."""
    c = table.counts
    try:
        values: Influence = influence(metric, c, design, effective(table.sums))
    except (InsufficientDataError, UndefinedMetricError):
        return None
    step = step_of(metric, c)
    above = np.broadcast_to(0.0, values.pos.shape) if step is None else step.share_above
    return Column(values.pos, values.neg, above, float(values.noise), deviations_by_share(metric, c))
