"""Coverage of the default interval of area metrics: AUC, CROC, BEDROC, rAUC.

``python -m validation.areas [--quick]``. Binormal cohorts; the package's own functions on every draw.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from itertools import product

import hitcurve as hc
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

STUDY = 2
METRICS = {
    "auc": "auc",
    "croc": "croc(exp, alpha=20)",
    "bedroc": "bedroc(alpha=20)",
    "rauc": "rauc(beta(6.2, 32.8))",
}
DRAWS = 600

CELLS = [
    Cell(number, Population("binormal", shift), pi, n1)
    for number, (shift, pi, n1) in enumerate(product((0.5, 1.5, 3.0), (0.5, 0.1, 0.02), (10, 20, 50, 200)))
]


def study(cell: Cell, draws: int) -> list[Line]:
    """Return the coverage of the default and of Wald, for every metric, in one cell."""
    truth = {name: cell.population.area(name, cell.pi) for name in METRICS}
    metrics = {name: hc.metric(text) for name, text in METRICS.items()}
    tallies = {(name, method): Tally() for name in METRICS for method in ("half-subject", "wald", "wald-z")}
    for size, rng in blocks(draws, STUDY, cell.number):
        drawn = sample(cell.population, cell.n, cell.pi, size, rng)
        for table in tables(drawn, ordinal=False):
            for name, metric in metrics.items():
                made = spread(metric, table)
                for method in ("half-subject", "wald"):
                    add_interval(tallies[name, method], made, method, truth[name])
                half = NORMAL * made.variance**0.5
                tallies[name, "wald-z"].add(made.value - half, made.value + half, truth[name])
    return [
        {
            "metric": name,
            **cell.named,
            "truth": round(truth[name], 8),
            "method": method,
            **tally.line(truth[name]),
        }
        for (name, method), tally in tallies.items()
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    cells = [cell for cell in CELLS if cell.n1 == 20 and cell.pi == 0.1] if args.quick else CELLS
    lines = over(partial(study, draws=40 if args.quick else DRAWS), cells, args.processes)
    if args.quick:
        print(shown(line for line in lines if line["method"] == "half-subject"), f"\nseed {SEED}")
    else:
        write("areas", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
