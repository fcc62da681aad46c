"""A file with a row for each reading."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.errors import ScoreError
from hitcurve.screens.given import written
from hitcurve.screens.given.files import numbers_and_words
from hitcurve.sources.files import duck
from hitcurve.sources.files.numerals import DECIMALS, Absent
from hitcurve.sources.files.opening import open_file


def read_readings(
    path: Path,
    columns: Mapping[str, str | None],
    *,
    na: Sequence[str] = (),
    decimal: str | None = None,
    pos_label: Any = None,
) -> dict[str, Any]:
    """Read the columns of a reader study.

    Parameters
    ----------
    path : Path
    columns : mapping of str to str or None
        Names of the columns by what they are: ``truth``, ``rating``, ``reader``, ``case`` and perhaps others.
    na : sequence of str
        Words for missing values beside the usual ones.
    decimal : {".", ","} or None
        The decimal mark of text files.
    pos_label : object
        The positive label, which is never missing.

    Returns
    -------
    dict of str to array
        By what they are; the arguments of :func:`hitcurve.evaluate_readers`.

    Raises
    ------
    InputError
        One of its kinds, if the file is no table, lacks a column, or ratings are no numbers.
    """
    if decimal is not None:
        _checks.choice("decimal", decimal, DECIMALS)
    of = {what: name for what, name in columns.items() if name is not None}
    rating, absent = of.pop("rating"), Absent(tuple(na), pos_label)
    words = tuple(dict.fromkeys(of.values()))
    file = open_file(path, (*words, rating), duck.connect([path]), absent=absent, decimal=decimal)
    file.check_end()
    numbers, said = numbers_and_words(file, [rating], words, absent, decimal)
    if numbers.unreadable:
        raise ScoreError(f"ratings {rating!r} of {path.name} must be numbers: {numbers.unreadable[rating]}")
    out: dict[str, Any] = {"rating": numbers.taken(np.array([0])).filled()[0]}
    for what, name in of.items():
        # a group without a name is missing, whatever else its name may be
        found = said[name] if what == "truth" else [word or None for word in said[name]]
        out[what] = written.meant(said[name], absent) if what == "truth" else np.array(found, object)
    return out
