"""Intervals and tests at a prevalence that is set: coverage of defaults, and size of the default tests of two rankers.

``python -m validation.set_prevalence [--quick]``. Classes of fixed sizes from binormal populations of shift .7, 1.5 and
2.5, evaluated at prevalences from 1e-4 to .9. What is true is the value of the whole population at that prevalence. Two
equal rankers share half of their noise.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import hitcurve as hc
from hitcurve.inference.intervals.interval import intervals
from hitcurve.inference.variance.spread import Spread
from hitcurve.sums import Lists
from validation.average_precision import Cell
from validation.defaults import truth
from validation.populations import Population, sample_of
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, stacked, write

STUDY = 47
DRAWS, PAIRS, ARRANGEMENTS = 400, 300, 199
SIZES = ((200, 200), (50, 450), (1000, 1000))
PREVALENCES = (1e-4, 0.001, 0.01, 0.02, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9)
SHIFTS = (0.7, 1.5, 2.5)
FORMS = (
    *("ap", "scaled_ap", "momentum", "prg_area", "interpolated_ap", "pr_area(keilwagen)"),
    *("max_f1", "net_benefit@10%", "recall@precision=50%", "precision@recall=80%"),
    *("bedroc(alpha=20)", "bedroc(alpha=80)", "bedroc(alpha=160)", "cac(exp, alpha=7)", "rauc"),
    *("recall@1%", "ef@1%", "precision@5%", "f1@10%", "auac"),
)
TESTED = (
    "ap",
    "momentum",
    "prg_area",
    "max_f1",
    "net_benefit@10%",
    "bedroc(alpha=20)",
    "bedroc(alpha=160)",
    "recall@1%",
)
_TESTED_AT = (0.01, 0.05, 0.1, 0.9)


class Task(NamedTuple):
    """Sizes of the classes in one population, and whether intervals or tests are made."""

    number: int
    n1: int
    n0: int
    shift: float
    tests: bool


TASKS = [
    Task(number, n1, n0, shift, tests)
    for number, (tests, (n1, n0), shift) in enumerate(
        (tests, sizes, shift) for tests in (False, True) for sizes in SIZES for shift in SHIFTS
    )
    if ((n1, n0) != SIZES[2] and not (tests and shift != 1.5)) or (shift == 1.5 and not tests)
]


def study(task: Task, draws: int, pairs: int, prevalences: Sequence[float] = PREVALENCES) -> list[Line]:
    """Return the lines of one population."""
    return _sizes(task, pairs) if task.tests else _coverage(task, draws, prevalences)


def _coverage(task: Task, draws: int, prevalences: Sequence[float]) -> list[Line]:
    population = Population("binormal", task.shift)
    ((_, rng),) = blocks(1, STUDY, task.number)
    rows = stacked(sample_of(population, np.full(draws, task.n1), task.n1 + task.n0, rng), ordinal=False)
    out: list[Line] = []
    for pi in prevalences:
        lists = Lists(rows.sums, pi, has_gaps=rows.has_gaps)
        cell = Cell(0, population, pi, task.n1)
        for form in FORMS:
            metric = hc.metric(form)
            true, found, tally = truth(metric, cell), intervals(Spread(metric, lists, "case-control"), 0.95), Tally()
            there = ~np.isnan(found.low)
            tally.refused = int(np.sum(~there))
            tally.add(found.low[there], found.high[there], true)
            rest: Line = tally.line(true) if tally.draws else dict.fromkeys(Tally(draws=1).line(1.0), "")
            method = " ".join(sorted(set(found.method[there].tolist())))
            own = {"metric": form, "method": method, "truth": round(true, 6)} | rest
            out.append({**_named(task, pi), **own, "draws": tally.draws, "refused": tally.refused})
    return out


def _sizes(task: Task, pairs: int) -> list[Line]:
    ((_, rng),) = blocks(1, STUDY, task.number)
    y, n = np.repeat([1, 0], [task.n1, task.n0]), task.n1 + task.n0
    p: dict[tuple[float, str], list[float]] = {(pi, form): [] for pi in _TESTED_AT for form in TESTED}
    methods: dict[tuple[float, str], set[str]] = {key: set() for key in p}
    for _ in range(pairs):
        common = rng.normal(size=n)
        one, other = (np.sqrt(0.5) * (common + rng.normal(size=n)) + task.shift * y for _ in range(2))
        for pi in _TESTED_AT:
            ev = hc.evaluate(y, {"a": one, "b": other}, metrics=list(TESTED), prevalence=pi)
            for form in TESTED:
                try:
                    test = ev.compare("a", "b", form, n_resamples=ARRANGEMENTS)
                except hc.errors.InsufficientDataError:
                    continue
                p[pi, form].append(test.pvalue)
                methods[pi, form].add(test.method)
    return [
        {
            **_named(task, pi),
            "metric": form,
            "method": "test: " + " ".join(sorted(methods[pi, form])),
            "draws": len(found),
            "refused": pairs - len(found),
            "size_05": _share(found, 0.05),
            "size_01": _share(found, 0.01),
        }
        for (pi, form), found in p.items()
    ]


def _share(p: Sequence[float], level: float) -> Any:
    return round(float(np.mean(np.array(p) <= level)), 4) if p else ""


def _named(task: Task, pi: float) -> Line:
    return {"n1": task.n1, "n0": task.n0, "shift": task.shift, "prevalence": pi}


def weakest(lines: Sequence[Line]) -> list[Line]:
    """Return of each metric the prevalence and sizes where its intervals cover least, and its largest size."""
    out: list[Line] = []
    for form in dict.fromkeys(line["metric"] for line in lines):
        own = [line for line in lines if line["metric"] == form and line["draws"]]
        covered = sorted((line for line in own if "coverage" in line), key=lambda line: float(line["coverage"]))
        tested = sorted((line for line in own if "size_05" in line), key=lambda line: -float(line["size_05"]))
        out.append(
            {
                "metric": form,
                "lowest": covered[0]["coverage"],
                "where": "{n1}/{n0} {shift} at {prevalence}".format(**covered[0]),
                "median": covered[len(covered) // 2]["coverage"],
                "cells": len(covered),
                "largest_size": tested[0]["size_05"] if tested else "",
            }
        )
    return out


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    warnings.simplefilter("ignore", hc.errors.HitcurveWarning)
    draws, pairs, prevalences = (20, 1, (0.05,)) if args.quick else (DRAWS, PAIRS, PREVALENCES)
    tasks = [task for task in TASKS if task.n1 == 200 and task.shift == 1.5] if args.quick else TASKS
    lines = over(partial(study, draws=draws, pairs=pairs, prevalences=prevalences), tasks, args.processes)
    print(f"seed {SEED}, {len(tasks)} populations\n{shown(weakest(lines))}")
    if not args.quick:
        write("set_prevalence", [line for line in lines if "size_05" not in line])
        write("set_prevalence_tests", [line for line in lines if "size_05" in line])
    return 0


if __name__ == "__main__":
    sys.exit(main())
