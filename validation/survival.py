"""Censored outcomes: coverage and width of intervals, size of the paired test, bands over time and of curves.

``python -m validation.survival [--quick]``. The hazard of the event grows with a risk that two rankers see with errors
of the same size; it is censored at random, and a competing event has a hazard of its own in some cells.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import hitcurve as hc
from hitcurve.errors import HitcurveError, HitcurveWarning
from validation.running import Line, Tally, arguments, blocks, over, shown, write

STUDY = 41
METRICS = ("ap", "auc", "croc(exp, alpha=7)", "recall@10%")
SIZES = (100, 400, 2000)
CENSORED = (0.0, 0.3, 0.6)
RATE = 0.3  # of the event at the horizon
HORIZON = 1.0
TIMES = (0.25, 0.5, 0.75, 1.0)
CURVES = ("roc", "precision_recall", "accumulation")
_TRUE = 1_000_000  # subjects, by whom truths are known
_STRENGTH = 1.5

Array = npt.NDArray[np.float64]


class Cell(NamedTuple):
    """One setting: subjects, the share of them that is censored before the horizon, and competing events."""

    n: int
    censored: float
    competing: float
    controls: str


BANDED = (Cell(100, 0.3, 0.0, "free"), Cell(100, 0.6, 0.0, "free"), Cell(400, 0.3, 0.0, "free"))


class Drawn(NamedTuple):
    """Times, events and scores."""

    time: Array
    event: npt.NDArray[np.int64]
    scores: dict[str, Array]


def cells() -> list[Cell]:
    """Return all settings."""
    plain = [Cell(n, share, 0.0, "free") for n in SIZES for share in CENSORED]
    return plain + [Cell(n, 0.3, 0.5, controls) for n in SIZES for controls in ("free", "all")]


def _times(n: int, competing: float, rng: np.random.Generator) -> tuple[Array, Array, dict[str, Array]]:
    risk = rng.normal(size=n)
    onset = rng.exponential(size=n) / (_base(competing) * np.exp(_STRENGTH * risk))
    other = rng.exponential(size=n) / competing if competing else np.full(n, np.inf)
    return onset, other, {name: risk + 0.7 * rng.normal(size=n) for name in ("a", "b")}


@cache
def _base(competing: float) -> float:
    """Return the hazard of a subject of mean risk, so that the event has its rate at the horizon."""
    rng = np.random.default_rng(0)
    relative = np.exp(_STRENGTH * rng.normal(size=200_000))
    low, high = 1e-3, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        hazard = middle * relative
        rate = np.mean(hazard / (hazard + competing) * (1 - np.exp(-(hazard + competing) * HORIZON)))
        low, high = (middle, high) if rate < RATE else (low, middle)
    return low


@cache
def _lost(censored: float, competing: float) -> float:
    """Return the hazard of being censored, so that this share of the subjects is censored before the horizon."""
    if not censored:
        return 0.0
    onset, other, _ = _times(200_000, competing, np.random.default_rng(1))
    ends = np.minimum(np.minimum(onset, other), HORIZON)
    low, high = 1e-3, 100.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if np.mean(1 - np.exp(-middle * ends)) < censored else (low, middle)
    return low


def drawn(cell: Cell, rng: np.random.Generator) -> Drawn:
    """Draw a cohort."""
    onset, other, scores = _times(cell.n, cell.competing, rng)
    lost = (
        rng.exponential(size=cell.n) / _lost(cell.censored, cell.competing) if cell.censored else np.full(cell.n, 9.0)
    )
    first = np.minimum(onset, other)
    event = np.where(lost < first, 0, np.where(onset <= other, 1, 2))
    return Drawn(np.minimum(first, lost), event, scores)


@cache
def truths(competing: float, controls: str) -> dict[tuple[str, float], float]:
    """Return values of a population whose times are all known."""
    onset, other, scores = _times(_TRUE, competing, np.random.default_rng(2))
    out: dict[tuple[str, float], float] = {}
    for t in TIMES:
        case = (onset <= t) & (onset < other)
        there = case | (np.minimum(onset, other) > t) | (controls == "all")
        table = hc.HitTable.from_scores(case[there], scores["a"][there])
        out |= {(m, t): float(hc.metric(m).value(table)) for m in METRICS}
    return out


def study(task: tuple[Cell, int]) -> list[Line]:
    """Return coverage and width of the intervals, and the size of the paired test, of one setting."""
    warnings.simplefilter("ignore", HitcurveWarning)
    cell, draws = task
    true = truths(cell.competing, cell.controls)
    tallies = {m: Tally() for m in METRICS}
    values: dict[str, list[float]] = {m: [] for m in METRICS}
    errors: dict[str, list[float]] = {m: [] for m in METRICS}
    rejected, tested = dict.fromkeys(METRICS, 0), dict.fromkeys(METRICS, 0)
    for size, rng in blocks(draws, STUDY, cells().index(cell)):
        for _ in range(size):
            one = drawn(cell, rng)
            ev = hc.evaluate_survival(
                one.time, one.event, one.scores, horizons=HORIZON, metrics=METRICS, controls=cell.controls
            )
            for m in METRICS:
                e = ev["a", m]
                if e.interval is None:
                    tallies[m].refused += 1
                    continue
                tallies[m].add(*e.interval, true[m, HORIZON])
                values[m].append(e.value)
                errors[m].append(e.standard_error)
                try:
                    rejected[m] += ev.compare("a", "b", m, method="delta").pvalue < 0.05
                    tested[m] += 1
                except HitcurveError:  # nobody tells the two apart
                    continue
    lines = []
    for m, tally in tallies.items():
        own = tally.line(true[m, HORIZON])
        lines.append(
            {
                "metric": m,
                **cell._asdict(),
                "draws": own["draws"],
                "coverage": own["coverage"],
                "below": own["below"],
                "above": own["above"],
                "width": round(tally.width / tally.draws, 5),
                "refused": own["refused"],
                "truth": round(true[m, HORIZON], 5),
                "bias": round(float(np.mean(values[m])) - true[m, HORIZON], 5),
                "error_over_deviation": round(float(np.mean(errors[m]) / np.std(values[m], ddof=1)), 4),
                "size": round(rejected[m] / max(tested[m], 1), 5),
            }
        )
    return lines


def study_over_time(task: tuple[Cell, int]) -> list[Line]:
    """Return how often the band holds at all times, and the mean over time its truth, of one setting."""
    warnings.simplefilter("ignore", HitcurveWarning)
    cell, draws = task
    true = truths(cell.competing, cell.controls)
    lines = []
    for place, m in enumerate(("ap", "auc")):
        at = np.array([true[m, t] for t in TIMES])
        together, of_none = 0, 0
        for size, rng in blocks(draws, STUDY, 1000 + cells().index(cell), place):
            for _ in range(size):
                one = drawn(cell, rng)
                ev = hc.evaluate_survival(one.time, one.event, one.scores, horizons=HORIZON, controls=cell.controls)
                found = ev.over_time(m, TIMES, n_resamples=2000)
                line = found["a"]
                together += bool(np.all((line.band_low <= at) & (at <= line.band_high)))
                difference = found.difference("a", "b")
                of_none += bool(np.all((difference.band_low <= 0) & (difference.band_high >= 0)))
        lines.append(
            {
                "metric": m,
                **cell._asdict(),
                "draws": draws,
                "band": round(together / draws, 5),
                "difference_band": round(of_none / draws, 5),
            }
        )
    return lines


@cache
def population(competing: float, controls: str) -> hc.HitTable:
    """Return the ranking by one ranker of a population whose times are all known, at the horizon."""
    onset, other, scores = _times(_TRUE, competing, np.random.default_rng(2))
    case = (onset <= HORIZON) & (onset < other)
    there = case | (np.minimum(onset, other) > HORIZON) | (controls == "all")
    return hc.HitTable.from_scores(case[there], scores["a"][there])


def study_curves(task: tuple[Cell, int]) -> list[Line]:
    """Return how often bands hold the whole curve of a population, and that of a difference 0, of one setting."""
    warnings.simplefilter("ignore", HitcurveWarning)
    cell, draws = task
    true = {kind: population(cell.competing, cell.controls).curve(kind) for kind in CURVES}
    held, width = dict.fromkeys(CURVES, 0), dict.fromkeys(CURVES, 0.0)
    equal, made = 0, 0
    for size, rng in blocks(draws, STUDY, 2000 + cells().index(cell)):
        for _ in range(size):
            one = drawn(cell, rng)
            ev = hc.evaluate_survival(
                one.time, one.event, one.scores, horizons=HORIZON, metrics="auc", controls=cell.controls
            ).at(HORIZON)
            try:
                bands = {kind: ev.band("a", kind, n_resamples=500) for kind in CURVES}
                equal += not ev.difference_band("a", "b").excludes()
            except HitcurveError:  # too few cases
                continue
            made += 1
            for kind, band in bands.items():
                at = np.asarray(true[kind].at(band.x))
                held[kind] += bool(np.all((band.low.y <= at) & (at <= band.high.y)))
                width[kind] += band.mean_width
    lines: list[Line] = [
        {
            "curve": kind,
            **cell._asdict(),
            "draws": made,
            "refused": draws - made,
            "coverage": round(held[kind] / made, 5),
            "width": round(width[kind] / made, 5),
        }
        for kind in CURVES
    ]
    own = {"draws": made, "refused": draws - made, "coverage": round(equal / made, 5), "width": ""}
    return [*lines, {"curve": "accumulation difference", **cell._asdict(), **own}]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study, or a slice of it."""
    asked = arguments(__doc__, argv)
    draws = 20 if asked.quick else 500
    some = [Cell(100, 0.3, 0.0, "free"), Cell(100, 0.3, 0.5, "all")] if asked.quick else cells()
    lines = over(study, [(cell, draws) for cell in some], asked.processes)
    print(shown(lines))
    middle = some if asked.quick else [cell for cell in some if cell.n == 400]
    bands = over(study_over_time, [(cell, max(draws // 2, 10)) for cell in middle], asked.processes)
    print(shown(bands))
    of_curves = some[:1] if asked.quick else list(BANDED)
    curves = over(study_curves, [(cell, 4 if asked.quick else 60) for cell in of_curves], asked.processes)
    print(shown(curves))
    if not asked.quick:
        write("survival", lines)
        write("survival_curves", curves)
        write("survival_over_time", bands)
    return 0


if __name__ == "__main__":
    sys.exit(main())
