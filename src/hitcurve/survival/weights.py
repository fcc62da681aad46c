"""A horizon as a weighted binary problem: cases, controls, and the weights that stand for the censored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from hitcurve import rows
from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import InsufficientDataError
from hitcurve.immutable import Compared, viewed
from hitcurve.survival.censoring import Censoring, KaplanMeier, Places, Sample, Steps, Uncensored
from hitcurve.survival.outcome import CASE, CENSORED, COMPETING, Mask

CONTROLS = ("free", "all")
Side: TypeAlias = Literal["left", "right"]


class AtHorizon(NamedTuple):
    """The subjects of a sample at a horizon.

    Attributes
    ----------
    horizon : float
    case, control : array of bool (n,)
        Cases had the event up to the horizon; subjects that are neither have no place in the ranking.
    weight : array (n,)
        Inverse probability to be uncensored, times the weight of the subject; 0 of those censored before.
    censored : bool
        Whether any subject was censored up to the horizon, so that weights differ from those that were given.
    """

    horizon: float
    case: Mask
    control: Mask
    weight: Array
    censored: bool

    @property
    def used(self) -> Mask:
        """Subjects with a place in the ranking."""
        return (self.case | self.control) & (self.weight > 0)


class StepsOfSubjects(NamedTuple):
    """The steps of the censoring of one stratum among its subjects.

    Attributes
    ----------
    sampled, evaluated : slice or array of int
        Subjects of the stratum: those from whom the steps are estimated, and those that are evaluated.
    steps : Steps
    censored : array of bool (m,)
        Of those from whom the steps are estimated.
    own : array of int (m,)
        The first step at the time of each or later.
    passed : array of int (m,)
        Steps at which each was at risk.
    beyond : array of int (k,)
        The first evaluated subject that a step makes weigh more; all later ones do, too.
    """

    sampled: AnyArray | slice
    evaluated: AnyArray | slice
    steps: Steps
    censored: Mask
    own: Places
    passed: Places
    beyond: Places


@dataclass(frozen=True, eq=False)
class Cohort(Compared):
    """A sample with the distribution of its censoring, from which every horizon follows.

    Attributes
    ----------
    sample : Sample
    censoring : Censoring
    controls : {"free", "all"}
        ``free``: subjects without any event at the horizon. ``all``: those with a competing event before it, too.
    strata : tuple of str
        Names of the strata, where they are known.
    """

    sample: Sample
    censoring: Censoring
    controls: str
    strata: tuple[str, ...] = ()

    @cached_property
    def has_competing(self) -> bool:
        """Whether there are competing events."""
        return bool(np.any(self.sample.kind == COMPETING))

    @cached_property
    def _there(self) -> Mask:
        return self.sample.weight > 0

    def at(self, horizon: float) -> AtHorizon:
        """Return cases, controls and weights at a horizon.

        Raises
        ------
        InsufficientDataError
            If there is no case or no control, or the censoring leaves no subject that represents some others; with
            the horizons that work.
        """
        time, kind, own, _ = self.sample
        by_then = time <= horizon
        case, free = by_then & (kind == CASE), ~by_then
        competing = by_then & (kind == COMPETING)
        self._check(horizon, case, free, competing)
        censored = bool(np.any(by_then & (kind == CENSORED) & self._there))
        found = self._uncensored(horizon)
        event = case | competing
        if isinstance(self.censoring, KaplanMeier):
            self._check_follow_up(horizon, self.censoring)
            self._check_censoring(horizon, found.of_events[event & self._there], found.of_free[free & self._there])
        weight = np.zeros(time.size)
        if not censored and isinstance(self.censoring, KaplanMeier) and not self.censoring.of_others:
            weight[event | free] = own[event | free]
        else:
            weight[event] = own[event] / found.of_events[event]
            weight[free] = own[free] / found.of_free[free]
        differ = bool(np.any(weight[event | free] != own[event | free]))
        control = free | competing if self.controls == "all" else free
        return AtHorizon(horizon, case, control, weight, censored or differ)

    def _uncensored(self, horizon: float) -> Uncensored:
        """Return the probabilities to be uncensored; those at the events are the same for all horizons."""
        if not isinstance(self.censoring, KaplanMeier):
            return self.censoring.at(self.sample, horizon)
        return Uncensored(self._at_events, self.censoring.of_free(self.sample, horizon))

    @cached_property
    def _at_events(self) -> Array:
        return self.censoring.at(self.sample, 0.0).of_events

    @property
    def _is_of_these(self) -> bool:
        """Whether weights are those of Kaplan and Meier of the subjects themselves."""
        own = self.censoring
        return isinstance(own, KaplanMeier) and own.rule == "timeroc" and not own.of_others

    @cached_property
    def with_own_censoring(self) -> Cohort:
        """The cohort with weights by Kaplan and Meier of its subjects: the cases have those of Aalen-Johansen."""
        if self._is_of_these:
            return replace(self, controls="all")
        return replace(self, censoring=KaplanMeier.of(self.sample, "timeroc", of_others=False), controls="all")

    def incidence(self, at: AtHorizon) -> float:
        """Return the share of subjects with the event up to a horizon, by Aalen and Johansen in each stratum.

        Where the censoring is given or that of others, by the weights that follow from it.
        """
        follows = isinstance(self.censoring, KaplanMeier) and not self.censoring.of_others
        found = (self.with_own_censoring if follows else replace(self, controls="all")).at(at.horizon)
        return float(found.weight[found.case].sum() / found.weight.sum())

    @cached_property
    def places(self) -> tuple[StepsOfSubjects, ...]:
        """Where the steps of the censoring of each stratum stand among the times of the subjects."""
        own = self.censoring
        assert isinstance(own, KaplanMeier)
        side: Side = "right" if own.rule == "timeroc" else "left"
        found = []
        for part, evaluated, steps in zip(own.sample.parts(), self.sample.parts(), own.steps, strict=True):
            censored = own.sample.kind[part] == CENSORED
            time = own.sample.time[part]
            before, upto = (np.searchsorted(steps.time, time, end) for end in ("left", "right"))
            # censored ones are at risk at their own time, others are gone by then: events come first
            passed = np.where(censored, upto, before)
            beyond = np.searchsorted(self.sample.time[evaluated], steps.time, side)
            found.append(StepsOfSubjects(part, evaluated, steps, censored, before, passed, beyond))
        return tuple(map(viewed, found))

    def _check(self, horizon: float, case: Mask, free: Mask, competing: Mask) -> None:
        there = self._there
        if not np.any(case & there):
            first = self.sample.time[(self.sample.kind == CASE) & there].min(initial=np.inf)
            raise InsufficientDataError(
                f"no subject has had the event by horizon {rows.exact(horizon)}: the first event is at "
                f"{rows.exact(first)}; {self.advice}"
            )
        if not np.any(free & there) and not (self.controls == "all" and np.any(competing & there)):
            raise InsufficientDataError(
                f"horizon {rows.exact(horizon)} is beyond the follow-up: no subject is observed for longer than "
                f"{rows.exact(self._last)}, so there are no controls; {self.advice}"
            )
        if not np.any(free & there) and self._ends_censored(horizon):
            raise InsufficientDataError(
                f"the probability to be uncensored is 0 at horizon {rows.exact(horizon)}, and no subject represents "
                f"those that were censored last; {self.advice}"
            )

    def _check_follow_up(self, horizon: float, censoring: KaplanMeier) -> None:
        """Refuse a horizon that no subject of ``censoring_from`` reached: nothing is known of the censoring there."""
        if censoring.of_others and horizon > (last := float(censoring.sample.time[-1])):
            raise InsufficientDataError(
                f"horizon {rows.exact(horizon)} is beyond the follow-up of censoring_from, which ends at "
                f"{rows.exact(last)}; {self.advice}, or give a longer follow-up in censoring_from"
            )

    def _check_censoring(self, horizon: float, of_events: Array, of_free: Array) -> None:
        if np.any(of_events <= 0) or np.any(of_free <= 0):
            raise InsufficientDataError(
                f"the estimated probability to be uncensored is 0 by horizon {rows.exact(horizon)}; {self.advice}, or "
                "give a longer follow-up in censoring_from"
            )
        self._check_strata(horizon)

    def _check_strata(self, horizon: float) -> None:
        """Refuse a horizon at which no subject of a stratum is left that stands for those censored last."""
        if self.sample.stratum is None:
            return
        for number, part in enumerate(self.sample.parts()):
            time, kind = self.sample.time[part][self._there[part]], self.sample.kind[part][self._there[part]]
            if time.size and time[-1] <= horizon and kind[-1] == CENSORED:
                count = int(self.sample.stratum.max()) + 1
                named = repr(self.strata[number]) if self.strata else f"{number + 1} of {count}"
                raise InsufficientDataError(
                    f"the probability to be uncensored is 0 at horizon {rows.exact(horizon)} in stratum {named}, where "
                    f"no subject is observed for longer than {rows.exact(time[-1])}; {self.advice}, or give fewer "
                    "strata"
                )

    def _ends_censored(self, horizon: float) -> bool:
        own = self._there & (self.sample.time == self._last)
        return bool(np.any(self.sample.kind[own] == CENSORED))

    @property
    def _last(self) -> float:
        return float(self.sample.time[self._there].max())

    @cached_property
    def advice(self) -> str:
        """The horizons that work, in words."""
        there = self._there
        first = float(self.sample.time[(self.sample.kind == CASE) & there].min(initial=np.inf))
        limit = self._last
        if isinstance(self.censoring, KaplanMeier):
            if self.censoring.of_others:
                limit = min(limit, float(self.censoring.sample.time[-1]))
            for steps in self.censoring.steps:
                if steps.after[-1] <= 0:
                    limit = min(limit, float(steps.time[-1]))
        if first >= limit:
            return "no horizon of these data has cases, controls and a chance to be uncensored"
        # an event at time 0 is before every horizon, and a horizon is above 0
        return f"use a horizon {f'from {rows.exact(first)}' if first else 'above 0'} and below {limit:g} (--horizon)"
