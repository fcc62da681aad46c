"""Some of the subjects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve._callers import warn
from hitcurve.counts import AnyArray
from hitcurve.errors import MissingValueWarning
from hitcurve.screens.columns import Block, Columns, DenseBlock, Places, SparseBlock
from hitcurve.sources import columns as source_columns


@dataclass(frozen=True, eq=False)
class SomeRows:
    """Columns of some of the subjects.

    Attributes
    ----------
    every : Columns
    kept : array of bool (n,)
    """

    every: Columns
    kept: AnyArray

    @property
    def rows(self) -> int:
        """Number of subjects."""
        return int(self.kept.sum())

    @property
    def names(self) -> Sequence[str]:
        """Name of each column."""
        return self.every.names

    @property
    def unreadable(self) -> Mapping[str, str]:
        """Columns that are no real numbers."""
        return self.every.unreadable

    def blocks(self, numbers: int) -> Iterator[Block]:
        """Yield the columns."""
        return map(self._of, self.every.blocks(numbers))

    def taken(self, places: Places) -> Block:
        """Return a few columns."""
        return self._of(self.every.taken(places))

    def _of(self, block: Block) -> Block:
        if isinstance(block, DenseBlock):
            return DenseBlock(block.places, np.ascontiguousarray(block.values[:, self.kept]))
        return self._of_sparse(block)

    def _of_sparse(self, block: SparseBlock) -> SparseBlock:
        there = self.kept[block.subjects]
        starts = np.concatenate([[0], np.cumsum(there)])[block.starts]
        subjects = (np.cumsum(self.kept) - 1)[block.subjects[there]]
        return replace(block, starts=starts, subjects=subjects, values=block.values[there], n=self.rows)


def with_labels(columns: Columns, y: Any, missing: str, **beside: Any) -> tuple[Columns, Any, dict[str, Any]]:
    """Return what is given without the subjects that have no label, where rows may be dropped.

    Parameters
    ----------
    columns : Columns
    y : array-like (n,)
    missing : str
    **beside : array-like (n,) or None
        Such as ``clusters``.

    Raises
    ------
    LengthMismatchError
        If one of them has another length.
    """
    found = source_columns.labels("y", y) if missing == "drop" else None
    if found is None or found.gone is None or found.values.size != columns.rows or found.gone.all():
        return columns, y, beside
    kept = ~found.gone
    gone = int(found.gone.sum())
    warn(
        MissingValueWarning(
            f"{gone:,} of {kept.size:,} subjects {'has' if gone == 1 else 'have'} no label and "
            f"{'is' if gone == 1 else 'are'} left out"
        )
    )
    others = {name: None if given is None else _kept(name, given, kept) for name, given in beside.items()}
    return SomeRows(columns, kept), found.values[kept], others


def _kept(name: str, given: Any, kept: AnyArray) -> AnyArray:
    """Return some values of a column, masked where they are missing."""
    column = source_columns.vector(name, given)
    _checks.rows_of_x(name, column.values.size, kept.size)
    column = column.kept(kept)
    return column.values if column.gone is None else np.ma.MaskedArray(column.values, column.gone)
