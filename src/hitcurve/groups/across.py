"""Tests of two rankers on what they reach group by group."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError
from hitcurve.inference import Comparison, Difference
from hitcurve.inference.pvalues import ALTERNATIVES, HAIR, Alternative, Outcome, t_p, without_variance
from hitcurve.inference.resampling.permute import is_turned, on_positives
from hitcurve.inference.resampling.resample import bytes_of, seed_of_values, seeded
from hitcurve.inference.rounding import deviation, differences, scale_of
from hitcurve.metrics import Metric

METHODS = ("paired-t", "corrected-t", "wilcoxon", "sign-flip", "unpaired-t")
_SAME = {
    "paired-t": "paired-t",
    "wilcoxon": "paired-wilcoxon",
    "sign-flip": "paired-permutation",
    "unpaired-t": "unpaired-t",
}
_FEW = 6  # groups: the smallest two-sided p of a sign flip with five is 1/16


def across(
    metric: Metric,
    named: tuple[str, str],
    values: tuple[Array, Array],
    *,
    method: str = "auto",
    null: float = 0.0,
    alternative: str = "two-sided",
    confidence_level: float = 0.95,
    overlap: float | None = None,
    n_resamples: int | None = None,
    rng: Any = None,
    unit: str = "groups",
) -> Comparison:
    """Test the mean difference of the values of two rankers in the same groups.

    Parameters
    ----------
    metric : Metric
    named : (str, str)
        The rankers, first and second.
    values : (array (G,), array (G,))
    method : {"auto", "paired-t", "corrected-t", "wilcoxon", "sign-flip", "unpaired-t"}
        ``auto`` is ``corrected-t`` if an overlap is given, else ``paired-t``, and ``sign-flip`` where all groups differ
        by the same. ``wilcoxon`` ranks the differences with the zeros, which it then leaves out (Pratt 1959); tied
        ones have the mean of their ranks. Differences within the rounding of their terms are zeros, or ties.
    null : float
    alternative : {"two-sided", "less", "greater"}
    confidence_level : float
    overlap : float, optional
        Test subjects for each training subject, if groups are folds of one data set; ``corrected-t`` takes one part
        of G, tested by what the other parts taught, where it is not given.
    n_resamples : int, optional
        Random sign flips where more than 20,000 arrangements exist, 9999 if absent.
    rng : None, int or numpy.random.Generator
        None derives a seed from the values.
    unit : {"groups", "topics"}
        What the groups are called.

    Raises
    ------
    ParameterError
        If a choice is none of these.
    InsufficientDataError
        If there is one group only.
    """
    automatic = method == "auto"
    method = _checks.choice("method", method, ("auto", *METHODS))
    if automatic:
        method = "paired-t" if overlap is None else "corrected-t"
    side = cast("Alternative", _checks.choice("alternative", alternative, ALTERNATIVES))
    level = _checks.level("confidence_level", confidence_level)
    null = _checks.moderate_number("null", null)
    draws = 9999 if n_resamples is None else _checks.resamples(n_resamples)
    a, b = (np.asarray(side, float) for side in values)
    size = a.size
    if size < 2:
        raise InsufficientDataError(f"a test across {unit} needs at least 2 {unit}, got 1")
    scale = scale_of(a, b)
    d = differences(a, b, HAIR)
    distance = float(np.mean(d)) - null
    alike, none = not deviation(d, scale), abs(distance) <= HAIR * scale
    if automatic and method == "paired-t" and alike and not none:
        method = "sign-flip"  # no error shows how far the mean could be off
    share = 1 / size
    if method == "corrected-t" and overlap is None:
        share += 1 / (size - 1)
    elif overlap is not None and not method.endswith("paired-t"):
        # the interval of folds whatever the test, but for a t test asked for by name, whose own it is
        share += _checks.positive_number("overlap", overlap)
    error, degrees = float(deviation(d, scale)) * math.sqrt(share), float(size - 1)
    seed = None
    if alike and method in ("paired-t", "corrected-t"):
        tested = without_variance(distance, none, unit.removesuffix("s"))
    elif method == "corrected-t":
        tested = _by_t(distance, error, degrees, side)
    else:
        rng, seed = seeded(rng, lambda: _seed(a, b))
        unpaired = method == "unpaired-t"
        v, w = (a - null, b) if unpaired else _sides(_from_null(d, a, b, null))
        tested = on_positives(v, w, _SAME[method], side, draws, rng)
    if method == "unpaired-t":
        error = math.hypot(float(deviation(a)), float(deviation(b))) / math.sqrt(size)
        degrees = degrees if tested.degrees is None else tested.degrees
    # folds share their training data: their deviation is not that of independent differences
    spread = float(deviation(d, scale)) if method != "unpaired-t" and overlap is None else None
    return Comparison(
        metric,
        *named,
        (float(np.mean(a)), float(np.mean(b))),
        Difference(float(np.mean(d)), error, degrees, level),
        tested.statistic,
        tested.pvalue,
        alternative,
        null,
        method,
        unit=unit,
        paired=method != "unpaired-t",
        degrees_of_freedom=tested.degrees,
        n_resamples=tested.resamples,
        seed=None if tested.resamples is None else seed,
        cautions=_cautions(method, size, unit, folds=overlap is not None, alike=error == 0),
        n_groups=size,
        wins=int(np.sum(d > 0)),
        ties=int(np.sum(d == 0)),
        losses=int(np.sum(d < 0)),
        deviation=spread,
        residual=None if spread is None else spread / math.sqrt(2),
    )


def _from_null(d: Array, a: Array, b: Array, null: float) -> Array:
    """Return differences less the null difference: those that are rounding of their terms are 0, or the same."""
    terms = np.maximum(np.maximum(np.abs(a), np.abs(b)), abs(null))
    apart = np.where(np.abs(d - null) <= HAIR * terms, 0.0, d - null)
    # a difference is no nearer to another than the sum of their roundings
    order = np.argsort(np.abs(apart))
    size, rounding = np.abs(apart)[order], HAIR * terms[order]
    joined = np.diff(size, prepend=0.0) <= rounding
    joined[:1] = False
    starts = np.maximum.accumulate(np.where(joined, 0, np.arange(size.size)))
    out = np.empty_like(apart)
    out[order] = np.sign(apart[order]) * size[starts]
    return out


def _seed(a: Array, b: Array) -> int:
    """Return a seed that follows from the values, whichever ranker comes first."""
    a, b = (b, a) if is_turned(float(np.mean(a - b)), lambda: bytes_of(a), lambda: bytes_of(b)) else (a, b)
    return seed_of_values(a, b)


def _by_t(distance: float, error: float, degrees: float, alternative: Alternative) -> Outcome:
    t = distance / error
    return Outcome(t, t_p(t, degrees, alternative), degrees)


def _cautions(method: str, size: int, unit: str, *, folds: bool, alike: bool) -> tuple[str, ...]:
    cautions = []
    if folds and method != "corrected-t":
        cautions.append(
            f"folds share training data, but {method} assumes independent groups, so its p value is too small: use "
            "corrected-t"
        )
    if method in ("sign-flip", "wilcoxon") and size < _FEW:
        least = 2.0 ** (1 - size)
        cautions.append(f"with {size} {unit} no two-sided p value of this test is below {least:g}")
    if alike:
        cautions.append(f"all {unit} have the same difference: a standard error of 0, and an interval without width")
    if method == "unpaired-t":
        cautions.append(f"the pairing of the two rankers within {unit} is not used: paired-t usually has more power")
    return tuple(cautions)


def _sides(d: Array) -> tuple[Array, Array]:
    """Return what is above 0 and below it: of rankers that change places both do, to the last bit."""
    return np.maximum(d, 0.0), np.maximum(-d, 0.0)
