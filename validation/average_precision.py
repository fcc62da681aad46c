"""Coverage of intervals of average precision in a cohort, in the 144 scenarios.

``python -m validation.average_precision [--quick]``. The package's own functions are run on a part of the draws of
every cell, and a version for many tables at once on all; the exit code is 1 if the two differ.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Any

import numpy as np

import hitcurve as hc
from hitcurve.errors import InsufficientDataError
from hitcurve.inference.intervals.interval import ConfidenceInterval, interval
from hitcurve.inference.variance.lacking import FEWEST
from validation import recipes
from validation.populations import Population, sample
from validation.running import (
    SEED,
    Line,
    Tally,
    add_interval,
    arguments,
    blocks,
    over,
    shown,
    spread,
    tables,
    write,
)

STUDY = 1
AP = hc.metric("ap")
PACKAGE = ("tilted", "half-subject", "wald")
NORMAL = 1.959963984540054
SAME = 1e-9


@dataclass(frozen=True)
class Cell:
    """One scenario: subjects are drawn, so the number of positives is random."""

    number: int
    population: Population
    pi: float
    n1: int

    @property
    def n(self) -> int:
        """Subjects of a sample."""
        return round(self.n1 / self.pi)

    @property
    def named(self) -> Line:
        """Columns of a file that say which cell this is."""
        p = self.population
        return {"population": p.name, "shift": p.shift, "spread": p.spread, "pi": self.pi, "n1": self.n1}


@dataclass(frozen=True)
class Draws:
    """How many samples of each cell: all, for the package's own functions, for its percentile bootstrap."""

    all: int = 10_000
    package: int = 1_000
    percentile: int = 250


CELLS = [
    Cell(number, Population(name, shift), pi, n1)
    for number, (name, shift, pi, n1) in enumerate(
        product(("binormal", "t3", "ordinal"), (0.5, 1.5, 3.0), (0.5, 0.1, 0.02, 0.004), (10, 20, 50, 200))
    )
]


def intervals(rows: recipes.Tables) -> dict[str, recipes.Ends]:
    """Return the intervals of many tables by every recipe."""
    t = rows.t()
    return {
        "tilted": recipes.reaching(rows, t, recipes.tilted(rows, t)),
        "half-subject": recipes.reaching(rows, t, recipes.half_subject(rows, t)),
        "logit": recipes.plain_logit(rows, t),
        "wald": recipes.wald(rows, t),
        "wald-z": recipes.wald(rows, NORMAL),
    }


def study(cell: Cell, draws: Draws) -> list[Line]:
    """Return the coverage of every recipe in one cell."""
    truth = cell.population.average_precision(cell.pi)
    many = {name: Tally() for name in ("tilted", "half-subject", "logit", "wald", "wald-z")}
    own = {name: Tally() for name in (*PACKAGE, "percentile")}
    differ, redrawn, seen = 0.0, 0, 0
    for size, rng in blocks(draws.all, STUDY, cell.number):
        drawn = sample(cell.population, cell.n, cell.pi, size, rng)
        redrawn += drawn.redrawn
        ends = intervals(recipes.Tables.of(drawn.pos, drawn.neg))
        for name, tally in many.items():
            tally.add(*ends[name], truth)
        for i, table in enumerate(tables(drawn, ordinal=cell.population.ordinal)):
            if seen >= draws.package:
                break
            made = spread(AP, table)
            for name in PACKAGE:
                try:
                    found = interval(made, 0.95, name)[0]
                except InsufficientDataError:  # an error of 0 has no interval
                    own[name].refused += 1
                    continue
                own[name].add(*found, truth)
                differ = max(differ, _distance(found, ends[name], i))
            # what no default interval is made for, as its method is asked for by name here
            own["tilted"].refused += min(made.effective) < FEWEST
            if seen < draws.percentile:
                add_interval(own["percentile"], made, "percentile", truth, rng=rng)
            seen += 1
    lines = [("many at once", name, tally) for name, tally in many.items()]
    lines += [("package", name, tally) for name, tally in own.items() if tally.draws]
    return [
        {
            **cell.named,
            "truth": round(truth, 8),
            "method": name,
            "functions": functions,
            **tally.line(truth),
            "redrawn": redrawn,
            "largest_difference": f"{differ:.1e}",
        }
        for functions, name, tally in lines
    ]


def _distance(interval: ConfidenceInterval, ends: recipes.Ends, i: int) -> float:
    return max(abs(interval.low - float(ends.low[i])), abs(interval.high - float(ends.high[i])))


def same_as_sklearn(cell: Cell, samples: int, resamples: int) -> float:
    """Return how far AP of bootstrap samples is from scikit-learn's, so that its percentile interval is ours."""
    from sklearn.metrics import average_precision_score

    ((_, rng),) = blocks(samples, STUDY, 1000, cell.number)
    drawn = sample(cell.population, cell.n, cell.pi, samples, rng)
    largest = 0.0
    for table in tables(drawn, ordinal=cell.population.ordinal):
        y, score = _subjects(table)
        for _ in range(resamples):
            chosen = rng.integers(0, y.size, y.size)
            if not 0 < y[chosen].sum() < y.size:
                continue
            there = float(average_precision_score(y[chosen], score[chosen]))
            # the same replicate as counts over the rows of the table, as the bootstrap of the package draws it
            pos = np.bincount(-score[chosen][y[chosen] == 1], minlength=table.pos.size)
            neg = np.bincount(-score[chosen][y[chosen] == 0], minlength=table.pos.size)
            largest = max(largest, abs(there - float(AP.value(hc.HitTable.from_counts(pos, neg)))))
    return largest


def _subjects(table: hc.HitTable) -> tuple[Any, Any]:
    """Return labels and scores of the subjects; negatives between the same two positives share a score."""
    rows = np.arange(table.pos.size)
    y = np.repeat([1, 0], [int(table.n_pos), int(table.n_neg)])
    return y, -np.concatenate([np.repeat(rows, table.pos), np.repeat(rows, table.neg)])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    draws = Draws(1_000, 20, 5) if args.quick else Draws()
    cells = [cell for cell in CELLS if cell.n1 == 20 and cell.population.shift == 1.5] if args.quick else CELLS
    lines = over(partial(study, draws=draws), cells, args.processes)
    small = [cell for cell in cells if cell.n <= 1000][:: 1 if args.quick else 5]
    sklearn = max(same_as_sklearn(cell, 2, 10) for cell in small)
    differ = max(float(line["largest_difference"]) for line in lines)
    checks = [
        {
            "check": "intervals made one by one against many at once",
            "cases": len(cells) * draws.package,
            "largest": differ,
        },
        {"check": "AP of bootstrap samples against scikit-learn", "cases": len(small) * 20, "largest": sklearn},
    ]
    if args.quick:
        print(shown(line for line in lines if line["method"] in ("tilted", "half-subject", "wald-z")))
    else:
        write("average_precision", lines)
        write("checks", checks)
    print(shown(checks), f"\nseed {SEED}")
    return int(differ > SAME or sklearn > SAME)


if __name__ == "__main__":
    sys.exit(main())
