"""Numbers in the data of the page, as printed text, so that its script computes nothing."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.counts import Array
from hitcurve.evaluation.methods import for_readers
from hitcurve.evaluation.sensitivities.sensitivity import Sensitivity, SensitivityLine

UNIT = 2000  # parts of an axis that coordinates of curves are rounded to
_NONE = "-"


def printed(values: Iterable[float], digits: int = 4, *, short: bool = False) -> str:
    """Return numbers as they are printed, with blanks between them."""
    write = rows.short if short else rows.number
    return " ".join(_NONE if math.isnan(value) else write(value, digits) for value in map(float, values))


def coordinates(values: Array) -> str:
    """Return the steps between coordinates in parts of an axis: few digits for what changes little."""
    places = np.rint(np.asarray(values) * UNIT).astype(int)
    return " ".join(map(str, np.diff(places, prepend=0).tolist()))


def line_of(line: SensitivityLine, reasons: list[str], *, short: bool = False) -> dict[str, Any]:
    """Return one metric of one ranker along a grid; reasons why something is missing are numbered in ``reasons``."""
    why = []
    for text in map(for_readers, line.missing):
        if text not in reasons:
            reasons.append(text)
        why.append(reasons.index(text))
    return {
        "value": printed(line.value, short=short),
        "low": [printed(ends, 3, short=short) for ends in line.low],
        "high": [printed(ends, 3, short=short) for ends in line.high],
        "why": " ".join(map(str, why)) if any(why) else "",
    }


def sensitivity(found: Sensitivity, rankers: Sequence[str], metrics: Sequence[str]) -> dict[str, Any]:
    """Return metrics of all rankers along a grid."""
    reasons = [""]
    lines = {
        metric: [line_of(found.of(ranker, metric), reasons, short=metric == "hits") for ranker in rankers]
        for metric in metrics
    }
    return {"lines": lines, "reasons": reasons}
