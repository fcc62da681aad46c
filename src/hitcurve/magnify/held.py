"""A map of places that may lie outside [0, 1], or run back: those of estimated rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array
from hitcurve.magnify.magnification import Magnification
from hitcurve.magnify.pieces import Pair


@dataclass(frozen=True)
class HeldAtEnds(Magnification):
    """A magnification that is f(0) below 0 and f(1) above 1, over pieces of the axis in either direction.

    Slopes outside are those of the ends, so that what varies there keeps its variance.
    """

    f: Magnification

    def __call__(self, x: npt.ArrayLike) -> Array:
        """Return f at x, or at the end next to it."""
        return self.f(np.clip(np.asarray(x, float), 0.0, 1.0))

    def mean(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Array:
        """Return the average of f between both ends, each held inside."""
        return self.f.mean(*_ascending(x0, x1)[:2])

    def mean_slopes(self, x0: npt.ArrayLike, x1: npt.ArrayLike) -> Pair:
        """Return how the mean follows x1 and how it follows x0."""
        low, high, turned = _ascending(x0, x1)
        of_high, of_low = self.f.mean_slopes(low, high)
        return np.where(turned, of_low, of_high), np.where(turned, of_high, of_low)


def _ascending(x0: npt.ArrayLike, x1: npt.ArrayLike) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """Return the lower and the upper end, inside [0, 1], and where they were given the other way round."""
    start, end = (np.clip(np.asarray(x, float), 0.0, 1.0) for x in (x0, x1))
    return np.minimum(start, end), np.maximum(start, end), np.asarray(start > end)
