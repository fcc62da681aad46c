"""The same markers and outcome in each of several groups of subjects, such as sites or batches: one screen for each."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import _checks, rows
from hitcurve.screens.columns import Block, Columns, DenseBlock, Places, SparseBlock, columns_of
from hitcurve.screens.given import in_one_order, picked, with_labels
from hitcurve.screens.given.parts import Given
from hitcurve.screens.one_vs_rest import GroupScreens, Said
from hitcurve.sources import columns as source_columns
from hitcurve.sources import labels
from hitcurve.sources.block import missing_error


@dataclass(frozen=True)
class SomeRows:
    """Markers of some of the subjects.

    Attributes
    ----------
    whole : Columns
    chosen : array of int (n,)
        The subjects, ascending.
    """

    whole: Columns
    chosen: Places

    @property
    def rows(self) -> int:
        """Number of subjects."""
        return int(self.chosen.size)

    @property
    def names(self) -> Sequence[str]:
        """Name of each column."""
        return self.whole.names

    @property
    def unreadable(self) -> Mapping[str, str]:
        """Columns that are no real numbers."""
        return self.whole.unreadable

    def blocks(self, numbers: int) -> Iterator[Block]:
        """Yield all columns."""
        for block in self.whole.blocks(numbers * self.whole.rows // self.rows):
            yield self._of(block)

    def taken(self, places: Places) -> Block:
        """Return a few columns."""
        return self._of(self.whole.taken(places))

    def _of(self, block: Block) -> Block:
        if isinstance(block, DenseBlock):
            return DenseBlock(block.places, np.ascontiguousarray(block.values[:, self.chosen]))
        place = np.full(block.n, -1)
        place[self.chosen] = np.arange(self.rows)
        subjects = place[block.subjects]
        held = subjects >= 0
        starts = np.concatenate([[0], np.cumsum(held)])[block.starts]
        return SparseBlock(block.places, starts, subjects[held], block.values[held], self.rows)


@dataclass(frozen=True, eq=False, repr=False)
class ScreensByGroup(GroupScreens):
    """The same markers and outcome in each group, by :func:`hitcurve.screen` with ``by=``.

    Attributes
    ----------
    by : str
        What the groups are, the name of their column; empty if they have none.
    """

    by: str = ""

    def heading(self) -> list[str]:
        """Return a description of the data."""
        sizes = [
            f"{group} {rows.count(one.subjects.n)} ({rows.count(one.subjects.sizes[0])})" for group, one in self.items()
        ]
        return [
            f"{self._counted()} in each of {len(self)} groups{f' by {self.by}' if self.by else ''}",
            f"subjects (positives): {', '.join(sizes)}",
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return all numbers as plain lists and dictionaries."""
        return {"by": self.by, **super().to_dict()}

    def _json(self, depth: int) -> Iterator[str]:
        margin = "\n" + " " * (depth + 1)
        yield f'{{{margin}"by": {json.dumps(self.by, ensure_ascii=False)},'
        pieces = super()._json(depth)
        yield next(pieces)[1:]
        yield from pieces


def screen_by_group(
    given: Given, named: str, *, markers: Any, names: Any, pos_label: Any, **options: Any
) -> ScreensByGroup:
    """Screen each group by itself; see :func:`hitcurve.screen`.

    Parameters
    ----------
    given : Given
    named : str
        What the groups are.
    markers, names, pos_label, **options
        As there.

    Raises
    ------
    SingleClassError
        If a group has one class only.
    """
    from hitcurve.screens.api import screen

    parts = in_one_order(given.X, given.index, y=given.y, clusters=given.clusters, by=given.by)
    whole = picked(columns_of(parts["X"], given.names if names is None else names), markers)
    whole, y, beside = with_labels(whole, parts["y"], options["missing"], clusters=parts["clusters"], by=parts["by"])
    groups, label = source_columns.names("groups", beside["by"]), source_columns.labels("y", y)
    of_subject = None if beside["clusters"] is None else source_columns.names("clusters", beside["clusters"])
    for what, own in (("by", groups), ("y", label.values), ("clusters", of_subject)):
        if own is not None:
            _checks.rows_of_x(what, own.size, whole.rows)
    if label.gone is not None:
        raise missing_error("label", int(label.gone.sum()), whole.rows)
    positive, _ = labels.encode(label.values, pos_label)
    found, codes = np.unique(np.array([str(one) for one in groups.tolist()]), return_inverse=True)
    screens, said = {}, Said()
    for code, group in enumerate(found.tolist()):
        chosen = np.flatnonzero(codes == code)
        clusters = None if of_subject is None else of_subject[chosen]
        with said.of(group):
            _checks.both_classes(int(positive[chosen].sum()), int((~positive[chosen]).sum()))
            screens[group] = screen(SomeRows(whole, chosen), positive[chosen], clusters=clusters, **options)
    said.tell()
    return ScreensByGroup(screens, named)
