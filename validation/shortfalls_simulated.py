"""Cells of ``validation.shortfalls`` that no study has: the package's own defaults on held-out populations."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

import hitcurve as hc
from validation import paired_power
from validation.held_out import NOT_TUNED
from validation.populations import AnyArray, Array, Population, Whole, sample_of
from validation.running import Tally, blocks, tables

STUDY = 25
LEVEL = 0.05
REPLICATES = 999
SHARED = 0.3  # of the variance of labels and scores, by the subjects of a cluster
CLUSTERS, OF_CLUSTER = 100, 5
OF = np.arange(CLUSTERS * OF_CLUSTER) // OF_CLUSTER


class Found(NamedTuple):
    """What the default reached: a share of the draws, by which methods, and what stands beside it.

    Attributes
    ----------
    share : float
    draws, refused : int
    method : str
    before : float or None
        The former default on the same draws.
    aim : float or None
        The power of the test that it is measured against.
    note : str
    """

    share: float
    draws: int
    method: str
    refused: int = 0
    before: float | None = None
    aim: float | None = None
    note: str = ""


def correlated(scores: Population, y: AnyArray, normal: Array) -> Array:
    """Return scores of the population that rise with normal ones, whatever those have in common."""
    above = ndtr(-normal)
    if scores.ordinal:
        ends = [np.cumsum(side)[:-1] for side in scores.levels()]
        level = np.where(y, *(np.searchsorted(side, above) for side in ends))
        return -np.asarray(level, np.float64)
    return np.where(y, scores.score(above), scores.family.quantile(above))


def of_clusters(scores: Population, pi: float, rankers: int, rng: np.random.Generator) -> tuple[AnyArray, list[Array]]:
    """Draw labels and scores of rankers, correlated by .5, of subjects in clusters that share part of all of them."""

    def drawn() -> Array:
        common = np.repeat(rng.standard_normal(CLUSTERS), OF_CLUSTER)
        return math.sqrt(SHARED) * common + math.sqrt(1 - SHARED) * rng.standard_normal(common.size)

    y = drawn() > -ndtri(pi)
    both = drawn()
    return y, [correlated(scores, y, (both + drawn()) / math.sqrt(2)) for _ in range(rankers)]


def clustered_test(draws: int, name: str, number: int) -> Found:
    """Size of the default test of NDCG where subjects come in clusters."""
    wrong, methods = 0, set[str]()
    for size, rng in blocks(draws, STUDY, 0, number):
        for _ in range(size):
            y, (a, b) = of_clusters(NOT_TUNED[name], 0.2, 2, rng)
            test = hc.evaluate(y, {"a": a, "b": b}, metrics="ndcg", clusters=OF).compare("a", "b", "ndcg")
            wrong += test.pvalue <= LEVEL
            methods.add(test.method)
    return Found(wrong / draws, draws, _together(methods))


def clustered_levels(draws: int) -> Found:
    """Coverage for the enrichment factor of few levels where subjects come in clusters."""
    population, pi, tally, methods = NOT_TUNED["5 levels"], 0.2, Tally(), set[str]()
    truth = population.recall_at(0.01, pi) / 0.01
    for size, rng in blocks(draws, STUDY, 1):
        for _ in range(size):
            y, (score,) = of_clusters(population, pi, 1, rng)
            ev = hc.evaluate(y, score, metrics="ef@1%", clusters=OF)
            methods.add(_counted(tally, ev["score", "ef@1%"], truth))
    return Found(tally.coverage, tally.draws, _together(methods), tally.refused)


def case_control_precision(draws: int) -> Found:
    """Coverage for AP of fixed numbers of both classes, at a much lower prevalence."""
    population, pi, tally, methods = NOT_TUNED["lognormal"], 0.01, Tally(), set[str]()
    truth = population.average_precision(pi)
    for size, rng in blocks(draws, STUDY, 2):
        positives: Whole = np.full(size, 100)
        for table in tables(sample_of(population, positives, 1100, rng), ordinal=False):
            ev = hc.evaluate(tables={"a": table.at_prevalence(pi)}, metrics="ap", design="case-control")
            methods.add(_counted(tally, ev["a", "ap"], truth))
    return Found(tally.coverage, tally.draws, _together(methods), tally.refused)


def _counted(tally: Tally, estimate: Any, truth: float) -> str:
    """Count the default interval of an estimate, or that there is none, and return its method."""
    if estimate.interval is None:
        tally.refused += 1
        return ""
    low, high = estimate.interval
    tally.add(low, high, truth)
    return str(estimate.interval_method)


def _together(methods: set[str]) -> str:
    return " ".join(sorted(methods)).strip()


def case_control_test(draws: int) -> Found:
    """Size of the default test of logAUC of fixed numbers of both classes with a set prevalence, and of delta."""
    wrong: Counter[str] = Counter()
    methods, y = set[str](), np.arange(400) < 200
    for size, rng in blocks(draws, STUDY, 3):
        for _ in range(size):
            a, b = _pair(y, rng, lambda normal: correlated(NOT_TUNED["gamma"], y, normal))
            ev = hc.evaluate(y, {"a": a, "b": b}, metrics="logauc", design="case-control", prevalence=0.2)
            found = ev.compare("a", "b", "logauc")
            methods.add(found.method)
            wrong["auto"] += found.pvalue <= LEVEL
            wrong["delta"] += ev.compare("a", "b", "logauc", method="delta").pvalue <= LEVEL
    return Found(wrong["auto"] / draws, draws, _together(methods), before=wrong["delta"] / draws)


def _pair(y: AnyArray, rng: np.random.Generator, scores: Callable[[Array], Array]) -> tuple[Array, Array]:
    common, first, second = rng.standard_normal((3, y.size))
    a, b = (scores((common + own) / math.sqrt(2)) for own in (first, second))
    return a, b


def power(draws: int, case: paired_power.Case, against: str) -> Found:
    """Power of the default test beside that of another, and of the default before."""
    lines = paired_power.study(case, draws)
    found = {line["method"]: float(line["rejected"]) for line in lines}
    swapped = float(lines[0]["swapped"])
    method = "delong" if case.metric == "auc" else "swap-permutation" if swapped == 1 else "swap-permutation, delta"
    return Found(found["auto"], draws, method, before=found["before"], aim=found[against])


def power_of_percentiles(draws: int, second: float) -> Found:
    """Power of the default test of AUC beside that of a percentile bootstrap, whose size is noted."""
    y, methods = np.arange(1000) < 30, set[str]()
    rejected = dict.fromkeys(("power", "size", "percentile power", "percentile size"), 0)
    for key, shift in (("power", second), ("size", 1.5)):
        for size, rng in blocks(draws, STUDY, 4):
            for _ in range(size):
                a, b = _pair(y, rng, lambda normal: normal)
                ev = hc.evaluate(y, {"a": a + 1.5 * y, "b": b + shift * y}, metrics="auc")
                found = ev.compare("a", "b", "auc")
                methods.add(found.method)
                drawn = ev.compare(
                    "a", "b", "auc", method="bootstrap", interval="percentile", n_resamples=REPLICATES, rng=rng
                )
                low, high = drawn.difference.confidence_interval()
                rejected[key] += found.pvalue <= LEVEL
                rejected[f"percentile {key}"] += not low <= 0 <= high
    shares = {name: count / draws for name, count in rejected.items()}
    sizes = f"size {shares['size']:.3f}, of percentiles {shares['percentile size']:.3f}"
    return Found(shares["power"], draws, _together(methods), aim=shares["percentile power"], note=sizes)
