"""How many scores have a row of their own, and what is done where positives have more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, NamedTuple, Self

from hitcurve import _checks, rows
from hitcurve._threads import keep_little_memory, sharing_memory
from hitcurve.bins import Binned, ends_of_bins
from hitcurve.errors import ParameterError
from hitcurve.sources import Source, is_in_memory

MAX_GRID = 5_000_000
BINS = 100_000  # where they were not asked for
SLICE = 500_000  # positives that are held at a time where scores are sorted on disk
_BYTES_OF_A_BIN, _FEWEST_BINS = 100_000, 1000
_BYTES = 600  # for a distinct score of a positive, of five metrics with intervals
_BYTES_IN_A_TABLE = 250  # without metrics
_OF_PROGRAMS = 270 * 10**6  # bytes of Python and the libraries: 170 to 230 with a file of ten rows
_LEAST_MEMORY = 320 * 10**6
_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}


def bytes_of(given: Any) -> int:
    """Return a number of bytes that is written as 4GB, 500 MiB or 2e9.

    Raises
    ------
    ParameterError
        If it is none, or below 320 MB: Python and the libraries take 270 MB, and reading the rest.

    Examples
    --------
    >>> bytes_of("1.5 GB")
    1500000000
    """
    found = re.fullmatch(r"\s*([0-9.]+(?:e\+?[0-9]+)?)\s*([kmgt]?i?)b?\s*", str(given).lower())
    try:
        number = float(found[1]) * _UNITS[found[2]] if found and not isinstance(given, bool) else 0.0
    except (ValueError, KeyError):
        number = 0.0
    if not _LEAST_MEMORY <= number < 2**62:
        raise ParameterError(
            "memory_limit must be a size of at least 320 MB, of which Python and the libraries take 270, such as "
            f"'4GB', got {given!r}"
        )
    return int(number)


class Limits(NamedTuple):
    """What was asked of the rows of tables.

    Attributes
    ----------
    bins : int or None
        Of every ranker, between quantiles of its positives.
    max_grid : int
        Distinct scores of positives of a ranker that have a row of their own, of data that are read in chunks.
    memory : int or None
        Bytes that the data and their tables may take, beside Python and the libraries.
    """

    bins: int | None = None
    max_grid: int = MAX_GRID
    memory: int | None = None

    @classmethod
    def of(cls, bins: Any, max_grid: Any, memory_limit: Any, *, grouped: bool = False) -> Self:
        """Check what was asked of the tables.

        Raises
        ------
        ParameterError
        """
        given = {"bins": bins, "max_grid": max_grid, "memory_limit": memory_limit}
        named = [name for name, value in given.items() if value is not None]
        if grouped and named:
            raise ParameterError(f"{named[0]} is for rankers of one list, not for groups: leave it out")
        if bins is not None and max_grid is not None:
            raise ParameterError("bins and max_grid cannot be combined: bins are made whatever the number of scores")
        return cls(
            None if bins is None else _checks.whole_number("bins", bins),
            MAX_GRID if max_grid is None else _checks.whole_number("max_grid", max_grid),
            None if memory_limit is None else bytes_of(memory_limit) - _OF_PROGRAMS,
        )

    def most(self, source: Source) -> int | None:
        """Return how many distinct scores of positives of a ranker are counted exactly; None for any number."""
        if self.bins is not None or is_in_memory(source):
            return None
        return self.max_grid if self.memory is None else min(self.max_grid, self._in_memory(source))

    def in_words(self, source: Source) -> str:
        """Return how many distinct scores are counted exactly in memory, and by which limit."""
        most = self.most(source) or 0
        return f"{rows.count(most)} distinct scores ({'max_grid' if most == self.max_grid else 'memory_limit'})"

    def of_a_slice(self) -> int:
        """Return how many positives are held at a time where scores are sorted on disk."""
        return SLICE if self.memory is None else max(min(SLICE, self.memory // 2 // _BYTES), 1)

    def _in_memory(self, source: Source) -> int:
        return int(self.memory or 0) // (_BYTES * len(source.rankers))

    def of_tables(self, source: Source, most: int | None) -> int | None:
        """Return how many distinct scores have a row of their own in a table that is kept; at most ``most``."""
        if self.memory is None or is_in_memory(source):
            return most
        fitting = self.memory // (_BYTES_IN_A_TABLE * len(source.rankers))
        return fitting if most is None else min(most, fitting)

    def bins_beyond(self, most: int) -> int:
        """Return how many bins there are for scores of which ``most`` are counted exactly."""
        if self.memory is None:
            return min(BINS, most)
        # what the search for their ends holds grows with their number
        return min(BINS, most, max(self.memory // _BYTES_OF_A_BIN, _FEWEST_BINS))

    def binned(self, source: Source, beyond: frozenset[str] = frozenset()) -> Binned | None:
        """Return the source with bins that were asked for, or for rankers beyond the limit; None if there are none."""
        if self.bins is not None:
            return Binned(source, ends_of_bins(source, self.bins), asked=self.bins)
        if not beyond:
            return None
        bins = self.bins_beyond(self.most(source) or 0)
        kept = [name for name in source.rankers if name in beyond]
        why = (
            f"positives have more than {self.in_words(source)}, so scores are counted in bins; a larger limit counts "
            f"them exactly, at about {_BYTES} bytes of memory for each distinct score"
        )
        return Binned(source, ends_of_bins(source, bins, kept), why)


def limited(
    source: Source, bins: Any, max_grid: Any, memory_limit: Any, *, grouped: bool = False
) -> tuple[Source, Limits]:
    """Return a source that reads within its share of the memory, and what was asked of its tables.

    Raises
    ------
    ParameterError
    """
    limits = Limits.of(bins, max_grid, memory_limit, grouped=grouped)
    if limits.memory is None:
        return source, limits
    keep_little_memory()
    return _reading_within(source, limits.memory // 2), limits


@contextmanager
def within(memory_limit: Any) -> Iterator[None]:
    """Let files that are opened inside be read within their share of a limit: what they hold is found out there.

    Raises
    ------
    ParameterError
    """
    memory = Limits.of(None, None, memory_limit).memory
    if memory is None:
        yield
        return
    keep_little_memory()
    with sharing_memory(memory // 2):
        yield


def _reading_within(source: Any, memory: int) -> Any:
    if hasattr(source, "whole"):
        return replace(source, whole=_reading_within(source.whole, memory))
    # engines have their own limits; what was opened within this one has found out what the files hold
    return source if getattr(source, "memory", memory) == memory else replace(source, memory=memory)
