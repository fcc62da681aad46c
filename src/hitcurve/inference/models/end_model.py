"""Average precision: lengths of the tilting path from models whose average precision is the end of the interval."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from hitcurve._threads import in_threads, keep_memory
from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.models import paths
from hitcurve.inference.models.fiducial import Rows, models_of
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.resampling.resample import seed_of_rows
from hitcurve.sums import Lists

DRAWS = 200
FEWEST_DRAWS = 20
_SHORTEST, _LONGEST = 0.4, 2.1  # lengths of the path over the quantile of t
_UNMIXED = 10  # positives up to which the quantile of t has no part in the lengths
_SHORTER, _FEW = 0.02, 20  # share taken off both lengths at half of few positives and below; none is from few on
_IN_TAIL = 5  # draws beyond a quantile; one farther out is taken from the quantile of t
_NUMBERS = 2_000_000  # held at a time


def seeds_of(lists: Lists) -> AnyArray:
    """Return a seed of each list, which follows from its canonical rows alone: an array of int."""
    c = rows_of(lists, negatives_join=False)
    found = [seed_of_rows(pos, neg) for pos, neg in zip(c.pos, c.neg, strict=True)]
    return np.array(found, np.int64).reshape(lists.shape)


def rows_of(lists: Lists, *, negatives_join: bool) -> Counts:
    """Return the canonical rows with one leading axis, of one list too."""
    sums = lists.folded(negatives_join=negatives_join).sums
    pos, neg = (side.reshape(-1, side.shape[-1]) for side in (sums.pos, sums.neg))
    return Counts(pos, neg)


class Search(NamedTuple):
    """How the lengths are found for which the average precision they lead to is the end.

    Attributes
    ----------
    nodes : int
        Of the path of the list itself, on either side.
    mostly : int
        As far as which the path is mostly needed.
    steps : int
        To the length.
    share : float
        How much of the way each step takes.
    """

    nodes: int = 20
    mostly: int = 20
    steps: int = 6
    share: float = 0.5


_DRAWN = Search()


class Drawn(NamedTuple):
    """A table of each model of one list, and the logit of average precision of the model."""

    rows: Rows
    log_odds: Array


@dataclass(frozen=True)
class EndModel:
    """What intervals of all levels of average precision share, of each of many lists.

    Fiducial draws give binormal models of a list and a table of each (see ``Binormals``). The signed length of the
    tilting path from the table to average precision of its model is a pivot whose quantiles depend on the model. Its
    mean and the logarithm of its scale are taken as linear in the logit of average precision, so that the quantiles
    are those of models whose average precision is the end of the interval.

    Attributes
    ----------
    joined : Counts (L, K)
        Canonical rows, negatives joined (see ``Counts.folded``).
    lengths : Lengths
    """

    joined: Counts
    lengths: Lengths

    @classmethod
    def of(cls, lists: Lists, generators: Sequence[np.random.Generator], draws: int = DRAWS) -> Self:
        """Draw models of each list.

        Parameters
        ----------
        lists : Lists
            Unweighted cohorts.
        generators : sequence of Generator
            One for each list.
        draws : int
        """
        joined, apart = (rows_of(lists, negatives_join=join) for join in (True, False))
        return cls(joined, Lengths.of(*_drawn_lengths(apart, generators, draws)))

    def ends(self, level: float) -> Array:
        """Return the ends of the interval of each list, (2, L)."""
        return ends_of(self.joined, self.lengths.quantiles(level, self.joined.n1 - 1), level)


def ends_of(joined: Counts, lengths: Callable[[Array], Array], level: float, how: Search = _DRAWN) -> Array:
    """Return the ends of intervals whose lengths, (2, L), follow from the logits at the lower and the upper ends.

    Parameters
    ----------
    joined : Counts (L, K)
        Canonical rows, negatives joined.
    lengths : callable
        Signed lengths, of samples from what is true, for logits (2, L).
    level : float
    how : Search
    """
    n1 = joined.n1
    t = np.asarray(t_quantile((1 + level) / 2, n1 - 1))
    part = np.minimum(1.0, (_UNMIXED / n1) ** (1 / 3))
    # with ten positives intervals covered .9585 on average over 64 populations
    kept = 1 - _SHORTER * np.minimum(np.maximum(2 - 2 * n1 / _FEW, 0), 1)
    sign = np.array([[-1.0], [1.0]])
    for nodes in (how.mostly, how.nodes):
        own = OwnPath.of(joined, nodes * (_LONGEST / how.nodes * t), nodes)
        length = farthest = np.array([t, t])
        for _ in range(how.steps):
            aim = sign * lengths(own.log_odds(sign * length))
            length = length + how.share * (aim - length)
            length = np.minimum(np.maximum(length, _SHORTEST * t), _LONGEST * t)
            farthest = np.maximum(length, farthest)
        if nodes == how.nodes or np.all(farthest <= own.farthest):
            break
    return own.precision(sign * kept * ((1 - part) * t + part * length))


@dataclass(frozen=True)
class Lengths:
    """Signed lengths of the path from tables to what is true of their models, as a function of that.

    With x the standardised logit of what is true: a + b x + e^(d x) times what has the same quantiles for all x.

    Attributes
    ----------
    centre, scale, middle : array (L,)
        Mean and standard deviation of the logit, and the mean of x once it is clipped to -2.5..2.5.
    a, b, d : array (L,)
    scaled : array (L, D)
        Residuals over e^(d x), ascending.
    """

    centre: Array
    scale: Array
    middle: Array
    a: Array
    b: Array
    d: Array
    scaled: Array

    @classmethod
    def of(cls, log_odds: Array, lengths: Array) -> Self:
        """Fit the draws of each list.

        Parameters
        ----------
        log_odds, lengths : array (L, D)
        """
        centre, scale = np.mean(log_odds, axis=-1), np.maximum(np.std(log_odds, axis=-1), 1e-300)
        x = np.clip((log_odds - centre[:, None]) / scale[:, None], -2.5, 2.5)
        middle = np.mean(x, axis=-1)
        x -= middle[:, None]
        a, b = np.mean(lengths, axis=-1), _slope(x, lengths)
        rest = lengths - a[:, None] - b[:, None] * x
        d = _slope(x, np.log(np.maximum(np.abs(rest), 0.05)))
        return cls(centre, scale, middle, a, b, d, np.sort(rest * np.exp(-d[:, None] * x), axis=-1))

    def quantiles(self, level: float, degrees: Array) -> Callable[[Array], Array]:
        """Return the lower and upper quantile as a function of the logit that is true, (2, L).

        They are those of the residuals, at p (D + 1) of the draws in order. Quantiles beyond the fifth draw of a tail
        are as far beyond it as those of t.
        """
        draws = self.scaled.shape[-1]
        tail = max((1 - level) / 2, _IN_TAIL / (draws + 1))
        farther: Array | float = 1.0
        if tail > (1 - level) / 2:
            farther = np.asarray(t_quantile((1 + level) / 2, degrees) / t_quantile(1 - tail, degrees))
        place = tail * (draws + 1) - 1
        below = int(place)
        share = place - below
        low = self.scaled[:, below] * (1 - share) + self.scaled[:, below + 1] * share
        high = self.scaled[:, -1 - below] * (1 - share) + self.scaled[:, -2 - below] * share
        quantile = farther * np.stack([low, high])

        def at(log_odds: Array) -> Array:
            x = np.clip((log_odds - self.centre) / self.scale, -2.5, 2.5) - self.middle
            return np.asarray(self.a + self.b * x + np.exp(self.d * x) * quantile)

        return at


@dataclass(frozen=True)
class OwnPath:
    """The tilting path of each list itself, between equal lengths on both sides.

    Between nodes at equal steps the angle (see ``paths.along``) is the cubic with the angles and rates of both.

    Attributes
    ----------
    farthest : array (L,)
    cubics : array (6, N - 1, L)
        Coefficients by the share of the step from one node to the next, and the lesser and the larger angle of both.
    """

    farthest: Array
    cubics: Array

    @classmethod
    def of(cls, joined: Counts, farthest: Array, nodes: int) -> Self:
        """Follow the path of each list, in so many steps on either side."""
        pos, neg = (np.ascontiguousarray(np.asarray(side, float).T) for side in (joined.pos, joined.neg))
        pos, neg = (np.concatenate([side, side], axis=-1) for side in (pos, neg))
        both = paths.along(pos, neg, np.concatenate([-farthest, farthest]), nodes)
        lists = farthest.size
        angle, rate = (np.concatenate([of[:0:-1, :lists], of[:, lists:]]) for of in both)
        rate *= farthest / nodes
        y0, y1, m0, m1 = angle[:-1], angle[1:], rate[:-1], rate[1:]
        rise = y1 - y0
        ends = np.minimum(y0, y1), np.maximum(y0, y1)
        return cls(farthest, np.array([y0, m0, 3 * rise - 2 * m0 - m1, m0 + m1 - 2 * rise, *ends]))

    def precision(self, length: Array) -> Array:
        """Return average precision at a length."""
        return np.asarray(np.sin(self._angle(length) / 2) ** 2)

    def log_odds(self, length: Array) -> Array:
        """Return the logit of average precision at a length."""
        # half of pi as a float is below it: the tangent is positive
        return np.asarray(2 * np.log(np.maximum(np.tan(self._angle(length) / 2), 1e-150)))

    def _angle(self, length: Array) -> Array:
        """Return the angle at a length."""
        steps = self.cubics.shape[1]
        place = np.minimum(np.maximum((length / self.farthest + 1) * (steps / 2), 0.0), steps)
        node = np.minimum(place.astype(np.intp), steps - 1)
        u = place - node
        y, by_u, by_square, by_cube, least, most = self.cubics[:, node, np.arange(self.farthest.size)]
        found = y + u * (by_u + u * (by_square + u * by_cube))
        return np.asarray(np.minimum(np.maximum(found, least), most))


def _slope(x: Array, y: Array) -> Array:
    """Return the slope of the least-squares line through draws; x has mean 0."""
    return np.asarray(np.sum(x * y, axis=-1) / np.maximum(np.sum(x * x, axis=-1), 1e-300))


def _drawn_lengths(apart: Counts, generators: Sequence[np.random.Generator], draws: int) -> tuple[Array, Array]:
    """Return the logits of the models of each list, and the lengths from their tables, (L, D)."""
    lists = apart.pos.shape[0]
    at_once = max(1, _NUMBERS // (2 * draws * min(apart.pos.shape[-1], int(2 * apart.n1.max()) + 1)))

    def do(first: int) -> tuple[Array, Array]:
        own = range(first, min(first + at_once, lists))
        drawn = [_draw(Counts(apart.pos[i], apart.neg[i]), generators[i], draws) for i in own]
        log_odds = np.concatenate([one.log_odds for one in drawn])
        found = paths.lengths(*_tables_side_by_side([one.rows for one in drawn]), log_odds)
        return log_odds.reshape(-1, draws), found.reshape(-1, draws)

    keep_memory()
    parts: Iterator[tuple[Array, Array]] = in_threads(do, range(0, lists, at_once))
    log_odds, lengths = zip(*parts, strict=True)
    return np.concatenate(log_odds), np.concatenate(lengths)


def _draw(apart: Counts, rng: np.random.Generator, draws: int) -> Drawn:
    held = (apart.pos > 0) | (apart.neg > 0)  # rows of padding have no level
    c = Counts(apart.pos[held], apart.neg[held])
    models = models_of(c, draws, rng)
    return Drawn(models.draw(int(c.n), rng), models.log_odds)


def _tables_side_by_side(rows: Sequence[Rows]) -> tuple[Array, Array]:
    """Return the rows of all tables, padded below with empty ones."""
    if len(rows) == 1:
        return rows[0]
    most = max(one.pos.shape[0] for one in rows)
    out = np.zeros((2, most, sum(one.pos.shape[1] for one in rows)))
    first = 0
    for one in rows:
        behind = first + one.pos.shape[1]
        for side, own in zip(out, one, strict=True):
            side[: own.shape[0], first:behind] = own
        first = behind
    return out[0], out[1]
