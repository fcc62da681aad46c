"""Tests of two rankers on what they reach group by group."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.inference import Difference
from hitcurve.inference.chance import ALTERNATIVES, Alternative
from hitcurve.inference.formula import t_p
from hitcurve.inference.permute import Tested, on_positives, without_variance
from hitcurve.metrics import Metric

METHODS = ("paired-t", "corrected-t", "wilcoxon", "sign-flip", "unpaired-t")
_SAME = {
    "paired-t": "paired-t",
    "wilcoxon": "paired-wilcoxon",
    "sign-flip": "paired-permutation",
    "unpaired-t": "unpaired-t",
}
_FEW = 6  # groups: the smallest two-sided p of a sign flip with five is 1/16


@dataclass(frozen=True)
class GroupComparison:
    """A test of the difference of two rankers across groups.

    Attributes
    ----------
    metric : Metric
    first, second : str
        The difference is first minus second.
    values : (float, float)
        The mean over groups of each.
    difference : Difference
        Of the means, with the standard error over samples of groups.
    statistic, pvalue : float
    degrees_of_freedom : float or None
    alternative : {"two-sided", "less", "greater"}
    null : float
    method : {"paired-t", "corrected-t", "wilcoxon", "sign-flip", "unpaired-t"}
    n_groups : int
    wins, ties, losses : int
        In how many groups the first is better, equal, worse.
    n_resamples : int or None
        Random sign flips, None where all were counted or none were needed.
    cautions : tuple of str
    adjusted : float or None
        p value adjusted for the other comparisons made with it.
    adjustment : str or None
    """

    metric: Metric
    first: str
    second: str
    values: tuple[float, float]
    difference: Difference
    statistic: float
    pvalue: float
    degrees_of_freedom: float | None
    alternative: str
    null: float
    method: str
    n_groups: int
    wins: int
    ties: int
    losses: int
    n_resamples: int | None = None
    cautions: tuple[str, ...] = ()
    adjusted: float | None = None
    adjustment: str | None = None

    def __str__(self) -> str:
        """Return the test as tests are printed."""
        d = self.difference
        low, high = d.confidence_interval()
        degrees = (
            "" if self.degrees_of_freedom is None else f" on {rows.short(self.degrees_of_freedom)} degrees of freedom"
        )
        drawn = "" if self.n_resamples is None else f" ({self.n_resamples:,} random sign flips)"
        lines = [
            f"{_TITLES[self.method]} of {self.metric} across {self.n_groups} groups: {self.first} - {self.second}",
            f"  means           {rows.number(self.values[0])} and {rows.number(self.values[1])}",
            f"  difference      {rows.number(d.value)} (standard error {rows.number(d.standard_error)})",
            f"  {100 * d.confidence_level:g}% interval    {rows.number(low)} to {rows.number(high)}",
            f"  wins            {self.wins} {self.first}, {self.losses} {self.second}, {self.ties} equal",
            f"  null, against   {rows.short(self.null)}, {self.alternative}",
            f"  statistic       {rows.number(self.statistic)}{degrees}",
            f"  p value         {rows.short(self.pvalue)}{drawn}",
            f"  assumes         {_ASSUMES[self.method]}",
        ]
        if self.adjusted is not None:
            lines.insert(8, f"  adjusted p      {rows.short(self.adjusted)} ({self.adjustment})")
        return "\n".join([*lines, *(f"  note            {text}" for text in self.cautions)])

    def to_dict(self) -> dict[str, Any]:
        """Return the test as plain values; what it does not have is absent."""
        d = self.difference
        low, high = d.confidence_interval()
        out: dict[str, Any] = {
            "metric": str(self.metric),
            "first": self.first,
            "second": self.second,
            "difference": d.value,
            "standard_error": d.standard_error,
            "low": low,
            "high": high,
            "level": d.confidence_level,
            "statistic": self.statistic,
            "pvalue": self.pvalue,
            "alternative": self.alternative,
            "null": self.null,
            "method": self.method,
            "n_groups": self.n_groups,
            "wins": self.wins,
            "ties": self.ties,
            "losses": self.losses,
        }
        optional = {
            "degrees_of_freedom": self.degrees_of_freedom,
            "n_resamples": self.n_resamples,
            "adjusted": self.adjusted,
            "adjustment": self.adjustment,
        }
        out |= {key: value for key, value in optional.items() if value is not None}
        return out | ({"cautions": list(self.cautions)} if self.cautions else {})

    def methods_text(self) -> str:
        """Return the test in words, for a paper."""
        d = self.difference
        low, high = d.confidence_interval()
        return (
            f"The mean difference in {self.metric.summary or self.metric.name} ({self.metric}) between {self.first} "
            f"and {self.second} over {self.n_groups} groups was {rows.number(d.value)} ({100 * d.confidence_level:g}% "
            f"confidence interval {rows.number(low)} to {rows.number(high)}), {self.alternative} p = "
            f"{rows.short(self.pvalue)}, by {_IN_WORDS[self.method]}; {self.first} was better in {self.wins}, "
            f"{self.second} in {self.losses} and {self.ties} were equal."
        )


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
) -> GroupComparison:
    """Test the mean difference of the values of two rankers in the same groups.

    Parameters
    ----------
    metric : Metric
    named : (str, str)
        The rankers, first and second.
    values : (array (G,), array (G,))
    method : {"auto", "paired-t", "corrected-t", "wilcoxon", "sign-flip", "unpaired-t"}
        ``auto`` is ``paired-t``.
    null : float
    alternative : {"two-sided", "less", "greater"}
    confidence_level : float
    overlap : float, optional
        Test subjects for each training subject, what ``corrected-t`` needs.
    n_resamples : int, optional
        Random sign flips where more than 20,000 arrangements exist, 9999 if absent.
    rng : None, int or numpy.random.Generator

    Raises
    ------
    ParameterError
        If a choice is none of these.
    InsufficientDataError
        If there is one group only.
    """
    method = METHODS[0] if method == "auto" else _checks.choice("method", method, ("auto", *METHODS))
    side = cast("Alternative", _checks.choice("alternative", alternative, ALTERNATIVES))
    level = _checks.open_unit("confidence_level", confidence_level)
    null = _checks.real_number("null", null)
    draws = 9999 if n_resamples is None else _checks.whole_number("n_resamples", n_resamples)
    a, b = (np.asarray(side, float) for side in values)
    size = a.size
    if size < 2:
        raise InsufficientDataError("one group says nothing of how much groups vary: a test across groups takes two")
    d = a - b
    share = 1 / size
    if method == "corrected-t":
        share += _checks.positive_number("overlap", overlap) if overlap is not None else 1 / (size - 1)
    spread = float(np.var(d, ddof=1))
    error, degrees = math.sqrt(spread * share), float(size - 1)
    if method == "corrected-t":
        tested = _by_t(float(np.mean(d)) - null, error, degrees, side)
    else:
        tested = on_positives(a - null, b, _SAME[method], side, draws, rng)
    if method == "unpaired-t":
        error = math.sqrt((float(np.var(a, ddof=1)) + float(np.var(b, ddof=1))) / size)
        degrees = degrees if tested.degrees is None else tested.degrees
    hair = 1e-12
    return GroupComparison(
        metric,
        *named,
        (float(np.mean(a)), float(np.mean(b))),
        Difference(float(np.mean(d)), error, degrees, level),
        tested.statistic,
        tested.pvalue,
        tested.degrees,
        alternative,
        null,
        method,
        size,
        int(np.sum(d > hair)),
        int(np.sum(np.abs(d) <= hair)),
        int(np.sum(d < -hair)),
        tested.resamples,
        _cautions(method, size),
    )


def unpaired_summaries(
    means: tuple[float, float], deviations: tuple[float, float], n_groups: tuple[int, int]
) -> tuple[float, float, float]:
    """Test two rankers of which only mean and standard deviation over folds are known (Swamidass et al. 2010).

    Parameters
    ----------
    means, deviations : (float, float)
        Over the folds, the deviation with divisor G - 1.
    n_groups : (int, int)

    Returns
    -------
    statistic, degrees_of_freedom, pvalue : float
        Welch's t, and the two-sided p value.

    Raises
    ------
    ParameterError
        If a deviation is negative, or a number of folds is below 2.

    Examples
    --------
    >>> t, degrees, p = unpaired_summaries((0.845, 0.852), (0.02, 0.03), (10, 10))
    >>> round(t, 3), round(degrees, 1), round(p, 3)
    (-0.614, 15.7, 0.548)
    """
    from scipy import stats

    first, second = (_checks.real_number("mean", value) for value in means)
    s, r = (_checks.real_number("standard deviation", value) for value in deviations)
    if s < 0 or r < 0:
        raise ParameterError(f"standard deviations must not be negative, got {deviations!r}")
    n, m = (_checks.whole_number("n_groups", value) for value in n_groups)
    if min(n, m) < 2:
        raise ParameterError(f"a standard deviation takes two folds, got {n_groups!r}")
    if s == r == 0:
        tested = without_variance(first - second, "two-sided")
        return tested.statistic, float(n + m - 2), tested.pvalue
    found = stats.ttest_ind_from_stats(first, s, n, second, r, m, equal_var=False)
    u, v = s * s / n, r * r / m
    degrees = (u + v) ** 2 / (u * u / (n - 1) + v * v / (m - 1))
    return float(found.statistic), degrees, float(found.pvalue)


def _by_t(distance: float, error: float, degrees: float, alternative: Alternative) -> Tested:
    if error <= 1e-12:
        return without_variance(distance, alternative)
    t = distance / error
    return Tested(t, t_p(t, degrees, alternative), degrees)


def _cautions(method: str, size: int) -> tuple[str, ...]:
    said = []
    if method in ("sign-flip", "wilcoxon") and size < _FEW:
        least = 2.0 ** (1 - size)
        said.append(f"with {size} groups no two-sided p value of this test is below {least:g}")
    if method == "unpaired-t":
        said.append("what the two rankers share in a group is not used: the paired t test is sharper")
    return tuple(said)


_TITLES = {
    "paired-t": "Paired t test",
    "corrected-t": "Corrected resampled t test",
    "wilcoxon": "Wilcoxon signed-rank test",
    "sign-flip": "Sign-flip permutation test",
    "unpaired-t": "Unpaired t test",
}
_ASSUMES = {
    "paired-t": "groups are independent, as folds of one data set are not (corrected-t)",
    "corrected-t": "folds that share their training data (Nadeau and Bengio 2003)",
    "wilcoxon": "groups are independent; differences are symmetric around the null",
    "sign-flip": "groups are independent; under the null the two rankers are exchangeable in each",
    "unpaired-t": "groups are independent",
}
_IN_WORDS = {
    "paired-t": "a paired t test",
    "corrected-t": "the corrected resampled t test of Nadeau and Bengio (2003)",
    "wilcoxon": "a Wilcoxon signed-rank test (zeros after Pratt)",
    "sign-flip": "a sign-flip permutation test",
    "unpaired-t": "Welch's t test of the values of the groups",
}
