"""How the metrics of an evaluation move with what the reader chooses: a magnification, a prevalence, a budget."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice, repeat
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks
from hitcurve.counts import Array
from hitcurve.cut import whole
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.inference import cluster_variances
from hitcurve.inference.interval import intervals
from hitcurve.inference.spread import Clustered, Spread
from hitcurve.magnify import Exponential, Magnification
from hitcurve.magnify.tabulated import Places, TabulatedBeta
from hitcurve.metrics import (
    CROC,
    AveragePrecision,
    EnrichmentFactor,
    ExpectedRecall,
    HitsAt,
    Metric,
    PrecisionAt,
    RateWeightedAUC,
    RecallAt,
)
from hitcurve.metrics.side_by_side import side_by_side
from hitcurve.rates import Beta, RateDensity
from hitcurve.refusals import reasons
from hitcurve.sources import Source, to_frame
from hitcurve.sums import Lists, Sums
from hitcurve.table import HitTable

ALONG = ("alpha", "prevalence", "budget", "rate")
_CELLS = 500_000  # rows side by side at a time
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
class Sensitivity:
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


# ---- grids


def default_grid(along: str, tables: Mapping[str, HitTable], *, part: int = 1) -> tuple[Any, ...]:
    """Return the grid that is taken unless one is given, or one of a part of its points (2 is half)."""
    makers: dict[str, Callable[[Mapping[str, HitTable], int], tuple[Any, ...]]] = {
        "alpha": _alphas,
        "prevalence": _prevalences,
        "budget": _budgets,
        "rate": _rates,
    }
    return makers[along](tables, part)


def _alphas(tables: Mapping[str, HitTable], part: int) -> tuple[float, ...]:
    # 7, 20 and 80 are what the literature prints
    return _with_landmarks(np.geomspace(1, 200, 60 // part), (1.0, 7.0, 20.0, 80.0, 200.0))


def _prevalences(tables: Mapping[str, HitTable], part: int) -> tuple[float, ...]:
    here = [table.prevalence for table in tables.values()]
    low, high = min(1e-4, min(here) / 3), max(0.9, 1 - (1 - max(here)) / 3)
    logits = np.linspace(math.log(low / (1 - low)), math.log(high / (1 - high)), 60 // part)
    landmarks = tuple(dict.fromkeys([*here[:1], 0.001, 0.01, 0.1, 0.5]))
    return _with_landmarks(1 / (1 + np.exp(-logits)), landmarks)


def _budgets(tables: Mapping[str, HitTable], part: int) -> tuple[int, ...]:
    most = max(int(min(table.n for table in tables.values())), 1)  # weights may sum to less
    first = next(iter(tables.values()))
    even = np.rint(np.geomspace(1, most, 200 // part))
    tens = [digit * 10**power for power in range(len(str(most))) for digit in (1, 2, 5)]
    shares = whole(np.array([0.001, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5]) * float(first.n), "ceil")
    chosen = {int(k) for k in (*even, *tens, *shares, round(first.n_pos), most)}
    return tuple(sorted(k for k in chosen if 1 <= k <= most))


def _rates(tables: Mapping[str, HitTable], part: int) -> tuple[tuple[float, float], ...]:
    most = min(float(table.n) for table in tables.values())
    # their number is squared
    ends = _rounded(np.geomspace(min(max(0.001, 1 / most), 0.2), 0.95, round(25 / math.sqrt(part))), 3)
    return tuple((low, high) for low in ends for high in ends if low < high)


def _with_landmarks(values: Array, landmarks: Sequence[float]) -> tuple[float, ...]:
    """Return rounded values, with each landmark in the place of the nearest one of them."""
    grid = list(_rounded(values, 3))
    taken: set[int] = set()
    for landmark in landmarks:
        place = min((i for i in range(len(grid)) if i not in taken), key=lambda i: abs(math.log(grid[i] / landmark)))
        grid[place] = landmark
        taken.add(place)
    return tuple(sorted(set(grid)))


def _rounded(values: Array, digits: int) -> tuple[float, ...]:
    return tuple(dict.fromkeys(float(f"{value:.{digits}g}") for value in values.tolist()))


def checked_grid(along: str, grid: Any) -> tuple[Any, ...]:
    """Return a grid that was given, each point checked.

    Raises
    ------
    ParameterError
        If it is empty, or a point lies outside its range.
    """
    try:
        points = list(grid)
    except TypeError:
        raise ParameterError(f"the grid must be a sequence, got {grid!r}") from None
    if not points:
        raise ParameterError("the grid is empty: give at least one point")
    if along == "alpha":
        return tuple(_checks.positive_number("alpha", point) for point in points)
    if along == "prevalence":
        return tuple(_checks.open_unit("prevalence", point) for point in points)
    if along == "budget":
        return tuple(_checks.whole_number("a budget", point) for point in points)
    return tuple(_pair(point) for point in points)


def _pair(point: Any) -> tuple[float, float]:
    try:
        low, high = point
    except (TypeError, ValueError):
        raise ParameterError(f"a rate is a pair, from the slow to the fast end, got {point!r}") from None
    low, high = _checks.interval("rates", low, high)
    return _checks.open_unit("the lower rate", low), _checks.open_unit("the upper rate", high)


# ---- values and intervals


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
    makers: dict[str, Callable[[HitTable, tuple[Any, ...]], _Plan]] = {
        "alpha": _along_alpha,
        "prevalence": _along_prevalence,
        "budget": _along_budget,
        "rate": _along_rate,
    }
    # a prevalence that a reader chooses counts as known
    how = _How(tuple(levels), "case-control" if along == "prevalence" else design)
    doubts: Mapping[str, Iterable[Clustered | str | None]] = {}
    if clustered:
        wanted = {name: list(makers[along](table, grid).wanted) for name, table in tables.items()}
        doubts = _clustered(tables, wanted, how, source)
    lines = []
    for name, own in tables.items():
        plan = makers[along](own, grid)
        points: list[_Point] = []
        of_points = iter(doubts.get(name, repeat(None)))
        # some after the others are let go: rows side by side and what metrics remember are long
        some = max(_CELLS // own.pos.size, 1)
        while plan.wanted:
            chunk = [plan.wanted.popleft() for _ in range(min(some, len(plan.wanted)))]
            points += _points(chunk, how, list(islice(of_points, len(chunk))))
        none = _Point(math.nan, _no_ends(how))
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


class _Point(NamedTuple):
    value: float
    ends: tuple[tuple[float, float], ...]
    missing: str = ""


class _Cell(NamedTuple):
    """What is shown at a grid point: a metric of the plan in another unit, or why there is none."""

    place: int | None
    factor: float = 1.0
    value: float | None = None
    missing: str = ""

    def of(self, point: _Point) -> _Point:
        """Return the point in this unit."""
        ends = tuple((low * self.factor, high * self.factor) for low, high in point.ends)
        value = point.value * self.factor if self.value is None else self.value
        return _Point(value, ends, self.missing or point.missing)


class _Plan:
    """The metrics that the sensitivity of one ranker needs, each once, and where they are shown."""

    def __init__(self, *names: str) -> None:
        self.wanted: deque[tuple[Metric, HitTable]] = deque()
        self.lines: dict[str, list[_Cell]] = {name: [] for name in names}

    def ask(self, metric: Metric, table: HitTable) -> int:
        """Want one more metric, and return its place."""
        self.wanted.append((metric, table))
        return len(self.wanted) - 1

    def refuse(self, why: str) -> None:
        """Show nothing at a grid point."""
        for cells in self.lines.values():
            cells.append(_Cell(None, missing=why))


def _line(ranker: str, metric: str, points: Sequence[_Point]) -> SensitivityLine:
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
    wanted: Sequence[tuple[Metric, HitTable]], how: _How, doubts: Sequence[Clustered | str | None]
) -> list[_Point]:
    """Return the values of metrics with their intervals, or with the reasons why there are none.

    Metrics of one kind are evaluated side by side. The doubts are variances of clustered subjects, why there are
    none, or None where subjects are independent.
    """
    found: dict[int, _Point] = {}
    kinds: dict[type[Metric], list[int]] = {}
    for place, (metric, _) in enumerate(wanted):
        kinds.setdefault(type(metric), []).append(place)
    for places in kinds.values():
        metrics = [wanted[place][0] for place in places]
        made = _side_by_side(metrics, [wanted[place][1] for place in places], how, [doubts[place] for place in places])
        found |= dict(zip(places, made, strict=True))
    return [found[place] for place in range(len(wanted))]


def _side_by_side(
    metrics: Sequence[Metric], tables: Sequence[HitTable], how: _How, doubts: Sequence[Clustered | str | None]
) -> list[_Point]:
    """Evaluate metrics of one kind on the same rows, each at the prevalence of its table."""
    together, lists = side_by_side(metrics), _lists(tables)
    undefined = reasons(together.undefined(lists.counts), lists.shape)
    values = np.asarray(together.value(lists.counts))
    ends = np.full((len(how.levels), 2, len(metrics)), math.nan)
    missing = [why or (doubt if isinstance(doubt, str) else "") for why, doubt in zip(undefined, doubts, strict=True)]
    there = np.flatnonzero([not why for why in missing])
    if there.size:
        known = [doubt for doubt in doubts if isinstance(doubt, Clustered)]
        clustered = Clustered(*map(np.array, zip(*known, strict=True))) if known else None
        spread = Spread(together.of_lists(there), lists.of(there), how.design, clustered)
        for level, out in zip(how.levels, ends, strict=True):
            made = intervals(spread, level)
            out[0, there], out[1, there] = made.low, made.high
            for place, why in zip(there, made.reason, strict=True):
                missing[place] = why
    name = str(together)
    return [
        _Point(float(values[i]), tuple(map(tuple, ends[:, :, i].tolist())), missing[i].replace(name, str(metric)))
        for i, metric in enumerate(metrics)
    ]


def _lists(tables: Sequence[HitTable]) -> Lists:
    """Return the same rows once for each table, at the prevalences that were assumed."""
    first = tables[0]
    columns = [None if x is None else np.broadcast_to(x, (len(tables), x.size)) for x in first.sums]
    assumed = None if first.assumed_prevalence is None else np.array([t.prevalence for t in tables])
    return Lists(Sums(*columns), assumed, first.has_gaps)  # type: ignore[arg-type]


def _along_alpha(table: HitTable, grid: tuple[Any, ...]) -> _Plan:
    plan = _Plan("croc")
    for alpha in grid:
        plan.lines["croc"].append(_Cell(plan.ask(CROC(Exponential(alpha)), table)))
    return plan


SHARES = (0.01, 0.1)  # of the list, at which precision is shown at other prevalences


def _along_prevalence(table: HitTable, grid: tuple[Any, ...]) -> _Plan:
    there = [table.at_prevalence(prevalence) for prevalence in grid]
    metrics = (AveragePrecision(), *(PrecisionAt(share) for share in SHARES))
    plan = _Plan(*map(str, metrics))
    for metric in metrics:
        plan.lines[str(metric)] += [_Cell(plan.ask(metric, one)) for one in there]
    return plan


def _along_budget(table: HitTable, grid: tuple[Any, ...]) -> _Plan:
    n, whole_ranks = float(table.n), table.assumed_prevalence is None
    plan = _Plan(*(["hits"] if whole_ranks else []), "precision", "recall", "ef")
    for k in grid:
        if k > n:
            plan.refuse(f"{k} is beyond the list of {n:g} subjects")
            continue
        at = k if whole_ranks else k / n
        precision, recall = (plan.ask(kind(at), table) for kind in (PrecisionAt, RecallAt))
        plan.lines["precision"].append(_Cell(precision))
        plan.lines["recall"].append(_Cell(recall))
        # multiples of these two, with their intervals
        plan.lines["ef"].append(_Cell(recall, n / k, float(EnrichmentFactor(at).value(table))))
        if whole_ranks:
            plan.lines["hits"].append(_Cell(precision, k, float(HitsAt(at).value(table))))
    return plan


@dataclass(frozen=True)
class _Quick(RateDensity):
    """A beta density whose distribution function is read off a table."""

    shape: Beta
    table: TabulatedBeta

    def __str__(self) -> str:
        return str(self.shape)

    def magnification(self) -> Magnification:
        return self.table

    @property
    def mean(self) -> float:
        return self.shape.mean


@lru_cache(maxsize=2048)
def _shape(low: float, high: float) -> Beta:
    return Beta.from_quantiles(low, high)


def _along_rate(table: HitTable, grid: tuple[Any, ...]) -> _Plan:
    places = Places()
    plan = _Plan("rauc", "expected_recall")
    for low, high in grid:
        try:
            shape = _shape(low, high)
        except ParameterError as error:
            plan.refuse(str(error))
            continue
        density = _Quick(shape, TabulatedBeta(shape.a, shape.b, places))
        plan.lines["rauc"].append(_Cell(plan.ask(RateWeightedAUC(density), table)))
        plan.lines["expected_recall"].append(_Cell(plan.ask(ExpectedRecall(density), table)))
    return plan
