"""How far the value of a metric may be from the truth: variance, effective numbers, and what to be wary of."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.errors import UndefinedMetricError
from hitcurve.inference.cutting.step import Step, step_of
from hitcurve.inference.design import effective
from hitcurve.inference.models.end_formula import EndFormula
from hitcurve.inference.models.end_model import EndModel, seeds_of
from hitcurve.inference.resampling.resample import replicates
from hitcurve.inference.variance.corrected import METHOD, deviations_by_share, sampling_variance
from hitcurve.inference.variance.dependent import Clustered
from hitcurve.inference.variance.half_subject import Bounds, WithHalfSubject, with_half_subject
from hitcurve.inference.variance.influence import (
    Influence,
    has_gradient,
    influence,
    not_differentiable,
    variance_of_long,
)
from hitcurve.inference.variance.lacking import without_error
from hitcurve.metrics import Metric
from hitcurve.refusals import raise_first, refused
from hitcurve.sums import Lists, Sums, Weighed
from hitcurve.table import HitTable, table_of

_BY_PATH = ("tilted", "end-model")
_FEWEST_TO_KNOW = 20  # positives
_FEWEST_AT_A_CUT = 2  # negatives above an FPR, by which the curve within equal scores is seen
_TILTED_UP_TO, _MODELLED_UP_TO, _INVERTED_UP_TO, _SLICED_UP_TO = 2000, 400, 500, 1_000_000  # positives
_FALLBACK_REPLICATES = 400
_NO_LIMIT = np.asarray(math.inf)
_FALLBACK_SEED = 20260101


@dataclass(frozen=True)
class Spread:
    """How far the value of a metric may be from the truth, of one list or of each of many.

    Attributes
    ----------
    metric : Metric
    rows : HitTable or Lists
        One list, or many side by side; everything that follows has their leading shape.
    design : {"cohort", "case-control"}
    clustered : Clustered or None
    may_draw : bool
        Whether the default interval may be one that draws: of thousands of lists that takes minutes.
    known : float, array (...) or None
        The plug-in values, where they were worked out before.
    share_left : float
        Share of the variance that a fit of the weights does not explain.
    """

    metric: Metric
    rows: HitTable | Lists
    design: str
    clustered: Clustered | None = None
    may_draw: bool = True
    known: Any = None
    share_left: float = 1.0

    @property
    def lists(self) -> Lists:
        """The rows; of one long list without many empty ones, and its table lets go of them in time."""
        return self.rows.lists.of_gaps if isinstance(self.rows, HitTable) else self.rows

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """The leading shape: ``()`` for one list."""
        return self.lists.shape

    @property
    def sums(self) -> Sums:
        """The columns of the rows."""
        return self.lists.sums

    @property
    def weighed(self) -> tuple[Weighed, Weighed]:
        """The weights of both classes of the only list, as far as they are known."""
        return self.rows.weighed if isinstance(self.rows, HitTable) else self.sums.weighed

    @property
    def counts(self) -> Counts:
        """The view that kernels see."""
        _ = self._checked
        return self.lists.counts

    @cached_property
    def _checked(self) -> None:
        if isinstance(self.rows, HitTable):
            _checks.both_classes(self.rows.n_pos, self.rows.n_neg)

    @cached_property
    def sampled(self) -> bool:
        """Whether the prevalence was sampled too."""
        return self.design == "cohort" and self.lists.prevalence is None

    def of(self, lists: Any) -> Spread:
        """Return some of the lists of the leading axis."""
        clustered = None
        if self.clustered is not None:
            parts = (np.broadcast_to(part, self.shape)[lists] for part in self.clustered)
            clustered = type(self.clustered)(*parts)
        known = None if self.known is None else np.asarray(self.known)[lists]
        return replace(
            self, metric=self.metric.of_lists(lists), rows=self.lists.of(lists), clustered=clustered, known=known
        )

    @cached_property
    def without_clusters(self) -> Spread:
        """The same subjects, each by itself."""
        return replace(self, clustered=None)

    @cached_property
    def value(self) -> Array:
        """The plug-in value."""
        return np.asarray(self.metric.value(self.counts) if self.known is None else self.known)

    # ---- standard error

    @cached_property
    def step(self) -> Step | None:
        """The cut of the metric."""
        return step_of(self.metric, self.counts, self.effective)

    @cached_property
    def influence(self) -> Influence | None:
        """Influence values by row, None where the only list has too many rows to take them numerically."""
        try:
            return influence(self.metric, self.counts, self.design, self.effective, step=self.step)
        except UndefinedMetricError:
            return None

    @cached_property
    def variance(self) -> Array:
        """Variance of the metric over samples of this design; nan where it is not available."""
        return self._variance if self.share_left == 1.0 else self.share_left * self._variance

    @cached_property
    def _variance(self) -> Array:
        if self.clustered is not None:
            return np.array(np.broadcast_to(np.asarray(self.clustered.variance, float), self.shape))
        if self.metric.jumps and self.sums.weighted:
            return np.full(self.shape, math.nan)
        found = variance_of_long(self.metric, self.counts, self.design, self.step)
        if found is not None:
            return found
        if self.lists.errors is not None and self.influence is not None:
            return sampling_variance(self.influence, self.sums, self.effective)
        if self.influence is None:
            return np.asarray(np.var(self._fallback(self.rows), ddof=1))
        found = self.influence.variance(self.sums)
        if self.shape:
            for i in zip(*np.nonzero(self.too_long), strict=True):
                found[i] = np.var(self._fallback(self.lists.of(i)), ddof=1)
        return found

    def _fallback(self, rows: HitTable | Lists) -> Array:
        table = rows if isinstance(rows, HitTable) else table_of(rows)
        values, _ = replicates(table, self.metric.kernel, self.design, _FALLBACK_REPLICATES, _FALLBACK_SEED)
        return values

    @cached_property
    def too_long(self) -> npt.NDArray[np.bool_]:
        """Lists whose metric has no closed form, and too many rows to take its derivatives numerically."""
        return refused(not_differentiable(self.metric, self.counts), self.shape)

    @property
    def standard_error(self) -> Array:
        """Standard error of the metric; nan for those of many lists that have none.

        Raises
        ------
        InsufficientDataError
            If a class of the only list has one subject: how much the class varies cannot be seen.
        """
        bad = without_error(self)
        of_shares = np.sum(deviations_by_share(self.metric, self.counts) ** 2, axis=-1)
        if not self.shape:
            raise_first(bad)
            return np.asarray(np.sqrt(self.variance + of_shares))
        with np.errstate(all="ignore"):
            return np.where(refused(bad, self.shape), math.nan, np.sqrt(self.variance + of_shares))

    @property
    def source(self) -> str:
        """Where the standard error of the only list comes from, in words."""
        if self.clustered is not None:
            of_subjects = self.clustered.of_subjects
            return f"influence values, {'with the censoring estimated' if of_subjects else 'summed by cluster'}"
        return "influence values" if self.influence is not None else f"{_FALLBACK_REPLICATES} bootstrap replicates"

    # ---- the scale of an interval

    @cached_property
    def bounds(self) -> Bounds | None:
        """Ends of the scale on which an interval is made, None if there are not two."""
        return self.bounds_of(self.counts)

    def bounds_of(self, c: Counts) -> Bounds | None:
        """Return these ends for other counts."""
        found = self.metric.bounds_of_cohort(c) if self.sampled else self.metric.bounds(c)
        return None if found is None else (np.asarray(found[0], float), np.asarray(found[1], float))

    @cached_property
    def with_half_subject(self) -> WithHalfSubject:
        """What half a subject more makes of the metric: intervals of all levels share it."""
        return with_half_subject(self)

    @cached_property
    def default_method(self) -> AnyArray:
        """The default method of an interval for this metric and design, of each list."""
        default = self.metric.default_interval
        if self.lists.errors is not None:
            return np.full(self.shape, METHOD, object)
        if self.clustered is not None and self.step is not None and self.step.axis != "rate":
            return np.full(self.shape, "profile", object)
        if default in ("cut-limits", "best-cut"):
            return np.where(self.may_be_counted, default, "half-subject").astype(object)
        if default and default not in (*_BY_PATH, "inversion"):
            return np.full(self.shape, default, object)
        if self.step is not None:
            # of equal scores at the cut it is known how the curve runs, if there are subjects to see it by
            known = self.step.divides_equal(self.sums) & (self.effective[0] >= _FEWEST_TO_KNOW)
            if self.step.axis == "fpr":
                known = known & (self.effective[1] * self.step.place >= _FEWEST_AT_A_CUT)
            sliced = self.may_draw & self.may_be_sliced & (~known | (self.step.axis == "recall"))
            return np.where(sliced, "region", self.step.by_formula).astype(object)
        n1 = self.effective[0]
        if self.may_be_tilted:
            found = np.where(n1 <= _TILTED_UP_TO, "tilted", "half-subject").astype(object)
        else:
            found = np.full(self.shape, "half-subject", object)
        if not self.may_draw:
            return found
        if self.may_be_modelled:
            found[n1 <= _MODELLED_UP_TO] = "end-model"
        if not self.is_for_inversion:
            return found
        wanted = self.metric.extrapolates(self.counts) | (default == "inversion")
        return np.where(wanted & self.may_be_inverted, "inversion", found)

    @cached_property
    def _one_by_one(self) -> bool:
        """Whether subjects count one by one."""
        return not self.sums.weighted and self.clustered is None

    @property
    def may_be_sliced(self) -> npt.NDArray[np.bool_]:
        """Where the region of the ROC plane can be sliced at the cut."""
        there = self._one_by_one and self.step is not None
        return np.asarray((self.effective[0] <= _SLICED_UP_TO) & there)

    @property
    def is_chosen(self) -> bool:
        """Whether a cutoff is chosen on the data because its value is the largest, and subjects cannot be counted."""
        chosen = self.metric.chosen(self.counts) is not None and not self.metric.jumps
        return chosen and not bool(np.all(self.may_be_counted))

    @property
    def may_be_counted(self) -> npt.NDArray[np.bool_]:
        """Where subjects above a cut can be counted, if need be as fewer independent ones of equal weight."""
        cut = self.metric.chosen(self.counts)
        if cut is None or cut.rule in ("net benefit", "distance"):
            return np.full(self.shape, cut is not None)
        of_shares = cut.rule == "f1" and self.lists.prevalence is not None
        return np.full(self.shape, self.clustered is None and (of_shares or not self.sums.weighted))

    @property
    def may_be_inverted(self) -> npt.NDArray[np.bool_]:
        """Where tables like the lists can be drawn, each of whole subjects."""
        there = self._one_by_one and (self.lists.prevalence is None or self.metric.axis == "fpr")
        n1, n0 = self.effective
        return np.asarray((n1 <= _INVERTED_UP_TO) & (np.minimum(n1, n0) >= 2) & there)

    @property
    def is_for_inversion(self) -> bool:
        """Whether inversion is made for the metric: it says so, or may begin below the first negative."""
        metric = self.metric
        return metric.default_interval == "inversion" or type(metric).extrapolates is not Metric.extrapolates

    @cached_property
    def may_be_tilted(self) -> bool:
        """Whether the metric says so, and the lists are unweighted cohorts without clusters."""
        if not (self._one_by_one and self.sampled) or self.metric.default_interval not in _BY_PATH:
            return False
        return self.bounds is not None and has_gradient(self.metric, self.counts)

    @property
    def may_be_modelled(self) -> bool:
        """Whether the metric may be tilted, and average precision of a model is its value."""
        return self.may_be_tilted and self.metric.default_interval == "end-model"

    # ---- models whose value is the end

    @cached_property
    def seeds(self) -> AnyArray:
        """A seed of each list, which follows from its canonical rows alone; an array of int."""
        return seeds_of(self.lists)

    @cached_property
    def end_model(self) -> EndModel:
        """Models of the lists, of a seed that follows from each: intervals of all levels share them."""
        return EndModel.of(self.lists, [np.random.default_rng(seed) for seed in self.seeds.ravel()])

    @cached_property
    def end_formula(self) -> EndFormula:
        """The same by formula, of the lists of which it can be had: nothing is drawn."""
        return EndFormula.of(self.lists)

    # ---- how much data there is

    @cached_property
    def effective(self) -> tuple[Any, Any]:
        """Number of positives and of negatives; of weights, the number of equal weights that vary as much."""
        lists = self.lists  # all metrics of these share them
        return lists.counts.once("effective", "effective", lambda: effective(lists.sums))

    @cached_property
    def fewer(self) -> Array:
        """Number of the smaller class."""
        return np.asarray(np.minimum(*self.effective))

    @cached_property
    def deciding(self) -> Array:
        """Number of the class that lies where the metric is decided: nu of a known prevalence, or near the top."""
        n1, n0 = self.effective
        if self.metric.decided_by_prevalence:
            pi = self.counts.pi
            return n0 * pi / (1 - pi) if self.lists.prevalence is not None else self._no_limit
        share = self.metric.deciding_share(self.counts)
        rate = None if self.lists.prevalence is None else self.metric.deciding_rate(self.counts)
        if share is None and rate is not None:  # negatives alone, of a list without positives
            share = np.minimum(rate / (1 - self.counts.pi), 1.0)
        if share is None:
            return self._no_limit
        return np.asarray((n0 if self.who_decides == "negatives" else n1) * share)

    @property
    def _no_limit(self) -> Array:
        return np.full(self.shape, math.inf) if self.shape else _NO_LIMIT

    @property
    def who_decides(self) -> str:
        """Whether the few that decide the metric are negatives or positives."""
        return self.metric.deciding_class

    @property
    def degrees(self) -> Any:
        """Degrees of freedom of the t quantile: positives (or clusters that hold one, or are above a cut) minus 1."""
        if self.clustered is None:
            return self.effective[0] - 1
        return np.minimum(self.clustered.degrees, np.maximum(np.asarray(self.clustered.above) - 1, 1.0))

    @property
    def is_profiled(self) -> bool:
        """Whether the interval of the metric is a profile over cuts."""
        return self.metric.default_interval == "profile"

    @cached_property
    def deviation_of_prevalence(self) -> Array:
        """Standard deviation of the prevalence, 0 where it is known."""
        pi, sums = self.counts.pi, self.sums
        if not self.sampled:
            return np.zeros_like(pi)
        if sums.pos_squares is not None and sums.neg_squares is not None:
            squares = (1 - pi) ** 2 * sums.pos_squares.sum(axis=-1) + pi**2 * sums.neg_squares.sum(axis=-1)
            return np.asarray(np.sqrt(squares) / (sums.pos.sum(axis=-1) + sums.neg.sum(axis=-1)))
        return np.asarray(np.sqrt(pi * (1 - pi) / sum(self.effective)))

    @property
    def clusters(self) -> Array:
        """Clusters that hold a positive; of subjects one by one there are always enough."""
        if self.clustered is None or self.clustered.of_subjects:
            return self._no_limit
        return np.broadcast_to(self.clustered.degrees + 1, self.shape)
