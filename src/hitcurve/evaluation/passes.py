"""Two passes over any source: the scores of the positives, then counts over them; and what is said of both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple, TypedDict

import numpy as np

from hitcurve import _checks, rows
from hitcurve.cells import Grid, few_of
from hitcurve.errors import (
    ConstantScoreWarning,
    DirectionWarning,
    HitcurveError,
    HitcurveWarning,
    InputError,
    MissingValueWarning,
    ParameterError,
    SaturationWarning,
    SingleClassError,
    TwoValuedScoreWarning,
    UndefinedMetricError,
    UndefinedMetricWarning,
    WeightError,
)
from hitcurve.evaluation.result import Evaluation
from hitcurve.inference import resolve
from hitcurve.metrics import AUC, Metric
from hitcurve.sources import Block, Source, Tally, check_labels
from hitcurve.table import HitTable

_UNPAIRED = ("counts do not say which subjects the rankers share: differences between them are unpaired",)


class Doubt(NamedTuple):
    """How the subjects were sampled, and how sure one wants to be."""

    design: str = "cohort"
    prevalence: float | None = None
    confidence_level: float = 0.95
    paired: bool = True

    @classmethod
    def of(cls, design: str | None, prevalence: float | None, confidence_level: float, *, paired: bool = True) -> Doubt:
        """Check and complete what was asked for."""
        level = _checks.open_unit("confidence_level", confidence_level)
        return cls(resolve(design, prevalence), prevalence, level, paired)


class Grids(NamedTuple):
    """The first pass: the positives' scores of each ranker, and what was met."""

    scores: dict[str, np.ndarray[Any, Any]]
    tally: Tally
    clustered: bool

    @classmethod
    def of(cls, block: Block) -> Grids:
        """Look through a block."""
        scores = {name: np.unique(block.positive_scores(name)) for name in block.scores}
        return cls(scores, block.tally, block.cluster is not None)

    def merged(self, other: Grids) -> Grids:
        """Merge with what was met in other blocks."""
        scores = {name: np.union1d(grid, other.scores[name]) for name, grid in self.scores.items()}
        return Grids(scores, self.tally + other.tally, self.clustered)


class Tables(NamedTuple):
    """The second pass: the table of each ranker, and up to three distinct scores."""

    tables: dict[str, HitTable]
    distinct: dict[str, np.ndarray[Any, Any]]

    @classmethod
    def of(cls, cells: Mapping[str, Grid], block: Block) -> Tables:
        """Count a block into the cells of each ranker."""
        counted = {name: HitTable.count(grid, block, name) for name, grid in cells.items()}
        return cls(
            {name: table for name, (table, _) in counted.items()},
            {name: distinct for name, (_, distinct) in counted.items()},
        )

    def merged(self, other: Tables) -> Tables:
        """Add the counts of other blocks."""
        return Tables(
            {name: table + other.tables[name] for name, table in self.tables.items()},
            {name: few_of(seen, other.distinct[name]) for name, seen in self.distinct.items()},
        )


class Known(TypedDict, total=False):
    """What is known of a source beside its subjects."""

    pos_label: Any
    undefined: str
    doubt: Doubt
    backend: str | None


def evaluate_source(
    source: Source,
    metrics: tuple[Metric, ...],
    *,
    pos_label: Any = None,
    undefined: str = "raise",
    doubt: Doubt | None = None,
    backend: str | None = None,
) -> Evaluation:
    """Evaluate the rankers of any source, in two passes: grids, then counts. Warnings are listed, not given."""
    grids = source.reduce(Grids.of, Grids.merged)
    grids.tally.check_anybody()
    check_labels(grids.tally.vocabulary, pos_label)
    cells = {name: Grid(scores) for name, scores in grids.scores.items()}
    counted = source.reduce(partial(Tables.of, cells), Tables.merged)
    if not all(table.n for table in counted.tables.values()):
        raise WeightError("weights are all 0: nobody counts")
    said = [*about_missing(grids.tally), *about_scores(counted.distinct)]
    kept = {"tally": grids.tally, "source": source, "backend": backend, "notes": source.notes}
    kept["clustered"] = grids.clustered
    return conclude(counted.tables, metrics, undefined, said, doubt or Doubt(), **kept)


def evaluate_tables(tables: Mapping[str, Any], metrics: tuple[Metric, ...], undefined: str, doubt: Doubt) -> Evaluation:
    """Evaluate ready tables."""
    check_tables(tables)
    named = {str(name): table for name, table in tables.items()}
    return conclude(named, metrics, undefined, [], doubt, notes=_UNPAIRED[: len(tables) - 1])


def check_tables(tables: Mapping[str, Any]) -> None:
    """Refuse what is no table for each of some rankers.

    Raises
    ------
    InputError, ParameterError
        If there is none, one is none, or two rankers have one name.
    """
    if not tables:
        raise InputError("no tables: there is no ranker to evaluate")
    for name, table in tables.items():
        if not isinstance(table, HitTable):
            raise ParameterError(f"tables must be HitTable values, {name!r} is {type(table).__name__}")
    _checks.distinct("ranker", [str(name) for name in tables])


def conclude(
    tables: dict[str, HitTable],
    metrics: tuple[Metric, ...],
    undefined: str,
    said: list[HitcurveWarning],
    doubt: Doubt,
    **kept: Any,
) -> Evaluation:
    """Evaluate all metrics of all tables; add to what was said already what is to be said of the values."""
    if doubt.prevalence is not None:
        tables = {name: table.at_prevalence(doubt.prevalence) for name, table in tables.items()}
    values: dict[tuple[str, Metric], float] = {}
    reasons: dict[str, None] = {}
    for name, table in tables.items():
        for m in metrics:
            try:
                values[name, m] = m.value(table)
            except (SingleClassError, UndefinedMetricError) as error:
                if undefined == "raise":
                    raise
                values[name, m] = math.nan
                reasons[f"{m} of {name!r} is nan: {error}"] = None
    if reasons:
        said.append(UndefinedMetricWarning("; ".join(reasons)))
    cautions = [m.caution(tables[name]) for (name, m), value in values.items() if not math.isnan(value)]
    if any(cautions):
        said.append(SaturationWarning("; ".join(dict.fromkeys(text for text in cautions if text))))
    said += about_direction(areas_of(tables))
    kept |= {"design": doubt.design, "confidence_level": doubt.confidence_level, "paired": doubt.paired}
    return Evaluation(tables, metrics, tuple(said), _values=values, **kept)


def about_missing(tally: Tally) -> list[HitcurveWarning]:
    """Return what is to be said of missing values."""
    said = []
    if tally.dropped:
        said.append(f"{tally.dropped} of {tally.rows} rows were dropped for a missing value")
    last = [f"{count} of {name!r}" for name, count in tally.ranked_last.items() if count]
    if last:
        said.append(f"missing scores were ranked last: {', '.join(last)}")
    return [MissingValueWarning("; ".join(said))] if said else []


def about_scores(distinct: Mapping[str, np.ndarray[Any, Any]]) -> list[HitcurveWarning]:
    """Return what is to be said of scores with few values."""
    said: list[HitcurveWarning] = []
    two, one = ([repr(name) for name, seen in distinct.items() if seen.size == size] for size in (2, 1))
    if two:
        said.append(TwoValuedScoreWarning(f"{', '.join(two)} has only two values: is it a decision, not a score?"))
    if one:
        said.append(
            ConstantScoreWarning(
                f"{', '.join(one)} is the same for every subject: nobody is ranked, and an interval of this list says "
                "nothing of a score that varies"
            )
        )
    return said


def areas_of(tables: Mapping[str, HitTable]) -> dict[str, float]:
    """Return the AUC of each ranker that has one."""
    found = {}
    for name, table in tables.items():
        with suppress(HitcurveError):
            found[name] = AUC().value(table)
    return found


def about_direction(areas: Mapping[str, float], of: str = "AUC") -> list[HitcurveWarning]:
    """Return what is to be said of rankers that put negatives first."""
    low = [f"{name!r} ({rows.number(area)})" for name, area in areas.items() if area < 0.5]
    if not low:
        return []
    advice = "if low scores are the good ones, say so (higher_is_better=False, or name:low on the command line)"
    return [DirectionWarning(f"{of} is below one half for {', '.join(low)}: {advice}")]
