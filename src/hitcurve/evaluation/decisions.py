"""Decision curves of an evaluation: which subjects reach each threshold, counted in one pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from hitcurve import _checks, rows
from hitcurve._numbers import numbers
from hitcurve.counts import Array
from hitcurve.errors import ParameterError, UndefinedMetricError
from hitcurve.evaluation.numbers import Numbers
from hitcurve.evaluation.reached import Reached, by_place, places_in, reached_by
from hitcurve.inference import Band, SampledCurve
from hitcurve.inference.decision_curve import COVERAGES, CUTS, DecisionCurve, treat_all
from hitcurve.inference.decisions import (
    Decisions,
    PairedDecisions,
    Sizes,
    Weighed,
    covariance_by_weights,
    deciding,
    difference_of_one,
    worth_of_one,
)
from hitcurve.inference.design import effective
from hitcurve.inference.estimation.cautions import chosen_on_the_data
from hitcurve.inference.estimation.cautions_of_weights import carriers, few_carry, of_unequal_weights, one_heavy
from hitcurve.inference.intervals.interval import intervals
from hitcurve.inference.resampling.resample import seed_of_values, seeded
from hitcurve.inference.variance.spread import Spread
from hitcurve.label_errors import refuse_corrected
from hitcurve.metrics import NetBenefit
from hitcurve.sources import Block
from hitcurve.table import HitTable

_DEFAULT = np.arange(1, 100) / 100
_MOST, _MOST_TOGETHER = 1000, 200  # thresholds
_FEWEST = 10  # subjects of equal weight
_FAR = 1.959964  # standard errors, beyond which the scores do not add up to the positives
_LEAST_APART = 1e-9  # rounding
_UNCALIBRATED = "they are not calibrated, and a cut at t is not where the probability is t"


@dataclass(frozen=True)
class How:
    """What a decision curve is asked for."""

    thresholds: Array
    coverage: str
    confidence_level: float
    rng: Any

    @classmethod
    def of(cls, thresholds: Any, coverage: str, confidence_level: float, rng: Any) -> Self:
        """Check the arguments.

        Raises
        ------
        ParameterError
        """
        _checks.choice("coverage", coverage, COVERAGES)
        level = _checks.level("confidence_level", confidence_level)
        t = _DEFAULT if thresholds is None else _ascending(thresholds)
        most = _MOST if coverage == "pointwise" else _MOST_TOGETHER
        if t.size > most:
            raise ParameterError(f"a {coverage} decision curve has at most {most:,} thresholds, got {t.size:,}")
        return cls(t, coverage, level, rng)

    def tail(self, of: Decisions | PairedDecisions) -> tuple[float, int | None]:
        """Return the error on either side of each limit, and the seed of what was drawn for it."""
        if self.coverage == "pointwise":
            return (1 - self.confidence_level) / 2, None
        shares = [np.ravel(x) for x in of[1:3]]
        rng, seed = seeded(self.rng, lambda: seed_of_values(of.thresholds, *shares))
        return of.together(self.confidence_level, rng), seed


def _ascending(given: Any) -> Array:
    t = np.atleast_1d(numbers("thresholds", given))
    if t.ndim != 1 or not t.size:
        raise ParameterError(f"thresholds must be one number or a list of them, got an array of shape {t.shape}")
    for value in t[~((t > 0) & (t < 1))]:
        hint = _checks.in_percent(float(value))
        raise ParameterError(f"thresholds must lie strictly between 0 and 1, such as 0.2 (20%), got {value:g}{hint}")
    if np.any(t < _checks.LEAST_SHARE):
        raise ParameterError(f"thresholds must be at least {_checks.LEAST_SHARE:g}, got {float(t.min()):g}")
    if np.any(np.diff(t) <= 0):
        raise ParameterError("thresholds must ascend, and each must be given once")
    return t


def curve_of(ev: Numbers, ranker: str, cut: str, how: How) -> DecisionCurve:
    """Return the decision curve of one ranker; see :meth:`hitcurve.Evaluation.decision_curve`."""
    _checks.choice("cut", cut, CUTS)
    _refuse_clusters(ev)
    table = ev.tables[ranker]
    refuse_corrected(table.label_errors, "a decision curve")
    _checks.both_classes(table.n_pos, table.n_neg)
    if cut == "best":
        if how.coverage != "pointwise":
            raise ParameterError(
                "a simultaneous band is of scores that are probabilities, cut at the threshold itself: use "
                "coverage='pointwise' with cut='best'"
            )
        return _of_best_cuts(ev, ranker, how)
    t, seen = how.thresholds, reached_by(ev, ranker, how.thresholds)
    sizes, few = _sizes(ev, table), _deciding(table, t, seen)
    found = Decisions(t, seen.pos / table.n_pos, seen.neg / table.n_neg, sizes, _covariance(ev, ranker, t, seen), few)
    tail, seed = how.tail(found)
    (low, high), (avoided_low, avoided_high) = found.limits(tail)
    pi, w = table.prevalence, found.cost
    benefit = pi * found.tpr - w * (1 - pi) * found.fpr
    return DecisionCurve(
        ranker=ranker,
        cut=cut,
        thresholds=t,
        net_benefit=benefit,
        low=low,
        high=high,
        interventions_avoided=(benefit - treat_all(t, pi)) / w,
        interventions_avoided_low=avoided_low,
        interventions_avoided_high=avoided_high,
        tpr=found.tpr,
        fpr=found.fpr,
        cautions=(*_cautions(ev, table, seen), *_of_few(t, few), *one_heavy(table), *of_unequal_weights(table)),
        seed=seed,
        **_context(ev, table, how),
    )


def difference_of(ev: Numbers, first: str, second: str, how: How) -> Band:
    """Return the difference of two rankers; see :meth:`hitcurve.Evaluation.decision_difference`."""
    _refuse_clusters(ev)
    if first == second:
        raise ParameterError(f"a difference needs two rankers, got {first!r} twice")
    if ev.source is None or not ev.paired:
        raise ParameterError("a difference of decision curves needs the subjects of both rankers, in one evaluation")
    t, table = how.thresholds, ev.tables[first]
    refuse_corrected(table.label_errors, "a decision curve")
    for name in (first, second):
        reached_by(ev, name, t)  # refuses scores that are no probabilities

    def count(block: Block) -> Array:
        weight = block.weights(table.unit)
        reached = [places_in(block, name, t) for name in (first, second)]
        return by_place(block, reached[0] * (t.size + 1) + reached[1], weight, (t.size + 1) ** 2)

    sides = ev.source.reduce(count, np.add)
    known, sizes = ev._covariance_of_decisions(first, t, second), _sizes(ev, table)
    if known is None and table.weighted:
        of_both = Weighed(*sides[0]), Weighed(*sides[1])
        known = covariance_by_weights(of_both, difference_of_one(t), table.prevalence, sampled=sizes.sampled)
    pos, neg = (side[0].reshape(t.size + 1, -1) for side in sides)
    found = PairedDecisions(t, pos / table.n_pos, neg / table.n_neg, sizes, known)
    tail, seed = how.tail(found)
    center, low, high = (SampledCurve(t, y) for y in found.value_and_limits(tail))
    return Band(
        "net_benefit difference",
        center,
        low,
        high,
        how.coverage,
        "discordant subjects",
        how.confidence_level,
        ev.design,
        table.n_pos,
        table.n_neg,
        seed=seed,
        rankers=(first, second),
    )


def _refuse_clusters(ev: Numbers) -> None:
    refuse_corrected(ev.label_errors, "a decision curve")
    if ev.clustered:
        raise UndefinedMetricError(
            "decision curves cannot be combined with clusters, whose subjects are dependent: evaluate net_benefit@t, "
            "whose interval supports clusters"
        )


def _covariance(ev: Numbers, ranker: str, t: Array, seen: Reached) -> Array | None:
    """Return the covariances of weighted subjects, None if they follow from counts."""
    table, known = ev.tables[ranker], ev._covariance_of_decisions(ranker, t)
    if known is not None or not table.weighted:
        return known
    sampled = ev.design == "cohort" and table.assumed_prevalence is None
    return covariance_by_weights(seen.weighed, worth_of_one(t), table.prevalence, sampled=sampled)


def _deciding(table: HitTable, t: Array, seen: Reached) -> Array | None:
    """Return how many subjects of equal weight decide each limit, None without weights."""
    return deciding(seen.weighed, worth_of_one(t), table.prevalence) if table.weighted else None


def _of_few(t: Array, few: Array | None) -> tuple[str, ...]:
    """Say so where few weighted subjects are selected, who may be light by chance."""
    if few is None:
        return ()
    where = t[few[: t.size] < _FEWEST]
    if not where.size:
        return ()
    return (
        f"at {_named(where)} the net benefit depends on fewer than {_FEWEST} selected subjects of equal weight: limits "
        "are approximate there (coverage of 90 to 100% in simulations of unequal weights)",
    )


def _named(t: Array) -> str:
    return f"{t.size} thresholds from {t[0]:g} to {t[-1]:g}" if t.size > 1 else f"threshold {t[0]:g}"


def _context(ev: Numbers, table: HitTable, how: How) -> dict[str, Any]:
    return {
        "prevalence": table.prevalence,
        "coverage": how.coverage,
        "confidence_level": how.confidence_level,
        "design": ev.design,
        "n_pos": table.n_pos,
        "n_neg": table.n_neg,
    }


def _sizes(ev: Numbers, table: HitTable) -> Sizes:
    n1, n0 = (float(number) for number in effective(table.sums))
    sampled = ev.design == "cohort" and table.assumed_prevalence is None
    return Sizes.of((n1, n0), (table.n_pos, table.n_neg), table.prevalence, sampled=sampled)


# ---- the best cut of a ranking


def _of_best_cuts(ev: Numbers, ranker: str, how: How) -> DecisionCurve:
    table, t, level = ev.tables[ranker], how.thresholds, how.confidence_level
    columns: dict[str, list[float]] = {key: [] for key in ("value", "low", "high", "tpr", "fpr")}
    cautions: list[str] = [*one_heavy(table), *of_unequal_weights(table)]
    few = np.full(t.size, np.inf)
    for place, threshold in enumerate(t.tolist()):
        metric = NetBenefit(threshold)
        spread = Spread(metric, table, ev.design, ev._variance_beside(ranker, metric))
        ends, row = intervals(spread, level), int(metric.chosen(spread.counts).row)
        few[place] = carriers(spread)
        if not place:
            cautions += chosen_on_the_data(spread)
        c = spread.counts
        at = (float(c.P[row]), float(c.Q[row])) if row >= 0 else (0.0, 0.0)
        numbers = (float(spread.value), float(ends.low), float(ends.high), *at)
        for column, number in zip(columns.values(), numbers, strict=True):
            column.append(number)
    if np.isfinite(few).any():
        cautions += few_carry(f"the net benefit at {_named(t[np.isfinite(few)])}", few)
    value, low, high, tpr, fpr = (np.array(column) for column in columns.values())
    none, w = np.full(t.size, np.nan), t / (1 - t)
    return DecisionCurve(
        ranker=ranker,
        cut="best",
        thresholds=t,
        net_benefit=value,
        low=low,
        high=high,
        interventions_avoided=(value - treat_all(t, table.prevalence)) / w,
        interventions_avoided_low=none,
        interventions_avoided_high=none,
        tpr=tpr,
        fpr=fpr,
        cautions=tuple(cautions),
        **_context(ev, table, how),
    )


def _cautions(ev: Numbers, table: HitTable, seen: Reached) -> tuple[str, ...]:
    """Say so where the scores do not add up to the positives of a cohort, or to the prevalence that was set."""
    if ev.source is None:
        return ()
    if table.assumed_prevalence is not None:
        return _beside_prevalence(table, seen)
    if ev.design != "cohort":
        return ()
    _, scores, squares = seen.by_class[0]
    expected, variance = float(scores.sum()), float(np.sum(scores - squares))
    if table.weighted:
        # squares of weights times 1 - p of positives, p of negatives
        (by_weight, _), (of_scores, _), of_squares = seen.by_class[1]
        variance = float(by_weight - 2 * of_scores + of_squares.sum())
    if variance <= 0:
        return ()
    away = (table.n_pos - expected) / variance**0.5
    if abs(away) < _FAR:
        return ()
    more = "fewer" if away < 0 else "more"
    return (
        f"the scores expect {rows.short(expected)} positives, and there are {more}, {rows.count(table.n_pos)} "
        f"({rows.short(abs(away), 2)} standard errors): {_UNCALIBRATED}",
    )


def _beside_prevalence(table: HitTable, seen: Reached) -> tuple[str, ...]:
    """Compare the mean score of a population of the set prevalence with it: they agree if scores are calibrated."""
    (total, scores, _), (by_weight, of_scores, of_squares) = seen.by_class
    if not np.all(total > 0):
        return ()
    pi, mean = table.prevalence, scores / total
    share = np.array([pi, 1 - pi])
    variance = np.maximum(of_squares - 2 * mean * of_scores + mean**2 * by_weight, 0) / total**2
    expected = float(share @ mean)
    error = float(share**2 @ variance) ** 0.5
    if abs(pi - expected) <= _FAR * error + _LEAST_APART:
        return ()
    return (
        f"at the prevalence {rows.percent(pi)} that was set the scores have a mean of {rows.short(expected)}: "
        f"{_UNCALIBRATED}",
    )
