"""Where the public data lie, and how the tests read them."""

from __future__ import annotations

import json
import math
import os
import re
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

NO_DATA = "no data folder: set HITCURVE_DATA"

Column: TypeAlias = npt.NDArray[Any]
Columns: TypeAlias = dict[str, Column]


def data_folder() -> Path:
    given = os.environ.get("HITCURVE_DATA")
    return Path(given) if given else Path(__file__).resolve().parents[2] / "shared" / "data"


def reference_folder() -> Path:
    return data_folder() / ".." / "reference"


def read_reference(name: str) -> Any:
    return json.loads((reference_folder() / name).read_text(encoding="utf-8"))


@cache
def read_columns(name: str, wanted: tuple[str, ...] | None = None) -> Columns:
    frame = pd.read_csv(data_folder() / name, usecols=None if wanted is None else list(wanted))
    return {str(column): np.asarray(frame[column]) for column in frame.columns}


@cache
def _notes() -> str:
    return (data_folder() / "README.md").read_text(encoding="utf-8")


def noted(pattern: str) -> tuple[str, ...]:
    """Return the groups of a sentence in the README of the data."""
    found = re.search(pattern, _notes())
    assert found, f"the README of the data does not say {pattern}"
    return found.groups()


def printed_as(value: float, text: str, *, significant: int = 0, decimals: int = 0) -> bool:
    """Say whether a value rounds to a printed number.

    A source that drops trailing zeros prints fewer digits than it has: ``significant`` digits or ``decimals`` then
    say how many are meant at least.
    """
    printed = float(text)
    places = max(decimals, len(text.partition(".")[2]))
    if significant and printed:
        places = max(places, significant - 1 - math.floor(math.log10(abs(printed))))
    # a hair more than half a unit: the half itself may be rounded to either side
    return abs(value - printed) <= 0.500001 * 10.0**-places
