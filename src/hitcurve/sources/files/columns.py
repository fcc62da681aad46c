"""Columns of files as arrays: numbers, and words such as names of groups."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from hitcurve.errors import EmptyInputError, InputError
from hitcurve.sources.files import duck
from hitcurve.sources.files.batches import meant, numbers, words
from hitcurve.sources.files.condition import Condition
from hitcurve.sources.files.datafile import ROW, in_chosen, with_line
from hitcurve.sources.files.digits import check_digits
from hitcurve.sources.files.measures import one_type
from hitcurve.sources.files.numerals import Absent
from hitcurve.sources.files.parts import open_parts


def read_columns(
    paths: Sequence[Path],
    of_numbers: Sequence[str],
    of_words: Sequence[str] = (),
    *,
    where: str | None = None,
    na: Sequence[str] = (),
    decimal: str | None = None,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Read columns of one table in one or several files.

    Parameters
    ----------
    of_numbers : sequence of str
        Columns of numbers, masked where a value is missing.
    of_words : sequence of str
        Columns of words; those that are written as numbers are numbers, and missing ones are None.
    where, na, decimal
        As of :class:`FileSource`.

    Returns
    -------
    mapping of str to array (n,)
    tuple of str
        How the files were read, where it was not said.

    Raises
    ------
    EmptyInputError
        If there are no rows, or a column of numbers has no value.
    """
    absent = Absent(tuple(na))
    measured, named = tuple(dict.fromkeys(of_numbers)), tuple(dict.fromkeys(of_words))
    wanted = tuple(dict.fromkeys([*measured, *named]))
    with duck.connect(list(paths)) as connection:
        how: dict[str, Any] = {"condition": where or "", "numbers": measured, "absent": absent, "decimal": decimal}
        files, empty = open_parts(paths, wanted, connection, **how)
        measures = [file.measure(measured) for file in files]
        name = files[0].path.name if len(files) == 1 else f"{len(files)} files"
        kinds = {}
        for column in measured:
            of_column = [of_file[column] for of_file in measures]
            if not any(one.there for one in of_column):
                raise EmptyInputError(f"{name} has no rows with a value of {column!r}")
            kinds[column] = one_type(column, [file.path.name for file in files], of_column)
            check_digits(column, files, of_column)
        condition = None if where is None else Condition(where, connection, files, None)
        parts = []
        for file, of_file in zip(files, measures, strict=True):
            picked = [
                f"{file.number(column, kinds[column], of_file[column])} AS n{i}" for i, column in enumerate(measured)
            ]
            picked += [f"{file.word(column)} AS w{i}" for i, column in enumerate(named)]
            columns = ", ".join(picked)
            plain = f"SELECT {columns} FROM {file.relation}"
            parts.append(f"({plain if condition is None else condition.chosen(file, columns, lambda _: 'NULL')})")

        def meaning(word: str) -> Any:
            return None if absent.holds(word) else meant(word)

        def read(rows: Any) -> list[list[Any]]:
            batches = []
            with rows.to_arrow_reader() as reader:
                for batch in reader:
                    if batch.num_rows:
                        own = [numbers(batch.column(place)) for place in range(len(measured))]
                        own += [words(batch.column(len(measured) + i), meaning) for i in range(len(named))]
                        batches.append(own)
            return batches

        found = duck.query(connection, " UNION ALL ".join(parts), read, files, where)
        notes = [note for file, of_file in zip(files, measures, strict=True) for note in file.notes(of_file)]
    if not found:
        raise EmptyInputError(f"{name} has no rows{'' if where is None else f' where {where}'}")
    keys = (*(("number", one) for one in measured), *(("word", one) for one in named))
    out: dict[str, Any] = {}
    for place, (kind, column) in enumerate(keys):
        join: Any = np.ma.concatenate if kind == "number" else np.concatenate
        joined = join([part[place] for part in found])
        out[column] = joined if kind == "word" or np.ma.is_masked(joined) else np.asarray(joined)
    chosen = [] if where is None else [f"rows where {where}"]
    return out, (*empty, *chosen, *notes)


@contextmanager
def in_lines(paths: Sequence[Path], where: str | None = None, *, of: str = "") -> Iterator[None]:
    """Say of a row that is refused within in which line of the files it is, or which of the chosen rows.

    Parameters
    ----------
    paths, where
        As of :func:`read_columns`, which read what is refused.
    of : str
        What refusals of these rows begin with. Those of other files have their lines already, if they are read within.
    """
    try:
        yield
    except InputError as error:
        said = str(error)
        if not said.startswith(of) or not ROW.fullmatch(said):
            raise
        if where is not None:
            raise in_chosen(error, where) from None
        with duck.connect(list(paths)) as connection:
            raise with_line(error, open_parts(paths, (), connection).files) from None
