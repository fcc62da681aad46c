"""Samples like the one that was seen, each with its own estimate of the censoring, for bands of curves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.design import cluster_degrees
from hitcurve.inference.resampling.resample import blocks
from hitcurve.survival.censoring import KaplanMeier, Places
from hitcurve.survival.outcome import CENSORED
from hitcurve.survival.rankings import Ranking
from hitcurve.survival.weights import AtHorizon, Cohort, Side

_NUMBERS = 4_000_000  # of rows that are held at a time


@dataclass(frozen=True)
class DrawnCohorts:
    """Samples of subjects, or of whole clusters, of a cohort at a horizon; see :mod:`hitcurve.inference.bands.redrawn`.

    Attributes
    ----------
    cohort : Cohort
    at : AtHorizon
    rankings : sequence of Ranking
        Of one or two rankers.
    clusters : array of int (n,) or None
    degrees : float
        Of freedom: the effective number of cases less 1; clusters with a case less 1.
    """

    cohort: Cohort
    at: AtHorizon
    rankings: Sequence[Ranking]
    clusters: AnyArray | None
    degrees: float

    of: ClassVar[str] = "censored subjects"
    unit: ClassVar[str] = "samples and estimate the censoring in each"
    varies: ClassVar[bool] = True

    @classmethod
    def at_horizon(
        cls, cohort: Cohort, at: AtHorizon, rankings: Sequence[Ranking], clusters: AnyArray | None
    ) -> DrawnCohorts:
        """Take a cohort at a horizon.

        Raises
        ------
        InsufficientDataError
            If there is one cluster only, or one only that holds cases.
        """
        weight = at.weight[at.case]
        degrees = float(weight.sum() ** 2 / np.sum(weight**2)) - 1
        if clusters is not None:
            degrees = cluster_degrees(int(clusters.max()) + 1, np.unique(clusters[at.case]).size)
        return cls(cohort, at, rankings, clusters, degrees)

    @property
    def inflation(self) -> float:
        """By what deviations of samples of n are too small: the root of n/(n - 1)."""
        n = self.cohort.sample.time.size if self.clusters is None else int(self.clusters.max()) + 1
        return math.sqrt(n / (n - 1))

    @property
    def cautions(self) -> tuple[str, ...]:
        """What to know of the draws."""
        if self.clusters is None or self.degrees >= 9:
            return ()
        return (f"only {self.degrees + 1:.0f} clusters contain a case",)

    def counts(self, count: int, rng: Any, prevalence: float | None) -> Iterator[list[Counts]]:
        """Yield the counts of all rankers in samples, some samples at a time.

        Samples without cases or controls, or with a subject whose probability to be uncensored is 0, are left out.
        """
        case = self.at.case[self._used]
        cells = [ranking.cells(self.at, self._used) for ranking in self.rankings]
        rows = max(2 * kept.size + 1 for _, kept in cells)
        for size, own in blocks(count, rng, max(1, min(100, _NUMBERS // rows))):
            sides: list[tuple[list[Array], list[Array]]] = [([], []) for _ in cells]
            for _ in range(size):
                weight = self._weights(own)
                if not np.all(np.isfinite(weight)) or not weight[case].any() or not weight[~case].any():
                    continue
                for (cell, kept), both in zip(cells, sides, strict=True):
                    for side, which in zip(both, (case, ~case), strict=True):
                        side.append(np.asarray(np.bincount(cell[which], weight[which], 2 * kept.size + 1), float))
            if sides[0][0]:
                yield [Counts(np.stack(pos), np.stack(neg), prevalence, True) for pos, neg in sides]

    @cached_property
    def _used(self) -> Places:
        return np.flatnonzero(self.at.used)

    def _weights(self, rng: np.random.Generator) -> Array:
        """Return the weights of the ranked subjects in one sample; infinite where they stand for too many."""
        often = _often(rng, self.cohort.sample.time.size, self.clusters)
        censoring, used = self.cohort.censoring, self._used
        if not isinstance(censoring, KaplanMeier):
            return np.asarray(self.at.weight[used] * often[used])
        own = self.cohort.sample.weight * often
        estimated_from = own
        if censoring.of_others:
            others = censoring.sample
            estimated_from = others.weight * _often(rng, others.time.size, None)
        uncensored = np.ones(used.size)
        for stratum in self._strata:
            uncensored[stratum.ranked] = stratum.after(estimated_from[stratum.sampled])[stratum.place]
        with np.errstate(divide="ignore"):
            return np.divide(own[used], uncensored, out=np.zeros(used.size), where=own[used] > 0)

    @cached_property
    def _strata(self) -> list[_Stratum]:
        censoring, sample, used = self.cohort.censoring, self.cohort.sample, self._used
        assert isinstance(censoring, KaplanMeier)
        side: Side = "left" if censoring.rule == "timeroc" else "right"
        free = sample.time[used] > self.at.horizon
        found = []
        for part, evaluated, steps in zip(censoring.sample.parts(), sample.parts(), censoring.steps, strict=True):
            there = np.zeros(sample.time.size, bool)
            there[evaluated] = True
            ranked = np.flatnonzero(there[used])
            place = np.searchsorted(steps.time, sample.time[used][ranked], side)
            place[free[ranked]] = np.searchsorted(steps.time, self.at.horizon, "right")
            time = censoring.sample.time[part]
            own = np.flatnonzero((censoring.sample.kind[part] == CENSORED) & np.isin(time, steps.time))
            found.append(
                _Stratum(
                    part,
                    ranked,
                    place,
                    own,
                    np.searchsorted(steps.time, time[own]),
                    np.searchsorted(time, steps.time, "right"),
                )
            )
        return found


class _Stratum(NamedTuple):
    """Where the steps of the censoring of one stratum stand, which is the same in all samples.

    Attributes
    ----------
    sampled : slice or array of int
        Subjects from whom the steps are estimated.
    ranked, place : array of int
        Subjects of the stratum among those that are ranked, and the number of steps that each has passed.
    censored, step : array of int
        The censored among ``sampled``, and the step of each.
    beyond : array of int (m,)
        The first subject that is observed for longer than each step.
    """

    sampled: AnyArray | slice
    ranked: Places
    place: Places
    censored: Places
    step: Places
    beyond: Places

    def after(self, weight: Array) -> Array:
        """Return the probability to be uncensored before all steps and after each, by subjects of these weights."""
        censored = np.bincount(self.step, weight[self.censored], minlength=self.beyond.size)
        left = np.append(np.cumsum(weight[::-1])[::-1], 0.0)[self.beyond]
        at_risk = left + censored
        kept = np.divide(left, at_risk, out=np.ones(left.size), where=at_risk > 0)
        return np.concatenate([[1.0], np.cumprod(kept)])


def _often(rng: np.random.Generator, n: int, clusters: AnyArray | None) -> AnyArray:
    """Return how often each subject is in one sample: as often as itself, or as its cluster."""
    if clusters is None:
        return np.bincount(rng.integers(0, n, n), minlength=n)
    count = int(clusters.max()) + 1
    return np.bincount(rng.integers(0, count, count), minlength=count)[clusters]
