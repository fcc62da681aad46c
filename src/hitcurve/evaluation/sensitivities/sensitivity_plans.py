"""Plans of the metrics to evaluate at each grid point, each metric once."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from hitcurve.errors import ParameterError
from hitcurve.magnify import Exponential, Magnification
from hitcurve.magnify.tabulated import Places, TabulatedBeta
from hitcurve.metrics import (
    CROC,
    AveragePrecision,
    EnrichmentFactor,
    ExpectedRecall,
    HitsAt,
    Metric,
    PrecisionAt,
    RateWeightedAUC,
    RecallAt,
)
from hitcurve.rates import Beta, RateDensity
from hitcurve.rates.fit import of_many_quantiles
from hitcurve.table import HitTable

SHARES = (0.01, 0.1)  # of the list, at which precision is shown at other prevalences


class Point(NamedTuple):
    """A value, the ends of its intervals at each level, and why one is missing."""

    value: float
    ends: tuple[tuple[float, float], ...]
    missing: str = ""


class Cell(NamedTuple):
    """Value at a grid point: a metric of the plan, rescaled, or the reason why it is missing."""

    place: int | None
    factor: float = 1.0
    value: float | None = None
    missing: str = ""

    def of(self, point: Point) -> Point:
        """Return the point in this unit."""
        ends = tuple((low * self.factor, high * self.factor) for low, high in point.ends)
        value = point.value * self.factor if self.value is None else self.value
        return Point(value, ends, self.missing or point.missing)


class Plan:
    """The metrics that the sensitivity of one ranker needs, each once, and where they are shown."""

    def __init__(self, *names: str) -> None:
        self.wanted: list[tuple[Metric, HitTable]] = []
        self.lines: dict[str, list[Cell]] = {name: [] for name in names}

    def ask(self, metric: Metric, table: HitTable) -> int:
        """Want one more metric, and return its place."""
        self.wanted.append((metric, table))
        return len(self.wanted) - 1

    def refuse(self, why: str) -> None:
        """Show nothing at a grid point."""
        for cells in self.lines.values():
            cells.append(Cell(None, missing=why))


def plan_along(along: str, table: HitTable, grid: tuple[Any, ...]) -> Plan:
    """Return the metrics of one ranker that belong to a grid."""
    makers: dict[str, Callable[[HitTable, tuple[Any, ...]], Plan]] = {
        "alpha": _along_alpha,
        "prevalence": _along_prevalence,
        "budget": _along_budget,
        "rate": _along_rate,
    }
    return makers[along](table, grid)


def _along_alpha(table: HitTable, grid: tuple[Any, ...]) -> Plan:
    plan = Plan("croc")
    for alpha in grid:
        plan.lines["croc"].append(Cell(plan.ask(CROC(Exponential(alpha)), table)))
    return plan


def _along_prevalence(table: HitTable, grid: tuple[Any, ...]) -> Plan:
    there = [table if prevalence is None else table.at_prevalence(prevalence) for prevalence in grid]
    metrics = (AveragePrecision(), *(PrecisionAt(share) for share in SHARES))
    plan = Plan(*map(str, metrics))
    for metric in metrics:
        plan.lines[str(metric)] += [Cell(plan.ask(metric, one)) for one in there]
    return plan


def _along_budget(table: HitTable, grid: tuple[Any, ...]) -> Plan:
    n, whole_ranks = float(table.n), table.counts.whole
    plan = Plan(*(["hits"] if whole_ranks else []), "precision", "recall", "ef")
    for k in grid:
        if k > n:
            plan.refuse(f"{k} exceeds the list of {n:g} subjects")
            continue
        at = k if whole_ranks else min(k / n, 1.0)
        precision, recall = (plan.ask(kind(at), table) for kind in (PrecisionAt, RecallAt))
        plan.lines["precision"].append(Cell(precision))
        plan.lines["recall"].append(Cell(recall))
        # multiples of these two, with their intervals
        plan.lines["ef"].append(Cell(recall, n / k, float(EnrichmentFactor(at).value(table))))
        if whole_ranks:
            plan.lines["hits"].append(Cell(precision, k, float(HitsAt(at).value(table))))
    return plan


@dataclass(frozen=True)
class _Quick(RateDensity):
    """A beta density whose distribution function is read off a table."""

    shape: Beta
    table: TabulatedBeta

    def __str__(self) -> str:
        return str(self.shape)

    def magnification(self) -> Magnification:
        return self.table

    @property
    def mean(self) -> float:
        return self.shape.mean


@lru_cache(maxsize=64)
def _shapes(pairs: tuple[tuple[float, float], ...]) -> list[Beta | str]:
    """Return the density with 95% probability between each pair of rates, or the reason why it does not exist."""
    low, high = np.array(pairs).T
    shapes: list[Beta | str] = []
    for pair, a, b in zip(pairs, *of_many_quantiles(low, high, 0.025), strict=True):
        try:
            shapes.append(Beta.from_quantiles(*pair) if math.isnan(a) else Beta(float(a), float(b)))
        except ParameterError as error:
            shapes.append(str(error))
    return shapes


def _along_rate(table: HitTable, grid: tuple[Any, ...]) -> Plan:
    places = Places()
    plan = Plan("rauc", "expected_recall")
    for shape in _shapes(grid):
        if isinstance(shape, str):
            plan.refuse(shape)
            continue
        density = _Quick(shape, TabulatedBeta(shape.a, shape.b, places))
        plan.lines["rauc"].append(Cell(plan.ask(RateWeightedAUC(density), table)))
        plan.lines["expected_recall"].append(Cell(plan.ask(ExpectedRecall(density), table)))
    return plan
