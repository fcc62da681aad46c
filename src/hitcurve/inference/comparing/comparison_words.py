"""A test of two rankers in the words of a paper."""

from __future__ import annotations

import math

from hitcurve import rows
from hitcurve.immutable import Compared
from hitcurve.inference.comparing import wording
from hitcurve.inference.estimation.difference import Difference
from hitcurve.inference.intervals.interval import ConfidenceInterval
from hitcurve.metrics import Metric


class ComparisonInWords(Compared):
    """How a :class:`hitcurve.Comparison` is put into words, from its attributes."""

    metric: Metric | None
    first: str
    second: str
    difference: Difference
    pvalue: float
    alternative: str
    method: str
    unit: str
    paired: bool
    n_resamples: int | None
    seed: int | None
    adjusted: float | None
    adjustment: str | None
    adjustment_draws: int | None
    simultaneous: ConfidenceInterval | None
    design: str | None
    n_pos: float
    n_neg: float
    clustered: bool
    correlation: float | None
    n_groups: int
    wins: int
    ties: int
    losses: int

    @property
    def over_groups(self) -> bool:
        """Whether groups were sampled (topics are groups of documents), not subjects."""
        return self.unit != "subjects"

    @property
    def called(self) -> str:
        """Name of the sampling units in print: subjects, groups, topics, or folds of one data set."""
        return "folds" if self.method == "corrected-t" else self.unit

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
            f"The {'mean ' if self.over_groups else ''}difference{self._metric_in_words} between {self.first} "
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
        return f" (adjusted p {self._adjusted_after_p}, {wording.adjustment(self.adjustment)}{self.adjustment_drawn})"

    @property
    def adjustment_drawn(self) -> str:
        """The number of random draws of the adjustment, in words after its name; empty if it is by formula."""
        return "" if self.adjustment_draws is None else f", {self.adjustment_draws:,} random draws"

    @property
    def _metric_in_words(self) -> str:
        return "" if self.metric is None else f" in {self.metric.summary or self.metric.name} ({self.metric})"

    @property
    def _over_groups(self) -> str:
        return f" over {self.n_groups:,} {self.called}" if self.over_groups else ""

    @property
    def _sample_in_words(self) -> str:
        """Return what was sampled, as a sentence after the first, without its full stop."""
        if self.over_groups:
            if not self._one_by_one:
                return ""
            return (
                f". {self.first} was better in {self.wins} of {self.n_groups:,} {self.called}, {self.second} in "
                f"{self.losses}, and they were equal in {self.ties}"
            )
        n_pos, n_neg = self._counts
        counts = f"{rows.counted(n_pos, 'positive')} and {rows.counted(n_neg, 'negative')}{self._of_weights}"
        if not self._two_samples:
            unpaired = "" if self.paired else ", which were treated as unpaired"
            text = f"Both rankers ranked the same {counts}{unpaired}"
        elif self.correlation:
            related = f"The values of the rankers were taken as correlated by {rows.short(self.correlation)}"
            text = f"{related}. Both rankings together have {counts}"
        else:
            did = "were treated as ranking" if self.method == "unpaired" else "ranked"
            text = f"The rankers {did} different subjects, together {counts}"
        return f". {text} ({self.design} design)"

    @property
    def _two_samples(self) -> bool:
        return not self.paired and not wording.on_positives(self.method)

    @property
    def _counts(self) -> tuple[str, str]:
        return rows.count(round(self.n_pos, 2)), rows.count(round(self.n_neg, 2))

    @property
    def _of_weights(self) -> str:
        """What the numbers are of; those that are not whole are not of subjects."""
        return "" if all("." not in number for number in self._counts) else " of equal weight"

    @property
    def _simultaneous_text(self) -> str:
        return "" if self.simultaneous is None else " to ".join(map(rows.number, self.simultaneous))

    @property
    def _by_formula(self) -> str:
        """Where the interval comes from, if not from the test."""
        if self.difference.interval_method != "normal":
            return f" ({wording.INTERVALS[self.difference.interval_method]})"
        other = self.method == "swap-permutation" or wording.on_positives(self.method)
        if self.over_groups:
            return "" if self.method.endswith("-t") else " (by t)"
        return " (by influence values)" if other else ""

    @property
    def _one_by_one(self) -> bool:
        """Whether it is known in which groups the first is better."""
        return self.wins + self.ties + self.losses > 0

    @property
    def _adjusted_after_p(self) -> str:
        """The adjusted p value as it follows a p: as a bound where no draw was beyond."""
        if self.adjusted is None:
            return ""
        draws = self.adjustment_draws
        if draws is not None and self.adjusted <= 1 / (draws + 1):
            return f"<= {1 / (draws + 1):.4g}"
        return rows.p_value(self.adjusted)


_NO_BRACKETS = str.maketrans("", "", "()")
