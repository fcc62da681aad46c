"""What the script of the page of censored outcomes draws: values over time, and curves at each horizon."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.counts import Array
from hitcurve.errors import HitcurveError
from hitcurve.survival import HorizonEvaluation, OverTime, SurvivalEvaluation

_CURVES = {"roc": "ROC", "precision_recall": "precision-recall", "accumulation": "cases found"}
_POINTS = 201  # of a curve with more vertices than this
_MOST_SUBJECTS = 20_000  # for whom bands are drawn while the page is made
_MOST_BANDS = 24
_REPLICATES = 400
_THRESHOLDS = np.arange(1, 20) / 20


def data(found: SurvivalEvaluation, lines: Sequence[OverTime]) -> dict[str, Any]:
    """Return values over time, and curves with bands at each horizon."""
    times = lines[0] if lines else None
    banded = (
        found.cohort.sample.time.size <= _MOST_SUBJECTS
        and len(found.rankers) * len(found.horizons) * len(_CURVES) <= _MOST_BANDS
    )
    return {
        "rankers": list(found.rankers),
        "times": [] if times is None else times.times.tolist(),
        "rate": [] if times is None else _rounded(times.event_rate),
        "cases": [] if times is None else [rows.count(number) for number in times.cases.tolist()],
        "atRisk": [] if times is None else [rows.count(number) for number in times.at_risk.tolist()],
        "metrics": [_metric(one) for one in lines],
        "horizons": [_horizon(ev, banded=banded) for ev in found.evaluations.values()],
    }


def _metric(one: OverTime) -> dict[str, Any]:
    own = [{end: _rounded(getattr(one[name], end)) for end in ("value", "low", "high")} for name in one.rankers]
    return {"name": str(one.metric), "lines": own, "random": _rounded(one.random)}


def _horizon(ev: HorizonEvaluation, *, banded: bool) -> dict[str, Any]:
    return {
        "name": rows.exact(ev.horizon),
        "cases": rows.count(ev.cases),
        "atRisk": rows.count(ev.at_risk),
        "censored": rows.count(ev.censored_before),
        "curves": dict(_curves(ev, banded=banded)),
    }


def _curves(ev: HorizonEvaluation, *, banded: bool) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the curves of a horizon, and decision curves where all scores are probabilities."""
    level = f"{100 * ev.confidence_level:g}%"
    prevalence = next(iter(ev.tables.values())).prevalence
    references = {
        "roc": [[[0, 0], [1, 1]]],
        "precision_recall": [[[0, prevalence], [1, prevalence]]],
        "accumulation": [[[0, 0], [1, 1]]],
    }
    for kind, title in _CURVES.items():
        drawn = [_ranker(ev, name, kind, banded=banded) for name in ev.tables]
        curve = next(iter(ev.tables.values())).curve(kind)
        shaded = any("band" in one for one in drawn)
        yield (
            kind,
            {
                "title": title,
                "x": curve.x_label,
                "y": curve.y_label,
                "top": 1,
                "reference": references[kind],
                "rankers": drawn,
                "note": f"Shaded: {level} simultaneous band of each curve." if shaded else "",
            },
        )
    try:
        decided = [ev.decision_curve(name, _THRESHOLDS) for name in ev.tables]
    except HitcurveError:  # scores are no probabilities, or values have no errors
        return
    lines = [
        {
            "line": _points(one.thresholds, one.net_benefit),
            "band": _band(one.thresholds, one.low, one.high),
        }
        for one in decided
    ]
    everybody = np.maximum(decided[0].treat_all, -prevalence / 4)
    yield (
        "decision",
        {
            "title": "decision curve",
            "x": "threshold probability",
            "y": "net benefit",
            "top": prevalence,
            "reference": [_points(_THRESHOLDS, everybody), [[0.05, 0], [0.95, 0]]],
            "rankers": lines,
            "note": f"Shaded: {level} pointwise limits. Dashed: all selected, and none.",
        },
    )


def _ranker(ev: HorizonEvaluation, name: str, kind: str, *, banded: bool) -> dict[str, Any]:
    curve = ev.tables[name].curve(kind)
    x = (
        np.linspace(curve.x[0], curve.x[-1], _POINTS)
        if curve.x.size > _POINTS or not curve.kind.is_straight
        else curve.x
    )
    own: dict[str, Any] = {"line": _points(x, np.asarray(curve.at(x)) if x is not curve.x else curve.y)}
    if banded:
        try:
            options: dict[str, Any] = {"n_resamples": _REPLICATES} if ev.censored or ev.clustered else {}
            band = ev.band(name, kind, **options)
        except HitcurveError:  # too few cases
            return own
        own["band"] = _band(band.x, band.low.y, band.high.y)
    return own


def _points(x: Array, y: Array) -> list[list[float]]:
    return [[float(f"{a:.4g}"), float(f"{b:.4g}")] for a, b in zip(x.tolist(), y.tolist(), strict=True)]


def _band(x: Array, low: Array, high: Array) -> list[list[float]]:
    columns = (x.tolist(), low.tolist(), high.tolist())
    return [[float(f"{value:.4g}") for value in point] for point in zip(*columns, strict=True)]


def _rounded(values: Array) -> list[float]:
    return [float(f"{value:.6g}") for value in values.tolist()]
