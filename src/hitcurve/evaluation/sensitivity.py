"""How the metrics of an evaluation move with what the reader chooses: a magnification, a prevalence, a budget."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, repeat
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.evaluation.sensitivity_grids import ALONG
from hitcurve.evaluation.sensitivity_plans import Point, plan_along
from hitcurve.immutable import Compared
from hitcurve.inference import cluster_variances
from hitcurve.inference.interval import intervals
from hitcurve.inference.spread import Clustered, Spread
from hitcurve.metrics import Metric
from hitcurve.metrics.side_by_side import side_by_side
from hitcurve.refusals import reasons
from hitcurve.sources import Source, to_frame
from hitcurve.sums import Lists, Sums
from hitcurve.table import HitTable

_CELLS = 60_000  # rows side by side at a time: what kernels make of them stays in the cache of a processor
_CLUSTERED = "subjects depend on each other within clusters"


class SensitivityLine(NamedTuple):
    """One metric of one ranker along a grid.

    Attributes
    ----------
    ranker, metric : str
    value : array (G,)
        nan where the metric has no meaning.
    low, high : array (L, G)
        Ends of the intervals of each confidence level, nan where there are none.
    missing : tuple of str (G,)
        Why a value or its interval cannot be had; empty where both are there.
    """

    ranker: str
    metric: str
    value: Array
    low: Array
    high: Array
    missing: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Sensitivity(Compared):
    """Metrics of all rankers along a grid, with their intervals.

    Attributes
    ----------
    along : {"alpha", "prevalence", "budget", "rate"}
    grid : tuple
        Numbers; pairs of rates along ``"rate"``.
    levels : tuple of float
        Confidence levels.
    lines : tuple
        One for each ranker and metric, with ``ranker``, ``metric``, ``value`` (an entry for each grid point), ``low``
        and ``high`` (levels by grid points) and ``missing``, why a value or its interval cannot be had.

    Examples
    --------
    >>> from hitcurve import evaluate
    >>> from hitcurve.datasets import mammography
    >>> sensitivity = evaluate(tables=mammography(), metrics="ap").sensitivity("alpha", [1, 7, 20])
    >>> sensitivity.of("film", "croc").value.round(3).tolist()
    [0.689, 0.512, 0.409]
    >>> sorted(sensitivity.to_records()[0])
    ['alpha', 'high', 'level', 'low', 'metric', 'ranker', 'value']
    """

    along: str
    grid: tuple[Any, ...]
    levels: tuple[float, ...]
    lines: tuple[SensitivityLine, ...]

    def __iter__(self) -> Iterator[SensitivityLine]:
        """Go through the lines, metric by metric of each ranker."""
        return iter(self.lines)

    def of(self, ranker: str, metric: str) -> SensitivityLine:
        """Return one line.

        Raises
        ------
        ParameterError
            If there is no such line.
        """
        for line in self.lines:
            if (line.ranker, line.metric) == (ranker, metric):
                return line
        listed = ", ".join(f"{line.metric} of {line.ranker!r}" for line in self.lines)
        raise ParameterError(f"no {metric!r} of {ranker!r} here: there are {listed}")

    def to_records(self) -> list[dict[str, Any]]:
        """Return a record for each ranker, metric and grid point; ends of intervals are absent where there are none."""
        out = []
        for line in self.lines:
            for g, point in enumerate(self.grid):
                where = dict(zip(("rate_low", "rate_high"), point, strict=True)) if self.along == "rate" else {}
                where = where or {self.along: point}
                record = {"ranker": line.ranker, "metric": line.metric, **where, "value": float(line.value[g])}
                for place, level in enumerate(self.levels):
                    low, high = float(line.low[place, g]), float(line.high[place, g])
                    ends = {} if math.isnan(low) else {"low": low, "high": high}
                    out.append({**record, **ends, "level": level})
        return out

    def to_frame(self, backend: str | None = None) -> Any:
        """Return the records as a data frame."""
        records = self.to_records()
        keys = ["ranker", "metric", *(key for key in records[0] if key in (*ALONG, "rate_low", "rate_high"))]
        keys += ["value", "low", "high", "level"]
        return to_frame({key: [record.get(key, math.nan) for record in records] for key in keys}, backend)


def sensitivity_of(
    tables: Mapping[str, HitTable],
    along: str,
    grid: tuple[Any, ...],
    levels: Sequence[float],
    *,
    design: str,
    clustered: bool = False,
    source: Source | None = None,
) -> Sensitivity:
    """Return the metrics that belong to a grid, of every ranker, with intervals at all levels.

    Parameters
    ----------
    tables, along, grid, levels, design
    clustered : bool
        Whether subjects depend on each other within clusters; these are then those of the source.
    source : Source, optional
    """
    _checks.choice("along", along, ALONG)
    # a prevalence that a reader chooses counts as known
    how = _How(tuple(levels), "case-control" if along == "prevalence" else design)
    clusters: Mapping[str, Iterable[Clustered | str | None]] = {}
    if clustered:
        wanted = {name: list(plan_along(along, table, grid).wanted) for name, table in tables.items()}
        clusters = _clustered(tables, wanted, how, source)
    lines = []
    for name, own in tables.items():
        plan = plan_along(along, own, grid)
        points: list[Point] = []
        of_points = iter(clusters.get(name, repeat(None)))
        # some after the others are let go: rows side by side and what metrics remember are long
        some = max(_CELLS // own.pos.size, 1)
        while plan.wanted:
            chunk = [plan.wanted.popleft() for _ in range(min(some, len(plan.wanted)))]
            points += _points(chunk, how, list(islice(of_points, len(chunk))))
        none = Point(math.nan, _no_ends(how))
        for metric_name, cells in plan.lines.items():
            shown = [cell.of(none if cell.place is None else points[cell.place]) for cell in cells]
            lines.append(_line(name, metric_name, shown))
    return Sensitivity(along, grid, tuple(levels), tuple(lines))


def _clustered(
    tables: Mapping[str, HitTable],
    wanted: Mapping[str, Sequence[tuple[Metric, HitTable]]],
    how: _How,
    source: Source | None,
) -> dict[str, Iterable[Clustered | str]]:
    """Return the variances of clustered subjects, or why there are none."""
    if source is None:
        return dict.fromkeys(tables, repeat(f"{_CLUSTERED}, and the data were left out"))
    try:
        found = cluster_variances(source, tables, wanted, how.design)
    except InsufficientDataError as error:
        return dict.fromkeys(tables, repeat(str(error)))
    return {name: [one or f"{_CLUSTERED}, of whom nothing is known here" for one in found[name]] for name in tables}


class _How(NamedTuple):
    levels: tuple[float, ...]
    design: str


def _line(ranker: str, metric: str, points: Sequence[Point]) -> SensitivityLine:
    ends = np.array([point.ends for point in points], float)  # (G, L, 2)
    return SensitivityLine(
        ranker,
        metric,
        np.array([point.value for point in points]),
        ends[:, :, 0].T,
        ends[:, :, 1].T,
        tuple(point.missing for point in points),
    )


def _no_ends(how: _How) -> tuple[tuple[float, float], ...]:
    return ((math.nan, math.nan),) * len(how.levels)


def _points(
    wanted: Sequence[tuple[Metric, HitTable]], how: _How, clusters: Sequence[Clustered | str | None]
) -> list[Point]:
    """Return the values of metrics with their intervals, or with the reasons why there are none.

    Metrics of one kind are evaluated side by side. ``clusters`` has the variances of clustered subjects, why
    there are none, or None where subjects are independent.
    """
    found: dict[int, Point] = {}
    kinds: dict[type[Metric], list[int]] = {}
    for place, (metric, _) in enumerate(wanted):
        kinds.setdefault(type(metric), []).append(place)
    for places in kinds.values():
        metrics = [wanted[place][0] for place in places]
        made = _side_by_side(
            metrics, [wanted[place][1] for place in places], how, [clusters[place] for place in places]
        )
        found |= dict(zip(places, made, strict=True))
    return [found[place] for place in range(len(wanted))]


def _side_by_side(
    metrics: Sequence[Metric], tables: Sequence[HitTable], how: _How, clusters: Sequence[Clustered | str | None]
) -> list[Point]:
    """Evaluate metrics of one kind on the same rows, each at the prevalence of its table."""
    together, lists = side_by_side(metrics), _lists(tables)
    undefined = reasons(together.undefined(lists.counts), lists.shape)
    values = np.asarray(together.value(lists.counts))
    ends = np.full((len(how.levels), 2, len(metrics)), math.nan)
    missing = [why or (one if isinstance(one, str) else "") for why, one in zip(undefined, clusters, strict=True)]
    there = np.flatnonzero([not why for why in missing])
    if there.size:
        known = [one for one in clusters if isinstance(one, Clustered)]
        clustered = Clustered(*map(np.array, zip(*known, strict=True))) if known else None
        spread = Spread(together.of_lists(there), lists.of(there), how.design, clustered)
        for level, out in zip(how.levels, ends, strict=True):
            made = intervals(spread, level)
            out[0, there], out[1, there] = made.low, made.high
            for place, why in zip(there, made.reason, strict=True):
                missing[place] = why
    name = str(together)
    return [
        Point(float(values[i]), tuple(map(tuple, ends[:, :, i].tolist())), missing[i].replace(name, str(metric)))
        for i, metric in enumerate(metrics)
    ]


def _lists(tables: Sequence[HitTable]) -> Lists:
    """Return the same rows once for each table, at the prevalences that were assumed."""
    first = tables[0]
    columns = [None if x is None else np.broadcast_to(x, (len(tables), x.size)) for x in first.sums]
    assumed = None if first.assumed_prevalence is None else np.array([t.prevalence for t in tables])
    return Lists(Sums(*columns), assumed, first.has_gaps)  # type: ignore[arg-type]
