"""Curves: coordinates of one hit table, exact between its vertices.

Between two vertices TPR and FPR move together in a straight line; every curve follows the counts along that
line, whatever its coordinates make of it (precision-recall is a hyperbola there, never a chord).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve._cached import cached_property
from hitcurve._numbers import numbers
from hitcurve.counts import AnyArray, Array, Number, Numbers
from hitcurve.curve.kind import Axis, CurveKind, Ranking
from hitcurve.errors import ParameterError
from hitcurve.immutable import Compared
from hitcurve.magnify import Magnification
from hitcurve.magnify.quadrature import unit_means
from hitcurve.sources import to_frame


@dataclass(frozen=True, eq=False)
class Curve(Compared):
    """One curve of one table.

    Attributes
    ----------
    kind : CurveKind
        ``kind.name`` is ``"roc"``, ``"precision_recall"`` and so on.
    magnification, y_magnification : Magnification or None
        Of the axes of croc and cac curves.
    x, y : array (m,)
        Vertices, from the top of the list to its end.
    threshold : array (m,) or None
        Score of each vertex, as float64: subjects with this score or a higher one are selected. At the end of a gap
        between scores it is the next score below, exclusive (see ``exclusive``); the first is inf. None where the table
        has no scores.
    exclusive : array of bool (m,)
        Whether subjects at the threshold itself are not selected.
    """

    kind: CurveKind
    _ranking: Ranking = field(repr=False)
    magnification: Magnification | None = None
    y_magnification: Magnification | None = None

    def __repr__(self) -> str:
        """Return the kind, the axes and the number of vertices."""
        return f"<Curve {self.kind.name}, {self.y_label} over {self.x_label}: {len(self.x)} vertices>"

    @property
    def x_label(self) -> str:
        """Name of x."""
        return _labelled(self.kind.x_label, self.magnification)

    @property
    def y_label(self) -> str:
        """Name of y."""
        return _labelled(self.kind.y_label, self.y_magnification)

    @property
    def starts_at_limit(self) -> bool:
        """Whether the first vertex is a limit along the counts instead of an observed point."""
        return self.kind.starts_at_limit

    @cached_property
    def axis(self) -> Axis:
        """The map from FPR, rate or recall to x."""
        f = self.magnification
        return self.kind.axis(self._ranking) if f is None else Axis(f, f.inverse, has_flats=f.has_flats)

    def _height(self, P: Array, Q: Array) -> Array:
        y = self.kind.height(self._ranking.prevalence, P, Q)
        return y if self.y_magnification is None else np.asarray(self.y_magnification(y))

    @cached_property
    def _nodes(self) -> tuple[Array, Array, AnyArray]:
        """Return TPR and FPR of the vertices, and the row that each ends (-1 for the first)."""
        c = self._ranking.counts
        rows = np.flatnonzero((c.observed.pos > 0) | (c.observed.neg > 0))
        P, Q = (np.append(0.0, rate[rows]) for rate in c.rates_of_curves)
        rows = np.append(-1, rows)
        if self.kind.starts_at_prevalence:
            first = self._ranking.prevalence
            start = int(np.searchsorted(P, first, "left"))
            share = (first - P[start - 1]) / (P[start] - P[start - 1])
            Q_start = Q[start - 1] + share * (Q[start] - Q[start - 1])
            rest = start + int(P[start] == first)
            P, Q = np.append(first, P[rest:]), np.append(Q_start, Q[rest:])
            rows = np.append(rows[start], rows[rest:])
        return P, Q, rows

    @cached_property
    def _s(self) -> Array:
        """Return what is linear along the rows, at the vertices."""
        return self.kind.place(self._ranking.prevalence, *self._nodes[:2])

    @cached_property
    def x(self) -> Array:
        """Horizontal coordinate of the vertices."""
        x = self.axis.forward(self._s)
        x.setflags(write=False)
        return x

    @cached_property
    def y(self) -> Array:
        """Vertical coordinate of the vertices."""
        P, Q, _ = self._nodes
        y = self._height(P, Q)
        if P[0] == 0 and Q[0] == 0:
            y[0] = self._height(P[1:2] * 1e-9, Q[1:2] * 1e-9)[0] if self.starts_at_limit else y[0]
        y.setflags(write=False)
        return y

    @cached_property
    def threshold(self) -> AnyArray | None:
        """Score of each vertex."""
        if self._ranking.grid is None:
            return None
        grid = np.append(np.asarray(self._ranking.grid, float), -math.inf)
        rows = self._nodes[2]
        if self._ranking.kind in ("full", "binned"):
            return np.where(rows < 0, math.inf, grid[rows])
        # row 2i is the gap above grid score i, row 2i + 1 the score itself
        return np.where(rows < 0, math.inf, grid[np.maximum(rows, 0) // 2])

    @cached_property
    def exclusive(self) -> npt.NDArray[np.bool_]:
        """Whether subjects at each threshold itself are not selected."""
        rows = self._nodes[2]
        has_gaps = self._ranking.kind not in ("full", "binned")
        gaps = (rows % 2 == 0) & (rows < self._ranking.counts.pos.shape[-1] - 1) & has_gaps
        return np.asarray((rows < 0) | gaps)

    @overload
    def at(self, x: Number, side: str | None = None) -> float: ...
    @overload
    def at(self, x: Numbers, side: str | None = None) -> Array: ...
    @overload
    def at(self, x: npt.ArrayLike, side: str | None = None) -> Any: ...
    def at(self, x: npt.ArrayLike, side: str | None = None) -> Any:
        """Return y at x, following the counts between vertices.

        On a vertical piece of a curve over FPR this is its upper end; of a curve over recall its start, where
        the recall is first reached.

        Parameters
        ----------
        x : float or array
        side : {"left", "right"}, optional
            The end of a vertical piece that is reached first or last on the way down the list, whatever the curve.

        Returns
        -------
        float or array

        Raises
        ------
        ParameterError
            If an x lies outside the curve, or the side is none.

        Examples
        --------
        >>> from hitcurve import HitTable
        >>> t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> t.curve("roc").at(0.25), t.curve("roc").at(0.5)
        (0.5, 1.0)
        """
        wanted = numbers("x", x)
        low, high = self.x[0], self.x[-1]
        if not np.all((wanted >= low) & (wanted <= high)):
            raise ParameterError(f"x must lie on the curve, in [{low:g}, {high:g}], got {x!r}")
        if side is None:
            side = "left" if self.kind.along == "recall" else "right"
        y = self._heights(wanted, _checks.choice("side", side, ("left", "right")))
        return float(y) if y.ndim == 0 else y

    def _heights(self, x: Array, side: str) -> Array:
        """Return y at x; where the curve jumps, its value on one side of the jump.

        Pieces are found in x itself: the way back from x to what is linear is an ulp off, and a vertex must not
        be taken for a point beside it.
        """
        P, Q, _ = self._nodes
        ends, s = self.x, self._s
        after = np.clip(np.searchsorted(ends, x, side), 1, ends.size - 1)  # type: ignore[call-overload]
        before = after - 1
        here = np.clip(self.axis.backward(x), s[before], s[after])
        if not self.axis.has_flats:
            here = np.where(x == ends[before], s[before], here)
        here = np.where(x == ends[after], s[after], here)
        width = s[after] - s[before]
        share = np.divide(here - s[before], width, out=np.full(width.shape, float(side == "right")), where=width > 0)
        y = self._height(P[before] + share * (P[after] - P[before]), Q[before] + share * (Q[after] - Q[before]))
        at_start = (x == ends[0]) & (self.starts_at_limit | (side == "left"))
        return np.where(at_start, self.y[0], y)

    def area(self, x_range: tuple[float, float] | None = None) -> float:
        """Return the area under the curve, over the range of x that the curve covers.

        Integrated along the counts by adaptive quadrature, independently of the metrics that are such areas.

        Parameters
        ----------
        x_range : (float, float), optional
            Over which part of it; all of it if absent.

        Raises
        ------
        ParameterError
            If the range is empty or off the curve.

        Examples
        --------
        >>> from hitcurve import HitTable
        >>> t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> round(t.curve("roc").area(), 12), round(t.curve("lift").area(), 3)
        (0.75, 1.432)
        >>> round(t.curve("roc").area((0, 0.5)), 12)
        0.25
        """
        low, high = self._range(x_range, self.x[0], self.x[-1])
        P, Q, _ = self._nodes
        s, x = self._s, np.clip(self.x, low, high)
        pieces = np.flatnonzero(np.diff(x) > 0)
        finite = pieces[np.isfinite(x[pieces])]
        left, width = x[finite], np.diff(x)[finite]

        def height(piece: npt.NDArray[np.intp], u: Array) -> Array:
            i = finite[piece]
            here = self.axis.backward(left[piece] + u * width[piece])
            share = np.clip((here - s[i]) / (s[i + 1] - s[i]), 0, 1)
            return self._height(P[i] + share * (P[i + 1] - P[i]), Q[i] + share * (Q[i + 1] - Q[i]))

        total = float(np.sum(unit_means(height, finite.size) * width))
        if not np.isfinite(low):
            # a logarithmic axis from 0: y falls to 0 in proportion to s, and d log10 s = ds / (s ln 10)
            total += float(self._heights(x[1:2], "left")[0]) / math.log(10)
        return total

    def _range(self, x_range: tuple[float, float] | None, low: float, high: float) -> tuple[float, float]:
        """Return the range given, which must lie between two x, or all of it."""
        try:
            start, end = (low, high) if x_range is None else map(float, x_range)
        except (TypeError, ValueError):
            raise ParameterError(f"x_range must be two numbers, got {x_range!r}") from None
        if not (low <= start < end <= high):
            raise ParameterError(f"x_range must be an interval inside [{low:g}, {high:g}], got {x_range!r}")
        return start, end

    # ---- against others

    def _on(self, pos: list[float], neg: list[float]) -> Curve:
        return replace(self, _ranking=self._ranking.with_rows(pos, neg))

    @property
    def random(self) -> Curve:
        """The same curve of the list whose subjects are all tied."""
        return self._on([self._ranking.n_pos], [self._ranking.n_neg])

    @property
    def perfect(self) -> Curve:
        """The same curve of the perfect order, which no other order of these subjects dominates."""
        return self._on([self._ranking.n_pos, 0], [0, self._ranking.n_neg])

    @property
    def worst(self) -> Curve:
        """The same curve of the reversed order, which every other order of these subjects dominates."""
        return self._on([0, self._ranking.n_pos], [self._ranking.n_neg, 0])

    def _check_alike(self, other: Curve) -> None:
        if not isinstance(other, Curve):
            raise ParameterError(f"a curve compares with a Curve, got {other!r}")
        if self.kind != other.kind:
            raise ParameterError(f"a {self.kind.name} curve does not compare with a {other.kind.name} curve")
        if (self.x_label, self.y_label) != (other.x_label, other.y_label):
            raise ParameterError(
                f"a curve of {self.y_label} over {self.x_label} does not compare with one of {other.y_label} over "
                f"{other.x_label}"
            )
        if self.kind.along != "fpr" and not math.isclose(
            self._ranking.prevalence, other._ranking.prevalence, rel_tol=1e-12
        ):
            raise ParameterError(
                f"{self.kind.name} curves at prevalence {self._ranking.prevalence:g} and "
                f"{other._ranking.prevalence:g} do not compare: bring both tables to one prevalence with at_prevalence"
            )

    def dominates(self, other: Curve) -> bool:
        """Say whether this curve is nowhere worse than the other (Clémençon and Vayatis' partial order).

        Worse is below, and above for a kind of which lower is better (det).

        Raises
        ------
        ParameterError
            If the curves are of different kinds, or depend on prevalence and have different ones.

        Examples
        --------
        >>> from hitcurve import HitTable
        >>> t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> t.curve("roc").dominates(t.curve("roc").random), t.curve("roc").dominates(t.curve("roc").perfect)
        (True, False)
        """
        self._check_alike(other)
        x = np.union1d(self.x, other.x)
        x = x[(x >= max(self.x[0], other.x[0])) & np.isfinite(x)]
        # along a row the order of the heights cannot change twice: both sides of every vertex decide
        middle = (x[1:] + x[:-1]) / 2
        places = ((x, "left"), (x, "right"), (middle, "right"))
        upper, lower = (other, self) if self.kind.lower_is_better else (self, other)
        return not any(np.any(upper._heights(at, side) < lower._heights(at, side) - 1e-12) for at, side in places)

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
        >>> from hitcurve import HitTable
        >>> t = HitTable.from_scores([1, 0, 1, 0], [4, 3, 2, 1])
        >>> t.curve("roc").sup_distance(t.curve("roc").random)
        0.5
        """
        self._check_alike(other)
        low, high = max(self.x[0], other.x[0]), min(self.x[-1], other.x[-1])
        start, end = self._range(x_range, low, high)
        inner = np.union1d(self.x, other.x)
        x = np.concatenate([[start], inner[(inner > start) & (inner < end)], [end]])
        gaps = [self._gap(other, x[1:], "left"), self._gap(other, x[:-1], "right")]
        best = max(float(np.max(gap)) for gap in gaps)
        is_straight = self.kind.is_straight and self.y_magnification is None
        return best if is_straight else max(best, self._largest_inside(other, x))

    def _gap(self, other: Curve, x: Array, side: str) -> Array:
        return np.abs(self._heights(x, side) - other._heights(x, side))

    def _largest_inside(self, other: Curve, x: Array) -> float:
        """Search the inside of the intervals, where a difference of hyperbolas may peak."""
        from scipy.optimize import minimize_scalar

        width = np.diff(x)
        u = (np.arange(16) + 0.5) / 16
        inside = self._gap(other, (x[:-1, None] + u * width[:, None]).ravel(), "right").reshape(-1, u.size)
        best = float(inside.max())
        for i in np.argsort(inside.max(axis=1), kind="stable")[-3:]:
            place = int(inside[i].argmax())
            ends = (x[i] + width[i] * max(place - 0.5, 0) / 16, x[i] + width[i] * min(place + 1.5, 16) / 16)
            found = minimize_scalar(
                lambda at: -float(self._gap(other, np.asarray(at), "right")), bounds=ends, method="bounded"
            )
            best = max(best, -float(found.fun))
        return best

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the vertices as a data frame: x, y and, where there are scores, threshold and exclusive.

        Where ``exclusive`` is true, subjects at the threshold itself are not selected.
        """
        columns: dict[str, AnyArray] = {"x": self.x, "y": self.y}
        if self.threshold is not None:
            columns |= {"threshold": self.threshold, "exclusive": self.exclusive}
        return to_frame(columns, backend)


def _labelled(label: str, f: Magnification | None) -> str:
    return label if f is None else f"{f!r} of {label}"
