"""Records as a file of Parquet."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.counts import AnyArray

_WORDS = {"inf": math.inf, "-inf": -math.inf}  # as records have infinities
# columns of text, also where nothing is in them
_TEXT = frozenset(("group", "ranker", "metric", "method", "design", "convention", "reason", "part", "first", "second"))
_TEXT |= {"canonical", "interval_method", "alternative", "adjustment", "unit", "curve"}


def file_of(records: Sequence[Mapping[str, Any]], form: str) -> bytes:
    """Return records, all of the same keys, as a Parquet, Arrow or Feather file; undefined and missing values are null.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    """
    arrow = _checks.extra("pyarrow", "files", "writing files of columns")
    columns = {key: _column(key, [record.get(key) for record in records]) for key in records[0]} if records else {}
    return _written({key: arrow.array(*column) for key, column in columns.items()}, form)


def file_of_columns(columns: Mapping[str, AnyArray], form: str) -> bytes:
    """Return columns as a file like that of their records, without making these.

    Raises
    ------
    MissingExtraError
        If pyarrow is not installed.
    """
    arrow = _checks.extra("pyarrow", "files", "writing files of columns")
    out = {}
    for key, values in columns.items():
        if values.dtype.kind in "iuf" and key not in _TEXT:
            numbers = values.astype(float)
            out[key] = arrow.array(numbers, mask=np.isnan(numbers))
        else:
            out[key] = arrow.array(*_column(key, values.tolist()))
    return _written(out, form)


def _written(columns: Mapping[str, Any], form: str) -> bytes:
    arrow = _checks.extra("pyarrow", "files", "writing files of columns")
    out, table = io.BytesIO(), arrow.table(dict(columns))
    if form == "parquet":
        _checks.extra("pyarrow.parquet", "files", "writing Parquet").write_table(table, out)
    else:  # Feather is the same file of Arrow by its second version
        with arrow.ipc.new_file(out, table.schema) as file:
            file.write_table(table)
    return out.getvalue()


def _column(key: str, values: list[Any]) -> tuple[list[Any], Any]:
    """Return the values of a column and their type in Arrow, which the values of other data do not change."""
    arrow = _checks.extra("pyarrow", "files", "writing files of columns")
    values = [None if value == "" else value for value in values]
    there = [value for value in values if value is not None]
    if key == "seed" and all(value < 1 << 64 for value in there):
        return values, arrow.uint64()
    if key not in _TEXT:
        if there and all(isinstance(value, bool) for value in there):
            return values, arrow.bool_()
        if all(map(_is_number, there)):
            return list(map(_number, values)), arrow.float64()
    return [None if value is None else str(value) for value in values], arrow.string()


def _is_number(value: Any) -> bool:
    return value in _WORDS if isinstance(value, str) else not isinstance(value, bool)


def _number(value: Any) -> float | None:
    number = math.nan if value is None else float(_WORDS.get(value, value))
    return None if math.isnan(number) else number
