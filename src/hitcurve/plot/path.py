"""The line of a curve: its vertices, what lies between them, and no more points than the eye can tell apart.

Between two vertices a curve follows the counts, so on most axes it is no chord: points are put in until no place is
off by more than the tolerance. A curve of very many vertices loses those without which it is off by no more than that.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from hitcurve.counts import Array
from hitcurve.plot.scales import LINEAR, Scale

TOLERANCE = 1 / 2000  # of the height of the axes: a fifth of a pixel
MANY = 2000  # vertices; a curve of fewer keeps them all
_NARROWEST = 1e-7  # of the width of the axes


class Drawable(Protocol):
    """A line known at every x: a curve, or an edge of a band."""

    @property
    def x(self) -> Array:
        """Vertices, ascending."""
        ...

    @property
    def y(self) -> Array:
        """Heights of the vertices."""
        ...

    def at(self, x: npt.ArrayLike) -> object:
        """Return the height at x."""
        ...


class Path(NamedTuple):
    """Points of a line, and which of them are vertices of the curve."""

    x: Array
    y: Array
    is_vertex: npt.NDArray[np.bool_]


def traced(
    curve: Drawable, ends: tuple[float, float], height: float, x_scale: Scale = LINEAR, y_scale: Scale = LINEAR
) -> Path:
    """Return the line of a curve between two x, straight between its points on the axes it is drawn on.

    Parameters
    ----------
    curve : Curve or SampledCurve
    ends : (float, float)
        What the axes show, finite.
    height : float
        Of the axes, on its scale: the line is nowhere off by more than ``TOLERANCE`` of it.
    x_scale, y_scale : Scale
    """
    path = _inside(curve, ends)
    if not path.x.size:
        return path
    tolerance = TOLERANCE * height
    # of the two, a point put in and a vertex left out, each takes half
    path = _with_points_between(curve, path, x_scale, y_scale, tolerance / 2)
    if path.x.size <= MANY:
        return path
    kept = thinned(x_scale.forward(path.x), y_scale.forward(path.y), tolerance / 2)
    return Path(path.x[kept], path.y[kept], path.is_vertex[kept])


def visible(curve: Drawable, ends: tuple[float, float]) -> tuple[float, float]:
    """Return the lowest and the highest point between two x."""
    y = _inside(curve, ends).y
    return float(y.min()), float(y.max())


def _inside(curve: Drawable, ends: tuple[float, float]) -> Path:
    low, high = max(ends[0], curve.x[0]), min(ends[1], curve.x[-1])
    if not low < high:
        return Path(np.empty(0), np.empty(0), np.empty(0, bool))
    inside = (curve.x >= low) & (curve.x <= high)
    x, y = curve.x[inside], curve.y[inside]
    vertex = np.ones(x.size, bool)
    for at_start, end in ((True, low), (False, high)):
        if not x.size or x[0 if at_start else -1] != end:
            at = 0 if at_start else x.size
            x, y = np.insert(x, at, end), np.insert(y, at, np.asarray(curve.at(end), float))
            vertex = np.insert(vertex, at, False)
    return Path(x, y, vertex)


def _with_points_between(curve: Drawable, path: Path, x_scale: Scale, y_scale: Scale, tolerance: float) -> Path:
    """Divide the pieces in three, again and again, where the curve is off its chord."""
    x, y, vertex = path
    width = float(np.ptp(x_scale.forward(x)))
    pieces = np.arange(x.size - 1)
    while pieces.size:
        u, v = x_scale.forward(x), y_scale.forward(y)
        left, step = u[pieces], np.diff(u)[pieces]
        pieces = pieces[step > _NARROWEST * width]
        left, step = u[pieces], u[pieces + 1] - u[pieces]
        places = np.stack([left + step / 3, left + step * 2 / 3])
        inner_x = np.clip(x_scale.backward(places), x[pieces], x[pieces + 1])
        inner_y = np.asarray(curve.at(inner_x), float)
        rise = v[pieces + 1] - v[pieces]
        chord = np.stack([v[pieces] + rise / 3, v[pieces] + rise * 2 / 3])
        off = np.abs(y_scale.forward(inner_y) - chord).max(axis=0)
        # a convex piece is off its chord by at most half as much again as at one of the thirds
        bent = off > tolerance / 1.5
        pieces, inner_x, inner_y = pieces[bent], inner_x[:, bent], inner_y[:, bent]
        places_in = np.repeat(pieces + 1, 2)
        x = np.insert(x, places_in, inner_x.T.ravel())
        y = np.insert(y, places_in, inner_y.T.ravel())
        vertex = np.insert(vertex, places_in, False)
        moved = pieces + 2 * np.arange(pieces.size)
        pieces = (moved[:, None] + np.arange(3)).ravel()
    return Path(x, y, vertex)


def thinned(x: Array, y: Array, tolerance: float) -> npt.NDArray[np.intp]:
    """Return which points to keep so that the line through them is off by no more than the tolerance in y.

    The point that is farthest off its chord is kept, in all pieces at once, until none is off (Ramer 1972, with the
    vertical distance).

    Parameters
    ----------
    x, y : array (m,)
        x ascending; where it stays, y goes one way.
    tolerance : float

    Returns
    -------
    array of int
        Ascending, the first and the last point among them.
    """
    kept = np.array([0, x.size - 1])
    while True:
        piece = np.repeat(np.arange(kept.size - 1), np.diff(kept))
        left, right = kept[piece], kept[piece + 1]
        inner = slice(0, x.size - 1)
        width = x[right] - x[left]
        share = np.divide(x[inner] - x[left], width, out=np.zeros(width.shape), where=width > 0)
        chord = y[left] + share * (y[right] - y[left])
        off = np.where(width > 0, np.abs(y[inner] - chord), 0.0)
        worst = np.maximum.reduceat(off, kept[:-1])
        found = np.flatnonzero((off >= worst[piece]) & (worst[piece] > tolerance))
        if not found.size:
            return kept
        _, first = np.unique(piece[found], return_index=True)
        kept = np.union1d(kept, found[first])
