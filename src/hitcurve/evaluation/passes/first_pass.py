"""The first pass over any source: the scores of the positives of every list, and the numbers of rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from hitcurve._threads import keep_memory
from hitcurve.counts import AnyArray
from hitcurve.grids import GridStack
from hitcurve.piles import Pile, piling, whole
from hitcurve.ragged import Places
from hitcurve.sources import Block, ReadOnce, Source, Tally, check_labels, refusing
from hitcurve.sums import LONG


class Seen(NamedTuple):
    """Result of the first pass: scores of the positives of each ranker, sizes of the lists, and counts of rows.

    Attributes
    ----------
    names : tuple of str
        The lists: the groups that were met, or one without a name.
    grids : mapping of str to GridStack
        Of each ranker.
    n_pos, n_neg : array of int (L,)
        Positives and negatives of each list.
    with_pos, with_neg : array of bool (L,)
        Whether a list has any whose weight is above 0.
    tally : Tally
    clustered : bool
    fitted : bool
        Whether weights were estimated.
    beyond : frozenset of str
        Rankers whose positives have more distinct scores than are counted, and no grid.
    """

    names: tuple[str, ...]
    grids: Mapping[str, GridStack]
    n_pos: Places
    n_neg: Places
    with_pos: AnyArray
    with_neg: AnyArray
    tally: Tally
    clustered: bool
    fitted: bool = False
    beyond: frozenset[str] = frozenset()

    @classmethod
    def of(cls, block: Block, *, grouped: bool) -> Seen:
        """Look through a block."""
        if block.positive.size >= LONG:
            keep_memory()
        names, code = block.lists if grouped else (("",), None)
        own = None
        if code is None:
            n_pos = np.array([block.n_pos])
            n_neg = block.positive.size - n_pos
        else:
            own = code.compress(block.positive)
            n_pos = np.bincount(own, minlength=len(names))
            n_neg = np.bincount(code, minlength=len(names)) - n_pos
        grids = {name: GridStack.of(own, block.positive_scores(name), len(names)) for name in block.scores}
        special = (block.cluster is not None, block.explains is not None)
        with_pos, with_neg = n_pos > 0, n_neg > 0
        if code is not None and block.weight is not None:
            weighs = block.weight > 0
            with_pos, with_neg = (
                np.bincount(code.compress(weighs & side), minlength=len(names)) > 0
                for side in (block.positive, ~block.positive)
            )
        return cls(names, grids, n_pos, n_neg, with_pos, with_neg, block.tally, *special)

    def merged(self, other: Seen) -> Seen:
        """Merge with the result of other blocks."""
        place = {name: i for i, name in enumerate(self.names)}
        own = np.arange(len(place))
        # most names are those of groups that were met: one look at each
        others = np.fromiter((place.setdefault(name, len(place)) for name in other.names), np.intp, len(other.names))
        names = tuple(place)
        grids = {name: grid.merged(other.grids[name], own, others, len(names)) for name, grid in self.grids.items()}
        n_pos, n_neg = np.zeros((2, len(names)), np.intp)
        with_pos, with_neg = np.zeros((2, len(names)), bool)
        for side, where in ((self, own), (other, others)):
            n_pos[where] += side.n_pos
            n_neg[where] += side.n_neg
            with_pos[where] |= side.with_pos
            with_neg[where] |= side.with_neg
        beyond = self.beyond | other.beyond
        sizes = (n_pos, n_neg, with_pos, with_neg)
        return Seen(names, grids, *sizes, self.tally + other.tally, self.clustered, self.fitted, beyond)

    def up_to(self, most: int | None) -> Seen:
        """Keep no grid of a ranker whose positives have more distinct scores than this."""
        if most is None:
            return self
        more = {name for name, grid in self.grids.items() if name in self.beyond or grid.scores.size > most}
        grids = {name: grid.without_scores() if name in more else grid for name, grid in self.grids.items()}
        return self._replace(grids=grids, beyond=frozenset(more))

    def at(self, lists: Places) -> Seen:
        """Return the lists at some places, in this order."""
        if np.array_equal(lists, np.arange(len(self.names))):
            return self
        names = tuple(map(self.names.__getitem__, lists.tolist()))
        grids = {name: grid.taken(lists) for name, grid in self.grids.items()}
        columns = {name: getattr(self, name)[lists] for name in ("n_pos", "n_neg", "with_pos", "with_neg")}
        return self._replace(names=names, grids=grids, **columns)


def look_through(source: Source, pos_label: Any, *, grouped: bool, most: int | None = None) -> Seen:
    """Make the first pass; of a `ReadOnce`, the second one need not read again.

    Rankers whose positives have more distinct scores than ``most`` are named, and have no grid. Without groups
    positives may be read alone: numbers of rows are then theirs, and the second pass counts all.
    """

    def merged(left: Seen, right: Seen) -> Seen:
        return left.merged(right).up_to(most)

    combine = piling(merged, lambda seen: seen.n_pos.sum())

    def of_block(block: Block) -> Pile[Seen]:
        return (Seen.of(block, grouped=grouped).up_to(most),)

    if isinstance(source, ReadOnce) and not grouped:
        alone = source.reduce_positives(of_block, combine)
        if alone is not None and (seen := whole(alone, merged)).n_pos.any():
            return seen
    seen = whole(source.reduce(of_block, combine), merged)
    check_tally(seen.tally, pos_label, source)
    return seen


def check_tally(tally: Tally, pos_label: Any, source: Source) -> None:
    """Refuse rows that are nobody, or that are not of two classes."""
    tally.check_anybody()
    tally.check_unlabelled()
    with refusing(source):
        check_labels(tally.vocabulary, pos_label)
