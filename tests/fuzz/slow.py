"""Slow definitions in fractions, and what labels and scores mean; shares no code with the package."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

WORDS = {
    "active": True, "yes": True, "true": True, "case": True, "positive": True,
    "inactive": False, "no": False, "false": False, "control": False, "negative": False,
}  # fmt: skip
METRICS = ("auc", "ap", "hits@1", "recall@2", "ks")


class UnreadError(Exception):
    """What was given has no meaning that is known here: whoever answers makes it up."""


class Subject(NamedTuple):
    """One row: None stands for a missing label or score."""

    positive: bool | None
    score: Any  # a fraction, an infinity or None
    weight: Fraction = Fraction(1)


def exact(value: Any) -> Any:
    """Return a number as a fraction, as an infinity, or None if it is missing."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, np.longdouble):
        # more digits than a float has
        return Fraction(*value.as_integer_ratio()) if np.isfinite(value) else exact(float(value))
    if isinstance(value, np.timedelta64):
        raise UnreadError(value)
    if isinstance(value, np.generic):
        value = int(value) if isinstance(value, np.integer) else value.item()
    if value is None or value is pd.NA or (isinstance(value, (float, Decimal)) and math.isnan(value)):
        return None
    if (isinstance(value, float) and math.isinf(value)) or (isinstance(value, Decimal) and value.is_infinite()):
        return float(value)
    if isinstance(value, (bool, int, float, Decimal, Fraction)):
        return Fraction(value)
    raise UnreadError(value)


def positive(value: Any, pos_label: Any = None) -> bool | None:
    """Return whether a label is positive, None if it is missing."""
    if isinstance(value, str) and value == "nan":
        return None  # what numpy makes of a nan among words
    if pos_label is not None:
        return None if _key(value) is None else bool(_key(value) == _key(pos_label))
    if isinstance(value, str):
        if value.strip().lower() not in WORDS:
            raise UnreadError(value)
        return WORDS[value.strip().lower()]
    number = exact(value)
    if number is None:
        return None
    if number not in (0, 1, -1):
        raise UnreadError(value)
    return bool(number == 1)


def _key(value: Any) -> Any:
    """Return what a label is compared by, "1" and 1 alike; None if it is missing."""
    try:
        return Fraction(value) if isinstance(value, str) and value.isascii() else exact(value)
    except ValueError:
        return value
    except UnreadError:
        return value if isinstance(value, (str, complex)) else id(value)


class Slow:
    """The values of one list."""

    def __init__(self, subjects: Iterable[Subject], *, lower: bool = False, missing: str = "raise") -> None:
        kept = []
        for positive_, score, weight in subjects:
            if positive_ is None or score is None:
                if missing == "raise" or (missing == "last" and positive_ is None):
                    raise UnreadError("missing")
                if missing == "drop":
                    continue
                score = -math.inf if not lower else math.inf
            kept.append((positive_, -score if lower else score, weight))
        self.rows = kept
        self.P = sum((w for p, _, w in kept if p), Fraction(0))
        self.N = sum((w for p, _, w in kept if not p), Fraction(0))
        if not self.P or not self.N:
            raise UnreadError("one class")
        levels = sorted({s for _, s, _ in kept}, reverse=True)
        self.groups = [
            (
                sum((w for p, s, w in kept if p and s == level), Fraction(0)),
                sum((w for p, s, w in kept if not p and s == level), Fraction(0)),
            )
            for level in levels
        ]

    @property
    def auc(self) -> Fraction:
        """The share of pairs in the right order, ties one half."""
        below, total = self.N, Fraction(0)
        for pos, neg in self.groups:
            below -= neg
            total += pos * (below + neg / 2)
        return total / (self.P * self.N)

    @property
    def ap(self) -> Fraction:
        """The mean precision at the positives, each at the end of its ties."""
        hits = depth = total = Fraction(0)
        for pos, neg in self.groups:
            hits, depth = hits + pos, depth + pos + neg
            total += pos * hits / depth if depth else 0
        return total / self.P

    @property
    def ks(self) -> Fraction:
        """The largest difference of the TPR and the FPR."""
        hits = misses = best = Fraction(0)
        for pos, neg in self.groups:
            hits, misses = hits + pos, misses + neg
            best = max(best, hits / self.P - misses / self.N)
        return best

    def hits(self, k: Fraction | int) -> Fraction:
        """Expected positives among the first k of a random order of the ties."""
        left, total = Fraction(k), Fraction(0)
        for pos, neg in self.groups:
            here = min(left, pos + neg)
            total += here * pos / (pos + neg) if pos + neg else 0
            left -= here
        if left > 0:
            raise UnreadError("a list shorter than its cut")
        return total

    def value(self, name: str) -> Fraction:
        """Return the value of one of ``METRICS``."""
        if name == "hits@1":
            return self.hits(1)
        if name == "recall@2":
            return self.hits(2) / self.P
        found: Fraction = getattr(self, name)
        return found


def of_columns(labels: Sequence[Any], scores: Sequence[Any], pos_label: Any = None, **how: Any) -> Slow:
    """Return the list of two columns."""
    if len(labels) != len(scores):
        raise UnreadError("lengths")
    given = [(y, exact(s)) for y, s in zip(labels, scores, strict=True)]
    if how.get("missing") == "drop":
        given = [(y, s) for y, s in given if s is not None]  # what the label of such a row says is not read
    rows = [Subject(positive(y, pos_label), s) for y, s in given]
    if len({_key(y) for (y, _), row in zip(given, rows, strict=True) if row.positive is not None}) > 2:
        raise UnreadError("more than two labels")
    return Slow(rows, **how)
