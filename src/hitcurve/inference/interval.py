"""Confidence intervals of one metric of one ranker: the recipes that were measured to cover, and the usual ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array, Counts
from hitcurve.errors import InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.inference.average_precision import leave_one_out, tilted
from hitcurve.inference.design import effective
from hitcurve.inference.half_subject import half_subject
from hitcurve.inference.influence import Influence, influence
from hitcurve.inference.resample import replicates
from hitcurve.inference.step import Step, split_at_cut, step_of, variance_at_fpr, variance_at_rate
from hitcurve.metrics import (
    SLR,
    WSS,
    AreaMetric,
    AveragePrecision,
    Metric,
    PartialAUC,
    PRArea,
    ScaledAP,
)
from hitcurve.sums import Sums
from hitcurve.table import HitTable

METHODS = (
    "auto",
    "tilted",
    "half-subject",
    "jeffreys",
    "log",
    "wald",
    "logit",
    "percentile",
    "bca",
    "studentized",
)
FEWEST = 5  # of either class, for an interval that was not asked for by name
_TILTED_UP_TO = 2000  # positives
_FALLBACK_REPLICATES = 400
_NOISE = 1e-9  # a standard error of a share that is rounding
_FALLBACK_SEED = 20260101


class ConfidenceInterval(NamedTuple):
    """The ends of a confidence interval."""

    low: float
    high: float


class Clustered(NamedTuple):
    """Variance of a metric whose subjects depend on each other within clusters."""

    variance: float
    degrees: float


@dataclass(frozen=True)
class Spread:
    """How far the value of a metric may be from the truth.

    Attributes
    ----------
    metric : Metric
    table : HitTable
    design : {"cohort", "case-control"}
    clustered : Clustered or None
    """

    metric: Metric
    table: HitTable
    design: str
    clustered: Clustered | None = None

    # ---- standard error

    @cached_property
    def sums(self) -> Sums:
        """The rows, with the row of negatives that a cut divides split."""
        sums = self.table.sums
        gaps = self.table.kind in ("collapsed", "ranks", "derived")
        return split_at_cut(self.metric, sums, self.table.assumed_prevalence) if gaps else sums

    @cached_property
    def influence(self) -> Influence | None:
        """Influence values by row, None where they would have to be taken numerically over too many rows."""
        c = self.sums.counts(self.table.assumed_prevalence)
        try:
            return influence(self.metric, c, self.design, self.effective)
        except UndefinedMetricError:
            return None

    @cached_property
    def variance(self) -> float:
        """Variance of the metric over samples of this design."""
        if self.clustered is not None:
            if math.isnan(self.clustered.variance):
                raise UndefinedMetricError(f"{self.metric} has no influence values to add up within clusters")
            return self.clustered.variance
        if self.influence is not None:
            return self.influence.variance(self.sums)
        return float(np.var(self._fallback, ddof=1))

    @property
    def standard_error(self) -> float:
        """Standard error of the metric.

        Raises
        ------
        InsufficientDataError
            If a class has one subject: how much the class varies cannot be seen.
        """
        self._refuse_one_subject("standard error")
        return math.sqrt(self.variance)

    @cached_property
    def _fallback(self) -> Array:
        values, _ = replicates(self.table, self.metric.kernel, self.design, _FALLBACK_REPLICATES, _FALLBACK_SEED)
        return values

    @property
    def source(self) -> str:
        """Where the standard error comes from, in words."""
        if self.clustered is not None:
            return "influence values, summed by cluster"
        return "influence values" if self.influence is not None else f"{_FALLBACK_REPLICATES} bootstrap replicates"

    # ---- how much data there is

    @cached_property
    def effective(self) -> tuple[float, float]:
        """Number of positives and of negatives; of weights, the number of equal weights that vary as much."""
        return effective(self.table.sums)

    @cached_property
    def deciding(self) -> float:
        """Negatives that lie where the metric is decided: nu of a known prevalence, nu_f of a magnification.

        Of a partial area over TPR, the mirror image of one over FPR, they are positives.
        """
        n1, n0 = self.effective
        if self._by_prevalence:
            pi = self.table.prevalence
            return n0 * pi / (1 - pi) if self.table.assumed_prevalence is not None else math.inf
        if isinstance(self.metric, AreaMetric) and self.metric.axis == "fpr":
            f = self.metric.magnification(self.table.counts)
            place = float(np.squeeze(f.inverse(np.asarray(1 - math.exp(-1)))))
            return (n0 if self.who_decides == "negatives" else n1) * place
        return math.inf

    @property
    def who_decides(self) -> str:
        """Whether the few that decide the metric are negatives or positives."""
        mirrored = isinstance(self.metric, PartialAUC) and self.metric.over == "tpr"
        return "positives" if mirrored else "negatives"

    @property
    def _by_prevalence(self) -> bool:
        return isinstance(self.metric, (AveragePrecision, ScaledAP, PRArea))

    @cached_property
    def _step(self) -> Step | None:
        return step_of(self.metric, self.sums.counts(self.table.assumed_prevalence), self.effective)

    @property
    def degrees(self) -> float:
        """Degrees of freedom of the t quantile: positives (or clusters that hold one) minus 1."""
        return self.effective[0] - 1 if self.clustered is None else self.clustered.degrees

    @property
    def _clusters(self) -> float:
        """Clusters that hold a positive; of subjects one by one there are always enough."""
        return math.inf if self.clustered is None else self.clustered.degrees + 1

    def cautions(self) -> list[str]:
        """Say where the interval is less than its name."""
        n1, n0 = self.effective
        if min(n1, n0) < FEWEST:
            few = f"{n1:.3g} positives" if n1 <= n0 else f"{n0:.3g} negatives"
            return [f"only {few}: too few for an interval (at least {FEWEST} of either class)"]
        if self._clusters < FEWEST:
            return [f"only {self._clusters:g} clusters hold a positive: too few for an interval (at least {FEWEST})"]
        said = []
        if n1 < 20 or n0 < 20:
            few = f"{n1:.3g} positives" if n1 <= n0 else f"{n0:.3g} negatives"
            said.append(
                f"only {few}: intervals are approximate (simulated coverage .90 to .99 at 95%) and wide; compare "
                "rankers with a permutation test, not by overlap"
            )
        if self._clusters < 20:
            said.append(f"only {self._clusters:g} clusters hold a positive: intervals are approximate")
        said += self.extrapolated()
        if not self._by_prevalence and self.deciding < 10:
            said.append(
                f"{self.metric} rests on about {self.deciding:.3g} {self.who_decides}: its standard error is too "
                "small, test with swap-permutation"
            )
        return said + self._nothing_observed()

    def extrapolated(self) -> list[str]:
        """Say so if few negatives decide precision at a set prevalence."""
        if not self._by_prevalence or self.deciding >= 30:
            return []
        return [
            f"{self.metric} is extrapolated: only {self.deciding:.3g} negatives lie where precision at the set "
            "prevalence is decided"
        ]

    def _nothing_observed(self) -> list[str]:
        at_the_end = 1e-12 * max(abs(self.value), 1.0)
        if abs(self.value - float(self.metric.best(self.table))) <= at_the_end:
            return [f"no error was observed: the interval of {self.metric} is one-sided in spirit"]
        if self._step is not None and self._step.axis != "recall" and self._step.tpr <= 0:
            return [f"no hit was observed: the interval of {self.metric} is one-sided in spirit"]
        return []

    def _refuse_one_subject(self, what: str) -> None:
        if min(self.effective) < 2:
            raise InsufficientDataError(f"one subject of a class gives no {what} of {self.metric}")

    def _refuse_if_too_few(self) -> None:
        n1, n0 = self.effective
        if min(n1, n0) < FEWEST:
            which = f"{n1:.3g} positives" if n1 < n0 else f"{n0:.3g} negatives"
            raise InsufficientDataError(
                f"{which} are too few for an interval of {self.metric} (at least {FEWEST} of either class); a method "
                "asked for by name works from 2"
            )
        if self._clusters < FEWEST:
            raise InsufficientDataError(
                f"{self._clusters:g} clusters that hold a positive are too few for an interval of {self.metric} (at "
                f"least {FEWEST}); a method asked for by name works from 2"
            )
        self.refuse_if_never_sampled()

    def refuse_if_never_sampled(self) -> None:
        """Refuse a prevalence that was set so low that hardly any negative decides precision there.

        Raises
        ------
        InsufficientDataError
            If these are fewer than 5.
        """
        if self._by_prevalence and self.deciding < FEWEST:
            raise InsufficientDataError(
                f"{self.metric} at a set prevalence rests on {self.deciding:.3g} negatives: the false positives that "
                "would decide precision were never sampled, and no method makes up for them"
            )

    # ---- intervals

    def resolve(self, method: str) -> str:
        """Return what ``auto`` becomes: the method that was measured to cover for this metric and design."""
        _checks.choice("method", method, METHODS)
        if method != "auto":
            return method
        if isinstance(self.metric, WSS):
            return "log"
        if self._step is not None:
            return "jeffreys"
        if self._may_be_tilted and self.effective[0] <= _TILTED_UP_TO:
            return "tilted"
        return "wald" if self._bounds is None else "half-subject"

    @property
    def _may_be_tilted(self) -> bool:
        group = isinstance(self.metric, AveragePrecision) and self.metric.ties == "group"
        plain = not self.table.weighted and self.clustered is None and self.table.assumed_prevalence is None
        return group and plain and self.design == "cohort"

    def interval(
        self, level: float, method: str = "auto", *, n_resamples: int = 2000, rng: Any = None
    ) -> tuple[ConfidenceInterval, str]:
        """Return an interval and the method it was made by."""
        level = _checks.open_unit("confidence_level", level)
        if method == "auto":
            _checks.choice("method", method, METHODS)
            self._refuse_if_too_few()
        chosen = self.resolve(method)
        if isinstance(self.metric, WSS):
            _ = self.influence  # refuses what waits for the last positive
        self._refuse_one_subject("interval")
        recipes: dict[str, Callable[[float], tuple[float, float]]] = {
            "tilted": self._tilted,
            "half-subject": self._half_subject,
            "jeffreys": self._jeffreys,
            "log": self._log,
            "wald": self._wald,
            "logit": self._logit,
        }
        if chosen in recipes:
            low, high = recipes[chosen](level)
        else:
            low, high = self._resampled(level, chosen, n_resamples, rng)
        if chosen in ("tilted", "half-subject"):
            # half a subject keeps the ends off the value of a perfect order, which was observed
            low, high = min(low, self.value), max(high, self.value)
        least, most = self.metric.range
        # sums of weights may give a value outside, as ranks below 1
        return ConfidenceInterval(max(low, min(least, self.value)), min(high, max(most, self.value))), chosen

    @cached_property
    def value(self) -> float:
        """The plug-in value."""
        return float(self.metric.value(self.table))

    def _t(self, level: float) -> float:
        return t_quantile((1 + level) / 2, self.degrees)

    def _tilted(self, level: float) -> tuple[float, float]:
        if not self._may_be_tilted:
            raise ParameterError(
                "method='tilted' is for average precision (ties='group') of an unweighted cohort without clusters"
            )
        return tilted(self.table.sums.folded(negatives_join=True), self._t(level))

    @cached_property
    def _bounds(self) -> tuple[float, float] | None:
        """Return the ends of the scale on which the interval is made, None if it has no two."""
        return self._bounds_at(self.table.counts)

    def _bounds_at(self, c: Counts) -> tuple[float, float] | None:
        if isinstance(self.metric, SLR):
            return None  # a mean over the positives: its own scale is right
        low, high = self.metric.range
        if isinstance(self.metric, AreaMetric):
            return float(self.metric.worst(c)), float(self.metric.best(c))
        if isinstance(self.metric, ScaledAP):
            pi = float(c.pi)
            return -pi / (1 - pi), 1.0
        if math.isinf(low) or math.isinf(high):
            return None
        return low, high

    def _half_subject(self, level: float) -> tuple[float, float]:
        centre, variance, bounds = self._with_half_subject
        return self._on_logit(centre, variance, self._t(level), bounds)

    @cached_property
    def _with_half_subject(self) -> tuple[float, float, tuple[float, float]]:
        """Value, variance and bounds with half a subject more: intervals of all levels share them."""
        # only precision at the end of a group does not tell a gap from the group below it
        fold = isinstance(self.metric, ScaledAP) or self.metric == AveragePrecision()
        prevalence = self.table.assumed_prevalence
        more = half_subject(self.table.sums.folded(negatives_join=fold), prevalence)
        c = more.counts(prevalence)
        bounds = self._bounds_at(c)
        if bounds is None:
            raise ParameterError(f"method='half-subject' needs a bounded metric, and {self.metric} is not")
        variance = self.variance
        if self.clustered is None:
            with suppress(UndefinedMetricError):  # too many rows for a numerical gradient
                variance = influence(self.metric, c, self.design).variance(more)
        return float(self.metric.value(c)), variance, bounds

    def _on_logit(self, centre: float, variance: float, t: float, bounds: tuple[float, float]) -> tuple[float, float]:
        """Make the interval on the logit of the share of the way from worst to best, where the centre has these."""
        from scipy.special import expit, logit

        low, high = bounds
        share = (centre - low) / (high - low) if high > low else math.nan
        if not 0 < share < 1:
            raise UndefinedMetricError(f"{self.metric} is at the end of its range: a logit interval has no width there")
        half = t * math.sqrt(variance) / (high - low) / (share * (1 - share))
        worst, best = self._bounds or bounds
        ends = (worst + (best - worst) * float(expit(logit(share) + side * half)) for side in (-1, 1))
        return next(ends), next(ends)

    def _wald(self, level: float) -> tuple[float, float]:
        half = self._t(level) * math.sqrt(self.variance)
        return self.value - half, self.value + half

    def _logit(self, level: float) -> tuple[float, float]:
        if self._bounds is None:
            raise ParameterError(f"method='logit' needs a bounded metric, and {self.metric} is not")
        return self._on_logit(self.value, self.variance, self._t(level), self._bounds)

    # ---- hard cuts

    @property
    def _in_a_group(self) -> bool:
        """Whether the cut divides a group of equal scores, whose subjects are above it in part."""
        if self._step is None:
            return False
        divided = (self._step.share_above > 0) & (self._step.share_above < 1)
        return bool(np.any(divided & (np.asarray(self.sums.pos) > 0) & (np.asarray(self.sums.neg) > 0)))

    def _jeffreys(self, level: float) -> tuple[float, float]:
        step = self._step
        if step is None or step.axis == "recall":
            raise ParameterError(f"method='jeffreys' is for metrics of a hard cut, and {self.metric} is none")
        n1, n0 = self.effective
        T = step.tpr
        T_ = (n1 * T + 0.5) / (n1 + 1)
        offset, factor, d_offset, d_factor = step.scale
        if step.axis == "fpr":
            variance = variance_at_fpr(T_, step.place, step.slope, n1, n0)
            return self._beta(level, T, T_, variance, offset, factor, n1)
        pi, n, place, rho = self.table.prevalence, n1 + n0, step.place, step.slope
        Q_ = min(max((n0 * step.fpr + 0.5) / (n0 + 1), 0.0), 1.0)
        sampled = self.design == "cohort" and self.table.assumed_prevalence is None
        by_class = variance_at_rate(T_, Q_, rho, pi, n1, n0)
        of_prevalence = math.sqrt(pi * (1 - pi) / n) if sampled else 0.0
        pull, own = (step.follows - (T_ - Q_)) * rho / pi, d_factor * T_ + d_offset
        if offset == 0 and d_offset == 0 and math.isclose(d_factor * pi, factor):
            # a multiple of precision, the share of the called: their number counts
            called, most = n * place, factor * place / pi
            precision = pi * T / place
            variance = (factor**2 * by_class + ((factor * pull + own) * of_prevalence) ** 2) / most**2
            middle = (precision * called + 0.5) / (called + 1)
            return self._beta(level, precision, middle, variance, 0.0, most, called)
        low, high = self._beta(level, T, T_, by_class + (pull * of_prevalence) ** 2, offset, factor, n1)
        # what else moves with the prevalence, in quadrature
        by_prevalence = t_quantile((1 + level) / 2, math.inf) * own * of_prevalence
        return self.value - math.hypot(self.value - low, by_prevalence), self.value + math.hypot(
            high - self.value, by_prevalence
        )

    def _beta(
        self, level: float, T: float, T_: float, variance: float, offset: float, factor: float, count: float
    ) -> tuple[float, float]:
        from scipy.special import betaincinv

        if factor > 0 and self.variance > (_NOISE * factor) ** 2 and (self.clustered is not None or self._in_a_group):
            variance = self.variance / factor**2
        size = T_ * (1 - T_) / variance if variance > 0 else count
        a, b = size * T + 0.5, size * (1 - T) + 0.5
        # a sum of shares may miss 1 by a hair; the beta of a part of a hit may lie above it
        low = 0.0 if T <= 1e-12 else min(float(betaincinv(a, b, (1 - level) / 2)), T)
        high = 1.0 if T >= 1 - 1e-12 else max(float(betaincinv(a, b, (1 + level) / 2)), T)
        return offset + factor * low, offset + factor * high

    def _log(self, level: float) -> tuple[float, float]:
        """Return the interval of work saved at a recall: log FPR at the recall, the prevalence in quadrature."""
        step = self._step
        if step is None or step.axis != "recall":
            raise ParameterError(f"method='log' is for work saved at a recall (wss), not for {self.metric}")
        n1, n0 = self.effective
        n, pi, recall = n1 + n0, self.table.prevalence, step.place
        alpha = (n0 * step.fpr + 0.5) / (n0 + 1)
        elasticity = max(step.slope * recall / alpha, 1.0)
        variance = (1 - alpha) / (n0 * alpha) + elasticity**2 * recall * (1 - recall) / (n1 * recall**2)
        sampled = self.design == "cohort" and self.table.assumed_prevalence is None
        if self.variance > 0 and (self.clustered is not None or self._in_a_group):
            variance, sampled = self.variance / ((1 - pi) * alpha) ** 2, False  # the prevalence is part of it
        half = self._t(level) * math.sqrt(variance)
        by_prevalence = t_quantile((1 + level) / 2, math.inf) * math.sqrt(pi * (1 - pi) / n) * abs(alpha - recall)
        ends = []
        for side in (1, -1):
            other = min(alpha * math.exp(min(side * half, 700.0)), 1.0)
            moved = (1 - pi) * (other - alpha)
            ends.append(self.value - side * math.hypot(moved, by_prevalence if sampled else 0.0))
        return ends[0], ends[1]

    # ---- bootstrap

    def _resampled(self, level: float, method: str, n_resamples: int, rng: Any) -> tuple[float, float]:
        if self.clustered is not None:
            raise ParameterError(f"method={method!r} draws subjects one by one, which clusters do not allow")
        n_resamples = _checks.whole_number("n_resamples", n_resamples, least=2)
        if method == "studentized":
            return self._studentized(level, n_resamples, rng)
        drawn, _ = replicates(self.table, self.metric.kernel, self.design, n_resamples, rng)
        drawn = drawn[~np.isnan(drawn)]
        if method == "percentile":
            low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
            return float(low), float(high)
        return self._bca(drawn, level)

    def _bca(self, drawn: Array, level: float) -> tuple[float, float]:
        """Bias-corrected and accelerated percentiles; acceleration from the influence values."""
        from scipy.special import ndtr, ndtri

        if self.influence is None:
            raise UndefinedMetricError(f"method='bca' needs influence values, which {self.metric} does not have here")
        below = (np.sum(drawn < self.value) + np.sum(drawn == self.value) / 2) / drawn.size
        bias = float(ndtri(np.clip(below, 1 / (2 * drawn.size), 1 - 1 / (2 * drawn.size))))
        phi, sums = self.influence, self.sums
        cubes = float(np.sum(sums.pos * phi.pos**3) + np.sum(sums.neg * phi.neg**3))
        squares = phi.variance(sums)
        speed = cubes / (6 * squares**1.5) if squares > 0 else 0.0
        z = bias + np.array(ndtri([(1 - level) / 2, (1 + level) / 2]))
        low, high = np.quantile(drawn, ndtr(bias + z / (1 - speed * z)))
        return float(low), float(high)

    def _studentized(self, level: float, n_resamples: int, rng: Any) -> tuple[float, float]:
        """Bootstrap-t: each replicate over its own standard error."""
        if self.influence is None:
            raise UndefinedMetricError(
                f"method='studentized' needs influence values, which {self.metric} does not have here"
            )

        def studentize(c: Counts) -> Array:
            out = np.full(c.n.shape, math.nan)
            for i, (pos, neg) in enumerate(zip(c.pos, c.neg, strict=True)):
                sums = Sums(pos, neg)
                one = sums.counts(c.prevalence)
                error = math.sqrt(influence(self.metric, one, self.design).variance(sums))
                if error > 0:
                    out[i] = (float(self.metric.kernel(one)) - self.value) / error
            return out

        statistics, _ = replicates(self.table, studentize, self.design, n_resamples, rng)
        statistics = statistics[~np.isnan(statistics)]
        low, high = np.quantile(statistics, [(1 - level) / 2, (1 + level) / 2])
        error = math.sqrt(self.variance)
        return self.value - float(high) * error, self.value - float(low) * error

    @cached_property
    def bias_reduced(self) -> float | None:
        """The leave-one-out estimate, None where the metric has none."""
        if isinstance(self.metric, (AveragePrecision, ScaledAP)) and not self.table.weighted:
            if isinstance(self.metric, AveragePrecision) and self.metric.ties != "group":
                return None
            ap = leave_one_out(self.table.counts)
            pi = self.table.prevalence
            return ap if isinstance(self.metric, AveragePrecision) else (ap - pi) / (1 - pi)
        return None


def t_quantile(p: float, degrees: float) -> float:
    """Return a quantile of Student's t, of the normal where degrees are infinite."""
    from scipy.special import ndtri, stdtrit

    if math.isinf(degrees) or degrees > 1e10:
        return float(ndtri(p))
    return float(stdtrit(max(degrees, 1e-6), p))
