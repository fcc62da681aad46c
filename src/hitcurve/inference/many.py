"""Many comparisons at once."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from hitcurve.errors import ParameterError
from hitcurve.inference.comparison import Comparison
from hitcurve.inference.joint import Joint
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resample import normal_draws, seed_of_values, seeded


def holm_pvalues(pvalues: Sequence[float]) -> list[float]:
    """Return p values adjusted by Holm's method, which holds whatever the dependence."""
    order = sorted(range(len(pvalues)), key=lambda i: pvalues[i])
    out = list(pvalues)
    highest = 0.0
    for step, i in enumerate(order):
        highest = max(highest, min(1.0, (len(order) - step) * pvalues[i]))
        out[i] = highest
    return out


def holm(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """Adjust the p values of comparisons by Holm's method."""
    adjusted = holm_pvalues([c.pvalue for c in comparisons])
    return [replace(c, adjusted=p, adjustment="Holm") for c, p in zip(comparisons, adjusted, strict=True)]


def max_t(
    comparisons: Sequence[Comparison], joint: Joint, *, draws: int = 100_000, rng: Any = None
) -> list[Comparison]:
    """Adjust p values for each other by the correlations of the differences, with simultaneous intervals.

    Where ``rng`` is None, a seed is derived from the differences; the results record it.
    """
    from scipy.special import ndtri

    if any(c.method != "delta" for c in comparisons):
        raise ParameterError(
            "adjust='max-t' needs delta comparisons (method='delta'): the others have no joint covariance"
        )
    weights = np.array([joint.contrast(c.first, c.second, c.metric) for c in comparisons])
    covariance = joint.of_clusters[0] if joint.clustered else joint.products.pos + joint.products.neg
    together = np.einsum("ri,ij,sj->rs", weights, covariance, weights)
    deviation = np.sqrt(np.maximum(np.diag(together), 1e-300))
    rng, seed = seeded(rng, lambda: seed_of_values(np.array([c.difference.value for c in comparisons])))
    drawn = normal_draws(together / np.outer(deviation, deviation), draws, rng)
    highest_of_all = np.sort(np.max(np.abs(drawn), axis=1))
    # one tail alone for a one-sided test; both have one distribution
    highest_of_a_tail = np.sort(np.max(drawn, axis=1))
    adjusted = []
    for c in comparisons:
        sides, reference = (2, highest_of_all) if c.alternative == "two-sided" else (1, highest_of_a_tail)
        z = float(-ndtri(max(c.pvalue, 1e-300) / sides))
        beyond = draws - int(np.searchsorted(reference, z, "left"))
        level = c.difference.confidence_level
        q = float(highest_of_all[min(math.ceil(level * draws), draws - 1)])
        half = q * t_quantile((1 + level) / 2, c.difference.degrees_of_freedom)
        half *= c.difference.standard_error / t_quantile((1 + level) / 2, math.inf)
        both = c.difference.within(half)
        p = max((beyond + 1) / (draws + 1), c.pvalue)
        adjusted.append(replace(c, adjusted=p, adjustment="max-t", simultaneous=both, seed=seed))
    return adjusted
