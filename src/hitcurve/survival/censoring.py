"""The distribution of the censoring times, from which the weights of a horizon follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.immutable import Viewed
from hitcurve.survival.outcome import CENSORED

Places = npt.NDArray[np.intp]
RULES = ("timeroc", "sksurv", "aptools")


class Sample(NamedTuple):
    """Subjects of whom it is known until when they were observed, in the order of their times.

    Attributes
    ----------
    time : array (n,)
        Ascending.
    kind : array of int (n,)
        Censored, a case or a competing event.
    weight : array (n,)
    stratum : array of int (n,) or None
        The stratum of each, from 0 on.
    """

    time: Array
    kind: npt.NDArray[np.int8]
    weight: Array
    stratum: Places | None

    def parts(self) -> Iterator[AnyArray | slice]:
        """Yield the places of the subjects of each stratum."""
        if self.stratum is None:
            yield slice(None)
            return
        for stratum in range(int(self.stratum.max(initial=-1)) + 1):
            yield np.flatnonzero(self.stratum == stratum)


class Steps(NamedTuple):
    """The estimate of one stratum: steps at the times at which subjects were censored.

    Attributes
    ----------
    time : array (m,)
        Distinct censoring times, ascending.
    at_risk : array (m,)
        Weight of the subjects that could be censored there: events at the same time come first.
    censored : array (m,)
        Weight of the censored.
    left : array (m,)
        What is left of ``at_risk``: subjects observed for longer.
    after : array (m + 1,)
        Probability to be uncensored before the first time, and just after each.
    """

    time: Array
    at_risk: Array
    censored: Array
    left: Array
    after: Array

    @classmethod
    def of(cls, time: Array, kind: npt.NDArray[np.int8], weight: Array, rule: str) -> Steps:
        """Estimate from ascending times."""
        own = np.flatnonzero((kind == CENSORED) & (weight > 0))
        distinct, place = np.unique(time[own], return_inverse=True)
        censored = np.asarray(np.bincount(place, weight[own], minlength=distinct.size), float)
        beyond = np.append(np.cumsum(weight[::-1])[::-1], 0.0)
        left = beyond[np.searchsorted(time, distinct, "right")]
        if rule == "aptools":  # the risk set with the events of the same time, and the exponential of the hazard
            at_risk = beyond[np.searchsorted(time, distinct, "left")]
            after = np.exp(-np.cumsum(censored / at_risk))
        else:
            at_risk = left + censored
            after = np.cumprod(left / at_risk)
        return cls(distinct, at_risk, censored, left, np.concatenate([[1.0], after]))

    def before(self, time: AnyArray) -> Array:
        """Return the probability to be uncensored just before some times."""
        return np.asarray(self.after[np.searchsorted(self.time, time, "left")])

    def at(self, time: AnyArray) -> Array:
        """Return the probability to be uncensored just after some times."""
        return np.asarray(self.after[np.searchsorted(self.time, time, "right")])


class Uncensored(NamedTuple):
    """Probabilities to be uncensored, of each subject.

    Attributes
    ----------
    of_events : array (n,)
        When the event of the subject happened.
    of_free : array (n,)
        At the horizon.
    """

    of_events: Array
    of_free: Array


class Censoring(Protocol):
    """What gives the probabilities to be uncensored of the subjects of a sample."""

    def at(self, sample: Sample, horizon: float) -> Uncensored:
        """Return the probabilities of a horizon."""

    @property
    def estimated(self) -> bool:
        """Whether they are estimated, so that errors have a part of it."""

    @property
    def words(self) -> str:
        """How, in words."""


@dataclass(frozen=True)
class KaplanMeier(Viewed):
    """Estimated in each stratum by Kaplan and Meier, events first; by the rule of another program if one is named.

    Attributes
    ----------
    sample : Sample
        From which it is estimated.
    of_others : bool
        Whether that is another sample than the one that is evaluated.
    rule : {"timeroc", "sksurv", "aptools"}
    steps : tuple of Steps
        Of each stratum.
    """

    sample: Sample
    of_others: bool
    rule: str
    steps: tuple[Steps, ...]

    @classmethod
    def of(cls, sample: Sample, rule: str, *, of_others: bool) -> KaplanMeier:
        """Estimate from a sample."""
        steps = tuple(
            Steps.of(sample.time[part], sample.kind[part], sample.weight[part], rule) for part in sample.parts()
        )
        return cls(sample, of_others, rule, steps)

    @property
    def estimated(self) -> bool:
        """Whether errors have a part of it."""
        return True

    @property
    def words(self) -> str:
        """How, in words."""
        name = "Fleming-Harrington" if self.rule == "aptools" else "Kaplan-Meier"
        strata = f" in {len(self.steps)} strata" if self.sample.stratum is not None else ""
        return f"{name}{strata}{' of another sample' if self.of_others else ''}"

    def at(self, sample: Sample, horizon: float) -> Uncensored:
        """Return the probabilities of a horizon."""
        of_events = np.ones(sample.time.size)
        for part, steps in zip(sample.parts(), self.steps, strict=True):
            time = sample.time[part]
            of_events[part] = steps.before(time) if self.rule == "timeroc" else steps.at(time)
        return Uncensored(of_events, self.of_free(sample, horizon))

    def of_free(self, sample: Sample, horizon: float) -> Array:
        """Return the probabilities at a horizon."""
        found = np.ones(sample.time.size)
        for part, steps in zip(sample.parts(), self.steps, strict=True):
            found[part] = steps.at(np.array(horizon))
        return found


@dataclass(frozen=True)
class KnownDistribution(Viewed):
    """Known from elsewhere: a function of the times, which are in the order of the rows that were given.

    Attributes
    ----------
    probability : callable
        Times (n,) -> probabilities in (0, 1] to be uncensored (n,).
    order : array of int (n,)
        The row of each subject of the sample.
    """

    probability: Callable[[Array], Any]
    order: Places

    @property
    def estimated(self) -> bool:
        """Whether errors have a part of it."""
        return False

    @property
    def words(self) -> str:
        """How, in words."""
        return "a known distribution"

    def at(self, sample: Sample, horizon: float) -> Uncensored:
        """Return the probabilities of a horizon."""
        return Uncensored(self._of(sample.time), self._of(np.full(sample.time.size, horizon)))

    def _of(self, time: Array) -> Array:
        given = np.empty(time.size)
        given[self.order] = time
        found = np.asarray(self.probability(given), float)
        if found.shape != time.shape:
            raise ParameterError(
                f"censoring must return one probability for each of {time.size} times, got shape {found.shape}"
            )
        bad = ~((found > 0) & (found <= 1))
        if bad.any():
            row = int(np.argmax(bad))
            raise ParameterError(
                f"censoring must return probabilities above 0 and up to 1, got {found[row]:g} for time "
                f"{given[row]:g} in row {row}"
            )
        return found[self.order]
