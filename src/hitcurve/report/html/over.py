"""Numbers of many groups for the page and its script."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.errors import UndefinedMetricError
from hitcurve.evaluation import Evaluation, GroupedEvaluation
from hitcurve.evaluation.methods import for_readers
from hitcurve.groups import AverageCurve, GroupMean
from hitcurve.inference import ConfidenceInterval
from hitcurve.metrics import Metric
from hitcurve.report.html.charts import charts
from hitcurve.report.html.data import Data, charted, frame, least
from hitcurve.report.html.drawn import TOLERANCE, Sketch, on_logarithmic_axis, sketch, thinned
from hitcurve.report.html.numbers import KnownIntervals, Scale, numbers, scale
from hitcurve.report.html.packed import coordinates, printed
from hitcurve.report.html.words import first, named, share

CONTROLS = 24  # curves up to which every group has all controls
CURVES = 1000  # curves up to which every group has curves and intervals
_SHADES = 10
_AVERAGED = {"hits": "accumulation", "roc": "roc"}


class GroupData:
    """Everything the page of an evaluation of groups shows.

    Parameters
    ----------
    ev : GroupedEvaluation
    levels : sequence of float
        Confidence levels.
    """

    def __init__(self, ev: GroupedEvaluation, levels: Sequence[float]) -> None:
        self._ev, self._levels = ev, tuple(levels)
        self.lines = len(ev) * len(ev.rankers)
        self._whole = [Data(one, levels, self.lines) for one in ev.groups.values()] if self.has_controls else []
        sketched = ev.groups.values() if self.has_curves and not self.has_controls else ()
        self._sketched = [[sketch(t) for t in one.tables.values()] for one in sketched]

    @property
    def has_controls(self) -> bool:
        """Whether every group has all controls."""
        return self._ev.has_curves and self.lines <= CONTROLS

    @property
    def has_curves(self) -> bool:
        """Whether every group has curves and intervals."""
        return self._ev.has_curves and self.lines <= CURVES

    @property
    def why(self) -> str:
        """Why groups are not shown one by one."""
        if not self._ev.has_curves:
            return (
                "The lengths of these rankings are unknown, so there are no curves. The table shows the metrics that "
                "need no length."
            )
        units = self._ev.called
        return (
            f"Single {units} are shown if {units} times rankers are at most {CURVES:,}. Here they are {self.lines:,}. "
            f"A report of one {units.removesuffix('s')} alone, or of fewer rankers, shows the curves."
        )

    @property
    def off(self) -> float:
        """How far lines are from their curves, in parts of an axis."""
        of_groups = [one.off for one in self._whole] + [one.off for group in self._sketched for one in group]
        return max([TOLERANCE, *of_groups])

    def all(self) -> dict[str, Any]:
        """Return everything."""
        ev = self._ev
        return {
            **frame(ev.rankers, self._levels, ev.confidence_level),
            "metrics": [str(m) for m in ev.metrics],
            "values": [self._values(m) for m in ev.metrics],
            "average": self._averages(),
            "groups": self._groups(),
            "units": self._ev.called,
            "charts": self._charts(),
        }

    def _charts(self) -> dict[str, Any]:
        if self._whole:
            return charted(self._whole)
        tables = [t for one in self._ev.groups.values() for t in one.tables.values()]
        made = charts(len(self._ev.rankers), least(tables), *[(1.0, 1.0)] * 3)
        return {name: made[name] for kind in ("hits", "roc", "pr") for name in (kind, f"{kind}-log")}

    def _values(self, m: Metric) -> dict[str, Any]:
        values = [self._ev.values(name, m) for name in self._ev.rankers]
        known = np.concatenate(values)
        known = known[np.isfinite(known)]
        low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
        return {
            "value": [printed(np.where(np.isfinite(of_ranker), of_ranker, np.nan)) for of_ranker in values],
            "shade": ["".join(_shade(value, low, high) for value in of_ranker.tolist()) for of_ranker in values],
        }

    def _averages(self) -> dict[str, Any]:
        if len(self._ev) < 2 or not self._ev.has_curves:
            return {}
        return {
            name: [self._average([self._at_level(r, curve, level) for level in self._levels]) for r in self._ev.rankers]
            for name, curve in _AVERAGED.items()
        }

    def _at_level(self, ranker: str, curve: str, level: float) -> AverageCurve:
        return self._ev.average_curve(ranker, curve, "rate", confidence_level=level)

    def _average(self, found: Sequence[AverageCurve]) -> dict[str, Any]:
        one = found[0]
        edges = [edge for each in found for edge in (each.low, each.high)]
        begin, _ = least(t for group in self._ev.groups.values() for t in group.tables.values())
        axes = (one.x, on_logarithmic_axis(one.x, begin))
        at = np.flatnonzero(thinned([(x, y) for x in axes for y in (one.y, *edges)], TOLERANCE))
        return {
            "x": printed(one.x[at], short=True),
            "y": coordinates(one.y[at]),
            "low": [coordinates(each.low[at]) for each in found],
            "high": [coordinates(each.high[at]) for each in found],
        }

    # ---- group by group

    def _groups(self) -> list[dict[str, Any]]:
        if not self.has_curves:
            return [{}]
        drawn = [one.own() for one in self._whole] or [
            {"sketch": True, "prevalence": _prevalences(ev), "drawn": [_packed(one) for one in sketched]}
            for ev, sketched in zip(self._ev.groups.values(), self._sketched, strict=True)
        ]
        return [
            {**own, **self._numbers(ev, known), "says": says(ev)}
            for own, ev, known in zip(drawn, self._ev.groups.values(), self._intervals(), strict=True)
        ]

    def _intervals(self) -> list[KnownIntervals]:
        """Return the intervals of each group at all levels; none if any level is missing."""
        known: list[dict[tuple[str, Metric], tuple[ConfidenceInterval, ...]]] = [{} for _ in self._ev.groups]
        for ranker in self._ev.rankers:
            for m in self._ev.metrics:
                found = [self._ev.groups.estimates(ranker, m, level) for level in self._levels]
                ends = np.array([(one.low, one.high) for one in found])
                for place in np.flatnonzero(np.isfinite(ends).all(axis=(0, 1))).tolist():
                    known[place][ranker, m] = tuple(ConfidenceInterval(*pair) for pair in ends[..., place].tolist())
        return list(known)

    def _numbers(self, ev: Evaluation, known: KnownIntervals) -> dict[str, Any]:
        found = numbers(ev, self._levels, known)
        return {
            "numbers": [
                {
                    "cells": [[cell["value"], *cell["ends"]] for cell in m["cells"]],
                    "random": m["random"],
                    "best": m["best"],
                }
                for m in found["metrics"]
            ],
            "why": found["why"],
            **({"cuts": found["cuts"]} if found["cuts"] else {}),
        }


def says(ev: Evaluation) -> str:
    """Return how many subjects a group has."""
    tables = list(ev.tables.values())
    n, n_pos = (sorted({rows.count(float(getattr(t, key))) for t in tables}) for key in ("n", "n_pos"))
    return f"{' to '.join(n)} subjects, {' to '.join(n_pos)} of them positive"


def _prevalences(ev: Evaluation) -> list[str]:
    return [rows.number(t.prevalence) for t in ev.tables.values()]


def _packed(one: Sketch) -> dict[str, str]:
    return {
        "rate": printed(one.rate, 3, short=True),
        "recall": coordinates(one.recall),
        "fpr": printed(one.fpr, 3, short=True),
        "precision": coordinates(one.precision),
    }


def _shade(value: float, low: float, high: float) -> str:
    """Return a digit for how high a value is among all of its metric; one that is missing has none."""
    if not math.isfinite(value):
        return "-"
    return "0" if low == high else str(min(int(_SHADES * (value - low) / (high - low)), _SHADES - 1))


# ---- tables that are there without the script


def cuts(ev: GroupedEvaluation, data: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """Return the cutoffs of operating points in each group whose numbers are on the page, in words."""
    return [(name, own["cuts"]) for name, own in zip(ev.groups, data["groups"], strict=False) if own.get("cuts")]


def means(ev: GroupedEvaluation, levels: Sequence[float]) -> list[dict[str, Any]]:
    """Return the cells of the mean over groups of every metric and ranker."""
    out = []
    for m in ev.metrics:
        found = [_Mean.of(ev, name, m, levels) for name in ev.rankers]
        on = scale([end for one in found for end in one.ends])
        cells = [one.cell(on) for one in found]
        out.append({"name": str(m), "summary": m.summary, "lower": m.lower_is_better, "cells": cells})
    return out


@dataclass(frozen=True)
class _Mean:
    """A mean over groups with its intervals at all levels; none where the metric is undefined in every group."""

    mean: GroupMean | None
    intervals: tuple[ConfidenceInterval, ...] = ()
    why: str = ""

    @classmethod
    def of(cls, ev: GroupedEvaluation, ranker: str, m: Metric, levels: Sequence[float]) -> _Mean:
        try:
            mean = ev.mean(ranker, m)
        except UndefinedMetricError as error:
            return cls(None, why=for_readers(str(error)))
        if not mean.is_mean:
            return cls(mean, why=f"a {mean.kind} has no interval")
        if mean.n_groups < 2:
            return cls(mean, why=f"an interval of a mean needs at least 2 {ev.called}")
        if mean.interval is None:
            return cls(mean, why=f"the {ev.called} do not vary here")
        return cls(mean, tuple(mean.confidence_interval(level) for level in levels))

    @property
    def ends(self) -> list[float]:
        """The value and the ends of the widest interval."""
        return [] if self.mean is None else [self.mean.value, *(self.intervals[-1] if self.intervals else ())]

    def cell(self, on: Scale | None) -> dict[str, Any]:
        if self.mean is None:
            none = dict.fromkeys(("value", "spread"), "none")
            return {**none, "sort": "-Infinity", "ends": [], "why": self.why, "track": None, "groups": 0}
        values = self.mean.values
        return {
            "value": rows.number(self.mean.value),
            "sort": self.mean.value if math.isfinite(self.mean.value) else "-Infinity",
            "ends": [f"[{rows.number(low, 3)}, {rows.number(high, 3)}]" for low, high in self.intervals],
            "why": self.why,
            "track": None if on is None else on.track(self.mean.value, None, self.intervals),
            "spread": f"{rows.number(values.min(), 3)} to {rows.number(values.max(), 3)}",
            "groups": self.mean.n_groups,
        }


def by_group(ev: GroupedEvaluation, data: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of the first metric group by group, as the script would fill them."""
    shown = data["values"][0]
    lines = [line.split(" ") for line in shown["value"]]
    out = []
    for g, name in enumerate(ev.counted):
        table = first(ev.groups[name]) if name in ev.groups else None
        out.append(
            {
                "name": name,
                "group": g,
                "evaluated": table is not None,
                "n": "" if table is None or not ev.has_curves else rows.count(float(table.n)),
                "n_pos": "0" if table is None else rows.count(float(table.n_pos)),
                "sort_n": -1 if table is None else float(table.n),
                "sort_n_pos": 0 if table is None else float(table.n_pos),
                "cells": [
                    {"text": texts[g], "shade": shades[g]} for texts, shades in zip(lines, shown["shade"], strict=True)
                ],
            }
        )
    return out


def picture(ev: GroupedEvaluation) -> str:
    """Return what the average accumulation curves show, for those who do not see them."""
    if len(ev) < 2 or not ev.has_curves:
        return ""
    sentences = []
    for name in ev.rankers:
        curve = ev.average_curve(name, "accumulation")
        found = ", ".join(
            f"{share(float(curve.at(r)))} of the positives in the first {share(r)} of the list"
            for r in (0.01, 0.1, 0.5)
        )
        sentences.append(f"{named(name)} finds {found}")
    return f"{'; '.join(sentences)}."
