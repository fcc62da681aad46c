"""A metric of every reader and modality, and the covariance of these values over cases."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import HitcurveError, InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.immutable import Compared
from hitcurve.inference import DesignEffect
from hitcurve.inference.design import left_out
from hitcurve.inference.variance.influence import influence
from hitcurve.metrics import Metric
from hitcurve.readers.points import Quantity, RatingPoint
from hitcurve.readers.readings import Readings
from hitcurve.screens.columns import DenseBlock
from hitcurve.screens.engine import HIGH, LOW, MarkerLists, Subjects

INFLUENCE, DELONG, JACKKNIFE, UNBIASED = "influence", "delong", "jackknife", "unbiased"
COVARIANCES = (DELONG, INFLUENCE, JACKKNIFE, UNBIASED)
_NUMBERS = 2_000_000  # held at a time


@dataclass(frozen=True, eq=False)
class Cells(Compared):
    """Values of one metric, a cell for each reader and modality.

    Attributes
    ----------
    metric : Metric or RatingPoint
    value : array (K,)
    covariance : array (K, K)
        Over samples of cases.
    """

    metric: Quantity
    value: Array
    covariance: Array

    @property
    def standard_error(self) -> Array:
        """Of each value, over samples of cases."""
        return np.sqrt(np.maximum(np.diag(self.covariance), 0.0))


@dataclass(frozen=True, eq=False)
class Study(Compared):
    """Readings as ranked lists side by side, each column of ratings sorted once for all metrics.

    Attributes
    ----------
    readings : Readings
    design : {"case-control", "cohort"}
    covariance : {"delong", "influence", "jackknife", "unbiased"}
    prevalence : float or None
    """

    readings: Readings
    design: str
    covariance: str
    prevalence: float | None = None

    @cached_property
    def lists(self) -> MarkerLists:
        """The lists, one for each row of the readings."""
        one = self.readings
        rows = np.arange(len(one.ratings))
        subjects = Subjects(one.positive, self.design, self.prevalence)
        return MarkerLists.of(DenseBlock(rows, one.ratings), subjects, np.full(rows.size, LOW if one.low else HIGH))

    @cached_property
    def sizes(self) -> tuple[Array, Array]:
        """Numbers of positives and negatives that were read, (K, 1) each."""
        there = ~np.isnan(self.readings.ratings)
        positive = self.readings.positive
        n1, n0 = ((there & side).sum(axis=1, keepdims=True).astype(float) for side in (positive, ~positive))
        return n1, n0

    def check_sizes(self) -> None:
        """Refuse a reader who saw one class only, or one case of a class.

        Raises
        ------
        UndefinedMetricError, InsufficientDataError
            As said.
        """
        for numbers, what in zip(self.sizes, ("positive", "negative"), strict=True):
            row = int(np.argmin(numbers))
            if numbers[row] < 1:
                raise UndefinedMetricError(f"{self.readings.name(row)}: no {what} case was read, so nothing is defined")
            if numbers[row] < 2:
                raise InsufficientDataError(
                    f"{self.readings.name(row)}: one {what} case was read, so the variance over cases cannot be "
                    "estimated"
                )

    def cells(self, metric: Quantity) -> Cells:
        """Return the values of a metric and their covariance.

        Raises
        ------
        HitcurveError
            One of its kinds, if the metric is undefined for a reader, or the covariance not for this metric.
        """
        if self.covariance == UNBIASED:
            return Cells(metric, self.values(metric), self._unbiased(metric))
        if self.covariance == JACKKNIFE:
            return Cells(metric, self.values(metric), self._jackknife(metric))
        value, phi = self.influence(metric)
        return Cells(metric, value, self._products(phi))

    def values(self, metric: Quantity) -> Array:
        """Return the value of each cell, (K,)."""
        if isinstance(metric, RatingPoint):
            return self._at_rating(metric)[0]
        with np.errstate(all="ignore"):
            value, _ = self.lists.of_metric(metric)
        if np.isnan(value).any():
            self._explain(metric, int(np.argmax(np.isnan(value))))
        return value

    def influence(self, metric: Quantity) -> tuple[Array, Array]:
        """Return the value of each cell, (K,), and the influence of each case on it, (K, n).

        Raises
        ------
        HitcurveError
            One of its kinds, if the metric is undefined for a reader, or has no influence values there.
        """
        if isinstance(metric, RatingPoint):
            return self._at_rating(metric)
        value = self.values(metric)
        found = self.lists.influence(metric)
        phi = np.full(self.readings.ratings.shape, np.nan) if found is None else self.lists.of_subjects(*found)
        lacking = np.isnan(phi).any(axis=1)
        if lacking.any():
            self._explain(metric, int(np.argmax(lacking)))
        return value, phi

    def counts(self, row: int) -> Counts:
        """Return the counts of one list."""
        return Counts(self.lists.pos[row], self.lists.neg[row], self.prevalence)

    def _explain(self, metric: Metric, row: int) -> None:
        """Raise the reason why a metric has no value, or no influence values, for one reader."""
        try:
            metric.value(self.counts(row))
            influence(metric, self.counts(row), self.design)
        except HitcurveError as error:
            raise type(error)(f"{self.readings.name(row)}: {error}") from None
        raise UndefinedMetricError(f"{self.readings.name(row)}: {metric} has no influence values")

    def _at_rating(self, point: RatingPoint) -> tuple[Array, Array]:
        point.check_direction(high=not self.readings.low)
        values, phi = [], []
        for row, rating in enumerate(self.readings.ratings):
            try:
                value, of_case = point.of_list(rating, self.readings.positive, self.design, self.prevalence)
            except UndefinedMetricError as error:
                raise UndefinedMetricError(f"{self.readings.name(row)}: {error}") from None
            values.append(value)
            phi.append(of_case)
        return np.array(values), np.array(phi)

    # ---- covariances

    def _products(self, phi: Array) -> Array:
        """Add up the products of influence values over cases, or over clusters of cases."""
        positive = self.readings.positive
        if self.readings.clusters is not None:
            number = self._clusters
            sums = np.zeros((len(phi), number))
            for side in (positive, ~positive):
                share = self._by_cluster((~np.isnan(self.readings.ratings) & side).astype(float))
                factor = left_out(share / share.sum(axis=1, keepdims=True), number)
                sums = sums + factor * self._by_cluster(phi * side)
            return _square(sums) * number / (number - 1)
        if self.design == "case-control":
            parts = []
            for side, size in zip((positive, ~positive), self.sizes, strict=True):
                parts.append(_square(phi[:, side] * np.sqrt(size / (size - 1))))
            return parts[0] + parts[1]
        size = self.sizes[0] + self.sizes[1]
        return _square(phi * np.sqrt(size / (size - 1)))

    @property
    def _clusters(self) -> int:
        return 0 if self.readings.clusters is None else int(self.readings.clusters.max()) + 1

    def _by_cluster(self, columns: Array) -> Array:
        """Return the sums of cases within clusters, (K, C)."""
        clusters = np.asarray(self.readings.clusters)
        return np.array([np.bincount(clusters, one, self._clusters) for one in columns])

    def design_effect(self, metric: Quantity) -> DesignEffect | None:
        """Return by how much clusters widen the variance of a value over cases; None without clusters.

        The mean over readers and modalities: variances by cluster over those of as many independent cases.
        """
        if self.readings.clusters is None:
            return None
        try:
            _, phi = self.influence(metric)
        except HitcurveError:  # the jackknife does without
            return None
        alone = float(np.sum(phi**2))
        if not alone > 0:
            return None
        size = self._by_cluster((~np.isnan(self.readings.ratings)).astype(float))
        effect, mean = float(np.sum(self._by_cluster(phi) ** 2)) / alone, float(np.sum(size**2) / np.sum(size))
        rho = (effect - 1) / (mean - 1) if mean > 1 + 1e-9 else math.nan
        with_positive = np.unique(self.readings.clusters[self.readings.positive]).size
        return DesignEffect("readers", str(metric), effect, rho, self._clusters, with_positive, mean)

    def _jackknife(self, metric: Quantity) -> Array:
        """Leave out each case, or each cluster, in turn.

        Raises
        ------
        ParameterError
            If the metric has a cut, whose place jumps from case to case: the jackknife is then far off.
        """
        one = self.readings
        if not isinstance(metric, RatingPoint) and metric.cut_at(self.counts(0)) is not None:
            raise ParameterError(
                f"covariance='jackknife' is not for {metric}, whose cut jumps from case to case: pass "
                "covariance='influence'"
            )
        if one.clusters is not None:
            return self._without_clusters(metric)
        changes = np.zeros(one.ratings.shape)
        for row in range(len(one.ratings)):
            there = ~np.isnan(one.ratings[row])
            if isinstance(metric, RatingPoint):
                left = self._point_without_each(metric, row)
            else:
                left = self._without_each(metric, row)
            changes[row, there] = left[there]
            if np.isnan(changes[row]).any():
                case = one.cases[int(np.argmax(np.isnan(changes[row])))]
                raise UndefinedMetricError(
                    f"{one.name(row)}: {metric} is undefined without case {case}, so there is no jackknife: pass "
                    "covariance='influence'"
                )
            changes[row, there] -= changes[row, there].mean()
        number = one.positive.size
        return _square(changes) * ((number - 1) / number)

    def _without_clusters(self, metric: Quantity) -> Array:
        one, number = self.readings, self._clusters
        kept = (np.asarray(one.clusters) != np.arange(number)[:, None]).astype(float)
        values = self.of_weights(metric, kept).T
        if np.isnan(values).any():
            row, cluster = (int(place[0]) for place in np.nonzero(np.isnan(values)))
            raise UndefinedMetricError(
                f"{one.name(row)}: {metric} is undefined without the {cluster + 1}. of {number} clusters, so there is "
                "no jackknife: pass covariance='influence'"
            )
        return _square(values - values.mean(axis=1, keepdims=True)) * ((number - 1) / number)

    def of_weights(self, metric: Quantity, weights: Array) -> Array:
        """Return the metric of each cell in samples in which cases occur so often (B, n), as (B, K)."""
        return np.column_stack(list(self._of_weights(metric, weights)))

    def _of_weights(self, metric: Quantity, weights: Array) -> Iterator[Array]:
        readings = self.readings
        for row, rating in enumerate(readings.ratings):
            if isinstance(metric, RatingPoint):
                yield metric.of_weights(rating, readings.positive, weights, self.prevalence)
                continue
            place = self.lists.row_of_subject[row]
            rows_of_list = self.lists.pos.shape[1]
            pos, neg = (
                _by_row(weights, place, side & (place >= 0), rows_of_list)
                for side in (readings.positive, ~readings.positive)
            )
            values = metric.of_replicates(Counts(pos, neg, self.prevalence))
            lacking = (pos.sum(axis=1) == 0) | (neg.sum(axis=1) == 0)
            yield np.where(lacking, math.nan, values)

    def _without_each(self, metric: Metric, row: int) -> Array:
        """Return the metric of one list without each case, (n,); cases of one row and class are alike."""
        pos, neg = self.lists.pos[row], self.lists.neg[row]
        out = np.full((2, pos.size), np.nan)
        held = [(side, at) for side, column in enumerate((neg, pos)) for at in np.flatnonzero(column).tolist()]
        size = max(1, _NUMBERS // pos.size)
        for start in range(0, len(held), size):
            side, at = np.array(held[start : start + size]).T
            lists = np.repeat(np.array([neg, pos])[:, None], side.size, axis=1)
            lists[side, np.arange(side.size), at] -= 1
            out[side, at] = metric.value(Counts(lists[1], lists[0]))
        place = self.lists.row_of_subject[row]
        return np.where(place >= 0, out[self.readings.positive.astype(int), np.maximum(place, 0)], np.nan)

    def _point_without_each(self, point: RatingPoint, row: int) -> Array:
        """Return an operating point without each case, (n,)."""
        n = self.readings.positive.size
        size = max(1, _NUMBERS // n)
        parts = [
            point.of_weights(
                self.readings.ratings[row],
                self.readings.positive,
                (np.arange(n) != np.arange(n)[start : start + size, None]),
            )
            for start in range(0, n, size)
        ]
        return np.concatenate(parts)

    def _unbiased(self, metric: Quantity) -> Array:
        if isinstance(metric, RatingPoint) and metric.of_one_class:
            return self._unbiased_share(metric)
        if isinstance(metric, RatingPoint) or not metric.is_mann_whitney:
            raise ParameterError(
                f"covariance='unbiased' is for auc and for sensitivity and specificity at a rating, not for {metric}: "
                "leave it out"
            )
        return _unbiased_auc(self.readings, self.values(metric))

    def _unbiased_share(self, point: RatingPoint) -> Array:
        """Return the unbiased covariance of shares of one class: of pairs of different cases."""
        one = self.readings
        side = one.positive if point.quantity == "sensitivity" else ~one.positive
        there = (~np.isnan(one.ratings[:, side])).astype(float)
        right = there * (point.called(one.ratings[:, side]) == (point.quantity == "sensitivity"))
        value = self.values(point)
        number = there.sum(axis=1)
        pairs = np.outer(number, number) - there @ there.T
        products = np.outer(right.sum(axis=1), right.sum(axis=1)) - _square(right)
        return np.asarray(np.outer(value, value) - products / pairs)


def _by_row(weights: Array, place: AnyArray, some: AnyArray, rows_of_list: int) -> Array:
    from scipy.sparse import csr_array

    cases = np.flatnonzero(some)
    belongs = csr_array((np.ones(cases.size), (place[cases], cases)), shape=(rows_of_list, place.size))
    return np.asarray((belongs @ weights.T).T)


def _square(x: Array) -> Array:
    """Return products of all rows, in one order of the sums."""
    return np.asarray(np.einsum("ik,jk->ij", x, x, optimize=False))


def _unbiased_auc(one: Readings, value: AnyArray) -> Array:
    """Return the unbiased covariance of AUCs (Gallas, Pennello and Myers 2007), whatever was read.

    The square of the true value is estimated from pairs of which neither case is common; what the square of the value
    is above it is the variance.
    """
    ratings = -one.ratings if one.low else one.ratings
    pos, neg = ratings[:, one.positive], ratings[:, ~one.positive]
    rows = len(ratings)
    by_pos, by_neg = np.zeros(pos.shape), np.zeros(neg.shape)
    both, read = np.zeros((rows, rows)), np.zeros((rows, rows))
    size = max(1, _NUMBERS // max(rows * neg.shape[1], 1))
    for start in range(0, pos.shape[1], size):
        part = slice(start, start + size)
        x, y = pos[:, part, None], neg[:, None, :]
        wins = (x > y) + 0.5 * (x == y)  # nan wins nothing
        by_pos[:, part] = wins.sum(axis=2)
        by_neg += wins.sum(axis=1)
        both += _square(wins.reshape(rows, -1))
    there = [(~np.isnan(side)).astype(float) for side in (pos, neg)]
    n1, n0 = (side.sum(axis=1) for side in there)
    common1, common0 = (side @ side.T for side in there)
    wins = by_pos.sum(axis=1)
    products = np.outer(wins, wins) - _square(by_pos) - _square(by_neg) + both
    read = (np.outer(n1, n1) - common1) * (np.outer(n0, n0) - common0)
    return np.asarray(np.outer(value, value) - products / read)
