"""The confusion matrix at a cutoff, with the rates computed from it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hitcurve import rows


@dataclass(frozen=True)
class Confusion:
    """Counts at one cutoff of a ranking (Tables 1 and 2 of Su, Yuan and Zhu).

    Where the cutoff falls inside a group of equal scores, the counts are their expectation over the orders of the group
    and need not be whole.

    Attributes
    ----------
    tp, fp, fn, tn : float
        True and false positives (selected), false and true negatives (not selected).
    prevalence : float
        Share of positives; predictive values and the rate follow it where it was set.
    threshold : float or None
        The score at or above which subjects are selected, if the cutoff is a score.

    Examples
    --------
    >>> from hitcurve import HitTable
    >>> cut = HitTable.from_counts(pos=[10, 18, 25], neg=[1, 11, 44]).confusion(k=11)
    >>> cut.tp, cut.fp, round(cut.sensitivity, 4), round(cut.precision, 4)
    (10.0, 1.0, 0.1887, 0.9091)
    """

    tp: float
    fp: float
    fn: float
    tn: float
    prevalence: float
    threshold: float | None = None

    @property
    def sensitivity(self) -> float:
        """Recall, true positive rate: fraction of the positives selected."""
        return self.tp / (self.tp + self.fn)

    @property
    def specificity(self) -> float:
        """True negative rate: fraction of the negatives not selected."""
        return self.tn / (self.tn + self.fp)

    @property
    def false_positive_rate(self) -> float:
        """1 - specificity."""
        return self.fp / (self.tn + self.fp)

    @property
    def rate(self) -> float:
        """Fraction of all subjects selected."""
        tp, fp, fn, tn = self._cells
        return (tp + fp) / (tp + fp + fn + tn)

    @property
    def precision(self) -> float:
        """Positive predictive value: fraction of the selected that is positive; nan if none is selected."""
        tp, fp, _, _ = self._cells
        return _ratio(tp, tp + fp)

    @property
    def negative_predictive_value(self) -> float:
        """Fraction of the subjects not selected that is negative; nan if all are selected."""
        _, _, fn, tn = self._cells
        return _ratio(tn, fn + tn)

    @property
    def accuracy(self) -> float:
        """Fraction of all subjects classified correctly."""
        tp, fp, fn, tn = self._cells
        return (tp + tn) / (tp + fp + fn + tn)

    @property
    def _cells(self) -> tuple[float, float, float, float]:
        """The counts, whose quotients are rounded once; at a prevalence that was set, shares that add up to 1."""
        n_pos, n_neg = self.tp + self.fn, self.fp + self.tn
        if self.prevalence == n_pos / (n_pos + n_neg):
            return self.tp, self.fp, self.fn, self.tn
        of_pos, of_neg = self.prevalence / n_pos, (1 - self.prevalence) / n_neg
        return of_pos * self.tp, of_neg * self.fp, of_pos * self.fn, of_neg * self.tn

    @property
    def positive_likelihood_ratio(self) -> float:
        """Sensitivity over false positive rate; inf if no negative is selected, nan if no subject is."""
        return _ratio(self.sensitivity, self.false_positive_rate)

    @property
    def negative_likelihood_ratio(self) -> float:
        """1 - sensitivity over specificity; inf if all negatives are selected, nan if all subjects are."""
        return _ratio(1 - self.sensitivity, self.specificity)

    @property
    def lift(self) -> float:
        """Sensitivity over rate: how many times as many positives as in a random selection."""
        return _ratio(self.sensitivity, self.rate)

    def _repr_html_(self) -> str:
        """Return the matrix and what follows from it as tables of a notebook."""
        tp, fp, fn, tn = map(rows.count, (self.tp, self.fp, self.fn, self.tn))
        at = "" if self.threshold is None else f" (score at least {rows.exact(self.threshold)})"
        matrix = rows.html_table(
            ["", "positive", "negative"],
            [[f"selected{at}", tp, fp], [f"not selected{' (below)' if at else ''}", fn, tn]],
        )
        shares = [[name.replace("_", " "), _shown(getattr(self, name))] for name in _SHOWN]
        return rows.html_block([matrix, rows.html_table([], shares)])


def _ratio(numerator: float, denominator: float) -> float:
    if denominator > 0:
        return numerator / denominator
    return math.inf if numerator > 0 else math.nan


_SHOWN = (
    "prevalence",
    "rate",
    "sensitivity",
    "specificity",
    "precision",
    "negative_predictive_value",
    "accuracy",
    "positive_likelihood_ratio",
    "negative_likelihood_ratio",
    "lift",
)


def _shown(value: float) -> str:
    return "undefined" if math.isnan(value) else rows.number(value)
