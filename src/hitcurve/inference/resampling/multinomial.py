"""Samples with replacement of units that are all equally likely, counted by row.

Few units are drawn one by one. Of many, each is first taken a Poisson number of times, independently: given their sum,
such numbers have the distribution of so many draws with replacement. Their mean is a little below 1, so that the sum
rarely exceeds the size of the sample, in which case they are drawn again; the rest of the sample is drawn one by one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray

Whole = npt.NDArray[np.int64]

_MANY = 1000  # units, from which on Poisson numbers are faster
_NUMBERS = 1 << 20  # held at a time
_CODES = 1 << 16  # equally likely, of which each is a Poisson number
_COMPARED = 4  # the largest number that is found by comparing codes, which takes less than looking them up
_AT_ONCE = 1 << 19  # codes that are compared at a time: fewer take longer, for calls of numpy
_UNDECIDED = 127
_LARGEST = 30  # a Poisson variable with a mean below 1 exceeds it with probability 1e-34
_BELOW = 3.0  # standard deviations by which the mean of the sum is below the number of units
_TYPES = ((1 << 14, np.int16), (1 << 23, np.float32), (math.inf, np.float64))  # that hold counts of so many units


class Multinomial:
    """How many of the units of samples with replacement are in each row.

    Parameters
    ----------
    rows : sequence of arrays of int (units)
        The row of each unit, under each of several rankings.
    sizes : sequence of int
        How many rows each ranking has.
    """

    def __init__(self, rows: Sequence[AnyArray], sizes: Sequence[int]) -> None:
        self._rows, self._sizes, self._units = list(rows), list(sizes), rows[0].size
        self._mean = 1 - _BELOW / math.sqrt(self._units) if self._units >= _MANY else 0.0

    def counts(self, totals: Whole, rng: np.random.Generator) -> list[Whole]:
        """Return the counts of samples of given sizes under each ranking, samples first and rows last."""
        part = max(1, _NUMBERS // max(self._units, 1))
        if totals.size <= part:
            return self._counts(totals, rng)
        drawn = [self._counts(totals[start : start + part], rng) for start in range(0, totals.size, part)]
        return [np.concatenate(of_ranking) for of_ranking in zip(*drawn, strict=True)]

    def _counts(self, totals: Whole, rng: np.random.Generator) -> list[Whole]:
        if not self._mean:
            return self._one_by_one(totals, rng)
        counts = self._poisson(totals.size, rng)
        left = totals - counts[0].sum(axis=-1)
        while (over := left < 0).any():
            for of_ranking, again in zip(counts, self._poisson(int(over.sum()), rng), strict=True):
                of_ranking[over] = again
            left = totals - counts[0].sum(axis=-1)
        for of_ranking, more in zip(counts, self._one_by_one(left, rng), strict=True):
            of_ranking += more
        return counts

    def _one_by_one(self, totals: Whole, rng: np.random.Generator) -> list[Whole]:
        unit = rng.integers(0, max(self._units, 1), totals.sum())
        counts = []
        for row, size in zip(self._rows, self._sizes, strict=True):
            place = np.repeat(np.arange(totals.size) * size, totals)
            place += row.take(unit)
            counts.append(np.bincount(place, minlength=totals.size * size).reshape(totals.size, size))
        return counts

    def _poisson(self, samples: int, rng: np.random.Generator) -> list[Whole]:
        number, rest, least = self._poisson_numbers
        times, undecided = np.empty(self._units * samples, np.int8), []
        for start in range(0, times.size, _AT_ONCE):
            found = times[start : start + _AT_ONCE]
            bits = rng.integers(0, 1 << 64, -(-found.size // 4), dtype=np.uint64)
            codes, reached = bits.astype("<u8", copy=False).view("<u2")[: found.size], np.empty(found.size, bool)
            np.greater_equal(codes, least[0], out=found.view(bool))
            for code in least[1:-1]:
                found += np.greater_equal(codes, code, out=reached).view(np.int8)
            far = np.flatnonzero(np.greater_equal(codes, least[-1], out=reached))
            found[far] = looked_up = number[codes[far]]
            undecided.append(far[looked_up == _UNDECIDED] + start)
        places = np.concatenate(undecided)
        times[places] = rng.choice(rest.size, places.size, p=rest)
        counts = self._membership @ times.reshape(self._units, samples).astype(self._type)
        ends = np.cumsum(self._sizes)[:-1]
        return [np.array(of_ranking.T, np.int64, order="C") for of_ranking in np.split(counts, ends)]

    @cached_property
    def _poisson_numbers(self) -> tuple[AnyArray, AnyArray, AnyArray]:
        """The Poisson number of each code, the probabilities of those of undecided codes, the first code of each.

        Codes are in the order of their numbers, and the last few are undecided.
        """
        k = np.arange(_LARGEST + 1)
        log_factorial = np.array([math.lgamma(i + 1) for i in k])
        share = _CODES * np.exp(k * math.log(self._mean) - self._mean - log_factorial)
        whole = np.floor(share)
        number: AnyArray = np.full(_CODES, _UNDECIDED, np.int8)
        number[: int(whole.sum())] = np.repeat(k, whole.astype(int))
        rest = share - whole
        least = number.searchsorted(np.arange(1, _COMPARED + 2, dtype=np.int8)).astype(np.uint16)
        return number, rest / rest.sum(), least

    @cached_property
    def _membership(self) -> Any:
        """Which units are in each row: the rows of all rankings one below the other."""
        from scipy.sparse import csr_array

        first = np.concatenate([[0], np.cumsum(self._sizes)])
        row = np.concatenate([row + start for row, start in zip(self._rows, first[:-1], strict=True)])
        unit = np.tile(np.arange(self._units), len(self._rows))
        return csr_array((np.ones(row.size, self._type), (row, unit)), shape=(int(first[-1]), self._units))

    @property
    def _type(self) -> type:
        return next(kind for units, kind in _TYPES if self._units < units)
