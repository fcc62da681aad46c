"""The best of many rankers, with its value corrected for the selection.

Of many values the largest is too large by chance. The methods are those of Andrews, Kitagawa and McCloskey (2024,
Quarterly Journal of Economics 139:305) for estimates that are normal with a known covariance, here on the scale of the
half-subject interval: the logit of the share of the way from worst to best where a metric is bounded.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve._progress import counted
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.immutable import Compared
from hitcurve.inference.estimation.cautions_of_several import of_combined
from hitcurve.inference.intervals.in_range import inside
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resampling.resample import generator, normal_draws, seed_of_values, seeded
from hitcurve.inference.rounding import subtracted
from hitcurve.inference.selection.chosen import Chosen
from hitcurve.inference.variance.dependent import Clustered
from hitcurve.inference.variance.joint import Joint
from hitcurve.inference.variance.lacking import too_few, without_error
from hitcurve.inference.variance.logit_scale import LogitScale
from hitcurve.inference.variance.spread import Spread
from hitcurve.label_errors import refuse_corrected
from hitcurve.metrics import Metric
from hitcurve.metrics.direction import check_higher_is_better
from hitcurve.refusals import raise_first
from hitcurve.table import HitTable

METHODS = ("hybrid", "conditional", "simultaneous")
_DRAWS = 20_000
_ALIKE = 1e-6  # errors between draws that differ by rounding
_OF_PROJECTION = 0.1  # of the error that may be made, what goes to the simultaneous interval in the hybrid one
_FEWEST_ABOVE = 3  # positives and negatives above a cut; with none, errors on the scale are of hundreds


@dataclass(frozen=True, eq=False)
class Winner(Compared):
    """The best of several rankers by one metric, corrected for the selection.

    Attributes
    ----------
    metric : Metric
    ranker : str
        The one with the highest value.
    value : float
        Its value, which is biased upwards by the selection.
    corrected : float
        Median-unbiased value, given the selection.
    low, high : float
        Interval of the true value of the chosen ranker.
    confidence_level : float
    method : str
    chances : mapping of str to float
        The probability of each ranker to be truly the best, with a flat prior (normal approximation). Equal rankings
        share theirs.
    may_be_best : tuple of str
        Rankers that are not significantly worse than another: the best one is among them at the confidence level,
        however many there are (Hsu 1984). Of several that are equally good each one is, not all of them at once.
    tied : tuple of str
        Other rankers with the same value, after ``ranker`` among those evaluated.
    seed : int or None
        Of the draws that ``chances`` and ``may_be_best`` rest on, None if a generator was given.
    cautions : tuple of str
        Caveats on the reliability of the interval and of the chances.
    """

    metric: Metric
    ranker: str
    value: float
    corrected: float
    low: float
    high: float
    confidence_level: float
    method: str
    chances: Mapping[str, float]
    may_be_best: tuple[str, ...]
    tied: tuple[str, ...]
    seed: int | None
    cautions: tuple[str, ...] = ()

    def __str__(self) -> str:
        """State the winner with its interval, and which other rankers may be the best."""
        return f"{rows.text_lines([*self.heading(), *self.notes()])}\n\n{rows.text_table(*self.table_rows())}"

    def heading(self) -> list[str]:
        """Return the sentences above the table."""
        number, level = rows.number, rows.short(100 * self.confidence_level)
        others = rows.listed([name for name in self.may_be_best if name != self.ranker])
        return [
            f"best of {len(self.chances)} by {self.metric}: {self.ranker}, {number(self.value)}"
            f"{f', tied with {rows.listed(self.tied)}' if self.tied else ''}",
            f"corrected for the choice: {number(self.corrected)}, {level}% [{number(self.low)}, {number(self.high)}] "
            f"({self.method})",
            f"at the {level}% confidence level, "
            f"{f'{others} cannot be excluded as the best' if others else 'all other rankers are excluded as the best'}",
        ]

    def notes(self) -> list[str]:
        """Return the cautions, a line each."""
        return [f"note: {text}" for text in self.cautions]

    def table_rows(self) -> tuple[list[str], list[list[str]]]:
        """Return header and rows for a printer: each ranker with its chance to be the best."""
        body = [
            [name, f"{chance:.3f}", "yes" if name in self.may_be_best else "no"]
            for name, chance in self.chances.items()
        ]
        return ["ranker", "chance to be the best", "may be the best"], body

    def _repr_html_(self) -> str:
        return rows.html_block(
            [rows.html_paragraphs([*self.heading(), *self.notes()]), rows.html_table(*self.table_rows())]
        )

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each ranker, the highest value first; value and interval are of the winner only."""
        of_winner = {
            "value": self.value,
            "corrected": self.corrected,
            "low": self.low,
            "high": self.high,
            "level": self.confidence_level,
            "method": self.method,
            "seed": self.seed,
        }
        return [
            {
                "metric": str(self.metric),
                "ranker": name,
                "chance": chance,
                "may_be_best": name in self.may_be_best,
                **(of_winner if name == self.ranker else dict.fromkeys(of_winner)),
            }
            for name, chance in self.chances.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all attributes as plain values."""
        return {
            "metric": str(self.metric),
            "ranker": self.ranker,
            "value": self.value,
            "corrected": self.corrected,
            "low": self.low,
            "high": self.high,
            "level": self.confidence_level,
            "method": self.method,
            "chances": dict(self.chances),
            "may_be_best": list(self.may_be_best),
            "tied": list(self.tied),
            "seed": self.seed,
            "cautions": list(self.cautions),
        }


def winner_of(
    tables: Mapping[str, HitTable],
    metric: Metric,
    joint: Joint | None,
    design: str,
    *,
    confidence_level: float,
    method: str,
    rng: Any,
    variance: Callable[[str, Metric], Clustered] | None = None,
    exact: Mapping[tuple[str, Metric], Spread] = MappingProxyType({}),
) -> Winner:
    """Return the best of the rankers; see :meth:`hitcurve.Evaluation.winner`.

    Parameters
    ----------
    tables : mapping of str to HitTable
    metric : Metric
    joint : Joint or None
        None where the rankers ranked different subjects.
    design : {"cohort", "case-control"}
    confidence_level : float
    method : {"hybrid", "conditional", "simultaneous"}
    rng : None, int or numpy.random.Generator
    variance : callable, optional
        The variance of a metric of a ranker, where it is not that of independent subjects.
    exact : mapping of (str, Metric) to Spread, optional
        Of rankers that were read in slices, whose tables are of bins.
    """
    _checks.choice("method", method, METHODS)
    check_higher_is_better(metric, "a choice of the best")
    level = _checks.level("confidence_level", confidence_level)
    if len(tables) < 2:
        raise ParameterError("a choice of the best needs at least 2 rankers")
    spreads = {}
    if variance is None and joint is not None and joint.clustered:
        variance = joint.cluster_variance
    for name, table in counted(tables.items(), "rankers"):
        refuse_corrected(table.label_errors, "a choice of the best")
        own = exact.get((name, metric))
        spreads[name] = own or Spread(metric, table, design, None if variance is None else variance(name, metric))
        raise_first(too_few(spreads[name], by_name=False))
        raise_first(without_error(spreads[name], "interval"))
        _check_above_the_cut(name, spreads[name])
    values = np.array([float(spread.value) for spread in spreads.values()])
    # best first: neither a seed nor what it draws depends on the order of the rankers
    names = [list(spreads)[i] for i in np.argsort(-values, kind="stable")]
    values = -np.sort(-values)
    correlation = np.eye(len(names)) if joint is None else joint.correlations(names, metric)
    placed = [_Placed.of(spreads[name], level) for name in names]
    place, error = (np.array([getattr(x, name) for x in placed]) for name in ("place", "error"))
    if not np.all(error > 0):
        still = rows.listed([repr(name) for name, own_error in zip(names, error, strict=True) if not own_error > 0])
        raise InsufficientDataError(f"{metric} of {still} does not vary by subject and has no error: leave {still} out")
    covariance = correlation * np.outer(error, error)
    rng, seed = seeded(rng, lambda: seed_of_values(np.concatenate([values, error])))
    drawn = normal_draws(covariance, _DRAWS, generator(rng))
    chosen = Chosen.of(place, covariance[:, 0], 0, placed[0].grain)
    largest = np.max(np.abs(drawn / error), axis=1)
    if method == "simultaneous":
        reach = float(np.quantile(largest, level))
        ends = (chosen.place - reach * chosen.error, chosen.place + reach * chosen.error)
    else:
        least = (1 - level) * _OF_PROJECTION if method == "hybrid" else 0.0
        reach = float(np.quantile(largest, 1 - least)) if least else math.inf
        beyond = (1 - level - least) / (1 - least) / 2
        ends = (chosen.solved(1 - beyond, reach), chosen.solved(beyond, reach))
    middle, down = chosen.solved(0.5, reach), placed[0].down
    # with the second close behind, all that would be left is far below the value, which is the end then
    low, high = inside(spreads[names[0]], "half-subject", *(np.array(down(end)) for end in ends))
    # rankers with one ranking share their draws, but for rounding
    ahead = place + drawn
    best = ahead >= ahead.max(axis=1, keepdims=True) - _ALIKE * error
    share = np.mean(best / best.sum(axis=1, keepdims=True), axis=0)
    candidates = _candidates(place, drawn, level)
    return Winner(
        metric,
        names[0],
        float(values[0]),
        float(np.clip(down(middle), low, high)),
        float(low),
        float(high),
        level,
        method,
        {name: float(chance) for name, chance in zip(names, share, strict=True)},
        tuple(name for i, name in enumerate(names) if candidates[i] or i == 0),
        tuple(name for i, name in enumerate(names) if i and subtracted(values[0], values[i]) == 0),
        seed,
        tuple(of_combined(list(spreads.values()))),
    )


def _check_above_the_cut(name: str, spread: Spread) -> None:
    """Refuse a ranker with hardly a hit, or hardly a miss, above the cut of a metric: no normal error is there.

    Raises
    ------
    InsufficientDataError
    """
    step = spread.step
    if step is None:
        return
    found = [float(n * share) for n, share in zip(spread.effective, (step.tpr, step.fpr), strict=True)]
    if min(found) < _FEWEST_ABOVE * (1 - 1e-9):
        hits, negatives = (rows.short(number, 3) for number in found)
        raise InsufficientDataError(
            f"above the cut of {spread.metric}, {name!r} has {hits} of the positives and {negatives} of the "
            f"negatives, too few for a choice of the best (at least {_FEWEST_ABOVE} of each): use a deeper cut, or an "
            "area such as bedroc(alpha=20)"
        )


class _Placed(NamedTuple):
    """A value with half a subject more on a scale where it is about normal, its standard error, and the way back.

    ``grain`` is half a step between values.
    """

    place: float
    error: float
    grain: float
    down: Callable[[float], float]

    @classmethod
    def of(cls, spread: Spread, level: float) -> _Placed:
        more = spread.with_half_subject
        value, error = float(more.value), math.sqrt(float(more.variance))
        error *= float(t_quantile((1 + level) / 2, spread.degrees)) / float(t_quantile((1 + level) / 2, math.inf))
        grain = _step_of(spread) / 2
        if more.bounds is None:
            return cls(value, error, grain, float)
        scale, back = LogitScale(*more.bounds), LogitScale(*(spread.bounds or more.bounds))
        place = float(scale.up(value))
        if math.isnan(place):
            raise InsufficientDataError(f"{spread.metric} is at the end of its range: its logit has no error there")
        error, grain = (float(scale.length(value, length)) for length in (error, grain))
        return cls(place, error, grain, lambda place: float(back.down(place)))


def _step_of(spread: Spread) -> float:
    """Return by how much values differ at least: at a cutoff by one hit, or one negative at a recall.

    Elsewhere by what one pair of a positive and a negative that change places do on the way from worst to best.
    """
    (n1, n0), step = spread.effective, spread.step
    if step is not None:
        return abs(float(step.cut.factor)) / float(n0 if step.axis == "recall" else n1)
    best, worst = (float(end(spread.counts)) for end in (spread.metric.best, spread.metric.worst))
    return abs(best - worst) / float(n1 * n0) if math.isfinite(best - worst) else 0.0


def _candidates(place: Array, drawn: Array, level: float) -> Sequence[bool]:
    """Return which may be the best: no other is above them by more than a one-sided simultaneous error."""
    found = []
    for i in range(place.size):
        others = np.arange(place.size) != i
        errors = drawn[:, others] - drawn[:, [i]]
        spread = np.maximum(np.std(errors, axis=0), 1e-300)
        reach = float(np.quantile(np.max(errors / spread, axis=1), level))
        found.append(bool(np.all(place[others] - place[i] <= reach * spread)))
    return found
