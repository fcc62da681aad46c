"""Comparisons of several runs over topics: family-wise error and power of the range test and of Holm's method.

``python -m validation.topics [--quick]``. Values of a metric are drawn directly: a topic makes all runs better or
worse, and each run has an error of its own. Equal runs have the same mean; in some cells others are better by half a
standard deviation of the error.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from hitcurve.groups import across, tukey
from hitcurve.inference import Comparison, compared_pairs, holm
from hitcurve.metrics import AveragePrecision
from validation.populations import Array
from validation.running import SEED, Line, arguments, blocks, over, shown, write

STUDY = 31
LEVEL = 0.05
DEVIATION = 0.1  # of topics, and of the errors
AHEAD = 0.5 * DEVIATION
ERRORS = ("normal", "skewed", "unequal")
RULES = ("Tukey", "Holm, paired t", "unadjusted, paired t")


@dataclass(frozen=True)
class Cell:
    """Runs and topics, the distribution of the errors, and how many runs are better than the others."""

    number: int
    runs: int
    topics: int
    error: str
    better: int = 0

    def draw(self, rng: np.random.Generator) -> dict[str, Array]:
        """Draw the values of all runs on all topics."""
        own = rng.standard_normal((self.runs, self.topics))
        if self.error == "skewed":  # exponential, with mean 0 and deviation 1
            own = rng.exponential(size=own.shape) - 1
        elif self.error == "unequal":  # the last run varies three times as much
            own[-1] *= 3
        values = 0.4 + DEVIATION * (rng.standard_normal(self.topics) + own)
        values[: self.better] += AHEAD
        return {f"run {place}": line for place, line in enumerate(values)}

    def differ(self, test: Comparison) -> bool:
        """Say whether the means of two runs differ in truth."""
        ahead = [int(name.removeprefix("run ")) < self.better for name in (test.first, test.second)]
        return ahead[0] != ahead[1]


CELLS = [
    Cell(place, runs, topics, error, better)
    for place, (runs, topics, error, better) in enumerate(
        (runs, topics, error, better)
        for runs, topics in ((5, 10), (5, 25), (5, 50), (10, 50))
        for error in ERRORS
        for better in (0, 2)
    )
]


def study(cell: Cell, samples: int, draws: int) -> list[Line]:
    """Return family-wise error, power, and coverage of the simultaneous intervals in one cell."""
    wrong, found, covered = dict.fromkeys(RULES, 0), dict.fromkeys(RULES, 0.0), 0
    for size, rng in blocks(samples, STUDY, cell.number):
        for _ in range(size):
            values = cell.draw(rng)
            tests = _pairs(values)
            by_range = tukey(tests, values, draws=draws, rng=rng)
            covered += all(_covers(cell, test) for test in by_range)
            for rule, made in zip(RULES, (by_range, holm(tests), tests), strict=True):
                rejected = [test for test in made if test.decisive_pvalue <= LEVEL]
                wrong[rule] += any(not cell.differ(test) for test in rejected)
                truly = sum(cell.differ(test) for test in made)
                found[rule] += sum(cell.differ(test) for test in rejected) / truly if truly else 0.0
    return [
        {
            "runs": cell.runs,
            "topics": cell.topics,
            "errors": cell.error,
            "better": cell.better,
            "rule": rule,
            "samples": samples,
            "error": round(wrong[rule] / samples, 5),
            "standard_error": round(math.sqrt(wrong[rule] / samples * (1 - wrong[rule] / samples) / samples), 5),
            "power": round(found[rule] / samples, 5) if cell.better else "",
            "covered": round(covered / samples, 5) if rule == "Tukey" else "",
        }
        for rule in RULES
    ]


def _pairs(values: dict[str, Array]) -> list[Comparison]:
    metric = AveragePrecision()

    def compare(first: str, second: str) -> Comparison:
        return across(metric, (first, second), (values[first], values[second]), method="paired-t", unit="topics")

    return compared_pairs({name: float(np.mean(own)) for name, own in values.items()}, None, compare, turned=True)


def _covers(cell: Cell, test: Comparison) -> bool:
    if test.simultaneous is None:
        return False
    ahead = [AHEAD * (int(name.removeprefix("run ")) < cell.better) for name in (test.first, test.second)]
    low, high = test.simultaneous
    return low - 1e-12 <= ahead[0] - ahead[1] <= high + 1e-12


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    samples, draws = (15, 199) if args.quick else (600, 999)
    lines = over(partial(study, samples=samples, draws=draws), CELLS[:2] if args.quick else CELLS, args.processes)
    if args.quick:
        print(shown(lines), f"\nseed {SEED}")
    else:
        write("topics", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
