"""Where in data that were read once something is wrong: the row, as errors of files name the line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from hitcurve.errors import InputError, LabelError, MissingValueError, WeightError
from hitcurve.sources import columns, labels


@contextmanager
def placed(called: str | None, label: Any, scores: Mapping[str, Any], clusters: Any, groups: Any) -> Iterator[None]:
    """Say of what is refused within in which row it is, counted from 1.

    Parameters
    ----------
    called : str or None
        What the rows are of; None for rows that have the places of arrays.
    """
    try:
        yield
    except InputError as error:
        if called is None:
            raise
        if isinstance(error, WeightError):
            words = re.sub(r"row (\d+)", lambda found: f"row {int(found[1]) + 1} of {called}", str(error))
            raise WeightError(words) from None
        if isinstance(error, MissingValueError):
            given = {"label": label, **{f"score {name!r}": values for name, values in scores.items()}}
            given |= {"clusters": clusters, "groups": groups}
            row = first_missing(str(error), given)
            where = "" if row is None else f"; the first is in row {row + 1} of {called}"
            raise MissingValueError(f"{error}{where}") from None
        if isinstance(error, LabelError) and "got more" in str(error):
            raise LabelError(f"{error}{_first_rare(str(error), label, called)}") from None
        raise


def first_missing(said: str, given: Mapping[str, Any]) -> int | None:
    """Return the first row, from 0, that lacks what a refusal says; None if it names none of the columns."""
    what = re.match(r"\d+ of \d+ (?:values of )?(.*) are missing", said)
    values = None if what is None else given.get(what[1])
    if what is None or values is None:
        return None
    gone = (columns.scores if what[1].startswith("score ") else columns.labels)(what[1], values).gone
    return None if gone is None else int(np.argmax(gone))


def _first_rare(refusal: str, label: Any, called: str) -> str:
    """Return where the rarest label that a refusal lists is first, in words."""
    column = columns.labels("y_true", label)
    values = column.values if column.gone is None else column.values[~column.gone]
    times: dict[Any, int] = {}
    for value in values.tolist():
        times[value] = times.get(value, 0) + 1
    rare = labels.rarest(refusal, times)
    rows = np.arange(column.values.size) if column.gone is None else np.flatnonzero(~column.gone)
    row = int(rows[values.tolist().index(rare)]) + 1
    return f"; the first {rare!r} is in row {row} of {called}"
