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
    rho = _checks.real_number("correlation", correlation)
    if not -1 <= rho <= 1:
        raise ParameterError(f"correlation must lie in [-1, 1], got {correlation!r}")
    if first.metric != second.metric:
        raise ParameterError(f"two estimates of one metric compare, got {first.metric} and {second.metric}")
    null = _checks.real_number("null", null)
    a, b = first.standard_error, second.standard_error
    error = math.sqrt(max(a * a + b * b - 2 * rho * a * b, 0.0))
    difference = Difference(first.value - second.value, error, math.inf, first.confidence_level)
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
        first.design,
        paired=False,
        n_pos=first.n_effective[0] + second.n_effective[0],
        n_neg=first.n_effective[1] + second.n_effective[1],
    )
