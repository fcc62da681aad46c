"""Bins of scores between quantiles of the positives, found in bounded memory whatever the number of positives.

Scores are turned into whole numbers of the same order. A pass counts the positives by the leading bits of these
numbers; where a bucket holds more than a share of a bin, the next pass divides it, until no bucket does or all its
positives have one score. A pass divides by fewer bits where many are to be divided, so that what it holds is in
proportion to the bins. The ends depend on the scores of the positives alone, not on the order of the rows.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from hitcurve import _checks, rows
from hitcurve._cached import cached_property
from hitcurve.cells import Grid
from hitcurve.counts import AnyArray
from hitcurve.errors import ParameterError, SingleClassError
from hitcurve.piles import Pile, piling, whole
from hitcurve.sources import Block, OfAnother, Pass, Passes, Source, follow
from hitcurve.sums import Sums

T = TypeVar("T")
Codes = npt.NDArray[np.uint64]
_FIRST, _NEXT = 20, 8  # bits that a pass divides by, at most
_FEWEST_PARTS = 1 << 17  # that a pass may divide all buckets into
_SHARES = 8  # of a bin that a bucket may hold
_MOST_BINS = 1 << 20


class _Buckets(NamedTuple):
    """Positives by the leading bits of the codes of their scores.

    Attributes
    ----------
    low, high : array of uint64
        The least and the greatest code of each bucket, ascending.
    size : array of int
        Positives of each.
    """

    low: Codes
    high: Codes
    size: npt.NDArray[np.int64]

    @classmethod
    def of(cls, codes: Codes, shift: int) -> _Buckets:
        """Count codes, in any order; the array is of no further use."""
        codes.sort()
        leading = codes >> np.uint64(shift)
        starts = np.flatnonzero(np.append(True, leading[1:] != leading[:-1])[: codes.size])
        last = np.append(starts, codes.size)[1:] - 1
        return cls(codes[starts], codes[last], np.asarray(last + 1 - starts, np.int64))

    def merged(self, other: _Buckets, shift: int) -> _Buckets:
        """Add the buckets of other subjects."""
        low, high = np.concatenate([self.low, other.low]), np.concatenate([self.high, other.high])
        leading, place = np.unique(low >> np.uint64(shift), return_inverse=True)
        least, most = np.full(leading.size, np.iinfo(np.uint64).max), np.zeros(leading.size, np.uint64)
        np.minimum.at(least, place, low)
        np.maximum.at(most, place, high)
        size = np.zeros(leading.size, np.int64)
        np.add.at(size, place, np.concatenate([self.size, other.size]))
        return _Buckets(least, most, size)

    def heavy(self, bins: int) -> npt.NDArray[np.bool_]:
        """Say which buckets are to be divided."""
        return np.asarray((self.size * bins * _SHARES > self.size.sum()) & (self.low < self.high))

    def bits(self, bins: int) -> int:
        """Return by how many bits these buckets may be divided: at least 3, since fewer than 8 of a bin are heavy."""
        most = max(_SHARES**2 * bins, _FEWEST_PARTS)
        return min((most // self.size.size).bit_length() - 1, _NEXT)

    def of_some(self, which: npt.NDArray[np.bool_]) -> _Buckets:
        """Return some of the buckets."""
        return _Buckets(self.low[which], self.high[which], self.size[which])

    def ends(self, bins: int) -> Codes:
        """Return the codes of the lower ends of bins with about the same number of positives, ascending."""
        before = np.cumsum(self.size) - self.size
        wanted = np.arange(bins) * (self.size.sum() / bins)
        return np.unique(self.low[np.maximum(np.searchsorted(before, wanted, "right") - 1, 0)])


def ends_of_bins(source: Source, bins: int, rankers: Collection[str] | None = None) -> dict[str, AnyArray]:
    """Return the lower ends of the bins of each ranker, ascending: scores of positives, the lowest among them.

    Parameters
    ----------
    source : Source
    bins : int
        Each holds about the same number of positives; fewer where scores repeat.
    rankers : collection of str, optional
        All of them if absent.

    Raises
    ------
    ParameterError, SingleClassError
        If the number of bins is out of range, scores are longer than 64 bits, or there is no positive.
    """
    if _checks.whole_number("bins", bins) > _MOST_BINS:
        raise ParameterError(f"bins must be at most {_MOST_BINS}, got {bins}")
    return follow(source, _passes(bins, source.rankers if rankers is None else rankers))


def _passes(bins: int, rankers: Collection[str]) -> Passes[dict[str, AnyArray]]:
    kinds, found = yield from _pass(None, {}, rankers)
    if not all(own.size.size for own in found.values()):
        raise SingleClassError("there is no positive, whose scores bins are made of")
    shifts = {name: 8 * kinds[name].itemsize - _FIRST if kinds[name].itemsize > 2 else 0 for name in kinds}
    while True:
        left = {name: own.heavy(bins) for name, own in found.items() if shifts[name]}
        left = {name: which for name, which in left.items() if which.any()}
        if not left:
            return {name: scores_of(own.ends(bins), kinds[name]) for name, own in found.items()}
        asked = {name: (found[name].of_some(which), shifts[name]) for name, which in left.items()}
        shifts |= {name: max(shift - heavy.bits(bins), 0) for name, (heavy, shift) in asked.items()}
        _, divided = yield from _pass(asked, shifts, asked)
        for name, which in left.items():
            parts = zip(found[name].of_some(~which), divided[name], strict=True)
            low, high, size = (np.concatenate(part) for part in parts)
            order = np.argsort(low)
            found[name] = _Buckets(low[order], high[order], size[order])


class _Found(NamedTuple):
    """What a pass found of each ranker: the type of the scores and the buckets."""

    kinds: dict[str, np.dtype[Any]]
    buckets: dict[str, _Buckets]


def _pass(
    asked: Mapping[str, tuple[_Buckets, int]] | None, shifts: Mapping[str, int], rankers: Collection[str]
) -> Generator[Pass, Any, _Found]:
    """Count all positives of some rankers, or those of some buckets."""

    def shift_of(kind: np.dtype[Any], name: str) -> int:
        if asked is not None:
            return shifts[name]
        return 8 * kind.itemsize - _FIRST if kind.itemsize > 2 else 0

    def look(block: Block) -> Pile[_Found]:
        kinds, found = {}, {}
        for name in rankers:
            scores = block.positive_scores(name)
            codes = codes_of(name, scores)
            if asked is not None:
                buckets, shift = asked[name]
                leading = codes >> np.uint64(shift)
                wanted = buckets.low >> np.uint64(shift)
                place = np.minimum(np.searchsorted(wanted, leading), wanted.size - 1)
                codes = codes[wanted[place] == leading]
            kinds[name] = scores.dtype
            found[name] = _Buckets.of(codes, shift_of(scores.dtype, name))
        return (_Found(kinds, found),)

    def add(left: _Found, right: _Found) -> _Found:
        merged = {}
        for name, kind in left.kinds.items():
            if kind != right.kinds[name]:
                raise ParameterError(f"score {name!r} changes its type from {kind} to {right.kinds[name]}")
            merged[name] = left.buckets[name].merged(right.buckets[name], shift_of(kind, name))
        return _Found(left.kinds, merged)

    # buckets of all parts are about as many: as they are, most would wait
    in_piles = piling(add, lambda found: sum(own.low.size for own in found.buckets.values()), times=2)
    pile: Pile[_Found] = yield look, in_piles
    return whole(pile, add)


def codes_of(name: str, scores: AnyArray) -> Codes:
    """Return whole numbers of the same order as some scores of up to 64 bits, -0.0 as 0.0: a new array."""
    kind = scores.dtype
    if kind.itemsize > 8:
        raise ParameterError(f"bins need scores of at most 64 bits, and {name!r} has {8 * kind.itemsize}")
    bits = 8 * kind.itemsize
    if kind.kind == "u":
        return scores.astype(np.uint64)
    own = np.dtype(f"u{kind.itemsize}")
    sign = own.type(1 << (bits - 1))
    if kind.kind == "i":
        return np.asarray(scores.view(own) ^ sign, np.uint64)
    plain = np.ascontiguousarray(scores + kind.type(0)).view(own)
    # all bits of a negative number are turned, and the sign of the others
    turned = (plain.view(f"i{kind.itemsize}") >> (bits - 1)).view(own)
    turned |= sign
    plain ^= turned
    return np.asarray(plain, np.uint64)


def scores_of(codes: Codes, kind: np.dtype[Any]) -> AnyArray:
    """Return the scores of some codes."""
    bits = 8 * kind.itemsize
    if kind.kind == "u":
        return codes.astype(kind)
    own = np.dtype(f"u{kind.itemsize}")
    plain, sign = codes.astype(own), own.type(1 << (bits - 1))
    if kind.kind == "i":
        return np.asarray((plain ^ sign).view(kind))
    return np.asarray(np.where(plain & sign, plain & ~sign, ~plain).astype(own).view(kind))


def binned(ends: AnyArray, block: Block, ranker: str) -> Sums:
    """Count one ranker of a block into the bins of some lower ends, ascending, and one below all."""
    row = ends.size - np.searchsorted(ends, block.scores[ranker], "right")
    return Sums.counted(block.positive, row, ends.size + 1, block.weight)


def note(ranker: str, held: int, asked: int | None, *, weighted: bool = False) -> str:
    """Return what bins make of the scores of a ranker, in words; None were asked for where the data decided it."""
    meaning = (
        "sums of weights do not say how far the order within a bin could move them"
        if weighted
        else "the range of orders of ties brackets every strict order (of up to 100 million positives), but not of "
        "momentum, which has none"
    )
    fewer = (
        f"; there are fewer than {rows.count(asked)} bins, as the positives have fewer distinct scores, and counts "
        "without bins, which are exact, may take no more memory"
        if asked and held < asked
        else ""
    )
    return (
        f"scores of {ranker} are counted in {rows.counted(held, 'bin')} between quantiles of the positives: values "
        f"and standard errors treat subjects of a bin as tied, and {meaning}{fewer}"
    )


@dataclass(frozen=True, eq=False)
class Binned(OfAnother):
    """A source in which subjects of one bin are tied: each score is the lower end of its bin.

    Tables, covariances and replicates of such a source are made as of any other, and have a row for each bin.

    Attributes
    ----------
    whole : Source
    ends : mapping of str to array
        The lower ends of the bins of some rankers, ascending, as :func:`ends_of_bins` finds them. Scores of other
        rankers stay.
    why : str
        Why there are bins, in words; empty if they were asked for.
    asked : int or None
        How many were asked for.
    weighted : bool
        Whether subjects have weights.
    exact : bool
        Whether values were worked out from the scores themselves, which ``why`` then says.
    """

    whole: Source
    ends: Mapping[str, AnyArray]
    why: str = ""
    asked: int | None = None
    weighted: bool = False
    exact: bool = False

    @property
    def notes(self) -> tuple[str, ...]:
        """What happened on the way from the data to the subjects, in words."""
        named = {} if self.exact else self.ends
        of_bins = (note(name, ends.size, self.asked, weighted=self.weighted) for name, ends in named.items())
        return (*self.whole.notes, *([self.why] if self.why else []), *of_bins)

    def reduce(self, map: Callable[[Block], T], combine: Callable[[T, T], T]) -> T:
        """Apply ``map`` to every block and combine the results, in the order of the source."""
        return self.whole.reduce(lambda block: map(self._put(block)), combine)

    @cached_property
    def _bins(self) -> dict[str, tuple[Grid, AnyArray]]:
        """The grid of the ends, and what stands for the bin of each two of its cells, from the highest down."""
        return {name: (Grid(ends), np.append(ends[::-1], _below(ends))) for name, ends in self.ends.items()}

    def _put(self, block: Block) -> Block:
        scores = dict(block.scores)
        for name, (grid, stands_for) in self._bins.items():
            scores[name] = stands_for.take(grid.rows_of(scores[name]) // 2)
        return replace(block, scores=scores)


def _below(ends: AnyArray) -> Any:
    """Return a score below all bins; the lowest end where there is none."""
    if ends.dtype.kind == "f":
        return ends.dtype.type(-np.inf)
    return ends[0] - (ends[0] > np.iinfo(ends.dtype).min)
