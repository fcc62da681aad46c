"""Random orders of positives and negatives, which stand for those of the subjects of a marker.

The same orders serve all markers of the same numbers of positives and negatives.

Weighted orders have more positives at the top than random ones and count the less for it, so that orders as good as the
best markers are among them. The order of the marker itself is one more, with its weight: the p value is valid whatever
the weights (Harrison 2012, Biometrika 99:57).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError

_GROWING = (250, 750, 2_000)  # orders in the first chunks, which decide most markers
_CHUNK = 2_500
_BUNDLE = 5_000  # orders of chunks that are drawn together
_PLACES = 1 << 23  # of a chunk, times its orders
_STRETCH = 1.06  # of places whose precision is bounded together
_ROUNDING = 1e-5  # of single precision
# a positive at rank i is favoured by i^-tilt; the share of the orders of each tilt
_TILTS = {0.0: 0.3, 0.25: 0.1, 0.5: 0.1, 0.75: 0.1, 1.0: 0.1, 1.5: 0.1, 2.0: 0.1, 3.0: 0.1}
_KEPT = 1 << 24  # subjects times orders
_LARGEST = 1 << 22  # places times positives of which a tilt is tabulated
_COIN = 256  # equal parts of the probability of a coin
_RARE = 1 / 8  # share of a class below which a coin leaves places to be added, for one to be taken off is seldom found
_SIDE_BY_SIDE = 64  # orders from which on these are drawn place by place
_CACHED = 1 << 16  # random numbers that are drawn at a time


class Drawn(NamedTuple):
    """Orders side by side.

    Attributes
    ----------
    hits : array of int (n + 1, B)
        Positives down to each place, from none at all on.
    weight : array (B,) or None
        What each order counts; None for 1.
    """

    hits: AnyArray
    weight: Array | None = None

    def highest_ap(self) -> Array:
        """Return what average precision cannot exceed in whatever groups the subjects are tied, (B,).

        A positive has the precision at the end of its group: no more than the largest from its own place on. Of a
        stretch of places it is no more than all positives down to the last of them over the first.
        """
        n = len(self.hits) - 1
        ends = [1]
        while ends[-1] < n:
            ends.append(min(max(ends[-1] + 1, int(ends[-1] * _STRETCH)), n))
        down = self.hits[ends].astype(np.float32)
        first = np.append(1, np.array(ends[:-1]) + 1).astype(np.float32)
        highest = np.minimum(np.maximum.accumulate((down / first[:, None])[::-1], axis=0)[::-1], 1)
        down[1:] -= down[:-1].copy()
        return np.asarray(np.einsum("kb,kb->b", down, highest) / self.hits[-1] + _ROUNDING)


class Orders:
    """Random orders of n1 positives and n0 negatives, or all of them where these are no more.

    Parameters
    ----------
    n1, n0 : int
    draws : int
    seed : int
    weighted : bool
        Whether orders with more positives at the top are drawn, and weighted.

    Raises
    ------
    ParameterError
        If weighted orders are asked for of too many subjects.
    """

    def __init__(self, n1: int, n0: int, draws: int, seed: int, *, weighted: bool = False) -> None:
        self.n1, self.n0 = n1, n0
        every = math.comb(n1 + n0, n1)
        self.exact = every <= draws
        self.draws = every if self.exact else draws
        self.weighted = weighted and not self.exact
        self._seed = seed
        self._drawn: dict[int, Drawn] = {}
        if self.weighted and (n1 + n0) * n1 > _LARGEST:
            raise ParameterError(
                f"orders='weighted' is for up to {_LARGEST:,} subjects times positives, and there are {n1 + n0:,} "
                f"times {n1:,}: use orders='uniform'"
            )

    @property
    def n(self) -> int:
        """Number of subjects."""
        return self.n1 + self.n0

    @cached_property
    def _chunks(self) -> tuple[tuple[int, float], ...]:
        """How many orders are in each chunk, and with which tilt."""
        most = max(_PLACES // (self.n + 1), 1)
        if self.exact:
            return tuple((size, 0.0) for size in _divided(self.draws, [most]))
        if self.weighted:
            parts = zip(_TILTS, self._of_tilts, strict=True)
            return tuple((size, tilt) for tilt, draws in parts for size in _divided(draws, [most]))
        growing = [min(size, most) for size in (*_GROWING, _CHUNK)]
        return tuple((size, 0.0) for size in _divided(self.draws, growing))

    @property
    def _of_tilts(self) -> list[int]:
        """How many orders have each tilt."""
        ends = np.rint(np.cumsum(list(_TILTS.values())) * self.draws).astype(int)
        return list(np.diff(ends, prepend=0).tolist())

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many orders are in each chunk."""
        return tuple(size for size, _ in self._chunks)

    @cached_property
    def bundles(self) -> tuple[range, ...]:
        """Chunks that are drawn together where all orders are needed."""
        most = min(_BUNDLE, max(_PLACES // (self.n + 1), 1))
        firsts, held = [0], 0
        for chunk, size in enumerate(self.sizes):
            if held and held + size > most:
                firsts.append(chunk)
                held = 0
            held += size
        return tuple(map(range, firsts, [*firsts[1:], len(self.sizes)]))

    def drawn(self, chunk: int) -> Drawn:
        """Return the orders of a chunk; those of few subjects are kept for the next metric."""
        return self.several([chunk])[0]

    def several(self, chunks: Sequence[int]) -> list[Drawn]:
        """Return the orders of some chunks."""
        found = dict(self._drawn)
        new = [chunk for chunk in chunks if chunk not in found]
        at_once = [chunk for chunk in new if self._is_from_the_top(chunk)]
        hits = {chunk: self._new(chunk) for chunk in new if chunk not in at_once}
        hits.update(zip(at_once, self._from_the_top(at_once), strict=True) if at_once else ())
        found.update((chunk, Drawn(each, self._weights_of(each))) for chunk, each in hits.items())
        if (self.n + 1) * self.draws <= _KEPT:
            self._drawn = found
        return [found[chunk] for chunk in chunks]

    def _is_from_the_top(self, chunk: int) -> bool:
        size, tilt = self._chunks[chunk]
        return not self.exact and not tilt and size >= _SIDE_BY_SIDE

    def _rng(self, chunk: int) -> np.random.Generator:
        return np.random.default_rng([self._seed, self.n1, self.n0, chunk])

    def _new(self, chunk: int) -> AnyArray:
        size, tilt = self._chunks[chunk]
        if self.exact:
            return self._down(self._numbered(sum(self.sizes[:chunk]), size))
        rng = self._rng(chunk)
        return self._tilted(size, tilt, rng) if tilt else self._down(self._by_coins(size, rng))

    def _weights_of(self, hits: AnyArray) -> Array | None:
        if not self.weighted:
            return None
        depth = np.einsum("k,kb->b", np.log(np.arange(1.0, self.n + 1)), (hits[1:] - hits[:-1]).astype(float))
        return self.weights(depth)

    @property
    def _few(self) -> int:
        """Subjects of the smaller class."""
        return min(self.n1, self.n0)

    def _type(self, most: int) -> type[np.unsignedinteger[Any]]:
        return np.uint8 if most < 1 << 8 else np.uint16 if most < 1 << 16 else np.uint32

    def _down(self, places: AnyArray) -> AnyArray:
        """Return the positives down to each place from the places of the smaller class, 1 or 0, (n, b)."""
        if self.n1 > self.n0:
            places ^= 1
        found = np.zeros((self.n + 1, places.shape[1]), self._type(self.n1))
        np.cumsum(places, axis=0, dtype=found.dtype, out=found[1:])
        return found

    def _from_the_top(self, chunks: Sequence[int]) -> list[AnyArray]:
        """Draw the positives down to each place: the next is one with the share of positives that are left."""
        sizes = [self.sizes[chunk] for chunk in chunks]
        ends = np.cumsum(sizes).tolist()
        left = np.empty((self.n + 1, sum(sizes)), self._type(self.n))
        left[0] = self.n1
        for chunk, first, end in zip(chunks, [0, *ends], ends, strict=False):
            self._next_subjects(self._rng(chunk), left[1:, first:end])
        is_positive = np.empty(sum(sizes), bool)
        for above, own in itertools.pairwise(left):
            np.less(own, above, out=is_positive)
            np.subtract(above, is_positive.view(np.uint8), out=own)
        hits = np.subtract(self.n1, left, out=left)
        return [hits[:, first:end] for first, end in zip([0, *ends], ends, strict=False)]

    def _next_subjects(self, rng: np.random.Generator, out: AnyArray) -> None:
        """Draw which of the subjects that are left has each place, (n, b)."""
        n, size = out.shape
        slab = max(_CACHED // size, 1)
        for first in range(0, n, slab):
            rows = min(slab, n - first)
            bits = rng.bit_generator.random_raw((rows * size + 1) // 2).view(np.uint32)[: rows * size]
            subjects = np.arange(n - first, n - first - rows, -1)
            out[first : first + rows] = bits.reshape(rows, size) * (subjects[:, None] / 2.0**32)

    def _by_coins(self, size: int, rng: np.random.Generator) -> AnyArray:
        """Draw places of the smaller class: a coin for each, and changes until there are as many as there should be.

        All sets of one size are equally probable at each step, since no place is treated differently from another.
        """
        n, few = self.n, self._few
        share = few / n if few > _RARE * n else max(few - 2 * math.sqrt(few), 0) / n
        coins = np.frombuffer(rng.bytes(n * size), np.uint8).reshape(n, size)
        places = np.less(coins, int(_COIN * share + 0.5)).astype(np.uint8)
        flat = places.reshape(-1)
        surplus: AnyArray = np.add.reduce(places, axis=0, dtype=np.int64)
        surplus -= few
        while surplus.any():
            # as many places as are wrong, some of which are found to be right
            order = np.repeat(np.arange(size), np.abs(surplus))
            found = rng.integers(n, size=order.size) * size + order
            found = np.unique(found[flat[found] == np.greater(surplus[order], 0)])
            surplus -= np.bincount(found % size, minlength=size) * np.sign(surplus)
            flat[found] ^= 1
        return places

    def _numbered(self, first: int, size: int) -> AnyArray:
        """Return the places of the smaller class in some of all orders."""
        number, left = np.arange(first, first + size), np.full(size, self._few)
        places = np.zeros((self.n, size), np.uint8)
        for place, own in enumerate(places):
            # in how many orders the next place is one of so many that are left
            ways = np.array([0, *(math.comb(self.n - place - 1, more) for more in range(self._few))])[left]
            np.less(number, ways, out=own, casting="unsafe")
            number -= np.where(own, 0, ways)
            left -= own
        return places

    def _tilted(self, size: int, tilt: float, rng: np.random.Generator) -> AnyArray:
        """Draw the positives down to each place from the top."""
        chances = self._chances(tilt)
        left = np.full((self.n + 1, size), self.n1, self._type(self.n1))
        for place, own in enumerate(chances):
            np.subtract(left[place], rng.random(size) < own[left[place]], out=left[place + 1])
        return self.n1 - left

    def _favours(self, tilt: float) -> Array:
        """Return the logarithm of the sums of products of favours, (n + 1, n1 + 1).

        Of r positives among the places from each one on.
        """
        sums = np.full((self.n + 1, self.n1 + 1), -np.inf)
        sums[self.n, 0] = 0.0
        for place in range(self.n - 1, -1, -1):
            sums[place] = sums[place + 1]
            favour = -tilt * math.log(place + 1)
            sums[place, 1:] = np.logaddexp(sums[place, 1:], favour + sums[place + 1, :-1])
        return sums

    def _chances(self, tilt: float) -> Array:
        """Return the probability of a positive at each place, by the number of positives left, (n, n1 + 1)."""
        sums = self._favours(tilt)
        out = np.zeros((self.n, self.n1 + 1))
        favour = -tilt * np.log(np.arange(1, self.n + 1))
        with np.errstate(invalid="ignore"):
            out[:, 1:] = np.exp(favour[:, None] + sums[1:, :-1] - sums[:-1, 1:])
        return np.nan_to_num(out)

    @cached_property
    def _totals(self) -> Array:
        """The logarithm of the mean favour of an order, for each tilt."""
        orders = math.lgamma(self.n + 1) - math.lgamma(self.n1 + 1) - math.lgamma(self.n0 + 1)
        return np.array([self._favours(tilt)[0, self.n1] - orders if tilt else 0.0 for tilt in _TILTS])

    def weights(self, depth: Array) -> Array:
        """Return the weights of orders whose positives have ranks with these sums of logarithms."""
        logs = -np.outer(list(_TILTS), depth) - self._totals[:, None]
        shares = np.array(self._of_tilts) / self.draws
        with np.errstate(divide="ignore"):
            return np.asarray(np.exp(-np.logaddexp.reduce(np.log(shares)[:, None] + logs, axis=0)))

    def pvalue(self, beyond: Array, depth: Array) -> Array:
        """Return the p values of markers.

        Parameters
        ----------
        beyond : array
            Orders that are at least as good, or the sum of their weights.
        depth : array
            Sums of the logarithms of the ranks of the positives of each marker.
        """
        if self.exact:
            return beyond / self.draws
        own = self.weights(depth) if self.weighted else 1.0
        return np.minimum((beyond + own) / (self.draws + 1), 1.0)


class SharedOrders:
    """Orders of the sizes that are asked for, of which the last are kept: metrics share them.

    Parameters
    ----------
    draws, seed, weighted
        As those of :class:`Orders`.
    """

    def __init__(self, draws: int, seed: int, *, weighted: bool = False) -> None:
        self.draws, self.seed, self.weighted = draws, seed, weighted
        self._last: Orders | None = None

    def of(self, n1: int, n0: int) -> Orders:
        """Return the orders of n1 positives and n0 negatives."""
        if self._last is None or (self._last.n1, self._last.n0) != (n1, n0):
            self._last = Orders(n1, n0, self.draws, self.seed, weighted=self.weighted)
        return self._last


def _divided(count: int, sizes: Sequence[int]) -> list[int]:
    """Return parts of a number, of these sizes and then of the last of them."""
    out: list[int] = []
    while count:
        out.append(min(sizes[min(len(out), len(sizes) - 1)], count))
        count -= out[-1]
    return out
