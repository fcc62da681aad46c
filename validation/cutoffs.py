"""Coverage of the default interval of recall at a rate and of precision at k.

``python -m validation.cutoffs [--quick]``. Binormal cohorts; the package's own functions on every draw.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

import hitcurve as hc
from hitcurve import HitTable
from validation.average_precision import NORMAL, Cell
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

STUDY = 3
METHODS = ("jeffreys", "wald", "percentile", "wald-z", "binomial")


@dataclass(frozen=True)
class Cut:
    """A scenario and the rate at which it is cut; the cut falls on a whole rank of at least 2."""

    cell: Cell
    rate: float

    @property
    def k(self) -> int:
        """Rank of the cut."""
        return round(self.cell.n * self.rate)

    @property
    def possible(self) -> bool:
        """Whether the cut is a whole rank, and not the first."""
        return self.k >= 2 and abs(self.cell.n * self.rate - self.k) < 1e-9


@dataclass(frozen=True)
class Draws:
    """How many samples of each cell, and for the bootstrap."""

    all: int = 1_000
    percentile: int = 100


CUTS = [
    cut
    for number, (shift, pi, n1, rate) in enumerate(
        product((0.5, 1.5, 3.0), (0.5, 0.1, 0.02, 0.004), (10, 20, 50, 200), (0.01, 0.05, 0.1))
    )
    if (cut := Cut(Cell(number, Population("binormal", shift), pi, n1), rate)).possible
]


def study(cut: Cut, draws: Draws) -> list[Line]:
    """Return the coverage of the default and of what users do, in one cell."""
    cell, k = cut.cell, cut.k
    recall = cell.population.recall_at(cut.rate, cell.pi)
    truth = {"recall": recall, "precision": cell.pi * recall / cut.rate}
    metrics = {"recall": hc.metrics.RecallAt(cut.rate), "precision": hc.metrics.PrecisionAt(k)}
    tallies = {(name, method): Tally() for name in truth for method in METHODS}
    seen = 0
    for size, rng in blocks(draws.all, STUDY, cell.number):
        drawn = sample(cell.population, cell.n, cell.pi, size, rng)
        for table in tables(drawn, ordinal=False):
            for name, metric in metrics.items():
                made, true = spread(metric, table), truth[name]
                add_interval(tallies[name, "jeffreys"], made, "jeffreys", true)
                add_interval(tallies[name, "wald"], made, "wald", true)
                half = NORMAL * made.variance**0.5
                tallies[name, "wald-z"].add(made.value - half, made.value + half, true)
                if seen < draws.percentile and name == "recall":
                    add_interval(tallies[name, "percentile"], made, "percentile", true, n_resamples=199, rng=rng)
            tallies["precision", "binomial"].add(*binomial(table, k), truth["precision"])
            seen += 1
    return [
        {
            "metric": name,
            **cell.named,
            "rate": cut.rate,
            "k": k,
            "truth": round(truth[name], 8),
            "method": method,
            **tally.line(truth[name]),
        }
        for (name, method), tally in tallies.items()
        if tally.draws
    ]


def binomial(table: HitTable, k: int) -> tuple[float, float]:
    """Return the Jeffreys interval that takes the hits among the first k as binomial, which users do."""
    from scipy.special import betaincinv

    hits = float(np.sum(table.pos[np.cumsum(table.pos + table.neg) <= k]))
    a, b = hits + 0.5, k - hits + 0.5
    return (
        0.0 if hits == 0 else float(betaincinv(a, b, 0.025)),
        1.0 if hits == k else float(betaincinv(a, b, 0.975)),
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    cuts = [cut for cut in CUTS if cut.cell.n1 == 20 and cut.cell.pi == 0.1] if args.quick else CUTS
    lines = over(partial(study, draws=Draws(40, 2) if args.quick else Draws()), cuts, args.processes)
    if args.quick:
        print(shown(line for line in lines if line["method"] == "jeffreys"), f"\nseed {SEED}")
    else:
        write("cutoffs", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
