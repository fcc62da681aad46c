"""The horizons of a cohort, each evaluated as a binary outcome."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from hitcurve._progress import counted
from hitcurve.errors import HitcurveWarning
from hitcurve.evaluation.passes.two_passes import build_evaluation, evaluate_source
from hitcurve.evaluation.sampling import SamplingDesign
from hitcurve.metrics import Metric
from hitcurve.metrics.remarks import about_missing, about_scores
from hitcurve.sources import MemorySource
from hitcurve.survival import aptools
from hitcurve.survival.covariances import OfHorizon
from hitcurve.survival.horizon import HorizonEvaluation
from hitcurve.survival.outcome import CENSORED
from hitcurve.survival.rankings import Ranking
from hitcurve.survival.subjects import Subjects
from hitcurve.survival.weights import AtHorizon, Cohort


def evaluations_of(
    subjects: Subjects,
    cohort: Cohort,
    metrics: tuple[Metric, ...],
    undefined: str,
    sampling: SamplingDesign,
    rule: str,
    backend: str | None,
) -> dict[float, HorizonEvaluation]:
    """Return the evaluation of every horizon, ascending."""
    every = [cohort.at(horizon) for horizon in subjects.horizons]
    found = {}
    rankings: dict[tuple[str, int], Ranking] = {}
    for place, at in counted(list(enumerate(every)), "horizons"):
        found[at.horizon] = _at_horizon(
            subjects, cohort, at, place, rankings, metrics, undefined, sampling, rule, backend
        )
    return dict(sorted(found.items()))


def _at_horizon(
    subjects: Subjects,
    cohort: Cohort,
    at: AtHorizon,
    place: int,
    rankings: dict[tuple[str, int], Ranking],
    metrics: tuple[Metric, ...],
    undefined: str,
    sampling: SamplingDesign,
    rule: str,
    backend: str | None,
) -> HorizonEvaluation:
    """Evaluate one horizon: as a binary outcome where no subject was censored, else by weighted tables."""
    sample, weight = subjects.sample, subjects.sample.weight
    own: dict[str, Any] = {
        "horizon": at.horizon,
        "event_rate": cohort.incidence(at),
        "subjects": float(np.count_nonzero(weight)),
        "cases": float(np.sum(weight[at.case])),
        "censored_before": float(np.sum(weight[(sample.kind == CENSORED) & (sample.time <= at.horizon)])),
        "at_risk": float(np.sum(weight[sample.time > at.horizon])),
    }
    if not at.censored:
        chosen = np.flatnonzero(at.used)
        block = subjects.block(place, chosen, at.case[chosen], weight[chosen] if subjects.weighted else None)
        options: dict[str, Any] = {"undefined": undefined, "sampling": sampling, "backend": backend}
        ev = evaluate_source(MemorySource(block, subjects.notes), metrics, **options)
        return HorizonEvaluation.of(ev, **own)
    ranked = {name: _ranking(subjects, name, place, rankings) for name in subjects.scores}
    warnings: list[HitcurveWarning] = [
        *about_missing(subjects.tally),
        *about_scores({name: min(ranking.scores.size, 3) for name, ranking in ranked.items()}),
    ]
    tables = {name: ranking.table(at) for name, ranking in ranked.items()}
    kept: dict[str, Any] = {"notes": subjects.notes, "backend": backend, "clustered": subjects.clusters is not None}
    kept["lower_is_better"] = frozenset(name for name in tables if not subjects.reading.is_high_good(name))
    if rule == "aptools":
        values = {
            name: aptools.average_precision(ranking, at, subjects.sample.weight) for name, ranking in ranked.items()
        }
        ev = build_evaluation(tables, metrics, undefined, warnings, sampling, tally=subjects.tally, **kept)
        ev = aptools.with_values(ev, values)
        return HorizonEvaluation.of(ev, **own, censored=True, only_values=True)

    ev = build_evaluation(tables, metrics, undefined, warnings, sampling, tally=subjects.tally, **kept)
    used = np.flatnonzero(at.used)
    weighted = partial(subjects.block, place, used, at.case[used], at.weight[used])
    joint = OfHorizon(cohort, at, ranked, metrics, sampling.design, subjects.clusters, weighted)
    return HorizonEvaluation.of(ev, **own, censored=True, order=subjects.order, _joint_of_many=joint)


def _ranking(subjects: Subjects, name: str, place: int, known: dict[tuple[str, int], Ranking]) -> Ranking:
    """Return a ranker sorted, once for all horizons."""
    key = (name, place if len(subjects.scores[name]) > 1 else 0)
    if key not in known:
        known[key] = Ranking.of(subjects.column(name, place))
    return known[key]
