"""Columns of subjects in files, databases and streams, read into memory."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from hitcurve.errors import InputError
from hitcurve.evaluation.given_files import are_files, paths_of
from hitcurve.sources import pick_columns
from hitcurve.sources.databases import answer, is_database


def read_elsewhere(
    data: Any, numbers: Sequence[str], words: Sequence[str], where: str | None = None, query: str | None = None
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return columns by name, and how they were read.

    Parameters
    ----------
    data : path, list of paths, address of a database, stream of Arrow batches, or query that has not run
    numbers, words : sequence of str
        Columns of numbers, and of what may be words.
    where : str, optional
        A condition on the rows of files.
    query : str, optional
        Of a database.

    Raises
    ------
    InputError, UnreadableFileError
        As files, databases and streams do.
    """
    from hitcurve.sources.files import read_columns

    if are_files(data):
        paths = paths_of(data)
        check_no_table(paths)
        return read_columns(paths, numbers, words, where=where)
    from hitcurve.sources.files.streams import ANSWER, keep

    every = list(dict.fromkeys([*numbers, *words]))
    if is_database(data):
        with answer(data, query, numbers, words) as batches:
            kept = keep(batches, every, made=True, called=ANSWER)
    else:
        kept = keep(data, every)
    if kept.path is not None:
        return read_columns([kept.path], numbers, words)
    if kept.distinct is None:
        return pick_columns(kept.table, every), ()
    rows = np.repeat(np.arange(len(kept.distinct.times)), kept.distinct.times)
    return pick_columns(kept.distinct.table.take(rows), every), (kept.distinct.note,)


def in_place(data: Any, where: str | None = None) -> AbstractContextManager[None]:
    """Say of a row of files that is refused within in which line it is."""
    if not are_files(data):
        return nullcontext()
    from hitcurve.sources.files import in_lines

    return in_lines(paths_of(data), where)


def check_no_table(paths: Sequence[Path]) -> None:
    """Refuse files of hit tables.

    Raises
    ------
    InputError
        If there is one.
    """
    for path in paths:
        if path.suffix == ".hit":
            raise InputError(f"{path.name} is a hit table, which has counts and no times: give a table of subjects")
