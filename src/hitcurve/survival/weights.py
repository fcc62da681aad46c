"""A horizon as a weighted binary problem: cases, controls, and the weights that stand for the censored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError
from hitcurve.survival.censoring import Censoring, KaplanMeier, Sample
from hitcurve.survival.outcome import CASE, CENSORED, COMPETING, Mask

CONTROLS = ("free", "all")


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


@dataclass(frozen=True)
class Cohort:
    """A sample with the distribution of its censoring, from which every horizon follows.

    Attributes
    ----------
    sample : Sample
    censoring : Censoring
    controls : {"free", "all"}
        ``free``: subjects without any event at the horizon. ``all``: those with a competing event before it, too.
    """

    sample: Sample
    censoring: Censoring
    controls: str

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
            If there is no case or no control, or the censoring leaves nobody who stands for part of the subjects; with
            the horizons that work.
        """
        time, kind, own, _ = self.sample
        by_then = time <= horizon
        case, free = by_then & (kind == CASE), ~by_then
        competing = by_then & (kind == COMPETING)
        self._check(horizon, case, free, competing)
        censored = bool(np.any(by_then & (kind == CENSORED) & self._there))
        found = self.censoring.at(self.sample, horizon)
        event = case | competing
        if isinstance(self.censoring, KaplanMeier):
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

    @cached_property
    def with_own_censoring(self) -> Cohort:
        """The cohort with weights by Kaplan and Meier of all subjects: the cases have those of Aalen-Johansen."""
        sample = self.sample._replace(stratum=None)
        return Cohort(sample, KaplanMeier.of(sample, "timeroc", of_others=False), "all")

    def incidence(self, horizon: float) -> float:
        """Return the share of subjects with the event up to a horizon, by Aalen and Johansen."""
        found = self.with_own_censoring.at(horizon)
        return float(found.weight[found.case].sum() / found.weight.sum())

    def _check(self, horizon: float, case: Mask, free: Mask, competing: Mask) -> None:
        there = self._there
        if not np.any(case & there):
            first = self.sample.time[(self.sample.kind == CASE) & there].min(initial=np.inf)
            raise InsufficientDataError(
                f"no subject has had the event by horizon {horizon:g}: the first event is at {first:g}, so use "
                f"{self.working} (--horizon)"
            )
        if not np.any(free & there) and not (self.controls == "all" and np.any(competing & there)):
            raise InsufficientDataError(
                f"horizon {horizon:g} is beyond the follow-up: nobody is observed longer than {self._last:g}, so there "
                f"are no controls; use {self.working} (--horizon)"
            )
        if not np.any(free & there) and self._ends_censored(horizon):
            raise InsufficientDataError(
                f"the probability to be uncensored is 0 at horizon {horizon:g}, so that nobody stands for the subjects "
                f"that were censored last; use {self.working} (--horizon)"
            )

    def _check_censoring(self, horizon: float, of_events: Array, of_free: Array) -> None:
        if np.any(of_events <= 0) or np.any(of_free <= 0):
            raise InsufficientDataError(
                f"the estimated probability to be uncensored is 0 by horizon {horizon:g}: use {self.working} "
                "(--horizon), or a longer follow-up in censoring_from"
            )
        self._check_strata(horizon)

    def _check_strata(self, horizon: float) -> None:
        """Refuse a horizon at which no subject of a stratum is left that stands for those censored last."""
        if self.sample.stratum is None:
            return
        for number, part in enumerate(self.sample.parts()):
            time, kind = self.sample.time[part][self._there[part]], self.sample.kind[part][self._there[part]]
            if time.size and time[-1] <= horizon and kind[-1] == CENSORED:
                raise InsufficientDataError(
                    f"the probability to be uncensored is 0 at horizon {horizon:g} in stratum {number + 1} of "
                    f"{int(self.sample.stratum.max()) + 1}, where nobody is observed longer than {time[-1]:g}: use an "
                    "earlier horizon (--horizon), or fewer strata"
                )

    def _ends_censored(self, horizon: float) -> bool:
        own = self._there & (self.sample.time == self._last)
        return bool(np.any(self.sample.kind[own] == CENSORED))

    @property
    def _last(self) -> float:
        return float(self.sample.time[self._there].max())

    @cached_property
    def working(self) -> str:
        """The horizons that work, in words."""
        there = self._there
        first = float(self.sample.time[(self.sample.kind == CASE) & there].min(initial=np.inf))
        limit = self._last
        if isinstance(self.censoring, KaplanMeier):
            for steps in self.censoring.steps:
                if steps.after[-1] <= 0:
                    limit = min(limit, float(steps.time[-1]))
        if first >= limit:
            return "another data set: no horizon has both cases and controls"
        return f"a horizon from {first:g} and below {limit:g}"
