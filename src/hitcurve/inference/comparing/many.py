"""Many comparisons at once."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hitcurve.counts import Array
from hitcurve.errors import ParameterError
from hitcurve.inference.comparing.comparison import Comparison
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resampling.resample import blocks, normal_draws, seed_of_values, seeded
from hitcurve.inference.variance.joint import Joint

_BLOCK = 4096  # draws at a time
_NOTHING = 1e-300  # a variance in place of 0, where two rankers are the same


def holm_pvalues(pvalues: Sequence[float] | Array) -> list[float]:
    """Return p values adjusted by Holm's method, which holds whatever the dependence."""
    given = np.asarray(pvalues, float)
    order = np.argsort(given, kind="stable")
    steps = np.minimum((given.size - np.arange(given.size)) * given[order], 1.0)
    out = np.empty(given.size)
    out[order] = np.maximum.accumulate(steps)
    return list(out.tolist())


def holm(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Adjust the p values of comparisons by Holm's method."""
    adjusted = holm_pvalues([c.pvalue for c in comparisons])
    return [replace(c, adjusted=p, adjustment="Holm") for c, p in zip(comparisons, adjusted, strict=True)]


def max_t(
    comparisons: Sequence[Comparison], joint: Joint, *, draws: int = 100_000, rng: Any = None
) -> list[Comparison]:
    """Adjust p values for each other by the largest statistic under the null, with simultaneous intervals.

    Influence values times normal variables (the multiplier bootstrap) draw all differences at once, and each draw
    has standard errors of its own. The largest of the drawn statistics is compared with each statistic over
    ``t/z``, the ratio of the quantiles of both distributions at the confidence level: with few subjects the
    statistics have longer tails than what is drawn.

    Adjusted p values are ``(b + 1)/(draws + 1)``, with b draws beyond, so that none is below ``1/(draws + 1)``; and
    none is below its own p value. One minus the confidence level is their limit exactly where the simultaneous
    interval ends at the null.

    Parameters
    ----------
    comparisons : sequence of Comparison
        By the delta method.
    joint : Joint
    draws : int
    rng : None, int or numpy.random.Generator
        Where it is None, a seed is derived from the differences; the results record it.

    Raises
    ------
    ParameterError
        If a comparison is by another method.
    """
    if any(c.method != "delta" for c in comparisons):
        raise ParameterError(
            "adjust='max-t' needs delta comparisons (method='delta'): the others have no joint covariance"
        )
    weights = np.array([joint.contrast(c.first, c.second, c.metric) for c in comparisons])
    rng, seed = seeded(rng, lambda: seed_of_values(np.array([c.difference.value for c in comparisons])))
    drawn = np.concatenate(list(largest(_classes(joint, weights), draws, rng)))
    of_both, of_one = (np.sort(drawn[:, side]) for side in range(2))
    adjusted = []
    for c in comparisons:
        level = c.difference.confidence_level
        inflation = t_quantile((1 + level) / 2, _degrees(joint)) / t_quantile((1 + level) / 2, math.inf)
        half = float(of_both[min(math.ceil(level * draws), draws - 1)]) * inflation * c.difference.standard_error
        sides = {"two-sided": (of_both, abs(c.statistic)), "greater": (of_one, c.statistic)}
        reference, statistic = sides.get(c.alternative, (of_one, -c.statistic))
        beyond = draws - int(np.searchsorted(reference, statistic / inflation, "left"))
        p = max((beyond + 1) / (draws + 1), c.pvalue)
        together = c.difference.within(half)
        adjusted.append(
            replace(c, adjusted=p, adjustment="max-t", simultaneous=together, seed=seed, adjustment_draws=draws)
        )
    return adjusted


class SampledClass(NamedTuple):
    """A sampled class (positives, negatives or clusters): covariance of the differences, and its size."""

    covariance: Array
    number: float


def _classes(joint: Joint, weights: Array) -> list[SampledClass]:
    if joint.clustered:
        sums = joint.cluster_sums(weights)
        return [SampledClass(sums.T @ sums, float(len(sums)))]
    sides = [(joint.products.pos, joint.n_pos), (joint.products.neg, joint.n_neg)]
    found = [SampledClass(_of_contrasts(weights, side), count) for side, count in sides]
    of_shares = weights @ joint.by_share
    # what is estimated beside the subjects has no class to be estimated from
    return [*found, SampledClass(of_shares @ of_shares.T, math.inf)] if of_shares.any() else found


def _of_contrasts(weights: Array, side: Array) -> Array:
    """Return the covariances of differences; those of a difference that does not vary are 0, whatever is rounded."""
    found = np.einsum("ri,ij,sj->rs", weights, side, weights)
    varies = np.diag(found) > 0
    return np.where(varies[:, None] & varies, found, 0.0)


def _degrees(joint: Joint) -> float:
    """Return the degrees of freedom of the smaller side: the positives, or the clusters that hold one."""
    return joint.cluster_degrees if joint.clustered else min(joint.n_pos, joint.n_neg) - 1


def largest(classes: Sequence[SampledClass], draws: int, rng: Any) -> Iterator[Array]:
    """Yield the largest absolute and the largest drawn statistic of all comparisons, a block of draws at a time."""
    for size, own in blocks(draws, rng, _BLOCK):
        total: Any = 0.0
        variance: Any = 0.0
        for covariance, number in classes:
            drawn = normal_draws(covariance, size, own)
            total = total + drawn
            # the error of this draw: squares around its own mean
            squares = np.maximum(np.diag(covariance) - drawn**2 / number, 0.0)
            variance = variance + (squares if math.isinf(number) else squares * number / (number - 1))
        statistic = total / np.sqrt(np.maximum(variance, _NOTHING))
        yield np.stack([np.max(np.abs(statistic), axis=1), np.max(statistic, axis=1)], axis=1)
