"""Where the public data lie, and how the tests read them."""

from __future__ import annotations

import json
import os
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
