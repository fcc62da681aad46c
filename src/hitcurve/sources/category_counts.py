"""Signs that a table of counts has rows that are no categories: sums of other rows, or running sums."""

from __future__ import annotations

import re

import numpy as np
import numpy.typing as npt

Counts = npt.NDArray[np.int64]
_TOTAL = re.compile(
    r"(grand |sub[ -]?|column )?(totals?|totale?|totaal|sum|sums|summe|suma|soma|somme|gesamt|insgesamt|overall|[Σ∑])"
    r"( of .*)?[.:]?",
    re.IGNORECASE,
)
_CUMULATIVE = re.compile(r"(^|[^a-z])(cum|cumul|cumulative|cumulated|kumuliert|running)([^a-z]|$)", re.IGNORECASE)
_FEWEST = 4  # three rows grow together by chance too often


def names_a_total(name: str) -> bool:
    """Return whether the name of a row is that of a total."""
    return bool(_TOTAL.fullmatch(name.strip()))


def names_running_sums(column: str) -> bool:
    """Return whether the name of a column is that of cumulative counts."""
    return bool(_CUMULATIVE.search(column))


def row_of_sums(pos: Counts, neg: Counts) -> int | None:
    """Return the row, from 0, whose positives and negatives are both the sums of at least two other rows."""
    held = (pos > 0) | (neg > 0)
    twice = (2 * pos == pos.sum()) & (2 * neg == neg.sum()) & (pos > 0) & (neg > 0)
    return int(np.argmax(twice)) if twice.any() and np.count_nonzero(held) > 2 else None


def run_of_sums(pos: Counts, neg: Counts) -> str:
    """Return ``"grow"`` or ``"shrink"`` if both counts do from row to row as cumulative counts do, or ``""``."""
    for turn, word in ((1, "grow"), (-1, "shrink")):
        steps = [turn * np.diff(column) for column in (pos, neg)]
        if pos.size >= _FEWEST and all(np.all(step >= 0) and np.any(step > 0) for step in steps):
            return word
    return ""
