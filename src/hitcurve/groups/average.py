"""One curve of many rankings: the average over groups, and how much groups vary around it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.curve import KINDS, CurveKind
from hitcurve.errors import GridMismatchError, InsufficientDataError, ParameterError
from hitcurve.immutable import Compared
from hitcurve.inference.quantiles import t_quantile
from hitcurve.inference.rounding import deviation
from hitcurve.label_errors import refuse_corrected
from hitcurve.sources import to_frame
from hitcurve.table import HitTable

ALONG = ("rate", "vertical", "threshold", "pool")
_ONE = "an average curve over groups needs at least 2 groups, got 1"
_MOST = 2001  # places; more vertices than that are averaged on an even grid


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
        Points of the average, joined by straight lines.
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

    def at(self, x: Any) -> Any:
        """Return y at x, by straight lines; where the curve is vertical, its upper end.

        Raises
        ------
        ParameterError
            If an x lies outside the curve.
        """
        wanted = np.asarray(x, float)
        if not np.all((wanted >= self.x[0]) & (wanted <= self.x[-1])):
            raise ParameterError(f"x must lie on the curve, in [{self.x[0]:g}, {self.x[-1]:g}], got {x!r}")
        last = np.append(np.diff(self.x) > 0, True)
        y = np.interp(wanted, self.x[last], self.y[last])
        return float(y) if y.ndim == 0 else y

    def area(self) -> float:
        """Return the area under the averaged curve, by trapezoids."""
        return float(np.trapezoid(self.y, self.x))

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
        raise InsufficientDataError(_ONE)
    if along == "pool":
        whole = reduce(lambda a, b: a + b, tables)
        return pooled_curve(whole, len(tables), curve, confidence_level=level)
    if along == "vertical":
        x, y = _vertical(tables, curve)
    elif along == "threshold":
        if curve != "roc":
            raise ParameterError(f"along='threshold' is for roc curves, got curve={curve!r}")
        x, y = _by_threshold(tables)
    else:
        if not kind.along_rate:
            those = ", ".join(name for name, one in KINDS.items() if one.along_rate)
            raise ParameterError(f"along='rate' is for {those} curves, got curve={curve!r}")
        x, y = _by_rate(tables, kind)
    overlap = _checks.real_number("overlap", overlap) and _checks.positive_number("overlap", overlap)
    share = 1 / len(tables) + overlap
    t = t_quantile((1 + level) / 2, len(tables) - 1) * math.sqrt(share)
    x_error, y_error = (t * deviation(side) for side in (x, y))
    labels = tables[0].curve(curve)
    return AverageCurve(
        curve,
        along,
        x.mean(axis=0),
        y.mean(axis=0),
        x_error,
        y_error,
        len(tables),
        level,
        labels.x_label,
        labels.y_label,
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
        raise InsufficientDataError(_ONE)
    unknown = np.full(c.x.shape, np.nan)
    return AverageCurve(curve, "pool", c.x, c.y, unknown, unknown, n_groups, level, c.x_label, c.y_label)


def _thinned(places: Array) -> Array:
    """Return the places, or as many as are kept, evenly over their range."""
    return places if places.size <= _MOST else np.linspace(places[0], places[-1], _MOST)


def _by_rate(tables: Sequence[HitTable], kind: CurveKind) -> tuple[Array, Array]:
    r = _thinned(np.unique(np.concatenate([[0.0], *(table.rate for table in tables)])))
    points = []
    for table in tables:
        c = table.counts
        pi, rates = float(c.pi), np.append(0.0, c.r)
        fpr, tpr = (np.interp(r, rates, np.append(0.0, side)) for side in (c.Q, c.P))
        y = kind.height(pi, tpr, fpr)
        if kind.starts_at_limit:  # up to the first vertex it is constant, and so at 0
            y[0] = y[1]
        points.append((r if kind.along == "rate" else kind.place(pi, tpr, fpr), y))
    return np.array([x for x, _ in points]), np.array([y for _, y in points])


def _vertical(tables: Sequence[HitTable], curve: str) -> tuple[Array, Array]:
    curves = [table.curve(curve) for table in tables]
    low, high = max(c.x[0] for c in curves), min(c.x[-1] for c in curves)
    if not np.isfinite(low):
        raise ParameterError(f"a {curve} curve begins at minus infinity: average it over rates or pool it")
    places = np.unique(np.concatenate([[low, high], *(c.x for c in curves)]))
    x = _thinned(places[(places >= low) & (places <= high)])
    # both ends of vertical pieces: a curve of strict ranks goes up there and nowhere else
    y = [np.column_stack([c.at(x, "left"), c.at(x, "right")]).ravel() for c in curves]
    return np.tile(np.repeat(x, 2), (len(curves), 1)), np.array(y)


def _by_threshold(tables: Sequence[HitTable]) -> tuple[Array, Array]:
    if all(table.kind == "full" for table in tables):
        cuts = _thinned(np.unique(np.concatenate([np.asarray(table.score, float) for table in tables])))[::-1]
        called = [np.searchsorted(-np.asarray(table.score, float), -cuts, "right") for table in tables]
        both = zip(tables, called, strict=True)
        sides = [[np.append(0.0, side)[k] for side in (t.counts.Q, t.counts.P)] for t, k in both]
    else:
        first = tables[0]
        if any(t.grid is None or not np.array_equal(t.grid, first.grid) for t in tables):  # type: ignore[arg-type]
            raise GridMismatchError(
                "thresholds are averaged over tables of the same scores: count them on one grid, or keep full tables"
            )
        sides = [[t.counts.Q, t.counts.P] for t in tables]
    ends = np.zeros((len(tables), 1))
    fpr, tpr = (np.array([pair[i] for pair in sides]) for i in (0, 1))
    return np.hstack([ends, fpr]), np.hstack([ends, tpr])
