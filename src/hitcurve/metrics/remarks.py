"""Warnings about data and values, one for each reason."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import suppress

import numpy as np

from hitcurve import rows
from hitcurve._callers import warn
from hitcurve.cells import Grid
from hitcurve.counts import AnyArray
from hitcurve.errors import (
    ConstantScoreWarning,
    CountsWarning,
    DirectionWarning,
    HitcurveError,
    HitcurveWarning,
    MissingValueWarning,
    SingleClassError,
    TwoValuedScoreWarning,
    UndefinedMetricError,
    UndefinedMetricWarning,
    WeightsWarning,
)
from hitcurve.metrics.metric import Metric
from hitcurve.metrics.roc import AUC
from hitcurve.sources import Block, Tally
from hitcurve.sources.category_counts import row_of_sums, run_of_sums
from hitcurve.table import HitTable


def about_missing(tally: Tally) -> list[HitcurveWarning]:
    """Return the warnings about missing values."""
    notes = []
    if tally.dropped:
        notes.append(f"{tally.dropped} of {tally.rows} rows were dropped for a missing value")
    last = [f"{count} of {name!r}" for name, count in tally.ranked_last.items() if count]
    if last:
        notes.append(f"missing scores were ranked last: {', '.join(last)}")
    return [MissingValueWarning("; ".join(notes))] if notes else []


def about_scores(distinct: Mapping[str, int]) -> list[HitcurveWarning]:
    """Return warnings about rankers with one or two distinct scores; 3 stands for three and more."""
    found: list[HitcurveWarning] = []
    two, one = ([repr(name) for name, count in distinct.items() if count == size] for size in (2, 1))
    if two:
        found.append(
            TwoValuedScoreWarning(f"{', '.join(two)} has only two values: check that it is not a thresholded decision")
        )
    if one:
        found.append(
            ConstantScoreWarning(
                f"{', '.join(one)} is constant and ranks no subject; its interval does not apply to a score that varies"
            )
        )
    return found


def about_counts(tables: Mapping[str, HitTable]) -> list[HitcurveWarning]:
    """Return warnings about counts by category of which one row looks like a total, or all like running sums."""
    found = []
    for name, table in tables.items():
        if table.kind != "rows" or table.weighted:
            continue
        row, run = row_of_sums(table.pos, table.neg), run_of_sums(table.pos, table.neg)
        if row is not None:
            found.append(
                f"row {row + 1} of {name!r} ({table.pos[row]:g} positives, {table.neg[row]:g} negatives) is the sum of "
                "the other rows: if it is a total and no category, leave it out"
            )
        elif run:
            found.append(
                f"positives and negatives of {name!r} both {run} from row to row: if they are cumulative, give the "
                "counts of each category alone"
            )
    return [CountsWarning("; ".join(found))] if found else []


def about_weights(tables: Iterable[HitTable]) -> list[HitcurveWarning]:
    """Return a warning about weights of the subjects of all tables that look like numbers of subjects."""
    for sums in (table.sums for table in tables if table.weighted):
        own = [(np.asarray(sums.pos), sums.pos_squares), (np.asarray(sums.neg), sums.neg_squares)]
        held = [(total[total > 0], squares[total > 0]) for total, squares in own if squares is not None]
        whole = all(np.all(np.mod(column, 1) == 0) for both in held for column in both)
        # weights of one class that are all equal come from its sampling
        mean = [squares / total for total, squares in held]
        if whole and any(one.size and one.max() > one.min() * (1 + 1e-9) for one in mean):
            return [
                WeightsWarning(
                    "the weights are whole numbers: if they are numbers of subjects, standard errors, intervals and "
                    "tests are wrong, because a row is one subject at any weight; repeat each row as often as it "
                    "counts, or give counts by score (HitTable.from_counts; on the command line --counts)"
                )
            ]
    return []


def areas_of(
    tables: Mapping[str, HitTable], known: Mapping[tuple[str, Metric], float] | None = None
) -> dict[str, float]:
    """Return the AUC of each ranker that has one, where it was evaluated that value."""
    found, auc = {}, AUC()
    for name, table in tables.items():
        value = (known or {}).get((name, auc), math.nan)
        with suppress(HitcurveError):
            found[name] = auc.value(table) if math.isnan(value) else value
    return found


_TURN = "if lower is better, set higher_is_better=False (command line: NAME:low); if that is set, remove it"
TURN_TABLES = (
    "if that is not meant, check the order of the tables: the rows must go from the highest category down, and ranks "
    "count from the top"
)
_COUNT_AGAIN = (
    "if lower is better, count the scores into tables again with higher_is_better=False (command line: NAME:low); if "
    "that was set, without it"
)


def advice_of_tables(grids: Iterable[AnyArray | None]) -> str:
    """Return what to do about ready tables that put negatives first; ``grids`` are their scores."""
    return TURN_TABLES if any(grid is None for grid in grids) else _COUNT_AGAIN


def about_direction(areas: Mapping[str, float], of: str = "AUC", advice: str = "") -> list[HitcurveWarning]:
    """Return warnings about rankers that rank negatives first."""
    low = [f"{name!r} ({rows.number(area)})" for name, area in areas.items() if area < 0.5]
    if not low:
        return []
    return [DirectionWarning(f"{of} is below one half for {', '.join(low)}: {advice or _TURN}")]


def evaluated(metric: Metric, block: Block, *, undefined: str = "raise", advice: str = "") -> float:
    """Evaluate the only ranker of a block, and give the warnings there are of its subjects and scores.

    Parameters
    ----------
    metric : Metric
    block : Block
    undefined : {"raise", "nan"}
    advice : str
        What to do about scores that put negatives first; to turn them round unless it is said.
    """
    (name,) = block.scores
    table, distinct = HitTable.count(Grid(np.unique(block.positive_scores(name))), block, name)
    remarks = [*about_missing(block.tally), *about_scores({name: distinct.size})]
    remarks += about_direction(areas_of({name: table}), advice=advice)
    try:
        value = float(metric.value(table))
    except (SingleClassError, UndefinedMetricError) as error:
        if undefined == "raise":
            raise
        remarks.append(UndefinedMetricWarning(f"{metric} is undefined: {error}"))
        value = math.nan
    for remark in remarks:
        warn(remark)
    return value
