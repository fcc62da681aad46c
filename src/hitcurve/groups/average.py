"""One curve of many rankings: the average over groups, and how much groups vary around it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from hitcurve import _checks
from hitcurve.counts import Array, Number, Numbers
from hitcurve.curve import KINDS, CurveKind
from hitcurve.errors import GridMismatchError, InsufficientDataError, ParameterError
from hitcurve.groups.lines import (
    AlongParameter,
    Line,
    MeanOfCurves,
    Points,
    is_bent,
    mean_of,
    points_of,
    with_points_between,
)
from hitcurve.immutable import Compared
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.rounding import deviation
from hitcurve.label_errors import refuse_corrected
from hitcurve.sources import to_frame
from hitcurve.table import HitTable

ALONG = ("rate", "vertical", "threshold", "pool")
_ONE = "an average curve over groups needs at least 2 groups, got {}"
_MOST = 2001  # points that are kept of more vertices
_EXACT = 10**8  # vertices times groups; of more than that the line is known at its points only


@dataclass(frozen=True, eq=False)
class AverageCurve(Compared):
    """The average of the curves of several groups.

    Attributes
    ----------
    curve : str
        Its kind, such as ``"roc"``.
    along : {"rate", "vertical", "threshold", "pool"}
        What the groups were averaged at.
    x, y : array (m,)
        Points of the average: its vertices, and between them as many as it takes for straight lines to be off by no
        more than 1/2000 of its height. Of more than 2,000 vertices some are kept, most of them early ones; :meth:`at`
        and :meth:`area` know them all.
    x_error, y_error : array (m,)
        Half widths of the t intervals of both coordinates over groups; 0 where a coordinate is fixed, nan for a pool.
    n_groups : int
    confidence_level : float
    x_label, y_label : str
    overlap : float
        Test subjects for each training subject, if groups are folds of one data set: their intervals are by the
        corrected t of Nadeau and Bengio (2003). 0 if groups are independent.
    unit : {"groups", "topics", "readers"}
        What the groups are called.
    """

    curve: str
    along: str
    x: Array
    y: Array
    x_error: Array
    y_error: Array
    n_groups: int
    confidence_level: float
    x_label: str
    y_label: str
    _line: Line = field(repr=False, compare=False)
    overlap: float = 0.0
    unit: str = "groups"

    def __repr__(self) -> str:
        """Return the kind of the curve, and of what it is the average."""
        return f"<AverageCurve {self.curve} of {self.n_groups} {self.unit}: {self.x.size} points>"

    @property
    def low(self) -> Array:
        """Lower ends of y, point by point."""
        return np.maximum(self.y - self.y_error, 0.0)

    @property
    def high(self) -> Array:
        """Upper ends of y, point by point."""
        high = self.y + self.y_error
        return np.minimum(high, 1.0) if KINDS[self.curve].picture.is_share else high

    @overload
    def at(self, x: Number) -> float: ...
    @overload
    def at(self, x: Numbers) -> Array: ...
    @overload
    def at(self, x: npt.ArrayLike) -> Any: ...
    def at(self, x: npt.ArrayLike) -> Any:
        """Return y at x, following all groups between their vertices; it is the mean of their heights if vertical.

        Where the curve is vertical this is the end that is reached last on the way down the list (of det the lower
        one), and of a curve over recall the first, where the recall is reached, as in ``Curve.at``.

        Raises
        ------
        ParameterError
            If an x lies outside the curve.

        Examples
        --------
        >>> from hitcurve import HitTable
        >>> mean = average_curve([HitTable.from_ranks([1, 3], n=4)] * 2, "lift")
        >>> mean.at(0.5), round(mean.at(0.6), 4), round(mean.area(), 4)
        (1.0, 1.1667, 1.4315)
        """
        try:
            wanted = np.asarray(x, float)
        except (TypeError, ValueError):
            raise ParameterError(f"x must be numbers, got {x!r}") from None
        if not np.all((wanted >= self.x[0]) & (wanted <= self.x[-1])):
            raise ParameterError(f"x must lie on the curve, in [{self.x[0]:g}, {self.x[-1]:g}], got {x!r}")
        y = self._line.at(wanted, "left" if KINDS[self.curve].along == "recall" else "right")
        return float(y) if y.ndim == 0 else y

    def area(self) -> float:
        """Return the area under the averaged curve; of a vertical average it is the mean of the areas of the groups."""
        return self._line.area()

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the points as a data frame: x, y, x_error, y_error, low, high."""
        names = ("x", "y", "x_error", "y_error", "low", "high")
        return to_frame({name: getattr(self, name).tolist() for name in names}, backend)


def average_curve(
    tables: Sequence[HitTable],
    curve: str = "roc",
    along: str = "rate",
    *,
    confidence_level: float = 0.95,
    overlap: float = 0.0,
) -> AverageCurve:
    """Average the curves of several groups.

    Parameters
    ----------
    tables : sequence of HitTable
        One for each group.
    curve : str
        As in :meth:`hitcurve.HitTable.curve`. ``rate`` averages all but croc, cac, proc, pac and prg curves,
        ``threshold`` roc curves, ``vertical`` and ``pool`` all.
    along : {"rate", "vertical", "threshold", "pool"}
        ``rate``: both coordinates at the same share of the list (Millard, Flach and Higgins 2014), the average
        performance when that fraction of each list is screened. ``vertical``: y at the same x. ``threshold``: both
        coordinates at the same score (Fawcett 2006), ``pool``: all subjects pooled; these two need scores that are
        comparable between groups, and tables over one grid or with all their scores.
    confidence_level : float
        Of the t intervals over groups, point by point.
    overlap : float
        Test subjects for each training subject, n2/n1, if groups are folds of one data set; 0 if they are independent.

    Returns
    -------
    AverageCurve

    Raises
    ------
    ParameterError
        If a choice is none of these.
    InsufficientDataError
        If there is one group only.
    GridMismatchError
        If scores are needed that the tables do not keep.

    Examples
    --------
    >>> a, b = HitTable.from_ranks([1, 3], n=4), HitTable.from_ranks([1, 2], n=4)
    >>> mean = average_curve([a, b])
    >>> mean.x.tolist(), mean.y.tolist()
    ([0.0, 0.0, 0.25, 0.5, 1.0], [0.0, 0.5, 0.75, 1.0, 1.0])
    """
    _checks.choice("along", along, ALONG)
    kind = KINDS[_checks.choice("curve", curve, tuple(KINDS))]
    tables = _checks.listed("tables must be hit tables", tables)
    for table in tables:
        if not isinstance(table, HitTable):
            raise ParameterError(f"tables must be hit tables, and one is {table!r}")
        refuse_corrected(table.label_errors, "an average of curves")
    level = _checks.level("confidence_level", confidence_level)
    if len(tables) < 2:
        raise InsufficientDataError(_ONE.format(len(tables)))
    if along == "pool":
        whole = reduce(lambda a, b: a + b, tables)
        return pooled_curve(whole, len(tables), curve, confidence_level=level)
    line: Line
    if along == "vertical":
        line, x, y = _vertical(tables, kind)
    elif along == "threshold":
        if curve != "roc":
            raise ParameterError(f"along='threshold' is for roc curves, got curve={curve!r}")
        line, x, y = _by_threshold(tables)
    else:
        if not kind.along_rate:
            those = ", ".join(name for name, one in KINDS.items() if one.along_rate)
            raise ParameterError(f"along='rate' is for {those} curves, got curve={curve!r}")
        line, x, y = _by_rate(tables, kind)
    overlap = _checks.real_number("overlap", overlap) and _checks.positive_number("overlap", overlap)
    share = 1 / len(tables) + overlap
    t = t_quantile((1 + level) / 2, len(tables) - 1) * math.sqrt(share)
    x_error, y_error = (t * deviation(side) for side in (x, y))
    labels = tables[0].curve(curve)
    return AverageCurve(
        curve,
        along,
        mean_of(x),
        mean_of(y),
        x_error,
        y_error,
        len(tables),
        level,
        labels.x_label,
        labels.y_label,
        line,
        overlap,
    )


def pooled_curve(whole: HitTable, n_groups: int, curve: str = "roc", *, confidence_level: float = 0.95) -> AverageCurve:
    """Return the curve of one list of the subjects of all groups, as an average along ``pool``.

    Raises
    ------
    ParameterError
        If a choice is none of these.
    InsufficientDataError
        If there is one group only.
    """
    level = _checks.level("confidence_level", confidence_level)
    c = whole.curve(curve)
    if n_groups < 2:
        raise InsufficientDataError(_ONE.format(n_groups))
    line = MeanOfCurves((c,), float(c.x[0]), float(c.x[-1]))
    x, y = points_of(c)
    unknown = np.full(x.shape, np.nan)
    return AverageCurve(curve, "pool", x, y, unknown, unknown, n_groups, level, c.x_label, c.y_label, line)


def _thinned(places: Array) -> Array:
    """Return the places, or as many as are kept, evenly among them and closer at the start."""
    if places.size <= _MOST:
        return places
    last = places.size - 1
    kept = np.append(np.linspace(0, last, 3 * _MOST // 4), np.geomspace(1, last, _MOST // 4))
    chosen = np.unique(np.round(kept).astype(int))
    return np.asarray(places[chosen])


def _by_rate(tables: Sequence[HitTable], kind: CurveKind) -> tuple[Line, Array, Array]:
    vertices = np.unique(np.concatenate([[0.0], *(table.rate for table in tables)]))
    if vertices.size * len(tables) > _EXACT:
        vertices = _thinned(vertices)

    def points(table: HitTable, r: Array) -> Points:
        c = table.counts
        pi, rates = float(c.pi), np.append(0.0, c.r)
        fpr, tpr = (np.interp(r, rates, np.append(0.0, side)) for side in (c.Q, c.P))
        y = kind.height(pi, tpr, fpr)
        if kind.starts_at_limit:  # up to the first vertex it is constant, and so at 0
            y[0] = table.curve(kind.name).y[0]
        return (r if kind.along == "rate" else kind.place(pi, tpr, fpr)), y

    x, y = mean_of(points(table, vertices) for table in tables)
    # precision and lift are ratios to the rate: what they are ratios of goes straight
    line = AlongParameter(vertices, x, y, over_parameter=not kind.is_straight)
    r = _thinned(vertices)
    if is_bent(kind):
        r = with_points_between(r, lambda u: (line.points_at(u),) * 2)
    found = [points(table, r) for table in tables]
    return line, np.array([x for x, _ in found]), np.array([y for _, y in found])


def _vertical(tables: Sequence[HitTable], kind: CurveKind) -> tuple[Line, Array, Array]:
    curves = tuple(table.curve(kind.name) for table in tables)
    low, high = float(max(c.x[0] for c in curves)), float(min(c.x[-1] for c in curves))
    if not np.isfinite(low):
        raise ParameterError(f"a {kind.name} curve begins at minus infinity: pool the groups, with along='pool'")
    places = np.unique(np.concatenate([[low, high], *(c.x for c in curves)]))
    x = _thinned(places[(places >= low) & (places <= high)])
    line = MeanOfCurves(curves, low, high)
    if is_bent(kind):
        x = with_points_between(x, line.on_both_sides)
    # both ends of vertical pieces: a curve of strict ranks goes up there and nowhere else
    y = [np.column_stack([c.at(x, "left"), c.at(x, "right")]).ravel() for c in curves]
    return line, np.tile(np.repeat(x, 2), (len(curves), 1)), np.array(y)


def _by_threshold(tables: Sequence[HitTable]) -> tuple[Line, Array, Array]:
    if all(table.kind == "full" for table in tables):
        scores = {id(table): -np.asarray(table.score, float) for table in tables}
        cuts = np.unique(np.concatenate(list(scores.values())))
        if cuts.size * len(tables) > _EXACT:
            cuts = _thinned(cuts)

        def called(table: HitTable, cuts: Array) -> Points:
            k = np.searchsorted(scores[id(table)], cuts, "right")
            return np.append(0.0, table.counts.Q)[k], np.append(0.0, table.counts.P)[k]

        x, y = _from_0(mean_of(called(table, cuts) for table in tables))
        found = _from_0([called(table, _thinned(cuts)) for table in tables])
    else:
        first = tables[0]
        if any(t.grid is None or not np.array_equal(t.grid, first.grid) for t in tables):  # type: ignore[arg-type]
            raise GridMismatchError(
                "thresholds are averaged over tables of the same scores: count them on one grid, or keep full tables"
            )
        found = _from_0([(t.counts.Q, t.counts.P) for t in tables])
        x, y = mean_of(found)
    return AlongParameter(x, x, y), found[:, 0], found[:, 1]


def _from_0(shares: npt.ArrayLike) -> Array:
    """Return shares with a first one of 0: nobody is called."""
    called = np.asarray(shares, float)
    return np.asarray(np.concatenate([np.zeros((*called.shape[:-1], 1)), called], axis=-1))
