"""Rankings in which most subjects have the same score: coverage of default intervals.

``python -m validation.mostly_tied [--quick]``. A share of either class has the score 0, as documents without a keyword
or molecules that did not dock; the others have exponential scores, those of positives larger. Numbers of the classes
are fixed.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

import hitcurve as hc
from hitcurve.counts import Counts
from hitcurve.inference.intervals.interval import intervals
from hitcurve.inference.variance.spread import Spread
from validation.populations import Array
from validation.running import SEED, Line, Tally, arguments, blocks, over, shown, write

STUDY = 62
DRAWS, STEPS = 1_000, 200_000
FORMS = ("auc", "croc(exp, alpha=7)", "rauc(beta(6.23, 32.8))", "bedroc(alpha=20)", "ap")
SCALE = 2.0  # of the scores of positives that are not 0, over that of the negatives


@dataclass(frozen=True)
class Cell:
    """How many subjects, and the shares of both classes that are apart from the ties."""

    number: int
    positives: int
    negatives: int
    apart: tuple[float, float]

    def scores(self, rng: np.random.Generator, size: int) -> Array:
        """Draw samples, positives first, (size, n)."""
        shape = (size, self.positives + self.negatives)
        positive = np.arange(shape[1]) < self.positives
        share = np.where(positive, *self.apart)
        return rng.exponential(np.where(positive, SCALE, 1.0), shape) * (rng.random(shape) < share)

    def truth(self, form: str) -> float:
        """Return the value of the population, with these numbers of both classes."""
        above = np.linspace(0, 1, STEPS + 1)  # share of the negatives that are not 0, by which scores are cut
        pos, neg = np.diff(above ** (1 / SCALE)) * self.apart[0], np.diff(above) * self.apart[1]
        pos, neg = np.append(pos, 1 - self.apart[0]), np.append(neg, 1 - self.apart[1])
        return float(hc.metric(form).value(Counts(pos * self.positives * 1e6, neg * self.negatives * 1e6)))


CELLS = [
    Cell(number, *sizes, apart)
    for number, (sizes, apart) in enumerate(
        (sizes, apart)
        for sizes in ((8, 80), (10, 990), (20, 200), (50, 500), (100, 1000))
        for apart in ((0.1, 0.03), (0.2, 0.05), (0.5, 0.05))
    )
]


def study(cell: Cell, draws: int) -> list[Line]:
    """Return the coverage of the metrics in one cell."""
    true = {form: cell.truth(form) for form in FORMS}
    tallies = {form: Tally() for form in FORMS}
    y = np.repeat([1, 0], [cell.positives, cell.negatives])
    for size, rng in blocks(draws, STUDY, cell.number):
        scores = cell.scores(rng, size)
        stack = hc.TableStack.from_scores(np.tile(y, size), scores.ravel(), np.repeat(np.arange(size), y.size))
        for part in stack.parts():
            for form in FORMS:
                found = intervals(Spread(hc.metric(form), part.lists, "case-control"), 0.95)
                there = ~np.isnan(found.low)
                tallies[form].refused += int(np.sum(~there))
                tallies[form].add(found.low[there], found.high[there], true[form])
    sizes: Line = {"positives": cell.positives, "negatives": cell.negatives}
    apart: Line = {"positives_apart": cell.apart[0], "negatives_apart": cell.apart[1]}
    return [
        {**sizes, **apart, "metric": form, "truth": round(true[form], 6), **tally.line(true[form])}
        for form, tally in tallies.items()
    ]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the study."""
    args = arguments(__doc__, argv)
    if args.quick:
        print(shown(study(CELLS[0], 100)), f"\nseed {SEED}")
    else:
        write("mostly_tied", over(partial(study, draws=DRAWS), CELLS, args.processes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
