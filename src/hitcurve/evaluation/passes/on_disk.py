"""Scores of long lists sorted on disk: written in slices of similar numbers of positives, each counted by itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from hitcurve._folders import new_folder, told_of_place
from hitcurve._progress import counted
from hitcurve.cells import Grid, tallied
from hitcurve.counts import AnyArray
from hitcurve.sources import Block, Source
from hitcurve.sums import Sums
from hitcurve.table import HitTable

_CHUNK = 1 << 20  # scores read at a time
_sorted_there = partial(
    told_of_place, "scores cannot be sorted", "TMPDIR names another place, bins= (--bins) needs none"
)


class SortedScores:
    """One ranker, in slices from the highest scores down; see :class:`hitcurve.inference.estimation.in_slices.Slices`.

    Parameters
    ----------
    folder : Path
        Empty, for the files of this ranker.
    ends : array (S,)
        The lower end of each slice, ascending: scores of positives, the lowest among them.
    """

    def __init__(self, folder: Path, ends: AnyArray) -> None:
        self._folder, self._ends, self._lock = folder, ends, threading.Lock()
        self.pos, self.neg = np.zeros((2, ends.size), np.int64)
        self.tied = (0, 0)
        folder.mkdir()

    def put(self, scores: AnyArray, positive: AnyArray) -> None:
        """Write scores into the files of their slices."""
        for side, chosen in (("pos", positive), ("neg", ~positive)):
            own = scores.compress(chosen)
            # what is below all ends is of the last slice
            place = self._ends.size - np.maximum(np.searchsorted(self._ends, own, "right"), 1)
            order = np.argsort(place, kind="stable")
            own, place = own[order], place[order]
            bounds = np.searchsorted(place, np.arange(self._ends.size + 1))
            with self._lock:
                for one in np.flatnonzero(np.diff(bounds)):
                    with self._file(int(one), side).open("ab") as out:
                        out.write(own[bounds[one] : bounds[one + 1]].tobytes())

    def count(self, place: int) -> None:
        """Count the scores of a slice into its rows."""
        grid, times = self._positives(place)
        ascending = Grid(grid)
        neg = np.zeros(ascending.rows, np.int64)
        for part in self._read(place, "neg"):
            neg += ascending.count(part, own=True)
        pos = np.zeros(ascending.rows, np.int64)
        pos[1::2] = times[::-1]
        rows = np.stack([pos, neg])
        if place < self.pos.size - 1:  # nothing is below the lowest score of a slice
            rows = rows[:, :-1]
        self.pos[place], self.neg[place] = rows.sum(axis=-1)
        sums = Sums(*rows)
        mixed, several = sums.mixed, rows[0] > 1
        self.tied = (self.tied[0] + int(rows[:, mixed].sum()), self.tied[1] + int(rows[0, several].sum()))
        for side in ("pos", "neg"):
            self._file(place, side).unlink(missing_ok=True)
        np.save(self._folder / f"rows-{place}.npy", rows)
        np.save(self._folder / f"scores-{place}.npy", grid[::-1] + grid.dtype.type(0))

    def _positives(self, place: int) -> tuple[AnyArray, AnyArray]:
        """Return the distinct scores of the positives of a slice, ascending, and how often each occurs."""
        grid, times = self._ends[:0], np.zeros(0, np.int64)
        for part in self._read(place, "pos"):
            own, often = tallied(part, own=True)
            grid, where = np.unique(np.concatenate([grid, own]), return_inverse=True)
            together = np.zeros(grid.size, np.int64)
            np.add.at(together, where, np.concatenate([times, often]))
            times = together
        return grid, times

    def _read(self, place: int, side: str) -> Iterator[AnyArray]:
        path, start = self._file(place, side), 0
        size = path.stat().st_size // self._ends.itemsize if path.exists() else 0
        for start in range(0, size, _CHUNK):
            yield np.fromfile(path, self._ends.dtype, min(_CHUNK, size - start), offset=start * self._ends.itemsize)

    def _file(self, place: int, side: str) -> Path:
        return self._folder / f"{side}-{place}"

    def rows(self, place: int) -> Sums:
        """Return the rows of a slice: a gap and a score of a positive in turn, and the last gap of the list."""
        return Sums(*np.load(self._folder / f"rows-{place}.npy"))

    def scores(self, place: int) -> AnyArray:
        """Return the scores of the positives of a slice, descending."""
        return np.asarray(np.load(self._folder / f"scores-{place}.npy"))


def ends_of_slices(binned: HitTable, most: int) -> AnyArray:
    """Return the lower ends of slices of a list that was counted in bins, ascending.

    Parameters
    ----------
    binned : HitTable
        Collapsed: a row for each bin.
    most : int
        Positives of a slice, unless one bin holds more.
    """
    assert binned.grid is not None
    reached = np.cumsum(binned.pos[1::2])
    begun, last = 0, []
    for place, total in enumerate(reached.tolist()):
        following = reached[place + 1] if place + 1 < reached.size else np.inf
        if following - begun > most:
            last.append(place)
            begun = total
    return np.ascontiguousarray(binned.grid[last][::-1])


@contextmanager
def sorted_on_disk(source: Source, binned: Mapping[str, HitTable], most: int) -> Iterator[dict[str, SortedScores]]:
    """Yield the scores of some rankers sorted in slices; their files are removed behind.

    Parameters
    ----------
    source : Source
        Without weights.
    binned : mapping of str to HitTable
        The rankers, counted in bins.
    most : int
        Positives of a slice.

    Raises
    ------
    UnreadableFileError
        If there is no space for them.
    """
    folder = new_folder()
    try:
        with _sorted_there():
            found = {
                name: SortedScores(folder.path / str(place), ends_of_slices(table, most))
                for place, (name, table) in enumerate(binned.items())
            }

        def put(block: Block) -> None:
            with _sorted_there():
                for name, own in found.items():
                    own.put(block.scores[name], block.positive)

        source.reduce(put, lambda *_: None)
        with _sorted_there():
            for own, place in counted([(one, i) for one in found.values() for i in range(one.pos.size)], "slices"):
                own.count(place)
        yield found
    finally:
        folder.remove()


def bytes_needed(tables: Mapping[str, HitTable]) -> int:
    """Return how much space the files of some rankers take at most: all scores, and the rows of their positives."""
    kinds: dict[str, Any] = {
        name: table.grid.dtype.itemsize for name, table in tables.items() if table.grid is not None
    }
    return sum(int(size * tables[name].n + (32 + size) * tables[name].n_pos) for name, size in kinds.items())
