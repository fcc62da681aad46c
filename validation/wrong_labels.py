"""Labels that are wrong in a known way, and labels of some subjects only: coverage, size, operating points.

``python -m validation.wrong_labels [--quick]``. Subjects are places on the FPR axis of a population: negatives are
uniform there, and positives are where their scores are, so nothing of the package is used to draw them.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

import hitcurve as hc
from hitcurve import Counts, HitTable
from hitcurve.errors import InputError
from hitcurve.label_errors import LabelErrors
from hitcurve.sums import Sums
from validation.held_out import NOT_TUNED
from validation.populations import Array, Population
from validation.running import Line, Tally, arguments, blocks, over, shown, write

STUDY = 37
METRICS = ("auc", "ap", "croc(exp, alpha=7)")
POINTS = ("tpr@fpr=1%", "tpr@fpr=5%", "tpr@fpr=20%")
POPULATIONS = {
    **{f"binormal {shift:g}": Population("binormal", shift) for shift in (0.5, 1.5, 3.0)},
    **{name: NOT_TUNED[name] for name in ("beta", "subgroup", "t2 hook", "poisson", "laplace", "zero-inflated")},
    "binormal 3.64": Population("binormal", 3.64),
}
"""The first three are of the design notes (POINTS 4), on the next ones nothing was chosen; the last is near AUC 1."""
SIZES = ((20, 1000), (50, 500), (200, 2000))
_PLACES = 1 << 12  # of a level on the FPR axis


class Noise(NamedTuple):
    """Shares of wrong labels, and the standard errors with which they are known."""

    contamination: float
    mislabelled: float
    contamination_error: float = 0.0
    mislabelled_error: float = 0.0

    @property
    def estimated(self) -> bool:
        """Whether the shares are."""
        return self.contamination_error > 0 or self.mislabelled_error > 0

    @property
    def unlabelled(self) -> bool:
        """Positive-unlabelled data: nothing but positives is labelled."""
        return self.contamination == 0

    def drawn(self, rng: np.random.Generator) -> LabelErrors:
        """Return what an analyst would know."""
        a, b = (
            max(rng.normal(share, error), least)
            for share, error, least in (
                (self.contamination, self.contamination_error, 0.0),
                (self.mislabelled, self.mislabelled_error, 1e-3),
            )
        )
        return LabelErrors(a, b, self.contamination_error, self.mislabelled_error, self.unlabelled)


NOISES = (
    Noise(0, 0.05),
    Noise(0, 0.2),
    Noise(0.1, 0.05),
    Noise(0, 0.2, 0, 0.04),
    Noise(0, 0.5, 0, 0.05),
    Noise(0.2, 0.1, 0.03, 0.03),
)
"""The six of the design notes."""


def places(population: Population, positive: bool, number: int, rng: np.random.Generator) -> Array:
    """Draw subjects as places on the FPR axis, equal where their scores are equal."""
    if population.ordinal:
        p, q = population.levels()
        level = rng.choice(p.size, number, p=p if positive else q)
        return np.asarray((level + 1) / p.size)
    tied = population.at_bottom[1]
    found = population.fpr(population.draw(rng, (number,))) if positive else rng.random(number)
    return np.where(np.asarray(found) > 1 - tied, 1.0, found)


def _table(place: Array, labelled: Array) -> HitTable:
    _, row = np.unique(place, return_inverse=True)
    return HitTable.of_sums(Sums.counted(np.asarray(labelled, bool), row, int(row.max()) + 1), "rows")


def _drawn(population: Population, n: tuple[int, int], noise: Noise, rng: np.random.Generator) -> HitTable:
    """Draw labelled positives, some of them negatives, and others, some of them positives."""
    wrong, right = rng.binomial(n[0], noise.contamination), rng.binomial(n[1], noise.mislabelled)
    parts = ((True, n[0] - wrong, 1), (False, wrong, 1), (True, right, 0), (False, n[1] - right, 0))
    drawn = [places(population, positive, number, rng) for positive, number, _ in parts]
    return _table(np.concatenate(drawn), np.repeat([label for *_, label in parts], [one.size for one in drawn]))


def _pi(noise: Noise, n: tuple[int, int]) -> float:
    if noise.unlabelled:
        return noise.mislabelled
    return (n[0] * (1 - noise.contamination) + n[1] * noise.mislabelled) / sum(n)


def truth(name: str, population: Population, pi: float) -> float:
    """Return the value of the whole population."""
    tpr, fpr = population.points()
    return float(hc.metric(name).kernel(Counts(np.diff(tpr), np.diff(fpr), pi)))


def study(cell: tuple[str, tuple[int, int], Noise], draws: int) -> list[Line]:
    """Return coverage of corrected intervals, of those that take labels as they are, and of corrected points."""
    name, n, noise = cell
    population, key = POPULATIONS[name], (list(POPULATIONS).index(name), n[0], NOISES.index(noise))
    pi = _pi(noise, n)
    true = {m: truth(m, population, pi) for m in (*METRICS, *POINTS)}
    tallies = {(m, how): Tally() for m in METRICS for how in ("corrected", "error ignored", "labels as they are")}
    tallies |= {(m, how): Tally() for m in POINTS for how in ("estimated slope", "true slope")}
    bias = dict.fromkeys(tallies, 0.0)
    for size, rng in blocks(draws, STUDY, *key):
        for _ in range(size):
            table, errors = _drawn(population, n, noise, rng), noise.drawn(rng)
            hows = {"corrected": errors, "labels as they are": None}
            if noise.estimated:
                hows["error ignored"] = LabelErrors(errors.contamination, errors.mislabelled, 0, 0, errors.unlabelled)
            for how, known in hows.items():
                method = "auto" if known else "half-subject"  # by formula
                options: dict[str, Any] = {"design": "case-control", "interval_method": method}
                ev = hc.evaluate(tables={"a": table.corrected(known)}, metrics=METRICS, **options)
                for m in METRICS:
                    interval = ev["a", m].interval
                    assert interval is not None
                    tallies[m, how].add(*interval, true[m])
                    bias[m, how] += (ev["a", m].value - true[m]) / draws
            for m in POINTS:
                for how, (value, low, high) in _point(table.corrected(errors), population, m).items():
                    tallies[m, how].add(low, high, true[m])
                    bias[m, how] += (value - true[m]) / draws
    context = {"population": name, "labelled": n[0], "others": n[1], **noise._asdict()}
    lines = []
    for (m, how), tally in tallies.items():
        if tally.draws:
            rest = {k: v for k, v in tally.line(true[m]).items() if k not in ("width_over_truth", "refused")}
            more = {"width": round(tally.width / tally.draws, 5), "truth": round(true[m], 6)}
            lines.append({"metric": m, "how": how, **context, **rest, **more, "bias": round(bias[m, how], 5)})
    return lines


@cache
def slope_at(name: str, shift: float, x: float) -> float:
    """Return the slope of the ROC curve of a population at an FPR."""
    population = next(one for one in POPULATIONS.values() if (one.name, one.shift) == (name, shift))
    tpr, fpr = population.points()
    near = np.interp([x * 0.98, x * 1.02], fpr, tpr)
    return float(near[1] - near[0]) / (0.04 * x)


def _point(table: HitTable, population: Population, name: str) -> dict[str, tuple[float, float, float]]:
    """Return TPR at an FPR of the corrected curve with logit t intervals, by an estimated slope and by the true one.

    This is what a delta method would do: Var of TPR - slope FPR of both labelled classes at the cut.
    """
    x, errors = float(name.partition("=")[2].rstrip("%")) / 100, table.label_errors
    assert errors is not None
    c = table.counts
    P, Q = c.rates_of_curves
    value = float(np.interp(x, np.append(0.0, Q), np.append(0.0, P)))
    row = min(int(np.searchsorted(Q, x)), Q.size - 1)
    half = max(x / 2, 3 / np.sqrt(c.observed.n0) * np.sqrt(x))
    ends = np.interp([max(x - half, 0), min(x + half, 1)], np.append(0.0, Q), np.append(0.0, P))
    slopes = {"estimated slope": float(ends[1] - ends[0]) / (min(x + half, 1) - max(x - half, 0))}
    slopes["true slope"] = slope_at(population.name, population.shift, x)
    labelled, others = float(c.observed.P[row]), float(c.observed.Q[row])
    n1, n0 = float(c.observed.n1), float(c.observed.n0)
    a, b, left = errors.contamination, errors.mislabelled, errors.left
    out = {}
    for how, m in slopes.items():
        of_labelled, of_others = ((1 - b) + m * b) / left, -(a + m * (1 - a)) / left
        variance = of_labelled**2 * labelled * (1 - labelled) / n1 + of_others**2 * others * (1 - others) / n0
        by_b = ((P[row] - labelled) - m * (Q[row] - labelled)) / left * errors.mislabelled_error
        by_a = ((P[row] - others) - m * (Q[row] - others)) / left * errors.contamination_error
        place = float(np.clip(value, 0.5 / (n1 + 1), 1 - 0.5 / (n1 + 1)))
        reach = stats.t.ppf(0.975, n1 - 1) * np.sqrt(variance + by_a**2 + by_b**2) / (place * (1 - place))
        logit = np.log(place / (1 - place))
        low, high = 1 / (1 + np.exp(-np.clip([logit - reach, logit + reach], -700, 700)))
        out[how] = value, min(low, value), max(high, value)
    return out


# ---- two rankers


def paired(cell: tuple[int, int, Noise], draws: int) -> list[Line]:
    """Return the size of the paired delta test of two alike rankers, and its power against a better one."""
    n1, n0, noise = cell
    rejected = {(m, shift): 0 for m in METRICS for shift in (1.5, 2.2)}
    for size, rng in blocks(draws, STUDY, 900, n1, NOISES.index(noise)):
        for _ in range(size):
            true = np.repeat([1.0, 0.0, 1.0, 0.0], _numbers(n1, n0, noise, rng))
            labels, errors = np.arange(n1 + n0) < n1, noise.drawn(rng)
            shared, own = rng.normal(size=true.size), rng.normal(size=(2, true.size))
            for shift in (1.5, 2.2):
                scores = {"a": (shared + own[0]) / np.sqrt(2) + shift * true, "b": (shared + own[1]) / np.sqrt(2)}
                scores["b"] += 1.5 * true
                known: dict[str, Any] = {
                    "unlabelled": True,
                    "prevalence": (errors.mislabelled, errors.mislabelled_error),
                }
                if not noise.unlabelled:
                    known = {
                        "contamination": (errors.contamination, errors.contamination_error),
                        "mislabelled": (errors.mislabelled, errors.mislabelled_error),
                    }
                ev = hc.evaluate(labels, scores, metrics=METRICS, **known)
                for m in METRICS:
                    rejected[m, shift] += ev.compare("a", "b", m, method="delta").pvalue < 0.05
    context = {"labelled": n1, "others": n0, **noise._asdict(), "draws": draws}
    return [
        {"metric": m, **context, "size": rejected[m, 1.5] / draws, "power": rejected[m, 2.2] / draws} for m in METRICS
    ]


def _numbers(n1: int, n0: int, noise: Noise, rng: np.random.Generator) -> list[int]:
    wrong, right = rng.binomial(n1, noise.contamination), rng.binomial(n0, noise.mislabelled)
    return [n1 - wrong, wrong, right, n0 - right]


# ---- labels of some subjects only


def verified(cell: tuple[str, int, str], draws: int) -> list[Line]:
    """Return the coverage of intervals from verified subjects: known or estimated probabilities, and none.

    The chance of verification rises with the score and with another covariate that depends on the class.
    """
    name, n, kind = cell
    population = POPULATIONS[name]
    true = {m: truth(m, population, 0.3) for m in METRICS}
    tallies = {(m, how): Tally() for m in METRICS for how in ("known", "estimated", "verified alone")}
    found: dict[tuple[str, str], list[tuple[float, float]]] = {key: [] for key in tallies}
    for size, rng in blocks(draws, STUDY, 700, list(POPULATIONS).index(name), n, kind == "strong"):
        for _ in range(size):
            for how, ev in _verified_evaluations(population, n, kind, rng):
                for m in METRICS:
                    e = ev["score", m]
                    if e.interval is None:
                        tallies[m, how].refused += 1
                    else:
                        tallies[m, how].add(*e.interval, true[m])
                    found[m, how].append((e.value, e.standard_error))
    lines = []
    for (m, how), tally in tallies.items():
        values, errors = np.array(found[m, how]).T
        more = {"deviation": round(float(values.std()), 5), "mean_error": round(float(errors.mean()), 5)}
        more |= {"bias": round(float(values.mean()) - true[m], 5), "width": round(tally.width / tally.draws, 5)}
        kept = {k: v for k, v in tally.line(true[m]).items() if k in ("draws", "coverage", "below", "above", "refused")}
        lines.append({"metric": m, "how": how, "population": name, "subjects": n, "selection": kind, **kept, **more})
    return lines


def _verified_evaluations(
    population: Population, n: int, kind: str, rng: np.random.Generator
) -> Iterator[tuple[str, hc.Evaluation]]:
    y = rng.random(n) < 0.3
    place = np.where(y, places(population, True, n, rng), places(population, False, n, rng))
    score, x = stats.norm.isf(np.clip(place, 1e-6, 1 - 1e-6)), rng.normal(size=n) + 0.8 * y
    chance = 1 / (1 + np.exp(-(score + 0.5 * x if kind == "strong" else 0.5 * score + 0.3 * x + 0.5)))
    labels = np.where(rng.random(n) < chance, y.astype(float), np.nan)
    how: dict[str, object] = {"known": chance, "estimated": {"score": score, "x": x}}
    for name, verification in how.items():
        yield name, hc.evaluate(labels, score, metrics=METRICS, verification=verification)
    options: dict[str, Any] = {"missing": "drop", "interval_method": "half-subject"}
    yield "verified alone", hc.evaluate(labels, score, metrics=METRICS, **options)


# ---- all of it


def _quiet(part: str, cell: Any, draws: int) -> list[Line]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if part == "study":
            return study(cell, draws)
        return paired(cell, draws) if part == "paired" else verified(cell, draws)


def one(cell: tuple[str, Any, int]) -> list[Line]:
    """Return the lines of one cell of one part."""
    try:
        return [{"part": cell[0], **line} for line in _quiet(*cell)]
    except InputError as error:
        raise RuntimeError(f"{cell}: {error}") from error


def summary(lines: Sequence[Line]) -> list[Line]:
    """Return for each metric, way and noise the lowest coverages over populations and sizes, and the mean width."""
    out = []
    own = [line for line in lines if line["part"] == "study"]
    keys = ("metric", "how", "contamination", "mislabelled", "contamination_error", "mislabelled_error")
    for key in dict.fromkeys(tuple(line[k] for k in keys) for line in own):
        cells = [line for line in own if tuple(line[k] for k in keys) == key]
        coverage = sorted(float(line["coverage"]) for line in cells)
        lowest = min(cells, key=lambda line: float(line["coverage"]))
        out.append(
            {
                **dict(zip(keys, key, strict=True)),
                "cells": len(cells),
                "lowest": round(coverage[0], 3),
                "second": round(coverage[1], 3) if len(coverage) > 1 else "",
                "below_.93": sum(one < 0.93 for one in coverage),
                "median": round(float(np.median(coverage)), 3),
                "width": round(float(np.mean([line["width"] for line in cells])), 3),
                "where": f"{lowest['population']} {lowest['labelled']}/{lowest['others']}",
            }
        )
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study, and write what it found."""
    args = arguments(__doc__, argv)
    if args.quick:
        cells: list[tuple[str, Any, int]] = [
            ("study", ("binormal 1.5", SIZES[1], NOISES[3]), 20),
            ("verified", ("beta", 300, "weak"), 10),
        ]
    else:
        cells = [("study", (p, n, noise), 120) for noise in NOISES for n in SIZES for p in POPULATIONS]
        cells += [("paired", (*n, noise), 150) for noise in (NOISES[0], NOISES[3], NOISES[5]) for n in SIZES[1:]]
        kinds = [(n, kind) for n in (300, 1000) for kind in ("weak", "strong")]
        cells += [("verified", (p, *kind), 150) for p in ("binormal 1.5", "beta", "poisson") for kind in kinds]
    lines = over(one, cells, args.processes)
    print(shown(summary(lines)))
    if not args.quick:
        for part in ("study", "paired", "verified"):
            name = "wrong_labels" if part == "study" else f"wrong_labels_{part}"
            write(name, [{k: v for k, v in line.items() if k != "part"} for line in lines if line["part"] == part])
        write("wrong_labels_summary", summary(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
