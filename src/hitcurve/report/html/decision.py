"""Decision curves of the page: where the scores of a ranker are probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from hitcurve import rows
from hitcurve.counts import Array
from hitcurve.errors import HitcurveError, ScoreError
from hitcurve.evaluation import Evaluation
from hitcurve.evaluation.methods import for_readers
from hitcurve.inference import DecisionCurve
from hitcurve.inference.decision_curve import treat_all
from hitcurve.report.html.charts import Axis, chart
from hitcurve.report.html.packed import printed
from hitcurve.sources import Block

_POINTS = 60
_MOST = 0.5  # thresholds of a rarer class end earlier
_TIMES = 8  # the prevalence
_PER = 100  # subjects
_FEWEST = 3  # distinct scores
_AVOIDED = "interventions_avoided"
_KEYS = {
    "net_benefit": ("net_benefit", 1, "low", "high"),
    "avoided": (_AVOIDED, _PER, f"{_AVOIDED}_low", f"{_AVOIDED}_high"),
}


@dataclass(frozen=True)
class DecisionData:
    """The decision curves of the rankers that give probabilities, at each level; or why one has none."""

    rankers: tuple[str, ...]
    curves: dict[str, list[DecisionCurve]]
    why: dict[str, str]
    thresholds: Array
    prevalence: float
    levels: int

    @property
    def highest(self) -> float:
        """The largest net benefit to show."""
        ends = [float(curve.high.max()) for own in self.curves.values() for curve in own]
        return max(*ends, self.prevalence)

    def packed(self) -> dict[str, Any]:
        """Return it along the grid of thresholds, as sensitivities are."""
        reasons = ["", *dict.fromkeys(self.why.values())]
        lines = {key: [self._line(name, key, reasons) for name in self.rankers] for key in ("net_benefit", "avoided")}
        t = self.thresholds
        every = treat_all(t, self.prevalence)
        return {
            "lines": lines,
            "reasons": reasons,
            "grid": printed(t, 3, short=True),
            "start": int(np.argmin(np.abs(np.log(t / self.prevalence)))),
            "all": printed(every),
            "says": list(map(_says, t.tolist(), every.tolist())),
        }

    def _line(self, name: str, key: str, reasons: list[str]) -> dict[str, Any]:
        if name not in self.curves:
            none = printed(np.full(self.thresholds.size, np.nan))
            why = " ".join([str(reasons.index(self.why[name]))] * self.thresholds.size)
            return {"value": none, "low": [none] * self.levels, "high": [none] * self.levels, "why": why}
        stem, factor, low, high = _KEYS[key]
        own = self.curves[name]
        return {
            "value": printed(factor * getattr(own[0], stem)),
            "low": [printed(factor * getattr(curve, low), 3) for curve in own],
            "high": [printed(factor * getattr(curve, high), 3) for curve in own],
            "why": "",
        }


def _says(threshold: float, every: float) -> str:
    price = rows.short(threshold / (1 - threshold), 3)
    return (
        f"a false positive costs {price} true positives; selecting all has net benefit {rows.number(every, 3)}, none 0"
    )


def decision_of(ev: Evaluation, levels: Sequence[float]) -> DecisionData | None:
    """Return the decision curves of an evaluation; None where no score is a probability."""
    prevalences = {table.prevalence for table in ev.tables.values()}
    if ev.source is None or ev.clustered or len(prevalences) > 1:
        return None
    prevalence = prevalences.pop()
    most = min(max(_TIMES * prevalence, 0.02), _MOST)
    thresholds = np.unique([float(f"{t:.3g}") for t in np.geomspace(most / 50, most, _POINTS)])
    curves: dict[str, list[DecisionCurve]] = {}
    why: dict[str, str] = {}
    for name in ev.rankers:
        if _is_a_decision(ev, name):
            why[name] = "the scores are decisions"
            continue
        try:
            curves[name] = [ev.decision_curve(name, thresholds, confidence_level=level) for level in levels]
        except ScoreError:
            why[name] = "the scores are not probabilities, which lie in [0, 1] and are better the higher"
        except HitcurveError as error:
            why[name] = for_readers(str(error))
    return DecisionData(ev.rankers, curves, why, thresholds, prevalence, len(levels)) if curves else None


def _is_a_decision(ev: Evaluation, name: str) -> bool:
    """Say whether a score has fewer distinct values than a probability has."""

    def some(block: Block) -> set[Any]:
        return set(np.unique(block.scores[name])[:_FEWEST].tolist())

    found: set[Any] = set()
    with suppress(HitcurveError):
        if ev.source is not None:
            found = ev.source.reduce(some, lambda a, b: a | b)
    return len(found) < _FEWEST


def decision_chart(rankers: int, highest: float) -> dict[str, Any]:
    """Return the chart of net benefit over thresholds."""
    return chart(
        rankers, Axis("threshold probability", domain=None), Axis("net benefit", domain=(-highest / 4, highest))
    )
