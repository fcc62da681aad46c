"""Base class of metrics: immutable values whose string parses back."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Protocol, overload

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.counts import Array, Counts
from hitcurve.cumulative import from_here
from hitcurve.errors import ParameterError
from hitcurve.metrics.as_scorer import AsScorer
from hitcurve.metrics.ends import at_end, reference_order, reference_value, with_exact_end, with_exact_ends
from hitcurve.metrics.lacking import lacks_a_class
from hitcurve.metrics.own import OfUsers, in_declared_range, without_a_reason
from hitcurve.metrics.pieces import ChosenCut, CutAt, Gradient, GradientMoments, RankSum, RankWeights, plain
from hitcurve.metrics.written import write
from hitcurve.refusals import COUNTS_SUBJECTS, Refusal, raise_first, refused
from hitcurve.sources import arrays
from hitcurve.stack import TableStack
from hitcurve.table import HitTable


class Metric(OfUsers, AsScorer, Protocol):
    """Immutable, hashable metric whose string parses back.

    To add one, write a frozen dataclass that inherits from this class, give it a ``name`` and a ``kernel``, and pass it
    to :func:`hitcurve.metrics.register_metric`. A kernel sees :class:`~hitcurve.counts.Counts`, never a table. All axes
    but the last are separate lists, and rows without subjects must change nothing. A kernel never raises: its value is
    nan for lists on which the metric is undefined, and :meth:`why_nan` returns the reason. Values are in :attr:`range`.

    Attributes
    ----------
    name : str
        Word that opens the metric string.
    summary : str
        One line for lists.
    reference : str
        Publication; empty for a metric of your own.
    axis : {"fpr", "rate", "rank", "own"}
        What the weights of the ranks depend on. Metrics on ranks raise an error for tables with an assumed prevalence.
    of_tables : bool
        Whether a table of two classes has its value; else :func:`hitcurve.evaluate_trec` evaluates it.
    needs_subjects : bool
        Whether a row must contain whole subjects, so that sums of weights raise an error.
    counts_subjects : bool
        Whether a number of subjects enters, so that weights raise an error, as for metrics on ranks.
    negatives_join : bool
        Whether negatives between two scores of positives count as tied with the lower one.
    decided_by_prevalence : bool
        Whether precision decides the value, so that at an assumed prevalence few negatives may decide it.
    deciding_class : {"negatives", "positives"}
        Whose number near the decisive part of the axis limits a standard error (see :meth:`deciding_share`).
    is_mann_whitney : bool
        Whether it is the Mann-Whitney statistic, which DeLong's test needs.
    jumps : bool
        Whether the value jumps as the share of a row grows, so that derivatives do not give its variance.
    adds_over_rows : bool
        Whether it is a sum over rows, each a function of where its row starts and ends, up to what classes give.
    divided_by : Metric or None
        By whose distance from a random order it is divided: a positive that moves up may then lower it.
    perfect_value, reversed_value : float or None
        The value of the perfect and of the reversed order, where it is the same for all lists.
    lower_is_better : bool
        Whether it is a rate of errors: rankers are ordered by the lowest, and nothing that takes the highest takes it.
    default_interval : str
        Method of the default interval; empty: ``"region"`` for a metric with a cut, else ``"half-subject"``.
        ``"tilted"`` is for bounded metrics with a gradient, in unweighted cohorts,
        ``"end-model"`` for average precision alone, in the same; ``"inversion"`` for any, of whole subjects.
        ``"profile"`` is for a cut at an FPR or a recall, ``"cut-limits"`` and ``"best-cut"`` are for a chosen cut.
    rank_sum : RankSum or None
        The weights of the ranks of which it is the sum; intervals by inversion of many positives then draw nothing.
    label_correction : {"", "linear", "cut-off"}
        Whether it can be corrected for labels that are wrong in a known way: linear in the rates, so that it is exact
        on average, or with what runs out of its range cut off.
    """

    name: ClassVar[str]
    summary: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    axis: ClassVar[str] = "own"
    of_tables: ClassVar[bool] = True
    needs_subjects: ClassVar[bool] = False
    counts_subjects: ClassVar[bool] = False
    negatives_join: ClassVar[bool] = False
    decided_by_prevalence: ClassVar[bool] = False
    deciding_class: ClassVar[str] = "negatives"
    is_mann_whitney: ClassVar[bool] = False
    jumps: ClassVar[bool] = False
    adds_over_rows: ClassVar[bool] = False
    divided_by: ClassVar[Metric | None] = None
    perfect_value: ClassVar[float | None] = None
    reversed_value: ClassVar[float | None] = None
    lower_is_better: ClassVar[bool] = False
    default_interval: ClassVar[str] = ""
    rank_sum: ClassVar[RankSum | None] = None
    label_correction: ClassVar[str] = ""

    def kernel(self, c: Counts) -> Array:
        """Return the value of each list: an array of the leading shape."""
        ...

    def kernel_gradient(self, c: Counts) -> Gradient | None:
        """Return the gradient of each list, or None if it has no closed form."""
        return None

    def why_nan(self, c: Counts) -> Iterator[Refusal]:
        """Yield the reasons why the kernel is nan for lists of both classes; nothing if it never is."""
        yield from ()

    def undefined(self, c: Counts) -> Iterator[Refusal]:
        """Yield the lists on which the metric is undefined, with the reason."""
        yield from self.unsuited(c)
        yield from self.why_nan(c)
        if self._is_own:
            yield from without_a_reason(self, c)

    def unsuited(self, c: Counts) -> Iterator[Refusal]:
        """Yield lists of one class, and kinds of counts that the metric cannot take."""
        if c.is_plain:
            return
        yield from lacks_a_class(c)
        if c.is_corrected and not self.label_correction:
            yield Refusal(
                True,
                f"{self} is not corrected for wrong labels, only auc, gini, loss, ap, croc and area along the FPR are "
                "(of magnifications whose slope at 0 is finite): leave it out, or evaluate it without contamination, "
                "mislabelled and unlabelled",
            )
            return
        if self.axis == "rank" and c.prevalence is not None:
            yield Refusal(True, f"{self} depends on whole ranks, which a table at a set prevalence does not have")
        if c.weighted and (self.counts_subjects or self.axis == "rank"):
            yield Refusal(True, f"{self} {COUNTS_SUBJECTS}")
        if self.needs_subjects and not c.whole:
            yield Refusal(True, f"{self} needs whole subjects, so weights and a set prevalence cannot be used")

    # ---- what inference asks of it

    @property
    def needs_end(self) -> bool:
        """Whether the value depends on the length of the list, which is unknown for a run of retrieved documents."""
        return True

    def up_to(self, rank: int) -> Metric:
        """Return the metric, or its form with a cutoff, of the same value on lists without positives after a rank."""
        return self

    def of_lists(self, lists: Any) -> Metric:
        """Return the metric of some of many lists: itself, unless its parameters differ from list to list."""
        return self

    def cut_at(self, c: Counts) -> CutAt | None:
        """Return the position of the cutoff in each list; None for a metric without a cutoff."""
        return None

    def chosen(self, c: Counts) -> ChosenCut | None:
        """Return the data-dependent cutoff of each list; None for a metric without such a cutoff."""
        return None

    def gradient_from_here(self, c: Counts) -> Gradient | None:
        """Return :meth:`kernel_gradient` with its columns summed from each row down: what influence values take."""
        found = self.kernel_gradient(c)
        return None if found is None else Gradient(from_here(found.P), from_here(found.Q), found.pi)

    def gradient_moments(self, c: Counts) -> GradientMoments | None:
        """Return the moments of :meth:`gradient_from_here`, where they take less than the gradient."""
        return None

    def smooth_from(self, c: Counts) -> float:
        """Return the rank from which on weights have no corner or jump at a rank; inf if that is unknown."""
        return math.inf

    def row_derivatives(self, c: Counts) -> tuple[Array, Array] | None:
        """Return the derivatives by the positives and negatives of each row, with all other rows constant; or None.

        Only for counts whose prevalence is their own; what :meth:`kernel_gradient` gives, in fewer steps.
        """
        return None

    def bounds(self, c: Counts) -> tuple[Array | float, Array | float] | None:
        """Return the bounds of the scale of intervals; None if the scale is not bounded on both sides."""
        return None if any(map(math.isinf, self.range)) else self.range

    def bounds_of_cohort(self, c: Counts) -> tuple[Array | float, Array | float] | None:
        """Return these bounds if the prevalence was sampled too."""
        return self.bounds(c)

    def deciding_share(self, c: Counts) -> Array | None:
        """Return the fraction of the deciding class that determines the value; None if the whole class does."""
        return None

    def deciding_rate(self, c: Counts) -> Array | None:
        """Return the fraction of all subjects that determines the value; None if all subjects do."""
        return None

    def waits_for_last(self, c: Counts) -> npt.NDArray[np.bool_]:
        """Return whether the value depends only on the rank of the last positive."""
        return np.zeros(c.shape, bool)

    def extrapolates(self, c: Counts) -> npt.NDArray[np.bool_]:
        """Return whether the value depends largely on extrapolation, such as at an FPR below one negative."""
        return np.zeros(c.shape, bool)

    def leave_one_out(self, c: Counts, *, alone: str = "one") -> Array | None:
        """Return the leave-one-out estimate: no positive enters its own term; None if the metric has none."""
        return None

    def kernel_rank_weights(self, c: Counts, *, of_ranks: bool = False) -> RankWeights | None:
        """Return weights of the rows of which it is a mean or sum, or None; ``of_ranks``: of the ranks alone."""
        return None

    # ---- evaluation

    @overload
    def value(self, table: HitTable) -> float: ...
    @overload
    def value(self, table: TableStack) -> Array: ...
    @overload
    def value(self, table: Counts) -> Any: ...
    def value(self, table: HitTable | TableStack | Counts) -> Any:
        """Evaluate the metric.

        Parameters
        ----------
        table : HitTable, TableStack or Counts
            One ranking, many, or counts with lists on leading axes.

        Returns
        -------
        float, or array of the leading shape, or array (L,) of a stack
            Of many lists, nan where the metric is undefined.

        Raises
        ------
        SingleClassError
            If the only list has no positive or no negative.
        UndefinedMetricError
            If the metric is undefined on the only list; the message gives the reason.
        """
        if isinstance(table, TableStack):
            values = np.full(len(table), math.nan)
            for part in table.parts():
                values[part.places] = self.value(part.counts)
            return values
        c = self._admit(table)
        if c.shape:
            with np.errstate(all="ignore"):
                values = self._of_lists(c, self.kernel)
                if self._is_own:
                    values = in_declared_range(self, values)
                return values if c.is_corrected else with_exact_ends(self, c, values)
        value = self.kernel(c)
        if math.isnan(value):
            raise_first(self.undefined(c) if self._is_own else self.why_nan(c))
            return math.nan
        if self._is_own:
            in_declared_range(self, value)
        return float(value) if c.is_corrected else with_exact_end(self, c, float(value))

    def gradient(self, table: HitTable | Counts) -> Gradient | None:
        """Return the derivatives at a table; None if they must be computed numerically."""
        c = self._counts(table)
        if not c.shape:
            raise_first(self.undefined(c))
        return self.kernel_gradient(c)

    def __call__(
        self,
        y_true: Any,
        y_score: Any,
        y: Any = None,
        *,
        sample_weight: Any = None,
        pos_label: Any = None,
        higher_is_better: bool = True,
        missing: str = "raise",
        undefined: str = "raise",
    ) -> float:
        """Evaluate the metric on labels and scores; arguments as in :meth:`hitcurve.HitTable.from_scores`.

        Or on a fitted estimator, its data and their labels ``y``, as :func:`hitcurve.scorer` does: a metric may be the
        ``scoring=`` of scikit-learn.

        Parameters
        ----------
        undefined : {"raise", "nan"}
            Undefined metrics: raise, or return nan with one warning.

        Warns
        -----
        DirectionWarning, TwoValuedScoreWarning, ConstantScoreWarning, MissingValueWarning, UndefinedMetricWarning
            As :func:`hitcurve.evaluate` does.
        """
        if y is not None or hasattr(y_true, "predict"):
            from hitcurve.metrics.scorer import score_of_estimator  # which knows the names of metrics

            return score_of_estimator(self, (y_true, y_score, y), sample_weight, pos_label)
        _checks.choice("undefined", undefined, ("raise", "nan"))
        source = arrays(
            y_true,
            {"y_score": y_score},
            pos_label=pos_label,
            weight=sample_weight,
            higher_is_better=higher_is_better,
            missing=missing,
        )
        from hitcurve.metrics.remarks import evaluated  # which knows an AUC

        return evaluated(self, source.told(), undefined=undefined)

    def _admit(self, table: HitTable | Counts) -> Counts:
        """Return the counts; one list that the metric cannot take is refused, many are not."""
        c = self._counts(table)
        if not c.shape:
            raise_first(self.unsuited(c))
        return c

    def _counts(self, table: HitTable | Counts) -> Counts:
        if isinstance(table, Counts):
            return table
        if isinstance(table, HitTable):
            return table.counts
        raise ParameterError(f"{self} is evaluated on a HitTable, got {table!r}: make one with HitTable.from_scores")

    def of_replicates(self, c: Counts) -> Any:
        """Return the kernel of many lists, nan if the metric is undefined, without corrections of exact bounds."""
        return self._of_lists(c, self.kernel)

    def _of_lists(self, c: Counts, kernel: Callable[[Counts], Any]) -> Any:
        """Return a kernel of each of many lists, nan where the metric is undefined."""
        with np.errstate(all="ignore"):
            values = np.asarray(kernel(c), float)
        return np.where(refused(self.unsuited(c), c.shape), math.nan, values)

    # ---- context

    def random(self, table: HitTable | Counts) -> Any:
        """Return the value of the list whose subjects are all tied."""
        return self._in_order(table, "random")

    def random_mean(self, table: HitTable | Counts) -> Any:
        """Return the expectation over all strict orders, a float or array (...); None where it has no closed form."""
        return None

    def baseline(self, table: HitTable | Counts) -> Any:
        """Return the random baseline: the mean over random orders where it is known, else the value of all tied."""
        c = self._counts(table)
        if c.is_plain and type(self).unsuited is Metric.unsuited:
            return self.random(c) if (known := self.random_mean(c)) is None else plain(known)
        tied = self.random(c)
        undefined = refused(self.unsuited(c), c.shape)
        mean = None if np.all(undefined) else self.random_mean(c)
        return tied if mean is None else plain(np.where(undefined, tied, mean))

    def best(self, table: HitTable | Counts) -> Any:
        """Return the value of the perfect order, the best attainable with these classes."""
        return self._in_order(table, "best")

    def worst(self, table: HitTable | Counts) -> Any:
        """Return the value of the reversed perfect order."""
        return self._in_order(table, "worst")

    def _in_order(self, table: HitTable | Counts, order: str) -> Any:
        # a list on which the metric is undefined may have a best order all the same
        c = self._counts(table)
        if c.shape:
            return at_end(self, order, self._of_lists(reference_order(c, order), self.kernel))
        prevalence = None if c.prevalence is None else float(c.prevalence)
        same: Any = self  # hashable, as metrics are
        return reference_value(same, order, float(c.n1), float(c.n0), prevalence, c.weighted)

    @property
    def range(self) -> tuple[float, float]:
        """Bounds of the value over all tables."""
        return 0.0, 1.0

    def convention(self, table: HitTable | Counts) -> Any:
        """Return the definition used where tools differ; empty if there is none. One entry for each list."""
        return ""

    def caution(self, table: HitTable | Counts) -> Any:
        """Return the reason why the value can mislead for a table; empty without one. One entry for each list."""
        return ""

    # ---- as a value

    def __str__(self) -> str:
        """Return the metric string, which parses back to an equal metric."""
        return self._written

    @cached_property
    def _written(self) -> str:
        return write(self)
