"""A metric over time: values at many horizons with a band that holds for all of them, differences, and means."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve._progress import counted
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.inference.difference import widest_difference
from hitcurve.inference.interval import ConfidenceInterval, inside
from hitcurve.inference.logit_scale import LogitScale
from hitcurve.inference.pvalues import t_p
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resample import normal_draws, seed_of_values, seeded
from hitcurve.inference.spread import OfSubjects, Spread
from hitcurve.metrics import Metric
from hitcurve.sources import to_frame
from hitcurve.survival.censoring import KaplanMeier
from hitcurve.survival.correction import corrections
from hitcurve.survival.covariances import influences
from hitcurve.survival.rankings import Ranking
from hitcurve.survival.weights import AtHorizon, Cohort

FEWEST = 5
"""Cases and controls, by effective number, at the first and the last time of a grid that is not given."""
DRAWS = 20_000
_TIMES = 40
_MOST_NUMBERS = 200_000_000  # influence values that are held at once
COLUMNS = (
    "ranker",
    "time",
    "value",
    "standard_error",
    "low",
    "high",
    "band_low",
    "band_high",
    "event_rate",
    "random",
    "cases",
    "at_risk",
)


class Mean(NamedTuple):
    """A mean over time, or the difference of two, with its interval.

    Attributes
    ----------
    value, standard_error, low, high : float
    pvalue : float
        Of a difference: two-sided, against 0; nan of a mean.
    """

    value: float
    standard_error: float
    low: float
    high: float
    pvalue: float = math.nan

    def __str__(self) -> str:
        """Return the value with its interval."""
        p = "" if math.isnan(self.pvalue) else f", p {rows.p_value(self.pvalue)}"
        return rows.with_interval(self.value, (self.low, self.high), error=self.standard_error) + p


@dataclass(frozen=True, eq=False)
class Line:
    """Values over time with pointwise limits, and with a band.

    Attributes
    ----------
    value, standard_error : array (T,)
    low, high : array (T,)
        Limits at each time for itself.
    band_low, band_high : array (T,)
        Limits for all times together.
    """

    value: Array
    standard_error: Array
    low: Array
    high: Array
    band_low: Array
    band_high: Array


@dataclass(frozen=True, eq=False)
class OverTime:
    """A metric of rankers over time, by :meth:`hitcurve.SurvivalEvaluation.over_time`.

    ``found["a"]`` is the :class:`Line` of a ranker.

    Attributes
    ----------
    metric : Metric
    times : array (T,)
    lines : mapping of str to Line
    event_rate : array (T,)
        Share of the cases; the random baseline of average precision.
    random : array (T,)
        Random baseline of the metric.
    cases, at_risk : array (T,)
        Numbers of subjects with the event up to each time, and observed for longer.
    confidence_level : float
    seed : int or None
        Of the draws that bands rest on; None if a generator was given.
    """

    metric: Metric
    times: Array
    lines: Mapping[str, Line]
    event_rate: Array
    random: Array
    cases: Array
    at_risk: Array
    confidence_level: float
    seed: int | None
    _covariance: Array = field(repr=False, default_factory=lambda: np.zeros((0, 0)))
    _degrees: Array = field(repr=False, default_factory=lambda: np.zeros(0))
    _draws: int = field(repr=False, default=DRAWS)
    _incidence: Array = field(repr=False, default_factory=lambda: np.zeros(0))

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the rankers."""
        return tuple(self.lines)

    def __getitem__(self, ranker: str) -> Line:
        """Return the values of a ranker.

        Raises
        ------
        ColumnNotFoundError
            If there is no such ranker.
        """
        return self.lines[_checks.named("ranker", ranker, self.lines)]

    def difference(self, first: str, second: str) -> Line:
        """Return the difference of two rankers over time, first minus second, with limits and a band."""
        own, value = self._contrast(first, second)
        covariance = own @ self._covariance @ own.T
        error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
        rng = self.seed if self.seed is not None else seed_of_values(value)
        largest = _largest(covariance, self.confidence_level, self._draws, rng)
        limit = widest_difference(self.metric)
        ends = [
            np.clip(np.stack([value - half, value + half]), -limit, limit)
            for half in (factor * error for factor in _factors(self._degrees, self.confidence_level, largest))
        ]
        return Line(value, error, *ends[0], *ends[1])

    def integrated(self, ranker: str) -> Mean:
        """Return the mean of a ranker over time, weighted by the events between the times.

        ``sum_k value(t_k) {F(t_k) - F(t_(k-1))}/F(t_K)`` with the event rate F, estimated by Kaplan and Meier (Aalen
        and Johansen with competing events); without them the mean of scikit-survival. The error knows that F is
        estimated.
        """
        line = self[ranker]
        own = np.zeros((1, len(self._covariance)))
        self._add_mean(own[0], ranker, 1.0)
        return self._mean(float(self._weights @ line.value), own[0])

    def integrated_difference(self, first: str, second: str) -> Mean:
        """Return the difference of the means of two rankers over time, with a two-sided p value."""
        own = np.zeros(len(self._covariance))
        for name, sign in ((first, 1.0), (second, -1.0)):
            self._add_mean(own, _checks.named("ranker", name, self.lines), sign)
        return self._mean(float(self._weights @ (self[first].value - self[second].value)), own, tested=True)

    @property
    def _weights(self) -> Array:
        return np.asarray(np.diff(self._incidence, prepend=0.0) / self._incidence[-1])

    def _add_mean(self, own: Array, ranker: str, sign: float) -> None:
        """Add the derivatives of a mean: by the values, and by the event rate at each time."""
        size, place, value = self.times.size, self.rankers.index(ranker), self[ranker].value
        own[place * size : (place + 1) * size] += sign * self._weights
        by_rate = (value - np.append(value[1:], self._weights @ value)) / self._incidence[-1]
        own[len(self.lines) * size :] += sign * by_rate

    def _mean(self, value: float, own: Array, *, tested: bool = False) -> Mean:
        error = math.sqrt(max(float(own @ self._covariance @ own), 0.0))
        degrees = float(self._degrees.max())
        half = float(t_quantile((1 + self.confidence_level) / 2, degrees)) * error
        p = math.nan
        if tested:
            p = 1.0 if error == 0 else float(t_p(value / error, degrees, "two-sided"))
        return Mean(value, error, value - half, value + half, p)

    def _contrast(self, first: str, second: str) -> tuple[Array, Array]:
        size = self.times.size
        own = np.zeros((size, len(self._covariance)))
        for name, sign in ((first, 1.0), (second, -1.0)):
            place = self.rankers.index(_checks.named("ranker", name, self.lines))
            own[:, place * size : (place + 1) * size] += sign * np.eye(size)
        return own, self[first].value - self[second].value

    # ---- as data

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each ranker and time, of the same keys."""
        return [rows.plain(record) for record in self._records]

    @cached_property
    def _records(self) -> list[dict[str, Any]]:
        shared = {name: getattr(self, name).tolist() for name in ("event_rate", "random", "cases", "at_risk")}
        found = []
        for ranker, line in self.lines.items():
            own = {name: getattr(line, name).tolist() for name in COLUMNS[2:8]} | shared
            for place, time in enumerate(self.times.tolist()):
                found.append({"ranker": ranker, "time": time} | {name: values[place] for name, values in own.items()})
        return found

    def to_frame(self, *, backend: str | None = None) -> Any:
        """Return :meth:`to_records` as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The first that is installed unless given.
        """
        return to_frame({name: [record[name] for record in self._records] for name in COLUMNS}, backend)

    def to_csv(self) -> str:
        """Return the rows of :meth:`to_frame` as CSV, with all digits."""
        return rows.csv_text(self.to_records(), COLUMNS)

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: a row for each time."""
        body = []
        for place, time in enumerate(self.times.tolist()):
            cells = [
                rows.with_interval(float(line.value[place]), (float(line.low[place]), float(line.high[place])))
                for line in self.lines.values()
            ]
            numbers = [rows.count(float(self.cases[place])), rows.count(float(self.at_risk[place]))]
            body.append([rows.short(time, 6), *cells, rows.number(float(self.random[place])), *numbers])
        level = f"{100 * self.confidence_level:g}%"
        return [f"time [{level} interval]", *self.rankers, "random", "cases", "at risk"], body

    def notes(self) -> list[str]:
        """Return means over time in words."""
        return [f"mean of {self.metric} over time, {name}: {self.integrated(name)}" for name in self.rankers]

    def __str__(self) -> str:
        """Return the values as a text table, with means over time below."""
        header, body = self.table_rows()
        return rows.visible(
            "\n\n".join([f"{self.metric} over time", rows.text_table(header, body), "\n".join(self.notes())])
        )

    def _repr_html_(self) -> str:
        """Return the values as a table of a notebook."""
        return rows.html_block([rows.html_table(*self.table_rows()), rows.html_paragraphs(self.notes())])


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
            raise InsufficientDataError(f"{metric} has no influence values at time {at.horizon:g}")
        where = np.arange(len(here)) * len(every) + place
        own[:, where] = found.own
        own[:, size + place] = _of_incidence(cohort, at)
        if found.others is not None:
            others = np.zeros((len(found.others), own.shape[1])) if others is None else others
            others[:, where] = found.others
        if min(found.numbers) < 2:
            raise InsufficientDataError(
                f"a standard error needs at least 2 cases and 2 controls, and there are fewer at time {at.horizon:g}"
            )
        degrees[place] = found.numbers[0] - 1
        for name, ranking in here.items():
            spreads[name, place] = Spread(metric, ranking.table(at), design)
    covariance = _covariance(own, clusters)
    if others is not None:
        covariance = covariance + _covariance(others, None)
    level = _checks.open_unit("confidence_level", confidence_level)
    draws = _checks.whole_number("n_resamples", n_resamples, least=100)
    values = np.array([[float(spreads[name, place].value) for place in range(len(every))] for name in columns])
    rng, seed = seeded(rng, lambda: seed_of_values(values.ravel()))
    lines = {}
    for i, name in enumerate(columns):
        part = slice(i * len(every), (i + 1) * len(every))
        of_one = covariance[part, part]
        largest = _largest(of_one, level, draws, rng)
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
        np.array([cohort.incidence(at.horizon) for at in every]),
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
    assert isinstance(own.censoring, KaplanMeier)
    return np.asarray(base + corrections(own.censoring, own.sample, base[:, None], at.horizon)[:, 0])


def _covariance(own: Array, clusters: AnyArray | None) -> Array:
    if clusters is not None:
        sums = np.zeros((int(clusters.max()) + 1, own.shape[1]))
        np.add.at(sums, clusters, own)
        own = sums
    n = len(own)
    return np.asarray(np.einsum("ni,nj->ij", own, own, optimize=True)) * n / (n - 1)


def _largest(covariance: Array, level: float, draws: int, rng: Any) -> float:
    """Return the quantile of the largest deviation over times, in standard errors (multiplier bootstrap)."""
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    there = error > 0
    if not there.any():
        return float(t_quantile((1 + level) / 2, math.inf))
    drawn = normal_draws(covariance[np.ix_(there, there)], draws, rng)
    return float(np.quantile(np.max(np.abs(drawn) / error[there], axis=1), level))


def _factors(degrees: Array, level: float, largest: float) -> tuple[Array, Array]:
    """Return how many standard errors the limits are away: at each time for itself, and for all together."""
    alone = np.asarray(t_quantile((1 + level) / 2, degrees))
    return alone, largest * alone / float(t_quantile((1 + level) / 2, math.inf))


def _line(spreads: Sequence[Spread], variance: Array, degrees: Array, level: float, largest: float) -> Line:
    value = np.array([float(spread.value) for spread in spreads])
    ends = np.array(
        [
            [
                _limits(spread, float(own), float(factor))
                for spread, own, factor in zip(spreads, variance, factors, strict=True)
            ]
            for factors in _factors(degrees, level, largest)
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
    low, high = inside(own, "half-subject", np.array(ends[0]), np.array(ends[1]))
    return ConfidenceInterval(float(low), float(high))
