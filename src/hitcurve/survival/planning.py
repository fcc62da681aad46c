"""How many subjects a comparison of two rankers at a horizon needs, from a pilot with censored subjects."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve.counts import Array
from hitcurve.errors import HitcurveError, InsufficientDataError, ParameterError, UndefinedMetricError
from hitcurve.inference.comparing.power import factors_of, power_of_t
from hitcurve.inference.resampling.resample import seed_of_values
from hitcurve.metrics import Metric
from hitcurve.survival.censoring import KaplanMeier, Places
from hitcurve.survival.covariances import influences, sums_of_squares
from hitcurve.survival.rankings import Ranking
from hitcurve.survival.weights import Cohort

_REPLICATES = 200
_MOST = 10**12  # subjects
_FEW = 20  # cases, below which the formula is a rough guide


@dataclass(frozen=True)
class SurvivalPower:
    """Number of subjects needed to detect a difference at a horizon, or the power of a number of subjects.

    Subjects have events and are censored as those of the pilot. All count, whether they are censored or not.

    Attributes
    ----------
    metric : Metric
    rankers : (str, str)
        First and second, of the difference.
    horizon : float
    effect : float
        True difference to be detected.
    power : float
    significance : float
        Two-sided level of the test.
    subjects : int
    cases : float
        Expected number of subjects seen to have the event by the horizon.
    subjects_interval : (int, int) or None
        95% interval of the number of subjects, if numbers were computed: the pilot only estimates the variance of the
        difference. None if it is missing, see ``no_interval``.
    power_interval : (float, float) or None
        95% interval of the power, if the power was computed.
    subjects_pilot, cases_pilot : float
        Numbers of the pilot (sums of weights).
    seed : int or None
        Seed of the replicates behind the interval; None without an interval.
    no_interval : str or None
        Reason for a missing interval; None if there is an interval.
    """

    metric: Metric
    rankers: tuple[str, str]
    horizon: float
    effect: float
    power: float
    significance: float
    subjects: int
    cases: float
    subjects_interval: tuple[int, int] | None
    power_interval: tuple[float, float] | None
    subjects_pilot: float
    cases_pilot: float
    seed: int | None
    no_interval: str | None

    def to_record(self) -> dict[str, Any]:
        """Return the numbers as plain values. The keys are the same for all requests; missing values are None."""
        low, high = self.subjects_interval or (None, None)
        low_power, high_power = self.power_interval or (None, None)
        return {
            "metric": str(self.metric),
            "first": self.rankers[0],
            "second": self.rankers[1],
            "horizon": self.horizon,
            "effect": self.effect,
            "power": self.power,
            "power_low": low_power,
            "power_high": high_power,
            "significance": self.significance,
            "subjects": self.subjects,
            "subjects_low": low,
            "subjects_high": high,
            "cases": self.cases,
            "subjects_pilot": self.subjects_pilot,
            "cases_pilot": self.cases_pilot,
            "seed": self.seed,
            "no_interval": self.no_interval,
        }

    def __str__(self) -> str:
        """Return the numbers in one sentence, and the uncertainty of the pilot in another."""
        few = " (approximate: so few)" if self.cases < _FEW else ""
        return (
            f"{self.metric}{rows.of_rankers(self.rankers)} at horizon {rows.short(self.horizon, 6)}: "
            f"{self.subjects:,} subjects, with about {rows.short(self.cases, 3)} cases seen, find a difference of "
            f"{rows.short(self.effect)} with power {self.power:.3f} at two-sided level "
            f"{self.significance:g}{few}{self._of_the_pilot}"
        )

    @property
    def _of_the_pilot(self) -> str:
        size = (
            f"; from {rows.count(self.subjects_pilot)} subjects and {rows.count(self.cases_pilot)} cases in the pilot, "
            "the 95% interval is"
        )
        if self.subjects_interval is not None:
            return f"{size} {self.subjects_interval[0]:,} to {self.subjects_interval[1]:,} subjects"
        if self.power_interval is not None:
            return f"{size} power {self.power_interval[0]:.3f} to {self.power_interval[1]:.3f}"
        return f"; the pilot gives no 95% interval: {self.no_interval}"


class _Pilot(NamedTuple):
    """Variance of the difference, with the sizes of the pilot.

    Attributes
    ----------
    variance : float
    degrees : float
        Of freedom: effective number of cases (or clusters with a case) less 1.
    subjects : float
    """

    variance: float
    degrees: float
    subjects: float

    def power(self, effect: float, significance: float, subjects: int, factor: float = 1.0) -> float:
        """Return the power of the t test with so many subjects, and a variance that is larger by a factor."""
        share = subjects / self.subjects
        degrees = max((self.degrees + 1) * share - 1, 1.0)
        return power_of_t(abs(effect) / math.sqrt(factor * self.variance / share), degrees, significance)

    def needed(self, effect: float, significance: float, power: float, factor: float = 1.0) -> int:
        """Return the least number of subjects with this power."""
        low, high = 1, 2
        while self.power(effect, significance, high, factor) < power:
            low, high = high, 2 * high
            if high > _MOST:
                raise ParameterError(f"effect {effect:g} is too small: it needs more than {_MOST:,} subjects")
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.power(effect, significance, middle, factor) < power else (low, middle)
        return high


@dataclass(frozen=True)
class Plan:
    """Two rankers of a cohort at a horizon, from which a comparison is planned.

    Attributes
    ----------
    cohort : Cohort
    rankings : mapping of str to Ranking
        Of two rankers.
    horizon : float
    metric : Metric
    design : {"cohort", "case-control"}
    clusters : array of int (n,) or None
    """

    cohort: Cohort
    rankings: dict[str, Ranking]
    horizon: float
    metric: Metric
    design: str
    clusters: Places | None

    def made(self, effect: float, *, power: float | None, subjects: int | None, significance: float) -> SurvivalPower:
        """Return the plan; see :meth:`hitcurve.SurvivalEvaluation.power_analysis`."""
        effect = _checks.real_number("effect", effect)
        low, high = self.metric.range
        if effect == 0 or not abs(effect) < high - low:
            raise ParameterError(
                f"effect must not be 0 and be smaller than the range of {self.metric}, {high - low:g}, got {effect:g}"
            )
        significance = _checks.level("significance", significance)
        if (power is None) == (subjects is None):
            raise ParameterError("give either power, to compute the number of subjects, or subjects, for the power")
        first, second = self.rankings
        pilot = self._pilot()
        factors, seed, why_not = factors_of(self._drawn())
        time, kind, weight, _ = self.cohort.sample
        cases = float(weight[(time <= self.horizon) & (kind == 1)].sum())
        numbers: list[int] = []
        powers: list[float] = []
        if power is not None:
            power = _checks.open_unit("power", power)
            if power <= significance:
                raise ParameterError(f"power must be above the significance {significance:g}, got {power:g}")
            subjects = pilot.needed(effect, significance, power)
            numbers = [pilot.needed(effect, significance, power, factor) for factor in factors]
        else:
            subjects = _checks.whole_number("subjects", subjects)
            power = pilot.power(effect, significance, subjects)
            powers = [pilot.power(effect, significance, subjects, factor) for factor in factors]
        return SurvivalPower(
            self.metric,
            (first, second),
            self.horizon,
            effect,
            power,
            significance,
            subjects,
            subjects * cases / pilot.subjects,
            (numbers[0], numbers[1]) if numbers else None,
            (powers[1], powers[0]) if powers else None,
            pilot.subjects,
            cases,
            seed,
            why_not,
        )

    def _pilot(self) -> _Pilot:
        variance, cases = self._variance(self.cohort, self.rankings)
        if not cases >= 2:
            raise InsufficientDataError(f"the pilot needs at least 2 cases at horizon {rows.exact(self.horizon)}")
        if not variance > 0:
            first, second = self.rankings
            raise UndefinedMetricError(
                f"{first!r} and {second!r} do not differ in the pilot, which gives no variance to plan with"
            )
        if self.clusters is not None:
            own = self.cohort.sample
            cases = np.unique(self.clusters[(own.time <= self.horizon) & (own.kind == 1)]).size
        return _Pilot(variance, cases - 1, float(self.cohort.sample.weight.sum()))

    def _variance(self, cohort: Cohort, rankings: dict[str, Ranking]) -> tuple[float, float]:
        """Return the variance of the difference, and the effective number of cases."""
        found = influences(cohort, cohort.at(self.horizon), rankings, [self.metric], self.design)
        if len(found.keys) < 2:
            raise UndefinedMetricError(f"{self.metric} has no influence values here")
        sides = (None if one is None else one @ np.array([[1.0], [-1.0]]) for one in (found.own, found.others))
        own, others = sides
        assert own is not None
        return float(sums_of_squares(own, others, self.clusters)[0]), found.numbers[0]

    def _drawn(self) -> Callable[[], tuple[Array, int]] | str:
        """Return what draws the variance in bootstrap replicates of the pilot; or why nothing can."""
        censoring = self.cohort.censoring
        if self.clusters is not None:
            return "no bootstrap of its variance has been validated with clusters"
        if not isinstance(censoring, KaplanMeier):
            return "a known distribution of the censoring is of the rows that were given, and not of draws of them"

        def draw() -> tuple[Array, int]:
            values = [np.asarray(r.row, float) for r in self.rankings.values()]
            seed = seed_of_values(self.cohort.sample.time, *values)
            return np.array(list(self._replicates(censoring, np.random.default_rng(seed)))), seed

        return draw

    def _replicates(self, censoring: KaplanMeier, rng: np.random.Generator) -> Iterator[float]:
        sample = self.cohort.sample
        n = sample.time.size
        for _ in range(_REPLICATES):
            drawn = np.sort(rng.integers(0, n, n))
            stratum = None if sample.stratum is None else sample.stratum[drawn]
            own = sample._replace(
                time=sample.time[drawn], kind=sample.kind[drawn], weight=sample.weight[drawn], stratum=stratum
            )
            same = censoring if censoring.of_others else KaplanMeier.of(own, censoring.rule, of_others=False)
            rankings = {name: Ranking(r.scores, r.row[drawn]) for name, r in self.rankings.items()}
            try:
                yield self._variance(replace(self.cohort, sample=own, censoring=same), rankings)[0]
            except HitcurveError:
                yield math.nan
