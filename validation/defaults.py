"""Coverage of the default interval of every metric that has one.

``python -m validation.defaults [--quick]``. A thin grid: six of the populations that recipes were tuned on, four that
are held out. The package's own functions make the intervals of many samples at once. Of a metric, the cells that come
out lowest are simulated again with more samples, other ones: the lowest of many is low by chance too.

What is true is the value of the whole population; of metrics that depend on how long a list is, such as DCG, the mean
of 4,000 samples of that length.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

import hitcurve as hc
from hitcurve.counts import Counts
from hitcurve.inference.intervals.interval import intervals
from hitcurve.inference.variance.spread import Spread
from hitcurve.metrics import Metric
from validation.average_precision import Cell
from validation.held_out import NOT_TUNED
from validation.populations import Population, sample
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, stacked, write

STUDY = 12
DRAWS, AGAIN, LOWEST = 200, 1_000, 3
FOR_TRUTH = 4_000
FORMS = (
    *("ap", "ap(ties=expected)", "scaled_ap", "momentum", "interpolated_ap", "pr_area(keilwagen)"),
    *("pr_area(davis_goadrich)", "prg_area"),
    *("auc", "pauc(fpr, 0, 0.1)", "pauc(tpr, 0.8, 1, scale=max)", "half_auc(specific)", "half_auc(sensitive)"),
    *("magnified_area(x=exp(alpha=7), y=exp(alpha=3))", "magnified_area(y=exp(alpha=7))"),
    *("croc(exp, alpha=7)", "croc(exp, alpha=20)", "logauc(0.001, 1)", "logauc(0.01, 1)", "proc"),
    *("roc(50)", "roc_enrichment@1%", "roc_enrichment@10%"),
    *("auac", "cac(exp, alpha=7)", "cac(log, alpha=80)", "rie(alpha=20)", "bedroc(alpha=20)"),
    *("area(exp, alpha=7, along=rate)", "expected_negative_recall(beta(6.23, 32.8))"),
    *("rauc(beta(6.23, 32.8))", "expected_recall(beta(6.23, 32.8))", "slr", "dcg", "dcg@10", "ndcg", "ndcg@10"),
    *("recall@1%", "recall@10%", "ef@1%", "relative_ef@5%", "hits@10", "precision@10", "precision@5%"),
    *("wss@95%", "wss@80%", "gini", "loss", "atd", "erf@10%"),
    *("sensitivity@specificity=95%", "specificity@sensitivity=95%"),
    *("tpr@fpr=1%", "tpr@fpr=5%", "fpr@tpr=80%", "fpr@tpr=95%", "precision@recall=50%", "precision@recall=80%"),
    *("recall@precision=50%", "recall@precision=90%", "max_f1", "net_benefit@10%", "nwss@95%", "f1@10%", "ks"),
)
_DRAWN = ("roc(50)", "proc", "slr", "dcg", "dcg@10", "ndcg", "ndcg@10", "hits@10", "precision@10")
_MANY = 1e9  # subjects of what stands for the population
_NOBODY = 1e-50  # of them: far below what a table takes as a weight

POPULATIONS = (
    *(Population("binormal", shift) for shift in (0.5, 1.5, 3.0)),
    Population("t3", 1.5),
    Population("ordinal", 1.5),
    Population("binormal", 1.0, 1.6),
    *(NOT_TUNED[name] for name in ("gamma", "lognormal", "t2 hook", "5 levels")),
)
CELLS = [
    Cell(number, population, pi, n1)
    for number, (population, pi, n1) in enumerate(
        (population, pi, n1)
        for population in POPULATIONS
        for pi, n1 in ((0.5, 50), (0.1, 20), (0.1, 200), (0.02, 10), (0.02, 50))
    )
]


def truth(metric: Metric, cell: Cell, draws: int = FOR_TRUTH) -> float:
    """Return the value of the whole population, or the mean of many samples of this length."""
    population = cell.population
    if str(metric) in _DRAWN:
        ((_, rng),) = blocks(1, STUDY, cell.number, 1)
        parts = [
            np.asarray(
                metric.value(stacked(sample(population, cell.n, cell.pi, 1000, rng), ordinal=population.ordinal).counts)
            )
            for _ in range(draws // 1000)
        ]
        return float(np.nanmean(parts))
    tpr, fpr = population.points()
    sides = (np.diff(tpr) * _MANY * cell.pi, np.diff(fpr) * _MANY * (1 - cell.pi))
    positives, negatives = (np.where(side < _NOBODY, 0.0, side) for side in sides)
    if population.ordinal:
        return float(metric.value(Counts(positives, negatives)))
    # a row of both classes is one of equal scores: its straight line is the mean of either class first
    none = np.zeros_like(positives)
    first = [
        Counts(np.stack(p, 1).ravel(), np.stack(q, 1).ravel())
        for p, q in (((positives, none), (none, negatives)), ((none, positives), (negatives, none)))
    ]
    return math.fsum(float(metric.value(c)) for c in first) / 2


class Task(NamedTuple):
    """Some metrics in one cell, for the first time or again."""

    cell: Cell
    forms: Sequence[str] = FORMS
    again: bool = False


def study(task: Task, draws: int, for_truth: int = FOR_TRUTH) -> list[Line]:
    """Return the coverage of the default interval of metrics in one cell."""
    cell, forms, again = task
    metrics = {form: hc.metric(form) for form in forms}
    true = {form: truth(metric, cell, for_truth) for form, metric in metrics.items()}
    tallies = {form: Tally() for form in forms}
    methods: dict[str, set[str]] = {form: set() for form in forms}
    for size, rng in blocks(draws, STUDY, cell.number, *((2,) if again else ())):
        rows = stacked(sample(cell.population, cell.n, cell.pi, size, rng), ordinal=cell.population.ordinal)
        for form, metric in metrics.items():
            found = intervals(Spread(metric, rows, "cohort"), 0.95)
            there = ~np.isnan(found.low)
            methods[form] |= set(found.method[there].tolist())
            tallies[form].refused += int(np.sum(~there))
            tallies[form].add(found.low[there], found.high[there], true[form])
    return [
        {
            **cell.named,
            "held_out": cell.population.name in NOT_TUNED,
            "again": again,
            "metric": form,
            "method": " ".join(sorted(methods[form])),
            "truth": round(true[form], 6),
            **(dict.fromkeys(Tally(draws=1).line(1.0), "") | _counted(tally, true[form])),
        }
        for form, tally in tallies.items()
    ]


def _counted(tally: Tally, truth: float) -> Line:
    return tally.line(truth) if tally.draws else {"draws": 0, "refused": tally.refused}


def lowest(lines: Sequence[Line], number: int) -> list[Task]:
    """Return for every cell the metrics of which it is among the lowest."""
    wanted: dict[int, list[str]] = {}
    for form in dict.fromkeys(line["metric"] for line in lines):
        for line in sorted(_answered(lines, form), key=_coverage)[:number]:
            (cell,) = (cell for cell in CELLS if all(line[key] == value for key, value in cell.named.items()))
            wanted.setdefault(cell.number, []).append(form)
    return [Task(CELLS[number], forms, True) for number, forms in sorted(wanted.items())]


def replaced(lines: Sequence[Line], again: Sequence[Line]) -> list[Line]:
    """Return lines with those in their places that were simulated again."""

    def key(line: Line) -> tuple[Any, ...]:
        return (*(line[name] for name in CELLS[0].named), line["metric"])

    new = {key(line): line for line in again}
    return [new.get(key(line), line) for line in lines]


def weakest(lines: Sequence[Line]) -> list[Line]:
    """Return for every metric its lowest cell of those that were simulated again, and its median, the weakest first."""
    out: list[Line] = []
    for form in dict.fromkeys(line["metric"] for line in lines):
        own = sorted(_answered(lines, form), key=_coverage)
        sure = [line for line in own if line["again"]] or own
        first, refused = sure[0], sum(int(line["refused"]) for line in lines if line["metric"] == form)
        out.append(
            {
                "metric": form,
                "method": " ".join(sorted({method for line in own for method in str(line["method"]).split()})),
                "lowest": _coverage(first),
                "standard_error": first["standard_error"],
                "below": first["below"],
                "above": first["above"],
                "where": " ".join(str(first[key]) for key in ("population", "shift", "spread", "pi", "n1")),
                "median": _coverage(own[len(own) // 2]),
                "lowest_held_out": min(_coverage(line) for line in own if line["held_out"]),
                "refused": round(refused / (refused + sum(int(line["draws"]) for line in own)), 4),
            }
        )
    return sorted(out, key=lambda line: float(line["lowest"]))


def _answered(lines: Sequence[Line], form: str) -> list[Line]:
    """Return the lines of a metric in which there were intervals."""
    return [line for line in lines if line["metric"] == form and int(line["draws"])]


def _coverage(line: Line) -> float:
    return float(line["coverage"])


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    few = [cell for cell in CELLS if cell.n1 == 20 and cell.population.name in ("t3", "gamma")]
    draws, more, for_truth = (4, 6, 1000) if args.quick else (DRAWS, AGAIN, FOR_TRUTH)
    cells = few if args.quick else CELLS
    lines = over(partial(study, draws=draws, for_truth=for_truth), [Task(cell) for cell in cells], args.processes)
    again = over(
        partial(study, draws=more, for_truth=for_truth), lowest(lines, 1 if args.quick else LOWEST), args.processes
    )
    lines = replaced(lines, again)
    print(f"seed {SEED}, {len(cells)} cells\n{shown(weakest(lines))}")
    if not args.quick:
        write("defaults", lines)
        write("defaults_weakest", weakest(lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
