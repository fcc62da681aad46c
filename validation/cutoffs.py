"""Coverage of the intervals of recall at a rate and of precision at k.

``python -m validation.cutoffs [--quick]``. Binormal cohorts, populations and hooks on which nothing was chosen, and
case-control samples; the package's own functions on every draw.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product

import numpy as np

import hitcurve as hc
from hitcurve import HitTable, TableStack
from hitcurve.inference.intervals.interval import intervals
from hitcurve.inference.variance.spread import Spread
from validation.average_precision import NORMAL, Cell
from validation.held_out import HOOKS, NOT_TUNED
from validation.populations import Population, Whole, sample, sample_of
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
METHODS = ("region", "jeffreys", "wald", "percentile", "wald-z", "binomial")


@dataclass(frozen=True)
class Cut:
    """A scenario and the rate at which it is cut; the cut falls on a whole rank."""

    cell: Cell
    rate: float
    of: str = "binormal"

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
    """How many samples of each cell: all, for slices of the region, and for the bootstrap; of the other cells."""

    all: int = 1_000
    region: int = 300
    percentile: int = 100
    others: int = 200


CUTS = [
    cut
    for number, (shift, pi, n1, rate) in enumerate(
        product((0.5, 1.5, 3.0), (0.5, 0.1, 0.02, 0.004), (10, 20, 50, 200), (0.01, 0.05, 0.1))
    )
    if (cut := Cut(Cell(number, Population("binormal", shift), pi, n1), rate)).possible
]
OTHERS = [
    Cut(Cell(2000 + number, population, pi, n1), max(rate, pi / n1), of)
    for number, ((of, population), (pi, n1), rate) in enumerate(
        product(
            [("held out", one) for one in NOT_TUNED.values() if one.name not in HOOKS]
            + [("hook", one) for one in HOOKS.values()],
            ((0.2, 10), (0.2, 20), (0.1, 50), (0.02, 20), (0.01, 50), (0.1, 200)),
            (0.01, 0.05),
        )
    )
]


def study(cut: Cut, draws: Draws) -> list[Line]:
    """Return the coverage of the default, of the default before it, and of what users do, in one cell."""
    cell, k = cut.cell, cut.k
    truth, metrics = wanted(cut)
    tallies = {(name, method): Tally() for name in truth for method in METHODS}
    seen = 0
    for size, rng in blocks(draws.all, STUDY, cell.number):
        drawn = list(tables(sample(cell.population, cell.n, cell.pi, size, rng), ordinal=False))
        for name, metric in metrics.items():
            add_intervals(tallies[name, "region"], metric, drawn[: max(draws.region - seen, 0)], "region", truth[name])
        for table in drawn:
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
    return lines_of(cut, truth, tallies)


def wanted(cut: Cut) -> tuple[dict[str, float], dict[str, hc.Metric]]:
    """Return what is true of a cell, and the metrics that estimate it."""
    recall = cut.cell.population.recall_at(cut.k / cut.cell.n, cut.cell.pi)
    truth = {"recall": recall, "precision": cut.cell.pi * recall * cut.cell.n / cut.k}
    return truth, {"recall": hc.metrics.RecallAt(cut.k), "precision": hc.metrics.PrecisionAt(cut.k)}


def lines_of(cut: Cut, truth: dict[str, float], tallies: dict[tuple[str, str], Tally]) -> list[Line]:
    """Return what goes into a file."""
    return [
        {
            "metric": name,
            **cut.cell.named,
            "rate": cut.rate,
            "k": cut.k,
            "truth": round(truth[name], 8),
            "method": method,
            **tally.line(truth[name]),
        }
        for (name, method), tally in tallies.items()
        if tally.draws
    ]


def held_out(cut: Cut, draws: Draws) -> list[Line]:
    """Return the coverage of the default, and of the one before it, where nothing was chosen."""
    cell = cut.cell
    truth, metrics = wanted(cut)
    tallies = {(name, method): Tally() for name in truth for method in ("auto", "jeffreys")}
    for size, rng in blocks(draws.others, STUDY, cell.number):
        drawn = list(tables(sample(cell.population, cell.n, cell.pi, size, rng), ordinal=cell.population.ordinal))
        for (name, method), tally in tallies.items():
            add_intervals(tally, metrics[name], drawn, method, truth[name])
    return [{"set": cut.of, "design": "cohort", **line} for line in lines_of(cut, truth, tallies)]


def add_intervals(
    tally: Tally, metric: hc.Metric, drawn: Sequence[HitTable], method: str, truth: float, design: str = "cohort"
) -> None:
    """Count intervals of many tables, made as those of a stack; where one is refused, count that."""
    for kind in {table.kind for table in drawn}:
        stack = TableStack.from_tables({str(i): table for i, table in enumerate(drawn) if table.kind == kind})
        for part in stack.parts():
            ends = intervals(Spread(metric, part.lists, design), 0.95, method)
            refused = np.isnan(ends.low)
            tally.refused += int(refused.sum())
            tally.add(ends.low[~refused], ends.high[~refused], truth)


CASE_CONTROL = [
    (name, pi, n1, n0, rate)
    for name, pi, n1, n0 in (
        ("t2 hook", 0.2, 100, 200),
        ("gamma", 0.05, 20, 1000),
        ("beta", 0.05, 50, 500),
        ("lognormal", 0.01, 100, 1000),
        ("binormal", 0.05, 50, 500),
        ("5 levels", 0.2, 50, 300),
        ("5 levels", 0.2, 50, 500),
        ("poisson", 0.05, 50, 500),
    )
    for rate in (0.01, 0.05)
]


def known_prevalence(numbered: tuple[int, tuple[str, float, int, int, float]], draws: Draws) -> list[Line]:
    """Return the coverage for the enrichment factor where the numbers of both classes are fixed."""
    number, (name, pi, n1, n0, rate) = numbered
    population = {**NOT_TUNED, "binormal": Population("binormal", 1.5)}[name]
    truth, metric = population.recall_at(rate, pi) / rate, hc.metrics.EnrichmentFactor(rate)
    tallies = {method: Tally() for method in ("auto", "jeffreys")}
    for size, rng in blocks(draws.others, STUDY, 1000, number):
        positives: Whole = np.full(size, n1)
        drawn = sample_of(population, positives, n1 + n0, rng)
        there = [table.at_prevalence(pi) for table in tables(drawn, ordinal=population.ordinal)]
        for method, tally in tallies.items():
            add_intervals(tally, metric, there, method, truth, "case-control")
    return [
        {
            "set": "case-control",
            "design": f"case-control {n1}/{n0}",
            "metric": "ef",
            **Cell(number, population, pi, n1).named,
            "rate": rate,
            "k": "",
            "truth": round(truth, 8),
            "method": method,
            **tally.line(truth),
        }
        for method, tally in tallies.items()
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
    cuts, others, known, draws = CUTS, OTHERS, list(enumerate(CASE_CONTROL)), Draws()
    if args.quick:
        cuts, others = [cut for cut in cuts if cut.cell.n1 == 20 and cut.cell.pi == 0.1], others[::40]
        known, draws = known[::6], Draws(40, 10, 2, 10)
    lines = over(partial(study, draws=draws), cuts, args.processes)
    more = over(partial(held_out, draws=draws), others, args.processes)
    more += over(partial(known_prevalence, draws=draws), known, args.processes)
    if args.quick:
        print(shown(line for line in lines if line["method"] == "region"))
        print(shown(line for line in more if line["method"] == "auto"), f"\nseed {SEED}")
    else:
        write("cutoffs", lines)
        write("cutoffs_held_out", more)
    return 0


if __name__ == "__main__":
    sys.exit(main())
