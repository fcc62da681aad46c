"""Columns of plain records, for data frames."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any


def columns_of_plain(records: Sequence[Mapping[str, Any]], numbers: Collection[str]) -> dict[str, list[Any]]:
    """Return the columns of records of the same keys; of columns of numbers what is None becomes nan."""
    columns = {key: [record[key] for record in records] for key in records[0]}
    of_numbers = {key: [math.nan if x is None else float(x) for x in columns[key]] for key in numbers}
    return columns | of_numbers
