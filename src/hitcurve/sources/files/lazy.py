"""Frames that are queries which have not run: those of Polars, DuckDB and Ibis.

A query runs once. Where the rows that arrive first hold few distinct ones, it runs a second time, to count how often
each occurs where the data are.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from hitcurve import _checks, rows
from hitcurve.errors import InputError
from hitcurve.sources.frames import check_columns, native_frame
from hitcurve.sources.no_column import not_read

LOOKED_AT = 1 << 25  # bytes of the named columns after which their rows are looked at
FEW = 16  # rows for each distinct one, of those looked at, from which on they are counted where the data are
MOST_DISTINCT = 1 << 20  # distinct rows that are kept with their counts
_ROWS = 1 << 18  # a batch
_PACKAGES = {"polars": "Polars", "duckdb": "DuckDB", "ibis": "Ibis"}


class Distinct(NamedTuple):
    """The distinct rows of a query.

    Attributes
    ----------
    table : pyarrow.Table
        The named columns.
    times : array of int (rows,)
        How often each row occurs.
    note : str
        Who counted them, in words.
    """

    table: Any
    times: npt.NDArray[np.int64]
    note: str


class Query:
    """Some columns of a query that has not run.

    Parameters
    ----------
    frame : narwhals.LazyFrame
    names : sequence of str
        Other columns are not read.

    Raises
    ------
    ColumnNotFoundError, InputError
        If it lacks a column, or cannot run.
    """

    def __init__(self, frame: Any, names: Sequence[str]) -> None:
        self.names = list(dict.fromkeys(names))
        self._package = type(frame.to_native()).__module__.partition(".")[0].lstrip("_")
        try:
            schema = frame.collect_schema()
        except Exception as error:  # each package has its own
            raise self._failed(error) from None
        check_columns(self.names, schema.names())
        for name in self.names if self._package == "polars" else ():
            if (kind := str(schema[name])) in ("Int128", "UInt128"):
                raise InputError(f"column {name!r} is of type {kind}, which Arrow does not have: cast it to Int64")
        self._frame = frame.select(self.names)
        self._native = self._frame.to_native()

    def batches(self) -> Generator[Any]:
        """Run the query: yield its rows as Arrow batches of one schema, the first of them without rows.

        What is closed before its end ends the query.

        Raises
        ------
        InputError
            If it fails.
        """
        arrow = _checks.extra("pyarrow", "files", "running a query")
        try:
            with ExitStack() as open_ones:
                schema, batches = self._run(open_ones)
                yield arrow.RecordBatch.from_pylist([], schema)
                yield from batches
        except Exception as error:
            raise self._failed(error) from None

    def _failed(self, error: Exception) -> InputError:
        return not_read(f"the query of {self._by} fails", error)

    @property
    def _by(self) -> str:
        return _PACKAGES.get(self._package, self._package)

    def _run(self, open_ones: ExitStack) -> tuple[Any, Iterator[Any]]:
        native = self._native
        if self._package == "polars" and hasattr(native, "collect_batches"):
            frames = native.collect_batches(chunk_size=_ROWS, maintain_order=True)
            batches = (batch for frame in frames for batch in frame.to_arrow().to_batches())
            return native.head(0).collect().to_arrow().schema, batches
        if self._package == "duckdb":
            reader = native.to_arrow_reader(_ROWS)
        elif self._package == "ibis" and native.get_backend().name != "duckdb":
            reader = native.to_pyarrow_batches(chunk_size=_ROWS)
        else:  # Ibis 12 asks DuckDB 2 for batches by a method that is gone
            reader = self._frame.collect(backend="pyarrow").to_native().to_reader(_ROWS)
        open_ones.callback(reader.close)
        return reader.schema, iter(reader)

    def repeats(self, seen: Sequence[Any]) -> bool:
        """Say whether few of the rows that were seen are distinct.

        Parameters
        ----------
        seen : sequence of pyarrow.RecordBatch
            What arrived first.
        """
        arrow = _checks.extra("pyarrow", "files", "running a query")
        first = arrow.Table.from_batches(seen)
        return bool(first.group_by(self.names).aggregate([]).num_rows * FEW <= first.num_rows)

    def distinct(self) -> Distinct | None:
        """Count the distinct rows where the data are; return None if they are many.

        Raises
        ------
        InputError
            If the query fails.
        """
        import narwhals.stable.v2 as nw

        times = _unused(self.names)
        counted = self._frame.group_by(self.names).agg(nw.len().alias(times)).head(MOST_DISTINCT + 1)
        try:
            found = counted.collect(backend="pyarrow").to_native()
        except Exception as error:
            raise self._failed(error) from None
        if found.num_rows > MOST_DISTINCT:
            return None
        # the order of the groups is that of threads, and sums round in it
        found = found.sort_by([(name, "ascending") for name in self.names])
        counts = found.column(times).to_numpy().astype(np.int64)
        note = (
            f"{self._by} counted {rows.count(int(counts.sum()))} rows as {rows.count(found.num_rows)} distinct ones in "
            f"one query, since those that arrived first occur {FEW} times or more on average"
        )
        return Distinct(found.select(self.names), counts, note)


def is_query(data: Any) -> bool:
    """Say whether data are a query that has not run."""
    import narwhals.stable.v2 as nw

    return isinstance(native_frame(data), nw.LazyFrame)


def keeps_order(data: Any) -> bool:
    """Say whether the rows of a query have an order that arrays beside them can follow, as those of Polars have."""
    return type(data).__module__.startswith("polars")


def query_of(data: Any, names: Sequence[str]) -> Query | None:
    """Return some columns of a query that has not run; None of anything else."""
    return Query(native_frame(data), names) if is_query(data) else None


def _unused(names: Sequence[str]) -> str:
    """Return a name that none of the columns has."""
    name = "times"
    while name in names:
        name += "_"
    return name
