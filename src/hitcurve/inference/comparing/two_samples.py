"""Comparisons of two rankers that share no subjects, or of which only summary numbers are known."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, overload

from hitcurve import _checks
from hitcurve.errors import ParameterError, UndefinedMetricError
from hitcurve.inference.comparing.compare import METHODS
from hitcurve.inference.comparing.comparison import Comparison
from hitcurve.inference.comparing.formula import t_test
from hitcurve.inference.estimation.difference import Difference, widest_difference
from hitcurve.inference.estimation.estimate import Estimate
from hitcurve.inference.pvalues import ALTERNATIVES, Outcome, satterthwaite
from hitcurve.inference.rounding import subtracted
from hitcurve.metrics import Metric
from hitcurve.metrics import metric as named

_FEW = 20  # of a class: below, a test by formula may be off
_OF_TWO_SAMPLES = ("auto", "delta", "delong")


@overload
def compare_from_stats(
    first: Estimate,
    second: Estimate,
    /,
    *,
    correlation: float = ...,
    null: float = ...,
    alternative: str = ...,
    confidence_level: float | None = ...,
) -> Comparison: ...


@overload
def compare_from_stats(
    mean1: float,
    std1: float,
    nobs1: int,
    mean2: float,
    std2: float,
    nobs2: int,
    /,
    *,
    metric: str | Metric | None = ...,
    null: float = ...,
    alternative: str = ...,
    confidence_level: float | None = ...,
) -> Comparison: ...


def compare_from_stats(
    *stats: Any,
    correlation: float = 0.0,
    metric: str | Metric | None = None,
    null: float = 0.0,
    alternative: str = "two-sided",
    confidence_level: float | None = None,
) -> Comparison:
    """Compare two rankers from two estimates, or from means and standard deviations over groups.

    Two estimates have a normal test, with the standard error ``sqrt(a^2 + b^2 - 2 rho a b)``. Six numbers have Welch's
    t test, as ``scipy.stats.ttest_ind_from_stats`` with ``equal_var=False`` (for published means and deviations
    over folds see Swamidass et al. 2010).

    Parameters
    ----------
    first, second : Estimate
        Of the same metric.
    mean1, std1, nobs1, mean2, std2, nobs2 : float, float, int, float, float, int
        Instead of estimates, in this order and by position: mean and standard deviation (with divisor G - 1) of a
        metric over G groups, and G, for each ranker.
    correlation : float in [-1, 1]
        Of the two estimates; 0 for different subjects.
    metric : str or Metric, optional
        What the six numbers are of; it is printed, and its range ends the interval.
    null : float
        Difference under the null hypothesis.
    alternative : {"two-sided", "less", "greater"}
    confidence_level : float in (0, 1), optional
        That of the first estimate, or 0.95.

    Returns
    -------
    Comparison
        With ``unit="subjects"`` of estimates and ``unit="groups"`` of six numbers.

    Raises
    ------
    ParameterError
        If the metrics differ, a deviation is negative, a mean is outside the range of the metric, a number of groups is
        below 2, or an argument is out of range.

    See Also
    --------
    compare : With ``paired=False``, from the labels and scores of two samples.

    Examples
    --------
    >>> from hitcurve import evaluate
    >>> from hitcurve.datasets import mammography
    >>> ev = evaluate(tables=mammography(), metrics="ap")
    >>> for rho in (0.5, 0.7, 0.9):
    ...     d = compare_from_stats(ev["film", "ap"], ev["digital", "ap"], correlation=rho).difference
    ...     print(round(d.value, 4), round(d.standard_error, 4))
    0.022 0.0209
    0.022 0.0162
    0.022 0.0095
    >>> test = compare_from_stats(0.845, 0.02, 10, 0.852, 0.03, 10)
    >>> round(test.statistic, 3), round(test.degrees_of_freedom, 1), round(test.pvalue, 3)
    (-0.614, 15.7, 0.548)
    """
    _checks.choice("alternative", alternative, ALTERNATIVES)
    null = _checks.moderate_number("null", null)
    if len(stats) == 2:
        if metric is not None:
            raise ParameterError("metric is for six numbers, and estimates have their own: leave it out")
        return _of_estimates(*stats, correlation, null, alternative, confidence_level)
    if len(stats) != 6:
        raise ParameterError(
            "give two estimates, or six numbers (mean, standard deviation and number of groups of the first ranker, "
            f"then of the second), got {len(stats)}"
        )
    if _checks.real_number("correlation", correlation) != 0:
        raise ParameterError(f"correlation is for two estimates, got {correlation!r} with six numbers")
    level = _checks.level("confidence_level", 0.95 if confidence_level is None else confidence_level)
    return _of_summaries(stats, None if metric is None else named(metric), null, alternative, level)


def _of_estimates(
    first: Any, second: Any, correlation: float, null: float, alternative: str, confidence_level: float | None
) -> Comparison:
    for given in (first, second):
        if not isinstance(given, Estimate):
            raise ParameterError(f"two estimates compare, as evaluation['a', 'ap'], got {type(given).__name__}")
    rho = _checks.real_number("correlation", correlation)
    if not -1 <= rho <= 1:
        raise ParameterError(f"correlation must lie in [-1, 1], got {correlation!r}")
    if first.metric != second.metric:
        raise ParameterError(f"two estimates of one metric compare, got {first.metric} and {second.metric}")
    level = first.confidence_level if confidence_level is None else confidence_level
    _refuse_estimated_shares(first, second)
    a, b = first.standard_error, second.standard_error
    error = math.sqrt(max(a * a + b * b - 2 * rho * a * b, 0.0))
    difference = Difference(
        subtracted(first.value, second.value),
        error,
        confidence_level=_checks.level("confidence_level", level),
        limit=widest_difference(first.metric),
    )
    tested = t_test(difference, null, alternative, "subject of either sample")
    return _compared(first, second, difference, tested, alternative, null, "unpaired", correlation=rho)


def _refuse_estimated_shares(*estimates: Estimate) -> None:
    """Refuse two samples whose labels are corrected for estimated shares, whose errors they may have in common.

    Raises
    ------
    UndefinedMetricError
    """
    for estimate in estimates:
        errors = estimate.table.label_errors
        if errors is not None and (errors.contamination_error or errors.mislabelled_error):
            raise UndefinedMetricError(
                "two samples are not compared with estimated shares of wrong labels, whose errors they may have in "
                "common: give the shares without standard errors, or compare rankers of the same subjects"
            )


def _of_summaries(
    stats: tuple[Any, ...], metric: Metric | None, null: float, alternative: str, level: float
) -> Comparison:
    first, second = (_mean(value, metric) for value in stats[::3])
    s, r = (_checks.moderate_number("standard deviation", value) for value in stats[1::3])
    if s < 0 or r < 0:
        raise ParameterError(f"standard deviations must not be negative, got {stats[1]!r} and {stats[4]!r}")
    n, m = (_checks.whole_number("number of groups", value) for value in stats[2::3])
    if min(n, m) < 2:
        raise ParameterError(f"a standard deviation needs at least 2 groups, got {n} and {m}")
    unit = max(s, r) or 1.0  # squares of squares of deviations may be no floats
    u, v = (s / unit) ** 2 / n, (r / unit) ** 2 / m
    degrees = satterthwaite((u, v), (n - 1, m - 1)) if u + v > 0 else float(n + m - 2)
    limit = math.inf if metric is None else widest_difference(metric)
    difference = Difference(first - second, unit * math.sqrt(u + v), degrees, level, limit)
    tested = t_test(difference, null, alternative, "subject of either sample")
    return Comparison(
        metric,
        "first",
        "second",
        (first, second),
        difference,
        tested.statistic,
        tested.pvalue,
        alternative,
        null,
        "unpaired-t",
        unit="groups",
        paired=False,
        degrees_of_freedom=degrees,
        n_groups=n + m,
    )


def _mean(value: Any, metric: Metric | None) -> float:
    """Return a mean of a metric over groups, which lies where its values do.

    Raises
    ------
    ParameterError
    """
    number = _checks.moderate_number("mean", value)
    low, high = (-math.inf, math.inf) if metric is None else metric.range
    if not low <= number <= high:
        hint = _checks.in_percent(number) if high == 1 else ""
        raise ParameterError(f"values of {metric} lie in [{low:g}, {high:g}], and a mean is {value!r}{hint}")
    return number


def compare_samples(
    first: Estimate, second: Estimate, *, null: float = 0.0, alternative: str = "two-sided", method: str = "auto"
) -> Comparison:
    """Compare two estimates of different subjects; see :meth:`hitcurve.Evaluation.compare`.

    The variance of the difference is the sum of the two variances; the t statistic has Welch's degrees of freedom from
    the degrees of freedom of the two. By ``delong`` both variances are those of DeLong, and the statistic is normal.
    """
    _checks.choice("alternative", alternative, ALTERNATIVES)
    null = _checks.moderate_number("null", null)
    _checks.choice("method", method, METHODS)
    if method not in _OF_TWO_SAMPLES:
        raise ParameterError(
            f"method={method!r} needs rankers of the same subjects, and these rankers ranked different ones "
            "(paired=False): use 'delta'"
        )
    _refuse_estimated_shares(first, second)
    metric = first.metric
    if method == "delong":
        errors, degrees = [_error_of_delong(estimate) for estimate in (first, second)], math.inf
    else:
        errors = [first.standard_error, second.standard_error]
        degrees = satterthwaite([error**2 for error in errors], [first.degrees_of_freedom, second.degrees_of_freedom])
    value = subtracted(first.value, second.value)
    difference = Difference(value, math.hypot(*errors), degrees, first.confidence_level, widest_difference(metric))
    tested = t_test(difference, null, alternative, "subject of either sample")
    return _compared(first, second, difference, tested, alternative, null, "delong" if method == "delong" else "delta")


def _error_of_delong(estimate: Estimate) -> float:
    """Return the standard error of DeLong, DeLong and Clarke-Pearson (1988), of n - 1 per class.

    Raises
    ------
    ParameterError
        If the metric is not AUC, or subjects have weights or clusters.
    """
    if not estimate.metric.is_mann_whitney:
        raise ParameterError(f"method='delong' is for auc, not for {estimate.metric}: use 'delta'")
    if estimate.clustered or estimate.table.weighted:
        what = "clusters" if estimate.clustered else "weights"
        raise ParameterError(f"method='delong' of two samples cannot be combined with {what}: use 'delta'")
    error = estimate.confidence_interval(method="delong").standard_error
    assert error is not None
    return error


NOT_SHARED = (
    "counts do not identify the subjects that rankers share, so the rankers are compared as two samples; if they "
    "ranked the same subjects, give the correlation of the two values (correlation=, on the command line --correlation)"
)


def compare_counts(
    first: Estimate,
    second: Estimate,
    *,
    correlation: float | None = None,
    null: float = 0.0,
    alternative: str = "two-sided",
    method: str = "auto",
) -> Comparison:
    """Compare two estimates from counts, without subjects: as :func:`compare_from_stats`, and say so.

    Raises
    ------
    ParameterError
        If the method needs subjects, or an argument is out of range.
    """
    _checks.choice("method", method, METHODS)
    if method != "auto":
        raise ParameterError(
            f"method={method!r} needs the subjects of both rankers, and counts hold none: leave it out for the test of "
            "two samples"
        )
    given = 0.0 if correlation is None else correlation
    found = compare_from_stats(first, second, correlation=given, null=null, alternative=alternative)
    return found if correlation is not None else replace(found, cautions=(*found.cautions, NOT_SHARED))


def _compared(
    first: Estimate,
    second: Estimate,
    difference: Difference,
    tested: Outcome,
    alternative: str,
    null: float,
    method: str,
    *,
    correlation: float | None = None,
) -> Comparison:
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
        method,
        paired=False,
        degrees_of_freedom=tested.degrees,
        cautions=tuple(dict.fromkeys(_few(first) + _few(second))),
        design=first.design if first.design == second.design else f"{first.design} and {second.design}",
        n_pos=first.n_effective[0] + second.n_effective[0],
        n_neg=first.n_effective[1] + second.n_effective[1],
        clustered=first.clustered or second.clustered,
        correlation=correlation,
    )


def _few(e: Estimate) -> list[str]:
    fewest = min(e.n_effective)
    lacking = "positives" if fewest == e.n_effective[0] else "negatives"
    return (
        [f"only {fewest:.3g} {lacking} of {e.ranker}, so a test by formula may be inaccurate"] if fewest < _FEW else []
    )
