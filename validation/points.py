"""Coverage of default intervals of operating points in cohorts, on populations on which nothing was chosen.

``python -m validation.points [--quick]``. The truth is the metric of the whole population, as a table of many rows.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np

import hitcurve as hc
from hitcurve import Counts, Metric
from hitcurve.inference.intervals.interval import intervals
from hitcurve.inference.variance.spread import Spread
from validation.held_out import NOT_TUNED
from validation.populations import Population, sample
from validation.running import Line, Tally, arguments, blocks, over, shown, stacked, write

STUDY = 31
SIZES = ((20, 0.1), (50, 0.02), (200, 0.1))
"""Positives expected, and the prevalence."""
FORMS = (
    "tpr@fpr=1%",
    "tpr@fpr=5%",
    "fpr@tpr=80%",
    "fpr@tpr=95%",
    "precision@recall=50%",
    "precision@recall=80%",
    "recall@precision=50%",
    "recall@precision=90%",
    "max_f1",
    "nwss@95%",
    "f1@10%",
    "ks",
)
LOW = 0.93  # a coverage that is counted as low


def metrics_at(pi: float) -> dict[str, Metric]:
    """Return the metrics; of net benefit at the prevalence and at four times it, where choices matter."""
    forms = {form: hc.metric(form) for form in FORMS}
    benefit = {"net_benefit at pi": pi, "net_benefit at 4 pi": min(4 * pi, 0.8)}
    return forms | {name: hc.metrics.NetBenefit(at) for name, at in benefit.items()}


def truth(metric: Metric, population: Population, pi: float) -> float:
    """Return the value of the whole population."""
    tpr, fpr = population.points()
    return float(metric.kernel(Counts(np.diff(tpr), np.diff(fpr), pi)))


def study(cell: tuple[Population, int, float], draws: int) -> list[Line]:
    """Return the coverage of each metric in one population, of one size."""
    population, n1, pi = cell
    n, place = round(n1 / pi), list(NOT_TUNED).index(population.name)
    found = {name: (m, Tally(), truth(m, population, pi)) for name, m in metrics_at(pi).items()}
    bias = dict.fromkeys(found, 0.0)
    for size, rng in blocks(draws, STUDY, place, n, round(1000 * pi)):
        drawn = sample(population, n, pi, size, rng)
        lists = stacked(drawn, ordinal=population.ordinal)
        for name, (m, tally, true) in found.items():
            spread = Spread(m, lists, "cohort")
            ends = intervals(spread, 0.95)
            there = ~np.isnan(ends.low)
            tally.add(ends.low[there], ends.high[there], true)
            tally.refused += int(np.sum(~there))
            bias[name] += float(np.sum(spread.value - true)) / draws
    context = {"population": population.name, "positives": n1, "prevalence": pi}
    lines = []
    for name, (_, tally, true) in found.items():
        width = round(tally.width / tally.draws, 5)
        rest = {key: value for key, value in tally.line(true).items() if key != "width_over_truth"}
        more = {"width": width, "truth": round(true, 6), "bias": round(bias[name], 5)}
        lines.append({"metric": name, **context, **rest, **more})
    return lines


def quick_study(cell: tuple[Population, int, float]) -> list[Line]:
    """Return a slice of the study."""
    return study(cell, 8)


def full_study(cell: tuple[Population, int, float]) -> list[Line]:
    """Return the study of one cell."""
    return study(cell, 160)


def summary(lines: Sequence[Line]) -> list[Line]:
    """Return for each metric and size the lowest coverage, the share of low ones, the median, the mean width."""
    out = []
    for name, n1 in dict.fromkeys((line["metric"], line["positives"]) for line in lines):
        own = [line for line in lines if (line["metric"], line["positives"]) == (name, n1)]
        coverage = np.array([line["coverage"] for line in own])
        out.append(
            {
                "metric": name,
                "positives": n1,
                "cells": len(own),
                "lowest": round(float(coverage.min()), 3),
                f"below_{LOW}": round(float(np.mean(coverage < LOW)), 3),
                "median": round(float(np.median(coverage)), 3),
                "width": round(float(np.mean([line["width"] for line in own])), 3),
                "mean_bias": round(float(np.mean([line["bias"] for line in own])), 3),
            }
        )
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study, and write what it found."""
    args = arguments(__doc__, argv)
    sizes = SIZES[:1] if args.quick else SIZES
    cells = [(population, n1, pi) for n1, pi in sizes for population in NOT_TUNED.values()]
    lines = over(quick_study if args.quick else full_study, cells, args.processes)
    print(shown(summary(lines)))
    if not args.quick:
        write("points", lines)
        write("points_summary", summary(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
