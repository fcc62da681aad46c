"""The rankers at one horizon: an evaluation whose errors know that the censoring was estimated."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, NoReturn

import numpy as np

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve.counts import Array
from hitcurve.errors import ParameterError, UndefinedMetricError
from hitcurve.evaluation import Evaluation
from hitcurve.inference import (
    METHODS,
    Band,
    CertifiedCut,
    Comparison,
    DecisionCurve,
    Estimate,
    LargestEnrichment,
    PairedRankers,
    PowerAnalysis,
    Winner,
    winner_of,
)
from hitcurve.inference.bands import redrawn
from hitcurve.inference.estimation.chance import RandomTest
from hitcurve.inference.linear.gap import Gap
from hitcurve.inference.variance.dependent import Clustered, OfSubjects
from hitcurve.metrics import Metric
from hitcurve.sources import MemorySource
from hitcurve.survival.censoring import Places
from hitcurve.survival.covariances import OfHorizon
from hitcurve.survival.decisions import covariance as covariance_of_decisions
from hitcurve.survival.redrawn import DrawnCohorts

_ONLY_VALUES = "rule='aptools' reproduces the values of APtools for comparison and has no errors: leave rule out"


@dataclass(frozen=True, eq=False)
class SurvivalEstimate(Estimate):
    """The value of a metric for one ranker at one horizon, with its uncertainty and reference values.

    An :class:`~hitcurve.Estimate` of the weighted cases and controls; its standard error has a part for the estimate of
    the censoring.

    Attributes
    ----------
    horizon : float
    clusters : bool
        Whether subjects within clusters are dependent.
    subjects : float
        Number of subjects where no subject was censored and clusters were not given, nan elsewhere.
    """

    horizon: float = math.nan
    clusters: bool = False
    subjects: float = math.nan

    @cached_property
    def standard_error(self) -> float:
        """Standard error by influence values, with n/(n - 1) in the variance at every horizon.

        Raises
        ------
        InsufficientDataError
            If a class has one subject only.
        """
        found = super().standard_error
        return found if math.isnan(self.subjects) else found * math.sqrt(self.subjects / (self.subjects - 1))

    @property
    def clustered(self) -> bool:
        """Whether subjects within clusters are dependent."""
        return self.clusters

    def test_random(self, *, alternative: str = "greater", n_resamples: int = 9999, rng: Any = None) -> RandomTest:
        """Test against random orders, if no subject was censored; see :meth:`hitcurve.Estimate.test_random`."""
        if math.isnan(self.subjects) and not self.clusters:
            raise UndefinedMetricError(
                "a test against random orders permutes subjects of known outcomes, and some were censored before "
                f"horizon {rows.exact(self.horizon)}: check whether confidence_interval() contains the baseline .random"
            )
        return super().test_random(alternative=alternative, n_resamples=n_resamples, rng=rng)


@dataclass(frozen=True, eq=False, repr=False)
class HorizonEvaluation(Evaluation):
    """Metrics of one or several rankers at one horizon.

    An :class:`~hitcurve.Evaluation` of cases against controls, weighted by the inverse probability to be uncensored.
    Where no subject was censored up to the horizon, it equals the evaluation of the binary outcome, bit for bit.

    Attributes
    ----------
    horizon : float
    event_rate : float
        Share of the cases among all subjects: the Aalen-Johansen cumulative incidence (over strata, the mean by size);
        by the weights where ``censoring`` is a function, or estimated from others.
    censored : bool
        Whether subjects were censored up to the horizon, so that weights differ.
    cases, censored_before : float
        Numbers of subjects (sums of weights) with the event, and censored, up to the horizon.
    at_risk : float
        Number of subjects (sum of weights) observed for longer.
    subjects : float
        Number of subjects, those censored before the horizon included.
    only_values : bool
        Whether values follow the rule of another program, which has no errors.
    order : array of int (n,) or None
        The row of each subject; None where no subject was censored.
    """

    horizon: float = math.nan
    event_rate: float = math.nan
    censored: bool = False
    cases: float = math.nan
    censored_before: float = math.nan
    at_risk: float = math.nan
    subjects: float = math.nan
    only_values: bool = field(default=False, repr=False)
    order: Places | None = field(default=None, repr=False)

    @classmethod
    def of(cls, ev: Evaluation, **own: Any) -> HorizonEvaluation:
        """Take the numbers of an evaluation of the weighted tables of a horizon."""
        return cls(**{f.name: getattr(ev, f.name) for f in fields(Evaluation)} | own)

    def _estimate(self, name: str, place: int, m: Metric) -> Estimate:
        found = super()._estimate(name, place, m)
        own = {f.name: getattr(found, f.name) for f in fields(Estimate)}
        own["subjects"] = math.nan if self.censored or self.clustered else self.subjects
        if self.censored:
            own["_clustered"] = self._refuse_errors if self.only_values else partial(self._variance, name, m)
            own["_known"] = None
        return SurvivalEstimate(**own, horizon=self.horizon, clusters=self.clustered)

    @cached_property
    def _pairs(self) -> PairedRankers:
        return replace(super()._pairs, censored=self.censored)

    @cached_property
    def _side_by_side(self) -> Any:
        return None if self.censored else super()._side_by_side

    def _variance(self, name: str, wanted: Metric) -> Clustered:
        """Return the variance of one estimate, of subjects with the estimate of the censoring, or of clusters."""
        if self.clustered:
            return self._joint.cluster_variance(name, wanted)
        row = self._joint.place.get((name, wanted))
        if row is None:
            return OfSubjects(math.nan, self._joint.n_pos - 1)
        own = np.eye(1, len(self._joint.keys), row)[0]
        return OfSubjects(sum(self._joint.by_class(own)), self._joint.n_pos - 1)

    def _refuse_errors(self) -> NoReturn:
        raise UndefinedMetricError(_ONLY_VALUES)

    def _refuse_censored(self, what: str, instead: str) -> None:
        if self.censored:
            raise UndefinedMetricError(
                f"{what} has no error for an estimated distribution of the censoring, and {self._where}: {instead}"
            )

    @property
    def _where(self) -> str:
        return f"subjects were censored before horizon {rows.exact(self.horizon)}"

    def records(self) -> list[dict[str, Any]]:
        """Return all estimates with their context, without what cannot be had."""
        return self._records

    @property
    def _less_one(self) -> bool:
        return self.censored or super()._less_one

    def compare(self, first: str, second: str, metric: str | Metric, **options: Any) -> Comparison:
        """Test the difference of two rankers, first minus second; see :meth:`hitcurve.Evaluation.compare`.

        Where subjects were censored, by influence values that know that the censoring was estimated (``delta``).

        Raises
        ------
        ParameterError
            If subjects were censored and another method is asked for.
        """
        method = _checks.choice("method", options.get("method", "auto"), METHODS)
        if self.censored and method not in ("auto", "delta"):
            raise ParameterError(
                f"method={method!r} does not know that the distribution of the censoring is estimated, and "
                f"{self._where}: use 'delta'"
            )
        if self.only_values:
            self._refuse_errors()
        return super().compare(first, second, metric, **options)

    def influence(self, ranker: str, metric: str | Metric) -> Array:
        """Return the influence of each subject on a value, that on the estimate of the censoring included.

        See :meth:`hitcurve.Evaluation.influence`. Where subjects were censored, values add up to 0, and n/(n - 1) times
        their squares to the variance; with ``censoring_from`` that is the part of the subjects evaluated.
        """
        if not self.censored:
            return super().influence(ranker, metric)
        e, known = self[ranker, metric], self._subjects_of("an influence value")
        assert self.order is not None
        assert self.tally is not None
        out = np.full(self.tally.rows, np.nan)
        out[self.order] = known.influence(e.ranker, e.metric)
        return out

    def to_json(self, path: Any = None, *, subjects: bool | None = None) -> Any:
        """Refuse to write a horizon with censored subjects by itself, which no file keeps with its errors.

        Raises
        ------
        ParameterError
        """
        if self.censored:
            raise ParameterError(
                f"{self._where}, and a file of one horizon would lose how its errors are made: use to_json of the "
                "SurvivalEvaluation, or pickle"
            )
        return super().to_json(path, subjects=subjects)

    # ---- what has no error here

    @property
    def _is_redrawn(self) -> bool:
        return self.censored or super()._is_redrawn

    def _draws(self, rankers: Sequence[str]) -> redrawn.Draws:
        """Return samples of subjects (or clusters), each with its own estimate of the censoring."""
        if not self.censored:
            return super()._draws(rankers)
        known = self._subjects_of("a band")
        own = [known.rankings[name] for name in rankers]
        return DrawnCohorts.at_horizon(known.cohort, known.at, own, known.clusters)

    # ---- decisions

    def _covariance_of_decisions(self, ranker: str, thresholds: Array, other: str | None = None) -> Array | None:
        if not self.censored:
            return super()._covariance_of_decisions(ranker, thresholds, other)
        return covariance_of_decisions(self._subjects_of("a decision curve"), ranker, thresholds, other)

    def _variance_beside(self, ranker: str, metric: Metric) -> Clustered | None:
        if not self.censored:
            return super()._variance_beside(ranker, metric)
        known = self._subjects_of("a decision curve")
        return known.variances({ranker: [(metric, self.tables[ranker])]}, self.design)[ranker][0]

    def decision_curve(self, ranker: str, thresholds: Any = None, **options: Any) -> DecisionCurve:
        """Return the net benefit of one ranker at this horizon; see :meth:`hitcurve.Evaluation.decision_curve`.

        Scores are probabilities to have the event up to the horizon. Net benefit is that of the weighted cases and
        controls; with competing events give ``controls="all"``, so that all subjects are decided about. Limits account
        for the estimate of the censoring.
        """
        return Evaluation.decision_curve(self._with_subjects(), ranker, thresholds, **options)

    def decision_difference(self, first: str, second: str, thresholds: Any = None, **options: Any) -> Band:
        """Return the difference of two net benefits; see :meth:`hitcurve.Evaluation.decision_difference`."""
        return Evaluation.decision_difference(self._with_subjects(), first, second, thresholds, **options)

    def _with_subjects(self) -> HorizonEvaluation:
        """Return the same with the weighted subjects as its source."""
        if not self.censored:
            return self
        known = self._subjects_of("a decision curve")
        return replace(self, source=MemorySource(known.block(), self.notes))

    def certify(self, ranker: str, **options: Any) -> CertifiedCut:
        """Return a certified cut, if no subject was censored; see :meth:`hitcurve.Evaluation.certify`."""
        self._refuse_censored("a certified cut", "evaluate tpr@fpr=1% or fpr@tpr=95%, whose errors know it")
        return super().certify(ranker, **options)

    def largest_enrichment(self, ranker: str, *, confidence_level: float | None = None) -> LargestEnrichment:
        """Return the result, if no subject was censored; see :meth:`hitcurve.Evaluation.largest_enrichment`."""
        self._refuse_censored("the largest enrichment", "evaluate ef@x at a depth chosen before")
        return super().largest_enrichment(ranker, confidence_level=confidence_level)

    def gap(self, metric: str | Metric, by: Any, **options: Any) -> Gap:
        """Return the gap between subgroups, if no subject was censored; see :meth:`hitcurve.Evaluation.gap`."""
        self._refuse_censored("a gap between subgroups", "use evaluate_survival of each subgroup")
        return super().gap(metric, by, **options)

    @property
    def _variances_of_many(self) -> Any:
        return self._subjects_of("a sensitivity analysis").variances if self.censored else super()._variances_of_many

    def _subjects_of(self, what: str) -> OfHorizon:
        """Return the subjects with their weights.

        Raises
        ------
        ParameterError, UndefinedMetricError
            If there are none, or values follow the rule of another program.
        """
        if self.only_values:
            self._refuse_errors()
        known = self._joint_of_many
        if not isinstance(known, OfHorizon):
            raise ParameterError(f"{what} needs the subjects, and this evaluation holds none: keep its data")
        return known

    def power_analysis(self, metric: str | Metric, effect: float, **options: Any) -> PowerAnalysis:
        """Return a plan by numbers of cases and controls; see :meth:`hitcurve.Evaluation.power_analysis`.

        Raises
        ------
        UndefinedMetricError
            If subjects were censored, whose number is part of a plan.
        """
        self._refuse_censored(
            "a plan by numbers of cases and controls",
            "use power_analysis of the SurvivalEvaluation, which plans numbers of subjects",
        )
        return super().power_analysis(metric, effect, **options)

    def winner(self, metric: str | Metric, **options: Any) -> Winner:
        """Return the best of all rankers by a metric; see :meth:`hitcurve.Evaluation.winner`."""
        if not self.censored:
            return super().winner(metric, **options)
        wanted = next(iter(self.metric(metric).values())).metric
        own: dict[str, Any] = {"confidence_level": self.confidence_level, "method": "hybrid", "rng": None}
        given = {key: value for key, value in options.items() if value is not None and key != "progress"}
        return winner_of(self.tables, wanted, self._joint, self.design, variance=self._variance, **own | given)

    def without_data(self) -> HorizonEvaluation:
        """Return the same evaluation without its data, which is smaller to store and to pickle."""
        joint = self._kept_joint if self.only_values else self._joint
        return replace(self, source=None, _kept_joint=joint, _joint_of_many=None)
