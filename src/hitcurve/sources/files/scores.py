"""Scores of a file without their labels."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hitcurve.errors import EmptyInputError
from hitcurve.sources.files import duck
from hitcurve.sources.files.batches import numbers
from hitcurve.sources.files.digits import check_digits
from hitcurve.sources.files.measures import one_type
from hitcurve.sources.files.numerals import Absent
from hitcurve.sources.files.opening import has_column, open_file


def read_scores(
    path: Path,
    names: Sequence[str],
    label: str | None = None,
    *,
    na: Sequence[str] = (),
    decimal: str | None = None,
    header: bool = True,
) -> dict[str, Any]:
    """Read columns of scores, of the rows without a label where the file has a column of labels.

    Parameters
    ----------
    names : sequence of str
        Columns of scores.
    label : str, optional
        Column of labels, which the file may have.
    na, decimal, header
        As of :class:`FileSource`.

    Returns
    -------
    mapping of str to array (m,)
        Masked where a score is missing.

    Raises
    ------
    EmptyInputError
        If there are no such rows.
    """
    absent, columns = Absent(tuple(na)), tuple(dict.fromkeys(names))
    labelled = label is not None and has_column(path, label, header=header)
    with duck.connect([path]) as connection:
        wanted = (*columns, *([str(label)] if labelled else []))
        file = open_file(path, wanted, connection, header=header, numbers=columns, absent=absent, decimal=decimal)
        file.check_end()
        measures = file.measure(columns)
        picked: list[str] = []
        for name in columns:
            if not measures[name].there:
                raise EmptyInputError(f"{path.name} has no rows with a value of {name!r}")
            kind = one_type(name, [path.name], [measures[name]])
            check_digits(name, [file], [measures[name]])
            picked.append(f"{file.number(name, kind, measures[name])} AS s{len(picked)}")
        where = f" WHERE {absent.label_sql(file.word(str(label)))}" if labelled else ""
        sql = f"SELECT {', '.join(picked)} FROM {file.relation}{where}"
        found: list[list[Any]] = duck.query(
            connection, sql, lambda rows: [list(map(numbers, batch.columns)) for batch in _batches(rows)], [file]
        )
    if not found:
        what = f"no row without a label in {label!r}" if labelled else "no rows"
        raise EmptyInputError(f"{path.name} has {what}")
    join: Any = np.ma.concatenate
    return {name: join([part[place] for part in found]) for place, name in enumerate(columns)}


def _batches(found: Any) -> list[Any]:
    with found.to_arrow_reader() as reader:
        return [batch for batch in reader if batch.num_rows]
