"""Tests of a difference from its standard error."""

from __future__ import annotations

import math

from hitcurve import _checks
from hitcurve.errors import ParameterError
from hitcurve.inference.chance import ALTERNATIVES, normal_p
from hitcurve.inference.comparison import Comparison, Difference
from hitcurve.inference.estimate import Estimate
from hitcurve.inference.permute import Tested, without_variance


def t_test(difference: Difference, null: float, alternative: str) -> Tested:
    """Test whether a difference is the null difference, from its standard error."""
    distance, degrees = difference.value - null, difference.degrees_of_freedom
    if difference.standard_error == 0:
        return without_variance(distance, alternative)
    t = distance / difference.standard_error
    return Tested(t, t_p(t, degrees, alternative), None if math.isinf(degrees) else degrees)


def t_p(t: float, degrees: float, alternative: str) -> float:
    """Return the p value of a t statistic, of a normal one where degrees are infinite."""
    if math.isinf(degrees):
        return normal_p(t, alternative)
    from scipy.special import stdtr

    tails = {"greater": stdtr(degrees, -t), "less": stdtr(degrees, t), "two-sided": 2 * stdtr(degrees, -abs(t))}
    return float(tails[alternative])


def unpaired_difference(
    first: Estimate, second: Estimate, *, correlation: float = 0.0, null: float = 0.0, alternative: str = "two-sided"
) -> Comparison:
    """Compare two estimates of different subjects, or of which only a correlation is known.

    Parameters
    ----------
    first, second : Estimate
        Of the same metric.
    correlation : float in [-1, 1]
        Of the two estimates; 0 for different subjects.
    null : float
    alternative : {"two-sided", "less", "greater"}

    Raises
    ------
    ParameterError
        If the metrics differ or an argument is out of range.

    Examples
    --------
    >>> from hitcurve import evaluate
    >>> from hitcurve.datasets import mammography
    >>> ev = evaluate(tables=mammography(), metrics="ap")
    >>> for rho in (0.5, 0.7, 0.9):
    ...     d = unpaired_difference(ev["film", "ap"], ev["digital", "ap"], correlation=rho).difference
    ...     print(round(d.value, 4), round(d.standard_error, 4))
    0.022 0.0209
    0.022 0.0162
    0.022 0.0095
    """
    _checks.choice("alternative", alternative, ALTERNATIVES)
    for given in (first, second):
        if not isinstance(given, Estimate):
            raise ParameterError(f"two estimates compare, as evaluation['a', 'ap'], got {type(given).__name__}")
    rho = _checks.real_number("correlation", correlation)
    if not -1 <= rho <= 1:
        raise ParameterError(f"correlation must lie in [-1, 1], got {correlation!r}")
    if first.metric != second.metric:
        raise ParameterError(f"two estimates of one metric compare, got {first.metric} and {second.metric}")
    null = _checks.real_number("null", null)
    a, b = first.standard_error, second.standard_error
    error = math.sqrt(max(a * a + b * b - 2 * rho * a * b, 0.0))
    low, high = first.metric.range
    limit = high - low if math.isfinite(high - low) else math.inf
    difference = Difference(first.value - second.value, error, math.inf, first.confidence_level, limit)
    tested = t_test(difference, null, alternative)
    return Comparison(
        first.metric,
        first.ranker,
        second.ranker,
        (first.value, second.value),
        difference,
        tested.statistic,
        tested.pvalue,
        alternative,
        null,
        "unpaired",
        first.design if first.design == second.design else f"{first.design} and {second.design}",
        paired=False,
        n_pos=first.n_effective[0] + second.n_effective[0],
        n_neg=first.n_effective[1] + second.n_effective[1],
        cautions=tuple(dict.fromkeys(_few(first) + _few(second))),
        correlation=rho,
    )


def _few(e: Estimate) -> list[str]:
    fewest = min(e.n_effective)
    who = "positives" if fewest == e.n_effective[0] else "negatives"
    return [f"only {fewest:.3g} {who} of {e.ranker}, where a normal test may be off"] if fewest < 20 else []
