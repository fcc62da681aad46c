"""Linear combinations of values with known covariances: their errors and tests, one by one and several at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.inference.comparing.many import SampledClass, largest
from hitcurve.inference.linear.contrasts import Contrast, Contrasts, WaldTest
from hitcurve.inference.pvalues import ALTERNATIVES, HAIR, f_p, satterthwaite, t_p
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resampling.resample import seed_of_values, seeded
from hitcurve.inference.variance.covariance import Covariance
from hitcurve.inference.variance.lacking import FEWEST
from hitcurve.metrics.ends import NOISE

DRAWS = 20_000
_NEGLIGIBLE = 1e-10  # of the largest variance: a contrast that others determine
_ROUNDING = 16 * float(np.finfo(float).eps)  # of sums of variances


class Wanted(NamedTuple):
    """A contrast that is asked for: its weights on the values of a covariance."""

    label: str
    weights: Array
    metric: str
    null: float = 0.0


def label_of(terms: Mapping[str, float]) -> str:
    """Return a linear combination as text: a - 0.5 b."""
    text = ""
    for name, weight in terms.items():
        size = "" if abs(weight) == 1 else f"{rows.short(abs(weight))} "
        sign = ("-" if weight < 0 else "") if not text else (" - " if weight < 0 else " + ")
        text += f"{sign}{size}{name}"
    return text


def contrast(covariance: Covariance, wanted: Wanted, alternative: str, level: float) -> Contrast:
    """Return one contrast.

    Raises
    ------
    InsufficientDataError
        If a class has one subject only, or nothing varies and the value is not the null.
    """
    _checks.choice("alternative", alternative, ALTERNATIVES)
    null = _checks.moderate_number("null", wanted.null)
    weights = np.asarray(wanted.weights, float)
    if not weights.any():
        raise ParameterError("a contrast needs a weight other than 0")
    of = np.flatnonzero(weights)
    terms = weights[of] * covariance.values[of]
    value = float(np.sum(terms))
    if abs(value) <= NOISE * float(np.max(np.abs(terms))):
        value = 0.0
    by_part = covariance.variances(weights)
    total = sum(by_part)
    if math.isnan(total):
        raise InsufficientDataError("a standard error needs at least 2 subjects of each class")
    degrees = satterthwaite(by_part, [part.degrees for part in covariance.parts])
    error = math.sqrt(max(total, 0.0))
    if error > 0:
        p = t_p((value - null) / error, degrees, alternative)
    elif abs(value - null) <= HAIR:
        p = 1.0
    else:
        raise InsufficientDataError(
            f"{wanted.label} is {value:.4g} with a standard error of 0, because nothing varies between the subjects: "
            f"it cannot be tested against {null:g}"
        )
    ends = [sorted(w * end for end in covariance.keys[i][1].range) for i, w in zip(of, weights[of], strict=True)]
    bounds = (sum(low for low, _ in ends), sum(high for _, high in ends))
    named = tuple((covariance.labels[i], float(weights[i])) for i in of)
    return Contrast(
        wanted.label,
        named,
        wanted.metric,
        value,
        error,
        degrees,
        p,
        _checks.level("confidence_level", level),
        null,
        alternative,
        bounds,
        sample=covariance.sample,
        cautions=_cautions(covariance, by_part, error),
    )


def _cautions(covariance: Covariance, by_part: Sequence[float], error: float) -> tuple[str, ...]:
    """Return what makes the interval and the p value doubtful."""
    if not error > 0:
        return ("no subject moves this combination: the standard error is 0",)
    sizes = [
        part.degrees + 1
        for part, variance in zip(covariance.parts, by_part, strict=True)
        if variance > 0 and math.isfinite(part.degrees)
    ]
    if not sizes or min(sizes) >= FEWEST:
        return ()
    return (
        f"only {min(sizes):.3g} {covariance.sampled}: the interval and the p value may be far off (at least {FEWEST} "
        "are needed for the default intervals of a metric)",
    )


def contrasts(
    covariance: Covariance, wanted: Sequence[Wanted], alternative: str, level: float, title: str, rng: Any = None
) -> Contrasts:
    """Return several contrasts with simultaneous intervals, and the test of all together.

    Statistics are compared as the normal quantiles of their p values. Over a common t quantile, the fewest degrees of
    freedom of any contrast would widen the intervals of all.
    """
    from scipy.special import ndtr, ndtri

    found = [contrast(covariance, one, alternative, level) for one in wanted]
    if len(found) == 1:
        return Contrasts(tuple(found), None, None, title)
    weights = np.array([one.weights for one in wanted])
    if not all(one.standard_error > 0 for one in found):
        return Contrasts(tuple(found), wald(covariance, wanted), None, title)
    rng, seed = seeded(rng, lambda: seed_of_values(np.array([one.value for one in found])))
    together = np.sum([weights @ (part.covariance * part.factor) @ weights.T for part in covariance.parts], axis=0)
    drawn = np.concatenate(list(largest([SampledClass(together, math.inf)], DRAWS, rng)))
    of_both, of_one = (np.sort(drawn[:, side]) for side in range(2))
    beyond_half = float(ndtr(-of_both[min(math.ceil(level * DRAWS), DRAWS - 1)]))
    out = []
    for one in found:
        # p values as normal quantiles: each contrast keeps its own degrees of freedom, however few another has
        two_sided = alternative == "two-sided"
        reference, own = (of_both, one.pvalue / 2) if two_sided else (of_one, one.pvalue)
        beyond = DRAWS - int(np.searchsorted(reference, -ndtri(own), "left"))
        p = max((beyond + 1) / (DRAWS + 1), one.pvalue)
        half = -float(t_quantile(beyond_half, one.degrees_of_freedom)) * one.standard_error
        out.append(replace(one, adjusted=p, adjustment_draws=DRAWS, simultaneous=one.within(half)))
    return Contrasts(tuple(out), wald(covariance, wanted), seed, title)


def wald(covariance: Covariance, wanted: Sequence[Wanted]) -> WaldTest | None:
    """Return the test that all contrasts have their null values; None where nothing varies.

    The contrasts span a space of linear combinations. Uncorrelated directions of unit length in it have degrees of
    freedom by Satterthwaite each, so that the test does not depend on which contrasts span the space: all pairs, or
    differences from any reference. With E the sum of v/(v - 2) over them, F of q directions has 2 E/(E - q) (Fai and
    Cornelius 1996).
    """
    weights = np.array([one.weights for one in wanted])
    length = np.linalg.norm(weights, axis=1)
    weights = weights / length[:, None]
    turn, scale, basis = np.linalg.svd(weights, full_matrices=False)
    spans = scale > _NEGLIGIBLE * scale[0]
    turn, scale, basis = turn[:, spans], scale[spans], basis[spans]
    distance = weights @ covariance.values - np.array([one.null for one in wanted]) / length
    along = turn.T @ distance / scale
    together = np.sum([part.covariance * part.factor for part in covariance.parts], axis=0)
    together = together - covariance.explained @ covariance.explained.T
    spread, axes = np.linalg.eigh(basis @ together @ basis.T)
    # what variances that cancel leave of each other
    rounding = _ROUNDING * float(np.max(np.abs(basis) @ np.abs(together) @ np.abs(basis).T))
    kept = spread > max(_NEGLIGIBLE * float(spread[-1]), rounding)
    if not kept.any():
        return None
    own = axes[:, kept].T
    q = int(kept.sum())
    statistic = float(np.sum((own @ along) ** 2 / spread[kept])) / q
    degrees = [
        satterthwaite(covariance.variances(axis @ basis), [part.degrees for part in covariance.parts]) for axis in own
    ]
    return WaldTest(statistic, (q, _denominator(degrees)), f_p(statistic, q, _denominator(degrees)))


def _denominator(degrees: Sequence[float]) -> float:
    q = len(degrees)
    if q == 1:
        return degrees[0]
    if min(degrees) <= 2:
        return 2.0
    total = sum(v / (v - 2) if math.isfinite(v) else 1.0 for v in degrees)
    return 2 * total / (total - q) if total - q > 1e-12 else math.inf
