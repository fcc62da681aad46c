"""What an average curve is between its points: known at every x, with its area.

Along the rate all groups go straight in TPR and FPR, so their means do too, and precision and lift are such means over
the rate. A vertical average is the mean of the curves themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array
from hitcurve.curve import Curve, CurveKind

TOLERANCE = 1 / 2000  # of the height: what straight lines between the points of an average may be off
_MOST_ROUNDS = 14  # each divides a piece in three
_HAIR = 4 * np.finfo(float).eps  # an x no farther from a vertex is that of the vertex
Points: TypeAlias = tuple[Array, Array]


class Line(Protocol):
    """The whole line of an average."""

    def at(self, x: Array, side: str) -> Array:
        """Return y at x; where the line is vertical, its end that is reached first (left) or last (right)."""
        ...

    def area(self) -> float:
        """Return the area under the line."""
        ...


@dataclass(frozen=True)
class MeanOfCurves:
    """The mean of several curves at the same x, between two x that all of them have."""

    curves: tuple[Curve, ...]
    low: float
    high: float

    def at(self, x: Array, side: str) -> Array:
        """Return the mean of the heights of the curves."""
        return mean_of(c.at(x, side) for c in self.curves)

    def on_both_sides(self, x: Array) -> tuple[Points, Points]:
        """Return the points at x, before and after the line is vertical there."""
        return (x, self.at(x, "left")), (x, self.at(x, "right"))

    def area(self) -> float:
        """Return the mean of the areas under the curves."""
        return float(mean_of(c.area((self.low, self.high)) for c in self.curves))


@dataclass(frozen=True)
class AlongParameter:
    """A line whose x, and whose y or y times the parameter, are straight in a parameter between vertices.

    Attributes
    ----------
    u : array (m,)
        The parameter, ascending from 0.
    x, y : array (m,)
        At its vertices.
    over_parameter : bool
        Whether y times the parameter is straight, and not y.
    """

    u: Array
    x: Array
    y: Array
    over_parameter: bool = False

    def at(self, x: Array, side: str) -> Array:
        """Return y at x."""
        near = x + _HAIR if side == "right" else x - _HAIR
        after = np.clip(np.searchsorted(self.x, near, side), 1, self.x.size - 1)  # type: ignore[call-overload]
        before = after - 1
        width = self.x[after] - self.x[before]
        share = np.divide(x - self.x[before], width, out=np.full(np.shape(x), float(side == "right")), where=width > 0)
        share = np.clip(share, 0.0, 1.0)
        y = self.y[before] + share * (self.y[after] - self.y[before])
        if not self.over_parameter:
            return np.asarray(y)
        u = self.u[before] + share * (self.u[after] - self.u[before])
        ends = self.u * self.y
        product = ends[before] + share * (ends[after] - ends[before])
        # a vertex is itself, and the first is a limit
        is_between = (share > 0) & (share < 1) & (u > 0)
        return np.asarray(np.divide(product, u, out=np.asarray(y, float), where=is_between))

    def points_at(self, u: Array) -> Points:
        """Return x and y at places of the parameter."""
        x, y = np.interp(u, self.u, self.x), np.interp(u, self.u, self.y)
        if self.over_parameter:
            at_vertex = self.u[np.clip(np.searchsorted(self.u, u), 0, self.u.size - 1)] == u
            product = np.interp(u, self.u, self.u * self.y)
            y = np.divide(product, u, out=y, where=~at_vertex)
        return x, y

    def area(self) -> float:
        """Return the area, of each piece in closed form."""
        if not self.over_parameter:
            return float(np.trapezoid(self.y, self.x))
        u, step = self.u[:-1], np.diff(self.u)
        ends = self.u * self.y
        there = step > 0
        u, step, rise, run, first = (side[there] for side in (u, step, np.diff(ends), np.diff(self.x), ends[:-1]))
        slope = rise / step
        offset = first - slope * u  # y = offset / u + slope
        growth = np.log1p(np.divide(step, u, out=np.zeros(u.shape), where=u > 0))
        return float(np.sum(run / step * (offset * growth + rise)))


def mean_of(values: Iterable[npt.ArrayLike]) -> Array:
    """Return the mean of arrays one by one; of equal ones it is the same to the last bit."""
    first, off, n = np.zeros(0), np.zeros(0), 0
    for n, value in enumerate(values, 1):
        if n == 1:
            first = np.asarray(value, float)
            off = np.zeros(first.shape)
        else:
            off += np.asarray(value, float) - first
    return np.asarray(first + off / n)


def is_bent(kind: CurveKind) -> bool:
    """Say whether a curve bends between its vertices."""
    return not kind.is_straight or kind.magnified or kind.picture.x_scale == "log10"


def points_of(c: Curve) -> Points:
    """Return the vertices of a curve, and between them points as :func:`with_points_between`."""
    if not is_bent(c.kind):
        return c.x, c.y
    line = MeanOfCurves((c,), float(c.x[0]), float(c.x[-1]))
    # between vertices at one x nothing is put, so that their order is kept
    between = np.setdiff1d(with_points_between(np.unique(c.x), line.on_both_sides), c.x)
    if c.axis.has_flats:  # all that lies before it is at the first x, the beginning of a row too
        between = np.append(c.x[0], between)
    after = np.searchsorted(c.x, between, "right")
    return np.insert(c.x, after, between), np.insert(c.y, after, line.at(between, "right"))


def with_points_between(places: Array, points: Callable[[Array], tuple[Points, Points]]) -> Array:
    """Return places of a bent line such that straight lines between them are off by no more than the tolerance.

    Parameters
    ----------
    places : array (m,)
        Ascending.
    points : callable
        From places to the points (x, y) of the line there, before and after it is vertical.
    """
    (_, last), (_, first) = points(places)
    size = float(max(last.max(), first.max()) - min(last.min(), first.min()))
    pieces = np.flatnonzero(np.isfinite(places[:-1]))
    starts, ends = places[pieces], places[pieces + 1]
    for _ in range(_MOST_ROUNDS):
        if not starts.size:
            break
        corners = np.stack([starts, starts + (ends - starts) / 3, starts + (ends - starts) * 2 / 3, ends])
        (x, y), (x_after, y_after) = (
            (side.reshape(corners.shape) for side in ends_of) for ends_of in points(corners.ravel())
        )
        x0, y0, x1, y1 = x_after[0], y_after[0], x[3], y[3]
        share = np.divide(x[1:3] - x0, x1 - x0, out=np.zeros(x[1:3].shape), where=x1 > x0)
        off = np.abs(y[1:3] - (y0 + share * (y1 - y0))).max(axis=0)
        # a convex piece is off its chord by at most half as much again as at one of the thirds
        bent = (off > TOLERANCE * size / 1.5) & (x1 > x0)
        corners = corners[:, bent]
        places = np.union1d(places, corners[1:3].ravel())
        starts, ends = corners[:3].T.ravel(), corners[1:].T.ravel()
    return places
