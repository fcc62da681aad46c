"""Curves: coordinates of one hit table, exact between its vertices.

Between two vertices TPR and FPR move together in a straight line; every curve follows the counts along that
line, whatever its coordinates make of it (precision-recall is a hyperbola there, never a chord).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from hitcurve.counts import AnyArray, Array
from hitcurve.errors import ParameterError
from hitcurve.magnify import Exponential, Identity, LogWindow, Magnification
from hitcurve.magnify.quadrature import unit_means
from hitcurve.table import HitTable

Coordinate = Callable[[Array, Array], Array]


@dataclass(frozen=True)
class _Axis:
    """An x coordinate: a monotone map of something that is linear along every row."""

    along: str  # "fpr", "rate" or "recall"
    forward: Callable[[Array], Array]
    backward: Callable[[Array], Array]


@dataclass(frozen=True)
class Curve:
    """One curve of one table.

    Attributes
    ----------
    kind : str
        ``"roc"``, ``"precision_recall"`` and so on.
    x, y : array (m,)
        Vertices, from the top of the list to its end.
    threshold : array (m,) or None
        Score of each vertex: subjects with this score or a higher one are called. At the end of a gap between
        scores it is the next score below, exclusive (see ``exclusive``); the first is inf. None where the table
        has no scores.
    exclusive : array of bool (m,)
        Whether the threshold itself is not called.
    starts_at_limit : bool
        Whether the first vertex is a limit along the counts instead of an observed point.
    x_label, y_label : str
    """

    kind: str
    x_label: str
    y_label: str
    starts_at_limit: bool
    _table: HitTable = field(repr=False)
    _axis: _Axis = field(repr=False)
    _height: Coordinate = field(repr=False)
    _from: float = field(default=0.0, repr=False)

    @cached_property
    def _nodes(self) -> tuple[Array, Array, AnyArray]:
        """Return TPR and FPR of the vertices, and the row that each ends (-1 for the first)."""
        c = self._table.counts
        rows = np.flatnonzero((c.pos > 0) | (c.neg > 0))
        P, Q = np.append(0.0, c.P[rows]), np.append(0.0, c.Q[rows])
        rows = np.append(-1, rows)
        if self._from > 0:  # the curve begins where TPR reaches this
            start = int(np.searchsorted(P, self._from, "left"))
            share = (self._from - P[start - 1]) / (P[start] - P[start - 1])
            Q_start = Q[start - 1] + share * (Q[start] - Q[start - 1])
            rest = start + int(P[start] == self._from)
            P, Q = np.append(self._from, P[rest:]), np.append(Q_start, Q[rest:])
            rows = np.append(rows[start], rows[rest:])
        return P, Q, rows

    @cached_property
    def _s(self) -> Array:
        """Return what is linear along the rows, at the vertices."""
        return self._linear(*self._nodes[:2])

    def _linear(self, P: Array, Q: Array) -> Array:
        pi = self._table.prevalence
        return {"fpr": Q, "rate": pi * P + (1 - pi) * Q, "recall": P}[self._axis.along]

    @cached_property
    def x(self) -> Array:
        """Horizontal coordinate of the vertices."""
        return self._axis.forward(self._s)

    @cached_property
    def y(self) -> Array:
        """Vertical coordinate of the vertices."""
        P, Q, _ = self._nodes
        y = self._height(P, Q)
        if P[0] == 0 and Q[0] == 0:
            y[0] = self._height(P[1:2] * 1e-9, Q[1:2] * 1e-9)[0] if self.starts_at_limit else y[0]
        return y

    @cached_property
    def threshold(self) -> AnyArray | None:
        """Score of each vertex."""
        if self._table.grid is None:
            return None
        grid = np.append(np.asarray(self._table.grid, float), -math.inf)
        rows = self._nodes[2]
        if self._table.kind == "full":
            return np.where(rows < 0, math.inf, grid[rows])
        # row 2i is the gap above grid score i, row 2i + 1 the score itself
        return np.where(rows < 0, math.inf, grid[np.maximum(rows, 0) // 2])

    @cached_property
    def exclusive(self) -> npt.NDArray[np.bool_]:
        """Whether each threshold itself is not called."""
        rows = self._nodes[2]
        gaps = (rows % 2 == 0) & (rows < self._table.pos.size - 1) & (self._table.kind != "full")
        return np.asarray((rows < 0) | gaps)

    def at(self, x: npt.ArrayLike) -> Any:
        """Return y at x, following the counts between vertices.

        On a vertical piece of a curve over FPR this is its upper end; of a curve over recall its start, where
        the recall is first reached.

        Parameters
        ----------
        x : float or array

        Returns
        -------
        float or array

        Raises
        ------
        ParameterError
            If an x lies outside the curve.

        Examples
        --------
        >>> t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> roc_curve(t).at(0.25), roc_curve(t).at(0.5)
        (0.5, 1.0)
        """
        wanted = np.asarray(x, float)
        low, high = self.x[0], self.x[-1]
        if not np.all((wanted >= low) & (wanted <= high)):
            raise ParameterError(f"x must lie on the curve, in [{low:g}, {high:g}], got {x!r}")
        first = self._axis.along == "recall"
        y = self._height_at(self._axis.backward(wanted), "left" if first else "right")
        # the ends are vertices: exact, and free of the rounding of backward
        y = np.where(wanted == high, self.y[-1] if not first else y, y)
        return float(y) if y.ndim == 0 else y

    def _height_at(self, s: Array, side: str) -> Array:
        P, Q = self._point(s, side)
        start = (s <= self._s[0]) & (np.asarray(side) == "left")
        return np.where(start & self.starts_at_limit, self.y[0], self._height(P, Q))

    def _point(self, s: Array, side: str) -> tuple[Array, Array]:
        """Return TPR and FPR where the linear coordinate is s; on a jump its first or last point."""
        P, Q, _ = self._nodes
        ends = self._s
        if side == "right":
            after = np.clip(np.searchsorted(ends, s, "right"), 1, ends.size - 1)
            after = np.where(s >= ends[-1], ends.size - 1, after)
        else:
            after = np.clip(np.searchsorted(ends, s, "left"), 1, ends.size - 1)
        before_ = after - 1
        width = ends[after] - ends[before_]
        share = np.where(width > 0, (s - ends[before_]) / np.where(width > 0, width, 1), side == "right")
        share = np.clip(share, 0, 1)
        return P[before_] + share * (P[after] - P[before_]), Q[before_] + share * (Q[after] - Q[before_])

    def area(self) -> float:
        """Return the area under the curve, over the range of x that the curve covers.

        Integrated along the counts by adaptive quadrature: a second road to the metrics that are such areas.

        Examples
        --------
        >>> t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> round(roc_curve(t).area(), 12), round(lift_curve(t).area(), 3)
        (0.75, 1.432)
        """
        P, Q, _ = self._nodes
        s, x = self._s, self.x
        pieces = np.flatnonzero(np.diff(x) > 0)
        finite = pieces[np.isfinite(x[pieces])]
        left, width = x[finite], np.diff(x)[finite]

        def height(piece: npt.NDArray[np.intp], u: Array) -> Array:
            i = finite[piece]
            here = self._axis.backward(left[piece] + u * width[piece])
            share = np.clip((here - s[i]) / (s[i + 1] - s[i]), 0, 1)
            return self._height(P[i] + share * (P[i + 1] - P[i]), Q[i] + share * (Q[i + 1] - Q[i]))

        total = float(np.sum(unit_means(height, finite.size) * width))
        if not np.isfinite(x[0]):
            # a logarithmic axis from 0: y falls to 0 in proportion to s, and d log10 s = ds / (s ln 10)
            total += float(self.y[1]) / math.log(10)
        return total

    # ---- against others

    def _on(self, pos: list[float], neg: list[float]) -> Curve:
        table = self._table.with_rows(pos, neg)
        return Curve(
            self.kind,
            self.x_label,
            self.y_label,
            self.starts_at_limit,
            table,
            self._axis,
            self._height,
            self._from,
        )

    @property
    def random(self) -> Curve:
        """The same curve of the list whose subjects are all tied."""
        return self._on([self._table.n_pos], [self._table.n_neg])

    @property
    def perfect(self) -> Curve:
        """The same curve of the perfect order: it bounds the area that can be reached from above."""
        return self._on([self._table.n_pos, 0], [0, self._table.n_neg])

    @property
    def worst(self) -> Curve:
        """The same curve of the reversed order: it bounds the area that can be reached from below."""
        return self._on([0, self._table.n_pos], [self._table.n_neg, 0])

    def _check_alike(self, other: Curve) -> None:
        if self.kind != other.kind or self.x_label != other.x_label:
            raise ParameterError(f"a {self.kind} curve does not compare with a {other.kind} curve")
        if self._axis.along != "fpr" and not math.isclose(
            self._table.prevalence, other._table.prevalence, rel_tol=1e-12
        ):
            raise ParameterError(
                f"{self.kind} curves at prevalence {self._table.prevalence:g} and {other._table.prevalence:g} do "
                "not compare: bring both tables to one prevalence with at_prevalence"
            )

    def dominates(self, other: Curve) -> bool:
        """Say whether this curve is nowhere below the other (Clemencon and Vayatis' partial order).

        Raises
        ------
        ParameterError
            If the curves are of different kinds, or depend on prevalence and have different ones.

        Examples
        --------
        >>> t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> roc_curve(t).dominates(roc_curve(t).random), roc_curve(t).dominates(roc_curve(t).perfect)
        (True, False)
        """
        self._check_alike(other)
        s = np.union1d(self._s, other._s)
        # along a row everything is linear in s: the order at the vertices, on both sides of jumps, decides
        for side in ("left", "right"):
            (P, Q), (P_other, Q_other) = self._point(s, side), other._point(s, side)
            ahead = P - P_other if self._axis.along != "recall" else Q_other - Q
            if np.any(ahead < -1e-12):
                return False
        return True

    def sup_distance(self, other: Curve, x_range: tuple[float, float] | None = None) -> float:
        """Return the largest vertical distance to another curve.

        Parameters
        ----------
        other : Curve
            Of the same kind.
        x_range : (float, float), optional
            Where to look; all of both curves if absent.

        Raises
        ------
        ParameterError
            If the curves are of different kinds or prevalences, or the range is empty or off the curves.

        Examples
        --------
        >>> t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> roc_curve(t).sup_distance(roc_curve(t).random)
        0.5
        """
        self._check_alike(other)
        low, high = max(self.x[0], other.x[0]), min(self.x[-1], other.x[-1])
        start, end = (low, high) if x_range is None else x_range
        if not (low <= start < end <= high):
            raise ParameterError(f"x_range must be an interval inside [{low:g}, {high:g}], got {x_range!r}")
        s0, s1 = (float(self._axis.backward(np.asarray(value))) for value in (start, end))
        inner = np.union1d(self._s, other._s)
        s = np.concatenate([[s0], inner[(inner > s0) & (inner < s1)], [s1]])
        gaps = [self._gap(other, s[1:], "left"), self._gap(other, s[:-1], "right")]
        best = max(float(np.max(gap)) for gap in gaps)
        if self._is_straight:
            return best
        return max(best, self._largest_inside(other, s))

    @property
    def _is_straight(self) -> bool:
        return self.kind in (
            "hit",
            "roc",
            "accumulation",
            "rate_accuracy",
            "rate_recall",
            "rate_negative_recall",
        )

    def _gap(self, other: Curve, s: Array, side: str) -> Array:
        return np.abs(self._height_at(s, side) - other._height_at(s, side))

    def _largest_inside(self, other: Curve, s: Array) -> float:
        """Search the inside of the intervals, where a difference of hyperbolas may peak."""
        from scipy.optimize import minimize_scalar

        width = np.diff(s)
        u = (np.arange(16) + 0.5) / 16
        inside = self._gap(other, (s[:-1, None] + u * width[:, None]).ravel(), "right").reshape(-1, u.size)
        best = float(inside.max())
        for i in np.argsort(inside.max(axis=1), kind="stable")[-3:]:
            place = int(inside[i].argmax())
            low, high = (
                s[i] + width[i] * max(place - 0.5, 0) / 16,
                s[i] + width[i] * min(place + 1.5, 16) / 16,
            )
            found = minimize_scalar(
                lambda value: -float(self._gap(other, np.asarray(value), "right")),
                bounds=(low, high),
                method="bounded",
            )
            best = max(best, -float(found.fun))
        return best

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the vertices as a data frame with columns x, y and, where there are scores, threshold."""
        from hitcurve.sources import to_frame

        columns = {"x": self.x, "y": self.y}
        if self.threshold is not None:
            columns["threshold"] = self.threshold
        return to_frame(columns, backend)


def _same(values: Array) -> Array:
    return np.array(values, float)


def _tpr(P: Array, Q: Array) -> Array:
    return np.array(P, float)


_FPR = _Axis("fpr", _same, _same)
_RATE = _Axis("rate", _same, _same)
_RECALL = _Axis("recall", _same, _same)


def _log10(values: Array) -> Array:
    with np.errstate(divide="ignore"):
        return np.asarray(np.log10(values))


def _power10(values: Array) -> Array:
    return np.asarray(10.0**values)


def _curve(t: HitTable, kind: str, labels: tuple[str, str], axis: _Axis, height: Coordinate, **more: Any) -> Curve:
    if not isinstance(t, HitTable):
        raise ParameterError(
            f"a curve is drawn from a HitTable, got {type(t).__name__}: make one with HitTable.from_scores"
        )
    limit = more.pop("starts_at_limit", False)
    return Curve(kind, *labels, limit, t, axis, height, **more)


def hit_curve(t: HitTable) -> Curve:
    """Return the hit curve: true positives over subjects called, both as shares of all subjects.

    ``h(r) = pi TPR`` over the rate r (Su, Yuan and Zhu 2015); from (0, 0) to (1, pi), slope in [0, 1].

    Examples
    --------
    >>> hit_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).y.tolist()
    [0.0, 0.25, 0.25, 0.5, 0.5]
    """
    pi = t.prevalence if isinstance(t, HitTable) else 0.0
    return _curve(t, "hit", ("rate", "hits"), _RATE, lambda P, Q: pi * P)


def roc_curve(t: HitTable) -> Curve:
    """Return the ROC curve: TPR over FPR.

    Examples
    --------
    >>> roc = roc_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> roc.x.tolist(), roc.y.tolist(), roc.threshold.tolist()
    ([0.0, 0.0, 0.5, 0.5, 1.0], [0.0, 0.5, 0.5, 1.0, 1.0], [inf, 4.0, 3.0, 2.0, 1.0])
    """
    return _curve(t, "roc", ("FPR", "TPR"), _FPR, _tpr)


def accumulation_curve(t: HitTable) -> Curve:
    """Return the accumulation curve: TPR over the rate; also enrichment or cumulative gains curve.

    Examples
    --------
    >>> accumulation_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).at(0.5)
    0.5
    """
    return _curve(t, "accumulation", ("rate", "TPR"), _RATE, _tpr)


def precision_recall_curve(t: HitTable) -> Curve:
    """Return the precision-recall curve.

    Between vertices it follows the counts (Davis and Goadrich 2006). It starts at the limit along the counts,
    0 if a negative is ranked first; that point is no observation (``starts_at_limit``).

    Examples
    --------
    >>> pr = precision_recall_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> pr.at(0.5), round(pr.at(0.75), 4)
    (1.0, 0.6)
    """
    pi = t.prevalence if isinstance(t, HitTable) else 0.0

    def precision(P: Array, Q: Array) -> Array:
        called = pi * P + (1 - pi) * Q
        return np.divide(pi * P, called, out=np.zeros(np.shape(called)), where=called > 0)

    return _curve(t, "precision_recall", ("recall", "precision"), _RECALL, precision, starts_at_limit=True)


def _magnified(t: HitTable, kind: str, name: str, axis: str, f: Magnification, fy: Magnification | None) -> Curve:
    for given in (f, *([fy] if fy is not None else [])):
        if not isinstance(given, Magnification):
            raise ParameterError(f"a {kind} curve needs a Magnification, got {given!r}")
    tall = Identity() if fy is None else fy
    labels = (f"{f!r} of {name}", "TPR" if fy is None else f"{fy!r} of TPR")
    return _curve(t, kind, labels, _Axis(axis, f, f.inverse), lambda P, Q: tall(P))


def croc_curve(t: HitTable, f: Magnification | None = None, *, fy: Magnification | None = None) -> Curve:
    """Return the concentrated ROC curve (Swamidass et al. 2010): TPR over the magnified FPR.

    Parameters
    ----------
    t : HitTable
    f : Magnification, optional
        ``Exponential(7)`` if absent.
    fy : Magnification, optional
        Magnifies TPR as well.

    Raises
    ------
    ParameterError
        If a magnification is none.

    Examples
    --------
    >>> t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> round(croc_curve(t, Exponential(7)).area(), 4)
    0.5147
    """
    return _magnified(t, "croc", "FPR", "fpr", Exponential(7) if f is None else f, fy)


def cac_curve(t: HitTable, f: Magnification | None = None, *, fy: Magnification | None = None) -> Curve:
    """Return the concentrated accumulation curve: TPR over the magnified rate; arguments as :func:`croc_curve`.

    Examples
    --------
    >>> t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
    >>> round(cac_curve(t, Exponential(7)).area(), 4)
    0.2425
    """
    return _magnified(t, "cac", "rate", "rate", Exponential(7) if f is None else f, fy)


def rate_accuracy_curve(t: HitTable) -> Curve:
    """Return accuracy over the rate, ``pi TPR + (1 - pi)(1 - FPR)``.

    Examples
    --------
    >>> rate_accuracy_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).y.tolist()
    [0.5, 0.75, 0.5, 0.75, 0.5]
    """
    pi = t.prevalence if isinstance(t, HitTable) else 0.0
    return _curve(t, "rate_accuracy", ("rate", "accuracy"), _RATE, lambda P, Q: pi * P + (1 - pi) * (1 - Q))


def rate_recall_curve(t: HitTable, *, negative: bool = False) -> Curve:
    """Return recall over the rate: TPR, or TNR if ``negative``.

    Examples
    --------
    >>> rate_recall_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]), negative=True).y.tolist()
    [1.0, 1.0, 0.5, 0.5, 0.0]
    """
    if negative:
        return _curve(t, "rate_negative_recall", ("rate", "TNR"), _RATE, lambda P, Q: 1 - Q)
    return _curve(t, "rate_recall", ("rate", "TPR"), _RATE, _tpr)


def lift_curve(t: HitTable) -> Curve:
    """Return lift over the rate, ``TPR / rate``; it starts at the limit along the counts.

    Examples
    --------
    >>> lift_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).y.round(3).tolist()
    [2.0, 2.0, 1.0, 1.333, 1.0]
    """
    pi = t.prevalence if isinstance(t, HitTable) else 0.0

    def lift(P: Array, Q: Array) -> Array:
        called = pi * P + (1 - pi) * Q
        return np.divide(P, called, out=np.zeros(np.shape(called)), where=called > 0)

    return _curve(t, "lift", ("rate", "lift"), _RATE, lift, starts_at_limit=True)


def proc_curve(t: HitTable) -> Curve:
    """Return the pROC curve: TPR over ``log10(max(FPR, 1/(2n)))`` (Clark and Webster-Clark 2008).

    Examples
    --------
    >>> round(proc_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).area(), 4)
    0.6021
    """
    floor = 0.5 / t.n if isinstance(t, HitTable) else 0.5
    window, span = LogWindow(floor, 1.0), -math.log10(floor)
    axis = _Axis("fpr", lambda s: (window(s) - 1) * span, lambda x: window.inverse(1 + x / span))
    return _curve(t, "proc", ("log10 FPR", "TPR"), axis, _tpr)


def pac_curve(t: HitTable) -> Curve:
    """Return the logarithmic accumulation curve: TPR over log10 of the rate; it starts at minus infinity.

    Examples
    --------
    >>> pac_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])).x.round(3).tolist()
    [-inf, -0.602, -0.301, -0.125, 0.0]
    """
    return _curve(t, "pac", ("log10 rate", "TPR"), _Axis("rate", _log10, _power10), _tpr)


def prg_curve(t: HitTable) -> Curve:
    """Return the precision-recall-gain curve (Flach and Kull 2015), from recall gain 0 on.

    Examples
    --------
    >>> prg = prg_curve(HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1]))
    >>> prg.x.tolist(), prg.y.tolist()
    ([0.0, 0.0, 1.0, 1.0], [1.0, 0.0, 0.5, 0.0])
    """
    odds = t.prevalence / (1 - t.prevalence) if isinstance(t, HitTable) else 1.0
    axis = _Axis("recall", lambda P: 1 - odds * (1 - P) / P, lambda x: odds / (odds + 1 - x))
    start = t.prevalence if isinstance(t, HitTable) else 0.0
    return _curve(t, "prg", ("recall gain", "precision gain"), axis, lambda P, Q: 1 - Q / P, _from=start)
