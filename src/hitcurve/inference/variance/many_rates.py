"""Values and variances of one list under many beta densities of the rate.

Along a long list a row is so narrow that every distribution function is a polynomial over many rows at once. So rows
are put together in panels, sums over the rows of a panel are taken once for each power, and each density adds up
panels. That is exact to the last digits printed: a panel is a small part of the spread of a density and of the way to
either end of the axis, and rows wider than that are evaluated one by one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hitcurve._cached import cached_property
from hitcurve.counts import AnyArray, Array, Counts, before
from hitcurve.inference.variance.half_subject import WithHalfSubject, of_clusters
from hitcurve.inference.variance.spread import Spread
from hitcurve.magnify.betas import Betas
from hitcurve.magnify.quadrature import gauss_nodes
from hitcurve.metrics import Metric
from hitcurve.metrics.ends import in_range
from hitcurve.sums import Lists

_PANEL = 0.04  # of the logit of the rate: half a standard deviation of the narrowest density of a usual grid
_WIDE = 0.02  # rows that are wider stand alone
_TERMS = 14
_POINTS, _FEW_POINTS = 7, 3  # of Gauss and Legendre: exact for these powers, and where rows are a tenth of a panel
_NOISE = 1e-14  # an area that is rounding


class Moments(NamedTuple):
    """Sums over the rows of one list, for each of many densities: what every metric of the area follows from.

    With ``v`` what a positive of a row is worth and ``D`` how the area follows from the rate of the row and of those
    below it, a positive moves the area by ``v + pi D`` and a negative by ``(1 - pi) D``.

    Attributes
    ----------
    area, by_prevalence : array (G,)
        The area and its derivative by the prevalence.
    pos, neg : array (3, G)
        Sums over the positives and over the negatives of the square of what one of them moves the area by, less its
        mean; of that itself (0 if subjects count 1); and of 1, by their squared weights.
    """

    area: Array
    by_prevalence: Array
    pos: Array
    neg: Array


class _Panel(NamedTuple):
    """Sums over the rows of a panel, for each power of the distance from its centre; the first one is constant."""

    slope: Array
    moved_pos: Array
    moved_neg: Array
    of_pos: Array
    of_neg: Array
    p: float
    q: float


class _Rows:
    """The rows of one list, in panels and alone."""

    def __init__(self, f: Betas, lists: Lists) -> None:
        self._is_occupied = (lists.sums.pos > 0) | (lists.sums.neg > 0)
        self.f, self.sums = f, self.occupied(lists).sums
        c = self.counts = self.sums.counts(lists.prevalence)
        self.start, self.end = np.minimum(before(c.r), 1.0), np.minimum(c.r, 1.0)
        # of weights, or at an assumed prevalence, squares are sums of squared weights
        self.squares = [
            np.asarray(side if squares is None else squares, float)
            for side, squares in (
                (self.sums.pos, self.sums.pos_squares),
                (self.sums.neg, self.sums.neg_squares),
            )
        ]
        with np.errstate(divide="ignore"):
            low, high = (np.log(x) - np.log1p(-x) for x in (self.start, self.end))
        self.wide = ~(high - low < _WIDE)
        with np.errstate(invalid="ignore"):
            place = np.where(self.wide, 0.0, np.floor((low + high) / 2 / _PANEL))
        # a row that is wide, or right below one, or in the next panel
        new = self.wide.copy()
        new[1:] |= self.wide[:-1] | (place[1:] != place[:-1])
        new[0] = True
        self.first = np.flatnonzero(new)
        self.last = np.append(self.first[1:], new.size)
        self.alone = self.wide[self.first]

    def occupied(self, lists: Lists) -> Lists:
        """Return the rows of a list that hold somebody here."""
        return lists if self._is_occupied.all() else lists.of(self._is_occupied)

    @cached_property
    def _centre(self) -> tuple[Array, Array]:
        """Return the middle and half the width of each panel."""
        first, last = self.first[~self.alone], self.last[~self.alone] - 1
        middle, half = (self.end[last] + self.start[first]) / 2, (self.end[last] - self.start[first]) / 2
        return middle, half

    @cached_property
    def _coefficients(self) -> Array:
        """Return the polynomials of each density on each panel, in parts of half its width: (M, G, terms)."""
        middle, half = self._centre
        series = self.f.taylor(middle, _TERMS)
        return np.stack([(term * half**power).T for power, term in enumerate(series)], axis=-1)

    @cached_property
    def _of_alone(self) -> tuple[Array, Array, Array]:
        """Return mean, and slopes by end and start, of each density over the rows that stand alone: (G, W)."""
        return self.f.over_wide(self.start[self.wide], self.end[self.wide])

    @cached_property
    def _powers(self) -> list[tuple[Array, Array, Array]]:
        """Return for each panel the means over rows of powers, and of their slopes with the weights 1 and u.

        Powers before rows.
        """
        made, j = [], np.arange(_TERMS)[:, None]
        for (first, last), middle, half in zip(self._rows, *self._centre, strict=True):
            start, width = (self.start[first:last] - middle) / half, self.end[first:last] - self.start[first:last]
            width /= half
            nodes, weights = gauss_nodes(_FEW_POINTS if width.max() < 0.1 else _POINTS)
            t = start + nodes[:, None] * width
            power = np.ones((_TERMS, *t.shape))
            for degree in range(1, _TERMS):
                np.multiply(power[degree - 1], t, out=power[degree])
            mean, up = np.moveaxis(np.stack([weights, weights * nodes]) @ power, 1, 0)
            # the slope of a power is a multiple of the one before it
            made.append((mean, *(j / half * np.roll(side, 1, axis=0) for side in (mean, up))))
        return made

    @property
    def _rows(self) -> list[tuple[int, int]]:
        """The first row of each panel, and the first below it."""
        return list(zip(self.first[~self.alone].tolist(), self.last[~self.alone].tolist(), strict=True))

    def area(self, p: Array) -> Array:
        """Return the area under each density, of such shares of the positives in each row."""
        total = np.einsum("gw,w->g", 1 - self._of_alone[0], p[self.wide])
        if self._rows:
            parts = zip(self._rows, self._powers, strict=True)
            found = np.array([mean @ p[first:last] for (first, last), (mean, _, _) in parts])
            # of 1 less the function, whose constants stay together: nothing is found far above every positive
            total += np.einsum("mg,m->g", 1 - self._coefficients[..., 0], found[:, 0])
            total -= np.einsum("mgj,mj->g", self._coefficients[..., 1:], found[:, 1:])
        return np.where(np.abs(total) < _NOISE, 0.0, total)

    def _panel(self, rows: slice, powers: tuple[Array, Array, Array]) -> _Panel:
        c, (mean, slope, up) = self.counts, powers
        p, q = c.p[rows], c.q[rows]
        weighted = p * slope
        below = np.cumsum(weighted[:, ::-1], axis=1)[:, ::-1] - weighted + p * up
        of_pos, of_neg = mean + float(c.pi) * below, below.copy()
        of_neg[0] = 1.0  # as the first of the positives is: the place of a constant
        return _Panel(
            slope @ p,
            below @ p,
            below @ q,
            (of_pos * self.squares[0][rows]) @ of_pos.T,
            (of_neg * self.squares[1][rows]) @ of_neg.T,
            float(p.sum()),
            float(q.sum()),
        )

    @cached_property
    def moments(self) -> Moments:
        """The moments under each density."""
        c = self.counts
        made = [self._panel(slice(*rows), powers) for rows, powers in zip(self._rows, self._powers, strict=True)]
        slope, moved_pos, moved_neg, of_pos, of_neg, p, q = (
            (np.array(column) for column in zip(*made, strict=True))
            if made
            else (np.zeros((0, *shape)) for shape in ([_TERMS],) * 3 + ([_TERMS] * 2,) * 2 + ([],) * 2)
        )
        k, pi = self._coefficients, float(c.pi)
        mean, up, dn = self._of_alone
        p_alone, q_alone = c.p[self.wide], c.q[self.wide]
        # what the groups below each have together
        slopes = np.empty((self.f.a.size, self.first.size))
        slopes[:, ~self.alone] = np.einsum("mgj,mj->gm", k, slope)
        slopes[:, self.alone] = p_alone * (up + dn)
        below = np.cumsum(slopes[:, ::-1], axis=1)[:, ::-1] - slopes
        in_panel, in_alone = below[:, ~self.alone], below[:, self.alone] + p_alone * up

        def total(of_panel: Array, constant: Array, share: Array, of_alone: Array, alone: Array) -> Array:
            panels = np.einsum("mgj,mj->g", k, of_panel) + np.einsum("gm,m->g", constant, share)
            return np.asarray(panels + np.einsum("gw,w->g", of_alone, alone))

        area = self.area(c.p)
        # D is less than 0: the sums are those of -D
        by_pos = total(moved_pos, in_panel, p, in_alone, p_alone)
        by_neg = total(moved_neg, in_panel, q, in_alone, q_alone)

        def spread(sums: Array, constant: Array, of_alone: Array, squares: Array) -> Array:
            # of the vectors whose products were summed; constants are added before anything is squared
            vector = np.concatenate([constant.T[..., None], k[..., 1:]], axis=-1)
            products = np.matmul(vector, sums)
            plain = np.einsum("mg->g", products[..., 0]) + np.einsum("gw,w->g", of_alone, squares[self.wide])
            square = np.einsum("mgj,mgj->g", products, vector)
            square = square + np.einsum("gw,gw,w->g", of_alone, of_alone, squares[self.wide])
            return np.stack([square, plain, np.full(plain.shape, squares.sum())])

        mean_pos, mean_neg = area - pi * by_pos, by_neg  # of v + pi D, and of -D
        pos = spread(
            of_pos,
            k[..., 0].T - 1 + mean_pos[:, None] + pi * in_panel,
            mean + pi * in_alone - 1 + mean_pos[:, None],
            self.squares[0],
        )
        neg = spread(of_neg, in_panel - mean_neg[:, None], in_alone - mean_neg[:, None], self.squares[1])
        signs = np.array([[1.0], [-1.0], [1.0]])
        scale = np.array([[(1 - pi) ** 2], [1 - pi], [1.0]])
        return Moments(area, by_neg - by_pos, pos * signs, neg * signs * scale)


class UnderDensities:
    """One list under many beta densities of the rate, whatever the metric.

    Parameters
    ----------
    f : Betas
        The distribution functions.
    lists : Lists
        The list.
    """

    def __init__(self, f: Betas, lists: Lists) -> None:
        self.f, self.lists = f, lists.folded(negatives_join=False)
        self.with_half_subject = self.lists.with_half_subject

    @cached_property
    def _rows(self) -> _Rows:
        return _Rows(self.f, self.with_half_subject)

    @cached_property
    def _own_rows(self) -> _Rows:
        return _Rows(self.f, self.lists)

    @cached_property
    def area(self) -> Array:
        """The areas."""
        # half a subject more moves no row, unless it is spread at a prevalence that was not observed
        rows = self._rows if self.lists.prevalence is None else self._own_rows
        return rows.area(rows.occupied(self.lists).counts.p)

    @cached_property
    def moments(self) -> Moments:
        """The moments with half a subject more."""
        return self._rows.moments

    @cached_property
    def own_moments(self) -> Moments:
        """The moments of the list itself."""
        return self._own_rows.moments

    def spread(self, metric: Metric, design: str) -> Spread:
        """Return how far a metric under each density may be from the truth.

        Parameters
        ----------
        metric : Metric
            Along the rate, with a density for each list.
        design : {"cohort", "case-control"}
        """
        every = np.arange(self.f.a.size)
        return _Spread(metric, self.lists.classes(every.size), design, under=self, which=every)


@dataclass(frozen=True, kw_only=True)
class _Spread(Spread):
    """How far metrics that differ in the density may be from the truth: the rows are the classes alone.

    Attributes
    ----------
    under : UnderDensities
    which : array of int
        Which of its densities these are.
    """

    under: UnderDensities
    which: AnyArray

    def of(self, lists: Any) -> Spread:
        """Return some of the lists of the leading axis."""
        own = super().of(lists)
        which = self.which[lists]
        return _Spread(own.metric, own.rows, own.design, own.clustered, under=self.under, which=which)

    def _of_these(self, moments: Moments) -> Moments:
        return Moments(*(part[..., self.which] for part in moments))

    @cached_property
    def value(self) -> Array:
        """The plug-in value."""
        return in_range(self.metric, _scaled(self.metric, self.counts, self.under.area[self.which]))

    @cached_property
    def _variance(self) -> Array:
        if self.clustered is not None:
            return super()._variance
        return _variance(self.metric, self.counts, self._of_these(self.under.own_moments), self.design)

    @cached_property
    def with_half_subject(self) -> WithHalfSubject:
        """What half a subject more makes of the metrics."""
        c, m = self.under.with_half_subject.classes(self.which.size).counts, self._of_these(self.under.moments)
        variance = of_clusters(self, _variance(self.metric, c, m, self.design))
        return WithHalfSubject(_scaled(self.metric, c, m.area), variance, self.bounds_of(c))


def _scaled(metric: Any, c: Counts, area: Array) -> Array:
    scale = metric.rescale(c)
    return np.asarray(scale.offset + scale.factor * area)


def _variance(metric: Any, c: Counts, m: Moments, design: str) -> Array:
    """Return the variance of metrics that follow the area and the prevalence."""
    factor, slope = np.asarray(metric.rescale(c).factor), metric.rescale_slope(c)
    by_prevalence = slope.offset + slope.factor * m.area + factor * m.by_prevalence
    sampled = design == "cohort" and c.prevalence is None
    total = np.zeros(m.area.shape)
    shares = ((m.pos, c.n1, 1 - c.pi), (m.neg, c.n0, -c.pi))
    for (square, plain, one), number, share in shares:
        each, all_alike = factor / number, by_prevalence * share / c.n if sampled else 0.0
        total += each**2 * square + 2 * each * all_alike * plain + all_alike**2 * one
    return np.maximum(total, 0.0)  # sums of squares: what is below 0 is rounding, where all subjects are alike
