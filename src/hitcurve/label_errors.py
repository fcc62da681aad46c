"""Labels that are wrong in a known way: a share of each class, and the counts that right labels would have given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve.counts import Array, Counts, before
from hitcurve.errors import ParameterError, UndefinedMetricError

SHARES = ("contamination", "mislabelled")
_LEAST = 1e-9  # of a prevalence and of what is left of the classes, where an error reaches beyond


@dataclass(frozen=True)
class LabelErrors:
    """How many labels of each class are wrong.

    Attributes
    ----------
    contamination : float in [0, 1)
        Share of the labelled positives that are negatives.
    mislabelled : float in [0, 1)
        Share of the others that are positives.
    contamination_error, mislabelled_error : float
        Standard errors of both shares; 0 where a share is known.
    unlabelled : bool
        Whether the others are an unlabelled sample of the population, so that the mislabelled share is the prevalence.

    Raises
    ------
    ParameterError
        If a share is outside [0, 1), both add up to 1 or more, or a standard error is outside [0, 0.5).

    Examples
    --------
    >>> from hitcurve import HitTable, metric
    >>> table = HitTable.from_counts(pos=[3, 1, 2, 0, 1, 1], neg=[1, 2, 3, 4, 5, 10])
    >>> corrected = table.corrected(LabelErrors(contamination=0.1, mislabelled=0.05))
    >>> round(metric("auc").value(table), 3), round(metric("auc").value(corrected), 3)
    (0.775, 0.824)
    """

    contamination: float = 0.0
    mislabelled: float = 0.0
    contamination_error: float = 0.0
    mislabelled_error: float = 0.0
    unlabelled: bool = False

    @classmethod
    def given(cls, contamination: Any, mislabelled: Any, *, unlabelled: bool, prevalence: Any) -> Self | None:
        """Return what was given, checked; None if labels are right.

        Raises
        ------
        ParameterError
            If a share is outside [0, 1), both add up to 1 or more, or unlabelled data lack their prevalence.
        """
        if not isinstance(unlabelled, (bool, np.bool_)):
            raise ParameterError(f"unlabelled must be True or False, got {unlabelled!r}")
        if not unlabelled and isinstance(prevalence, (tuple, list)):
            raise ParameterError(
                "a prevalence with a standard error is that of unlabelled data: add unlabelled=True (--unlabelled), or "
                "give the prevalence alone"
            )
        if not unlabelled and contamination is None and mislabelled is None:
            return None
        a, a_error = _pair("contamination", 0.0 if contamination is None else contamination)
        if not unlabelled:
            b, b_error = _pair("mislabelled", 0.0 if mislabelled is None else mislabelled)
            return cls(a, b, a_error, b_error)
        if mislabelled is not None:
            raise ParameterError(
                "mislabelled cannot be combined with unlabelled: the share of positives among unlabelled subjects is "
                "their prevalence"
            )
        if prevalence is None:
            raise ParameterError(
                "unlabelled data need the prevalence, the share of positives among the unlabelled: give prevalence=0.2 "
                "(--prevalence 0.2), or (value, standard_error)"
            )
        b, b_error = _pair("prevalence", prevalence)
        return cls(a, b, a_error, b_error, unlabelled=True)

    def __post_init__(self) -> None:
        second = "prevalence" if self.unlabelled else "mislabelled"
        a, b = _share("contamination", self.contamination), _share(second, self.mislabelled)
        if self.unlabelled:
            _checks.prevalence(b)
        errors = _deviation("contamination", self.contamination_error), _deviation(second, self.mislabelled_error)
        if a + b >= 1:
            raise ParameterError(
                f"contamination and {second} must add up to less than 1, got {a:g} + {b:g}: with so many wrong labels "
                "the labelled positives hold no larger share of positives than the others"
            )
        names = ("contamination", "mislabelled", "contamination_error", "mislabelled_error")
        for name, value in zip(names, (a, b, *errors), strict=True):
            object.__setattr__(self, name, value)

    @property
    def left(self) -> float:
        """D = 1 - a - b: how far apart both labelled classes are, of 1 with right labels."""
        return 1 - self.contamination - self.mislabelled

    def error_of(self, name: str) -> float:
        """Return the standard error of a share."""
        return self.contamination_error if name == "contamination" else self.mislabelled_error

    def moved(self, name: str, by: float) -> LabelErrors:
        """Return these with one share changed, as far as shares go."""
        other = self.mislabelled if name == "contamination" else self.contamination
        least = _LEAST if self.unlabelled and name == "mislabelled" else 0.0
        own = self.contamination if name == "contamination" else self.mislabelled
        share = min(max(own + by, least), 1 - other - _LEAST)
        return replace(self, contamination=share) if name == "contamination" else replace(self, mislabelled=share)

    def prevalence_of(self, observed: Array, assumed: float | Array | None) -> float | Array:
        """Return the prevalence: the one assumed, that of the unlabelled, or what follows from the labels.

        Parameters
        ----------
        observed : array (...)
            Share of the subjects that are labelled positive.
        assumed : float, array (...) or None
        """
        if self.unlabelled:
            return self.mislabelled
        return observed * self.left + self.mislabelled if assumed is None else assumed

    def shares_in_words(self) -> list[str]:
        """Return what is assumed, a clause for each share."""
        a = _in_words(self.contamination, self.contamination_error)
        b = _in_words(self.mislabelled, self.mislabelled_error)
        of_labelled = f"{a} of the labelled positives are negatives"
        if self.unlabelled:
            of_others = f"the others are unlabelled, {b} of them positive"
            return [of_labelled, of_others] if self.contamination or self.contamination_error else [of_others]
        of_others = f"{b} of the other subjects are positives"
        given = [
            (of_labelled, self.contamination or self.contamination_error),
            (of_others, self.mislabelled or self.mislabelled_error),
        ]
        return [text for text, share in given if share] or [of_labelled, of_others]

    def __str__(self) -> str:
        """Say what is assumed."""
        return f"labels corrected: {' and '.join(self.shares_in_words())}"


def refuse_corrected(errors: LabelErrors | None, what: str) -> None:
    """Refuse what is not corrected for wrong labels.

    Raises
    ------
    UndefinedMetricError
    """
    if errors is not None:
        raise UndefinedMetricError(
            f"{what} is not corrected for wrong labels: evaluate without contamination, mislabelled and "
            "unlabelled for what the labels say as they are"
        )


def _in_words(share: float, error: float) -> str:
    found = f"{rows.short(100 * share)}%"
    return found if not error else f"{found} (standard error {rows.short(100 * error)}%)"


def _pair(name: str, given: Any) -> tuple[Any, Any]:
    """Return a share and its standard error, which may be given with it."""
    given = given.tolist() if isinstance(given, np.ndarray) else given
    if not isinstance(given, (tuple, list)):
        return given, 0.0
    if len(given) != 2:
        raise ParameterError(f"{name} must be a number or (value, standard_error), got {given!r}")
    return given[0], given[1]


def _share(name: str, given: Any) -> float:
    share = _checks.real_number(name, given)
    if not 0 <= share < 1:
        raise ParameterError(
            f"{name} must be a share of at least 0 and below 1, got {share:g}{_checks.in_percent(share)}"
        )
    return share


def _deviation(name: str, given: Any) -> float:
    deviation = _checks.real_number(f"standard error of {name}", given)
    if not 0 <= deviation < 0.5:
        raise ParameterError(f"the standard error of {name} must be at least 0 and below 0.5, got {deviation:g}")
    return deviation


@dataclass(frozen=True)
class CorrectedCounts(Counts):
    """The view that kernels see of labels that are wrong in a known way.

    With the shares a and b of wrong labels, D = 1 - a - b, and the rates P~ and Q~ of the labels as they are,
    ``P = ((1 - b) P~ - a Q~)/D`` and ``Q = ((1 - a) Q~ - b P~)/D``. Both are linear, so they are exact on average and
    derivatives pass through. A row may hold less than nobody, and the rates may run back or out of [0, 1]: what is not
    linear in them takes ``called`` positives only as far as there are any (``precision``, ``Q_called``).

    Attributes
    ----------
    pos, neg : array (..., K)
        Estimated numbers of positives and negatives of each row, out of all subjects.
    labels : Counts
        Labelled positives and others, as they are.
    errors : LabelErrors
    """

    labels: Counts | None = None
    errors: LabelErrors | None = None

    @classmethod
    def of(cls, labels: Counts, errors: LabelErrors) -> Self:
        """Correct the counts of labels that are partly wrong."""
        a, b, left = errors.contamination, errors.mislabelled, errors.left
        pi = np.asarray(errors.prevalence_of(labels.n1 / labels.n, labels.prevalence), float)
        p, q = ((1 - b) * labels.p - a * labels.q) / left, ((1 - a) * labels.q - b * labels.p) / left
        pos, neg = (labels.n * pi)[..., None] * p, (labels.n * (1 - pi))[..., None] * q
        return cls(pos, neg, float(pi) if pi.ndim == 0 else pi, True, labels, errors)

    @property
    def is_corrected(self) -> bool:
        """Whether labels are corrected: they are."""
        return True

    @property
    def observed(self) -> Counts:
        """The counts of the labels as they are."""
        assert self.labels is not None
        return self.labels

    @property
    def prevalence_follows(self) -> float:
        """How the prevalence moves with the share of labelled positives; 0 where it is known."""
        assert self.errors is not None
        known = self.errors.unlabelled or self.observed.prevalence is not None
        return 0.0 if known else self.errors.left

    @cached_property
    def n(self) -> Array:
        """Number of subjects."""
        return self.observed.n

    @cached_property
    def n1(self) -> Array:
        """Estimated number of positives."""
        return np.asarray(self.n * self.pi, float)

    @cached_property
    def n0(self) -> Array:
        """Estimated number of negatives."""
        return np.asarray(self.n * (1 - self.pi), float)

    @cached_property
    def r(self) -> Array:
        """Rate down to each row: never less than its true positives."""
        pi = self.pi[..., None]
        return np.asarray(pi * self.P + (1 - pi) * self.Q_called)

    @cached_property
    def precision(self) -> Array:
        """Precision down to each row, cut off where there are more true positives than subjects."""
        hits, called = self.pi[..., None] * self.P, self.r
        found = np.divide(hits, called, out=np.ones(called.shape), where=called > 0)
        return np.clip(found, 0.0, 1.0)

    @cached_property
    def Q_called(self) -> Array:
        """False positive rate that ``r`` contains: 0 where it is cut off."""
        return np.maximum(self.Q, 0.0)

    @cached_property
    def cut_off(self) -> Array:
        """Share of the positives that are in rows down to which a rate is below 0."""
        out = (self.Q < 0) | (self.P < 0)
        return np.asarray(np.sum(np.where(out, np.abs(self.p), 0.0), axis=-1))

    @cached_property
    def rates_of_curves(self) -> tuple[Array, Array]:
        """The nearest rates that never run back or leave [0, 1], by isotonic regression on the rows of one list."""
        from scipy.optimize import isotonic_regression

        size = np.asarray(self.observed.pos + self.observed.neg, float)
        held, found = size > 0, []
        for rate in (self.P, self.Q):
            nearest = np.zeros(rate.shape)
            nearest[held] = isotonic_regression(rate[held], weights=size[held]).x
            nearest[-1] = 1.0
            found.append(np.maximum.accumulate(np.clip(nearest, 0.0, 1.0)))
        return found[0], found[1]

    @cached_property
    def rows_of_positives(self) -> npt.NDArray[np.intp]:
        """The rows with an estimated number of positives, which may be below 0."""
        return np.flatnonzero(np.any(self.pos.reshape(-1, self.pos.shape[-1]) != 0, axis=0))

    def span(self, axis: str) -> tuple[Array, Array]:
        """Return where each row with positives starts and ends: its "fpr", "rate" or "rank"."""
        ends: Array = np.asarray(getattr(self, axis))
        return self.of_positives(before(ends)), self.of_positives(ends)

    def by_label(self, of_pos: Array, of_neg: Array) -> tuple[Array, Array]:
        """Return derivatives by the rates of the labels, from those by the corrected rates."""
        assert self.errors is not None
        a, b, left = self.errors.contamination, self.errors.mislabelled, self.errors.left
        return ((1 - b) * of_pos - b * of_neg) / left, ((1 - a) * of_neg - a * of_pos) / left

    def at(self, errors: LabelErrors) -> CorrectedCounts:
        """Return the counts of the same labels, corrected for other shares."""
        return CorrectedCounts.of(self.observed, errors)
