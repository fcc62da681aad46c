"""All markers at once: how far the largest deviation of any may be, and which markers could be on top.

Normal variables times influence values (the multiplier bootstrap) draw the deviations of all markers together, a block
of markers at a time. What is kept of a draw is its largest deviation and its highest places, never a table of markers
by markers.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np

from hitcurve._progress import tell
from hitcurve._threads import in_threads
from hitcurve.counts import AnyArray, Array
from hitcurve.inference.resampling.resample import generator
from hitcurve.metrics import Metric
from hitcurve.screens.columns import Block, Columns
from hitcurve.screens.engine import MarkerLists, Subjects
from hitcurve.screens.passing import NUMBERS
from hitcurve.screens.placed import N_COLUMNS, Placed, keys, placed, scale_of

DRAWS = 2_000
_AT_ONCE = 4 * NUMBERS  # of the draws of a block


@dataclass(frozen=True, eq=False)
class Together:
    """What the draws of all markers together show.

    Attributes
    ----------
    placed : Placed
        Of every marker; without influence values.
    largest : array (B,)
        The largest deviation of any marker in each draw, in standard errors, ascending.
    correlation : array (m, k)
        Of every marker with each of the chosen ones.
    inside : array (k,)
        Share of the draws in which a chosen marker is among the k best.
    other : Placed
        Of the other direction of every marker whose direction was chosen, nan of the rest.
    other_correlation : array (m, k)
    """

    placed: Placed
    largest: Array
    correlation: Array
    inside: Array
    other: Placed
    other_correlation: Array

    def quantile(self, share: float) -> float:
        """Return the deviation that no marker exceeds in this share of the draws."""
        return float(self.largest[min(int(np.ceil(share * self.largest.size)), self.largest.size - 1)])


@dataclass(frozen=True)
class Markers:
    """The markers that are evaluated, and how.

    Attributes
    ----------
    columns : Columns
    places : array of int (m,)
        Their places among the columns.
    names : sequence of str
    subjects : Subjects
    directions : array of int
        Of all columns.
    free : array of bool (m,), optional
        Whether the data chose the direction.
    """

    columns: Columns
    places: AnyArray
    names: tuple[str, ...]
    subjects: Subjects
    directions: AnyArray
    free: AnyArray | None = None

    def lists(self, block: Block) -> MarkerLists:
        """Return the lists of a block."""
        return MarkerLists.of(block, self.subjects, self.directions[block.places])

    def blocks(self, numbers: int) -> Any:
        """Yield the blocks of the columns with, for each, the places of its markers; -1 where one was left out."""
        of_column = np.full(len(self.columns.names), -1)
        of_column[self.places] = np.arange(self.places.size)
        for block in self.columns.blocks(numbers):
            yield block, of_column[block.places]

    @property
    def subject_order(self) -> AnyArray:
        """An order of the subjects that does not depend on the order of the rows or of the columns."""
        weights = np.zeros(len(self.columns.names), np.uint64)
        digests = [blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest() for name in self.names]
        weights[self.places] = [int.from_bytes(digest, "little") | 1 for digest in digests]

        def do(piece: tuple[Block, AnyArray]) -> AnyArray:
            return keys(self.lists(piece[0]), weights[piece[0].places])

        total = np.zeros(self.subjects.n, np.uint64)
        for part in in_threads(do, self.blocks(NUMBERS)):
            total += part
        return np.lexsort((self.subjects.positive, total))


def together(metric: Metric, markers: Markers, chosen: AnyArray, draws: int, rng: Any) -> Together:
    """Draw all markers together.

    Parameters
    ----------
    metric : Metric
    markers : Markers
    chosen : array of int (k,)
        The k best markers.
    draws : int
    rng : int or numpy.random.Generator
    """
    multipliers = _multipliers(markers, draws, rng)
    k, count = chosen.size, markers.places.size
    scale = scale_of(metric, markers.subjects)
    own = placed(metric, markers.lists(markers.columns.taken(markers.places[chosen])), scale)
    own_draws = own.place[:, None] + own.error[:, None] * (own.influence @ multipliers)
    every, other = (_Every(count, k) for _ in range(2))
    largest = np.zeros(draws)
    top = np.full((k, draws), -np.inf)

    def do(piece: tuple[Block, AnyArray]) -> tuple[AnyArray, list[tuple[Placed, Array]], Array, Array]:
        block, place = piece
        lists = markers.lists(block)
        found = placed(metric, lists, scale)
        sides = [(found, place >= 0)]
        if markers.free is not None and markers.free[place].any():
            # what the data did not choose is one of those that the choice was among
            sides.append((placed(metric, lists.turned(), scale), (place >= 0) & markers.free[place]))
        far, held = np.zeros(draws), []
        values = np.empty((0, draws))
        for own_side, here in sides:
            there = here & ~np.isnan(own_side.place)
            drawn = own_side.influence @ multipliers
            far = np.maximum(far, np.max(np.abs(drawn), axis=0, where=there[:, None], initial=0.0))
            held.append((own_side._replace(influence=own_side.influence[:, :0]), own_side.influence @ own.influence.T))
            if own_side is found:
                values = (found.place[:, None] + found.error[:, None] * drawn)[there]
        values = np.partition(values, len(values) - k, axis=0)[-k:] if len(values) > k else values
        return place, held, far, values

    tell("markers", 0, count)
    done = 0
    for place, held, far, values in in_threads(do, markers.blocks(_AT_ONCE * markers.subjects.n // draws)):
        for side, (found, with_chosen) in zip((every, other), held, strict=False):
            here = place >= 0 if side is every or markers.free is None else (place >= 0) & markers.free[place]
            side.put(place[here], found.at(here), with_chosen[here])
        np.maximum(largest, far, out=largest)
        top = np.partition(np.concatenate([top, values]), len(values), axis=0)[-k:]
        done += int(np.sum(place >= 0))
        tell("markers", done, count)
    inside = np.mean(own_draws >= top[0] - 1e-12 * np.abs(top[0]), axis=1)
    return Together(
        every.placed(own), np.sort(largest), every.correlation, inside, other.placed(own), other.correlation
    )


class _Every:
    """What is found of markers block by block, in one array each."""

    def __init__(self, count: int, k: int) -> None:
        self.columns = [np.full(count, np.nan) for _ in range(N_COLUMNS)]
        self.correlation = np.zeros((count, k))

    def put(self, places: AnyArray, found: Placed, correlation: Array) -> None:
        """Take some markers."""
        for whole, part in zip(self.columns, found[:N_COLUMNS], strict=True):
            whole[places] = part
        self.correlation[places] = correlation

    def placed(self, like: Placed) -> Placed:
        """Return all markers, without influence values."""
        nothing = np.zeros((len(self.correlation), 0))
        return Placed._make((*self.columns, nothing, like.scale, like.clustered))


def _multipliers(markers: Markers, draws: int, rng: Any) -> Array:
    """Return a normal variable for each subject or cluster, which follows from the data and not from its row."""
    order, subjects = markers.subject_order, markers.subjects
    if subjects.clusters is not None:
        # a cluster comes where its first subject does
        first = np.full(int(subjects.clusters.max()) + 1, subjects.n)
        np.minimum.at(first, subjects.clusters[order], np.arange(order.size))
        order = np.argsort(first)
    out = np.empty((order.size, draws))
    out[order] = generator(rng).standard_normal((order.size, draws))
    return out
