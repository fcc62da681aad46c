"""Average precision: lengths of the tilting path by formula, of many positives most of which share no score."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from hitcurve.counts import AnyArray, Array, Counts
from hitcurve.inference.models import Places, pivot
from hitcurve.inference.models.end_model import Search, ends_of, rows_of
from hitcurve.inference.models.fiducial import Binormals, mostly_tied
from hitcurve.inference.quantiles import t_quantile
from hitcurve.sums import Lists

FEWEST, FEWEST_NEGATIVES = 50, 20  # subjects of a class; the formula is fitted to no fewer
_ALONG = np.array([-2.5, -0.9, 0.9, 2.5])  # models along the line of a list, in fiducial standard deviations
_FARTHEST = 2.3  # normal deviates up to which the tables of the fit reach
# lengths depend little on the end, and the path of many positives bends little: errors of .003 of half a width
_SEARCH = Search(nodes=12, mostly=7, steps=3, share=1.0)
_TINY = 1e-300


@dataclass(frozen=True)
class EndFormula:
    """What intervals of all levels of average precision share, of those of many lists for which the formula is.

    The models are along a line through the fit of a list, on which they are the fiducial means given their average
    precision. Quantiles of the lengths are cubics of a normal deviate whose coefficients are those of four models, and
    cubics of the logit between these.

    Attributes
    ----------
    there : array of bool (...)
        For which of the lists the formula is: L of them.
    joined : Counts (L, K)
        Canonical rows, negatives joined (see ``Counts.folded``).
    log_odds : array (4, L)
        Logit of average precision of the models, ascending.
    cubics : array (4, L, 4)
        Coefficients of the cubics of a normal deviate.
    """

    there: AnyArray
    joined: Counts
    log_odds: Array
    cubics: Array

    @classmethod
    def of(cls, lists: Lists) -> Self:
        """Take models of unweighted cohorts."""
        n1, n0 = (np.asarray(side.sum(axis=-1)) for side in (lists.sums.pos, lists.sums.neg))
        there = ((n1 >= FEWEST) & (n0 >= FEWEST_NEGATIVES)).ravel()
        joined = rows_of(lists, negatives_join=True)
        if not there.any():
            return cls(there.reshape(lists.shape), _some(joined, there), np.zeros((4, 0)), np.zeros((4, 0, 4)))
        apart = _some(rows_of(lists, negatives_join=False), there)
        with np.errstate(all="ignore"):
            alone = not lists.shape
            places = [Places.of_list(lists.counts)] if alone else map(Places.even, _each(apart))
            models = _along(apart, list(places))
            log_odds = models.log_odds.reshape(_ALONG.size, -1)
            size = _for_each(apart.n)
            nature = np.array(pivot.nature_of(models.mean, models.spread, models.prevalence, size)).T
            fits = pivot.fits(models.mean, log_odds.ravel(), nature).reshape(log_odds.shape)
            cubics = (pivot.quadratic(nature) @ pivot.COEFFICIENTS.T).reshape(*log_odds.shape, 4)
            rises = (log_odds[1:] > log_odds[:-1]).all(axis=0)
        own = fits.all(axis=0) & rises & ~mostly_tied(apart)
        there[there] = own
        return cls(there.reshape(lists.shape), _some(joined, there), log_odds[:, own], cubics[:, own])

    def ends(self, level: float) -> Array:
        """Return the ends of the interval of each list, (2, L)."""
        return ends_of(self.joined, self.quantiles(level, self.joined.n1 - 1), level, _SEARCH)

    def beside(self, level: float, drawn: Callable[[AnyArray], Array]) -> Array:
        """Return the ends of all lists, (2, N), those for which the formula is not from models that are drawn."""
        there = self.there.ravel()
        ends = np.empty((2, there.size))
        if there.any():
            ends[:, there] = self.ends(level)
        if not there.all():
            ends[:, ~there] = drawn(~self.there)
        return ends

    def quantiles(self, level: float, degrees: Array) -> Newton:
        """Return the lower and upper quantile as functions of the logit that is true.

        Quantiles beyond those of the tables of the fit are as far beyond them as those of t.
        """
        p = (1 + level) / 2
        z = min(float(t_quantile(p, np.inf)), _FARTHEST)
        terms = pivot.hermite(np.array([-z, z]))
        farther: Array | float = 1.0
        if z == _FARTHEST:
            from scipy.special import ndtr

            farther = np.asarray(t_quantile(p, degrees) / t_quantile(float(ndtr(z)), degrees))
        return Newton.through(self.log_odds, farther * np.einsum("mlc,sc->msl", self.cubics, terms))


@dataclass(frozen=True)
class Newton:
    """The polynomial through points, beyond the first and last of which it keeps its value.

    Attributes
    ----------
    x : array (M, L)
    divided : array (M, 2, L)
        Divided differences.
    """

    x: Array
    divided: Array

    @classmethod
    def through(cls, x: Array, y: Array) -> Self:
        """Take points at M places."""
        divided = y.copy()
        for k in range(1, x.shape[0]):
            divided[k:] = (divided[k:] - divided[k - 1 : -1]) / (x[k:] - x[:-k])[:, None]
        return cls(x, divided)

    def __call__(self, x: Array) -> Array:
        """Return the values at places (2, L)."""
        x = np.minimum(np.maximum(x, self.x[0]), self.x[-1])
        found = self.divided[-1]
        for k in range(self.x.shape[0] - 2, -1, -1):
            found = found * (x - self.x[k]) + self.divided[k]
        return np.asarray(found)


def _some(rows: Counts, which: AnyArray) -> Counts:
    return rows if which.all() else Counts(rows.pos[which], rows.neg[which])


def _each(rows: Counts) -> Iterator[Counts]:
    return (Counts(*own) for own in zip(rows.pos, rows.neg, strict=True))


def _along(apart: Counts, places: Sequence[Places]) -> Binormals:
    """Return models on the line through the fit of each list along which their logit changes most by chance, (4 L,).

    Mean, logarithm of the spread and logit of the prevalence are normal around the fit, with the variances of normal
    samples of both classes.
    """
    n1, n0 = np.asarray(apart.n1, float), np.asarray(apart.n0, float)
    mean = np.array([own.centre for own in places])
    spread = np.maximum([own.deviation for own in places], _TINY)
    pi = (n1 + 0.5) / (n1 + n0 + 1)
    by_mean, by_spread, by_prevalence = Binormals(mean, spread, pi).slopes
    # negatives are what both are measured by
    both = mean / (2 * n0)
    of_mean = spread**2 / n1 + (1 + mean**2 / 2) / n0
    of_spread = 1 / (2 * (n1 - 1)) + 1 / (2 * n0)
    moves = np.array(
        [
            of_mean * by_mean + both * by_spread,
            both * by_mean + of_spread * by_spread,
            by_prevalence / ((n1 + n0) * pi * (1 - pi)),
        ]
    )
    moves /= np.sqrt(moves[0] * by_mean + moves[1] * by_spread + moves[2] * by_prevalence)
    along = (_ALONG[:, None] * moves[:, None]).reshape(3, -1)
    odds = _for_each(pi / (1 - pi)) * np.exp(along[2])
    return Binormals(_for_each(mean) + along[0], _for_each(spread) * np.exp(along[1]), odds / (1 + odds))


def _for_each(of_lists: Array) -> Array:
    """Return what lists have for each of their models, (4 L,)."""
    return np.concatenate([of_lists] * _ALONG.size)
