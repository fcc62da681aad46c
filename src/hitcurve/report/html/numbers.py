"""Results table of the page: every metric of every ranker, with an inline chart of its interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from hitcurve import rows
from hitcurve.errors import HitcurveError
from hitcurve.evaluation import Evaluation
from hitcurve.evaluation.methods import for_readers
from hitcurve.inference import ConfidenceInterval, Estimate
from hitcurve.metrics import Metric
from hitcurve.report.html.words import named

KnownIntervals: TypeAlias = Mapping[tuple[str, Metric], tuple[ConfidenceInterval, ...]]

_BELOW_ALL = -1e308  # where a value that is not there is sorted


@dataclass(frozen=True)
class _Ends:
    """Intervals at all levels, or the reason why they are missing."""

    intervals: tuple[ConfidenceInterval, ...] = ()
    why: str = ""

    @classmethod
    def of(cls, e: Estimate, levels: Sequence[float], known: KnownIntervals) -> _Ends:
        intervals = known.get((e.ranker, e.metric), ())
        if intervals:
            return cls(intervals)
        if math.isnan(e.value):
            return cls(why=for_readers(e.reason))
        try:
            return cls(tuple(e.confidence_interval(level) for level in levels))
        except HitcurveError as error:
            return cls(why=for_readers(str(error)))


def numbers(ev: Evaluation, levels: Sequence[float], known: KnownIntervals | None = None) -> dict[str, Any]:
    """Return the cells of every metric and ranker with the context of the metric, and what ties do to them.

    Intervals at all levels may be known; they are made here where they are not.
    """
    header, body, note = ev.tie_rows()
    metrics = [_of_metric(m, list(ev.metric(m).values()), levels, known or {}) for m in ev.metrics]
    return {
        "metrics": metrics,
        "ties": {"header": header, "body": body, "note": note} if body else None,
        "cuts": [f"{line[0].upper()}{line[1:]}." for line in ev.about_cuts().splitlines()],
        "why": _why(ev, metrics),
    }


def _why(ev: Evaluation, metrics: Sequence[dict[str, Any]]) -> list[str]:
    """Return why intervals are missing, each reason once, with the metrics and rankers it holds for."""
    of_reason: dict[str, dict[str, list[str]]] = {}
    for m in metrics:
        for name, cell in zip(ev.rankers, m["cells"], strict=True):
            if cell["why"]:
                of_reason.setdefault(cell["why"], {}).setdefault(m["name"], []).append(named(name))
    out = []
    for reason, where in of_reason.items():
        of = [m if len(names) == len(ev.rankers) else f"{m} ({', '.join(names)})" for m, names in where.items()]
        everywhere = of == [m["name"] for m in metrics]
        out.append(f"No interval{'' if everywhere else f' of {rows.listed(of)}'}: {reason}.")
    return out


def _of_metric(
    m: Metric, estimates: Sequence[Estimate], levels: Sequence[float], known: KnownIntervals
) -> dict[str, Any]:
    defined = [e for e in estimates if not math.isnan(e.value)]
    random, best = [e.random for e in defined], [e.best for e in defined]
    ends = [_Ends.of(e, levels, known) for e in estimates]
    widest = [end for one in ends for interval in one.intervals[-1:] for end in interval]
    on = scale([*(e.value for e in defined), *random, *best, *widest])
    return {
        "name": str(m),
        "summary": m.summary,
        "lower": m.lower_is_better,
        "cells": [
            {
                "value": rows.value(e.value),
                "sort": e.value if math.isfinite(e.value) else _BELOW_ALL,
                "ends": [f"[{rows.number(low, 3)}, {rows.number(high, 3)}]" for low, high in one.intervals],
                "why": one.why,
                "track": None if on is None or math.isnan(e.value) else on.track(e.value, e.random, one.intervals),
            }
            for e, one in zip(estimates, ends, strict=True)
        ],
        "random": rows.agreed(random) or "none",
        "best": rows.agreed(best) or "none",
        "convention": "; ".join(dict.fromkeys(e.convention for e in defined if e.convention)),
    }


@dataclass(frozen=True)
class Scale:
    """The little scale that the rankers share: from the lowest number of a metric to its highest."""

    low: float
    high: float

    def _at(self, x: float) -> float:
        share = (x - self.low) / (self.high - self.low)
        return round(2 + 96 * min(max(share, 0.0), 1.0), 2)

    def track(self, value: float, random: float | None, intervals: Sequence[ConfidenceInterval]) -> dict[str, Any]:
        """Return where value, random list (if there is one) and intervals lie, in percent."""
        ends = [(self._at(low), self._at(high)) for low, high in intervals]
        return {"value": self._at(value), "random": None if random is None else self._at(random), "ends": ends}


def scale(values: Sequence[float]) -> Scale | None:
    """Return the scale of some numbers, None if there is nothing between them."""
    if not values or not all(map(math.isfinite, values)) or min(values) == max(values):
        return None
    return Scale(min(values), max(values))
