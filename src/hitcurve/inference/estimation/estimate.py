"""A metric value with its uncertainty and reference values."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from hitcurve import rows
from hitcurve._cached import cached_property
from hitcurve.errors import InsufficientDataError, SingleClassError, UndefinedMetricError
from hitcurve.immutable import Compared
from hitcurve.inference.estimation.cautions import cautions_of
from hitcurve.inference.estimation.chance import RandomTest, against_chance
from hitcurve.inference.estimation.found_cut import FoundCut, at_cut, found_cut
from hitcurve.inference.estimation.known import KnownNumbers
from hitcurve.inference.estimation.strict import strict_values
from hitcurve.inference.intervals.interval import ConfidenceInterval, interval, resolve
from hitcurve.inference.variance.dependent import Clustered
from hitcurve.inference.variance.lacking import of_topics
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from hitcurve.table import HitTable


@dataclass(frozen=True, eq=False)
class Estimate(Compared):
    """The value of a metric for one ranker, with its uncertainty and reference values.

    The hit table is kept, so everything is computed on request, including intervals at other levels.

    Attributes
    ----------
    ranker : str
    metric : Metric
    value : float
        nan if the metric is undefined here and ``undefined="nan"`` was given.
    table : HitTable
    design : {"cohort", "case-control"}
        ``cohort``: the number of positives was sampled. ``case-control``: it was fixed, or the prevalence is known.
    confidence_level : float
        Confidence level of the intervals, unless another is requested.

    Examples
    --------
    >>> from hitcurve import evaluate
    >>> from hitcurve.datasets import mammography
    >>> e = evaluate(tables=mammography(), metrics="ap")["film", "ap"]
    >>> round(e.value, 4), round(e.standard_error, 4)
    (0.1659, 0.0219)
    >>> [round(end, 3) for end in e.confidence_interval(0.9)]
    [0.13, 0.206]
    """

    ranker: str
    metric: Metric
    value: float
    table: HitTable = field(repr=False)
    design: str = "cohort"
    confidence_level: float = 0.95
    _clustered: Callable[[], Clustered] | None = field(default=None, repr=False)
    _known: KnownNumbers | None = field(default=None, repr=False, compare=False)
    _method: str = "auto"
    _share_left: Callable[[], float] | None = field(default=None, repr=False)
    _higher_is_better: bool = field(default=True, repr=False)
    _may_draw: bool = field(default=True, repr=False)

    def __float__(self) -> float:
        """Return the value."""
        return self.value

    # ---- uncertainty

    @cached_property
    def _spread(self) -> Spread:
        if math.isnan(self.value):
            raise UndefinedMetricError(f"{self.metric} of {self.ranker!r} is undefined, so it has no standard error")
        if not self.metric.of_tables:
            raise UndefinedMetricError(of_topics(self.metric))
        clustered = None if self._clustered is None else self._clustered()
        left = 1.0 if self._share_left is None else self._share_left()
        return Spread(self.metric, self.table, self.design, clustered, self._may_draw, self.value, left)

    @cached_property
    def standard_error(self) -> float:
        """Standard error by the delta method (of the design; summed by cluster if there are clusters).

        A metric without a gradient in closed form has it taken numerically, or beyond 4,000 rows by 400 bootstrap
        replicates; see ``standard_error_source``.

        Raises
        ------
        InsufficientDataError
            If a class has one subject only.
        """
        if self._known is not None and not math.isnan(self._known.standard_error):
            return self._known.standard_error
        return float(self._spread.standard_error)

    @cached_property
    def reason(self) -> str:
        """Reason for a missing value, standard error or default interval; empty if nothing is missing."""
        try:
            if math.isnan(self.value):
                self.metric.value(self.table)
            _ = self.standard_error
            if self.interval is None:
                self.confidence_interval()
        except (InsufficientDataError, SingleClassError, UndefinedMetricError) as error:
            return str(error)
        return ""

    @property
    def degrees_of_freedom(self) -> float:
        """Degrees of freedom: positives or clusters that have one or (as of equal size) are above a cut, minus 1."""
        return float(self._spread.degrees)

    @property
    def clustered(self) -> bool:
        """Whether subjects within clusters are dependent."""
        return self._clustered is not None

    @property
    def standard_error_source(self) -> str:
        """Where the standard error comes from."""
        return self._spread.source

    @property
    def bias_reduced(self) -> float | None:
        """Leave-one-out estimate of average precision, None for other metrics: a point estimate only."""
        undefined = self.table.label_errors or math.isnan(self.value)
        found = None if undefined else self.metric.leave_one_out(self.table.counts)
        return None if found is None else float(found)

    def confidence_interval(
        self,
        confidence_level: float | None = None,
        *,
        method: str | None = None,
        n_resamples: int | None = None,
        rng: Any = None,
    ) -> ConfidenceInterval:
        """Return a confidence interval, never outside the range of the metric.

        Parameters
        ----------
        confidence_level : float in (0, 1), optional
            The level of the evaluation if absent.
        method : {"auto", "end-model", "tilted", "half-subject", "inversion", "region", "profile", "cut-limits", \
"best-cut", "jeffreys", "log", "wald", "logit", "delong", "corrected", "percentile", "bca", "studentized"}, optional
            The method of the evaluation if absent: its ``interval_method``, ``auto`` by default.
            ``auto`` is the default method for the metric and design; ``interval_method`` names it. The coverage of
            every default was simulated in 50 cohorts (see Validation); ``cautions`` states where it was below 85%. For
            average precision in a cohort it is tilting, with path lengths from models of the list (``end-model``, up to
            400 positives) or t quantiles (``tilted``). For ``ndcg``, ``dcg`` and a ``logauc`` that begins below the
            first negative it is the inversion of a shifted fit, up to 500 positives: from three moments of ``ndcg`` and
            ``dcg`` of at least 50 positives that are not too skewed, else from 1,350 tables drawn. For metrics at a
            cutoff it is the region of ROC curves compatible with the list (``region``), or a beta distribution with an
            effective number of subjects (``jeffreys``; ``log`` for ``wss``) if subjects have weights or clusters, or if
            the cutoff at a rate or an FPR divides a group of equal scores in a list of at least 20 positives and 2
            negatives above the cutoff. For operating points at an FPR or a recall it is a profile over all cutoffs that
            exact tails allow (``profile``), for ``recall@precision`` the limits of recall at the limits of the cutoff
            (``cut-limits``), for ``max_f1``, ``net_benefit`` and ``ks`` limits at the best cutoff and over all of them
            (``best-cut``; of ``net_benefit`` and ``ks`` with weights or clusters those of as many fewer subjects as the
            variance says). For all others it is the delta method after adding half a subject of each class
            (``half-subject``), with t quantiles, on the logit scale of bounded metrics. With more than 200 groups or
            rankers, methods that draw are replaced by formulas. ``delong``, for AUC, is the normal interval by the
            variance of DeLong, DeLong and Clarke-Pearson (1988) with n - 1 per class, as pROC computes it (its error is
            in ``standard_error`` of the interval); with few subjects its coverage is below its level. ``corrected`` is
            the only one of labels that are wrong in a known way. The last three draw bootstrap replicates.
        n_resamples : int, optional
            Bootstrap replicates (2,000 unless given), or models of ``end-model`` (200, of most lists only if asked).
        rng : None, int or numpy.random.Generator
            Random generator or seed of bootstrap replicates, of the tables of ``inversion`` and of the order of ties of
            ``region``. None derives a seed from the counts, so that two calls return the same interval.

        Raises
        ------
        InsufficientDataError
            If a class has fewer than 5 subjects (2 for a method given by name), or too few negatives determine
            precision at a set prevalence.
        ParameterError
            If the method is unknown or not for this metric, or the level not in (0, 1).

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> y, s = [1, 1, 0, 1, 1, 0, 1, 0, 0, 0, 0, 0], list(range(12, 0, -1))
        >>> e = evaluate(y, s, metrics="auc")["score", "auc"]
        >>> interval = e.confidence_interval()
        >>> round(interval.low, 3), round(interval.high, 3), e.interval_method
        (0.372, 0.99, 'half-subject')
        """
        level = self.confidence_level if confidence_level is None else confidence_level
        how = self._method if method is None else method
        return interval(self._spread, level, how, n_resamples=n_resamples, rng=rng)[0]

    @cached_property
    def interval(self) -> ConfidenceInterval | None:
        """The interval at the level and by the method of the evaluation; None: see ``reason_no_interval``."""
        if self._known is not None and not math.isnan(self._known.interval.low):
            return self._known.interval
        try:
            return self.confidence_interval()
        except (InsufficientDataError, UndefinedMetricError):
            return None

    @cached_property
    def reason_no_interval(self) -> str:
        """Reason for a missing default interval; empty if the interval exists or the value is undefined."""
        if math.isnan(self.value) or self.interval is not None:
            return ""
        try:
            self.confidence_interval()
        except (InsufficientDataError, UndefinedMetricError) as error:
            return str(error)
        return ""

    @cached_property
    def interval_method(self) -> str:
        """The method of ``interval``: the one of the evaluation, or what ``auto`` selects for these data."""
        known = "" if self._known is None else self._known.interval_method
        made = vars(self).get("interval")  # which has resolved it
        return known or (made and made.method) or str(resolve(self._spread, self._method).item())

    @property
    def cautions(self) -> tuple[str, ...]:
        """Caveats on the reliability of the interval; empty if there are none."""
        if math.isnan(self.value):
            return ()
        try:
            return tuple(cautions_of(self._spread, lambda: bool(self.interval), by_default=self._method == "auto"))
        except InsufficientDataError as error:  # clusters that say nothing of each other
            return (f"{error}: no interval",)
        except UndefinedMetricError:  # it has no interval to caution against
            return ()

    def test_random(self, *, alternative: str = "greater", n_resamples: int = 9999, rng: Any = None) -> RandomTest:
        """Test against a random order of the subjects.

        Exact permutation mean and variance for AUC, areas over the rate, cuts and discounted ranks, all sums over
        ranks. Their p value is normal with 20 or more subjects of each class, unless the sum is skewed over random
        orders. The p value of hits above a cut is hypergeometric. All others are from random orders that are drawn.

        Parameters
        ----------
        alternative : {"greater", "less", "two-sided"}
        n_resamples : int
            Random orders, where they are drawn.
        rng : None, int or numpy.random.Generator
            None derives a seed from the counts, so that two calls return the same p value; ``seed`` records it.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> e = evaluate([1, 1, 0, 1, 0, 0, 0, 0], range(8, 0, -1), metrics="auc")["score", "auc"]
        >>> test = e.test_random(rng=0)
        >>> round(test.pvalue, 3), test.method
        (0.035, 'Monte Carlo')
        """
        if self.clustered:
            raise UndefinedMetricError(
                "a test against random orders permutes single subjects, which is invalid for clusters: check whether "
                "confidence_interval(), whose error is summed by cluster, contains the baseline .random"
            )
        return against_chance(self.metric, self.table, alternative, n_resamples, rng)

    # ---- context

    @property
    def n(self) -> float:
        """Number of subjects (sum of weights)."""
        return self.table.n

    @property
    def n_pos(self) -> float:
        """Number of positives (sum of weights)."""
        return self.table.n_pos

    @property
    def n_effective(self) -> tuple[float, float]:
        """Numbers of positives and negatives; with weights, the effective numbers."""
        n1, n0 = self._spread.effective
        return float(n1), float(n0)

    @property
    def tied(self) -> float:
        """Number of subjects whose score occurs in both classes."""
        return self.table.tied

    @cached_property
    def random(self) -> float:
        """Random baseline: the mean over random orders if known, else the value of all tied; nan if the value is."""
        if self._known is not None and not math.isnan(self._known.random):
            return self._known.random
        return self._reference(self.metric.baseline)

    @cached_property
    def random_mean(self) -> float | None:
        """Expectation over strict orders, None where it has no closed form or the value is undefined."""
        mean = None if math.isnan(self.value) else self.metric.random_mean(self.table)
        return None if mean is None else float(mean)

    @cached_property
    def best(self) -> float:
        """Value of the perfect order, the attainable maximum; nan if the value is."""
        if self._known is not None and not math.isnan(self._known.best):
            return self._known.best
        return self._reference(self.metric.best)

    @cached_property
    def worst(self) -> float:
        """Value of the reversed perfect order; nan if the value is."""
        return self._reference(self.metric.worst)

    def _reference(self, value: Callable[[HitTable], Any]) -> float:
        return math.nan if math.isnan(self.value) else float(value(self.table))

    @cached_property
    def cut(self) -> FoundCut | None:
        """Score and depth of the cutoff of a metric that has one, as ``precision@100`` or ``max_f1``; None of others.

        Examples
        --------
        >>> from hitcurve import evaluate
        >>> evaluate([1, 1, 0, 1, 0, 0], [9, 8, 8, 7, 5, 4], metrics="max_f1")["score", "max_f1"].cut
        FoundCut(score=7.0, rate=0.6666666666666666, higher_is_better=True)
        """
        if not self.metric.of_tables or math.isnan(self.value):
            return None
        spread = Spread(self.metric, self.table, self.design) if self._clustered or self._share_left else self._spread
        return found_cut(spread, self.table, higher_is_better=self._higher_is_better)

    @cached_property
    def tie_range(self) -> tuple[float, float] | None:
        """Values with every tie broken against and in favour of the positives; None without ties.

        None of momentum, which falls where some positives rise. Average precision with ``ties="group"`` may lie
        outside: it has the precision at the end of a group, as no strict order has for all positives of the group.
        """
        if self._known is not None and not math.isnan(self._known.tie_range[0]):
            return self._known.tie_range
        has_range = self.metric.divided_by is None and self.table.label_errors is None and not self.table.weighted
        if not (self.table.tied or self.table.tied_pos) or not has_range:
            return None
        low, high = strict_values(self.metric, self.table)
        if math.isnan(low) or math.isnan(high):
            return None
        return min(low, high), max(low, high)  # where low values are good the best order gives the lower one

    @cached_property
    def convention(self) -> str:
        """The definition used where tools differ."""
        known = "" if self._known is None else self._known.convention
        return known or ("" if math.isnan(self.value) else str(self.metric.convention(self.table)))

    def __str__(self) -> str:
        """Return ``film: ap = 0.1659 [0.128, 0.2127] (random 0.007837, best 1)``."""
        name = f"{rows.in_line(self.ranker)}: {self.metric}"
        if math.isnan(self.value):
            return f"{name} is undefined: {self.reason}"
        sides = f"(random {rows.agreed([self.random])}, best {rows.agreed([self.best])}){at_cut(self.cut)}"
        without = f"; no interval: {self.reason_no_interval}" if self.reason_no_interval else ""
        return f"{name} = {rows.with_interval(self.value, self.interval, digits=4)} {sides}{without}"

    def _repr_html_(self) -> str:
        """Return the number with its uncertainty and reference values as a table of a notebook."""
        defined = not math.isnan(self.value)
        lines = {
            "value": rows.number(self.value) if defined else "undefined",
            "standard error": self._error_text,
            f"{100 * self.confidence_level:g}% interval": self._interval_text if defined else "",
            "random": rows.short(self.random) if defined else "",
            "best": rows.short(self.best) if defined else "",
            "ties broken": " to ".join(map(rows.number, self.tie_range or ())) if defined else "",
            "convention": self.convention if defined else "",
            "cutoff": str(self.cut) if defined and self.cut else "",
            "subjects": f"{rows.count(self.n)}, {rows.count(self.n_pos)} positive",
            "design": f"{self.design}{', clustered' if self.clustered else ''}",
            "reason": self.reason,
        }
        body = [[name, text] for name, text in lines.items() if text] + [["note", text] for text in self.cautions]
        title = f"{rows.in_line(self.ranker)}: {self.metric}"
        return rows.html_block([rows.html_paragraphs([title]), rows.html_table([], body)])

    @property
    def _error_text(self) -> str:
        try:
            return rows.number(self.standard_error)
        except (InsufficientDataError, UndefinedMetricError):
            return ""

    @property
    def _interval_text(self) -> str:
        if self.interval is None:
            return f"none: {self.reason_no_interval}"
        return f"{rows.number(self.interval.low)} to {rows.number(self.interval.high)} ({self.interval_method})"
