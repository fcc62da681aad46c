"""Distinct rows with the number of times that each occurs: a block, repeated piece by piece."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from hitcurve.errors import MissingValueError, WeightError
from hitcurve.sources import columns
from hitcurve.sources.block import Block, OfBlock, Reading, missing_error
from hitcurve.sources.tally import Tally

T = TypeVar("T")
_ROWS = 1 << 18  # subjects of a block

Times = npt.NDArray[np.int64]


@dataclass(frozen=True)
class RepeatedSource(OfBlock):
    """A source whose distinct rows are in memory.

    Attributes
    ----------
    block : Block
        Each distinct row once; its tally is of all rows.
    times : array of int (n,)
        How many subjects have each row.
    notes : tuple of str
        What happened on the way from the columns to the subjects, in words.
    """

    times: Times
    notes: tuple[str, ...] = ()

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Apply ``map`` to blocks of all subjects, equal ones side by side."""
        return reduce(combine, (map(block) for block in self._blocks()))

    def _blocks(self) -> Iterator[Block]:
        ends, tally = np.cumsum(self.times), self.block.tally
        for start in range(0, int(ends[-1]), _ROWS):
            stop = min(start + _ROWS, int(ends[-1]))
            first, last = np.searchsorted(ends, [start, stop - 1], "right")
            inside = np.minimum(ends[first : last + 1], stop)
            place = np.repeat(np.arange(first, last + 1), np.diff(inside, prepend=start))
            yield self._taken(place, tally)
            # what was read was told with the first block
            tally = Tally(0, 0, dict.fromkeys(tally.ranked_last, 0), tally.vocabulary)

    def _taken(self, place: npt.NDArray[np.intp], tally: Tally) -> Block:
        of = self.block
        return replace(
            of,
            positive=of.positive[place],
            scores={name: values[place] for name, values in of.scores.items()},
            weight=None if of.weight is None else of.weight[place],
            tally=tally,
            cluster=None if of.cluster is None else of.cluster.taken(place),
            group=None if of.group is None else of.group.taken(place),
            kept=None,
        )


def repeated(
    reading: Reading,
    label: Any,
    scores: Mapping[str, Any],
    times: Times,
    weight: Any = None,
    *,
    cluster: Any = None,
    group: Any = None,
    notes: tuple[str, ...] = (),
) -> RepeatedSource:
    """Make a source of distinct rows.

    Parameters
    ----------
    reading : Reading
    label, scores, weight, cluster, group : array-like (n,)
        Columns of the distinct rows.
    times : array of int (n,)

    Raises
    ------
    InputError
        As :meth:`Reading.block`; missing values are those of all rows.
    """
    reading.check_rankers(tuple(scores))
    gone = {"label": columns.labels("y_true", label).gone}
    gone |= {f"score {name!r}": columns.scores(name, values).gone for name, values in scores.items()}
    missing = {name: 0 if mask is None else int(times[mask].sum()) for name, mask in gone.items()}
    try:
        block = reading.block(label, scores, weight, cluster=cluster, group=group, whole=True)
    except MissingValueError:
        without = [name for name, count in missing.items() if count and not (name == "label" and reading.unlabelled)]
        if not without:
            raise
        raise missing_error(without[0], missing[without[0]], int(times.sum())) from None
    except WeightError as error:  # the place of a distinct row says nothing
        raise WeightError(re.sub(r" in row \d+", "", str(error))) from None
    kept = times if block.kept is None else times[block.kept]
    last = {name: missing[f"score {name!r}"] if reading.missing == "last" else 0 for name in scores}
    rows = int(times.sum())
    without_label = missing["label"]
    tally = replace(
        block.tally,
        rows=rows,
        dropped=rows - int(kept.sum()),
        ranked_last=last,
        unlabelled=0 if reading.unlabelled else without_label,
        filled=without_label if reading.unlabelled else 0,
    )
    tally.check_anybody()
    return RepeatedSource(replace(block, tally=tally, kept=None), kept, notes)
