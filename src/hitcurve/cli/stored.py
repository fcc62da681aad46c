"""Files of hit tables, named where files of subjects could be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hitcurve.tables import Tables


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


def stored_files(files: Sequence[str]) -> dict[str, Tables]:
    """Read files of tables, in the order given.

    Raises
    ------
    UnreadableFileError, ParameterError
        If one is no such file, or is named twice.
    """
    from hitcurve import _checks
    from hitcurve.sources.files import expand
    from hitcurve.tables import load_tables

    paths = [path for name in files for path in expand(name)]
    _checks.distinct("file", [str(path) for path in paths])
    return {str(path): load_tables(path) for path in paths}
