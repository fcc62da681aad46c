"""Tests of one ranker against a random order of its subjects."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import UndefinedMetricError
from hitcurve.inference.pvalues import ALTERNATIVES, HAIR, monte_carlo_p, normal_p
from hitcurve.inference.resampling.resample import in_blocks, replicates_at_once, seed_of, seeded
from hitcurve.label_errors import refuse_corrected
from hitcurve.metrics import Metric
from hitcurve.table import HitTable

MONTE_CARLO = "Monte Carlo"
_MOST_RANKS = 100_000  # ranks told apart in the gaps of a list
_FEW, _SKEWED = 20, 0.1  # of a class, and skewness over random orders: beyond them a normal p is too small


@dataclass(frozen=True)
class RandomTest:
    """A test of a metric against the value that random orders have.

    Attributes
    ----------
    metric : Metric
    value : float
    mean, standard_deviation : float
        Of the metric over random orders.
    statistic : float
        Distance of the value from the mean, in standard deviations.
    pvalue : float
    alternative : {"greater", "less", "two-sided"}
    method : str
        ``"exact moments"`` with the normal distribution, ``"hypergeometric"`` for the hits above a cut, or ``"Monte
        Carlo"``.
    seed : int or None
        Seed of the random orders; None if none were drawn or a generator was given.
    """

    metric: Metric
    value: float
    mean: float
    standard_deviation: float
    statistic: float
    pvalue: float
    alternative: str
    method: str
    seed: int | None = None

    def __str__(self) -> str:
        """Return one line."""
        seed = "" if self.seed is None else f", seed {self.seed}"
        orders = f"a mean of {rows.number(self.mean)} over random orders (s.d. {rows.number(self.standard_deviation)})"
        if math.isnan(self.mean):
            orders = f"random orders, for all of which {self.metric} is undefined"
        return (
            f"{self.metric} = {rows.number(self.value)} against {orders}: z = {self.statistic:.3f}, "
            f"p {rows.p_value(self.pvalue)} ({self.alternative}, {self.method}{seed})"
        )


def against_chance(metric: Metric, table: HitTable, alternative: str, n_resamples: int, rng: Any) -> RandomTest:
    """Test against random orders; see :meth:`hitcurve.Estimate.test_random`."""
    _checks.choice("alternative", alternative, ALTERNATIVES)
    refuse_corrected(table.label_errors, "a test against random orders")
    if table.weighted or table.assumed_prevalence is not None:
        raise UndefinedMetricError(
            "a test against random orders needs whole subjects, so weights and a set prevalence cannot be used: check "
            "whether confidence_interval() contains the baseline .random"
        )
    n_resamples = _checks.resamples(n_resamples)
    rng, seed = seeded(rng, lambda: seed_of(table))
    c = _with_gaps_apart(table)
    value = float(metric.value(table))
    weights = metric.kernel_rank_weights(c, of_ranks=True)
    if weights is None:
        return _monte_carlo(metric, table, value, alternative, n_resamples, rng, seed)
    n, n1 = float(c.n), float(c.n1)
    size = np.asarray(c.pos + c.neg, float)
    mean_weight = np.sum(size * weights.rows) / n
    # of n1 values drawn without replacement from the n of the list
    variance = np.sum(size * (weights.rows - mean_weight) ** 2) / (n - 1) * (n - n1) / n / n1
    scale = float(np.squeeze(weights.factor)) * (n1 if weights.summed else 1.0)
    deviation, mean = abs(scale) * math.sqrt(float(variance)), float(metric.random(table))
    if not deviation > HAIR * abs(mean):
        return RandomTest(metric, value, mean, 0.0, 0.0, 1.0, alternative, "exact moments")
    z = (value - mean) / deviation
    p, method = _p_of_mean(scale * weights.rows, c, z, alternative, n_resamples, rng)
    return RandomTest(
        metric, value, mean, deviation, z, p, alternative, method, seed if method == MONTE_CARLO else None
    )


def _p_of_mean(weights: Array, c: Counts, z: float, alternative: str, n_resamples: int, rng: Any) -> tuple[float, str]:
    """Return the p value of the mean rank weight of the positives, and how it was found.

    The mean is nearly normal where neither class is small and its distribution over random orders is not skewed.
    """
    size, pos = np.asarray(c.pos + c.neg, float), np.asarray(c.pos, float)
    n, n1 = float(c.n), float(c.n1)
    above = weights > (weights.min() + weights.max()) / 2
    if np.all(above | (weights == weights.min())) and np.ptp(weights[above]) <= HAIR * np.ptp(weights):
        from scipy.stats import hypergeom

        law, hits = hypergeom(int(n), int(n1), int(size[above].sum())), int(pos[above].sum())
        above_or_equal, below_or_equal = float(law.sf(hits - 1)), float(law.cdf(hits))
        both = min(2 * min(above_or_equal, below_or_equal), 1.0)
        tails = {"greater": above_or_equal, "less": below_or_equal, "two-sided": both}
        return tails[alternative], "hypergeometric"
    off = weights - np.sum(size * weights) / n
    skewness = float(np.sum(size * off**3) / n / (np.sum(size * off**2) / n) ** 1.5)
    # of the mean of n1 drawn without replacement
    skewness *= (n - 2 * n1) * math.sqrt(n - 1) / max(n - 2, 1.0) / math.sqrt(n1 * (n - n1))
    if min(n1, n - n1) >= _FEW and abs(skewness) <= _SKEWED:
        return normal_p(z, alternative), "exact moments"
    ends = np.cumsum(size)

    def do(work: tuple[int, np.random.Generator]) -> Array:
        count, own = work
        drawn = (own.choice(int(n), int(n1), replace=False, shuffle=False) for _ in range(count))
        return np.array([weights[np.searchsorted(ends, ranks, "right")].mean() for ranks in drawn])

    drawn = np.concatenate(in_blocks(do, n_resamples, rng))
    observed, slack = float(np.sum(pos * weights) / n1), HAIR * float(np.ptp(weights))
    return monte_carlo_p(observed, drawn, alternative, symmetric=False, slack=slack), MONTE_CARLO


def _gaps(table: HitTable) -> AnyArray:
    """Return which rows are negatives between two scores: they have scores of their own, and are not tied."""
    gaps = np.asarray(table.pos) == 0
    return gaps if table.kind in ("collapsed", "ranks", "derived") else np.zeros_like(gaps)


def _with_gaps_apart(table: HitTable) -> Counts:
    """Return the counts with a row for each negative of a gap; in long lists for a few, which differ by a hair."""
    c, gaps = table.counts, _gaps(table)
    ends = np.cumsum(np.asarray(c.pos + c.neg))
    n = float(ends[-1])
    if n <= _MOST_RANKS:
        places = np.arange(1.0, n)
    else:
        places = np.rint(np.concatenate([np.linspace(1, n, _MOST_RANKS), np.geomspace(1, n, _MOST_RANKS)]))
    cuts = np.union1d(ends, places[gaps[np.searchsorted(ends, places, "left").clip(max=gaps.size - 1)]])
    pos = np.zeros(cuts.size)
    np.add.at(pos, np.searchsorted(cuts, ends), np.asarray(c.pos, float))
    return Counts(pos, np.diff(np.append(0.0, cuts)) - pos)


def _monte_carlo(
    metric: Metric, table: HitTable, value: float, alternative: str, n_resamples: int, rng: Any, seed: int | None
) -> RandomTest:
    size: AnyArray = np.asarray(table.pos + table.neg)
    # a positive among the negatives of a gap stands alone
    gaps = _gaps(table)
    ends = np.cumsum(size)
    n, n1 = int(ends[-1]), int(table.n_pos)
    batch = replicates_at_once(size.size + 2 * n1)

    def do(work: tuple[int, np.random.Generator]) -> Array:
        count, own = work
        values = []
        for start in range(0, count, batch):
            orders = [
                _with_positives(gaps, ends, np.sort(own.choice(n, n1, replace=False, shuffle=False)))
                for _ in range(min(batch, count - start))
            ]
            # an order on which the metric is undefined is nan
            values.append(metric.of_replicates(_padded(orders)))
        return np.concatenate(values)

    drawn = np.concatenate(in_blocks(do, n_resamples, rng))
    defined = drawn[~np.isnan(drawn)]
    mean, deviation = (float(defined.mean()), float(defined.std())) if defined.size else (math.nan, math.nan)
    z = (value - mean) / deviation if deviation > HAIR * abs(mean) else 0.0
    drawn = np.where(np.isnan(drawn), -math.inf, drawn)  # no better than chance
    slack = HAIR * max(abs(value), 1e-300)
    p = monte_carlo_p(value, drawn, alternative, symmetric=False, slack=slack)
    return RandomTest(metric, value, mean, deviation, z, p, alternative, MONTE_CARLO, seed)


def _with_positives(gaps: AnyArray, ends: AnyArray, ranks: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return positives and negatives of each row of a list whose positives stand at these ranks, ties kept."""
    # ends of rows: those of the groups, and both sides of every positive that stands alone
    alone = ranks[gaps[np.searchsorted(ends, ranks, "right")]]
    cuts = np.unique(np.concatenate([ends, alone, alone + 1]))
    cuts = cuts[cuts > 0]
    pos = np.bincount(np.searchsorted(cuts, ranks, "right"), minlength=cuts.size)
    return pos, np.diff(np.append(0, cuts)) - pos


def _padded(lists: Sequence[tuple[AnyArray, AnyArray]]) -> Counts:
    """Return lists of different length side by side, padded below with empty rows."""
    longest = max(pos.size for pos, _ in lists)
    both = np.zeros((2, len(lists), longest), np.int64)
    for place, sides in enumerate(lists):
        both[:, place, : sides[0].size] = sides
    return Counts(both[0], both[1])
