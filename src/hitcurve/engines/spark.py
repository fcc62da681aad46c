"""Spark: passes by ``mapInArrow``, and a few bytes back for each partition.

Results of partitions are kept in Spark until their sizes are known. Together up to 64 MB they are folded on the
driver; else workers merge neighbours first, as many as 256 MB hold and at least two, level by level.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import groupby
from typing import Any, ClassVar, TypeVar

from hitcurve import _checks
from hitcurve.engines.partial import Partial, Task
from hitcurve.engines.source import EngineSource
from hitcurve.engines.spark_errors import THERE, in_one_sentence
from hitcurve.engines.subjects import SubjectColumns
from hitcurve.errors import EngineError, ScoreError
from hitcurve.sources.files.batches import together
from hitcurve.sources.frames import check_columns

T = TypeVar("T")
_ROWS = 1 << 18  # put together before they are counted; Spark sends 10,000 at a time
_ON_DRIVER = 1 << 26
_TOGETHER = 1 << 28
_SCHEMA = "place int, size long, partial binary"
_LENGTH_OF = "length of "


def is_spark(data: Any) -> bool:
    """Say whether data are a frame of Spark, also over Spark Connect."""
    return type(data).__module__.startswith("pyspark.sql.") and type(data).__name__ == "DataFrame"


@dataclass(eq=False)
class SparkSource(EngineSource):
    """The rows of a frame of Spark."""

    engine: ClassVar[str] = "Spark"

    @classmethod
    def of(cls, data: Any, columns: SubjectColumns) -> SparkSource:
        """Take the columns of a frame; no job runs.

        Raises
        ------
        ColumnNotFoundError
            If one is not there.
        EngineError
            If the frame is a stream.
        """
        _checks.extra("pyarrow", "spark", "evaluating a frame of Spark")
        if data.isStreaming:
            raise EngineError("the frame is a stream, which has no end: write it to files, and evaluate these")
        with in_one_sentence():
            check_columns(columns.every, data.columns)
            return cls(data.select(*_picked(data.schema, columns.every)), columns)

    def _run(self, task: Task[T]) -> Partial[T]:
        from pyspark.cloudpickle import dumps

        payload = dumps(task)  # functions inside functions by value
        with in_one_sentence():
            return reduce(task.merged, _brought(self._partials(payload), payload), Partial())

    def _partials(self, payload: bytes) -> Any:
        return self.frame.mapInArrow(_reading(payload, self.columns.every), _SCHEMA)


def _picked(schema: Any, names: Sequence[str]) -> Iterator[Any]:
    """Return the columns that are read, called 0, 1, ..., since ``mapInArrow`` takes a dot in a name for a field.

    Of a vector of probabilities it is the second element, and the length beside it.
    """
    from pyspark.sql import functions as sql

    for place, name in enumerate(names):
        column = sql.col(f"`{name.replace('`', '``')}`")
        if schema[name].dataType.typeName() != "vectorudt":
            yield column.alias(str(place))
            continue
        from pyspark.ml.functions import vector_to_array

        values = vector_to_array(column)
        yield sql.get(values, sql.lit(1)).alias(str(place))
        yield sql.size(values).alias(f"{_LENGTH_OF}{place}")


def _brought(partials: Any, payload: bytes) -> Iterator[Partial[Any]]:
    """Bring the results of a pass together, in the order of the partitions."""
    from pyspark.sql import functions as sql

    partials = partials.persist()
    try:
        sizes = [size for (size,) in partials.select("size").collect()]
        while len(sizes) > 1 and sum(sizes) > _ON_DRIVER:
            fan = max(2, _TOGETHER // max(sizes))
            to = sql.floor(sql.col("place") / sql.lit(fan)).cast("int")
            apart = partials.select("place", "partial", to.alias("to")).repartition(-(-len(sizes) // fan), "to")
            merged = apart.sortWithinPartitions("place").mapInArrow(_merging(payload), _SCHEMA).persist()
            sizes = [size for (size,) in merged.select("size").collect()]
            partials.unpersist()
            partials = merged
        found = sorted(partials.select("place", "partial").collect())
    finally:
        partials.unpersist()
    yield from (unpacked(partial) for _, partial in found)


# ---- on the workers


def _reading(payload: bytes, columns: Sequence[str]) -> Any:
    """Return what Spark calls with the batches of a partition."""

    def run(batches: Any) -> Any:
        # sent by value, so that a worker without this package, or with another, can say so
        import pickle

        import pyarrow
        from pyspark import TaskContext

        place = TaskContext.get().partitionId()
        try:
            from hitcurve.engines.spark import read

            out = read(payload, place, batches, columns)
        except (ImportError, AttributeError) as error:
            out = pickle.dumps(str(error))
        names = ["place", "size", "partial"]
        arrays = [pyarrow.array([place], "int32"), pyarrow.array([len(out)], "int64"), pyarrow.array([out], "binary")]
        yield pyarrow.RecordBatch.from_arrays(arrays, names)

    return run


def read(payload: bytes, place: int, batches: Iterable[Any], columns: Sequence[str]) -> bytes:
    """Run a pass over a partition."""
    task: Task[Any] = pickle.loads(payload)
    return task.of_partition(place, (_named(batch, columns) for batch in together(batches, _ROWS))).packed()


def _named(batch: Any, columns: Sequence[str]) -> Any:
    """Return a batch whose vectors have two elements, with the names of its columns.

    Raises
    ------
    ScoreError
        If a vector has another length.
    """
    for name in batch.schema.names:
        if name.startswith(_LENGTH_OF):
            odd = {length for length in batch[name].unique().to_pylist() if length not in (None, -1, 2)}
            if odd:
                raise ScoreError(
                    f"score {columns[int(name.removeprefix(_LENGTH_OF))]!r} is a vector of {max(odd)} elements, and "
                    "only of two, as of the probabilities of two classes, the second one is the score"
                )
    return batch.select(list(map(str, range(len(columns))))).rename_columns(list(columns))


def _merging(payload: bytes) -> Any:
    """Return what merges results of neighbours, which Spark hands over in their order."""

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow

        task: Task[Any] = pickle.loads(payload)
        rows = (row for batch in batches for row in zip(*(batch[name] for name in ("to", "partial")), strict=True))
        for place, group in groupby(rows, lambda row: row[0].as_py()):
            out = reduce(task.merged, (unpacked(partial.as_py()) for _, partial in group)).packed()
            arrays = [pyarrow.array([place], "int32"), pyarrow.array([len(out)], "int64")]
            arrays.append(pyarrow.array([out], "binary"))
            yield pyarrow.RecordBatch.from_arrays(arrays, ["place", "size", "partial"])

    return run


def unpacked(partial: bytes) -> Partial[Any]:
    """Return a result; a worker that cannot read what it was sent returns why, as text."""
    found: Partial[Any] | str = pickle.loads(partial)
    if not isinstance(found, str):
        return found
    return Partial(refusal=EngineError(f"a worker cannot run the pass ({found}): {THERE}"))
