"""A test of two rankers, as a value."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hitcurve import rows
from hitcurve.errors import ParameterError
from hitcurve.inference.comparing import wording
from hitcurve.inference.comparing.comparison_words import ComparisonInWords
from hitcurve.inference.estimation.difference import Difference
from hitcurve.inference.intervals.interval import ConfidenceInterval
from hitcurve.inference.pvalues import MIRRORED
from hitcurve.metrics import Metric

if TYPE_CHECKING:
    from hitcurve.inference.comparing.comparisons import Comparisons


@dataclass(frozen=True, eq=False)
class Comparison(ComparisonInWords):
    """A test of the difference of two rankers by one metric: over subjects, or over groups of subjects.

    Attributes
    ----------
    metric : Metric or None
        None if only summary numbers were given.
    first, second : str
        The rankers; the difference is first minus second.
    values : (float, float)
        The metric of each; its means over groups if the unit is groups.
    difference : Difference
    statistic : float
        Of the test: t, z, a rank statistic, or the difference itself where arrangements are counted.
    pvalue : float
    alternative : {"two-sided", "less", "greater"}
        ``greater``: the first is better.
    null : float
        Difference under the null hypothesis.
    method : str
        The test; what ``auto`` became.
    unit : {"subjects", "groups", "topics"}
        Sampling unit: the standard error describes how the difference varies over samples of subjects, of groups, or
        of topics (the groups of runs).
    paired : bool
        Whether both ranked the same subjects, or were compared group by group.
    degrees_of_freedom : float or None
        Of the test, None where it has none.
    n_resamples : int or None
        Random arrangements or replicates, None if exact or by formula.
    seed : int or None
        Seed of what was drawn: given, or derived from the data. None if nothing was drawn, a generator was given, or
        each ranker has its own (``inversion``).
    cautions : tuple of str
        Caveats on the validity of the test.
    adjusted : float or None
        p value adjusted for the other comparisons made with it.
    adjustment : str or None
    adjustment_draws : int or None
        Random draws behind the adjusted p value, which is at least 1/(draws + 1); None if it is by formula.
    simultaneous : ConfidenceInterval or None
        Interval that is simultaneous with the intervals of the other comparisons.
    design : str or None
        Of subjects: ``cohort`` or ``case-control``.
    n_pos, n_neg : float
        Of subjects: positives and negatives, of both samples together if unpaired; of weights, the numbers of equal
        weights that vary as much; nan of groups.
    clustered : bool
        Whether subjects within clusters are dependent.
    correlation : float or None
        Of two estimates without common subjects, as it was given.
    n_groups : int
        Of groups: how many; of both samples together if two samples of groups were given.
    wins, ties, losses : int
        Number of groups in which the first is better, equal, worse; all 0 if the values of the groups are unknown.
    deviation : float or None
        Of paired groups: standard deviation of the differences.
    residual : float or None
        Of paired groups: standard deviation of the values without the effects of rankers and of groups (two-way
        analysis of variance), of these two rankers or of all that were compared.
    """

    metric: Metric | None
    first: str
    second: str
    values: tuple[float, float]
    difference: Difference
    statistic: float
    pvalue: float
    alternative: str
    null: float
    method: str
    unit: str = "subjects"
    paired: bool = True
    degrees_of_freedom: float | None = None
    n_resamples: int | None = None
    seed: int | None = None
    cautions: tuple[str, ...] = ()
    adjusted: float | None = None
    adjustment: str | None = None
    simultaneous: ConfidenceInterval | None = None
    design: str | None = None
    n_pos: float = math.nan
    n_neg: float = math.nan
    clustered: bool = False
    correlation: float | None = None
    n_groups: int = 0
    wins: int = 0
    ties: int = 0
    losses: int = 0
    adjustment_draws: int | None = None
    deviation: float | None = None
    residual: float | None = None

    @property
    def pvalue_error(self) -> float | None:
        """Monte Carlo standard error of the p value, None if no arrangement was drawn."""
        if self.n_resamples is None or self.method in ("bootstrap", "inversion"):
            return None
        return math.sqrt(self.pvalue * (1 - self.pvalue) / (self.n_resamples + 1))

    @property
    def decisive_pvalue(self) -> float:
        """The adjusted p value if there is one, else the p value."""
        return self.pvalue if self.adjusted is None else self.adjusted

    @property
    def effect_size(self) -> float | None:
        """Cohen's d of paired differences over groups: their mean by their standard deviation; None if there is none.

        None where groups are not paired, or are folds of one data set, or do not differ in their difference.
        """
        return self.effect(self.deviation)

    @property
    def standardized_effect(self) -> float | None:
        """The mean difference by the residual standard deviation of the values, once rankers and groups are taken out.

        Of two rankers this is the effect size times the square root of 2; of all rankers of a table of comparisons the
        deviation is the same for each pair. None where there is none.
        """
        return self.effect(self.residual)

    def effect(self, deviation: float | None) -> float | None:
        """Return the difference divided by a standard deviation; None if the deviation is unknown or 0."""
        return self.difference.value / deviation if deviation else None

    @property
    def title(self) -> str:
        """Name of the test."""
        if self.correlation:
            return "Test of two correlated estimates"
        return wording.title(self.unit, self.method)

    @property
    def assumption(self) -> str:
        """What the test assumes."""
        return wording.assumes(self.unit, self.method, clustered=self.clustered, correlation=self.correlation)

    @property
    def design_text(self) -> str:
        """The design in words: pairing and number of subjects; empty of groups."""
        return "" if self.over_groups else f"{self.design}, {self._pairing}, {self._subjects_text}"

    def mirrored(self) -> Comparison:
        """Return the test of the second minus the first.

        Raises
        ------
        ParameterError
            If its statistic is a rank sum, which does not determine the statistic of the other order.
        """
        if self.method.endswith("wilcoxon"):
            raise ParameterError(
                f"the statistic of {self.method!r} is a sum of ranks of {self.first!r} - {self.second!r} and does not "
                "give the statistic of the other order: request the pair in this order, or compare the rankers in "
                "the other"
            )
        together = self.simultaneous
        return replace(
            self,
            first=self.second,
            second=self.first,
            values=(self.values[1], self.values[0]),
            difference=self.difference.mirrored(),
            statistic=-self.statistic + 0.0,
            alternative=MIRRORED[self.alternative],
            null=-self.null + 0.0,
            simultaneous=None if together is None else ConfidenceInterval(-together.high, -together.low),
            wins=self.losses,
            losses=self.wins,
        )

    def __str__(self) -> str:
        """Return the test as tests are printed."""
        printed = [f"  {name:<15} {text}" for name, text in self._lines().items()]
        notes = [f"  note            {text}" for text in self.cautions]
        return rows.text_lines([self._heading, *printed, *notes])

    def _repr_html_(self) -> str:
        """Return the test as a table of a notebook."""
        body = [[name, text] for name, text in (*self._lines().items(), *(("note", text) for text in self.cautions))]
        return rows.html_block([rows.html_paragraphs([self._heading]), rows.html_table([], body)])

    def to_html(self) -> str:
        """Return the test as a table in HTML, a line for each of its numbers."""
        return self._repr_html_()

    def to_markdown(self) -> str:
        """Return the test as a table of one row in Markdown, as :meth:`hitcurve.Comparisons.to_markdown` does."""
        return self._alone.to_markdown()

    def to_latex(self) -> str:
        r"""Return the test as a table of one row for the booktabs package, with title and notes as comments.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> from hitcurve.datasets import mammography
        >>> test = evaluate(tables=mammography(), metrics="auc").compare("digital", "film", "auc")
        >>> print("\n".join(test.to_latex().splitlines()[3:6]))
        first & second & difference [95\% interval] & p & test \\
        \midrule
        digital & film & 0.01782 [-0.0253, 0.0609] & 0.4181 & unpaired \\
        """
        return self._alone.to_latex()

    @property
    def _alone(self) -> Comparisons:
        from hitcurve.inference.comparing.comparisons import Comparisons  # which are made of this

        return Comparisons((self,))

    @property
    def _heading(self) -> str:
        what = "" if self.metric is None else f" of {self.metric}"
        across = f" across {self.n_groups:,} {self.called}" if self.over_groups else ""
        return f"{self.title}{what}{across}: {self.first} - {self.second}"

    def _lines(self) -> dict[str, str]:
        """Return the printed lines of the test, by name."""
        d = self.difference
        lines = {
            "means" if self.over_groups else "values": " and ".join(map(rows.number, self.values)),
            "difference": f"{rows.number(d.value)}{self._error_text}",
            f"{100 * d.confidence_level:g}% interval": self._interval_text,
            "simultaneous": self._simultaneous_text,
            "effect size": self._effect_text,
            "wins": self._wins_text,
            "null, against": f"{rows.short(self.null)}, {self.alternative}",
            "statistic": f"{rows.number(self.statistic)}{self._degrees_text}",
            "p value": self._p_text,
            "adjusted p": "" if self.adjusted is None else f"{self.adjusted_text} ({self.adjustment})",
            "random draws": self.draws_text,
            "design": self.design_text,
            "assumes": self.assumption,
        }
        return {name: text for name, text in lines.items() if text}

    @property
    def _pairing(self) -> str:
        if self.paired:
            return "paired"
        return "correlation given" if self.method == "unpaired" and self.correlation else "unpaired"

    @property
    def _subjects_text(self) -> str:
        n_pos, n_neg = self._counts
        clustered = "clustered, " if self.clustered else ""
        in_all = " in all" if self._two_samples else ""
        counts = f"{rows.counted(n_pos, 'positive')}, {rows.counted(n_neg, 'negative')}"
        return f"{clustered}{counts}{self._of_weights}{in_all}"

    @property
    def _error_text(self) -> str:
        error = self.difference.standard_error
        return "" if math.isnan(error) else f" (standard error {rows.number(error)})"

    @property
    def _interval_text(self) -> str:
        if math.isnan(self.difference.standard_error):
            return "none by this method"
        low, high = self.difference.confidence_interval()
        return f"{rows.number(low)} to {rows.number(high)}{self._by_formula}{self._width_text}"

    @property
    def _width_text(self) -> str:
        """How much wider the interval of many looks is."""
        factor = self.difference.width_factor
        return "" if factor is None else f" (at all looks; {rows.short(factor, 3)} times as wide as of one)"

    @property
    def _effect_text(self) -> str:
        if self.effect_size is None:
            return ""
        text = f"{rows.number(self.effect_size)} (d of the differences)"
        if self.standardized_effect is None:
            return text
        return f"{text}, {rows.number(self.standardized_effect)} by the residual standard deviation"

    @property
    def _wins_text(self) -> str:
        if not self._one_by_one:
            return ""
        return f"{self.wins} {self.first}, {self.losses} {self.second}, {self.ties} equal"

    @property
    def _degrees_text(self) -> str:
        if self.degrees_of_freedom is None:
            return ""
        return f" on {f'{self.degrees_of_freedom:.1f}'.removesuffix('.0')} degrees of freedom"

    @property
    def _p_text(self) -> str:
        error = self.pvalue_error
        return rows.p_alone(self.pvalue) + ("" if error is None else f" (Monte Carlo error {rows.short(error, 2)})")

    @property
    def adjusted_text(self) -> str:
        """The adjusted p value as text: ``0.034``, or ``<= 1e-05`` at the least of its draws; or empty."""
        return self._adjusted_after_p.removeprefix("= ")

    @property
    def draws_text(self) -> str:
        """Number of random replicates or arrangements and their seed, as text; empty without random draws."""
        seed = "" if self.seed is None else f"seed {self.seed}"
        drawn = "" if self.n_resamples is None else f"{self.n_resamples:,}"
        return ", ".join(text for text in (drawn, seed) if text)

    def to_dict(self) -> dict[str, Any]:
        """Return the test as plain values, with the same keys for every test; missing values are None."""
        d = self.difference
        known = not math.isnan(d.standard_error)
        low, high = d.confidence_interval() if known else (None, None)
        together = self.simultaneous
        out: dict[str, Any] = {
            "metric": None if self.metric is None else str(self.metric),
            "first": self.first,
            "second": self.second,
            "difference": d.value,
            "statistic": self.statistic,
            "pvalue": self.pvalue,
            "alternative": self.alternative,
            "null": self.null,
            "method": self.method,
            "assumes": self.assumption,
            "unit": self.unit,
            "paired": self.paired,
            "standard_error": d.standard_error,
            "low": low,
            "high": high,
            "level": d.confidence_level if known else None,
            "interval_method": None if d.replicates is None and d.sides is None else d.interval_method,
        }
        names = ["degrees_of_freedom", "n_resamples", "seed", "pvalue_error", "adjusted", "adjustment", "design"]
        names += ["adjustment_draws", "effect_size", "standardized_effect"]
        out |= {name: getattr(self, name) for name in [*names, "correlation"]}
        out["width_factor"] = d.width_factor
        out["n_groups"] = self.n_groups if self.over_groups else None
        out |= {name: getattr(self, name) if self._one_by_one else None for name in ("wins", "ties", "losses")}
        out["simultaneous_low"] = None if together is None else together.low
        out["simultaneous_high"] = None if together is None else together.high
        return rows.plain({**out, "clustered": self.clustered, "cautions": list(self.cautions)})
