"""Files of hit tables, named where files of subjects could be."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hitcurve.errors import ParameterError
    from hitcurve.tables import Tables

OF_TABLES = (
    "evaluate",
    "certify",
    "decision",
    "curve",
    "band",
    "plot",
    "confusion",
    "report",
    "drift",
    "merge",
)
"""Commands that take files of hit tables."""


def are_stored(files: Sequence[str]) -> bool:
    """Say whether all files are files of hit tables.

    Raises
    ------
    ParameterError
        If some are and others are not.
    """
    from hitcurve.errors import ParameterError
    from hitcurve.sources.files import expand
    from hitcurve.stored import is_stored

    paths: list[Path | None] = []
    for name in files:
        paths += [None] if name == "-" else expand(name)
    found = [path is not None and is_stored(path) for path in paths]
    if any(found) and not all(found):
        other = paths[found.index(False)] or "standard input"
        raise ParameterError(
            f"{paths[found.index(True)]} contains hit tables and {other} does not: evaluate them apart, or count the "
            "other with hitcurve table"
        )
    return bool(found) and all(found)


def rows_needed(what: str, path: str | Path, way: str = "") -> ParameterError:
    """Return the refusal of a file of hit tables by what needs rows."""
    from hitcurve.errors import ParameterError

    return ParameterError(
        f"{what} needs the rows of the subjects, and {path} contains hit tables: give the file they were counted "
        f"from{way}"
    )


def needs_rows(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that refuses files of hit tables before all else, since it needs the rows of the subjects."""

    @functools.wraps(command)
    def run(**options: Any) -> None:
        from hitcurve.sources.files import expand
        from hitcurve.stored import is_stored

        given = options.get("file") or ()
        for name in [given] if isinstance(given, str) else given:
            for path in [] if name == "-" else expand(name):
                if is_stored(path):
                    raise rows_needed(
                        f"hitcurve {command.__name__}", path, f"; hit tables are taken by {', '.join(OF_TABLES)}"
                    )
        command(**options)

    return run


def stored_files(files: Sequence[str]) -> dict[str, Tables]:
    """Read files of tables, in the order given.

    Raises
    ------
    UnreadableFileError, ParameterError
        If one is no such file, or two are one file.
    """
    from hitcurve import _checks
    from hitcurve.sources.files import check_differ, expand
    from hitcurve.tables import load_tables

    paths = [path for name in files for path in expand(name)]
    check_differ(paths)
    _checks.distinct("file", [str(path) for path in paths])
    return {str(path): load_tables(path) for path in paths}


def added(found: Mapping[str, Tables], rankers: Sequence[str] = ()) -> Tables:
    """Add the tables of files, of some rankers or of all, with a note of each file whose tables another has too.

    Raises
    ------
    GridMismatchError
        If tables do not add, with the way out.
    ParameterError
        If a file has none of a ranker that is named.
    """
    from hitcurve.tables import merged

    found = {name: chosen(own, rankers, name) for name, own in found.items()}
    total = merged(found)
    return replace(total, notes=(*total.notes, *copies(found)))


def chosen(tables: Tables, rankers: Sequence[str], file: str) -> Tables:
    """Return the tables of a file of the rankers named by --score; of all of them if none is.

    Raises
    ------
    ParameterError
        If one is named twice, or there is none of that name.
    """
    from hitcurve.errors import ParameterError

    if not rankers:
        return tables
    for name in rankers:
        if rankers.count(name) > 1:
            raise ParameterError(f"--score names the ranker {name!r} twice: name it once")
        if name not in tables:
            raise ParameterError(f"{file} has no ranker {name!r}; rankers are {', '.join(tables)}")
    tally = tables.tally
    if tally is not None:
        last = {name: count for name, count in tally.ranked_last.items() if name in rankers}
        tally = replace(tally, ranked_last=last)
    own = {name: tables[name] for name in rankers}
    return replace(tables, tables=own, tally=tally, lower_is_better=tables.lower_is_better & set(rankers))


def copies(found: Mapping[str, Tables]) -> list[str]:
    """Return a note of each file with the tables of an earlier one.

    They are not refused: the tables of two days of few subjects, or of two classes as scores, can be equal by chance.
    """
    import numpy as np

    from hitcurve.evaluation.of_studies import repeated

    def sizes(own: Tables) -> tuple[tuple[str, float, float], ...]:
        return tuple((ranker, float(np.sum(table.n)), float(np.sum(table.n_pos))) for ranker, table in own.items())

    return [
        f"{name} has the same tables as {other}: if it is a copy, its subjects are counted twice"
        for name, other in repeated(found, sizes)
        if any(n_pos for *_, n_pos in sizes(found[name]))
    ]
