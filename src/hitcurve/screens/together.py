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
from hitcurve.inference.resample import generator
from hitcurve.metrics import Metric
from hitcurve.screens.columns import Block, Columns
from hitcurve.screens.engine import MarkerLists, Subjects
from hitcurve.screens.passing import NUMBERS
from hitcurve.screens.placed import Placed, keys, placed

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
    """

    placed: Placed
    largest: Array
    correlation: Array
    inside: Array

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
    """

    columns: Columns
    places: AnyArray
    names: tuple[str, ...]
    subjects: Subjects
    directions: AnyArray

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
    own = placed(metric, markers.lists(markers.columns.taken(markers.places[chosen])))
    own_draws = own.place[:, None] + own.error[:, None] * (own.influence @ multipliers)
    columns = [np.full(count, np.nan) for _ in range(6)]
    correlation = np.zeros((count, k))
    largest = np.zeros(draws)
    top = np.full((k, draws), -np.inf)

    def do(piece: tuple[Block, AnyArray]) -> tuple[AnyArray, Placed, Array, Array, Array]:
        block, place = piece
        found = placed(metric, markers.lists(block))
        drawn = found.influence @ multipliers
        here = (place >= 0) & ~np.isnan(found.place)
        far = np.max(np.abs(drawn), axis=0, where=here[:, None], initial=0.0)
        values = (found.place[:, None] + found.error[:, None] * drawn)[here]
        values = np.partition(values, len(values) - k, axis=0)[-k:] if len(values) > k else values
        return place, found._replace(influence=found.influence[:, :0]), found.influence @ own.influence.T, far, values

    tell("markers", 0, count)
    done = 0
    for place, found, with_chosen, far, values in in_threads(
        do, markers.blocks(_AT_ONCE * markers.subjects.n // draws)
    ):
        held = place >= 0
        for whole, part in zip(columns, found, strict=False):
            whole[place[held]] = part[held]
        correlation[place[held]] = with_chosen[held]
        np.maximum(largest, far, out=largest)
        top = np.partition(np.concatenate([top, values]), len(values), axis=0)[-k:]
        done += int(held.sum())
        tell("markers", done, count)
    inside = np.mean(own_draws >= top[0] - 1e-12 * np.abs(top[0]), axis=1)
    every = Placed(*columns, np.zeros((count, 0)))  # type: ignore[call-arg]
    return Together(every, np.sort(largest), correlation, inside)


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
