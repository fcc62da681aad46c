"""Distribution functions of many beta densities at once, each at places of its own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from hitcurve.magnify.beta import BetaDistribution, density, spread, taylor
from hitcurve.magnify.magnification import Magnification
from hitcurve.magnify.pieces import Pair
from hitcurve.magnify.quadrature import Array, gauss_nodes

_POINTS = 8  # on an interval that is narrow


class Betas(Magnification):
    """One beta distribution function for each entry of the leading axis.

    Parameters
    ----------
    parts : sequence of BetaDistribution
        As many as the arguments have lists.
    """

    word: ClassVar[str] = "each"

    def __init__(self, parts: Sequence[BetaDistribution]) -> None:
        self.a, self.b = np.array([f.a for f in parts]), np.array([f.b for f in parts])

    def _with_shapes(self, *places: npt.ArrayLike) -> list[Array]:
        """Return the shapes of each place, and the places."""
        given = [np.asarray(x, float) for x in places]
        axes = (-1, *[1] * (max(x.ndim for x in given) - 1))
        return list(np.broadcast_arrays(self.a.reshape(axes), self.b.reshape(axes), *given))

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return f(x)."""
        from scipy.special import betainc

        return np.asarray(betainc(*self._with_shapes(x)))

    def derivative(self, x: npt.ArrayLike) -> Array:
        """Return the densities."""
        return density(*self._with_shapes(x))

    def mean(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of f over each [x0, x1]."""
        return self.mean_with_slopes(x0, x1)[0]

    def mean_slopes(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Pair:
        """Return how the mean follows x1 and how it follows x0."""
        _, up, dn = self.mean_with_slopes(x0, x1)
        return up, dn

    def mean_with_slopes(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> tuple[Array, Array, Array]:
        """Return the mean, how it follows x1 and how it follows x0."""
        a, b, start, end = self._with_shapes(x0, x1)
        width = end - start
        room = np.minimum(start, 1 - end)
        narrow = ((width < room / 2) & (width < spread(a, b) / 4)) | (width == 0)
        mean, up, dn = (np.empty(width.shape) for _ in range(3))
        for some, make in (
            (narrow, _of_narrow),
            (~narrow & (start < 0.5), _of_wide),
            (~narrow & (start >= 0.5), _late),
        ):
            if some.any():
                mean[some], up[some], dn[some] = make(a[some], b[some], start[some], end[some])
        return mean, up, dn

    def over_wide(self, x0: Array, x1: Array) -> tuple[Array, Array, Array]:
        """Return the same for intervals that all functions share and none of which is narrow: arrays (G, M).

        Their differences lose as many digits as an interval is narrow.
        """
        a, b, out = self.a[:, None], self.b[:, None], np.empty((3, self.a.size, x0.size))
        for some, make in ((x0 < 0.5, _of_wide), (x0 >= 0.5, _late)):
            if some.any():
                out[:, :, some] = make(a, b, x0[some], x1[some])
        return out[0], out[1], out[2]

    def taylor(self, centre: Array, terms: int) -> list[Array]:
        """Return the Taylor coefficients of each function at each centre: arrays (G, M)."""
        a, b, x = self._with_shapes(np.broadcast_to(centre, (self.a.size, centre.size)))
        return taylor(a, b, x, self(x), terms)


def _of_narrow(a: Array, b: Array, x0: Array, x1: Array) -> tuple[Array, Array, Array]:
    from scipy.special import betainc

    nodes, weights = gauss_nodes(_POINTS)
    x = x0[:, None] + nodes * (x1 - x0)[:, None]
    shapes = a[:, None], b[:, None]
    slopes = density(*shapes, x) * weights
    up, dn = np.sum(slopes * nodes, axis=1), np.sum(slopes * (1 - nodes), axis=1)
    return np.sum(betainc(*shapes, x) * weights, axis=1), up, dn


def _of_wide(a: Array, b: Array, x0: Array, x1: Array) -> tuple[Array, Array, Array]:
    from scipy.special import betainc

    width, centre = x1 - x0, a / (a + b)
    at_start, at_end = betainc(a, b, x0), betainc(a, b, x1)
    # of the antiderivative x f(x) - E[rate; rate < x]
    below = centre * (betainc(a + 1, b, x1) - betainc(a + 1, b, x0))
    mean = (x1 * at_end - x0 * at_start - below) / width
    return mean, (at_end - mean) / width, (mean - at_start) / width


def _late(a: Array, b: Array, x0: Array, x1: Array) -> tuple[Array, Array, Array]:
    """Look at it from the other end, where digits are left."""
    mean, up, dn = _of_wide(b, a, 1 - x1, 1 - x0)
    return 1 - mean, dn, up
