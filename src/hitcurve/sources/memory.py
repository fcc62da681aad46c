"""Data in memory: one block."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar
from zlib import crc32

import numpy as np
import numpy.typing as npt

from hitcurve.errors import InputError
from hitcurve.sources.alignment import aligned, put_in_order, tell_of_order
from hitcurve.sources.apart import check_hands_out, origin
from hitcurve.sources.block import Block, OfBlock, Reading, Source
from hitcurve.sources.codes import GroupCodes
from hitcurve.sources.columns import common_weight
from hitcurve.sources.frames import pick_columns

T = TypeVar("T")
_LOOKED_AT = 512  # rows of each column of which it is seen whether somebody changed them


class DataColumns:
    """The data frame of an evaluation, for columns that are asked for later; not a part of what is pickled."""

    def __init__(self, data: Any = None, index: Any = None) -> None:
        self._data = data
        self._index = getattr(data, "index", index) if data is not None else index

    def aligned(self, what: str, column: Any) -> Any:
        """Return a column in the order of the rows, if its index and that of the labels tell the order.

        Raises
        ------
        InputError
            If the indexes name different subjects.

        Warns
        -----
        AlignmentWarning
            If the order was changed.
        """
        if not hasattr(self._index, "to_series"):
            return column
        return put_in_order({"labels": self._index.to_series(), what: column})[what]

    def __getitem__(self, name: Any) -> Any:
        """Return a column.

        Raises
        ------
        ColumnNotFoundError
            If it is not there.
        """
        return pick_columns(self._data, [name])[name]

    def __bool__(self) -> bool:
        """Say whether the frame is still there."""
        return self._data is not None

    def __reduce__(self) -> tuple[type[DataColumns], tuple[()]]:
        """Leave the frame behind."""
        return type(self), ()


@dataclass(frozen=True)
class MemorySource(OfBlock):
    """A source whose block is in memory.

    Attributes
    ----------
    block : Block
    notes : tuple of str
        What happened on the way from the columns to the subjects, in words.
    columns : DataColumns
        Of the frame that was given.
    """

    notes: tuple[str, ...] = ()
    columns: DataColumns = field(default_factory=DataColumns, repr=False, compare=False)
    _marks: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

    def told(self) -> Block:
        """Warn of what happened on the way; return the block."""
        tell_of_order(self.notes)
        return self.block

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Apply ``map`` to the block.

        Raises
        ------
        InputError
            If columns, which are not copied, were changed in place since they were read: numbers of two passes would
            not agree. Some rows of each are looked at.
        """
        changed = [name for name, mark in _marks_of(self.block).items() if self._marks.setdefault(name, mark) != mark]
        if changed:
            raise InputError(
                f"{' and '.join(changed)} changed in place since they were read, so other numbers are of other "
                "subjects: evaluate again, or give copies"
            )
        return map(self.block)


def _marks_of(block: Block) -> dict[str, int]:
    """Return a checksum of some rows of each column."""
    every = slice(None, None, max(1, block.positive.size // _LOOKED_AT))
    columns = {"the labels": block.positive, **{f"the scores of {name!r}": s for name, s in block.scores.items()}}
    if block.weight is not None:
        columns["the weights"] = block.weight
    return {name: crc32(values[every].tobytes()) for name, values in columns.items()}


def arrays(
    y_true: Any,
    scores: Mapping[str, Any],
    *,
    pos_label: Any = None,
    weight: Any = None,
    cluster: Any = None,
    group: Any = None,
    higher_is_better: bool | Mapping[str, bool] = True,
    missing: str = "raise",
    unlabelled: bool = False,
) -> MemorySource:
    """Make a source of arrays; columns whose subjects have names are put in one order.

    Raises
    ------
    InputError
        One of its kinds.
    """
    reading = Reading(pos_label, higher_is_better, missing, unlabelled)
    reading.check_rankers(tuple(scores))
    beside = {"y_true": y_true, "sample_weight": weight, "clusters": cluster, "groups": group}
    found, notes = aligned({**beside, **{f"score {name!r}": values for name, values in scores.items()}})
    block = reading.block(
        found["y_true"],
        {name: found[f"score {name!r}"] for name in scores},
        found["sample_weight"],
        cluster=found["clusters"],
        group=found["groups"],
        whole=True,
    )
    block.tally.check_anybody()
    index = next((getattr(column, "index", None) for column in found.values() if hasattr(column, "iloc")), None)
    return MemorySource(block, notes, DataColumns(index=index))


def with_columns(source: Any, data: Any) -> Any:
    """Return a source that knows the frame its columns came from."""
    if isinstance(source, MemorySource):
        return replace(source, columns=DataColumns(data))
    return replace(source, whole=with_columns(source.whole, data)) if hasattr(source, "whole") else source


def columns_of(source: Any) -> DataColumns:
    """Return the columns of the frame that a source came from."""
    found = origin(source)
    return found.columns if isinstance(found, MemorySource) else DataColumns()


def is_in_memory(source: Source) -> bool:
    """Say whether the subjects of a source are in memory already."""
    return isinstance(origin(source), MemorySource)


def has_weights(source: Source) -> bool:
    """Say whether weights were given to the subjects of a source; weights of 1 in memory are none."""
    found = origin(source)
    if isinstance(found, OfBlock):
        return found.block.weight is not None or found.block.unit != 1
    return getattr(getattr(found, "columns", found), "weight", None) is not None


def in_memory(source: Source, what: str) -> Block:
    """Return the subjects of a source as one block, which is needed for ``what``.

    Raises
    ------
    ParameterError
        If they are in an engine.
    """
    check_hands_out(source, what)
    return source.reduce(lambda block: block, _joined)


def _joined(a: Block, b: Block) -> Block:
    """Return the subjects of two blocks as one."""
    weight = None
    if not (a.weight is None and b.weight is None and a.unit == b.unit):
        weight = np.concatenate([_weights(a), _weights(b)])
    unit = common_weight(weight)
    groups = None
    if a.group is not None and b.group is not None:
        names = np.array([*a.lists[0], *b.lists[0]], object)
        groups = GroupCodes.of(names[np.concatenate([a.lists[1], b.lists[1] + len(a.lists[0])])])
    together = None if a.cluster is None or b.cluster is None else GroupCodes.joined([a.cluster, b.cluster])
    return Block(
        np.concatenate([a.positive, b.positive]),
        {name: np.concatenate([scores, b.scores[name]]) for name, scores in a.scores.items()},
        weight if unit is None else None,
        a.tally + b.tally,
        a.reading,
        together,
        groups,
        unit or a.unit,
        None if a.explains is None or b.explains is None else np.concatenate([a.explains, b.explains]),
        None if a.kept is None and b.kept is None else np.concatenate([_kept(a), _kept(b)]),
    )


def _kept(block: Block) -> npt.NDArray[Any]:
    return np.ones(block.positive.size, bool) if block.kept is None else block.kept


def _weights(block: Block) -> npt.NDArray[Any]:
    return np.full(block.positive.size, block.unit) if block.weight is None else block.weight
