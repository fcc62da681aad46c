"""A metric over time: what is asked of it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve.counts import Array
from hitcurve.immutable import Compared
from hitcurve.inference.estimation.difference import widest_difference
from hitcurve.inference.pvalues import t_p
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resampling.resample import normal_draws, seed_of_values
from hitcurve.inference.variance.logit_scale import LogitScale
from hitcurve.metrics import Metric
from hitcurve.sources import to_frame

DRAWS = 20_000
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
class Line(Compared):
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
class OverTime(Compared):
    """A metric of rankers over time, by :meth:`hitcurve.SurvivalEvaluation.over_time`.

    ``found["a"]`` is the :class:`Line` of a ranker.

    Attributes
    ----------
    metric : Metric
    times : array (T,)
    lines : mapping of str to Line
    event_rate : array (T,)
        Share of the cases among all subjects.
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

    def __iter__(self) -> Iterator[str]:
        """Go through the rankers."""
        return iter(self.lines)

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
        largest = largest_deviation(covariance, self.confidence_level, self._draws, rng)
        limit = widest_difference(self.metric)
        ends = [
            np.clip(np.stack([value - half, value + half]), -limit, limit)
            for half in (factor * error for factor in factors_of(self._degrees, self.confidence_level, largest))
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
        if tested:
            p = 1.0 if error == 0 else float(t_p(value / error, degrees, "two-sided"))
            limit = widest_difference(self.metric)
            return Mean(value, error, max(value - half, -limit), min(value + half, limit), p)
        return Mean(value, error, *self._ends(value, half))

    def _ends(self, value: float, half: float) -> tuple[float, float]:
        """Return the limits of a mean, on the logit scale where the metric has two ends and the mean is neither."""
        low, high = self.metric.range
        if not (math.isfinite(low) and math.isfinite(high) and low < value < high):
            return max(value - half, low), min(value + half, high)
        scale = LogitScale(np.array(low), np.array(high))
        place, length = scale.up(np.array(value)), scale.length(np.array(value), np.array(half))
        return float(scale.down(place - length)), float(scale.down(place + length))

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
        return "\n\n".join([f"{self.metric} over time", rows.text_table(header, body), rows.text_lines(self.notes())])

    def _repr_html_(self) -> str:
        """Return the values as a table of a notebook."""
        return rows.html_block([rows.html_table(*self.table_rows()), rows.html_paragraphs(self.notes())])


def largest_deviation(covariance: Array, level: float, draws: int, rng: Any) -> float:
    """Return the quantile of the largest deviation over times, in standard errors (multiplier bootstrap)."""
    error = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    there = error > 0
    if not there.any():
        return float(t_quantile((1 + level) / 2, math.inf))
    drawn = normal_draws(covariance[np.ix_(there, there)], draws, rng)
    return float(np.quantile(np.max(np.abs(drawn) / error[there], axis=1), level))


def factors_of(degrees: Array, level: float, largest: float) -> tuple[Array, Array]:
    """Return how many standard errors the limits are away: at each time for itself, and for all together.

    Draws of one time, or of times that vary together, may fall short of the quantile of one time.
    """
    alone, normal = np.asarray(t_quantile((1 + level) / 2, degrees)), float(t_quantile((1 + level) / 2, math.inf))
    return alone, max(largest / normal, 1.0) * alone
