"""Influence of every subject on the metrics of a horizon, the estimate of the censoring included."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.errors import InsufficientDataError, UndefinedMetricError
from hitcurve.inference import Joint
from hitcurve.inference.cutting.cuts import Wanted
from hitcurve.inference.cutting.step import step_of
from hitcurve.inference.design import cluster_degrees, effective
from hitcurve.inference.variance.cluster_sums import ClusterSums
from hitcurve.inference.variance.dependent import Clustered, OfSubjects, number_above
from hitcurve.inference.variance.influence import influence
from hitcurve.inference.variance.products import Products
from hitcurve.metrics import Metric
from hitcurve.sources import Block
from hitcurve.survival.censoring import KaplanMeier
from hitcurve.survival.correction import corrections
from hitcurve.survival.outcome import Mask
from hitcurve.survival.rankings import Ranking
from hitcurve.survival.weights import AtHorizon, Cohort
from hitcurve.table import HitTable

_TOGETHER = 64  # metrics whose influence values are held at a time


class Influences(NamedTuple):
    """Influence of the subjects on metrics at one horizon.

    Attributes
    ----------
    keys : list of (str, Metric)
        Metrics that have influence values.
    own : array (n, K)
        Of the subjects that are evaluated; each column adds up to 0 where the censoring is estimated from them.
    others : array (m, K) or None
        Of the subjects of another sample, from which the censoring was estimated.
    above : array (n, K)
        Share of the row of each subject that is above the cutoff of a metric; 0 of those that are not ranked.
    noise : array (K,)
        What of the influence of a whole class is rounding.
    numbers : (float, float)
        Effective numbers of cases and controls.
    """

    keys: list[tuple[str, Metric]]
    own: Array
    others: Array | None
    above: Array
    noise: Array
    numbers: tuple[float, float]

    @property
    def factor(self) -> float:
        """What makes sums of squares over the subjects a variance: n/(n - 1)."""
        return _factor(len(self.own))

    def by_class(self, case: Mask) -> tuple[Array, Array]:
        """Return covariances (K, K): the part of the cases, and that of all other subjects."""
        parts = [self.factor * _square(self.own[which]) for which in (case, ~case)]
        if self.others is not None:
            parts[1] = parts[1] + _factor(len(self.others)) * _square(self.others)
        return parts[0], parts[1]


def influences(
    cohort: Cohort,
    at: AtHorizon,
    rankings: Mapping[str, Ranking],
    metrics: Sequence[Metric],
    design: str,
    prevalence: float | None = None,
) -> Influences:
    """Return the influence of every subject on all metrics of all rankers at a horizon (and a set prevalence)."""
    used = np.flatnonzero(at.used)
    of_case, weight = at.case[used], at.weight[used]
    keys: list[tuple[str, Metric]] = []
    columns, above, noise = [], [], []
    numbers = (0.0, 0.0)
    for name, ranking in rankings.items():
        sums = ranking.sums(at)
        c, row = sums.counts(prevalence), ranking.row[used]
        size = effective(sums)
        numbers = (float(size[0]), float(size[1]))
        # of equal weights the sums are counts, and a subject is one of them
        unit = weight if sums.weighted else 1.0
        for metric in metrics:
            try:
                found = influence(metric, c, design, size)
            except (InsufficientDataError, UndefinedMetricError):
                continue
            keys.append((name, metric))
            columns.append(unit * np.where(of_case, found.pos[row], found.neg[row]))
            step = step_of(metric, c, size)
            own = np.zeros(at.case.size)
            own[used] = 0.0 if step is None else step.share_above[row]
            above.append(own)
            noise.append(float(found.noise))
    base = np.array(columns).reshape(len(keys), used.size).T
    every, others = with_corrections(cohort, at, base)
    shares = np.array(above).reshape(len(keys), at.case.size).T
    return Influences(keys, every, others, shares, np.array(noise), numbers)


def with_corrections(cohort: Cohort, at: AtHorizon, base: Array) -> tuple[Array, Array | None]:
    """Return the influence of all subjects, and of those of another sample from whom the censoring is estimated.

    Parameters
    ----------
    cohort : Cohort
    at : AtHorizon
    base : array (k, K)
        Of the subjects that are ranked: weight times derivative by the weight.
    """
    own = np.zeros((cohort.sample.time.size, base.shape[1]))
    own[at.used] = base
    if not isinstance(cohort.censoring, KaplanMeier):
        return own, None
    corrected = corrections(cohort, own, at.horizon)
    if cohort.censoring.of_others:
        return own, corrected
    own += corrected
    return own, None


@dataclass(frozen=True)
class OfHorizon:
    """What gives the covariances of a horizon, and the influence of its subjects, when they are asked for.

    Attributes
    ----------
    cohort : Cohort
    at : AtHorizon
    rankings : mapping of str to Ranking
    metrics : tuple of Metric
    design : {"cohort", "case-control"}
    clusters : array of int (n,) or None
    block : callable
        Returns the ranked subjects as those of a binary outcome.
    """

    cohort: Cohort
    at: AtHorizon
    rankings: Mapping[str, Ranking]
    metrics: tuple[Metric, ...]
    design: str
    clusters: AnyArray | None
    block: Callable[[], Block]

    def __call__(self) -> Joint:
        """Return the covariances."""
        found = influences(self.cohort, self.at, self.rankings, self.metrics, self.design)
        return joint_of(found, self.at.case, self.clusters)

    def influence(self, ranker: str, metric: Metric) -> Array:
        """Return the influence of each subject on one value, (n,).

        Raises
        ------
        UndefinedMetricError
            If the metric has no influence values.
        """
        found = influences(self.cohort, self.at, {ranker: self.rankings[ranker]}, [metric], self.design)
        if not found.keys:
            raise UndefinedMetricError(f"{metric} of {ranker!r} has no influence values here")
        return np.asarray(found.own[:, 0])

    def variances(self, wanted: Wanted, design: str) -> dict[str, list[Clustered | None]]:
        """Return the variance of each metric, None without influence values.

        Parameters
        ----------
        wanted : mapping of str to sequence of (Metric, HitTable)
            The metrics of each ranker, each with its table, which may be at a prevalence that was set.
        design : {"cohort", "case-control"}
        """
        return {name: self._variances_of(name, own, design) for name, own in wanted.items()}

    def _variances_of(
        self, ranker: str, wanted: Sequence[tuple[Metric, HitTable]], design: str
    ) -> list[Clustered | None]:
        of_prevalence: dict[float | None, list[int]] = {}
        for place, (_, table) in enumerate(wanted):
            of_prevalence.setdefault(table.assumed_prevalence, []).append(place)
        out: list[Clustered | None] = [None] * len(wanted)
        for prevalence, places in of_prevalence.items():
            for start in range(0, len(places), _TOGETHER):
                part = places[start : start + _TOGETHER]
                metrics = list(dict.fromkeys(wanted[place][0] for place in part))
                one = {ranker: self.rankings[ranker]}
                found = influences(self.cohort, self.at, one, metrics, design, prevalence)
                known = dict(zip((m for _, m in found.keys), self._each(found), strict=True))
                for place in part:
                    out[place] = known.get(wanted[place][0])
        return out

    def _each(self, found: Influences) -> list[Clustered]:
        """Return the variances one by one, without covariances."""
        variance = sums_of_squares(found.own, found.others, self.clusters)
        if self.clusters is None:
            return [OfSubjects(float(one), found.numbers[0] - 1) for one in variance]
        count, case = int(self.clusters.max()) + 1, self.clusters[self.at.case]
        degrees = cluster_degrees(count, np.unique(case).size)
        above = number_above(_summed(found.above, self.clusters))
        return [Clustered(float(one), degrees, above=float(own)) for one, own in zip(variance, above, strict=True)]


def products(own: Array, others: Array | None, clusters: AnyArray | None) -> Array:
    """Return covariances (K, K) from influence values of subjects, summed within clusters."""
    own = _summed(own, clusters)
    found = _factor(len(own)) * (own.T @ own)
    return found if others is None else np.asarray(found + _factor(len(others)) * (others.T @ others))


def _summed(own: Array, clusters: AnyArray | None) -> Array:
    if clusters is None:
        return own
    sums = np.zeros((int(clusters.max()) + 1, own.shape[1]))
    np.add.at(sums, clusters, own)
    return sums


def sums_of_squares(own: Array, others: Array | None, clusters: AnyArray | None) -> Array:
    """Return variances (K,) from influence values of subjects, summed within clusters."""
    own = _summed(own, clusters)
    found = _factor(len(own)) * np.einsum("nk,nk->k", own, own)
    if others is not None:
        found = found + _factor(len(others)) * np.einsum("nk,nk->k", others, others)
    return np.asarray(found)


def joint_of(found: Influences, case: Mask, clusters: AnyArray | None) -> Joint:
    """Return covariances as those of a binary evaluation are held.

    Parameters
    ----------
    found : Influences
    case : array of bool (n,)
    clusters : array of int (n,) or None
        The cluster of each subject, from 0 on.
    """
    n1, n0 = found.numbers
    of_case, of_rest = found.by_class(case)
    # cases are few, and all errors depend on how their weights vary: degrees of freedom as of intervals
    degrees = n1 - 1 if clusters is None else None
    # a joint multiplies by n1/(n1 - 1) and n0/(n0 - 1); these variances are of n/(n - 1)
    pos, neg = (part * _inverse(number) for part, number in ((of_case, n1), (of_rest, n0)))
    size = len(found.keys)
    overlap = _square(found.above[case])
    sums = ClusterSums.nothing() if clusters is None else _by_cluster(found, case, clusters)
    products = Products(pos, neg, overlap, sums, np.zeros((size, 0)))
    return Joint(found.keys, products, n1, n0, found.noise, np.zeros((size, 2)), degrees)


def _by_cluster(found: Influences, case: Mask, clusters: AnyArray) -> ClusterSums:
    """Return sums within clusters, the number of cases, and equal shares, with which sums stay as they are."""
    count, size = int(clusters.max()) + 1, len(found.keys)
    totals = np.zeros((count, 3 * size + 3))
    for place in range(size):
        totals[:, place] = np.bincount(clusters, found.own[:, place], minlength=count)
        totals[:, 2 * size + place] = np.bincount(clusters, found.above[:, place], minlength=count)
    totals[:, -3] = np.bincount(clusters[case], minlength=count)
    if found.others is not None:  # subjects of their own, whose variance is of their own number
        every = np.zeros((len(found.others), 3 * size + 3))
        whole = _factor(count + len(found.others))
        every[:, :size] = found.others * np.sqrt(_factor(len(found.others)) / whole)
        totals[:, :size] *= np.sqrt(_factor(count) / whole)
        totals = np.concatenate([totals, every])
    totals[:, -2:] = 1 / len(totals)
    return ClusterSums(np.arange(len(totals)), totals)


def _factor(n: int) -> float:
    return n / (n - 1) if n > 1 else np.nan


def _inverse(n: float) -> float:
    return (n - 1) / n if n > 1 else 1.0


def _square(x: Array) -> Array:
    return np.asarray(np.einsum("ni,nj->ij", x, x, optimize=False))
