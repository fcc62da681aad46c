"""How the metrics of an evaluation move with what the reader chooses: a magnification, a prevalence, a budget."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice, repeat
from typing import Any, NamedTuple

import numpy as np

from hitcurve import _checks, rows
from hitcurve._progress import counted
from hitcurve.counts import Array
from hitcurve.errors import InsufficientDataError, ParameterError
from hitcurve.evaluation.sensitivities.sensitivity_grids import ALONG
from hitcurve.evaluation.sensitivities.sensitivity_plans import Point, plan_along
from hitcurve.immutable import Compared
from hitcurve.inference import cluster_variances
from hitcurve.inference.cutting.around_cuts import around_cuts
from hitcurve.inference.cutting.cuts import Wanted
from hitcurve.inference.design import effective
from hitcurve.inference.estimation.cautions import few_decide_at
from hitcurve.inference.intervals.interval import intervals
from hitcurve.inference.variance.dependent import Clustered
from hitcurve.inference.variance.many_rates import UnderDensities
from hitcurve.inference.variance.spread import Spread
from hitcurve.magnify.beta import BetaDistribution
from hitcurve.magnify.betas import Betas
from hitcurve.metrics import AveragePrecision, ExpectedRecall, Metric, PrecisionAt, RateWeightedAUC, RecallAt
from hitcurve.metrics.side_by_side import side_by_side
from hitcurve.rates import RateDensity
from hitcurve.refusals import reasons
from hitcurve.sources import Source, engine_of, to_frame
from hitcurve.sums import Lists
from hitcurve.table import HitTable

_CELLS = 60_000  # rows side by side at a time: what kernels make of them stays in the cache of a processor
_CONDENSED = (PrecisionAt, RecallAt, RateWeightedAUC, ExpectedRecall)  # whose rows are put together first
_NO_INFLUENCE = "the metric has no influence values here"
_CLUSTERED = "subjects within clusters are dependent"


class SensitivityLine(NamedTuple):
    """One metric of one ranker along a grid.

    Attributes
    ----------
    ranker, metric : str
    value : array (G,)
        nan where the metric is undefined.
    low, high : array (L, G)
        Ends of the intervals of each confidence level, nan where there are none.
    missing : tuple of str (G,)
        Reason why a value or its interval is missing; empty if neither is.
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
        and ``high`` (levels by grid points) and ``missing``, the reason why a value or its interval is missing.
    cautions : tuple of str
        What to be wary of in intervals at prevalences where few negatives decide precision.

    Examples
    --------
    >>> from hitcurve import evaluate
    >>> from hitcurve.datasets import mammography
    >>> sensitivity = evaluate(tables=mammography(), metrics="ap").sensitivity("alpha", [1, 7, 20])
    >>> sensitivity.of("film", "croc").value.round(3).tolist()
    [0.689, 0.512, 0.409]
    >>> sorted(sensitivity.to_records()[0])
    ['alpha', 'high', 'level', 'low', 'metric', 'ranker', 'reason', 'value']
    """

    along: str
    grid: tuple[Any, ...]
    levels: tuple[float, ...]
    lines: tuple[SensitivityLine, ...]
    cautions: tuple[str, ...] = ()

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
        """Return a record for each ranker, metric and grid point.

        What is undefined, or no interval, is None, and ``reason`` says why; it is None where nothing is missing.
        """
        out = []
        for line in self.lines:
            for g, point in enumerate(self.grid):
                where = dict(zip(("rate_low", "rate_high"), point, strict=True)) if self.along == "rate" else {}
                where = where or {self.along: point}
                record = {"ranker": line.ranker, "metric": line.metric, **where, "value": float(line.value[g])}
                for place, level in enumerate(self.levels):
                    ends = {"low": float(line.low[place, g]), "high": float(line.high[place, g])}
                    out.append(rows.plain({**record, **ends, "level": level, "reason": line.missing[g] or None}))
        return out

    def to_frame(self, backend: str | None = None, *, wide: bool = False) -> Any:
        """Return the records as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, optional
            The first that is installed unless given.
        wide : bool
            One row for each ranker and grid point and one column for each metric, without intervals.

        Returns
        -------
        data frame
            With the column ``reason`` where a value or an interval is missing.
        """
        records = self.to_records()
        places = [key for key in records[0] if key in (*ALONG, "rate_low", "rate_high")]
        if wide:
            return to_frame(self._wide(records, places), backend)
        keys = ["ranker", "metric", *places, "value", "low", "high", "level"]
        columns = {key: [record[key] for record in records] for key in keys}
        columns |= {key: list(map(_number, columns[key])) for key in ("value", "low", "high")}
        reasons = [record["reason"] or "" for record in records]
        return to_frame(columns | ({"reason": reasons} if any(reasons) else {}), backend)

    def _wide(self, records: list[dict[str, Any]], places: list[str]) -> dict[str, list[Any]]:
        """Return the columns of a row for each ranker and grid point."""
        lines: dict[tuple[Any, ...], dict[str, Any]] = {}
        metrics = dict.fromkeys(line.metric for line in self.lines)
        for record in records:
            where = {key: record[key] for key in ("ranker", *places)}
            own = lines.setdefault(tuple(where.values()), {**where, **dict.fromkeys(metrics, math.nan), "reason": {}})
            own[record["metric"]] = _number(record["value"])
            if record["value"] is None:
                own["reason"][f"{record['metric']}: {record['reason']}"] = None
        found = [{**own, "reason": "; ".join(own["reason"])} for own in lines.values()]
        columns = {key: [own[key] for own in found] for key in found[0]}
        return columns if any(columns["reason"]) else {key: columns[key] for key in columns if key != "reason"}


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def sensitivity_of(
    tables: Mapping[str, HitTable],
    along: str,
    grid: tuple[Any, ...],
    levels: Sequence[float],
    *,
    design: str,
    clustered: bool = False,
    source: Source | None = None,
    variances: Callable[[Wanted, str], Mapping[str, Iterable[Clustered | None]]] | None = None,
    may_draw: bool = True,
) -> Sensitivity:
    """Return the metrics that belong to a grid, of every ranker, with intervals at all levels.

    Parameters
    ----------
    tables, along, grid, levels, design
        The grid ``(None,)`` of prevalences is the one of each table, as it was sampled.
    clustered : bool
        Whether subjects depend on each other within clusters; these are then those of the source.
    source : Source, optional
    variances : callable, optional
        Takes metrics with their tables, and the design; returns the variances of subjects who are not independent of
        equal weight. Clusters need no source then.
    may_draw : bool
        Whether default intervals may draw.
    """
    _checks.choice("along", along, ALONG)
    # a prevalence that a reader chooses counts as known
    known = along == "prevalence" and grid != (None,)
    how = _How(tuple(levels), "case-control" if known else design, may_draw)
    clusters: Mapping[str, Iterable[Clustered | str | None]] = {}
    if clustered or variances is not None:
        wanted = {name: list(plan_along(along, table, grid).wanted) for name, table in tables.items()}
        if variances is not None:
            found = variances(wanted, how.design)
            clusters = {name: [one or _NO_INFLUENCE for one in own] for name, own in found.items()}
        else:
            clusters = _clustered(tables, wanted, how, source)
    lines = []
    for name, own in counted(tables.items(), f"rankers along the {along}"):
        plan = plan_along(along, own, grid)
        of_points = iter(clusters.get(name, repeat(None)))
        points = _points(plan.wanted, how, list(islice(of_points, len(plan.wanted))))
        none = Point(math.nan, _no_ends(how))
        for metric_name, cells in plan.lines.items():
            shown = [cell.of(none if cell.place is None else points[cell.place]) for cell in cells]
            lines.append(_line(name, metric_name, shown))
    cautions = _where_few_decide(tables.values(), grid) if known else ()
    return Sensitivity(along, grid, tuple(levels), tuple(lines), cautions)


def _where_few_decide(tables: Iterable[HitTable], grid: Sequence[float]) -> tuple[str, ...]:
    """Return the caveat of the smallest prevalence at which there are intervals, if there is one."""
    negatives = min(float(effective(table.sums)[1]) for table in tables)
    for pi in sorted(grid):
        if found := few_decide_at(AveragePrecision(), negatives, pi):
            return tuple(f"at prevalence {pi:g} {text}" for text in found)
    return ()


def _clustered(
    tables: Mapping[str, HitTable],
    wanted: Mapping[str, Sequence[tuple[Metric, HitTable]]],
    how: _How,
    source: Source | None,
) -> dict[str, Iterable[Clustered | str]]:
    """Return the variances of clustered subjects, or why there are none."""
    if source is None:
        return dict.fromkeys(tables, repeat(f"{_CLUSTERED}, and the evaluation does not hold its data"))
    if engine := engine_of(source):
        return dict.fromkeys(tables, repeat(f"{_CLUSTERED}, and the data stay in {engine}"))
    try:
        found = cluster_variances(source, tables, wanted, how.design)
    except InsufficientDataError as error:
        return dict.fromkeys(tables, repeat(str(error)))
    return {name: [one or f"{_CLUSTERED}, and the clusters are unknown" for one in found[name]] for name in tables}


class _How(NamedTuple):
    levels: tuple[float, ...]
    design: str
    may_draw: bool = True


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
    under: dict[tuple[RateDensity, ...], UnderDensities] = {}
    kinds: dict[type[Metric], list[int]] = {}
    for place, (metric, _) in enumerate(wanted):
        kinds.setdefault(type(metric), []).append(place)
    for kind, places in kinds.items():
        # rows side by side are long, and what metrics remember of them
        rows = wanted[places[0]][1].pos.size
        some = len(places) if kind in _CONDENSED else max(_CELLS // rows, 1)
        for start in range(0, len(places), some):
            part = places[start : start + some]
            metrics, tables = zip(*(wanted[place] for place in part), strict=True)
            made = _side_by_side(metrics, tables, how, [clusters[place] for place in part], under)
            found |= dict(zip(part, made, strict=True))
    return [found[place] for place in range(len(wanted))]


def _side_by_side(
    metrics: Sequence[Metric],
    tables: Sequence[HitTable],
    how: _How,
    clusters: Sequence[Clustered | str | None],
    under: dict[tuple[RateDensity, ...], UnderDensities],
) -> list[Point]:
    """Evaluate metrics of one kind on the same rows, each at the prevalence of its table.

    ``under`` keeps what metrics of the same densities share.
    """
    whole = _spread(metrics, tables, how, under)
    together = whole.metric
    undefined = reasons(together.undefined(whole.counts), whole.shape)
    values = whole.value
    ends = np.full((len(how.levels), 2, len(metrics)), math.nan)
    missing = [why or (one if isinstance(one, str) else "") for why, one in zip(undefined, clusters, strict=True)]
    there = np.flatnonzero([not why for why in missing])
    if there.size:
        spread = whole if there.size == len(metrics) else whole.of(there)
        known = [one for one in clusters if isinstance(one, Clustered)]
        if known:
            spread = replace(spread, clustered=type(known[0])(*map(np.array, zip(*known, strict=True))))
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


def _spread(
    metrics: Sequence[Metric],
    tables: Sequence[HitTable],
    how: _How,
    under: dict[tuple[RateDensity, ...], UnderDensities],
) -> Spread:
    """Return how far metrics of one kind may be from the truth, subjects taken as independent."""
    together = side_by_side(metrics)
    rated = [m for m in metrics if isinstance(m, RateWeightedAUC | ExpectedRecall)]
    maps = [m.density.magnification() for m in rated]
    betas = [f for f in maps if isinstance(f, BetaDistribution)]
    if not betas or not tables[0].n_pos or not tables[0].n_neg:
        return Spread(together, _lists(together, tables), how.design, may_draw=how.may_draw)
    densities = tuple(m.density for m in rated)
    if densities not in under:
        under[densities] = UnderDensities(Betas(betas), tables[0].lists)
    return under[densities].spread(together, how.design)


def _lists(metric: Metric, tables: Sequence[HitTable]) -> Lists:
    """Return the same rows once for each table, at the prevalences that were assumed; those around a cut, if any."""
    first, number = tables[0], len(tables)
    rows = first.lists.of_gaps
    assumed = None if first.assumed_prevalence is None else np.array([t.prevalence for t in tables])
    if first.n_pos and first.n_neg:
        few = around_cuts(metric, replace(rows, prevalence=None), assumed, number)
        if few is not None:
            return few
    return Lists(rows.sums.each(lambda x: np.broadcast_to(x, (number, x.size))), assumed, rows.has_gaps)
