"""Columns of numbers: what they hold, and the one SQL type in which nothing is lost.

Decimals become floats of 64 bits, as everywhere else in numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hitcurve.errors import MissingValueError, ScoreError
from hitcurve.sources.block import missing_error
from hitcurve.sources.columns import LARGEST_WEIGHT, NAMELESS, SMALLEST_WEIGHT
from hitcurve.sources.python_numbers import EXACT

_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "BOOLEAN")
_FLOATS = ("FLOAT", "DOUBLE")


@dataclass(frozen=True)
class Measure:
    """The numbers of one column of one file.

    Attributes
    ----------
    whole : tuple of int or None
        Smallest and largest of the whole numbers.
    floats : {"FLOAT", "DOUBLE"} or None
        What the other numbers are.
    kind : str or None
        The type of whole numbers, where the file has types.
    words : bool
        Whether they are written true and false.
    absent : bool
        Whether words stand for missing values.
    decimal : str or None
        The decimal mark, where numbers are written as people write them.
    cut : bool
        Whether one has more digits than its float.
    """

    whole: tuple[int, int] | None = None
    floats: str | None = None
    kind: str | None = None
    words: bool = False
    absent: bool = False
    decimal: str | None = None
    cut: bool = False

    @property
    def there(self) -> bool:
        """Whether there is any number."""
        return self.whole is not None or self.floats is not None


def one_type(column: str, files: Sequence[str], measures: Sequence[Measure]) -> str:
    """Return the SQL type that holds the numbers of a column of all files as they are.

    Raises
    ------
    ScoreError
        If there is none.
    """
    ends = [end for measure in measures for end in measure.whole or ()]
    low, high = min(ends, default=0), max(ends, default=0)
    floats = [measure.floats for measure in measures if measure.floats]
    if floats:
        if low < -EXACT or high > EXACT:
            one = next(name for name, measure in zip(files, measures, strict=True) if measure.floats)
            other = _with_end(low if -low > high else high, files, measures)
            what, floating, large = _in_words(column, one, other)
            raise ScoreError(
                f"{what} mixes floats{floating} and whole numbers beyond 2^53{large}, which would become ties"
            )
        # a float of 32 bits holds whole numbers of 24
        return "DOUBLE" if max(-low, high) > 2**24 else max(floats, key=_FLOATS.index)
    kinds = {measure.kind for measure in measures if measure.there}
    if len(kinds) == 1 and (kind := kinds.pop()) is not None:
        return "TINYINT" if kind == "BOOLEAN" else kind
    if low >= -(2**63) and high < 2**63:
        return "BIGINT"
    if low >= 0 and high < 2**64:
        return "UBIGINT"
    one, other = (_with_end(end, files, measures) for end in (low, high))
    what, lowest, highest = _in_words(column, one, other)
    raise ScoreError(
        f"{what} holds whole numbers from {low}{lowest} to {high}{highest}, which 64 bits cannot represent: "
        f"{'subtract a constant' if high - low < 2**64 else 'store floats, or their ranks'}"
    )


def _in_words(column: str, one: str, other: str) -> tuple[str, str, str]:
    """Return a column of a file in words, or of two files, and then which of two things in it is where."""
    if one == other:
        return f"column {column!r} of {one}", "", ""
    return f"column {column!r}", f" (in {one})", f" (in {other})"


def _with_end(end: int, files: Sequence[str], measures: Sequence[Measure]) -> str:
    """Return the first file of which a whole number is the lowest or the highest."""
    return next((name for name, measure in zip(files, measures, strict=True) if end in (measure.whole or ())), files[0])


def is_whole(kind: str) -> bool:
    """Return whether a SQL type is one of whole numbers (of up to 64 bits) or booleans."""
    return kind in _WHOLE


def is_float(kind: str) -> bool:
    """Return whether a SQL type is one of floats."""
    return kind in _FLOATS


def common_weight(rows: Callable[[str], list[tuple[Any, ...]]], relation: str, gone: Collection[str]) -> float | None:
    """Return what every subject weighs, None if weights differ: equal ones are counts, which no chunk can know alone.

    Parameters
    ----------
    rows : callable
        Returns the rows of a query.
    relation : str
        Whose column ``weight`` is meant.
    gone : collection of str
        Conditions on rows that are left out, of which one is that the weight is missing.
    """
    kept = f"FILTER (NOT ({' OR '.join(f'coalesce({condition}, FALSE)' for condition in gone) or 'FALSE'}))"
    fine = f"coalesce(weight = 0 OR weight BETWEEN {SMALLEST_WEIGHT} AND {LARGEST_WEIGHT}, FALSE)"
    fine += " OR weight IS NULL OR isnan(CAST(weight AS DOUBLE))" if gone else ""
    ((allowed, equal, weight),) = rows(
        f"SELECT bool_and({fine}), min(weight) {kept} > 0 AND min(weight) {kept} = max(weight) {kept}, "
        f"min(weight) {kept} "
        f"FROM ({relation}) AS subjects"
    )
    return float(weight) if allowed and equal else None


def count_missing(
    rows: Callable[[str], list[tuple[Any, ...]]],
    relation: str,
    named: Mapping[str, str],
    gone: Mapping[str, str],
    place: Callable[[str], str],
) -> MissingValueError | None:
    """Return the refusal of missing values, with how many there are and the first; None if there is none.

    Parameters
    ----------
    rows : callable
        Returns the rows of a query.
    relation : str
    named : mapping of str to str
        The columns of names by their place in the relation.
    gone : mapping of str to str
        The conditions under which labels and scores are missing.
    place : callable
        Returns, in words, where the first row is that meets a condition.
    """
    nameless = {name: f"{name} IS NULL" for name in named}
    conditions = [*nameless.values(), *gone.values()]
    asked = ", ".join(f"count(*) FILTER ({condition})" for condition in conditions)
    total, *counts = rows(f"SELECT count(*), {asked} FROM ({relation})")[0]
    for name, condition, count in zip([*nameless, *gone], conditions, counts, strict=True):
        if count and name in nameless:
            what = f"{count} of {total} values of {named[name]!r} are missing: {NAMELESS[name]}"
            return MissingValueError(f"{what}{place(condition)}")
        if count:
            return MissingValueError(f"{missing_error(name, count, total)}{place(condition)}")
    return None
