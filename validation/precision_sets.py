"""The default interval of average precision beside the one before it, in 256 scenarios and on held-out populations.

``python -m validation.precision_sets [--quick]``. The package's own functions on stacks of samples. The 144 scenarios
of ``validation.average_precision`` and the 112 of ``validation.better`` are what constants were chosen on; on the
held-out populations nothing was.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import groupby, product

import numpy as np

import hitcurve as hc
from hitcurve.inference.intervals.in_range import inside
from hitcurve.inference.intervals.interval import intervals
from hitcurve.inference.variance.spread import Spread
from validation.average_precision import CELLS, Cell
from validation.better import FRESH
from validation.deconvolution import posterior, shares
from validation.held_out import NOT_TUNED
from validation.populations import Array, sample
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, stacked, write

STUDY = 11
AP = hc.metric("ap")
METHODS = ("tilted", "end-model", "end-model, drawn")
BY_FORMULA_FROM = 50  # positives, where models are drawn beside it
DRAWS = {10: 1000, 20: 1000, 50: 300, 200: 150}
OWN_DRAWS = {10: 400, 20: 400, 50: 200, 200: 80}
OWN = [
    Cell(2000 + number, population, pi, n1)
    for number, (population, pi, n1) in enumerate(
        product(NOT_TUNED.values(), (0.3, 0.1, 0.02, 0.005), (10, 20, 50, 200))
    )
]
SETS = {"the 144": CELLS, "112 fresh": FRESH, "held out": OWN}


def study(cell: Cell, factor: float = 1.0) -> list[Line]:
    """Return the coverage of both methods in one cell."""
    draws = (OWN_DRAWS if cell in OWN else DRAWS)[cell.n1]
    truth = cell.population.average_precision(cell.pi)
    methods = METHODS if cell.n1 >= BY_FORMULA_FROM else METHODS[:2]
    tallies, took = {name: Tally() for name in methods}, dict.fromkeys(methods, 0.0)
    logs, perfect = dict.fromkeys(methods, 0.0), 0
    for size, rng in blocks(round(factor * draws), STUDY, cell.number, size=100):
        drawn = sample(cell.population, cell.n, cell.pi, size, rng)
        spread = Spread(AP, stacked(drawn, ordinal=cell.population.ordinal), "cohort")
        perfect += int(np.sum(spread.value >= 1))
        for name in methods:
            start = time.process_time()
            low, high = _ends(spread, name)
            took[name] += time.process_time() - start
            tallies[name].add(low, high, truth)
            logs[name] += float(np.sum(np.log((high - low) / truth)))
    return [
        {
            **cell.named,
            "truth": round(truth, 8),
            "method": name,
            **tally.line(truth),
            "log_width": round(logs[name] / tally.draws, 5),
            "perfect": round(perfect / tally.draws, 4),
            "ms": round(1000 * took[name] / tally.draws, 2),
        }
        for name, tally in tallies.items()
    ]


def _ends(spread: Spread, method: str) -> tuple[Array, Array]:
    if method in METHODS[:2]:
        return intervals(spread, 0.95, method)[:2]
    low, high = inside(spread, "end-model", *spread.end_model.ends(0.95))
    return low, high


def _column(lines: Sequence[Line], name: str) -> Array:
    return np.array([float(line[name]) for line in lines])


def _counted(lines: Sequence[Line]) -> tuple[Array, Array, Array]:
    draws = _column(lines, "draws")
    below, above = (np.rint(_column(lines, side) * draws) for side in ("below", "above"))
    return below, above, draws


def summary(lines: Sequence[Line]) -> Iterator[Line]:
    """Yield what each method reached, by set and number of positives, and in all 256 scenarios."""
    for (name, n1), own in _grouped(lines, "set", "n1"):
        for method in METHODS:
            of = [line for line in own if line["method"] == method]
            if not of:
                continue
            yield {"set": name, "n1": n1, "method": method, "cells": len(of), **_reached(of)}
    for method in METHODS[:2]:
        # errors depend on the draws, so that each number of positives has a distribution of its own
        parts = [
            posterior(*_counted(of))
            for _, own in _grouped([x for x in lines if x["set"] != "held out"], "set", "n1")
            if (of := [line for line in own if line["method"] == method])
        ]
        of = [line for line in lines if line["method"] == method and line["set"] != "held out"]
        if of:
            together = {**_reached(of), "ok": round(float(np.mean(np.concatenate(parts))), 3)}
            yield {"set": "all 256", "n1": "", "method": method, "cells": len(of), **together}


def _grouped(lines: Sequence[Line], *names: str) -> Iterator[tuple[tuple[object, ...], list[Line]]]:
    def key(line: Line) -> tuple[object, ...]:
        return tuple(line[name] for name in names)

    for found, own in groupby(sorted(lines, key=lambda line: (list(SETS).index(line["set"]), line["n1"])), key):
        yield found, list(own)


def _reached(lines: Sequence[Line]) -> Line:
    coverage = _column(lines, "coverage")
    ok = shares(*_counted(lines))
    return {
        "draws": int(_column(lines, "draws").min()),
        "ok": round(ok.estimate, 3),
        "raw": round(ok.raw, 3),
        "attainable": round(ok.attainable, 3),
        "lowest": round(float(coverage.min()), 4),
        "highest": round(float(coverage.max()), 4),
        "below": round(float(_column(lines, "below").max()), 4),
        "above": round(float(_column(lines, "above").max()), 4),
        "width": round(float(np.exp(_column(lines, "log_width").mean())), 3),
        "ms": round(float(_column(lines, "ms").mean()), 2),
    }


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    lines: list[Line] = []
    for name, cells in SETS.items():
        some = [cell for cell in cells if cell.n1 == 20][::9] if args.quick else cells
        do = partial(study, factor=0.05 if args.quick else 1.0)
        lines += [{"set": name, **line} for line in over(do, some, args.processes)]
    reached = list(summary(lines))
    if not args.quick:
        write("precision_sets", lines)
        write("precision_sets_summary", reached)
    print(shown(reached), f"\nseed {SEED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
