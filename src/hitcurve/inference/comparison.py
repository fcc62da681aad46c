"""A difference of two rankers and the test of it, as a value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from hitcurve import _checks, rows
from hitcurve.inference.interval import ConfidenceInterval
from hitcurve.inference.permute import SIX
from hitcurve.inference.quantiles import t_quantile
from hitcurve.metrics import Metric


@dataclass(frozen=True)
class Difference:
    """A difference of two estimates, first minus second.

    Attributes
    ----------
    value : float
    standard_error : float
        nan where the method gives none.
    degrees_of_freedom : float
        Of the t quantile of its interval; inf for a normal one.
    confidence_level : float
    limit : float
        The largest difference that the range of the metric allows; intervals end there.
    """

    value: float
    standard_error: float
    degrees_of_freedom: float = math.inf
    confidence_level: float = 0.95
    limit: float = math.inf

    def confidence_interval(self, confidence_level: float | None = None) -> ConfidenceInterval:
        """Return the interval value -+ t standard errors.

        Raises
        ------
        ParameterError
            If the level is not in (0, 1).
        """
        level = self.confidence_level if confidence_level is None else confidence_level
        level = _checks.open_unit("confidence_level", level)
        if self.standard_error == 0:
            return ConfidenceInterval(self.value, self.value)
        half = t_quantile((1 + level) / 2, self.degrees_of_freedom) * self.standard_error
        return self.within(half)

    def within(self, half: float) -> ConfidenceInterval:
        """Return the interval of a half width, inside what the range of the metric allows."""
        return ConfidenceInterval(max(self.value - half, -self.limit), min(self.value + half, self.limit))

    def __float__(self) -> float:
        """Return the value."""
        return self.value


@dataclass(frozen=True)
class Comparison:
    """A test of the difference of two rankers by one metric.

    Attributes
    ----------
    metric : Metric
    first, second : str
        The rankers; the difference is first minus second.
    values : (float, float)
        The metric of each.
    difference : Difference
    statistic : float
        Of the test: t, z, a rank statistic, or the difference itself where arrangements are counted.
    degrees_of_freedom : float or None
        Of the test, None where it has none.
    pvalue : float
    alternative : {"two-sided", "less", "greater"}
        ``greater``: the first is better.
    null : float
        Difference under the null hypothesis.
    method : str
        The test, what ``auto`` became.
    design : {"cohort", "case-control"}
    paired : bool
        Whether both ranked the same subjects.
    n_pos, n_neg : float
    n_resamples : int or None
        Random arrangements or replicates, None if exact or by formula.
    cautions : tuple of str
        Where the test is less than its name.
    adjusted : float or None
        p value adjusted for the other comparisons made with it.
    adjustment : str or None
    simultaneous : ConfidenceInterval or None
        Interval that holds together with those of the other comparisons.
    clustered : bool
        Whether subjects depend on each other within clusters.
    correlation : float or None
        Of two estimates without common subjects, as it was given.
    """

    metric: Metric
    first: str
    second: str
    values: tuple[float, float]
    difference: Difference
    statistic: float
    pvalue: float
    alternative: str
    null: float
    method: str
    design: str
    paired: bool
    n_pos: float
    n_neg: float
    degrees_of_freedom: float | None = None
    n_resamples: int | None = None
    cautions: tuple[str, ...] = ()
    adjusted: float | None = None
    adjustment: str | None = None
    simultaneous: ConfidenceInterval | None = None
    clustered: bool = False
    correlation: float | None = None

    @property
    def pvalue_error(self) -> float | None:
        """Monte Carlo standard error of the p value, None if no arrangement was drawn."""
        if self.n_resamples is None or self.method == "bootstrap":
            return None
        return math.sqrt(self.pvalue * (1 - self.pvalue) / (self.n_resamples + 1))

    def __str__(self) -> str:
        """Return the test as tests are printed."""
        d = self.difference
        lines = [
            f"{_TITLES[self.method]} of {self.metric}: {self.first} - {self.second}",
            f"  values          {rows.number(self.values[0])} and {rows.number(self.values[1])}",
            f"  difference      {rows.number(d.value)}{self._error_text}",
            f"  {100 * d.confidence_level:g}% interval    {self._interval_text}",
            f"  null, against   {rows.short(self.null)}, {self.alternative}",
            f"  statistic       {rows.number(self.statistic)}{self._degrees_text}",
            f"  p value         {self._p_text}",
            f"  design          {self.design}, {'paired' if self.paired else 'unpaired'}, {self._subjects_text}",
            f"  assumes         {self._assumption}",
        ]
        if self.adjusted is not None:
            lines.insert(7, f"  adjusted p      {rows.short(self.adjusted)} ({self.adjustment})")
        if self.simultaneous is not None:
            low, high = self.simultaneous
            lines.insert(4, f"  simultaneous    {rows.number(low)} to {rows.number(high)}")
        return "\n".join([*lines, *(f"  note            {text}" for text in self.cautions)])

    @property
    def _subjects_text(self) -> str:
        clustered = "clustered, " if self.clustered else ""
        together = " in all" if self.method == "unpaired" else ""
        return (
            f"{clustered}{rows.count(round(self.n_pos, 2))} positives, {rows.count(round(self.n_neg, 2))} "
            f"negatives{together}"
        )

    @property
    def _assumption(self) -> str:
        if self.correlation is not None:
            return f"{_ASSUMES[self.method]} {rows.short(self.correlation)}"
        return (
            _ASSUMES[self.method].replace("subjects are", "clusters are") if self.clustered else _ASSUMES[self.method]
        )

    @property
    def _error_text(self) -> str:
        error = self.difference.standard_error
        return "" if math.isnan(error) else f" (standard error {rows.number(error)})"

    @property
    def _interval_text(self) -> str:
        if math.isnan(self.difference.standard_error):
            return "none by this method"
        low, high = self.difference.confidence_interval()
        return f"{rows.number(low)} to {rows.number(high)}{self._by_formula}"

    @property
    def _by_formula(self) -> str:
        """Where the interval comes from, if not from the test."""
        return " (by influence values)" if self.method == "swap-permutation" or self.method in SIX else ""

    @property
    def _degrees_text(self) -> str:
        return "" if self.degrees_of_freedom is None else f" on {self.degrees_of_freedom:.1f} degrees of freedom"

    @property
    def _p_text(self) -> str:
        error = self.pvalue_error
        return rows.short(self.pvalue) + ("" if error is None else f" (Monte Carlo error {rows.short(error, 2)})")

    @property
    def _whose(self) -> str:
        if self.method != "unpaired":
            return "the same"
        return "together" if self.correlation else "different subjects, together"

    def to_dict(self) -> dict[str, Any]:
        """Return the test as plain values; what it does not have is absent."""
        d = self.difference
        out: dict[str, Any] = {
            "metric": str(self.metric),
            "first": self.first,
            "second": self.second,
            "difference": d.value,
            "statistic": self.statistic,
            "pvalue": self.pvalue,
            "alternative": self.alternative,
            "null": self.null,
            "method": self.method,
            "design": self.design,
            "paired": self.paired,
        }
        if not math.isnan(d.standard_error):
            low, high = d.confidence_interval()
            out |= {"standard_error": d.standard_error, "low": low, "high": high, "level": d.confidence_level}
        optional = {
            "degrees_of_freedom": self.degrees_of_freedom,
            "n_resamples": self.n_resamples,
            "pvalue_error": self.pvalue_error,
            "adjusted": self.adjusted,
            "adjustment": self.adjustment,
            "correlation": self.correlation,
        }
        if self.simultaneous is not None:
            optional |= {"simultaneous_low": self.simultaneous.low, "simultaneous_high": self.simultaneous.high}
        out |= {key: value for key, value in optional.items() if value is not None}
        out |= {"clustered": True} if self.clustered else {}
        return out | ({"cautions": list(self.cautions)} if self.cautions else {})

    def methods_text(self) -> str:
        """Return the test in words, for a paper."""
        d = self.difference
        by = (_BY_CLUSTER if self.clustered else _IN_WORDS)[self.method]
        interval = ""
        if not math.isnan(d.standard_error):
            low, high = d.confidence_interval()
            interval = (
                f" ({100 * d.confidence_level:g}% confidence interval{self._by_formula.translate(_NO_BRACKETS)} "
                f"{rows.number(low)} to {rows.number(high)})"
            )
        resamples = f" with {self.n_resamples:,} random draws" if self.n_resamples else ""
        return (
            f"The difference in {self.metric.summary or self.metric.name} ({self.metric}) between {self.first} and "
            f"{self.second} was {rows.number(d.value)}{interval}, {self.alternative} p = {rows.short(self.pvalue)}, by "
            f"{by}{resamples}; {self._whose} "
            f"{rows.count(round(self.n_pos, 2))} positives and {rows.count(round(self.n_neg, 2))} negatives"
            f"{', taken as unpaired' if self.method.startswith('unpaired-') else ''}, {self.design} design."
        )


_NO_BRACKETS = str.maketrans("", "", "()")
_TITLES = {
    "delta": "Influence test",
    "delong": "DeLong test",
    "bootstrap": "Bootstrap test",
    "swap-permutation": "Swap permutation test",
    "unpaired": "Test of two samples",
    **{name: f"{name.replace('-', ' ').capitalize()} test on the positives" for name in SIX},
}
_ASSUMES = {
    "delta": "subjects are drawn independently; both classes are sampled",
    "delong": "subjects are drawn independently; normal statistic",
    "bootstrap": "subjects are drawn independently; normal statistic with the bootstrap's standard error",
    "swap-permutation": "under the null the two rankers are exchangeable subject by subject",
    "unpaired": "the two estimates are normal, with correlation",
    **dict.fromkeys(SIX, "negatives are fixed: right only where positives are few among many negatives"),
}
_BY_CLUSTER = {
    "delta": "a t test on influence values summed by cluster, on the clusters that hold a positive less one",
    "bootstrap": "a bootstrap over clusters",
}
_IN_WORDS = {
    "delta": "a test on influence values with a Welch-Satterthwaite t statistic",
    "delong": "the test of DeLong, DeLong and Clarke-Pearson (1988)",
    "bootstrap": "a bootstrap over subjects",
    "swap-permutation": "a permutation test that swaps the two normalised ranks of subjects",
    "unpaired": "a normal test of two estimates",
    **{name: f"a {name.replace('-', ' ')} test on what the positives are worth" for name in SIX},
}
