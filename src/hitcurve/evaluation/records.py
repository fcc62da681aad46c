"""The numbers of an evaluation as rows and columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.counts import AnyArray
from hitcurve.errors import InsufficientDataError, UndefinedMetricError
from hitcurve.inference import Estimate

SCHEMA = 1  # of to_dict and of the columns of to_frame
COLUMNS = (
    "ranker",
    "metric",
    "value",
    "standard_error",
    "low",
    "high",
    "level",
    "method",
    "design",
    "n",
    "n_pos",
    "tied",
    "random",
    "best",
    "convention",
    "cut_score",
    "cut_rate",
    "reason",
)
LABEL_COLUMNS = ("contamination", "contamination_error", "mislabelled", "mislabelled_error", "unlabelled")
"""Columns of metrics that are corrected for wrong labels: what was assumed; absent of others."""
MEAN_COLUMNS = (
    "ranker",
    "metric",
    "mean",
    "standard_error",
    "low",
    "high",
    "level",
    "n_groups",
    "standard_deviation",
    "median",
    "lowest",
    "highest",
    "within_error",
    "reason",
)
_TIES = ("worst_ties", "best_ties")
_CUT = ("cut_score", "cut_rate")  # where no metric cuts the list
# what a record leaves out where there is none
_OPTIONAL = frozenset({"standard_error", "low", "high", "level", "method", "design", "reason", *_TIES, *_CUT})


def absent(key: str) -> Any:
    """Return what stands in a column where a record has nothing."""
    return "" if key in ("method", "design", "convention", "reason") else math.nan


def record_of(e: Estimate) -> dict[str, Any]:
    """Return one estimate with its context, without what cannot be had."""
    defined = not math.isnan(e.value)
    record: dict[str, Any] = {
        "ranker": e.ranker,
        "metric": str(e.metric),
        "value": e.value,
        **(_doubt(e) if defined else {}),
        "n": e.n,
        "n_pos": e.n_pos,
        "tied": e.tied,
        "random": e.random if defined else math.nan,
        "best": e.best if defined else math.nan,
        "convention": e.convention if defined else "",
    }
    if why := e.reason:
        record["reason"] = why
    if defined and e.cut is not None:
        record |= ({} if e.cut.score is None else {"cut_score": e.cut.score}) | {"cut_rate": e.cut.rate}
    if e.table.label_errors is not None:
        record |= {name: getattr(e.table.label_errors, name) for name in LABEL_COLUMNS}
    order = e.tie_range if defined else None
    return record if order is None else {**record, "worst_ties": order[0], "best_ties": order[1]}


def _doubt(e: Estimate) -> dict[str, Any]:
    """Return standard error and interval, where they are available."""
    out: dict[str, Any] = {}
    with suppress(InsufficientDataError, UndefinedMetricError):
        out["standard_error"] = e.standard_error
    if "standard_error" in out and e.interval is not None:
        low, high = e.interval
        out |= {"low": low, "high": high, "level": e.confidence_level, "method": e.interval_method}
    return {**out, "design": e.design}


def columns_of(records: list[dict[str, Any]], names: tuple[str, ...] = COLUMNS) -> dict[str, list[Any]]:
    """Return the columns of records that some record has."""
    there = [key for key in (*names, *LABEL_COLUMNS) if any(key in record for record in records)]
    return {key: [record.get(key, absent(key)) for record in records] for key in there}


def present(columns: Mapping[str, AnyArray]) -> dict[str, AnyArray]:
    """Return the columns that some row has."""
    return {key: column for key, column in columns.items() if key not in _OPTIONAL or not _are_absent(column).all()}


def _are_absent(column: AnyArray) -> AnyArray:
    return column == "" if column.dtype.kind == "O" else np.isnan(column)


def records_of(columns: Mapping[str, AnyArray]) -> list[dict[str, Any]]:
    """Return the rows of columns, of groups, as plain records."""
    lines = zip(*(column.tolist() for column in columns.values()), strict=True)
    return [plain_record(dict(zip(columns, line, strict=True)), ("group", *COLUMNS)) for line in lines]


def plain_record(record: Mapping[str, Any], names: tuple[str, ...] = COLUMNS) -> dict[str, Any]:
    """Return a record as JSON has it: of the same keys whatever the data, None for what cannot be had."""
    every = dict.fromkeys((*names, *_TIES)) | {key: None if _is_absent(key, v) else v for key, v in record.items()}
    return rows.plain(every)


def _is_absent(key: str, value: Any) -> bool:
    return key in _OPTIONAL and isinstance(value, str) and not value
