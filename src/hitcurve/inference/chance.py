"""Tests of one ranker against a random order of its subjects."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import AnyArray, Array, Counts, before
from hitcurve.errors import UndefinedMetricError
from hitcurve.inference.resample import in_blocks
from hitcurve.metrics import AUC, AreaMetric, Metric
from hitcurve.table import HitTable

Alternative: TypeAlias = Literal["two-sided", "less", "greater"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "less", "greater")
_MOST_RANKS = 100_000  # ranks told apart in the gaps of a list
_FEW, _SKEWED = 20, 0.1  # of a class, and skewness over random orders: beyond them a normal p is too small
_HAIR = 1e-12  # rounding noise


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
    """

    metric: Metric
    value: float
    mean: float
    standard_deviation: float
    statistic: float
    pvalue: float
    alternative: str
    method: str

    def __str__(self) -> str:
        """Return one line."""
        return (
            f"{self.metric} = {rows.number(self.value)} against {rows.number(self.mean)} of random orders "
            f"(s.d. {rows.number(self.standard_deviation)}): z = {self.statistic:.3f}, p = {rows.short(self.pvalue)} "
            f"({self.alternative}, {self.method})"
        )


def against_chance(metric: Metric, table: HitTable, alternative: str, n_resamples: int, rng: Any) -> RandomTest:
    """Test against random orders; see :meth:`hitcurve.Estimate.test_random`."""
    _checks.choice("alternative", alternative, ALTERNATIVES)
    if table.weighted or table.assumed_prevalence is not None:
        raise UndefinedMetricError("a test against chance needs whole subjects: weights and set prevalences have none")
    c = _with_gaps_apart(table)
    value = float(metric.value(table))
    worth = _worth_of_rows(metric, c)
    if worth is None:
        return _monte_carlo(metric, table, value, alternative, n_resamples, rng)
    n, n1 = float(c.n), float(c.n1)
    size = np.asarray(c.pos + c.neg, float)
    mean_worth = np.sum(size * worth) / n
    # of n1 values drawn without replacement from the n of the list
    variance = np.sum(size * (worth - mean_worth) ** 2) / (n - 1) * (n - n1) / n / n1
    deviation = math.sqrt(float(variance))
    scale = _slope(metric, c)
    deviation, mean = abs(scale) * deviation, float(metric.random(table))
    if not deviation > _HAIR * abs(mean):
        return RandomTest(metric, value, mean, 0.0, 0.0, 1.0, alternative, "exact moments")
    z = (value - mean) / deviation
    p, method = _p_of_mean(scale * worth, c, z, alternative, n_resamples, rng)
    return RandomTest(metric, value, mean, deviation, z, p, alternative, method)


def _p_of_mean(worth: Array, c: Counts, z: float, alternative: str, n_resamples: int, rng: Any) -> tuple[float, str]:
    """Return the p value of the mean worth of the positives, and how it was found.

    The mean is nearly normal where neither class is small and its distribution over random orders is not skewed.
    """
    size, pos = np.asarray(c.pos + c.neg, float), np.asarray(c.pos, float)
    n, n1 = float(c.n), float(c.n1)
    above = worth > (worth.min() + worth.max()) / 2
    if np.all(above | (worth == worth.min())) and np.ptp(worth[above]) <= _HAIR * np.ptp(worth):
        from scipy.stats import hypergeom

        law, hits = hypergeom(int(n), int(n1), int(size[above].sum())), int(pos[above].sum())
        above_or_equal, below_or_equal = float(law.sf(hits - 1)), float(law.cdf(hits))
        both = min(2 * min(above_or_equal, below_or_equal), 1.0)
        tails = {"greater": above_or_equal, "less": below_or_equal, "two-sided": both}
        return tails[alternative], "hypergeometric"
    off = worth - np.sum(size * worth) / n
    skewness = float(np.sum(size * off**3) / n / (np.sum(size * off**2) / n) ** 1.5)
    # of the mean of n1 drawn without replacement
    skewness *= (n - 2 * n1) * math.sqrt(n - 1) / max(n - 2, 1.0) / math.sqrt(n1 * (n - n1))
    if min(n1, n - n1) >= _FEW and abs(skewness) <= _SKEWED:
        return normal_p(z, alternative), "exact moments"
    n_resamples = _checks.whole_number("n_resamples", n_resamples)
    ends = np.cumsum(size)

    def do(work: tuple[int, np.random.Generator]) -> Array:
        count, own = work
        drawn = (own.choice(int(n), int(n1), replace=False, shuffle=False) for _ in range(count))
        return np.array([worth[np.searchsorted(ends, ranks, "right")].mean() for ranks in drawn])

    drawn = np.concatenate(in_blocks(do, n_resamples, rng))
    observed, slack = float(np.sum(pos * worth) / n1), _HAIR * float(np.ptp(worth))
    return _monte_carlo_p(observed, drawn, slack, alternative), "Monte Carlo"


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


def _worth_of_rows(metric: Metric, c: Counts) -> Array | None:
    """Return what a positive in each row is worth if that depends on its rank alone, else None."""
    if isinstance(metric, AUC):
        return np.asarray(1 - (c.r + before(c.r)) / 2)
    if isinstance(metric, AreaMetric) and metric.axis in ("rate", "rank"):
        return np.asarray(metric.magnification(c).worth(before(c.r), c.r))
    return None


def _slope(metric: Metric, c: Counts) -> float:
    """Return how the metric follows the mean worth of the positives."""
    if isinstance(metric, AUC):
        return float(c.n / c.n0)  # AUC is linear in the mean rank of the positives
    return float(np.squeeze(metric.rescale(c).factor)) if isinstance(metric, AreaMetric) else 1.0


def _monte_carlo(
    metric: Metric, table: HitTable, value: float, alternative: str, n_resamples: int, rng: Any
) -> RandomTest:
    n_resamples = _checks.whole_number("n_resamples", n_resamples)
    size: AnyArray = np.asarray(table.pos + table.neg)
    # a positive among the negatives of a gap stands alone
    gaps = _gaps(table)
    ends = np.cumsum(size)
    n, n1 = int(ends[-1]), int(table.n_pos)

    def do(work: tuple[int, np.random.Generator]) -> Array:
        count, own = work
        values = np.empty(count)
        for i in range(count):
            ranks = np.sort(own.choice(n, n1, replace=False, shuffle=False))
            row = np.searchsorted(ends, ranks, "right")
            # with an axis of replicates, an order on which the metric is undefined is nan
            values[i] = metric.kernel(_with_positives(gaps, ends, ranks, row))[0]
        return values

    drawn = np.concatenate(in_blocks(do, n_resamples, rng))
    defined = drawn[~np.isnan(drawn)]
    mean, deviation = (float(defined.mean()), float(defined.std())) if defined.size else (math.nan, math.nan)
    z = (value - mean) / deviation if deviation > _HAIR * abs(mean) else 0.0
    drawn = np.where(np.isnan(drawn), -math.inf, drawn)  # no better than chance
    p = _monte_carlo_p(value, drawn, _HAIR * max(abs(value), 1e-300), alternative)
    return RandomTest(metric, value, mean, deviation, z, p, alternative, "Monte Carlo")


def _monte_carlo_p(observed: float, drawn: Array, slack: float, alternative: str) -> float:
    above, below = int(np.sum(drawn >= observed - slack)), int(np.sum(drawn <= observed + slack))
    tails = {"greater": above, "less": below, "two-sided": min(2 * min(above, below), drawn.size)}
    return (tails[alternative] + 1) / (drawn.size + 1)


def _with_positives(gaps: AnyArray, ends: AnyArray, ranks: AnyArray, row: AnyArray) -> Counts:
    """Return the counts of a list whose positives stand at these ranks, groups of equal scores kept together."""
    in_gap = gaps[row]
    # ends of rows: those of the groups, and both sides of every positive that stands alone
    alone = ranks[in_gap]
    cuts = np.unique(np.concatenate([ends, alone, alone + 1]))
    cuts = cuts[cuts > 0]
    pos = np.bincount(np.searchsorted(cuts, ranks, "right"), minlength=cuts.size)
    return Counts(pos[None], (np.diff(np.append(0, cuts)) - pos)[None])


def normal_p(z: float, alternative: str) -> float:
    """Return the p value of a normal statistic."""
    from scipy.special import ndtr

    tails = {"greater": ndtr(-z), "less": ndtr(z), "two-sided": 2 * ndtr(-abs(z))}
    return float(tails[alternative])
