"""Curves as they are drawn: few points, and a bound on how far the line may be from the curve."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from hitcurve import rows
from hitcurve.counts import Array, Counts
from hitcurve.magnify import Exponential
from hitcurve.table import HitTable

TOLERANCE = 0.003  # of an axis: less than the width of the line
ROUGH = 0.008  # of an axis, where there are many lines
_PIECES = 48  # of a row along which a curve bends
_SEEN = 150  # vertices, about, that can be pointed at

Mask = npt.NDArray[np.bool_]
Map = Callable[["Points"], tuple[Array, Array]]


@dataclass(frozen=True)
class Points:
    """Points along the counts of one table: its vertices, and more where a curve bends between two of them."""

    counts: Counts
    P: Array
    Q: Array
    vertex: npt.NDArray[np.intp]
    """Number of the vertex, -1 between two."""

    def precision(self, prevalence: float | None = None) -> Array:
        """Return precision at a prevalence; at the start its limit along the counts."""
        c = self.counts
        if prevalence is not None:
            c = Counts(c.pos, c.neg, prevalence)
        y = np.append(0.0, c.precision)
        y[0] = y[1]
        return y

    def magnified(self, alpha: float) -> Array:
        """Return the FPR on a magnified axis."""
        return np.asarray(Exponential(alpha)(self.Q))


def points_of(table: HitTable) -> Points:
    """Return the vertices, with points between them where a row of counts is drawn as a bend."""
    c = table.counts
    filled = np.flatnonzero((np.asarray(c.pos) > 0) | (np.asarray(c.neg) > 0))
    P, Q = np.append(0.0, c.P[filled]), np.append(0.0, c.Q[filled])
    bends = np.flatnonzero(np.diff(P) > TOLERANCE)
    inner = np.unique(np.append(np.geomspace(1e-4, 1, _PIECES)[:-1], np.linspace(0, 1, _PIECES)[1:-1]))
    places = np.concatenate([np.arange(P.size, dtype=float), (bends[:, None] + inner).ravel()])
    order = np.argsort(places, kind="stable")
    places = places[order]
    whole = np.arange(P.size, dtype=float)
    P, Q = np.interp(places, whole, P), np.interp(places, whole, Q)
    vertex = np.where(order < whole.size, order, -1)
    counts = Counts(np.diff(P) * float(c.n1), np.diff(Q) * float(c.n0), float(c.pi), weighted=True)
    return Points(counts, P, Q, vertex)


@dataclass(frozen=True)
class Drawn:
    """The points of one ranker that are drawn, and the values at those that are vertices.

    Attributes
    ----------
    points : Points
        Of these points only.
    line : array of bool
        Whether a point belongs to the lines; the others are there to be pointed at.
    off : float
        Largest distance of a line from its curve, in parts of an axis.
    rate, precision, lift, called, hits, alarms : array
        What is read off at each point; counts are those of vertices.
    thresholds : tuple of str
        Empty if the table has no scores.
    """

    points: Points
    line: Mask
    off: float
    rate: Array
    precision: Array
    lift: Array
    called: Array
    hits: Array
    alarms: Array
    thresholds: tuple[str, ...]


def draw(
    table: HitTable, alphas: Sequence[float], prevalences: Sequence[float], *, higher_is_better: bool = True
) -> Drawn:
    """Choose the points of the curves of one table.

    Parameters
    ----------
    alphas, prevalences : sequence of float
        At all of which the lines must be true to the curves.
    higher_is_better : bool
        Whether thresholds are those of the table, or their negatives.
    """
    every = points_of(table)
    maps = [*_LOGARITHMIC, *(_magnified(alpha) for alpha in _some(alphas))]
    maps += [_precision(None), *(_precision(pi) for pi in _some(prevalences))]
    kept = thin(every, maps, TOLERANCE)
    checked = [*_LOGARITHMIC, *map(_magnified, alphas), _precision(None), *map(_precision, prevalences)]
    off = max(float(np.max(distances(every, kept, one))) for one in checked)
    at = np.flatnonzero(kept | _to_point_at(every))
    vertex = every.vertex[at]
    between, place = vertex < 0, np.maximum(vertex, 0)
    # values at a vertex are those of the curves
    accumulation, roc = table.curve("accumulation"), table.curve("roc")
    precision, lift = table.curve("precision_recall").y[place], table.curve("lift").y[place]
    c = table.counts
    filled = np.append(-1, np.flatnonzero((np.asarray(c.pos) > 0) | (np.asarray(c.neg) > 0)))[place]
    hits, alarms = (np.where(filled < 0, 0, np.asarray(total)[filled]) for total in (c.H, c.B))
    return Drawn(
        Points(_joined(every.counts, at), every.P[at], every.Q[at], vertex),
        kept[at],
        off,
        np.where(between, np.append(0.0, every.counts.r)[at], accumulation.x[place]),
        np.where(between, every.precision()[at], precision),
        np.where(between, math.nan, lift),
        hits + alarms,
        hits,
        alarms,
        _thresholds(roc.threshold, roc.exclusive, vertex, higher_is_better=higher_is_better),
    )


@dataclass(frozen=True)
class Sketch:
    """The points of one ranker that are drawn where its curves are only looked at.

    Attributes
    ----------
    rate, recall, fpr, precision : array
    off : float
        Largest distance of a line from its curve, in parts of an axis.
    """

    rate: Array
    recall: Array
    fpr: Array
    precision: Array
    off: float


def sketch(table: HitTable) -> Sketch:
    """Choose few points of the curves of one table."""
    every = points_of(table)
    maps: list[Map] = [*_LOGARITHMIC, lambda p: (p.Q, p.P), _precision(None)]
    kept = thin(every, maps, ROUGH)
    off = max(float(np.max(distances(every, kept, one))) for one in maps)
    at = np.flatnonzero(kept)
    rate = np.append(0.0, every.counts.r)[at]
    return Sketch(rate, every.P[at], every.Q[at], every.precision()[at], off)


def _joined(c: Counts, at: npt.NDArray[np.intp]) -> Counts:
    """Return the counts between the points that were chosen."""
    H, B = np.append(0.0, c.H)[at], np.append(0.0, c.B)[at]
    return Counts(np.diff(H), np.diff(B), c.prevalence, weighted=True)


def _thresholds(
    threshold: Array | None, exclusive: Mask, vertex: npt.NDArray[np.intp], *, higher_is_better: bool
) -> tuple[str, ...]:
    if threshold is None:
        return ()
    out = []
    for place in vertex.tolist():
        if place < 0:
            out.append("")
        elif math.isinf(threshold[place]):
            out.append("none selected" if place == 0 else "all selected")
        else:
            strict, loose = (
                (">", "\N{GREATER-THAN OR EQUAL TO}") if higher_is_better else ("<", "\N{LESS-THAN OR EQUAL TO}")
            )
            score = float(threshold[place]) if higher_is_better else 0.0 - float(threshold[place])
            out.append(f"{strict if exclusive[place] else loose} {rows.short(score, 6)}")
    return tuple(out)


# ---- thinning


def _some(values: Sequence[float]) -> list[float]:
    """Return both ends and some between: lines that are true to these are true to all, which is then checked."""
    return [values[i] for i in sorted({0, len(values) - 1, *range(0, len(values), max(len(values) // 8, 1))})]


def _magnified(alpha: float) -> Map:
    return lambda p: (p.magnified(alpha), p.P)


def on_logarithmic_axis(x: Array, least: float) -> Array:
    """Return places on a logarithmic axis from 0 at the least value to 1."""
    return np.asarray(1 - np.log(np.maximum(x, least)) / math.log(least))


def least_rate(n: float) -> float:
    """Return where a logarithmic axis of rates begins: at one subject; weights may sum to less."""
    return min(1 / n, 0.01)


def least_recall(n_pos: float) -> float:
    """Return where a logarithmic axis of recall begins: at one positive, and a decade before the end at least."""
    return min(1 / n_pos, 0.1)


def _log_rate(points: Points) -> tuple[Array, Array]:
    return on_logarithmic_axis(np.append(0.0, points.counts.r), least_rate(float(points.counts.n))), points.P


def _log_fpr(points: Points) -> tuple[Array, Array]:
    return on_logarithmic_axis(points.Q, least_rate(float(points.counts.n))), points.P


def _log_recall(points: Points) -> tuple[Array, Array]:
    return on_logarithmic_axis(points.P, least_recall(float(points.counts.n1))), points.precision()


_LOGARITHMIC: tuple[Map, ...] = (_log_rate, _log_fpr, _log_recall)


def _precision(prevalence: float | None) -> Map:
    return lambda p: (p.P, p.precision(prevalence))


def thin(points: Points, maps: Sequence[Map], tolerance: float) -> Mask:
    """Keep the points without which a line would pass too far from one that is left out."""
    return thinned([one(points) for one in maps], tolerance)


def thinned(lines: Sequence[tuple[Array, Array]], tolerance: float) -> Mask:
    """Keep the same points of several lines, so that none is too far from those left out (Douglas and Peucker)."""
    X, Y = np.stack([x for x, _ in lines]), np.stack([y for _, y in lines])
    keep = np.zeros(X.shape[1], bool)
    keep[[0, -1]] = True
    stack = [(0, keep.size - 1)]
    while stack:
        i, j = stack.pop()
        if j - i < 2:
            continue
        part = slice(i, j + 1)
        far = np.max(_from_chord(X[:, part], Y[:, part]), axis=0)
        k = int(far.argmax())
        if far[k] > tolerance:
            keep[i + k] = True
            stack += [(i, i + k), (i + k, j)]
    return keep


def _from_chord(x: Array, y: Array) -> Array:
    """Return the distance of points from the line between the first and the last."""
    x, y = x - x[:, :1], y - y[:, :1]
    dx, dy = x[:, -1:], y[:, -1:]
    length = dx**2 + dy**2
    along = np.divide(x * dx + y * dy, length, out=np.zeros(x.shape), where=length > 0)
    along = np.clip(along, 0.0, 1.0)
    return np.asarray(np.hypot(x - along * dx, y - along * dy))


def distances(points: Points, keep: Mask, one: Map) -> Array:
    """Return the distance of each point from the line through the kept points."""
    x, y = one(points)
    ends = np.flatnonzero(keep)
    piece = np.clip(np.searchsorted(ends, np.arange(x.size), "right") - 1, 0, ends.size - 2)
    a, b = ends[piece], ends[piece + 1]
    x, y, dx, dy = x - x[a], y - y[a], x[b] - x[a], y[b] - y[a]
    length = dx**2 + dy**2
    along = np.clip(np.divide(x * dx + y * dy, length, out=np.zeros(x.shape), where=length > 0), 0.0, 1.0)
    return np.asarray(np.hypot(x - along * dx, y - along * dy))


def _to_point_at(points: Points) -> Mask:
    """Return vertices that lie apart from each other, on the list as on its first decades."""
    seen = np.zeros(points.P.size, bool)
    vertices = np.flatnonzero(points.vertex >= 0)
    r = np.append(0.0, points.counts.r)[vertices]
    positive = np.maximum(r, r[1] if r.size > 1 else 1.0)
    ways = (r, points.P[vertices], np.log10(positive) - math.log10(positive[0]))
    way = np.zeros(r.size)
    for one in ways:
        way += one / max(float(one[-1]), 1e-300)
    steps = np.linspace(0, way[-1], _SEEN)
    seen[vertices[np.minimum(np.searchsorted(way, steps), vertices.size - 1)]] = True
    seen[vertices[[0, -1]]] = True
    return seen
