"""A test of two rankers, as a value."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from hitcurve import rows
from hitcurve.errors import ParameterError
from hitcurve.immutable import Compared
from hitcurve.inference import wording
from hitcurve.inference.difference import Difference
from hitcurve.inference.interval import ConfidenceInterval
from hitcurve.inference.pvalues import MIRRORED
from hitcurve.metrics import Metric


@dataclass(frozen=True, eq=False)
class Comparison(Compared):
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
    unit : {"subjects", "groups"}
        What was sampled: the standard error is that of another sample of subjects, or of groups.
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
        Of subjects: positives and negatives, of both samples together if unpaired; nan of groups.
    clustered : bool
        Whether subjects within clusters are dependent.
    correlation : float or None
        Of two estimates without common subjects, as it was given.
    n_groups : int
        Of groups: how many; of both samples together if two samples of groups were given.
    wins, ties, losses : int
        Number of groups in which the first is better, equal, worse; all 0 if the values of the groups are unknown.
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

    @property
    def pvalue_error(self) -> float | None:
        """Monte Carlo standard error of the p value, None if no arrangement was drawn."""
        if self.n_resamples is None or self.method in ("bootstrap", "inversion"):
            return None
        return math.sqrt(self.pvalue * (1 - self.pvalue) / (self.n_resamples + 1))

    @property
    def title(self) -> str:
        """Name of the test."""
        return wording.title(self.unit, self.method)

    @property
    def assumption(self) -> str:
        """What the test assumes."""
        return wording.assumes(self.unit, self.method, clustered=self.clustered, correlation=self.correlation)

    @property
    def design_text(self) -> str:
        """The design in words: pairing and number of subjects; empty of groups."""
        return "" if self.unit == "groups" else f"{self.design}, {self._pairing}, {self._subjects_text}"

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
        return "\n".join(map(rows.in_line, [self._heading, *printed, *notes]))

    def _repr_html_(self) -> str:
        """Return the test as a table of a notebook."""
        body = [[name, text] for name, text in (*self._lines().items(), *(("note", text) for text in self.cautions))]
        return rows.html_block([rows.html_paragraphs([self._heading]), rows.html_table([], body)])

    @property
    def _heading(self) -> str:
        what = "" if self.metric is None else f" of {self.metric}"
        across = f" across {self.n_groups:,} groups" if self.unit == "groups" else ""
        return f"{self.title}{what}{across}: {self.first} - {self.second}"

    def _lines(self) -> dict[str, str]:
        """Return what is printed of the test, by its name."""
        d = self.difference
        of_groups = self.unit == "groups"
        lines = {
            "means" if of_groups else "values": " and ".join(map(rows.number, self.values)),
            "difference": f"{rows.number(d.value)}{self._error_text}",
            f"{100 * d.confidence_level:g}% interval": self._interval_text,
            "simultaneous": self._simultaneous_text,
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
        return "paired" if self.paired else "unpaired"

    @property
    def _subjects_text(self) -> str:
        n_pos, n_neg = self._counts
        clustered = "clustered, " if self.clustered else ""
        return f"{clustered}{n_pos} positives, {n_neg} negatives{' in all' if self._two_samples else ''}"

    @property
    def _two_samples(self) -> bool:
        return not self.paired and not wording.on_positives(self.method)

    @property
    def _counts(self) -> tuple[str, str]:
        return rows.count(round(self.n_pos, 2)), rows.count(round(self.n_neg, 2))

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
    def _simultaneous_text(self) -> str:
        return "" if self.simultaneous is None else " to ".join(map(rows.number, self.simultaneous))

    @property
    def _by_formula(self) -> str:
        """Where the interval comes from, if not from the test."""
        if self.difference.interval_method != "normal":
            return f" ({wording.INTERVALS[self.difference.interval_method]})"
        other = self.method == "swap-permutation" or wording.on_positives(self.method)
        if self.unit == "groups":
            return "" if self.method.endswith("-t") else " (by t)"
        return " (by influence values)" if other else ""

    @property
    def _wins_text(self) -> str:
        if not self._one_by_one:
            return ""
        return f"{self.wins} {self.first}, {self.losses} {self.second}, {self.ties} equal"

    @property
    def _one_by_one(self) -> bool:
        """Whether it is known in which groups the first is better."""
        return self.wins + self.ties + self.losses > 0

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
    def _adjusted_after_p(self) -> str:
        """The adjusted p value as it follows a p: as a bound where no draw was beyond."""
        if self.adjusted is None:
            return ""
        draws = self.adjustment_draws
        if draws is not None and self.adjusted <= 1 / (draws + 1):
            return f"< {1 / draws:.4g}"
        return rows.p_value(self.adjusted)

    @property
    def adjusted_text(self) -> str:
        """The adjusted p value where it stands alone: ``0.034``, ``< 1e-05`` at the least of its draws; or empty."""
        return self._adjusted_after_p.removeprefix("= ")

    @property
    def draws_text(self) -> str:
        """How many replicates or arrangements were drawn, and with which seed; empty if none was."""
        seed = "" if self.seed is None else f"seed {self.seed}"
        drawn = "" if self.n_resamples is None else f"{self.n_resamples:,}"
        return ", ".join(text for text in (drawn, seed) if text)

    def to_dict(self) -> dict[str, Any]:
        """Return the test as plain values, of the same keys whatever the test; what it does not have is None."""
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
            "unit": self.unit,
            "paired": self.paired,
            "standard_error": d.standard_error,
            "low": low,
            "high": high,
            "level": d.confidence_level if known else None,
            "interval_method": None if d.replicates is None and d.sides is None else d.interval_method,
        }
        names = ["degrees_of_freedom", "n_resamples", "seed", "pvalue_error", "adjusted", "adjustment", "design"]
        names += ["adjustment_draws"]
        out |= {name: getattr(self, name) for name in [*names, "correlation"]}
        out["width_factor"] = d.width_factor
        out["n_groups"] = self.n_groups if self.unit == "groups" else None
        out |= {name: getattr(self, name) if self._one_by_one else None for name in ("wins", "ties", "losses")}
        out["simultaneous_low"] = None if together is None else together.low
        out["simultaneous_high"] = None if together is None else together.high
        return rows.plain({**out, "clustered": self.clustered, "cautions": list(self.cautions)})

    def methods_text(self) -> str:
        """Return the test in words, for a paper."""
        d = self.difference
        interval = ""
        if not math.isnan(d.standard_error):
            low, high = d.confidence_interval()
            interval = (
                f" ({100 * d.confidence_level:g}% confidence interval{self._by_formula.translate(_NO_BRACKETS)} "
                f"{rows.number(low)} to {rows.number(high)}{self._together_in_words})"
            )
        seed = "" if self.seed is None else f" (seed {self.seed})"
        drawn = f" with {self.n_resamples:,} random draws{seed}" if self.n_resamples else ""
        by = wording.in_words(self.unit, self.method, clustered=self.clustered)
        return rows.in_line(
            f"The {'mean ' if self.unit == 'groups' else ''}difference{self._metric_in_words} between {self.first} "
            f"and {self.second}{self._over_groups} was {rows.number(d.value)}{interval}, {self.alternative} p "
            f"{rows.p_value(self.pvalue)}{self._adjusted_in_words}, by {by}{drawn}{self._sample_in_words}."
        )

    @property
    def _together_in_words(self) -> str:
        level = f"{100 * self.difference.confidence_level:g}%"
        return "" if self.simultaneous is None else f"; simultaneous {level} interval {self._simultaneous_text}"

    @property
    def _adjusted_in_words(self) -> str:
        if self.adjusted is None:
            return ""
        return f" (adjusted p {self._adjusted_after_p}, {wording.adjustment(self.adjustment)})"

    @property
    def _metric_in_words(self) -> str:
        return "" if self.metric is None else f" in {self.metric.summary or self.metric.name} ({self.metric})"

    @property
    def _over_groups(self) -> str:
        return f" over {self.n_groups:,} groups" if self.unit == "groups" else ""

    @property
    def _sample_in_words(self) -> str:
        """Return what was sampled, as a sentence after the first, without its full stop."""
        if self.unit == "groups":
            if not self._one_by_one:
                return ""
            return (
                f". {self.first} was better in {self.wins} of {self.n_groups:,} groups, {self.second} in "
                f"{self.losses}, and they were equal in {self.ties}"
            )
        n_pos, n_neg = self._counts
        counts = f"{n_pos} positives and {n_neg} negatives"
        if not self._two_samples:
            unpaired = "" if self.paired else ", which were treated as unpaired"
            text = f"Both rankers ranked the same {counts}{unpaired}"
        elif self.correlation:
            related = f"The values of the rankers were taken as correlated by {rows.short(self.correlation)}"
            text = f"{related}. Together the two samples have {counts}"
        else:
            did = "were treated as ranking" if self.method == "unpaired" else "ranked"
            text = f"The rankers {did} different subjects, together {counts}"
        return f". {text} ({self.design} design)"


_NO_BRACKETS = str.maketrans("", "", "()")
