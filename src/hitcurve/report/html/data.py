"""Numbers that the script of the page displays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve._progress import counted
from hitcurve.counts import Array
from hitcurve.errors import HitcurveError
from hitcurve.evaluation import Evaluation
from hitcurve.evaluation.methods import for_readers
from hitcurve.evaluation.sensitivities.sensitivity import Sensitivity, sensitivity_of
from hitcurve.evaluation.sensitivities.sensitivity_grids import ALONG, default_grid
from hitcurve.evaluation.sensitivities.sensitivity_plans import SHARES
from hitcurve.inference import Band, BandOptions, band_of_table
from hitcurve.inference.design import effective
from hitcurve.inference.estimation.cautions import few_decide_at
from hitcurve.magnify import Exponential
from hitcurve.metrics import CROC, AveragePrecision, EnrichmentFactor, HitsAt, Metric, PrecisionAt, RecallAt
from hitcurve.report.html import words
from hitcurve.report.html.charts import charts, colours, dashes
from hitcurve.report.html.decision import decision_chart, decision_of
from hitcurve.report.html.drawn import Drawn, draw, least_rate, least_recall
from hitcurve.report.html.packed import UNIT, coordinates, printed
from hitcurve.report.html.packed import sensitivity as packed
from hitcurve.table import HitTable

_FINE = 6  # rankers up to which grids are fine
_BAND_POINTS = 41
_CLUSTERED = "subjects within clusters are dependent"


class Data:
    """Curves, bands and sensitivities of one evaluation, as plain lists and dictionaries.

    Parameters
    ----------
    ev : Evaluation
    levels : sequence of float
        Confidence levels.
    lines : int, optional
        Curves on the page, those of the evaluation if absent: the more, the coarser the grids.
    """

    def __init__(self, ev: Evaluation, levels: Sequence[float], lines: int | None = None) -> None:
        self._ev, self._levels = ev, tuple(levels)
        self._tables, self._names = list(ev.tables.values()), ev.rankers
        part = -(-(lines or len(self._names)) // _FINE)
        self._grids = {along: default_grid(along, ev.tables, part=part) for along in ALONG}
        self._known: dict[tuple[str, str, float, float | None], Band] = {}
        tables = counted(self._tables, "curves thinned for drawing")
        lower = ev.lower_is_better
        self._drawn = [
            draw(t, self._grids["alpha"], self._grids["prevalence"], higher_is_better=name not in lower)
            for name, t in zip(self._names, tables, strict=True)
        ]

    @property
    def rankers(self) -> tuple[str, ...]:
        """Names of the rankers."""
        return self._names

    @property
    def off(self) -> float:
        """How far lines are from their curves, in parts of an axis."""
        return max(d.off for d in self._drawn)

    def all(self) -> dict[str, Any]:
        """Return everything."""
        whole = {**frame(self._names, self._levels, self._ev.confidence_level), **self.own(), "charts": charted([self])}
        decision = decision_of(self._ev, self._levels)
        if decision is not None:
            whole["charts"]["decision"] = decision_chart(len(self._names), decision.highest)
        return {**whole, "decision": None if decision is None else decision.packed()}

    def own(self) -> dict[str, Any]:
        """Return the parts that are specific to this evaluation."""
        parts: dict[str, Callable[[], Any]] = {
            "prevalence": lambda: [rows.number(t.prevalence) for t in self._tables],
            "drawn": lambda: [_readings(d) for d in self._drawn],
            "bands": lambda: {kind: self._bands(kind) for kind in ("accumulation", "roc")},
            "alpha": self._alpha,
            "precision": self._precision,
            "budget": self._budget,
            "rate": self._rate,
        }
        made = {}
        for name in counted(parts, "parts of the report"):
            made[name] = parts[name]()
        return made

    @property
    def least(self) -> tuple[float, float]:
        """Where logarithmic axes of rates and of recall begin."""
        return least(self._tables)

    def ends(self, along: str) -> tuple[float, float]:
        """Return the first and the last place of a grid."""
        return float(self._grids[along][0]), float(self._grids[along][-1])

    def _sensitivity(self, along: str, grid: tuple[Any, ...] | None = None) -> Sensitivity:
        ev = self._ev
        grid = self._grids[along] if grid is None else grid
        own: dict[str, Any] = {"design": ev.design, "clustered": ev.clustered, "source": ev.source}
        return sensitivity_of(ev.tables, along, grid, self._levels, may_draw=ev._may_draw, **own)

    # ---- bands

    def _band(self, name: str, kind: str, level: float, prevalence: float | None = None) -> Band:
        key = (name, kind, level, prevalence)
        if key not in self._known:
            table, design = self._ev.tables[name], self._ev.design
            if prevalence is not None:
                table, design = table.at_prevalence(prevalence), "case-control"
            self._known[key] = band_of_table(table, kind, BandOptions(confidence_level=level, design=design))
        return self._known[key]

    def _no_bands(self, name: str) -> str:
        """Return why a ranker has no bands; empty if it has."""
        if self._ev.clustered:
            return _CLUSTERED
        try:
            self._band(name, "roc", self._levels[0])
        except HitcurveError as error:
            return for_readers(str(error))
        return ""

    def _bands(self, kind: str) -> list[dict[str, Any]]:
        out: list[dict[str, Any]] = []
        for name in counted(self._names, f"{kind} bands"):
            if why := self._no_bands(name):
                out.append({"why": why})
                continue
            bands = [self._band(name, kind, level) for level in self._levels]
            out.append(
                {
                    "x": printed(bands[0].x),
                    "low": [coordinates(band.low.y) for band in bands],
                    "high": [coordinates(band.high.y) for band in bands],
                    "cautions": list(dict.fromkeys(text for band in bands for text in band.cautions)),
                }
            )
        return out

    # ---- magnification

    def _alpha(self) -> dict[str, Any]:
        grid = self._grids["alpha"]
        maps = [Exponential(alpha) for alpha in grid]
        random = [CROC(f).baseline(self._tables[0]) for f in maps]
        axes: dict[bytes, list[str]] = {}  # rankers of as many negatives share theirs
        of_ranker = []
        for name in self._names:
            x = np.empty(0) if self._no_bands(name) else self._band(name, "roc", self._levels[0]).x
            axes.setdefault(x.tobytes(), [coordinates(f(x)) for f in maps])
            of_ranker.append(list(axes).index(x.tobytes()))
        straight = np.linspace(0, 1, 81) ** 3  # dense where the map is steep
        return {
            **packed(self._sensitivity("alpha"), self._names, ("croc",)),
            "grid": printed(grid, 3, short=True),
            "start": _nearest(grid, 7),
            "random": printed(random),
            "says": [
                f"the first {words.share(float(f.inverse(0.5)))} of the false positive rates fill half of the axis; "
                f"random baseline {rows.short(value, 3)}"
                for f, value in zip(maps, random, strict=True)
            ],
            "x": [[coordinates(d.points.magnified(alpha)) for alpha in grid] for d in self._drawn],
            "bands": {"axis": of_ranker, "x": list(axes.values())},
            "straight": {"x": [coordinates(f(straight)) for f in maps], "y": coordinates(straight)},
        }

    # ---- prevalence

    def _precision(self) -> dict[str, Any]:
        grid = self._grids["prevalence"]
        start = grid.index(self._tables[0].prevalence)
        # of the list as it is, the mean over its orders as in the results; of a set prevalence, the long-run value
        random = {start: float(AveragePrecision().baseline(self._tables[0]))}
        fewest = min(float(effective(table.sums)[1]) for table in self._tables)
        says = [
            "; ".join(
                [
                    f"{_one_in(pi)}; random baseline of average precision {rows.short(random.get(place, pi), 3)}",
                    *(few_decide_at(AveragePrecision(), fewest, pi) if place != start else ()),
                ]
            )
            for place, pi in enumerate(grid)
        ]
        says[start] += " (prevalence of the evaluation, with the intervals of the results)"
        metrics = ("ap", *(str(PrecisionAt(share)) for share in SHARES))
        return {
            **packed(self._sensitivity("prevalence"), self._names, metrics),
            "grid": [rows.exact(float(f"{pi:.6g}")) for pi in grid],
            "shown": [words.share(pi) for pi in grid],
            "start": start,
            # there the numbers are those of the table of results
            "here": packed(self._sensitivity("prevalence", (None,)), self._names, metrics),
            "says": says,
            "y": [[coordinates(d.points.precision(pi)) for pi in grid] for d in self._drawn],
            "bands": [
                self._precision_bands(name, grid, start) for name in counted(self._names, "precision-recall bands")
            ],
        }

    def _precision_bands(self, name: str, grid: Sequence[float], start: int) -> dict[str, Any]:
        if why := self._no_bands(name):
            return {"why": why}
        here = self._ev.tables[name].prevalence
        x, low, high = "", list[list[str]](), list[list[str]]()
        for level in self._levels:
            # at the prevalence of the data the band that is theirs, elsewhere the one of a prevalence that is known
            own, known = self._band(name, "precision_recall", level), self._band(name, "precision_recall", level, here)
            some = np.unique(np.rint(np.linspace(0, own.x.size - 1, _BAND_POINTS)).astype(int))
            x = printed(own.x[some])
            for out, of_own, of_known in ((low, own.low.y, known.low.y), (high, own.high.y, known.high.y)):
                lines = [_at_prevalence(of_known[some], here, pi) for pi in grid]
                if here == grid[start]:
                    lines[start] = of_own[some]
                out.append([coordinates(line) for line in lines])
        return {"x": x, "low": low, "high": high}

    # ---- how far the list is read

    def _budget(self) -> dict[str, Any]:
        grid, found, table = self._grids["budget"], self._sensitivity("budget"), self._tables[0]
        there = {line.metric for line in found}
        kinds: dict[str, type[Metric]] = {
            "hits": HitsAt,
            "precision": PrecisionAt,
            "recall": RecallAt,
            "ef": EnrichmentFactor,
        }
        kinds = {metric: kind for metric, kind in kinds.items() if metric in there}
        n = float(table.n)
        at = [k if table.counts.whole else min(k / n, 1.0) for k in grid]
        context = {}
        if words.alike(self._ev):
            for metric, kind in kinds.items():
                made = [kind(place) for place in at]  # type: ignore[call-arg]
                context[metric] = {
                    "random": printed(m.random(table) for m in made),
                    "best": printed(m.best(table) for m in made),
                }
        return {
            **packed(found, self._names, tuple(kinds)),
            "grid": " ".join(map(str, grid)),
            "start": _nearest(grid, max(min(10.0, n), 0.01 * n)),
            "context": context,
            "says": [
                f"the first {rows.count(k)} of {rows.count(table.n)}, {words.share(k / n)} of the list" for k in grid
            ],
        }

    def _rate(self) -> dict[str, Any]:
        grid, found = self._grids["rate"], self._sensitivity("rate")
        out = packed(found, self._names, ("rauc", "expected_recall"))
        out["lines"]["found"] = [
            {
                "value": printed(line.value * t.n_pos),
                "low": [printed(ends * t.n_pos, 3) for ends in line.low],
                "high": [printed(ends * t.n_pos, 3) for ends in line.high],
                "why": of_recall["why"],
            }
            for t, line, of_recall in zip(
                self._tables,
                (found.of(name, "expected_recall") for name in self._names),
                out["lines"]["expected_recall"],
                strict=True,
            )
        ]
        ends = sorted({end for pair in grid for end in pair})
        place = {pair: number for number, pair in enumerate(grid)}
        n = float(self._tables[0].n)
        return {
            **out,
            "ends": " ".join(rows.exact(end) for end in ends),
            "shown": [words.share(end) for end in ends],
            "pairs": [[place.get((low, high), -1) for high in ends] for low in ends],
            "n": n,
            # to begin with: time for some percent of the list
            "minutes": rows.exact(float(f"{max(n * 0.05, 1):.2g}")),
            "fast": "1",
            "slow": "3",
        }


def frame(names: Sequence[str], levels: Sequence[float], level: float) -> dict[str, Any]:
    """Return the names and looks of the rankers and the confidence levels."""
    return {
        "unit": UNIT,
        "rankers": list(names),
        "names": [words.named(name) for name in names],
        "colours": colours(len(names)),
        "dashes": dashes(len(names)),
        "levels": [f"{100 * one:g}%" for one in levels],
        "level": tuple(levels).index(level),
    }


def charted(shown: Sequence[Data]) -> dict[str, Any]:
    """Return the charts of one or several evaluations of the same rankers, with axes wide enough for all."""
    rankers = len(shown[0].rankers)
    ends = []
    for along in ("alpha", "prevalence", "budget"):
        low, high = zip(*(one.ends(along) for one in shown), strict=True)
        ends.append((min(low), max(high)))
    rates, recalls = zip(*(one.least for one in shown), strict=True)
    return charts(rankers, (min(rates), min(recalls)), *ends)


def least(tables: Iterable[HitTable]) -> tuple[float, float]:
    """Return where logarithmic axes of rates and of recall begin, so that every table has its first subject on them."""
    own = [(least_rate(float(t.n)), least_recall(float(t.n_pos))) for t in tables]
    rates, recalls = zip(*own, strict=True)
    return min(rates), min(recalls)


def _readings(d: Drawn) -> dict[str, Any]:
    return {
        "line": "".join("1" if line else "0" for line in d.line),
        "vertex": "".join("1" if vertex >= 0 else "0" for vertex in d.points.vertex),
        "rate": printed(d.rate),
        "recall": printed(d.points.P),
        "fpr": printed(d.points.Q),
        "precision": printed(d.precision),
        "lift": printed(d.lift),
        "called": [rows.count(x) for x in d.called.tolist()],
        "hits": [rows.count(x) for x in d.hits.tolist()],
        "alarms": [rows.count(x) for x in d.alarms.tolist()],
        "threshold": list(d.thresholds),
    }


def _nearest(grid: Sequence[float], wanted: float) -> int:
    return min(range(len(grid)), key=lambda i: abs(math.log(grid[i] / wanted)))


def _at_prevalence(precision: Array, pi: float, other: float) -> Array:
    """Move precision to another prevalence that is known: its odds follow those of the prevalence."""
    odds = other / (1 - other) * (1 - pi) / pi
    return np.asarray(precision * odds / (precision * odds + 1 - precision))


def _one_in(pi: float) -> str:
    return (
        f"1 in {rows.count(round(1 / pi))} subjects is positive"
        if pi <= 0.2
        else f"{words.share(pi)} of the subjects are positive"
    )
