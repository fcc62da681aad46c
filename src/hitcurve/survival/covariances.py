"""Influence of every subject on the metrics of a horizon, the estimate of the censoring included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitcurve.counts import AnyArray, Array
from hitcurve.errors import InsufficientDataError, UndefinedMetricError
from hitcurve.inference import Joint
from hitcurve.inference.design import effective
from hitcurve.inference.influence import influence
from hitcurve.inference.products import Products
from hitcurve.inference.step import step_of
from hitcurve.metrics import Metric
from hitcurve.survival.censoring import KaplanMeier
from hitcurve.survival.correction import corrections
from hitcurve.survival.outcome import Mask
from hitcurve.survival.rankings import Ranking
from hitcurve.survival.weights import AtHorizon, Cohort


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
        Share of the row of a case that is above the cutoff of a metric; 0 of others.
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
) -> Influences:
    """Return the influence of every subject on all metrics of all rankers at a horizon."""
    used = np.flatnonzero(at.used)
    case, weight = at.case[used], at.weight[used]
    keys: list[tuple[str, Metric]] = []
    columns, above, noise = [], [], []
    numbers = (0.0, 0.0)
    for name, ranking in rankings.items():
        sums = ranking.sums(at)
        c, row = sums.counts(), ranking.row[used]
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
            columns.append(unit * np.where(case, found.pos[row], found.neg[row]))
            step = step_of(metric, c, size)
            above.append(np.zeros(used.size) if step is None else np.where(case, step.share_above[row], 0.0))
            noise.append(float(found.noise))
    base = np.array(columns).reshape(len(keys), used.size).T
    own = np.zeros((cohort.sample.time.size, len(keys)))
    own[used] = base
    others = None
    censoring = cohort.censoring
    if isinstance(censoring, KaplanMeier):
        corrected = corrections(cohort, own, at.horizon)
        if censoring.of_others:
            others = corrected
        else:
            own += corrected
    return Influences(keys, own, others, np.array(above).reshape(len(keys), used.size).T, np.array(noise), numbers)


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
    """

    cohort: Cohort
    at: AtHorizon
    rankings: Mapping[str, Ranking]
    metrics: tuple[Metric, ...]
    design: str
    clusters: AnyArray | None

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
    # a joint multiplies by n1/(n1 - 1) and n0/(n0 - 1); these variances are of n/(n - 1)
    pos, neg = (part * _inverse(number) for part, number in ((of_case, n1), (of_rest, n0)))
    size = len(found.keys)
    overlap = _square(found.above)
    sums = {} if clusters is None else _by_cluster(found, case, clusters)
    products = Products(pos, neg, overlap, sums, np.zeros((size, 0)))
    return Joint(found.keys, products, n1, n0, found.noise, np.zeros((size, 2)))


def _by_cluster(found: Influences, case: Mask, clusters: AnyArray) -> dict[Any, Array]:
    """Return sums within clusters, the number of cases, and equal shares, with which sums stay as they are."""
    count, size = int(clusters.max()) + 1, len(found.keys)
    totals = np.zeros((count, 2 * size + 3))
    for place in range(size):
        totals[:, place] = np.bincount(clusters, found.own[:, place], minlength=count)
    totals[:, -3] = np.bincount(clusters[case], minlength=count)
    if found.others is not None:  # subjects of their own, whose variance is of their own number
        every = np.zeros((len(found.others), 2 * size + 3))
        whole = _factor(count + len(found.others))
        every[:, :size] = found.others * np.sqrt(_factor(len(found.others)) / whole)
        totals[:, :size] *= np.sqrt(_factor(count) / whole)
        totals = np.concatenate([totals, every])
    totals[:, -2:] = 1 / len(totals)
    return dict(enumerate(totals))


def _factor(n: int) -> float:
    return n / (n - 1) if n > 1 else np.nan


def _inverse(n: float) -> float:
    return (n - 1) / n if n > 1 else 1.0


def _square(x: Array) -> Array:
    return np.asarray(np.einsum("ni,nj->ij", x, x, optimize=False))
