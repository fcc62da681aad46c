"""The subjects that were given as files, as a query of a database or as a stream of batches."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from hitcurve import _checks
from hitcurve.engines import SubjectColumns
from hitcurve.engines.dask import DaskSource, is_dask
from hitcurve.engines.spark import SparkSource, is_spark
from hitcurve.errors import ParameterError
from hitcurve.sources import Reading, Source, Verified, is_column, pick_columns
from hitcurve.sources.databases import answer, is_database
from hitcurve.sources.repeated import repeated

if TYPE_CHECKING:
    from hitcurve.sources.files.lazy import Distinct


class Columns(NamedTuple):
    """The columns that were named.

    Attributes
    ----------
    label : str
    scores : tuple of str
    weight, clusters, by, verification : str or None
    """

    label: str
    scores: tuple[str, ...]
    weight: str | None = None
    clusters: str | None = None
    by: str | None = None
    verification: str | None = None

    @classmethod
    def of(cls, y_true: Any, y_score: Any, **others: Any) -> Columns:
        """Take names of columns.

        Raises
        ------
        ParameterError
            If one is no name.
        """
        scores = [y_score] if is_column(y_score) else list(y_score)
        for name, given in {"y_true": y_true, **dict.fromkeys(["y_score"]), **others}.items():
            if given is not None and not is_column(given):
                name = "sample_weight" if name == "weight" else name
                raise ParameterError(
                    f"with data in files, databases, streams or engines, {name} is the name of a column"
                )
        if isinstance(y_score, Mapping) or not all(map(is_column, scores)):
            raise ParameterError("with data, y_true and y_score are names of columns")
        named = {name: None if given is None else str(given) for name, given in others.items()}
        return cls(str(y_true), tuple(map(str, scores)), **named)

    @property
    def every(self) -> list[str]:
        """All names, each once."""
        others = [name for name in self[2:] if name is not None]
        return list(dict.fromkeys([self.label, *self.scores, *others]))

    @property
    def numbers(self) -> list[str]:
        """Names of the columns of scores, weights and probabilities."""
        return [name for name in (*self.scores, self.weight, self.verification) if name is not None]

    @property
    def names(self) -> list[str]:
        """Names of the columns of labels, clusters and groups."""
        return [name for name in (self.label, self.clusters, self.by) if name is not None]


def are_files(data: Any) -> bool:
    """Say whether data are named by paths: one, or a list of them."""
    if isinstance(data, (str, os.PathLike)):
        return not is_database(data)
    return isinstance(data, (list, tuple)) and bool(data) and all(isinstance(one, (str, os.PathLike)) for one in data)


def paths_of(data: Any) -> tuple[Path, ...]:
    """Return the files that are named by paths and wildcards."""
    from hitcurve.sources.files import expand

    given: Sequence[Any] = [data] if isinstance(data, (str, os.PathLike)) else data
    return tuple(path for one in given for path in expand(one))


def in_order(data: Any) -> Any:
    """Return files that are iterated over, or a set of them, as a list in alphabetical order; other data as they are.

    Raises
    ------
    InputError
        If data are an iterator that was begun before.
    """
    if not isinstance(data, (Iterator, set, frozenset)):
        return data
    from hitcurve.sources.files.streams import begun

    return begun(data)


def is_elsewhere(data: Any, beside: Iterable[Any] = ()) -> bool:
    """Say whether data are in files, in a database, in a stream of batches or a query that has not run.

    A query whose rows have an order is run as a whole if what stands ``beside`` is not all columns by name, and any is
    without pyarrow.
    """
    if data is None or isinstance(data, Mapping):
        return False
    if are_files(data) or is_database(data):
        return True
    from hitcurve.sources.files.lazy import is_query, keeps_order
    from hitcurve.sources.files.streams import is_stream

    if is_stream(data):
        return True
    named = all(given is None or is_column(given) for given in beside)
    return is_query(data) and (named or not keeps_order(data)) and find_spec("pyarrow") is not None


def check_options(data: Any, where: str | None, query: str | None) -> None:
    """Refuse a condition or a query of data that take none.

    Raises
    ------
    ParameterError
    """
    if where is not None and not are_files(data):
        raise ParameterError("where is a condition on the rows of files: choose the rows of other data before")
    if query is not None and not is_database(data):
        raise ParameterError("query is for the address of a database, such as data='postgresql://user@host/name'")


def source_elsewhere(
    data: Any, columns: Columns, how: Mapping[str, Any], where: str | None, query: str | None, *, on_disk: bool = False
) -> Source | dict[str, Any]:
    """Return data as a source, or what was small enough for memory by column.

    Parameters
    ----------
    data : str, path, list of paths, or stream
    columns : Columns
    how : mapping of str
        What :class:`Reading` takes.
    where, query : str or None
    on_disk : bool
        Whether what can be read once is kept in a file even if it is small.

    Raises
    ------
    InputError, UnreadableFileError
        As files and databases do.
    """
    from hitcurve.sources.files import FileSource

    missing = how["missing"]
    if columns.verification is not None:
        if missing == "last":
            raise ParameterError("missing='last' cannot be combined with verification: use 'raise' or 'drop'")
        how = {**how, "missing": "drop"}  # rows without a label
    reading = Reading(**how)
    engine = SparkSource if is_spark(data) else DaskSource if is_dask(data) else None
    if engine is not None:
        asked = SubjectColumns(*_read(columns, reading), columns.clusters, columns.by)
        return _verified(engine.of(data, asked), columns, may_drop=missing == "drop")
    if are_files(data):
        source = FileSource(paths_of(data), *_read(columns, reading), where, **_named(columns))
        return _verified(source, columns, may_drop=missing == "drop")
    from hitcurve.sources.files.streams import ANSWER, SpilledSource, keep

    if is_database(data):
        with answer(data, query, columns.numbers, columns.names) as batches:
            kept = keep(batches, columns.every, made=True, on_disk=on_disk, called=ANSWER)
    else:
        kept = keep(data, columns.every, on_disk=on_disk)
    if kept.distinct is not None:
        return _verified(_repeated(kept.distinct, columns, reading), columns, may_drop=missing == "drop")
    if kept.path is None:
        return pick_columns(kept.table, columns.every)
    spilled = SpilledSource((kept.path,), *_read(columns, reading), **_named(columns), kept=kept)
    return _verified(spilled, columns, may_drop=missing == "drop")


def _read(columns: Columns, reading: Reading) -> tuple[str, tuple[str, ...], Reading, str | None]:
    return columns.label, columns.scores, reading, columns.weight or columns.verification


def arrays_of_dask(y_true: Any, scores: Mapping[Any, Any], beside: Mapping[str, Any], how: Mapping[str, Any]) -> Source:
    """Return arrays and series of Dask as a source.

    Raises
    ------
    ParameterError, InputError
        If there is a probability of verification beside them, or they do not fit together.
    """
    if beside["verification"] is not None:
        raise ParameterError(
            "with arrays of Dask, verification is not supported: make them columns of a frame, as data"
        )
    _checks.distinct("ranker", [str(name) for name in scores])
    given = {
        "y_true": y_true,
        "sample_weight": beside["weight"],
        "clusters": beside["clusters"],
        "groups": beside["by"],
    }
    return DaskSource.of_arrays(given, {str(name): values for name, values in scores.items()}, Reading(**how))


def _repeated(found: Distinct, columns: Columns, reading: Reading) -> Source:
    picked = {name: found.table.column(name) for name in columns.every}
    beside = {name: None if column is None else picked[column] for name, column in _named(columns).items()}
    return repeated(
        reading,
        picked[columns.label],
        {name: picked[name] for name in columns.scores},
        found.times,
        None if (weight := columns.weight or columns.verification) is None else picked[weight],
        cluster=beside["cluster"],
        group=beside["by"],
        notes=(found.note,),
    )


def _named(columns: Columns) -> dict[str, Any]:
    return {"cluster": columns.clusters, "by": columns.by}


def _verified(source: Source, columns: Columns, *, may_drop: bool) -> Source:
    return source if columns.verification is None else Verified(source, f"column {columns.verification}", may_drop)
