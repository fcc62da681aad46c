"""Dask: a task for each partition, and a tree that merges neighbours.

What all tasks of a pass share, such as the grids of its scores, is one value of the graph, which each worker has once.
"""

from __future__ import annotations

import pickle
import uuid
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import reduce
from typing import Any, ClassVar, TypeVar

import numpy as np

from hitcurve import _checks
from hitcurve.engines.partial import Partial, Task, in_one_sentence, in_words
from hitcurve.engines.source import EngineSource
from hitcurve.engines.subjects import SubjectColumns
from hitcurve.errors import InputError, LengthMismatchError
from hitcurve.sources.block import Reading
from hitcurve.sources.frames import check_columns

T = TypeVar("T")
_FAN = 8  # neighbours that are merged at once
# columns of arrays beside the scores, by names that no ranker has
_BESIDE = {name: f"\0{name}" for name in ("y_true", "sample_weight", "clusters", "groups")}


def is_dask(data: Any) -> bool:
    """Say whether data are a frame, a series or an array of Dask."""
    return type(data).__module__.partition(".")[0] == "dask" and hasattr(data, "__dask_graph__")


@dataclass(eq=False)
class DaskSource(EngineSource):
    """The rows of a frame of Dask, or of arrays side by side.

    Attributes
    ----------
    frame : dask.dataframe.DataFrame, or mapping of str to dask.array.Array or dask.dataframe.Series
    """

    engine: ClassVar[str] = "Dask"

    @classmethod
    def of(cls, data: Any, columns: SubjectColumns) -> DaskSource:
        """Take the columns of a frame; nothing is computed.

        Raises
        ------
        ColumnNotFoundError, InputError
            If a column is not there, or data are no frame.
        """
        if not hasattr(data, "columns"):
            kind = type(data).__name__
            raise InputError(f"data must be a frame of Dask, got {kind}: pass arrays and series as y_true and y_score")
        named = {str(name): name for name in data.columns}  # names may be numbers
        check_columns(columns.every, list(named))
        picked = data[[named[name] for name in columns.every]]
        return cls(picked.rename(columns={name: str(name) for name in picked.columns}), columns)

    @classmethod
    def of_arrays(cls, beside: Mapping[str, Any], scores: Mapping[str, Any], reading: Reading) -> DaskSource:
        """Take arrays and series side by side; nothing is computed.

        Parameters
        ----------
        beside : mapping of str to array-like or None
            ``y_true``, ``sample_weight``, ``clusters`` and ``groups``.
        scores : mapping of str to array-like
        reading : Reading

        Raises
        ------
        InputError
            If one has not one dimension, or chunks do not fit together.
        """
        given = {_BESIDE[name]: values for name, values in beside.items() if values is not None}
        others = [_BESIDE[name] if _BESIDE[name] in given else None for name in list(_BESIDE)[1:]]
        columns = SubjectColumns(_BESIDE["y_true"], tuple(scores), reading, *others)
        return cls(_side_by_side({**given, **scores}), columns)

    def _run(self, task: Task[T]) -> Partial[T]:
        dask = _checks.extra("dask", "dask", "evaluating data of Dask")
        delayed = dask.delayed
        # a name of its own: hashing all that a pass takes along would cost more than sending it
        shared = delayed(task, name=f"hitcurve-pass-{uuid.uuid4()}", traverse=False)
        of_partition, merged = delayed(_of_partition, pure=False), delayed(_merged, pure=False)
        with _in_one_sentence():
            level = [of_partition(shared, place, rows) for place, rows in enumerate(self._partitions())]
            while len(level) > _FAN:
                level = [merged(shared, level[start : start + _FAN]) for start in range(0, len(level), _FAN)]
            (found,) = dask.compute(delayed(_packed, pure=False)(shared, level))
        whole: Partial[T] = pickle.loads(found)
        return whole

    def _partitions(self) -> list[Any]:
        """Return what stands for the rows of each partition."""
        if not isinstance(self.frame, dict):
            return list(self.frame.to_delayed())
        blocks = {name: np.ravel(values.to_delayed()).tolist() for name, values in self.frame.items()}
        return [dict(zip(blocks, place, strict=True)) for place in zip(*blocks.values(), strict=True)]


# ---- on the workers


class Rows(dict[str, Any]):
    """Blocks of arrays side by side; ``len`` is the number of their rows."""

    def __len__(self) -> int:
        """Return the length of the longest, so that no row is passed over."""
        return max(len(block) for block in self.values())


def _of_partition(task: Task[T], place: int, rows: Any) -> Partial[T]:
    return task.of_partition(place, _frames(rows))


def _frames(rows: Any) -> Iterator[Any]:
    """Yield the rows of a partition.

    Raises
    ------
    InputError
        If they come from series whose subjects have other names.
    """
    if not isinstance(rows, dict):
        yield rows
        return
    indexes = [block.index for block in rows.values() if hasattr(block, "iloc")]
    if any(not index.equals(indexes[0]) for index in indexes[1:]):
        raise InputError("series of Dask have different indexes: make them columns of one frame, and pass it as data")
    yield Rows(rows)


def _merged(task: Task[T], partials: list[Partial[T]]) -> Partial[T]:
    return reduce(task.merged, partials, Partial())


def _packed(task: Task[T], partials: list[Partial[T]]) -> bytes:
    return _merged(task, partials).packed()


# ---- on the driver


def _side_by_side(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return arrays and series of Dask with the same chunks."""
    array = _checks.extra("dask.array", "dask", "evaluating arrays of Dask")
    shown = {name: name.strip("\0") if name in _BESIDE.values() else f"score {name!r}" for name in given}
    for name, values in given.items():
        if is_dask(values) and values.ndim != 1:
            advice = ": pass column 1 of predict_proba, scores[:, 1]" if values.ndim == 2 else ""
            if hasattr(values, "columns"):
                advice = ": pass the frame as data, and the names of its columns"
            raise InputError(f"{shown[name]} of Dask has {values.ndim} dimensions instead of 1{advice}")
    first = next(name for name, values in given.items() if is_dask(values))
    apart = {name: len(values) for name, values in given.items() if not is_dask(values)}
    known = all(map(_has_sizes, (values for values in given.values() if is_dask(values))))
    if not known:
        chunks = {name: given[name].npartitions for name in given if name not in apart}
        odd = next((name for name, count in chunks.items() if count != chunks[first]), next(iter(apart), None))
        if odd is not None:
            has = f"has {chunks[odd]} chunks" if odd in chunks else "is in memory"
            raise InputError(
                f"{shown[odd]} {has} and {shown[first]} has {chunks[first]} of unknown sizes: call its "
                "compute_chunk_sizes(), or make all of them columns of one frame"
            )
        return dict(given)
    rows = {name: apart[name] if name in apart else values.shape[0] for name, values in given.items()}
    odd = next((name for name, count in rows.items() if count != rows[first]), None)
    if odd is not None:
        raise LengthMismatchError(
            f"{shown[first]} has {rows[first]:,} values and {shown[odd]} has {rows[odd]:,}: give one for each subject"
        )
    chunks = given[first].chunks
    return {
        name: array.from_array(np.asanyarray(values), chunks) if name in apart else values.rechunk(chunks)
        for name, values in given.items()
    }


def _has_sizes(values: Any) -> bool:
    return hasattr(values, "chunks") and not np.isnan(values.chunks[0]).any()


@contextmanager
def _in_one_sentence() -> Iterator[None]:
    """Raise what fails in Dask as an `EngineError`."""
    with in_one_sentence(_sentence), warnings.catch_warnings():
        # what all tasks share is sent once, and has to be
        warnings.filterwarnings("ignore", message="Sending large graph")
        yield


def _sentence(error: Exception) -> str:
    text = in_words(error)
    if type(error).__name__ == "KilledWorker":
        return (
            "Dask failed: workers died one after another while they ran the same partition, mostly for lack of memory: "
            "make partitions smaller (repartition), or give workers more memory"
        )
    # the first words are of later versions, the others of Dask 2025.1
    gone = ("Missing dependency", "Found no accessible jobs in dask")
    if any(words in text for words in gone) or type(error).__name__ == "FutureCancelledError":
        return (
            "Dask failed: partitions that were persisted are gone, with the client that held them or with its workers: "
            "make and persist the frame again, and evaluate it while the client is open"
        )
    if "No module named 'hitcurve" in text:
        return "Dask cannot run the pass: the workers lack hitcurve: install hitcurve[dask] there"
    return f"Dask failed: {text[:300]}"
