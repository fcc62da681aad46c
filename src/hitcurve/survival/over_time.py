"""A metric over time: values at many horizons with a band that holds for all of them, differences, and means."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve._progress import counted
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.inference.intervals import near_ends
from hitcurve.inference.intervals.in_range import inside
from hitcurve.inference.intervals.interval import ConfidenceInterval
from hitcurve.inference.resampling.resample import seed_of_values, seeded
from hitcurve.inference.variance.dependent import OfSubjects
from hitcurve.inference.variance.logit_scale import LogitScale
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from hitcurve.survival.correction import corrections
from hitcurve.survival.covariances import influences, products
from hitcurve.survival.line import Line, OverTime, factors_of, largest_deviation
from hitcurve.survival.rankings import Ranking
from hitcurve.survival.weights import AtHorizon, Cohort

FEWEST = 5
"""Cases and controls, by effective number, at the first and the last time of a grid that is not given."""
_TIMES = 40
_MOST_NUMBERS = 200_000_000  # influence values that are held at once
# ---- how it is computed


def over_time(
    cohort: Cohort,
    columns: Mapping[str, Sequence[AnyArray]],
    metric: Metric,
    times: Sequence[float],
    *,
    design: str,
    clusters: AnyArray | None,
    confidence_level: float,
    n_resamples: int,
    rng: Any,
) -> OverTime:
    """Evaluate a metric at many times; see :meth:`hitcurve.SurvivalEvaluation.over_time`.

    Parameters
    ----------
    columns : mapping of str to sequence of array (n,)
        Of each ranker one column of scores, or one for each time.
    """
    every = [cohort.at(time) for time in times]
    size = len(columns) * len(every)
    n = cohort.sample.time.size
    if n * size > _MOST_NUMBERS:
        raise ParameterError(
            f"{len(every)} times of {len(columns)} rankers and {n:,} subjects are too many at once: give up to "
            f"{max(_MOST_NUMBERS // (n * len(columns)), 1)} times"
        )
    rankings = {name: [Ranking.of(scores) for scores in several] for name, several in columns.items()}
    own = np.zeros((n, size + len(every)))
    others: Array | None = None
    spreads: dict[tuple[str, int], Spread] = {}
    degrees = np.zeros(len(every))
    for place, at in counted(list(enumerate(every)), "times"):
        here = {name: several[place if len(several) > 1 else 0] for name, several in rankings.items()}
        found = influences(cohort, at, here, [metric], design)
        if len(found.keys) < len(here):
            metric.value(next(iter(here.values())).table(at))
            raise InsufficientDataError(f"{metric} has no influence values at time {rows.exact(at.horizon)}")
        where = np.arange(len(here)) * len(every) + place
        own[:, where] = found.own
        own[:, size + place] = _of_incidence(cohort, at)
        if found.others is not None:
            others = np.zeros((len(found.others), own.shape[1])) if others is None else others
            others[:, where] = found.others
        if min(found.numbers) < 2:
            raise InsufficientDataError(
                "a standard error needs at least 2 cases and 2 controls, and there are fewer at time "
                f"{rows.exact(at.horizon)}"
            )
        degrees[place] = found.numbers[0] - 1
        for name, ranking in here.items():
            spreads[name, place] = Spread(metric, ranking.table(at), design)
    covariance = products(own, others, clusters)
    level = _checks.level("confidence_level", confidence_level)
    draws = _checks.resamples(n_resamples, least=100, numbers=2 * len(every))
    values = np.array([[float(spreads[name, place].value) for place in range(len(every))] for name in columns])
    rng, seed = seeded(rng, lambda: seed_of_values(values.ravel()))
    lines = {}
    for i, name in enumerate(columns):
        part = slice(i * len(every), (i + 1) * len(every))
        of_one = covariance[part, part]
        largest = largest_deviation(of_one, level, draws, rng)
        lines[name] = _line(
            [spreads[name, place] for place in range(len(every))], np.diag(of_one), degrees, level, largest
        )
    weight, time = cohort.sample.weight, cohort.sample.time
    shares = [float(at.weight[at.case].sum() / at.weight.sum()) for at in every]
    name = next(iter(columns))
    return OverTime(
        metric,
        np.array([at.horizon for at in every]),
        lines,
        np.array(shares),
        np.array([float(metric.baseline(spreads[name, place].rows)) for place in range(len(every))]),  # type: ignore[arg-type]
        np.array([float(weight[at.case].sum()) for at in every]),
        np.array([float(weight[time > at.horizon].sum()) for at in every]),
        level,
        seed,
        covariance,
        degrees,
        draws,
        np.array([cohort.incidence(at) for at in every]),
    )


def default_times(cohort: Cohort) -> tuple[float, ...]:
    """Return times of events, as many of them between any two, where there are enough cases and controls.

    Raises
    ------
    InsufficientDataError
        If there is no such time.
    """
    sample = cohort.sample
    moments = np.unique(sample.time[(sample.kind == 1) & (sample.weight > 0)])
    picked = moments[np.unique(np.linspace(0, moments.size - 1, 4 * _TIMES).astype(int))]
    good = []
    for time in picked.tolist():
        try:
            at = cohort.at(time)
        except InsufficientDataError:
            continue
        sizes = [np.sum(at.weight[which]) ** 2 / np.sum(at.weight[which] ** 2) for which in (at.case, at.control)]
        if min(sizes) >= FEWEST:
            good.append(time)
    if not good:
        raise InsufficientDataError(f"no time has {FEWEST} cases and {FEWEST} controls: give times")
    return tuple(good[place] for place in np.unique(np.linspace(0, len(good) - 1, _TIMES).astype(int)).tolist())


def _of_incidence(cohort: Cohort, at: AtHorizon) -> Array:
    """Return the influence of every subject on the event rate."""
    own = cohort.with_own_censoring
    plain = own.at(at.horizon)
    total = plain.weight.sum()
    rate = plain.weight[plain.case].sum() / total
    base = plain.weight * (plain.case - rate) / total
    return np.asarray(base + corrections(own, base[:, None], at.horizon)[:, 0])


def _line(spreads: Sequence[Spread], variance: Array, degrees: Array, level: float, largest: float) -> Line:
    value = np.array([float(spread.value) for spread in spreads])
    ends = np.array(
        [
            [
                _limits(spread, float(own), float(factor))
                for spread, own, factor in zip(spreads, variance, factors, strict=True)
            ]
            for factors in factors_of(degrees, level, largest)
        ]
    )
    return Line(value, np.sqrt(variance), *ends[0].T, *ends[1].T)


def _limits(spread: Spread, variance: float, factor: float) -> ConfidenceInterval:
    """Return limits so many standard errors away, as those of the interval with half a subject more."""
    own = Spread(spread.metric, spread.rows, spread.design, OfSubjects(variance, 1.0))
    more = own.with_half_subject
    half = factor * math.sqrt(float(more.variance))
    if more.bounds is None:
        ends = (float(more.value) - half, float(more.value) + half)
    else:
        scale, back = LogitScale(*more.bounds), LogitScale(*(own.bounds or more.bounds))
        place, length = scale.up(more.value), scale.length(more.value, half)
        ends = (float(back.down(place - length)), float(back.down(place + length)))
    low, high = near_ends.reaching(own, (np.array(ends[0]), np.array(ends[1])), (factor, factor))
    low, high = inside(own, "half-subject", low, high)
    return ConfidenceInterval(float(low), float(high))
