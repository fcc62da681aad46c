"""Scores in ascending order: put into buckets first where numpy's own sort is slow, and searched in their order."""

from __future__ import annotations

from functools import cache
from time import thread_time
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from hitcurve.counts import AnyArray

_BUCKETS = 1 << 16  # numpy sorts so short a key by counting
_ROW = 256  # scores that its sort takes at once, without dividing them
_FEWEST, _MOST = 1 << 16, 1 << 20  # scores; of more, those of a bucket are too far apart
_SAMPLE = 1000
_SEARCHED = 1 << 11  # scores at a time
_TIMED, _GAIN = 1 << 15, 2.5  # scores, and how many times as fast buckets must be for so few


def ascending(scores: AnyArray) -> AnyArray:
    """Return a copy of scores, none of which is missing, in ascending order."""
    found = by_buckets(scores)
    return np.sort(scores) if found is None else found


def by_buckets(scores: AnyArray) -> AnyArray | None:
    """Return the same where that is faster than numpy's own sort, else None."""
    if scores.dtype.kind != "f" or not _FEWEST <= scores.size <= _MOST or not _are_faster():
        return None
    key = _buckets(scores)
    return _sorted(scores, key) if key is not None and _are_spread(key) else None


@cache
def _are_faster() -> bool:
    """Return whether numpy's own sort is slow here: some processors take long for instructions of AVX-512 in it."""
    some = np.random.default_rng(0).random(_TIMED)

    def took(do: Callable[[], object]) -> float:
        start = thread_time()
        do()
        return thread_time() - start

    ways = lambda: _sorted(some, (some * _BUCKETS).astype(np.uint16)), lambda: np.sort(some)
    by_buckets, plain = (min(took(way) for _ in range(2)) for way in ways)
    return plain > _GAIN * by_buckets


def _buckets(scores: AnyArray) -> AnyArray | None:
    """Return one of equal buckets for each score, in their order; None if the range is 0 or no float."""
    low, high = scores.min(), scores.max()
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = (_BUCKETS - 2) / (high - low)
        if not 0 < scale < np.inf:
            return None
        place: AnyArray = scores - low
    place *= scale
    return place.astype(np.uint16)


def _are_spread(key: AnyArray) -> bool:
    """Say whether few scores share their bucket with half a row of others, as far as a sample shows."""
    some = key[:: key.size // _SAMPLE]
    together = np.sum(np.unique(some, return_counts=True)[1] ** 2) - some.size
    return bool(together * key.size < _ROW / 2 * some.size**2)


def _sorted(scores: AnyArray, key: AnyArray) -> AnyArray:
    ordered = scores.take(np.argsort(key, kind="stable"))
    # a bucket of up to half a row lies within one of these or of those
    for first in (0, _ROW // 2):
        rows = (ordered.size - first) // _ROW
        last = first + rows * _ROW
        ordered[first:last].reshape(rows, _ROW).sort(axis=1)
        ordered[last:].sort()
    if not np.all(ordered[1:] >= ordered[:-1]):
        ordered.sort(kind="stable")  # merges what is sorted
    return ordered


def search(ordered: AnyArray, ascending: AnyArray) -> AnyArray:
    """Return the first places in ordered scores that are at least as large as ascending ones, as ``searchsorted``.

    Some at a time, in the part that they can reach: it stays in the cache, and is halved fewer times.
    """
    if ascending.size < 2 * _SEARCHED:
        return ordered.searchsorted(ascending)
    found = np.empty(ascending.size, np.intp)
    starts = np.arange(0, ascending.size, _SEARCHED)
    places = [*ordered.searchsorted(ascending[starts]).tolist(), ordered.size]
    for start, low, high in zip(starts.tolist(), places, places[1:], strict=False):
        part = slice(start, start + _SEARCHED)
        np.add(ordered[low:high].searchsorted(ascending[part]), low, out=found[part])
    return found
